// SPDX-License-Identifier: MIT
// The program of lab 08: the kit's driver with this lab's problem, and with matrices of the user's own. Try --help.
#include "file.h"
#include "problem.h"
#include "reference.h"

extern const kl_adapter kl_lab_adapter;

int main(int argc, char **argv) {
    return kl_lab_main_with_files(argc, argv, &spmv_problem, &kl_lab_adapter, &spmv_files);
}
