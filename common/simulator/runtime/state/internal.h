// What the state's files share: where a call came from, signals, the process's beginning and end.
#pragma once

#include "runtime/state/state.h"
#include <ucontext.h>

// ---- caller.c -----------------------------------------------------------------------------------
// Where in the program's code something happened, as far as that can be told without its debug
// information: the file that holds the code, the offset in it (for addr2line) and, where the
// function is exported, its name.

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
// Costs little for a call that was made from the same place before. With the lock of the runtime.
void runtime_caller_places(const char *call, char *text, size_t bytes);

// The same text of such return addresses.
void runtime_frames_text(void *const *frames, int count, char *text, size_t bytes);
// For a signal's handler: the instruction at `code`, which the signal interrupted, and the calls of
// the functions around it as in runtime_program_frames, from the first that is in no library which
// accesses memory for the program (memcpy). At most `most`; their number.
int runtime_interrupted_frames(void *code, void **frames, int most);

// ---- fault context ------------------------------------------------------------------------------
// What the context of a signal says of the instruction that raised it: its address, and whether it
// wrote to memory. Where this is kept differs by processor: x86-64 and aarch64 are known.

#if defined(__x86_64__)

static inline uint64_t runtime_fault_code(const ucontext_t *context) {
    return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
}

static inline bool runtime_fault_writes(const ucontext_t *context) {
    enum { PAGE_FAULT_WRITE = 2 }; // bit of the page-fault error code
    return context->uc_mcontext.gregs[REG_ERR] & PAGE_FAULT_WRITE;
}

#elif defined(__aarch64__)

#include <asm/sigcontext.h>

static inline uint64_t runtime_fault_code(const ucontext_t *context) {
    return context->uc_mcontext.pc;
}

// The exception syndrome (Arm Architecture Reference Manual, ESR_EL1) is one of the records behind
// the registers; a record of 0 bytes is the last.
static inline bool runtime_fault_writes(const ucontext_t *context) {
    enum { WRITE_NOT_READ = 1 << 6 }; // WnR, of a data abort
    const uint8_t *at = context->uc_mcontext.__reserved;
    const uint8_t *end = at + sizeof context->uc_mcontext.__reserved;
    struct _aarch64_ctx head;
    struct esr_context syndrome;
    for (; at + sizeof syndrome <= end; at += head.size) {
        memcpy(&head, at, sizeof head);
        if (head.size == 0) break;
        if (head.magic != ESR_MAGIC) continue;
        memcpy(&syndrome, at, sizeof syndrome);
        return syndrome.esr & WRITE_NOT_READ;
    }
    return false;
}

#else
#error "the runtime knows the signal contexts of x86-64 and aarch64"
#endif

// ---- result_use.c -------------------------------------------------------------------------------
// Whether the program looks at what a call of the runtime returns.

// code: [count] where calls return to, that of the call under way first, then those of the
// functions around it. True when the machine code there certainly overwrites the result before it
// reads it.
bool runtime_result_is_unused(void *const *code, int count);

// ---- host_watch.c -------------------------------------------------------------------------------
// The program's own accesses to memory that it shares with the device, for the checks: pages that
// work in progress uses are protected between calls, so that an access to them faults, is noted,
// and goes on. Off unless LADDER_SIM_HOST_ACCESSES asks for it. It never changes what a program
// does: where that cannot be had, pages stay as they are and accesses go unseen (host_watch.c says
// when).

// The device is open; asks the environment. Nothing without an engine in a process of its own.
void runtime_watch_start(void);
// A call begins: the runtime may touch all memory; the checks hear of what was noted.
void runtime_watch_open(void);
// A call ends: what work in progress uses is protected.
void runtime_watch_close(void);
// In the child of a fork.
void runtime_watch_forget(void);

// ---- host_findings.c ----------------------------------------------------------------------------
// What LADDER_SIM_MODE=check has found in a program that runs without an engine process.

// In short, on standard error.
void runtime_say_findings(void);

// ---- process.c ----------------------------------------------------------------------------------
// The process's beginning with the runtime: what the environment says, and the device, opened at
// the first call that needs it.

// Once in a process, under the lock.
void runtime_start(void);
cudaError_t runtime_open_device(void);
