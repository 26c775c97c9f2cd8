// SPDX-License-Identifier: MIT
// Whether two accesses of one place may be a race: not when one is ordered before the other, nor
// atomics and other strong accesses against each other, except volatile ones inside a warp on
// shared memory, which are what is left of warp-synchronous code.
#include "check/race.h"

#include "warps/block.h"

uint64_t check_pass_owner(const sim_checker *checker, check_record record) {
    const check_owner *owners = checker->owners;
    uint32_t time = check_record_time(record);
    return owners[check_last_begun(owners, sizeof *owners, checker->owner_count, time)].position;
}

bool check_pass_knows(const check_pass *pass, check_record record, uint32_t thread) {
    const check_order *order = pass->order;
    uint32_t time = check_record_time(record), other = check_record_thread(record);
    if (record >= pass->since)
        return check_order_knows(order, thread, other, time) || order->places_full;
    if (time < pass->checker->run_begin) return check_run_ordered(pass->checker, time);
    uint64_t position = check_pass_owner(pass->checker, record);
    if (position == order->position)
        return check_order_knows(order, thread, other, time) || order->places_full;
    return check_log_knows(pass->checker->log, order, &pass->order->seen, thread, position, other,
                           time);
}

// Whether a pair of accesses by two blocks has a scope of the block only, as atomicAdd_block() has:
// such accesses are morally strong inside of a block (PTX ISA, "Morally Strong Relations"). Blocks
// of a cluster are left out, whose scope counts as that of the block.
static bool is_too_narrow(const check_pass *pass, check_record old) {
    const sim_checker *checker = pass->checker;
    if (pass->event->space != PTX_SPACE_GLOBAL || old >= CHECK_PENDING) return false;
    uint32_t each = sim_launch_cluster_blocks(checker->grid->launch);
    if (check_record_time(old) < checker->run_begin) return false;
    if (check_pass_owner(checker, old) / each == pass->order->position / each) return false;
    return check_is_of_block(pass->event->instr) ||
           check_is_of_block(check_find_instr(checker, check_record_site(old)));
}

static bool both_strong(const check_pass *pass, check_record old) {
    if (!(old & CHECK_STRONG) || !(pass->record & CHECK_STRONG)) return false;
    if (pass->checker->of_block && is_too_narrow(pass, old)) return false;
    bool volatile_pair = (old & CHECK_VOLATILE) && (pass->record & CHECK_VOLATILE);
    bool one_warp = old >= pass->since && check_record_thread(old) / 32 == pass->event->warp;
    return !(volatile_pair && one_warp && pass->event->space == PTX_SPACE_SHARED);
}

// The write that has been under way: its bytes arrive.
static bool arrives(const check_pass *pass, check_record record, uint32_t thread) {
    return pass->event->kind == SIM_ACCESS_WRITE && check_record_thread(record) == thread &&
           check_record_site(record) == check_record_site(pass->record);
}

bool check_pass_collides(const check_pass *pass, check_record record, uint32_t thread) {
    if (record >= CHECK_PENDING) return !arrives(pass, record, thread);
    return record >= pass->floor && !both_strong(pass, record) &&
           !check_pass_knows(pass, record, thread);
}
