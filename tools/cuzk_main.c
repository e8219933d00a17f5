/* SPDX-License-Identifier: MIT OR Apache-2.0
 * cuzk: the daemon, and one-shot commands. */
#include "args.h"
#include "commands.h"
#include "daemon/daemon.h"

#include "base/file.h"

#include <string.h>

static const Command commands[] = {
    {"prove", "prove a C1 file without a daemon", cmd_prove},
    {"verify", "verify proofs under a .vk", cmd_verify},
    {"params setup", "make a development key for a circuit", cmd_params_setup},
    {"params check", "validate parameter files", cmd_params_check},
    {"params list", "what the parameter folder holds", cmd_params_list},
    {"params info", "which files a circuit needs, and where they are looked for", cmd_params_info},
    {"circuit list", "the circuits and their sizes", cmd_circuit_list},
    {"circuit info", "counts and densities of a circuit", cmd_circuit_info},
    {"circuit digest", "SHA-256 of a circuit's rows", cmd_circuit_digest},
    {"circuit export", "write a circuit's rows, with a witness if given", cmd_circuit_export},
};

static const char default_config[] = "/data/zk/cuzk.toml";

/* path: NULL for the built-in defaults. */
static Status configure(Config *config, const char *path, const char *listen, const char *level)
{
    TRY(config_defaults(config));
    if (path)
        TRY(config_read(config, path));
    if (level)
        TRY(log_parse_level(level, &config->log_level));
    if (listen) {
        char *copy = strdup(listen);
        if (!copy)
            FAIL(ERR_MEMORY, "out of memory");
        for (size_t i = 0; i < config->n_listen; i++)
            free(config->listen[i]);
        config->listen[0] = copy;
        config->n_listen = 1;
    }
    return OK;
}

static int run_daemon(int argc, char **argv)
{
    const char *path = NULL, *listen = NULL, *level = NULL;
    bool version = false;
    const Arg args[] = {
        {"config", 'c', ARG_TEXT, &path, "configuration file (default /data/zk/cuzk.toml)"},
        {"listen", 'l', ARG_TEXT, &listen, "unix:///path or host:port, instead of daemon.listen"},
        {"log-level", 0, ARG_TEXT, &level, "error, warn, info, debug or trace"},
        {"version", 0, ARG_FLAG, &version, "print the version"},
    };
    int code = args_parse("cuzk", args, sizeof args / sizeof *args, argc, argv);
    if (code >= 0)
        return code;
    if (version) {
        printf("cuzk %s\n", CUZK_VERSION);
        return EXIT_DONE;
    }
    Config config = {0};
    if (!path && file_exists(default_config))
        path = default_config;
    if (configure(&config, path, listen, level) != OK) {
        config_free(&config);
        return args_fail("cuzk");
    }
    log_set_level(config.log_level);
    log_set_json(config.log_json);
    if (path)
        config_log_notes(&config, path);
    else
        LOG_I("daemon", "no %s: built-in defaults", default_config);
    code = daemon_run(&config);
    config_free(&config);
    return code;
}

int main(int argc, char **argv)
{
    bool help = argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
    if (help)
        printf("cuzk: without a command, the daemon (-c, -l, --log-level, --version).\n");
    if (help || (argc > 1 && argv[1][0] != '-'))
        return args_dispatch("cuzk", commands, sizeof commands / sizeof *commands, argc, argv);
    return run_daemon(argc, argv);
}
