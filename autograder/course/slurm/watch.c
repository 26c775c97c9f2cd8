// SPDX-License-Identifier: MIT
// Waiting for the tasks of an array job: see queue.h. Slurm is asked often at first and at last
// twice a minute, which a busy controller bears.
#include "course/slurm/queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "monotonic_clock.h"

enum { SILENCES_MAX = 40 };
static const double pause_least_s = 0.2, pause_most_s = 30;

static void pause_s(double seconds) {
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

static size_t count_kind(const ladder_slurm_state *states, size_t count, ladder_slurm_kind kind) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) found += ladder_slurm_kind_of(states[i]) == kind;
    return found;
}

kl_status ladder_slurm_wait(long long job, ladder_slurm_state *states, size_t count,
                            ladder_slurm_progress *progress, void *context, kl_error *err) {
    double started_s = kl_now_s();
    int silences = 0;
    for (;;) {
        bool answered = false;
        kl_error why = {KL_OK, ""};
        TRY(ladder_slurm_look(job, states, count, &answered, &why));
        if (answered) {
            size_t waiting = count_kind(states, count, LADDER_SLURM_KIND_WAITING);
            size_t running = count_kind(states, count, LADDER_SLURM_KIND_RUNNING);
            silences = 0;
            progress(context, waiting, running);
            if (waiting + running == 0) break;
        } else if (silences++ == 0) {
            fprintf(stderr, "ladder grade: Slurm does not answer; waiting for it: %s\n", why.text);
        } else if (silences > SILENCES_MAX) {
            return kl_fail(err, KL_ERROR_SYSTEM,
                           "%s. Job %lld may go on; the same command with --resume collects it",
                           why.text, job);
        }
        double pause = (kl_now_s() - started_s) / 8;
        pause_s(pause < pause_least_s  ? pause_least_s
                : pause > pause_most_s ? pause_most_s
                                       : pause);
    }
    ladder_slurm_ask_accounts(job, states, count);
    return KL_OK;
}

kl_status ladder_slurm_is_alive(long long job, size_t count, bool *out_alive, kl_error *err) {
    ladder_slurm_state *states = calloc(count, sizeof *states);
    bool answered = false;
    *out_alive = false;
    if (!states) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a job");
    kl_status status = ladder_slurm_look(job, states, count, &answered, err);
    if (status == KL_OK && !answered) status = err->status;
    for (size_t i = 0; i < count && status == KL_OK; i++)
        *out_alive = *out_alive || ladder_slurm_kind_of(states[i]) <= LADDER_SLURM_KIND_RUNNING;
    free(states);
    return status;
}
