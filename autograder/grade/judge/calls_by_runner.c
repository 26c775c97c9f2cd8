// The calls of a case on memory that the runner holds: see internal.h.
#include "grade/judge/judge.h"
#include "utilities/defence.h"
#include <sys/mman.h>

uint64_t ladder_runner_file_bytes(const kl_prepared *data, int slots) {
    uint64_t outputs = data->outputs_span * (uint64_t)slots;
    return data->inputs_span > outputs ? data->inputs_span : outputs;
}

ladder_runner_request ladder_setup_request(const kl_prepared *const *sets, int count,
                                           uint64_t workspace_max_bytes, int slots,
                                           int file_slots) {
    ladder_runner_request request = {
        .kind = LADDER_RUNNER_SETUP,
        .layout = kl_case_layout_of(sets, count, workspace_max_bytes),
        .file_slots = (uint32_t)file_slots,
        .file_bytes = ladder_runner_file_bytes(sets[0], file_slots),
    };
    request.layout.slots = (uint32_t)slots;
    request.layout.packed = 1;
    for (int s = 0; s < count; s++) request.scalars[s] = kl_case_scalars_of(sets[s]);
    return request;
}

const char *ladder_inputs_changed(const kl_prepared *data, const unsigned char *file) {
    for (int i = 0; i < data->shape.input_count; i++)
        if (memcmp(file + data->input_at[i], data->inputs[i], data->input_bytes[i]) != 0)
            return data->shape.inputs[i].name;
    return NULL;
}

// Compares the inputs of sets: [count], of one shape, with what the runner hands back in the memory
// file, mapped at `file`. *out_name: the first one that differs, NULL: none. KL_ERROR_INPUT: no
// answer. KL_ERROR_SYSTEM: none, on a machine that is too busy.
static kl_status ladder_inputs_kept(ladder_session *session, const kl_prepared *const *sets,
                                    int count, const unsigned char *file, double limit_s,
                                    const char **out_name, kl_error *err) {
    *out_name = NULL;
    if (!ladder_defence_on(LADDER_DEFENCE_INPUTS_KEPT)) return KL_OK;
    for (int s = 0; s < count && !*out_name; s++) {
        ladder_runner_request request = {.kind = LADDER_RUNNER_INPUTS, .first_slot = (uint32_t)s};
        ladder_runner_reply reply;
        ladder_answer answer = ladder_session_ask(session, &request, NULL, 0, limit_s, &reply);
        if (answer == LADDER_STARVED)
            return kl_fail(err, KL_ERROR_SYSTEM, "no answer: the machine was too busy");
        if (answer != LADDER_ANSWERED || reply.state != LADDER_RUNNER_OK)
            return kl_fail(err, KL_ERROR_INPUT, "the inputs did not come back: %.200s", reply.text);
        *out_name = ladder_inputs_changed(sets[s], file);
    }
    return KL_OK;
}

// What one case needs where the runner holds the memory: on a GPU, and for functions of host
// memory.
typedef struct files {
    sim_engine *engine; // of a program; NULL: no kernel is counted
    ladder_attempt *attempt;
    const ladder_case *item;
    int calls;
    int outputs_fd;
    unsigned char *mapped; // the outputs' file
    ladder_case_end *end, *doubt;
} files;

static bool set_up_files(files *f, int call) {
    const kl_prepared *data = ladder_case_data(f->item, call);
    const int fds[] = {data == &f->item->fresh ? f->item->fresh_fd : f->item->inputs_fd,
                       f->outputs_fd};
    ladder_runner_request request = ladder_setup_request(
        &data, 1, f->attempt->run->plan->cases->workspace_bytes, f->calls, f->calls);
    request.layout.fenced = f->attempt->gpu;
    request.layout.packed = !request.layout.fenced;
    if (f->engine && sim_call_begin(f->engine, 0, NULL) != SIM_OK) return false;
    return ladder_attempt_ask(f->attempt, &request, fds, 2, f->end);
}

static bool program_lost(files *f) {
    if (!ladder_attempt_engine_lost(f->attempt, f->end))
        ladder_case_end_with(f->end, LADDER_UNGRADABLE, true, "the simulator does not answer");
    return false;
}

// Whether the answer of a program was made by the host, whose own work takes no modelled time; then
// why. Where it comes back in the call, it has come from the device. Where it stays on devices, the
// host has not sent it there: beside a small answer that cannot be told from what ranks exchange.
static bool is_of_host(files *f, const kl_prepared *p, uint64_t sent, char *text,
                       size_t text_bytes) {
    enum { SMALL = 1 << 16 };
    uint64_t answer = 0;
    double came = f->end->call.value[SIM_SPAN_BYTES_TO_DEVICE];
    for (int i = 0; i < p->shape.output_count; i++) answer += p->output_bytes[i];
    if (p->shape.resident)
        snprintf(text, text_bytes,
                 "%.0f bytes came from the host in the call, and the answer has %llu: it was not "
                 "made on devices",
                 came, (unsigned long long)answer);
    else
        snprintf(text, text_bytes,
                 "%llu bytes came from the device, and the answer has %llu: it was not made there",
                 (unsigned long long)sent, (unsigned long long)answer);
    if (!p->shape.resident) return sent < answer;
    return answer > SMALL && came >= (double)(answer / 2);
}

// What the call's copies, waits and graphs come to.
static bool take_spans(files *f) {
    sim_spans spans = {.count = 0};
    uint32_t first = 0;
    bool taken = sim_spans_get(f->engine, &spans, &first, NULL) == SIM_OK &&
                 sim_spans_totals(&spans, first, &f->end->call, NULL) == SIM_OK;
    sim_spans_free(&spans);
    return taken || program_lost(f);
}

// A program's kernels must have been launched, and the answer is theirs.
static bool look_at_program(files *f, const kl_prepared *p, uint32_t before) {
    uint64_t sent = 0, moves = 0, moved_bytes = 0;
    uint32_t count = 0;
    char text[160];
    if (sim_launch_count(f->engine, &count, NULL) != SIM_OK ||
        sim_call_end(f->engine, &sent, &moves, &moved_bytes, NULL) != SIM_OK)
        return program_lost(f);
    f->end->launches = count - f->end->first_launch;
    if (count == before && ladder_defence_on(LADDER_DEFENCE_LAUNCH_COUNTED)) {
        ladder_case_end_with(f->end, LADDER_NO_LAUNCH, false, "no kernel was launched");
        return false;
    }
    if (!take_spans(f)) return false;
    if (is_of_host(f, p, sent, text, sizeof text) && ladder_defence_on(LADDER_DEFENCE_WRITERS) &&
        f->doubt->outcome == LADDER_CORRECT)
        ladder_case_end_with(f->doubt, LADDER_NOT_COMPUTED, false, text);
    // what stays on devices is brought back from there
    return !p->shape.resident || sim_call_begin(f->engine, 0, NULL) == SIM_OK || program_lost(f);
}

// One call, of a program under the ceiling of its case.
static bool go_files(files *f, int call, const kl_prepared *p) {
    ladder_runner_request request = {
        .kind = LADDER_RUNNER_GO, .first_slot = (uint32_t)call, .calls = 1};
    uint64_t most = f->attempt->run->plan->any_work ? 0 : (uint64_t)f->attempt->ceiling;
    uint32_t before = 0;
    if (!f->engine) return ladder_attempt_ask(f->attempt, &request, NULL, 0, f->end);
    if (sim_launch_count(f->engine, &before, NULL) != SIM_OK ||
        sim_call_begin(f->engine, most, NULL) != SIM_OK)
        return program_lost(f);
    if (call == 0)
        f->end->first_launch = before; // the preparation's are no part of what is counted
    return ladder_attempt_ask(f->attempt, &request, NULL, 0, f->end) &&
           look_at_program(f, p, before);
}

// Calls the step, takes its output, and then its inputs.
static bool call_files(files *f, int call, unsigned char *output) {
    const kl_prepared *p = ladder_case_data(f->item, call);
    const char *changed = NULL;
    kl_error err = {KL_OK, ""};
    char text[160];
    if (!go_files(f, call, p)) return false;
    ladder_runner_request request = {.kind = LADDER_RUNNER_FETCH,
                                     .calls = (uint32_t)call + 1,
                                     .chosen_count = 1,
                                     .chosen = {(uint32_t)call}};
    if (!ladder_attempt_ask(f->attempt, &request, NULL, 0, f->end)) return false;
    memcpy(output, f->mapped,
           p->outputs_span); // from here on the runner can change nothing that is judged
    kl_status status = ladder_inputs_kept(&f->attempt->session, &p, 1, f->mapped,
                                          f->attempt->run->plan->case_s, &changed, &err);
    if (status != KL_OK) {
        f->end->ours = status == KL_ERROR_SYSTEM;
        ladder_case_end_with(f->end, f->end->ours ? LADDER_UNGRADABLE : LADDER_CRASHED, true,
                             err.text);
        return false;
    }
    snprintf(text, sizeof text, KL_INPUT_CHANGED("call"), changed ? changed : "");
    if (changed && f->doubt->outcome == LADDER_CORRECT)
        ladder_case_end_with(f->doubt, LADDER_INPUT_CHANGED, false, text);
    return true;
}

bool ladder_calls_by_runner(ladder_attempt *attempt, const ladder_case *item, int calls,
                            unsigned char *outputs, ladder_case_end *end,
                            ladder_case_end *out_doubt) {
    files f = {.attempt = attempt, .item = item, .calls = calls, .end = end, .doubt = out_doubt};
    if (item->data.shape.program) {
        f.engine = attempt->session.control;
        attempt->shape = &item->data.shape;
        attempt->ceiling = kl_instruction_ceiling(attempt->run->plan->lab->problem,
                                                  attempt->run->step->step, attempt->shape, false);
    }
    uint64_t file_bytes = ladder_runner_file_bytes(&item->data, calls);
    kl_error err = {KL_OK, ""};
    if (ladder_memory_file(file_bytes, KL_POISON, &f.outputs_fd, &f.mapped, &err) != KL_OK) {
        ladder_case_end_with(end, LADDER_UNGRADABLE, true, err.text);
        end->ours = true;
        return false;
    }
    bool ran = true;
    for (int call = 0; ran && call < calls; call++) {
        bool other = call == 0 || ladder_case_data(item, call) != ladder_case_data(item, call - 1);
        ran = (!other || set_up_files(&f, call)) &&
              call_files(&f, call, outputs + item->data.outputs_span * (uint64_t)call);
    }
    munmap(f.mapped, file_bytes > 0 ? file_bytes : 1);
    close(f.outputs_fd);
    return ran;
}
