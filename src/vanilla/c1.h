/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Reading the output of seal commit phase 1 (C1): JSON, its envelope, and bincode. */
#ifndef CUZK_VANILLA_C1_H
#define CUZK_VANILLA_C1_H

#include "filecoin/porep_vanilla.h"

/* Parse a C1. Both JSON forms are recognised: the proof itself (registered_proof, vanilla_proofs,
 * comm_r, comm_d, replica_id, seed, ticket) and the envelope around its base64 (SectorNum,
 * Phase1Out, SectorSize). Keys may come in any order; unknown keys are passed over.
 *
 * Everything that the registered proof fixes is checked here: counts of partitions, challenges,
 * layers, parents, tree levels and siblings, indices below their arity, node numbers below the
 * sector's, field elements below the modulus. What needs hashing is c1_check's.
 *
 * ERR_FORMAT names the byte and the path of the field; bytes of the inner JSON count from its own
 * start ("Phase1Out: byte ..."). ERR_UNSUPPORTED: a registered proof that is not known. *out is
 * untouched unless OK; then porep_vanilla_free it. Peak memory: the struct, about 0.35 of the
 * inner JSON's size, and for an envelope its decoded text. Any thread. */
Status c1_parse(PorepVanilla *out, const uint8_t *json, size_t size);

/* The same from bincode (1.x defaults: little-endian, fixed width, u64 lengths). used: NULL where
 * the bytes must end with the C1, else receives how many it took. */
Status c1_parse_bincode(PorepVanilla *out, const uint8_t *bytes, size_t size, size_t *used);

/* A C1 with the storage and the counts of a registered proof (0 .. 19), everything else zero, for
 * the caller to fill. porep_vanilla_free it. */
Status c1_new(PorepVanilla *out, unsigned registered_proof);

/* The JSON of a C1, byte for byte as serde_json writes it, and the envelope around such a text.
 * *text is the caller's to free(); not NUL-terminated. */
Status c1_write(const PorepVanilla *vanilla, uint8_t **text, size_t *size);
Status c1_write_envelope(const uint8_t *c1, size_t c1_size, uint64_t sector_number,
                         uint64_t sector_size, uint8_t **text, size_t *size);

#endif
