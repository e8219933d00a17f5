/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The table of proof kinds. */
#include "engine/kind.h"

static const char *const names[CUZK_KINDS] = {NULL, "porep-c2", "snap-update", "window-post",
                                              "winning-post"};
static const ProofKind *const served[CUZK_KINDS] = {[CUZK_KIND_POREP] = &kind_porep};

const ProofKind *proof_kind(unsigned number)
{
    return number < CUZK_KINDS ? served[number] : NULL;
}

const char *cuzk_kind_name(unsigned number)
{
    return number < CUZK_KINDS ? names[number] : NULL;
}
