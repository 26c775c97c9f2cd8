// What all problems share: see problem.h. Host memory only; must not touch CUDA.
#include "problem.h"
#include "table.h"

double kl_case_work(const kl_case *shape) {
    return shape->work_ops + shape->work_bytes / sizeof(float);
}

double kl_small_work(const kl_problem *problem) {
    return problem->ceiling == KL_CEILING_TENSOR ? 1 << 24 : 1 << 20;
}

const char *kl_ceiling_name(kl_ceiling_kind kind) {
    switch (kind) {
    case KL_CEILING_READ: return "read";
    case KL_CEILING_COPY: return "copy";
    case KL_CEILING_FMA: return "fma";
    case KL_CEILING_LINK: return "link";
    case KL_CEILING_TENSOR: break;
    }
    return "tensor";
}

kl_verdict kl_verdict_of(const kl_comparison *compared) {
    return (kl_verdict){.ok = compared->ok,
                        .compared = compared->compared,
                        .max_error = compared->max_error,
                        .bound = compared->bound,
                        .first_wrong = compared->first_wrong,
                        .expected = compared->expected,
                        .got = compared->got};
}

kl_status kl_no_such_case(const kl_problem *problem, int family, int64_t size, const char *limits,
                          kl_error *err) {
    bool known = family >= 0 && family < problem->family_count;
    return kl_fail(err, KL_ERROR_INPUT, "case %s has no size %lld%s%s",
                   known ? problem->families[family].name : "(unknown)", (long long)size,
                   limits ? "; " : "", limits ? limits : "");
}

const char *kl_size_text(const kl_problem *problem, int family, int64_t size, char *text,
                         size_t text_bytes) {
    char number[32];
    const char *unit =
        problem->unit_of && family >= 0 ? problem->unit_of(family) : problem->size_unit;
    size_t length = strcspn(unit, " "), more = length; // "tiles deep"
    bool batches = length > 4 && strncmp(unit + length - 4, "ches", 4) == 0;
    if (size == 1 && length > 0 && unit[length - 1] == 's')
        length -= batches ? 2 : 1; // "1 element"
    snprintf(text, text_bytes, "%s %.*s%s", kl_format_size(size, number, sizeof number),
             (int)length, unit, unit + more);
    return text;
}

// "2 x 4", of several matrices "A 2 x 4, B 4 x 3"; "" where all are square: of one side.
static void matrices_text(const kl_case *shape, char *text, size_t text_bytes) {
    bool square = true;
    int count = 0;
    text[0] = '\0';
    for (int i = 0; i < shape->input_count; i++) count += shape->inputs[i].line_elems != 0;
    for (int i = 0; i < shape->input_count && i < 2; i++) {
        const kl_buffer *b = &shape->inputs[i];
        if (b->line_elems == 0) continue;
        int64_t line = b->line_elems < 0 ? -b->line_elems : b->line_elems;
        int64_t lines = (int64_t)b->elems / line;
        bool by_columns = b->line_elems < 0;
        square = square && lines == line;
        size_t used = strlen(text);
        snprintf(text + used, text_bytes - used, "%s%s%s%lld x %lld", used > 0 ? ", " : "",
                 count > 1 ? b->name : "", count > 1 ? " " : "",
                 (long long)(by_columns ? line : lines), (long long)(by_columns ? lines : line));
    }
    if (square) text[0] = '\0';
}

const char *kl_case_title(const kl_problem *problem, const kl_case *shape, char *text,
                          size_t text_bytes) {
    char size[96] = "";
    const char *unit = problem->unit_of ? problem->unit_of(shape->family) : problem->size_unit;
    if (strcmp(unit, "a side") == 0) matrices_text(shape, size, sizeof size);
    if (size[0] == '\0') kl_size_text(problem, shape->family, shape->size, size, sizeof size);
    snprintf(text, text_bytes, "%s, %s", problem->families[shape->family].name, size);
    return text;
}

void kl_problem_add_name(const kl_problem *problem, int family, char *text, size_t text_bytes) {
    size_t used = strlen(text);
    snprintf(text + used, text_bytes - used, "%s%s", used > 0 ? ", " : "",
             problem->families[family].name);
}

int kl_problem_family(const kl_problem *problem, const char *name) {
    for (int i = 0; i < problem->family_count; i++)
        if (strcmp(problem->families[i].name, name) == 0) return i;
    return -1;
}

const kl_step_info *kl_problem_last(const kl_problem *problem) {
    const kl_step_info *last = &problem->steps[problem->step_count - 1];
    int timed = problem->timed_family ? kl_problem_family(problem, problem->timed_family) : -1;
    bool beside = timed >= 0 && problem->step_count > 1 &&
                  !kl_problem_serves(problem, timed, last->number) &&
                  kl_problem_serves(problem, timed, last[-1].number);
    return beside ? last - 1 : last;
}

bool kl_problem_serves(const kl_problem *problem, int family, int step) {
    uint32_t steps = problem->families[family].steps;
    if (steps == 0) return true;
    if (step >= 0) return step < 31 && (steps >> step & 1) != 0;
    if ((steps & KL_NOT_VENDOR) != 0) return false;
    return steps >> kl_problem_last(problem)->number != 0;
}

const kl_step_info *kl_problem_step(const kl_problem *problem, int number) {
    for (int i = 0; i < problem->step_count; i++)
        if (problem->steps[i].number == number) return &problem->steps[i];
    return NULL;
}

const char *kl_step_file(const kl_step_info *step, char *out) {
    snprintf(out, KL_STEP_FILE, "%d_%s.cu", step->number, step->name);
    return out;
}

bool kl_step_lacks(const kl_step_info *info, int cuda, int sm, int devices, char *text,
                   size_t text_bytes) {
    if (info->needs_cuda > cuda) {
        snprintf(text, text_bytes, "needs CUDA %d; this kit is built with CUDA %d",
                 info->needs_cuda, cuda);
        return true;
    }
    if (devices > 0 && info->needs_devices > devices) {
        snprintf(text, text_bytes, "needs %d GPUs; this machine has %d", info->needs_devices,
                 devices);
        return true;
    }
    bool serves = info->needs_exact ? info->needs_sm == sm : info->needs_sm <= sm;
    if (sm < KL_OLDEST_SM || serves) return false;
    snprintf(text, text_bytes, "needs compute capability %d.%d%s; this device has %d.%d",
             info->needs_sm / 10, info->needs_sm % 10, info->needs_exact ? ", no other" : "",
             sm / 10, sm % 10);
    return true;
}

kl_status kl_buffer_bytes(const kl_buffer *buffer, uint64_t *out_bytes, kl_error *err) {
    uint64_t bytes = 0;
    if (__builtin_mul_overflow(buffer->elems, (uint64_t)kl_dtype_bytes(buffer->dtype), &bytes) ||
        bytes > SIZE_MAX / 2) {
        return kl_fail(err, KL_ERROR_MEMORY, "buffer '%s' of %llu elements is too large",
                       buffer->name, (unsigned long long)buffer->elems);
    }
    *out_bytes = bytes;
    return KL_OK;
}

static kl_status allocate(uint64_t bytes, const char *what, void **out_memory, kl_error *err) {
    *out_memory = malloc(bytes > 0 ? bytes : 1); // never NULL for an empty buffer
    if (!*out_memory) {
        return kl_fail(err, KL_ERROR_MEMORY, "no host memory for %s (%llu bytes)", what,
                       (unsigned long long)bytes);
    }
    return KL_OK;
}

// Size and offset of the next one of buffers that lie one after the other.
static kl_status lay_out(const kl_buffer *buffer, uint64_t *out_bytes, uint64_t *out_at,
                         uint64_t *span, kl_error *err) {
    TRY(kl_buffer_bytes(buffer, out_bytes, err));
    *out_at = *span;
    *span += kl_case_aligned(*out_bytes);
    return KL_OK;
}

kl_status kl_prepare_described(const kl_problem *problem, const kl_case *shape,
                               kl_fill_inputs *fill, const void *context, kl_prepared *out_prepared,
                               kl_error *err) {
    kl_prepared *p = out_prepared;
    memset(p, 0, sizeof *p);
    p->shape = *shape;
    for (int i = 0; i < p->shape.input_count; i++) {
        TRY(lay_out(&p->shape.inputs[i], &p->input_bytes[i], &p->input_at[i], &p->inputs_span,
                    err));
        TRY(allocate(p->input_bytes[i], p->shape.inputs[i].name, &p->inputs[i], err));
    }
    for (int i = 0; i < p->shape.output_count; i++)
        TRY(lay_out(&p->shape.outputs[i], &p->output_bytes[i], &p->output_at[i], &p->outputs_span,
                    err));
    TRY(fill(context, &p->shape, p->inputs, err));
    TRY(allocate(problem->solution_bytes(&p->shape), "the reference answer", &p->solution, err));
    return problem->solve(&p->shape, (const void *const *)p->inputs, p->solution, err);
}

static kl_status generate_inputs(const void *context, const kl_case *c, void *const *inputs,
                                 kl_error *err) {
    const kl_problem *problem = context;
    return problem->generate(c, inputs, err);
}

kl_status kl_prepare_case(const kl_problem *problem, int family, int64_t size, uint64_t seed,
                          kl_prepared *out_prepared, kl_error *err) {
    kl_case shape;
    memset(out_prepared, 0, sizeof *out_prepared);
    TRY(problem->describe(family, size, seed, &shape, err));
    return kl_prepare_described(problem, &shape, generate_inputs, problem, out_prepared, err);
}

void kl_prepared_free(kl_prepared *prepared) {
    for (int i = 0; i < KL_MAX_BUFFERS; i++) free(prepared->inputs[i]);
    free(prepared->solution);
    memset(prepared, 0, sizeof *prepared);
}

bool kl_watch_is_of(const kl_problem *problem, const kl_watch *watch, int family) {
    return watch->family[0] == '\0' || kl_problem_family(problem, watch->family) == family;
}

double kl_watch_target(const kl_problem *problem, const kl_watch *watch, int family, int64_t size) {
    const char *name = watch->family[0] != '\0' ? watch->family : problem->timed_family;
    int own = kl_problem_family(problem, name);
    bool other = family != own && kl_problem_serves(problem, own, watch->step);
    return !other && (watch->size == 0 || watch->size == size) ? watch->target : NAN;
}

// ---- lists of cases -----------------------------------------------------------------------------

kl_status kl_case_list_add(kl_case_list *list, int family, int64_t size, bool marked,
                           kl_error *err) {
    for (int i = 0; i < list->count; i++) {
        kl_listed_case *w = &list->items[i];
        if (w->family == family && w->size == size) {
            w->marked = w->marked || marked;
            return KL_OK;
        }
    }
    if (list->count == KL_CASE_LIST_MAX)
        return kl_fail(err, KL_ERROR_LIMIT, "the lab has more than %d cases", KL_CASE_LIST_MAX);
    list->items[list->count++] = (kl_listed_case){family, size, marked};
    return KL_OK;
}

static int by_size(const void *a, const void *b) {
    const kl_listed_case *x = a, *y = b;
    if ((x->size == 0) != (y->size == 0)) return x->size == 0 ? 1 : -1;
    if (x->size != y->size) return x->size > y->size ? 1 : -1;
    return x->family - y->family;
}

void kl_case_list_sort(kl_case_list *list) {
    qsort(list->items, (size_t)list->count, sizeof list->items[0], by_size);
}

// ---- cases as plain data ------------------------------------------------------------------------

kl_case_layout kl_case_layout_of(const kl_prepared *const *sets, int count,
                                 uint64_t workspace_max_bytes) {
    const kl_prepared *p = sets[0];
    kl_case_layout layout = {
        .input_count = p->shape.input_count,
        .output_count = p->shape.output_count,
        .workspace_bytes = p->shape.workspace_bytes,
        .workspace_max_bytes = workspace_max_bytes,
        .prepared_bytes = p->shape.prepared_bytes,
        .prepare_inputs = p->shape.prepare_inputs,
        .sets = (uint32_t)count,
        .slots = 1,
        .host = p->shape.host,
        .program = p->shape.program,
    };
    for (int i = 0; i < p->shape.input_count; i++) {
        layout.input_bytes[i] = p->input_bytes[i];
        layout.input_offset[i] = p->shape.inputs[i].offset_bytes;
    }
    for (int i = 0; i < p->shape.output_count; i++) layout.output_bytes[i] = p->output_bytes[i];
    return layout;
}

kl_case_scalars kl_case_scalars_of(const kl_prepared *set) {
    kl_case_scalars scalars;
    memcpy(scalars.ints, set->shape.ints, sizeof scalars.ints);
    memcpy(scalars.reals, set->shape.reals, sizeof scalars.reals);
    return scalars;
}

// ---- ceilings of warp instructions --------------------------------------------------------------

// A right step may be slow: written as an earlier step, by one thread instead of 32, or with an
// inner loop that the solution has not.
static const double times = 50, times_of_solution = 10;
// What a call may execute however small its case: a tenth of a second on the simulator.
static const double least = 1e6;
// Of a lab without counts: the most that a step of this kit's labs takes where there is much work.
static const double unknown = 65;
enum { LANES = 32 };

// What the solution executes: of this step, and the most of all steps, on the family's cases; of a
// family that was not counted, on any. 0: not known.
static void find_counted(const kl_problem *problem, int step, int family, double *out_own,
                         double *out_most) {
    const char *name = problem->families[family].name;
    for (int any = 0; any < 2; any++) {
        *out_own = *out_most = 0;
        for (int i = 0; i < problem->executed_count; i++) {
            const kl_executed *e = &problem->executed[i];
            if (!any && strcmp(e->family, name) != 0) continue;
            if (e->step == step && e->per_work > *out_own) *out_own = e->per_work;
            if (e->per_work > *out_most) *out_most = e->per_work;
        }
        if (*out_own > 0) return;
    }
    if (*out_most == 0) *out_most = unknown;
}

// Warp instructions for a warp's worth of work: the step's own, or a tenth of the slowest step's,
// so that what an early step does is right in every later one.
static double per_work(const kl_problem *problem, int step, int family) {
    double own, most;
    find_counted(problem, step, family, &own, &most);
    if (own <= 0) return most;
    return own > most / 10 ? own : most / 10;
}

double kl_instruction_ceiling(const kl_problem *problem, int step, const kl_case *shape,
                              bool solution) {
    double work = kl_case_work(shape) / LANES;
    return (solution ? times_of_solution : times) * per_work(problem, step, shape->family) * work +
           least;
}

double kl_instructions_expected(const kl_problem *problem, int step, const kl_case *shape) {
    double own, most;
    find_counted(problem, step, shape->family, &own, &most);
    return (own > 0 ? own : most) * kl_case_work(shape) / LANES;
}

bool kl_instruction_ceiling_text(const kl_problem *problem, int step, const kl_case *shape,
                                 double executed, char *text, size_t text_bytes) {
    double expected = kl_instructions_expected(problem, step, shape);
    char number[32], count[32];
    // A block of 1024 threads of which each does everything takes 1024 times as long.
    bool endless = executed > 4096 * (expected + LANES);
    if (endless) snprintf(text, text_bytes, "a loop does not end");
    else
        snprintf(text, text_bytes,
                 "stopped after %s times the work expected (%s warp instructions)",
                 kl_format_grouped((long long)(executed / expected), number, sizeof number),
                 kl_format_count(executed, count, sizeof count));
    return endless;
}
