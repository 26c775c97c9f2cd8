// SPDX-License-Identifier: MIT
// The main program of lab 04's application: see app.h.
#include "app.h"

#include <stdlib.h>

int main(int argc, char **argv) {
    kl_error err = {KL_OK, ""};
    jacobi_options options;
    kl_device device;
    if (jacobi_options_parse(argc, argv, &options, &err) != KL_OK) {
        fprintf(stderr, "gemv_row_app: %s\n", err.text);
        return 2;
    }
    if (options.help) {
        jacobi_options_help(stdout);
        return 0;
    }
    jacobi_run *run = calloc(1, sizeof *run);
    if (run == NULL) return 1;
    kl_status status = kl_device_select(&options.wish, argv, &device, &err);
    if (status == KL_OK) status = jacobi_run_all(&options, &device, run, &err);
    if (status == KL_OK)
        jacobi_print(run, stdout);
    else
        fprintf(stderr, "gemv_row_app: %s\n", err.text);
    bool right = status == KL_OK && jacobi_all_right(run);
    free(run);
    return right ? 0 : 1;
}
