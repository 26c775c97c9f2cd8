// The main program of lab 12's application: see app.h.
#include "app.h"

#include <sys/stat.h>

#include "atomic_file.h"
#include "cuda_check.h"
#include "histogram.h"
#include "ladder.h"
#include "program.h"
#include "stats.h"
#include "timing.h"

// ---- Lab 12's application on the device ----

extern const kl_adapter kl_lab_adapter;

enum { WIDTH_GPU = 1024, WIDTH_SIMULATED = 512, PATH_BYTES = 4096 };

kl_status equal_options_parse(int argc, char **argv, equal_options *out, kl_error *err) {
    equal_options *o = out;
    *o = (equal_options){.seed = 1};
    const kl_option options[] = {
        {"device", KL_OPTION_DEVICE, &o->request, 0, 0, NULL},
        {"help", KL_OPTION_FLAG, &o->help, 0, 0, NULL},
        {"solution", KL_OPTION_FLAG, &o->solution, 0, 0, NULL},
        {"step", KL_OPTION_MARK, o->steps, 0, EQUAL_LAST_STEP, NULL},
        {"image", KL_OPTION_TEXT, &o->image, 0, 0, NULL},
        {"json", KL_OPTION_TEXT, &o->json_file, 0, 0, NULL},
        {"plots", KL_OPTION_TEXT, &o->plot_folder, 0, 0, NULL},
        {"repeat", KL_OPTION_INT, &o->repeat, 11, 10000, NULL},
        {"seed", KL_OPTION_INT64, &o->seed, 0, INT64_MAX, NULL},
        {"size", KL_OPTION_INT, &o->width, EQUAL_LEAST_SIDE, EQUAL_MOST_SIDE, NULL},
    };
    TRY(kl_program_options(argc, argv, options, (int)(sizeof options / sizeof options[0]), err));
    if (o->image && o->width > 0)
        return kl_fail(err, KL_ERROR_USAGE,
                       "the image of --image has its own size: leave out "
                       "--size");
    for (int s = 0; s <= EQUAL_LAST_STEP; s++) o->step_chosen |= o->steps[s];
    if (!o->step_chosen) o->steps[EQUAL_LAST_STEP] = true;
    if (o->repeat == 0) o->repeat = KL_TIMING_DEFAULT;
    return KL_OK;
}

static void equal_options_help(FILE *out) {
    fprintf(out,
            "usage: ladder run histogram [STEP..] --app [--solution] [--size N] [--repeat N]\n"
            "           [--seed N] [--device %s]\n"
            "           [--plots DIR] [--json FILE] [-- options]\n\n"
            "Equalises the histogram of a grey image: step 6 counts its levels, the host makes a\n"
            "new level for each, and a kernel gives every pixel its new one. With STEP.. these\n"
            "steps count, and their times are compared.\n\n"
            "  --size N       width of the image that is made, %d to %d; 1024, or 512 on the\n"
            "                 simulator\n"
            "  --image FILE   an image of your own, as PGM (P5), at most %d pixels wide and high\n"
            "  --plots DIR    where equalised.svg is written: both images, both histograms;\n"
            "                 'pictures' beside the program\n"
            "  --repeat N     timings on a GPU, of which the median is shown\n"
            "  --seed N       another image\n"
            "  --json FILE    results as JSON (- is standard output)\n"
            "example: ./ladder run histogram 1 3 6 --app --solution -- --image photo.pgm\n",
            kl_device_words, EQUAL_LEAST_SIDE, EQUAL_MOST_SIDE, EQUAL_MOST_SIDE);
}

// ---- the device --------------------------------------------------------------------------------

typedef struct bench {
    equal_run *run;
    int64_t n;
    uint8_t *d_pixels, *d_level;
    uint32_t *d_counts;
    kl_step step;
    kl_timer timer;
} bench;

static int count_once(void *context) {
    const bench *b = context;
    KL_FUNCTION(histogram_function, function, b->step.function);
    return function(b->d_pixels, b->n, HISTOGRAM_BYTES, b->d_counts);
}

static void count_on_host(const equal_image *image, uint32_t *counts) {
    memset(counts, 0, EQUAL_LEVELS * sizeof *counts);
    int64_t n = (int64_t)image->width * image->height;
    for (int64_t i = 0; i < n; i++) counts[image->pixels[i]]++;
}

// Counts the pixels on the device with the open step, and compares. counts: [EQUAL_LEVELS].
static kl_status count_pixels(bench *b, int number, const equal_image *image, uint32_t *counts,
                              double *out_us, kl_error *err) {
    uint32_t want[EQUAL_LEVELS];
    KL_CUDA(err, cudaMemset(b->d_counts, 0xff, sizeof want));
    int code = count_once(b);
    if (code == HISTOGRAM_NOT_IMPLEMENTED)
        return kl_fail(err, KL_ERROR_INPUT, "step %d is not implemented", number);
    KL_CUDA(err, (cudaError_t)code);
    KL_CUDA(err, cudaMemcpy(counts, b->d_counts, sizeof want, cudaMemcpyDeviceToHost));
    count_on_host(image, want);
    for (int v = 0; v < EQUAL_LEVELS; v++)
        if (counts[v] != want[v])
            return kl_fail(err, KL_ERROR_INPUT,
                           "step %d counts %u pixels of level %d, and there are %u; 'ladder run "
                           "histogram %d' looks for the mistake",
                           number, counts[v], v, want[v], number);
    kl_interval us;
    TRY(kl_timer_measure(&b->timer, b->run->options->repeat, count_once, b, &us, NULL, err));
    *out_us = us.mid;
    return KL_OK;
}

// All steps that are asked for, on the pixels that lie on the device.
static kl_status count_with_steps(bench *b, bool is_after, kl_error *err) {
    equal_run *run = b->run;
    char folder[PATH_BYTES - 16], path[PATH_BYTES];
    TRY(kl_device_program_folder(folder, sizeof folder, err));
    snprintf(path, sizeof path, "%s/%s", folder, run->options->solution ? "solution" : "skeleton");
    for (int s = 0; s <= EQUAL_LAST_STEP; s++) {
        if (!run->options->steps[s]) continue;
        double *us = is_after ? &run->steps[s].after_us : &run->steps[s].before_us;
        TRY(kl_step_open(path, s, &kl_lab_adapter, &b->step, err));
        kl_status status = count_pixels(b, s, is_after ? &run->equalised : &run->image,
                                        is_after ? run->after : run->before, us, err);
        kl_step_close(&b->step);
        TRY(status);
        run->steps[s].used = true;
    }
    return KL_OK;
}

static kl_status work(bench *b, kl_error *err) {
    equal_run *run = b->run;
    size_t bytes = (size_t)b->n;
    KL_CUDA(err, cudaMalloc((void **)&b->d_pixels, bytes));
    KL_CUDA(err, cudaMalloc((void **)&b->d_level, EQUAL_LEVELS));
    KL_CUDA(err, cudaMalloc((void **)&b->d_counts, EQUAL_LEVELS * sizeof *b->d_counts));
    KL_CUDA(err, cudaMemcpy(b->d_pixels, run->image.pixels, bytes, cudaMemcpyHostToDevice));
    TRY(count_with_steps(b, false, err));
    equal_levels(run->before, run->level);
    KL_CUDA(err, cudaMemcpy(b->d_level, run->level, EQUAL_LEVELS, cudaMemcpyHostToDevice));
    KL_CUDA(err, (cudaError_t)equal_map(b->d_pixels, b->n, b->d_level));
    KL_CUDA(err, cudaMemcpy(run->equalised.pixels, b->d_pixels, bytes, cudaMemcpyDeviceToHost));
    return count_with_steps(b, true, err);
}

// Everything on the device, with answers compared with the host's. Free the images in any case.
static kl_status equal_run_all(const kl_device *device, equal_run *run, kl_error *err) {
    const equal_options *o = run->options;
    snprintf(run->device, sizeof run->device, "%s", device->name);
    run->simulated = device->simulated;
    int width = o->width > 0 ? o->width : device->simulated ? WIDTH_SIMULATED : WIDTH_GPU;
    if (o->image)
        TRY(equal_image_read(o->image, &run->image, err));
    else
        TRY(equal_image_make(width, o->seed, &run->image, err));
    bench b = {.run = run, .n = (int64_t)run->image.width * run->image.height};
    run->equalised = (equal_image){run->image.width, run->image.height, malloc((size_t)b.n)};
    if (!run->equalised.pixels) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the image");
    TRY(kl_timer_open(device, &b.timer, err));
    kl_status status = work(&b, err);
    kl_timer_close(&b.timer);
    cudaFree(b.d_pixels);
    cudaFree(b.d_level);
    cudaFree(b.d_counts);
    return status;
}

// ---- The program ----

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
