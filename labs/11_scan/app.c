// The main program of lab 11's application: options, tables, JSON (schema ladder.coding/1). See
// app.h.
#include "app.h"

#include "atomic_file.h"
#include "json.h"
#include "program.h"
#include "table.h"
#include "random.h"

// ---- The image of lab 11's application ----

enum { DISCS = 6, SHADES = 16 };

// app.c: pixels: [side][side], bytes: smooth areas of 16 shades, bright discs, and a corner
// of noise, which has no runs.
static void coding_draw(uint8_t *pixels, int64_t side, uint64_t seed) {
    double size = (double)side, x0[DISCS], y0[DISCS], radius[DISCS];
    for (int d = 0; d < DISCS; d++) {
        x0[d] = size * (double)kl_random_unit(seed, 3 * (uint64_t)d);
        y0[d] = size * (double)kl_random_unit(seed, 3 * (uint64_t)d + 1);
        radius[d] = size * (0.03 + 0.07 * (double)kl_random_unit(seed, 3 * (uint64_t)d + 2));
    }
    double phase = 6.28 * (double)kl_random_unit(kl_random_fork(seed, 1), 0);
    uint64_t noise = kl_random_fork(seed, 2);
    for (int64_t row = 0; row < side; row++) {
        for (int64_t column = 0; column < side; column++) {
            double x = (double)column, y = (double)row;
            double wave =
                sin(6.0 * x / size + phase) + cos(9.0 * y / size) + sin(7.0 * (x + y) / size);
            uint8_t shade = (uint8_t)(10 * (int)((wave + 3.0) / 6.0 * (SHADES - 1)));
            for (int d = 0; d < DISCS; d++)
                if ((x - x0[d]) * (x - x0[d]) + (y - y0[d]) * (y - y0[d]) < radius[d] * radius[d])
                    shade = (uint8_t)(200 + 10 * d % 50);
            if (row > side - side / 8 && column > side - side / 8)
                shade = (uint8_t)kl_random_u64(noise, (uint64_t)(row * side + column));
            pixels[row * side + column] = shade;
        }
    }
}

// ---- The program ----

extern const kl_adapter kl_lab_adapter;

enum { PATH_BYTES = 4096, TEXT = 64, SIDE_GPU = 4096, SIDE_SIMULATED = 256, REPEAT_GPU = 11 };

static kl_status parse(int argc, char **argv, coding_options *o, kl_error *err) {
    *o = (coding_options){.seed = 11, .step = CODING_LAST_STEP};
    const kl_option options[] = {
        {"device", KL_OPTION_DEVICE, &o->request, 0, 0, NULL},
        {"help", KL_OPTION_FLAG, &o->help, 0, 0, NULL},
        {"json", KL_OPTION_TEXT, &o->json_file, 0, 0, NULL},
        {"plots", KL_OPTION_TEXT, &o->plot_folder, 0, 0, NULL},
        {"quick", KL_OPTION_FLAG, &o->quick, 0, 0, NULL},
        {"repeat", KL_OPTION_INT, &o->repeat, 1, CODING_MOST_REPEAT, NULL},
        {"seed", KL_OPTION_INT64, &o->seed, 0, INT64_MAX, NULL},
        {"size", KL_OPTION_INT64, &o->side, 1, CODING_MOST_SIDE, NULL},
        {"solution", KL_OPTION_FLAG, &o->solution, 0, 0, NULL},
        {"step", KL_OPTION_INT, &o->step, 0, CODING_LAST_STEP, NULL},
    };
    return kl_program_options(argc, argv, options, (int)(sizeof options / sizeof options[0]), err);
}

static void help(FILE *out) {
    fprintf(out,
            "usage: ladder run scan [STEP] --app [--solution] [--size N] [--repeat N] [--seed N]\n"
            "           [--quick] [--device %s] [--plots DIR] [--json FILE]\n\n"
            "Compacts the bright pixels of a generated image, codes the image by the lengths of\n"
            "its runs of equal pixels, decodes it and compares. The scans are those of the lab's\n"
            "step %d, or of the one that is given.\n\n"
            "  --size N     rows and columns, 1 to %d; %d, or %d on the simulator\n"
            "  --repeat N   runs per stage, of which the median is shown; %d, or 1\n"
            "  --seed N     another image\n"
            "  --plots DIR  the image and what decoding made of it, as PGM\n"
            "  --json FILE  results as JSON (- is standard output)\n"
            "  --quick      a quarter of the rows and columns\n"
            "example: ./ladder run scan --app --solution --size 1000\n",
            kl_device_words, CODING_LAST_STEP, CODING_MOST_SIDE, SIDE_GPU, SIDE_SIMULATED,
            REPEAT_GPU);
}

static bool all_right(const coding_run *run) {
    return run->wrong_places == 0 && run->wrong_pixels == 0;
}

static void print_checks(const coding_run *run, FILE *out) {
    char text[TEXT], more[TEXT];
    double n = (double)run->side * (double)run->side, code = 5.0 * (double)run->runs;
    fprintf(
        out,
        "\ncode        %s bytes (a byte and a length for each of %s runs), %.1f %% of the image\n",
        kl_format_count(code, text, sizeof text),
        kl_format_count((double)run->runs, more, sizeof more), 100.0 * code / n);
    if (run->wrong_places == 0)
        fprintf(out, "compaction  right: the places of all bright pixels, in order\n");
    else
        fprintf(out, "compaction  WRONG at %s places\n",
                kl_format_count((double)run->wrong_places, text, sizeof text));
    if (run->wrong_pixels == 0)
        fprintf(out, "round trip  right: all %s pixels are those of the image\n",
                kl_format_count(n, text, sizeof text));
    else
        fprintf(out, "round trip  WRONG: %s of %s pixels differ\n",
                kl_format_count((double)run->wrong_pixels, text, sizeof text),
                kl_format_count(n, more, sizeof more));
}

static void print(const coding_run *run, FILE *out) {
    static const char *const titles[] = {"stage", "elements", "become",
                                         "scans", "time",     "of it scans"};
    enum { COLUMNS = sizeof titles / sizeof titles[0] };
    char text[TEXT];
    kl_style style = kl_style_for(out);
    kl_table table;
    kl_table_clear(&table);
    for (int i = 0; i < COLUMNS; i++)
        kl_table_column(&table, titles[i], i == 0 ? KL_LEFT : KL_RIGHT);
    for (int s = 0; s < CODING_STAGES; s++) {
        const coding_stage *stage = &run->stages[s];
        int row = kl_table_row(&table);
        kl_table_cell(&table, row, 0, KL_PLAIN, "%s", stage->name);
        kl_table_cell(&table, row, 1, KL_PLAIN, "%s",
                      kl_format_count((double)stage->in, text, sizeof text));
        kl_table_cell(&table, row, 2, KL_PLAIN, "%s",
                      kl_format_count((double)stage->out, text, sizeof text));
        kl_table_cell(&table, row, 3, KL_PLAIN, "%d", stage->scans);
        kl_table_cell(&table, row, 4, KL_PLAIN, "%s",
                      kl_format_us(stage->time_us, text, sizeof text));
        kl_table_cell(&table, row, 5, KL_PLAIN, "%.0f %%", 100.0 * stage->scan_us / stage->time_us);
    }
    fprintf(out, "Compaction and run-length coding, 11_scan, step %d%s\ndevice  %s\n", run->step,
            run->solution ? " (solution)" : "", run->device);
    fprintf(out, "image   %lld x %lld pixels, generated; bright: from %d on\ntimes   %s\n\n",
            (long long)run->side, (long long)run->side, CODING_BRIGHT,
            run->simulated ? "modelled" : "medians, between two events");
    kl_table_print(&table, &style, out);
    print_checks(run, out);
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const coding_run *run = context;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json,
                "{schema ladder.coding/1 lab scan solution %hhd device %s kind %s step %d "
                "seed %ld side %ld runs %ld stages [",
                run->solution, run->device, run->simulated ? "sim" : "gpu", run->step,
                (int64_t)run->seed, run->side, run->runs);
    for (int s = 0; s < CODING_STAGES; s++) {
        const coding_stage *stage = &run->stages[s];
        kl_json_put(&json, "(name %s in %ld out %ld scans %d time_us %g scan_us %g)", stage->name,
                    stage->in, stage->out, stage->scans, stage->time_us, stage->scan_us);
    }
    kl_json_put(&json, "] ok %hhd}", all_right(run));
    return kl_json_finish(&json, err);
}

typedef struct picture {
    const uint8_t *pixels;
    int64_t side;
} picture;

static kl_status write_picture(void *context, FILE *out, kl_error *err) {
    const picture *p = context;
    (void)err; // kl_file_replace notices what could not be written
    fprintf(out, "P5\n%lld %lld\n255\n", (long long)p->side, (long long)p->side);
    fwrite(p->pixels, 1, (size_t)(p->side * p->side), out);
    return KL_OK;
}

static kl_status show(coding_run *run, const coding_options *o, kl_error *err) {
    print(run, kl_file_is_stdout(o->json_file) ? stderr : stdout);
    if (o->json_file) TRY(kl_file_put(o->json_file, write_json, run, err));
    const uint8_t *pixels[] = {run->pixels, run->decoded};
    static const char *const names[] = {"image", "decoded"};
    for (int i = 0; i < 2 && o->plot_folder; i++) {
        char path[PATH_BYTES];
        picture p = {pixels[i], run->side};
        snprintf(path, sizeof path, "%s/%s.pgm", o->plot_folder, names[i]);
        TRY(kl_file_replace(path, write_picture, &p, err));
        fprintf(stderr, "written: %s\n", path);
    }
    return KL_OK;
}

static kl_status run_step(const coding_options *o, const kl_device *device, coding_run *run,
                          kl_error *err) {
    char folder[PATH_BYTES - 64], path[PATH_BYTES];
    kl_step step;
    TRY(kl_device_program_folder(folder, sizeof folder, err));
    snprintf(path, sizeof path, "%s/%s", folder, o->solution ? "solution" : "skeleton");
    TRY(kl_step_open(path, o->step, &kl_lab_adapter, &step, err));
    int64_t side = o->side ? o->side : device->simulated ? SIDE_SIMULATED : SIDE_GPU;
    if (o->quick && !o->side) side /= 4;
    *run = (coding_run){.simulated = device->simulated,
                        .solution = o->solution,
                        .step = o->step,
                        .repeat = o->repeat           ? o->repeat
                                  : device->simulated ? 1
                                                      : REPEAT_GPU,
                        .seed = o->seed,
                        .side = side};
    snprintf(run->device, sizeof run->device, "%s", device->name);
    run->pixels = malloc((size_t)(side * side));
    run->decoded = malloc((size_t)(side * side));
    kl_status status = KL_OK;
    if (!run->pixels || !run->decoded) {
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for an image of this size");
    } else {
        coding_draw(run->pixels, side, o->seed);
        status = coding_run_all(&step, run, err);
    }
    kl_step_close(&step);
    return status;
}

int main(int argc, char **argv) {
    kl_error err = {KL_OK, ""};
    coding_options options;
    kl_device device;
    coding_run run = {.side = 0};
    if (parse(argc, argv, &options, &err) != KL_OK) {
        fprintf(stderr, "scan_app: %s\n", err.text);
        return 2;
    }
    if (options.help) {
        help(stdout);
        return 0;
    }
    kl_status status = kl_device_select(&options.request, argv, &device, &err);
    if (status == KL_OK) status = run_step(&options, &device, &run, &err);
    if (status == KL_OK) status = show(&run, &options, &err);
    if (status != KL_OK) fprintf(stderr, "scan_app: %s\n", err.text);
    bool right = status == KL_OK && all_right(&run);
    free(run.pixels);
    free(run.decoded);
    return right ? 0 : 1;
}
