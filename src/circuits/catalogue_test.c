/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tests of the catalogue: what it says beforehand is what compiling gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "circuits/catalogue.h"
#include "r1cs/r1cs.h"

#include <stdlib.h>

static void footprints_are_the_compiled_circuits(void **state)
{
    (void)state;
    static const char *const names[] = {"porep-2k", "porep-8m", "porep-512m", "porep-32g",
                                        "porep-64g"};
    const size_t n = getenv("CUZK_SLOW") ? 5 : 3; /* the others take a minute */
    Pool *pool;
    assert_int_equal(pool_new(&pool, 0), OK);
    for (size_t i = 0; i < n; i++) {
        Circuit circuit;
        CircuitParams params;
        CircuitFootprint footprint;
        R1cs *r1cs;
        assert_int_equal(circuit_named(&circuit, &params, names[i]), OK);
        assert_int_equal(circuit_footprint(&footprint, names[i]), OK);
        assert_int_equal(r1cs_compile(&r1cs, &circuit, pool), OK);
        const R1csShape *shape = r1cs_shape(r1cs);
        assert_int_equal(footprint.n_rows, shape->n_rows);
        assert_int_equal(footprint.n_aux, shape->n_aux);
        assert_int_equal(footprint.n_fields, shape->n_fields);
        assert_int_equal(footprint.compiled_bytes, r1cs_bytes(r1cs));
        r1cs_free(&r1cs);
    }
    pool_free(&pool);
}

static void names_not_there_are_refused(void **state)
{
    (void)state;
    Circuit circuit;
    CircuitParams params;
    CircuitFootprint footprint;
    assert_int_equal(circuit_named(&circuit, &params, "porep-3k"), ERR_NOT_FOUND);
    assert_int_equal(circuit_footprint(&footprint, "porep-3k"), ERR_NOT_FOUND);
    assert_int_equal(circuit_named(&circuit, &params, "winning-2k"), ERR_UNSUPPORTED);
    assert_int_equal(circuit_footprint(&footprint, "winning-2k"), ERR_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_not_there_are_refused),
        cmocka_unit_test(footprints_are_the_compiled_circuits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
