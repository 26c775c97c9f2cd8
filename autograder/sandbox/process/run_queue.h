// SPDX-License-Identifier: MIT
// How long the threads of a job were ready to run but got no processor, because the machine was
// busy with others: /proc/PID/task/TID/schedstat of Linux (Documentation/scheduler/sched-
// stats.rst). The limit of an answer is extended by that time, so that a loaded machine fails no
// right step. What sleeps, is stopped or computes on a quiet machine waits for no processor and
// gains nothing.
#ifndef LADDER_PROCESS_RUN_QUEUE_H
#define LADDER_PROCESS_RUN_QUEUE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    LADDER_RUN_QUEUE_THREADS = 512, // watched at most
    LADDER_RUN_QUEUE_EXTENSION = 10 // the clock goes on for at most so many times the limit
};

// A process whose threads are watched, and those of all its descendants.
typedef struct ladder_run_queue_root {
    pid_t pid;      // 0 or less: none
    bool sandboxed; // it is bubblewrap: it and its child, ladder-sandbox, are not the job's
} ladder_run_queue_root;

// What one thread had at the last look, since its start.
typedef struct ladder_run_queue_thread {
    pid_t id;                   // of the thread
    uint64_t ran_ns, waited_ns; // on a processor; ready, but without one
} ladder_run_queue_thread;

// Sums since the first look. Begins as zeros.
typedef struct ladder_run_queue {
    ladder_run_queue_thread threads[LADDER_RUN_QUEUE_THREADS]; // [count], of the last look
    int count;                                                 // of threads
    bool looked;                                               // at least once
    double ran_s;        // processor time of all threads together
    double waited_s;     // between two looks the longest wait of any thread; all of these added up
    double all_waited_s; // of all threads together
} ladder_run_queue;

// Reads the text of a schedstat file: "RAN_NS WAITED_NS SLICES". False: it is none.
bool ladder_run_queue_parse(const char *text, uint64_t *out_ran_ns, uint64_t *out_waited_ns);

// Takes in what the threads had since the last look; the first look only notes where they stand.
// proc: the folder of processes, "/proc". What cannot be read is taken as never having waited.
void ladder_run_queue_look(ladder_run_queue *queue, const char *proc,
                           const ladder_run_queue_root *roots, int count);

// The type of ladder_run_queue_look.
typedef void ladder_run_queue_look_at(ladder_run_queue *queue, const char *proc,
                                      const ladder_run_queue_root *roots, int count);

// The limit on the clock, in seconds, of an answer that has been waited for `took_s`: limit_s, and
// the time without a processor, but never more than LADDER_RUN_QUEUE_EXTENSION times limit_s. A job
// that used nearly all `cores` for limit_s has had its time: its threads waited for each other.
// What a job slept is taken off its extension, and one that slept for most of the time gains
// nothing.
double ladder_run_queue_limit_s(const ladder_run_queue *queue, double limit_s, double took_s,
                                long cores);

// After `took_s`: the extension has reached its cap, and the job got less processor time than its
// limit: this says nothing about the step.
bool ladder_run_queue_starved(const ladder_run_queue *queue, double limit_s, double took_s);

#endif
