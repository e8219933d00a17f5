/* SPDX-License-Identifier: MIT OR Apache-2.0
 * cuzk circuit: sizes, densities, digests, rows. */
#include "args.h"
#include "base/file.h"
#include "circuits/catalogue.h"
#include "commands.h"
#include "r1cs/r1cs.h"
#include "vanilla/c1.h"

#include <string.h>

static Status compile(R1cs **r1cs, Circuit *circuit, CircuitParams *params, const char *name,
                      uint64_t challenges, uint64_t layers)
{
    if (challenges > 1000 || layers > 100)
        FAIL(ERR_ARG, "challenges or layers out of range");
    TRY(circuit_named_with(circuit, params, name, (uint32_t)challenges, (uint32_t)layers));
    Pool *pool;
    TRY(pool_new(&pool, 0));
    Status status = r1cs_compile(r1cs, circuit, pool);
    pool_free(&pool);
    return status;
}

int cmd_circuit_list(int argc, char **argv)
{
    int code = args_parse("cuzk circuit list", NULL, 0, argc, argv);
    if (code >= 0)
        return code;
    printf("%-14s %12s %10s  %s\n", "circuit", "sector", "served", "parameters");
    for (size_t i = 0; registry_circuit_name(i); i++) {
        CircuitId id;
        char stem[256];
        if (registry_circuit(&id, registry_circuit_name(i)) != OK ||
            registry_param_stem(id.name, stem, sizeof stem) != OK)
            return args_fail("cuzk");
        printf("%-14s %12llu %10s  %s\n", id.name, (unsigned long long)id.sector_size,
               id.kind == CIRCUIT_POREP ? "yes" : "no", stem);
    }
    return EXIT_DONE;
}

/* The options that info, digest and export share. */
typedef struct {
    const char *name, *out, *witness;
    uint64_t challenges, layers;
} CircuitArgs;

static void print_digest_line(const char *name, const R1csShape *s, const uint8_t digest[32])
{
    printf("%s inputs=%zu aux=%zu constraints=%zu nnz=[%zu, %zu, %zu] sha256=", name, s->n_inputs,
           s->n_aux, s->n_rows, s->nnz[0], s->nnz[1], s->nnz[2]);
    for (int i = 0; i < 32; i++)
        printf("%02x", digest[i]);
    printf("\n");
}

static void print_info(const Circuit *circuit, const R1cs *r1cs)
{
    const R1csShape *s = r1cs_shape(r1cs);
    printf("circuit          %s, version %u\n", circuit->name, circuit->version);
    printf("inputs           %zu (ONE included)\n", s->n_inputs);
    printf("aux              %zu (%zu bits, %zu field elements)\n", s->n_aux,
           s->n_aux - s->n_fields, s->n_fields);
    printf("rows             %zu (trailing input rows included), domain 2^%u\n", s->n_rows,
           r1cs_log_domain(r1cs));
    printf("nonzeros         A %zu, B %zu, C %zu\n", s->nnz[0], s->nnz[1], s->nnz[2]);
    printf("density          a_aux %zu, b_input %zu, b_aux %zu\n", s->a_aux_density,
           s->b_input_density, s->b_aux_density);
    printf("preamble         %zu aux, %zu inputs, %zu rows\n", s->preamble_aux, s->preamble_inputs,
           s->preamble_rows);
    printf("block            %zu aux, %zu inputs, %zu rows, %zu times\n", s->block_aux,
           s->block_inputs, s->block_rows, s->n_blocks);
    printf("compiled         %.1f MiB\n", (double)r1cs_bytes(r1cs) / (1 << 20));
    size_t n_h = ((size_t)1 << r1cs_log_domain(r1cs)) - 1, vk = 868 + 96 * s->n_inputs;
    size_t n_a = s->n_inputs + s->a_aux_density, n_b = s->b_input_density + s->b_aux_density;
    printf("files            .vk %zu bytes, .params %zu bytes\n", vk,
           vk + 20 + 96 * (n_h + s->n_aux + n_a + n_b) + 192 * n_b);
}

static int parse(CircuitArgs *a, const char *command, bool export, int argc, char **argv)
{
    Arg args[] = {
        {"NAME", 0, ARG_POSITIONAL, &a->name, "circuit"},
        {"challenges", 0, ARG_NUMBER, &a->challenges, "challenges a partition, not the registered"},
        {"layers", 0, ARG_NUMBER, &a->layers, "layers, not the registered (2 or 11)"},
        {"OUT", 0, ARG_POSITIONAL, &a->out, "file"},
        {"witness", 0, ARG_TEXT, &a->witness, "C1 file whose first partition is the witness"},
    };
    return args_parse(command, args, export ? 5 : 3, argc, argv);
}

int cmd_circuit_info(int argc, char **argv)
{
    CircuitArgs a = {0};
    int code = parse(&a, "cuzk circuit info", false, argc, argv);
    if (code >= 0)
        return code;
    R1cs *r1cs;
    Circuit circuit;
    CircuitParams params;
    if (compile(&r1cs, &circuit, &params, a.name, a.challenges, a.layers) != OK)
        return args_fail("cuzk");
    print_info(&circuit, r1cs);
    r1cs_free(&r1cs);
    return EXIT_DONE;
}

int cmd_circuit_digest(int argc, char **argv)
{
    CircuitArgs a = {0};
    int code = parse(&a, "cuzk circuit digest", false, argc, argv);
    if (code >= 0)
        return code;
    R1cs *r1cs;
    Circuit circuit;
    CircuitParams params;
    uint8_t digest[32];
    if (compile(&r1cs, &circuit, &params, a.name, a.challenges, a.layers) != OK)
        return args_fail("cuzk");
    Status status = r1cs_digest(r1cs, digest);
    if (status == OK)
        print_digest_line(circuit.name, r1cs_shape(r1cs), digest);
    r1cs_free(&r1cs);
    return status == OK ? EXIT_DONE : args_fail("cuzk");
}

static Status stream_to_file(void *writer, const void *bytes, size_t size)
{
    return file_write(writer, bytes, size);
}

/* Inputs, then aux, as 32-byte little-endian integers. */
static Status write_values(FileWriter *writer, const R1cs *r1cs, const Assignment *z)
{
    uint8_t bytes[32];
    size_t field = 0;
    for (size_t i = 0; i < z->n_inputs; i++) {
        fr_to_le(bytes, &z->inputs[i]);
        TRY(file_write(writer, bytes, sizeof bytes));
    }
    for (size_t w = 0; 64 * w < z->n_aux; w++) {
        uint64_t kinds;
        r1cs_is_bit(r1cs, &kinds, w, 1);
        for (size_t bit = 0; bit < 64 && 64 * w + bit < z->n_aux; bit++) {
            memset(bytes, 0, sizeof bytes);
            if (kinds >> bit & 1)
                bytes[0] = z->bits[w] >> bit & 1;
            else
                fr_to_le(bytes, &z->fields[field++]);
            TRY(file_write(writer, bytes, sizeof bytes));
        }
    }
    return OK;
}

static Status make_witness(Assignment *z, const R1cs *r1cs, const Circuit *circuit,
                           const char *c1_path)
{
    uint8_t *text;
    size_t size;
    PorepVanilla vanilla;
    TRY(file_read(c1_path, (size_t)1 << 30, &text, &size));
    Status status = c1_parse(&vanilla, text, size);
    free(text);
    TRY(status);
    const PorepWitness witness = {&vanilla, 0};
    status = r1cs_witness(z, r1cs, circuit, &witness, NULL);
    if (status == OK) {
        status = r1cs_check(r1cs, circuit, z, NULL);
        if (status != OK)
            assignment_free(z);
    }
    porep_vanilla_free(&vanilla);
    return status;
}

static void put_le(uint8_t *out, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

static Status write_export(FileWriter *writer, const R1cs *r1cs, const Assignment *z)
{
    const R1csShape *s = r1cs_shape(r1cs);
    uint8_t head[36];
    memcpy(head, "CUZKR1CS", 8);
    put_le(head + 8, 1, 4);
    put_le(head + 12, s->n_inputs, 8);
    put_le(head + 20, s->n_aux, 8);
    put_le(head + 28, s->n_rows, 8);
    TRY(file_write(writer, head, sizeof head));
    TRY(r1cs_stream(r1cs, stream_to_file, writer));
    return z ? write_values(writer, r1cs, z) : OK;
}

static Status export_circuit(const CircuitArgs *a)
{
    R1cs *r1cs;
    Circuit circuit;
    CircuitParams params;
    Assignment z = {0};
    FileWriter *writer = NULL;
    TRY(compile(&r1cs, &circuit, &params, a->name, a->challenges, a->layers));
    Status status = OK;
    if (a->witness)
        status = make_witness(&z, r1cs, &circuit, a->witness);
    if (status == OK)
        status = file_create(&writer, a->out);
    if (status == OK) {
        status = write_export(writer, r1cs, a->witness ? &z : NULL);
        if (status == OK)
            status = file_commit(&writer);
        else
            file_discard(&writer);
    }
    assignment_free(&z);
    r1cs_free(&r1cs);
    return status;
}

int cmd_circuit_export(int argc, char **argv)
{
    CircuitArgs a = {0};
    int code = parse(&a, "cuzk circuit export", true, argc, argv);
    if (code >= 0)
        return code;
    return export_circuit(&a) == OK ? EXIT_DONE : args_fail("cuzk");
}
