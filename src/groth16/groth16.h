/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Groth16 over BLS12-381: what it needs of a key, setup, prove, verify. */
#ifndef CUZK_GROTH16_GROTH16_H
#define CUZK_GROTH16_GROTH16_H

#include "curve/pairing.h"
#include "ntt/ntt.h"
#include "r1cs/r1cs.h"

/* The verifying key; ic has n_inputs points, ic[0] belongs to ONE. */
typedef struct {
    G1Affine alpha_g1, beta_g1, delta_g1;
    G2Affine beta_g2, gamma_g2, delta_g2;
    size_t n_inputs;
    G1Affine *ic; /* [n_inputs] */
} Vk;

/* Points of a proving key in file order; borrowed. h: domain-1; l: n_aux; a: inputs, then dense
 * aux; b_g1, b_g2: dense inputs, then dense aux. */
typedef struct {
    const Vk *vk;
    const G1Affine *h, *l, *a, *b_g1;
    const G2Affine *b_g2;
    size_t n_h, n_l, n_a, n_b;
} PkView;

typedef struct {
    G1Affine a, c;
    G2Affine b;
} Proof;

enum { PROOF_BYTES = 192 };

void proof_encode(uint8_t bytes[PROOF_BYTES], const Proof *proof);
/* Flags, curve and subgroup are checked; infinity is refused. */
Status proof_decode(Proof *proof, const uint8_t bytes[PROOF_BYTES]);
/* The same checks on points that did not come from bytes. */
Status proof_check(const Proof *proof);

/* Wall time of the stages, nanoseconds. */
typedef struct {
    uint64_t witness_ns, eval_ns, quotient_ns, msm_h_ns, msm_l_ns, msm_a_ns, msm_b1_ns, msm_b2_ns,
        assemble_ns, verify_ns;
} ProveTimes;

/* Does the key have the counts that this circuit needs? ERR_INVALID names section and counts. */
Status pk_matches(const PkView *pk, const R1cs *r1cs);

/* Fixed randomisers, for tests only. */
typedef struct {
    Fr r, s;
} Randomisers;

/* Host bytes that a proof takes at its peak on so many threads: what prove allocates, and the
 * packed assignment; key and compiled circuit not counted. */
uint64_t prove_bytes(unsigned log_domain, size_t n_aux, size_t n_fields, unsigned threads);

/* z: a full assignment (not checked). fixed: NULL for r, s from getrandom (wiped after use).
 * times may be NULL. The proof is not verified here. cancel: may be NULL; polled between stages,
 * ERR_CANCELLED. */
Status prove(Proof *out, const R1cs *r1cs, const PkView *pk, const Assignment *z,
             const Randomisers *fixed, const volatile bool *cancel, Pool *pool, ProveTimes *times);

/* The slow twin, for circuits of at most 2^16 rows: the same proof, byte for byte, as prove with
 * the same fixed randomisers. ERR_INTERNAL for an unsatisfied instance. */
Status prove_ref(Proof *out, const R1cs *r1cs, const PkView *pk, const Assignment *z,
                 const Randomisers *fixed);

/* Everything that verification can precompute of a key. Keys with zero delta or gamma,
 * gamma = delta, or delta at the generator are refused; points must be in their subgroups. */
typedef struct PreparedVk PreparedVk;
/* Only the refusals that need no pairing and no subgroup check. */
Status vk_check(const Vk *vk);
Status vk_prepare(PreparedVk **out, const Vk *vk);
void vk_prepared_free(PreparedVk **vk);
size_t vk_prepared_inputs(const PreparedVk *vk); /* ONE included */

/* inputs: ONE left out, n_inputs must be vk n_inputs - 1. OK: valid; ERR_INVALID: not. */
Status verify(const PreparedVk *vk, const Proof *proof, const Fr *inputs, size_t n_inputs);
/* n proofs under one key, random 128-bit weights; inputs: n * n_inputs. n = 0 is OK. */
Status verify_batch(const PreparedVk *vk, const Proof *proofs, const Fr *inputs, size_t n_inputs,
                    size_t n);

/* DIRECTORY/{verification_key,proof,public}.json as snarkjs reads them; inputs without ONE. */
Status snark_json_write(const char *directory, const Vk *vk, const Proof *proof, const Fr *inputs,
                        size_t n_inputs);

/* Key generation. seed NULL: from getrandom. Points go to the sink in file order, section by
 * section, in runs; the toxic waste is wiped. A development key: whoever ran this knows tau. */
typedef enum { SECTION_H, SECTION_L, SECTION_A, SECTION_B_G1, SECTION_B_G2 } Section;
typedef struct {
    void *context;
    Status (*vk)(void *context, const Vk *vk);
    /* n is the whole section's count, announced before its points. */
    Status (*begin)(void *context, Section section, size_t n);
    Status (*g1)(void *context, const G1Affine *points, size_t n);
    Status (*g2)(void *context, const G2Affine *points, size_t n);
    /* 0 .. 1 over the whole setup; may be NULL. */
    void (*progress)(void *context, double fraction, const char *what);
} SetupSink;
Status setup(const R1cs *r1cs, const uint8_t *seed, size_t seed_bytes, const SetupSink *sink,
             Pool *pool);

#endif
