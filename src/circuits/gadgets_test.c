/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Gadgets as circuits of their own: their witnesses satisfy their rows, and no variable that they
 * allocate can be changed unnoticed. */
#include "circuits/choose.h"
#include "circuits/label.h"
#include "circuits/poseidon_circuit.h"
#include "r1cs/r1cs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* A source of values; the witness of these circuits. */
typedef struct {
    uint64_t seed;
} Source;

static uint64_t next_random(Source *source)
{
    uint64_t z = source->seed += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static Num random_num(Cs *cs, Source *source)
{
    Fr value;
    uint8_t wide[64];
    for (int i = 0; i < 8; i++) {
        uint64_t word = next_random(source);
        memcpy(wide + 8 * i, &word, 8);
    }
    fr_from_wide_le(&value, wide);
    return num_alloc(cs, &value);
}

/* What is left over is made public, so that every variable stands in some row. */
static void publish(Cs *cs, const Num *nums, size_t n)
{
    ENTER(cs, "output");
    for (size_t i = 0; i < n; i++)
        num_inputize(cs, &nums[i]);
    LEAVE(cs);
}

static Source source_of(const void *witness)
{
    return witness ? *(const Source *)witness : (Source){0};
}

static Status poseidon_all(const Circuit *circuit, Cs *cs, const void *witness, void *shared)
{
    static const unsigned arities[] = {2, 4, 8, 11};
    (void)circuit, (void)shared;
    Source source = source_of(witness);
    for (unsigned i = 0; i < 4; i++) {
        Num preimage[11], hash;
        for (unsigned k = 0; k < arities[i]; k++)
            preimage[k] = random_num(cs, &source);
        hash = poseidon_circuit(cs, preimage, arities[i]);
        publish(cs, preimage, arities[i]);
        publish(cs, &hash, 1);
    }
    return cs->status;
}

static Status choose_all(const Circuit *circuit, Cs *cs, const void *witness, void *shared)
{
    (void)circuit, (void)shared;
    Source source = source_of(witness);
    for (unsigned n_bits = 1; n_bits <= 3; n_bits++) {
        Num elements[8], out[9];
        Bit bits[3];
        uint64_t index = next_random(&source) % (1u << n_bits);
        for (unsigned i = 0; i < 1u << n_bits; i++)
            elements[i] = random_num(cs, &source);
        bit_alloc_many(cs, bits, &index, n_bits);
        num_insert(cs, out, &elements[0], bits, n_bits, elements + 1);
        out[1u << n_bits] = num_select(cs, out, bits, n_bits);
        publish(cs, elements, 1u << n_bits);
        publish(cs, out, (1u << n_bits) + 1);
        bits_pack_into_input(cs, bits, n_bits);
    }
    return cs->status;
}

static Status hash2(const Circuit *circuit, Cs *cs, const void *witness, void *shared)
{
    (void)circuit, (void)shared;
    Source source = source_of(witness);
    Num nums[3] = {random_num(cs, &source), random_num(cs, &source)};
    nums[2] = sha256_hash2_circuit(cs, &nums[0], &nums[1]);
    publish(cs, nums, 3);
    return cs->status;
}

static Status label(const Circuit *circuit, Cs *cs, const void *witness, void *shared)
{
    enum { DISTINCT = 14 };
    (void)circuit, (void)shared;
    Source source = source_of(witness);
    Word32 words[DISTINCT + 1][NODE_WORDS];
    const Word32 *parents[LABEL_PARENTS];
    Num nums[DISTINCT + 2];
    Bit node[64];
    uint64_t node_value = next_random(&source);
    for (unsigned i = 0; i < DISTINCT + 1; i++) {
        nums[i] = random_num(cs, &source);
        num_to_words(cs, words[i], &nums[i]);
    }
    for (unsigned i = 0; i < LABEL_PARENTS; i++)
        parents[i] = words[1 + i % DISTINCT];
    bit_alloc_many(cs, node, &node_value, 64);
    bits_pack_into_input(cs, node, 64);
    nums[DISTINCT + 1] = num_add(cs, &nums[0], &nums[1]);
    publish(cs, nums, DISTINCT + 2);
    Num out = label_circuit(cs, words[0], parents, 11, node);
    publish(cs, &out, 1);
    return cs->status;
}

/* Change aux variable j: a bit flips, a field element grows by one. */
static void corrupt(const R1cs *r1cs, Assignment *z, size_t j)
{
    uint64_t kinds[1];
    r1cs_is_bit(r1cs, kinds, j / 64, 1);
    if (kinds[0] >> (j % 64) & 1) {
        z->bits[j / 64] ^= 1ull << (j % 64);
        return;
    }
    size_t rank = 0;
    for (size_t w = 0; w <= j / 64; w++) {
        r1cs_is_bit(r1cs, kinds, w, 1);
        uint64_t below = w < j / 64 ? UINT64_MAX : (1ull << (j % 64)) - 1;
        rank += (size_t)__builtin_popcountll(~kinds[0] & below);
    }
    fr_add(&z->fields[rank], &z->fields[rank], &FR_ONE);
}

static void restore(const R1cs *r1cs, Assignment *z, const Assignment *good)
{
    const R1csShape *shape = r1cs_shape(r1cs);
    memcpy(z->bits, good->bits, (shape->n_aux + 63) / 64 * sizeof(uint64_t));
    memcpy(z->fields, good->fields, shape->n_fields * sizeof(Fr));
}

/* Honest witnesses pass; with any one of the variables begin, begin + step, .. changed they do
 * not. */
static void check_gadget(const char *name,
                         Status (*gadget)(const Circuit *, Cs *, const void *, void *), size_t step)
{
    Circuit circuit = {.version = 1, .preamble = gadget};
    Assignment z, good;
    R1cs *r1cs;
    snprintf(circuit.name, sizeof circuit.name, "%s", name);
    assert_int_equal(r1cs_compile(&r1cs, &circuit, NULL), OK);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        Source source = {seed};
        assert_int_equal(r1cs_witness(&z, r1cs, &circuit, &source, NULL), OK);
        Status status = r1cs_check(r1cs, &circuit, &z, NULL);
        if (status != OK)
            print_error("%s\n", status_message());
        assert_int_equal(status, OK);
        assert_int_equal(r1cs_witness(&good, r1cs, &circuit, &source, NULL), OK);
        for (size_t j = seed - 1; j < r1cs_shape(r1cs)->n_aux; j += step) {
            corrupt(r1cs, &z, j);
            assert_int_equal(r1cs_check(r1cs, &circuit, &z, NULL), ERR_UNSATISFIED);
            assert_non_null(strstr(status_message(), name));
            restore(r1cs, &z, &good);
        }
        assignment_free(&good);
        assignment_free(&z);
    }
    r1cs_free(&r1cs);
}

#ifdef CUZK_SANITIZED
enum { STEP = 9001, STEP_LONG = 200003 };
#else
enum { STEP = 4001, STEP_LONG = 150011 };
#endif

static void test_poseidon(void **state)
{
    (void)state;
    check_gadget("poseidon", poseidon_all, 3);
}

static void test_choose(void **state)
{
    (void)state;
    check_gadget("choose", choose_all, 1);
}

static void test_hash2(void **state)
{
    (void)state;
    check_gadget("hash2", hash2, STEP);
}

static void test_label(void **state)
{
    (void)state;
    check_gadget("label", label, STEP_LONG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_poseidon),
        cmocka_unit_test(test_choose),
        cmocka_unit_test(test_hash2),
        cmocka_unit_test(test_label),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
