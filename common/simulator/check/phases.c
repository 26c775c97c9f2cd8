// See rules.h. Two waits for one phase are no mistake by themselves: a pipeline may look twice.
// They are when the thread never waits for the last phase of the barrier: it has taken each stage
// for full one phase too early from then on.
#include "check/rules.h"
#include "advice.h"
#include "warps/warp.h"

enum { BARRIERS = 64, COPIES = 64 }; // that are followed in a block; of more nothing is told

typedef struct thread_phases {
    uint32_t last;  // phase it has waited for last, and 1; 0: none yet
    uint32_t site;  // of that wait
    uint32_t again; // the first wait for a phase that the one before it waited for; and that one
    uint32_t before;
    bool repeats;                 // there is one
    bool twice;                   // its last wait was such a one
    uint32_t arrived, arrived_in; // time of its last arrival, and the phase; 0: none yet
} thread_phases;

// One mbarrier of the block.
typedef struct phases {
    uint32_t offset, ended;             // in shared memory; phases that have ended
    thread_phases *threads;             // [threads of the block]
    uint32_t maker, made_at, made_site; // thread that made the object, when and where
    bool made;                          // it was seen to
    bool parity, begun; // of the present phase: somebody has arrived, or bytes are to come
} phases;

struct check_phases {
    uint32_t count;
    phases at[BARRIERS];
    uint32_t copy_count; // so far; the last COPIES of them:
    struct {
        uint64_t first, end;      // bytes of shared memory that it fills
        uint32_t mbarrier, ended; // its offset; its phases that had ended
    } copies[COPIES];
};

void check_phases_forget(check_block *block) {
    check_phases *all = block->phases;
    for (uint32_t i = 0; all && i < all->count; i++) free(all->at[i].threads);
    free(all);
    block->phases = NULL;
}

static phases *find_known(check_phases *all, uint32_t offset) {
    for (uint32_t i = 0; i < all->count; i++)
        if (all->at[i].offset == offset) return &all->at[i];
    return NULL;
}

static phases *find(check_block *block, uint32_t offset) {
    check_phases *all = block->phases;
    if (!all) all = block->phases = calloc(1, sizeof *all);
    phases *known = all ? find_known(all, offset) : NULL;
    if (known) return known;
    if (!all || all->count == BARRIERS) return NULL;
    phases *made = &all->at[all->count];
    *made = (phases){.offset = offset};
    made->threads = calloc(block->order.thread_count, sizeof *made->threads);
    if (!made->threads) return NULL;
    all->count++;
    return made;
}

void check_phases_init(check_block *block, uint32_t offset, uint32_t thread, uint32_t time,
                       uint32_t site) {
    phases *barrier = find(block, offset);
    if (!barrier) return;
    barrier->made = true;
    barrier->maker = thread;
    barrier->made_at = time;
    barrier->made_site = site;
    barrier->ended = 0;
    barrier->parity = barrier->begun = false;
    for (uint32_t i = 0; i < block->order.thread_count; i++)
        barrier->threads[i] = (thread_phases){.last = 0};
}

static void wait(phases *barrier, uint32_t thread, uint32_t site) {
    thread_phases *own = &barrier->threads[thread];
    if (barrier->ended == 0) return; // the one before the first: all stages are empty
    if (own->last == barrier->ended && !own->repeats) {
        own->repeats = true;
        own->again = site;
        own->before = own->site;
    }
    own->twice = own->last == barrier->ended;
    own->last = barrier->ended;
    own->site = site;
}

void check_phases_pass(sim_checker *checker, const sim_sync_event *event) {
    check_block *block = check_block_at(checker, event->owner);
    phases *barrier = find(block, event->barrier);
    if (!barrier) return;
    sim_mbarrier now = sim_mbarrier_read(event->bits);
    bool ends = now.parity != barrier->parity;
    barrier->ended += ends;
    barrier->parity = now.parity;
    barrier->begun = now.wanted != now.per_phase || now.bytes != 0;
    bool arrives = event->kind == SIM_SYNC_MBARRIER_ARRIVE && event->owner == event->block &&
                   sim_is_mbarrier(event->instr);
    for (uint32_t rest = arrives ? event->lanes : 0; rest; rest &= rest - 1) {
        thread_phases *own = &barrier->threads[32 * event->warp + (uint32_t)__builtin_ctz(rest)];
        own->arrived = checker->clock.now;
        own->arrived_in = barrier->ended + !ends;
    }
    if (event->kind != SIM_SYNC_MBARRIER_WAIT) return;
    uint32_t site = check_site_again(checker, event->function, event->instr);
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1)
        wait(barrier, 32 * event->warp + (uint32_t)__builtin_ctz(rest), site);
}

static const phases *made_by_other(const check_block *block, uint32_t offset, uint32_t thread) {
    const check_phases *all = block->phases;
    for (uint32_t i = 0; all && i < all->count; i++) {
        const phases *barrier = &all->at[i];
        if (barrier->offset != offset || !barrier->made) continue;
        bool knows = check_order_knows(&block->order, thread, barrier->maker, barrier->made_at);
        return knows ? NULL : barrier;
    }
    return NULL;
}

static uint32_t offset_of(const sim_access_event *event, uint32_t thread) {
    return (uint32_t)sim_access_address(event, thread % 32);
}

uint32_t check_phases_stranger(const sim_checker *checker, const sim_access_event *event) {
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t thread = 32 * event->warp + (uint32_t)__builtin_ctz(rest);
        if (made_by_other(checker->current, offset_of(event, thread), thread)) return thread;
    }
    return CHECK_NO_THREAD;
}

void check_phases_report(sim_checker *checker, const sim_access_event *event, uint32_t thread,
                         uint32_t site) {
    check_block *block = checker->current;
    phases *barrier = find(block, offset_of(event, thread));
    if (!barrier || !barrier->made) return;
    barrier->made = false;
    sim_finding *finding = check_find_sync(checker, SIM_CHECK_RACE, site, barrier->made_site,
                                           thread, kl_advice_text(KL_ADVICE_BARRIER_AFTER_INIT));
    if (finding)
        check_find_side(checker, &finding->sides[1], SIM_ACTION_NONE, barrier->made_site,
                        block->order.position, barrier->maker);
}

void check_phases_copy(sim_checker *checker, const sim_access_event *event) {
    check_block *block = check_block_at(checker, event->owner);
    const phases *barrier = find(block, event->mbarrier);
    if (!barrier) return;
    check_phases *all = block->phases;
    uint64_t first = sim_access_address(event, (uint32_t)__builtin_ctz(event->lanes));
    uint32_t i = all->copy_count++ % COPIES;
    all->copies[i].first = first;
    all->copies[i].end = first + event->bytes;
    all->copies[i].mbarrier = event->mbarrier;
    all->copies[i].ended = barrier->ended;
}

// Whether the phase has ended that was to wait for the last copy to there.
static bool ended_early(check_phases *all, uint64_t offset) {
    uint32_t kept = all->copy_count < COPIES ? all->copy_count : COPIES;
    for (uint32_t k = 1; k <= kept; k++) {
        uint32_t i = (all->copy_count - k) % COPIES;
        if (offset < all->copies[i].first || offset >= all->copies[i].end) continue;
        return find_known(all, all->copies[i].mbarrier)->ended > all->copies[i].ended;
    }
    return false;
}

// What an arrival of this lane in the phase says of the access; NULL: there is none.
static const char *arrival_advice(const thread_phases *arrival, uint32_t phase,
                                  const check_phases_race *race, bool own) {
    if (!arrival->arrived || arrival->arrived_in != phase) return NULL;
    bool early = race->time >= arrival->arrived;
    if (!early && own) return NULL;
    if (!early) return kl_advice_text(KL_ADVICE_ARRIVE_FOR_WARP);
    return kl_advice_text(race->writes ? KL_ADVICE_ARRIVE_AFTER_WRITE
                                       : KL_ADVICE_ARRIVE_AFTER_READ);
}

const char *check_phases_advice(const check_block *block, const check_phases_race *race) {
    check_phases *all = block->phases;
    const char *text = NULL;
    for (uint32_t b = 0; all && b < all->count; b++)
        if (all->at[b].threads[race->first].twice || all->at[b].threads[race->second].twice)
            return "one of the two threads has waited a second time for a phase of an mbarrier "
                   "that it had waited for before, so that this wait orders nothing";
    if (all && race->pending)
        return ended_early(all, race->offset) ? kl_advice_text(KL_ADVICE_EXPECT_ALL_BYTES) : NULL;
    for (uint32_t b = 0; all && b < all->count && !text; b++) {
        const thread_phases *threads = all->at[b].threads;
        uint32_t phase = threads[race->second].last, warp = race->first / 32 * 32;
        if (!phase) continue;
        text = arrival_advice(&threads[race->first], phase, race, true);
        for (uint32_t i = warp; i < warp + 32 && i < block->order.thread_count && !text; i++)
            if (i != race->first) text = arrival_advice(&threads[i], phase, race, false);
    }
    return text;
}

static void tell_again(sim_checker *checker, const thread_phases *own, uint32_t thread) {
    bool of_stage = check_find_waits_for_stage(checker, own->again);
    const char *text = kl_advice_text(KL_ADVICE_NEXT_PARITY);
    if (of_stage)
        text = "the second wait finds the stage as the first one did and waits for nothing";
    sim_finding *finding =
        check_find_sync(checker, SIM_CHECK_BARRIER_PHASE, own->again, own->before, thread, text);
    if (finding) check_find_note(checker, finding)->of_stage = of_stage;
}

void check_phases_end(sim_checker *checker, const check_block *block) {
    const check_phases *all = block->phases;
    bool stuck = false; // what began with the second wait may be why
    for (uint32_t i = 0; i < block->order.warp_count; i++)
        stuck |= block->order.warps[i].alive != 0;
    for (uint32_t i = 0; all && i < all->count; i++)
        for (uint32_t t = 0; t < block->order.thread_count; t++) {
            const phases *barrier = &all->at[i];
            const thread_phases *own = &barrier->threads[t];
            bool is_last = own->last == barrier->ended + barrier->begun;
            if (!own->repeats || (is_last && !stuck)) continue;
            tell_again(checker, own, t);
            return;
        }
}
