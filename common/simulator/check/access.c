// What the executor's events mean to the checks: blocks that begin and end, and accesses, each
// passed on to race.c and written.c; and tensor maps. Synchronisation: sync.c.
#include "advice.h"
#include "check/bits.h"
#include "check/race.h"
#include "check/rules.h"

// ---- blocks -------------------------------------------------------------------------------------

static bool reserve_shared(check_block *block, uint32_t bytes, bool alone) {
    enum { STRIP_BYTES = 4 * CHECK_STRIP };
    block->shared_bytes = bytes;
    if (bytes <= block->shared_capacity) return true;
    uint32_t capacity = (bytes + 1023) / 1024 * 1024;
    free(block->shared_written);
    free(block->shared.write);
    block->shared_capacity = 0;
    block->shared_written = calloc(capacity / 64 + 1, sizeof *block->shared_written);
    block->shared.write = calloc(1, CHECK_CELLS_BYTES((uint64_t)capacity));
    if (!block->shared_written || !block->shared.write) return false;
    check_cells_split(&block->shared, capacity);
    block->shared_capacity = capacity;
    free(block->interval.strips); // without, the block goes without intervals
    block->interval.strips = alone ? calloc(capacity / STRIP_BYTES + 1, sizeof(check_strip)) : NULL;
    return true;
}

// What an earlier block has left that is younger than everything: copies that never arrived, cells
// whose value is unknown.
static void forget_marks(check_block *block) {
    if ((block->copies || block->shared.unknown) && block->shared.write)
        memset(block->shared.write, 0, block->shared_capacity * sizeof(check_record));
    free(block->shared.unknown);
    block->shared.unknown = NULL;
    check_unknown_forget(block);
    block->copies = false;
}

void check_on_block_begin(void *context, uint32_t worker, uint64_t position,
                          uint32_t shared_bytes) {
    (void)worker;
    sim_checker *checker = context;
    const sim_grid *grid = checker->grid;
    uint32_t threads = (uint32_t)sim_launch_threads(grid->launch);
    check_block *block = check_block_at(checker, position);
    if (!check_order_begin(&block->order, &checker->clock, position, threads) ||
        !reserve_shared(block, shared_bytes ? shared_bytes : 1, checker->block_count == 1))
        checker->exhausted = true;
    forget_marks(block);
    checker->current = NULL;
    check_switch_to(checker, position);
    if (checker->clock.now >= CHECK_TIME_MAX) checker->exhausted = true;
    memset(block->remote, 0, sizeof block->remote);
    block->met = false;
    block->written_below = 0;
    memset(block->products, 0, sizeof block->products);
    block->product_site = CHECK_NO_SITE;
    check_registers_begin(block);
    block->store_count = 0;
    memset(block->fences, 0, sizeof block->fences);
    block->polled = false;
    check_phases_forget(block);
    block->shared.any_strong = false;
    block->shared.shift = checker->bytewise_shared ? 0 : 2;
    if (block->shared_written)
        memset(block->shared_written, 0, block->shared_capacity / 64 * sizeof(uint64_t));
    // The library clears its barriers there bit by bit, by atomics on what it finds.
    const sim_function *function = grid->launch->function;
    if (block->shared_written && function->scratch_bytes)
        check_bits_set(block->shared_written, function->scratch_offset, function->scratch_bytes);
    memset(checker->row_notes->last, 0, sizeof checker->row_notes->last);
    check_interval_begin(checker, block);
}

// Its shared memory goes with a block: what others of the cluster did there must be over.
static void check_remote_users(sim_checker *checker, check_block *block) {
    static const char text[] =
        "nothing keeps the block from ending while another one of its cluster uses its shared "
        "memory: cluster.sync() before it returns does";
    uint32_t each = sim_launch_cluster_blocks(checker->grid->launch);
    uint64_t position = block->order.position, first = position / each * each;
    for (uint32_t i = 0; i < block->order.warp_count; i++)
        if (block->order.warps[i].alive) return; // it has not ended but faulted
    for (uint32_t rank = 0; rank < each; rank++) {
        check_record record = block->remote[rank];
        uint32_t thread = check_record_thread(record), site = check_record_site(record);
        if (!record ||
            check_log_knows(checker->log, &block->order, &block->order.seen, CHECK_ANY_THREAD,
                            first + rank, thread, check_record_time(record)))
            continue;
        bool is_new;
        sim_finding *finding =
            check_find(checker, SIM_CHECK_CLUSTER_LIFE, site, CHECK_NO_SITE, &is_new);
        if (!finding || !is_new) continue;
        check_find_side(checker, &finding->sides[0], SIM_ACTION_NONE, site, first + rank, thread);
        strcpy(finding->text, text);
    }
}

void check_on_block_end(void *context, uint32_t worker, uint64_t position) {
    (void)worker;
    sim_checker *checker = context;
    check_block *block = check_block_at(checker, position);
    check_interval_settle(checker);
    check_remote_users(checker, block);
    if (block->product_site != CHECK_NO_SITE) check_products_end(checker, block);
    if (block->store_count > 0) check_switch_to(checker, position);
    check_stores_end(checker, block);
    check_phases_end(checker, block);
    check_tmem_end(checker, block);
    check_order_end(&block->order, &checker->clock);
}

// ---- accesses -----------------------------------------------------------------------------------

// Before the cluster has met once, the other block need not have started.
static void report_not_started(sim_checker *checker, const sim_access_event *event) {
    check_find_sync(checker, SIM_CHECK_CLUSTER_LIFE,
                    check_site(checker, event->function, event->instr), CHECK_NO_SITE,
                    32 * event->warp + (uint32_t)__builtin_ctz(event->lanes),
                    kl_advice_text(KL_ADVICE_CLUSTER_STARTED));
}

// The first lane whose access leaves the variable that its address is formed from.
static uint32_t first_outside(const sim_symbol *symbol, const sim_access_event *event) {
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t at = sim_access_address(event, lane) - symbol->address;
        if (at >= symbol->size_bytes || event->bytes > symbol->size_bytes - at) return lane;
    }
    return SIM_WARP_LANES;
}

// An index past the end of a variable of shared memory, inside the block's: false.
static __attribute__((noinline)) bool check_variable(sim_checker *checker,
                                                     const sim_access_event *event, uint32_t site) {
    const sim_symbol *symbol = &checker->grid->launch->program->symbols[event->instr->variable - 1];
    uint32_t lane = first_outside(symbol, event);
    bool is_new;
    if (lane == SIM_WARP_LANES) return true;
    sim_finding *finding =
        check_find(checker, SIM_CHECK_OUT_OF_BOUNDS, site, CHECK_NO_SITE, &is_new);
    if (!finding || !is_new) return false;
    static const sim_check_action actions[] = {SIM_ACTION_READ, SIM_ACTION_WRITE, SIM_ACTION_WRITE,
                                               SIM_ACTION_ATOMIC};
    check_find_side(checker, &finding->sides[0], actions[event->kind], site,
                    checker->current->order.position, 32 * event->warp + lane);
    check_find_outside(checker, finding, symbol, sim_access_address(event, lane), event->bytes);
    return false;
}

// The library's atomic on 1 or 2 bytes takes the word around them, which may reach past what holds
// them.
static __attribute__((noinline)) void check_word(sim_checker *checker,
                                                 const sim_access_event *event, uint32_t site) {
    enum { WORD_BYTES = 4 };
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t address = sim_access_address(event, lane), left = WORD_BYTES;
        if (event->space == PTX_SPACE_SHARED) {
            left = check_block_at(checker, event->owner)->shared_bytes - address;
        } else {
            const sim_allocation *found = sim_mem_find(checker->memory, address);
            if (found) left = found->bytes - (address - found->base);
        }
        bool is_new;
        if (left >= WORD_BYTES) continue;
        sim_finding *finding =
            check_find(checker, SIM_CHECK_WORD_ATOMIC, site, CHECK_NO_SITE, &is_new);
        if (!finding || !is_new) return;
        check_find_side(checker, &finding->sides[0], SIM_ACTION_ATOMIC, site,
                        checker->current->order.position, 32 * event->warp + lane);
        check_find_address(checker, finding, event->space, address, WORD_BYTES);
        snprintf(finding->text, sizeof finding->text,
                 "cuda::atomic_ref and its kin work on 1 or 2 bytes by a compare-and-swap of the "
                 "word of 4 bytes around them, which here reaches %" PRIu64
                 " bytes past the end: a card executes it and leaves those bytes as they are, but "
                 "compute-sanitizer reports it; a size that is a multiple of 4 bytes avoids it",
                 WORD_BYTES - left);
        return;
    }
}

// The pages of device memory that an access is to.
static void touch(sim_checker *checker, const sim_access_event *event) {
    for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t offset = sim_access_address(event, lane) - SIM_GLOBAL_BASE;
        check_touch(checker, offset, offset + event->bytes - 1);
    }
}

void check_on_access(void *context, const sim_access_event *event) {
    sim_checker *checker = context;
    check_warp *warp = &check_switch_to(checker, event->block)->order.warps[event->warp];
    uint32_t site = check_site_again(checker, event->function, event->instr);
    check_interval_settle(checker);
    if (event->space == PTX_SPACE_SHARED) check_interval_close(checker, checker->current);
    check_note_site(checker, warp, event->warp, site);
    bool is_remote = event->space == PTX_SPACE_SHARED && event->owner != event->block;
    if (is_remote && !check_block_at(checker, event->owner)->met)
        report_not_started(checker, event);
    if (event->space == PTX_SPACE_LOCAL) {
        check_local(checker, event);
        check_unknown_local(checker, event);
        return;
    }
    checker->clock.touched = true;
    if (event->instr->scattered && event->space == PTX_SPACE_GLOBAL)
        sim_mem_note_scatter(checker->memory,
                             sim_access_address(event, (uint32_t)__builtin_ctz(event->lanes)));
    if (checker->current->order.strayed) {
        check_mark_written(checker, event);
        return;
    }
    if (event->space == PTX_SPACE_GLOBAL) touch(checker, event);
    if (event->kind == SIM_ACCESS_ATOMIC && sim_is_word_atomic(event->function, event->instr))
        check_word(checker, event, site);
    bool inside = !event->instr->variable || is_remote || event->space != PTX_SPACE_SHARED ||
                  check_variable(checker, event, site);
    if (check_is_async(event->instr) && event->space == PTX_SPACE_SHARED)
        check_proxy(checker, event, site);
    if (sim_is_bulk(event->instr) && event->space == PTX_SPACE_SHARED)
        check_stores_begin(checker, event, site);
    if (event->product && !checker->exhausted) check_products_read(checker, event, site);
    if (sim_is_mbarrier(event->instr) && event->kind == SIM_ACCESS_WRITE)
        for (uint32_t rest = event->lanes; rest; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            check_phases_init(checker->current, (uint32_t)sim_access_address(event, lane),
                              32 * event->warp + lane, checker->clock.now, site);
        }
    bool uses = event->kind == SIM_ACCESS_ATOMIC && !is_remote && sim_uses_mbarrier(event->instr);
    uint32_t stranger = uses ? check_phases_stranger(checker, event) : CHECK_NO_THREAD;
    if (inside && !checker->exhausted) checker->race_access(checker, event, site);
    if (stranger != CHECK_NO_THREAD) check_phases_report(checker, event, stranger, site);
    checker->clock.touched = true;
    if (event->space == PTX_SPACE_GLOBAL && check_unknown_may_store(event))
        check_unknown_leaves(checker, event);
    if (event->kind == SIM_ACCESS_BEGIN) {
        checker->current->copies = true;
        if (sim_is_bulk(event->instr)) check_phases_copy(checker, event);
    } else if (inside || event->kind != SIM_ACCESS_READ) check_written(checker, event);
}

// What the CUDA C++ Programming Guide asks of wmma's pointer and stride ("Warp Matrix Functions"):
// a GPU stops at some of the addresses that break it, and reads wrong elements at others.
void check_on_matrix(void *context, const sim_access_event *event) {
    enum { POINTER = 32 };
    sim_checker *checker = context;
    const sim_matrix *matrix = event->instr->extra;
    uint32_t bits = sim_element_bits(sim_matrix_element(matrix, (sim_matrix_part)matrix->part));
    int64_t multiple = bits < 16 ? 8 : 16; // a column of eight bytes is a matrix of its own shape
    uint64_t address = event->base[0];
    uint32_t site = check_site(checker, event->function, event->instr);
    char text[256];
    bool is_new;
    if (address % POINTER == 0 && event->stride % multiple == 0) return;
    check_switch_to(checker, event->block);
    sim_finding *finding = check_find(checker, SIM_CHECK_MISALIGNED, site, CHECK_NO_SITE, &is_new);
    if (!finding || !is_new) return;
    if (event->stride % multiple)
        snprintf(text, sizeof text,
                 "the stride of a wmma matrix must be a multiple of %" PRId64
                 " bytes (8 half, 4 float), and "
                 "this one is %" PRId64 " bytes",
                 multiple, event->stride);
    else
        snprintf(text, sizeof text,
                 "the address of a wmma matrix must be a multiple of %d bytes, and 0x%" PRIx64
                 " is %" PRIu64 " bytes past one",
                 POINTER, address, address % POINTER);
    check_find_side(checker, &finding->sides[0],
                    event->kind == SIM_ACCESS_READ ? SIM_ACTION_READ : SIM_ACTION_WRITE, site,
                    checker->current->order.position, 32 * event->warp);
    finding->address = address;
    strcpy(finding->text, text);
}

// ---- what tensor maps say of the memory that they describe, and where boxes lie -----------------

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
