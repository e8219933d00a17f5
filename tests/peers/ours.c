/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Our side of the peer checks on a small random circuit.
 *
 *   make DIR                      DIR/ours.{params,vk,proof,inputs} and DIR/circuit.export
 *   prove PARAMS PROOF INPUTS     the same circuit under a key that a peer made
 *   verify VK PROOF INPUTS...     one inputs file a proof; exit 0 valid, 1 not, 2 error
 *   json VK PROOF INPUTS DIR      snarkjs' three files */
#include "base/file.h"
#include "keys/keys.h"
#include "toy_circuit.h"

#include <string.h>

enum { ROWS = 3000, INPUTS = 6, MOST_INPUTS = 1 << 16 };

static const ToyParams toy = {ROWS, INPUTS, 2024, false};

static Status write_value(void *context, const Fr *value)
{
    uint8_t bytes[32];
    fr_to_le(bytes, value);
    return file_write(context, bytes, sizeof bytes);
}

static Status stream_to_file(void *context, const void *bytes, size_t size)
{
    return file_write(context, bytes, size);
}

static Status write_header(FileWriter *file, const R1csShape *shape)
{
    const uint64_t counts[3] = {shape->n_inputs, shape->n_aux, shape->n_rows};
    uint8_t header[36] = "CUZKR1CS";
    header[8] = 1;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 8; k++)
            header[12 + 8 * i + k] = (uint8_t)(counts[i] >> 8 * k);
    return file_write(file, header, sizeof header);
}

static Status write_witness(FileWriter *file, const R1cs *r1cs, const Assignment *z)
{
    const Fr *next = z->fields;
    for (size_t i = 0; i < z->n_inputs; i++)
        TRY(write_value(file, &z->inputs[i]));
    for (size_t j = 0; j < z->n_aux; j++) {
        uint64_t is_bit;
        r1cs_is_bit(r1cs, &is_bit, j / 64, 1);
        const Fr *bit = z->bits[j / 64] >> (j % 64) & 1 ? &FR_ONE : &FR_ZERO;
        TRY(write_value(file, is_bit >> (j % 64) & 1 ? bit : next++));
    }
    return OK;
}

static Status write_export(const char *path, const R1cs *r1cs, const Assignment *z)
{
    FileWriter *file;
    TRY(file_create(&file, path));
    Status status = write_header(file, r1cs_shape(r1cs));
    if (status == OK)
        status = r1cs_stream(r1cs, stream_to_file, file);
    if (status == OK)
        status = write_witness(file, r1cs, z);
    if (status == OK)
        return file_commit(&file);
    file_discard(&file);
    return status;
}

static Status write_inputs(const char *path, const Fr *inputs, size_t n)
{
    char text[INPUTS * 65 + 1];
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[32];
        fr_to_le(bytes, &inputs[i]);
        for (int k = 0; k < 32; k++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%02x", bytes[k]);
        text[at++] = '\n';
    }
    return file_replace(path, text, at);
}

static Status read_inputs(Fr *inputs, size_t *n, const char *path)
{
    uint8_t *text;
    size_t size;
    TRY(file_read(path, MOST_INPUTS * 65, &text, &size));
    Status status = OK;
    *n = 0;
    for (size_t at = 0; status == OK && at + 64 <= size; at += 65) {
        uint8_t bytes[32];
        for (int k = 0; k < 32; k++) {
            unsigned byte = 256;
            sscanf((const char *)text + at + 2 * k, "%2x", &byte);
            bytes[k] = (uint8_t)byte;
        }
        if (!fr_from_le(&inputs[(*n)++], bytes))
            status = status_fail(ERR_FORMAT, "%s: input %zu is not canonical", path, *n - 1);
    }
    free(text);
    return status;
}

typedef struct {
    Pool *pool;
    Circuit circuit;
    R1cs *r1cs;
    Assignment z;
} Ours;

static Status ours_new(Ours *ours)
{
    *ours = (Ours){.circuit = toy_circuit(&toy)};
    TRY(pool_new(&ours->pool, 0));
    TRY(r1cs_compile(&ours->r1cs, &ours->circuit, ours->pool));
    ToyWitness witness = {.seed = 99};
    TRY(r1cs_witness(&ours->z, ours->r1cs, &ours->circuit, &witness, ours->pool));
    return r1cs_check(ours->r1cs, &ours->circuit, &ours->z, ours->pool);
}

static void ours_free(Ours *ours)
{
    assignment_free(&ours->z);
    r1cs_free(&ours->r1cs);
    pool_free(&ours->pool);
}

static Status prove_with(const Ours *ours, const char *params, const char *proof_path,
                         const char *inputs_path)
{
    Pk *pk;
    Proof proof;
    PreparedVk *vk = NULL;
    uint8_t bytes[PROOF_BYTES];
    TRY(pk_load(&pk, params, KEY_CHECK_SUBGROUP, NULL, ours->pool));
    Status status = prove(&proof, ours->r1cs, pk_view(pk), &ours->z, NULL, NULL, ours->pool, NULL);
    if (status == OK)
        status = vk_prepare(&vk, pk_view(pk)->vk);
    if (status == OK)
        status = verify(vk, &proof, ours->z.inputs + 1, INPUTS - 1);
    vk_prepared_free(&vk);
    pk_free(&pk);
    TRY(status);
    proof_encode(bytes, &proof);
    TRY(file_replace(proof_path, bytes, sizeof bytes));
    return write_inputs(inputs_path, ours->z.inputs + 1, INPUTS - 1);
}

static Status make(const char *directory)
{
    Ours ours;
    char path[4][1024];
    static const char *const names[] = {"ours.params", "ours.proof", "ours.inputs",
                                        "circuit.export"};
    for (int i = 0; i < 4; i++)
        snprintf(path[i], sizeof path[i], "%s/%s", directory, names[i]);
    TRY(ours_new(&ours));
    SetupOptions options = {.directory = directory, .force = true};
    TRY(params_setup(&ours.circuit, ours.r1cs, "ours", 2048, &options, ours.pool));
    TRY(prove_with(&ours, path[0], path[1], path[2]));
    TRY(write_export(path[3], ours.r1cs, &ours.z));
    ours_free(&ours);
    return OK;
}

static Status prove_foreign(char **argv)
{
    Ours ours;
    TRY(ours_new(&ours));
    TRY(prove_with(&ours, argv[0], argv[1], argv[2]));
    ours_free(&ours);
    return OK;
}

/* The k-th proof of a file. */
static Status read_proof(Proof *proof, const char *path, size_t k, size_t n)
{
    uint8_t *bytes;
    size_t size;
    TRY(file_read(path, 1 << 16, &bytes, &size));
    Status status = OK;
    if (size != n * PROOF_BYTES)
        status = status_fail(ERR_FORMAT, "%s: %zu bytes for %zu proofs", path, size, n);
    if (status == OK)
        status = proof_decode(proof, bytes + k * PROOF_BYTES);
    free(bytes);
    return status;
}

static Status verify_files(const char *vk_path, const char *proof_path, char **inputs_paths,
                           size_t n, const char *json_directory)
{
    static Fr inputs[MOST_INPUTS];
    Vk vk;
    PreparedVk *prepared;
    TRY(vk_read(&vk, vk_path, true));
    TRY(vk_prepare(&prepared, &vk));
    Status status = OK;
    for (size_t k = 0; status == OK && k < n; k++) {
        Proof proof;
        size_t count;
        status = read_inputs(inputs, &count, inputs_paths[k]);
        if (status == OK)
            status = read_proof(&proof, proof_path, k, n);
        if (status == OK)
            status = verify(prepared, &proof, inputs, count);
        if (status == OK && json_directory)
            status = snark_json_write(json_directory, &vk, &proof, inputs, count);
    }
    vk_prepared_free(&prepared);
    vk_free(&vk);
    return status;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    Status status;
    if (!strcmp(word, "make") && argc == 3)
        status = make(argv[2]);
    else if (!strcmp(word, "prove") && argc == 5)
        status = prove_foreign(argv + 2);
    else if (!strcmp(word, "verify") && argc >= 5)
        status = verify_files(argv[2], argv[3], argv + 4, (size_t)argc - 4, NULL);
    else if (!strcmp(word, "json") && argc == 6)
        status = verify_files(argv[2], argv[3], argv + 4, 1, argv[5]);
    else
        status = status_fail(ERR_ARG, "usage: make | prove | verify | json, see ours.c");
    if (status != OK)
        fprintf(stderr, "peer_ours: %s: %s\n", status_name(status), status_message());
    return status == OK ? 0 : status == ERR_INVALID ? 1 : 2;
}
