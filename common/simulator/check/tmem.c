// See rules.h. What works on tensor memory has ended for a warp when it knows so: of a product by
// an mbarrier that a tcgen05.commit behind it has reached, of a load or store by the tcgen05.wait
// of its warp. Barriers order what other threads have done, as they order memory (section
// 9.7.16.6.3). Behind a relaxed wait it is known for tensor memory only by a
// tcgen05.fence::after_thread_sync after it and, but for a commit,
// tcgen05.fence::before_thread_sync before what it waits for. Blocks of a pair know of each other.
#include "check/rules.h"
#include "warps/block.h"

enum { PARTS = 8, ISSUERS = 8, COMMITS = 64, FENCES = 8, PAIR = 2 };

typedef enum use_kind { USE_NONE, USE_LOAD, USE_STORE, USE_PRODUCT } use_kind;

// The last use of 16 lanes of a column.
typedef struct use {
    uint64_t block;      // of the thread, which may be the other one of a pair
    uint32_t site, time; // the instruction, and when it was issued
    uint32_t number;     // loads, stores: of its warp's; products: of commits of its thread, and 1
    uint16_t thread;
    uint8_t kind; // use_kind
} use;

// A commit on its way to an mbarrier.
typedef struct commit {
    uint64_t owner;                 // block of the mbarrier
    uint32_t barrier, number, time; // time of its arrival; 0: it has not arrived
} commit;

// A thread that issues products.
typedef struct issuer {
    uint32_t thread, number; // number: of commits so far
    uint32_t last, site;     // the number of its last product, and the instruction
    uint32_t forgotten;      // what commits up to this number have followed is not judged
    bool of_pair;
    uint32_t known[PAIR][CHECK_WARPS]; // commits that warps of this block, or its peer, may rely on
    uint32_t count;
    commit commits[COMMITS];
} issuer;

// What has ended of a warp: the number of its last load, store and product.
typedef struct handed {
    uint32_t last[USE_PRODUCT + 1]; // by use_kind
} handed;

// A fence::before_thread_sync.
typedef struct before {
    handed ended;
    uint32_t thread, time;
} before;

struct check_tmem {
    use written[SIM_TMEM_COLUMNS][PARTS], read[SIM_TMEM_COLUMNS][PARTS];
    uint32_t moves[CHECK_WARPS][2], waited[CHECK_WARPS][2]; // loads, stores; issued, and ended
    issuer issuers[ISSUERS];
    uint32_t issuer_count;
    before befores[CHECK_WARPS][FENCES]; // the latest ones
    uint32_t before_counts[CHECK_WARPS];
    handed got[CHECK_WARPS][PAIR][CHECK_WARPS]; // by a warp, from those of this block and its peer
    bool relaxed[CHECK_WARPS];                  // a warp's last wait was one
};

static check_tmem *tmem_of(check_block *block) {
    if (!block->tmem) block->tmem = calloc(1, sizeof *block->tmem);
    return block->tmem;
}

void check_tmem_forget(check_block *block) {
    free(block->tmem);
    block->tmem = NULL;
}

// NULL: there are too many, and nothing is known of its products.
static issuer *issuer_of(check_tmem *tmem, uint32_t thread, bool adds) {
    for (uint32_t i = 0; i < tmem->issuer_count; i++)
        if (tmem->issuers[i].thread == thread) return &tmem->issuers[i];
    if (!adds || tmem->issuer_count == ISSUERS) return NULL;
    issuer *added = &tmem->issuers[tmem->issuer_count++];
    added->thread = thread;
    return added;
}

// ---- Whether a use has ended --------------------------------------------------------------------

// Whether a lane of the warp knows what `thread` of block `of` did at `time`.
static bool knows(sim_checker *checker, uint64_t of, uint32_t warp, uint32_t thread,
                  uint32_t time) {
    check_order *order = &checker->current->order;
    uint64_t position = check_block_at(checker, of)->order.position;
    if (position != order->position)
        return check_log_knows(checker->log, order, &order->seen, CHECK_ANY_THREAD, position,
                               thread, time);
    for (uint32_t lane = 0; lane < SIM_WARP_LANES && 32 * warp + lane < order->thread_count; lane++)
        if (check_order_knows(order, 32 * warp + lane, thread, time)) return true;
    return sim_launch_cluster_blocks(checker->grid->launch) > 1 && // by way of another block
           check_log_knows(checker->log, order, &order->seen, CHECK_ANY_THREAD, position, thread,
                           time);
}

// What the warp of `now` relies on of the other's.
static const handed *got_from(const sim_checker *checker, const use *of, const use *now) {
    return &checker->current->tmem->got[now->thread / 32][of->block != now->block][of->thread / 32];
}

static bool product_has_ended(sim_checker *checker, const use *of, uint32_t warp) {
    check_block *block = check_block_at(checker, of->block);
    const issuer *by = block->tmem ? issuer_of(block->tmem, of->thread, false) : NULL;
    if (!by || of->number <= by->forgotten) return true;
    for (uint32_t i = 0; i < by->count; i++) {
        const commit *c = &by->commits[i];
        if (c->time && c->number >= of->number &&
            knows(checker, of->block, warp, of->thread, c->time))
            return true;
    }
    return false;
}

static bool has_waited(sim_checker *checker, const use *of) {
    const check_tmem *tmem = check_block_at(checker, of->block)->tmem;
    return !tmem || tmem->waited[of->thread / 32][of->kind == USE_STORE] >= of->number;
}

// Products of one thread are worked on in their order.
static bool is_pipelined(const use *of, const use *now) {
    return of->kind == USE_PRODUCT && now->kind == USE_PRODUCT && now->thread == of->thread &&
           now->block == of->block;
}

static bool has_ended(sim_checker *checker, const use *of, const use *now) {
    uint32_t warp = now->thread / 32u;
    if (of->kind == USE_NONE || is_pipelined(of, now)) return true;
    if (of->kind != USE_PRODUCT)
        return has_waited(checker, of) && knows(checker, of->block, warp, of->thread, of->time);
    if (now->kind == USE_PRODUCT && got_from(checker, of, now)->last[USE_PRODUCT] >= of->number)
        return true; // the one thread hands the pipeline to the other
    return product_has_ended(checker, of, warp);
}

// Of two uses that are ordered: whether fences are missing that order them for tensor memory.
static bool lacks_fence(sim_checker *checker, const use *of, const use *now) {
    bool same_warp = of->block == now->block && of->thread / 32 == now->thread / 32;
    if (!checker->current->tmem->relaxed[now->thread / 32]) return false;
    if (of->kind == USE_NONE || now->kind == USE_NONE || is_pipelined(of, now)) return false;
    if (of->kind != USE_PRODUCT && same_warp) return false;
    if (got_from(checker, of, now)->last[of->kind] >= of->number) return false;
    const check_tmem *tmem = check_block_at(checker, of->block)->tmem;
    for (uint32_t i = 0; of->kind == USE_PRODUCT && tmem && i < tmem->issuer_count; i++) {
        const issuer *by = &tmem->issuers[i];
        if (by->thread == of->thread)
            return by->known[of->block != now->block][now->thread / 32] < of->number &&
                   of->number > by->forgotten;
    }
    return tmem && of->kind != USE_PRODUCT;
}

// ---- Fences -------------------------------------------------------------------------------------

static void note_before(check_tmem *own, uint32_t thread, uint32_t time) {
    uint32_t warp = thread / 32;
    before *fence = &own->befores[warp][own->before_counts[warp]++ % FENCES];
    *fence = (before){.thread = thread, .time = time};
    fence->ended.last[USE_LOAD] = own->waited[warp][0];
    fence->ended.last[USE_STORE] = own->waited[warp][1];
    for (uint32_t i = 0; i < own->issuer_count; i++)
        if (own->issuers[i].thread / 32 == warp &&
            own->issuers[i].last > fence->ended.last[USE_PRODUCT])
            fence->ended.last[USE_PRODUCT] = own->issuers[i].last;
}

// The warp relies on what it knows of its block, or the peer, `of`.
static void note_after(sim_checker *checker, check_tmem *own, uint64_t of, uint32_t warp) {
    check_tmem *theirs = check_block_at(checker, of)->tmem;
    bool is_peer = theirs != own;
    for (uint32_t w = 0; theirs && w < CHECK_WARPS; w++)
        for (uint32_t k = 1; k <= FENCES && k <= theirs->before_counts[w]; k++) {
            const before *fence = &theirs->befores[w][(theirs->before_counts[w] - k) % FENCES];
            if (!knows(checker, of, warp, fence->thread, fence->time)) continue;
            own->got[warp][is_peer][w] = fence->ended;
            break;
        }
    for (uint32_t i = 0; theirs && i < theirs->issuer_count; i++) {
        issuer *by = &theirs->issuers[i];
        uint32_t *known = &by->known[is_peer][warp];
        for (uint32_t k = 0; k < by->count; k++) {
            const commit *c = &by->commits[k];
            if (c->time && c->number > *known && knows(checker, of, warp, by->thread, c->time))
                *known = c->number;
        }
    }
}

// ---- Findings -----------------------------------------------------------------------------------

static void report(sim_checker *checker, const use *before, bool wrote, const use *now, bool writes,
                   bool ended) {
    static const char *const texts[] = {
        [USE_LOAD] = "the load may still be reading what is written: tcgen05.wait::ld of its warp "
                     "comes first",
        [USE_STORE] = "the store may not have reached it: tcgen05.wait::st of its warp comes first",
        [USE_PRODUCT] =
            "the product or copy (tcgen05) may still be at work: tcgen05.commit behind it, "
            "and a wait for that mbarrier, come first"};
    static const char unordered[] =
        "nothing orders the two: a barrier of their warps between them, or, behind a product "
        "(tcgen05.mma), tcgen05.commit and a wait for that mbarrier";
    static const char unfenced[] =
        "a relaxed wait alone does not order the two for tensor memory: "
        "tcgen05.fence::after_thread_sync belongs behind it and, unless a commit tells it, "
        "tcgen05.fence::before_thread_sync before what it waits for";
    bool is_new, waited = before->kind != USE_PRODUCT && has_waited(checker, before);
    sim_finding *finding =
        check_find(checker, SIM_CHECK_TENSOR_MEMORY, before->site, now->site, &is_new);
    if (!finding || !is_new) return;
    check_find_side(checker, &finding->sides[0], wrote ? SIM_ACTION_WRITE : SIM_ACTION_READ,
                    before->site, before->block, before->thread);
    check_find_side(checker, &finding->sides[1], writes ? SIM_ACTION_WRITE : SIM_ACTION_READ,
                    now->site, now->block, now->thread);
    snprintf(finding->text, sizeof finding->text, "%s",
             ended    ? unfenced
             : waited ? unordered
                      : texts[before->kind]);
}

// An earlier use of what an instruction uses; false: it has been reported.
static bool judge_one(sim_checker *checker, const use *of, bool wrote, const use *now,
                      bool writes) {
    bool ended = has_ended(checker, of, now);
    if (ended && !lacks_fence(checker, of, now)) return true;
    report(checker, of, wrote, now, writes, ended);
    return false;
}

// One column of it.
static bool judge(sim_checker *checker, const check_tmem *tmem, uint32_t column, uint32_t part,
                  const use *now, bool writes) {
    return judge_one(checker, &tmem->written[column][part], true, now, writes) &&
           (!writes || judge_one(checker, &tmem->read[column][part], false, now, writes));
}

static void use_cells(sim_checker *checker, const sim_tmem_event *event, check_tmem *tmem,
                      const use *now) {
    bool fine = true;
    for (uint32_t i = 0; i < event->count; i++)
        for (uint32_t part = 0; part < PARTS; part++) {
            uint32_t column = event->column + i;
            if (!(event->parts >> part & 1)) continue;
            if (fine) fine = judge(checker, tmem, column, part, now, event->writes);
            if (event->writes) {
                tmem->written[column][part] = *now;
                tmem->read[column][part].kind = USE_NONE;
            } else {
                tmem->read[column][part] = *now;
            }
        }
}

// ---- Events -------------------------------------------------------------------------------------

static void note_commit(issuer *by, const sim_tmem_event *event) {
    if (by->count == COMMITS) { // the oldest that has arrived makes room
        uint32_t i = 0;
        while (i + 1 < COMMITS && by->commits[i].time == 0) i++;
        if (by->commits[i].number > by->forgotten) by->forgotten = by->commits[i].number;
        memmove(&by->commits[i], &by->commits[i + 1], (--by->count - i) * sizeof *by->commits);
    }
    by->commits[by->count++] =
        (commit){.owner = event->owner, .barrier = event->column, .number = ++by->number};
}

void check_on_tmem(void *context, const sim_tmem_event *event) {
    sim_checker *checker = context;
    check_block *block = check_switch_to(checker, event->block);
    check_tmem *own = tmem_of(block), *tmem = tmem_of(check_block_at(checker, event->owner));
    uint32_t lane =
        event->count && !sim_is_tmem_work(event->instr) ? 0 : (uint32_t)__builtin_ctz(event->lanes);
    use now = {.block = event->block,
               .thread = (uint16_t)(32 * event->warp + lane),
               .site = check_site(checker, event->function, event->instr)};
    if (!own || !tmem || checker->exhausted) return;
    checker->clock.touched = true;
    if (event->count == 0 && event->instr->op != SIM_OP_TMEM && !sim_is_tmem_work(event->instr)) {
        check_find_sync(checker, SIM_CHECK_TENSOR_MEMORY, now.site, CHECK_NO_SITE, now.thread,
                        "the address names lanes that the warp does not reach: warp i has lanes 32 "
                        "(i % 4) to 32 (i % 4) + 31, and others are undefined (here: its own)");
        return;
    }
    now.time = check_clock_advance(&checker->clock);
    checker->clock.touched = true; // what comes after it is later
    if (sim_is_tmem_work(event->instr)) {
        issuer *by = issuer_of(own, now.thread, true);
        if (!by) return;
        now.kind = USE_PRODUCT;
        now.number = by->last = by->number + 1;
        by->site = now.site;
        by->of_pair = ((const sim_tmem_product *)event->instr->extra)->blocks > 1;
    } else if (event->count && event->instr->op != SIM_OP_TMEM) {
        now.kind = event->writes ? USE_STORE : USE_LOAD;
        now.number = ++own->moves[event->warp][event->writes];
    } else if (event->instr->variant == SIM_TMEM_COMMIT) {
        issuer *by = issuer_of(own, now.thread, false);
        if (by) note_commit(by, event);
    } else if (event->instr->variant == SIM_TMEM_WAIT_LD ||
               event->instr->variant == SIM_TMEM_WAIT_ST) {
        bool stores = event->instr->variant == SIM_TMEM_WAIT_ST;
        own->waited[event->warp][stores] = own->moves[event->warp][stores];
    } else if (event->instr->variant == SIM_TMEM_FENCE_BEFORE) {
        note_before(own, now.thread, now.time);
    } else if (event->instr->variant == SIM_TMEM_FENCE_AFTER) {
        note_after(checker, own, event->block, event->warp);
        if (sim_launch_cluster_blocks(checker->grid->launch) % PAIR == 0)
            note_after(checker, own, event->block ^ 1, event->warp);
    }
    use_cells(checker, event, tmem, &now);
}

void check_tmem_wait(sim_checker *checker, const sim_sync_event *event) {
    check_tmem *tmem = checker->current->tmem;
    if (!tmem) return;
    if (event->kind != SIM_SYNC_MBARRIER_WAIT) memset(tmem->relaxed, 0, sizeof tmem->relaxed);
    else tmem->relaxed[event->warp] = event->instr->order == SIM_ORDER_RELAXED;
}

void check_tmem_arrive(sim_checker *checker, const sim_sync_event *event) {
    check_tmem *tmem = checker->current->tmem;
    uint32_t thread = 32 * event->warp + (uint32_t)__builtin_ctz(event->lanes);
    issuer *by = tmem ? issuer_of(tmem, thread, false) : NULL;
    for (uint32_t i = 0; by && i < by->count; i++) {
        commit *c = &by->commits[i];
        if (c->time || c->owner != event->owner || c->barrier != event->barrier) continue;
        checker->clock.touched = true;
        c->time = check_clock_advance(&checker->clock);
        checker->clock.touched = true; // the arrival, which passes this on, is later
        return;
    }
}

// The products of a thread are followed by a commit that somebody has waited for. A block that a
// fault has stopped is not judged.
void check_tmem_end(sim_checker *checker, check_block *block) {
    bool alive = false;
    for (uint32_t i = 0; i < block->order.warp_count; i++)
        alive |= block->order.warps[i].alive != 0;
    for (uint32_t i = 0; block->tmem && i < block->tmem->issuer_count; i++) {
        const issuer *by = &block->tmem->issuers[i];
        bool ended = by->last <= by->forgotten || by->of_pair;
        for (uint32_t k = 0; k < by->count; k++)
            ended |= by->commits[k].time && by->commits[k].number >= by->last;
        if (ended || alive) continue;
        check_find_sync(checker, SIM_CHECK_TENSOR_MEMORY, by->site, CHECK_NO_SITE, by->thread,
                        by->last > by->number
                            ? "no tcgen05.commit is behind the product: nobody can wait for it"
                            : "nobody has waited for the mbarrier that tcgen05.commit names behind "
                              "the product: the block has ended before it");
    }
    check_tmem_forget(block);
}
