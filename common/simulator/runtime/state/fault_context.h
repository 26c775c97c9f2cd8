// SPDX-License-Identifier: MIT
// What the context of a signal says of the instruction that raised it: its address, and whether it
// wrote to memory. Where this is kept differs by processor: x86-64 and aarch64 are known.
#ifndef SIM_RUNTIME_STATE_FAULT_CONTEXT_H
#define SIM_RUNTIME_STATE_FAULT_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

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
#include <string.h>

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

#endif
