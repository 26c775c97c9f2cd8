// Work that runs at the same time as the caller: pieces on threads, a function in a forked child,
// and the checker of the simulator in another process.
#pragma once

#include "outcome.h"
#include "records.h"
#include "table.h"

// ---- on threads ---------------------------------------------------------------------------------
// Independent pieces of host work on the processor's cores: inputs of large cases, comparisons of
// large outputs. Where the system gives no threads, the caller does all of it.

enum { KL_PARALLEL_MOST = 16 }; // threads, the caller included

// Piece `index` of the work; several run at once.
typedef void kl_piece(void *context, int index);

// How many threads kl_parallel takes: the cores there are, 1 to KL_PARALLEL_MOST.
int kl_parallel_threads(void);

// Calls piece(context, i) once for each i in 0 .. count - 1, in ascending order of starts, and
// returns when all have returned. Its threads have ended then: a process may fork afterwards.
void kl_parallel(int count, kl_piece *piece, void *context);

// ---- in a forked child --------------------------------------------------------------------------
// Runs a function in a forked child and receives fixed-size records from it, so that a crash, an
// endless loop or a sticky device error of one step cannot take the others along. The parent must
// not have used CUDA before: a forked child cannot use its parent's device context. This is
// protection from accidents, not from attacks; the graded path has its own sandbox.

// Runs in the child. Sends records with kl_isolate_send(fd, ...).
typedef void kl_isolated(void *context, int fd);
// Runs in the parent for each record, in order.
typedef void kl_on_record(void *context, const void *record);

// How the child ended.
typedef struct kl_isolate_end {
    bool timed_out;         // sent nothing for `quiet_limit_s` and was killed
    int signal;             // the signal that ended the child, or 0
    int exit_code;          // the child's exit status when signal is 0
    ladder_outcome outcome; // what an end before its last record means of the step that it ran
    char text[96];          // how it ended badly; "": it ended well
} kl_isolate_end;

enum { KL_RECORD_MAX = 4096 }; // PIPE_BUF: a write of at most this many bytes is atomic

// Sends one record of `bytes` <= KL_RECORD_MAX; false when the parent has gone.
bool kl_isolate_send(int fd, const void *record, size_t bytes);

// quiet_limit_s: longest silence between two records, in seconds; <= 0 for no limit.
kl_status kl_isolate(kl_isolated *body, void *body_context, size_t record_bytes,
                     double quiet_limit_s, kl_on_record *on_record, void *record_context,
                     kl_isolate_end *out_end, kl_error *err);

// ---- side_check.c -------------------------------------------------------------------------------
// `ladder run` has the simulator's checker look at the steps while the lab's program runs them:
// what it found comes in records over a socket (records.h), and is part of the step's row.

enum { KL_SIDE_CHECKS = 32 };

// What was found in one step. findings < 0: nothing was checked, and `text` says why.
typedef struct kl_side_check {
    int step;     // its number
    int findings; // how many the checker reported
    // Of the first finding: "race at 2_strided.cu:37", a line end, and why; with no findings, of
    // the first warning, or "".
    char text[KL_RECORD_FINDING];
    bool wrong, faulted; // the run found a wrong result, met a kernel's fault; set by who collects
} kl_side_check;

// All records of a run.
typedef struct kl_side_checks {
    kl_side_check steps[KL_SIDE_CHECKS]; // [count], in the order in which they came
    int count;                           // steps of which there is a record
} kl_side_checks;

// Whether a finding, "race" or "race at 2_strided.cu:37", is no fault by itself, but may be the
// cause of one.
bool kl_may_cause_fault(const char *finding);
// Asks for a check of a step, which begins when those asked for before are done.
void kl_side_check_ask(int fd, int step);
// At the checker's end: the next step asked for; false when there will be no more.
bool kl_side_check_next(int fd, int *out_step);
// No more steps will be asked for: waits for the records until the other end closes the socket, or
// `limit_s` seconds.
void kl_side_check_collect(int fd, double limit_s, kl_side_checks *out_checks);
// "check: steps 0 to 8 clean", or a line for each step with findings and the command that
// shows them. Nothing when no step was checked.
void kl_side_check_print(const kl_side_checks *checks, const char *lab, bool solution,
                         const kl_style *style, FILE *out);
