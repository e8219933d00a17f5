/* SPDX-License-Identifier: MIT OR Apache-2.0
 * Tables of registered proofs, tree shapes and circuits. */
#include "filecoin/registry.h"

#include "hash/sha256.h"

#include <string.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/* The five published sizes, with what differs between them. */
static const struct {
    const char *upper, *lower; /* "32GiB", "32g" */
    uint64_t bytes;
    unsigned layers, partitions, challenges; /* PoRep */
    unsigned ni_partitions, window_sectors;
} sizes[] = {
    {"2KiB", "2k", 2 * KIB, 2, 1, 2, 13, 2},
    {"8MiB", "8m", 8 * MIB, 2, 1, 2, 13, 2},
    {"512MiB", "512m", 512 * MIB, 2, 1, 2, 13, 2},
    {"32GiB", "32g", 32 * GIB, 11, 10, 18, 126, 2349},
    {"64GiB", "64g", 64 * GIB, 11, 10, 18, 126, 2300},
};
enum { SIZES = sizeof sizes / sizeof *sizes };

#define SEAL(id, size, bytes, suffix, api, layers, partitions, challenges, synthetic, ni)          \
    {                                                                                              \
        id, "StackedDrg" size suffix, "StackedDrg" size "V1", bytes, api, layers, partitions,      \
            challenges, synthetic, ni                                                              \
    }
#define SEALS(first, suffix, api, synthetic)                                                       \
    SEAL(first, "2KiB", 2 * KIB, suffix, api, 2, 1, 2, synthetic, false),                          \
        SEAL(first + 1, "8MiB", 8 * MIB, suffix, api, 2, 1, 2, synthetic, false),                  \
        SEAL(first + 2, "512MiB", 512 * MIB, suffix, api, 2, 1, 2, synthetic, false),              \
        SEAL(first + 3, "32GiB", 32 * GIB, suffix, api, 11, 10, 18, synthetic, false),             \
        SEAL(first + 4, "64GiB", 64 * GIB, suffix, api, 11, 10, 18, synthetic, false)
#define NI "V1_2_Feat_NonInteractivePoRep"

static const SealProof seal_proofs[SEAL_PROOFS] = {
    SEALS(0, "V1", 0, false),
    SEALS(5, "V1_1", 1, false),
    SEALS(10, "V1_1_Feat_SyntheticPoRep", 2, true),
    SEAL(15, "2KiB", 2 * KIB, NI, 2, 2, 13, 2, false, true),
    SEAL(16, "8MiB", 8 * MIB, NI, 2, 2, 13, 2, false, true),
    SEAL(17, "512MiB", 512 * MIB, NI, 2, 2, 13, 2, false, true),
    SEAL(18, "32GiB", 32 * GIB, NI, 2, 11, 126, 18, false, true),
    SEAL(19, "64GiB", 64 * GIB, NI, 2, 11, 126, 18, false, true),
};

const SealProof *registry_seal_proof(unsigned id)
{
    return id < SEAL_PROOFS ? &seal_proofs[id] : NULL;
}

const SealProof *registry_seal_proof_named(const char *name, size_t length)
{
    for (unsigned id = 0; id < SEAL_PROOFS; id++)
        if (strlen(seal_proofs[id].name) == length &&
            memcmp(seal_proofs[id].name, name, length) == 0)
            return &seal_proofs[id];
    return NULL;
}

void registry_porep_id(uint8_t id[32], unsigned registered_proof)
{
    memset(id, 0, 32);
    id[0] = (uint8_t)registered_proof;
}

Status registry_tree_shape(TreeShape *out, uint64_t sector_size)
{
    static const struct {
        uint64_t bytes;
        unsigned sub, top;
    } shapes[] = {
        {2 * KIB, 0, 0},  {4 * KIB, 2, 0},   {16 * KIB, 8, 0}, {32 * KIB, 8, 2}, {8 * MIB, 0, 0},
        {16 * MIB, 2, 0}, {512 * MIB, 0, 0}, {1 * GIB, 2, 0},  {32 * GIB, 8, 0}, {64 * GIB, 8, 2},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (shapes[i].bytes != sector_size)
            continue;
        unsigned log_nodes = (unsigned)__builtin_ctzll(sector_size / NODE_BYTES), above = 0;
        above += shapes[i].sub ? (unsigned)__builtin_ctz(shapes[i].sub) : 0;
        above += shapes[i].top ? (unsigned)__builtin_ctz(shapes[i].top) : 0;
        *out = (TreeShape){(log_nodes - above) / 3, shapes[i].sub, shapes[i].top, log_nodes};
        return OK;
    }
    FAIL(ERR_UNSUPPORTED, "sector size %llu: expected 2KiB, 8MiB, 512MiB, 32GiB or 64GiB",
         (unsigned long long)sector_size);
}

static const struct {
    const char *name, *alias;
    CircuitKind kind;
} kinds[] = {
    {"porep", "porep", CIRCUIT_POREP},
    {"winning", "winning", CIRCUIT_WINNING},
    {"window", "wpost", CIRCUIT_WINDOW},
    {"snap", "snap", CIRCUIT_SNAP},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Sizes that only tests use, for PoRep. */
static const struct {
    const char *lower;
    uint64_t bytes;
} test_sizes[] = {{"4k", 4 * KIB}, {"16k", 16 * KIB}, {"32k", 32 * KIB}};

static void fill(CircuitId *out, size_t kind, const char *lower, uint64_t bytes, size_t size)
{
    *out = (CircuitId){.kind = kinds[kind].kind, .sector_size = bytes};
    snprintf(out->name, sizeof out->name, "%s-%s", kinds[kind].name, lower);
    if (out->kind == CIRCUIT_POREP) {
        out->layers = sizes[size].layers;
        out->challenges = sizes[size].challenges;
    } else if (out->kind == CIRCUIT_WINNING) {
        out->challenges = 1;
        out->sectors = 66;
    } else if (out->kind == CIRCUIT_WINDOW) {
        out->challenges = 10;
        out->sectors = sizes[size].window_sectors;
    }
}

Status registry_circuit(CircuitId *out, const char *name)
{
    const char *dash = strchr(name, '-');
    size_t prefix = dash ? (size_t)(dash - name) : 0;
    for (size_t k = 0; k < KINDS && dash; k++) {
        bool named = strlen(kinds[k].name) == prefix && memcmp(name, kinds[k].name, prefix) == 0;
        bool alias = strlen(kinds[k].alias) == prefix && memcmp(name, kinds[k].alias, prefix) == 0;
        if (!named && !alias)
            continue;
        for (size_t s = 0; s < SIZES; s++) {
            if (strcmp(dash + 1, sizes[s].lower) == 0) {
                fill(out, k, sizes[s].lower, sizes[s].bytes, s);
                return OK;
            }
        }
        for (size_t s = 0; s < 3 && kinds[k].kind == CIRCUIT_POREP; s++) {
            if (strcmp(dash + 1, test_sizes[s].lower) == 0) {
                fill(out, k, test_sizes[s].lower, test_sizes[s].bytes, 0);
                return OK;
            }
        }
    }
    FAIL(ERR_NOT_FOUND,
         "unknown circuit \"%s\": expected {porep,winning,window,snap}-{2k,8m,512m,32g,64g}", name);
}

const char *registry_circuit_name(size_t index)
{
    static const char *const names[] = {
        "porep-2k",   "porep-8m",   "porep-512m",   "porep-32g",   "porep-64g",
        "winning-2k", "winning-8m", "winning-512m", "winning-32g", "winning-64g",
        "window-2k",  "window-8m",  "window-512m",  "window-32g",  "window-64g",
        "snap-2k",    "snap-8m",    "snap-512m",    "snap-32g",    "snap-64g",
    };
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

/* The identity string that the published names hash. */
static void identity(const CircuitId *id, const TreeShape *shape, char *prefix, size_t prefix_room,
                     char *text, size_t room)
{
    char tree[64];
    unsigned long long nodes = id->sector_size / NODE_BYTES;
    snprintf(tree, sizeof tree, "merkletree-poseidon_hasher-8-%u-%u", shape->sub, shape->top);
    if (id->kind == CIRCUIT_POREP) {
        snprintf(prefix, prefix_room, "stacked-proof-of-replication-%s-sha256_hasher", tree);
        snprintf(text, room,
                 "layered_drgporep::PublicParams{ graph: stacked_graph::StackedGraph{expansion_"
                 "degree: 8 base_graph: drgraph::BucketGraph{size: %llu; degree: 6; hasher: "
                 "poseidon_hasher} }, challenges: LayerChallenges { layers: %u, max_count: %u }, "
                 "tree: %s }",
                 nodes, id->layers, id->challenges, tree);
    } else if (id->kind == CIRCUIT_SNAP) {
        snprintf(prefix, prefix_room, "empty-sector-update-%s", tree);
        snprintf(text, room, "empty_sector_update::PublicParams{ sector_nodes: %llu }", nodes);
    } else {
        snprintf(prefix, prefix_room, "proof-of-spacetime-fallback-%s", tree);
        snprintf(text, room,
                 "FallbackPoSt::PublicParams{sector_size: %llu, challenge_count: %u, sector_count: "
                 "%u}",
                 (unsigned long long)id->sector_size, id->challenges, id->sectors);
    }
}

Status registry_param_stem(const char *circuit, char *stem, size_t room)
{
    CircuitId id;
    TreeShape shape = {0};
    char prefix[128], text[512], hex[65];
    uint8_t digest[32];
    TRY(registry_circuit(&id, circuit));
    TRY(registry_tree_shape(&shape, id.sector_size));
    identity(&id, &shape, prefix, sizeof prefix, text, sizeof text);
    sha256(digest, text, strlen(text));
    for (int i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    if (snprintf(stem, room, "v28-%s-%s", prefix, hex) >= (int)room)
        FAIL(ERR_ARG, "parameter name: no room");
    return OK;
}

static const OfficialDigests official[] = {
    {"032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f",
     "434fb1338ecfaf0f59256f30dde4968f", "dc1ade9929ade1708238f155343044ac"},
    {"3ea05428c9d11689f23529cde32fd30aabd50f7d2c93657c1d3650bca3e8ea9e",
     "82c88066be968bb550a05e30ff6c2413", "ffd79788d614d27919ae5bd2d94eacb6"},
    {"0170db1f394b35d995252228ee359194b13199d259380541dc529fb0099096b0",
     "7610b9f82bfc88405b7a832b651ce2f6", "0e0958009936b9d5e515ec97b8cb792d"},
    {"fb9e095bebdd77511c0269b967b4d87ba8b8a525edaa0e165de23ba454510194",
     "311f92a3e75036ced01b1c0025f1fa0c", "eadad9784969890d30f2749708c79771"},
    {"ecd683648512ab1765faa2a5f14bab48f676e633467f0aa8aad4b55dcb0652bb",
     "09e612e4eeb7a0eb95679a88404f960c", "b687beb9adbd9dabe265a7e3620813e4"},
    {"50c7368dea9593ed0989e70974d28024efa9d156d585b7eea1be22b2e753f331",
     "700171ecf7334e3199437c930676af82", "79ebb55f56fda427743e35053edad8fc"},
    {"5294475db5237a2e83c3e52fd6c2b03859a1831d45ed08c4f35dbf9a803165a9",
     "c49499bb76a0762884896f9683403f55", "34d4feeacd9abf788d69ef1bb4d8fd00"},
    {"92180959e1918d26350b8e6cfe217bbdd0a2d8de51ebec269078b364b715ad63",
     "5aedd2cf3e5c0a15623d56a1b43110ad", "abd80269054d391a734febdac0d2e687"},
    {"6babf46ce344ae495d558e7770a585b2382d54f225af8ed0397b8be7c3fcd472",
     "6c77597eb91ab936c1cef4cf19eba1b3", "065179da19fbe515507267677f02823e"},
    {"7d739b8cf60f1b0709eeebee7730e297683552e4b69cab6984ec0285663c5781",
     "827359440349fe8f5a016e7598993b79", "bd2cd62f65c1ab84f19ca27e97b7c731"},
    {"0cfb4f178bbb71cf2ecfcd42accce558b27199ab4fb59cb78f2483fe21ef36d9",
     "1a7d4a9c8a502a497ed92a54366af33f", "4dae975de4f011f101f5a2f86d1daaba"},
    {"61fa69f38b9cc771ba27b670124714b4ea77fbeae05e377fb859c4a43b73a30c",
     "c3ad7bb549470b82ad52ed070aebb4f4", "994c5b7d450ca9da348c910689f2dc7f"},
    {"82a357d2f2ca81dc61bb45f4a762807aedee1b0a53fd6c4e77b46a01bfef7820",
     "6a388072a518cf46ebd661f5cc46900a", "0c7b4aac1c40fdb7eb82bc355b41addf"},
    {"559e581f022bb4e4ec6e719e563bf0e026ad6de42e56c18714a2c692b1b88d7e",
     "d84f79a16fe40e9e25a36e2107bb1ba0", "fc02943678dd119e69e7fab8420e8819"},
    {"0377ded656c6f524f1618760bffe4e0a1c51d5a70c4509eedae8a27555733edc",
     "2cf49eb26f1fee94c85781a390ddb4c8", "0f8ec542485568fa3468c066e9fed82b"},
    {"3b7f44a9362e3985369454947bc94022e118211e49fd672d52bec1cbfd599d18",
     "1b3cfd761a961543f9eb273e435a06a2", "3a6941983754737fde880d29c7094905"},
    {"96f1b4a04c5c51e4759bbf224bbc2ef5a42c7100f16ec0637123f16a845ddfb2",
     "1801f8a6e1b00bceb00cc27314bb5ce3", "a89884252c04c298d0b3c81bfd884164"},
    {"b62098629d07946e9028127e70295ed996fe3ed25b0f9f88eb610a0ab4385a3c",
     "2170a91ad5bae22ea61f2ea766630322", "6d3789148fb6466d07ee1e24d6292fd6"},
    {"2627e4006b67f99cef990c0a47d5426cb7ab0a0ad58fc1061547bf2d28b09def",
     "3810b7780ac0e299b22ae70f1f94c9bc", "59d2bf1857adc59a4f08fcf2afaa916b"},
    {"102e1444a7e9a97ebf1e3d6855dcc77e66c011ea66f936d9b2c508f87f2f83a7",
     "1a392e7b759fb18e036c7559b5ece816", "80e366df2f1011953c2d01c7b7c9ee8e"},
};

const OfficialDigests *registry_official_digests(const char *stem)
{
    size_t length = strlen(stem);
    if (length < 64 || strstr(stem, "update-poseidon"))
        return NULL;
    for (size_t i = 0; i < sizeof official / sizeof *official; i++)
        if (strcmp(official[i].id, stem + length - 64) == 0)
            return &official[i];
    return NULL;
}
