/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tests of the native check: real proofs pass, every kind of single fault is refused by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "filecoin/commitments.h"
#include "hash/poseidon.h"
#include "vanilla/c1.h"
#include "vanilla/c1_check.h"
#include "vectors.h"

static void load(PorepVanilla *v, const char *name)
{
    uint8_t *text;
    size_t size;
    assert_int_equal(file_read(vectors_path(name), 1 << 24, &text, &size), OK);
    assert_int_equal(c1_parse(v, text, size), OK);
    free(text);
}

static void vectors_pass(void **state)
{
    (void)state;
    static const char *const names[] = {"porep/8MiB-v1_1.c1.json",    "rust/porep-2k-v1.c1.json",
                                        "rust/porep-2k-v1_1.c1.json", "rust/porep-2k-synth.c1.json",
                                        "rust/porep-2k-ni.c1.json",   "rust/porep-8m-v1.c1.json",
                                        "rust/porep-8m-v1_1.c1.json"};
    Pool *pool;
    assert_int_equal(pool_new(&pool, 2), OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        PorepVanilla v = {0};
        load(&v, names[i]);
        uint64_t start = clock_ns();
        Status status = c1_check(&v, i % 2 ? pool : NULL);
        if (status != OK)
            fail_msg("%s: %s", names[i], status_message());
        print_message("%s: %.1f ms\n", names[i], (double)(clock_ns() - start) / 1e6);
        porep_vanilla_free(&v);
    }
    pool_free(&pool);
}

/* One field of challenge 1 gets one bit flipped, or one number changed; the message says where. */
typedef struct {
    void *at;    /* a node, or a number */
    size_t size; /* of it */
    const char *message;
} Fault;

static void assert_refused(const PorepVanilla *v, const Fault *fault)
{
    uint8_t *byte = fault->at;
    /* The lowest bit of a number, a middle one of a node: always canonical, always another value.
     */
    uint8_t *changed = fault->size == sizeof(Node) ? byte + 17 : byte;
    *changed ^= 1;
    Status status = c1_check(v, NULL);
    if (status != ERR_INVALID)
        fail_msg("accepted: %s", fault->message);
    if (!strstr(status_message(), fault->message))
        fail_msg("'%s' does not contain '%s'", status_message(), fault->message);
    *changed ^= 1;
}

#define NODE(node, message)                                                                        \
    {                                                                                              \
        &(node), sizeof(Node), message                                                             \
    }
#define NUMBER(number, message)                                                                    \
    {                                                                                              \
        &(number), sizeof(number), message                                                         \
    }

static void single_faults_are_named(void **state)
{
    (void)state;
    PorepVanilla v = {0};
    load(&v, "rust/porep-8m-v1_1.c1.json");
    PorepChallenge *c = &v.challenges[1];
    ColumnProof *drg = &c->drg_parents[3], *exp = &c->exp_parents[7];
#define AT "partition 0, challenge 1, "
    const Fault faults[] = {
        NODE(v.replica_id, "partition 0, challenge 0, comm_d_proofs: the path is node "),
        NODE(v.seed, "partition 0, challenge 0, comm_d_proofs: the path is node "),
        NODE(v.comm_r, "comm_r: not the hash of"),
        NODE(v.comm_d, "partition 0, challenge 0, comm_d_proofs: root is not comm_d"),
        NODE(v.challenges[0].c_x.inclusion.root, "comm_r: not the hash of"),
        NODE(v.challenges[0].comm_r_last.root, "comm_r: not the hash of"),
        NODE(c->comm_d.root, AT "comm_d_proofs: root is not comm_d"),
        NODE(c->comm_d.leaf, AT "comm_d_proofs: the path does not lead to comm_d"),
        NODE(c->comm_d.path[17].siblings[0], AT "comm_d_proofs: the path does not lead"),
        NUMBER(c->comm_d.path[17].index, AT "comm_d_proofs: the path is node "),
        NODE(c->comm_r_last.root, AT "comm_r_last_proof: root is not comm_r_last"),
        NODE(c->comm_r_last.leaf, AT "comm_r_last_proof: the path does not lead to comm_r_last"),
        NODE(c->comm_r_last.path[0].siblings[6], AT "comm_r_last_proof: the path does not lead"),
        NUMBER(c->comm_r_last.path[5].index, AT "comm_r_last_proof: the path is node "),
        NUMBER(c->c_x.index, AT "c_x.column.index: "),
        NODE(c->c_x.rows[0], AT "c_x.column: its hash is not the leaf"),
        NODE(c->c_x.inclusion.leaf, AT "c_x.column: its hash is not the leaf"),
        NODE(c->c_x.inclusion.root, AT "c_x.inclusion_proof: root is not comm_c"),
        NUMBER(drg->index, AT "drg_parents[3].column.index: "),
        NODE(drg->rows[1], AT "drg_parents[3].column: its hash"),
        NODE(drg->inclusion.path[2].siblings[4],
             AT "drg_parents[3].inclusion_proof: the path does not lead to comm_c"),
        NUMBER(drg->inclusion.path[2].index, AT "drg_parents[3].inclusion_proof: the path is node"),
        NUMBER(exp->index, AT "exp_parents[7].column.index: "),
        NODE(exp->rows[0], AT "exp_parents[7].column: its hash"),
        NODE(exp->inclusion.path[5].siblings[0], AT "exp_parents[7].inclusion_proof: the path"),
        NODE(c->labeling[0].parents[0], AT "labeling_proofs[0].parents: label 0 "),
        NODE(c->labeling[1].parents[36], AT "labeling_proofs[1].parents: label 36 "),
        NUMBER(c->labeling[0].layer_index, AT "labeling_proofs[0].layer_index: 0, expected 1"),
        NUMBER(c->labeling[1].node, AT "labeling_proofs[1].node: "),
        NUMBER(c->labeling[1].n_parents, AT "labeling_proofs[1].parents: 36, expected 37"),
        NODE(c->encoding.parents[20], AT "encoding_proof.parents: label 20 "),
        NUMBER(c->encoding.layer_index, AT "encoding_proof.layer_index: 3, expected 2"),
        NUMBER(c->encoding.node, AT "encoding_proof.node: "),
    };
#undef AT
    assert_int_equal(c1_check(&v, NULL), OK);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        assert_refused(&v, &faults[i]);
    assert_int_equal(c1_check(&v, NULL), OK);
    v.registered_proof = 1; /* other graph, same shapes */
    assert_int_equal(c1_check(&v, NULL), ERR_INVALID);
    porep_vanilla_free(&v);
}

/* A challenge that is valid in itself, but of another sector, place or order. */
static void foreign_parts_are_refused(void **state)
{
    (void)state;
    PorepVanilla a = {0}, b = {0};
    load(&a, "rust/porep-8m-v1_1.c1.json");
    load(&b, "porep/8MiB-v1_1.c1.json");
    PorepChallenge kept = a.challenges[1];
    a.challenges[1] = b.challenges[1];
    assert_int_equal(c1_check(&a, NULL), ERR_INVALID);
    a.challenges[1] = a.challenges[0]; /* the right sector, the wrong place */
    assert_int_equal(c1_check(&a, NULL), ERR_INVALID);
    assert_non_null(strstr(status_message(), "partition 0, challenge 1, comm_d_proofs: the path"));
    a.challenges[1] = kept;
    ColumnProof parent = kept.drg_parents[0];
    a.challenges[1].drg_parents[0] = kept.drg_parents[1];
    a.challenges[1].drg_parents[1] = parent; /* a valid set in the wrong order */
    assert_int_equal(c1_check(&a, NULL), ERR_INVALID);
    assert_non_null(strstr(status_message(), "challenge 1, drg_parents[0].column.index: "));
    porep_vanilla_free(&a);
    porep_vanilla_free(&b);
}

/* A replica node that is in its tree but is not data + label: only the encoding catches it. */
static void replica_must_be_data_plus_label(void **state)
{
    (void)state;
    PorepVanilla v = {0};
    load(&v, "rust/porep-2k-v1.c1.json");
    Fr level[8], roots[2];
    /* Both challenges share R_last; leaf and tree of each are rebuilt over the changed leaf, so the
     * second no longer meets the first's root: the first challenge alone must already fail. */
    MerkleProof *proof = &v.challenges[0].comm_r_last;
    proof->leaf.b[3] ^= 1;
    assert_true(node_to_fr(&level[0], &proof->leaf));
    Fr node = level[0];
    for (uint32_t i = 0; i < proof->n_base; i++) {
        for (uint32_t k = 0, next = 0; k < 8; k++)
            if (k == proof->path[i].index)
                level[k] = node;
            else
                assert_true(node_to_fr(&level[k], &proof->path[i].siblings[next++]));
        poseidon_hash(&node, 8, level);
    }
    node_from_fr(&proof->root, &node);
    assert_true(node_to_fr(&roots[0], &v.challenges[0].c_x.inclusion.root));
    roots[1] = node;
    poseidon_hash(&node, 2, roots);
    node_from_fr(&v.comm_r, &node);
    assert_int_equal(c1_check(&v, NULL), ERR_INVALID);
    assert_non_null(
        strstr(status_message(), "partition 0, challenge 0, encoding_proof: data node"));
    porep_vanilla_free(&v);
}

int main(void)
{
    vectors_require("vanilla_c1_check");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_pass),
        cmocka_unit_test(single_faults_are_named),
        cmocka_unit_test(foreign_parts_are_refused),
        cmocka_unit_test(replica_must_be_data_plus_label),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
