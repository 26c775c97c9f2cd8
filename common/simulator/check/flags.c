// What is missing where threads hand data on by a flag, a ticket or a lock in memory: an acquire, a
// release, a scope, or a barrier for the other threads of a block. The checker knows what a thread
// has read and does not yet know of (order/order.h); the rest follows from the control flow.
#include "check/race.h"
#include "advice.h"
#include "check/rules.h"

enum { NONE = UINT32_MAX, WHERE = 96 };

// The writing and the reading side, as instructions of one function.
typedef struct flag_use {
    const sim_checker *checker;
    uint32_t first; // site of the function
    check_paths paths;
    uint32_t write, read; // the accesses of the data
    bool blocks;          // of two blocks
    bool global;          // of global memory
    bool both_write;      // `read` is a write, too: only of a lock may more be known
} flag_use;

static bool is_strong(const sim_instr *instr) {
    return sim_is_access(instr) && instr->order != SIM_ORDER_WEAK;
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
static uint32_t find_wait(const flag_use *u) {
    const sim_function *function = u->paths.function;
    uint32_t found = NONE;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        if (!sim_is_load(instr) || !is_strong(instr) || !was_executed(u, pc)) continue;
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
        bool writes = !sim_is_ld(instr) && is_strong(instr);
        if (!writes || pc == wait || !was_executed(u, pc) || !leads(u, u->write, pc)) continue;
        if (found == NONE || (found < u->write && pc > u->write)) found = pc;
    }
    return found;
}

// A strong store that the writing thread has made before the write, and never makes after it; NONE.
static uint32_t find_early_signal(const flag_use *u) {
    const sim_function *function = u->paths.function;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        if (sim_is_st(instr) && is_strong(instr) && was_executed(u, pc) && leads(u, pc, u->write) &&
            !leads(u, u->write, pc))
            return pc;
    }
    return NONE;
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
        bool between = sim_is_fence(instr) && leads(u, from, pc) && leads(u, pc, to);
        if (wide && (own || between) && was_executed(u, pc)) return true;
    }
    return false;
}

static const char *where(const flag_use *u, uint32_t pc, const char *what, char text[WHERE]) {
    uint32_t line = check_line_of(u->paths.function, pc);
    if (line) snprintf(text, WHERE, "line %" PRIu32, line);
    else snprintf(text, WHERE, "%s", what);
    return text;
}

// ---- what is missing ----------------------------------------------------------------------------

// first, second: instructions that the row names. Global memory is for the other blocks, too, whose
// accesses may not have met yet.
static void advise_flag(const flag_use *u, kl_advice row, uint32_t first, const char *what,
                        uint32_t second, const char *other, char *text, size_t bytes) {
    bool device = u->blocks || u->global;
    char lines[2][WHERE];
    kl_advise(row,
              KL_WORDS(where(u, first, what, lines[0]), where(u, second, other, lines[1]),
                       device ? "__threadfence()" : "__threadfence_block()",
                       device ? "cuda::thread_scope_device" : "cuda::thread_scope_block"),
              text, bytes);
}

static void tell_barrier(const flag_use *u, uint32_t pc, bool before, char *text, size_t bytes) {
    advise_flag(u, before ? KL_ADVICE_BARRIER_BEFORE_SIGNAL : KL_ADVICE_BARRIER_AFTER_WAIT, pc,
                "the access of the flag", before ? u->write : u->read, "the access of the data",
                text, bytes);
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

static bool has_address_of(const flag_use *u, uint32_t pc, uint32_t other) {
    const sim_instr *a = &u->paths.function->code[pc], *b = &u->paths.function->code[other];
    return a->src[0] == b->src[0] && a->offset == b->offset;
}

// The instruction that takes a lock around both accesses, or, where they are of the lock itself,
// that lock; the store that gives it back. Threads that try again and again take it in the loop in
// which they use it.
static bool find_lock(const flag_use *u, uint32_t *out_lock, uint32_t *out_unlock) {
    const sim_function *function = u->paths.function;
    for (uint32_t lock = 0; lock < function->code_count; lock++) {
        if (!sim_is_swap(&function->code[lock]) || !was_executed(u, lock)) continue;
        bool outside = waits(u, lock, u->read) && leads(u, lock, u->write);
        bool inside = check_paths_lead(&u->paths, lock, u->read, false) &&
                      check_paths_lead(&u->paths, lock, u->write, false);
        for (uint32_t pc = 0; pc < function->code_count; pc++) {
            const sim_instr *instr = &function->code[pc];
            bool plain = sim_is_st(instr) && !is_strong(instr);
            bool strong = !sim_is_ld(instr) && is_strong(instr) && was_executed(u, pc);
            bool gives = (plain || strong) && pc != lock;
            if (!gives || !leads(u, lock, pc) || (pc != u->write && !leads(u, u->write, pc)))
                continue;
            bool same = has_address_of(u, pc, lock);
            bool itself = plain && same && (u->write == pc || u->read == pc);
            if (!itself && !(same && (inside || outside)) && !(outside && !plain)) continue;
            *out_lock = lock;
            *out_unlock = pc;
            return true;
        }
    }
    return false;
}

static bool choose(const flag_use *u, uint32_t missed, bool fence, bool others, char *text,
                   size_t bytes) {
    uint32_t wait = find_wait(u), lock, unlock;
    if (find_lock(u, &lock, &unlock)) {
        bool plain = !is_strong(&u->paths.function->code[unlock]);
        bool acquires = fenced(u, lock, u->read, false, u->blocks);
        bool releases = fenced(u, u->write, unlock, true, u->blocks);
        kl_advice row = acquires   ? KL_ADVICE_LOCK_FENCE_BEFORE
                        : releases ? KL_ADVICE_LOCK_FENCE_AFTER
                                   : KL_ADVICE_LOCK_FENCES;
        if (!plain && acquires && releases) return false;
        advise_flag(u, plain ? KL_ADVICE_LOCK_RELEASE : row, lock, "it is taken", unlock,
                    "it is released", text, bytes);
        return true;
    }
    if (missed != NONE && !u->both_write) {
        if (fence)
            advise_flag(u, others ? KL_ADVICE_FLAG_ACQUIRE_FOR_OTHERS : KL_ADVICE_FLAG_ACQUIRE,
                        missed, "the read of the flag", u->read, "the read of the data", text,
                        bytes);
        else tell_barrier(u, missed, false, text, bytes);
        return true;
    }
    uint32_t signal = wait != NONE && !u->both_write ? find_signal(u, wait) : NONE;
    if (signal == NONE) {
        uint32_t early = wait != NONE && !u->both_write ? find_early_signal(u) : NONE;
        if (early == NONE || early == wait) return false;
        advise_flag(u, KL_ADVICE_FLAG_BEHIND_DATA, early, "the thread", u->write, "it", text,
                    bytes);
        return true;
    }
    if (too_narrow(u, wait) || too_narrow(u, signal))
        advise_flag(u, KL_ADVICE_FLAG_SCOPE, too_narrow(u, signal) ? signal : wait,
                    "the access of the flag", signal, "", text, bytes);
    else if (fenced(u, u->write, signal, true, u->blocks))
        tell_barrier(u, signal, true, text, bytes);
    else
        advise_flag(u, KL_ADVICE_FLAG_RELEASE, signal, "the write of the flag", u->write,
                    "the write of the data", text, bytes);
    return true;
}

bool check_flag_advice(const check_pass *pass, check_record old, bool old_is_write, uint32_t thread,
                       uint64_t owner, char *text, size_t bytes) {
    const sim_checker *checker = pass->checker;
    uint32_t sites[2] = {check_record_site(pass->record), check_record_site(old)};
    uint32_t f = check_find_function(checker, sites[0]), first = checker->first_site[f];
    bool writes = pass->event->kind != SIM_ACCESS_READ, fence = false, others = false;
    flag_use u = {.checker = checker,
                  .first = first,
                  .blocks = owner != pass->order->position,
                  .global = pass->event->space != PTX_SPACE_SHARED,
                  .both_write = writes && old_is_write};
    if (old >= CHECK_PENDING || check_find_function(checker, sites[1]) != f) return false;
    u.write = sites[writes ? 0 : 1] - first;
    u.read = sites[writes ? 1 : 0] - first;
    uint32_t missed = writes ? NONE : missed_read(pass, old, thread, owner, &fence, &others);
    const sim_program *program = checker->grid->launch->program;
    bool told = check_paths_open(program, &program->functions[f], &u.paths);
    if (told && missed == CHECK_NO_SITE - 1) missed = find_wait(&u);
    else if (missed != NONE) missed -= first;
    if (missed != NONE && missed >= program->functions[f].code_count) missed = NONE;
    told = told && choose(&u, missed, fence, others, text, bytes);
    check_paths_close(&u.paths);
    return told;
}
