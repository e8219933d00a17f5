/* SPDX-License-Identifier: MIT OR Apache-2.0
 * C1 from JSON: one pass, one table of members an object. */
#include "vanilla/c1.h"

#include <inttypes.h>
#include <string.h>

#include "vanilla/base64.h"
#include "vanilla/c1_impl.h"
#include "vanilla/json.h"

typedef struct {
    Json json;
    C1Builder builder;
    const SealProof *proof; /* registered_proof, NULL until it was read */
    uint32_t n_elements;    /* of the path being read */
} Reader;

/* Read the value of a member or element into target. */
typedef Status (*Read)(Reader *reader, void *target);

typedef struct {
    const char *name;
    Read read;
    size_t offset; /* of what it fills, from the object's target */
} Member;

/* An object with all of these members, each once, in any order. */
static Status read_members(Reader *reader, const Member *members, unsigned n, void *target)
{
    Json *json = &reader->json;
    unsigned seen = 0;
    TRY(json_enter_object(json));
    for (;;) {
        JsonText key;
        bool more;
        TRY(json_member(json, &key, &more));
        if (!more)
            break;
        unsigned i = 0;
        while (i < n && !json_text_is(key, members[i].name))
            i++;
        if (i == n) {
            TRY(json_skip(json));
            continue;
        }
        if (seen & 1u << i)
            return json_fail(json, key.raw - 1, ERR_FORMAT, "a second \"%s\"", members[i].name);
        seen |= 1u << i;
        TRY(members[i].read(reader, (uint8_t *)target + members[i].offset));
    }
    for (unsigned i = 0; i < n; i++)
        if (!(seen & 1u << i))
            return json_fail(json, json->at - 1, ERR_FORMAT, "\"%s\" is missing", members[i].name);
    return OK;
}

#define READ_MEMBERS(reader, members, target)                                                      \
    read_members((reader), (members), sizeof(members) / sizeof *(members), (target))

/* An array of exactly n elements, stride bytes apart. */
static Status read_list(Reader *reader, size_t n, Read read, void *target, size_t stride)
{
    Json *json = &reader->json;
    TRY(json_enter_array(json));
    const uint8_t *start = json->at - 1;
    for (size_t i = 0;; i++) {
        bool more;
        TRY(json_element(json, &more));
        if (!more && i == n)
            return OK;
        if (!more)
            return json_fail(json, start, ERR_FORMAT, "%zu elements where %zu should be", i, n);
        if (i == n)
            return json_fail(json, start, ERR_FORMAT, "more than %zu elements", n);
        TRY(read(reader, (uint8_t *)target + i * stride));
    }
}

/* Thirty-two bytes that are no field element: seed, ticket. */
static Status read_raw(Reader *reader, void *target)
{
    return json_bytes(&reader->json, ((Node *)target)->b, sizeof(Node));
}

static Status read_node(Reader *reader, void *target)
{
    Json *json = &reader->json;
    const uint8_t *start = json->at;
    TRY(json_bytes(json, ((Node *)target)->b, sizeof(Node)));
    if (!c1_canonical(target))
        return json_fail(json, start, ERR_FORMAT, "not below the field's modulus");
    return OK;
}

static Status read_u32_below(Reader *reader, uint64_t bound, uint32_t *value)
{
    uint64_t wide;
    TRY(json_u64(&reader->json, bound - 1, &wide));
    *value = (uint32_t)wide;
    return OK;
}

static Status read_hashes(Reader *reader, void *target)
{
    PathElement *element = target;
    return read_list(reader, element->arity - 1, read_node, element->siblings, sizeof(Node));
}

static Status read_index(Reader *reader, void *target)
{
    PathElement *element = target;
    return read_u32_below(reader, element->arity, &element->index);
}

static Status read_element(Reader *reader, void *target)
{
    static const Member members[] = {{"hashes", read_hashes, 0}, {"index", read_index, 0}};
    return READ_MEMBERS(reader, members, target);
}

static Status read_elements(Reader *reader, void *target)
{
    return read_list(reader, reader->n_elements, read_element, target, sizeof(PathElement));
}

/* {"path": [element, ...]} into n elements. */
static Status read_path(Reader *reader, PathElement *element, uint32_t n)
{
    static const Member members[] = {{"path", read_elements, 0}};
    reader->n_elements = n;
    return READ_MEMBERS(reader, members, element);
}

static Status read_base(Reader *reader, void *target)
{
    MerkleProof *proof = target;
    return read_path(reader, proof->path, proof->n_base);
}

static Status read_sub(Reader *reader, void *target)
{
    MerkleProof *proof = target;
    return read_path(reader, proof->path + proof->n_base, proof->n_sub);
}

static Status read_top(Reader *reader, void *target)
{
    MerkleProof *proof = target;
    return read_path(reader, proof->path + proof->n_base + proof->n_sub, proof->n_top);
}

static Status read_single(Reader *reader, void *target)
{
    static const Member members[] = {{"root", read_node, offsetof(MerkleProof, root)},
                                     {"leaf", read_node, offsetof(MerkleProof, leaf)},
                                     {"path", read_base, 0}};
    return READ_MEMBERS(reader, members, target);
}

static const Member layered_members[] = {{"root", read_node, offsetof(MerkleProof, root)},
                                         {"leaf", read_node, offsetof(MerkleProof, leaf)},
                                         {"base_proof", read_base, 0},
                                         {"sub_proof", read_sub, 0},
                                         {"top_proof", read_top, 0}};

static Status read_sub_variant(Reader *reader, void *target)
{
    return read_members(reader, layered_members, 4, target);
}

static Status read_top_variant(Reader *reader, void *target)
{
    return read_members(reader, layered_members, 5, target);
}

/* An enum: an object whose one member is the variant. */
static Status read_variant(Reader *reader, const char *name, Read read, void *target)
{
    Json *json = &reader->json;
    JsonText key;
    bool more;
    TRY(json_enter_object(json));
    TRY(json_member(json, &key, &more));
    if (!more || !json_text_is(key, name))
        return json_fail(json, more ? key.raw : json->at - 1, ERR_FORMAT,
                         "the variant \"%s\" should be here", name);
    TRY(read(reader, target));
    TRY(json_member(json, &key, &more));
    if (more)
        return json_fail(json, key.raw - 1, ERR_FORMAT, "a second variant beside \"%s\"", name);
    return OK;
}

static Status read_data(Reader *reader, void *target)
{
    const MerkleProof *proof = target;
    if (proof->n_top)
        return read_variant(reader, "Top", read_top_variant, target);
    if (proof->n_sub)
        return read_variant(reader, "Sub", read_sub_variant, target);
    return read_variant(reader, "Single", read_single, target);
}

static Status read_merkle(Reader *reader, void *target)
{
    static const Member members[] = {{"data", read_data, 0}};
    return READ_MEMBERS(reader, members, target);
}

static Status read_column_index(Reader *reader, void *target)
{
    uint64_t nodes = reader->builder.size->sector_size / sizeof(Node);
    return read_u32_below(reader, nodes, &((ColumnProof *)target)->index);
}

static Status read_rows(Reader *reader, void *target)
{
    ColumnProof *column = target;
    return read_list(reader, column->n_rows, read_node, column->rows, sizeof(Node));
}

static Status read_column_body(Reader *reader, void *target)
{
    static const Member members[] = {{"index", read_column_index, 0}, {"rows", read_rows, 0}};
    return READ_MEMBERS(reader, members, target);
}

static Status read_column(Reader *reader, void *target)
{
    static const Member members[] = {
        {"column", read_column_body, 0},
        {"inclusion_proof", read_merkle, offsetof(ColumnProof, inclusion)}};
    return READ_MEMBERS(reader, members, target);
}

static Status read_drg_parents(Reader *reader, void *target)
{
    return read_list(reader, POREP_DRG_PARENTS, read_column, target, sizeof(ColumnProof));
}

static Status read_exp_parents(Reader *reader, void *target)
{
    return read_list(reader, POREP_EXP_PARENTS, read_column, target, sizeof(ColumnProof));
}

static Status read_columns(Reader *reader, void *target)
{
    static const Member members[] = {
        {"c_x", read_column, offsetof(PorepChallenge, c_x)},
        {"drg_parents", read_drg_parents, offsetof(PorepChallenge, drg_parents)},
        {"exp_parents", read_exp_parents, offsetof(PorepChallenge, exp_parents)}};
    return READ_MEMBERS(reader, members, target);
}

static Status read_parents(Reader *reader, void *target)
{
    LabelingProof *proof = target;
    return read_list(reader, proof->n_parents, read_node, proof->parents, sizeof(Node));
}

static Status read_layer(Reader *reader, void *target)
{
    LabelingProof *proof = target;
    const uint8_t *start = reader->json.at;
    TRY(read_u32_below(reader, reader->builder.size->layers + 1, &proof->layer_index));
    if (!proof->layer_index)
        return json_fail(&reader->json, start, ERR_FORMAT, "layers count from 1");
    return OK;
}

static Status read_labeling_node(Reader *reader, void *target)
{
    uint64_t nodes = reader->builder.size->sector_size / sizeof(Node);
    return json_u64(&reader->json, nodes - 1, &((LabelingProof *)target)->node);
}

static Status read_labeling(Reader *reader, void *target)
{
    static const Member members[] = {{"parents", read_parents, 0},
                                     {"layer_index", read_layer, 0},
                                     {"node", read_labeling_node, 0}};
    return READ_MEMBERS(reader, members, target);
}

static Status read_labelings(Reader *reader, void *target)
{
    PorepChallenge *challenge = target;
    return read_list(reader, challenge->n_labeling, read_labeling, challenge->labeling,
                     sizeof(LabelingProof));
}

static Status read_challenge(Reader *reader, void *target)
{
    static const Member members[] = {
        {"comm_d_proofs", read_merkle, offsetof(PorepChallenge, comm_d)},
        {"comm_r_last_proof", read_merkle, offsetof(PorepChallenge, comm_r_last)},
        {"replica_column_proofs", read_columns, 0},
        {"labeling_proofs", read_labelings, 0},
        {"encoding_proof", read_labeling, offsetof(PorepChallenge, encoding)}};
    TRY(c1_challenge_alloc(&reader->builder, target));
    return READ_MEMBERS(reader, members, target);
}

/* The partitions of one sector size. Their number depends on the registered proof, which may stand
 * behind them: c1_agree compares. */
static Status read_partitions(Reader *reader, void *target)
{
    (void)target;
    Json *json = &reader->json;
    C1Builder *builder = &reader->builder;
    const size_t n_challenges = builder->size->challenges;
    uint32_t limit = reader->proof ? reader->proof->partitions : c1_max_partitions(builder);
    TRY(json_enter_array(json));
    for (;;) {
        bool more;
        TRY(json_element(json, &more));
        if (!more)
            return OK;
        if (builder->n_partitions == limit)
            return json_fail(json, json->at, ERR_FORMAT, "more than %u partitions", limit);
        PorepChallenge *challenges = c1_add_partition(builder);
        if (!challenges)
            return json_fail(json, json->at, ERR_MEMORY, "out of memory");
        TRY(read_list(reader, n_challenges, read_challenge, challenges, sizeof *challenges));
    }
}

static Status read_vanilla_proofs(Reader *reader, void *target)
{
    Json ahead = reader->json; /* look at the variant, which fixes the shape */
    JsonText key;
    bool more;
    TRY(json_enter_object(&ahead));
    TRY(json_member(&ahead, &key, &more));
    for (unsigned i = 0; more && i < C1_SIZES; i++) {
        const char *name = registry_seal_proof(i)->variant;
        if (!json_text_is(key, name))
            continue;
        TRY(c1_set_size(&reader->builder, i));
        if (reader->proof && reader->proof->sector_size != reader->builder.size->sector_size)
            return json_fail(&ahead, key.raw, ERR_FORMAT, "not the sector size of %s",
                             reader->proof->name);
        return read_variant(reader, name, read_partitions, target);
    }
    return json_fail(&ahead, more ? key.raw : ahead.at - 1, ERR_FORMAT,
                     "the variant of a sector size, such as \"StackedDrg32GiBV1\", should be here");
}

static Status read_registered_proof(Reader *reader, void *target)
{
    (void)target;
    Json *json = &reader->json;
    JsonText text;
    TRY(json_text(json, &text));
    for (unsigned i = 0; i < SEAL_PROOFS; i++) {
        const SealProof *proof = registry_seal_proof(i);
        if (!json_text_is(text, proof->name))
            continue;
        reader->builder.vanilla.registered_proof = i;
        reader->proof = proof;
        return OK;
    }
    return json_fail(json, text.raw, ERR_UNSUPPORTED, "unknown registered proof \"%.*s\"",
                     text.size < 64 ? (int)text.size : 64, (const char *)text.raw);
}

static Status read_inner(Reader *reader)
{
    static const Member members[] = {{"registered_proof", read_registered_proof, 0},
                                     {"vanilla_proofs", read_vanilla_proofs, 0},
                                     {"comm_r", read_node, offsetof(PorepVanilla, comm_r)},
                                     {"comm_d", read_node, offsetof(PorepVanilla, comm_d)},
                                     {"replica_id", read_node, offsetof(PorepVanilla, replica_id)},
                                     {"seed", read_raw, offsetof(PorepVanilla, seed)},
                                     {"ticket", read_raw, offsetof(PorepVanilla, ticket)}};
    TRY(READ_MEMBERS(reader, members, &reader->builder.vanilla));
    TRY(json_end(&reader->json));
    return c1_agree(&reader->builder, reader->json.name);
}

static Status parse_inner(PorepVanilla *out, const char *name, const uint8_t *text, size_t size)
{
    Reader reader = {0};
    json_init(&reader.json, name, text, size);
    Status status;
    TRY_GOTO(status, c1_builder_init(&reader.builder), done);
    TRY_GOTO(status, read_inner(&reader), done);
    status = c1_finish(&reader.builder, out);
done:
    c1_builder_free(&reader.builder);
    return status;
}

/* What stands around the proof in the envelope. */
typedef struct {
    uint64_t sector_number, sector_size;
    JsonText proof; /* base64 */
} Envelope;

static Status read_u64(Reader *reader, void *target)
{
    return json_u64(&reader->json, UINT64_MAX, target);
}

static Status read_text(Reader *reader, void *target)
{
    return json_text(&reader->json, target);
}

static Status read_envelope(Reader *reader, Envelope *envelope)
{
    static const Member members[] = {{"SectorNum", read_u64, offsetof(Envelope, sector_number)},
                                     {"Phase1Out", read_text, offsetof(Envelope, proof)},
                                     {"SectorSize", read_u64, offsetof(Envelope, sector_size)}};
    TRY(READ_MEMBERS(reader, members, envelope));
    return json_end(&reader->json);
}

/* Decode Phase1Out into fresh memory. An escape ("\/") is legal JSON, if unusual. */
static Status decode_proof(const Json *json, JsonText proof, uint8_t **text, size_t *size)
{
    uint8_t *plain = NULL;
    size_t fault = 0;
    Status status = ERR_MEMORY;
    *text = malloc(proof.size / 4 * 3 + 1);
    if (proof.escaped)
        plain = malloc(proof.size);
    if (!*text || (proof.escaped && !plain)) {
        status_fail(ERR_MEMORY, "C1: out of memory for %zu bytes of base64", proof.size);
        goto done;
    }
    const uint8_t *from = plain ? plain : proof.raw;
    size_t from_size = plain ? json_text_decode(proof, plain) : proof.size;
    status = base64_decode(*text, size, from, from_size, &fault);
    if (status != OK)
        status_context(status, "C1 envelope: byte %zu: Phase1Out",
                       (size_t)(proof.raw - json->begin) + (plain ? 0 : fault));
done:
    free(plain);
    return status;
}

static Status parse_envelope(PorepVanilla *out, const uint8_t *json, size_t size)
{
    Reader reader = {0};
    Envelope envelope = {0};
    json_init(&reader.json, "C1 envelope", json, size);
    TRY(read_envelope(&reader, &envelope));
    uint8_t *text = NULL;
    size_t text_size = 0;
    PorepVanilla vanilla = {0};
    Status status;
    TRY_GOTO(status, decode_proof(&reader.json, envelope.proof, &text, &text_size), done);
    TRY_GOTO(status, parse_inner(&vanilla, "C1: Phase1Out", text, text_size), done);
    if (vanilla.sector_size != envelope.sector_size) {
        status = status_fail(ERR_FORMAT,
                             "C1 envelope: SectorSize is %" PRIu64
                             ", but the registered proof's sectors have %" PRIu64 " bytes",
                             envelope.sector_size, vanilla.sector_size);
        porep_vanilla_free(&vanilla);
        goto done;
    }
    vanilla.has_envelope = true;
    vanilla.sector_number = envelope.sector_number;
    *out = vanilla;
done:
    free(text);
    return status;
}

/* The first key that only one of the two forms has decides. */
static Status find_form(const uint8_t *text, size_t size, bool *is_envelope)
{
    static const char *const names[] = {"Phase1Out",        "SectorNum", "SectorSize",
                                        "registered_proof", "comm_r",    "vanilla_proofs"};
    Json json;
    json_init(&json, "C1", text, size);
    TRY(json_enter_object(&json));
    for (;;) {
        JsonText key;
        bool more;
        TRY(json_member(&json, &key, &more));
        if (!more)
            return json_fail(&json, json.at - 1, ERR_FORMAT,
                             "neither a C1 (\"registered_proof\" is missing) nor its envelope "
                             "(\"Phase1Out\" is missing)");
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
            if (json_text_is(key, names[i])) {
                *is_envelope = i < 3;
                return OK;
            }
        TRY(json_skip(&json));
    }
}

Status c1_parse(PorepVanilla *out, const uint8_t *json, size_t size)
{
    CHECK(out && (json || !size));
    bool is_envelope;
    TRY(find_form(json, size, &is_envelope));
    return is_envelope ? parse_envelope(out, json, size) : parse_inner(out, "C1", json, size);
}
