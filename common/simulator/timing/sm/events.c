// See internal.h.
#include "timing/sm/internal.h"

// The phase has ended that the group's warps wait for at this mbarrier.
static void open_mbarrier(sm *s, uint32_t group, const sm_mbarrier *barrier) {
    uint32_t first = group * s->warps_a_block;
    uint32_t from = sm_whole(barrier->ended + machine_constant.mbarrier_wait);
    for (uint32_t slot = first; slot < first + s->warps_a_block; slot++) {
        sm_warp *w = &s->warps[slot];
        if (!w->path || w->waits_for != barrier->name) continue;
        w->waits_for = 0;
        sm_go_on(s, slot, from, SIM_PHASE_MEMORY, from);
    }
}

void sm_open_stuck(sm *s, uint32_t group, uint32_t now) {
    uint32_t first = group * s->warps_a_block, stuck = SM_NEVER, waiting = s->arrived[group];
    for (uint32_t slot = first; slot < first + s->warps_a_block; slot++) {
        if (s->warps[slot].path && s->warps[slot].waits_at) waiting++;
        if (!s->warps[slot].path || !s->warps[slot].waits_for) continue;
        if (stuck == SM_NEVER) stuck = slot;
        waiting++;
    }
    if (stuck == SM_NEVER || waiting < s->live[group]) return;
    sm_mbarrier *barrier = sm_mbarrier_at(&s->mbarriers[group], s->warps[stuck].waits_for - 1);
    double ready = now > barrier->latest ? now : barrier->latest;
    sm_mbarrier_end(barrier, ready + (barrier->bytes ? machine_constant.bulk_latency
                                                     : machine_constant.remote_latency));
    open_mbarrier(s, group, barrier);
}

uint32_t sm_take_arrival(sm *s, uint32_t now) {
    uint32_t arrival = s->arrival_free > now ? s->arrival_free : now;
    s->arrival_free = arrival + (uint32_t)machine_constant.arrival;
    return s->arrival_free;
}

bool sm_open_part(sm *s, uint32_t group, uint32_t number, uint32_t now) {
    uint32_t first = group * s->warps_a_block, from = now + (uint32_t)machine_constant.barrier;
    bool any = false;
    s->part_arrived[group][number] = 0;
    for (uint32_t slot = first; slot < first + s->warps_a_block; slot++) {
        sm_warp *w = &s->warps[slot];
        if (!w->path || w->waits_at != number + 1) continue;
        w->waits_at = 0;
        any = true;
        sm_go_on(s, slot, from, SIM_PHASE_BARRIER, from);
    }
    return any;
}

// At a barrier of a part of the block. Returns when the warp goes on; SM_NEVER: when more come.
static uint32_t arrive_at_part(sm *s, uint32_t slot, const sim_instr *instr,
                               const sim_traced_line *event, uint32_t now, uint32_t after) {
    uint32_t group = slot / s->warps_a_block, number = event->wavefronts % SM_PART_BARRIERS;
    uint32_t threads = event->line ? event->line : s->live[group] * SIM_WARP_LANES;
    uint32_t arrival = sm_take_arrival(s, now);
    bool waits = instr->variant != SIM_BAR_ARRIVE;
    s->part_arrived[group][number] += event->sectors;
    if (s->part_arrived[group][number] >= threads) {
        sm_open_part(s, group, number, arrival);
        return waits ? arrival + (uint32_t)machine_constant.barrier : after;
    }
    if (waits) s->warps[slot].waits_at = number + 1;
    return waits ? SM_NEVER : after;
}

static void change_mbarrier(sm *s, uint32_t group, const sim_traced_line *event, uint32_t arrivals,
                            int64_t bytes, double cycle) {
    sm_mbarrier *barrier = sm_mbarrier_at(&s->mbarriers[group], event->wavefronts);
    if (!barrier) return;
    // What a block sends to others of its cluster, they send to it: no more than is expected.
    if (bytes < -(int64_t)event->line && barrier->bytes < -bytes)
        bytes = barrier->bytes > event->line ? -barrier->bytes : -(int64_t)event->line;
    if (sm_mbarrier_change(barrier, arrivals, bytes, cycle)) open_mbarrier(s, group, barrier);
}

// A lane's copy, whose `count` lines follow the event.
static void copy_in_bulk(sm *s, uint32_t slot, const sim_instr *instr, const sim_traced_line *event,
                         uint32_t count, uint32_t now) {
    sm_warp *w = &s->warps[slot];
    bool out = instr->variant == SIM_BULK_TO_GLOBAL;
    double end = now + machine_constant.remote_latency;
    if (instr->variant != SIM_BULK_TO_CLUSTER)
        end = sm_memory_bulk(s->memory, w->start, event + 1, count, event->sectors, !out, now);
    if (out) w->stores_end = end > w->stores_end ? end : w->stores_end;
    if (out || instr->variant == SIM_BULK_PREFETCH) return;
    if (end > s->copies_end) s->copies_end = end;
    change_mbarrier(s, slot / s->warps_a_block, event, 0, -(int64_t)event->line * event->sectors,
                    end);
}

static double copied_at(const sm_warp *w, double now) {
    for (uint32_t i = 0; i < SIM_SCOREBOARDS; i++)
        if (w->scoreboards[i] > now) now = w->scoreboards[i];
    return now;
}

static bool releases_to_cluster(const sim_instr *instr) {
    return sim_is_mbarrier(instr) && instr->scope != SIM_FENCE_CTA;
}

uint32_t sm_release_ready(const sm *s, sm_warp *w, const issue_op *op, uint32_t now) {
    if (w->off || w->drained || !releases_to_cluster(&w->code->function->code[op->pc])) return now;
    w->drained = true;
    w->releases_from = now;
    return sm_not_before(now, s->copies_end);
}

// The arrival's second fence: after that of the block, for which sm_release_ready waited, one of
// the whole card, which also waits for the bulk copies that were issued since. What it takes longer
// on this card than on an H200 goes by while it waits for copies.
static uint32_t release(const sm *s, sm_warp *w, uint32_t after) {
    double least = w->releases_from + s->input->launch->device->fence_cycles;
    w->drained = false;
    after = sm_not_before(after + (uint32_t)machine_constant.mbarrier_release, least);
    return sm_not_before(after, s->copies_end);
}

uint32_t sm_pass_events(sm *s, uint32_t slot, const issue_op *op, uint32_t now, uint32_t after) {
    sm_warp *w = &s->warps[slot];
    const sim_instr *instr = &w->code->function->code[op->pc];
    const sim_traced_line *events;
    uint32_t group = slot / s->warps_a_block, count = warp_trace_lines(w, op, &events), next;
    double arrival_way = 0; // to another block, as arrivals of others come to this one
    if (count > 0 && releases_to_cluster(instr)) {
        after = release(s, w, after);
        if (sm_is_of_cluster(s)) arrival_way = machine_constant.remote_latency;
    }
    for (uint32_t i = 0; i < count; i = next) {
        const sim_traced_line *event = &events[i];
        const uint32_t bytes = event->line & ((1u << SIM_TRACED_ARRIVALS) - 1);
        for (next = i + 1; next < count && !warp_trace_is_event(&events[next]);) next++;
        switch ((sim_traced_kind)event->kind) {
        case SIM_TRACED_COPY:
            copy_in_bulk(s, slot, instr, event, next - i - 1, now);
            if (instr->variant == SIM_BULK_TO_SHARED)
                after += (uint32_t)(instr->op == SIM_OP_BULK ? machine_constant.bulk_issue
                                                             : machine_constant.box_issue);
            break;
        case SIM_TRACED_INIT:
            sm_mbarrier_init(&s->mbarriers[group], event->wavefronts, event->line);
            break;
        case SIM_TRACED_ARRIVE:
            change_mbarrier(s, group, event, event->line >> SIM_TRACED_ARRIVALS, bytes,
                            after + arrival_way);
            break;
        case SIM_TRACED_COPIED:
            change_mbarrier(s, group, event, event->line >> SIM_TRACED_ARRIVALS, 0,
                            copied_at(w, now));
            break;
        case SIM_TRACED_WAIT: {
            const sm_mbarrier *barrier = sm_mbarrier_at(&s->mbarriers[group], event->wavefronts);
            if (!barrier || !event->line) break;
            if (barrier->parity != event->sectors)
                after = sm_not_before(after, barrier->ended + machine_constant.mbarrier_wait);
            else w->waits_for = barrier->name;
            break;
        }
        case SIM_TRACED_BARRIER: after = arrive_at_part(s, slot, instr, event, now, after); break;
        }
    }
    return w->waits_for ? SM_NEVER : after;
}

uint32_t sm_pass_stores(sm_warp *w, const sim_instr *instr, uint32_t after) {
    if (instr->variant != SIM_BULK_COMMIT)
        return sm_not_before(after, w->store_groups_end[instr->vector]);
    issue_commit_group(w->store_groups_end, SIM_MOST_BULK_GROUPS, w->stores_end);
    return after;
}

// ---- mbarriers ----------------------------------------------------------------------------------

sm_mbarrier *sm_mbarrier_at(sm_mbarriers *all, uint32_t offset) {
    for (uint32_t i = 0; i < SM_MBARRIERS && all->of[i].name; i++)
        if (all->of[i].name == offset + 1) return &all->of[i];
    return NULL;
}

void sm_mbarrier_init(sm_mbarriers *all, uint32_t offset, uint32_t arrivals) {
    uint32_t at = 0;
    while (at < SM_MBARRIERS && all->of[at].name && all->of[at].name != offset + 1) at++;
    if (at == SM_MBARRIERS) return;
    all->of[at] = (sm_mbarrier){.name = offset + 1, .wanted = arrivals, .per_phase = arrivals};
}

void sm_mbarrier_end(sm_mbarrier *barrier, double cycle) {
    barrier->wanted = barrier->per_phase;
    barrier->bytes = 0;
    barrier->parity = !barrier->parity;
    barrier->ended = cycle;
    barrier->latest = 0;
}

bool sm_mbarrier_change(sm_mbarrier *barrier, uint32_t arrivals, int64_t bytes, double cycle) {
    barrier->wanted -= arrivals < barrier->wanted ? arrivals : barrier->wanted;
    barrier->bytes += bytes;
    barrier->latest = sim_larger(barrier->latest, cycle);
    if (barrier->wanted || barrier->bytes) return false;
    sm_mbarrier_end(barrier, barrier->latest);
    return true;
}
