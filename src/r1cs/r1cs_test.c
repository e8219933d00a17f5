/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Block-coded circuits against their naive expansion. */
#include "block_circuit.h"
#include "hash/sha256.h"
#include "r1cs/r1cs.h"
#include "toy_circuit.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static Pool *pool;

/* Every row of a circuit as recorded one after the other, without blocks. */
typedef struct {
    Term *terms;
    uint32_t n;
} List;
typedef struct {
    List (*rows)[3];
    uint8_t *is_bit;
    size_t n_rows, n_aux, n_inputs;
} Naive;

static void naive_aux(Cs *cs, Var var, bool is_bit)
{
    Naive *naive = cs->sink;
    assert_int_equal(var, naive->n_aux);
    naive->is_bit = realloc(naive->is_bit, ++naive->n_aux);
    naive->is_bit[var] = is_bit;
}

static void naive_row(Cs *cs, const Term *a, uint32_t na, const Term *b, uint32_t nb, const Term *c,
                      uint32_t nc)
{
    Naive *naive = cs->sink;
    const Term *terms[3] = {a, b, c};
    const uint32_t n[3] = {na, nb, nc};
    naive->rows = realloc(naive->rows, (naive->n_rows + 1) * sizeof *naive->rows);
    for (int s = 0; s < 3; s++) {
        List *list = &naive->rows[naive->n_rows][s];
        *list = (List){malloc((n[s] + 1) * sizeof(Term)), n[s]};
        if (n[s])
            memcpy(list->terms, terms[s], n[s] * sizeof(Term));
    }
    naive->n_rows++;
}

static void naive_record(Naive *naive, const Circuit *circuit)
{
    *naive = (Naive){0};
    Cs cs = {.mode = CS_RECORD, .sink = naive, .on_aux = naive_aux, .on_row = naive_row};
    void *shared = calloc(1, circuit->shared_bytes + 1);
    cs_alloc_input(&cs, NULL);
    assert_int_equal(circuit->preamble(circuit, &cs, NULL, shared), OK);
    for (size_t k = 0; k < circuit->n_blocks; k++)
        assert_int_equal(circuit->block(circuit, &cs, k, NULL, shared), OK);
    naive->n_inputs = cs.next_input;
    for (uint32_t i = 0; i < naive->n_inputs; i++) {
        Term term = {VAR_INPUT | i, FR_ONE};
        naive_row(&cs, &term, 1, NULL, 0, NULL, 0);
    }
    free(shared);
    cs_free(&cs);
}

static void naive_free(Naive *naive)
{
    for (size_t row = 0; row < naive->n_rows; row++)
        for (int s = 0; s < 3; s++)
            free(naive->rows[row][s].terms);
    free(naive->rows);
    free(naive->is_bit);
}

/* Value of a variable in a packed assignment, by counting. */
static Fr value_of(const Naive *naive, const Assignment *z, Var var)
{
    if (var & VAR_INPUT)
        return z->inputs[var & ~VAR_INPUT];
    if (naive->is_bit[var])
        return z->bits[var / 64] >> (var % 64) & 1 ? FR_ONE : FR_ZERO;
    size_t rank = 0;
    for (size_t j = 0; j < var; j++)
        rank += !naive->is_bit[j];
    return z->fields[rank];
}

static Fr *all_values(const Naive *naive, const Assignment *z)
{
    Fr *values = calloc(naive->n_inputs + naive->n_aux, sizeof *values);
    for (size_t i = 0; i < naive->n_inputs; i++)
        values[i] = value_of(naive, z, VAR_INPUT | (Var)i);
    for (size_t j = 0; j < naive->n_aux; j++)
        values[naive->n_inputs + j] = value_of(naive, z, (Var)j);
    return values;
}

static size_t flat(const Naive *naive, Var var)
{
    return var & VAR_INPUT ? var & ~VAR_INPUT : naive->n_inputs + var;
}

static Fr dot(const Naive *naive, const List *list, const Fr *values)
{
    Fr sum = FR_ZERO, term;
    for (uint32_t i = 0; i < list->n; i++) {
        fr_mul(&term, &list->terms[i].coefficient, &values[flat(naive, list->terms[i].var)]);
        fr_add(&sum, &sum, &term);
    }
    return sum;
}

static void naive_digest(const Naive *naive, uint8_t digest[32])
{
    Sha256 hash;
    sha256_init(&hash);
    for (size_t row = 0; row < naive->n_rows; row++)
        for (int s = 0; s < 3; s++) {
            const List *list = &naive->rows[row][s];
            sha256_update(&hash, &list->n, 4);
            for (uint32_t i = 0; i < list->n; i++) {
                uint8_t bytes[37] = {!(list->terms[i].var & VAR_INPUT)};
                uint32_t index = list->terms[i].var & ~VAR_INPUT;
                memcpy(bytes + 1, &index, 4);
                fr_to_le(bytes + 5, &list->terms[i].coefficient);
                sha256_update(&hash, bytes, sizeof bytes);
            }
        }
    sha256_final(&hash, digest);
}

static void compare_shape(const R1cs *r1cs, const Naive *naive)
{
    const R1csShape *s = r1cs_shape(r1cs);
    assert_int_equal(s->n_inputs, naive->n_inputs);
    assert_int_equal(s->n_aux, naive->n_aux);
    assert_int_equal(s->n_rows, naive->n_rows);
    assert_int_equal(s->n_circuit_rows, naive->n_rows - naive->n_inputs);
    size_t nnz[3] = {0}, fields = 0;
    for (size_t row = 0; row < naive->n_rows; row++)
        for (int m = 0; m < 3; m++)
            nnz[m] += naive->rows[row][m].n;
    for (size_t j = 0; j < naive->n_aux; j++)
        fields += !naive->is_bit[j];
    for (int m = 0; m < 3; m++)
        assert_int_equal(s->nnz[m], nnz[m]);
    assert_int_equal(s->n_fields, fields);
    unsigned log_n = r1cs_log_domain(r1cs);
    assert_true((size_t)1 << log_n >= s->n_rows && (log_n == 0 || s->n_rows > (1ull << log_n) / 2));
}

typedef void (*Bitmap)(const R1cs *r1cs, uint64_t *words, size_t first_word, size_t n_words);

/* In one piece and word by word; past the end: zero. */
static void compare_bitmap(const R1cs *r1cs, Bitmap bitmap, const uint8_t *expected, size_t n,
                           size_t count)
{
    size_t n_words = (n + 63) / 64, set = 0;
    uint64_t *words = malloc((n_words + 2) * sizeof *words), one[2];
    bitmap(r1cs, words, 0, n_words + 2);
    for (size_t j = 0; j < 64 * (n_words + 2); j++) {
        assert_int_equal(words[j / 64] >> (j % 64) & 1, j < n ? expected[j] : 0);
        set += words[j / 64] >> (j % 64) & 1;
    }
    assert_int_equal(set, count);
    for (size_t w = 0; w + 1 < n_words + 2; w++) {
        bitmap(r1cs, one, w, 2);
        assert_memory_equal(one, words + w, sizeof one);
    }
    free(words);
}

static void compare_densities(const R1cs *r1cs, const Naive *naive)
{
    const R1csShape *shape = r1cs_shape(r1cs);
    uint8_t *dense[2] = {calloc(naive->n_aux + 1, 1), calloc(naive->n_aux + 1, 1)};
    uint8_t *inputs = calloc(naive->n_inputs, 1);
    size_t count[2] = {0}, b_inputs = 0;
    for (size_t row = 0; row < naive->n_rows; row++)
        for (int s = 0; s < 2; s++)
            for (uint32_t i = 0; i < naive->rows[row][s].n; i++) {
                Var var = naive->rows[row][s].terms[i].var;
                if (!(var & VAR_INPUT))
                    dense[s][var] = 1;
                else if (s == 1)
                    inputs[var & ~VAR_INPUT] = 1;
            }
    for (int s = 0; s < 2; s++)
        for (size_t j = 0; j < naive->n_aux; j++)
            count[s] += dense[s][j];
    for (size_t i = 0; i < naive->n_inputs; i++) {
        assert_int_equal(r1cs_b_input_density(r1cs, i), inputs[i]);
        b_inputs += inputs[i];
    }
    assert_int_equal(b_inputs, shape->b_input_density);
    assert_int_equal(count[0], shape->a_aux_density);
    assert_int_equal(count[1], shape->b_aux_density);
    compare_bitmap(r1cs, r1cs_a_density, dense[0], naive->n_aux, count[0]);
    compare_bitmap(r1cs, r1cs_b_density, dense[1], naive->n_aux, count[1]);
    compare_bitmap(r1cs, r1cs_is_bit, naive->is_bit, naive->n_aux, naive->n_aux - shape->n_fields);
    free(dense[0]);
    free(dense[1]);
    free(inputs);
}

static void compare_eval(const R1cs *r1cs, const Naive *naive, const Assignment *z)
{
    size_t rows = naive->n_rows, n = rows + 5;
    Fr *values = all_values(naive, z);
    Fr *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b);
    memset(a, 0xff, n * sizeof *a);
    memset(b, 0xff, n * sizeof *b);
    assert_int_equal(r1cs_eval(r1cs, z, a, NULL, n, pool), OK);
    assert_int_equal(r1cs_eval(r1cs, z, NULL, b, n, NULL), OK);
    for (size_t row = 0; row < n; row++) {
        Fr x = FR_ZERO, y = FR_ZERO;
        if (row < rows) {
            x = dot(naive, &naive->rows[row][0], values);
            y = dot(naive, &naive->rows[row][1], values);
        }
        assert_true(fr_eq(&a[row], &x));
        assert_true(fr_eq(&b[row], &y));
    }
    free(values);
    free(a);
    free(b);
}

static void compare_transpose(const R1cs *r1cs, const Naive *naive)
{
    size_t n = naive->n_inputs + naive->n_aux;
    Fr *weight = malloc(naive->n_rows * sizeof *weight), *expected[3], *out[3], term;
    for (size_t row = 0; row < naive->n_rows; row++)
        fr_from_u64(&weight[row], row * row * 1000003 + 1);
    for (int s = 0; s < 3; s++) {
        expected[s] = malloc(n * sizeof(Fr));
        out[s] = malloc(n * sizeof(Fr));
        for (size_t v = 0; v < n; v++)
            fr_from_u64(&expected[s][v], v + (size_t)s);
        memcpy(out[s], expected[s], n * sizeof(Fr));
    }
    for (size_t row = 0; row < naive->n_rows; row++)
        for (int s = 0; s < 3; s++)
            for (uint32_t i = 0; i < naive->rows[row][s].n; i++) {
                const Term *t = &naive->rows[row][s].terms[i];
                Fr *to = &expected[s][flat(naive, t->var)];
                fr_mul(&term, &t->coefficient, &weight[row]);
                fr_add(to, to, &term);
            }
    assert_int_equal(r1cs_transpose_mul(r1cs, weight, out[0], out[1], out[2], pool), OK);
    for (int s = 0; s < 3; s++) {
        assert_memory_equal(out[s], expected[s], n * sizeof(Fr));
        free(expected[s]);
        free(out[s]);
    }
    free(weight);
}

static void compare_values(const R1cs *r1cs, const Circuit *circuit, const Naive *naive,
                           const void *witness)
{
    Assignment z, serial;
    assert_int_equal(r1cs_witness(&z, r1cs, circuit, witness, pool), OK);
    assert_int_equal(r1cs_witness(&serial, r1cs, circuit, witness, NULL), OK);
    assert_memory_equal(z.inputs, serial.inputs, assignment_bytes(&z));
    for (size_t j = 0; j < naive->n_aux; j++)
        if (!naive->is_bit[j])
            assert_false(z.bits[j / 64] >> (j % 64) & 1);
    Status status = r1cs_check(r1cs, circuit, &z, pool);
    if (status != OK)
        print_error("%s\n", status_message());
    assert_int_equal(status, OK);
    compare_eval(r1cs, naive, &z);
    assignment_free(&serial);
    // any assignment will do for products
    for (size_t i = 0; i < z.n_fields; i++)
        fr_neg(&z.fields[i], &z.fields[i]);
    for (size_t j = 0; j < naive->n_aux; j++)
        if (naive->is_bit[j])
            z.bits[j / 64] ^= 1ull << (j % 64);
    compare_eval(r1cs, naive, &z);
    assignment_free(&z);
}

static void compare_all(const Circuit *circuit, const void *witness)
{
    R1cs *r1cs = NULL;
    Naive naive;
    uint8_t digest[32], expected[32];
    naive_record(&naive, circuit);
    Status status = r1cs_compile(&r1cs, circuit, pool);
    if (status != OK)
        print_error("%s\n", status_message());
    assert_int_equal(status, OK);
    compare_shape(r1cs, &naive);
    compare_densities(r1cs, &naive);
    naive_digest(&naive, expected);
    assert_int_equal(r1cs_digest(r1cs, digest), OK);
    assert_memory_equal(digest, expected, 32);
    compare_values(r1cs, circuit, &naive, witness);
    compare_transpose(r1cs, &naive);
    naive_free(&naive);
    r1cs_free(&r1cs);
}

static void test_without_blocks(void **state)
{
    (void)state;
    for (size_t i = 0; i < 20; i++) {
        ToyParams params = {.rows = i * i, .inputs = 1 + i % 5, .seed = i, .loose = i % 2};
        Circuit circuit = toy_circuit(&params);
        compare_all(&circuit, &(ToyWitness){.seed = i});
    }
}

static void test_with_blocks(void **state)
{
    (void)state;
    for (size_t i = 0; i < 60; i++) {
        BlockParams params = {.seed = 31 * i,
                              .preamble_steps = i % 3 ? 5 * i : 0,
                              .block_steps = 2 + i % 30,
                              .n_blocks = i % 21};
        params.slots = i % 2 && params.preamble_steps > 20;
        Circuit circuit = block_circuit(&params);
        compare_all(&circuit, &(BlockWitness){.seed = i});
    }
}

/* Blocks of a bit or two: several share a word of the bitmap. */
static Status one_bit_block(const Circuit *circuit, Cs *cs, size_t k, const void *witness,
                            const void *shared)
{
    (void)circuit, (void)witness, (void)shared;
    cs_alloc_bit(cs, k % 3 == 0);
    return OK;
}

static Status no_preamble(const Circuit *circuit, Cs *cs, const void *witness, void *shared)
{
    (void)circuit, (void)cs, (void)witness, (void)shared;
    return OK;
}

static void test_tiny_blocks(void **state)
{
    (void)state;
    Circuit circuit = {
        .name = "tiny", .n_blocks = 1000, .preamble = no_preamble, .block = one_bit_block};
    R1cs *r1cs = NULL;
    Assignment z;
    assert_int_equal(r1cs_compile(&r1cs, &circuit, pool), OK);
    assert_int_equal(r1cs_witness(&z, r1cs, &circuit, NULL, pool), OK);
    for (size_t k = 0; k < 1000; k++)
        assert_int_equal(z.bits[k / 64] >> (k % 64) & 1, k % 3 == 0);
    assignment_free(&z);
    r1cs_free(&r1cs);
}

static void test_differing_blocks_are_refused(void **state)
{
    (void)state;
    for (BlockFault fault = FAULT_NONE; fault < FAULTS; fault++) {
        BlockParams params = {.seed = 5,
                              .preamble_steps = 40,
                              .block_steps = 30,
                              .n_blocks = 5,
                              .slots = true,
                              .fault = fault,
                              .fault_block = 3};
        Circuit circuit = block_circuit(&params);
        R1cs *r1cs = NULL;
        Status status = r1cs_compile(&r1cs, &circuit, pool);
        assert_int_equal(status, fault == FAULT_NONE ? OK : ERR_INTERNAL);
        if (fault != FAULT_NONE) {
            assert_null(r1cs);
            assert_non_null(strstr(status_message(), "circuit blocks: "));
            // a count that differs has no row of its own
            bool counted =
                strstr(status_message(), "block 3: ") && strstr(status_message(), "rows");
            assert_true(counted || strstr(status_message(), "block 3, row "));
        }
        if (fault == FAULT_COEFFICIENT)
            assert_non_null(strstr(status_message(), "gadget block 3/end"));
        r1cs_free(&r1cs);
    }
}

static void test_wrong_witness_sizes(void **state)
{
    (void)state;
    for (BlockFault fault = FAULTS; fault < WITNESS_FAULTS; fault++)
        for (size_t block = 0; block < 4; block += 3) {
            BlockParams params = {.seed = 7,
                                  .preamble_steps = 20,
                                  .block_steps = 20,
                                  .n_blocks = 4,
                                  .fault = fault,
                                  .fault_block = block};
            Circuit circuit = block_circuit(&params);
            R1cs *r1cs = NULL;
            Assignment z = {0};
            assert_int_equal(r1cs_compile(&r1cs, &circuit, pool), OK);
            assert_int_equal(r1cs_witness(&z, r1cs, &circuit, &(BlockWitness){.seed = 1}, pool),
                             ERR_INTERNAL);
            assert_null(z.inputs);
            r1cs_free(&r1cs);
        }
}

/* A wrong value in the last block: the row is named with its gadget, the lowest one. */
static void test_unsatisfied_row_is_named(void **state)
{
    (void)state;
    BlockParams params = {
        .seed = 11, .preamble_steps = 30, .block_steps = 40, .n_blocks = 12, .slots = true};
    Circuit circuit = block_circuit(&params);
    R1cs *r1cs = NULL;
    size_t spoiled = 0;
    assert_int_equal(r1cs_compile(&r1cs, &circuit, pool), OK);
    for (size_t step = 1; step <= params.block_steps; step++) {
        BlockWitness witness = {.seed = 3, .spoil = step};
        Assignment z;
        char gadget[64];
        assert_int_equal(r1cs_witness(&z, r1cs, &circuit, &witness, pool), OK);
        Status status = r1cs_check(r1cs, &circuit, &z, pool);
        snprintf(gadget, sizeof gadget, "gadget block 11/step %zu", step - 1);
        if (status != OK) { // steps that allocate bits cannot be spoiled
            assert_int_equal(status, ERR_UNSATISFIED);
            const char *found = strstr(status_message(), gadget);
            if (!found)
                print_error("%s: expected %s\n", status_message(), gadget);
            assert_non_null(found);
            assert_non_null(strstr(status_message(), "block 11, row "));
            spoiled++;
        }
        assignment_free(&z);
    }
    assert_true(spoiled > 10);
    r1cs_free(&r1cs);
}

static void test_first_of_two_rows(void **state)
{
    (void)state;
    BlockParams params = {.seed = 13, .preamble_steps = 30, .block_steps = 20, .n_blocks = 20};
    Circuit circuit = block_circuit(&params);
    R1cs *r1cs = NULL;
    Assignment z;
    assert_int_equal(r1cs_compile(&r1cs, &circuit, pool), OK);
    assert_int_equal(r1cs_witness(&z, r1cs, &circuit, &(BlockWitness){.seed = 3}, pool), OK);
    assert_int_equal(r1cs_check(r1cs, &circuit, &z, pool), OK);
    const R1csShape *s = r1cs_shape(r1cs);
    Fr *last = &z.fields[s->n_fields - 1], kept = z.fields[0], kept_last = *last;
    fr_add(last, last, &FR_ONE);
    assert_int_equal(r1cs_check(r1cs, &circuit, &z, pool), ERR_UNSATISFIED);
    assert_non_null(strstr(status_message(), "block 19"));
    fr_add(&z.fields[0], &z.fields[0], &FR_ONE);
    assert_int_equal(r1cs_check(r1cs, &circuit, &z, pool), ERR_UNSATISFIED);
    assert_non_null(strstr(status_message(), "preamble, gadget preamble 7"));
    z.fields[0] = kept;
    *last = kept_last;
    z.inputs[0] = FR_ZERO;
    assert_int_equal(r1cs_check(r1cs, &circuit, &z, pool), ERR_UNSATISFIED);
    assert_non_null(strstr(status_message(), "input 0"));
    assignment_free(&z);
    r1cs_free(&r1cs);
}

int main(void)
{
    if (pool_new(&pool, 4) != OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_blocks),
        cmocka_unit_test(test_with_blocks),
        cmocka_unit_test(test_tiny_blocks),
        cmocka_unit_test(test_differing_blocks_are_refused),
        cmocka_unit_test(test_wrong_witness_sizes),
        cmocka_unit_test(test_unsatisfied_row_is_named),
        cmocka_unit_test(test_first_of_two_rows),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pool_free(&pool);
    return failed;
}
