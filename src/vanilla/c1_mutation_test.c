/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tests of C1 texts that are not quite right: edits by hand with their exact message, and seeded
 * mutations that must be refused by the reader or by the check. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "vanilla/base64.h"
#include "vanilla/c1.h"
#include "vanilla/c1_check.h"
#include "vectors.h"

static uint8_t *inner, *envelope;
static size_t inner_size, envelope_size;

static int load_texts(void **state)
{
    (void)state;
    PorepVanilla v = {0};
    uint8_t *text;
    size_t size;
    TRY(file_read(vectors_path("rust/porep-2k-v1_1.c1.json"), 1 << 24, &text, &size));
    TRY(c1_parse(&v, text, size));
    TRY(c1_write(&v, &inner, &inner_size));
    TRY(c1_write_envelope(inner, inner_size, 101, 2048, &envelope, &envelope_size));
    porep_vanilla_free(&v);
    free(text);
    return 0;
}

static int free_texts(void **state)
{
    (void)state;
    free(inner);
    free(envelope);
    return 0;
}

/* text with the first `find` replaced; *at: where it stood. */
static uint8_t *edit(const uint8_t *text, size_t size, const char *find, const char *replace,
                     size_t *at, size_t *out_size)
{
    size_t find_size = strlen(find), replace_size = strlen(replace);
    const uint8_t *found = memmem(text, size, find, find_size);
    if (!found)
        fail_msg("no %s in the text", find);
    *at = (size_t)(found - text);
    *out_size = size - find_size + replace_size;
    uint8_t *out = malloc(*out_size);
    memcpy(out, text, *at);
    memcpy(out + *at, replace, replace_size);
    memcpy(out + *at + replace_size, found + find_size, size - *at - find_size);
    return out;
}

/* An edit of the bare text, and how it is answered: NULL message: accepted. */
typedef struct {
    const char *find, *replace;
    size_t offset; /* of the fault, from the edit */
    const char *message;
} Edit;

#define PROOFS "vanilla_proofs.StackedDrg2KiBV1"
#define FIRST PROOFS "[0][0]"
#define SINGLE FIRST ".comm_d_proofs.data.Single"

static const Edit edits[] = {
    {"\"_h\":null", "\"_h\" : [ {\"a\":[1e5,true]} ] ", 0, NULL},
    {",\"_h\":null", "", 0, NULL},
    {"{\"registered", "{\"later\":\"\\u00e9\",\"registered", 0, NULL},
    {"\"comm_r\"", "\"comm\\u005fr\"", 0, NULL},
    {"],\"comm_d\":[", " ] ,\n\t\"comm_d\" : [ ", 0, NULL},
    {"\"comm_r\":", "\"comm_x\":", SIZE_MAX, "\"comm_r\" is missing"},
    {"\"comm_d\":", "\"comm_r\":", 0, "comm_r: a second \"comm_r\""},
    {"\"leaf\":", "\"root\":", 0, SINGLE ".root: a second \"root\""},
    {"\"encoding_proof\"", "\"encoding\"", SIZE_MAX, FIRST ": \"encoding_proof\" is missing"},
    {"StackedDrg2KiBV1_1", "StackedDrg2KiBV7", 0, "registered_proof: unknown registered proof"},
    {"\"StackedDrg2KiBV1_1\"", "6", 0, "registered_proof: a string should be here"},
    {"\"StackedDrg2KiBV1\":", "\"StackedDrg8MiBV1\":", 1,
     "vanilla_proofs.StackedDrg8MiBV1: not the sector size of StackedDrg2KiBV1_1"},
    {"\"StackedDrg2KiBV1\":", "\"StackedDrg2KiBV1_1\":", 1,
     "vanilla_proofs.StackedDrg2KiBV1_1: the variant of a sector size"},
    {"\"StackedDrg2KiBV1\":[", "\"StackedDrg2KiBV1\":[[],", 20, PROOFS "[0]: 0 elements where 2"},
    {"]]},\"comm_r\"", "],[]]},\"comm_r\"", 2, PROOFS "[1]: more than 1 partitions"},
    {"\"Single\"", "\"Sub\"", 1, FIRST ".comm_d_proofs.data.Sub: the variant \"Single\" should"},
    {"\"data\":{\"Single\":{", "\"data\":{}, \"x\":{\"Single\":{", 8,
     FIRST ".comm_d_proofs.data: the variant \"Single\" should be here"},
    {"\"root\":[", "\"root\":[0,", 7, SINGLE ".root[32]: more than 32 bytes"},
    {"\"root\":[", "\"root\":[],\"x\":[", 7, SINGLE ".root: 0 bytes where 32 should be"},
    {"\"root\":[", "\"root\":[256,", 8, SINGLE ".root[0]: 256 is above 255"},
    {"\"root\":[", "\"root\":[-", 8, SINGLE ".root[0]: '-' where an integer should be"},
    {"\"root\":[", "\"root\":[0", 8, SINGLE ".root[0]: an integer with a leading zero"},
    {"\"root\":[", "\"root\":[1.0,", 8, SINGLE ".root[0]: a fraction or exponent"},
    {"\"root\":[", "\"root\":\"", 7, SINGLE ".root: '\"' where an array should be"},
    {"\"root\":[", "\"root\":[,", 8, SINGLE ".root[0]: ',' where an integer should be"},
    {"\"hashes\":[", "\"hashes\":[[],", 10, SINGLE ".path.path[0].hashes[0]: 0 bytes where 32"},
    {"\"hashes\":[", "\"hashes\":[],\"x\":[", 9, SINGLE ".path.path[0].hashes: 0 elements where 1"},
    {"\"index\":", "\"index\":2,\"x\":", 8, SINGLE ".path.path[0].index: 2 is above 1"},
    {"{\"hashes\":", "{},{\"hashes\":", 1, SINGLE ".path.path[0]: \"hashes\" is missing"},
    {"\"column\":{\"index\":", "\"column\":{\"index\":64,\"x\":", 18,
     FIRST ".replica_column_proofs.c_x.column.index: 64 is above 63"},
    {"\"rows\":[", "\"rows\":[],\"x\":[", 7,
     FIRST ".replica_column_proofs.c_x.column.rows: 0 elements where 2 should be"},
    {"\"drg_parents\":[", "\"drg_parents\":[],\"x\":[", 14,
     FIRST ".replica_column_proofs.drg_parents: 0 elements where 6 should be"},
    {"\"exp_parents\":[", "\"exp_parents\":[],\"x\":[", 14,
     FIRST ".replica_column_proofs.exp_parents: 0 elements where 8 should be"},
    {"\"labeling_proofs\":[", "\"labeling_proofs\":[],\"x\":[", 18,
     FIRST ".labeling_proofs: 0 elements where 2 should be"},
    {"\"parents\":[", "\"parents\":[],\"x\":[", 10,
     FIRST ".labeling_proofs[0].parents: 0 elements where 37 should be"},
    {"\"layer_index\":1", "\"layer_index\":0", 14,
     FIRST ".labeling_proofs[0].layer_index: layers count from 1"},
    {"\"layer_index\":1", "\"layer_index\":3", 14,
     FIRST ".labeling_proofs[0].layer_index: 3 is above 2"},
    {"\"node\":", "\"node\":18446744073709551616,\"x\":", 7,
     FIRST ".labeling_proofs[0].node: 18446744073709551616 is above 63"},
    {"\"seed\":[", "\"seed\":null,\"x\":[", 7, "seed: 'n' where an array should be"},
    {"\"ticket\":[", "\"ticket\":[1 2,", 12, "ticket[0]: '2' where ',' or ']' should be"},
};

static void edits_are_answered_exactly(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        const Edit *row = &edits[i];
        PorepVanilla v = {0};
        size_t at, size;
        uint8_t *text = edit(inner, inner_size, row->find, row->replace, &at, &size);
        Status status = c1_parse(&v, text, size);
        if (!row->message) {
            if (status != OK)
                fail_msg("%s: %s", row->replace, status_message());
            assert_int_equal(c1_check(&v, NULL), OK);
            porep_vanilla_free(&v);
        } else {
            char expected[400];
            if (row->offset == SIZE_MAX)
                snprintf(expected, sizeof expected, "%s", row->message);
            else
                snprintf(expected, sizeof expected, "C1: byte %zu: %s", at + row->offset,
                         row->message);
            assert_true(status == ERR_FORMAT || status == ERR_UNSUPPORTED);
            if (!strstr(status_message(), expected))
                fail_msg("%s: '%s', not '%s'", row->replace, status_message(), expected);
            assert_null(v.arena);
        }
        free(text);
    }
}

/* Field elements at and around the modulus; seed and ticket are any bytes. */
static void field_elements_are_canonical(void **state)
{
    (void)state;
    static const uint8_t modulus[32] = {
        1, 0,    0,    0, 0xff, 0xff, 0xff, 0xff, 0xfe, 0x5b, 0xfe, 0xff, 2,    0xa4, 0xbd, 0x53,
        5, 0xd8, 0xa1, 9, 8,    0xd8, 0x39, 0x33, 0x48, 0x7d, 0x9d, 0x29, 0x53, 0xa7, 0xed, 0x73};
    PorepVanilla v = {0}, back = {0};
    assert_int_equal(c1_parse(&v, inner, inner_size), OK);
    Node *const nodes[] = {&v.comm_r,
                           &v.comm_d,
                           &v.replica_id,
                           &v.challenges[1].exp_parents[7].inclusion.path[1].siblings[6],
                           &v.challenges[0].labeling[1].parents[36],
                           &v.challenges[0].c_x.rows[1],
                           &v.seed,
                           &v.ticket};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        for (int delta = -1; delta <= 1; delta++) {
            Node kept = *nodes[i];
            uint8_t *text;
            size_t size;
            memcpy(nodes[i]->b, modulus, 32);
            nodes[i]->b[0] = (uint8_t)(1 + delta);
            assert_int_equal(c1_write(&v, &text, &size), OK);
            Status status = c1_parse(&back, text, size);
            assert_int_equal(status, delta < 0 || i >= 6 ? OK : ERR_FORMAT);
            if (status != OK)
                assert_non_null(strstr(status_message(), "not below the field's modulus"));
            porep_vanilla_free(&back);
            free(text);
            *nodes[i] = kept;
        }
    porep_vanilla_free(&v);
}

/* message: with one %zu for the fault's offset, which is `offset` from the edit. */
static void assert_envelope(const char *find, const char *replace, size_t offset,
                            const char *message)
{
    PorepVanilla v = {0};
    size_t at, size;
    char place[64];
    uint8_t *text = edit(envelope, envelope_size, find, replace, &at, &size);
    snprintf(place, sizeof place, "C1 envelope: byte %zu: ", at + offset);
    Status status = c1_parse(&v, text, size);
    if (status == OK || !strstr(status_message(), message) ||
        (offset != SIZE_MAX && !strstr(status_message(), place)))
        fail_msg("%s: '%s', not '%s%s'", replace, status ? status_message() : "OK", place, message);
    assert_null(v.arena);
    free(text);
}

static void envelopes_are_answered_exactly(void **state)
{
    (void)state;
    const char *const key = "\"Phase1Out\"";
    assert_envelope(key, "\"Phase1In\"", SIZE_MAX, "\"Phase1Out\" is missing");
    assert_envelope("\"SectorNum\"", "\"SectorNo\"", SIZE_MAX, "\"SectorNum\" is missing");
    assert_envelope("\"SectorNum\"", "\"SectorSize\":1,\"SectorNum\"", SIZE_MAX, "a second \"S");
    assert_envelope("\"SectorNum\":", "\"SectorNum\":-", 12, "SectorNum: '-' where an integer");
    assert_envelope("101,", "18446744073709551616,", 0, "SectorNum: 18446744073709551616 is above");
    assert_envelope("\":2048", "\":4096", SIZE_MAX, "SectorSize is 4096, but the registered");
    assert_envelope("2048}", "2048} {", 6, "1 bytes after the end");
    assert_envelope("\"eyJy", "\"ey*y", 3, "Phase1Out: base64: character 2: outside");
    assert_envelope("\"eyJy", "\"eyJy\\n", 1, "the text is cut off");
    assert_envelope("\"eyJy", "\"ey=y", 3, "Phase1Out: base64: character 2: padding before");
    assert_envelope("\",\"SectorSize", "Q\",\"SectorSize", 1, "the text is cut off");
    assert_envelope("\"eyJy", "\"fQ==", 3, "Phase1Out: base64: character 2: padding before");
    assert_envelope("\"eyJy", "{\"eyJy", 0, "Phase1Out: a string should be here");
    assert_envelope("\"eyJy", "\"\",\"x\":\"eyJy", SIZE_MAX,
                    "C1: Phase1Out: byte 0: the text ends");
}

static void envelopes_of_other_texts(void **state)
{
    (void)state;
    PorepVanilla v = {0};
    size_t at, size, wrapped_size;
    uint8_t *wrapped, *text = edit(inner, inner_size, "\"root\":[", "\"root\":[256,", &at, &size);
    assert_int_equal(c1_write_envelope(text, size, 0, 2048, &wrapped, &wrapped_size), OK);
    assert_int_equal(c1_parse(&v, wrapped, wrapped_size), ERR_FORMAT);
    char expected[200];
    snprintf(expected, sizeof expected, "C1: Phase1Out: byte %zu: " SINGLE ".root[0]: 256 is above",
             at + 8);
    assert_non_null(strstr(status_message(), expected));
    free(text);
    free(wrapped);
    /* An escape in the base64, and the members in another order, are legal. */
    text = edit(envelope, envelope_size, "\"eyJy", "\"\\u0065yJy", &at, &size);
    assert_int_equal(c1_parse(&v, text, size), OK);
    assert_int_equal(v.sector_number, 101);
    porep_vanilla_free(&v);
    free(text);
    text = edit(envelope, envelope_size, "{\"SectorNum\":101,", "{\"Extra\":[1,2],", &at, &size);
    wrapped = edit(text, size, "2048}", "2048 , \"SectorNum\" : 5}", &at, &wrapped_size);
    assert_int_equal(c1_parse(&v, wrapped, wrapped_size), OK);
    assert_int_equal(v.sector_number, 5);
    porep_vanilla_free(&v);
    free(text);
    free(wrapped);
    static const char neither[] = "{\"a\":1,\"b\":{}}";
    assert_int_equal(c1_parse(&v, (const uint8_t *)neither, sizeof neither - 1), ERR_FORMAT);
    assert_non_null(strstr(status_message(), "neither a C1"));
}

static void trailing_and_deep_and_huge(void **state)
{
    (void)state;
    enum { EXTRA = 1 << 20 };
    PorepVanilla v = {0};
    uint8_t *text = malloc(inner_size + EXTRA + 64);
    memcpy(text, inner, inner_size);
    text[inner_size] = 'x';
    assert_int_equal(c1_parse(&v, text, inner_size + 1), ERR_FORMAT);
    assert_non_null(strstr(status_message(), "1 bytes after the end"));
    text[inner_size] = '\n';
    assert_int_equal(c1_parse(&v, text, inner_size + 1), OK);
    porep_vanilla_free(&v);
    /* An unknown member, first too deep, then merely huge. */
    size_t size = inner_size - 1;
    size += (size_t)sprintf((char *)text + size, ",\"zz\":");
    memset(text + size, '[', EXTRA);
    assert_int_equal(c1_parse(&v, text, size + EXTRA), ERR_FORMAT);
    assert_non_null(strstr(status_message(), "nested deeper than 32"));
    text[size] = '[';
    for (size_t i = 1; i < EXTRA; i++)
        text[size + i] = i % 2 ? '0' : ',';
    text[size + EXTRA] = ']';
    text[size + EXTRA + 1] = '}';
    if (c1_parse(&v, text, size + EXTRA + 2) != OK)
        fail_msg("%s", status_message());
    porep_vanilla_free(&v);
    free(text);
}

static void every_cut_is_refused(void **state)
{
    (void)state;
    for (size_t cut = 0; cut < inner_size; cut += cut < 300 ? 1 : 211) {
        PorepVanilla v = {0};
        uint8_t *copy = malloc(cut + !cut);
        memcpy(copy, inner, cut);
        assert_int_equal(c1_parse(&v, copy, cut), ERR_FORMAT);
        free(copy);
    }
    for (size_t cut = 0; cut < envelope_size; cut += 307) {
        PorepVanilla v = {0};
        assert_int_equal(c1_parse(&v, envelope, cut), ERR_FORMAT);
    }
}

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    return *x ^= *x << 17;
}

/* One change of a kind at a random place. */
static size_t mutate(uint8_t *text, size_t size, unsigned kind, uint64_t *x)
{
    size_t at = next_random(x) % size, other = next_random(x) % size;
    size_t span = 1 + next_random(x) % 24;
    if (at + span > size || other + span > size)
        return size;
    switch (kind) {
    case 0: /* a bit */
        text[at] ^= (uint8_t)(1u << next_random(x) % 8);
        return size;
    case 1: /* a digit for a digit */
        while (at < size && (uint8_t)(text[at] - '0') > 9)
            at++;
        if (at < size)
            text[at] = (uint8_t)('0' + (text[at] - '0' + 1 + next_random(x) % 9) % 10);
        return size;
    case 2: /* a letter of a key */
        while (at < size && (uint8_t)(text[at] - 'a') > 25)
            at++;
        if (at < size)
            text[at] = (uint8_t)('a' + next_random(x) % 26);
        return size;
    case 3: /* a piece less */
        memmove(text + at, text + at + span, size - at - span);
        return size - span;
    case 4: /* a piece twice */
        memmove(text + at + span, text + at, size - at);
        return size + span;
    case 5: /* two pieces swapped */
        for (size_t i = 0; i < span; i++) {
            uint8_t kept = text[at + i];
            text[at + i] = text[other + i];
            text[other + i] = kept;
        }
        return size;
    case 6: /* white space */
        memmove(text + at + 1, text + at, size - at);
        text[at] = " \t\r\n"[next_random(x) % 4];
        return size + 1;
    default: /* punctuation */
        text[at] = (uint8_t) "[]{},:\"-."[next_random(x) % 9];
        return size;
    }
}

/* Whether the texts' proofs agree in all that is proved: everything but the ticket. */
static bool same_proof(PorepVanilla *v)
{
    PorepVanilla original = {0};
    uint8_t *text;
    size_t size;
    assert_int_equal(c1_parse(&original, inner, inner_size), OK);
    v->ticket = original.ticket;
    porep_vanilla_free(&original);
    assert_int_equal(c1_write(v, &text, &size), OK);
    bool same = size == inner_size && !memcmp(text, inner, size);
    free(text);
    return same;
}

static void mutations_are_refused_or_harmless(void **state)
{
    (void)state;
    enum { ROUNDS = 960 };
    unsigned refused = 0, invalid = 0, harmless = 0;
    uint64_t x = 0x243f6a8885a308d3;
    for (unsigned round = 0; round < ROUNDS; round++) {
        PorepVanilla v = {0};
        uint8_t *text = malloc(inner_size + 64);
        memcpy(text, inner, inner_size);
        size_t size = mutate(text, inner_size, round % 8, &x);
        uint8_t *exact = realloc(text, size);
        Status status = c1_parse(&v, exact, size);
        if (status == OK && c1_check(&v, NULL) == ERR_INVALID) {
            assert_non_null(strstr(status_message(), ": "));
            invalid++;
        } else if (status == OK) {
            assert_true(same_proof(&v));
            harmless++;
        } else {
            assert_true(status == ERR_FORMAT || status == ERR_UNSUPPORTED);
            assert_non_null(strstr(status_message(), "C1: "));
            refused++;
        }
        porep_vanilla_free(&v);
        free(exact);
    }
    print_message("%u refused by the reader, %u by the check, %u harmless\n", refused, invalid,
                  harmless);
    assert_true(refused > ROUNDS / 4 && invalid > ROUNDS / 10 && harmless > 20);
}

int main(void)
{
    vectors_require("vanilla_c1_mutation");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_are_answered_exactly),
        cmocka_unit_test(field_elements_are_canonical),
        cmocka_unit_test(envelopes_are_answered_exactly),
        cmocka_unit_test(envelopes_of_other_texts),
        cmocka_unit_test(trailing_and_deep_and_huge),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(mutations_are_refused_or_harmless),
    };
    return cmocka_run_group_tests(tests, load_texts, free_texts);
}
