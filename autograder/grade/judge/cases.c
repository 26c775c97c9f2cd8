// The cases that a grading uses: see plan.h. memfd_create(2) with seals (fcntl(2), F_ADD_SEALS).
#include "grade/judge/plan.h"
#include "device/device.h"
#include "parallel.h"
#include "random.h"
#include "sandbox/process/runner_protocol.h"
#include "utilities/defence.h"
#include <sys/mman.h>
#include <sys/random.h>

kl_status ladder_secret_seed(uint64_t *out_seed, kl_error *err) {
    if (getrandom(out_seed, sizeof *out_seed, 0) == (ssize_t)sizeof *out_seed) {
        *out_seed >>= 2; // --seed of a report takes up to 2^62
        return KL_OK;
    }
    return kl_fail(err, KL_ERROR_SYSTEM, "no random numbers: %s", strerror(errno));
}

kl_status ladder_memory_file(uint64_t bytes, int fill, int *out_fd, unsigned char **out_mapped,
                             kl_error *err) {
    uint64_t least = bytes > 0 ? bytes : 1;
    int fd = memfd_create("ladder", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    void *mapped = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, (off_t)least) == 0 &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0)
        mapped = mmap(NULL, least, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED) {
        int code = errno;
        if (fd >= 0) close(fd);
        return kl_fail(err, KL_ERROR_SYSTEM, "no memory file of %llu bytes: %s",
                       (unsigned long long)bytes, strerror(code));
    }
    if (fill != 0) memset(mapped, fill, least);
    *out_fd = fd;
    *out_mapped = mapped;
    return KL_OK;
}

static kl_status make_inputs_file(const kl_prepared *p, int *out_fd, kl_error *err) {
    unsigned char *mapped = NULL;
    TRY(ladder_memory_file(p->inputs_span, 0, out_fd, &mapped, err));
    for (int i = 0; i < p->shape.input_count; i++)
        if (p->input_bytes[i] > 0) memcpy(mapped + p->input_at[i], p->inputs[i], p->input_bytes[i]);
    munmap(mapped, p->inputs_span > 0 ? p->inputs_span : 1);
    if (fcntl(*out_fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL) == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_SYSTEM, "cannot seal the inputs: %s", strerror(errno));
}

// Title and memory file of a case whose data are there.
static kl_status finish_case(const kl_problem *problem, ladder_case *item, kl_error *err) {
    kl_case_title(problem, &item->data.shape, item->title, sizeof item->title);
    return make_inputs_file(&item->data, &item->inputs_fd, err);
}

// One case with its memory file.
static kl_status ladder_case_make(const kl_problem *problem, int family, int64_t size,
                                  uint64_t seed, ladder_case *out_case, kl_error *err) {
    memset(out_case, 0, sizeof *out_case);
    out_case->inputs_fd = out_case->fresh_fd = -1;
    TRY(kl_prepare_case(problem, family, size, seed, &out_case->data, err));
    return finish_case(problem, out_case, err);
}

kl_status ladder_case_borrow(const kl_problem *problem, const kl_prepared *data,
                             ladder_case *out_case, kl_error *err) {
    *out_case = (ladder_case){.data = *data, .inputs_fd = -1, .fresh_fd = -1};
    return finish_case(problem, out_case, err);
}

static void ladder_case_free(ladder_case *item) {
    kl_prepared_free(&item->data);
    kl_prepared_free(&item->fresh);
    if (item->inputs_fd >= 0) close(item->inputs_fd);
    if (item->fresh_fd >= 0) close(item->fresh_fd);
    item->inputs_fd = item->fresh_fd = -1;
}

// Alternating data share one set-up of the runner: only their bytes and scalars may differ.
static bool same_shape(const kl_prepared *a, const kl_prepared *b) {
    bool same = a->shape.input_count == b->shape.input_count &&
                a->shape.output_count == b->shape.output_count && a->shape.host == b->shape.host &&
                a->shape.workspace_bytes == b->shape.workspace_bytes &&
                a->shape.prepared_bytes == b->shape.prepared_bytes;
    for (int i = 0; same && i < a->shape.input_count; i++) {
        same = a->input_bytes[i] == b->input_bytes[i] &&
               a->shape.inputs[i].offset_bytes == b->shape.inputs[i].offset_bytes;
    }
    for (int i = 0; same && i < a->shape.output_count; i++)
        same = a->output_bytes[i] == b->output_bytes[i];
    return same;
}

// Small before large in the main, so that a failure shows on a small case, but in an order that
// nobody can know: each changes places with one of its neighbours.
static void shuffle(kl_case_list *list, uint64_t seed) {
    enum { REACH = 6 };
    for (int i = 0; i + 1 < list->count; i++) {
        int left = list->count - i;
        int other =
            i + (int)kl_random_below(seed, (uint64_t)i, (uint64_t)(left < REACH ? left : REACH));
        kl_listed_case kept = list->items[i];
        list->items[i] = list->items[other];
        list->items[other] = kept;
    }
}

enum {
    DRAWN_MAX = 8,           // sizes that are drawn anew, of different families
    DRAWN_BYTES = 256 << 10, // that such a case moves at most: many kinds of sizes, little work
    DRAWN_OPS = 4 << 20,     // and computes
    DRAWN_TRIES = 20,
    STREAM_SIZES = 0x51e5, // of random numbers
    STREAM_ORDER = 0x04de4,
    STREAM_FRESH = 0xf4e54,
    STREAM_HIDDEN = 0x41dde4
};

// A size between two of the suite's of this family, so that no list of sizes foresees it; 0: none.
static int64_t draw_size(const kl_problem *problem, const kl_case_list *list, int family,
                         uint64_t seed) {
    int64_t sizes[KL_CASE_LIST_MAX];
    int count = 0;
    for (int i = 0; i < list->count; i++)
        if (list->items[i].family == family && list->items[i].size > 0)
            sizes[count++] = list->items[i].size;
    for (uint64_t k = 0; k < DRAWN_TRIES && count > 1; k++) {
        int64_t a = sizes[kl_random_below(seed, 3 * k, (uint64_t)count)];
        int64_t b = sizes[kl_random_below(seed, 3 * k + 1, (uint64_t)count)];
        int64_t low = a < b ? a : b, high = a < b ? b : a;
        if (high - low < 2) continue;
        int64_t size = low + 1 + kl_random_below(seed, 3 * k + 2, (uint64_t)(high - low - 1));
        kl_case shape;
        kl_error ignored;
        if (problem->describe(family, size, seed, &shape, &ignored) == KL_OK &&
            shape.work_bytes <= DRAWN_BYTES && shape.work_ops <= DRAWN_OPS)
            return size;
    }
    return 0;
}

// Adds cases of sizes that nobody can know, for some families.
static kl_status draw_sizes(const kl_problem *problem, uint64_t seed, kl_case_list *list,
                            kl_error *err) {
    int first = (int)kl_random_below(seed, UINT64_MAX, (uint64_t)problem->family_count), drawn = 0;
    for (int i = 0; i < problem->family_count && drawn < DRAWN_MAX; i++) {
        int family = (first + i) % problem->family_count;
        int64_t size = draw_size(problem, list, family, kl_random_fork(seed, (uint64_t)family));
        if (size == 0) continue;
        TRY(kl_case_list_add(list, family, size, true, err));
        drawn++;
    }
    return KL_OK;
}

static kl_status add_named(const kl_problem *problem, const char *family, int64_t size, bool marked,
                           kl_case_list *list, kl_error *err) {
    return kl_case_list_add(list, kl_problem_family(problem, family), size, marked, err);
}

static kl_status choose(const ladder_lab *lab, uint64_t seed, bool quick, kl_case_list *list,
                        kl_error *err) {
    const kl_problem *problem = lab->problem;
    for (int i = 0; i < problem->suite_count; i++) {
        const kl_suite_entry *e = &problem->suite[i];
        if (e->flags & (quick ? KL_QUICK : KL_CHECK))
            TRY(kl_case_list_add(list, e->family, e->size, true, err));
    }
    if (ladder_defence_on(LADDER_DEFENCE_RANDOM_SIZES))
        TRY(draw_sizes(problem, kl_random_fork(seed, STREAM_SIZES), list, err));
    for (int s = 0; s < lab->rubric->step_count; s++) {
        const ladder_rubric_step *step = &lab->rubric->steps[s];
        for (int c = 0; c < step->criteria_count; c++) {
            const ladder_criterion *criterion = &step->criteria[c];
            const ladder_modelled *modelled =
                ladder_criterion_modelled(criterion, ladder_device_simulated()->name);
            if (criterion->kind != LADDER_CRITERION_COUNT && !modelled) continue;
            int64_t size = modelled ? modelled->size : criterion->size;
            TRY(add_named(problem, criterion->family, size, false, list, err));
            for (int w = 0; w < criterion->with_count; w++) {
                const ladder_bound *bound = &criterion->with[w];
                if (bound->family[0] != '\0')
                    TRY(add_named(problem, bound->family, bound->size, false, list, err));
            }
        }
    }
    for (int i = 0; i < lab->questions->asked_count; i++) { // what predictions are compared with
        const ladder_asked *asked = &lab->questions->asked[i];
        if (asked->count > 0) TRY(add_named(problem, asked->family, asked->size, false, list, err));
    }
    kl_case_list_sort(list);
    if (ladder_defence_on(LADDER_DEFENCE_RANDOM_ORDER))
        shuffle(list, kl_random_fork(seed, STREAM_ORDER));
    return KL_OK;
}

uint64_t ladder_input_bytes(const kl_prepared *data) {
    uint64_t bytes = 0;
    for (int i = 0; i < data->shape.input_count; i++) bytes += data->input_bytes[i];
    return bytes;
}

bool ladder_is_called_twice(const kl_prepared *data) {
    return ladder_input_bytes(data) < LADDER_REPEAT_BELOW_BYTES;
}

const kl_prepared *ladder_case_data(const ladder_case *item, int call) {
    bool fresh = call == 1 && item->has_fresh && ladder_defence_on(LADDER_DEFENCE_FRESH_DATA);
    return fresh ? &item->fresh : &item->data;
}

bool ladder_outputs_verify(const kl_problem *problem, const kl_prepared *data,
                           const unsigned char *bytes, kl_verdict *out_verdict) {
    const void *outputs[KL_MAX_BUFFERS];
    for (int i = 0; i < data->shape.output_count; i++) outputs[i] = bytes + data->output_at[i];
    problem->verify(&data->shape, (const void *const *)data->inputs, data->solution, outputs,
                    out_verdict);
    return out_verdict->ok && out_verdict->compared > 0;
}

// Other data of the same shape, for the second call. A preparation's result outlives a call, so
// that cases with one keep their data.
static kl_status make_fresh(const kl_problem *problem, ladder_case *item, kl_error *err) {
    const kl_case *shape = &item->data.shape;
    if (!kl_case_has_kernels(shape) || shape->prepared_bytes > 0 || shape->prepare_inputs > 0 ||
        shape->input_count == 0 || !ladder_is_called_twice(&item->data))
        return KL_OK;
    TRY(kl_prepare_case(problem, shape->family, shape->size,
                        kl_random_fork(shape->seed, STREAM_FRESH), &item->fresh, err));
    item->has_fresh = same_shape(&item->data, &item->fresh);
    return item->has_fresh ? make_inputs_file(&item->fresh, &item->fresh_fd, err) : KL_OK;
}

static kl_status make_listed(const kl_case_list *list, ladder_cases *out_cases, kl_error *err) {
    const ladder_lab *lab = out_cases->lab;
    uint64_t seed = out_cases->seed;
    out_cases->items = calloc((size_t)list->count + 1, sizeof *out_cases->items);
    if (!out_cases->items) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the cases");
    for (int i = 0; i < list->count; i++) {
        const kl_listed_case *w = &list->items[i];
        ladder_case *item = &out_cases->items[i];
        item->inputs_fd = item->fresh_fd = -1;
        out_cases->count = i + 1;
        // Each case has data of its own: equal data in two cases would hide a stale result.
        uint64_t stream = (uint64_t)w->family << 48 ^ (uint64_t)w->size;
        TRY(ladder_case_make(lab->problem, w->family, w->size, kl_random_fork(seed, stream), item,
                             err));
        item->check = w->marked;
        if (item->check) TRY(make_fresh(lab->problem, item, err));
        if (item->data.shape.workspace_bytes > out_cases->workspace_bytes)
            out_cases->workspace_bytes = item->data.shape.workspace_bytes;
    }
    return KL_OK;
}

static kl_status make_hidden(ladder_cases *cases, const ladder_criterion *criterion,
                             kl_error *err) {
    ladder_cases *grown =
        realloc(cases->hidden, ((size_t)cases->hidden_count + 1) * sizeof *cases->hidden);
    kl_case_list list = {.count = 0};
    if (!grown) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the cases");
    cases->hidden = grown;
    ladder_cases *hidden = &grown[cases->hidden_count++];
    *hidden = (ladder_cases){
        .lab = cases->lab, .seed = kl_random_fork(cases->seed, STREAM_HIDDEN), .of = criterion};
    for (int i = 0; i < criterion->case_count; i++)
        TRY(add_named(cases->lab->problem, criterion->cases[i].family, criterion->cases[i].size,
                      true, &list, err));
    kl_case_list_sort(&list);
    return make_listed(&list, hidden, err);
}

kl_status ladder_cases_make(const ladder_lab *lab, uint64_t seed, bool quick,
                            ladder_cases *out_cases, kl_error *err) {
    *out_cases = (ladder_cases){.lab = lab, .seed = seed};
    kl_case_list list = {.count = 0};
    TRY(choose(lab, seed, quick, &list, err));
    TRY(make_listed(&list, out_cases, err));
    for (int s = 0; s < lab->rubric->step_count; s++)
        for (int c = 0; c < lab->rubric->steps[s].criteria_count; c++)
            if (lab->rubric->steps[s].criteria[c].kind == LADDER_CRITERION_CASES)
                TRY(make_hidden(out_cases, &lab->rubric->steps[s].criteria[c], err));
    return KL_OK;
}

kl_status ladder_cases_add_query(ladder_cases *cases, const char *text, kl_error *err) {
    const kl_problem *problem = cases->lab->problem;
    ladder_case *grown = realloc(cases->items, ((size_t)cases->count + 1) * sizeof *cases->items);
    if (!grown) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the cases");
    cases->items = grown;
    ladder_case *item = &cases->items[cases->count];
    *item = (ladder_case){.inputs_fd = -1, .fresh_fd = -1, .check = true};
    kl_status status = problem->of_query(text, &item->data, err);
    bool has_case = status == KL_OK && item->data.shape.size > 0;
    if (has_case) status = finish_case(problem, item, err);
    if (has_case && status == KL_OK) cases->count++;
    else ladder_case_free(item);
    return status;
}

enum { SPEED_TOTAL_BYTES = 256 << 20 }; // a few times the largest L2 cache of today (50 to 126 MB)

// One set of inputs: those of a criterion differ in their seed alone.
typedef struct one_set {
    const ladder_cases *cases;
    ladder_speed_sets *of;
    int index; // among them
    kl_error err;
} one_set;

static void make_set(void *context, int piece) {
    one_set *set = (one_set *)context + piece;
    const kl_problem *problem = set->cases->lab->problem;
    uint64_t stream = ~(uint64_t)set->index ^ (uint64_t)set->of->size;
    ladder_case_make(problem, kl_problem_family(problem, set->of->family), set->of->size,
                     kl_random_fork(set->cases->seed, stream), &set->of->items[set->index],
                     &set->err);
}

// Together a few times as large as the L2 cache.
static int count_sets(const kl_case *shape) {
    uint64_t bytes = 0;
    int count = 2;
    for (int i = 0; i < shape->input_count; i++)
        bytes += shape->inputs[i].elems * kl_dtype_bytes(shape->inputs[i].dtype);
    while (count < LADDER_RUNNER_SETS && bytes * (uint64_t)count < SPEED_TOTAL_BYTES) count++;
    return count;
}

// Room for the sets of a criterion.
static kl_status add_speed_sets(ladder_cases *cases, const ladder_criterion *criterion,
                                kl_error *err) {
    const kl_problem *problem = cases->lab->problem;
    kl_case shape;
    if (cases->speed_count == LADDER_SPEED_SIZES) {
        return kl_fail(err, KL_ERROR_LIMIT, "the rubric times more than %d different cases",
                       LADDER_SPEED_SIZES);
    }
    TRY(problem->describe(kl_problem_family(problem, criterion->family), criterion->size,
                          cases->seed, &shape, err));
    ladder_speed_sets *sets = &cases->speed[cases->speed_count++];
    *sets = (ladder_speed_sets){.family = criterion->family, .size = criterion->size};
    sets->items = calloc(LADDER_RUNNER_SETS, sizeof *sets->items);
    if (!sets->items) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the cases");
    for (int i = 0; i < LADDER_RUNNER_SETS; i++)
        sets->items[i].inputs_fd = sets->items[i].fresh_fd = -1;
    sets->count = count_sets(&shape);
    return KL_OK;
}

static kl_status check_shapes(const ladder_speed_sets *sets, kl_error *err) {
    for (int i = 1; i < sets->count; i++) {
        if (same_shape(&sets->items[0].data, &sets->items[i].data)) continue;
        return kl_fail(err, KL_ERROR_INPUT,
                       "%.64s: cases of different seeds have buffers of different sizes, so they "
                       "cannot be timed in turn; give this family one size of buffers",
                       sets->items[i].title);
    }
    return KL_OK;
}

// Inputs and answers of large cases take seconds each: all sets are made on all cores.
static kl_status fill_speed_sets(ladder_cases *cases, kl_error *err) {
    one_set *work = calloc(LADDER_SPEED_SIZES * LADDER_RUNNER_SETS, sizeof *work);
    if (!work) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the cases");
    int count = 0;
    for (int s = 0; s < cases->speed_count; s++)
        for (int i = 0; i < cases->speed[s].count; i++)
            work[count++] = (one_set){cases, &cases->speed[s], i, {KL_OK, ""}};
    kl_parallel(count, make_set, work);
    kl_status status = KL_OK;
    for (int i = count; i-- > 0;) {
        if (work[i].err.status == KL_OK) continue;
        *err = work[i].err;
        status = (kl_status)work[i].err.status;
    }
    free(work);
    for (int s = 0; s < cases->speed_count && status == KL_OK; s++)
        status = check_shapes(&cases->speed[s], err);
    return status;
}

kl_status ladder_cases_make_speed(ladder_cases *cases, kl_error *err) {
    for (int s = 0; s < cases->lab->rubric->step_count; s++) {
        const ladder_rubric_step *step = &cases->lab->rubric->steps[s];
        for (int c = 0; c < step->criteria_count; c++) {
            const ladder_criterion *criterion = &step->criteria[c];
            if (criterion->kind != LADDER_CRITERION_SPEED ||
                ladder_cases_find_speed(cases, criterion->family, criterion->size))
                continue;
            TRY(add_speed_sets(cases, criterion, err));
        }
    }
    return fill_speed_sets(cases, err);
}

const ladder_speed_sets *ladder_cases_find_speed(const ladder_cases *cases, const char *family,
                                                 int64_t size) {
    for (int i = 0; i < cases->speed_count; i++) {
        const ladder_speed_sets *sets = &cases->speed[i];
        if (sets->size == size && strcmp(sets->family, family) == 0) return sets;
    }
    return NULL;
}

const ladder_cases *ladder_cases_find_hidden(const ladder_cases *cases,
                                             const ladder_criterion *criterion) {
    for (int i = 0; i < cases->hidden_count; i++)
        if (cases->hidden[i].of == criterion) return &cases->hidden[i];
    return NULL;
}

void ladder_cases_free(ladder_cases *cases) {
    for (int i = 0; i < cases->hidden_count; i++) ladder_cases_free(&cases->hidden[i]);
    free(cases->hidden);
    for (int i = 0; i < cases->speed_count; i++) {
        for (int k = 0; k < cases->speed[i].count; k++) ladder_case_free(&cases->speed[i].items[k]);
        free(cases->speed[i].items);
    }
    for (int i = 0; i < cases->count; i++) ladder_case_free(&cases->items[i]);
    free(cases->items);
    *cases = (ladder_cases){.items = NULL};
}

const ladder_case *ladder_cases_find(const ladder_cases *cases, const char *family, int64_t size) {
    int wanted_family = kl_problem_family(cases->lab->problem, family);
    for (int i = 0; i < cases->count; i++) {
        const kl_case *shape = &cases->items[i].data.shape;
        if (shape->family == wanted_family && shape->size == size) return &cases->items[i];
    }
    return NULL;
}

// ---- query programs -----------------------------------------------------------------------------

enum { OUTPUT_MAX = 4 << 20 };

kl_status ladder_query_run(const ladder_kit *kit, const ladder_lab *lab, bool gpu, char **out_text,
                           kl_error *err) {
    char program[LADDER_PATH], simulator[LADDER_PATH], library[LADDER_PATH + 32], visible[256];
    char device[SIM_DEVICE_TEXT + 32];
    *out_text = NULL;
    TRY(ladder_path(program, err, "%s/labs/%s/query", kit->build, lab->folder));
    TRY(ladder_kit_simulator(kit, simulator, err));
    snprintf(library, sizeof library, "LD_LIBRARY_PATH=%s", simulator);
    const char *argv[] = {program, NULL};
    snprintf(device, sizeof device, "LADDER_SIM_DEVICE=%s", ladder_device_simulated()->id);
    const char *environment[5] = {"PATH=/usr/bin:/bin", "LC_ALL=C"};
    const char *devices = getenv("CUDA_VISIBLE_DEVICES");
    if (!gpu) {
        environment[2] = library;
        environment[3] = device;
    } else if (devices) {
        snprintf(visible, sizeof visible, "CUDA_VISIBLE_DEVICES=%s", devices);
        environment[2] = visible;
    }
    ladder_process_spec spec = {.argv = argv,
                                .environment = environment,
                                .limits = {.wall_s = 120, .output_bytes = OUTPUT_MAX}};
    ladder_process process;
    TRY(ladder_process_run(&spec, &process, err));
    char how[160];
    kl_status status = KL_OK;
    if (process.end != LADDER_END_EXITED || process.code != 0) {
        status = kl_fail(err, KL_ERROR_SYSTEM, "%.200s: %s: %.200s", program,
                         ladder_process_describe(&process, how, sizeof how), process.output);
    } else if (!(*out_text = strdup(process.output))) {
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for the query's answers");
    }
    ladder_process_free(&process);
    return status;
}
