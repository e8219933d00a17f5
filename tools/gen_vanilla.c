/* SPDX-License-Identifier: MIT OR Apache-2.0
 * cuzk-bench gen-vanilla porep: seal a small sector and write its C1. */
#include "gen_vanilla.h"

#include "args.h"
#include "base/file.h"
#include "filecoin/commitments.h"
#include "filecoin/registry.h"
#include "hash/sha256.h"
#include "seal/seal.h"

#include <string.h>

typedef struct {
    const char *size, *data, *out, *proof, *seed, *ticket;
    uint64_t miner, sector;
    bool inner;
} GenArgs;

/* A 32-byte value from hex, or derived from a label so that runs repeat. */
static Status choose(Node *out, const char *hex, const char *label)
{
    if (!hex) {
        sha256(out->b, label, strlen(label));
        out->b[31] &= 0x3f;
        return OK;
    }
    if (!parse_hex(out->b, 32, hex))
        FAIL(ERR_ARG, "--%s: expected 64 hex digits", label);
    return OK;
}

static Status choose_proof(unsigned *id, const GenArgs *a)
{
    const char *version = a->proof ? a->proof : "V1_1";
    char name[96];
    snprintf(name, sizeof name, "StackedDrg%s%s", a->size, version);
    const SealProof *proof = registry_seal_proof_named(name, strlen(name));
    if (!proof)
        FAIL(ERR_ARG,
             "no registered proof \"%s\": sizes 2KiB, 8MiB; versions V1, V1_1, "
             "V1_1_Feat_SyntheticPoRep",
             name);
    *id = proof->id;
    return OK;
}

static Status generate(const GenArgs *a)
{
    unsigned proof = 0;
    SealShape shape;
    SealInput input = {.sector_number = a->sector};
    Node seed;
    Pool *pool;
    Sector *sector = NULL;
    uint8_t *raw = NULL, *text = NULL;
    size_t raw_size = 0, size;
    TRY(choose_proof(&proof, a));
    TRY(seal_shape(&shape, proof));
    TRY(choose(&input.ticket, a->ticket, "ticket"));
    TRY(choose(&seed, a->seed, "seed"));
    prover_id_from_miner(&input.prover_id, a->miner);
    if (a->data)
        TRY(file_read(a->data, shape.sector_size / 128 * 127, &raw, &raw_size));
    Status status = pool_new(&pool, 0);
    if (status == OK) {
        status = seal_sector(&sector, &shape, &input, raw, raw_size, pool);
        pool_free(&pool);
    }
    free(raw);
    if (status == OK)
        status = sector_c1_json(sector, &seed, !a->inner, &text, &size);
    if (status == OK)
        status = file_replace(a->out, text, size);
    if (status == OK)
        printf("%s: %zu bytes, miner %llu, sector %llu\n", a->out, size,
               (unsigned long long)a->miner, (unsigned long long)a->sector);
    free(text);
    sector_free(&sector);
    return status;
}

int gen_vanilla_porep(int argc, char **argv)
{
    GenArgs a = {.miner = 1000, .sector = 1, .size = "2KiB"};
    const Arg args[] = {
        {"sector-size", 0, ARG_TEXT, &a.size, "2KiB or 8MiB (2KiB)"},
        {"version", 0, ARG_TEXT, &a.proof, "V1, V1_1 (default), V1_1_Feat_SyntheticPoRep"},
        {"data", 0, ARG_TEXT, &a.data,
         "raw data file, at most 127/128 of the sector (zeros without)"},
        {"miner-id", 0, ARG_NUMBER, &a.miner, "1000"},
        {"sector-number", 0, ARG_NUMBER, &a.sector, "1"},
        {"seed", 0, ARG_TEXT, &a.seed, "64 hex digits"},
        {"ticket", 0, ARG_TEXT, &a.ticket, "64 hex digits"},
        {"inner", 0, ARG_FLAG, &a.inner, "without the envelope"},
        {"output", 'o', ARG_TEXT, &a.out, "C1 file"},
    };
    int code =
        args_parse("cuzk-bench gen-vanilla porep", args, sizeof args / sizeof *args, argc, argv);
    if (code >= 0)
        return code;
    if (!a.out) {
        fprintf(stderr, "cuzk-bench gen-vanilla porep: wanted: --output\n");
        return EXIT_USAGE;
    }
    return generate(&a) == OK ? EXIT_DONE : args_fail("cuzk-bench");
}
