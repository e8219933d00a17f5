/* SPDX-License-Identifier: MIT OR Apache-2.0
 * SHA-256 in the circuits' uses. */
#include "circuits/label.h"
#include "circuits/sha256_circuit.h"

#include <string.h>

Num label_circuit(Cs *cs, const Word32 replica_id[NODE_WORDS],
                  const Word32 *const parents[LABEL_PARENTS], uint32_t layer, const Bit node[64])
{
    Word32 message[LABEL_WORDS], digest[8];
    memcpy(message, replica_id, NODE_WORDS * sizeof *message);
    word_constant(&message[8], layer);
    for (unsigned i = 0; i < 32; i++) {
        word_set_bit(&message[9], i, node[32 + i]);
        word_set_bit(&message[10], i, node[i]);
    }
    for (unsigned i = 11; i < 16; i++)
        word_constant(&message[i], 0);
    for (unsigned i = 0; i < LABEL_PARENTS; i++)
        memcpy(&message[16 + i * NODE_WORDS], parents[i], NODE_WORDS * sizeof *message);
    sha256_circuit(cs, digest, message, LABEL_WORDS);
    return num_from_words(cs, digest);
}

Num sha256_hash2_circuit(Cs *cs, const Num *left, const Num *right)
{
    Word32 message[2 * NODE_WORDS], digest[8];
    ENTER(cs, "sha256");
    num_to_words(cs, message, left);
    num_to_words(cs, message + NODE_WORDS, right);
    sha256_circuit(cs, digest, message, 2 * NODE_WORDS);
    Num out = num_from_words(cs, digest);
    LEAVE(cs);
    return out;
}
