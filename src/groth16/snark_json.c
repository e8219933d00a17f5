/* SPDX-License-Identifier: MIT OR Apache-2.0
 * A key, a proof and its inputs as the three JSON files that snarkjs reads. */
#include "base/file.h"
#include "groth16/groth16_impl.h"

#include <inttypes.h>
#include <string.h>

/* The decimal digits of n little-endian limbs, in quotes. */
static void put_decimal(FILE *out, const uint64_t *limbs, int n)
{
    enum { GROUPS = 7, DIGITS = 19 }; // 10^(19*7) > 2^441
    const uint64_t base = 10000000000000000000u;
    uint64_t value[6], groups[GROUPS] = {0};
    memcpy(value, limbs, (size_t)n * sizeof *limbs);
    for (int g = 0; g < GROUPS; g++) {
        unsigned __int128 rest = 0;
        for (int i = n - 1; i >= 0; i--) {
            rest = rest << 64 | value[i];
            value[i] = (uint64_t)(rest / base);
            rest %= base;
        }
        groups[g] = (uint64_t)rest;
    }
    int top = GROUPS - 1;
    while (top > 0 && !groups[top])
        top--;
    fprintf(out, "\"%" PRIu64, groups[top]);
    while (top-- > 0)
        fprintf(out, "%0*" PRIu64, DIGITS, groups[top]);
    fputc('"', out);
}

static void put_fp(FILE *out, const Fp *a)
{
    FpCanon canon;
    fp_to_canon(&canon, a);
    put_decimal(out, canon.l, 6);
}

static void put_fp2(FILE *out, const Fp2 *a)
{
    fputc('[', out);
    put_fp(out, &a->c0);
    fputc(',', out);
    put_fp(out, &a->c1);
    fputc(']', out);
}

static void put_g1(FILE *out, const G1Affine *p)
{
    fputc('[', out);
    put_fp(out, &p->x);
    fputc(',', out);
    put_fp(out, &p->y);
    fputs(",\"1\"]", out);
}

static void put_g2(FILE *out, const G2Affine *p)
{
    fputc('[', out);
    put_fp2(out, &p->x);
    fputc(',', out);
    put_fp2(out, &p->y);
    fputs(",[\"1\",\"0\"]]", out);
}

static void put_vk(FILE *out, const Vk *vk)
{
    fprintf(out, "{\"protocol\":\"groth16\",\"curve\":\"bls12381\",\"nPublic\":%zu,\n",
            vk->n_inputs - 1);
    fputs("\"vk_alpha_1\":", out);
    put_g1(out, &vk->alpha_g1);
    fputs(",\n\"vk_beta_2\":", out);
    put_g2(out, &vk->beta_g2);
    fputs(",\n\"vk_gamma_2\":", out);
    put_g2(out, &vk->gamma_g2);
    fputs(",\n\"vk_delta_2\":", out);
    put_g2(out, &vk->delta_g2);
    fputs(",\n\"IC\":[", out);
    for (size_t i = 0; i < vk->n_inputs; i++) {
        fputs(i ? ",\n" : "\n", out);
        put_g1(out, &vk->ic[i]);
    }
    fputs("]}\n", out);
}

static void put_proof(FILE *out, const Proof *proof)
{
    fputs("{\"protocol\":\"groth16\",\"curve\":\"bls12381\",\n\"pi_a\":", out);
    put_g1(out, &proof->a);
    fputs(",\n\"pi_b\":", out);
    put_g2(out, &proof->b);
    fputs(",\n\"pi_c\":", out);
    put_g1(out, &proof->c);
    fputs("}\n", out);
}

static void put_public(FILE *out, const Fr *inputs, size_t n)
{
    fputc('[', out);
    for (size_t i = 0; i < n; i++) {
        FrCanon canon;
        fr_to_canon(&canon, &inputs[i]);
        fputs(i ? ",\n" : "", out);
        put_decimal(out, canon.l, 4);
    }
    fputs("]\n", out);
}

static Status finish(FILE *stream, char *const *text, const size_t *size, const char *directory,
                     const char *name)
{
    char path[1024];
    if (fclose(stream) != 0)
        FAIL(ERR_MEMORY, "%s: out of memory", name);
    int n = snprintf(path, sizeof path, "%s/%s", directory, name);
    if (n < 0 || (size_t)n >= sizeof path)
        FAIL(ERR_ARG, "%s: path too long", directory);
    return file_replace(path, *text, *size);
}

Status snark_json_write(const char *directory, const Vk *vk, const Proof *proof, const Fr *inputs,
                        size_t n_inputs)
{
    CHECK(n_inputs + 1 == vk->n_inputs);
    static const char *const names[] = {"verification_key.json", "proof.json", "public.json"};
    TRY(file_make_directory(directory));
    for (int i = 0; i < 3; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        if (!stream)
            FAIL(ERR_MEMORY, "%s: out of memory", names[i]);
        if (i == 0)
            put_vk(stream, vk);
        else if (i == 1)
            put_proof(stream, proof);
        else
            put_public(stream, inputs, n_inputs);
        Status status = finish(stream, &text, &size, directory, names[i]);
        free(text);
        TRY(status);
    }
    return OK;
}
