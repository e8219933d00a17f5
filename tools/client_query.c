/* SPDX-License-Identifier: MIT OR Apache-2.0
 * cuzk-bench: questions to a daemon. */
#include "client.h"

#include "args.h"
#include "rpc/grpc.h"
#include "rpc/proving.h"

#include <string.h>

/* A call whose request is at most one text field. */
static int ask(const char *method, const char *text, GrpcReply *reply)
{
    GrpcClient *client;
    WireWriter message = {0};
    char path[128];
    snprintf(path, sizeof path, PROVING_SERVICE "%s", method);
    wire_put_text(&message, 1, text);
    Status status = grpc_client_new(&client, client_address);
    if (status == OK) {
        status = grpc_client_call(client, path, message.data, message.size, 0, reply);
        grpc_client_free(&client);
    }
    wire_free(&message);
    if (status != OK)
        return args_fail("cuzk-bench");
    if (reply->code == GRPC_OK)
        return EXIT_DONE;
    fprintf(stderr, "cuzk-bench: %s: refused (%d): %s\n", method, (int)reply->code, reply->text);
    return EXIT_FAILED;
}

/* Print the fields of a reply's submessages or numbers as NAME value. */
static void print_fields(const uint8_t *data, size_t size, const char *const *names, size_t n)
{
    WireReader reader = wire_reader(data, size);
    WireField field;
    bool more;
    while (wire_next(&reader, &field, &more) == OK && more) {
        const char *name = field.number <= n ? names[field.number - 1] : "?";
        if (field.type == WIRE_VARINT)
            printf("  %s %llu", name, (unsigned long long)field.value);
        else
            printf("  %s %.*s", name, (int)field.bytes.size, (const char *)field.bytes.data);
    }
    printf("\n");
}

int client_status(int argc, char **argv)
{
    static const char *const top[] = {"gpu",    "srs",      "queue",  "completed",
                                      "failed", "uptime_s", "pinned", "pinned_limit"};
    static const char *const gpu[] = {"ordinal", "name", "vram_total", "vram_free", "job", "kind"};
    static const char *const srs[] = {"circuit", "tier", "bytes", "references"};
    static const char *const queue[] = {"kind", "pending", "in_progress"};
    static const char *const *const parts[] = {gpu, srs, queue};
    static const size_t counts[] = {6, 4, 3};
    int code = args_parse("cuzk-bench status", NULL, 0, argc, argv);
    if (code >= 0)
        return code;
    GrpcReply reply = {0};
    code = ask("GetStatus", "", &reply);
    if (code != EXIT_DONE)
        return code;
    WireReader reader = wire_reader(reply.message, reply.size);
    WireField field;
    bool more;
    while (wire_next(&reader, &field, &more) == OK && more) {
        if (field.number >= 1 && field.number <= 3 && field.type == WIRE_BYTES) {
            printf("%s:", top[field.number - 1]);
            print_fields(field.bytes.data, field.bytes.size, parts[field.number - 1],
                         counts[field.number - 1]);
        } else if (field.number <= 8 && field.type == WIRE_VARINT) {
            printf("%s: %llu\n", top[field.number - 1], (unsigned long long)field.value);
        }
    }
    free(reply.message);
    return EXIT_DONE;
}

int client_preload(int argc, char **argv)
{
    const char *circuit = NULL;
    const Arg args[] = {{"circuit-id", 'c', ARG_TEXT, &circuit, "e.g. porep-32g"}};
    int code = args_parse("cuzk-bench preload", args, 1, argc, argv);
    if (code >= 0)
        return code;
    if (!circuit) {
        fprintf(stderr, "cuzk-bench preload: wanted: --circuit-id\n");
        return EXIT_USAGE;
    }
    GrpcReply reply = {0};
    uint64_t numbers[2];
    code = ask("PreloadSRS", circuit, &reply);
    if (code != EXIT_DONE)
        return code;
    if (two_numbers_decode(numbers, reply.message, reply.size) != OK)
        code = args_fail("cuzk-bench");
    else if (numbers[0])
        printf("%s: already loaded\n", circuit);
    else
        printf("%s: loaded in %llu ms\n", circuit, (unsigned long long)numbers[1]);
    free(reply.message);
    return code;
}

int client_metrics(int argc, char **argv)
{
    int code = args_parse("cuzk-bench metrics", NULL, 0, argc, argv);
    if (code >= 0)
        return code;
    GrpcReply reply = {0};
    WireBytes text;
    uint64_t ignored;
    code = ask("GetMetrics", "", &reply);
    if (code != EXIT_DONE)
        return code;
    if (text_number_decode(&text, &ignored, reply.message, reply.size) != OK)
        code = args_fail("cuzk-bench");
    else
        fwrite(text.data, 1, text.size, stdout);
    free(reply.message);
    return code;
}
