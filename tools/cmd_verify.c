/* SPDX-License-Identifier: MIT OR Apache-2.0
 * cuzk verify: proofs under a verifying key, independent of the daemon. */
#include "args.h"
#include "base/file.h"
#include "commands.h"
#include "filecoin/commitments.h"
#include "filecoin/public_inputs.h"
#include "keys/keys.h"
#include "vanilla/base64.h"
#include "vanilla/c1.h"
#include "vanilla/json.h"

#include <string.h>

enum { MOST_FILE = 1 << 30, EXIT_CANNOT_SAY = 2 };

typedef struct {
    const char *vk, *proof, *c1, *public, *export;
    ArgList inputs;
    uint64_t miner, sector;
} VerifyArgs;

/* Everything to be checked: k proofs, k groups of n inputs. */
typedef struct {
    Vk vk;
    uint8_t *proofs;
    size_t n_proofs;
    Fr *inputs;
    size_t n_inputs;
} Task;

static bool is_hex(const uint8_t *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strchr("0123456789abcdefABCDEF", text[i]) || !text[i])
            return false;
    return n > 0;
}

/* Raw 192 bytes a partition, or the same as hex or base64 text. */
static Status read_proofs(Task *task, const char *path)
{
    uint8_t *text, *bytes;
    size_t size, n;
    TRY(file_read(path, MOST_FILE, &text, &size));
    if (size && size % PROOF_BYTES == 0 && !is_hex(text, size)) {
        task->proofs = text;
        task->n_proofs = size / PROOF_BYTES;
        return OK;
    }
    while (size && strchr(" \r\n\t", text[size - 1]))
        size--;
    bytes = malloc(size + 1);
    Status status = bytes ? OK : status_fail(ERR_MEMORY, "out of memory");
    if (status == OK && is_hex(text, size)) {
        n = size / 2;
        for (size_t i = 0; i < n; i++) {
            const char pair[3] = {(char)text[2 * i], (char)text[2 * i + 1], 0};
            bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
        }
    } else if (status == OK) {
        size_t fault;
        status = base64_decode(bytes, &n, text, size, &fault);
    }
    free(text);
    if (status == OK && (n == 0 || n % PROOF_BYTES))
        status = status_fail(ERR_FORMAT, "a proof is 192 bytes a partition");
    if (status != OK) {
        free(bytes);
        return status_context(status, "%s", path);
    }
    task->proofs = bytes;
    task->n_proofs = n / PROOF_BYTES;
    return OK;
}

/* One canonical little-endian value in hex a line. */
static Status read_input_file(Fr *out, size_t n, const char *path)
{
    uint8_t *text, bytes[32];
    size_t size, line = 0;
    TRY(file_read(path, MOST_FILE, &text, &size));
    Status status = OK;
    for (char *at = (char *)text; status == OK && *at; line++) {
        char *end = at + strcspn(at, "\r\n");
        char *next = end + strspn(end, "\r\n");
        *end = '\0';
        if (line == n)
            status = status_fail(ERR_FORMAT, "%s: more than %zu lines", path, n);
        else if (!parse_hex(bytes, 32, at) || !fr_from_le(&out[line], bytes))
            status = status_fail(ERR_FORMAT,
                                 "%s: line %zu: expected 64 hex digits of a canonical "
                                 "field element",
                                 path, line + 1);
        at = next;
    }
    free(text);
    TRY(status);
    if (line != n)
        FAIL(ERR_FORMAT, "%s: %zu lines, expected %zu", path, line, n);
    return OK;
}

/* The keys of a meta file that public inputs derive from. */
typedef struct {
    Node replica_id, comm_d, comm_r, seed;
    char proof[64];
} PublicFile;

static Status read_public_member(PublicFile *out, Json *json, JsonText key, unsigned *seen)
{
    static const char *const names[] = {"replica_id", "comm_d", "comm_r", "seed"};
    Node *const nodes[] = {&out->replica_id, &out->comm_d, &out->comm_r, &out->seed};
    JsonText text;
    char copy[65];
    bool name = json_text_is(key, "registered_proof");
    int index = -1;
    for (int i = 0; i < 4; i++)
        if (json_text_is(key, names[i]))
            index = i;
    if (!name && index < 0)
        return json_skip(json);
    const uint8_t *at = json->at;
    TRY(json_text(json, &text));
    if (text.size > 64 || text.escaped)
        return json_fail(json, at, ERR_FORMAT, "expected at most 64 plain characters");
    copy[json_text_decode(text, (uint8_t *)copy)] = '\0';
    if (name)
        memcpy(out->proof, copy, sizeof out->proof - 1);
    else if (!parse_hex(nodes[index]->b, 32, copy))
        return json_fail(json, at, ERR_FORMAT, "expected 64 hex digits");
    *seen |= 1u << (name ? 4 : index);
    return OK;
}

static Status read_public(PorepPublic *out, const char *path)
{
    uint8_t *text;
    size_t size;
    TRY(file_read(path, 1 << 20, &text, &size));
    PublicFile file = {0};
    unsigned seen = 0;
    Json json;
    JsonText key;
    bool more = false;
    json_init(&json, path, text, size);
    Status status = json_enter_object(&json);
    while (status == OK && (status = json_member(&json, &key, &more)) == OK && more)
        status = read_public_member(&file, &json, key, &seen);
    if (status == OK && seen != 31)
        status = status_fail(ERR_FORMAT,
                             "%s: expected registered_proof, replica_id, comm_d, comm_r "
                             "and seed",
                             path);
    free(text);
    TRY(status);
    out->proof = registry_seal_proof_named(file.proof, strlen(file.proof));
    if (!out->proof)
        FAIL(ERR_UNSUPPORTED, "%s: registered_proof \"%s\" is not known", path, file.proof);
    out->replica_id = file.replica_id;
    out->comm_d = file.comm_d;
    out->comm_r = file.comm_r;
    out->seed = file.seed;
    return OK;
}

/* What the C1 says of itself; miner and sector, where given, must lead to its replica_id. */
static Status read_c1_public(PorepPublic *out, const VerifyArgs *a)
{
    uint8_t *text;
    size_t size;
    PorepVanilla v;
    TRY(file_read(a->c1, MOST_FILE, &text, &size));
    Status status = c1_parse(&v, text, size);
    free(text);
    TRY(status);
    *out = (PorepPublic){registry_seal_proof(v.registered_proof), v.replica_id, v.comm_d, v.comm_r,
                         v.seed};
    if (a->miner || a->sector) {
        uint8_t porep_id[32];
        Node prover, id;
        prover_id_from_miner(&prover, a->miner);
        registry_porep_id(porep_id, v.registered_proof);
        replica_id(&id, &prover, a->sector, &v.ticket, &v.comm_d, porep_id);
        if (memcmp(&id, &v.replica_id, sizeof id) != 0)
            status = status_fail(ERR_INVALID, "replica_id is not that of miner %llu, sector %llu",
                                 (unsigned long long)a->miner, (unsigned long long)a->sector);
    }
    porep_vanilla_free(&v);
    return status;
}

static Status derive_inputs(Task *task, const PorepPublic *public)
{
    if (porep_inputs_count(public->proof) != task->n_inputs)
        FAIL(ERR_INVALID, "%s has %zu public inputs, the key %zu", public->proof->name,
             porep_inputs_count(public->proof), task->n_inputs);
    if (public->proof->partitions != task->n_proofs)
        FAIL(ERR_INVALID, "%s has %u partitions, the proof %zu", public->proof->name,
             public->proof->partitions, task->n_proofs);
    for (size_t k = 0; k < task->n_proofs; k++)
        TRY(porep_public_inputs(task->inputs + k * task->n_inputs, public, k));
    return OK;
}

static Status read_inputs(Task *task, const VerifyArgs *a)
{
    PorepPublic public;
    task->n_inputs = task->vk.n_inputs - 1;
    task->inputs = calloc(task->n_proofs * task->n_inputs + 1, sizeof *task->inputs);
    if (!task->inputs)
        FAIL(ERR_MEMORY, "out of memory");
    if (a->c1) {
        TRY(read_c1_public(&public, a));
        return derive_inputs(task, &public);
    }
    if (a->public) {
        TRY(read_public(&public, a->public));
        return derive_inputs(task, &public);
    }
    if (a->inputs.n != task->n_proofs)
        FAIL(ERR_ARG, "%zu proofs, %zu input files: expected one a partition", task->n_proofs,
             a->inputs.n);
    for (size_t k = 0; k < task->n_proofs; k++)
        TRY(read_input_file(task->inputs + k * task->n_inputs, task->n_inputs,
                            a->inputs.values[k]));
    return OK;
}

/* One line a partition; *invalid counts. */
static Status verify_all(const Task *task, const char *export, size_t *invalid)
{
    PreparedVk *vk;
    TRY(vk_prepare(&vk, &task->vk));
    Status status = OK;
    for (size_t k = 0; k < task->n_proofs && status == OK; k++) {
        Proof proof;
        const Fr *inputs = task->inputs + k * task->n_inputs;
        Status valid = proof_decode(&proof, task->proofs + k * PROOF_BYTES);
        if (valid == OK && k == 0 && export)
            status = snark_json_write(export, &task->vk, &proof, inputs, task->n_inputs);
        if (valid == OK)
            valid = verify(vk, &proof, inputs, task->n_inputs);
        *invalid += valid != OK;
        printf("partition %zu: %s%s%s\n", k, valid == OK ? "valid" : "INVALID",
               valid == OK ? "" : ": ", valid == OK ? "" : status_message());
    }
    vk_prepared_free(&vk);
    return status;
}

int cmd_verify(int argc, char **argv)
{
    VerifyArgs a = {0};
    const Arg args[] = {
        {"vk", 0, ARG_TEXT, &a.vk, "verifying key"},
        {"proof", 0, ARG_TEXT, &a.proof, "192 bytes a partition: raw, hex or base64"},
        {"inputs", 0, ARG_LIST, &a.inputs, "one file a partition: hex lines, ONE left out"},
        {"c1", 0, ARG_TEXT, &a.c1, "derive the inputs from this C1's public data"},
        {"miner-id", 0, ARG_NUMBER, &a.miner, "with --c1: must lead to its replica_id"},
        {"sector-num", 0, ARG_NUMBER, &a.sector, "with --c1: must lead to its replica_id"},
        {"public", 0, ARG_TEXT, &a.public,
         "JSON: registered_proof, replica_id, comm_d, comm_r, seed"},
        {"export-json", 0, ARG_TEXT, &a.export, "write snarkjs' three files of partition 0 here"},
    };
    int code = args_parse("cuzk verify", args, sizeof args / sizeof *args, argc, argv);
    if (code >= 0)
        return code;
    if (!a.vk || !a.proof || (a.c1 != NULL) + (a.public != NULL) + (a.inputs.n > 0) != 1) {
        fprintf(stderr,
                "cuzk verify: wanted: --vk, --proof, and one of --inputs, --c1, --public\n");
        return EXIT_CANNOT_SAY;
    }
    Task task = {0};
    size_t invalid = 0;
    Status status = vk_read(&task.vk, a.vk, true);
    if (status == OK)
        status = read_proofs(&task, a.proof);
    if (status == OK)
        status = read_inputs(&task, &a);
    if (status == OK)
        status = verify_all(&task, a.export, &invalid);
    vk_free(&task.vk);
    free(task.proofs);
    free(task.inputs);
    if (status != OK) {
        args_fail("cuzk verify");
        return EXIT_CANNOT_SAY;
    }
    return invalid ? EXIT_FAILED : EXIT_DONE;
}
