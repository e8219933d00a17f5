/* SPDX-License-Identifier: MIT OR Apache-2.0
 * cuzk params: development keys, checks, what a folder holds. */
#include "args.h"
#include "base/clock.h"
#include "base/file.h"
#include "circuits/catalogue.h"
#include "commands.h"
#include "keys/keys.h"

#include <string.h>
#include <unistd.h>

/* A bar on a terminal, a line a tenth elsewhere. */
typedef struct {
    uint64_t begin_ns;
    int tenth;
} Progress;

static void show_progress(void *context, double fraction, const char *what)
{
    Progress *p = context;
    double seconds = (double)(clock_ns() - p->begin_ns) / 1e9;
    if (isatty(STDERR_FILENO)) {
        enum { WIDTH = 40 };
        char bar[WIDTH + 1];
        for (int i = 0; i < WIDTH; i++)
            bar[i] = i < fraction * WIDTH ? '#' : '.';
        bar[WIDTH] = '\0';
        fprintf(stderr, "\r[%s] %3.0f %%  %-24.24s %.0f s%s", bar, fraction * 100, what, seconds,
                fraction >= 1 ? "\n" : "");
    } else if ((int)(fraction * 10) > p->tenth) {
        p->tenth = (int)(fraction * 10);
        fprintf(stderr, "%3d %%  %s (%.0f s)\n", 10 * p->tenth, what, seconds);
    }
}

static Status setup_key(const char *name, const char *out, const char *seed, bool force,
                        uint64_t threads)
{
    CircuitId id;
    Circuit circuit;
    CircuitParams params;
    R1cs *r1cs;
    Pool *pool;
    char stem[256];
    Progress progress = {.begin_ns = clock_ns()};
    TRY(circuit_named(&circuit, &params, name));
    TRY(registry_circuit(&id, name));
    TRY(registry_param_stem(name, stem, sizeof stem));
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.params", out, stem);
    if (file_exists(path) && !force)
        FAIL(ERR_IO, "%s: exists; --force overwrites it", path);
    TRY(file_make_directory(out));
    TRY(pool_new(&pool, (unsigned)threads));
    Status status = r1cs_compile(&r1cs, &circuit, pool);
    if (status == OK) {
        const SetupOptions options = {out, seed, force, show_progress, &progress};
        status = params_setup(&circuit, r1cs, stem, id.sector_size, &options, pool);
        r1cs_free(&r1cs);
    }
    pool_free(&pool);
    if (status == OK)
        printf("%s\n", path);
    return status;
}

int cmd_params_setup(int argc, char **argv)
{
    const char *circuit = NULL, *out = NULL, *seed = NULL;
    bool force = false;
    uint64_t threads = 0;
    const Arg args[] = {
        {"circuit", 0, ARG_TEXT, &circuit, "circuit name, e.g. porep-2k"},
        {"out", 0, ARG_TEXT, &out, "folder (default: the parameter folder)"},
        {"seed", 0, ARG_TEXT, &seed, "hex; the same seed makes the same key"},
        {"force", 0, ARG_FLAG, &force, "overwrite existing files"},
        {"threads", 0, ARG_NUMBER, &threads, "default: one a CPU"},
    };
    int code = args_parse("cuzk params setup", args, sizeof args / sizeof *args, argc, argv);
    if (code >= 0)
        return code;
    if (!circuit || threads > 4096) {
        fprintf(stderr, "cuzk params setup: --circuit is required\n");
        return EXIT_USAGE;
    }
    fprintf(stderr, "WARNING: a development key: whoever made it knows tau and can forge proofs "
                    "under it. For tests only.\n");
    Status status =
        setup_key(circuit, out ? out : params_folder(NULL, NULL).path, seed, force, threads);
    return status == OK ? EXIT_DONE : args_fail("cuzk");
}

static bool ends_with(const char *text, const char *ending)
{
    size_t n = strlen(text), m = strlen(ending);
    return n >= m && strcmp(text + n - m, ending) == 0;
}

/* Structure and points of one file, and its digest against what is expected. */
static Status check_file(const char *path, bool full, const Manifest *manifest, Pool *pool)
{
    KeyOrigin origin;
    char digest[DIGEST_HEX], expected[DIGEST_HEX];
    if (ends_with(path, ".vk")) {
        Vk vk;
        TRY(vk_read(&vk, path, full));
        vk_free(&vk);
    } else {
        Pk *pk;
        TRY(pk_load(&pk, path, full ? KEY_CHECK_SUBGROUP : KEY_CHECK_CURVE, NULL, pool));
        pk_free(&pk);
    }
    TRY(key_origin(&origin, digest, expected, path, manifest));
    printf("%s: sound, %s, digest %s%s%s\n", path, key_origin_name(origin), digest,
           origin == KEY_UNKNOWN && expected[0] ? ", expected " : "",
           origin == KEY_UNKNOWN ? expected : "");
    if (origin == KEY_UNKNOWN && expected[0])
        FAIL(ERR_INVALID, "%s: digest %s, expected %s", path, digest, expected);
    return OK;
}

typedef struct {
    const char *manifest; /* NULL: the parameters.json beside each file, where there is one */
    bool full;
    Pool *pool;
    size_t checked, failed;
} Check;

static Status check_against(const Check *check, const char *path, const char *manifest_path)
{
    Manifest *manifest;
    TRY(manifest_new(&manifest, manifest_path));
    Status status = check_file(path, check->full, manifest, check->pool);
    manifest_free(&manifest);
    return status;
}

static void check_one(Check *check, const char *path)
{
    char beside[4096];
    const char *slash = strrchr(path, '/'), *manifest = check->manifest;
    int folder = slash ? (int)(slash + 1 - path) : 0;
    if (!manifest &&
        snprintf(beside, sizeof beside, "%.*sparameters.json", folder, path) < (int)sizeof beside)
        manifest = file_exists(beside) ? beside : NULL;
    check->checked++;
    if (check_against(check, path, manifest) != OK) {
        fprintf(stderr, "cuzk: %s\n", status_message());
        check->failed++;
    }
}

static Status check_folder(Check *check, const char *folder)
{
    ParamsFolder used = params_folder(folder, "--dir");
    ParamsEntry *entries;
    size_t n;
    char path[4096];
    printf("%s (%s)\n", used.path, used.why);
    TRY(params_list(&entries, &n, used.path));
    for (size_t i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s.params", used.path, entries[i].stem);
        if (entries[i].params_bytes)
            check_one(check, path);
        snprintf(path, sizeof path, "%s/%s.vk", used.path, entries[i].stem);
        if (entries[i].vk_bytes)
            check_one(check, path);
    }
    free(entries);
    if (check->checked == 0)
        FAIL(ERR_NOT_FOUND, "%s: no parameter files", used.path);
    return OK;
}

int cmd_params_check(int argc, char **argv)
{
    ArgList files = {0};
    const char *folder = NULL;
    Check check = {0};
    const Arg args[] = {
        {"FILE", 0, ARG_REST, &files, NULL},
        {"dir", 0, ARG_TEXT, &folder, "without FILE: folder (default: the parameter folder)"},
        {"full", 0, ARG_FLAG, &check.full, "check that every point is in its subgroup, too"},
        {"manifest", 0, ARG_TEXT, &check.manifest,
         "expected digests (default: parameters.json beside a file)"},
    };
    int code = args_parse("cuzk params check", args, sizeof args / sizeof *args, argc, argv);
    if (code >= 0)
        return code;
    if (files.n && folder) {
        fprintf(stderr, "cuzk params check: FILE or --dir, not both\n");
        return EXIT_USAGE;
    }
    if (pool_new(&check.pool, 0) != OK)
        return args_fail("cuzk");
    for (size_t i = 0; i < files.n; i++)
        check_one(&check, files.values[i]);
    Status status = files.n ? OK : check_folder(&check, folder);
    pool_free(&check.pool);
    if (status != OK)
        return args_fail("cuzk");
    return check.failed ? EXIT_FAILED : EXIT_DONE;
}

int cmd_params_list(int argc, char **argv)
{
    const char *folder = NULL;
    const Arg args[] = {{"dir", 0, ARG_TEXT, &folder, "folder (default: the parameter folder)"}};
    int code = args_parse("cuzk params list", args, 1, argc, argv);
    if (code >= 0)
        return code;
    ParamsFolder used = params_folder(folder, "--dir");
    ParamsEntry *entries;
    size_t n;
    printf("%s (%s)\n", used.path, used.why);
    if (params_list(&entries, &n, used.path) != OK)
        return args_fail("cuzk");
    for (size_t i = 0; i < n; i++)
        printf("  %12llu %9llu  %s%s\n", (unsigned long long)entries[i].params_bytes,
               (unsigned long long)entries[i].vk_bytes, entries[i].stem,
               entries[i].development ? "  DEVELOPMENT" : "");
    free(entries);
    return EXIT_DONE;
}

int cmd_params_info(int argc, char **argv)
{
    const char *name = NULL, *folder = NULL;
    const Arg args[] = {
        {"NAME", 0, ARG_POSITIONAL, &name, "circuit"},
        {"dir", 0, ARG_TEXT, &folder, "folder (default: the parameter folder)"},
    };
    int code = args_parse("cuzk params info", args, 2, argc, argv);
    if (code >= 0)
        return code;
    char stem[256], path[1024];
    if (registry_param_stem(name, stem, sizeof stem) != OK)
        return args_fail("cuzk");
    ParamsFolder used = params_folder(folder, "--dir");
    const OfficialDigests *official = registry_official_digests(stem);
    printf("folder     %s (%s)\n", used.path, used.why);
    static const char *const endings[] = {".params", ".vk"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s%s", used.path, stem, endings[i]);
        printf("%-10s %s: %s", endings[i], path, file_exists(path) ? "present" : "MISSING");
        if (official)
            printf(", official digest %s", i ? official->vk : official->params);
        printf("\n");
    }
    return EXIT_DONE;
}
