/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Folder precedence, listings, manifests and the origin of keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "keys/keys_impl.h"

#include <string.h>
#include <unistd.h>

#define WINNING_2K                                                                                 \
    "v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-0-0-"                            \
    "3ea05428c9d11689f23529cde32fd30aabd50f7d2c93657c1d3650bca3e8ea9e"

static char directory[] = "/tmp/cuzk-catalogue-XXXXXX";

static void must(Status status)
{
    if (status != OK)
        fail_msg("%s: %s", status_name(status), status_message());
}

static int start(void **state)
{
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    return rmdir(directory);
}

static const char *path_of(const char *name)
{
    static char paths[4][512];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static void put(const char *name, const char *text)
{
    must(file_replace(path_of(name), text, strlen(text)));
}

static void folders(void **state)
{
    (void)state;
    setenv("FIL_PROOFS_PARAMETER_CACHE", "/from/environment", 1);
    ParamsFolder folder = params_folder("/configured", "srs.param_cache");
    assert_string_equal(folder.path, "/configured");
    assert_string_equal(folder.why, "srs.param_cache");
    folder = params_folder("", "srs.param_cache");
    assert_string_equal(folder.path, "/from/environment");
    assert_string_equal(folder.why, "FIL_PROOFS_PARAMETER_CACHE");
    setenv("FIL_PROOFS_PARAMETER_CACHE", "", 1);
    folder = params_folder(NULL, NULL);
    assert_string_equal(folder.path, "/var/tmp/filecoin-proof-parameters");
    unsetenv("FIL_PROOFS_PARAMETER_CACHE");
    folder = params_folder(NULL, NULL);
    assert_string_equal(folder.why, "the default");
}

static void listing(void **state)
{
    (void)state;
    static const char *const names[] = {"b.params",        "b.vk",   "a.vk",
                                        "b.dev.json",      "a.meta", "b.params.tmp.1",
                                        "parameters.json", ".vk"};
    enum { N = sizeof names / sizeof *names };
    ParamsEntry *entries;
    size_t n;
    for (int i = 0; i < N; i++)
        put(names[i], "12345");
    must(params_list(&entries, &n, directory));
    assert_int_equal(n, 2);
    assert_string_equal(entries[0].stem, "a");
    assert_true(entries[0].params_bytes == 0 && entries[0].vk_bytes == 5);
    assert_true(entries[0].meta && !entries[0].development);
    assert_string_equal(entries[1].stem, "b");
    assert_true(entries[1].params_bytes == 5 && entries[1].vk_bytes == 5);
    assert_true(!entries[1].meta && entries[1].development);
    free(entries);
    for (int i = 0; i < N; i++)
        unlink(path_of(names[i]));
    must(params_list(&entries, &n, directory));
    assert_int_equal(n, 0);
    free(entries);
    assert_int_equal(params_list(&entries, &n, path_of("none")), ERR_NOT_FOUND);
}

static void official_table(void **state)
{
    (void)state;
    Manifest *manifest;
    must(manifest_new(&manifest, NULL));
    assert_string_equal(manifest_digest(manifest, WINNING_2K ".vk"),
                        "ffd79788d614d27919ae5bd2d94eacb6");
    assert_string_equal(manifest_digest(manifest, WINNING_2K ".params"),
                        "82c88066be968bb550a05e30ff6c2413");
    assert_null(manifest_digest(manifest, WINNING_2K));
    assert_null(manifest_digest(manifest, WINNING_2K ".meta"));
    assert_null(manifest_digest(manifest, "x.vk"));
    manifest_free(&manifest);
}

static void manifests(void **state)
{
    (void)state;
    Manifest *manifest;
    put("m.json", " {\"x.vk\": {\"cid\": \"Qm\\\"\", \"more\": [1, {\"a\": null}, []],"
                  " \"digest\": \"00112233445566778899aabbccddeeff\", \"sector_size\": 2048},\n"
                  "\"" WINNING_2K ".vk\":{\"digest\":\"ffffffffffffffffffffffffffffffff\"}} ");
    must(manifest_new(&manifest, path_of("m.json")));
    assert_string_equal(manifest_digest(manifest, "x.vk"), "00112233445566778899aabbccddeeff");
    assert_string_equal(manifest_digest(manifest, WINNING_2K ".vk"),
                        "ffffffffffffffffffffffffffffffff");
    manifest_free(&manifest);
    static const char *const bad[] = {
        "",
        "[]",
        "{",
        "{\"a\"}",
        "{\"a\":{}}",
        "{\"a\":{\"digest\":\"0\"}}",
        "{\"a\":{\"digest\":\"00112233445566778899AABBCCDDEEFF\"}}",
        "{\"a\":{\"digest\":\"00112233445566778899aabbccddeeff\"}",
        "{\"a\":{\"digest\":\"00112233445566778899aabbccddeeff\"}} x",
        "{\"a\":{\"digest\":\"00112233445566778899aabbccddeeff\",}}",
        "{\"a\\",
        "{\"a\":{\"b\":[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]}}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put("m.json", bad[i]);
        if (manifest_new(&manifest, path_of("m.json")) != ERR_FORMAT)
            fail_msg("accepted %s", bad[i]);
        assert_non_null(strstr(status_message(), "m.json: "));
    }
    unlink(path_of("m.json"));
    assert_int_equal(manifest_new(&manifest, path_of("m.json")), ERR_NOT_FOUND);
}

static void expect_origin(const char *path, const Manifest *manifest, KeyOrigin expected)
{
    KeyOrigin origin;
    char digest[DIGEST_HEX], known[DIGEST_HEX];
    must(key_origin(&origin, digest, known, path, manifest));
    assert_string_equal(key_origin_name(origin), key_origin_name(expected));
    assert_int_equal(strlen(digest), 32);
}

static void origins(void **state)
{
    (void)state;
    // BLAKE2b-512 of "abc" begins with ba80a53f981c4d0d6a2797b69f12f6e9 (RFC 7693, appendix A)
    Manifest *manifest;
    put("abc.vk", "abc");
    put("m.json", "{\"abc.vk\":{\"digest\":\"ba80a53f981c4d0d6a2797b69f12f6e9\"}}");
    must(manifest_new(&manifest, NULL));
    expect_origin(path_of("abc.vk"), manifest, KEY_UNKNOWN);
    put("abc.dev.json", "{}");
    expect_origin(path_of("abc.vk"), manifest, KEY_DEVELOPMENT);
    manifest_free(&manifest);
    must(manifest_new(&manifest, path_of("m.json")));
    expect_origin(path_of("abc.vk"), manifest, KEY_OFFICIAL);
    put("abc.vk", "abd");
    expect_origin(path_of("abc.vk"), manifest, KEY_DEVELOPMENT);
    manifest_free(&manifest);
    unlink(path_of("abc.vk"));
    unlink(path_of("abc.dev.json"));
    unlink(path_of("m.json"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders),   cmocka_unit_test(listing), cmocka_unit_test(official_table),
        cmocka_unit_test(manifests), cmocka_unit_test(origins),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
