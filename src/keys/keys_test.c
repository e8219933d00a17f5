/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Parameter files made here: written, read, proved from; altered files refused with a reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "keys/keys_impl.h"
#include "toy_circuit.h"

#include <string.h>
#include <unistd.h>

enum { ROWS = 40, INPUTS = 4 };

static Pool *pool;
static R1cs *r1cs;
static ToyParams toy = {ROWS, INPUTS, 77, false};
static Circuit circuit;
static char directory[] = "/tmp/cuzk-keys-XXXXXX";

static void must(Status status)
{
    if (status != OK)
        fail_msg("%s: %s", status_name(status), status_message());
}

static const char *path_of(const char *name)
{
    static char paths[4][256];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static Status make_key(const char *stem, const char *seed, bool force)
{
    SetupOptions options = {.directory = directory, .seed_hex = seed, .force = force};
    return params_setup(&circuit, r1cs, stem, 2048, &options, pool);
}

static int start(void **state)
{
    (void)state;
    circuit = toy_circuit(&toy);
    if (pool_new(&pool, 2) != OK || r1cs_compile(&r1cs, &circuit, pool) != OK ||
        !mkdtemp(directory) || make_key("key", "00ff", false) != OK) {
        fprintf(stderr, "%s\n", status_message());
        return -1;
    }
    return 0;
}

static int stop(void **state)
{
    (void)state;
    static const char *const names[] = {"key", "again", "random", "copy", "bad"};
    static const char *const suffixes[] = {".params", ".vk", ".meta", ".dev.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t j = 0; j < sizeof suffixes / sizeof *suffixes; j++) {
            char name[64];
            snprintf(name, sizeof name, "%s%s", names[i], suffixes[j]);
            unlink(path_of(name));
        }
    r1cs_free(&r1cs);
    pool_free(&pool);
    return rmdir(directory);
}

typedef struct {
    uint8_t *data;
    size_t size;
} Bytes;

static Bytes slurp(const char *path)
{
    Bytes bytes;
    must(file_read(path, 1 << 24, &bytes.data, &bytes.size));
    return bytes;
}

static void same_file(const char *one, const char *two)
{
    Bytes a = slurp(one), b = slurp(two);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    free(a.data);
    free(b.data);
}

static void setup_files(void **state)
{
    (void)state;
    const R1csShape *shape = r1cs_shape(r1cs);
    Bytes params = slurp(path_of("key.params")), vk = slurp(path_of("key.vk"));
    size_t h = ((size_t)1 << r1cs_log_domain(r1cs)) - 1;
    size_t b = shape->b_input_density + shape->b_aux_density;
    size_t g1 = h + shape->n_aux + INPUTS + shape->a_aux_density + b;
    assert_int_equal(vk.size, 868 + 96 * INPUTS);
    assert_int_equal(params.size, vk.size + 20 + 96 * g1 + 192 * b);
    assert_memory_equal(params.data, vk.data, vk.size);
    free(params.data);
    free(vk.data);
    Bytes meta = slurp(path_of("key.meta")), side = slurp(path_of("key.dev.json"));
    assert_string_equal((char *)meta.data, "{\"sector_size\":2048}");
    assert_non_null(strstr((char *)side.data, "\"circuit\":\"toy\""));
    assert_non_null(strstr((char *)side.data, "\"seed\":\"00ff\""));
    free(meta.data);
    free(side.data);
}

static void setup_seeds(void **state)
{
    (void)state;
    assert_int_equal(make_key("key", "00ff", false), ERR_INVALID);
    assert_non_null(strstr(status_message(), "exists"));
    must(make_key("again", "00FF", false));
    same_file(path_of("key.params"), path_of("again.params"));
    same_file(path_of("key.vk"), path_of("again.vk"));
    must(make_key("again", "00fe", true));
    Bytes a = slurp(path_of("key.vk")), b = slurp(path_of("again.vk"));
    assert_memory_not_equal(a.data, b.data, 96);
    free(a.data);
    free(b.data);
    must(make_key("random", NULL, false));
    static const char *const bad[] = {"", "0", "0g", "zz", "0x00"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(make_key("bad", bad[i], false), ERR_FORMAT);
        assert_false(file_exists(path_of("bad.params")));
    }
}

static void read_prove_write(void **state)
{
    (void)state;
    static const char *const stems[] = {"key.params", "random.params"};
    for (int i = 0; i < 2; i++) {
        Pk *pk;
        Assignment z;
        Proof proof;
        PreparedVk *prepared;
        MemBudget *budget;
        must(mem_budget_new(&budget, 1 << 24));
        must(pk_load(&pk, path_of(stems[i]), KEY_CHECK_SUBGROUP, budget, pool));
        assert_int_equal(mem_budget_used(budget), pk_bytes(pk));
        must(pk_matches(pk_view(pk), r1cs));
        ToyWitness witness = {.seed = 3};
        must(r1cs_witness(&z, r1cs, &circuit, &witness, pool));
        must(prove(&proof, r1cs, pk_view(pk), &z, NULL, NULL, pool, NULL));
        must(vk_prepare(&prepared, pk_view(pk)->vk));
        must(verify(prepared, &proof, z.inputs + 1, INPUTS - 1));
        must(pk_write(pk_view(pk), path_of("copy.params")));
        same_file(path_of(stems[i]), path_of("copy.params"));
        vk_prepared_free(&prepared);
        assignment_free(&z);
        pk_free(&pk);
        assert_int_equal(mem_budget_used(budget), 0);
        mem_budget_free(&budget);
    }
}

/* Load bad.params with these bytes; a failure must give the reason and leave no reservation. */
static Status load_bytes(Bytes bytes, KeyCheck check)
{
    MemBudget *budget;
    Pk *pk = NULL;
    must(file_replace(path_of("bad.params"), bytes.data, bytes.size));
    must(mem_budget_new(&budget, bytes.size + 512));
    Status status = pk_load(&pk, path_of("bad.params"), check, budget, pool);
    if (status != OK) {
        assert_null(pk);
        assert_non_null(strstr(status_message(), "bad.params: "));
    }
    pk_free(&pk);
    assert_int_equal(mem_budget_used(budget), 0);
    mem_budget_free(&budget);
    return status;
}

static void expect_message(const char *part)
{
    if (!strstr(status_message(), part))
        fail_msg("\"%s\" lacks \"%s\"", status_message(), part);
}

/* A point of the curve over Fp2 outside the subgroup: the first small x that has a y. */
static G2Affine low_order_g2(void)
{
    G2Affine p = {.x = FP2_ZERO};
    Fp2 four_xi, right;
    fp_from_u64(&four_xi.c0, 4);
    four_xi.c1 = four_xi.c0;
    for (uint64_t x = 1;; x++) {
        fp_from_u64(&p.x.c0, x);
        fp2_sqr(&right, &p.x);
        fp2_mul(&right, &right, &p.x);
        fp2_add(&right, &right, &four_xi);
        if (fp2_sqrt(&p.y, &right) && !g2_in_subgroup(&p))
            return p;
    }
}

static void outside_the_subgroup(void **state)
{
    (void)state;
    Bytes bytes = slurp(path_of("key.params"));
    ParamsLayout layout;
    must(params_layout(&layout, bytes.data, bytes.size));
    G1Affine low = {.x = FP_ZERO};
    fp_from_u64(&low.y, 2);
    G2Affine low2 = low_order_g2();
    assert_true(g1_on_curve(&low) && g2_on_curve(&low2));
    for (Section section = SECTION_H; section <= SECTION_B_G2; section++) {
        size_t at = layout.n[section] - 1, size = section_point_bytes(section);
        uint8_t kept[G2_UNCOMPRESSED], *place = bytes.data + layout.offset[section] + at * size;
        char expected[64];
        memcpy(kept, place, size);
        if (section == SECTION_B_G2)
            g2_encode(place, &low2);
        else
            g1_encode(place, &low);
        must(load_bytes(bytes, KEY_CHECK_CURVE));
        assert_int_equal(load_bytes(bytes, KEY_CHECK_SUBGROUP), ERR_FORMAT);
        snprintf(expected, sizeof expected, "section %s, point %zu", section_names[section], at);
        expect_message(expected);
        expect_message("subgroup");
        memset(place, 0, size);
        place[0] = 0x40;
        assert_int_equal(load_bytes(bytes, KEY_CHECK_CURVE), ERR_FORMAT);
        expect_message("infinity");
        memcpy(place, kept, size);
    }
    must(load_bytes(bytes, KEY_CHECK_SUBGROUP));
    free(bytes.data);
}

/* Give the first point of the section after `section` to it: the file keeps its size. */
static void shift_count(Bytes bytes, const ParamsLayout *layout, Section section)
{
    uint8_t *count = bytes.data + layout->offset[section] - 4;
    uint8_t *next = bytes.data + layout->offset[section + 1] - 4;
    put_u32be(count, get_u32be(count) + 1);
    uint32_t rest = get_u32be(next) - 1;
    memmove(next, next + 4, section_point_bytes(section));
    put_u32be(next + section_point_bytes(section), rest);
}

static void shifted_counts(void **state)
{
    (void)state;
    for (Section section = SECTION_H; section < SECTION_B_G1; section++) {
        Bytes bytes = slurp(path_of("key.params"));
        ParamsLayout layout;
        must(params_layout(&layout, bytes.data, bytes.size));
        shift_count(bytes, &layout, section);
        Status status = load_bytes(bytes, KEY_CHECK_CURVE);
        if (status == OK) { // well-formed: only the circuit can tell
            Pk *pk;
            must(pk_load(&pk, path_of("bad.params"), KEY_CHECK_CURVE, NULL, pool));
            assert_int_equal(pk_matches(pk_view(pk), r1cs), ERR_INVALID);
            expect_message("points, expected");
            pk_free(&pk);
        } else {
            assert_int_equal(status, ERR_FORMAT);
            expect_message("section");
        }
        free(bytes.data);
    }
}

static void altered_counts(void **state)
{
    (void)state;
    Bytes bytes = slurp(path_of("key.params"));
    ParamsLayout layout;
    must(params_layout(&layout, bytes.data, bytes.size));
    uint64_t places[6] = {VK_FIXED_BYTES - 4};
    for (int i = 0; i < 5; i++)
        places[i + 1] = layout.offset[i] - 4;
    for (int i = 0; i < 6; i++) {
        uint8_t *place = bytes.data + places[i];
        uint32_t count = get_u32be(place);
        const uint32_t counts[] = {0, count - 1, count + 1, 0x7fffffff, 0xffffffff};
        for (int k = 0; k < 5; k++) {
            put_u32be(place, counts[k]);
            assert_int_equal(load_bytes(bytes, KEY_CHECK_CURVE), ERR_FORMAT);
        }
        put_u32be(place, count);
    }
    free(bytes.data);
}

static void truncated(void **state)
{
    (void)state;
    Bytes bytes = slurp(path_of("key.params"));
    uint64_t seed = 5;
    for (int i = 0; i < 60; i++) {
        size_t size = i < 10 ? bytes.size - 1 - (size_t)i : toy_random(&seed) % bytes.size;
        assert_int_equal(load_bytes((Bytes){bytes.data, size}, KEY_CHECK_CURVE), ERR_FORMAT);
    }
    bytes.data = realloc(bytes.data, bytes.size + 1);
    bytes.data[bytes.size++] = 0;
    assert_int_equal(load_bytes(bytes, KEY_CHECK_CURVE), ERR_FORMAT);
    expect_message("1 bytes after section b_g2");
    free(bytes.data);
}

static void budget_too_small(void **state)
{
    (void)state;
    MemBudget *budget;
    Pk *pk = NULL;
    must(mem_budget_new(&budget, 4096));
    assert_int_equal(pk_load(&pk, path_of("key.params"), KEY_CHECK_CURVE, budget, pool),
                     ERR_BUDGET);
    mem_budget_free(&budget);
    assert_int_equal(pk_load(&pk, path_of("none.params"), KEY_CHECK_CURVE, NULL, pool),
                     ERR_NOT_FOUND);
    assert_int_equal(pk_load(&pk, directory, KEY_CHECK_CURVE, NULL, pool), ERR_IO);
}

static void refuse_vk(const Vk *vk, const char *why)
{
    uint8_t bytes[868 + 96 * INPUTS];
    Vk back;
    vk_encode(bytes, vk);
    assert_int_not_equal(vk_parse(&back, bytes, sizeof bytes, NULL, false), OK);
    expect_message(why);
}

static void vk_files(void **state)
{
    (void)state;
    Vk vk, altered;
    must(vk_read(&vk, path_of("key.vk"), true));
    assert_int_equal(vk.n_inputs, INPUTS);
    altered = vk;
    altered.delta_g2 = vk.gamma_g2;
    refuse_vk(&altered, "gamma equals delta");
    altered = vk;
    altered.delta_g1 = G1_GENERATOR;
    refuse_vk(&altered, "delta is the generator");
    altered = vk;
    altered.gamma_g2 = (G2Affine){0};
    refuse_vk(&altered, "gamma_g2: the point at infinity");
    altered = vk;
    altered.delta_g2 = (G2Affine){0};
    refuse_vk(&altered, "delta_g2: the point at infinity");
    Bytes bytes = slurp(path_of("key.vk"));
    Vk back;
    for (size_t i = 0; i < bytes.size; i++) {
        bytes.data[i] ^= (uint8_t)(1 << i % 8);
        assert_int_not_equal(vk_parse(&back, bytes.data, bytes.size, NULL, false), OK);
        bytes.data[i] ^= (uint8_t)(1 << i % 8);
    }
    for (size_t size = 0; size < bytes.size; size += 31)
        assert_int_equal(vk_parse(&back, bytes.data, size, NULL, false), ERR_FORMAT);
    free(bytes.data);
    vk_free(&vk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setup_files),      cmocka_unit_test(setup_seeds),
        cmocka_unit_test(read_prove_write), cmocka_unit_test(outside_the_subgroup),
        cmocka_unit_test(shifted_counts),   cmocka_unit_test(altered_counts),
        cmocka_unit_test(truncated),        cmocka_unit_test(budget_too_small),
        cmocka_unit_test(vk_files),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
