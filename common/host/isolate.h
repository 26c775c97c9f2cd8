// SPDX-License-Identifier: MIT
// Runs a function in a forked child and receives fixed-size records from it, so that a crash, an
// endless loop or a sticky device error of one step cannot take the others along. The parent must
// not have used CUDA before: a forked child cannot use its parent's device context. This is
// protection from accidents, not from attacks; the graded path has its own sandbox.
#ifndef KL_ISOLATE_H
#define KL_ISOLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "outcome.h"

// Runs in the child. Sends records with kl_isolate_send(fd, ...).
typedef void kl_isolated(void *context, int fd);
// Runs in the parent for each record, in order.
typedef void kl_on_record(void *context, const void *record);

// How the child ended.
typedef struct kl_isolate_end {
    bool timed_out; // sent nothing for `quiet_limit_s` and was killed
    int signal;     // the signal that ended the child, or 0
    int exit_code;  // the child's exit status when signal is 0
} kl_isolate_end;

enum { KL_RECORD_MAX = 4096 }; // PIPE_BUF: a write of at most this many bytes is atomic

// Sends one record of `bytes` <= KL_RECORD_MAX; false when the parent has gone.
bool kl_isolate_send(int fd, const void *record, size_t bytes);

// quiet_limit_s: longest silence between two records, in seconds; <= 0 for no limit.
kl_status kl_isolate(kl_isolated *body, void *body_context, size_t record_bytes,
                     double quiet_limit_s, kl_on_record *on_record, void *record_context,
                     kl_isolate_end *out_end, kl_error *err);

// What a child's end before its last record means of the step that it ran.
ladder_outcome kl_isolate_outcome(const kl_isolate_end *end);
// Words on how the child ended badly, or "" when it ended well.
const char *kl_isolate_describe(const kl_isolate_end *end, double quiet_limit_s, char *text,
                                size_t text_bytes);

#endif
