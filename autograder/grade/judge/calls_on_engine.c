// The calls of a case on memory that the judge has made in the engine: see internal.h. Between two
// calls the engine answers the judge alone; what it reads then is what is judged, and nothing that
// the program does later changes it: not from another thread, not from a stream, not in a handler
// at its end.
#include "grade/judge/judge.h"
#include "utilities/defence.h"
#include "random.h"

enum {
    GAP_UNITS = 64, // a gap has less than this many units of SIM_ALLOCATION_ALIGN bytes
    COMPARED_BYTES = 1 << 20,
    PRINTED_MAX = 64 << 10, // of what kernels print, for people
    HOST_SECONDS = 5        // of host code between its launches: a call has none to speak of
};

typedef struct engine_calls {
    ladder_attempt *attempt;
    sim_engine *engine;
    const ladder_case *item; // the buffers have the shape of its data
    int slots;               // of outputs
    // Addresses of the allocations; 0: none. An input's offset lies before its data.
    uint64_t inputs[KL_MAX_BUFFERS], outputs[LADDER_RUNNER_GIVEN][KL_MAX_BUFFERS];
    uint32_t launches; // that the engine has counted so far
    ladder_case_end *end, *doubt;
    kl_error err;
} engine_calls;

// ---- the buffers --------------------------------------------------------------------------------
// Made, filled, looked after and read by the judge over its own connection. The program gets their
// addresses, may not free them, and is not answered by the engine while the judge looks
// (engine/engine.h, sim_call_end).

static sim_status poison_outputs(engine_calls *d, int slot) {
    for (int i = 0; i < d->item->data.shape.output_count; i++) {
        uint64_t bytes = d->item->data.output_bytes[i], address = d->outputs[slot][i];
        if (bytes == 0) continue;
        TRY(sim_memory_fill(d->engine, address, KL_POISON, 1, bytes, &d->err));
        TRY(sim_given_renew(d->engine, address, bytes, &d->err));
    }
    return SIM_OK;
}

// One buffer, behind a gap that is free again at once: the engine gives ever higher addresses.
static sim_status make_buffer(engine_calls *d, uint64_t bytes, uint64_t places, int number,
                              uint64_t *out_address) {
    uint64_t gap = 0;
    if (bytes == 0) return SIM_OK;
    if (places != 0) {
        uint64_t units = 1 + kl_random_below(places, (uint64_t)number, GAP_UNITS);
        TRY(sim_given_alloc(d->engine, units * SIM_ALLOCATION_ALIGN, &gap, &d->err));
    }
    sim_status status = sim_given_alloc(d->engine, bytes, out_address, &d->err);
    if (places != 0) sim_given_free(d->engine, gap, NULL);
    return status;
}

// Memory for the case, and poison in its outputs. places: the seed of random gaps between the
// buffers; 0: none, so that counts are those of every other time. Freed by free_buffers, also after
// a failure.
static sim_status make_buffers(engine_calls *d, int slots, uint64_t places) {
    const kl_prepared *data = &d->item->data;
    const kl_case *shape = &data->shape;
    d->slots = slots;
    for (int i = 0; i < shape->input_count; i++) {
        uint64_t bytes = data->input_bytes[i];
        if (bytes > 0) bytes += shape->inputs[i].offset_bytes;
        TRY(make_buffer(d, bytes, places, i, &d->inputs[i]));
    }
    for (int s = 0; s < slots; s++) {
        for (int i = 0; i < shape->output_count; i++)
            TRY(make_buffer(d, data->output_bytes[i], places, (s + 1) * KL_MAX_BUFFERS + i,
                            &d->outputs[s][i]));
        TRY(poison_outputs(d, s));
    }
    return SIM_OK;
}

static void free_buffers(const engine_calls *d) {
    for (int i = 0; i < KL_MAX_BUFFERS; i++) {
        if (d->inputs[i] != 0) sim_given_free(d->engine, d->inputs[i], NULL);
        for (int s = 0; s < d->slots; s++)
            if (d->outputs[s][i] != 0) sim_given_free(d->engine, d->outputs[s][i], NULL);
    }
}

static uint64_t input_address(const engine_calls *d, int input) {
    return d->inputs[input] + d->item->data.shape.inputs[input].offset_bytes;
}

// Puts inputs first to end - 1 of these data there.
static sim_status put_inputs(engine_calls *d, const kl_prepared *data, int first, int end) {
    for (int i = first; i < end; i++) {
        uint64_t bytes = data->input_bytes[i], address = input_address(d, i);
        if (bytes == 0) continue;
        TRY(sim_memory_write(d->engine, address, data->inputs[i], bytes, &d->err));
        TRY(sim_given_renew(d->engine, address, bytes, &d->err));
    }
    return SIM_OK;
}

// Outputs of one slot, laid out as sandbox/process/runner_protocol.h says.
static sim_status fetch_outputs(engine_calls *d, int slot, unsigned char *bytes) {
    const kl_prepared *data = &d->item->data;
    for (int i = 0; i < data->shape.output_count; i++)
        TRY(sim_memory_read(d->engine, bytes + data->output_at[i], d->outputs[slot][i],
                            data->output_bytes[i], &d->err));
    return SIM_OK;
}

// Bytes of an answer by who wrote them last (sim_writers_get), of all its buffers.
typedef struct writers {
    uint64_t nobody, fill, host, earlier, kernel;
} writers;

static sim_status add_writers(engine_calls *d, uint64_t address, uint64_t bytes, writers *sum) {
    writers w;
    if (bytes == 0) return SIM_OK;
    TRY(sim_writers_get(d->engine, address, bytes, &w.nobody, &w.fill, &w.host, &w.earlier,
                        &w.kernel, &d->err));
    sum->nobody += w.nobody;
    sum->fill += w.fill;
    sum->host += w.host;
    sum->earlier += w.earlier;
    sum->kernel += w.kernel;
    return SIM_OK;
}

static sim_status writers_of_outputs(engine_calls *d, int slot, writers *out_writers) {
    *out_writers = (writers){.nobody = 0};
    for (int i = 0; i < d->item->data.shape.output_count; i++)
        TRY(add_writers(d, d->outputs[slot][i], d->item->data.output_bytes[i], out_writers));
    return SIM_OK;
}

// Reads a part of an input again.
static sim_status is_same(engine_calls *d, uint64_t address, const unsigned char *wanted,
                          uint64_t bytes, unsigned char *buffer, bool *out_same) {
    *out_same = true;
    for (uint64_t at = 0; at < bytes && *out_same; at += COMPARED_BYTES) {
        uint64_t part = bytes - at < COMPARED_BYTES ? bytes - at : COMPARED_BYTES;
        TRY(sim_memory_read(d->engine, buffer, address + at, part, &d->err));
        *out_same = memcmp(buffer, wanted + at, part) == 0;
    }
    return SIM_OK;
}

// Which input is not what these data say, or -1. Only what was written to is read again.
static sim_status changed_input(engine_calls *d, const kl_prepared *data, int *out_input) {
    *out_input = -1;
    unsigned char *buffer = malloc(COMPARED_BYTES);
    sim_status status = buffer ? SIM_OK : sim_fail(&d->err, SIM_OUT_OF_MEMORY, "no memory");
    for (int i = 0; i < data->shape.input_count && status == SIM_OK && *out_input < 0; i++) {
        uint64_t bytes = data->input_bytes[i], address = input_address(d, i);
        writers w = {.nobody = 0};
        bool same = true;
        status = add_writers(d, address, bytes, &w);
        if (status == SIM_OK && w.nobody < bytes)
            status = is_same(d, address, data->inputs[i], bytes, buffer, &same);
        if (!same) *out_input = i;
    }
    free(buffer);
    return status;
}

// ---- the calls ----------------------------------------------------------------------------------

static bool has_work(const engine_calls *d) { // an n x 0 matrix has a size, no work
    return d->item->data.shape.size > 0 && d->item->data.shape.work_bytes > 0;
}

// The engine does not answer, or refuses.
static bool lost(engine_calls *d) {
    if (!ladder_attempt_engine_lost(d->attempt, d->end))
        ladder_case_end_with(d->end, LADDER_UNGRADABLE, true,
                             d->err.text[0] != '\0' ? d->err.text
                                                    : "the simulator does not answer");
    return false;
}

static bool engine_ok(engine_calls *d, sim_status status) { return status == SIM_OK || lost(d); }

static void doubt(engine_calls *d, ladder_outcome outcome, const char *text) {
    if (d->doubt->outcome == LADDER_CORRECT) ladder_case_end_with(d->doubt, outcome, false, text);
}

// What kernels have printed is for people; the program could read its input in it.
static bool keep_printed(engine_calls *d) {
    ladder_attempt *attempt = d->attempt;
    char *text = NULL;
    if (!engine_ok(d, sim_take_output(d->engine, &text, &d->err))) return false;
    size_t bytes = strlen(text), available = PRINTED_MAX - attempt->printed_bytes;
    if (bytes > available) bytes = available;
    char *grown = bytes > 0 ? realloc(attempt->printed, attempt->printed_bytes + bytes + 1) : NULL;
    if (grown) {
        memcpy(grown + attempt->printed_bytes, text, bytes);
        attempt->printed = grown;
        attempt->printed_bytes += bytes;
        grown[attempt->printed_bytes] = '\0';
    }
    free(text);
    return true;
}

// What a request did beside launching.
typedef struct done {
    uint64_t sent;               // bytes that went to the host
    uint64_t moves, moved_bytes; // fills and copies on the device
} done;

// From here on the engine answers the judge alone.
static bool hold(engine_calls *d, done *out) {
    return engine_ok(d,
                     sim_call_end(d->engine, &out->sent, &out->moves, &out->moved_bytes, &d->err));
}

// Lets the program work on one request, and holds it again.
static bool run(engine_calls *d, const ladder_runner_request *request, done *out) {
    uint64_t most = d->attempt->run->plan->any_work ? 0 : (uint64_t)d->attempt->ceiling;
    return engine_ok(d, sim_call_begin(d->engine, most, &d->err)) &&
           ladder_attempt_ask(d->attempt, request, NULL, 0, d->end) && hold(d, out) &&
           keep_printed(d);
}

// Makes memory, and hands it over with what a preparation may see; the rest comes after it.
static bool set_up(engine_calls *d, const kl_prepared *data, int slots, bool again) {
    uint64_t places = d->attempt->places;
    done before;
    int seen = ladder_defence_on(LADDER_DEFENCE_LATE_OPERAND) ? data->shape.prepare_inputs
                                                              : data->shape.input_count;
    if (!hold(d, &before)) return false;
    if (places != 0) places = kl_random_fork(places, data->shape.seed);
    if (!again && !engine_ok(d, make_buffers(d, slots, places))) return false;
    ladder_runner_request request =
        ladder_setup_request(&data, 1, d->attempt->run->plan->cases->workspace_bytes, slots, slots);
    request.given = 1;
    memcpy(request.given_inputs, d->inputs, sizeof d->inputs);
    memcpy(request.given_outputs, d->outputs, sizeof d->outputs);
    return engine_ok(d, put_inputs(d, data, 0, seen)) && run(d, &request, &before) &&
           engine_ok(d, put_inputs(d, data, seen, data->shape.input_count));
}

static void doubt_writers(engine_calls *d, const writers *w) {
    uint64_t all = w->nobody + w->fill + w->host + w->earlier + w->kernel;
    double plain_share = d->attempt->run->plan->lab->rubric->plain_share;
    char text[256];
    const char *what = NULL;
    uint64_t bytes = 0;
    if (w->host > 0) {
        what = "were copied from the host";
        bytes = w->host;
    } else if (w->earlier > 0) {
        what = "are copies of what kernels of an earlier call wrote";
        bytes = w->earlier;
    } else if ((double)(w->fill + w->nobody) > plain_share * (double)all) {
        what = "were filled, copied from an input or left as they were";
        bytes = w->fill + w->nobody;
    }
    if (!what) return;
    snprintf(text, sizeof text,
             "%llu of %llu bytes of the answer %s: no kernel of this call wrote them",
             (unsigned long long)bytes, (unsigned long long)all, what);
    doubt(d, LADDER_NOT_COMPUTED, text);
}

// Looks at what a call has left beside its outputs.
static bool look(engine_calls *d, const kl_prepared *data, int slot, uint64_t sent) {
    uint64_t most = d->attempt->run->plan->lab->rubric->read_back_bytes;
    char text[256];
    int changed = -1;
    if (sent > most && ladder_defence_on(LADDER_DEFENCE_HOST_BYTES)) {
        snprintf(text, sizeof text, "a call brought %llu bytes to the host; this lab allows %llu",
                 (unsigned long long)sent, (unsigned long long)most);
        doubt(d, LADDER_READ_BACK, text);
    }
    if (ladder_defence_on(LADDER_DEFENCE_INPUTS_KEPT) && !d->attempt->checking) {
        if (!engine_ok(d, changed_input(d, data, &changed))) return false;
        if (changed >= 0) {
            snprintf(text, sizeof text, KL_INPUT_CHANGED("call"), data->shape.inputs[changed].name);
            doubt(d, LADDER_INPUT_CHANGED, text);
        }
    }
    if (!ladder_defence_on(LADDER_DEFENCE_WRITERS) || d->attempt->checking || !has_work(d))
        return true;
    writers w;
    if (!engine_ok(d, writers_of_outputs(d, slot, &w))) return false;
    doubt_writers(d, &w);
    return true;
}

// Each call that has work must launch a kernel.
static bool count_launches(engine_calls *d) {
    uint32_t count = 0;
    if (!engine_ok(d, sim_launch_count(d->engine, &count, &d->err))) return false;
    bool some = count > d->launches;
    d->launches = count;
    d->end->launches = count - d->end->first_launch;
    if (some || !has_work(d) || !ladder_defence_on(LADDER_DEFENCE_LAUNCH_COUNTED)) return true;
    ladder_case_end_with(d->end, LADDER_NO_LAUNCH, false, "no kernel was launched");
    return false;
}

// From here on the engine notes which threads write to the output that is asked for.
static bool watch(engine_calls *d, const kl_prepared *data, int number) {
    ladder_attempt *attempt = d->attempt;
    uint64_t from = attempt->watched_from;
    if (attempt->watched < 0) return true;
    attempt->watched_at = d->outputs[number][attempt->watched];
    return engine_ok(d, sim_writes_watch(d->engine, attempt->watched_at + from,
                                         data->output_bytes[attempt->watched] - from, &d->err));
}

static bool call(engine_calls *d, int number, unsigned char *output) {
    const kl_prepared *data = ladder_case_data(d->item, number);
    done did;
    ladder_runner_request request = {
        .kind = LADDER_RUNNER_GO, .first_slot = (uint32_t)number, .calls = 1};
    if (data == &d->item->fresh && !set_up(d, data, d->slots, true)) return false;
    if (ladder_defence_on(LADDER_DEFENCE_POISON) && !engine_ok(d, poison_outputs(d, number)))
        return false;
    if (d->attempt->keeps && !watch(d, data, number)) return false;
    if (!run(d, &request, &did) || !count_launches(d) || !look(d, data, number, did.sent))
        return false;
    d->end->moves += did.moves;
    d->end->moved_bytes += did.moved_bytes;
    if (!ladder_defence_on(LADDER_DEFENCE_FROZEN)) return true;
    return engine_ok(d, fetch_outputs(d, number, output));
}

static bool run_calls(engine_calls *d, int calls, unsigned char *outputs) {
    const kl_prepared *p = &d->item->data;
    if (!engine_ok(d, sim_launch_count(d->engine, &d->end->first_launch, &d->err)) ||
        !set_up(d, p, calls, false) ||
        !engine_ok(d, sim_launch_count(d->engine, &d->end->first_launch, &d->err)))
        return false;
    d->launches = d->end->first_launch;
    for (int i = 0; i < calls; i++)
        if (!call(d, i, outputs + p->outputs_span * (uint64_t)i)) return false;
    for (int i = 0; i < calls && !ladder_defence_on(LADDER_DEFENCE_FROZEN); i++)
        if (!engine_ok(d, fetch_outputs(d, i, outputs + p->outputs_span * (uint64_t)i)))
            return false;
    return true;
}

bool ladder_calls_on_engine(ladder_attempt *attempt, const ladder_case *item, int calls,
                            unsigned char *outputs, ladder_case_end *end,
                            ladder_case_end *out_doubt) {
    engine_calls d = {.attempt = attempt,
                      .engine = attempt->session.control,
                      .item = item,
                      .end = end,
                      .doubt = out_doubt};
    const ladder_submission_run *run = attempt->run;
    attempt->shape = &item->data.shape;
    attempt->ceiling =
        kl_instruction_ceiling(run->plan->lab->problem, run->step->step, &item->data.shape, false);
    attempt->session.own_s = HOST_SECONDS * ladder_machine_factor(run->plan->slowness);
    bool ran = run_calls(&d, calls, outputs);
    attempt->session.own_s = 0;
    if (!end->dead) free_buffers(&d);
    return ran;
}
