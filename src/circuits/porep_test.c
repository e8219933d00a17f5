/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The PoRep circuit: sizes, non-zeros and densities of every shape, matrices by digest. */
#include "circuits/porep.h"
#include "r1cs/r1cs.h"
#include "rows_digest.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Of a whole circuit, trailing input rows included. */
typedef struct {
    size_t inputs, aux, rows, nnz[3], dense[2];
} Counts;

/* Run preamble and blocks while recording; counts as if there were n blocks. A variable of the
 * preamble is dense where either of the two makes it so; the blocks' rows are alike. */
static void run_circuit(const Circuit *circuit, Cs *cs, Rows *rows, size_t n, Counts *out)
{
    void *shared = calloc(1, circuit->shared_bytes);
    assert_int_equal(circuit->preamble(circuit, cs, NULL, shared), OK);
    Counts first = {.inputs = cs->next_input, .aux = cs->next_aux, .rows = rows->rows};
    memcpy(first.nnz, rows->nnz, sizeof first.nnz);
    for (size_t k = 0; k < circuit->n_blocks; k++)
        assert_int_equal(circuit->block(circuit, cs, k, NULL, shared), OK);
    free(shared);
    assert_int_equal(first.aux, 571);
    assert_int_equal(first.inputs, 4);
    assert_int_equal(first.rows, 571);
    size_t blocks = circuit->n_blocks;
    out->inputs = first.inputs + n * (cs->next_input - first.inputs) / blocks;
    out->aux = first.aux + n * (cs->next_aux - first.aux) / blocks;
    out->rows = first.rows + n * (rows->rows - first.rows) / blocks + out->inputs;
    for (int side = 0; side < 3; side++)
        out->nnz[side] = first.nnz[side] + n * (rows->nnz[side] - first.nnz[side]) / blocks;
    out->nnz[0] += out->inputs;
    for (int side = 0; side < 2; side++)
        out->dense[side] = rows_dense(rows, side, 0, first.aux) +
                           n * rows_dense(rows, side, first.aux, cs->next_aux) / blocks;
}

/* Also the sizes that have no registered circuit. */
static void shape_of(PorepShape *out, const char *name, uint32_t challenges)
{
    bool gib = strcmp(name, "porep-1g") == 0;
    if (!gib && strcmp(name, "porep-16m") != 0) {
        assert_int_equal(porep_shape(out, name, challenges, 0), OK);
        return;
    }
    *out = (PorepShape){.layers = 2, .challenges = challenges ? challenges : 2};
    snprintf(out->name, sizeof out->name, "%s", name);
    assert_int_equal(registry_tree_shape(&out->tree, gib ? 1ull << 30 : 1ull << 24), OK);
}

/* challenges: how many to record; 0: all. digest: of those, or NULL. */
static void check_circuit(const char *name, uint32_t challenges, const char *digest,
                          const Counts *expect)
{
    Circuit circuit;
    PorepShape shape, whole;
    Counts got;
    Cs cs;
    Rows rows;
    char digest_got[65];
    shape_of(&whole, name, 0);
    shape_of(&shape, name, challenges);
    assert_int_equal(porep_circuit(&circuit, &shape), OK);
    rows_begin(&cs, &rows, digest != NULL);
    run_circuit(&circuit, &cs, &rows, whole.challenges, &got);
    assert_string_equal(cs.path, "");
    rows_end(&cs, &rows, digest_got);
    rows_free(&rows);
    if (digest)
        assert_string_equal(digest_got, digest);
    assert_int_equal(got.inputs, expect->inputs);
    assert_int_equal(got.aux, expect->aux);
    assert_int_equal(got.rows, expect->rows);
    if (expect->nnz[0]) {
        assert_memory_equal(got.nnz, expect->nnz, sizeof got.nnz);
        assert_memory_equal(got.dense, expect->dense, sizeof got.dense);
    }
}

static const struct {
    const char *name;
    uint32_t challenges; /* recorded; 0: all */
    const char *digest;  /* of those; NULL: not known */
    Counts expect;       /* of the whole; zero: not known */
} CIRCUITS[] = {
    {"porep-2k",
     0,
     "3978711cf3396732e234867f133810af61d62d9bc894f5eefbf7ee63b5b777cd",
     {40, 2685673, 2687961, {6421005, 2689006, 5824682}, {2674908, 685521}}},
    {"porep-4k", 1, NULL, {40, 2786423, 2788773, {0}, {0}}},
    {"porep-16k", 1, NULL, {40, 2974867, 2977213, {0}, {0}}},
    {"porep-32k", 1, NULL, {40, 3075617, 3078025, {0}, {0}}},
    {"porep-8m",
     0,
     "a8d9e0064bda32200234ed6b5751becce1ba54af797228b1e281efd4ae1bb638",
     {40, 3842449, 3844969, {9388453, 3847886, 8234882}, {3814996, 1011289}}},
    {"porep-16m", 1, NULL, {40, 3943199, 3945781, {0}, {0}}},
    {"porep-512m",
     0,
     "433932ec883d28c24d883cdc958abc13a0ab5e72dbe2d8f64670376c355c6808",
     {40, 4420837, 4423473, {10872177, 4427326, 9439982}, {4385040, 1174173}}},
    {"porep-1g", 1, NULL, {40, 4521587, 4524285, {0}, {0}}},
    {"porep-32g",
     1,
     "41735aa266a60186ca67f115fd3900c903b93a149ff54f2840e3d603048d0c88",
     {328, 130169893, 130278869, {309405051, 130327340, 282656500}, {129753292, 33112281}}},
    {"porep-64g",
     1,
     "34362285c79801fdf1c295daf2908cb7fbd39f8a8b4ee5e85ea40e1fb54576b2",
     {328, 131076643, 131186177, {311892525, 131235764, 284512534}, {130637542, 33386943}}},
};
enum { N_CIRCUITS = sizeof CIRCUITS / sizeof *CIRCUITS };

static void test_circuits(void **state)
{
    (void)state;
    size_t n = N_CIRCUITS;
#ifdef CUZK_SANITIZED
    n = 4; // the small ones
#endif
    for (size_t i = 0; i < n; i++)
        check_circuit(CIRCUITS[i].name, CIRCUITS[i].challenges, CIRCUITS[i].digest,
                      &CIRCUITS[i].expect);
}

/* All 18 challenges of 32 GiB take a minute and more: on request. */
static void test_whole_32g(void **state)
{
    (void)state;
    const char *slow = getenv("CUZK_SLOW");
    if (!slow || !*slow) {
        print_message("the digest of the whole 32 GiB circuit is skipped: set CUZK_SLOW=1\n");
        skip();
    }
    for (size_t i = 0; i < N_CIRCUITS; i++)
        if (strcmp(CIRCUITS[i].name, "porep-32g") == 0)
            check_circuit("porep-32g", 0,
                          "a88abba246a3b655571c67ad5fc5a9ecdadd1181dafd157ab7d1872184307ce6",
                          &CIRCUITS[i].expect);
}

/* The compiled form says the same as the rows themselves. */
static void test_compiled(void **state)
{
    (void)state;
    Circuit circuit;
    PorepShape shape;
    R1cs *r1cs;
    uint8_t digest[32];
    char hex[65];
    assert_int_equal(porep_shape(&shape, CIRCUITS[0].name, 0, 0), OK);
    assert_int_equal(porep_circuit(&circuit, &shape), OK);
    assert_int_equal(r1cs_compile(&r1cs, &circuit, NULL), OK);
    assert_int_equal(r1cs_digest(r1cs, digest), OK);
    for (int i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(hex, CIRCUITS[0].digest);
    const R1csShape *s = r1cs_shape(r1cs);
    const Counts *expect = &CIRCUITS[0].expect;
    Counts got = {s->n_inputs, s->n_aux, s->n_rows, {0}, {s->a_aux_density, s->b_aux_density}};
    memcpy(got.nnz, s->nnz, sizeof got.nnz);
    assert_memory_equal(&got, expect, sizeof got);
    assert_int_equal(s->b_input_density, 1);
    assert_int_equal(s->block_aux, 1342551);
    assert_int_equal(s->block_inputs, 18);
    assert_int_equal(s->block_rows, 1343675);
    assert_int_equal(r1cs_log_domain(r1cs), 22);
    r1cs_free(&r1cs);
}

static void test_shapes(void **state)
{
    (void)state;
    PorepShape shape;
    assert_int_equal(porep_shape(&shape, "porep-3k", 0, 0), ERR_NOT_FOUND);
    assert_int_equal(porep_shape(&shape, "winning-2k", 0, 0), ERR_ARG);
    assert_int_equal(porep_shape(&shape, "porep-2k", 0, 3), ERR_UNSUPPORTED);
    assert_int_equal(porep_shape(&shape, "porep-2k", 5, 11), OK);
    assert_string_equal(shape.name, "porep-2k-c5-l11");
    assert_int_equal(porep_shape(&shape, "porep-64g", 18, 11), OK);
    assert_string_equal(shape.name, "porep-64g");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_compiled),
        cmocka_unit_test(test_circuits),
        cmocka_unit_test(test_whole_32g),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
