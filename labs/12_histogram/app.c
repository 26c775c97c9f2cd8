// The main program of lab 12's application: see app.h.
#include "app.h"

#include <sys/stat.h>

#include "atomic_file.h"

static kl_status save_picture(equal_run *run, kl_error *err) {
    char folder[3900], path[4096];
    if (run->options->plot_folder)
        snprintf(folder, sizeof folder, "%s", run->options->plot_folder);
    else {
        TRY(kl_device_program_folder(folder, sizeof folder - 16, err));
        strcat(folder, "/pictures");
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", folder, strerror(errno));
    snprintf(path, sizeof path, "%s/equalised.svg", folder);
    TRY(kl_file_replace(path, equal_draw, run, err));
    fprintf(stderr, "written: %s\n", path);
    return KL_OK;
}

static kl_status show(equal_run *run, kl_error *err) {
    equal_print(run, kl_file_is_stdout(run->options->json_file) ? stderr : stdout);
    if (run->options->json_file)
        TRY(kl_file_put(run->options->json_file, equal_write_json, run, err));
    return save_picture(run, err);
}

int main(int argc, char **argv) {
    static equal_run run;
    kl_error err = {KL_OK, ""};
    equal_options options;
    kl_device device;
    if (equal_options_parse(argc, argv, &options, &err) != KL_OK) {
        fprintf(stderr, "histogram_app: %s\n", err.text);
        return 2;
    }
    if (options.help) {
        equal_options_help(stdout);
        return 0;
    }
    run.options = &options;
    kl_status status = kl_device_select(&options.request, argv, &device, &err);
    if (status == KL_OK) status = equal_run_all(&device, &run, &err);
    if (status == KL_OK) status = show(&run, &err);
    equal_image_free(&run.image);
    equal_image_free(&run.equalised);
    if (status != KL_OK) fprintf(stderr, "histogram_app: %s\n", err.text);
    return status == KL_OK ? 0 : 1;
}
