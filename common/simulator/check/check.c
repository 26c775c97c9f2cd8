// The checker's life: shadow memory, what the host does to device memory, launches, the report.

#include "check/rules.h"
#include "check/bits.h"
#include "check/race.h"
#include "ops/ops.h"
#include <sys/mman.h>

static uint64_t round_pages(uint64_t bytes) { return (bytes + 4095) / 4096 * 4096; }

// Zeroes that take host memory only where they are used.
static void *map_zeroes(uint64_t bytes) {
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

// The instructions of a warp that is watched: because it holds unknown values, or because its
// kernel has products of warp groups.
static bool on_step(void *context, const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                    uint32_t on) {
    sim_checker *checker = context;
    bool products = checker->observer.watches_all;
    if (products && on) {
        check_switch_to(checker, warp->block->index);
        check_registers_step(checker, warp, instr);
    }
    return check_unknown_step(checker, warp, instr, lanes, on) || products;
}

// Of those that were built: one, or both, of which this machine runs the second or not.
static void choose_variant(sim_checker *checker) {
#ifdef CHECK_HAS_base
    checker->race_access = check_race_access_base;
    checker->observer.rows = check_on_rows_base;
#endif
#ifdef CHECK_HAS_v3
    if (sim_exec_table_for_host() != &sim_exec_table_v3) return;
    checker->race_access = check_race_access_v3;
    checker->observer.rows = check_on_rows_v3;
#endif
}

sim_status sim_checker_new(sim_memory *memory, uint64_t most_elements, sim_checker **out_checker,
                           kl_error *err) {
    sim_checker *checker = calloc(1, sizeof *checker);
    if (checker) checker->log = check_log_new();
    if (checker) checker->relaxed = check_log_new();
    if (checker) checker->row_notes = calloc(1, sizeof *checker->row_notes);
    if (!checker || !checker->row_notes || !checker->log || !checker->relaxed ||
        !check_streams_new(checker)) {
        sim_checker_free(checker);
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for the checks");
    }
    checker->memory = memory;
    checker->most_elements = most_elements;
    checker->clock.now = 1;
    checker->observer = (sim_observer){.context = checker,
                                       .notes = checker->row_notes,
                                       .block_begin = check_on_block_begin,
                                       .block_end = check_on_block_end,
                                       .access = check_on_access,
                                       .matrix = check_on_matrix,
                                       .tensor = check_on_tensor,
                                       .tmem = check_on_tmem,
                                       .step = on_step,
                                       .entered = check_unknown_enter,
                                       .sync = check_on_sync,
                                       .local_reserved = check_on_local,
                                       .heap_allocated = check_on_heap,
                                       .launched = check_on_launched,
                                       .shuffle_from_absent = check_on_absent_lane,
                                       .misprints = check_on_misprint};
    choose_variant(checker);
    *out_checker = checker;
    return SIM_OK;
}

static void free_blocks(sim_checker *checker) {
    for (uint64_t i = 0; i < checker->block_count; i++) {
        check_block *block = &checker->blocks[i];
        check_order_end(&block->order, &checker->clock);
        check_order_free(&block->order);
        free(block->shared_written);
        free(block->shared.write);
        free(block->shared.unknown);
        free(block->interval.strips);
        check_unknown_free(block);
        check_registers_free(block);
        free(block->stores);
        check_phases_forget(block);
        check_tmem_forget(block);
    }
    free(checker->blocks);
    checker->blocks = checker->current = NULL;
    checker->block_count = 0;
}

// What is of a launch.
static void free_launch(sim_checker *checker) {
    free_blocks(checker);
    check_log_free(checker->log);
    check_log_free(checker->relaxed);
    free(checker->first_site);
    free(checker->owners);
    free(checker->runs);
    free(checker->doubts);
}

static void unmap_cells(sim_checker *checker) {
    check_streams_moved(checker);
    if (checker->global.count)
        munmap(checker->global.write, CHECK_CELLS_BYTES(checker->global.count));
    checker->global.count = 0;
}

void sim_checker_free(sim_checker *checker) {
    if (!checker) return;
    free_launch(checker);
    unmap_cells(checker);
    if (checker->written_bytes) munmap(checker->written, checker->written_bytes / 8);
    for (check_know *know = checker->clock.spare, *next; know; know = next) {
        memcpy(&next, know->at, sizeof next);
        free(know);
    }
    check_streams_free(checker);
    free(checker->row_notes);
    free(checker->numbers);
    free(checker->findings);
    free(checker->notes);
    free(checker->host_reads);
    free(checker);
}

// ---- memory -------------------------------------------------------------------------------------

// Bits for all memory that has ever been allocated, the old ones kept.
static bool grow_written(sim_checker *checker) {
    uint64_t span = sim_mem_high_water(checker->memory) - SIM_GLOBAL_BASE + 4096;
    if (span <= checker->written_bytes) return true;
    uint64_t bytes = round_pages(2 * span / 8) * 8;
    uint64_t *bits = checker->written_bytes ? mremap(checker->written, checker->written_bytes / 8,
                                                     bytes / 8, MREMAP_MAYMOVE)
                                            : map_zeroes(bytes / 8);
    if (!bits || bits == MAP_FAILED) return false;
    checker->written = bits;
    checker->written_bytes = bytes;
    return true;
}

// The program goes on, unchecked: what fails is the tool.
static void give_up(sim_checker *checker, const char *what) {
    char text[256];
    snprintf(text, sizeof text,
             "the simulator's process gets no memory to %s (a limit such as ulimit -v?): the "
             "program ran on without",
             what);
    sim_checker_host_finding(checker, SIM_CHECK_NOT_CHECKED, text);
}

sim_status sim_checker_allocated(sim_checker *checker, uint64_t address, bool by_program,
                                 kl_error *err) {
    const sim_allocation *made = sim_mem_find(checker->memory, address);
    if (!checker->blind && !grow_written(checker)) {
        checker->blind = true;
        give_up(checker, "remember which memory was written");
    }
    check_streams_renewed(checker, address, made->bytes);
    if (checker->blind) return SIM_OK;
    if (!by_program) {
        check_bits_set(checker->written, address - SIM_GLOBAL_BASE, made->bytes);
        return SIM_OK;
    }
    check_bits_clear(checker->written, address - SIM_GLOBAL_BASE, made->bytes);
    if (!sim_reserve(&checker->numbers, &checker->number_capacity, checker->number_count,
                     sizeof *checker->numbers))
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory to count allocations");
    checker->numbers[checker->number_count] = (check_number){made->id, checker->number_count + 1};
    checker->number_count++;
    return SIM_OK;
}

void sim_checker_written(sim_checker *checker, uint64_t address, uint64_t bytes) {
    if (!checker->blind) check_bits_set(checker->written, address - SIM_GLOBAL_BASE, bytes);
}

void sim_checker_copied(sim_checker *checker, uint64_t destination, uint64_t source,
                        uint64_t bytes) {
    if (checker->blind) return;
    check_bits_copy(checker->written, destination - SIM_GLOBAL_BASE, source - SIM_GLOBAL_BASE,
                    bytes);
}

// FNV-1a, 64 bits.
void sim_checker_host_read(sim_checker *checker, const void *data, uint64_t bytes) {
    const uint8_t *at = data;
    uint64_t digest = UINT64_C(0xCBF29CE484222325);
    for (uint64_t i = 0; i < bytes; i++) digest = (digest ^ at[i]) * UINT64_C(0x100000001B3);
    if (checker->host_read_count == CHECK_HOST_READS) return;
    if (!sim_reserve(&checker->host_reads, &checker->host_read_capacity, checker->host_read_count,
                     sizeof *checker->host_reads))
        return;
    checker->host_reads[checker->host_read_count++] = digest;
}

void sim_checker_bad_free(sim_checker *checker, uint64_t address, const char *text) {
    sim_finding *finding = check_find_plain(checker, SIM_CHECK_BAD_FREE);
    if (!finding) return;
    finding->address = address;
    snprintf(finding->space, sizeof finding->space, "global");
    snprintf(finding->text, sizeof finding->text, "%s", text);
}

// ---- launches -----------------------------------------------------------------------------------

// Whether a kernel and all that it may call access memory in pieces of less than 4 bytes.
// Likewise whether they have bulk copies that read shared memory.
static void find_narrow(sim_checker *checker, const sim_program *program,
                        const sim_function *function, bool *seen, bool *out_global,
                        bool *out_shared) {
    uint32_t index = (uint32_t)(function - program->functions);
    if (seen[index]) return;
    seen[index] = true;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        bool direct = sim_is_call(instr) && !(instr->mods & SIM_MOD_INDIRECT) &&
                      !((const sim_call *)instr->extra)->is_builtin;
        if (direct)
            find_narrow(checker, program, &program->functions[instr->target], seen, out_global,
                        out_shared);
        for (uint32_t f = 0;
             sim_is_call(instr) && instr->mods & SIM_MOD_INDIRECT && f < program->function_count;
             f++)
            if (!program->functions[f].is_entry)
                find_narrow(checker, program, &program->functions[f], seen, out_global, out_shared);
        bool fills = sim_is_bulk(instr) && instr->variant == SIM_BULK_TO_SHARED;
        checker->async_reads |= check_is_async(instr) && !fills;
        checker->read_only |= check_is_read_only(instr);
        checker->active_lanes |= instr->op == SIM_OP_ACTIVEMASK;
        checker->of_block |= check_is_of_block(instr) && instr->space != PTX_SPACE_SHARED;
        checker->observer.watches_all |= sim_is_wgmma(instr);
        // Of a formatted store the object alone knows the size.
        if (instr->op == SIM_OP_SUST)
            *out_global |= (instr->mods & SIM_MOD_FORMATTED) != 0 ||
                           ptx_type_bytes((ptx_type)instr->type) * instr->vector < 4;
        bool memory = sim_is_load(instr) || sim_is_write(instr);
        if (!memory || ptx_type_bytes((ptx_type)instr->type) >= 4) continue;
        *out_global |= instr->space == PTX_SPACE_GLOBAL || instr->space == PTX_SPACE_NONE;
        *out_shared |= instr->space == PTX_SPACE_SHARED || instr->space == PTX_SPACE_NONE;
    }
}

static bool prepare_sites(sim_checker *checker, const sim_grid *grid) {
    const sim_program *program = grid->launch->program;
    uint32_t *first = realloc(checker->first_site, program->function_count * sizeof *first);
    bool *seen = calloc(program->function_count, sizeof *seen);
    if (first) checker->first_site = first;
    checker->last_function = NULL;
    if (!first || !seen) {
        free(seen);
        return false;
    }
    uint32_t next = 0;
    for (uint32_t f = 0; f < program->function_count; f++) {
        first[f] = next;
        next += program->functions[f].code_count + 1;
    }
    bool global = false;
    checker->bytewise_shared = checker->async_reads = checker->of_block = checker->read_only =
        checker->active_lanes = false;
    checker->observer.watches_all = false;
    find_narrow(checker, program, grid->launch->function, seen, &global, &checker->bytewise_shared);
    for (uint32_t f = 0; grid->children && f < program->function_count; f++) // cells outlive a grid
        find_narrow(checker, program, &program->functions[f], seen, &global,
                    &checker->bytewise_shared);
    uint32_t shift = global ? 0 : 2;
    if (shift != checker->global.shift) check_streams_moved(checker);
    checker->global.shift = shift;
    memset(checker->behind, 0, sizeof checker->behind);
    free(seen);
    if (checker->run_count > 1) return true;
    memset(checker->pairs, 0, sizeof checker->pairs); // sites are of this program now
    return true;
}

// Cells for all of device memory, zeroed when they move.
static bool prepare_cells(sim_checker *checker) {
    check_cells *cells = &checker->global;
    cells->any_strong = cells->any_strong && checker->run_count > 1;
    uint64_t span = sim_mem_high_water(checker->memory) - SIM_GLOBAL_BASE + 4096;
    uint64_t count = round_pages(span >> cells->shift);
    if (!check_touched_reserve(checker->streams, span)) return false;
    checker->touched = checker->streams->touched;
    if (count <= cells->count) return true;
    unmap_cells(checker);
    // Room for as much again: a program that allocates between launches would move them each time.
    cells->write = map_zeroes(CHECK_CELLS_BYTES(2 * count));
    if (cells->write) count *= 2;
    else cells->write = map_zeroes(CHECK_CELLS_BYTES(count));
    if (!cells->write) return false;
    check_cells_split(cells, count);
    return true;
}

static bool prepare_blocks(sim_checker *checker, const sim_grid *grid) {
    uint64_t count = sim_launch_cluster_blocks(grid->launch);
    uint64_t all = sim_launch_blocks(grid->launch);
    if (grid->launch->config.cooperative || grid->resident) count = all;
    // Those of a grid that waits may become alive together (sim_grid_widen), and without intervals
    // no note of theirs is open when it is set aside.
    if (grid->waits && count < all) count = all < SIM_WIDEN_CHECKED ? all : SIM_WIDEN_CHECKED;
    if (grid->waits && count < 2) count = 2;
    if (count > 1 || checker->block_count != 1) {
        free_blocks(checker);
        checker->blocks = calloc(count, sizeof *checker->blocks);
        if (!checker->blocks) return false;
        checker->block_count = count;
    }
    return true;
}

// Long before times run out in the middle of a launch, they start again between two.
static void renew_times(sim_checker *checker) {
    if (checker->clock.now > CHECK_TIME_MAX / 2 && checker->parked == 0) {
        unmap_cells(checker);
        free_blocks(checker);
        checker->clock.now = 1;
    }
    checker->clock.touched = true;
    checker->launch_begin = check_clock_advance(&checker->clock);
}

// What is of one launch of the host.
static void begin_tree(sim_checker *checker) {
    renew_times(checker);
    checker->owner_count = checker->run_count = 0;
    checker->exhausted = checker->strayed = false;
    checker->interval_credit = 0;
    if (checker->any_synced) memset(checker->synced, 0, sizeof checker->synced);
    checker->any_synced = false;
}

// Loops whose index has fewer bits than the largest number of elements. Small numbers are those of
// blocks and the like, too: they tell nothing.
static void check_index_width(sim_checker *checker, const sim_launch *launch) {
    enum { LEAST = 65536 };
    const sim_function *kernel = launch->function;
    if (checker->most_elements >> 31 == 0) return;
    for (uint32_t i = 0; i < kernel->narrow_count; i++) {
        const sim_narrow_loop *loop = &kernel->narrow[i];
        uint64_t bound = 0;
        if (loop->offset + loop->bytes > launch->param_bytes) continue;
        memcpy(&bound, (const char *)launch->params + loop->offset, loop->bytes);
        if (bound >= LEAST && bound >> 31 == 0)
            check_find_narrow(checker, &kernel->code[loop->pc], bound);
    }
}

sim_status sim_checker_launch_begin(sim_checker *checker, sim_grid *grid,
                                    const sim_check_descent *descent, kl_error *err) {
    if (!descent) begin_tree(checker);
    checker->grid = grid;
    checker->launch = (uint32_t)grid->index;
    checker->current = NULL;
    check_log_clear(checker->log);
    check_log_clear(checker->relaxed);
    // The heap's shadow must be there before the grid makes the heap.
    bool heap = !grid->launch->function->bound->calls_heap || sim_mem_heap_create(checker->memory);
    if (!check_run_begin(checker, grid, descent) || !heap || !prepare_sites(checker, grid))
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for the checks of a launch");
    if (checker->blind || !grow_written(checker) || !prepare_cells(checker) ||
        !prepare_blocks(checker, grid)) {
        checker->blind = true; // of what this launch writes, too
        give_up(checker, "check a launch");
        return SIM_OK;
    }
    grid->observer = &checker->observer;
    grid->lanes_apart = checker->active_lanes && grid->schedule.kind == SIM_SCHEDULE_ALTERNATING;
    if (checker->active_lanes) checker->depends |= SIM_DEPENDS_ON_ACTIVE_LANES;
    check_index_width(checker, grid->launch);
    return SIM_OK;
}

void sim_checker_launch_end(sim_checker *checker, const sim_grid_result *result,
                            double host_seconds) {
    check_find_settle(checker);
    if (result->fault.kind == SIM_OK) {
        check_pattern_settle(checker);
    } else {
        check_find_fault(checker, &result->fault);
        checker->faulted = true;
    }
    checker->launches++;
    checker->warp_instructions += result->recorded.warp_instructions;
    checker->host_seconds += host_seconds;
    checker->times_exhausted |= checker->exhausted;
    checker->grid = NULL;
    checker->current = NULL;
}

// ---- launches that are set aside ----------------------------------------------------------------

// What is of the running launch, and what is of that which was checked before it.
struct check_parked {
    sim_checker other; // only what is of one launch
    uint32_t shift, call;
    bool any_strong, watches_all;
};

static void swap_launch(sim_checker *a, sim_checker *b) {
    char *left = (char *)&a->grid, *right = (char *)&b->grid, piece[4096];
    size_t bytes = sizeof *a - offsetof(sim_checker, grid);
    for (size_t at = 0; at < bytes; at += sizeof piece) {
        size_t each = bytes - at < sizeof piece ? bytes - at : sizeof piece;
        memcpy(piece, left + at, each);
        memcpy(left + at, right + at, each);
        memcpy(right + at, piece, each);
    }
}

static check_parked *new_parked(void) {
    check_parked *parked = calloc(1, sizeof *parked);
    if (parked) parked->other.log = check_log_new();
    if (parked) parked->other.relaxed = check_log_new();
    if (!parked || (parked->other.log && parked->other.relaxed)) return parked;
    free_launch(&parked->other);
    free(parked);
    return NULL;
}

check_parked *sim_checker_launch_park(sim_checker *checker, check_parked *parked, sim_queue queue) {
    if (!parked) parked = new_parked();
    if (!parked) return NULL;
    const sim_grid *grid = checker->grid;
    parked->call = checker->streams->now.call;
    checker->grid = NULL; // what streams are told of is no kernel's
    sim_checker_launch_done(checker, queue);
    checker->grid = grid;
    parked->shift = checker->global.shift;
    parked->any_strong = checker->global.any_strong;
    parked->watches_all = checker->observer.watches_all;
    swap_launch(checker, &parked->other);
    checker->parked++;
    return parked;
}

// What it did before counts as of an earlier launch in its stream: that can hide a race, never make
// one up.
void sim_checker_launch_take_up(sim_checker *checker, check_parked *parked, sim_queue queue) {
    checker->parked--;
    const sim_launch *launch = parked->other.grid ? parked->other.grid->launch : NULL;
    sim_checker_launch_submit(checker, queue, launch->program, launch->function);
    checker->streams->now.call = parked->call;
    swap_launch(checker, &parked->other);
    if (checker->global.shift != parked->shift) check_streams_moved(checker);
    checker->global.shift = parked->shift;
    checker->global.any_strong = parked->any_strong;
    checker->observer.watches_all = parked->watches_all;
    checker->clock.touched = true;
    checker->launch_begin = checker->run_begin = check_clock_advance(&checker->clock);
    checker->current = NULL;
}

void sim_checker_parked_free(sim_checker *checker, check_parked *parked) {
    if (!parked) return;
    free_launch(checker);
    swap_launch(checker, &parked->other);
    free(parked);
}

// ---- other findings -----------------------------------------------------------------------------

void sim_checker_host_finding(sim_checker *checker, sim_check_class kind, const char *text) {
    for (uint32_t i = 0; i < checker->finding_count; i++)
        if (checker->findings[i].kind == kind && strcmp(checker->findings[i].text, text) == 0) {
            checker->findings[i].count++;
            return;
        }
    sim_finding *finding = check_find_plain(checker, kind);
    if (finding) snprintf(finding->text, sizeof finding->text, "%s", text);
}

uint32_t sim_checker_library_findings(sim_checker *checker, const char *text) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < checker->finding_count; i++) {
        sim_finding *finding = &checker->findings[i];
        size_t used = strlen(finding->text);
        if (!sim_kernel_library(finding->kernel) || strstr(finding->text, "\nat ")) continue;
        count++;
        if (text) snprintf(finding->text + used, sizeof finding->text - used, "%s", text);
    }
    return count;
}

void sim_checker_unchecked_launch(sim_checker *checker, const sim_program *program,
                                  const sim_function *function, const char *text) {
    for (uint32_t i = 0; i < checker->finding_count; i++) {
        sim_finding *f = &checker->findings[i];
        if (f->kind != SIM_CHECK_UNCHECKED_LAUNCH || strcmp(f->kernel, function->name) != 0 ||
            strcmp(f->text, text) != 0)
            continue;
        f->count++;
        return;
    }
    sim_finding *finding = check_find_plain(checker, SIM_CHECK_UNCHECKED_LAUNCH);
    if (!finding) return;
    snprintf(finding->kernel, sizeof finding->kernel, "%s", function->name);
    snprintf(finding->text, sizeof finding->text, "%s", text);
    for (uint32_t i = 0; i < function->location_count; i++) {
        const sim_location *location = &function->locations[i];
        if (!location->line || location->file >= program->file_count) continue;
        finding->sides[0].line = location->line;
        snprintf(finding->sides[0].file, sizeof finding->sides[0].file, "%s",
                 program->files[location->file]);
        return;
    }
}
