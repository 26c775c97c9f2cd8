// Runs one step on the cases of a plan: see ladder.h. Decides nothing itself: the problem does.
#include "ladder.h"
#include "advice.h"
#include "cuda_check.h"
#include "device_case.h"
#include "timing.h"

// Of the runtime, but their header is not among a toolkit's wheels.
extern cudaError_t cudaProfilerStart(void), cudaProfilerStop(void);

enum {
    REPEAT_BELOW_BYTES = 1 << 20
}; // on the simulator only inputs below this are run a second time

// Where outputs are brought to. One case after the other has it: the pages of a new buffer cost
// more time than a GPU's call.
typedef struct host_memory {
    void *buffers[KL_MAX_BUFFERS];
    uint64_t bytes[KL_MAX_BUFFERS];
} host_memory;

// A step on its cases, one after the other.
typedef struct step_runner {
    const kl_step_job *job;
    kl_device_case on_device;
    kl_timer timer;
    host_memory memory;
    double ceiling; // of the present call's warp instructions; 0: none
} step_runner;

static kl_case_step calls_of(const kl_step_job *job) {
    return (kl_case_step){job->adapter, job->step.function, job->step.prepare};
}

static int call_step(void *context) { return kl_case_call(context, 0); }

static int call_prepare(void *context) { return kl_case_prepare(context, 0); }

static int call_open(void *context) { return kl_case_open(context); }

// Output i has at least `bytes` bytes on the host.
static kl_status reserve(host_memory *memory, int i, uint64_t bytes, kl_error *err) {
    if (!memory->buffers[i] || memory->bytes[i] < bytes) {
        free(memory->buffers[i]);
        memory->bytes[i] = bytes;
        memory->buffers[i] = malloc(bytes + 1);
    }
    if (!memory->buffers[i]) return kl_fail(err, KL_ERROR_MEMORY, "no host memory for the outputs");
    return KL_OK;
}

static kl_status begin_case(step_runner *r, const kl_prepared *p, kl_error *err) {
    kl_case_layout layout = kl_case_layout_of(&p, 1, r->job->plan->workspace_bytes);
    const kl_case_scalars scalars = kl_case_scalars_of(p);
    if (kl_case_has_kernels(&p->shape) && !r->timer.start)
        TRY(kl_timer_open(r->job->device, &r->timer, err));
    r->timer.host = layout.host;
    layout.fenced = !r->job->device->simulated; // the simulator knows the bounds of each allocation
    return kl_case_begin(&r->on_device, &layout, &scalars, err);
}

// Hashes of what the steps give, to compare devices bit by bit (docs/validation.md): with
// LADDER_OUTPUT_HASHES=FILE each compared output adds a line to that file, "LAB CASE SIZE STEP
// OUTPUT HASH". Step -1 is the vendor's library. A file that cannot be written is left alone.
static void note_hashes(const kl_problem *problem, const kl_case *shape, int step,
                        void *const *h_outputs, const uint64_t *output_bytes) {
    const char *path = getenv("LADDER_OUTPUT_HASHES");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file) return;
    for (int i = 0; i < shape->output_count; i++)
        fprintf(file, "%s %s %lld %d %s %016" PRIx64 "\n", problem->name,
                problem->families[shape->family].name, (long long)shape->size, step,
                shape->outputs[i].name, kl_step_text_hash(h_outputs[i], output_bytes[i]));
    fclose(file);
}

static kl_status verify(step_runner *r, const kl_prepared *p, kl_case_result *result,
                        kl_error *err) {
    const kl_problem *problem = r->job->plan->problem;
    for (int i = 0; i < p->shape.output_count; i++)
        TRY(reserve(&r->memory, i, p->output_bytes[i], err));
    TRY(kl_case_fetch(&r->on_device, 0, r->memory.buffers, err));
    note_hashes(problem, &p->shape, r->job->number, r->memory.buffers, p->output_bytes);
    problem->verify(&p->shape, (const void *const *)p->inputs, p->solution,
                    (const void *const *)r->memory.buffers, &result->verdict);
    bool correct = result->verdict.ok && result->verdict.compared > 0;
    result->state = correct ? LADDER_CORRECT : LADDER_WRONG_ANSWER;
    return KL_OK;
}

// That a correct call has left its inputs as they were: grading asks for it, and the next call on
// them would be blamed for what this one did.
static kl_status check_inputs(step_runner *r, const kl_prepared *p, kl_error *err) {
    for (int i = 0; i < p->shape.input_count; i++) {
        uint64_t bytes = p->input_bytes[i];
        void *now = malloc(bytes + 1);
        if (!now) return kl_fail(err, KL_ERROR_MEMORY, "no host memory for the inputs");
        kl_status status = kl_case_fetch_input(&r->on_device, 0, i, now, err);
        bool same = memcmp(now, p->inputs[i], bytes) == 0;
        free(now);
        TRY(status);
        if (!same)
            return kl_fail(err, KL_ERROR_INPUT, KL_INPUT_CHANGED("call"), p->shape.inputs[i].name);
    }
    return KL_OK;
}

static double warp_instructions(void) {
    double executed = 0;
    return kl_device_sim_query("warp_instructions", &executed) ? executed : 0;
}

// On the simulator: the call has a ceiling, and result->before is what went before it.
static void begin_call(step_runner *r, const kl_prepared *p, kl_case_result *result) {
    const kl_step_job *job = r->job;
    if (!job->device->simulated) return;
    result->before = warp_instructions();
    if (!job->limited || getenv("LADDER_NO_CEILINGS")) return;
    r->ceiling = kl_instruction_ceiling(job->plan->problem, job->number, &p->shape, job->solution);
    kl_device_sim_allow(r->ceiling);
}

// What a step or its preparation returned that is no success: the runtime's words and a hint.
static kl_status tell_code(const char *what, int code, kl_error *err) {
    const char *hint = kl_cuda_hint((cudaError_t)code), *reason = kl_device_sim_reason();
    const char *tells = reason[0] != '\0' ? reason : hint;
    return kl_fail(err, KL_ERROR_CUDA, "%s returned %s: %s%s%s%s", what,
                   cudaGetErrorName((cudaError_t)code), cudaGetErrorString((cudaError_t)code),
                   tells[0] != '\0' ? "; " : "", tells[0] != '\0' && tells == hint ? "hint: " : "",
                   tells);
}

// The step's preparation, if it has one, or its call: what it returned, and its time by events.
static kl_status timed(step_runner *r, kl_timed_work *work, const char *what,
                       kl_case_result *result, double *out_us, kl_error *err) {
    int code = 0;
    bool function = r->on_device.layout.host && !r->on_device.layout.program;
    if (function) code = work(&r->on_device);
    else TRY(kl_timer_once(&r->timer, work, &r->on_device, &code, out_us, err));
    if (code == KL_NOT_IMPLEMENTED) result->state = LADDER_NOT_IMPLEMENTED;
    if (code == 0 || code == KL_NOT_IMPLEMENTED) return KL_OK;
    if (function) return kl_fail(err, KL_ERROR_CUDA, "%s returned %d instead of 0", what, code);
    return tell_code(what, code, err);
}

// Inputs, and what the step's preparation makes of them. counts: the simulator counts and times.
static kl_status fill_case(step_runner *r, const kl_prepared *p, bool counts,
                           kl_case_result *result, double *out_prepare_us, kl_error *err) {
    TRY(begin_case(r, p, err));
    kl_device_sim_count(counts);
    if (p->shape.program) {
        TRY(timed(r, call_open, "the preparation", result, out_prepare_us, err));
        if (result->state == LADDER_NOT_IMPLEMENTED) return KL_OK;
    }
    TRY(kl_case_fill(&r->on_device, (const void *const *)p->inputs, err));
    if (!r->on_device.prepares) return KL_OK;
    return timed(r, call_prepare, "the preparation", result, out_prepare_us, err);
}

// A call with poisoned outputs, what it counts (NULL: nobody asks), and its time.
static kl_status call(step_runner *r, const kl_prepared *p, kl_case_result *result,
                      kl_counts *out_counts, double *out_us, kl_error *err) {
    kl_counts before = {.count = 0};
    TRY(kl_case_poison(&r->on_device, 1, err));
    if (out_counts) kl_counts_read(&before, NULL);
    begin_call(r, p, result);
    TRY(timed(r, call_step, "the step", result, out_us, err));
    kl_device_sim_allow(0); // not reached by a call that was stopped: it is the last one
    if (out_counts) kl_counts_read(out_counts, &before);
    return KL_OK;
}

// The same with the verdict.
static kl_status checked_call(step_runner *r, const kl_prepared *p, kl_case_result *result,
                              kl_counts *out_counts, double *out_us, kl_error *err) {
    const kl_step_job *job = r->job;
    result->state = LADDER_NOT_RUN;
    TRY(call(r, p, result, out_counts, out_us, err));
    if (job->device->simulated) result->executed = warp_instructions() - result->before;
    return result->state == LADDER_NOT_IMPLEMENTED ? KL_OK : verify(r, p, result, err);
}

// A second call finds state that the first one left in the workspace. On a GPU the last timed call
// is compared, too, and bringing a large output back takes longer than all timed calls together.
static bool is_called_once(const kl_step_job *job, const kl_planned *planned) {
    uint64_t bytes = 0;
    for (int i = 0; i < planned->data.shape.input_count; i++) bytes += planned->data.input_bytes[i];
    return job->device->simulated ? bytes >= REPEAT_BELOW_BYTES : planned->timed;
}

static kl_status measure(step_runner *r, const kl_planned *planned, double us,
                         kl_case_result *result, kl_error *err) {
    if (r->job->device->simulated) {
        result->time_us = (kl_interval){us, us, us}; // modelled times repeat exactly
        result->samples = 1;
        return KL_OK;
    }
    TRY(kl_case_poison(&r->on_device, 1, err));
    TRY(kl_timer_measure(&r->timer, r->job->repetitions, call_step, &r->on_device, &result->time_us,
                         &result->samples, err));
    return verify(r, &planned->data, result, err); // the last timed call must be correct, too
}

static kl_status run_case(step_runner *r, const kl_planned *planned, kl_case_result *result,
                          kl_error *err) {
    const kl_step_job *job = r->job;
    const kl_prepared *p = &planned->data;
    bool counted = (planned->counts & KL_STEP_BIT(job->number)) != 0;
    bool once = is_called_once(job, planned), host = p->shape.host;
    double us = NAN;
    TRY(fill_case(r, p, counted || planned->timed, result, &us, err));
    if (planned->timed) result->prepare_us = us;
    if (result->state == LADDER_NOT_IMPLEMENTED) return KL_OK;
    for (result->call = 1; result->call <= (once ? 1 : 2); result->call++) {
        double call_us = NAN;
        bool counts = counted && result->call == 1;
        TRY(checked_call(r, p, result, counts ? &result->counts : NULL, &call_us, err));
        kl_device_sim_count(false);
        if (result->state != LADDER_CORRECT) return KL_OK;
        if (host || (job->device->simulated && !once)) TRY(check_inputs(r, p, err));
        us = result->call == 1 ? call_us : us;
    }
    result->call = 0;
    return planned->timed && kl_case_has_kernels(&p->shape) ? measure(r, planned, us, result, err)
                                                            : KL_OK;
}

// Codes of a kernel that was stopped, which the next call that waits returns.
static bool is_of_kernel(cudaError_t code) {
    switch (code) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorIllegalInstruction:
    case cudaErrorLaunchTimeout:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert: return true;
    default: return false;
    }
}

// To who changes a solution.
static void append_advice(const kl_step_job *job, char *text, size_t text_bytes) {
    size_t used = strlen(text);
    snprintf(
        text + used, text_bytes - used,
        "\nA solution may execute ten times what labs/warp_instructions.csv says of %s; is that "
        "out of date? common/lab/warp_instructions.awk makes it.",
        job->plan->problem->folder);
}

// Why a call failed, of what the simulator says: "CALL returned CODE: REASON", more lines. A launch
// comes from a function that nvcc makes, and has no name that the student knows.
static bool take_reason(const char *said, char *text, size_t text_bytes) {
    static const char launch[] = "cudaLaunch", word[] = " returned ";
    const char *returned = strstr(said, word);
    if (!returned) return false;
    if (strncmp(said, launch, strlen(launch)) == 0)
        snprintf(text, text_bytes, "a launch%.*s", (int)strcspn(returned, "\n"), returned);
    else snprintf(text, text_bytes, "%.*s", (int)(strlen(said) - 1), said);
    kl_shorten_paths(text);
    return true;
}

static bool is_at_ceiling(const step_runner *r, const kl_case_result *result) {
    return r->ceiling > 0 && warp_instructions() - result->before >= r->ceiling;
}

// Where the kernel was stopped, of what the simulator says of it: "in the loop of lines 7 to 9 of
// 1_x.cu".
static void append_place(const char *fault, char *text, size_t text_bytes) {
    const char *loop = strstr(fault, "in the loop of "), *file = loop ? strstr(loop, ".cu:") : NULL;
    size_t used = strlen(text);
    int behind = file ? (int)strlen(".cu") : 0;
    if (!loop) return;
    for (; file && file > loop && file[-1] != ' ' && file[-1] != '/'; file--) behind++;
    snprintf(text + used, text_bytes - used, "\nIt was %.*s%s%.*s.", (int)strcspn(loop, ",:\n"),
             loop, file ? " of " : "", behind, file ? file : "");
}

// Why it was too much, where the launch was stopped after a block that had ended.
static void append_cause(const char *fault, double expected, char *text, size_t text_bytes) {
    static const char word[] = " when a block had ended, which took ";
    const char *ended = strstr(fault, word);
    double took = ended ? strtod(ended + strlen(word), NULL) : 0;
    char one[32], all[32];
    size_t used = strlen(text);
    if (!ended || took < expected / 10 || took > 4 * expected)
        return; // a dozen blocks like this one or more
    snprintf(text + used, text_bytes - used, "\n");
    kl_advise(KL_ADVICE_SHARE_AMONG_BLOCKS,
              KL_WORDS(kl_format_count(took, one, sizeof one),
                       kl_format_count(expected, all, sizeof all)),
              text + used + 1, text_bytes - used - 1);
}

// The outcome of a case that a failure has ended, as grading has it. fault: what the simulator says
// of a kernel that was stopped, or "".
static ladder_outcome outcome_of(cudaError_t code, const char *fault, const kl_error *err) {
    bool deadlock = strncmp(fault, "deadlock", strlen("deadlock")) == 0;
    if (code == cudaErrorLaunchTimeout && !deadlock) return LADDER_RUNAWAY;
    if (is_of_kernel(code)) return LADDER_KERNEL_FAULT;
    if (err->status == KL_ERROR_INPUT) return LADDER_INPUT_CHANGED;
    if (err->status == KL_ERROR_LIMIT) return LADDER_KERNEL_FAULT; // wrote beside an output
    return err->status == KL_ERROR_MEMORY ? LADDER_UNGRADABLE : LADDER_CUDA_ERROR;
}

// Where a kernel of the step was stopped, the call of this kit that learned of it says nothing: the
// simulator knows the kernel's line, and on a GPU `ladder check` finds it.
static void explain_failure(const step_runner *r, const kl_prepared *p, const kl_error *err,
                            kl_case_result *result) {
    const kl_step_job *job = r->job;
    cudaError_t code = cudaPeekAtLastError();
    const char *fault = kl_device_sim_fault(), *hint = kl_cuda_hint(code);
    const char *said = kl_device_sim_said();
    result->stopped = code == cudaErrorLaunchTimeout && is_at_ceiling(r, result);
    result->state = outcome_of(code, fault, err);
    if (result->stopped) {
        kl_instruction_ceiling_text(job->plan->problem, job->number, &p->shape,
                                    warp_instructions() - result->before, result->text,
                                    sizeof result->text);
        append_place(fault, result->text, sizeof result->text);
        append_cause(fault, kl_instructions_expected(job->plan->problem, job->number, &p->shape),
                     result->text, sizeof result->text);
        if (job->solution) append_advice(job, result->text, sizeof result->text);
        kl_shorten_paths(result->text);
    } else if (!is_of_kernel(code)) {
        if (!take_reason(said, result->text, sizeof result->text))
            snprintf(result->text, sizeof result->text, "%s", err->text);
    } else if (fault[0] != '\0') {
        snprintf(result->text, sizeof result->text, "%s: %s", cudaGetErrorName(code), fault);
        kl_shorten_paths(result->text);
    } else {
        snprintf(result->text, sizeof result->text,
                 "%s: %s\nhint: ./ladder check %s %d names the kernel's line%s%s",
                 cudaGetErrorName(code), cudaGetErrorString(code), job->plan->problem->name,
                 job->number, hint[0] != '\0' ? "; " : "", hint);
    }
}

static void begin_result(kl_case_result *result, int plan_index) {
    memset(result, 0, sizeof *result);
    result->plan_index = plan_index;
    result->begun = true;
    result->state = LADDER_NOT_RUN;
    result->time_us = (kl_interval){NAN, NAN, NAN};
    result->prepare_us = NAN;
}

// Frees what a run has made.
static void close_runner(step_runner *r) {
    kl_case_close(&r->on_device);
    for (int i = 0; i < KL_MAX_BUFFERS; i++) free(r->memory.buffers[i]);
    kl_timer_close(&r->timer);
}

// ---- the small case -----------------------------------------------------------------------------

static kl_status run_small_case(step_runner *r, const kl_prepared *p, int watched, uint64_t from,
                                void *const *outputs, kl_error *err) {
    kl_case_result result = {.state = LADDER_NOT_RUN};
    double us;
    TRY(fill_case(r, p, false, &result, &us, err));
    if (watched >= 0)
        kl_device_sim_watch((char *)r->on_device.d_outputs[0][watched] + from,
                            p->output_bytes[watched] - from);
    TRY(call(r, p, &result, NULL, &us, err));
    TRY(kl_case_settle(&r->on_device, "the step's kernels", err));
    return kl_case_fetch(&r->on_device, 0, outputs, err);
}

static bool run_small(void *context, const kl_prepared *p, int watched, uint64_t from,
                      void *const *outputs) {
    kl_error err = {KL_OK, ""};
    return run_small_case(context, p, watched, from, outputs, &err) == KL_OK;
}

static void find_writer(void *context, int output, uint64_t offset_bytes,
                        kl_small_writer *out_writer) {
    const step_runner *r = context;
    const char *at = r->on_device.d_outputs[0][output];
    int written =
        kl_device_sim_last_write(at + offset_bytes, out_writer->block, out_writer->thread);
    out_writer->known = written >= 0;
    out_writer->written = written > 0;
}

// Looks for a smaller case than this one, which is wrong in its first call.
static void find_small(step_runner *r, const kl_prepared *p) {
    const kl_small_runner runner = {r, run_small, find_writer};
    kl_small_find(r->job->plan->problem, p, (const void *const *)r->memory.buffers, &runner,
                  r->job->small);
    kl_device_sim_watch(NULL, 0);
    kl_device_sim_said();
}

void kl_step_run(const kl_step_job *job, kl_on_case *on_case, void *context) {
    kl_error err = {KL_OK, ""};
    step_runner r = {.job = job, .on_device = {.step = calls_of(job)}};
    kl_case_result result;
    kl_status status = KL_OK;
    bool wrong = false;
    kl_device_sim_said(); // from now on it is shown with the case
    for (int i = 0; i < job->plan->count && status == KL_OK; i++) {
        const kl_planned *planned = &job->plan->cases[i];
        if (job->parts != 0 && !(job->parts & planned->part)) continue;
        if (!(planned->serves & KL_STEP_BIT(job->number))) continue;
        begin_result(&result, i);
        on_case(context, &result);
        status = run_case(&r, planned, &result, &err);
        if (result.state == LADDER_WRONG_ANSWER)
            take_reason(kl_device_sim_said(), result.text, sizeof result.text);
        if (status != KL_OK) explain_failure(&r, &planned->data, &err, &result);
        on_case(context, &result);
        bool first = !wrong && result.state == LADDER_WRONG_ANSWER;
        wrong |= first;
        if (first && result.call <= 1 && job->small) find_small(&r, &planned->data);
        if (result.state == LADDER_NOT_IMPLEMENTED) break;
    }
    close_runner(&r);
}

// "launches" or "spans" of what was asked for so far.
static uint32_t so_far(const char *what) {
    double count = 0;
    return kl_device_sim_query(what, &count) ? (uint32_t)count : 0;
}

// Why a launch that nobody checks has failed. code: what the step returned.
static kl_status check_launch(const step_runner *r, const kl_prepared *p, int code,
                              const kl_case_result *result, kl_error *err) {
    const kl_step_job *job = r->job;
    cudaError_t after = cudaDeviceSynchronize();
    if (after == cudaErrorLaunchTimeout && is_at_ceiling(r, result)) {
        char text[KL_RUN_TEXT];
        kl_instruction_ceiling_text(job->plan->problem, job->number, &p->shape,
                                    warp_instructions() - result->before, text, sizeof text);
        return kl_fail(err, KL_ERROR_CUDA, "the step was not run to its end; %s", text);
    }
    if (code == KL_NOT_IMPLEMENTED)
        return kl_fail(err, KL_ERROR_INPUT, "the step is %s",
                       ladder_outcome_word(LADDER_NOT_IMPLEMENTED));
    if (code != 0 || after != cudaSuccess)
        return kl_cuda_fail(err, code != 0 ? (cudaError_t)code : after, __FILE__, __LINE__,
                            "call of the step");
    return KL_OK;
}

// Calls before the one that a recorder looks at (common/gpu/timeline_recorder.c): the first of a
// process loads code, and the driver's pools grow.
static kl_status warm_up(step_runner *r, const kl_prepared *p, int *code, kl_error *err) {
    enum { CALLS = 2 };
    for (int i = 0; i < CALLS && *code == 0; i++) {
        *code = kl_case_call(&r->on_device, 0);
        cudaDeviceSynchronize();
        TRY(kl_case_fill(&r->on_device, (const void *const *)p->inputs, err));
        cudaDeviceSynchronize();
    }
    return KL_OK;
}

kl_status kl_step_launch_once(const kl_step_job *job, int plan_index, kl_record *out_record,
                              kl_error *err) {
    bool is_recorded = kl_is_recorded();
    const kl_prepared *p = &job->plan->cases[plan_index].data;
    step_runner r = {.job = job, .on_device = {.step = calls_of(job)}};
    if (!kl_case_has_kernels(&p->shape))
        return kl_fail(err, KL_ERROR_INPUT, "this step runs on the host and launches no kernel");
    kl_status status = begin_case(&r, p, err);
    kl_case_result opened = {.state = LADDER_NOT_RUN};
    if (status == KL_OK) status = check_launch(&r, p, kl_case_open(&r.on_device), &opened, err);
    if (status == KL_OK) status = kl_case_fill(&r.on_device, (const void *const *)p->inputs, err);
    if (status == KL_OK) {
        cudaDeviceSynchronize();
        uint32_t before = so_far("launches");
        int code = r.on_device.prepares ? kl_case_prepare(&r.on_device, 0) : 0;
        cudaDeviceSynchronize();
        kl_case_result result = {.state = LADDER_NOT_RUN};
        out_record->is.once.launches = so_far("launches") - before;
        if (is_recorded && code == 0) status = warm_up(&r, p, &code, err);
        begin_call(&r, p, &result);
        if (is_recorded) cudaProfilerStart();
        out_record->is.once.first_span = so_far("spans");
        code = code == 0 ? kl_case_call(&r.on_device, 0) : code;
        out_record->is.once.end_span = so_far("spans"); // without the driver's wait
        if (is_recorded) cudaProfilerStop();
        if (status == KL_OK) status = check_launch(&r, p, code, &result, err);
        if (status == KL_OK) status = verify(&r, p, &result, err);
        out_record->is.once.wrong = status == KL_OK && result.state != LADDER_CORRECT;
    }
    close_runner(&r);
    return status;
}
