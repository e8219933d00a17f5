// SPDX-License-Identifier: MIT OR Apache-2.0
// bellperson as verifier, prover and key maker beside ours; it shares no code with this project.
//
//   verify VK PROOF INPUTS...          k proofs, one inputs file each; exit 0 valid, 1 not, 2 error
//   check EXPORT                       every row is satisfied by the witness
//   replay EXPORT PARAMS PROOF INPUTS  check, then prove the rows; writes PROOF and INPUTS
//   keygen EXPORT OUT                  OUT.params and OUT.vk for a circuit of at most 2^16 rows
//
// INPUTS: one 32-byte little-endian value in hex a line, ONE left out. EXPORT: docs/FORMATS.md.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::process::ExitCode;

use bellperson::groth16::{
    create_random_proof, generate_random_parameters, prepare_verifying_key, verify_proof,
    verify_proofs_batch, Parameters, Proof, VerifyingKey,
};
use bellperson::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::{Bls12, Scalar};
use ff::{Field, PrimeField};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

type Result<T> = std::result::Result<T, String>;

const MAGIC: &[u8; 8] = b"CUZKR1CS";
const HEADER: usize = 8 + 4 + 3 * 8;
const TERM: usize = 1 + 4 + 32;
const KEYGEN_ROWS: usize = 1 << 16;

fn scalar(bytes: &[u8]) -> Result<Scalar> {
    let mut repr = [0u8; 32];
    repr.copy_from_slice(bytes);
    Option::from(Scalar::from_repr(repr)).ok_or_else(|| "a value is not canonical".to_string())
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32> {
    let word = bytes.get(at..at + 4).ok_or("the export ends early")?;
    Ok(u32::from_le_bytes(word.try_into().unwrap()))
}

/// Rows and witness of a circuit, as bytes read on demand.
struct Export {
    bytes: Vec<u8>,
    inputs: usize,
    aux: usize,
    rows: usize,
    end: usize, // of the rows
}

/// One linear combination as it lies in the file.
struct Terms<'a>(&'a [u8]);

impl Terms<'_> {
    fn iter(&self) -> impl Iterator<Item = Result<(Variable, Scalar)>> + '_ {
        self.0.chunks_exact(TERM).map(|term| {
            let index = u32::from_le_bytes(term[1..5].try_into().unwrap()) as usize;
            let index = match term[0] {
                0 => Index::Input(index),
                1 => Index::Aux(index),
                kind => return Err(format!("variable kind {kind}")),
            };
            Ok((Variable::new_unchecked(index), scalar(&term[5..])?))
        })
    }

    fn combination(&self) -> Result<LinearCombination<Scalar>> {
        let mut sum = LinearCombination::zero();
        for term in self.iter() {
            let (variable, coefficient) = term?;
            sum = sum + (coefficient, variable);
        }
        Ok(sum)
    }
}

impl Export {
    fn read(path: &str) -> Result<Self> {
        let bytes = fs::read(path).map_err(|e| format!("{path}: {e}"))?;
        if bytes.len() < HEADER || &bytes[..8] != MAGIC || u32_at(&bytes, 8)? != 1 {
            return Err(format!("{path}: not a CUZKR1CS file of version 1"));
        }
        let count = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
        let (inputs, aux, rows) = (count(12), count(20), count(28));
        let mut export = Export {
            bytes,
            inputs,
            aux,
            rows,
            end: HEADER,
        };
        let mut at = HEADER;
        for _ in 0..rows {
            at = export.row(at)?.1;
        }
        export.end = at;
        export.check_trailing()?;
        Ok(export)
    }

    fn terms(&self, at: usize) -> Result<(Terms<'_>, usize)> {
        let end = at + 4 + u32_at(&self.bytes, at)? as usize * TERM;
        let bytes = self.bytes.get(at + 4..end).ok_or("the export ends early")?;
        Ok((Terms(bytes), end))
    }

    fn row(&self, at: usize) -> Result<([Terms<'_>; 3], usize)> {
        let (a, at) = self.terms(at)?;
        let (b, at) = self.terms(at)?;
        let (c, at) = self.terms(at)?;
        Ok(([a, b, c], at))
    }

    /// Calls visit for the rows [0, end).
    fn for_rows<F: FnMut(usize, [Terms<'_>; 3]) -> Result<()>>(
        &self,
        end: usize,
        mut visit: F,
    ) -> Result<()> {
        let mut at = HEADER;
        for k in 0..end {
            let (row, next) = self.row(at)?;
            visit(k, row)?;
            at = next;
        }
        Ok(())
    }

    /// The last rows are Input(i) * 0 = 0; bellperson adds them itself.
    fn check_trailing(&self) -> Result<()> {
        let circuit = self.circuit_rows()?;
        self.for_rows(self.rows, |k, [a, b, c]| {
            if k < circuit {
                return Ok(());
            }
            let terms = a.iter().collect::<Result<Vec<_>>>()?;
            let expected = Variable::new_unchecked(Index::Input(k - circuit));
            if terms != [(expected, Scalar::ONE)] || !b.0.is_empty() || !c.0.is_empty() {
                return Err(format!("row {k} is not the trailing row of an input"));
            }
            Ok(())
        })
    }

    fn circuit_rows(&self) -> Result<usize> {
        self.rows
            .checked_sub(self.inputs)
            .ok_or_else(|| "fewer rows than inputs".to_string())
    }

    /// Inputs (ONE first) and aux.
    fn witness(&self) -> Result<(Vec<Scalar>, Vec<Scalar>)> {
        let bytes = &self.bytes[self.end..];
        if bytes.len() != (self.inputs + self.aux) * 32 {
            return Err("the export has no witness, or one of another size".to_string());
        }
        let values = bytes
            .chunks_exact(32)
            .map(scalar)
            .collect::<Result<Vec<_>>>()?;
        let aux = values[self.inputs..].to_vec();
        let inputs = values[..self.inputs].to_vec();
        if inputs[0] != Scalar::ONE {
            return Err("the first input is not ONE".to_string());
        }
        Ok((inputs, aux))
    }
}

struct Replay<'a> {
    export: &'a Export,
    witness: Option<&'a (Vec<Scalar>, Vec<Scalar>)>,
}

impl Circuit<Scalar> for Replay<'_> {
    fn synthesize<CS: ConstraintSystem<Scalar>>(
        self,
        cs: &mut CS,
    ) -> std::result::Result<(), SynthesisError> {
        for i in 1..self.export.inputs {
            cs.alloc_input(
                || "",
                || {
                    self.witness
                        .map(|w| w.0[i])
                        .ok_or(SynthesisError::AssignmentMissing)
                },
            )?;
        }
        for j in 0..self.export.aux {
            cs.alloc(
                || "",
                || {
                    self.witness
                        .map(|w| w.1[j])
                        .ok_or(SynthesisError::AssignmentMissing)
                },
            )?;
        }
        let rows = self.export.circuit_rows().expect("checked when read");
        self.export
            .for_rows(rows, |_, [a, b, c]| {
                let (a, b, c) = (a.combination()?, b.combination()?, c.combination()?);
                cs.enforce(|| "", |_| a, |_| b, |_| c);
                Ok(())
            })
            .expect("checked when read");
        Ok(())
    }
}

fn check_rows(export: &Export, witness: &(Vec<Scalar>, Vec<Scalar>)) -> Result<()> {
    let value = |terms: &Terms<'_>| -> Result<Scalar> {
        let mut sum = Scalar::ZERO;
        for term in terms.iter() {
            let (variable, coefficient) = term?;
            let value = match variable.get_unchecked() {
                Index::Input(i) => witness.0.get(i),
                Index::Aux(j) => witness.1.get(j),
            };
            sum += coefficient * value.ok_or("a variable that does not exist")?;
        }
        Ok(sum)
    };
    export.for_rows(export.rows, |k, [a, b, c]| {
        if value(&a)? * value(&b)? != value(&c)? {
            return Err(format!("row {k} is not satisfied"));
        }
        Ok(())
    })?;
    println!("{} rows satisfied", export.rows);
    Ok(())
}

fn read_inputs(path: &str) -> Result<Vec<Scalar>> {
    let text = fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    let parse = |line: &str| -> Result<Scalar> {
        if line.len() != 64 || !line.is_ascii() {
            return Err(format!("{path}: a line is not 64 hex digits"));
        }
        let mut bytes = [0u8; 32];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&line[2 * i..2 * i + 2], 16)
                .map_err(|e| format!("{path}: {e}"))?;
        }
        scalar(&bytes)
    };
    text.lines().map(parse).collect()
}

fn write_inputs(path: &str, inputs: &[Scalar]) -> Result<()> {
    let mut text = String::new();
    for input in inputs {
        for byte in input.to_repr() {
            text += &format!("{byte:02x}");
        }
        text.push('\n');
    }
    fs::write(path, text).map_err(|e| format!("{path}: {e}"))
}

fn verify(vk: &str, proof: &str, inputs: &[String]) -> Result<bool> {
    let file = File::open(vk).map_err(|e| format!("{vk}: {e}"))?;
    let vk = VerifyingKey::<Bls12>::read(BufReader::new(file)).map_err(|e| format!("vk: {e}"))?;
    let bytes = fs::read(proof).map_err(|e| format!("{proof}: {e}"))?;
    if bytes.len() != 192 * inputs.len() {
        return Err(format!(
            "{} bytes of proof for {} partitions",
            bytes.len(),
            inputs.len()
        ));
    }
    let inputs = inputs
        .iter()
        .map(|path| read_inputs(path))
        .collect::<Result<Vec<_>>>()?;
    let Ok(proofs) = Proof::<Bls12>::read_many(&bytes, inputs.len()) else {
        return Ok(false);
    };
    let key = prepare_verifying_key(&vk);
    let mut all = true;
    for (k, (proof, inputs)) in proofs.iter().zip(&inputs).enumerate() {
        let valid = verify_proof(&key, proof, inputs).map_err(|e| e.to_string())?;
        println!("partition {k}: {}", if valid { "valid" } else { "invalid" });
        all &= valid;
    }
    let references: Vec<_> = proofs.iter().collect();
    let mut rng = ChaCha20Rng::from_seed([7; 32]);
    let batch = verify_proofs_batch(&key, &mut rng, &references, &inputs);
    if batch.map_err(|e| e.to_string())? != all {
        return Err("the batch disagrees with the single proofs".to_string());
    }
    Ok(all)
}

fn check(path: &str) -> Result<()> {
    let export = Export::read(path)?;
    check_rows(&export, &export.witness()?)
}

fn replay(path: &str, params: &str, proof: &str, inputs: &str) -> Result<()> {
    let export = Export::read(path)?;
    let witness = export.witness()?;
    check_rows(&export, &witness)?;
    let params = Parameters::<Bls12>::build_mapped_parameters(params.into(), false)
        .map_err(|e| format!("{params}: {e}"))?;
    let circuit = Replay {
        export: &export,
        witness: Some(&witness),
    };
    let mut seed = [0u8; 32];
    getrandom(&mut seed)?;
    let mut rng = ChaCha20Rng::from_seed(seed);
    let made = create_random_proof::<Bls12, _, _, _>(circuit, &params, &mut rng)
        .map_err(|e| format!("prove: {e}"))?;
    let key = prepare_verifying_key(&params.vk);
    if !verify_proof(&key, &made, &witness.0[1..]).map_err(|e| e.to_string())? {
        return Err("bellperson's own proof from these parameters does not verify".to_string());
    }
    let mut bytes = Vec::new();
    made.write(&mut bytes).map_err(|e| e.to_string())?;
    fs::write(proof, bytes).map_err(|e| format!("{proof}: {e}"))?;
    write_inputs(inputs, &witness.0[1..])
}

fn getrandom(out: &mut [u8]) -> Result<()> {
    use std::io::Read;
    let mut file = File::open("/dev/urandom").map_err(|e| e.to_string())?;
    file.read_exact(out).map_err(|e| e.to_string())
}

fn keygen(path: &str, out: &str) -> Result<()> {
    let export = Export::read(path)?;
    if export.rows > KEYGEN_ROWS {
        return Err(format!(
            "{} rows, keys are made for at most {KEYGEN_ROWS}",
            export.rows
        ));
    }
    let circuit = Replay {
        export: &export,
        witness: None,
    };
    let mut rng = ChaCha20Rng::from_seed([42; 32]);
    let params = generate_random_parameters::<Bls12, _, _>(circuit, &mut rng)
        .map_err(|e| format!("keygen: {e}"))?;
    let create = |suffix: &str| -> Result<BufWriter<File>> {
        let path = format!("{out}{suffix}");
        Ok(BufWriter::new(
            File::create(&path).map_err(|e| format!("{path}: {e}"))?,
        ))
    };
    let mut file = create(".params")?;
    params
        .write(&mut file)
        .and_then(|_| file.flush())
        .map_err(|e| e.to_string())?;
    let mut file = create(".vk")?;
    params
        .vk
        .write(&mut file)
        .and_then(|_| file.flush())
        .map_err(|e| e.to_string())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["verify", vk, proof, _, ..] => verify(vk, proof, &arguments[3..]),
        ["check", export] => check(export).map(|_| true),
        ["replay", export, params, proof, inputs] => {
            replay(export, params, proof, inputs).map(|_| true)
        }
        ["keygen", export, out] => keygen(export, out).map(|_| true),
        _ => Err("usage: verify | check | replay | keygen, see src/main.rs".to_string()),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("bellperson-peer: {message}");
            ExitCode::from(2)
        }
    }
}
