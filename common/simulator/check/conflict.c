// Races: what a finding says of two accesses of one place.
// Not reported: stores of one value by several threads; stores to shared memory of which nobody
// uses what they leave; loads of which nobody uses the value.
#include "advice.h"
#include "check/race.h"
#include "check/rules.h"

static uint64_t address_of(const check_pass *pass, uint64_t cell) {
    return pass->origin + (cell << pass->cells->shift);
}

static uint32_t value_bytes(const check_pass *pass, const sim_check_side *side) {
    return pass->event->bytes <= sizeof side->value ? pass->event->bytes : 8;
}

// What an instruction takes its value for.
static void describe_value(const sim_checker *checker, uint32_t site, sim_check_side *side) {
    const sim_instr *instr = check_find_instr(checker, site);
    if (!instr) return;
    char letter = ptx_type_name((ptx_type)instr->type)[0]; // f32, s32, u32, b32
    if (letter == 'f') side->value_kind = SIM_VALUE_REAL;
    if (letter == 's' || letter == 'u') side->value_kind = SIM_VALUE_INTEGER;
    side->element_bytes = (uint8_t)ptx_type_bytes((ptx_type)instr->type);
}

// The value at the lane's place before the access.
static void value_in_memory(const check_pass *pass, uint32_t lane, sim_check_side *side) {
    uint32_t bytes = value_bytes(pass, side);
    if (!pass->event->memory) return;
    side->value_bytes = bytes;
    memcpy(side->value, pass->event->memory + sim_access_address(pass->event, lane), bytes);
}

static void value_of_access(const check_pass *pass, uint32_t lane, sim_check_side *side) {
    uint8_t value[32];
    if (pass->event->kind == SIM_ACCESS_READ) {
        value_in_memory(pass, lane, side);
    } else if (sim_access_value(pass->event, lane, value)) {
        side->value_bytes = value_bytes(pass, side);
        memcpy(side->value, value, side->value_bytes);
    }
}

// Whether the thread of `old` makes its access together with the lane: nothing has been stored yet.
static bool is_together(const check_pass *pass, check_record old, uint32_t lane) {
    uint32_t partner = check_record_thread(old) % 32;
    return ((old ^ pass->record) & ~CHECK_THREAD_MASK) == 0 &&
           check_record_thread(old) / 32 == pass->event->warp &&
           pass->event->lanes >> partner & 1 &&
           sim_access_address(pass->event, partner) == sim_access_address(pass->event, lane);
}

// Several threads store the same value: by the same instruction, or one that is there already.
static bool stores_same(const check_pass *pass, check_record old, uint32_t lane) {
    uint8_t value[32], other[32];
    const sim_access_event *event = pass->event;
    if (!sim_access_value(event, lane, value)) return false;
    uint64_t address = sim_access_address(event, lane);
    if (memcmp(event->memory + address, value, event->bytes) == 0) return true;
    return is_together(pass, old, lane) &&
           sim_access_value(event, check_record_thread(old) % 32, other) &&
           memcmp(value, other, event->bytes) == 0;
}

static sim_check_action action_of(check_record record, bool is_write) {
    if (check_record_is_atomic(record)) return SIM_ACTION_ATOMIC;
    return is_write ? SIM_ACTION_WRITE : SIM_ACTION_READ;
}

// A bulk copy brings its bytes later than its instruction, and a barrier does not wait for them.
static bool fills_later(const check_note *note) {
    if (note->pattern != CHECK_WRITE_THEN_READ) return false;
    const sim_instr *instr = &note->function->code[note->pcs[0]];
    return sim_is_bulk(instr) && instr->variant != SIM_BULK_TO_GLOBAL;
}

// What is written next has been a bulk store's source, which that reads later.
static bool reads_later(const check_pass *pass, check_record old, bool old_is_write) {
    const sim_instr *instr = check_find_instr(pass->checker, check_record_site(old));
    return !old_is_write && pass->event->space == PTX_SPACE_SHARED && instr && sim_is_bulk(instr) &&
           instr->variant == SIM_BULK_TO_GLOBAL;
}

static bool is_copy(const check_pass *pass, check_record record) {
    const sim_instr *instr = check_find_instr(pass->checker, check_record_site(record));
    return instr && (sim_is_cp_async(instr) || sim_is_bulk(instr));
}

// By `load`, of what is written before it or, `later`, after it.
static void explain_stale(const sim_instr *load, bool later, sim_finding *finding) {
    bool is_texture = !sim_is_plain_load(load);
    snprintf(finding->text, sizeof finding->text,
             "%s memory that the same launch %s: it may return what was there %s, whatever orders "
             "the two. %s",
             is_texture ? "the texture's cache is not kept coherent, and the fetch is of"
                        : "the load goes through the read-only (non-coherent) data cache, "
                          "ld.global.nc, and is of",
             later ? "writes later" : "writes", later ? "before or what is written" : "before",
             is_texture ? kl_advice_text(KL_ADVICE_FETCH_LATER)
                        : kl_advice_text(KL_ADVICE_LOAD_PLAIN));
}

// Whether another block has told the thread, by a relaxed store, that the read of `old` is over.
static bool read_is_over(const check_pass *pass, check_record old, uint64_t owner,
                         uint32_t thread) {
    return owner != pass->order->position &&
           check_log_knows(pass->checker->relaxed, pass->order, &pass->order->seen_relaxed, thread,
                           owner, check_record_thread(old), check_record_time(old));
}

bool check_pass_stale(const check_pass *pass, uint64_t cell, check_record old, uint32_t lane) {
    sim_checker *checker = pass->checker;
    const sim_access_event *event = pass->event;
    bool later = event->kind != SIM_ACCESS_READ, is_new;
    uint32_t thread = 32 * event->warp + lane, other = check_record_thread(old);
    if (check_record_time(old) < checker->run_begin || old >= CHECK_PENDING) return false;
    uint32_t site = check_record_site(pass->record), old_site = check_record_site(old);
    const sim_instr *load = later ? check_find_instr(checker, old_site) : event->instr;
    uint64_t position = pass->order->position, owner = check_pass_owner(checker, old);
    if (later && ((thread == other && position == owner) || !check_is_read_only(load) ||
                  read_is_over(pass, old, owner, thread)))
        return false;
    sim_finding *finding = check_find(checker, SIM_CHECK_STALE_READ, site, old_site, &is_new);
    if (!finding || !is_new) return true;
    check_find_side(checker, &finding->sides[0], action_of(pass->record, later), site, position,
                    thread);
    check_find_side(checker, &finding->sides[1], action_of(old, !later), old_site, owner, other);
    value_of_access(pass, lane, &finding->sides[0]);
    value_in_memory(pass, lane, &finding->sides[1]);
    check_find_address(checker, finding, event->space, address_of(pass, cell), event->bytes);
    explain_stale(load, later, finding);
    return true;
}

// Both are atomic or volatile, and yet they are not ordered.
static bool is_strong_pair(const check_pass *pass, check_record old) {
    bool of_warp = old & pass->record & CHECK_VOLATILE;
    return old & pass->record & CHECK_STRONG && !of_warp && old < CHECK_PENDING;
}

// In shared memory of one block: what the mbarrier between the two has to do with it, or NULL.
static const char *explain_phases(const check_pass *pass, uint64_t cell, check_record old,
                                  bool old_is_write, uint32_t thread) {
    const check_phases_race race = {.first = check_record_thread(old),
                                    .second = thread,
                                    .time = check_record_time(old),
                                    .writes = old_is_write,
                                    .pending = old >= CHECK_PENDING,
                                    .offset = cell << pass->cells->shift};
    return check_phases_advice(pass->checker->current, &race);
}

static const char *explanation(const check_pass *pass, check_record old, bool old_is_write,
                               const check_note *note, const check_run *other_run,
                               const char *of_phases) {
    if (other_run) return check_run_explanation(pass->checker, other_run);
    if (note->of_stage) return kl_advice_text(KL_ADVICE_STAGE_CALLS);
    if (of_phases) return of_phases;
    if (fills_later(note)) return kl_advice_text(KL_ADVICE_BULK_WAIT);
    if (reads_later(pass, old, old_is_write)) return kl_advice_text(KL_ADVICE_WAIT_BEFORE_REUSE);
    if (old >= CHECK_PENDING) return kl_advice_text(KL_ADVICE_COPY_WAIT);
    if (is_strong_pair(pass, old)) return kl_advice_text(KL_ADVICE_SCOPE_OF_DEVICE);
    if (note->pattern == CHECK_BOTH_WRITE &&
        check_record_site(old) == check_record_site(pass->record))
        return kl_advice_text(KL_ADVICE_ONE_STORE);
    if (note->other_block && pass->event->space == PTX_SPACE_SHARED)
        return kl_advice_text(KL_ADVICE_CLUSTER_SYNC);
    if (old & pass->record & CHECK_VOLATILE) return kl_advice_text(KL_ADVICE_VOLATILE_SYNCWARP);
    return NULL;
}

static const char *without_pattern(const check_note *note) {
    if (note->other_block)
        return "blocks run at the same time: only the end of the kernel, a grid barrier, or a "
               "fence with an atomic orders them";
    if (note->pattern == CHECK_BOTH_WRITE)
        return "two statements write one address, and no barrier is between them: which value "
               "remains is undefined";
    return note->one_warp
               ? "lanes of one warp need not run in step, and nothing orders the two accesses"
               : "no barrier that both threads come to orders the two accesses: they are of "
                 "different warps, so it takes __syncthreads()";
}

// Two stores to shared memory, of which nobody may use what they leave: threads that put what they
// do not want into one element.
static bool may_be_unused(const check_pass *pass, check_record old, bool old_is_write) {
    return old_is_write && old < CHECK_PENDING && pass->event->kind == SIM_ACCESS_WRITE &&
           pass->event->space == PTX_SPACE_SHARED &&
           !((pass->record | old) & (CHECK_STRONG | CHECK_ATOMIC)) &&
           check_unknown_reserve(pass->cells);
}

// A load that the compiler may have moved before the test that asks for its value.
static bool may_be_dropped(const check_pass *pass) { return pass->overwritten || pass->defers; }

// A plain read against an atomic may be a guess that an atomic checks afterwards.
static sim_finding *find(const check_pass *pass, sim_check_class kind, check_record old,
                         bool old_is_write, bool *out_is_new) {
    uint32_t site = check_record_site(pass->record), other = check_record_site(old);
    if (check_record_is_atomic(old) && pass->event->kind == SIM_ACCESS_READ)
        return check_find_doubt(pass->checker, kind, site, other, site, out_is_new);
    if (check_record_is_atomic(pass->record) && !old_is_write && !(old & CHECK_STRONG))
        return check_find_doubt(pass->checker, kind, site, other, other, out_is_new);
    if (may_be_dropped(pass) || may_be_unused(pass, old, old_is_write))
        return check_find_doubt(pass->checker, kind, site, other, CHECK_NO_SITE, out_is_new);
    return check_find(pass->checker, kind, site, other, out_is_new);
}

static bool is_of_mbarrier(const sim_checker *checker, check_record old) {
    return sim_is_mbarrier(check_find_instr(checker, check_record_site(old)));
}

// Whether what was read goes into a vote, a shuffle or a branch. What a load brings that does not
// may come later than they do, as far as the memory model goes.
static bool decides_reconvergence(sim_checker *checker, uint32_t site) {
    const sim_program *program = checker->grid->launch->program;
    const sim_instr *instr = check_find_instr(checker, site);
    if (!sim_is_ld(instr) || instr->mods & SIM_MOD_VOLATILE || instr->order) return true;
    check_behind *kept = &checker->behind[site % CHECK_BEHIND];
    if (kept->barrier != site + 1 || kept->last != CHECK_NO_SITE) {
        uint32_t f = check_find_function(checker, site);
        check_paths paths;
        bool answer = !check_paths_open(program, &program->functions[f], &paths) ||
                      check_paths_feed_reconvergence(&paths, site - checker->first_site[f]);
        check_paths_close(&paths);
        *kept = (check_behind){site + 1, CHECK_NO_SITE, answer};
    }
    return kept->answer;
}

void check_pass_conflict(const check_pass *pass, uint64_t cell, check_record old, bool old_is_write,
                         uint32_t lane) {
    sim_checker *checker = pass->checker;
    const sim_access_event *event = pass->event;
    bool is_write = event->kind != SIM_ACCESS_READ;
    if (is_write && old_is_write && stores_same(pass, old, lane)) return;
    uint64_t position = pass->order->position, owner = position;
    if (event->space != PTX_SPACE_SHARED || checker->block_count > 1)
        owner = check_pass_owner(checker, old);
    uint32_t thread = 32 * event->warp + lane, other = check_record_thread(old);
    if (is_write && !old_is_write && read_is_over(pass, old, owner, thread)) return;
    const check_run *run = NULL; // another grid
    if (old < CHECK_PENDING && check_record_time(old) < checker->run_begin)
        run = check_run_at(checker, check_record_time(old));
    bool one_block = owner == position && !run;
    // What all have voted on, or one has handed to the others, has been read before.
    if (one_block && is_write && (!old_is_write || is_of_mbarrier(checker, old)) &&
        check_order_met(pass->order, thread, other, check_record_time(old)) &&
        (old_is_write || decides_reconvergence(checker, check_record_site(old))))
        return;
    sim_check_class kind = one_block ? SIM_CHECK_RACE : SIM_CHECK_BLOCK_RACE;
    if (run) kind = SIM_CHECK_GRID_RACE;
    bool is_new, one_warp = one_block && other / 32 == event->warp;
    sim_finding *finding = find(pass, kind, old, old_is_write, &is_new);
    uint32_t doubt = finding ? check_find_doubt_number(checker, finding) : 0;
    if (doubt && may_be_dropped(pass)) {
        if (is_new) check_find_hold(checker, doubt);
        if (pass->overwritten) *pass->overwritten |= UINT64_C(1) << (doubt - 1);
        else check_unknown_raced(pass, cell, lane, doubt);
    }
    if (doubt && may_be_unused(pass, old, old_is_write)) check_unknown_race(pass, cell, old, doubt);
    // Threads of two warps show the need for a barrier better than lanes of one.
    if (!finding || !(is_new || (!one_warp && check_find_note(checker, finding)->one_warp))) return;
    const check_accesses accesses = {
        .sites = {check_record_site(pass->record), check_record_site(old)},
        .writes = {is_write, old_is_write},
        .one_warp = one_warp,
        .other_block = owner != position};
    check_note *note = check_find_note(checker, finding);
    *note = run ? (check_note){.function = NULL} : check_pattern_of(checker, &accesses);
    note->of_stage = !run && (is_copy(pass, pass->record) || is_copy(pass, old)) &&
                     check_find_uses_pipeline(checker, check_record_site(pass->record));
    sim_check_side *sides = finding->sides;
    memset(sides, 0, sizeof finding->sides);
    check_find_side(checker, &sides[0], action_of(pass->record, is_write),
                    check_record_site(pass->record), position, thread);
    check_find_side_in(checker, run ? &run->grid : checker->grid, &sides[1],
                       action_of(old, old_is_write), check_record_site(old), owner, other);
    value_of_access(pass, lane, &sides[0]);
    if (is_together(pass, old, lane)) value_of_access(pass, other % 32, &sides[1]);
    else value_in_memory(pass, lane, &sides[1]);
    describe_value(checker, check_record_site(pass->record), &sides[0]);
    describe_value(checker, check_record_site(old), &sides[1]);
    check_find_address(checker, finding, event->space, address_of(pass, cell), event->bytes);
    const char *of_phases = one_block && event->space == PTX_SPACE_SHARED
                                ? explain_phases(pass, cell, old, old_is_write, thread)
                                : NULL;
    const char *text = explanation(pass, old, old_is_write, note, run, of_phases);
    if (!text && check_flag_advice(pass, old, old_is_write, thread, owner, finding->text,
                                   sizeof finding->text))
        return;
    if (!text && check_pattern_advice(note, finding->text, sizeof finding->text)) return;
    snprintf(finding->text, sizeof finding->text, "%s", text ? text : without_pattern(note));
}

// ---- whose accesses are looked at ---------------------------------------------------------------

check_block *check_switch_to_another(sim_checker *checker, uint64_t position) {
    checker->current = check_block_at(checker, position);
    checker->clock.touched = true;
    checker->current_since = check_clock_advance(&checker->clock);
    if (!sim_reserve(&checker->owners, &checker->owner_capacity, checker->owner_count,
                     sizeof *checker->owners)) {
        checker->exhausted = true;
        return checker->current;
    }
    checker->owners[checker->owner_count++] = (check_owner){checker->current_since, position};
    return checker->current;
}

// ---- which accesses may be a race ---------------------------------------------------------------
// Whether two accesses of one place may be a race: not when one is ordered before the other, nor
// atomics and other strong accesses against each other, except volatile ones inside a warp on
// shared memory, which are what is left of warp-synchronous code.

uint64_t check_pass_owner(const sim_checker *checker, check_record record) {
    const check_owner *owners = checker->owners;
    uint32_t time = check_record_time(record);
    return owners[check_last_begun(owners, sizeof *owners, checker->owner_count, time)].position;
}

bool check_pass_knows(const check_pass *pass, check_record record, uint32_t thread) {
    const check_order *order = pass->order;
    uint32_t time = check_record_time(record), other = check_record_thread(record);
    if (record >= pass->since)
        return check_order_knows(order, thread, other, time) || order->locations_full;
    if (time < pass->checker->run_begin) return check_run_ordered(pass->checker, time);
    uint64_t position = check_pass_owner(pass->checker, record);
    if (position == order->position)
        return check_order_knows(order, thread, other, time) || order->locations_full;
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
