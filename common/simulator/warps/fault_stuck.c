// Threads that do not get on, in words: who waits, where, for what, and who would have to come.
#include "warps/split.h"

const char *sim_lanes_text(uint32_t lanes, char *text, size_t bytes) {
    enum { RANGES = 6 };
    bool one = (lanes & (lanes - 1)) == 0;
    size_t used = (size_t)snprintf(text, bytes, one ? "lane" : "lanes");
    for (uint32_t lane = 0, count = 0; lane < SIM_WARP_LANES && used < bytes; lane++) {
        uint32_t last = lane;
        if (!(lanes >> lane & 1)) continue;
        while (last + 1 < SIM_WARP_LANES && lanes >> (last + 1) & 1) last++;
        const char *before = count == 0 ? " " : ", ";
        if (++count > RANGES) { // every second one, say
            snprintf(text + used, bytes - used, ", .. (%d lanes)", __builtin_popcount(lanes));
            break;
        }
        used += (size_t)snprintf(text + used, bytes - used, "%s%u", before, lane);
        if (last > lane && used < bytes)
            used += (size_t)snprintf(text + used, bytes - used, " to %u", last);
        lane = last;
    }
    return text;
}

// A line of a diagnosis: warps in a row of which the same is to be said share it.
typedef struct state_line {
    sim_fault *fault;     // that it becomes a part of
    uint32_t first, last; // warps
    char text[768];       // "lanes .. at ..: .."; empty: no line yet
} state_line;

static void end_line(state_line *line) {
    if (line->text[0] == '\0') return;
    if (line->first == line->last)
        sim_fault_append(line->fault, "\n  warp %u, %s", line->first, line->text);
    else
        sim_fault_append(line->fault, "\n  warps %u to %u, %s", line->first, line->last,
                         line->text);
    line->text[0] = '\0';
}

static void add_line(state_line *line, uint32_t warp, const char *text) {
    if (strcmp(line->text, text) == 0 && warp == line->last + 1) {
        line->last = warp;
        return;
    }
    end_line(line);
    line->first = line->last = warp;
    snprintf(line->text, sizeof line->text, "%s", text);
}

// ---- What polls wait for ----

static const struct {
    const char *call, *waits;
} wait_calls[] = {
    {"", ""},
#define SIM_WAIT_CALL(id, class, function, call, waits) {call, waits},
#include "program/wait_calls.def"
#undef SIM_WAIT_CALL
};

// What the lanes at `pc` of `frame` look at again and again.
typedef struct polled {
    const sim_instr *instr; // NULL: not known
    const sim_frame *frame; // of it
    uint32_t call;          // sim_wait_call
    bool polls;             // it looks at what others write, perhaps in a function that it calls
} polled;

static polled find_polled(const sim_warp *warp, const sim_frame *frame, uint32_t pc) {
    polled found = {.instr = NULL, .frame = frame};
    const sim_exits *exits = sim_warp_exits(warp, frame, pc, &found.frame);
    found.polls = exits && exits->reads_memory;
    if (!exits || exits->look_pc == SIM_PC_EXIT) return found;
    found.instr = &found.frame->function->code[exits->look_pc];
    sim_code_site at = sim_fault_site(found.frame, found.instr);
    if (at.instr->location < at.function->location_count)
        found.call = at.function->locations[at.instr->location].call;
    return found;
}

// "flag", "index 3 of tile": the variable that holds an address, in the source's words.
static void variable_text(const sim_warp *warp, uint64_t address, uint32_t bytes, char *text,
                          size_t text_bytes) {
    const sim_block *block = warp->block;
    const sim_program *program = block->grid->launch->program;
    bool shared = address - SIM_SHARED_WINDOW < SIM_CLUSTER_WINDOW_BYTES;
    uint64_t offset = shared ? sim_wide_shared_offset(warp, address) : address;
    for (uint32_t i = 0; i < program->symbol_count; i++) {
        const sim_symbol *symbol = &program->symbols[i];
        char own[64];
        int length;
        if ((symbol->space == PTX_SPACE_SHARED) != shared || offset < symbol->address ||
            offset - symbol->address >= symbol->size_bytes)
            continue;
        const char *name =
            sim_kernel_name(sim_variable_name(symbol->name, own, sizeof own), &length);
        if (symbol->size_bytes == bytes) snprintf(text, text_bytes, "%.*s", length, name);
        else
            snprintf(text, text_bytes, "byte %" PRIu64 " of %.*s", offset - symbol->address, length,
                     name);
        return;
    }
    const sim_allocation *array = shared ? NULL : sim_mem_find(block->grid->memory, address);
    uint64_t pointer = 0;
    uint32_t argument = array ? sim_grid_argument_into(block->grid, array, &pointer) : 0;
    if (argument && (address - pointer) % bytes == 0)
        snprintf(text, text_bytes, "index %" PRId64 " of argument %" PRIu32 " of the kernel",
                 (int64_t)(address - pointer) / (int64_t)bytes, argument);
    else
        snprintf(text, text_bytes,
                 shared ? "byte %" PRIu64 " of shared memory" : "global address 0x%" PRIx64,
                 offset);
}

// "waits for flag, which holds 0, to change". False: it is not known where it looks.
static bool polled_text(const sim_warp *warp, const polled *at, uint32_t lane, char *text,
                        size_t text_bytes) {
    const sim_instr *instr = at->instr;
    uint32_t bytes = ptx_type_bytes((ptx_type)instr->type);
    bool known = (sim_is_ld(instr) || sim_is_atom(instr)) && instr->vector <= 1 &&
                 instr->dst != instr->src[0] && bytes >= 1 && bytes <= 8;
    uint64_t address = 0, value = 0;
    if (!known) return false;
    if (instr->mods & SIM_MOD_ADDRESS32)
        address = ((const uint32_t *)(at->frame->registers + instr->src[0]))[lane];
    else address = ((const uint64_t *)(at->frame->registers + instr->src[0]))[lane];
    address += (uint64_t)instr->offset;
    if (instr->space == PTX_SPACE_SHARED) address += SIM_SHARED_WINDOW;
    const uint8_t *host = sim_warp_peek(warp, lane, address, bytes);
    if (!host) return false;
    char name[160];
    memcpy(&value, host, bytes);
    variable_text(warp, address, bytes, name, sizeof name);
    snprintf(text, text_bytes, "waits for %s, which holds %" PRId64 ", to change%s", name,
             bytes == 4 ? (int64_t)(int32_t)value : (int64_t)value,
             sim_is_swap(instr)
                 ? "; if that is a lock, the thread that took it must release it on every way out"
                 : "");
    return true;
}

// What lanes that run are doing, as a line of a diagnosis ends with it.
static void running_text(const sim_warp *warp, const sim_frame *frame, uint32_t pc, uint32_t lanes,
                         char *text, size_t bytes) {
    polled at = find_polled(warp, frame, pc);
    uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    if (warp->block->fault.kind != SIM_DEADLOCK)
        snprintf(text, bytes, "running"); // it may well get on
    else if (at.call != SIM_WAIT_NONE)
        snprintf(text, bytes, "%s %s", wait_calls[at.call].call, wait_calls[at.call].waits);
    else if (!at.instr || !polled_text(warp, &at, lane, text, bytes))
        snprintf(text, bytes, at.polls ? "waits for memory to change" : "running");
}

// What the lanes of a split are waiting for.
static void add_waiting(const sim_block *block, state_line *line, const sim_warp *warp,
                        const sim_split *split) {
    const sim_function *function = split->frame->function;
    bool barrier = split->state == SIM_SPLIT_BARRIER;
    const sim_instr *instr = &function->code[barrier ? split->pc - 1 : split->pc];
    sim_code_site at = sim_fault_site(split->frame, instr);
    char place[512], text[sizeof line->text];
    sim_fault_line_text(block, at.function, at.instr, place, sizeof place);
    char lanes[96];
    int used = snprintf(text, sizeof text,
                        "%s at %s: ", sim_lanes_text(split->lanes, lanes, sizeof lanes), place);
    char *end = text + used;
    size_t left = sizeof text - (size_t)used;
    if (barrier) {
        const sim_barrier *state = &block->barriers[split->barrier];
        uint32_t expected = state->expected_threads ? state->expected_threads : block->live_threads;
        snprintf(end, left, "barrier %u, %u of %u threads have arrived", split->barrier,
                 state->arrived_threads, expected);
    } else if (split->state == SIM_SPLIT_SYNC) {
        uint32_t missing = split->mask & warp->alive & ~split->lanes;
        bool one = (missing & (missing - 1)) == 0;
        snprintf(end, left, "%s.sync with member mask 0x%08x, %s %s missing",
                 sim_op_name((sim_op)instr->op), split->mask,
                 sim_lanes_text(missing, lanes, sizeof lanes), one ? "is" : "are");
    } else {
        running_text(warp, split->frame, split->pc, split->lanes, end, left);
    }
    add_line(line, warp->index, text);
}

// "block (1,0,0) of kernel"
static void append_block(sim_block *block) {
    int length;
    const char *kernel = sim_kernel_name(block->grid->launch->function->name, &length);
    sim_fault_append(&block->fault, "block (%u,%u,%u) of %.*s", block->id.x, block->id.y,
                     block->id.z, length, kernel);
}

void sim_fault_deadlock(sim_block *block, sim_warp *stuck) {
    const sim_warp *first = stuck;
    for (uint32_t i = 0; !first && i < block->warp_count; i++)
        if (block->warps[i].split_count) first = &block->warps[i];
    if (!first || first->split_count == 0) first = &block->warps[0];
    const sim_split *split = &first->splits[0];
    bool known = first->split_count > 0;
    const sim_instr *instr = NULL;
    if (known) {
        uint32_t pc = split->state == SIM_SPLIT_BARRIER ? split->pc - 1 : split->pc;
        instr = &split->frame->function->code[pc];
    }
    sim_code_site at = known ? sim_fault_site(split->frame, instr)
                             : (sim_code_site){block->grid->launch->function, NULL};
    if (!sim_fault_begin(block, SIM_DEADLOCK, at.function, at.instr)) return;
    if (known) block->fault.thread = sim_fault_thread(first, (uint32_t)__builtin_ctz(split->lanes));
    sim_fault_append(&block->fault, "deadlock in ");
    append_block(block);
    sim_fault_append(&block->fault, ": no thread can make progress");
    state_line line = {.fault = &block->fault, .text = ""};
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const sim_warp *warp = &block->warps[i];
        if (stuck && warp != stuck) continue;
        for (uint32_t k = 0; k < warp->split_count; k++)
            add_waiting(block, &line, warp, &warp->splits[k]);
        if (warp->alive != warp->existing) {
            char text[128], lanes[96];
            uint32_t gone = warp->existing & ~warp->alive;
            snprintf(text, sizeof text, "%s %s exited", sim_lanes_text(gone, lanes, sizeof lanes),
                     (gone & (gone - 1)) == 0 ? "has" : "have");
            add_line(&line, i, text);
        }
    }
    end_line(&line);
}

// Running splits and waiting ones.
static void append_all_splits(const sim_block *block, sim_fault *fault) {
    state_line line = {.fault = fault, .text = ""};
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const sim_warp *warp = &block->warps[i];
        char place[512];
        if (warp->lanes && warp->frame && warp->pc < warp->frame->function->code_count) {
            sim_code_site at = sim_fault_site(warp->frame, &warp->frame->function->code[warp->pc]);
            char text[sizeof line.text], lanes[96];
            int used = snprintf(
                text, sizeof text, "%s at %s: ", sim_lanes_text(warp->lanes, lanes, sizeof lanes),
                sim_fault_line_text(block, at.function, at.instr, place, sizeof place));
            running_text(warp, warp->frame, warp->pc, warp->lanes, text + used,
                         sizeof text - (size_t)used);
            add_line(&line, i, text);
        }
        for (uint32_t k = 0; k < warp->split_count; k++)
            if (warp->splits[k].pc < warp->splits[k].frame->function->code_count)
                add_waiting(block, &line, warp, &warp->splits[k]);
    }
    end_line(&line);
}

// Where the first lanes are that wait for nothing: of a warp in the middle of its turn, else of one
// whose turn is over.
typedef struct running_lanes {
    const sim_warp *warp; // NULL: all wait
    sim_code_site at;
    uint32_t lanes;
} running_lanes;

static running_lanes running_at(const sim_warp *warp, const sim_frame *frame, uint32_t pc,
                                uint32_t lanes) {
    const sim_function *function = frame->function;
    if (pc >= function->code_count) pc = function->code_count - 1;
    return (running_lanes){warp, sim_fault_site(frame, &function->code[pc]), lanes};
}

static running_lanes find_running(const sim_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const sim_warp *warp = &block->warps[i];
        if (warp->lanes && warp->frame) return running_at(warp, warp->frame, warp->pc, warp->lanes);
    }
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const sim_warp *warp = &block->warps[i];
        for (uint32_t k = 0; k < warp->split_count; k++) {
            const sim_split *split = &warp->splits[k];
            if (split->state == SIM_SPLIT_READY)
                return running_at(warp, split->frame, split->pc, split->lanes);
        }
    }
    return (running_lanes){.warp = NULL};
}

static bool begin_at_running_warp(sim_block *block, sim_status kind) {
    running_lanes first = find_running(block);
    if (!first.warp) return sim_fault_begin(block, kind, block->grid->launch->function, NULL);
    if (!sim_fault_begin(block, kind, first.at.function, first.at.instr)) return false;
    block->fault.thread = sim_fault_thread(first.warp, (uint32_t)__builtin_ctz(first.lanes));
    return true;
}

// "line 12", "lines 12 to 15"
static void append_lines(sim_block *block, const char *before, uint32_t first, uint32_t last) {
    if (first == last) sim_fault_append(&block->fault, "%sline %u", before, first);
    else sim_fault_append(&block->fault, "%slines %u to %u", before, first, last);
}

// The loop that lanes are in, and the one around it: either may be the one that never ends.
static void append_loop(sim_block *block, const running_lanes *running) {
    sim_loop inner, outer;
    uint32_t file, first, last, outer_file, outer_first, outer_last;
    const sim_function *function = running->at.function;
    if (!running->warp || !running->at.instr) return;
    uint32_t pc = (uint32_t)(running->at.instr - function->code);
    if (!sim_loops_around(function, pc, &inner, &outer)) return;
    if (!sim_loop_lines(function, &inner, &file, &first, &last)) return;
    append_lines(block, " in the loop of ", first, last);
    if (sim_loop_lines(function, &outer, &outer_file, &outer_first, &outer_last) &&
        outer_file == file && outer_first <= first && outer_last >= last &&
        (outer_first < first || outer_last > last))
        append_lines(block, ", inside that of ", outer_first, outer_last);
    sim_fault_append(&block->fault, ",");
    if (block->fault.line) return;
    block->fault.line = first; // jumps of a loop often have no line of their own
    snprintf(block->fault.file, sizeof block->fault.file, "%s",
             sim_fault_file(block, &(sim_location){.file = file, .line = first}));
}

static void append_stopped(sim_block *block, const running_lanes *running) {
    append_loop(block, running);
    sim_fault_append(&block->fault, " with");
    append_all_splits(block, &block->fault);
}

void sim_fault_runaway(sim_block *block) {
    const running_lanes running = find_running(block);
    if (!begin_at_running_warp(block, SIM_RUNAWAY)) return;
    bool of_block = block->grid->max_block_instructions > 0 && sim_block_is_endless(block);
    append_block(block);
    sim_fault_append(&block->fault,
                     ": the %s took more than %" PRIu64
                     " warp instructions. A loop that ends needs "
                     "a higher limit: --max-instructions N of ladder check, else "
                     "LADDER_SIM_MAX_INSTRUCTIONS=N in the environment. It stopped",
                     of_block ? "block" : "launch", of_block ? block->limit : block->launch_limit);
    if (running.warp) append_stopped(block, &running);
    else
        sim_fault_append(&block->fault, " when a block had ended, which took %" PRIu64 " of them",
                         block->executed);
}

// Of a loop that comes back to the state that it was in, and looks at nothing that others write.
static void fault_endless(sim_block *block) {
    enum { EMPTY = 2 }; // instructions
    const running_lanes running = find_running(block);
    sim_loop inner, outer;
    if (!begin_at_running_warp(block, SIM_RUNAWAY)) return;
    append_block(block);
    sim_fault_append(&block->fault, ": an endless loop: its iterations change nothing that its "
                                    "condition depends on");
    if (running.at.instr &&
        sim_loops_around(running.at.function,
                         (uint32_t)(running.at.instr - running.at.function->code), &inner,
                         &outer) &&
        inner.last_pc - inner.first_pc < EMPTY)
        sim_fault_append(&block->fault,
                         ". It is empty: what another thread changes must be volatile or atomic, "
                         "or the compiler reads it once, before the loop");
    sim_fault_append(&block->fault, ". It stopped");
    append_stopped(block, &running);
}

// Of an mbarrier that a warp waits for: what it still lacks. False: none waits for one.
static bool append_mbarrier(sim_block *block) {
    const sim_warp *warp = block->warps;
    uint64_t bits;
    for (uint32_t i = 0; i < block->warp_count && !warp->polled_mbarrier; i++)
        warp = &block->warps[i];
    if (!warp->polled_mbarrier || warp->polled_mbarrier - 1 + sizeof bits > warp->shared_bytes)
        return false;
    memcpy(&bits, warp->shared + warp->polled_mbarrier - 1, sizeof bits);
    sim_mbarrier barrier = sim_mbarrier_read(bits);
    sim_fault_append(
        &block->fault,
        ": the mbarrier (cuda::barrier, cuda::pipeline) at shared address 0x%x never ends its "
        "phase: ",
        warp->polled_mbarrier - 1);
    if (barrier.wanted == barrier.per_phase && barrier.bytes == 0)
        sim_fault_append(
            &block->fault,
            "nobody has arrived in the phase under way, and no other thread can. If the phase "
            "before it was meant, the wait names the wrong parity: 0 for the first phase, then 1 "
            "and 0 alternately");
    else if (barrier.bytes < 0)
        sim_fault_append(
            &block->fault,
            "%d bytes more have come than it was told to expect: the size of expect_tx must be "
            "that of all copies of the phase",
            -(int)barrier.bytes);
    else if (barrier.wanted)
        sim_fault_append(
            &block->fault,
            "%u of %u threads have arrived, and no other one can: the count that it is "
            "initialised with must be the number of threads that arrive",
            barrier.per_phase - barrier.wanted, barrier.per_phase);
    else
        sim_fault_append(
            &block->fault,
            "%d bytes that it was told to expect have not come: no copy under way brings them",
            (int)barrier.bytes);
    return true;
}

// Whether a warp waits in a function of which it is known who has to come, and barriers of which
// tell no more.
static bool tells_calls(const sim_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const sim_warp *warp = &block->warps[i];
        uint32_t call = warp->lanes ? find_polled(warp, warp->frame, warp->pc).call : SIM_WAIT_NONE;
        if (call != SIM_WAIT_NONE && call != SIM_WAIT_BARRIER && call != SIM_WAIT_LATCH)
            return true;
    }
    return false;
}

// Blocks that have not started, and what that rests on; those that have ended.
static void append_other_blocks(sim_block *block, const sim_other_blocks *others) {
    const sim_grid *grid = block->grid;
    if (others->ended > 0) {
        sim_dim3 id = others->first_ended;
        sim_fault_append(&block->fault,
                         "\n  %" PRIu64 " of the %" PRIu64 " blocks %s ended and will not come: "
                         "block (%u,%u,%u)%s. At a barrier of the grid none may return before it",
                         others->ended, others->all, others->ended == 1 ? "has" : "have", id.x,
                         id.y, id.z, others->ended > 1 ? " first" : "");
    }
    if (others->waiting == 0) return;
    sim_fault_append(&block->fault,
                     "\n  %" PRIu64 " of the %" PRIu64 " blocks %s not started: here blocks start "
                     "when those before them have ended, because CUDA promises only cooperative "
                     "launches that all run at the same time",
                     others->waiting, others->all, others->waiting == 1 ? "has" : "have");
    if (others->all <= grid->launch->resident_blocks && !grid->resident)
        sim_fault_append(&block->fault,
                         ". All of them fit on the device (it holds %" PRIu64 " such blocks): "
                         "--resident all of ladder check, profile, debug and run, or "
                         "LADDER_SIM_RESIDENT=all, starts them together, as a card may",
                         grid->launch->resident_blocks);
    else if (others->all > grid->launch->resident_blocks && grid->launch->resident_blocks > 0)
        sim_fault_append(&block->fault,
                         ". They do not all fit on the device, which holds %" PRIu64 " of them",
                         grid->launch->resident_blocks);
}

// What else of the program may end the wait, and what that rests on. Shared memory is no matter of
// other launches.
static void append_streams(sim_block *block) {
    const running_lanes running = find_running(block);
    const sim_instr *instr =
        running.warp->lanes ? find_polled(running.warp, running.warp->frame, running.warp->pc).instr
                            : NULL;
    const sim_grid *grid = block->grid;
    if (!grid->launch->config.streams || (instr && instr->space == PTX_SPACE_SHARED)) return;
    if (!grid->waits)
        sim_fault_append(
            &block->fault,
            "\n  The program has several streams or devices. Under the debugger, and "
            "for kernels that read clocks or launch others, a launch ends before work "
            "of any stream that the program puts there later begins. On a card a later "
            "launch, copy or host function may run at the same time and end this wait, "
            "if neither its stream nor an event makes it wait for this launch");
    else if (!grid->beside)
        sim_fault_append(
            &block->fault,
            "\n  All that the program has put into other streams is done, or waits for "
            "this launch, and the program waits, too: what is to end this wait must be "
            "put into another stream before the program waits");
}

static void fault_polling(sim_block *block, const sim_other_blocks *others) {
    if (!begin_at_running_warp(block, SIM_DEADLOCK)) return;
    sim_fault_append(&block->fault, "deadlock in ");
    append_block(block);
    if (block->grid->beside)
        sim_fault_append(&block->fault, " on device %u, in stream %u",
                         block->grid->launch->config.device, block->grid->launch->config.stream);
    if (!tells_calls(block) && append_mbarrier(block)) {
        append_all_splits(block, &block->fault);
        return;
    }
    const sim_grid *grid = block->grid;
    bool together = grid->launch->config.cooperative || others->all <= 1 ||
                    (grid->resident && others->waiting == 0);
    const char *who =
        grid->beside  ? ", and so do all other launches that are under way"
        : grid->waits ? ""
        : together    ? " (nor can the host: a launch ends before the program goes on)"
        : grid->schedule.kind == SIM_SCHEDULE_FORWARD
            ? " (blocks may only wait for earlier ones, unless the launch is cooperative, and none "
              "for the host: a launch ends before the program goes on)"
            : " (blocks start in any order, here not in that of blockIdx, and may only wait for "
              "those that have started: let each take its number from a counter in memory, by "
              "atomicAdd)";
    sim_fault_append(
        &block->fault, ": every thread that is not waiting %s%s",
        block->worker->cycle.matches > 0
            ? "tries again and again what cannot succeed: all that it writes to memory meanwhile "
              "it takes back, and no other thread can change the rest"
            : "polls memory that no other thread can change",
        who);
    append_all_splits(block, &block->fault);
    append_other_blocks(block, others);
    append_streams(block);
}

// The number of the kernel's argument that points to what the other block polls; 0: none is known.
static uint32_t argument_polled(const sim_grid *grid, const sim_block *other) {
    const running_lanes running = find_running(other);
    const sim_warp *warp = running.warp;
    if (!warp || !warp->lanes) return 0;
    const polled at = find_polled(warp, warp->frame, warp->pc);
    uint64_t address, pointer;
    if (!at.instr || at.instr->mods & SIM_MOD_ADDRESS32 || at.instr->dst == at.instr->src[0])
        return 0;
    const uint64_t *addresses = (const uint64_t *)(at.frame->registers + at.instr->src[0]);
    address = addresses[__builtin_ctz(warp->lanes)] + (uint64_t)at.instr->offset;
    const sim_allocation *array = sim_mem_find(grid->memory, address);
    return array ? sim_grid_argument_into(grid, array, &pointer) : 0;
}

// A name stands for the number of an argument of the first kernel alone (advice.h).
static void append_unnamed(sim_fault *fault, const char *text) {
    static const char word[] = "argument ";
    for (const char *found; (found = strstr(text, word)); text = found + sizeof word - 1)
        sim_fault_append(fault, "%.*sargument number ", (int)(found - text), text);
    sim_fault_append(fault, "%s", text);
}

void sim_fault_beside(sim_block *block, const sim_block *other) {
    const sim_launch *launch = other->grid->launch;
    sim_fault lines = {.text = ""};
    int length;
    const char *kernel = sim_kernel_name(launch->function->name, &length);
    append_all_splits(other, &lines);
    sim_fault_append(&block->fault,
                     "\n  block (%u,%u,%u) of %.*s on device %u, in stream %u, waits for ",
                     other->id.x, other->id.y, other->id.z, length, kernel, launch->config.device,
                     launch->config.stream);
    uint32_t own = argument_polled(block->grid, other);
    if (own) sim_fault_append(&block->fault, "what the first kernel has as argument %u:", own);
    else sim_fault_append(&block->fault, "others, too:");
    if (strcmp(launch->function->name, block->grid->launch->function->name) == 0)
        sim_fault_append(&block->fault, "%s", lines.text);
    else append_unnamed(&block->fault, lines.text);
}

void sim_fault_stuck(sim_block *block, const sim_other_blocks *others) {
    if (!find_running(block).warp) {
        sim_fault_deadlock(block, NULL);
        append_other_blocks(block, others);
    } else if (sim_block_polls(block)) {
        fault_polling(block, others);
    } else {
        fault_endless(block);
    }
}
