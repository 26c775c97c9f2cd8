// The main program of lab 10's application: see app.h.
#include "app.h"

#include <unistd.h>
#include <sys/stat.h>

#include "atomic_file.h"
#include "program.h"
#include "cuda_check.h"
#include "json.h"
#include "table.h"

// ---- Command line of lab 10's application ----

// "50,90,99": percent, ascending.
static kl_status take_sparsities(const kl_option *option, const char *text, kl_error *err) {
    pruning_options *o = option->target;
    const char *at = text;
    o->sparsity_count = 0;
    for (double before = -1; o->sparsity_count < KL_PRUNING_POINTS;) {
        char *end = NULL;
        double percent = strtod(at, &end);
        if (end == at || !(percent > before && percent <= 100)) break;
        o->sparsities[o->sparsity_count++] = percent / 100;
        if (*end == '\0') return KL_OK;
        if (*end != ',') break;
        at = end + 1;
        before = percent;
    }
    return kl_fail(
        err, KL_ERROR_USAGE,
        "--sparsity takes up to %d percentages from 0 to 100, ascending, as in 50,90,99; "
        "not '%s'",
        KL_PRUNING_POINTS, text);
}

kl_status pruning_options_parse(int argc, char **argv, pruning_options *out, kl_error *err) {
    pruning_options *o = out;
    *o = (pruning_options){.seed = 1, .learning_rate = NAN, .tune = -1};
    const kl_option options[] = {
        {"device", KL_OPTION_DEVICE, &o->request, 0, 0, NULL},
        {"help", KL_OPTION_FLAG, &o->help, 0, 0, NULL},
        {"solution", KL_OPTION_FLAG, &o->solution, 0, 0, NULL},
        {"own", KL_OPTION_FLAG, &o->own, 0, 0, NULL},
        {"quick", KL_OPTION_FLAG, &o->quick, 0, 0, NULL},
        {"step", KL_OPTION_MARK, o->steps, 0, PRUNING_LAST_STEP, NULL},
        {"data", KL_OPTION_TEXT, &o->data, 0, 0, NULL},
        {"load", KL_OPTION_TEXT, &o->load, 0, 0, NULL},
        {"json", KL_OPTION_TEXT, &o->json_file, 0, 0, NULL},
        {"plots", KL_OPTION_TEXT, &o->plot_folder, 0, 0, NULL},
        {"seed", KL_OPTION_INT64, &o->seed, 0, INT64_MAX, NULL},
        {"epochs", KL_OPTION_INT, &o->epochs, 1, 1000, NULL},
        {"tune", KL_OPTION_INT, &o->tune, 0, 1000, NULL},
        {"repeat", KL_OPTION_INT, &o->repetitions, 1, 100000, NULL},
        {"batch", KL_OPTION_INT64, &o->batch, 1, 1 << 14, NULL},
        {"rate", KL_OPTION_REAL, &o->learning_rate, 0, 100, NULL},
        {"widths", KL_OPTION_OTHER, o->widths, 0, 0, cnn_take_widths},
        {"sparsity", KL_OPTION_OTHER, o, 0, 0, take_sparsities},
        {"size", KL_OPTION_INT64, &o->train_images, 1, 1 << 26, NULL},
        {"test", KL_OPTION_INT64, &o->test_images, 1, 1 << 26, NULL},
    };
    TRY(kl_program_options(argc, argv, options, (int)(sizeof options / sizeof options[0]), err));
    for (int i = 0; i <= PRUNING_LAST_STEP; i++) o->steps_chosen |= o->steps[i];
    return KL_OK;
}

// The rest of the defaults, which depend on the device.
static void pruning_options_fill(pruning_options *o, bool simulated) {
    static const double few[] = {0.5, 0.9, 0.98};
    static const double many[] = {0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99};
    bool small = simulated || o->quick;
    if (o->sparsity_count == 0) {
        size_t bytes = small ? sizeof few : sizeof many;
        memcpy(o->sparsities, small ? few : many, bytes);
        o->sparsity_count = (int)(bytes / sizeof few[0]);
    }
    if (o->epochs == 0) o->epochs = o->quick ? 1 : simulated ? 2 : 8;
    if (o->tune < 0) o->tune = small ? 1 : 2;
    if (o->batch == 0) o->batch = simulated ? 16 : 64;
    if (isnan(o->learning_rate)) o->learning_rate = 0.02;
    if (o->widths[0] == 0) cnn_default_widths(simulated, o->widths);
    if (o->train_images == 0 && simulated) o->train_images = o->quick ? 500 : 2000;
    if (o->test_images == 0 && simulated) o->test_images = o->quick ? 300 : 1000;
}

static void pruning_options_help(FILE *out) {
    fprintf(
        out,
        "usage: ladder run pruning [STEP..] --app [--solution] [--size N] [--seed N] [--quick]\n"
        "           [--plots DIR] [--json FILE] [--repeat N] [--device %s] [-- options]\n\n"
        "Trains lab 09's network, takes out more and more of the weights of its fully connected\n"
        "layers with fine-tuning between, and takes their times, dense and sparse. What has no\n"
        "step yet runs on the host or is left out. With STEP.. only these steps are used.\n\n"
        "  --sparsity LIST  percentages to prune to, ascending; 50 to 99, or 50,90,98 on the\n"
        "                   simulator\n"
        "  --tune N         epochs of fine-tuning after each; 2, or 1 on the simulator\n"
        "  --epochs N       epochs of training before; 8, or 2 on the simulator\n"
        "  --load FILE      no training: lab 09's checkpoint (same --widths)\n"
        "  --data FOLDER    MNIST, Fashion-MNIST or CIFAR-10 (binary); 'shapes': drawn images;\n"
        "                   Debian's dataset-fashion-mnist when it is installed\n"
        "  --size N         training images; all, or 2000 on the simulator\n"
        "  --test N         test images; all, or 1000 on the simulator\n"
        "  --batch N        images of a step of descent; 64, or 16 on the simulator\n"
        "  --rate R         learning rate of the first epoch; it falls linearly; 0.02\n"
        "  --widths A,B,C   filters, filters, hidden outputs; 16,32,128, or 4,8,32\n"
        "  --own            kernels of labs 07 to 09 are yours, too\n"
        "  --plots DIR      where accuracy, speed and storage against sparsity are written as\n"
        "                   SVG, a file per batch; 'pictures' beside the program\n"
        "  --seed N         other initial weights and another order of the images\n"
        "example: ./ladder run pruning --app --solution -- --sparsity 50,80,95 --tune 3\n",
        kl_device_words);
}

// ---- The steps of lab 10 for its application ----

extern const kl_adapter kl_lab_adapter;

kl_status pruning_folder(const char *lab, bool solution, char *folder, size_t folder_bytes,
                         kl_error *err) {
    char own[PRUNING_PATH - 64];
    TRY(kl_device_program_folder(own, sizeof own, err));
    snprintf(folder, folder_bytes, "%s/../%s/%s", own, lab, solution ? "solution" : "skeleton");
    return KL_OK;
}

// An operation that there is not: refused by a step that is written.
static bool is_written(const kl_step *step) {
    KL_FUNCTION(pruning_function, function, step->function);
    pruning_task nothing = {.op = PRUNING_OPS, .shape = {0, 1, 1, 0}};
    return function(&nothing) != PRUNING_NOT_IMPLEMENTED;
}

kl_status pruning_steps_open(const pruning_options *o, pruning_steps *out, kl_error *err) {
    char folder[PRUNING_PATH];
    memset(out, 0, sizeof *out);
    TRY(pruning_folder("10_pruning", o->solution, folder, sizeof folder, err));
    for (int s = 0; s <= PRUNING_LAST_STEP; s++) {
        if (o->steps_chosen && !o->steps[s]) continue;
        if (kl_step_open(folder, s, &kl_lab_adapter, &out->steps[s], err) == KL_OK)
            out->written[s] = is_written(&out->steps[s]);
        else
            fprintf(stderr, "%s; step %d is left out\n", err->text, s);
    }
    return KL_OK;
}

void pruning_steps_close(pruning_steps *steps) {
    cudaFree(steps->d_workspace);
    for (int s = 0; s <= PRUNING_LAST_STEP; s++) kl_step_close(&steps->steps[s]);
    memset(steps, 0, sizeof *steps);
}

static kl_status make_workspace(pruning_steps *steps, const pruning_task *task, kl_error *err) {
    size_t bytes = pruning_workspace_bytes(task->op, &task->shape);
    if (bytes <= steps->workspace_bytes) return KL_OK;
    cudaFree(steps->d_workspace);
    steps->d_workspace = NULL;
    steps->workspace_bytes = 0;
    KL_CUDA(err, cudaMalloc(&steps->d_workspace, bytes));
    steps->workspace_bytes = bytes;
    return KL_OK;
}

kl_status pruning_steps_run(pruning_steps *steps, int step, const pruning_task *task,
                            kl_error *err) {
    pruning_function *function = NULL;
    memcpy(&function, &steps->steps[step].function, sizeof function);
    pruning_task own = *task;
    TRY(make_workspace(steps, task, err));
    own.d_workspace = steps->d_workspace;
    return kl_step_check("", step, function(&own), err);
}

// ---- What it says: tables, JSON (schema ladder.pruning-run/1), pictures ----

static void show_batch(const pruning_measured *m, int batch, FILE *out) {
    const kl_pruning *r = &m->records[batch];
    kl_style style = kl_style_for(out);
    fprintf(out, "\nBatches of %lld\n\n", (long long)r->batch);
    kl_show_pruning(r, &style, out);
    fputs("Dense:", out);
    const char *between = " ";
    for (int d = 0; d < PRUNING_DENSE_KERNELS; d++) {
        if (!isfinite(m->dense_us[batch][d])) continue;
        fprintf(out, "%s%s %.1f us", between, pruning_dense_names[d], m->dense_us[batch][d]);
        between = "; ";
    }
    fputs(". The table has the fastest.\n", out);
}

// The records, and of each the dense kernels behind it.
static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const pruning_measured *m = context;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{schema ladder.pruning-run/1 device (kind %s name %s) dense [",
                m->records[0].simulated ? "sim" : "gpu", m->records[0].device);
    for (int b = 0; b < PRUNING_BATCHES; b++)
        for (int d = 0; d < PRUNING_DENSE_KERNELS; d++) {
            kl_json_put(&json, "(batch %ld kernel %s time_us %g)", m->records[b].batch,
                        pruning_dense_names[d], m->dense_us[b][d]);
        }
    kl_json_put(&json, "] batches [");
    for (int b = 0; b < PRUNING_BATCHES; b++) kl_pruning_put(&m->records[b], &json);
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}

static kl_status draw(void *context, FILE *out, kl_error *err) {
    return kl_draw_pruning(context, out, err);
}

static kl_status draw_all(const pruning_options *o, const pruning_measured *m, kl_error *err) {
    char folder[PRUNING_PATH - 64], path[PRUNING_PATH];
    if (o->plot_folder) {
        snprintf(folder, sizeof folder, "%s", o->plot_folder);
    } else {
        TRY(kl_device_program_folder(folder, sizeof folder - 16, err));
        strcat(folder, "/pictures");
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", folder, strerror(errno));
    for (int b = 0; b < PRUNING_BATCHES; b++) {
        snprintf(path, sizeof path, "%s/pruning_%lld.svg", folder, (long long)m->records[b].batch);
        TRY(kl_file_replace(path, draw, (void *)&m->records[b], err));
    }
    fprintf(stderr, "pictures: %s/pruning_*.svg\n", folder);
    return KL_OK;
}

// Tables to `out`, JSON and pictures as the options say.
static kl_status pruning_report(const pruning_options *o, const pruning_measured *measured,
                                FILE *out, kl_error *err) {
    for (int b = 0; b < PRUNING_BATCHES; b++) show_batch(measured, b, out);
    if (o->json_file) TRY(kl_file_put(o->json_file, write_json, (void *)measured, err));
    return draw_all(o, measured, err);
}

// ---- The program ----

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
