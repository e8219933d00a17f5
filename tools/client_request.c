/* SPDX-License-Identifier: MIT OR Apache-2.0
 * From flags to a SubmitRequest. */
#include "client_request.h"

#include "args.h"
#include "base/file.h"
#include "cuzk.h"
#include "vanilla/base64.h"
#include "vanilla/json.h"

#include <string.h>

enum { MOST_FILE = 1 << 30 };

static unsigned kind_of(const char *type)
{
    static const struct {
        const char *name;
        cuzk_kind kind;
    } types[] = {
        {"porep", CUZK_KIND_POREP},
        {"porep-c2", CUZK_KIND_POREP},
        {"seal-commit", CUZK_KIND_POREP},
        {"snap", CUZK_KIND_SNAP},
        {"snap-deals", CUZK_KIND_SNAP},
        {"update", CUZK_KIND_SNAP},
        {"wpost", CUZK_KIND_WINDOW_POST},
        {"window-post", CUZK_KIND_WINDOW_POST},
        {"windowpost", CUZK_KIND_WINDOW_POST},
        {"winning", CUZK_KIND_WINNING_POST},
        {"winning-post", CUZK_KIND_WINNING_POST},
        {"winningpost", CUZK_KIND_WINNING_POST},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(type, types[i].name) == 0)
            return types[i].kind;
    return CUZK_KIND_NONE;
}

/* The type's file flag given, the other not. */
static Status check_flags(unsigned kind, const RequestFlags *flags)
{
    if (kind == CUZK_KIND_NONE)
        FAIL(ERR_ARG, "--type %s: wanted porep, snap, wpost or winning", flags->type);
    bool porep = kind == CUZK_KIND_POREP;
    if (porep ? !flags->c1 : !flags->vanilla)
        FAIL(ERR_ARG, "--type %s wants %s", flags->type, porep ? "--c1" : "--vanilla");
    if (porep ? flags->vanilla : flags->c1)
        FAIL(ERR_ARG, "--type %s does not take %s", flags->type, porep ? "--vanilla" : "--c1");
    if (flags->partition > UINT32_MAX)
        FAIL(ERR_ARG, "--partition: at most %u", UINT32_MAX);
    return OK;
}

static Status read_hash(WireBytes *out, uint8_t hash[32], const char *name, const char *text)
{
    if (!text)
        return OK;
    if (!parse_hex(hash, 32, text))
        FAIL(ERR_ARG, "--%s: wanted 64 hex digits", name);
    *out = (WireBytes){hash, 32};
    return OK;
}

static Status read_hashes(ClientRequest *out, const RequestFlags *flags)
{
    SubmitRequest *s = &out->submit;
    TRY(read_hash(&s->randomness, out->hashes[0], "randomness", flags->randomness));
    TRY(read_hash(&s->comm_r_old, out->hashes[1], "comm-r-old", flags->comm_r_old));
    TRY(read_hash(&s->comm_r_new, out->hashes[2], "comm-r-new", flags->comm_r_new));
    return read_hash(&s->comm_d_new, out->hashes[3], "comm-d-new", flags->comm_d_new);
}

/* One element: its bytes behind those that the earlier ones took. */
static Status read_proof(WireBytes *out, uint8_t *room, Json *json)
{
    JsonText text;
    size_t fault;
    TRY(json_text(json, &text));
    if (text.escaped)
        return json_fail(json, text.raw, ERR_FORMAT, "an escape in base64");
    Status status = base64_decode(room, &out->size, text.raw, text.size, &fault);
    if (status != OK)
        return json_fail(json, text.raw + fault, status, "not base64");
    out->data = room;
    return OK;
}

/* decoded never overflows: a text's bytes are fewer than its characters, and the texts do not
 * overlap in the file. */
static Status read_array(ClientRequest *out, const char *path, size_t size)
{
    SubmitRequest *s = &out->submit;
    size_t used = 0;
    bool more;
    Json json;
    out->decoded = malloc(size);
    if (!out->decoded)
        FAIL(ERR_MEMORY, "%s: out of memory", path);
    json_init(&json, path, out->file, size);
    TRY(json_enter_array(&json));
    for (;;) {
        TRY(json_element(&json, &more));
        if (!more)
            break;
        if (s->n_vanilla_proofs == PROVING_MOST_VANILLA)
            return json_fail(&json, json.at, ERR_FORMAT, "more than %d proofs",
                             PROVING_MOST_VANILLA);
        WireBytes *proof = &s->vanilla_proofs[s->n_vanilla_proofs++];
        TRY(read_proof(proof, out->decoded + used, &json));
        used += proof->size;
    }
    TRY(json_end(&json));
    if (s->n_vanilla_proofs == 0)
        FAIL(ERR_FORMAT, "%s: an empty array, wanted at least one proof", path);
    return OK;
}

/* A JSON array begins, after white space, with [ and then a text or its end. Raw proofs (bincode)
 * begin with lengths and hashes; one that looks like an array is not a proof of any kind. */
static bool is_array(const uint8_t *text, size_t size)
{
    char seen[2] = "";
    size_t n = 0;
    for (size_t i = 0; i < size && n < 2; i++)
        if (!memchr(" \t\r\n", text[i], 4))
            seen[n++] = (char)text[i];
    return seen[0] == '[' && (seen[1] == '"' || seen[1] == ']');
}

static Status read_file(ClientRequest *out, const RequestFlags *flags)
{
    const char *path = flags->c1 ? flags->c1 : flags->vanilla;
    size_t size;
    TRY(file_read(path, MOST_FILE, &out->file, &size));
    if (size == 0)
        FAIL(ERR_FORMAT, "%s: empty", path);
    if (flags->c1) {
        out->submit.vanilla_proof = (WireBytes){out->file, size};
        return OK;
    }
    out->submit.vanilla_proofs = calloc(PROVING_MOST_VANILLA, sizeof(WireBytes));
    if (!out->submit.vanilla_proofs)
        FAIL(ERR_MEMORY, "%s: out of memory", path);
    if (is_array(out->file, size))
        return read_array(out, path, size);
    out->submit.vanilla_proofs[0] = (WireBytes){out->file, size};
    out->submit.n_vanilla_proofs = 1;
    return OK;
}

Status client_request_new(ClientRequest *out, const RequestFlags *flags)
{
    unsigned kind = kind_of(flags->type);
    TRY(check_flags(kind, flags));
    *out = (ClientRequest){.submit = {.proof_kind = kind,
                                      .sector_size = flags->sector_size,
                                      .registered_proof = flags->registered_proof,
                                      .priority = flags->priority,
                                      .sector_number = flags->sector_num,
                                      .miner_id = flags->miner_id,
                                      .partition_index = flags->partition}};
    Status status = read_hashes(out, flags);
    if (status == OK)
        status = read_file(out, flags);
    if (status != OK)
        client_request_free(out);
    return status;
}

void client_request_free(ClientRequest *request)
{
    submit_request_free(&request->submit);
    free(request->file);
    free(request->decoded);
    *request = (ClientRequest){0};
}
