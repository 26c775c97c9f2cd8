// SPDX-License-Identifier: MIT
// The program of lab 07: the kit's driver with this lab's problem. Try --help.
#include "lab_main.h"
#include "problem.h"

extern const kl_problem gemm_problem;
extern const kl_adapter kl_lab_adapter;

int main(int argc, char **argv) {
    return kl_lab_main(argc, argv, &gemm_problem, &kl_lab_adapter);
}
