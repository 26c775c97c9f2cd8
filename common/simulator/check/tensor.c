// What the tensor maps of bulk copies say of the memory that they describe, and where boxes lie.
#include "check/internal.h"

static void tell_map(sim_checker *checker, const sim_tensor_event *event, const char *text) {
    uint32_t site = check_site(checker, event->function, event->instr);
    check_find_sync(checker, SIM_CHECK_OUT_OF_BOUNDS, site, CHECK_NO_SITE,
                    32 * event->warp + event->lane, text);
}

void check_on_tensor(void *context, const sim_tensor_event *event) {
    sim_checker *checker = context;
    char text[256];
    uint64_t span = sim_tensor_span_bytes(event->map);
    const sim_allocation *found = sim_mem_find(checker->memory, event->map->address);
    check_block *block = check_switch_to(checker, event->block);
    if (event->to_others && !block->met)
        check_find_sync(checker, SIM_CHECK_CLUSTER_LIFE,
                        check_site(checker, event->function, event->instr), CHECK_NO_SITE,
                        32 * event->warp + event->lane,
                        "nothing tells that the other blocks of the cluster have started and made "
                        "their barriers: cluster.sync() before the first copy to them does");
    uint64_t behind = found ? found->bytes - (event->map->address - found->base) : 0;
    if (found && span > behind &&
        !sim_mem_goes_on(checker->memory, found, event->map->address + span)) {
        snprintf(text, sizeof text,
                 "the tensor map describes %" PRIu64 " bytes, and the allocation that it points "
                 "into has %" PRIu64 " from there on: dimensions and strides count elements and "
                 "bytes, the innermost first",
                 span, behind);
        tell_map(checker, event, text);
    } else if (event->is_far_outside) {
        tell_map(checker, event,
                 "the box lies outside of the tensor, further away than it is long: coordinates "
                 "count elements, the innermost first, not boxes");
    }
}
