/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Identifiers and commitments. */
#include "filecoin/commitments.h"

#include "hash/sha256.h"

#include <string.h>

void prover_id_from_miner(Node *out, uint64_t miner_id)
{
    *out = (Node){{0}};
    for (int i = 0; i == 0 || miner_id; i++, miner_id >>= 7)
        out->b[i] = (uint8_t)((miner_id & 0x7f) | (miner_id >> 7 ? 0x80 : 0));
}

void replica_id(Node *out, const Node *prover_id, uint64_t sector_number, const Node *ticket,
                const Node *comm_d, const uint8_t porep_id[32])
{
    uint8_t number[8];
    for (int i = 0; i < 8; i++)
        number[i] = (uint8_t)(sector_number >> (56 - 8 * i));
    Sha256 hash;
    sha256_init(&hash);
    sha256_update(&hash, prover_id->b, 32);
    sha256_update(&hash, number, sizeof number);
    sha256_update(&hash, ticket->b, 32);
    sha256_update(&hash, comm_d->b, 32);
    sha256_update(&hash, porep_id, 32);
    sha256_final(&hash, out->b);
    out->b[31] &= 0x3f;
}

void sha_parent(Node *out, const Node *left, const Node *right)
{
    uint8_t both[64];
    memcpy(both, left->b, 32);
    memcpy(both + 32, right->b, 32);
    sha256(out->b, both, sizeof both);
    out->b[31] &= 0x3f;
}

/* Group k of 254 bits starts at bit 254 k: within 127 bytes, at bit 0, 254, 508 and 762. */
void fr32_pad(uint8_t *out, const uint8_t *in, size_t size)
{
    for (size_t quad = 0; quad < size / 127; quad++, in += 127, out += 128) {
        for (unsigned k = 0; k < 4; k++) {
            unsigned bit = 254 * k;
            for (unsigned i = 0; i < 32; i++) {
                unsigned at = bit + 8 * i;
                unsigned low = in[at / 8], high = at / 8 + 1 < 127 ? in[at / 8 + 1] : 0;
                out[32 * k + i] = (uint8_t)((low | high << 8) >> (at % 8));
            }
            out[32 * k + 31] &= 0x3f;
        }
    }
}
