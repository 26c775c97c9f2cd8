// Child processes under limits: own session, closed descriptors, given environment, resource
// limits, a deadline on the clock, output that is read while it is written and bounded, and an end
// that takes the whole process tree along, daemons included. The children run code that nobody has
// looked at: nothing that they print, return or leave behind may be trusted, and none of it may
// block the caller.
#pragma once

#include "sandbox/isolation/isolation.h"
#include "this_machine.h"
#include <sys/types.h>

// ---- process.c ----------------------------------------------------------------------------------

// Limits of a process and of what it starts.
typedef struct ladder_limits {
    double wall_s;  // deadline; 0: none
    uint64_t cpu_s; // RLIMIT_CPU, each process; 0: none
    // RLIMIT_DATA, each process; 0: none. (RLIMIT_AS would forbid the large address ranges that a
    // CUDA driver and the simulator's runtime reserve.)
    uint64_t data_bytes;
    uint64_t file_bytes;   // RLIMIT_FSIZE; 0: none
    uint64_t output_bytes; // standard output and error together; more ends the process. 0: 1 MiB
    uint64_t processes;    // RLIMIT_NPROC, of the user (no effect for root); 0: none
    // Of all processes of the caller together, as long as it waits for this one first; 0: none
    uint64_t memory_bytes;
} ladder_limits;

// What is started.
typedef struct ladder_process_spec {
    const char *const *argv;        // argv[0] is the path of the program
    const char *const *environment; // the whole environment
    const char *folder;             // working folder; NULL: unchanged
    const int *descriptors;         // become 3, 4, .. in the child; every other one is closed
    int descriptor_count;           // of descriptors
    const int
        *join; // descriptors of control groups (sandbox/isolation/isolation.h) that the child joins
    int join_count; // of join
    // In the sandbox: a group that keeps the memory of several processes; NULL: one of its own
    const ladder_group *within;
    bool foreground;  // a trusted program: stays in the caller's session, writes to its output
    bool apart;       // in the foreground: in a process group of its own, without standard input
    bool sees_to_end; // it ends by its own means when the caller dies: no signal is asked for
    ladder_limits limits; // of it and of what it starts
} ladder_process_spec;

// How it ended.
typedef enum ladder_end {
    LADDER_END_RUNNING,
    LADDER_END_EXITED,          // code: exit status
    LADDER_END_SIGNALLED,       // code: signal
    LADDER_END_OUT_OF_TIME,     // killed at its deadline
    LADDER_END_TOO_MUCH_OUTPUT, // killed for it
    LADDER_END_TOO_MUCH_MEMORY
} ladder_end;

// A process that was started.
typedef struct ladder_process {
    pid_t pid;                // its id
    int exit_handle;          // pidfd, or -1 on kernels that have none
    int output_fd;            // -1 once closed
    ladder_limits limits;     // as given
    double started_s, wall_s; // on kl_now_s, and from then on
    double look_s;            // on kl_now_s: when to look at its memory again
    double cpu_s;   // once it has ended: its processor time and that of the children it waited for
    ladder_end end; // how it ended
    int code;       // exit status or signal
    char *output; // what it printed, up to the limit; always terminated; may hold NUL bytes before
    size_t output_bytes;          // of output
    ladder_inside_shared *inside; // in the sandbox: what its first process reports; else NULL
    ladder_group group;           // in the sandbox: its control group, if any
    int life_fd;                  // in the sandbox: the job ends when this is closed; else -1
} ladder_process;

// KL_ERROR_SYSTEM when the program cannot be started. End with ladder_process_finish in any case.
kl_status ladder_process_start(const ladder_process_spec *spec, ladder_process *out_process,
                               kl_error *err);

// Reads the output of all until processes[0] has ended, by itself or for breaking a limit. Limits
// of the others are kept too.
void ladder_process_wait(ladder_process *const *processes, int count);

// The same, but returns true as soon as `fd` can be read, and false at the latest at the time
// `until_s` (of kl_now_s).
bool ladder_process_wait_readable(ladder_process *const *processes, int count, int fd,
                                  double until_s);

// While the caller waits for its children it adds to *pulse: what shares that memory sees that
// the caller is not stuck. NULL: no more.
void ladder_process_pulse(volatile uint32_t *pulse);
// Waits for some milliseconds, and adds to it.
void ladder_process_rest(void);

// Kills every descendant of the caller but those in `keep`, and waits until they are gone (at most
// `patience_s`). Returns how many were killed. The caller must be the only one who starts children.
int ladder_process_kill_descendants(const pid_t *keep, int keep_count, double patience_s);

// Kills what is left of it, takes the rest of its output, closes its descriptors. Keeps `output`.
void ladder_process_finish(ladder_process *process);
// The same, and kills every descendant of the caller but `spared`; NULL: all of them.
void ladder_process_end(ladder_process *process, const ladder_process *spared);
void ladder_process_free(ladder_process *process);

// Start, wait, kill the whole tree, finish. *out_process is valid (and to be freed) on KL_OK.
kl_status ladder_process_run(const ladder_process_spec *spec, ladder_process *out_process,
                             kl_error *err);

// "ended with status 3", "crashed: Segmentation fault (signal 11)", "ran longer than 30 s", ..
char *ladder_process_describe(const ladder_process *process, char *text, size_t text_bytes);

// ---- sandbox.c ----------------------------------------------------------------------------------
// The one door through which untrusted processes start, and the honest name of the protection that
// stands behind it: the sandbox (sandbox/isolation/isolation.h) where it stands, else limits alone.

// The protection that is reached.
typedef enum ladder_sandbox_level {
    // own session, resource limits, no new privileges, tree killed at the end
    LADDER_SANDBOX_LIMITS,
    LADDER_SANDBOX_ISOLATED // the same in the sandbox
} ladder_sandbox_level;

// What is reached on this machine; tried once, by a program in the sandbox.
ladder_sandbox_level ladder_sandbox_find(void);

// The same, for reports.
typedef struct ladder_sandbox_words {
    const char *name; // "isolated", or "limits (NO SANDBOX)"
    char text[800];   // its layers, or what limits do not keep out; what keeps the limit of memory
} ladder_sandbox_words;

// memory_bytes: of a submission; gpu: steps run on a GPU.
void ladder_sandbox_describe(uint64_t memory_bytes, bool gpu, ladder_sandbox_words *out_words);

// The layers that stand, as bits (sandbox/isolation/protocol.h), and why there is no sandbox; ""
// where there is one.
uint32_t ladder_sandbox_layers(void);
const char *ladder_sandbox_problem(void);

// What cannot run in the sandbox takes it away: from now on the level is limits alone.
void ladder_sandbox_give_up(const char *problem);
// Tries whether a GPU's driver starts in the sandbox, and gives it up where it does not.
void ladder_sandbox_try_gpu(void);

// A control group for the memory of several processes together (ladder_process_spec.within). False,
// and count 0, where the sandbox has none: then the judge adds up (machine.c).
bool ladder_sandbox_group(uint64_t memory_bytes, ladder_group *out_group);

// As ladder_process_start, inside the sandbox. view: what the program may see in the sandbox.
kl_status ladder_sandbox_start(const ladder_process_spec *spec, const ladder_sandbox_view *view,
                               ladder_process *out_process, kl_error *err);
// As ladder_process_run, inside the sandbox. The view's outputs lie in its folder afterwards.
kl_status ladder_sandbox_run(const ladder_process_spec *spec, const ladder_sandbox_view *view,
                             ladder_process *out_process, kl_error *err);
