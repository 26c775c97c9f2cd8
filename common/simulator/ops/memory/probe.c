// Memory instructions of a program that is probed (record/traces.h): the handler that the
// instruction had runs as before; what it added to the raw counts is what this execution cost, so a
// probe and the counters of a line cannot differ. Its addresses are read before where a load
// overwrites its own address register.
#include "ops/memory/count.h"
#include "ops/memory/probe.h"

static uint32_t row_lanes(const sim_instr *instr) { // of ldmatrix: 8 rows of each matrix
    return instr->vector >= 4 ? SIM_ALL_LANES : (UINT32_C(1) << 8 * instr->vector) - 1;
}

static bool is_matrix(const sim_instr *instr) {
    return instr->op == SIM_OP_LDMATRIX || instr->op == SIM_OP_STMATRIX;
}

// Lanes of cp.async that read at all: its source may be empty.
static uint32_t copying_lanes(const sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    if (instr->src[2] == SIM_NO_SLOT) return lanes;
    if (has(instr, SIM_MOD_PRED_OPERANDS)) return lanes & ~*SLOT(const uint32_t, instr->src[2]);
    const uint32_t *asked = SLOT(const uint32_t, instr->src[2]);
    uint32_t reading = 0;
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
        if (lanes & lane_bit[lane] && asked[lane] > 0) reading |= lane_bit[lane];
    return reading;
}

static bool is_local(const sim_instr *instr) { return instr->space == PTX_SPACE_LOCAL; }

bool sim_probes_memory(const sim_instr *instr) {
    bool others = instr->space == PTX_SPACE_GLOBAL || instr->space == PTX_SPACE_SHARED ||
                  instr->space == PTX_SPACE_NONE;
    switch (instr->op) {
    case SIM_OP_LD:
    case SIM_OP_LDU:
    case SIM_OP_ST: return others || is_local(instr);
    case SIM_OP_LDMATRIX:
    case SIM_OP_STMATRIX:
    case SIM_OP_CP_ASYNC: return others;
    default: return others && sim_is_atomic(instr);
    }
}

static void read_sample(const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                        sim_access_sample *out) {
    sim_read_addresses(warp, instr, lanes, out->addresses);
    memset(out, 0, offsetof(sim_access_sample, addresses));
    out->lanes = lanes;
}

static uint32_t distinct(const sim_access_sample *sample) {
    uint64_t met[SIM_WARP_LANES];
    uint32_t count = 0;
    for (uint32_t rest = sample->lanes; rest; rest &= rest - 1) {
        uint64_t address = sample->addresses[__builtin_ctz(rest)];
        uint32_t at = count; // most addresses ascend
        while (at > 0 && met[at - 1] > address) at--;
        if (at > 0 && met[at - 1] == address) continue;
        memmove(met + at + 1, met + at, (count - at) * sizeof *met);
        met[at] = address;
        count++;
    }
    return count;
}

// Whether each lane's bytes follow those of the lane before it.
static bool is_sequence(const sim_access_sample *sample, uint32_t bytes) {
    uint64_t differs = ~sample->lanes;
    for (uint32_t lane = 1; lane < SIM_WARP_LANES; lane++)
        differs |= (sample->addresses[lane] - sample->addresses[lane - 1]) ^ bytes;
    return differs == 0;
}

// Sectors that hold what the lanes ask for, when it lies together.
static uint32_t least_sectors(const sim_access_sample *sample, uint32_t bytes) {
    if (sample->units <= 1) return sample->units;
    uint32_t apart = is_sequence(sample, bytes) ? SIM_WARP_LANES : distinct(sample);
    uint32_t least = (apart * bytes + SIM_SECTOR_BYTES - 1) / SIM_SECTOR_BYTES;
    return least < sample->units ? least : sample->units;
}

// The same on a card that moves otherwise: what the lanes' own bytes cost one after the other, and
// with each address once.
static uint32_t least_units(const sim_device *older, const sim_access_sample *sample,
                            uint32_t bytes) {
    uint64_t row[SIM_WARP_LANES], once[SIM_WARP_LANES], met[SIM_WARP_LANES];
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) {
        uint32_t at = 0;
        row[lane] = (uint64_t)lane * bytes;
        while (at < count && met[at] != sample->addresses[lane]) at++;
        if (at == count && sample->lanes & lane_bit[lane]) met[count++] = sample->addresses[lane];
        once[lane] = (uint64_t)at * bytes;
    }
    uint32_t least = sample->units, of_row = sim_legacy_units(older, row, sample->lanes, bytes);
    uint32_t of_once = sim_legacy_units(older, once, sample->lanes, bytes);
    if (of_row < least) least = of_row;
    return of_once < least ? of_once : least;
}

// Words of a lane that lie in rows of their own.
static uint32_t local_words(uint32_t bytes) {
    return bytes > SIM_BANK_BYTES ? bytes / SIM_BANK_BYTES : 1;
}

// Of local memory: what the same lanes touch when all use one index. Their place in a row is fixed.
static uint32_t least_local(uint32_t lanes, uint32_t bytes) {
    uint32_t sectors = 0, per_sector = SIM_SECTOR_BYTES / SIM_BANK_BYTES;
    for (uint32_t first = 0; first < SIM_WARP_LANES; first += per_sector)
        sectors += (lanes >> first & ((UINT32_C(1) << per_sector) - 1)) != 0;
    return sectors * local_words(bytes);
}

// Wavefronts of as many lanes of an atomic with a bank of its own for each.
static uint32_t least_passes(const sim_access_sample *sample, uint32_t bytes, uint32_t rounds) {
    uint64_t apart[SIM_WARP_LANES];
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) apart[lane] = (uint64_t)lane * bytes;
    uint32_t least = rounds * sim_access_atomic_passes(apart, sample->lanes, bytes);
    return least < sample->units ? least : sample->units;
}

static sim_map_kind kind_of(const sim_instr *instr, bool shared) {
    if (is_local(instr)) return instr->op == SIM_OP_ST ? SIM_MAP_LOCAL_STORE : SIM_MAP_LOCAL_LOAD;
    switch (instr->op) {
    case SIM_OP_ST:
    case SIM_OP_STMATRIX: return shared ? SIM_MAP_SHARED_STORE : SIM_MAP_GLOBAL_STORE;
    case SIM_OP_ATOM: return shared ? SIM_MAP_SHARED_ATOMIC : SIM_MAP_GLOBAL_ATOMIC;
    case SIM_OP_RED: return shared ? SIM_MAP_SHARED_ATOMIC : SIM_MAP_GLOBAL_REDUCTION;
    case SIM_OP_CP_ASYNC: return SIM_MAP_ASYNC_COPY;
    default: return shared ? SIM_MAP_SHARED_LOAD : SIM_MAP_GLOBAL_LOAD;
    }
}

static uint32_t bytes_of(const sim_instr *instr) {
    if (is_matrix(instr)) return 16;
    if (instr->machine == SIM_MACHINE_WIDE) return instr->machine_bytes;
    if (instr->op == SIM_OP_CP_ASYNC) return ptx_type_bytes((ptx_type)instr->type);
    return sim_access_bytes(instr);
}

static void resolve_local(sim_access_sample *sample) {
    for (uint32_t rest = sample->lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        sample->addresses[lane] = sim_local_word(sample->addresses[lane], lane);
    }
}

// Turns the addresses of a generic access into those of its space; false: some lanes point
// elsewhere, so that there is no one map.
static bool resolve(const sim_warp *warp, bool shared, sim_access_sample *sample) {
    for (uint32_t rest = sample->lanes; rest; rest &= rest - 1) {
        uint64_t *address = &sample->addresses[__builtin_ctz(rest)];
        if (shared) *address = sim_wide_shared_offset(warp, *address);
        if (shared && *address >= warp->shared_bytes) return false;
        if (shared) continue;
        *address = sim_device_address(warp, *address);
        if (*address - SIM_GLOBAL_BASE >= SIM_GLOBAL_SPAN) return false;
    }
    return true;
}

// Wavefronts that one pass over the banks costs: of atomics, else 1.
static uint32_t rounds_of(const sim_instr *instr, bool shared) {
    bool at_banks = instr->machine == SIM_MACHINE_COUNTED;
    return shared && sim_is_atomic(instr) && !at_banks ? atomic_pass_cost(instr) : 1;
}

static bool on_one_word(const sim_access_sample *sample) {
    uint64_t first = sample->addresses[__builtin_ctz(sample->lanes)];
    for (uint32_t rest = sample->lanes; rest; rest &= rest - 1)
        if (sample->addresses[__builtin_ctz(rest)] != first) return false;
    return true;
}

// Whether the instruction may write its own address register.
static bool overwrites_address(const sim_warp *warp, const sim_instr *instr) {
    const uint32_t *slots = warp->frame->function->slots;
    if (instr->op == SIM_OP_ST || instr->op == SIM_OP_RED || instr->op == SIM_OP_CP_ASYNC)
        return false;
    if (instr->dst == instr->src[0]) return true;
    for (uint32_t i = 0; instr->vector > 1 && i < instr->vector; i++)
        if (slots[instr->list + i] == instr->src[0]) return true;
    return is_matrix(instr);
}

static sim_probe *probe_of(const sim_warp *warp, const sim_instr *instr) {
    const sim_block *block = warp->block;
    const sim_function *function = warp->frame->function;
    return sim_probe_at(block->grid->probes, block->worker->index, function, function->bound->index,
                        instr->pc);
}

// Most accesses to shared memory need no look at their addresses. counted: what the handler added
// to the raw counts. False: they are needed.
static bool note_quickly(const sim_warp *warp, const sim_instr *instr, sim_probe *probe,
                         const sim_raw_counts *counted) {
    uint32_t units = (uint32_t)counted->wavefronts, more = (uint32_t)counted->conflicts;
    if (instr->space != PTX_SPACE_SHARED || sim_is_atomic(instr)) return false;
    if (sim_probe_wants(probe, warp->block->index, more)) return false;
    sim_probe_note_sums(probe, units, units - more);
    return true;
}

static void note(sim_warp *warp, const sim_instr *instr, sim_probe *probe,
                 sim_access_sample *sample, const sim_raw_counts *counted) {
    const sim_block *block = warp->block;
    bool shared = counted->wavefronts > 0;
    if (is_local(instr)) resolve_local(sample);
    else if (!resolve(warp, shared, sample)) return;
    uint32_t bytes = bytes_of(instr), rounds = rounds_of(instr, shared);
    bool adds_up = sim_is_atomic(instr) && is_aggregated(instr, on_one_word(sample));
    sample->units = (uint32_t)(shared ? counted->wavefronts : counted->sectors);
    if (adds_up) sample->least = sample->units;
    else if (is_local(instr)) sample->least = least_local(sample->lanes, bytes);
    else if (!shared && warp->legacy && !sim_is_atomic(instr))
        sample->least = least_units(warp->legacy, sample, bytes);
    else if (!shared) sample->least = least_sectors(sample, bytes);
    else if (sim_is_atomic(instr)) sample->least = least_passes(sample, bytes, rounds);
    else sample->least = sample->units - (uint32_t)counted->conflicts;
    sample->block[0] = block->id.x;
    sample->block[1] = block->id.y;
    sample->block[2] = block->id.z;
    sample->warp = warp->index;
    probe->access.kind = kind_of(instr, shared);
    probe->access.bytes = bytes;
    probe->access.rounds = rounds;
    probe->access.aggregated |= adds_up;
    sim_probe_note_access(probe, block->index, sample);
}

static uint32_t asking_lanes(const sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    if (is_matrix(instr)) return lanes & row_lanes(instr);
    return instr->op == SIM_OP_CP_ASYNC ? copying_lanes(warp, instr, lanes) : lanes;
}

// What an older card does not have is counted as on 9.0 and is no picture of that card.
static bool is_of_today(const sim_instr *instr) {
    return is_matrix(instr) || instr->op == SIM_OP_CP_ASYNC ||
           (sim_is_atomic(instr) && instr->space != PTX_SPACE_GLOBAL);
}

void sim_exec_probe_memory(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    sim_exec_fn exec = warp->frame->function->bound->unprobed[instr->pc];
    bool foreign = warp->legacy && is_of_today(instr);
    if (!warp->block->grid->probes || !warp->counting || foreign) {
        exec(warp, instr, lanes);
        return;
    }
    sim_access_sample sample;
    sim_raw_counts before = *counts_of(warp, instr), counted = {0};
    uint32_t asking = asking_lanes(warp, instr, lanes);
    bool at_once = overwrites_address(warp, instr);
    if (at_once) read_sample(warp, instr, asking, &sample);
    exec(warp, instr, lanes);
    const sim_raw_counts *after = counts_of(warp, instr);
    counted.sectors = after->sectors - before.sectors;
    counted.wavefronts = after->wavefronts - before.wavefronts;
    counted.conflicts = after->conflicts - before.conflicts;
    bool one_memory = (counted.sectors == 0) != (counted.wavefronts == 0);
    if (after->requests == before.requests || after->remote != before.remote || !one_memory)
        return; // faulted, went into a neighbour's, or was of other blocks' or of several memories
    sim_probe *probe = asking ? probe_of(warp, instr) : NULL;
    if (!probe || note_quickly(warp, instr, probe, &counted)) return;
    if (!at_once) read_sample(warp, instr, asking, &sample);
    note(warp, instr, probe, &sample, &counted);
}
