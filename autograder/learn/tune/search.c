// The search: see tune.h.
#include "learn/tune/internal.h"

enum { VENDOR_EVERY = 16 }; // trials between two timings of the vendor's library

typedef struct search {
    const ladder_tune_job *job;
    const ladder_lab *lab;
    ladder_tune_records *records;
    ladder_tune_object *objects; // [configs.count]; of settled configurations empty
    ladder_tune_case shape;      // of the size at hand
    ladder_tune_bench bench;
    char vendor[LADDER_PATH]; // its object, or ""
    double vendor_us;         // its newest time at this size, or NaN
    double work;              // operations or bytes of the case, in 1e6: over us gives the rate
} search;

// ---- sizes -------------------------------------------------------------------------------------

static bool is_timed(const kl_suite_entry *entry, bool simulated) {
    return (entry->flags & (simulated ? KL_TIME_SIM : KL_TIME_GPU)) != 0;
}

static int by_size(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void ladder_tune_sort_sizes(int64_t *sizes, int count) {
    qsort(sizes, (size_t)count, sizeof *sizes, by_size);
}

int ladder_tune_default_sizes(const ladder_lab *lab, bool simulated, int64_t *out_sizes) {
    const kl_problem *problem = lab->problem;
    int count = 0;
    for (int i = 0; i < problem->suite_count && count < LADDER_TUNE_SIZES; i++) {
        bool known = !is_timed(&problem->suite[i], simulated);
        for (int s = 0; s < count; s++) known = known || out_sizes[s] == problem->suite[i].size;
        if (!known) out_sizes[count++] = problem->suite[i].size;
    }
    ladder_tune_sort_sizes(out_sizes, count);
    return count;
}

// The family of cases that the lab times at this size.
static const char *ladder_tune_family(const ladder_lab *lab, bool simulated, int64_t size) {
    const kl_problem *problem = lab->problem;
    for (int i = 0; i < problem->suite_count; i++) {
        const kl_suite_entry *entry = &problem->suite[i];
        if (is_timed(entry, simulated) && entry->size == size)
            return problem->families[entry->family].name;
    }
    return problem->timed_family;
}

static ladder_tune_case case_of(const ladder_tune_job *job, int64_t size) {
    const ladder_lab *lab = job->kernel->lab;
    return (ladder_tune_case){.kit = job->kernel->kit,
                              .lab = lab,
                              .device = job->simulated ? "sim" : "gpu",
                              .family = ladder_tune_family(lab, job->simulated, size),
                              .size = size,
                              .repeat = job->repeat,
                              .limit_s = job->limit_s};
}

kl_status ladder_tune_find_device(const ladder_tune_job *job, ladder_tune_origin *origin,
                                  kl_error *err) {
    ladder_tune_case c = case_of(job, job->sizes[0]);
    ladder_tune_bench bench;
    kl_status status = ladder_tune_bench_start(&c, &bench, origin, err);
    ladder_tune_bench_stop(&bench);
    return status;
}

// ---- what is still to do -----------------------------------------------------------------------

// True when the record needs no other run. What --keep and --spills decided is decided anew.
static bool is_settled(const search *s, const ladder_tune_record *r) {
    if (!r || r->state == LADDER_TUNE_DROPPED) return false;
    return r->state != LADDER_TUNE_SPILLED || r->spill_bytes > s->job->spills;
}

static bool is_wanted(const search *s, const ladder_tune_config *config) {
    for (int i = 0; i < s->job->size_count; i++) {
        const ladder_tune_record *r =
            ladder_tune_records_find(s->records, config, s->job->sizes[i]);
        if (!is_settled(s, r)) return true;
    }
    return false;
}

static void report(const search *s, ladder_tune_progress progress) {
    s->job->progress(s->job->context, &progress);
}

typedef struct build_progress {
    const search *search;
    size_t total;
} build_progress;

static void on_built(void *context, size_t done, size_t failed) {
    const build_progress *b = context;
    report(b->search,
           (ladder_tune_progress){
               .phase = LADDER_TUNE_COMPILING, .done = done, .total = b->total, .failed = failed});
}

static ladder_tune_record record_of(const search *s, size_t index, int64_t size) {
    const ladder_tune_object *object = &s->objects[index];
    ladder_tune_record r = ladder_tune_record_empty();
    r.config = s->job->configs->items[index];
    r.size = size;
    if (object->built) {
        r.registers = object->code.registers;
        r.spill_bytes = object->code.spill_bytes;
        r.bank_share = object->code.bank_share;
    }
    return r;
}

// Records what cannot or shall not be run at all.
static kl_status record_build(search *s, size_t index, kl_error *err) {
    const ladder_tune_object *object = &s->objects[index];
    ladder_tune_record r = record_of(s, index, 0);
    if (!object->built) {
        r.state = LADDER_TUNE_NOT_COMPILED;
        snprintf(r.why, sizeof r.why, "%s", object->reason);
        return ladder_tune_records_add(s->records, &r, err);
    }
    if (object->code.spill_bytes <= s->job->spills) return KL_OK;
    r.state = LADDER_TUNE_SPILLED;
    snprintf(r.why, sizeof r.why, "%d bytes per thread are spilled", object->code.spill_bytes);
    return ladder_tune_records_add(s->records, &r, err);
}

// Compiles what is wanted; the objects of the others stay empty.
static kl_status build(search *s, kl_error *err) {
    const ladder_tune_configs *configs = s->job->configs;
    ladder_tune_config *wanted = malloc((configs->count + 1) * sizeof *wanted);
    size_t *places = malloc((configs->count + 1) * sizeof *places);
    ladder_tune_object *objects = calloc(configs->count + 1, sizeof *objects);
    size_t count = 0;
    kl_status status = KL_OK;
    if (!wanted || !places || !objects)
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for %zu configurations", configs->count);
    for (size_t i = 0; i < configs->count && status == KL_OK; i++) {
        if (!is_wanted(s, &configs->items[i])) continue;
        wanted[count] = configs->items[i];
        places[count++] = i;
    }
    if (status == KL_OK) {
        build_progress context = {s, count};
        status = ladder_tune_build(s->job->kernel, wanted, count, s->job->jobs, s->job->limit_s,
                                   on_built, &context, objects, err);
    }
    for (size_t i = 0; i < count && status == KL_OK; i++) {
        s->objects[places[i]] = objects[i];
        status = record_build(s, places[i], err);
    }
    free(wanted);
    free(places);
    free(objects);
    return status;
}

// ---- one size ----------------------------------------------------------------------------------

static kl_status find_work(search *s, kl_error *err) {
    const kl_problem *problem = s->lab->problem;
    kl_case shape;
    TRY(problem->describe(kl_problem_family(problem, s->shape.family), s->shape.size,
                          problem->default_seed, &shape, err));
    bool arithmetic = kl_ceiling_is_arithmetic(problem->ceiling);
    s->work = arithmetic ? shape.work_ops * 1e-6 : shape.work_bytes * 1e-3;
    return KL_OK;
}

// Where an earlier size says that this configuration is hopeless, notes that in *record.
static bool is_dropped(const search *s, int size_index, ladder_tune_record *record) {
    if (s->job->keep <= 0) return false;
    for (int i = size_index; i-- > 0;) {
        int64_t size = s->job->sizes[i];
        const ladder_tune_record *mine =
            ladder_tune_records_find(s->records, &record->config, size);
        const ladder_tune_record *best = ladder_tune_records_best(s->records, size);
        if (!mine || !best || mine->state != LADDER_TUNE_RIGHT) continue;
        double share = mine->rate / best->rate;
        if (share >= s->job->keep) return false;
        record->state = LADDER_TUNE_DROPPED;
        snprintf(record->why, sizeof record->why, "%.3f of the best at %lld", share,
                 (long long)size);
        return true;
    }
    return false;
}

static kl_status start_bench(search *s, kl_error *err) {
    ladder_tune_origin found;
    TRY(ladder_tune_bench_start(&s->shape, &s->bench, &found, err));
    if (strcmp(found.device, s->records->origin.device) != 0) {
        return kl_fail(err, KL_ERROR_SYSTEM, "the device is now %s; it was %s", found.device,
                       s->records->origin.device);
    }
    return ladder_tune_bench_ready(&s->bench, &s->shape, err);
}

static kl_status try_object(search *s, const char *ending, const char *object,
                            ladder_tune_record *record, kl_error *err) {
    char symbol[128];
    snprintf(symbol, sizeof symbol, "%s_%s", s->lab->problem->name, ending);
    if (!s->bench.running) TRY(start_bench(s, err));
    TRY(ladder_tune_bench_try(&s->bench, &s->shape, symbol, object, record, err));
    if (record->state == LADDER_TUNE_RIGHT) record->rate = s->work / record->us;
    return KL_OK;
}

static kl_status measure_vendor(search *s, kl_error *err) {
    ladder_tune_record r = ladder_tune_record_empty();
    r.is_vendor = true;
    r.size = s->shape.size;
    TRY(try_object(s, "vendor", s->vendor, &r, err));
    if (r.state == LADDER_TUNE_RIGHT) s->vendor_us = r.us;
    return ladder_tune_records_add(s->records, &r, err);
}

static kl_status measure(search *s, size_t index, ladder_tune_record *record, kl_error *err) {
    char object[LADDER_PATH];
    TRY(ladder_tune_object_path(s->job->kernel, &s->objects[index], object, err));
    TRY(try_object(s, "tuned", object, record, err));
    if (record->state == LADDER_TUNE_RIGHT) record->of_vendor = s->vendor_us / record->us;
    return ladder_tune_records_add(s->records, record, err);
}

// Everything at one size.
static kl_status run_size(search *s, int size_index, kl_error *err) {
    const ladder_tune_job *job = s->job;
    const ladder_tune_space *space = job->kernel->space;
    int64_t size = job->sizes[size_index];
    s->shape = case_of(job, size);
    s->vendor_us = NAN;
    TRY(find_work(s, err));
    size_t trials = 0, failed = 0;
    for (size_t i = 0; i < job->configs->count; i++) {
        ladder_tune_record r = record_of(s, i, size);
        const char *misfit = space->misfit_size(r.config.values, size);
        const ladder_tune_record *old = ladder_tune_records_find(s->records, &r.config, size);
        bool runnable = s->objects[i].built && s->objects[i].code.spill_bytes <= job->spills;
        if (is_settled(s, old) || !runnable) continue;
        if (misfit) {
            r.state = LADDER_TUNE_UNFIT;
            snprintf(r.why, sizeof r.why, "%s", misfit);
        }
        if (misfit || is_dropped(s, size_index, &r)) {
            TRY(ladder_tune_records_add(s->records, &r, err));
            continue;
        }
        if (s->vendor[0] != '\0' && trials % VENDOR_EVERY == 0) TRY(measure_vendor(s, err));
        TRY(measure(s, i, &r, err));
        trials++;
        failed += ladder_tune_state_is_fault(r.state);
        report(s, (ladder_tune_progress){.phase = LADDER_TUNE_MEASURING,
                                         .done = i + 1,
                                         .total = job->configs->count,
                                         .failed = failed,
                                         .size = size,
                                         .newest = &r,
                                         .best = ladder_tune_records_best(s->records, size)});
    }
    return KL_OK;
}

kl_status ladder_tune_search(const ladder_tune_job *job, ladder_tune_records *records,
                             kl_error *err) {
    search s = {.job = job, .lab = job->kernel->lab, .records = records};
    if (!job->simulated) { // on the simulator the library's time would say nothing
        TRY(ladder_path(s.vendor, err, "%s/labs/%s/vendor.so", job->kernel->kit->build,
                        s.lab->folder));
        if (!ladder_file_exists(s.vendor)) s.vendor[0] = '\0';
    }
    s.objects = calloc(job->configs->count + 1, sizeof *s.objects);
    if (!s.objects) return kl_fail(err, KL_ERROR_MEMORY, "no memory for configurations");
    kl_status status = build(&s, err);
    for (int i = 0; i < job->size_count && status == KL_OK; i++) {
        status = run_size(&s, i, err);
        ladder_tune_bench_stop(&s.bench);
    }
    free(s.objects);
    return status;
}
