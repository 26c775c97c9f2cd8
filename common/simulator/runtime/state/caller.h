// SPDX-License-Identifier: MIT
// Where in the program's code something happened, as far as that can be told without its debug
// information: the file that holds the code, the offset in it (for addr2line) and, where the
// function is exported, its name.
#ifndef SIM_RUNTIME_STATE_CALLER_H
#define SIM_RUNTIME_STATE_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RUNTIME_FRAMES = 48 }; // that are looked at: deep enough for the toolkit's headers

// Return addresses from the program's call into this library on, at most `most`; their number. One
// byte before each lies the call.
int runtime_program_frames(void **frames, int most);
// "program+0x1234 in main". False when no file holds the address.
bool runtime_code_place(uint64_t code, char *text, size_t bytes);
// Of the program's call into this library that is under way. False when it cannot be told.
bool runtime_caller_place(char *text, size_t bytes);
// Likewise, with the calls of the functions around it in the same file, since the toolkit's headers
// call for the program: "program+0x1234 0x5678 0x9abc". "" when it cannot be told. call: its name.
// Costs little for a call that was made from the same place before. With the runtime's lock.
void runtime_caller_places(const char *call, char *text, size_t bytes);

// The same text of such return addresses.
void runtime_frames_text(void *const *frames, int count, char *text, size_t bytes);
// For a signal's handler: the instruction at `code`, which the signal interrupted, and the calls of
// the functions around it as in runtime_program_frames, from the first that is in no library which
// accesses memory for the program (memcpy). At most `most`; their number.
int runtime_interrupted_frames(void *code, void **frames, int most);

#endif
