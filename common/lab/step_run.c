// SPDX-License-Identifier: MIT
// Runs one step on the cases of a plan: see step_run.h. Decides nothing itself: the problem does.
#include "step_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "buffers.h"
#include "instruction_ceiling.h"
#include "output_hash.h"
#include "cuda_check.h"
#include "host_case.h"
#include "table.h"
#include "timing.h"

enum {
    PAD_BYTES = 256,             // poison behind an input on a GPU, where bounds are not checked
    REPEAT_BELOW_BYTES = 1 << 20 // on the simulator only inputs below this are run a second time
};

// Where outputs are brought to. One case after the other has it: the pages of a new buffer cost
// more time than a GPU's call.
typedef struct host_memory {
    void *buffers[KL_MAX_BUFFERS];
    uint64_t bytes[KL_MAX_BUFFERS];
} host_memory;

// One case on the device.
typedef struct device_case {
    kl_call call;
    void *d_base[KL_MAX_BUFFERS];    // allocations behind call.d_inputs
    void *h_outputs[KL_MAX_BUFFERS]; // in the host memory
    _Alignas(16) unsigned char h_plan[KL_PLAN_BYTES];
} device_case;

typedef struct work_context {
    const kl_step_job *job;
    const device_case *dc;
    int prepare_inputs;
} work_context;

static int call_step(void *context) {
    const work_context *w = context;
    return w->job->adapter->call(w->job->step.function, &w->dc->call);
}

static int call_prepare(void *context) {
    const work_context *w = context;
    kl_call seen = kl_call_for_preparation(&w->dc->call, w->prepare_inputs);
    return w->job->adapter->prepare(w->job->step.prepare, &seen);
}

static void release(device_case *dc) {
    kl_buffers_free(false, dc->d_base);
    kl_buffers_free(false, dc->call.d_outputs);
    kl_buffer_free(false, dc->call.d_prepared);
    memset(dc, 0, sizeof *dc);
}

// Gives output i `bytes` bytes on the host.
static kl_status reserve(host_memory *memory, int i, uint64_t bytes, void **out_buffer,
                         kl_error *err) {
    if (!memory->buffers[i] || memory->bytes[i] < bytes) {
        free(memory->buffers[i]);
        memory->bytes[i] = bytes;
        memory->buffers[i] = malloc(bytes + 1);
    }
    *out_buffer = memory->buffers[i];
    if (!*out_buffer) return kl_fail(err, KL_ERROR_MEMORY, "no host memory for the outputs");
    return KL_OK;
}

static kl_status upload_input(const kl_prepared *p, int i, uint64_t pad_bytes, device_case *dc,
                              kl_error *err) {
    uint64_t bytes = p->input_bytes[i];
    uint64_t offset = p->shape.inputs[i].offset_bytes;
    dc->call.input_bytes[i] = bytes;
    if (bytes == 0) return KL_OK; // an empty input is a NULL pointer
    KL_CUDA(err, kl_buffer_upload(false, p->inputs[i], bytes, offset, pad_bytes, &dc->d_base[i]));
    dc->call.d_inputs[i] = (char *)dc->d_base[i] + offset;
    return KL_OK;
}

static kl_status upload(const kl_step_job *job, const kl_prepared *p, void *d_workspace,
                        host_memory *memory, device_case *dc, kl_error *err) {
    // The simulator knows the exact bounds of each allocation, so it gets no padding.
    uint64_t pad_bytes = job->device->simulated ? 0 : PAD_BYTES;
    dc->call.input_count = p->shape.input_count;
    dc->call.output_count = p->shape.output_count;
    memcpy(dc->call.ints, p->shape.ints, sizeof dc->call.ints);
    memcpy(dc->call.reals, p->shape.reals, sizeof dc->call.reals);
    dc->call.d_workspace = d_workspace;
    dc->call.workspace_bytes = p->shape.workspace_bytes;
    dc->call.h_plan = dc->h_plan; // zero: the case has just been begun
    dc->call.prepared_bytes = p->shape.prepared_bytes;
    if (p->shape.prepared_bytes > 0) {
        KL_CUDA(err, kl_buffer_new(false, p->shape.prepared_bytes, &dc->call.d_prepared));
        KL_CUDA(err, kl_buffer_poison(false, dc->call.d_prepared, p->shape.prepared_bytes));
    }
    for (int i = 0; i < p->shape.input_count; i++) TRY(upload_input(p, i, pad_bytes, dc, err));
    KL_CUDA(err, kl_buffers_new(false, p->output_bytes, p->shape.output_count, dc->call.d_outputs));
    for (int i = 0; i < p->shape.output_count; i++) {
        dc->call.output_bytes[i] = p->output_bytes[i];
        TRY(reserve(memory, i, p->output_bytes[i], &dc->h_outputs[i], err));
    }
    return KL_OK;
}

static kl_status poison(const device_case *dc, kl_error *err) {
    KL_CUDA(err, kl_buffers_poison(false, dc->call.d_outputs, dc->call.output_bytes,
                                   dc->call.output_count));
    return KL_OK;
}

static kl_status download(device_case *dc, kl_error *err) {
    KL_CUDA(err, cudaDeviceSynchronize());
    for (int i = 0; i < dc->call.output_count; i++) {
        if (dc->call.output_bytes[i] > 0) {
            KL_CUDA(err, cudaMemcpy(dc->h_outputs[i], dc->call.d_outputs[i],
                                    dc->call.output_bytes[i], cudaMemcpyDeviceToHost));
        }
    }
    return KL_OK;
}

static kl_status verify(const kl_step_job *job, const kl_prepared *p, device_case *dc,
                        kl_case_result *result, kl_error *err) {
    TRY(download(dc, err));
    kl_output_hash_note(job->plan->problem, &p->shape, job->number, dc->h_outputs,
                        dc->call.output_bytes);
    job->plan->problem->verify(&p->shape, (const void *const *)p->inputs, p->solution,
                               (const void *const *)dc->h_outputs, &result->verdict);
    result->state =
        result->verdict.ok && result->verdict.compared > 0 ? LADDER_CORRECT : LADDER_WRONG_ANSWER;
    return KL_OK;
}

// That a right call has left its inputs as they were: grading asks for it, and the next call on
// them would be blamed for what this one did.
static kl_status check_inputs(const kl_prepared *p, const device_case *dc, kl_error *err) {
    for (int i = 0; i < p->shape.input_count; i++) {
        uint64_t bytes = p->input_bytes[i];
        if (bytes == 0) continue;
        void *now = malloc(bytes);
        if (!now) return kl_fail(err, KL_ERROR_MEMORY, "no host memory for the inputs");
        cudaError_t code = cudaMemcpy(now, dc->call.d_inputs[i], bytes, cudaMemcpyDeviceToHost);
        bool kept = memcmp(now, p->inputs[i], bytes) == 0;
        free(now);
        KL_CUDA(err, code);
        if (!kept)
            return kl_fail(err, KL_ERROR_INPUT, KL_INPUT_CHANGED("call") "; hint: %s",
                           p->shape.inputs[i].name,
                           "which line writes to it, or past the end of another array?");
    }
    return KL_OK;
}

static double warp_instructions(void) {
    double executed = 0;
    return kl_device_sim_query("warp_instructions", &executed) ? executed : 0;
}

// On the simulator: the call has a ceiling, and result->before is what went before it.
static void begin_call(const kl_step_job *job, const kl_prepared *p, kl_case_result *result) {
    if (!job->device->simulated) return;
    result->before = warp_instructions();
    if (!job->limited || getenv("LADDER_NO_CEILINGS")) return;
    kl_device_sim_allow(
        kl_instruction_ceiling(job->plan->problem, job->number, &p->shape, job->solution));
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

// A call with poisoned outputs, its time by events, and the verdict.
static kl_status checked_call(const kl_step_job *job, const kl_prepared *p, device_case *dc,
                              kl_timer *timer, kl_case_result *result, double *out_us,
                              kl_error *err) {
    work_context work = {job, dc, p->shape.prepare_inputs};
    int code = 0;
    TRY(poison(dc, err));
    KL_CUDA(err, cudaDeviceSynchronize());
    begin_call(job, p, result);
    TRY(kl_timer_once(timer, call_step, &work, &code, out_us, err));
    kl_device_sim_allow(0); // not reached by a call that was stopped: it is the last one
    if (job->device->simulated) result->executed = warp_instructions() - result->before;
    if (code == KL_NOT_IMPLEMENTED) {
        result->state = LADDER_NOT_IMPLEMENTED;
        return KL_OK;
    }
    if (code != 0) return tell_code("the step", code, err);
    return verify(job, p, dc, result, err);
}

static kl_status run_case(const kl_step_job *job, const kl_planned *planned, void *d_workspace,
                          kl_timer *timer, host_memory *memory, device_case *dc,
                          kl_case_result *result, kl_error *err) {
    const kl_prepared *p = &planned->data;
    work_context work = {job, dc, p->shape.prepare_inputs};
    if (p->shape.host) return kl_host_case_run(job, p, result, err);
    bool counted = kl_plan_counts(job->plan, job->number, (int)(planned - job->plan->cases));
    kl_device_sim_count(counted || planned->timed);
    TRY(upload(job, p, d_workspace, memory, dc, err));
    if (job->step.prepare && job->adapter->prepare) {
        int code = 0;
        double us = NAN;
        TRY(kl_timer_once(timer, call_prepare, &work, &code, &us, err));
        if (planned->timed) result->prepare_us = us;
        if (code == KL_NOT_IMPLEMENTED) {
            result->state = LADDER_NOT_IMPLEMENTED;
            return KL_OK;
        }
        if (code != 0) return tell_code("the preparation", code, err);
    }
    uint64_t bytes = 0;
    for (int i = 0; i < p->shape.input_count; i++) bytes += p->input_bytes[i];
    // A second call finds state that the first one left in the workspace. On a GPU the last timed
    // call is compared, too, and bringing a large output back takes longer than all timed calls
    // together.
    bool once = job->device->simulated ? bytes >= REPEAT_BELOW_BYTES : planned->timed;
    int calls = once ? 1 : 2;
    double us = NAN;
    for (result->call = 1; result->call <= calls; result->call++) {
        double call_us = NAN;
        kl_counts before = {.count = 0};
        if (counted && result->call == 1) kl_counts_read(&before);
        TRY(checked_call(job, p, dc, timer, result, &call_us, err));
        if (counted && result->call == 1) {
            kl_counts_read(&result->counts);
            kl_counts_subtract(&result->counts, &before);
        }
        kl_device_sim_count(false);
        if (result->state != LADDER_CORRECT) return KL_OK;
        if (job->device->simulated && !once) TRY(check_inputs(p, dc, err));
        us = result->call == 1 ? call_us : us;
    }
    result->call = 0;
    if (planned->timed && job->device->simulated) {
        result->time_us = (kl_interval){us, us, us}; // modelled times repeat exactly
        result->samples = 1;
    } else if (planned->timed) {
        TRY(poison(dc, err));
        TRY(kl_timer_measure(timer, job->repetitions, call_step, &work, &result->time_us,
                             &result->samples, err));
        TRY(verify(job, p, dc, result, err)); // the last timed call must be right, too
    }
    return KL_OK;
}

static kl_status make_workspace(const kl_plan *plan, void **out_d_workspace, kl_error *err) {
    *out_d_workspace = NULL;
    if (plan->workspace_bytes > 0) {
        KL_CUDA(err, cudaMalloc(out_d_workspace, plan->workspace_bytes));
        KL_CUDA(err, cudaMemset(*out_d_workspace, 0, plan->workspace_bytes)); // once, by contract
    }
    return KL_OK;
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
    else
        snprintf(text, text_bytes, "%.*s", (int)(strlen(said) - 1), said);
    kl_shorten_paths(text);
    return true;
}

static bool is_at_ceiling(const kl_step_job *job, const kl_prepared *p,
                          const kl_case_result *result) {
    return warp_instructions() - result->before >=
           kl_instruction_ceiling(job->plan->problem, job->number, &p->shape, job->solution);
}

// Where the kernel was stopped, of what the simulator says of it: "in the loop of lines 7 to 9 of
// 1_x.cu".
static void append_place(const char *fault, char *text, size_t text_bytes) {
    const char *loop = strstr(fault, "in the loop of "), *file = loop ? strstr(loop, " at ") : NULL;
    size_t used = strlen(text);
    if (!file) return;
    file += strlen(" at ");
    snprintf(text + used, text_bytes - used, "\nIt was %.*s of %.*s.", (int)strcspn(loop, ",:\n"),
             loop, (int)strcspn(file, ":"), file);
}

// The outcome of a case that a failure has ended, as grading has it. fault: what the simulator says
// of a kernel that was stopped, or "".
static ladder_outcome outcome_of(cudaError_t code, const char *fault, const kl_error *err) {
    bool deadlock = strncmp(fault, "deadlock", strlen("deadlock")) == 0;
    if (code == cudaErrorLaunchTimeout && !deadlock) return LADDER_RUNAWAY;
    if (is_of_kernel(code)) return LADDER_KERNEL_FAULT;
    if (err->status == KL_ERROR_INPUT) return LADDER_INPUT_CHANGED;
    return err->status == KL_ERROR_MEMORY ? LADDER_UNGRADABLE : LADDER_CUDA_ERROR;
}

// Where a kernel of the step was stopped, the call of this kit that learned of it says nothing: the
// simulator knows the kernel's line, and on a GPU `ladder check` finds it.
static void explain_failure(const kl_step_job *job, const kl_prepared *p, const kl_error *err,
                            kl_case_result *result) {
    cudaError_t code = cudaPeekAtLastError();
    const char *fault = kl_device_sim_fault(), *hint = kl_cuda_hint(code);
    const char *said = kl_device_sim_said();
    result->stopped =
        code == cudaErrorLaunchTimeout && job->limited && is_at_ceiling(job, p, result);
    result->state = outcome_of(code, fault, err);
    if (result->stopped) {
        kl_instruction_ceiling_text(job->plan->problem, job->number, &p->shape,
                                    warp_instructions() - result->before, result->text,
                                    sizeof result->text);
        append_place(fault, result->text, sizeof result->text);
        if (job->solution) append_advice(job, result->text, sizeof result->text);
        kl_shorten_paths(result->text);
    } else if (!is_of_kernel(code)) {
        if (!take_reason(said, result->text, sizeof result->text))
            snprintf(result->text, sizeof result->text, "%s", err->text);
    } else if (fault[0] != '\0') {
        if (strncmp(fault, "deadlock", 8) == 0) hint = ""; // no loop that does not end
        snprintf(result->text, sizeof result->text, "%s: %s%s%s", cudaGetErrorName(code), fault,
                 hint[0] != '\0' ? "\nhint: " : "", hint);
        kl_shorten_paths(result->text);
    } else {
        snprintf(result->text, sizeof result->text,
                 "%s: %s\nhint: ladder check %s %d names the kernel's line%s%s",
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

void kl_step_run(const kl_step_job *job, kl_on_case *on_case, void *context) {
    kl_error err = {KL_OK, ""};
    kl_timer timer = {.d_flush = NULL};
    void *d_workspace = NULL;
    host_memory memory = {{NULL}, {0}};
    kl_case_result result;
    kl_status status = kl_timer_open(job->device, &timer, &err);
    if (status == KL_OK) status = make_workspace(job->plan, &d_workspace, &err);
    if (status != KL_OK) {
        begin_result(&result, -1);
        result.state = LADDER_CUDA_ERROR;
        snprintf(result.text, sizeof result.text, "%s", err.text);
        on_case(context, &result);
    }
    kl_device_sim_said(); // from now on it is shown with the case
    for (int i = 0; i < job->plan->count && status == KL_OK; i++) {
        if (job->parts != 0 && !(job->parts & kl_plan_part_of(&job->plan->cases[i]))) continue;
        if (!kl_plan_serves(job->plan, i, job->number)) continue;
        begin_result(&result, i);
        on_case(context, &result);

        device_case dc;
        memset(&dc, 0, sizeof dc);
        status =
            run_case(job, &job->plan->cases[i], d_workspace, &timer, &memory, &dc, &result, &err);
        if (result.state == LADDER_WRONG_ANSWER)
            take_reason(kl_device_sim_said(), result.text, sizeof result.text);
        if (status != KL_OK) explain_failure(job, &job->plan->cases[i].data, &err, &result);
        on_case(context, &result);
        release(&dc);
        if (result.state == LADDER_NOT_IMPLEMENTED) break;
    }
    kl_buffers_free(true, memory.buffers);
    cudaFree(d_workspace);
    kl_timer_close(&timer);
}

static double launches_so_far(void) {
    double launches = 0;
    cudaDeviceSynchronize();
    return kl_device_sim_query("launches", &launches) ? launches : 0;
}

kl_status kl_step_launch_once(const kl_step_job *job, int plan_index, int count,
                              int *out_prepare_launches, kl_error *err) {
    device_case dc;
    memset(&dc, 0, sizeof dc);
    void *d_workspace = NULL;
    host_memory memory = {{NULL}, {0}};
    work_context work = {job, &dc, job->plan->cases[plan_index].data.shape.prepare_inputs};
    if (job->plan->cases[plan_index].data.shape.host)
        return kl_fail(err, KL_ERROR_INPUT, "this step runs on the host and launches no kernel");
    TRY(make_workspace(job->plan, &d_workspace, err));
    kl_status status =
        upload(job, &job->plan->cases[plan_index].data, d_workspace, &memory, &dc, err);
    *out_prepare_launches = 0;
    for (int i = 0; i < count && status == KL_OK; i++) {
        int code = 0;
        double before = launches_so_far();
        if (job->step.prepare && job->adapter->prepare) {
            memset(dc.h_plan, 0, sizeof dc.h_plan);
            code = call_prepare(&work);
            *out_prepare_launches += (int)(launches_so_far() - before);
        }
        kl_case_result result = {.state = LADDER_NOT_RUN};
        const kl_prepared *p = &job->plan->cases[plan_index].data;
        begin_call(job, p, &result);
        code = code == 0 ? call_step(&work) : code;
        cudaError_t after = cudaDeviceSynchronize();
        if (after == cudaErrorLaunchTimeout && job->limited && is_at_ceiling(job, p, &result)) {
            char text[KL_RUN_TEXT];
            double executed = warp_instructions() - result.before;
            kl_instruction_ceiling_text(job->plan->problem, job->number, &p->shape, executed, text,
                                        sizeof text);
            status = kl_fail(err, KL_ERROR_CUDA, "the step was not run to its end; %s", text);
        } else if (code == KL_NOT_IMPLEMENTED) {
            status = kl_fail(err, KL_ERROR_INPUT, "the step is not implemented");
        } else if (code != 0 || after != cudaSuccess) {
            status = kl_cuda_fail(err, code != 0 ? (cudaError_t)code : after, __FILE__, __LINE__,
                                  "call of the step");
        }
    }
    release(&dc);
    kl_buffers_free(true, memory.buffers);
    cudaFree(d_workspace);
    return status;
}
