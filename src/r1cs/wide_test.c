/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Rows as long, as many and with values as extreme as they come, against their plain expansion;
 * the row stream byte by byte. */
#include "hash/sha256.h"
#include "r1cs/r1cs.h"
#include "toy_circuit.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static Pool *pool; /* 4 threads */

#ifdef CUZK_SANITIZED
enum { MANY_ROWS = 1100, MOST_AUX = 1 << 15 };
#else
enum { MANY_ROWS = 9000, MOST_AUX = 1 << 15 };
#endif

typedef struct {
    size_t row;
    Term term;
} Entry;

/* The slow twin. Variables are numbered inputs first, then aux. */
typedef struct {
    size_t n_inputs, n_aux, n_rows; /* trailing input rows included */
    size_t n_circuit_rows, n_fields;
    Entry *entries[3];
    size_t n[3], room[3];
    bool is_bit[MOST_AUX];
} Plain;

static void plain_aux(Cs *cs, Var var, bool is_bit)
{
    Plain *plain = cs->sink;
    assert_true(var < MOST_AUX);
    plain->is_bit[var] = is_bit;
    plain->n_fields += !is_bit;
}

static void plain_side(Plain *plain, int s, const Term *terms, uint32_t n)
{
    if (plain->n[s] + n > plain->room[s]) {
        plain->room[s] = 2 * (plain->room[s] + n);
        plain->entries[s] = realloc(plain->entries[s], plain->room[s] * sizeof(Entry));
        assert_non_null(plain->entries[s]);
    }
    for (uint32_t i = 0; i < n; i++) {
        assert_true(i == 0 || (terms[i - 1].var ^ VAR_INPUT) < (terms[i].var ^ VAR_INPUT));
        plain->entries[s][plain->n[s]++] = (Entry){plain->n_rows, terms[i]};
    }
}

static void plain_row(Cs *cs, const Term *a, uint32_t na, const Term *b, uint32_t nb, const Term *c,
                      uint32_t nc)
{
    Plain *plain = cs->sink;
    plain_side(plain, 0, a, na);
    plain_side(plain, 1, b, nb);
    plain_side(plain, 2, c, nc);
    plain->n_rows++;
}

/* Preamble and all blocks, one behind the other, on one Cs. */
static void plain_new(Plain *plain, const Circuit *circuit)
{
    *plain = (Plain){0};
    Cs cs = {.mode = CS_RECORD, .sink = plain, .on_aux = plain_aux, .on_row = plain_row};
    cs_alloc_input(&cs, NULL);
    assert_int_equal(circuit->preamble(circuit, &cs, NULL, NULL), OK);
    for (size_t k = 0; k < circuit->n_blocks; k++)
        assert_int_equal(circuit->block(circuit, &cs, k, NULL, NULL), OK);
    plain->n_circuit_rows = plain->n_rows;
    plain->n_inputs = cs.next_input;
    plain->n_aux = cs.next_aux;
    for (uint32_t i = 0; i < plain->n_inputs; i++) {
        Term term = {VAR_INPUT | i, FR_ONE};
        plain_row(&cs, &term, 1, NULL, 0, NULL, 0);
    }
    cs_free(&cs);
}

static void plain_free(Plain *plain)
{
    for (int s = 0; s < 3; s++)
        free(plain->entries[s]);
}

static size_t number(const Plain *plain, Var var)
{
    size_t index = var & ~VAR_INPUT;
    return var & VAR_INPUT ? index : plain->n_inputs + index;
}

/* All values by number, from a packed assignment. */
static Fr *unpack(const Plain *plain, const Assignment *z)
{
    Fr *values = calloc(plain->n_inputs + plain->n_aux, sizeof *values);
    size_t field = 0;
    memcpy(values, z->inputs, plain->n_inputs * sizeof *values);
    for (size_t j = 0; j < plain->n_aux; j++) {
        Fr *value = &values[plain->n_inputs + j];
        bool bit = z->bits[j / 64] >> (j % 64) & 1;
        if (plain->is_bit[j])
            *value = bit ? FR_ONE : FR_ZERO;
        else
            *value = z->fields[field++];
        assert_true(plain->is_bit[j] || !bit);
    }
    assert_int_equal(field, z->n_fields);
    return values;
}

static Fr *plain_product(const Plain *plain, int s, const Fr *values, size_t n)
{
    Fr *out = calloc(n, sizeof *out), t;
    for (size_t i = 0; i < plain->n[s]; i++) {
        const Entry *e = &plain->entries[s][i];
        fr_mul(&t, &e->term.coefficient, &values[number(plain, e->term.var)]);
        fr_add(&out[e->row], &out[e->row], &t);
    }
    return out;
}

/* Every variable is as large as its kind allows: r - 1 in the form that sums are made in
 * (Montgomery), or 1. The preamble has fields and bits, each block as many of its own and the
 * rows. */
typedef struct {
    size_t n_blocks, variables, rows;
    size_t (*length)(size_t row); /* of A; B has one term in seven of these, C one in three */
    uint64_t seed;
} Wide;

static Fr largest(void)
{
    static const uint64_t modulus[4] = FR_MODULUS;
    return (Fr){{modulus[0] - 1, modulus[1], modulus[2], modulus[3]}};
}

static void coefficient(Fr *out, uint64_t *seed)
{
    Fr one = FR_ONE;
    uint64_t kind = toy_random(seed) % 5;
    if (kind < 2)
        fr_neg(out, &one);
    else if (kind == 2)
        *out = one;
    else if (kind == 3) // r - 2
        fr_dbl(out, &one), fr_neg(out, out);
    else
        fr_from_u64(out, 3 + toy_random(seed) % 200);
}

static void wide_variables(Cs *cs, size_t n)
{
    Fr most = largest();
    for (size_t i = 0; i < n; i++)
        i < n / 2 ? cs_alloc(cs, &most) : cs_alloc_bit(cs, true);
}

static Status wide_preamble(const Circuit *circuit, Cs *cs, const void *witness, void *shared)
{
    const Wide *wide = circuit->params;
    Fr most = largest();
    (void)witness, (void)shared;
    cs_alloc_input(cs, &most);
    wide_variables(cs, wide->variables);
    return OK;
}

/* n terms: shared variables, ONE, an input and own ones from a random place on. Every third LC is
 * a plain sum. */
static Status wide_lc(Lc *lc, const Wide *wide, Var own, size_t n, uint64_t *seed)
{
    size_t at = toy_random(seed);
    bool plain = toy_random(seed) % 3 == 0;
    lc_clear(lc);
    for (size_t i = 0; i < n; i++) {
        Fr value;
        size_t place = (at + i) % (2 * wide->variables + 2);
        Var var = place < 2 ? VAR_INPUT | (Var)place : (Var)(place - 2);
        if (place >= 2 + wide->variables)
            var = own + (Var)(place - 2 - wide->variables);
        coefficient(&value, seed);
        TRY(lc_add(lc, plain ? &FR_ONE : &value, var));
    }
    return OK;
}

static Status wide_block(const Circuit *circuit, Cs *cs, size_t k, const void *witness,
                         const void *shared)
{
    const Wide *wide = circuit->params;
    uint64_t seed = wide->seed;
    Var own = cs->next_aux;
    Lc lc[3] = {0};
    Status status = OK;
    (void)k, (void)witness, (void)shared;
    wide_variables(cs, wide->variables);
    for (size_t row = 0; row < wide->rows && cs_recording(cs) && status == OK; row++) {
        size_t n = wide->length(row), lengths[3] = {n, n / 7, n / 3};
        for (int s = 0; s < 3 && status == OK; s++)
            status = wide_lc(&lc[s], wide, own, lengths[s], &seed);
        if (status == OK)
            cs_enforce(cs, &lc[0], &lc[1], &lc[2]);
    }
    for (int s = 0; s < 3; s++)
        lc_free(&lc[s]);
    return status;
}

static size_t short_and_long(size_t row)
{
    static const size_t lengths[] = {0, 1, 2, 3, 5, 6, 7, 8, 21, 63, 64, 65, 255, 700, 2001};
    return lengths[row % (sizeof lengths / sizeof *lengths)];
}

/* One row fills the stream's buffer more than once. */
static size_t one_huge(size_t row)
{
    return row == 1 ? 16000 : 2;
}

static size_t few(size_t row)
{
    return row % 4;
}

static const Wide wides[] = {
    {.n_blocks = 1, .variables = 1100, .rows = 45, .length = short_and_long, .seed = 1},
    {.n_blocks = 9, .variables = 1100, .rows = 15, .length = short_and_long, .seed = 2},
    {.n_blocks = 2, .variables = 8200, .rows = 3, .length = one_huge, .seed = 3},
    {.n_blocks = 17, .variables = 10, .rows = MANY_ROWS, .length = few, .seed = 4},
    {.n_blocks = 1, .variables = 10, .rows = 3 * MANY_ROWS, .length = few, .seed = 5},
};

typedef struct {
    Circuit circuit;
    R1cs *r;
    Plain plain;
    Assignment z;
    Fr *values;
} Case;

static void expect_ok(Status status)
{
    if (status != OK)
        print_error("%s\n", status_message());
    assert_int_equal(status, OK);
}

/* A test over every circuit. */
static void each(void (*test)(Case *))
{
    for (size_t i = 0; i < sizeof wides / sizeof *wides; i++) {
        Case *c = calloc(1, sizeof *c);
        assert_non_null(c);
        c->circuit = (Circuit){.name = "wide",
                               .n_blocks = wides[i].n_blocks,
                               .params = &wides[i],
                               .preamble = wide_preamble,
                               .block = wide_block};
        expect_ok(r1cs_compile(&c->r, &c->circuit, pool));
        plain_new(&c->plain, &c->circuit);
        expect_ok(r1cs_witness(&c->z, c->r, &c->circuit, NULL, pool));
        c->values = unpack(&c->plain, &c->z);
        test(c);
        r1cs_free(&c->r);
        plain_free(&c->plain);
        assignment_free(&c->z);
        free(c->values);
        free(c);
    }
}

static void evaluation_of(Case *c)
{
    size_t rows = c->plain.n_rows, n = (size_t)1 << r1cs_log_domain(c->r);
    Fr *a = plain_product(&c->plain, 0, c->values, n),
       *b = plain_product(&c->plain, 1, c->values, n);
    Fr *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    for (int threaded = 0; threaded < 2; threaded++) {
        Pool *threads = threaded ? pool : NULL;
        memset(x, 0xff, n * sizeof *x);
        memset(y, 0xff, n * sizeof *y);
        expect_ok(r1cs_eval(c->r, &c->z, x, y, n, threads));
        assert_memory_equal(x, a, n * sizeof *x);
        assert_memory_equal(y, b, n * sizeof *y);
        memset(x, 0xff, n * sizeof *x);
        memset(y, 0xff, n * sizeof *y);
        expect_ok(r1cs_eval(c->r, &c->z, x, NULL, rows, threads));
        expect_ok(r1cs_eval(c->r, &c->z, NULL, y, rows, threads));
        assert_memory_equal(x, a, rows * sizeof *x);
        assert_memory_equal(y, b, rows * sizeof *y);
    }
    free(a);
    free(b);
    free(x);
    free(y);
}

static void transpose_of(Case *c)
{
    const Plain *p = &c->plain;
    size_t n = p->n_inputs + p->n_aux;
    uint64_t seed = n;
    Fr *weight = calloc(p->n_rows, sizeof(Fr)), *sum[3], *out[3], *start = calloc(n, sizeof(Fr)), t;
    for (size_t i = 0; i < p->n_rows; i++)
        toy_random_fr(&weight[i], &seed);
    for (size_t v = 0; v < n; v++)
        toy_random_fr(&start[v], &seed);
    for (int s = 0; s < 3; s++) {
        sum[s] = malloc(n * sizeof(Fr));
        out[s] = malloc(n * sizeof(Fr));
        memcpy(sum[s], start, n * sizeof(Fr));
        for (size_t i = 0; i < p->n[s]; i++) {
            const Entry *e = &p->entries[s][i];
            Fr *to = &sum[s][number(p, e->term.var)];
            fr_mul(&t, &e->term.coefficient, &weight[e->row]);
            fr_add(to, to, &t);
        }
    }
    for (int threaded = 0; threaded < 2; threaded++) {
        for (int s = 0; s < 3; s++)
            memcpy(out[s], start, n * sizeof(Fr));
        expect_ok(r1cs_transpose_mul(c->r, weight, out[0], out[1], out[2], threaded ? pool : NULL));
        for (int s = 0; s < 3; s++)
            assert_memory_equal(out[s], sum[s], n * sizeof(Fr));
    }
    for (int s = 0; s < 3; s++) {
        free(sum[s]);
        free(out[s]);
    }
    free(weight);
    free(start);
}

/* The stream as docs/FORMATS.md has it. */
static uint8_t *plain_stream(const Plain *p, size_t *size)
{
    uint8_t *bytes = malloc(p->n_rows * 12 + (p->n[0] + p->n[1] + p->n[2]) * 37 + 1), *out = bytes;
    size_t at[3] = {0};
    for (size_t row = 0; row < p->n_rows; row++) {
        for (int s = 0; s < 3; s++) {
            size_t end = at[s];
            while (end < p->n[s] && p->entries[s][end].row == row)
                end++;
            uint32_t count = (uint32_t)(end - at[s]);
            memcpy(out, &count, 4);
            out += 4;
            for (; at[s] < end; at[s]++) {
                const Term *term = &p->entries[s][at[s]].term;
                uint32_t index = term->var & ~VAR_INPUT;
                *out++ = term->var & VAR_INPUT ? 0 : 1;
                memcpy(out, &index, 4);
                fr_to_le(out + 4, &term->coefficient);
                out += 36;
            }
        }
    }
    *size = (size_t)(out - bytes);
    return bytes;
}

typedef struct {
    const uint8_t *expected;
    size_t size, at, calls, fail_at;
} Reader;

static Status read_stream(void *context, const void *bytes, size_t size)
{
    Reader *reader = context;
    if (++reader->calls == reader->fail_at)
        FAIL(ERR_FULL, "reader has enough");
    assert_true(reader->at + size <= reader->size);
    assert_memory_equal(bytes, reader->expected + reader->at, size);
    reader->at += size;
    return OK;
}

static void stream_of(Case *c)
{
    size_t size;
    uint8_t *bytes = plain_stream(&c->plain, &size), expected[32], digest[32];
    Reader reader = {.expected = bytes, .size = size};
    expect_ok(r1cs_stream(c->r, read_stream, &reader));
    assert_int_equal(reader.at, size);
    Reader failing = {.expected = bytes, .size = size, .fail_at = reader.calls};
    assert_int_equal(r1cs_stream(c->r, read_stream, &failing), ERR_FULL);
    assert_string_equal(status_message(), "reader has enough");
    Sha256 hash;
    sha256_init(&hash);
    sha256_update(&hash, bytes, size);
    sha256_final(&hash, expected);
    expect_ok(r1cs_digest(c->r, digest));
    assert_memory_equal(digest, expected, 32);
    free(bytes);
}

static void streams(void **state)
{
    (void)state;
    each(stream_of);
}

/* Of the expansion, one value wrong at a time. */
static size_t first_unsatisfied(const Case *c, const Fr *values)
{
    size_t rows = c->plain.n_rows, row = 0;
    Fr *m[3], t;
    for (int s = 0; s < 3; s++)
        m[s] = plain_product(&c->plain, s, values, rows);
    for (; row < rows; row++) {
        fr_mul(&t, &m[0][row], &m[1][row]);
        if (!fr_eq(&t, &m[2][row]))
            break;
    }
    for (int s = 0; s < 3; s++)
        free(m[s]);
    return row;
}

/* These rows hold by accident only: the first that does not is the one that is named. */
static void check_of(Case *c)
{
    char expected[64];
    size_t row = first_unsatisfied(c, c->values), rows = r1cs_shape(c->r)->block_rows;
    assert_true(row < c->plain.n_circuit_rows);
    for (int threaded = 0; threaded < 2; threaded++) {
        assert_int_equal(r1cs_check(c->r, &c->circuit, &c->z, threaded ? pool : NULL),
                         ERR_UNSATISFIED);
        snprintf(expected, sizeof expected, "block %zu, row %zu", row / rows, row % rows);
        if (!strstr(status_message(), expected))
            fail_msg("\"%s\", expected \"%s\"", status_message(), expected);
    }
}

static void checks(void **state)
{
    (void)state;
    each(check_of);
}

static void evaluation(void **state)
{
    (void)state;
    each(evaluation_of);
}

static void transpose(void **state)
{
    (void)state;
    each(transpose_of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluation),
        cmocka_unit_test(transpose),
        cmocka_unit_test(streams),
        cmocka_unit_test(checks),
    };
    if (pool_new(&pool, 4) != OK)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pool_free(&pool);
    return failed;
}
