// See rules.h. A fence of the proxy counts whether the thread that has written executes it or the
// one that copies, as both lie on the way from the store to the copy.
#include "check/rules.h"
#include "advice.h"
#include "warps/warp.h"

void check_proxy_fence(sim_checker *checker, const sim_sync_event *event) {
    uint32_t now = check_clock_advance(&checker->clock);
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t thread = 32 * event->warp + (uint32_t)__builtin_ctz(rest);
        checker->current->order.threads[thread].proxied = now;
    }
}

static bool is_of_bulk_copy(const sim_checker *checker, uint32_t site) {
    uint32_t f = check_find_function(checker, site), pc = site - checker->first_site[f];
    const sim_function *function = &checker->grid->launch->program->functions[f];
    return pc < function->code_count && sim_is_bulk(&function->code[pc]);
}

// A race of a read by `lane` with what was written; NULL: told before. write_first: the write is
// the finding's first side.
static sim_finding *find_race(sim_checker *checker, const sim_access_event *event, uint32_t site,
                              uint32_t lane, check_record written, uint64_t address,
                              bool write_first) {
    bool is_new;
    const uint32_t writer = check_record_site(written);
    const uint64_t position = checker->current->order.position;
    sim_finding *finding = check_find(checker, SIM_CHECK_RACE, write_first ? writer : site,
                                      write_first ? site : writer, &is_new);
    if (!finding || !is_new) return NULL;
    check_find_side(checker, &finding->sides[!write_first], SIM_ACTION_WRITE, writer, position,
                    check_record_thread(written));
    check_find_side(checker, &finding->sides[write_first], SIM_ACTION_READ, site, position,
                    32 * event->warp + lane);
    check_find_address(checker, finding, PTX_SPACE_SHARED, address, 4);
    return finding;
}

static void report_unfenced(sim_checker *checker, const sim_access_event *event, uint32_t site,
                            check_record written, uint64_t address) {
    sim_finding *finding = find_race(checker, event, site, (uint32_t)__builtin_ctz(event->lanes),
                                     written, address, true);
    if (!finding) return;
    bool copies = sim_is_bulk(event->instr);
    snprintf(finding->text, sizeof finding->text,
             "the %s may read what was there before the store: the threads that store need "
             "fence.proxy.async (cuda::ptx::fence_proxy_async) before the barrier that the %s at",
             copies ? "bulk copy" : "product",
             copies ? "copying thread waits" : "product's threads wait");
}

// Of one lane; false: it has been reported.
static bool check_lane(sim_checker *checker, const sim_access_event *event, uint32_t site,
                       uint32_t lane) {
    const check_block *block = checker->current;
    const check_cells *cells = &block->shared;
    const check_thread *own = &block->order.threads[32 * event->warp + lane];
    uint64_t address = sim_access_address(event, lane);
    check_record before = 0;
    for (uint64_t at = 0; at < event->bytes; at += UINT64_C(1) << cells->shift) {
        check_record written = cells->write[(address + at) >> cells->shift];
        uint32_t time = check_record_time(written);
        if (written == before) continue;
        before = written;
        if (time < block->order.begin || time >= CHECK_TIME_MAX || time < own->proxied ||
            time < block->order.threads[check_record_thread(written)].proxied ||
            is_of_bulk_copy(checker, check_record_site(written)))
            continue;
        report_unfenced(checker, event, site, written, address + at);
        return false;
    }
    return true;
}

void check_proxy(sim_checker *checker, const sim_access_event *event, uint32_t site) {
    if (event->owner != event->block || event->kind != SIM_ACCESS_READ) return;
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1)
        if (!check_lane(checker, event, site, (uint32_t)__builtin_ctz(rest))) return;
}

static void report_overwritten(sim_checker *checker, const sim_access_event *event, uint32_t site,
                               check_record written, uint64_t address) {
    uint32_t lane = event->product ? 0 : (uint32_t)__builtin_ctz(event->lanes);
    sim_finding *finding = find_race(checker, event, site, lane, written, address, false);
    if (!finding) return;
    strcpy(finding->text, kl_advice_text(event->product ? KL_ADVICE_WAIT_BEFORE_TILE
                                                        : KL_ADVICE_WAIT_BEFORE_REUSE));
}

// ---- bulk stores --------------------------------------------------------------------------------

enum { STORES_MAX = 256 }; // that are known at a time, of a block

// The source has been read, at the latest: what has been written to it since the store came too
// early, and what others write next must be ordered behind this.
static void close_store(sim_checker *checker, check_block *block, uint32_t index, bool waited) {
    check_store store = block->stores[index];
    const check_cells *cells = &block->shared;
    block->stores[index] = block->stores[--block->store_count];
    for (uint64_t at = 0; at < store.event.bytes; at += UINT64_C(1) << cells->shift) {
        check_record written = cells->write[(store.offset + at) >> cells->shift];
        uint32_t time = check_record_time(written);
        if (time < store.begun || time >= CHECK_TIME_MAX) continue;
        report_overwritten(checker, &store.event, store.site, written, store.offset + at);
        return;
    }
    if (!waited || checker->exhausted) return;
    uint64_t addresses[32];
    for (int i = 0; i < 32; i++) addresses[i] = store.offset;
    store.event.addresses = addresses;
    checker->race_access(checker, &store.event, store.site);
    checker->clock.touched = true; // the next barrier orders this, though nothing else comes before
}

void check_stores_begin(sim_checker *checker, const sim_access_event *event, uint32_t site) {
    check_block *block = checker->current;
    if (event->kind != SIM_ACCESS_READ || event->instr->variant != SIM_BULK_TO_GLOBAL) return;
    if (!block->stores) block->stores = malloc(STORES_MAX * sizeof *block->stores);
    if (!block->stores) return;
    if (block->store_count == STORES_MAX) close_store(checker, block, 0, false);
    uint32_t lane = (uint32_t)__builtin_ctz(event->lanes);
    checker->clock.touched = true;
    check_store *store = &block->stores[block->store_count++];
    *store = (check_store){.site = site,
                           .thread = 32 * event->warp + lane,
                           .begun = check_clock_advance(&checker->clock),
                           .offset = sim_access_address(event, lane),
                           .event = *event};
    store->event.addresses = NULL;
}

void check_stores_group(sim_checker *checker, const sim_sync_event *event) {
    check_block *block = checker->current;
    bool commits = event->instr->variant == SIM_BULK_COMMIT;
    for (uint32_t i = block->store_count; i-- > 0;) {
        check_store *store = &block->stores[i];
        if (store->thread / 32 != event->warp || !(event->lanes >> store->thread % 32 & 1))
            continue;
        if (commits) store->groups++;
        else if (store->groups > event->instr->vector) close_store(checker, block, i, true);
    }
}

void check_stores_end(sim_checker *checker, check_block *block) {
    while (block->store_count > 0) close_store(checker, block, block->store_count - 1, false);
}

// ---- products -----------------------------------------------------------------------------------

// Writes between its beginning and its end, whatever orders them before the wait.
void check_products_read(sim_checker *checker, const sim_access_event *event, uint32_t site) {
    const check_cells *cells = &checker->current->shared;
    if (event->product->begun == 0) {
        event->product->begun = check_clock_advance(&checker->clock);
        checker->current->products[event->warp]++;
        checker->current->product_site = site;
        return;
    }
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint64_t address = sim_access_address(event, (uint32_t)__builtin_ctz(rest));
        for (uint64_t at = 0; at < event->bytes; at += UINT64_C(1) << cells->shift) {
            check_record written = cells->write[(address + at) >> cells->shift];
            uint32_t time = check_record_time(written);
            if (time <= event->product->begun || time >= CHECK_TIME_MAX) continue;
            report_overwritten(checker, event, site, written, address + at);
            return;
        }
    }
}

void check_products_end(sim_checker *checker, const check_block *block) {
    enum { GROUP = 4 };
    for (uint32_t i = 0; i < block->order.warp_count; i++) {
        uint32_t first = block->products[i / GROUP * GROUP];
        if (block->products[i] == first || block->order.warps[i].alive) continue;
        check_find_sync(checker, SIM_CHECK_DEADLOCK, block->product_site, CHECK_NO_SITE, 32 * i,
                        "a warp issues another number of products (wgmma) than the first one of "
                        "its warp group: all four must execute each");
        return;
    }
}
