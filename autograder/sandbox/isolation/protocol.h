// What the judge and `ladder-sandbox` say to each other. `ladder-sandbox` is the first process of
// every job in the sandbox: bubblewrap starts it in fresh namespaces, it finishes the sandbox
// (files of its own, no rights, system call filter, Landlock), starts the program, watches it, and
// at the end hands back the files that were asked for. Plan and report lie in one memory file that
// the program itself never has.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// ---- layers -------------------------------------------------------------------------------------
// The layers of the sandbox (layers.def) as bits of a set.

// A row of layers.def.
typedef enum ladder_sandbox_layer {
#define LADDER_LAYER(id, needed, name, advice) LADDER_LAYER_##id,
#include "sandbox/isolation/layers.def"
#undef LADDER_LAYER
    LADDER_LAYERS
} ladder_sandbox_layer;

static inline uint32_t ladder_layer_bit(ladder_sandbox_layer layer) { return UINT32_C(1) << layer; }

// ---- protocol -----------------------------------------------------------------------------------

enum {
    LADDER_INSIDE_VERSION = 1,
    LADDER_INSIDE_PATH = 4096,
    LADDER_INSIDE_OUTPUTS = 4, // files handed back at most
    LADDER_INSIDE_NAME = 64
};

// A file that is handed back.
typedef struct ladder_inside_output {
    char name[LADDER_INSIDE_NAME]; // in the folder; no slash
    int32_t fd;                    // where its bytes go
} ladder_inside_output;

// From the judge: what the sandbox shall be.
typedef struct ladder_inside_plan {
    uint32_t version; // LADDER_INSIDE_VERSION
    uint32_t layers;  // bits of ladder_sandbox_layer that shall stand
    int32_t own_fd;   // descriptors from here on are not the program's
    int32_t life_fd;  // write end of a pipe: closed when the program runs; broken when nobody waits
    bool change_user; // started as root: go on as `user`, which is nobody's
    uint32_t user;    // number of that user
    char folder[LADDER_INSIDE_PATH];     // becomes a file system of its own; "": none
    uint64_t folder_bytes, folder_files; // room in it: bytes; files, folders and links
    bool gpu;          // the program uses a GPU: its driver needs /proc, locks and local sockets
    bool memory_files; // the program needs memfd_create(2)
    uint64_t cpu_s, data_bytes;     // limits of each process: see process.h; 0: none
    uint64_t file_bytes, processes; // of one file; of all processes together
    uint64_t memory_bytes;          // of all processes together; 0: none
    double wall_s;                  // the job's own deadline, kept also when the judge is not
    int32_t output_count;           // of outputs
    ladder_inside_output outputs[LADDER_INSIDE_OUTPUTS]; // files of the folder
} ladder_inside_plan;

// How far the first process is.
typedef enum ladder_inside_state {
    LADDER_INSIDE_NOT_BEGUN, // the sandbox does not stand; `problem` may say why
    LADDER_INSIDE_RUNNING,
    LADDER_INSIDE_ENDED
} ladder_inside_state;

typedef enum ladder_inside_stop { // why the program was stopped by ladder-sandbox
    LADDER_INSIDE_NOT_STOPPED,
    LADDER_INSIDE_TIME,
    LADDER_INSIDE_MEMORY
} ladder_inside_stop;

// From the first process: what became of the program.
typedef struct ladder_inside_report {
    uint32_t state;      // ladder_inside_state
    uint32_t layers;     // that stand: a subset of the plan's
    char problem[256];   // why the sandbox does not stand; "": it does
    int32_t wait_status; // of the program: waitpid(2)
    uint32_t stopped;    // ladder_inside_stop
    double cpu_s;        // of the program so far; in the end of all processes
    uint32_t returned;   // bit i: plan.outputs[i] was handed back
} ladder_inside_report;

// The memory file that both of them see.
typedef struct ladder_inside_shared {
    ladder_inside_plan plan;     // written by the judge, before the start
    ladder_inside_report report; // written by the first process
} ladder_inside_shared;

// ---- Inside the sandbox -------------------------------------------------------------------------
// The parts of `ladder-sandbox` (protocol.h); its order of work is in inside_main.c. Every function
// returns false with errno set when the system refuses.

// Makes plan->folder a file system in memory with limits, owned by the job's user,
// and copies the regular files that lie there into it.
bool inside_files_make(const ladder_inside_plan *plan);
// Hands back plan->outputs[i] if it is a regular file, at most plan->folder_bytes of it.
bool inside_files_return(const ladder_inside_plan *plan, int i);

// inside_rights.c: another user, a user namespace, no capabilities. *layers: which of these
// stand.
bool inside_rights_drop(const ladder_inside_plan *plan, int proc_fd, uint32_t *layers);

// For this process and those that it starts.
bool inside_filter_install(const ladder_inside_plan *plan);
// inside_rights.c: the same; writing only below `folder` and to devices. False where the kernel
// has none.
bool inside_landlock_install(const ladder_inside_plan *plan);

// inside_watch.c: waits for the program and everything that it started to be gone, and kills what
// breaks a limit or outlives it. Fills all of the report but its layers and `returned`.
void inside_watch(const ladder_inside_plan *plan, int proc_fd, pid_t program,
                  ladder_inside_report *report);
