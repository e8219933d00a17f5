/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Setup, prove, verify on small random circuits; refusals; batches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "groth16/groth16_impl.h"
#include "memory_key.h"
#include "toy_circuit.h"

#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <unistd.h>

#ifdef CUZK_SANITIZED
enum { SIZE_STEP = 4, LARGE_ROWS = 700, SCALAR_ROWS = 40000 };
#else
enum { SIZE_STEP = 1, LARGE_ROWS = 5000, SCALAR_ROWS = 80000 };
#endif

static Pool *pool;

static int start(void **state)
{
    (void)state;
    return pool_new(&pool, 2) == OK ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    pool_free(&pool);
    return 0;
}

static void must(Status status)
{
    if (status != OK)
        fail_msg("%s: %s", status_name(status), status_message());
}

/* A compiled toy circuit, its key and one satisfying assignment. */
typedef struct {
    ToyParams params;
    Circuit circuit;
    R1cs *r1cs;
    MemoryKey key;
    Assignment z;
    PreparedVk *vk;
} Fixture;

static void fixture_new(Fixture *f, size_t rows, size_t inputs, uint64_t seed)
{
    *f = (Fixture){.params = {rows, inputs, seed, false}};
    f->circuit = toy_circuit(&f->params);
    must(r1cs_compile(&f->r1cs, &f->circuit, pool));
    must(memory_key_setup(&f->key, f->r1cs, "toy", pool));
    ToyWitness witness = {.seed = seed + 1};
    must(r1cs_witness(&f->z, f->r1cs, &f->circuit, &witness, pool));
    must(r1cs_check(f->r1cs, &f->circuit, &f->z, pool));
    must(vk_prepare(&f->vk, &f->key.vk));
}

static void fixture_free(Fixture *f)
{
    vk_prepared_free(&f->vk);
    assignment_free(&f->z);
    memory_key_free(&f->key);
    r1cs_free(&f->r1cs);
}

static const Fr *publics(const Fixture *f)
{
    return f->z.inputs + 1;
}

static void fixture_prove(const Fixture *f, Proof *proof)
{
    must(prove(proof, f->r1cs, &f->key.view, &f->z, NULL, NULL, pool, NULL));
}

static Status fixture_verify(const Fixture *f, const Proof *proof)
{
    return verify(f->vk, proof, publics(f), f->params.inputs - 1);
}

static void same_proof(const Fixture *f, const Randomisers *fixed)
{
    Proof fast, slow;
    uint8_t fast_bytes[PROOF_BYTES], slow_bytes[PROOF_BYTES];
    ProveTimes times;
    must(prove(&fast, f->r1cs, &f->key.view, &f->z, fixed, NULL, pool, &times));
    must(prove_ref(&slow, f->r1cs, &f->key.view, &f->z, fixed));
    proof_encode(fast_bytes, &fast);
    proof_encode(slow_bytes, &slow);
    assert_memory_equal(fast_bytes, slow_bytes, PROOF_BYTES);
    must(fixture_verify(f, &fast));
}

static void prove_equals_ref(void **state)
{
    (void)state;
    for (size_t rows = 1; rows <= 64; rows += SIZE_STEP) {
        Fixture f;
        fixture_new(&f, rows, 1 + rows % 5, 1000 + rows);
        Randomisers fixed = {FR_ZERO, FR_ZERO};
        same_proof(&f, &fixed);
        must(fr_random(&fixed.r));
        must(fr_random(&fixed.s));
        same_proof(&f, &fixed);
        fixture_free(&f);
    }
}

static void fresh_randomisers(void **state)
{
    (void)state;
    Fixture f;
    fixture_new(&f, 30, 3, 7);
    Proof one, two;
    fixture_prove(&f, &one);
    fixture_prove(&f, &two);
    assert_false(g1_affine_eq(&one.a, &two.a));
    assert_false(g2_affine_eq(&one.b, &two.b));
    must(fixture_verify(&f, &one));
    must(fixture_verify(&f, &two));
    fixture_free(&f);
}

static void no_rows_at_all(void **state)
{
    (void)state;
    Fixture f;
    fixture_new(&f, 0, 1, 1);
    assert_int_equal(r1cs_log_domain(f.r1cs), 0);
    same_proof(&f, &(Randomisers){FR_ONE, FR_ONE});
    fixture_free(&f);
}

static void larger_circuit(void **state)
{
    (void)state;
    Fixture f;
    Proof proof;
    fixture_new(&f, LARGE_ROWS, 9, 5);
    fixture_prove(&f, &proof);
    must(fixture_verify(&f, &proof));
    assert_true(prove_bytes(r1cs_log_domain(f.r1cs), r1cs_shape(f.r1cs)->n_aux,
                            r1cs_shape(f.r1cs)->n_fields, 2) > 3 * sizeof(Fr) * LARGE_ROWS);
    fixture_free(&f);
}

static void wrong_witness_fails(void **state)
{
    (void)state;
    Fixture f;
    Proof proof;
    fixture_new(&f, 40, 3, 9);
    assert_true(f.z.n_fields > 0);
    fr_add(&f.z.fields[f.z.n_fields / 2], &f.z.fields[f.z.n_fields / 2], &FR_ONE);
    assert_int_equal(r1cs_check(f.r1cs, &f.circuit, &f.z, pool), ERR_UNSATISFIED);
    fixture_prove(&f, &proof);
    assert_int_equal(fixture_verify(&f, &proof), ERR_INVALID);
    fixture_free(&f);
}

static void inputs_are_bound(void **state)
{
    (void)state;
    Fixture f;
    Proof proof;
    enum { INPUTS = 4 };
    fixture_new(&f, 20, INPUTS, 11);
    fixture_prove(&f, &proof);
    Fr inputs[INPUTS];
    memcpy(inputs, publics(&f), (INPUTS - 1) * sizeof *inputs);
    inputs[INPUTS - 1] = FR_ZERO;
    must(verify(f.vk, &proof, inputs, INPUTS - 1));
    assert_int_equal(verify(f.vk, &proof, inputs, INPUTS), ERR_FORMAT);
    assert_int_equal(verify(f.vk, &proof, inputs, INPUTS - 2), ERR_FORMAT);
    assert_int_equal(vk_prepared_inputs(f.vk), INPUTS);
    for (int i = 0; i < INPUTS - 1; i++) {
        Fr kept = inputs[i];
        fr_add(&inputs[i], &kept, &FR_ONE);
        assert_int_equal(verify(f.vk, &proof, inputs, INPUTS - 1), ERR_INVALID);
        inputs[i] = (Fr){FR_MODULUS};
        assert_int_equal(verify(f.vk, &proof, inputs, INPUTS - 1), ERR_FORMAT);
        inputs[i] = kept;
    }
    fixture_free(&f);
}

static void proof_bytes(void **state)
{
    (void)state;
    Fixture f;
    Proof proof, back;
    uint8_t bytes[PROOF_BYTES];
    fixture_new(&f, 12, 2, 13);
    fixture_prove(&f, &proof);
    proof_encode(bytes, &proof);
    must(proof_decode(&back, bytes));
    assert_memory_equal(&back, &proof, sizeof proof);
    for (int i = 0; i < PROOF_BYTES; i++) {
        bytes[i] ^= (uint8_t)(1 << i % 8);
        Status status = proof_decode(&back, bytes);
        if (status == OK)
            status = fixture_verify(&f, &back);
        assert_true(status == ERR_FORMAT || status == ERR_INVALID);
        bytes[i] ^= (uint8_t)(1 << i % 8);
    }
    memset(bytes, 0, G1_COMPRESSED);
    bytes[0] = 0xc0;
    assert_int_equal(proof_decode(&back, bytes), ERR_FORMAT);
    fixture_free(&f);
}

static void key_of_another_circuit(void **state)
{
    (void)state;
    Fixture f, g;
    Proof proof;
    fixture_new(&f, 20, 3, 15);
    fixture_new(&g, 40, 3, 15);
    assert_int_equal(prove(&proof, f.r1cs, &g.key.view, &f.z, NULL, NULL, pool, NULL), ERR_INVALID);
    PkView shifted = f.key.view;
    shifted.n_l--;
    shifted.n_a++;
    assert_int_equal(pk_matches(&shifted, f.r1cs), ERR_INVALID);
    assert_non_null(strstr(status_message(), "section l"));
    fixture_free(&f);
    fixture_free(&g);
}

static void cancelled(void **state)
{
    (void)state;
    Fixture f;
    Proof proof, untouched;
    fixture_new(&f, 20, 3, 17);
    memset(&proof, 0x5a, sizeof proof);
    untouched = proof;
    volatile bool cancel = true;
    assert_int_equal(prove(&proof, f.r1cs, &f.key.view, &f.z, NULL, &cancel, pool, NULL),
                     ERR_CANCELLED);
    assert_memory_equal(&proof, &untouched, sizeof proof);
    fixture_free(&f);
}

static Status prove_and_verify(void *argument, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    const Fixture *f = argument;
    for (size_t i = begin; i < end; i++) {
        Proof proof;
        TRY(prove(&proof, f[i].r1cs, &f[i].key.view, &f[i].z, NULL, NULL, NULL, NULL));
        TRY(fixture_verify(&f[i], &proof));
    }
    return OK;
}

static void several_at_once(void **state)
{
    (void)state;
    enum { N = 4 };
    Fixture f[N];
    for (int i = 0; i < N; i++)
        fixture_new(&f[i], 30 + 20 * (size_t)i, 3, 100 + (uint64_t)i);
    must(parallel_for(pool, N, 1, prove_and_verify, f));
    for (int i = 0; i < N; i++)
        fixture_free(&f[i]);
}

static void setup_is_seeded(void **state)
{
    (void)state;
    Fixture f;
    MemoryKey again, other, random;
    fixture_new(&f, 33, 3, 19);
    must(memory_key_setup(&again, f.r1cs, "toy", NULL));
    must(memory_key_setup(&other, f.r1cs, "joy", pool));
    must(memory_key_setup(&random, f.r1cs, NULL, pool));
    assert_memory_equal(again.vk.ic, f.key.vk.ic, 3 * sizeof(G1Affine));
    assert_memory_equal(again.view.h, f.key.view.h, f.key.view.n_h * sizeof(G1Affine));
    assert_memory_equal(again.view.b_g2, f.key.view.b_g2, f.key.view.n_b * sizeof(G2Affine));
    assert_false(g1_affine_eq(&other.vk.alpha_g1, &f.key.vk.alpha_g1));
    assert_false(g1_affine_eq(&random.vk.alpha_g1, &f.key.vk.alpha_g1));
    memory_key_free(&again);
    memory_key_free(&other);
    memory_key_free(&random);
    fixture_free(&f);
}

/* Every point is where the definition puts it: h is geometric, b agrees in both groups. */
static void key_is_consistent(void **state)
{
    (void)state;
    Fixture f;
    fixture_new(&f, 50, 4, 21);
    const PkView *pk = &f.key.view;
    Fp12 left, right;
    must(pairing_product(&left, &f.key.vk.delta_g1, &G2_GENERATOR, 1));
    must(pairing_product(&right, &G1_GENERATOR, &f.key.vk.delta_g2, 1));
    assert_true(fp12_eq(&left, &right));
    for (size_t i = 0; i < pk->n_b; i++) {
        must(pairing_product(&left, &pk->b_g1[i], &G2_GENERATOR, 1));
        must(pairing_product(&right, &G1_GENERATOR, &pk->b_g2[i], 1));
        assert_true(fp12_eq(&left, &right));
    }
    fixture_free(&f);
}

static void unconstrained_variable(void **state)
{
    (void)state;
    ToyParams params = {10, 2, 23, true};
    Circuit circuit = toy_circuit(&params);
    R1cs *r1cs;
    MemoryKey key;
    must(r1cs_compile(&r1cs, &circuit, pool));
    assert_int_equal(memory_key_setup(&key, r1cs, "toy", pool), ERR_INVALID);
    assert_non_null(strstr(status_message(), "aux variable 10 "));
    r1cs_free(&r1cs);
}

static void refuse_key(const Vk *vk, const char *why)
{
    PreparedVk *prepared = NULL;
    assert_int_equal(vk_prepare(&prepared, vk), ERR_INVALID);
    assert_null(prepared);
    if (!strstr(status_message(), why))
        fail_msg("%s: expected %s", status_message(), why);
}

static void key_refusals(void **state)
{
    (void)state;
    Fixture f;
    fixture_new(&f, 10, 2, 25);
    Vk vk = f.key.vk;
    vk.delta_g1 = (G1Affine){0};
    refuse_key(&vk, "delta is the point at infinity");
    vk = f.key.vk;
    vk.delta_g2 = (G2Affine){0};
    refuse_key(&vk, "delta is the point at infinity");
    vk = f.key.vk;
    vk.gamma_g2 = (G2Affine){0};
    refuse_key(&vk, "gamma is the point at infinity");
    vk = f.key.vk;
    vk.gamma_g2 = vk.delta_g2;
    refuse_key(&vk, "gamma equals delta");
    vk = f.key.vk;
    vk.delta_g2 = G2_GENERATOR;
    refuse_key(&vk, "delta is the generator");
    vk = f.key.vk;
    vk.delta_g1 = G1_GENERATOR;
    refuse_key(&vk, "delta is the generator");
    vk = f.key.vk;
    vk.beta_g2 = (G2Affine){0};
    refuse_key(&vk, "alpha or beta");
    // gamma at the generator is what older keys have
    PreparedVk *prepared;
    vk = f.key.vk;
    vk.gamma_g2 = G2_GENERATOR;
    must(vk_prepare(&prepared, &vk));
    vk_prepared_free(&prepared);
    // (0, 2): on the curve, of order 3
    G1Affine low = {.x = FP_ZERO};
    fp_from_u64(&low.y, 2);
    assert_true(g1_on_curve(&low));
    vk = f.key.vk;
    vk.alpha_g1 = low;
    refuse_key(&vk, "subgroup");
    G1Affine ic[2] = {f.key.vk.ic[0], low};
    vk = f.key.vk;
    vk.ic = ic;
    refuse_key(&vk, "ic 1 is not in the subgroup");
    fixture_free(&f);
}

enum { BATCH = 5, BATCH_INPUTS = 2 };

typedef struct {
    Fixture f;
    Proof proofs[BATCH];
    Fr inputs[BATCH * BATCH_INPUTS];
} BatchFixture;

/* One circuit, BATCH witnesses. */
static void batch_new_fixture(BatchFixture *b)
{
    fixture_new(&b->f, 24, BATCH_INPUTS + 1, 27);
    for (size_t j = 0; j < BATCH; j++) {
        Assignment z;
        ToyWitness witness = {.seed = 500 + j};
        must(r1cs_witness(&z, b->f.r1cs, &b->f.circuit, &witness, pool));
        must(prove(&b->proofs[j], b->f.r1cs, &b->f.key.view, &z, NULL, NULL, pool, NULL));
        memcpy(b->inputs + j * BATCH_INPUTS, z.inputs + 1, BATCH_INPUTS * sizeof(Fr));
        assignment_free(&z);
    }
}

static Status batch_verify(const BatchFixture *b, size_t n)
{
    return verify_batch(b->f.vk, b->proofs, b->inputs, BATCH_INPUTS, n);
}

static void batches(void **state)
{
    (void)state;
    BatchFixture b;
    batch_new_fixture(&b);
    for (size_t n = 0; n <= BATCH; n++)
        must(batch_verify(&b, n));
    assert_int_equal(verify_batch(b.f.vk, b.proofs, b.inputs, BATCH_INPUTS + 1, 2), ERR_FORMAT);
    for (size_t j = 0; j < BATCH; j++) {
        Fr *input = &b.inputs[j * BATCH_INPUTS + 1], kept = *input;
        fr_add(input, input, &FR_ONE);
        assert_int_equal(batch_verify(&b, BATCH), ERR_INVALID);
        *input = kept;
        G1Affine c = b.proofs[j].c;
        b.proofs[j].c = b.proofs[j].a;
        assert_int_equal(batch_verify(&b, BATCH), ERR_INVALID);
        b.proofs[j].c = c;
    }
    must(batch_verify(&b, BATCH));
    fixture_free(&b.f);
}

/* The check of two proofs with both weights 1, which a sound batch must not use. */
static bool valid_at_equal_weights(const BatchFixture *b)
{
    Fp12 left, right;
    G1Affine p[7] = {b->proofs[0].a, b->proofs[1].a};
    G2Affine q[7] = {b->proofs[0].b, b->proofs[1].b};
    const Vk *vk = &b->f.key.vk;
    for (int j = 0; j < 2; j++) {
        G1Xyzz sum, term;
        g1_from_affine(&sum, &vk->ic[0]);
        for (int i = 0; i < BATCH_INPUTS; i++) {
            FrCanon k;
            fr_to_canon(&k, &b->inputs[j * BATCH_INPUTS + i]);
            g1_mul_affine(&term, &vk->ic[i + 1], &k);
            g1_add(&sum, &sum, &term);
        }
        g1_neg(&sum, &sum);
        g1_to_affine(&p[2 + j], &sum);
        q[2 + j] = vk->gamma_g2;
        g1_affine_neg(&p[4 + j], &b->proofs[j].c);
        q[4 + j] = vk->delta_g2;
    }
    must(pairing_product(&left, p, q, 6));
    must(pairing_product(&right, &vk->alpha_g1, &vk->beta_g2, 1));
    fp12_mul(&right, &right, &right);
    return fp12_eq(&left, &right);
}

static void cancelling_errors(void **state)
{
    (void)state;
    BatchFixture b;
    batch_new_fixture(&b);
    assert_true(valid_at_equal_weights(&b));
    G1Xyzz c0, c1, error;
    g1_from_affine(&error, &G1_GENERATOR);
    g1_from_affine(&c0, &b.proofs[0].c);
    g1_from_affine(&c1, &b.proofs[1].c);
    g1_add(&c0, &c0, &error);
    g1_neg(&error, &error);
    g1_add(&c1, &c1, &error);
    g1_to_affine(&b.proofs[0].c, &c0);
    g1_to_affine(&b.proofs[1].c, &c1);
    assert_true(valid_at_equal_weights(&b));
    assert_int_equal(batch_verify(&b, 2), ERR_INVALID);
    assert_int_equal(batch_verify(&b, BATCH), ERR_INVALID);
    fixture_free(&b.f);
}

static void bit_extraction(void **state)
{
    (void)state;
    uint64_t seed = 3;
    const uint64_t masks[] = {0, 1, ~0ull, 1ull << 63, 0xaaaaaaaaaaaaaaaau};
    for (int i = 0; i < 1000; i++) {
        uint64_t word = toy_random(&seed), mask = i < 5 ? masks[i] : toy_random(&seed);
        assert_true(bits_extract(word, mask) == bits_extract_portable(word, mask));
    }
    assert_true(bits_extract_portable(~0ull, ~0ull) == ~0ull);
    assert_true(bits_extract_portable(0xf0f0, 0xff00) == 0xf0);
}

/* The scalar of every aux under a query, one by one, against the chunks. */
static void compare_chunk(const QueryScalars *q, const ScalarChunk *chunk, const Fr *expected)
{
    size_t full = 0;
    for (size_t i = 0; i < chunk->n_points; i++) {
        Fr value = FR_ZERO;
        bool one = chunk->ones[i / 64] >> (i % 64) & 1;
        if (one)
            value = FR_ONE;
        if (full < chunk->n_full && chunk->index[full] == i) {
            assert_false(one);
            fr_from_canon(&value, &chunk->full[full++]);
            assert_false(fr_is_zero(&value) || fr_eq(&value, &FR_ONE));
        }
        if (!fr_eq(&value, &expected[chunk->first_point + i]))
            fail_msg("query %d: scalar of point %zu", q->query, (size_t)chunk->first_point + i);
    }
    assert_int_equal(full, chunk->n_full);
    for (size_t i = chunk->n_points; i < (chunk->n_points + 63) / 64 * 64; i++)
        assert_false(chunk->ones[i / 64] >> (i % 64) & 1);
}

static void load_word(uint64_t *word, const R1cs *r1cs, Query query, size_t w)
{
    *word = ~0ull;
    if (query == QUERY_A)
        r1cs_a_density(r1cs, word, w, 1);
    if (query == QUERY_B)
        r1cs_b_density(r1cs, word, w, 1);
}

static void scalars_of_queries(void **state)
{
    (void)state;
    ToyParams params = {SCALAR_ROWS, 3, 29, false};
    Circuit circuit = toy_circuit(&params);
    R1cs *r1cs;
    Assignment z;
    QueryScalars q;
    must(r1cs_compile(&r1cs, &circuit, pool));
    ToyWitness witness = {.seed = 31};
    must(r1cs_witness(&z, r1cs, &circuit, &witness, pool));
    must(query_scalars_new(&q, r1cs, &z, pool));
    assert_true(q.n_blocks >= 2);
    Fr *expected = malloc(z.n_aux * sizeof *expected);
    for (Query query = QUERY_L; query <= QUERY_B; query++) {
        const Fr *next = z.fields;
        size_t n = 0;
        uint64_t bit, dense;
        for (size_t j = 0; j < z.n_aux; j++) {
            r1cs_is_bit(r1cs, &bit, j / 64, 1);
            load_word(&dense, r1cs, query, j / 64);
            Fr value = z.bits[j / 64] >> (j % 64) & 1 ? FR_ONE : FR_ZERO;
            if (!(bit >> (j % 64) & 1))
                value = *next++;
            if (dense >> (j % 64) & 1)
                expected[n++] = value;
        }
        must(query_scalars_select(&q, query, pool));
        assert_int_equal(q.starts[q.n_blocks].points, n);
        ScalarChunk chunk;
        must(scalar_chunk_fill(&chunk, &q, 0, q.n_blocks, pool));
        compare_chunk(&q, &chunk, expected);
        scalar_chunk_free(&chunk);
        must(scalar_chunk_fill(&chunk, &q, 1, q.n_blocks, pool));
        compare_chunk(&q, &chunk, expected);
        scalar_chunk_free(&chunk);
    }
    free(expected);
    query_scalars_free(&q);
    assignment_free(&z);
    r1cs_free(&r1cs);
}

/* The decimal numbers of proof.json against another big-number library. */
static void exported_json(void **state)
{
    (void)state;
    Fixture f;
    Proof proof;
    char directory[] = "/tmp/cuzk-json-XXXXXX", path[64], text[8192];
    fixture_new(&f, 10, 3, 33);
    fixture_prove(&f, &proof);
    assert_non_null(mkdtemp(directory));
    must(snark_json_write(directory, &f.key.vk, &proof, publics(&f), 2));
    snprintf(path, sizeof path, "%s/proof.json", directory);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    const Fp *numbers[] = {&proof.a.x,    &proof.a.y,    &proof.b.x.c0, &proof.b.x.c1,
                           &proof.b.y.c0, &proof.b.y.c1, &proof.c.x,    &proof.c.y};
    const char *at = text;
    for (int i = 0; i < 8; i++) {
        uint8_t bytes[48];
        char quoted[256];
        fp_to_be(bytes, numbers[i]);
        BIGNUM *number = BN_bin2bn(bytes, sizeof bytes, NULL);
        char *decimal = BN_bn2dec(number);
        snprintf(quoted, sizeof quoted, "\"%s\"", decimal);
        at = strstr(at, quoted);
        if (!at)
            fail_msg("number %d (%s) missing or out of order", i, quoted);
        OPENSSL_free(decimal);
        BN_free(number);
    }
    unlink(path);
    snprintf(path, sizeof path, "%s/public.json", directory);
    unlink(path);
    snprintf(path, sizeof path, "%s/verification_key.json", directory);
    unlink(path);
    rmdir(directory);
    fixture_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bit_extraction),
        cmocka_unit_test(scalars_of_queries),
        cmocka_unit_test(prove_equals_ref),
        cmocka_unit_test(fresh_randomisers),
        cmocka_unit_test(no_rows_at_all),
        cmocka_unit_test(larger_circuit),
        cmocka_unit_test(wrong_witness_fails),
        cmocka_unit_test(inputs_are_bound),
        cmocka_unit_test(proof_bytes),
        cmocka_unit_test(key_of_another_circuit),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(several_at_once),
        cmocka_unit_test(setup_is_seeded),
        cmocka_unit_test(key_is_consistent),
        cmocka_unit_test(unconstrained_variable),
        cmocka_unit_test(key_refusals),
        cmocka_unit_test(batches),
        cmocka_unit_test(cancelling_errors),
        cmocka_unit_test(exported_json),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
