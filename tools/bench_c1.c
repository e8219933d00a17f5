/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Times of reading a C1: bare JSON, envelope, base64 alone, and skipping the JSON unread. */
#include "bench_c1.h"

#include "base/clock.h"
#include "filecoin/registry.h"
#include "vanilla/base64.h"
#include "vanilla/c1.h"
#include "vanilla/json.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_REPEAT = 1000 };

typedef struct {
    uint8_t *inner, *envelope, *encoded, *decoded;
    size_t inner_size, envelope_size, encoded_size;
} Texts;

static uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    return *x ^= *x << 17;
}

/* Every storage byte random, every node below 2^254. */
static void fill_nodes(Node *nodes, size_t n, uint64_t *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < sizeof(Node); k += 8) {
            uint64_t word = next_random(x);
            memcpy(nodes[i].b + k, &word, 8);
        }
        nodes[i].b[31] &= 0x3f;
    }
}

static void fill_merkle(MerkleProof *proof, uint64_t *x)
{
    fill_nodes(&proof->root, 1, x);
    fill_nodes(&proof->leaf, 1, x);
    for (uint32_t i = 0; i < proof->n_base + proof->n_sub + proof->n_top; i++) {
        PathElement *element = &proof->path[i];
        fill_nodes(element->siblings, element->arity - 1, x);
        element->index = (uint32_t)(next_random(x) % element->arity);
    }
}

static void fill_column(ColumnProof *column, uint64_t nodes, uint64_t *x)
{
    column->index = (uint32_t)(next_random(x) % nodes);
    fill_nodes(column->rows, column->n_rows, x);
    fill_merkle(&column->inclusion, x);
}

static void fill_labeling(LabelingProof *proof, uint32_t layer, uint64_t nodes, uint64_t *x)
{
    proof->layer_index = layer;
    proof->node = next_random(x) % nodes;
    fill_nodes(proof->parents, proof->n_parents, x);
}

static void fill(PorepVanilla *v)
{
    uint64_t x = 0x9e3779b97f4a7c15, nodes = v->sector_size / sizeof(Node);
    for (size_t i = 0; i < (size_t)v->n_partitions * v->n_challenges; i++) {
        PorepChallenge *challenge = &v->challenges[i];
        fill_merkle(&challenge->comm_d, &x);
        fill_merkle(&challenge->comm_r_last, &x);
        fill_column(&challenge->c_x, nodes, &x);
        for (unsigned k = 0; k < POREP_DRG_PARENTS; k++)
            fill_column(&challenge->drg_parents[k], nodes, &x);
        for (unsigned k = 0; k < POREP_EXP_PARENTS; k++)
            fill_column(&challenge->exp_parents[k], nodes, &x);
        for (uint32_t k = 0; k < challenge->n_labeling; k++)
            fill_labeling(&challenge->labeling[k], k + 1, nodes, &x);
        fill_labeling(&challenge->encoding, v->layers, nodes, &x);
    }
    Node *const last[] = {&v->comm_r, &v->comm_d, &v->replica_id, &v->seed, &v->ticket};
    for (unsigned i = 0; i < sizeof last / sizeof *last; i++)
        fill_nodes(last[i], 1, &x);
}

static Status make_texts(Texts *texts, unsigned registered_proof)
{
    PorepVanilla v = {0};
    TRY(c1_new(&v, registered_proof));
    fill(&v);
    Status status;
    TRY_GOTO(status, c1_write(&v, &texts->inner, &texts->inner_size), done);
    TRY_GOTO(status,
             c1_write_envelope(texts->inner, texts->inner_size, 1, v.sector_size, &texts->envelope,
                               &texts->envelope_size),
             done);
    texts->encoded_size = base64_encoded_size(texts->inner_size);
    texts->encoded = malloc(texts->encoded_size);
    texts->decoded = malloc(base64_decoded_max(texts->encoded_size));
    if (!texts->encoded || !texts->decoded)
        status = status_fail(ERR_MEMORY, "bench: out of memory for the texts");
    else
        base64_encode((char *)texts->encoded, texts->inner, texts->inner_size);
done:
    porep_vanilla_free(&v);
    return status;
}

static Status run_parse(const uint8_t *text, size_t size)
{
    PorepVanilla v = {0};
    TRY(c1_parse(&v, text, size));
    porep_vanilla_free(&v);
    return OK;
}

static Status run_bare(const Texts *texts)
{
    return run_parse(texts->inner, texts->inner_size);
}

static Status run_envelope(const Texts *texts)
{
    return run_parse(texts->envelope, texts->envelope_size);
}

static Status run_base64(const Texts *texts)
{
    size_t size;
    return base64_decode(texts->decoded, &size, texts->encoded, texts->encoded_size, NULL);
}

static Status run_base64_ref(const Texts *texts)
{
    size_t size;
    return base64_decode_ref(texts->decoded, &size, texts->encoded, texts->encoded_size, NULL);
}

static Status run_skip(const Texts *texts)
{
    Json json;
    json_init(&json, "bench", texts->inner, texts->inner_size);
    return json_skip(&json);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static Status measure(const char *name, Status (*run)(const Texts *), size_t bytes,
                      const Texts *texts, unsigned repeat)
{
    uint64_t times[MAX_REPEAT];
    for (unsigned i = 0; i < repeat; i++) {
        uint64_t start = clock_ns();
        TRY(run(texts));
        times[i] = clock_ns() - start;
    }
    qsort(times, repeat, sizeof *times, compare);
    printf("c1,%s,%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", name, bytes, times[0],
           times[repeat / 2], times[repeat - 1]);
    return OK;
}

static Status measure_all(const Texts *texts, unsigned repeat)
{
    TRY(measure("json", run_bare, texts->inner_size, texts, repeat));
    TRY(measure("envelope", run_envelope, texts->envelope_size, texts, repeat));
    TRY(measure("base64", run_base64, texts->encoded_size, texts, repeat));
    TRY(measure("base64-ref", run_base64_ref, texts->encoded_size, texts, repeat));
    return measure("json-skip", run_skip, texts->inner_size, texts, repeat);
}

static bool read_options(int argc, char **argv, unsigned *proof, unsigned *repeat)
{
    for (int i = 1; i < argc; i += 2) {
        unsigned *option = !strcmp(argv[i], "--proof")    ? proof
                           : !strcmp(argv[i], "--repeat") ? repeat
                                                          : NULL;
        char *end = NULL;
        if (!option || i + 1 == argc)
            return false;
        *option = (unsigned)strtoul(argv[i + 1], &end, 10);
        if (end == argv[i + 1] || *end)
            return false;
    }
    return *proof<SEAL_PROOFS && * repeat> 0 && *repeat <= MAX_REPEAT;
}

int bench_c1(int argc, char **argv)
{
    unsigned proof = 8, repeat = 9;
    if (!read_options(argc, argv, &proof, &repeat)) {
        fprintf(stderr, "usage: %s [--proof 0..19] [--repeat 1..%d]\n", argv[0], MAX_REPEAT);
        return 2;
    }
    Texts texts = {0};
    Status status = make_texts(&texts, proof);
    printf("# proof,%s\n", registry_seal_proof(proof)->name);
    if (status == OK)
        status = measure_all(&texts, repeat);
    if (status != OK)
        fprintf(stderr, "%s: %s\n", argv[0], status_message());
    free(texts.inner);
    free(texts.envelope);
    free(texts.encoded);
    free(texts.decoded);
    return status != OK;
}
