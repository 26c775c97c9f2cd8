// SPDX-License-Identifier: MIT
// What is missing where threads hand data on by a flag, a ticket or a lock in memory: an acquire, a
// release, a scope, or a barrier for the other threads of a block. The checker knows what a thread
// has read and does not yet know of (order/order.h); the rest follows from the control flow.
#include "check/race.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/rules.h"
#include "program/program.h"

enum { NONE = UINT32_MAX, WHERE = 96 };

// The writing and the reading side, as instructions of one function.
typedef struct flag_use {
    const sim_checker *checker;
    uint32_t first; // site of the function
    check_paths paths;
    uint32_t write, read; // the accesses of the data
    bool blocks;          // of two blocks
} flag_use;

static bool is_strong(const sim_instr *instr) {
    bool memory = instr->op == SIM_OP_LD || instr->op == SIM_OP_ST || instr->op == SIM_OP_ATOM ||
                  instr->op == SIM_OP_RED;
    return memory && instr->order != SIM_ORDER_WEAK;
}

static bool takes_lock(const sim_instr *instr) {
    return instr->op == SIM_OP_ATOM &&
           (instr->variant == SIM_ATOMIC_CAS || instr->variant == SIM_ATOMIC_EXCH);
}

static bool was_executed(const flag_use *u, uint32_t pc) {
    uint32_t site = u->first + pc;
    return u->checker->synced[site / 64] >> site % 64 & 1;
}

static bool leads(const flag_use *u, uint32_t from, uint32_t to) {
    return check_paths_lead(&u->paths, from, to, true);
}

// Whether the instruction is in a loop that `outside` is not in: it waits.
static bool waits(const flag_use *u, uint32_t pc, uint32_t outside) {
    sim_loop inner, outer;
    return sim_loops_around(u->paths.function, pc, &inner, &outer) &&
           (outside < inner.first_pc || outside > inner.last_pc);
}

// The strong read for which the reading thread waits, nearest before the read; NONE: there is none.
static uint32_t find_wait(const flag_use *u, bool lock) {
    const sim_function *function = u->paths.function;
    uint32_t found = NONE;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        bool reads = instr->op == SIM_OP_LD || instr->op == SIM_OP_ATOM;
        if (!reads || !is_strong(instr) || (lock && !takes_lock(instr)) || !was_executed(u, pc))
            continue;
        if (waits(u, pc, u->read) && leads(u, pc, u->read) && (found == NONE || pc < u->read))
            found = pc;
    }
    return found;
}

// The strong write that follows the write; NONE: there is none.
static uint32_t find_signal(const flag_use *u, uint32_t wait) {
    const sim_function *function = u->paths.function;
    uint32_t found = NONE;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        bool writes = instr->op != SIM_OP_LD && is_strong(instr);
        if (!writes || pc == wait || !was_executed(u, pc) || !leads(u, u->write, pc)) continue;
        if (found == NONE || (found < u->write && pc > u->write)) found = pc;
    }
    return found;
}

// A fence of at least that scope, or an access that is one, which comes between.
static bool fenced(const flag_use *u, uint32_t from, uint32_t to, bool release, bool blocks) {
    const sim_function *function = u->paths.function;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        bool wide = !blocks || instr->scope != SIM_FENCE_CTA;
        bool own = pc == (release ? to : from) && is_strong(instr) &&
                   (instr->order == SIM_ORDER_ACQ_REL ||
                    instr->order == (release ? SIM_ORDER_RELEASE : SIM_ORDER_ACQUIRE));
        bool between = instr->op == SIM_OP_FENCE && leads(u, from, pc) && leads(u, pc, to);
        if (wide && (own || between) && was_executed(u, pc)) return true;
    }
    return false;
}

static const char *where(const flag_use *u, uint32_t pc, const char *what, char text[WHERE]) {
    uint32_t line = check_line_of(u->paths.function, pc);
    if (line)
        snprintf(text, WHERE, "line %" PRIu32, line);
    else
        snprintf(text, WHERE, "%s", what);
    return text;
}

// ---- what is missing ----------------------------------------------------------------------------

static const char *fence_of(const flag_use *u) {
    return u->blocks ? "__threadfence()" : "__threadfence_block()";
}
static const char *scope_of(const flag_use *u) {
    return u->blocks ? "cuda::thread_scope_device" : "cuda::thread_scope_block";
}

static void tell_lock(const flag_use *u, uint32_t lock, uint32_t unlock, char *text, size_t bytes) {
    char taken[WHERE], released[WHERE];
    bool acquires = fenced(u, lock, u->read, false, u->blocks);
    bool releases = fenced(u, u->write, unlock, true, u->blocks);
    where(u, lock, "it is taken", taken);
    where(u, unlock, "it is released", released);
    snprintf(text, bytes,
             "a lock alone orders no other memory: what one holder of it has written, the next one "
             "need not see. Put %s%s%s%s%s%s; or let a cuda::atomic_ref of %s be the lock, with "
             "memory_order_acquire to take it and memory_order_release to release it",
             fence_of(u), acquires ? "" : " after it is taken in ", acquires ? "" : taken,
             acquires || releases ? "" : ", and another one",
             releases ? "" : " before it is released in ", releases ? "" : released, scope_of(u));
}

static void tell_acquire(const flag_use *u, uint32_t wait, bool others, char *text, size_t bytes) {
    char flag[WHERE], read[WHERE];
    where(u, wait, "the read of the flag", flag);
    where(u, u->read, "the read of the data", read);
    snprintf(text, bytes,
             "the flag is read without acquire in %s: relaxed and volatile reads order nothing "
             "that follows, so %s may still see old data. Put %s behind the loop that waits%s, or "
             "read the flag by a cuda::atomic_ref of %s with memory_order_acquire",
             flag, read, fence_of(u),
             others ? ", before the barrier that tells the other threads" : "", scope_of(u));
}

static void tell_release(const flag_use *u, uint32_t signal, char *text, size_t bytes) {
    char flag[WHERE], write[WHERE];
    where(u, signal, "the write of the flag", flag);
    where(u, u->write, "the write of the data", write);
    snprintf(text, bytes,
             "the flag is set without release in %s: another thread may see it before it sees what "
             "%s has written. Put %s between the two, or set the flag by a cuda::atomic_ref of %s "
             "with memory_order_release",
             flag, write, fence_of(u), scope_of(u));
}

static void tell_scope(const flag_use *u, uint32_t flag_pc, char *text, size_t bytes) {
    char flag[WHERE];
    where(u, flag_pc, "the access of the flag", flag);
    snprintf(text, bytes,
             "the scope of %s is the block, and the two threads are of different blocks: it takes "
             "cuda::thread_scope_device, atomicAdd() instead of atomicAdd_block(), __threadfence() "
             "instead of __threadfence_block()",
             flag);
}

static void tell_barrier(const flag_use *u, uint32_t pc, bool before, char *text, size_t bytes) {
    char flag[WHERE], data[WHERE];
    where(u, pc, "the access of the flag", flag);
    where(u, before ? u->write : u->read, "the access of the data", data);
    if (before)
        snprintf(
            text, bytes,
            "%s sets the flag for what its own thread has done, and what a barrier has ordered "
            "before it: put __syncthreads() between %s, by other threads of the block, and %s",
            flag, data, flag);
    else
        snprintf(text, bytes,
                 "the thread that waits in %s knows of the data, the other threads of its block do "
                 "not: put __syncthreads() between %s and %s",
                 flag, flag, data);
}

// Whether the reading thread, or another one of its block, has read a flag that tells of the write
// and would know of it by a fence; the site of that read, or NONE.
static uint32_t missed_read(const check_pass *pass, check_record old, uint32_t thread,
                            uint64_t owner, bool *out_fence, bool *out_others) {
    const check_order *order = pass->order;
    uint32_t other = check_record_thread(old), time = check_record_time(old);
    if (owner == order->position) {
        const check_know *taken = order->threads[thread].taken;
        *out_fence = true;
        *out_others = false;
        return taken && time < taken->at[other] ? CHECK_NO_SITE - 1 : NONE;
    }
    const check_taken *taken =
        check_log_missed(pass->checker->log, &order->seen, thread, owner, other, time);
    if (!taken) return NONE;
    *out_fence = taken->since == CHECK_AT_FENCE;
    *out_others = taken->thread != thread;
    return taken->site;
}

// ---- which it is --------------------------------------------------------------------------------

static bool too_narrow(const flag_use *u, uint32_t pc) {
    return u->blocks && check_is_of_block(&u->paths.function->code[pc]);
}

static bool choose(const flag_use *u, uint32_t missed, bool fence, bool others, char *text,
                   size_t bytes) {
    uint32_t lock = find_wait(u, true), wait = find_wait(u, false);
    uint32_t unlock = lock != NONE ? find_signal(u, lock) : NONE;
    if (lock != NONE && unlock != NONE && leads(u, lock, u->write)) {
        tell_lock(u, lock, unlock, text, bytes);
        return true;
    }
    if (missed != NONE) {
        if (fence)
            tell_acquire(u, missed, others, text, bytes);
        else
            tell_barrier(u, missed, false, text, bytes);
        return true;
    }
    uint32_t signal = wait != NONE ? find_signal(u, wait) : NONE;
    if (signal == NONE) return false;
    if (too_narrow(u, wait) || too_narrow(u, signal))
        tell_scope(u, too_narrow(u, signal) ? signal : wait, text, bytes);
    else if (fenced(u, u->write, signal, true, u->blocks))
        tell_barrier(u, signal, true, text, bytes);
    else
        tell_release(u, signal, text, bytes);
    return true;
}

bool check_flag_advice(const check_pass *pass, check_record old, bool old_is_write, uint32_t thread,
                       uint64_t owner, char *text, size_t bytes) {
    const sim_checker *checker = pass->checker;
    uint32_t sites[2] = {check_record_site(pass->record), check_record_site(old)};
    uint32_t f = check_find_function(checker, sites[0]), first = checker->first_site[f];
    bool writes = pass->event->kind != SIM_ACCESS_READ, fence = false, others = false;
    flag_use u = {.checker = checker, .first = first, .blocks = owner != pass->order->position};
    if ((writes && old_is_write) || old >= CHECK_PENDING ||
        check_find_function(checker, sites[1]) != f)
        return false;
    u.write = sites[writes ? 0 : 1] - first;
    u.read = sites[writes ? 1 : 0] - first;
    uint32_t missed = writes ? NONE : missed_read(pass, old, thread, owner, &fence, &others);
    const sim_program *program = checker->grid->launch->program;
    bool told = check_paths_open(program, &program->functions[f], &u.paths);
    if (told && missed == CHECK_NO_SITE - 1)
        missed = find_wait(&u, false);
    else if (missed != NONE)
        missed -= first;
    if (missed != NONE && missed >= program->functions[f].code_count) missed = NONE;
    told = told && choose(&u, missed, fence, others, text, bytes);
    check_paths_close(&u.paths);
    return told;
}
