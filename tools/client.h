/* SPDX-License-Identifier: MIT OR Apache-2.0
 * cuzk-bench's commands that talk to a daemon. */
#ifndef CUZK_TOOLS_CLIENT_H
#define CUZK_TOOLS_CLIENT_H

int client_single(int argc, char **argv);
int client_batch(int argc, char **argv);
int client_status(int argc, char **argv);
int client_preload(int argc, char **argv);
int client_metrics(int argc, char **argv);

/* The daemon's address, set by -a. */
extern const char *client_address;

#endif
