/* SPDX-License-Identifier: MIT OR Apache-2.0
 * The commands of the cuzk program. */
#ifndef CUZK_TOOLS_COMMANDS_H
#define CUZK_TOOLS_COMMANDS_H

int cmd_prove(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_params_setup(int argc, char **argv);
int cmd_params_check(int argc, char **argv);
int cmd_params_list(int argc, char **argv);
int cmd_params_info(int argc, char **argv);
int cmd_circuit_list(int argc, char **argv);
int cmd_circuit_info(int argc, char **argv);
int cmd_circuit_digest(int argc, char **argv);
int cmd_circuit_export(int argc, char **argv);

#endif
