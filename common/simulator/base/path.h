// SPDX-License-Identifier: MIT
// Paths of source files as compilers write them.
#ifndef SIM_BASE_PATH_H
#define SIM_BASE_PATH_H

// "a/b/../c" becomes "a/c", in place: what a file includes by "../" has one name, and a short one.
void sim_path_shorten(char *path);

#endif
