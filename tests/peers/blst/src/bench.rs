// SPDX-License-Identifier: MIT OR Apache-2.0
//! Times of blst's C functions, as the CSV lines that `cuzk-bench kernels` prints of ours.
use crate::oracle::{g1_pippenger, g2_pippenger};
use blst::*;
use std::hint::black_box;
use std::ptr;
use std::time::Instant;

const LANES: usize = 64;
const SAMPLES: usize = 15;
const FEWEST_SAMPLES: usize = 3;
const SAMPLE_NS: u128 = 2_000_000;
const KERNEL_NS: f64 = 1.5e9;

fn row(kernel: &str, size: usize, ns: &mut [f64]) {
    ns.sort_by(f64::total_cmp);
    println!("blst,{kernel},{size},{:.1},{:.1},{:.1}", ns[0], ns[ns.len() / 2], ns[ns.len() - 1]);
}

/// body(i): the i-th of independent operations, as many as fill a sample.
fn time(kernel: &str, mut body: impl FnMut(usize)) {
    let mut run = |n: usize| {
        let begin = Instant::now();
        for i in 0..n {
            body(i % LANES);
        }
        begin.elapsed().as_nanos()
    };
    let mut n = 1;
    while run(n) < SAMPLE_NS {
        n *= 2;
    }
    let mut ns: Vec<f64> = (0..SAMPLES).map(|_| run(n) as f64 / n as f64).collect();
    row(kernel, 1, &mut ns);
}

/// Whole calls, the first untimed; a row a `size` things, of `per` things each call.
fn time_calls(kernel: &str, size: usize, per: f64, mut call: impl FnMut()) {
    call();
    let (mut ns, mut total) = (Vec::new(), 0.0);
    while ns.len() < SAMPLES && (ns.len() < FEWEST_SAMPLES || total < KERNEL_NS) {
        let begin = Instant::now();
        call();
        let spent = begin.elapsed().as_nanos() as f64;
        total += spent;
        ns.push(spent / per);
    }
    row(kernel, size, &mut ns);
}

/// splitmix64: the inputs need no more than variety.
struct Random(u64);

impl Random {
    fn scalar(&mut self) -> [u8; 32] {
        let mut out = [0u8; 32];
        for chunk in out.chunks_mut(8) {
            self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
            let mut z = self.0;
            z = (z ^ z >> 30).wrapping_mul(0xbf58476d1ce4e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d049bb133111eb);
            chunk.copy_from_slice(&(z ^ z >> 31).to_le_bytes());
        }
        out[31] &= 0x3f; // below the order
        out
    }
}

macro_rules! field {
    ($name:literal, $x:ident, $b:expr, $add:ident, $sub:ident, $mul:ident, $sqr:ident, $inv:ident) => {
        let b = $b;
        time(concat!($name, "_mul"), |i| $mul(&mut $x[i], &$x[i], &b));
        time(concat!($name, "_sqr"), |i| $sqr(&mut $x[i], &$x[i]));
        time(concat!($name, "_add"), |i| $add(&mut $x[i], &$x[i], &b));
        time(concat!($name, "_sub"), |i| $sub(&mut $x[i], &$x[i], &b));
        time(concat!($name, "_inv"), |i| {
            $inv(&mut $x[i], &$x[i]);
            $add(&mut $x[i], &$x[i], &b);
        });
    };
}

macro_rules! curve {
    ($name:literal, $a:ident, $x:ident, $points:expr, $jacobian:expr, $scalar:expr, $plain:expr, $small:expr,
     $add_affine:ident, $add:ident, $dbl:ident, $sum:ident, $mult:ident, $to:ident, $deserialize:ident,
     $uncompress:ident, $in_group:ident, $serialize:ident, $compress:ident) => {{
        let p: &[$a] = $points;
        let mut x: Vec<$x> = $jacobian.to_vec();
        let (mut plain, mut small, mut out) = ([0u8; $plain], [0u8; $small], $a::default());
        $serialize(plain.as_mut_ptr(), &p[1]);
        $compress(small.as_mut_ptr(), &p[1]);
        time(concat!($name, "_add_affine"), |i| $add_affine(&mut x[i], &x[i], &p[(i + 1) % LANES]));
        time(concat!($name, "_add"), |i| {
            let q = x[(i + 1) % LANES];
            $add(&mut x[i], &x[i], &q)
        });
        time(concat!($name, "_dbl"), |i| $dbl(&mut x[i], &x[i]));
        let list = [p.as_ptr(), ptr::null()];
        let mut total = $x::default();
        time_calls(concat!($name, "_add_batch"), 1, p.len() as f64, || {
            $sum(&mut total, list.as_ptr(), p.len())
        });
        time(concat!($name, "_mul"), |i| $mult(&mut x[i], &x[i], $scalar.as_ptr(), 255));
        time(concat!($name, "_to_affine"), |i| $to(&mut out, &x[i]));
        time(concat!($name, "_decode"), |_| {
            black_box($deserialize(&mut out, plain.as_ptr()));
        });
        time(concat!($name, "_decode_compressed"), |_| {
            black_box($uncompress(&mut out, small.as_ptr()));
        });
        time(concat!($name, "_in_subgroup"), |i| {
            black_box($in_group(&p[i]));
        });
    }};
}

/// n distinct multiples of the generator by additions, affine.
macro_rules! points {
    ($name:ident, $a:ident, $x:ident, $generator:ident, $add:ident, $dbl:ident, $batch:ident) => {
        unsafe fn $name(n: usize) -> (Vec<$x>, Vec<$a>) {
            let mut x = vec![*$generator(); n];
            for i in 1..n {
                let previous = x[i - 1];
                $dbl(&mut x[i], &previous);
                if i % 3 == 0 {
                    let now = x[i];
                    $add(&mut x[i], &now, $generator());
                }
            }
            let mut a = vec![$a::default(); n];
            let list = [x.as_ptr(), ptr::null()];
            $batch(a.as_mut_ptr(), list.as_ptr(), n);
            (x, a)
        }
    };
}
points!(g1_points, blst_p1_affine, blst_p1, blst_p1_generator, blst_p1_add_or_double, blst_p1_double, blst_p1s_to_affine);
points!(g2_points, blst_p2_affine, blst_p2, blst_p2_generator, blst_p2_add_or_double, blst_p2_double, blst_p2s_to_affine);

unsafe fn pairings(p: &[blst_p1_affine], q: &[blst_p2_affine]) {
    let mut f = blst_fp12::default();
    let mut e = blst_fp12::default();
    time("miller_1", |i| blst_miller_loop(&mut f, &q[i], &p[i]));
    time("final_exp", |_| blst_final_exp(&mut e, &f));
    time("pairing_1", |i| {
        blst_miller_loop(&mut f, &q[i], &p[i]);
        blst_final_exp(&mut e, &f);
    });
    let (ps, qs) = ([p.as_ptr(), ptr::null()], [q.as_ptr(), ptr::null()]);
    time("pairing_3", |_| {
        blst_miller_loop_n(&mut f, qs.as_ptr(), ps.as_ptr(), 3);
        blst_final_exp(&mut e, &f);
    });
}

pub fn run(most: u32) -> i32 {
    let mut random = Random(1);
    println!("# who,kernel,size,min_ns,median_ns,max_ns");
    unsafe {
        let (mut x1, mut p1) = g1_points(LANES);
        let (x2, p2) = g2_points(LANES);
        let mut fr: Vec<blst_fr> = (0..LANES)
            .map(|_| {
                let mut out = blst_fr::default();
                blst_fr_from_scalar(&mut out, &blst_scalar { b: random.scalar() });
                out
            })
            .collect();
        let mut fp: Vec<blst_fp> = p1.iter().map(|p| p.x).collect();
        let mut fp2: Vec<blst_fp2> = p2.iter().map(|p| p.x).collect();
        field!("fr", fr, fr[1], blst_fr_add, blst_fr_sub, blst_fr_mul, blst_fr_sqr, blst_fr_eucl_inverse);
        field!("fp", fp, p1[0].y, blst_fp_add, blst_fp_sub, blst_fp_mul, blst_fp_sqr, blst_fp_eucl_inverse);
        field!("fp2", fp2, p2[0].y, blst_fp2_add, blst_fp2_sub, blst_fp2_mul, blst_fp2_sqr, blst_fp2_eucl_inverse);
        let k = random.scalar();
        curve!("g1", blst_p1_affine, blst_p1, &p1, x1, k, 96, 48, blst_p1_add_or_double_affine,
               blst_p1_add_or_double, blst_p1_double, blst_p1s_add, blst_p1_mult, blst_p1_to_affine,
               blst_p1_deserialize, blst_p1_uncompress, blst_p1_affine_in_g1, blst_p1_affine_serialize,
               blst_p1_affine_compress);
        curve!("g2", blst_p2_affine, blst_p2, &p2, x2, k, 192, 96, blst_p2_add_or_double_affine,
               blst_p2_add_or_double, blst_p2_double, blst_p2s_add, blst_p2_mult, blst_p2_to_affine,
               blst_p2_deserialize, blst_p2_uncompress, blst_p2_affine_in_g2, blst_p2_affine_serialize,
               blst_p2_affine_compress);
        pairings(&p1, &p2);
        let n = 1 << most;
        let scalars: Vec<[u8; 32]> = (0..n).map(|_| random.scalar()).collect();
        (x1, p1) = g1_points(n);
        drop(x1);
        for log in (12..=most).step_by(2) {
            time_calls("msm_g1", 1 << log, 1.0, || {
                black_box(g1_pippenger(&p1[..1 << log], &scalars[..1 << log]));
            });
        }
        let most = most.min(16);
        let (_, p2) = g2_points(1 << most);
        for log in (12..=most).step_by(2) {
            time_calls("msm_g2", 1 << log, 1.0, || {
                black_box(g2_pippenger(&p2[..1 << log], &scalars[..1 << log]));
            });
        }
    }
    0
}
