// Reads of memory that nobody wrote. A load counts as uninitialised only when none of its bytes
// were written, so that padding of structures and the unused end of a vector raise no alarm.
#include "advice.h"
#include "check/bits.h"
#include "check/race.h"

static void describe_unwritten(const sim_checker *checker, const sim_access_event *event,
                               uint32_t lane, uint32_t site, sim_finding *finding) {
    check_find_side(checker, &finding->sides[0],
                    event->kind == SIM_ACCESS_READ ? SIM_ACTION_READ : SIM_ACTION_ATOMIC, site,
                    checker->current->order.position, 32 * event->warp + lane);
    check_find_address(checker, finding, event->space, sim_access_address(event, lane),
                       event->bytes);
    strcpy(finding->text, kl_advice_text(KL_ADVICE_GIVE_VALUES));
}

static void report_unwritten(sim_checker *checker, const sim_access_event *event, uint32_t lane) {
    // Thrust's set operations compare what they read past their last items, and move an index by it
    // that counts no more: values that are used, though no result depends on them.
    const char *library = sim_kernel_library(checker->grid->launch->function->name);
    if (event->space == PTX_SPACE_SHARED && library && strcmp(library, "Thrust") == 0) return;
    uint32_t site = check_site(checker, event->function, event->instr);
    bool is_new, may_be_unused = check_unknown_may_load(event);
    sim_finding *finding =
        may_be_unused ? check_find_doubt(checker, SIM_CHECK_UNINITIALISED, site, CHECK_NO_SITE,
                                         CHECK_NO_SITE, &is_new)
                      : check_find(checker, SIM_CHECK_UNINITIALISED, site, CHECK_NO_SITE, &is_new);
    uint32_t doubt = finding ? check_find_doubt_number(checker, finding) : 0;
    if (finding && is_new) describe_unwritten(checker, event, lane, site, finding);
    if (doubt)
        check_unknown_load(checker, event, lane, 0, event->bytes, UINT64_C(1) << (doubt - 1));
}

static __attribute__((noinline)) void lanes_written(sim_checker *checker,
                                                    const sim_access_event *event, uint64_t *bits,
                                                    uint64_t origin) {
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t first = sim_access_address(event, lane) - origin;
        if (event->kind != SIM_ACCESS_WRITE && check_bits_none(bits, first, event->bytes))
            report_unwritten(checker, event, lane);
        if (sim_is_discard(event->instr)) check_bits_clear(bits, first, event->bytes);
        else if (event->kind != SIM_ACCESS_READ) check_bits_set(bits, first, event->bytes);
    }
}

// Looked at when a barrier opens: what it separates are mostly writes of all from reads of all.
void check_advance_written(check_block *block) {
    while (block->shared_written && block->written_below + 64 <= block->shared_bytes &&
           block->shared_written[block->written_below / 64] == UINT64_MAX)
        block->written_below += 64;
}

// What a block does after it has strayed is told neither as a race nor as a read of what nobody
// wrote; what it writes has been written.
void check_mark_written(sim_checker *checker, const sim_access_event *event) {
    bool shared = event->space == PTX_SPACE_SHARED;
    uint64_t *bits =
        shared ? check_block_at(checker, event->owner)->shared_written : checker->written;
    for (uint32_t rest = event->kind == SIM_ACCESS_READ ? 0 : event->lanes; rest;
         rest &= rest - 1) {
        uint64_t address = sim_access_address(event, (uint32_t)__builtin_ctz(rest));
        check_bits_set(bits, shared ? address : address - SIM_GLOBAL_BASE, event->bytes);
    }
}

void check_written(sim_checker *checker, const sim_access_event *event) {
    bool shared = event->space == PTX_SPACE_SHARED;
    uint64_t *bits =
        shared ? check_block_at(checker, event->owner)->shared_written : checker->written;
    uint64_t origin = shared ? 0 : SIM_GLOBAL_BASE;
    bool joined = !event->addresses && event->lanes == UINT32_MAX &&
                  event->kind != SIM_ACCESS_ATOMIC &&
                  (event->stride == 0 || event->stride == (int64_t)event->bytes);
    uint64_t bytes = event->stride == 0 ? event->bytes : 16 * (uint64_t)event->bytes;
    if (joined && event->kind == SIM_ACCESS_WRITE) {
        check_bits_set(bits, event->base[0] - origin, bytes);
        check_bits_set(bits, event->base[1] - origin, bytes);
        return;
    }
    if (joined && check_bits_all(bits, event->base[0] - origin, bytes) &&
        (event->base[0] == event->base[1] || check_bits_all(bits, event->base[1] - origin, bytes)))
        return;
    lanes_written(checker, event, bits, origin);
}

// Local memory keeps 4 bits a word and lane, words of the lanes side by side.
static uint8_t *local_bits(const check_warp *warp, uint64_t offset, uint32_t lane) {
    return &warp->local_written[offset / 4 * 32 + lane];
}

void check_local(sim_checker *checker, const sim_access_event *event) {
    const check_warp *warp = &checker->current->order.warps[event->warp];
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), found = 0;
        uint64_t first = sim_access_address(event, lane), end = first + event->bytes;
        if (end > warp->local_bytes) continue;
        for (uint64_t at = first; at < end; at++) {
            uint8_t *bits = local_bits(warp, at, lane), bit = (uint8_t)(1u << at % 4);
            found |= *bits & bit;
            if (event->kind != SIM_ACCESS_READ) *bits |= bit;
        }
        if (event->kind != SIM_ACCESS_WRITE && !found) report_unwritten(checker, event, lane);
    }
}

void check_on_local(void *context, uint64_t position, uint32_t warp, uint32_t lanes, uint32_t base,
                    uint32_t bytes) {
    sim_checker *checker = context;
    check_block *block = check_block_at(checker, position);
    check_warp *w = &block->order.warps[warp];
    uint32_t end = (base + bytes + 3) / 4 * 4;
    if (end > w->local_bytes) {
        uint8_t *grown = realloc(w->local_written, (size_t)end * 8);
        if (!grown) return;
        memset(grown + (size_t)w->local_bytes * 8, 0, (size_t)(end - w->local_bytes) * 8);
        w->local_written = grown;
        w->local_bytes = end;
    }
    check_unknown_fresh(block, warp, base, bytes, lanes);
    for (uint32_t word = base / 4; word < end / 4; word++)
        for (uint32_t rest = lanes; rest; rest &= rest - 1)
            *local_bits(w, 4 * (uint64_t)word, (uint32_t)__builtin_ctz(rest)) = 0;
}

// Forgets what was recorded of [address, address + bytes) of device memory.
static void forget(sim_checker *checker, uint64_t address, uint64_t bytes) {
    check_cells *cells = &checker->global;
    uint64_t first = (address - SIM_GLOBAL_BASE) >> cells->shift;
    uint64_t end = (address + bytes - 1 - SIM_GLOBAL_BASE) >> cells->shift;
    size_t length = (end - first + 1) * sizeof(check_record);
    check_cells_change(cells, first, end);
    memset(cells->write + first, 0, length);
    memset(cells->strong + first, 0, length);
    for (int slot = 0; slot < 2; slot++) memset(cells->reads[slot] + first, 0, length);
}

void check_on_heap(void *context, uint64_t address, uint64_t bytes) {
    sim_checker *checker = context;
    check_bits_clear(checker->written, address - SIM_GLOBAL_BASE, bytes);
    forget(checker, address, bytes);
    check_streams_renewed(checker, address, bytes);
}
