/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tests of the requests that cuzk-bench makes of its flags. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "client_request.h"

#include <string.h>
#include <unistd.h>

static const char path[] = "client_request_test.tmp";

static Status request_of(ClientRequest *out, RequestFlags flags, const char *bytes, size_t size)
{
    assert_int_equal(file_replace(path, (const uint8_t *)bytes, size), OK);
    Status status = client_request_new(out, &flags);
    unlink(path);
    return status;
}

static Status vanilla(ClientRequest *out, const char *text)
{
    return request_of(out, (RequestFlags){.type = "wpost", .vanilla = path}, text, strlen(text));
}

static void every_type_has_its_kind(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        unsigned kind;
    } types[] = {{"porep", 1},   {"porep-c2", 1},    {"seal-commit", 1}, {"snap", 2},
                 {"update", 2},  {"snap-deals", 2},  {"wpost", 3},       {"window-post", 3},
                 {"winning", 4}, {"winningpost", 4}, {"windowpost", 3},  {"winning-post", 4}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        RequestFlags flags = {.type = types[i].type, .c1 = path};
        if (types[i].kind != 1)
            flags = (RequestFlags){.type = types[i].type, .vanilla = path};
        ClientRequest r;
        assert_int_equal(request_of(&r, flags, "x", 1), OK);
        assert_int_equal(r.submit.proof_kind, types[i].kind);
        client_request_free(&r);
    }
}

static void numbers_and_hashes_arrive(void **state)
{
    (void)state;
    char hex[65];
    for (int i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", i);
    const RequestFlags flags = {.type = "snap",
                                .vanilla = path,
                                .randomness = hex,
                                .comm_r_old = hex,
                                .comm_r_new = hex,
                                .comm_d_new = hex,
                                .sector_num = 7,
                                .miner_id = 1000,
                                .registered_proof = 3,
                                .sector_size = 2048,
                                .priority = 4,
                                .partition = 2};
    ClientRequest r;
    assert_int_equal(request_of(&r, flags, "\0raw", 4), OK);
    const SubmitRequest *s = &r.submit;
    const WireBytes hashes[] = {s->randomness, s->comm_r_old, s->comm_r_new, s->comm_d_new};
    for (int i = 0; i < CLIENT_HASHES; i++) {
        assert_int_equal(hashes[i].size, 32);
        for (int j = 0; j < 32; j++)
            assert_int_equal(hashes[i].data[j], j);
    }
    assert_int_equal(s->sector_number, 7);
    assert_int_equal(s->miner_id, 1000);
    assert_int_equal(s->registered_proof, 3);
    assert_int_equal(s->sector_size, 2048);
    assert_int_equal(s->priority, 4);
    assert_int_equal(s->partition_index, 2);
    assert_int_equal(s->n_vanilla_proofs, 1);
    assert_int_equal(s->vanilla_proofs[0].size, 4);
    assert_memory_equal(s->vanilla_proofs[0].data, "\0raw", 4);
    client_request_free(&r);
}

static void an_array_is_many_proofs(void **state)
{
    (void)state;
    ClientRequest r;
    assert_int_equal(vanilla(&r, " [ \"AQID\", \"\",\"/w==\" ]\n"), OK);
    assert_int_equal(r.submit.n_vanilla_proofs, 3);
    assert_int_equal(r.submit.vanilla_proofs[0].size, 3);
    assert_memory_equal(r.submit.vanilla_proofs[0].data, "\1\2\3", 3);
    assert_int_equal(r.submit.vanilla_proofs[1].size, 0);
    assert_int_equal(r.submit.vanilla_proofs[2].size, 1);
    assert_int_equal(r.submit.vanilla_proofs[2].data[0], 0xff);
    client_request_free(&r);
}

static void assert_refused(Status status, Status expected, const char *said)
{
    assert_int_equal(status, expected);
    if (!strstr(status_message(), said))
        fail_msg("\"%s\" does not say \"%s\"", status_message(), said);
}

static void malformed_files_are_refused(void **state)
{
    (void)state;
    ClientRequest r;
    assert_refused(vanilla(&r, ""), ERR_FORMAT, "empty");
    assert_refused(vanilla(&r, "[]"), ERR_FORMAT, "empty array");
    assert_refused(vanilla(&r, "[\"AQID\", 1]"), ERR_FORMAT, "byte 9");
    assert_refused(vanilla(&r, "[\"AQID\", \"AQ*D\"]"), ERR_FORMAT, "byte 12");
    assert_refused(vanilla(&r, "[\"AQI\"]"), ERR_FORMAT, "base64");
    assert_refused(vanilla(&r, "[\"AQ\\u0049D\"]"), ERR_FORMAT, "escape");
    assert_refused(vanilla(&r, "[\"AQID\"] x"), ERR_FORMAT, "byte 9");
    assert_refused(vanilla(&r, "[\"AQID\""), ERR_FORMAT, path);
}

static void flags_of_another_type_are_refused(void **state)
{
    (void)state;
    ClientRequest r;
    const struct {
        RequestFlags flags;
        const char *said;
    } wrong[] = {
        {{.type = "porap", .c1 = path}, "--type porap"},
        {{.type = "porep"}, "wants --c1"},
        {{.type = "wpost"}, "wants --vanilla"},
        {{.type = "porep", .c1 = path, .vanilla = path}, "does not take --vanilla"},
        {{.type = "snap", .c1 = path, .vanilla = path}, "does not take --c1"},
        {{.type = "wpost", .vanilla = path, .randomness = "00"}, "--randomness"},
        {{.type = "wpost", .vanilla = path, .partition = UINT64_C(1) << 32}, "--partition"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_refused(request_of(&r, wrong[i].flags, "x", 1), ERR_ARG, wrong[i].said);
    assert_int_equal(client_request_new(&r, &(RequestFlags){.type = "porep", .c1 = path}),
                     ERR_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_has_its_kind),
        cmocka_unit_test(numbers_and_hashes_arrive),
        cmocka_unit_test(an_array_is_many_proofs),
        cmocka_unit_test(malformed_files_are_refused),
        cmocka_unit_test(flags_of_another_type_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
