// SPDX-License-Identifier: MIT
// Attacks by a program that runs behind the wall, as a step's runner does (../behind_wall).
#ifndef ATTACKS_BEHIND_WALL_H
#define ATTACKS_BEHIND_WALL_H

#include "attacks.h"
#include "sandbox/process/sandbox.h"

typedef struct behind_wall {
    const char *argument;  // of the try; NULL: none
    const char *also[2];   // files or folders that the program sees beside its own
    const char *output;    // name of the file that shall come back from its folder; NULL: none
    double wall_s;         // 0: 10
    uint64_t memory_bytes; // of all processes together; 0: 192 MiB
    int fd;                // becomes descriptor 3; 0: none
} behind_wall;

// Limits of such a program that tries.def's numbers exceed.
enum { BEHIND_WALL_TASKS = 24, BEHIND_WALL_BYTES = 8 << 20, BEHIND_WALL_FILES = 64 };

// The program's own folder: <room>/job; out: [LADDER_PATH]. It is made, or there from before.
void behind_wall_folder(const attack_room *room, char *out);
// A file of the room that holds a secret, with these rights; out: [LADDER_PATH].
void behind_wall_secret(const attack_room *room, mode_t rights, char *out);

// Runs a try (../behind_wall/tries.def). True when it says that it got through. Skips the attack
// where no wall stands.
bool behind_wall_run(const attack_room *room, const char *try, const behind_wall *how);
// Starts it; the caller ends it.
void behind_wall_start(const attack_room *room, const char *try, const behind_wall *how,
                       ladder_process *out_process);
// Skips the attack where this is not root.
void behind_wall_needs_root(void);

// True when a process that has the other end of this pipe is still there two seconds later.
bool behind_wall_is_held(int read_end);

#endif
