// What Linux says of this machine and of processes: whether it can grade, how fast it is, how much
// memory they use, how long they waited for a processor.
#pragma once

#include "error.h"
#include <sys/types.h>

// ---- the machine itself -------------------------------------------------------------------------
// Whether the machine itself can grade: asked when something broke off, to tell whose fault it is.
// A limit of time is stated for a machine of usual speed. On a slower one it is longer by a
// measured factor, and what reaches it there is not graded.

// KL_OK, or KL_ERROR_SYSTEM with what is missing: room for files in the folder, memory, a process.
kl_status ladder_machine_fit(const char *folder, kl_error *err);

// How many times as much processor time the same work takes here as on a machine of usual speed: 1,
// or a power of two. Limits of time are multiplied by it. Takes some milliseconds.
double ladder_machine_slowness(void);
// Whether a limit of time that was reached says nothing of the submission: the machine was slow
// when the grading began (slowness: measured then; 0: not measured, usual speed) or is slow now.
bool ladder_machine_too_slow(double slowness);
// The factor of limits for what was measured then: at least 1.
double ladder_machine_factor(double slowness);

// ---- /proc --------------------------------------------------------------------------------------
// What Linux tells of processes: proc(5).

enum { LADDER_PROC_TEXT = 8192 }; // that is read of a file

// Reads a file of /proc, path relative to a folder's descriptor (AT_FDCWD: or absolute), as far as
// there is room: bytes > 0, with the '\0'. False: the process is gone, or the file is empty.
bool ladder_proc_read(int folder, const char *path, char *text, size_t bytes);

// A thread of a process: its folder is `thread`, a number, in the folder `task`.
typedef void ladder_proc_thread(void *context, int task, const char *thread);

// A child of a thread.
typedef void ladder_proc_child(void *context, pid_t child);

// ---- memory -------------------------------------------------------------------------------------
// The memory that all descendants of this process hold together: proc(5). Where no control group
// keeps the limit of a submission, the judge adds up what its processes use: compiler, runner, and
// the engine, in which the memory of the device lies.

// Bytes of their own memory and of what they share; none that are read from files. Pages that
// several of them hold count once for each, which is quick to say and never too little.
uint64_t ladder_memory_of_descendants(void);
// The same, where each page counts once; takes the kernel some milliseconds per GiB. Where it may
// not be asked, as above.
uint64_t ladder_memory_of_descendants_exactly(void);

// Memory that this machine has for this process and all that it starts: its own, or the limit of a
// control group where that is less (a container, a job of a cluster). 0: not known.
uint64_t ladder_memory_of_machine(void);

// How long to wait, in seconds, before the next look: memory that is `left` is not filled sooner.
double ladder_memory_look_s(uint64_t left);

// ---- machine.c ----------------------------------------------------------------------------------
// How long the threads of a job were ready to run but got no processor, because the machine was
// busy with others: /proc/PID/task/TID/schedstat of Linux (Documentation/scheduler/sched-
// stats.rst). The limit of an answer is extended by that time, so that a loaded machine fails no
// right step. What sleeps, is stopped or computes on a quiet machine waits for no processor and
// gains nothing.

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
