// SPDX-License-Identifier: MIT
// The main program of lab 04's application: see app.h.
#include "app.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static kl_status save_json(const jacobi_run *run, const char *path, kl_error *err) {
    if (strcmp(path, "-") == 0) return jacobi_write_json(run, stdout, err);
    FILE *out = fopen(path, "w");
    if (out == NULL) return kl_fail(err, KL_ERROR_SYSTEM, "--json %s: %s", path, strerror(errno));
    kl_status status = jacobi_write_json(run, out, err);
    if (fclose(out) != 0 && status == KL_OK)
        status = kl_fail(err, KL_ERROR_SYSTEM, "--json %s: %s", path, strerror(errno));
    return status;
}

static kl_status save_plot(const jacobi_run *run, const jacobi_case *of, const char *folder,
                           kl_error *err) {
    char path[4096];
    snprintf(path, sizeof path, "%s/jacobi_%lld.svg", folder, (long long)of->order);
    FILE *out = fopen(path, "w");
    if (out == NULL) return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    jacobi_draw(run, of, out);
    if (fclose(out) != 0) return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    fprintf(stderr, "written: %s\n", path);
    return KL_OK;
}

static kl_status show(const jacobi_run *run, const jacobi_options *o, kl_error *err) {
    bool json_to_stdout = o->json_file != NULL && strcmp(o->json_file, "-") == 0;
    jacobi_print(run, json_to_stdout ? stderr : stdout);
    if (o->json_file != NULL) TRY(save_json(run, o->json_file, err));
    for (int c = 0; c < run->case_count && o->plot_folder != NULL; c++)
        TRY(save_plot(run, &run->cases[c], o->plot_folder, err));
    return KL_OK;
}

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
    if (status == KL_OK) status = show(run, &options, &err);
    if (status != KL_OK) fprintf(stderr, "gemv_row_app: %s\n", err.text);
    bool right = status == KL_OK && jacobi_all_right(run);
    free(run);
    return right ? 0 : 1;
}
