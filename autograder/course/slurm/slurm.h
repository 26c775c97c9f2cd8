// A class graded as an array job of Slurm.
#pragma once

#include "course/class/class.h"

// ---- queue.c ------------------------------------------------------------------------------------

// What grading one submission costs, from what was measured before.
typedef struct ladder_slurm_cost {
    double seconds;   // per submission, on the clock
    char source[160]; // where the figure comes from: "mean of 12 that were graded into results"
} ladder_slurm_cost;

// The mean of what lies in `output` from an earlier run of this class; else what the kit's solution
// took here, for which it is graded now if nobody has done so (10 to 80 s).
kl_status ladder_slurm_cost_find(const ladder_kit *kit, const ladder_lab *lab, const char *output,
                                 ladder_slurm_cost *out_cost, kl_error *err);

// ---- queue.c ------------------------------------------------------------------------------------
// Slurm's programs: sbatch, squeue and, where the site keeps accounts, sacct. What they print is
// read by the options that their manuals promise to be stable; nothing else of Slurm is needed.

// State of one task of an array job.
typedef enum ladder_slurm_state {
#define SLURM_STATE(name, kind, text) LADDER_SLURM_##name,
#include "course/slurm/states.def"
#undef SLURM_STATE
    LADDER_SLURM_UNKNOWN, // Slurm has forgotten it
    LADDER_SLURM_NEVER    // the same, and it was not seen at work
} ladder_slurm_state;

// What a state means for those who wait.
typedef enum ladder_slurm_kind {
    LADDER_SLURM_KIND_WAITING,
    LADDER_SLURM_KIND_RUNNING,
    LADDER_SLURM_KIND_ENDED,
    LADDER_SLURM_KIND_FAILED,
    LADDER_SLURM_KIND_LOST
} ladder_slurm_kind;

// UNKNOWN and NEVER have ended.
ladder_slurm_kind ladder_slurm_kind_of(ladder_slurm_state state);
// What a task in this state does or did: "lost its node".
const char *ladder_slurm_state_text(ladder_slurm_state state);

// Whether jobs can be submitted from here: KL_ERROR_SYSTEM with what to do when there is no sbatch.
kl_status ladder_slurm_present(kl_error *err);

// Submits a script. KL_ERROR_SYSTEM without sbatch, KL_ERROR_INPUT with Slurm's words when it
// refuses the job.
kl_status ladder_slurm_submit(const char *script, long long *out_job, kl_error *err);

// queue.c: waiting for the tasks of an array job.

// Told after each look: how many tasks wait and run.
typedef void ladder_slurm_progress(void *context, size_t waiting, size_t running);

// Returns when no task of the job is left in Slurm's queue; states: [count], zeroed at first. An
// answer that fails to come is waited for, for many minutes: the controller may be starting anew.
kl_status ladder_slurm_wait(long long job, ladder_slurm_state *states, size_t count,
                            ladder_slurm_progress *progress, void *context, kl_error *err);

// Whether any of `count` tasks still waits or runs; Slurm must answer.
kl_status ladder_slurm_is_alive(long long job, size_t count, bool *out_alive, kl_error *err);

// ---- work ---------------------------------------------------------------------------------------
// What the tasks of an array job have to grade: a file in the folder that all nodes share. It holds
// the secret seed, so that all submissions of one run meet the same inputs; nobody but its owner
// can read it.

// The work of all tasks of a job, or of one of them.
typedef struct ladder_slurm_work {
    uint64_t seed;                 // secret; of the inputs
    size_t chunk;                  // submissions per task
    ladder_submission *list;       // [count]
    ladder_points_change *changes; // [count]: of their marks
    size_t count;                  // of list and changes
} ladder_slurm_work;

// Writes the file, for its owner alone. KL_ERROR_SYSTEM names it.
kl_status ladder_slurm_work_write(const char *path, const ladder_slurm_work *work, kl_error *err);

// Reads what one task has to grade: out_work->list and changes are [count <= chunk], which the
// caller frees. KL_ERROR_INPUT when there is no such file here, it is damaged, or it has no such
// task.
kl_status ladder_slurm_work_read(const char *path, uint64_t task, ladder_slurm_work *out_work,
                                 kl_error *err);

// The seed of a job's work; false when there is none.
bool ladder_slurm_work_seed(const char *path, uint64_t *out_seed);

// ---- run.c --------------------------------------------------------------------------------------
// The script of an array job: one task per submission, or per chunk of them.

// What a command line says about the job; NULL and 0: the site's default, or this kit's.
typedef struct ladder_slurm_options {
    const char *partition, *account; // of the cluster
    const char *time_limit;          // as sbatch takes it: minutes, H:MM:SS, D-HH:MM:SS
    int64_t gpus, chunk;             // of a task
    const char *const *more;         // [more_count] options of sbatch as they are
    int more_count;                  // of more
} ladder_slurm_options;

// Values go into lines of the script: KL_ERROR_USAGE for one that would not stay in its own.
kl_status ladder_slurm_options_check(const ladder_slurm_options *options, kl_error *err);

// What the script is written from.
typedef struct ladder_slurm_script {
    const ladder_slurm_options *options; // of the command line
    const char *program, *lab;           // `program grade lab` is what a task runs
    const char *folder;                  // of this job: work.txt and log/
    const char *output;                  // of the results
    const char *const *words;            // [word_count] more words of that command
    int word_count;                      // of words
    size_t tasks, submissions, chunk;    // of the job; submissions per task
    long minutes;                        // time limit of a task, where the options have none
} ladder_slurm_script;

// Writes the script; what could not be written is seen in the stream.
void ladder_slurm_script_write(const ladder_slurm_script *script, FILE *out);

// ---- run.c --------------------------------------------------------------------------------------
// A class as an array job of Slurm: submits what is missing, waits, collects. Everything that a
// task leaves lies where a local run puts it, and is read again by course/class/class.h; so a run
// that was stopped anywhere goes on with what is there.

// A class to be graded as a job.
typedef struct ladder_slurm_job {
    const ladder_class *class;           // plan: kit, lab and the seed of its cases
    const ladder_slurm_options *options; // of the command line
    const char *const *words;            // [word_count] what tasks are told beside their work
    int word_count;                      // of `words`
    double submission_s; // longest time of one submission on the clock, for the time limit
} ladder_slurm_job;

// The seed of the newest job into these results; false when there is none.
bool ladder_slurm_seed(const char *output, uint64_t *out_seed);

// Prints to `out` the script that ladder_slurm_run would submit, with the estimate on standard
// error. `folder`: as of ladder_slurm_folder.
kl_status ladder_slurm_dry_run(const ladder_slurm_job *job, const char *folder, FILE *out,
                               kl_error *err);

// Fills rows: [class->count]. A row that is not done stands for a submission whose task left no
// result: which, and why, was told on standard error. With class->resume a job of an earlier run
// that still goes on is waited for, and what is finished and unchanged is not submitted.
kl_status ladder_slurm_run(const ladder_slurm_job *job, const char *folder, ladder_row *rows,
                           kl_error *err);

// In a task: what it has to grade. Its number is in the environment. KL_ERROR_SYSTEM with what
// to do when this node does not see the files, or when a later run took the job's place.
kl_status ladder_slurm_task(const char *folder, const char *output, ladder_slurm_work *out_work,
                            kl_error *err);

// Processors that a task may use; `otherwise` when Slurm does not say.
long ladder_slurm_processors(long otherwise);

// `--slurm` of `ladder grade`, and `--slurm-task`, which its job's tasks use.

// What the command line says.
typedef struct ladder_slurm_request {
    bool wanted, dry_run;         // --slurm; --dry-run
    const char *task;             // folder of the job whose task this is, or NULL
    ladder_slurm_options options; // of the job
    ladder_texts more;            // --sbatch
} ladder_slurm_request;

// Checks what was given; before anything is done. KL_ERROR_USAGE for what makes no sense.
kl_status ladder_slurm_request_read(ladder_slurm_request *slurm, const char *submissions,
                                    const char *output, kl_error *err);

// A path as tasks, which start elsewhere, can use it: from the root. path: [LADDER_PATH].
kl_status ladder_slurm_absolute(char *path, kl_error *err);

// Finds (and makes, but for a dry run) the job's folder; `output` becomes absolute. Both:
// [LADDER_PATH].
kl_status ladder_slurm_request_open(const ladder_slurm_request *slurm, char *output,
                                    char *out_folder, kl_error *err);
