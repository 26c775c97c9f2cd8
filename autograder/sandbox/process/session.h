// One session: an engine process and the program whose kernels run on it, each in a process of its
// own, tied together by sockets. The program is the runner of a graded step (with a socket to the
// judge) or any CUDA program (for `profile`). The judge keeps a control connection to the engine,
// over which it alone reads counters.
#pragma once

#include "engine/engine.h"
#include "sandbox/process/machine.h"
#include "sandbox/process/process.h"
#include "sandbox/process/runner_protocol.h"
#include "utilities/kit.h"

// The last wait for an answer that did not come in time.
typedef struct ladder_wait {
    double limit_s;  // as asked for
    double took_s;   // on the clock
    double ran_s;    // the job's processor time (machine.c)
    double waited_s; // its time without a processor
} ladder_wait;

// Answers that belong together, of one case, have one limit, with which each is asked: who sleeps a
// little in each of them is late as well.
typedef struct ladder_answers {
    bool one_limit;         // they do
    double took_s;          // those before, on the clock
    ladder_run_queue queue; // what the machine kept from these
} ladder_answers;

// The processes of a session, and the ways to them.
typedef struct ladder_session {
    ladder_process engine, program; // of the simulator; the runner or another program
    bool has_engine, has_program;   // they were started
    int program_fd;      // the program's end of the engine's connection, until it is started; -1
    int socket;          // judge's end of the runner's socket; -1
    int records;         // what the program reports, and of a crash at a device pointer its runtime
                         // (records.h); -1
    ladder_group group;  // of both, which keeps their memory; count 0: there is none
    sim_engine *control; // NULL on a GPU
    const sim_progress
        *progress;    // of the engine, while it runs; NULL: not asked for, or not to be had
    ladder_wait late; // of LADDER_LATE and LADDER_STARVED, and of an engine that is late
    double own_s;     // processor time of the program itself in one answer, beside an engine that
                      // does its work; 0: no such limit
    double answer_s;  // longest time, on a quiet machine, of an answer of the engine's to the judge
    ladder_run_queue queue; // of such an answer that is being waited for
    ladder_answers answers; // set by who asks for them: zeros begin anew
    bool debugged; // its engine is: Ctrl-C and standard input are the debugger's, not the program's
    bool engine_starved;            // one did not come because the machine was too busy
    ladder_run_queue_look_at *look; // at the processes; tests give another one
} ladder_session;

// How the engine is started.
typedef struct ladder_engine_options {
    uint64_t instructions;   // of a launch, in warp instructions; 0: the engine's own limit
    uint64_t memory_bytes;   // of the device; 0: the engine's own limit
    uint64_t together_bytes; // sandboxed: of engine and runner, kept by a group where there is one
    unsigned threads;        // 0: all cores
    const char *mode;        // of the engine; NULL: "count"
    const char *order;       // of blocks and warps (ladder-engine --order); NULL: "forward"
    const char *resident;    // blocks that run together (--resident); NULL: as the environment says
    uint32_t timelines;      // of how many launches to make one
    uint32_t codes;          // of how many launches to keep the code
    uint32_t maps;           // of how many launches of a kernel to record accesses
    uint64_t block_instructions; // of a block; 0: only the launch's limit
    uint64_t most_elements;      // that a lab's contract allows (sim_options); 0: not known
    bool progress;               // wanted: ladder_session.progress
    bool records;                // wanted: ladder_session.records, which are read after its end
    bool uncached;               // caches and times are not modelled, which is faster
    int devices;                 // that the program finds; 0: as the environment says
    bool judged;                 // who writes what is noted, for the judge's questions
    double answer_s;             // longest time that the engine may take to answer the judge, on a
                                 // quiet machine (machine.c)
    bool sandboxed;              // of a graded step: in the sandbox where it stands
    int debug_fd; // the engine's end of a debugger's socket (debug/debugger.h); 0: nobody debugs
} ladder_engine_options;

// A session without processes yet: of what has no engine, or may be closed before one is started.
void ladder_session_init(ladder_session *session);

// A session with an engine that counts, and connects to it. Close it also after a failure.
kl_status ladder_session_start_engine(ladder_session *session, const ladder_kit *kit,
                                      const ladder_engine_options *options, kl_error *err);

// How the runner is started.
typedef struct ladder_runner_spec {
    const ladder_kit *kit; // where programs lie
    const char *lab;       // folder of the lab
    int step;              // its number
    const char *object;    // the step's shared object
    const char *folder;    // private: working folder, home, temporary files
    int devices;           // that it finds on an engine; 0: one
    bool tells_order;      // its runtime tells a checking engine what waits for what
    ladder_limits limits;  // of the runner's process
} ladder_runner_spec;

// A session with the runner, on an engine that is started with these options; NULL: on the GPU.
// Close it also after a failure.
kl_status ladder_session_open(ladder_session *session, const ladder_engine_options *engine,
                              const ladder_runner_spec *runner, kl_error *err);

// Starts another program, with the caller's environment, on the session's engine. foreground: it
// writes to the caller's output.
kl_status ladder_session_start_program(ladder_session *session, const ladder_kit *kit,
                                       char *const *argv, bool foreground, kl_error *err);

// What became of a request.
typedef enum ladder_answer {
    LADDER_ANSWERED,
    LADDER_ENDED,  // the runner ended instead; session->program says how
    LADDER_LATE,   // no answer in time
    LADDER_STARVED // none, but the machine was so busy that this does not count against the step
} ladder_answer;

// Sends a request with its descriptors (which stay open here) and waits for the reply. request
// NULL: only waits for the first message of the runner. The reply's text is terminated. limit_s: on
// a quiet machine; time in which the processes got no processor does not count (machine.c).
ladder_answer ladder_session_ask(ladder_session *session, const ladder_runner_request *request,
                                 const int *files, int file_count, double limit_s,
                                 ladder_runner_reply *out_reply);

// The two halves, for a caller that has several runners at work: false when the runner takes no
// request, which the wait then explains.
bool ladder_session_send(const ladder_session *session, const ladder_runner_request *request,
                         const int *files, int file_count);
ladder_answer ladder_session_wait(ladder_session *session, double limit_s,
                                  ladder_runner_reply *out_reply);

// After a call of `control` that failed: the engine did not answer because the machine was so busy
// that it got no processor. Says so in text: [bytes].
bool ladder_session_engine_starved(const ladder_session *session, char *text, size_t bytes);

// True when the engine is using the processor: a kernel is running although the runner is late.
bool ladder_session_engine_busy(const ladder_session *session);

// Ends the runner and all that it started, so that its memory files and outputs are final. The
// engine stays.
void ladder_session_end_program(ladder_session *session);

// Ends everything. Output of the processes stays readable until then.
void ladder_session_close(ladder_session *session);
