/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tests of the wire format and of the proving messages: bytes known by heart, round trips, merging,
 * hostile bytes. The Go peer compares both ends with another implementation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rpc/proving.h"

#include <string.h>

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    return *x ^= *x << 17;
}

static WireBytes text(const char *s)
{
    return (WireBytes){(const uint8_t *)s, strlen(s)};
}

static bool same(WireBytes a, WireBytes b)
{
    return a.size == b.size && (!a.size || memcmp(a.data, b.data, a.size) == 0);
}

static bool same_request(const SubmitRequest *a, const SubmitRequest *b)
{
    bool equal = same(a->request_id, b->request_id) && a->proof_kind == b->proof_kind &&
                 a->sector_size == b->sector_size && a->registered_proof == b->registered_proof &&
                 a->priority == b->priority && same(a->vanilla_proof, b->vanilla_proof) &&
                 a->n_vanilla_proofs == b->n_vanilla_proofs &&
                 a->sector_number == b->sector_number && a->miner_id == b->miner_id &&
                 same(a->randomness, b->randomness) && a->partition_index == b->partition_index &&
                 same(a->comm_r_old, b->comm_r_old) && same(a->comm_r_new, b->comm_r_new) &&
                 same(a->comm_d_new, b->comm_d_new);
    for (size_t i = 0; equal && i < a->n_vanilla_proofs; i++)
        equal = same(a->vanilla_proofs[i], b->vanilla_proofs[i]);
    return equal;
}

/* A copy of exactly this size, so that a sanitizer sees reads beyond it. */
static uint8_t *exact(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + !size);
    assert_non_null(copy);
    if (size)
        memcpy(copy, data, size);
    return copy;
}

static void encodes_the_bytes_that_protobuf_prescribes(void **state)
{
    (void)state;
    static const uint8_t wanted[] = {
        0x0a, 1,   'a',  0x10, 1, 0x18, 0x80, 0x10, 0x20, 8,   0x28, 2,    0x52, 2, 0,    0xff,
        0xa0, 1,   7,    0xa8, 1, 0xe8, 7,    0xb2, 1,    1,   'r',  0xb8, 1,    3, 0xf2, 1,
        1,    'o', 0xfa, 1,    1, 'n',  0x82, 2,    1,    'd', 0x5a, 0,    0x5a, 1, 'x'};
    static const uint8_t proof[] = {0, 0xff};
    WireBytes proofs[] = {{NULL, 0}, text("x")};
    SubmitRequest request = {.request_id = text("a"),
                             .proof_kind = 1,
                             .sector_size = 2048,
                             .registered_proof = 8,
                             .priority = 2,
                             .vanilla_proof = {proof, 2},
                             .vanilla_proofs = proofs,
                             .n_vanilla_proofs = 2,
                             .sector_number = 7,
                             .miner_id = 1000,
                             .partition_index = 3,
                             .randomness = text("r"),
                             .comm_r_old = text("o"),
                             .comm_r_new = text("n"),
                             .comm_d_new = text("d")};
    WireWriter writer = {0};
    submit_request_encode(&writer, &request);
    assert_false(writer.failed);
    assert_int_equal(writer.size, sizeof wanted);
    assert_memory_equal(writer.data, wanted, sizeof wanted);
    SubmitRequest back;
    assert_int_equal(submit_request_decode(&back, wanted, sizeof wanted), OK);
    assert_true(same_request(&request, &back));
    submit_request_free(&back);
    wire_free(&writer);
}

/* Fields are left out, small or huge by chance; bytes point into pool. */
static void random_request(SubmitRequest *out, WireBytes proofs[8], const uint8_t *pool,
                           size_t pool_size, uint64_t *x)
{
    uint64_t *numbers[] = {&out->proof_kind,       &out->sector_size, &out->priority,
                           &out->registered_proof, &out->miner_id,    &out->sector_number};
    WireBytes *bytes[] = {&out->vanilla_proof, &out->randomness, &out->comm_r_old, &out->comm_r_new,
                          &out->comm_d_new};
    *out = (SubmitRequest){.vanilla_proofs = proofs, .n_vanilla_proofs = next_random(x) % 9};
    for (size_t i = 0; i < 6; i++)
        *numbers[i] = next_random(x) % 3 ? next_random(x) >> next_random(x) % 64 : 0;
    out->partition_index = (uint32_t)next_random(x) >> next_random(x) % 32;
    for (size_t i = 0; i < 5; i++)
        *bytes[i] = (WireBytes){pool, next_random(x) % 3 ? next_random(x) % pool_size : 0};
    for (size_t i = 0; i < out->n_vanilla_proofs; i++)
        proofs[i] = (WireBytes){pool + i, next_random(x) % 3 ? next_random(x) % 200 : 0};
    out->request_id = (WireBytes){(const uint8_t *)"porep-1000-\xc3\xa9", next_random(x) % 12};
}

static void encode_prove(WireWriter *writer, const SubmitRequest *request)
{
    WireWriter child = {0};
    submit_request_encode(&child, request);
    wire_put_message(writer, 1, &child);
    assert_false(writer->failed);
}

static void requests_round_trip(void **state)
{
    (void)state;
    uint64_t x = 42;
    uint8_t pool[3000];
    for (size_t i = 0; i < sizeof pool; i++)
        pool[i] = (uint8_t)next_random(&x);
    for (int i = 0; i < 2000; i++) {
        SubmitRequest request, back;
        WireBytes proofs[8];
        bool present;
        WireWriter writer = {0};
        random_request(&request, proofs, pool, 2000, &x);
        encode_prove(&writer, &request);
        uint8_t *copy = exact(writer.data, writer.size);
        assert_int_equal(prove_request_decode(&back, &present, copy, writer.size), OK);
        assert_true(present);
        assert_true(same_request(&request, &back));
        submit_request_free(&back);
        free(copy);
        wire_free(&writer);
    }
}

static void repeated_submessages_merge_and_the_last_scalar_wins(void **state)
{
    (void)state;
    WireBytes first_proofs[] = {text("p0")}, second_proofs[] = {text("p1"), text("p2")};
    SubmitRequest first = {.request_id = text("one"),
                           .proof_kind = 1,
                           .sector_size = 2048,
                           .vanilla_proofs = first_proofs,
                           .n_vanilla_proofs = 1};
    SubmitRequest second = {
        .proof_kind = 3, .miner_id = 9, .vanilla_proofs = second_proofs, .n_vanilla_proofs = 2};
    WireWriter writer = {0};
    encode_prove(&writer, &first);
    encode_prove(&writer, &second);
    SubmitRequest got;
    bool present;
    assert_int_equal(prove_request_decode(&got, &present, writer.data, writer.size), OK);
    assert_true(same(got.request_id, text("one")));
    assert_int_equal(got.proof_kind, 3);
    assert_int_equal(got.sector_size, 2048);
    assert_int_equal(got.miner_id, 9);
    assert_int_equal(got.n_vanilla_proofs, 3);
    assert_true(same(got.vanilla_proofs[2], text("p2")));
    submit_request_free(&got);
    wire_free(&writer);
    assert_int_equal(prove_request_decode(&got, &present, NULL, 0), OK);
    assert_false(present);
}

static void unknown_fields_are_skipped(void **state)
{
    (void)state;
    /* 33 varint, 34 fixed64, 35 bytes, 36 fixed32, 536870911 varint around sector_size 5. */
    static const uint8_t message[] = {0x88, 2, 1,    0x91, 2, 1,    2,    3,    4,    5,   6,
                                      7,    8, 0x9a, 2,    3, 'a',  'b',  'c',  0x18, 5,   0xa5,
                                      2,    1, 2,    3,    4, 0xf8, 0xff, 0xff, 0xff, 0xf, 9};
    SubmitRequest got;
    assert_int_equal(submit_request_decode(&got, message, sizeof message), OK);
    assert_int_equal(got.sector_size, 5);
    submit_request_free(&got);
}

static void expect_refused(const char *bytes, size_t size, const char *reason)
{
    SubmitRequest got = {.miner_id = 77};
    uint8_t *copy = exact((const uint8_t *)bytes, size);
    assert_int_equal(submit_request_decode(&got, copy, size), ERR_FORMAT);
    if (!strstr(status_message(), reason))
        fail_msg("\"%s\" instead of \"%s\"", status_message(), reason);
    assert_int_equal(got.miner_id, 77); /* untouched */
    free(copy);
}
#define REFUSED(literal, reason) expect_refused(literal, sizeof(literal) - 1, reason)

static void hostile_bytes_are_refused_with_a_reason(void **state)
{
    (void)state;
    REFUSED("\x18", "byte 1: cut inside a number");
    REFUSED("\x18\x80\x80", "cut inside a number");
    REFUSED("\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "more than 64 bits");
    REFUSED("\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "more than 64 bits");
    REFUSED("\x00\x01", "field number out of range");
    REFUSED("\xf8\xff\xff\xff\x7f\x01", "field number out of range");
    REFUSED("\x8b\x02", "wire type 3");
    REFUSED("\x8c\x02", "wire type 4");
    REFUSED("\x1e", "wire type 6");
    REFUSED("\x1f", "wire type 7");
    REFUSED("\x52\x05"
            "abcd",
            "byte 0: field 10 of 5 bytes ends past");
    REFUSED("\x52\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "ends past the message");
    REFUSED("\x91\x02\x01\x02", "cut inside a fixed number");
    REFUSED("\xa5\x02\x01\x02\x03", "cut inside a fixed number");
    REFUSED("\x50\x01", "vanilla_proof: wire type 0");
    REFUSED("\x58\x01", "vanilla_proofs: wire type 0");
    REFUSED("\x1a\x00", "sector_size: wire type 2");
    REFUSED("\x0a\x02\xc3\x28", "request_id: not UTF-8");
    SubmitRequest got;
    bool present;
    assert_int_equal(prove_request_decode(&got, &present, (const uint8_t *)"\x08\x01", 2),
                     ERR_FORMAT);
    /* A number as long as it may be. */
    static const uint8_t longest[] = {0x18, 0x85, 0x80, 0x80, 0x80, 0x80,
                                      0x80, 0x80, 0x80, 0x80, 0x00};
    assert_int_equal(submit_request_decode(&got, longest, sizeof longest), OK);
    assert_int_equal(got.sector_size, 5);
}

static void utf8_is_checked_as_the_standard_has_it(void **state)
{
    (void)state;
    static const char *const good[] = {"",
                                       "a",
                                       "\x7f",
                                       "\xc2\x80",
                                       "\xdf\xbf",
                                       "\xe0\xa0\x80",
                                       "\xed\x9f\xbf",
                                       "\xee\x80\x80",
                                       "\xef\xbf\xbf",
                                       "\xf0\x90\x80\x80",
                                       "\xf4\x8f\xbf\xbf"};
    static const char *const bad[] = {"\x80",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xc3",
                                      "\xe0\x9f\xbf",
                                      "\xe2\x82",
                                      "\xed\xa0\x80",
                                      "\xed\xbf\xbf",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xff",
                                      "a\xe2\x28\xa1"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(wire_is_utf8(text(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(wire_is_utf8(text(bad[i])));
}

static void a_list_of_too_many_proofs_is_refused(void **state)
{
    (void)state;
    size_t most = PROVING_MOST_VANILLA;
    uint8_t *message = malloc(2 * most + 2);
    assert_non_null(message);
    for (size_t i = 0; i <= most; i++) {
        message[2 * i] = 0x5a;
        message[2 * i + 1] = 0;
    }
    SubmitRequest got;
    assert_int_equal(submit_request_decode(&got, message, 2 * most), OK);
    assert_int_equal(got.n_vanilla_proofs, most);
    submit_request_free(&got);
    assert_int_equal(submit_request_decode(&got, message, 2 * most + 2), ERR_FORMAT);
    free(message);
}

static void every_cut_is_refused_or_a_shorter_message(void **state)
{
    (void)state;
    uint64_t x = 7;
    uint8_t pool[300];
    memset(pool, 0xa5, sizeof pool);
    SubmitRequest request, got;
    WireBytes proofs[8];
    WireWriter writer = {0};
    bool present;
    random_request(&request, proofs, pool, 100, &x);
    encode_prove(&writer, &request);
    for (size_t cut = 0; cut < writer.size; cut++) {
        uint8_t *copy = exact(writer.data, cut);
        Status status = prove_request_decode(&got, &present, copy, cut);
        /* One field holds all the rest, so only the empty message is whole. */
        assert_int_equal(status, cut ? ERR_FORMAT : OK);
        free(copy);
    }
    wire_free(&writer);
}

static bool inside(WireBytes view, const uint8_t *data, size_t size)
{
    return !view.size || (view.data >= data && view.data + view.size <= data + size);
}

/* What was accepted points into the message, and is the same after another round. */
static void check_accepted(const SubmitRequest *got, const uint8_t *data, size_t size)
{
    const WireBytes views[] = {got->request_id, got->vanilla_proof, got->randomness,
                               got->comm_r_old, got->comm_r_new,    got->comm_d_new};
    for (size_t i = 0; i < 6; i++)
        assert_true(inside(views[i], data, size));
    for (size_t i = 0; i < got->n_vanilla_proofs; i++)
        assert_true(inside(got->vanilla_proofs[i], data, size));
    WireWriter writer = {0};
    SubmitRequest again;
    bool present;
    encode_prove(&writer, got);
    assert_int_equal(prove_request_decode(&again, &present, writer.data, writer.size), OK);
    assert_true(same_request(got, &again));
    submit_request_free(&again);
    wire_free(&writer);
}

static size_t mutate(uint8_t *data, size_t size, uint64_t *x)
{
    size_t at = next_random(x) % size;
    switch (next_random(x) % 4) {
    case 0:
        data[at] ^= (uint8_t)(1u << next_random(x) % 8);
        return size;
    case 1:
        data[at] = (uint8_t)next_random(x);
        return size;
    case 2:
        memmove(data + at, data + at + 1, size - at - 1);
        return size - 1;
    default:
        return next_random(x) % 8 ? size : at;
    }
}

static void mutated_messages_never_break_the_decoder(void **state)
{
    (void)state;
    uint64_t x = 99;
    uint8_t pool[300];
    unsigned accepted = 0, refused = 0;
    for (size_t i = 0; i < sizeof pool; i++)
        pool[i] = (uint8_t)next_random(&x);
    for (int i = 0; i < 20000; i++) {
        SubmitRequest request, got;
        WireBytes proofs[8];
        WireWriter writer = {0};
        bool present;
        random_request(&request, proofs, pool, 60, &x);
        encode_prove(&writer, &request);
        size_t size = writer.size;
        for (uint64_t k = 1 + next_random(&x) % 4; k && size; k--)
            size = mutate(writer.data, size, &x);
        uint8_t *copy = exact(writer.data, size);
        Status status = prove_request_decode(&got, &present, copy, size);
        if (status == OK) {
            accepted++;
            check_accepted(&got, copy, size);
            submit_request_free(&got);
        } else {
            refused++;
            assert_int_equal(status, ERR_FORMAT);
            assert_true(strlen(status_message()) > 10);
        }
        free(copy);
        wire_free(&writer);
    }
    assert_true(accepted > 1000 && refused > 1000); /* both roads were taken */
}

static void results_round_trip(void **state)
{
    (void)state;
    AwaitResponse response = {.job_id = text("j"),
                              .status = AWAIT_FAILED,
                              .proof = text("proof"),
                              .error_message = text("row 7: unsatisfied"),
                              .queue_wait_ms = 1,
                              .srs_load_ms = UINT64_MAX,
                              .synthesis_ms = 3,
                              .gpu_compute_ms = 1ull << 40,
                              .total_ms = 5};
    WireWriter child = {0}, writer = {0};
    AwaitResponse got;
    await_response_encode(&child, &response);
    assert_int_equal(await_response_decode(&got, child.data, child.size), OK);
    assert_int_equal(got.srs_load_ms, UINT64_MAX);
    wire_put_message(&writer, 1, &child);
    assert_int_equal(prove_response_decode(&got, writer.data, writer.size), OK);
    assert_true(same(got.job_id, response.job_id) && same(got.proof, response.proof) &&
                same(got.error_message, response.error_message));
    assert_int_equal(got.status, AWAIT_FAILED);
    assert_int_equal(got.queue_wait_ms, 1);
    assert_int_equal(got.synthesis_ms, 3);
    assert_int_equal(got.gpu_compute_ms, 1ull << 40);
    assert_int_equal(got.total_ms, 5);
    wire_free(&writer);
}

static void small_messages_round_trip(void **state)
{
    (void)state;
    WireWriter writer = {0};
    WireBytes name;
    uint64_t number, numbers[2];
    wire_put_text(&writer, 1, "porep-32g");
    wire_put_uint(&writer, 2, 300);
    assert_int_equal(text_number_decode(&name, &number, writer.data, writer.size), OK);
    assert_true(same(name, text("porep-32g")));
    assert_int_equal(number, 300);
    assert_int_equal(text_number_decode(&name, &number, NULL, 0), OK);
    assert_int_equal(name.size + number, 0);
    assert_int_equal(two_numbers_decode(numbers, writer.data, writer.size), ERR_FORMAT);
    assert_int_equal(wire_text_field(&name, 1, writer.data, writer.size), OK);
    assert_true(same(name, text("porep-32g")));
    assert_int_equal(wire_text_field(&name, 2, writer.data, writer.size), ERR_FORMAT);
    wire_free(&writer);
    wire_put_uint(&writer, 1, 1);
    wire_put_uint(&writer, 2, UINT64_MAX);
    assert_int_equal(two_numbers_decode(numbers, writer.data, writer.size), OK);
    assert_true(numbers[0] == 1 && numbers[1] == UINT64_MAX);
    wire_free(&writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodes_the_bytes_that_protobuf_prescribes),
        cmocka_unit_test(requests_round_trip),
        cmocka_unit_test(repeated_submessages_merge_and_the_last_scalar_wins),
        cmocka_unit_test(unknown_fields_are_skipped),
        cmocka_unit_test(hostile_bytes_are_refused_with_a_reason),
        cmocka_unit_test(utf8_is_checked_as_the_standard_has_it),
        cmocka_unit_test(a_list_of_too_many_proofs_is_refused),
        cmocka_unit_test(every_cut_is_refused_or_a_shorter_message),
        cmocka_unit_test(mutated_messages_never_break_the_decoder),
        cmocka_unit_test(results_round_trip),
        cmocka_unit_test(small_messages_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
