/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Witnesses of honest vanilla proofs satisfy the PoRep circuit, those of any other do not, and the
 * message names the gadget. */
#include "base/file.h"
#include "r1cs/r1cs.h"
#include "synthetic_porep.h"
#include "vanilla/c1.h"
#include "vectors.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static Pool *pool;

typedef struct {
    PorepShape shape;
    Circuit circuit;
    R1cs *r1cs;
} Compiled;

static void compile(Compiled *c, const char *name, uint32_t challenges, uint32_t layers)
{
    assert_int_equal(porep_shape(&c->shape, name, challenges, layers), OK);
    assert_int_equal(porep_circuit(&c->circuit, &c->shape), OK);
    assert_int_equal(r1cs_compile(&c->r1cs, &c->circuit, pool), OK);
}

static void witness_of(Assignment *z, const Compiled *c, const PorepVanilla *vanilla,
                       size_t partition)
{
    PorepWitness witness = {vanilla, partition};
    Status status = r1cs_witness(z, c->r1cs, &c->circuit, &witness, pool);
    if (status != OK)
        print_error("%s\n", status_message());
    assert_int_equal(status, OK);
}

static void expect_satisfied(const Compiled *c, const Assignment *z)
{
    Status status = r1cs_check(c->r1cs, &c->circuit, z, pool);
    if (status != OK)
        print_error("%s\n", status_message());
    assert_int_equal(status, OK);
}

static void expect_unsatisfied(const Compiled *c, const Assignment *z, const char *gadget)
{
    assert_int_equal(r1cs_check(c->r1cs, &c->circuit, z, pool), ERR_UNSATISFIED);
    if (!strstr(status_message(), gadget))
        print_error("%s: expected gadget %s\n", status_message(), gadget);
    assert_non_null(strstr(status_message(), gadget));
}

static void test_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t challenges, layers;
    } shapes[] = {
        {"porep-2k", 0, 0},
#ifndef CUZK_SANITIZED
        {"porep-4k", 0, 0}, {"porep-16k", 0, 0}, {"porep-32k", 0, 0}, {"porep-2k", 1, 11},
#endif
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        Compiled c;
        PorepVanilla vanilla;
        Assignment z;
        compile(&c, shapes[i].name, shapes[i].challenges, shapes[i].layers);
        assert_int_equal(synthetic_porep(&vanilla, &c.shape, 17 + i), OK);
        witness_of(&z, &c, &vanilla, 0);
        expect_satisfied(&c, &z);
        assignment_free(&z);
        porep_vanilla_free(&vanilla);
        r1cs_free(&c.r1cs);
    }
}

/* ---- one thing wrong at a time ---- */

static void bad_data_leaf(PorepVanilla *v)
{
    v->challenges[0].comm_d.leaf.b[5] ^= 1;
}
static void bad_data_path(PorepVanilla *v)
{
    v->challenges[0].comm_d.path[5].siblings[0].b[0] ^= 4;
}
static void bad_data_index(PorepVanilla *v)
{
    v->challenges[0].comm_d.path[2].index ^= 1;
}
static void bad_drg_row(PorepVanilla *v)
{
    v->challenges[0].drg_parents[3].rows[1].b[9] ^= 2;
}
static void bad_expander_row(PorepVanilla *v)
{
    v->challenges[0].exp_parents[7].rows[0].b[31] ^= 0x10;
}
static void bad_parent_path(PorepVanilla *v)
{
    v->challenges[0].exp_parents[0].inclusion.path[1].siblings[6].b[30] ^= 1;
}
static void bad_parent_index(PorepVanilla *v)
{
    v->challenges[0].drg_parents[0].inclusion.path[0].index ^= 5;
}
static void bad_replica_path(PorepVanilla *v)
{
    v->challenges[0].comm_r_last.path[0].siblings[2].b[1] ^= 1;
}
static void bad_column_path(PorepVanilla *v)
{
    v->challenges[0].c_x.inclusion.path[1].siblings[0].b[1] ^= 1;
}
static void bad_challenge(PorepVanilla *v)
{
    v->challenges[0].labeling[0].node ^= 1;
}
static void bad_replica_id(PorepVanilla *v)
{
    v->replica_id.b[0] ^= 1;
}
static void bad_comm_r(PorepVanilla *v)
{
    v->comm_r.b[0] ^= 1;
}
static void bad_comm_d(PorepVanilla *v)
{
    v->comm_d.b[0] ^= 1;
}
static void bad_comm_c(PorepVanilla *v)
{
    v->challenges[0].c_x.inclusion.root.b[0] ^= 1;
}

/* Each change undoes itself when made twice. */
static const struct {
    const char *what;
    void (*change)(PorepVanilla *v);
    const char *gadget;
} CHANGES[] = {
    {"data leaf", bad_data_leaf, "gadget challenge 0/tree D root"},
    {"data path", bad_data_path, "gadget challenge 0/tree D root"},
    {"data index", bad_data_index, "gadget challenge 0/tree D root"},
    {"drg row", bad_drg_row, "gadget challenge 0/drg parent 3/tree C root"},
    {"expander row", bad_expander_row, "gadget challenge 0/expander parent 7/tree C root"},
    {"parent path", bad_parent_path, "gadget challenge 0/expander parent 0/tree C root"},
    {"parent index", bad_parent_index, "gadget challenge 0/drg parent 0/tree C root"},
    {"replica path", bad_replica_path, "gadget challenge 0/tree R root"},
    {"column path", bad_column_path, "gadget challenge 0/tree C root"},
    {"challenge", bad_challenge, "gadget challenge 0/tree R root"},
    {"replica id", bad_replica_id, "gadget challenge 0/tree R root"},
    {"comm_r", bad_comm_r, "preamble, gadget commitments"},
    {"comm_d", bad_comm_d, "gadget challenge 0/tree D root"},
    {"comm_c", bad_comm_c, "preamble, gadget commitments"},
};

static void test_wrong_data(void **state)
{
    (void)state;
    size_t n = sizeof CHANGES / sizeof *CHANGES;
    Compiled c;
    PorepVanilla vanilla;
    Assignment z;
    compile(&c, "porep-2k", 1, 0);
    assert_int_equal(synthetic_porep(&vanilla, &c.shape, 3), OK);
#ifdef CUZK_SANITIZED
    n = 5;
#endif
    for (size_t i = 0; i < n; i++) {
        CHANGES[i].change(&vanilla);
        witness_of(&z, &c, &vanilla, 0);
        expect_unsatisfied(&c, &z, CHANGES[i].gadget);
        assignment_free(&z);
        CHANGES[i].change(&vanilla);
    }
    witness_of(&z, &c, &vanilla, 0);
    expect_satisfied(&c, &z);
    assignment_free(&z);
    porep_vanilla_free(&vanilla);
    r1cs_free(&c.r1cs);
}

/* ---- a wrong variable in an honest assignment ---- */

static void expect_wrong_input(const Compiled *c, Assignment *z, size_t i, const char *gadget)
{
    Fr good = z->inputs[i];
    fr_add(&z->inputs[i], &good, &FR_ONE);
    expect_unsatisfied(c, z, gadget);
    z->inputs[i] = good;
}

static void test_wrong_variables(void **state)
{
    (void)state;
    static const struct {
        size_t input;
        const char *gadget;
    } inputs[] = {{1, "commitments"},
                  {2, "commitments"},
                  {3, "commitments"},
                  {4, "challenge 0/tree D index"},
                  {5, "drg parent 0/tree C index"},
                  {18, "expander parent 7/tree C index"},
                  {19, "challenge bits"},
                  {20, "challenge 0/tree R index"},
                  {21, "challenge 0/tree C index"}};
    Compiled c;
    PorepVanilla vanilla;
    Assignment z;
    compile(&c, "porep-2k", 1, 0);
    assert_int_equal(synthetic_porep(&vanilla, &c.shape, 5), OK);
    witness_of(&z, &c, &vanilla, 0);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        expect_wrong_input(&c, &z, inputs[i].input, inputs[i].gadget);
    porep_vanilla_free(&vanilla);
    assignment_free(&z);
    r1cs_free(&c.r1cs);
}

/* ---- proofs that others made ---- */

static void read_c1(PorepVanilla *out, const char *name)
{
    FileMap map;
    assert_int_equal(file_map(&map, vectors_path(name)), OK);
    assert_int_equal(c1_parse(out, map.data, map.size), OK);
    file_unmap(&map);
}

/* Public inputs, one in hex a line, ONE left out. */
static void expect_inputs(const Assignment *z, const char *prefix, size_t partition)
{
    char name[128], line[80], hex[65];
    snprintf(name, sizeof name, "%s.p%zu.inputs", prefix, partition);
    FILE *file = fopen(vectors_path(name), "r");
    assert_non_null(file);
    for (size_t i = 1; i < z->n_inputs; i++) {
        uint8_t bytes[32];
        fr_to_le(bytes, &z->inputs[i]);
        for (int k = 0; k < 32; k++)
            snprintf(hex + 2 * k, 3, "%02x", bytes[k]);
        assert_non_null(fgets(line, sizeof line, file));
        line[64] = '\0';
        assert_string_equal(hex, line);
    }
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
}

static void check_vectors(const char *circuit, const char *const *prefixes, size_t n)
{
    Compiled c;
    compile(&c, circuit, 0, 0);
    for (size_t i = 0; i < n; i++) {
        char name[128];
        PorepVanilla vanilla;
        snprintf(name, sizeof name, "%s.c1.json", prefixes[i]);
        read_c1(&vanilla, name);
        for (size_t k = 0; k < vanilla.n_partitions; k++) {
            Assignment z;
            witness_of(&z, &c, &vanilla, k);
            expect_satisfied(&c, &z);
            if (strncmp(prefixes[i], "rust/", 5) == 0)
                expect_inputs(&z, prefixes[i], k);
            assignment_free(&z);
        }
        porep_vanilla_free(&vanilla);
    }
    r1cs_free(&c.r1cs);
}

static void test_vectors(void **state)
{
    (void)state;
    static const char *const small[] = {"rust/porep-2k-v1", "rust/porep-2k-v1_1",
                                        "rust/porep-2k-synth", "rust/porep-2k-ni"};
#ifdef CUZK_SANITIZED
    check_vectors("porep-2k", small, 1);
#else
    static const char *const large[] = {"rust/porep-8m-v1", "rust/porep-8m-v1_1",
                                        "porep/8MiB-v1_1"};
    check_vectors("porep-2k", small, 4);
    check_vectors("porep-8m", large, 3);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_wrong_data),
        cmocka_unit_test(test_wrong_variables),
    };
    const struct CMUnitTest vector_tests[] = {cmocka_unit_test(test_vectors)};
    if (pool_new(&pool, 0) != OK)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed == 0) {
        vectors_require("porep_satisfied");
        failed = cmocka_run_group_tests(vector_tests, NULL, NULL);
    }
    pool_free(&pool);
    return failed;
}
