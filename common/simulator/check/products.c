// SPDX-License-Identifier: MIT
// See products.h.
#include "check/products.h"

#include <string.h>

#include "warps/products.h"

static void report_overwritten(sim_checker *checker, const sim_access_event *event, uint32_t site,
                               check_record written, uint64_t address) {
    bool is_new;
    uint32_t writer = check_record_site(written);
    uint64_t position = checker->current->order.position;
    sim_finding *finding = check_find(checker, SIM_CHECK_RACE, site, writer, &is_new);
    if (!finding || !is_new) return;
    check_find_side(checker, &finding->sides[0], SIM_ACTION_READ, site, position, 32 * event->warp);
    check_find_side(checker, &finding->sides[1], SIM_ACTION_WRITE, writer, position,
                    check_record_thread(written));
    check_find_place(checker, finding, PTX_SPACE_SHARED, address, 4);
    strcpy(finding->text, "the tile is overwritten while the product (wgmma) may still read it: "
                          "wgmma.wait_group comes before the barrier that lets others write");
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
