// The main program of lab 10's application: see app.h.
#include "app.h"

#include <unistd.h>

#include "atomic_file.h"

// In the environment of the program that takes the times: the descriptor of the study.
static const char handed_over[] = "LADDER_PRUNING_STUDY";

// Starts this program again on a simulator that counts; does not return when it could.
static kl_status start_again(const pruning_study *study, char **argv, kl_error *err) {
    char number[16];
    snprintf(number, sizeof number, "%d", study->fd);
    fflush(NULL);
    setenv(handed_over, number, 1);
    setenv("LADDER_SIM_MODE", "count", 1);
    execv("/proc/self/exe", argv);
    return kl_fail(err, KL_ERROR_SYSTEM, "the program could not be started again: %s",
                   strerror(errno));
}

static void print_head(const pruning_options *o, const kl_device *device, const kl_dataset *data,
                       const pruning_study *s, FILE *out) {
    const cnn_network *n = &s->network;
    fprintf(out, "Pruning of a convolutional network, 10_pruning (%s)\n",
            o->solution ? "solution" : "yours");
    fprintf(out, "device    %s\n", device->name);
    fprintf(out, "data      %s: %lld images to train on, %lld to test with\n", data->name,
            (long long)data->train.count, (long long)data->test.count);
    fprintf(out, "network   conv %lld, conv %lld, fc %lld, fc %d: %lld weights may be taken out\n",
            (long long)n->filters1, (long long)n->filters2, (long long)n->hidden, CNN_CLASSES,
            (long long)s->weights);
    const char *notice = kl_dataset_notice(data);
    if (notice) fprintf(out, "%s\n", notice);
}

static kl_status make_study(const pruning_options *o, const kl_device *device,
                            const kl_dataset *data, char **argv, FILE *out, pruning_study **study,
                            kl_error *err) {
    const char *fd = getenv(handed_over);
    if (fd) return pruning_study_adopt(atoi(fd), study, err);
    TRY(pruning_study_new(o, data, device->simulated, study, err));
    print_head(o, device, data, *study, out);
    TRY(pruning_study_run(o, data, *study, out, err));
    if (device->simulated && kl_device_may_fork()) return start_again(*study, argv, err);
    return KL_OK;
}

static kl_status run(pruning_options *o, const kl_device *device, char **argv, kl_error *err) {
    kl_dataset data;
    static pruning_measured measured;
    pruning_study *study = NULL;
    FILE *out = kl_file_is_stdout(o->json_file) ? stderr : stdout;
    pruning_options_fill(o, device->simulated);
    TRY(kl_dataset_open(o->data, o->seed, o->train_images, o->test_images, &data, err));
    kl_status status = make_study(o, device, &data, argv, out, &study, err);
    if (status == KL_OK) status = pruning_times(o, device, &data, study, &measured, err);
    if (status == KL_OK) status = pruning_report(o, &measured, out, err);
    pruning_study_free(study);
    kl_dataset_free(&data);
    return status;
}

int main(int argc, char **argv) {
    kl_error err = {KL_OK, ""};
    pruning_options options;
    kl_device device;
    if (pruning_options_parse(argc, argv, &options, &err) != KL_OK) {
        fprintf(stderr, "pruning_app: %s\n", err.text);
        return 2;
    }
    if (options.help) {
        pruning_options_help(stdout);
        return 0;
    }
    setenv("LADDER_SIM_MODE", "functional", 0); // the training is long; see start_again
    kl_status status = kl_device_select(&options.request, argv, &device, &err);
    if (status == KL_OK) status = run(&options, &device, argv, &err);
    if (status != KL_OK) fprintf(stderr, "pruning_app: %s\n", err.text);
    return status == KL_OK ? 0 : 1;
}
