// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads the records of ours.c in the order in which they are written and recomputes them.
use blst::*;
use std::mem::{size_of, MaybeUninit};
use std::ptr;

pub const NAMES: [&str; 16] = [
    "", "fr", "fr bytes", "fr wide", "fp", "fp bytes", "fp2", "g1 decode", "g1 decode compressed",
    "g2 decode", "g2 decode compressed", "g1 operations", "g2 operations", "g1 sum", "g2 sum",
    "pairing",
];

/// Structs of integers without padding: any bytes are a value, and equal values have equal bytes.
trait Plain: Copy + PartialEq {}
impl Plain for u8 {}
impl Plain for u32 {}
impl<const N: usize> Plain for [u8; N] {}
impl Plain for blst_fr {}
impl Plain for blst_fp {}
impl Plain for blst_fp2 {}
impl Plain for blst_p1_affine {}
impl Plain for blst_p2_affine {}
impl Plain for blst_fp12 {}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn take<T: Plain>(&mut self) -> T {
        assert!(self.bytes.len() >= size_of::<T>(), "the file ends inside a record");
        let value = unsafe { ptr::read_unaligned(self.bytes.as_ptr() as *const T) };
        self.bytes = &self.bytes[size_of::<T>()..];
        value
    }

    fn take_n<T: Plain>(&mut self, n: usize) -> Vec<T> {
        (0..n).map(|_| self.take()).collect()
    }

    /// The next value is what blst gives.
    fn expect<T: Plain>(&mut self, theirs: T) -> bool {
        self.take::<T>() == theirs
    }
}

/// What a C function of blst writes through its first argument.
fn get<T>(call: impl FnOnce(*mut T)) -> T {
    let mut out = MaybeUninit::<T>::zeroed();
    call(out.as_mut_ptr());
    unsafe { out.assume_init() }
}

macro_rules! arithmetic {
    ($name:ident, $t:ty, $add:ident, $sub:ident, $cneg:ident, $mul:ident, $sqr:ident, $inv:ident) => {
        fn $name(r: &mut Reader) -> ($t, bool) {
            let (a, b): ($t, $t) = (r.take(), r.take());
            let mut same = true;
            unsafe {
                same &= r.expect(get(|o| $add(o, &a, &b)));
                same &= r.expect(get(|o| $sub(o, &a, &b)));
                same &= r.expect(get(|o| $cneg(o, &a, true)));
                same &= r.expect(get(|o| $mul(o, &a, &b)));
                same &= r.expect(get(|o| $sqr(o, &a)));
                same &= r.expect(get(|o| $inv(o, &a)));
            }
            (a, same)
        }
    };
}
arithmetic!(fr_arithmetic, blst_fr, blst_fr_add, blst_fr_sub, blst_fr_cneg, blst_fr_mul, blst_fr_sqr, blst_fr_eucl_inverse);
arithmetic!(fp_arithmetic, blst_fp, blst_fp_add, blst_fp_sub, blst_fp_cneg, blst_fp_mul, blst_fp_sqr, blst_fp_eucl_inverse);
arithmetic!(fp2_arithmetic, blst_fp2, blst_fp2_add, blst_fp2_sub, blst_fp2_cneg, blst_fp2_mul, blst_fp2_sqr, blst_fp2_eucl_inverse);

fn fr(r: &mut Reader) -> bool {
    let (a, same) = fr_arithmetic(r);
    let scalar: blst_scalar = get(|o| unsafe { blst_scalar_from_fr(o, &a) });
    same & r.expect(scalar.b)
}

fn fp(r: &mut Reader) -> bool {
    let (a, mut same) = fp_arithmetic(r);
    same &= r.expect(get(|o: *mut [u8; 48]| unsafe { blst_bendian_from_fp(o as *mut u8, &a) }));
    let mut root = blst_fp::default();
    let found = unsafe { blst_fp_sqrt(&mut root, &a) };
    same &= r.expect(found as u8);
    let ours: blst_fp = r.take();
    same & (!found || ours == root || ours == get(|o| unsafe { blst_fp_cneg(o, &root, true) }))
}

fn fp2(r: &mut Reader) -> bool {
    let (a, mut same) = fp2_arithmetic(r);
    let mut root = blst_fp2::default();
    let found = unsafe { blst_fp2_sqrt(&mut root, &a) };
    same &= r.expect(found as u8);
    let ours: blst_fp2 = r.take();
    same & (!found || ours == root || ours == get(|o| unsafe { blst_fp2_cneg(o, &root, true) }))
}

fn fr_bytes(r: &mut Reader) -> bool {
    let bytes: [u8; 32] = r.take();
    let scalar = blst_scalar { b: bytes };
    let accepted = unsafe { blst_scalar_fr_check(&scalar) };
    let mut value = blst_fr::default();
    if accepted {
        unsafe { blst_fr_from_scalar(&mut value, &scalar) };
    }
    r.expect(accepted as u8) & r.expect(value)
}

fn fr_wide(r: &mut Reader) -> bool {
    let bytes: [u8; 64] = r.take();
    let mut scalar = blst_scalar::default();
    unsafe { blst_scalar_from_le_bytes(&mut scalar, bytes.as_ptr(), 64) };
    r.expect(get(|o| unsafe { blst_fr_from_scalar(o, &scalar) }))
}

/// blst reduces: canonical is what comes back unchanged.
fn fp_bytes(r: &mut Reader) -> bool {
    let bytes: [u8; 48] = r.take();
    let mut value: blst_fp = get(|o| unsafe { blst_fp_from_bendian(o, bytes.as_ptr()) });
    let back = get(|o: *mut [u8; 48]| unsafe { blst_bendian_from_fp(o as *mut u8, &value) });
    let accepted = back == bytes;
    if !accepted {
        value = blst_fp::default();
    }
    r.expect(accepted as u8) & r.expect(value)
}

macro_rules! group {
    ($module:ident, $a:ident, $x:ident, $plain:expr, $small:expr, $deserialize:ident, $uncompress:ident,
     $serialize:ident, $compress:ident, $in_group:ident, $from:ident, $to:ident, $add:ident, $dbl:ident,
     $cneg:ident, $mult:ident, $sum:ident, $scratch:ident) => {
        mod $module {
            use super::*;

            fn describe(r: &mut Reader, accepted: bool, p: &$a) -> bool {
                if !r.expect(accepted as u8) {
                    return false; // the record's length is unknown from here on
                }
                if !accepted {
                    return true;
                }
                unsafe {
                    let plain: [u8; $plain] = get(|o: *mut [u8; $plain]| $serialize(o as *mut u8, p));
                    let small: [u8; $small] = get(|o: *mut [u8; $small]| $compress(o as *mut u8, p));
                    r.expect(*p) & r.expect($in_group(p) as u8) & r.expect(plain) & r.expect(small)
                }
            }

            /// blst names (0, +-2) as outside the group already here; our decoders leave that to
            /// the subgroup check.
            fn on_curve(code: BLST_ERROR) -> bool {
                matches!(code, BLST_ERROR::BLST_SUCCESS | BLST_ERROR::BLST_POINT_NOT_IN_GROUP)
            }

            /// blst's function takes both forms; ours takes the one that its name says.
            pub fn decode(r: &mut Reader) -> bool {
                let bytes: [u8; $plain] = r.take();
                let mut p = $a::default();
                let code = unsafe { $deserialize(&mut p, bytes.as_ptr()) };
                let accepted = on_curve(code) && bytes[0] & 0x80 == 0;
                describe(r, accepted, &p)
            }

            pub fn decode_compressed(r: &mut Reader) -> bool {
                let bytes: [u8; $small] = r.take();
                let mut p = $a::default();
                let code = unsafe { $uncompress(&mut p, bytes.as_ptr()) };
                describe(r, on_curve(code), &p)
            }

            fn affine(p: &$x) -> $a {
                get(|o| unsafe { $to(o, p) })
            }

            pub fn operations(r: &mut Reader) -> bool {
                let (p, q): ($a, $a) = (r.take(), r.take());
                let k: [u8; 32] = r.take();
                unsafe {
                    let x: $x = get(|o| $from(o, &p));
                    let sum: $x = get(|o| $add(o, &x, &q));
                    let twice: $x = get(|o| $dbl(o, &x));
                    let mut minus = x;
                    $cneg(&mut minus, true);
                    let multiple: $x = get(|o| $mult(o, &x, k.as_ptr(), 256));
                    r.expect(affine(&sum))
                        & r.expect(affine(&twice))
                        & r.expect(affine(&minus))
                        & r.expect(affine(&multiple))
                }
            }

            pub fn sum(r: &mut Reader) -> bool {
                let n = r.take::<u32>() as usize;
                let points: Vec<$a> = r.take_n(n);
                let scalars: Vec<[u8; 32]> = r.take_n(n);
                r.expect(affine(&pippenger(&points, &scalars)))
            }

            /// One thread.
            pub fn pippenger(points: &[$a], scalars: &[[u8; 32]]) -> $x {
                let n = points.len();
                // A null pointer after the first means: contiguous.
                let p = [points.as_ptr(), ptr::null()];
                let k = [scalars.as_ptr() as *const u8, ptr::null()];
                unsafe {
                    let mut scratch = vec![0u64; $scratch(n) / 8];
                    get(|o| $sum(o, p.as_ptr(), n, k.as_ptr(), 255, scratch.as_mut_ptr()))
                }
            }
        }
    };
}
group!(g1, blst_p1_affine, blst_p1, 96, 48, blst_p1_deserialize, blst_p1_uncompress,
       blst_p1_affine_serialize, blst_p1_affine_compress, blst_p1_affine_in_g1, blst_p1_from_affine,
       blst_p1_to_affine, blst_p1_add_or_double_affine, blst_p1_double, blst_p1_cneg, blst_p1_mult,
       blst_p1s_mult_pippenger, blst_p1s_mult_pippenger_scratch_sizeof);
group!(g2, blst_p2_affine, blst_p2, 192, 96, blst_p2_deserialize, blst_p2_uncompress,
       blst_p2_affine_serialize, blst_p2_affine_compress, blst_p2_affine_in_g2, blst_p2_from_affine,
       blst_p2_to_affine, blst_p2_add_or_double_affine, blst_p2_double, blst_p2_cneg, blst_p2_mult,
       blst_p2s_mult_pippenger, blst_p2s_mult_pippenger_scratch_sizeof);
pub use g1::pippenger as g1_pippenger;
pub use g2::pippenger as g2_pippenger;

/// A pair with infinity contributes 1. Both libraries raise to the same multiple of the exponent.
fn pairing(r: &mut Reader) -> bool {
    let n = r.take::<u32>() as usize;
    let p: Vec<blst_p1_affine> = r.take_n(n);
    let q: Vec<blst_p2_affine> = r.take_n(n);
    unsafe {
        let mut f = *blst_fp12_one();
        for (p, q) in p.iter().zip(&q) {
            if !blst_p1_affine_is_inf(p) && !blst_p2_affine_is_inf(q) {
                let one: blst_fp12 = get(|o| blst_miller_loop(o, q, p));
                f = get(|o| blst_fp12_mul(o, &f, &one));
            }
        }
        r.expect(get(|o| blst_final_exp(o, &f)))
    }
}

pub fn run(path: &str) -> i32 {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            eprintln!("{path}: {error}");
            return 2;
        }
    };
    let mut r = Reader { bytes: &bytes };
    let mut counts = [0u32; NAMES.len()];
    while !r.bytes.is_empty() {
        let at = bytes.len() - r.bytes.len();
        let kind = r.take::<u8>() as usize;
        let same = match kind {
            1 => fr(&mut r),
            2 => fr_bytes(&mut r),
            3 => fr_wide(&mut r),
            4 => fp(&mut r),
            5 => fp_bytes(&mut r),
            6 => fp2(&mut r),
            7 => g1::decode(&mut r),
            8 => g1::decode_compressed(&mut r),
            9 => g2::decode(&mut r),
            10 => g2::decode_compressed(&mut r),
            11 => g1::operations(&mut r),
            12 => g2::operations(&mut r),
            13 => g1::sum(&mut r),
            14 => g2::sum(&mut r),
            15 => pairing(&mut r),
            _ => {
                eprintln!("{path}: byte {at}: kind {kind}, expected 1..15");
                return 2;
            }
        };
        if !same {
            let from = &bytes[at..bytes.len().min(at + 400)];
            eprintln!("{}: record {} at byte {at} differs from blst:", NAMES[kind], counts[kind]);
            eprintln!("{}", from.iter().map(|b| format!("{b:02x}")).collect::<String>());
            return 1;
        }
        counts[kind] += 1;
    }
    if let Some(kind) = (1..NAMES.len()).find(|&k| counts[k] == 0) {
        eprintln!("{path}: no record of {}", NAMES[kind]);
        return 1;
    }
    let total: u32 = counts.iter().sum();
    let list: Vec<String> = (1..NAMES.len()).map(|k| format!("{} {}", counts[k], NAMES[k])).collect();
    println!("blst agrees on {total} records: {}", list.join(", "));
    0
}
