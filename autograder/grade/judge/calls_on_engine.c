// SPDX-License-Identifier: MIT
// The calls of a case on memory that the judge has made in the engine: see internal.h. Between two
// calls the engine answers the judge alone; what it reads then is what is judged, and nothing that
// the program does later changes it: not from another thread, not from a stream, not in a handler
// at its end.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade/judge/internal.h"
#include "sandbox/process/machine.h"
#include "utilities/defence.h"
#include "problem.h"
#include "utilities/text.h"
#include "random.h"

enum {
    PRINTED_MAX = 64 << 10, // of what kernels print, for people
    HOST_SECONDS = 5        // of host code between its launches: a call has none to speak of
};

typedef struct engine_calls {
    ladder_attempt *attempt;
    const ladder_case *item;
    ladder_case_buffers buffers;
    uint32_t launches; // that the engine has counted so far
    ladder_case_end *end, *doubt;
    kl_error err;
} engine_calls;

const kl_prepared *ladder_case_data(const ladder_case *item, int call) {
    bool fresh = call == 1 && item->has_fresh && ladder_defence_on(LADDER_DEFENCE_FRESH_DATA);
    return fresh ? &item->fresh : &item->data;
}

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

static bool engine_ok(engine_calls *d, sim_status status) {
    return status == SIM_OK || lost(d);
}

static void doubt(engine_calls *d, ladder_outcome outcome, const char *text) {
    if (d->doubt->outcome == LADDER_CORRECT) ladder_case_end_with(d->doubt, outcome, false, text);
}

// What kernels have printed is for people; the program could read its input in it.
static bool keep_printed(engine_calls *d) {
    ladder_attempt *attempt = d->attempt;
    char *text = NULL;
    if (!engine_ok(d, sim_take_output(attempt->session.control, &text, &d->err))) return false;
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
    sim_engine *control = d->attempt->session.control;
    return engine_ok(d, sim_call_end(control, &out->sent, &out->moves, &out->moved_bytes, &d->err));
}

// Lets the program work on one request, and holds it again.
static bool run(engine_calls *d, const ladder_runner_request *request, done *out) {
    sim_engine *control = d->attempt->session.control;
    uint64_t most = d->attempt->run->plan->any_work ? 0 : (uint64_t)d->attempt->ceiling;
    return engine_ok(d, sim_call_begin(control, most, &d->err)) &&
           ladder_attempt_ask(d->attempt, request, NULL, 0, d->end) && hold(d, out) &&
           keep_printed(d);
}

// Makes memory, and hands it over with what a preparation may see; the rest comes after it.
static bool set_up(engine_calls *d, const kl_prepared *data, int slots, bool again) {
    sim_engine *control = d->attempt->session.control;
    uint64_t places = d->attempt->places;
    done before;
    int seen = ladder_defence_on(LADDER_DEFENCE_LATE_OPERAND) ? data->shape.prepare_inputs
                                                              : data->shape.input_count;
    if (!hold(d, &before)) return false;
    if (places != 0) places = kl_random_fork(places, data->shape.seed);
    if (!again &&
        !engine_ok(d, ladder_buffers_make(control, data, slots, places, &d->buffers, &d->err)))
        return false;
    ladder_runner_request request =
        ladder_setup_request(&data, 1, d->attempt->run->plan->cases->workspace_bytes, slots, slots);
    ladder_buffers_tell(&d->buffers, &request);
    return engine_ok(d, ladder_buffers_put(&d->buffers, data, 0, seen, &d->err)) &&
           run(d, &request, &before) &&
           engine_ok(d,
                     ladder_buffers_put(&d->buffers, data, seen, data->shape.input_count, &d->err));
}

static void doubt_writers(engine_calls *d, const ladder_writers *w) {
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
        if (!engine_ok(d, ladder_buffers_changed(&d->buffers, data, &changed, &d->err)))
            return false;
        if (changed >= 0) {
            snprintf(text, sizeof text, KL_INPUT_CHANGED("call"), data->shape.inputs[changed].name);
            doubt(d, LADDER_INPUT_CHANGED, text);
        }
    }
    if (!ladder_defence_on(LADDER_DEFENCE_WRITERS) || d->attempt->checking || !has_work(d))
        return true;
    ladder_writers writers;
    if (!engine_ok(d, ladder_buffers_writers(&d->buffers, slot, &writers, &d->err))) return false;
    doubt_writers(d, &writers);
    return true;
}

// Each call that has work must launch a kernel.
static bool count_launches(engine_calls *d) {
    uint32_t count = 0;
    if (!engine_ok(d, sim_launch_count(d->attempt->session.control, &count, &d->err))) return false;
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
    attempt->watched_at = d->buffers.outputs[number][attempt->watched];
    return engine_ok(d, sim_writes_watch(attempt->session.control, attempt->watched_at + from,
                                         data->output_bytes[attempt->watched] - from, &d->err));
}

static bool call(engine_calls *d, int number, unsigned char *output) {
    const kl_prepared *data = ladder_case_data(d->item, number);
    done did;
    ladder_runner_request request = {
        .kind = LADDER_RUNNER_GO, .first_slot = (uint32_t)number, .calls = 1};
    if (data == &d->item->fresh && !set_up(d, data, d->buffers.slots, true)) return false;
    if (ladder_defence_on(LADDER_DEFENCE_POISON) &&
        !engine_ok(d, ladder_buffers_poison(&d->buffers, number, &d->err)))
        return false;
    if (d->attempt->keeps && !watch(d, data, number)) return false;
    if (!run(d, &request, &did) || !count_launches(d) || !look(d, data, number, did.sent))
        return false;
    d->end->moves += did.moves;
    d->end->moved_bytes += did.moved_bytes;
    if (!ladder_defence_on(LADDER_DEFENCE_FROZEN)) return true;
    return engine_ok(d, ladder_buffers_fetch(&d->buffers, number, output, &d->err));
}

static bool run_calls(engine_calls *d, int calls, unsigned char *outputs) {
    const kl_prepared *p = &d->item->data;
    uint64_t span = kl_case_span(p->output_bytes, p->shape.output_count);
    sim_engine *control = d->attempt->session.control;
    if (!engine_ok(d, sim_launch_count(control, &d->end->first_launch, &d->err)) ||
        !set_up(d, p, calls, false) ||
        !engine_ok(d, sim_launch_count(control, &d->end->first_launch, &d->err)))
        return false;
    d->launches = d->end->first_launch;
    for (int i = 0; i < calls; i++)
        if (!call(d, i, outputs + span * (uint64_t)i)) return false;
    for (int i = 0; i < calls && !ladder_defence_on(LADDER_DEFENCE_FROZEN); i++)
        if (!engine_ok(d,
                       ladder_buffers_fetch(&d->buffers, i, outputs + span * (uint64_t)i, &d->err)))
            return false;
    return true;
}

bool ladder_calls_on_engine(ladder_attempt *attempt, const ladder_case *item, int calls,
                            unsigned char *outputs, ladder_case_end *end,
                            ladder_case_end *out_doubt) {
    engine_calls d = {.attempt = attempt, .item = item, .end = end, .doubt = out_doubt};
    const ladder_submission_run *run = attempt->run;
    attempt->shape = &item->data.shape;
    attempt->ceiling =
        kl_instruction_ceiling(run->plan->lab->problem, run->step->step, &item->data.shape, false);
    attempt->session.own_s = HOST_SECONDS * ladder_machine_factor(run->plan->slowness);
    bool ran = run_calls(&d, calls, outputs);
    attempt->session.own_s = 0;
    if (d.buffers.engine && !end->dead) ladder_buffers_free(&d.buffers);
    return ran;
}
