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
             copies ? "bulk copy" : "product (wgmma)",
             copies ? "copying thread waits" : "product's warps wait");
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
    sim_finding *finding = find_race(checker, event, site, 0, written, address, false);
    if (!finding) return;
    strcpy(finding->text, kl_advice_text(KL_ADVICE_WAIT_BEFORE_TILE));
}

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
