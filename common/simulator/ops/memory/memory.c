// The complete path of loads and stores (PTX ISA, "ld", "st"): any space and mix of spaces, any
// type, volatile and ordered accesses, exact faults. Lane by lane; frequent plain forms are taken
// by fast.c first.
#include "ops/memory/memory.h"
#include "ops/memory/count.h"

// ---- Finding and checking one lane ----

static uint8_t *find_shared(sim_warp *warp, const sim_instr *instr, uint64_t offset,
                            uint32_t bytes) {
    if (offset >= warp->shared_bytes) return NULL;
    bool inside =
        bytes <= warp->shared_bytes - offset || sim_is_word_atomic(warp->frame->function, instr);
    return inside ? warp->shared + offset : NULL;
}

// Of another block of the cluster, which must not have ended: a GPU may have given its memory away.
static uint8_t *find_remote(sim_warp *warp, uint64_t offset, uint32_t bytes) {
    uint64_t rank = offset / SIM_WINDOW_BYTES - 1, within = offset % SIM_WINDOW_BYTES;
    if (rank >= warp->block->cluster_count) return NULL;
    const sim_block *mate = &warp->block->cluster[rank];
    bool inside = within < mate->shared_bytes && bytes <= mate->shared_bytes - within;
    return inside && mate->live_threads ? mate->shared + within : NULL;
}

static uint8_t *find_attached(const sim_memory *memory, uint64_t address, uint32_t bytes) {
    const sim_attachment *found = sim_mem_attached(memory, address, bytes);
    return found ? found->host + (address - found->base) : NULL;
}

// Device memory: the site remembered for the instruction, else the table; heap blocks always by the
// heap's list.
uint8_t *SIM_VARIANT(sim_find_global)(sim_warp *warp, const sim_instr *instr, uint64_t address,
                                      uint32_t bytes) {
    sim_site *site = site_of(warp, instr);
    if (address >= site->base && address < site->end && bytes <= site->end - address)
        return warp->origin + address;
    const sim_memory *memory = warp->block->grid->memory;
    const sim_allocation *found =
        sim_mem_find_from(memory, address, warp->block->grid->launch->config.device);
    uint64_t left = found ? found->bytes - (address - found->base) : 0, heap_base, heap_end;
    if (left < bytes && sim_is_word_atomic(warp->frame->function, instr)) bytes = 1;
    if (!found) return find_attached(memory, address, bytes);
    if (found->read_only && sim_writes_global(instr)) return NULL;
    if (bytes > left && !sim_mem_goes_on(memory, found, address + bytes)) return NULL;
    sim_mem_heap_range(memory, &heap_base, &heap_end);
    if (address >= heap_base && address < heap_end) {
        if (!sim_mem_heap_holds(memory, address, bytes) &&
            !(sim_is_word_atomic(warp->frame->function, instr) &&
              sim_mem_heap_holds(memory, address, 1)))
            return NULL;
    } else if (!found->read_only) {
        site->base = found->base;
        site->end = found->base + found->bytes;
    }
    return warp->origin + address;
}

// Splits a generic address into space and address there.
static uint8_t resolve_generic(uint64_t *address) {
    static const struct {
        uint64_t base, bytes;
        uint8_t space;
    } windows[] = {{SIM_SHARED_WINDOW, SIM_CLUSTER_WINDOW_BYTES, PTX_SPACE_SHARED},
                   {SIM_LOCAL_WINDOW, SIM_WINDOW_BYTES, PTX_SPACE_LOCAL},
                   {SIM_PARAM_WINDOW, SIM_WINDOW_BYTES, PTX_SPACE_PARAM}};
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        if (*address - windows[i].base >= windows[i].bytes) continue;
        *address -= windows[i].base;
        return windows[i].space;
    }
    return PTX_SPACE_GLOBAL;
}

// Fills one lane of `out`; false: no such place.
static bool find_lane(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint32_t bytes,
                      bool is_write, lane_hosts *out) {
    uint64_t *address = &out->address[lane];
    uint8_t space = instr->space == PTX_SPACE_NONE ? resolve_generic(address) : instr->space;
    if (space == PTX_SPACE_SHARED) *address = sim_shared_offset(warp, *address);
    if (space == PTX_SPACE_CONST) space = PTX_SPACE_GLOBAL;
    out->space[lane] = space;
    out->host[lane] = NULL;
    if (*address & (bytes - 1)) return false;
    switch (space) {
    case PTX_SPACE_SHARED:
        out->host[lane] = *address < SIM_WINDOW_BYTES ? find_shared(warp, instr, *address, bytes)
                                                      : find_remote(warp, *address, bytes);
        return out->host[lane];
    case PTX_SPACE_LOCAL:
        return *address < warp->local_bytes && bytes <= warp->local_bytes - *address;
    case PTX_SPACE_PARAM:
        if (is_write || *address >= warp->param_bytes || bytes > warp->param_bytes - *address)
            return false;
        out->host[lane] = (uint8_t *)warp->params + *address;
        return true;
    default:
        out->host[lane] = SIM_VARIANT(sim_find_global)(warp, instr, *address, bytes);
        if (!out->host[lane]) return false;
        *address = sim_device_address(warp, *address);
        return true;
    }
}

// ---- Counting and telling ----

static uint32_t lanes_in(const lane_hosts *hosts, uint32_t lanes, uint8_t space) {
    uint32_t result = 0;
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
        if (lanes & lane_bit[lane] && hosts->space[lane] == space) result |= lane_bit[lane];
    return result;
}

// Of lanes in shared memory: those in other blocks'.
static uint32_t remote_lanes(const lane_hosts *hosts, uint32_t shared) {
    uint32_t result = 0;
    for (uint32_t rest = shared; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (hosts->address[lane] >= SIM_WINDOW_BYTES) result |= lane_bit[lane];
    }
    return result;
}

// Local memory interleaves the lanes' words, so each 4-byte word of an access is a row of its own.
static uint32_t local_sectors(const lane_hosts *hosts, uint32_t lanes, uint32_t bytes) {
    uint64_t rows[SIM_WARP_LANES];
    uint32_t sectors = 0, width = bytes < 4 ? bytes : 4;
    for (uint32_t offset = 0; offset < bytes; offset += 4) {
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
            rows[lane] = sim_local_word(hosts->address[lane] + offset, lane);
        sectors += sim_access_sectors(rows, lanes, width);
    }
    return sectors;
}

static bool on_one_word(const lane_hosts *hosts, uint32_t lanes) {
    uint64_t first = hosts->address[__builtin_ctz(lanes)];
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (hosts->address[__builtin_ctz(rest)] != first) return false;
    return true;
}

// Of lanes in global memory, whose addresses their bytes divide.
static uint32_t distinct_sectors(const lane_hosts *hosts, uint32_t lanes) {
    uint64_t list[SIM_WARP_LANES], first = hosts->address[__builtin_ctz(lanes)];
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
        list[lane] = lanes & lane_bit[lane] ? hosts->address[lane] : first;
    return count_sectors_any(list);
}

static void count_access(sim_warp *warp, const sim_instr *instr, const lane_hosts *hosts,
                         uint32_t lanes, uint32_t bytes, sim_access_kind kind) {
    sim_raw_counts *counts = counts_of(warp, instr);
    uint32_t global = lanes_in(hosts, lanes, PTX_SPACE_GLOBAL);
    uint32_t all_shared = lanes_in(hosts, lanes, PTX_SPACE_SHARED);
    uint32_t remote = remote_lanes(hosts, all_shared), shared = all_shared & ~remote;
    uint32_t local = lanes_in(hosts, lanes, PTX_SPACE_LOCAL);
    if (instr->space == PTX_SPACE_CONST) {
        counts->wavefronts += sim_access_constant_words(hosts->address, global);
        global = 0;
    }
    counts->requests++;
    if (global) {
        const sim_footprint *footprint = warp->record.footprint;
        uint32_t distinct = distinct_sectors(hosts, global), all = distinct;
        if (kind == SIM_ACCESS_ATOMIC && !is_aggregated(instr, on_one_word(hosts, global)))
            all = sim_access_atomic_sectors(hosts->address, global, bytes);
        if (kind == SIM_ACCESS_ATOMIC)
            note_contention(warp, instr, hosts->address, global, on_one_word(hosts, global));
        if (warp->legacy && kind != SIM_ACCESS_ATOMIC)
            all = sim_legacy_units(warp->legacy, hosts->address, global, bytes);
        counts->sectors += all;
        counts->conflicts += kind == SIM_ACCESS_ATOMIC && all > distinct ? all - distinct : 0;
        for (uint32_t rest = global; rest; rest &= rest - 1) {
            uint64_t first = hosts->address[__builtin_ctz(rest)], last = first + bytes - 1;
            if (kind != SIM_ACCESS_WRITE)
                sim_footprint_mark(footprint, footprint->read, first, last);
            if (kind == SIM_ACCESS_READ) continue;
            sim_footprint_mark(footprint, footprint->written, first, last);
            if (footprint->writers)
                sim_writers_note(footprint->writers, first, bytes, footprint->writers->kernel);
        }
    }
    if (global) {
        count_kind counted = kind == SIM_ACCESS_READ    ? COUNT_READ
                             : kind == SIM_ACCESS_WRITE ? COUNT_WRITE
                                                        : COUNT_BOTH;
        warp->record.requests++;
        record_lanes(warp, instr, hosts->address, global, bytes, trace_kind(instr, counted));
    }
    if (remote) { // crosses the network between SMs by sectors, like global memory
        counts->remote++;
        counts->sectors += sim_access_sectors(hosts->address, remote, bytes);
    }
    if (local) {
        counts->sectors += local_sectors(hosts, local, bytes);
        sim_record_local(&warp->record, instr, hosts->address, local, bytes,
                         kind == SIM_ACCESS_READ ? SIM_TRACE_LOAD : SIM_TRACE_STORE);
    }
    if (shared && kind == SIM_ACCESS_ATOMIC && is_aggregated(instr, on_one_word(hosts, shared))) {
        counts->wavefronts += 1;
    } else if (shared && kind == SIM_ACCESS_ATOMIC && instr->machine != SIM_MACHINE_COUNTED) {
        counts->wavefronts +=
            atomic_pass_cost(instr) * sim_access_atomic_passes(hosts->address, shared, bytes);
    } else if (shared) {
        sim_bank_use use = warp->legacy
                               ? sim_legacy_banks(warp->legacy, hosts->address, shared, bytes)
                               : count_banks_any(hosts->address, shared, bytes);
        counts->wavefronts += use.wavefronts;
        counts->conflicts += use.wavefronts - use.conflict_free;
    }
}

static void notify(sim_warp *warp, const sim_instr *instr, const lane_hosts *hosts, uint32_t lanes,
                   uint32_t bytes, sim_access_kind kind) {
    static const uint8_t spaces[] = {PTX_SPACE_GLOBAL, PTX_SPACE_SHARED, PTX_SPACE_LOCAL};
    for (size_t i = 0; i < sizeof spaces; i++) {
        uint32_t group = lanes_in(hosts, lanes, spaces[i]);
        uint32_t remote = spaces[i] == PTX_SPACE_SHARED ? remote_lanes(hosts, group) : 0;
        group &= ~remote;
        if (group) sim_observe_access(warp, instr, group, spaces[i], bytes, kind, hosts->address);
        if (remote) sim_observe_remote(warp, instr, remote, bytes, kind, hosts->address);
    }
}

void SIM_VARIANT(sim_memory_addresses)(const sim_warp *warp, const sim_instr *instr,
                                       lane_hosts *out) {
    const uint32_t *a32 = SLOT(const uint32_t, instr->src[0]);
    const uint64_t *a64 = SLOT(const uint64_t, instr->src[0]);
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
        if (has(instr, SIM_MOD_ADDRESS32)) out->address[lane] = a32[lane] + (uint32_t)instr->offset;
        else out->address[lane] = a64[lane] + (uint64_t)instr->offset;
}

// Accesses that other blocks may watch take their place in the order of blocks. With block scope
// they have no place.
static bool keep_order(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                       const lane_hosts *hosts) {
    bool atomic = sim_is_atomic(instr);
    if (!atomic && !has(instr, SIM_MOD_VOLATILE)) return true;
    if (warp->block->draws_in_order && sim_is_counting_atom(instr) &&
        lanes_in(hosts, lanes, PTX_SPACE_GLOBAL))
        return sim_block_draw(warp, instr, lanes);
    if (warp->block->ordered || !lanes_in(hosts, lanes, PTX_SPACE_GLOBAL)) return true;
    if (sim_block_order(warp->block)) return true;
    sim_fault_text(warp, instr, (uint32_t)__builtin_ctz(lanes), SIM_INTERNAL, "cancelled");
    return false;
}

// Of accesses that other blocks may watch: who waits for whom.
static void note_chain_any(sim_warp *warp, uint32_t lanes, const lane_hosts *hosts,
                           sim_access_kind kind) {
    sim_block_record *block = &warp->block->record;
    for (uint32_t rest = lanes_in(hosts, lanes, PTX_SPACE_GLOBAL); rest; rest &= rest - 1)
        sim_block_chain_note(&block->worker->launch->chain, block->index, &block->chain,
                             warp->record.index, warp->record.fences,
                             hosts->address[__builtin_ctz(rest)], kind == SIM_ACCESS_WRITE);
}

bool SIM_VARIANT(sim_memory_resolve)(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                                     uint32_t bytes, sim_access_kind kind, lane_hosts *out) {
    SIM_VARIANT(sim_memory_addresses)(warp, instr, out);
    return SIM_VARIANT(sim_memory_resolve_at)(warp, instr, lanes, bytes, kind, out);
}

bool SIM_VARIANT(sim_memory_resolve_at)(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                                        uint32_t bytes, sim_access_kind kind, lane_hosts *out) {
    warp->block->general++;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (find_lane(warp, instr, lane, bytes, kind != SIM_ACCESS_READ, out)) continue;
        sim_fault_address(warp, instr, lane, out->address[lane], bytes, out->space[lane]);
        return false;
    }
    if (!keep_order(warp, instr, lanes, out)) return false;
    if (warp->counting) {
        count_access(warp, instr, out, lanes, bytes, kind);
        bool atomic = sim_is_atomic(instr);
        if (has(instr, SIM_MOD_VOLATILE) && !atomic) note_chain_any(warp, lanes, out, kind);
    }
    if (warp->observing) notify(warp, instr, out, lanes, bytes, kind);
    return true;
}

// ---- Moving bytes ----

// Copies a lane's bytes between memory and `buffer`; local memory word by word.
static void move_lane(sim_warp *warp, const lane_hosts *hosts, uint32_t lane, uint8_t *buffer,
                      uint32_t bytes, bool is_load) {
    uint32_t width = hosts->host[lane] ? bytes : bytes < 4 ? bytes : 4;
    for (uint32_t at = 0; at < bytes; at += width) {
        uint8_t *place = hosts->host[lane]
                             ? hosts->host[lane]
                             : warp->local + sim_local_word(hosts->address[lane] + at, lane);
        if (is_load) memcpy(buffer + at, place, width);
        else memcpy(place, buffer + at, width);
    }
}

// An element in a register: zero- or sign-extended to the slot by the type.
static void element_to_register(sim_warp *warp, const sim_instr *instr, uint32_t slot,
                                uint32_t lane, const uint8_t *element, uint32_t bytes) {
    bool is_signed = instr->type >= PTX_S8 && instr->type <= PTX_S64;
    if (bytes == 16) { // two neighbouring slots
        memcpy(SLOT(uint64_t, slot) + lane, element, 8);
        memcpy(SLOT(uint64_t, slot) + SIM_WARP_LANES + lane, element + 8, 8);
        return;
    }
    uint64_t value = 0;
    memcpy(&value, element, bytes);
    uint32_t unused = 64 - 8 * bytes;
    if (is_signed) value = (uint64_t)((int64_t)(value << unused) >> unused);
    if (bytes == 8 || has(instr, SIM_MOD_DST64)) SLOT(uint64_t, slot)[lane] = value;
    else SLOT(uint32_t, slot)[lane] = (uint32_t)value;
}

static void register_to_element(const sim_warp *warp, const sim_instr *instr, uint32_t slot,
                                uint32_t lane, uint8_t *element, uint32_t bytes) {
    bool wide = bytes >= 8 || has(instr, SIM_MOD_SRC64);
    if (bytes == 16) {
        memcpy(element, SLOT(const uint64_t, slot) + lane, 8);
        memcpy(element + 8, SLOT(const uint64_t, slot) + SIM_WARP_LANES + lane, 8);
    } else if (wide) {
        memcpy(element, SLOT(const uint64_t, slot) + lane, bytes);
    } else {
        memcpy(element, SLOT(const uint32_t, slot) + lane, bytes);
    }
}

void SIM_VARIANT(sim_load_any)(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    lane_hosts hosts;
    uint32_t bytes = sim_access_bytes(instr), element = ptx_type_bytes((ptx_type)instr->type);
    if (!SIM_VARIANT(sim_memory_resolve)(warp, instr, lanes, bytes, SIM_ACCESS_READ, &hosts))
        return;
    uint8_t buffers[SIM_WARP_LANES][32];
    uint64_t digest = lanes;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        move_lane(warp, &hosts, lane, buffers[lane], bytes, true);
        for (uint32_t part = 0; part * element < bytes; part++) {
            uint32_t slot = part_slot(warp, instr, part, instr->dst);
            if (slot == SIM_NO_SLOT) continue;
            element_to_register(warp, instr, slot, lane, buffers[lane] + part * element, element);
        }
        if (!has(instr, SIM_MOD_VOLATILE)) continue;
        for (uint32_t at = 0; at < bytes; at++) digest = digest * 31 + buffers[lane][at];
        digest = digest * 31 + hosts.address[lane];
    }
    if (has(instr, SIM_MOD_VOLATILE)) sim_note_load(warp, instr, digest);
}

void SIM_VARIANT(sim_store_any)(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    lane_hosts hosts;
    uint32_t bytes = sim_access_bytes(instr), element = ptx_type_bytes((ptx_type)instr->type);
    if (!SIM_VARIANT(sim_memory_resolve)(warp, instr, lanes, bytes, SIM_ACCESS_WRITE, &hosts))
        return;
    bool tracked = true;
    uint64_t change = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint8_t buffer[32];
        for (uint32_t part = 0; part * element < bytes; part++)
            register_to_element(warp, instr, part_slot(warp, instr, part, instr->src[1]), lane,
                                buffer + part * element, element);
        tracked = tracked && hosts.host[lane] && bytes <= 8;
        if (tracked) change += sim_change_digest(hosts.host[lane], hosts.host[lane], buffer, bytes);
        move_lane(warp, &hosts, lane, buffer, bytes, false);
    }
    // What is on a thread's own stack (all variables, without optimisation) tells nobody anything.
    if (lanes_in(&hosts, lanes, PTX_SPACE_LOCAL) == lanes) return;
    if (tracked) sim_note_tracked(warp, change);
    else sim_note_change(warp);
}

// ---- A line of device memory: discard, applypriority -------------------------------------------

// As on an H200 the address may be any byte's of the line, device memory must be there, and of
// other memory nothing happens. A discarded line keeps its bytes; observers are told of a write.
HANDLER(hint_line) {
    lane_hosts hosts;
    uint32_t whole = 0;
    SIM_VARIANT(sim_memory_addresses)(warp, instr, &hosts);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t *address = &hosts.address[lane];
        if (instr->space == PTX_SPACE_NONE && resolve_generic(address) != PTX_SPACE_GLOBAL)
            continue;
        if (!SIM_VARIANT(sim_find_global)(warp, instr, *address, 1)) {
            sim_fault_bulk(warp, instr, lane, *address, SIM_LINE_BYTES, 1, PTX_SPACE_GLOBAL);
            return;
        }
        *address -= *address % SIM_LINE_BYTES;
        if (!SIM_VARIANT(sim_find_global)(warp, instr, *address, SIM_LINE_BYTES)) continue;
        *address = sim_device_address(warp, *address);
        whole |= lane_bit[lane];
    }
    if (warp->observing && whole && sim_is_discard(instr))
        sim_observe_access(warp, instr, whole, PTX_SPACE_GLOBAL, SIM_LINE_BYTES, SIM_ACCESS_WRITE,
                           hosts.address);
}
static sim_exec_fn bind_line(const sim_instr *instr) {
    (void)instr;
    return hint_line;
}
BIND(DISCARD) { return bind_line(instr); }
BIND(APPLYPRIORITY) { return bind_line(instr); }
