// SPDX-License-Identifier: MIT OR Apache-2.0
// snarkjs accepts DIR/{verification_key,proof,public}.json and refuses altered proofs and inputs.
import { readFileSync } from "node:fs";
import { groth16 } from "snarkjs";

const directory = process.argv[2];
const read = (name) => JSON.parse(readFileSync(`${directory}/${name}.json`, "utf8"));

async function expect(what, wanted, key, inputs, proof) {
    let valid = false;
    try {
        valid = await groth16.verify(key, inputs, proof);
    } catch (error) {
        console.log(`${what}: refused: ${error.message}`);
    }
    if (valid !== wanted) {
        console.error(`${what}: ${valid ? "accepted" : "refused"}`);
        process.exit(1);
    }
    console.log(`${what}: ${valid ? "accepted" : "refused"}, as it should be`);
}

const key = read("verification_key");
const proof = read("proof");
const inputs = read("public");
const increment = (decimal) => (BigInt(decimal) + 1n).toString();

await expect("the exported proof", true, key, inputs, proof);
for (let i = 0; i < inputs.length; i++) {
    const altered = inputs.map((value, k) => (k === i ? increment(value) : value));
    await expect(`input ${i} altered`, false, key, altered, proof);
}
await expect("A and C exchanged", false, key, inputs, { ...proof, pi_a: proof.pi_c, pi_c: proof.pi_a });
await expect("A not on the curve", false, key, inputs, {
    ...proof,
    pi_a: [increment(proof.pi_a[0]), proof.pi_a[1], proof.pi_a[2]],
});
await expect("another key", false, { ...key, vk_gamma_2: key.vk_delta_2 }, inputs, proof);
process.exit(0);
