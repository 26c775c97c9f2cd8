// ladder tune: compiles many configurations of a lab's parametric kernel, checks and times each,
// and records all.
#include "commands/command.h"
#include "ladder_config.h"
#include "learn/tune/tune.h"
#include "sandbox/process/kit_build.h"
#include "this_machine.h"

static const ladder_usage usage = {
    "ladder tune LAB [options]",
    "Compiles the lab's parametric kernel for each configuration of a set\n"
    "(tune.def), checks each result against the reference, measures it (without a GPU the\n"
    "simulator counts and models), and records all of them, failures too, as CSV. A search\n"
    "that was stopped goes on where it was. --list shows parameters and sets.",
    "  ladder tune gemm --list\n"
    "  ladder tune gemm --set orders --sizes 2048,4096 --map STAGES,BAND\n"
    "  ladder tune gemm --set all --only \"BM=256 BN=128 STAGES=3,4\" --limit 20",
};

enum { SPILLS_MAX = 1 << 20, JOBS_MAX = 64 };
static const double default_limit_s = 300.0;

typedef struct tune_options {
    const char *device, *set, *only, *sizes, *kernel, *output, *json, *svg, *map, *repeat, *keep;
    int64_t limit, jobs, spills, top;
    double limit_s;
    bool list, fresh;
} tune_options;

// Everything of one run.
typedef struct tuning {
    tune_options o;
    ladder_kit kit;
    const ladder_lab *lab;
    ladder_tune_kernel kernel;
    ladder_tune_configs configs;
    ladder_tune_job job;
    ladder_tune_records records;
    int map_x, map_y;
    char output[LADDER_PATH], svg[LADDER_PATH];
    bool terminal;
} tuning;

// ---- options -----------------------------------------------------------------------------------

static kl_status read_sizes(tuning *t, kl_error *err) {
    ladder_tune_job *job = &t->job;
    char *copy, *rest = NULL;
    if (!t->o.sizes) {
        job->size_count = ladder_tune_default_sizes(t->lab, job->simulated, job->sizes);
        return KL_OK;
    }
    copy = strdup(t->o.sizes);
    if (!copy) return kl_fail(err, KL_ERROR_MEMORY, "no memory for --sizes");
    kl_status status = KL_OK;
    for (char *word = strtok_r(copy, ",", &rest); word && status == KL_OK;
         word = strtok_r(NULL, ",", &rest)) {
        int64_t size = 0;
        if (job->size_count == LADDER_TUNE_SIZES) {
            status = kl_fail(err, KL_ERROR_USAGE, "--sizes: at most %d", LADDER_TUNE_SIZES);
        } else if (!ladder_parse_size(word, &size) || size < 1 ||
                   size > t->lab->problem->max_size) {
            char plain[64];
            status = kl_fail(err, KL_ERROR_USAGE,
                             "--sizes: '%s' is no size of lab %s (1 to %lld, in %s)",
                             ladder_plain(word, false, plain, sizeof plain), t->lab->folder,
                             (long long)t->lab->problem->max_size, t->lab->problem->size_unit);
        } else {
            job->sizes[job->size_count++] = size;
        }
    }
    free(copy);
    if (status == KL_OK && job->size_count == 0)
        status = kl_fail(err, KL_ERROR_USAGE, "--sizes: expected sizes with commas: 1024,2048");
    ladder_tune_sort_sizes(job->sizes, job->size_count);
    return status;
}

// --map X,Y
static kl_status read_map(tuning *t, kl_error *err) {
    char x[64], y[64], after;
    t->map_x = t->map_y = -1;
    if (!t->o.map) return KL_OK;
    if (sscanf(t->o.map, "%63[^,],%63[^,]%c", x, y, &after) == 2) {
        t->map_x = ladder_tune_parameter_find(t->lab->tune, x);
        t->map_y = ladder_tune_parameter_find(t->lab->tune, y);
    }
    if (t->map_x >= 0 && t->map_y >= 0 && t->map_x != t->map_y) return KL_OK;
    return kl_fail(err, KL_ERROR_USAGE,
                   "--map: expected two parameters, as in BM,STAGES; --list shows them");
}

static kl_status read_numbers(tuning *t, kl_error *err) {
    tune_options *o = &t->o;
    t->job.keep = 0;
    if (o->keep) {
        kl_status read = ladder_number_take(o->keep, KL_ERROR_USAGE, &t->job.keep, NULL);
        if (read != KL_OK || !(t->job.keep >= 0 && t->job.keep <= 1))
            return kl_fail(err, KL_ERROR_USAGE, "--keep: expected a share from 0 to 1, as 0.8");
    }
    if (o->spills > SPILLS_MAX || o->jobs < 1 || o->jobs > JOBS_MAX || o->top < 1 ||
        o->top > LADDER_TUNE_TOP) {
        return kl_fail(err, KL_ERROR_USAGE,
                       "--jobs is 1 to %d, --top 1 to %d, --spills at most %d bytes", JOBS_MAX,
                       LADDER_TUNE_TOP, SPILLS_MAX);
    }
    t->job.spills = (int)o->spills;
    t->job.jobs = (int)o->jobs;
    t->job.limit_s = o->limit_s;
    t->job.repeat = o->repeat;
    uint64_t repeat = 0;
    if (o->repeat && (!ladder_parse_uint(o->repeat, 4096, &repeat) || repeat == 0))
        return kl_fail(err, KL_ERROR_USAGE, "--repeat: expected a whole number from 1 to 4096");
    return KL_OK;
}

static kl_status read_device(tuning *t, kl_error *err) {
    TRY(ladder_device_choose(t->o.device, err));
    bool wants_gpu = t->o.device && strcmp(t->o.device, "gpu") == 0;
    bool has_gpu = ladder_device_may_be_gpu(t->o.device) && ladder_gpu_present();
    if (wants_gpu && !has_gpu)
        return kl_fail(err, KL_ERROR_SYSTEM, "--device gpu: no GPU; --device sim models one");
    t->job.simulated = !has_gpu;
    return KL_OK;
}

// ---- list --------------------------------------------------------------------------------------

static void print_space(const tuning *t) {
    const ladder_tune_space *space = t->lab->tune;
    kl_style style = kl_style_for(stdout);
    char text[LADDER_TUNE_TEXT + 256];
    printf("Parameters of %s\n", t->lab->folder);
    for (int p = 0; p < space->parameter_count; p++) {
        const ladder_tune_parameter *parameter = &space->parameters[p];
        int column = printf("  %-8s ", parameter->name);
        size_t used = (size_t)snprintf(text, sizeof text, "%s; ", parameter->what);
        for (int v = 0; v < parameter->value_count; v++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", v > 0 ? ", " : "",
                                     parameter->values[v]);
        }
        kl_print_wrapped(stdout, &style, column, text);
    }
    puts("Sets (all: the whole space)");
    for (int s = 0; s < space->set_count; s++) {
        const ladder_tune_set *set = &space->sets[s];
        ladder_tune_filter filter;
        ladder_tune_configs configs;
        ladder_tune_filter_all(space, &filter);
        bool good = ladder_tune_filter_narrow(space, set->only, &filter, NULL) == KL_OK &&
                    ladder_tune_enumerate(space, &filter, 0, &configs, NULL) == KL_OK;
        int column = printf("  %-8s ", set->name);
        snprintf(text, sizeof text, "%s%s; %zu configurations: %s", set->what,
                 s == 0 ? " (default)" : "", good ? configs.count : 0, set->only);
        if (good) ladder_tune_configs_free(&configs);
        kl_print_wrapped(stdout, &style, column, text);
    }
}

// ---- a run -------------------------------------------------------------------------------------

static void on_progress(void *context, const ladder_tune_progress *p) {
    const tuning *t = context;
    char text[LADDER_TUNE_TEXT];
    if (p->phase == LADDER_TUNE_COMPILING) {
        if (t->terminal) {
            fprintf(stderr, "\r\033[Kcompiled %zu of %zu, %zu failed", p->done, p->total,
                    p->failed);
        } else if (p->done == p->total) {
            fprintf(stderr, "compiled %zu, %zu failed\n", p->total, p->failed);
        }
        return;
    }
    double best = p->best ? p->best->rate : NAN;
    if (t->terminal) {
        fprintf(stderr, "\r\033[Ksize %lld: %zu of %zu, best %.3g %s", (long long)p->size, p->done,
                p->total, best, ladder_tune_rate_unit(t->lab));
        return;
    }
    fprintf(stderr, "size %lld: %zu of %zu: %s %.4g %s: %s\n", (long long)p->size, p->done,
            p->total, ladder_tune_state_word(p->newest->state), p->newest->rate,
            ladder_tune_rate_unit(t->lab),
            ladder_tune_config_text(
                t->lab->tune, &p->newest->config,
                ladder_tune_varying(t->lab->tune, t->configs.items, t->configs.count), text,
                sizeof text));
}

static kl_status choose(tuning *t, kl_error *err) {
    const ladder_tune_space *space = t->lab->tune;
    ladder_tune_filter filter;
    ladder_tune_filter_all(space, &filter);
    TRY(ladder_tune_filter_set(space, t->o.set, &filter, err));
    if (t->o.only) TRY(ladder_tune_filter_narrow(space, t->o.only, &filter, err));
    return ladder_tune_enumerate(space, &filter, (size_t)t->o.limit, &t->configs, err);
}

// The lab's program and, for a GPU, the vendor's library behind the lab's contract.
static kl_status build_programs(tuning *t, kl_error *err) {
    char vendor[LADDER_PATH], source[LADDER_PATH];
    const char *targets[] = {t->lab->problem->name, vendor};
    bool failed = false;
    TRY(ladder_path(vendor, err, "%s_vendor", t->lab->problem->name));
    TRY(ladder_path(source, err, "%s/labs/%s/vendor.cu", t->kit.source, t->lab->folder));
    int count = !t->job.simulated && ladder_file_exists(source) ? 2 : 1;
    TRY(ladder_kit_build(&t->kit, targets, count, &failed, err));
    if (!failed) return KL_OK;
    return kl_fail(err, KL_ERROR_SYSTEM, "the lab's program does not build (see above)");
}

static kl_status open_records(tuning *t, kl_error *err) {
    ladder_tune_origin origin = {.lab = t->lab, .space = t->lab->tune};
    TRY(ladder_tune_find_device(&t->job, &origin, err));
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(origin.date, sizeof origin.date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    snprintf(origin.toolkit, sizeof origin.toolkit, "%s", LADDER_CUDA_VERSION);
    snprintf(origin.kernel, sizeof origin.kernel, "%.12s", t->kernel.hash);
    TRY(ladder_path(t->output, err, "%s/tune/%s/results_%s.csv", t->kit.build, t->lab->folder,
                    t->job.simulated ? "sim" : "gpu"));
    if (t->o.output) TRY(ladder_path(t->output, err, "%s", t->o.output));
    return ladder_tune_records_open(t->output, &origin, t->o.fresh, &t->records, err);
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const tuning *t = context;
    return ladder_tune_records_json(&t->records, out, err);
}

static kl_status write_svg(void *context, FILE *out, kl_error *err) {
    (void)err;
    ladder_tune_draw(context, out);
    return KL_OK;
}

// Table, picture, JSON.
static kl_status show(tuning *t, bool *out_well, kl_error *err) {
    ladder_tune_view view = {.records = &t->records,
                             .sizes = t->job.sizes,
                             .size_count = t->job.size_count,
                             .top = (int)t->o.top,
                             .map_x = t->map_x,
                             .map_y = t->map_y};
    bool json_to_stdout = kl_file_is_stdout(t->o.json);
    FILE *out = json_to_stdout ? stderr : stdout;
    kl_style style = kl_style_for(out);
    ladder_tune_print(&view, &style, out);
    TRY(ladder_path(t->svg, err, "%s", t->o.svg ? t->o.svg : t->output));
    char *ending = strrchr(t->svg, '.');
    if (!t->o.svg && ending && strcmp(ending, ".csv") == 0) *ending = '\0';
    size_t used = strlen(t->svg);
    if (!t->o.svg) snprintf(t->svg + used, sizeof t->svg - used, ".svg");
    TRY(kl_file_put(t->svg, write_svg, &view, err));
    if (t->o.json) TRY(kl_file_put(t->o.json, write_json, t, err));
    fprintf(out, "written: %s\nwritten: %s\n", t->output, t->svg);
    bool any = false;
    for (int s = 0; s < view.size_count; s++)
        any = any || ladder_tune_records_best(&t->records, view.sizes[s]);
    *out_well = any && ladder_tune_faults(&view) == 0;
    return KL_OK;
}

static kl_status tune(tuning *t, const char *lab, bool *out_well, kl_error *err) {
    TRY(ladder_kit_find(&t->kit, err));
    TRY(ladder_lab_require(lab, &t->lab, err));
    if (!t->lab->tune) {
        return kl_fail(err, KL_ERROR_USAGE, "lab %s has no kernel to tune (no tune.def)",
                       t->lab->folder);
    }
    if (t->o.list) {
        print_space(t);
        return KL_OK;
    }
    TRY(read_numbers(t, err));
    TRY(read_map(t, err));
    TRY(choose(t, err));
    TRY(read_device(t, err));
    TRY(read_sizes(t, err));
    TRY(ladder_tune_kernel_open(&t->kit, t->lab, t->lab->tune, t->o.kernel, &t->kernel, err));
    TRY(build_programs(t, err));
    t->job.kernel = &t->kernel;
    t->job.configs = &t->configs;
    t->job.progress = on_progress;
    t->job.context = t;
    TRY(open_records(t, err));
    fprintf(stderr, "%zu of %zu sensible configurations (%zu combinations)\n", t->configs.count,
            t->configs.sensible, t->configs.combinations);
    kl_status status = ladder_tune_search(&t->job, &t->records, err);
    if (t->terminal) fputs("\r\033[K", stderr);
    TRY(status);
    return show(t, out_well, err);
}

int ladder_cmd_tune(int argc, char **argv) {
    static tuning t;
    tune_options *o = &t.o;
    t.terminal = isatty(STDERR_FILENO) != 0;
    o->jobs = kl_processors() < JOBS_MAX ? kl_processors() : JOBS_MAX;
    o->top = 10;
    o->limit_s = default_limit_s;
    const ladder_option options[] = {
        OPT_FLAG("--list", &o->list, "show parameters and sets, and end"),
        OPT_TEXT("--set", &o->set, "NAME", "a set of the table, or all (default: its first)"),
        OPT_TEXT("--only", &o->only, "TEXT", "restrict it: \"BM=128,256 STAGES=3\""),
        OPT_SIZE("--limit", &o->limit, "N", "at most N, spread evenly over the set"),
        OPT_TEXT("--sizes", &o->sizes, "N,N", "instead of the lab's timed sizes"),
        OPT_CHOICE("--device", &o->device, "NAME", ladder_device_words, ladder_device_words),
        OPT_TEXT("--keep", &o->keep, "SHARE", "go on with what reached this of the best"),
        OPT_SIZE("--spills", &o->spills, "N", "bytes per thread that may spill (default: 0)"),
        OPT_TEXT("--repeat", &o->repeat, "N", "repetitions of a timing on a GPU"),
        OPT_SIZE("--jobs", &o->jobs, "N", "compilations at a time (default: processors)"),
        OPT_SECONDS("--timeout", &o->limit_s, "S", "for one compilation, one trial"),
        OPT_TEXT("--kernel", &o->kernel, "FILE", "your kernel in place of the solution's"),
        OPT_TEXT("--output", &o->output, "FILE", "the CSV (default: below build/tune)"),
        OPT_FLAG("--fresh", &o->fresh, "forget what the CSV holds"),
        OPT_TEXT("--svg", &o->svg, "FILE", "the picture (default: beside the CSV)"),
        OPT_TEXT("--map", &o->map, "X,Y", "with a heat map over two parameters"),
        OPT_SIZE("--top", &o->top, "N", "configurations in the table (default: 10)"),
        OPT_TEXT("--json", &o->json, "FILE", "all results (- is standard output)"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    if (arguments.count != 1)
        return ladder_command_misused(argv[0], "which lab? For example: ./ladder tune gemm");
    kl_error err = {KL_OK, ""};
    bool well = true;
    kl_status status = tune(&t, arguments.positional[0], &well, &err);
    ladder_tune_records_close(&t.records);
    ladder_tune_configs_free(&t.configs);
    if (status != KL_OK) return ladder_command_fail(argv[0], &err);
    return well ? LADDER_EXIT_OK : LADDER_EXIT_FAILED;
}
