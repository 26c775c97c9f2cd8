// The main program of lab 04's application: see app.h.
#include "app.h"

#include "atomic_file.h"

static kl_status write_json(void *run, FILE *out, kl_error *err) {
    return jacobi_write_json(run, out, err);
}

typedef struct plot {
    const jacobi_run *run;
    const jacobi_case *of;
} plot;

static kl_status write_plot(void *context, FILE *out, kl_error *err) {
    const plot *p = context;
    (void)err; // kl_file_replace notices what could not be written
    jacobi_draw(p->run, p->of, out);
    return KL_OK;
}

static kl_status save_plot(const jacobi_run *run, const jacobi_case *of, const char *folder,
                           kl_error *err) {
    char path[4096];
    plot p = {run, of};
    snprintf(path, sizeof path, "%s/jacobi_%lld.svg", folder, (long long)of->order);
    TRY(kl_file_replace(path, write_plot, &p, err));
    fprintf(stderr, "written: %s\n", path);
    return KL_OK;
}

static kl_status show(jacobi_run *run, const jacobi_options *o, kl_error *err) {
    bool json_to_stdout = kl_file_is_stdout(o->json_file);
    jacobi_print(run, json_to_stdout ? stderr : stdout);
    if (o->json_file) TRY(kl_file_put(o->json_file, write_json, run, err));
    for (int c = 0; c < run->case_count && o->plot_folder; c++)
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
    if (!run) return 1;
    kl_status status = kl_device_select(&options.request, argv, &device, &err);
    if (status == KL_OK) status = jacobi_run_all(&options, &device, run, &err);
    if (status == KL_OK) status = show(run, &options, &err);
    if (status != KL_OK) fprintf(stderr, "gemv_row_app: %s\n", err.text);
    bool right = status == KL_OK && jacobi_all_right(run);
    free(run);
    return right ? 0 : 1;
}
