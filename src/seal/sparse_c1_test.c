/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tests of sparse sectors: every interactive shape passes the native check, after its text was
 * written and read; one fault in the large shapes is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "seal/sparse_c1.h"
#include "vanilla/c1.h"
#include "vanilla/c1_check.h"

#include <string.h>

static Pool *pool;

static void assert_invalid(const PorepVanilla *v, const char *message)
{
    assert_int_equal(c1_check(v, NULL), ERR_INVALID);
    if (!strstr(status_message(), message))
        fail_msg("'%s', not '%s'", status_message(), message);
}

/* The levels above the base trees: a sibling and an index of each. */
static void faults_in_upper_levels(PorepVanilla *v)
{
    MerkleProof *proof = &v->challenges[0].exp_parents[7].inclusion;
    for (uint32_t i = proof->n_base; i < proof->n_base + proof->n_sub + proof->n_top; i++) {
        PathElement *element = &proof->path[i];
        element->siblings[element->arity - 2].b[5] ^= 1;
        assert_invalid(v,
                       "partition 0, challenge 0, exp_parents[7].inclusion_proof: the path does");
        element->siblings[element->arity - 2].b[5] ^= 1;
        element->index ^= 1;
        assert_invalid(v, "partition 0, challenge 0, exp_parents[7].inclusion_proof: the path is");
        element->index ^= 1;
    }
}

static void make_write_read_check(unsigned proof)
{
    PorepVanilla made = {0}, read = {0};
    uint8_t *text, *wrapped;
    size_t size, wrapped_size;
    uint64_t times[4] = {clock_ns()};
    if (sparse_c1(&made, proof, 1000, 42, proof, pool) != OK)
        fail_msg("proof %u: %s", proof, status_message());
    times[1] = clock_ns();
    assert_int_equal(c1_write(&made, &text, &size), OK);
    assert_int_equal(c1_write_envelope(text, size, 42, made.sector_size, &wrapped, &wrapped_size),
                     OK);
    times[2] = clock_ns();
    if (c1_parse(&read, wrapped, wrapped_size) != OK)
        fail_msg("proof %u: %s", proof, status_message());
    times[3] = clock_ns();
    /* Some 100 ms for 50 MB; a reader that is not linear would show. */
    if (c1_check(&read, pool) != OK)
        fail_msg("proof %u: %s", proof, status_message());
    print_message("proof %u, %zu bytes: made in %.0f ms, read in %.0f ms, checked in %.0f ms\n",
                  proof, wrapped_size, (double)(times[1] - times[0]) / 1e6,
                  (double)(times[3] - times[2]) / 1e6, (double)(clock_ns() - times[3]) / 1e6);
    faults_in_upper_levels(&read);
    porep_vanilla_free(&made);
    porep_vanilla_free(&read);
    free(text);
    free(wrapped);
}

static void shapes_pass(void **state)
{
    (void)state;
#ifdef CUZK_SANITIZED
    static const unsigned proofs[] = {0, 6, 7};
#else
    static const unsigned proofs[] = {0, 5, 1, 6, 7, 3, 8, 9};
#endif
    for (size_t i = 0; i < sizeof proofs / sizeof *proofs; i++)
        make_write_read_check(proofs[i]);
}

static void others_are_unsupported(void **state)
{
    (void)state;
    PorepVanilla v = {0};
    assert_int_equal(sparse_c1(&v, 10, 1000, 1, 1, NULL), ERR_UNSUPPORTED);
    assert_int_equal(sparse_c1(&v, 18, 1000, 1, 1, NULL), ERR_UNSUPPORTED);
    assert_null(v.arena);
}

int main(void)
{
    if (pool_new(&pool, 0) != OK)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_pass),
        cmocka_unit_test(others_are_unsupported),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pool_free(&pool);
    return failed;
}
