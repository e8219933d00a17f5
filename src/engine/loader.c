/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Finding and loading circuits and keys. */
#include "engine/loader.h"

#include "base/file.h"
#include "base/log.h"
#include "filecoin/registry.h"

#include <string.h>

static Status identify(char canonical[CIRCUIT_NAME], const char *name)
{
    CircuitId id;
    TRY(registry_circuit(&id, name));
    _Static_assert(sizeof id.name == CIRCUIT_NAME, "names are copied whole");
    memcpy(canonical, id.name, sizeof id.name);
    return OK;
}

const CircuitSource circuit_catalogue = {identify, registry_param_stem, circuit_named,
                                         circuit_footprint};

/* The path of a circuit's parameter file with the given ending. */
static Status param_path(const Loader *loader, const char *circuit, const char *ending, char *path,
                         size_t room)
{
    char stem[256];
    TRY(loader->source->param_stem(circuit, stem, sizeof stem));
    if (snprintf(path, room, "%s/%s%s", loader->param_cache, stem, ending) >= (int)room)
        FAIL(ERR_ARG, "parameter folder %s: path too long", loader->param_cache);
    return OK;
}

static Status missing(const Loader *loader, const char *circuit, const char *path)
{
    FAIL(ERR_NOT_FOUND,
         "parameters of %s not found: %s (folder from %s); fetch the official file, or make a "
         "development key: cuzk params setup --circuit %s --out %s",
         circuit, path, loader->param_origin, circuit, loader->param_cache);
}

static Status read_layout(ParamsLayout *out, const Loader *loader, const char *circuit,
                          const char *path)
{
    FileMap map;
    Status status = file_map(&map, path);
    if (status == ERR_NOT_FOUND)
        return missing(loader, circuit, path);
    TRY(status);
    status = params_layout(out, map.data, map.size);
    file_unmap(&map);
    return status;
}

static Status check_layout(const ParamsLayout *layout, const CircuitFootprint *circuit)
{
    if (layout->n[SECTION_L] != circuit->n_aux)
        FAIL(ERR_NOT_FOUND, "section l has %zu points, expected %zu: the key of another circuit",
             layout->n[SECTION_L], circuit->n_aux);
    return OK;
}

static unsigned log_domain(size_t n_rows)
{
    unsigned log_n = 0;
    while (((size_t)1 << log_n) < n_rows)
        log_n++;
    return log_n;
}

Status loader_memory(CircuitMemory *out, const Loader *loader, const char *circuit)
{
    char path[1024];
    ParamsLayout layout;
    CircuitFootprint f;
    TRY(loader->source->footprint(&f, circuit));
    TRY(param_path(loader, circuit, ".params", path, sizeof path));
    Status status = read_layout(&layout, loader, circuit, path);
    if (status == OK)
        status = check_layout(&layout, &f);
    else if (status == ERR_NOT_FOUND)
        return status;
    if (status != OK)
        return status_context(ERR_NOT_FOUND, "parameters of %s: %s", circuit, path);
    unsigned threads = pool_threads(loader->pool);
    *out = (CircuitMemory){layout.bytes + f.compiled_bytes,
                           prove_bytes(log_domain(f.n_rows), f.n_aux, f.n_fields, threads)};
    return OK;
}

/* Do the rows have the counts of this circuit? What a stale cache would not. */
static bool agrees(const R1cs *r1cs, const CircuitFootprint *f)
{
    const R1csShape *shape = r1cs_shape(r1cs);
    return shape->n_rows == f->n_rows && shape->n_aux == f->n_aux &&
           shape->n_fields == f->n_fields && r1cs_bytes(r1cs) == f->compiled_bytes;
}

static Status compile(R1cs **out, const Loader *loader, const Circuit *circuit,
                      const CircuitFootprint *f)
{
    TRY(r1cs_compile(out, circuit, loader->pool));
    if (agrees(*out, f))
        return OK;
    r1cs_free(out);
    FAIL(ERR_INTERNAL, "%s: the compiled circuit has not the counts of its footprint",
         circuit->name);
}

static void keep_rows(const R1cs *r1cs, const char *folder, const char *path)
{
    if (file_make_directory(folder) != OK || r1cs_save(r1cs, path) != OK)
        LOG_W("loader", "compiled circuit not kept: %s", status_message());
}

static Status load_rows(R1cs **out, const Loader *loader, const Circuit *circuit)
{
    char path[1024];
    CircuitFootprint f;
    TRY(loader->source->footprint(&f, circuit->name));
    if (!loader->circuit_cache)
        return compile(out, loader, circuit, &f);
    if (snprintf(path, sizeof path, "%s/%s.r1cs", loader->circuit_cache, circuit->name) >=
        (int)sizeof path)
        FAIL(ERR_ARG, "circuit cache %s: path too long", loader->circuit_cache);
    Status status = r1cs_load(out, path, circuit);
    if (status == OK && agrees(*out, &f))
        return OK;
    if (status == OK)
        LOG_W("loader", "%s: counts of another circuit; compiling anew", path);
    else if (status != ERR_NOT_FOUND)
        LOG_W("loader", "%s; compiling anew", status_message());
    if (status == OK)
        r1cs_free(out);
    TRY(compile(out, loader, circuit, &f));
    keep_rows(*out, loader->circuit_cache, path);
    return OK;
}

static Status load_key(Loaded *loaded, const Loader *loader)
{
    char path[1024], side[1024];
    const char *circuit = loaded->circuit.name;
    TRY(param_path(loader, circuit, ".params", path, sizeof path));
    TRY(pk_load(&loaded->pk, path, KEY_CHECK_CURVE, NULL, loader->pool));
    TRY(pk_matches(pk_view(loaded->pk), loaded->r1cs));
    TRY(vk_prepare(&loaded->vk, pk_view(loaded->pk)->vk));
    TRY(param_path(loader, circuit, ".dev.json", side, sizeof side));
    loaded->development = file_exists(side);
    return OK;
}

Status loader_load(Loaded *out, const Loader *loader, const char *circuit)
{
    *out = (Loaded){0};
    TRY(loader->source->circuit(&out->circuit, &out->params, circuit));
    Status status = load_rows(&out->r1cs, loader, &out->circuit);
    if (status == OK)
        status = load_key(out, loader);
    if (status != OK)
        loaded_free(out);
    return status;
}

void loaded_free(Loaded *loaded)
{
    pk_free(&loaded->pk);
    vk_prepared_free(&loaded->vk);
    r1cs_free(&loaded->r1cs);
    *loaded = (Loaded){0};
}
