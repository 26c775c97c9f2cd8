// Attacks by a program that runs in the sandbox, as a step's runner does (../in_sandbox).
#pragma once

#include "attacks.h"
#include "sandbox/process/process.h"

typedef struct in_sandbox {
    const char *argument;  // of the try; NULL: none
    const char *also[2];   // files or folders that the program sees beside its own
    const char *output;    // name of the file that shall come back from its folder; NULL: none
    double wall_s;         // 0: none
    uint64_t memory_bytes; // of all processes together; 0: 192 MiB
    int fd;                // becomes descriptor 3; 0: none
} in_sandbox;

// Limits of such a program that the tries' numbers exceed.
enum { IN_SANDBOX_TASKS = 24, IN_SANDBOX_BYTES = 8 << 20, IN_SANDBOX_FILES = 64 };

// The program's own folder: <set-up>/job; out: [LADDER_PATH]. It is made, or there from before.
void in_sandbox_folder(const attack_setup *setup, char *out);
// A file of the set-up that holds a secret, with these rights; out: [LADDER_PATH].
void in_sandbox_secret(const attack_setup *setup, mode_t rights, char *out);

// Runs a try (../in_sandbox/tries.h). True when it says that it got through. Skips the attack
// where no sandbox stands.
bool in_sandbox_run(const attack_setup *setup, const char *try, const in_sandbox *how);
// Starts it; the caller ends it.
void in_sandbox_start(const attack_setup *setup, const char *try, const in_sandbox *how,
                      ladder_process *out_process);
// Skips the attack where this is not root.
void in_sandbox_needs_root(void);

// True when a process that has the other end of this pipe is still there when setup->gone_s have
// passed, in which it could run (await.h).
bool in_sandbox_is_held(const attack_setup *setup, int read_end);
