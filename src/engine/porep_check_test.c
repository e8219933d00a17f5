/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tests of what a PoRep request must agree on, with a sector sealed here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/kind.h"
#include "filecoin/commitments.h"
#include "seal/seal.h"

#include <string.h>

enum { PROOF_2K = 5, MINER = 55, SECTOR = 7 };

static uint8_t *envelope, *inner;
static size_t envelope_size, inner_size;

/* seed is all zero: a beacon value like any other. */
static int start(void **state)
{
    (void)state;
    SealShape shape;
    Sector *sector;
    SealInput input = {.sector_number = SECTOR, .ticket = {{1, 2, 3}}};
    const Node seed = {{0}};
    prover_id_from_miner(&input.prover_id, MINER);
    if (seal_shape(&shape, PROOF_2K) != OK ||
        seal_sector(&sector, &shape, &input, NULL, 0, NULL) != OK)
        return -1;
    Status status = sector_c1_json(sector, &seed, true, &envelope, &envelope_size);
    if (status == OK)
        status = sector_c1_json(sector, &seed, false, &inner, &inner_size);
    sector_free(&sector);
    return status == OK ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    free(envelope);
    free(inner);
    return 0;
}

static char warning[CUZK_MESSAGE_BYTES];

static Status check(cuzk_request request)
{
    void *input;
    char circuit[CIRCUIT_NAME];
    if (!request.vanilla_proof.data)
        request.vanilla_proof = (cuzk_bytes){envelope, envelope_size};
    warning[0] = '\0';
    Status status = kind_porep.parse(&request, &input, circuit, warning);
    if (status == OK) {
        assert_string_equal(circuit, "porep-2k");
        status = kind_porep.check(input);
        kind_porep.free_input(input);
    }
    return status;
}

static void refused(Status status, Status expected, const char *said)
{
    assert_int_equal(status, expected);
    if (!strstr(status_message(), said))
        fail_msg("\"%s\" does not say \"%s\"", status_message(), said);
}

static void what_is_unset_is_not_compared(void **state)
{
    (void)state;
    assert_int_equal(check((cuzk_request){0}), OK);
    assert_int_equal(check((cuzk_request){.vanilla_proof = {inner, inner_size}}), OK);
    assert_string_equal(warning, "");
}

static void what_is_named_must_agree(void **state)
{
    (void)state;
    assert_int_equal(check((cuzk_request){.sector_size = 2048, .registered_proof = PROOF_2K}), OK);
    refused(check((cuzk_request){.sector_size = 4096}), ERR_ARG, "sector_size");
    refused(check((cuzk_request){.registered_proof = 8}), ERR_ARG, "registered_proof");
}

static void replica_id_binds_miner_and_sector(void **state)
{
    (void)state;
    assert_int_equal(check((cuzk_request){.miner_id = MINER, .sector_number = SECTOR}), OK);
    assert_int_equal(check((cuzk_request){.miner_id = MINER}),
                     OK); /* the envelope has the sector */
    refused(check((cuzk_request){.miner_id = MINER, .sector_number = 8}), ERR_INVALID, "sector 8");
    refused(check((cuzk_request){.miner_id = 56, .sector_number = SECTOR}), ERR_INVALID,
            "miner 56");
    refused(check((cuzk_request){.sector_number = SECTOR}), ERR_INVALID, "miner 0");
    refused(check((cuzk_request){.miner_id = MINER, .vanilla_proof = {inner, inner_size}}),
            ERR_INVALID, "sector 0");
    /* What a published client sends untold. */
    assert_int_equal(check((cuzk_request){.miner_id = 1000, .sector_number = 1}), OK);
    assert_non_null(strstr(warning, "replica_id"));
}

/* The numbers of the last array under this key become zeros, as long as before. */
static void zero_array(uint8_t *text, size_t size, const char *key)
{
    uint8_t *at = NULL, *next = text, *end = text + size;
    while ((next = memmem(next, (size_t)(end - next), key, strlen(key))))
        at = next++;
    assert_non_null(at);
    at += strlen(key);
    assert_int_equal(*at, '[');
    for (bool first = true; *at != ']'; at++) {
        bool digit = *at >= '0' && *at <= '9';
        if (digit)
            *at = first ? '0' : ' ';
        first = !digit;
    }
}

static void commitments_are_not_zero(void **state)
{
    (void)state;
    static const char *const keys[] = {"\"comm_r\":", "\"comm_d\":"};
    static const char *const said[] = {"comm_r: all zero", "comm_d: all zero"};
    for (int i = 0; i < 2; i++) {
        uint8_t *text = malloc(inner_size);
        memcpy(text, inner, inner_size);
        zero_array(text, inner_size, keys[i]);
        refused(check((cuzk_request){.vanilla_proof = {text, inner_size}}), ERR_INVALID, said[i]);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_unset_is_not_compared),
        cmocka_unit_test(what_is_named_must_agree),
        cmocka_unit_test(replica_id_binds_miner_and_sector),
        cmocka_unit_test(commitments_are_not_zero),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
