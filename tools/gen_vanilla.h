/* SPDX-License-Identifier: MIT OR Apache-2.0
 * cuzk-bench gen-vanilla: honest test data. */
#ifndef CUZK_TOOLS_GEN_VANILLA_H
#define CUZK_TOOLS_GEN_VANILLA_H

int gen_vanilla_porep(int argc, char **argv);

#endif
