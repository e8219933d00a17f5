/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Identifiers and commitments. */
#include "filecoin/commitments.h"

#include "hash/sha256.h"

#include <inttypes.h>
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

void zero_commitment(Node *out, unsigned log_nodes)
{
    Node node = {{0}};
    while (log_nodes--)
        sha_parent(&node, &node, &node);
    *out = node;
}

/* Complete subtrees of falling size from left to right, as a binary counter keeps them. */
typedef struct {
    Node root[64];
    unsigned log_nodes[64], depth;
    uint64_t nodes; /* in all of them */
} PieceStack;

static void push(PieceStack *stack, const Node *root, unsigned log_nodes)
{
    Node merged = *root;
    stack->nodes += (uint64_t)1 << log_nodes;
    for (; stack->depth && stack->log_nodes[stack->depth - 1] == log_nodes; log_nodes++)
        sha_parent(&merged, &stack->root[--stack->depth], &merged);
    stack->root[stack->depth] = merged;
    stack->log_nodes[stack->depth++] = log_nodes;
}

/* Zero pieces up to the next multiple of 2^log_nodes. */
static void align(PieceStack *stack, unsigned log_nodes)
{
    Node zero;
    uint64_t mask = ((uint64_t)1 << log_nodes) - 1;
    while (stack->nodes & mask) {
        unsigned log = (unsigned)__builtin_ctzll(stack->nodes);
        zero_commitment(&zero, log);
        push(stack, &zero, log);
    }
}

Status comm_d_of_pieces(Node *out, const Piece *pieces, size_t n, uint64_t sector_size)
{
    PieceStack stack = {.depth = 0};
    CHECK(sector_size >= 128 && (sector_size & (sector_size - 1)) == 0);
    unsigned log_sector = (unsigned)__builtin_ctzll(sector_size / 32);
    for (size_t i = 0; i < n; i++) {
        uint64_t size = pieces[i].size;
        if (size < 128 || (size & (size - 1)) || size > sector_size)
            FAIL(ERR_FORMAT,
                 "piece %zu: size %" PRIu64 ": expected a power of two, 128 to %" PRIu64, i, size,
                 sector_size);
        unsigned log_nodes = (unsigned)__builtin_ctzll(size / 32);
        align(&stack, log_nodes);
        if (size / 32 > sector_size / 32 - stack.nodes)
            FAIL(ERR_FORMAT, "piece %zu: does not fit into a sector of %" PRIu64 " bytes", i,
                 sector_size);
        push(&stack, &pieces[i].commitment, log_nodes);
    }
    if (n == 0)
        zero_commitment(&stack.root[0], log_sector);
    align(&stack, log_sector);
    *out = stack.root[0];
    return OK;
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
