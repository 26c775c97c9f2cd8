// mbarrier objects (PTX ISA, "mbarrier"): lanes in ascending order, each a whole operation. Threads
// arrive at barriers of other blocks of their cluster, too, and wait only at their own. What is
// announced to a barrier arrives when somebody looks at it: warps/warp.h.
#include "ops/memory/memory.h"

// Whether the operation exists for barriers of other blocks of the cluster.
static bool reaches_others(const sim_instr *instr) {
    return instr->op == SIM_OP_MBARRIER && instr->variant >= SIM_MBARRIER_ARRIVE &&
           instr->variant <= SIM_MBARRIER_COMPLETE_TX && instr->dst == SIM_NO_SLOT;
}

// The block whose barrier it is; *out_offset: in its shared memory.
static sim_block *owner_of(const sim_warp *warp, uint64_t address, uint32_t *out_offset) {
    uint64_t window = address / SIM_WINDOW_BYTES;
    *out_offset = (uint32_t)(address % SIM_WINDOW_BYTES);
    return window ? &warp->block->cluster[window - 1] : warp->block;
}

static bool find_mbarriers(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                           lane_hosts *hosts) {
    bool creates = instr->op == SIM_OP_MBARRIER && instr->variant <= SIM_MBARRIER_INVAL;
    sim_access_kind kind = creates ? SIM_ACCESS_WRITE : SIM_ACCESS_ATOMIC;
    if (!SIM_VARIANT(sim_memory_resolve)(warp, instr, lanes, 8, kind, hosts)) return false;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        bool shared = hosts->space[lane] == PTX_SPACE_SHARED;
        bool own = hosts->address[lane] < SIM_WINDOW_BYTES;
        if (shared && (own || reaches_others(instr))) continue;
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                       "an mbarrier must be in shared memory, and here in that of its own block");
        return false;
    }
    return true;
}

static sim_mbarrier load(const lane_hosts *hosts, uint32_t lane) {
    uint64_t bits;
    memcpy(&bits, hosts->host[lane], sizeof bits);
    return sim_mbarrier_read(bits);
}

static void store(const lane_hosts *hosts, uint32_t lane, sim_mbarrier barrier) {
    uint64_t bits = sim_mbarrier_bits(barrier);
    memcpy(hosts->host[lane], &bits, sizeof bits);
}

static bool is_initialised(sim_warp *warp, const sim_instr *instr, uint32_t lane,
                           const sim_mbarrier *barrier, uint64_t address) {
    if (barrier->valid) return true;
    sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                   "the mbarrier at byte %llu of shared memory is not initialised",
                   (unsigned long long)address % SIM_WINDOW_BYTES);
    return false;
}

// `count` threads arrive and expect `bytes` more bytes in this phase.
static bool arrive(sim_warp *warp, const sim_instr *instr, uint32_t lane, sim_mbarrier *barrier,
                   uint32_t count, uint32_t bytes) {
    if (count > barrier->wanted) {
        if (barrier->wanted == 0) // else the phase would have ended
            sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                           "an arrival at an mbarrier whose phase has had all of its %u and goes "
                           "on until %d more bytes have come: its users must wait for the end of "
                           "a phase before anybody arrives for the next one",
                           barrier->per_phase, (int)barrier->bytes);
        else
            sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                           "%u arrivals at an mbarrier whose phase wants %u more of %u", count,
                           barrier->wanted, barrier->per_phase);
        return false;
    }
    barrier->bytes += (int32_t)bytes;
    barrier->wanted -= count;
    sim_mbarrier_settle(barrier);
    return true;
}

// ---- Operations of one lane; `value` is src[1] ----

static bool run_init(sim_warp *warp, const sim_instr *instr, uint32_t lane, lane_hosts *hosts,
                     uint32_t value) {
    if (instr->variant == SIM_MBARRIER_INVAL) {
        memset(hosts->host[lane], 0, 8);
        return true;
    }
    if (value == 0 || value > SIM_MBARRIER_MAX) {
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                       "an mbarrier of %u arrivals: from 1 to %d are possible", value,
                       SIM_MBARRIER_MAX);
        return false;
    }
    store(hosts, lane, (sim_mbarrier){.wanted = value, .per_phase = value, .valid = true});
    return true;
}

static void tell_arrival(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint64_t address) {
    uint32_t offset;
    const sim_block *owner = owner_of(warp, address, &offset);
    sim_observe_mbarrier(warp, instr, warp->frame->function, lane_bit[lane], owner->index, offset,
                         SIM_SYNC_MBARRIER_ARRIVE);
}

static bool run_arrive(sim_warp *warp, const sim_instr *instr, uint32_t lane, lane_hosts *hosts,
                       uint32_t value) {
    sim_mbarrier barrier = load(hosts, lane), before = barrier;
    bool expects = has(instr, SIM_MOD_EXPECT), drops = instr->variant == SIM_MBARRIER_ARRIVE_DROP;
    uint32_t count = expects ? 1 : value;
    if (drops) barrier.per_phase -= count < barrier.per_phase ? count : barrier.per_phase;
    if (!arrive(warp, instr, lane, &barrier, count, expects ? value : 0)) return false;
    store(hosts, lane, barrier);
    if (instr->dst != SIM_NO_SLOT) SLOT(uint64_t, instr->dst)[lane] = sim_mbarrier_bits(before);
    if (warp->observing) tell_arrival(warp, instr, lane, hosts->address[lane]);
    return true;
}

static bool run_bytes(sim_warp *warp, const sim_instr *instr, uint32_t lane, lane_hosts *hosts,
                      uint32_t value) {
    sim_mbarrier barrier = load(hosts, lane);
    bool completes = instr->variant == SIM_MBARRIER_COMPLETE_TX;
    barrier.bytes += completes ? -(int32_t)value : (int32_t)value;
    if (completes) sim_mbarrier_settle(&barrier);
    store(hosts, lane, barrier);
    // Bytes that have come announce the store that brought them (st.async).
    if (completes && warp->observing) tell_arrival(warp, instr, lane, hosts->address[lane]);
    return true;
}

// ---- The warp's trace ----

static void trace(sim_warp *warp, const sim_instr *instr, sim_traced_kind kind, uint64_t address,
                  uint32_t line, uint32_t parity) {
    sim_record_event(&warp->record, instr,
                     (sim_traced_line){
                         .kind = (uint8_t)kind,
                         .line = line,
                         .sectors = (uint8_t)parity,
                         .wavefronts = (uint16_t)(address % SIM_WINDOW_BYTES / SIM_TRACED_OFFSET)});
}

static uint32_t value_of(const sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    return instr->src[1] == SIM_NO_SLOT ? 1 : SLOT(const uint32_t, instr->src[1])[lane];
}

static uint32_t lanes_of_address(const lane_hosts *hosts, uint32_t lanes, uint64_t address) {
    uint32_t same = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        same |= hosts->address[lane] == address ? lane_bit[lane] : 0;
    }
    return same;
}

// The lanes of one barrier together.
static void trace_changes(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                          const lane_hosts *hosts) {
    const uint32_t most = (1u << (32 - SIM_TRACED_ARRIVALS)) - 1;
    bool creates = instr->variant == SIM_MBARRIER_INIT, expects = has(instr, SIM_MOD_EXPECT);
    bool arrives =
        instr->variant == SIM_MBARRIER_ARRIVE || instr->variant == SIM_MBARRIER_ARRIVE_DROP;
    while (lanes) {
        uint64_t address = hosts->address[__builtin_ctz(lanes)];
        uint32_t same = lanes_of_address(hosts, lanes, address), count = 0, bytes = 0;
        for (uint32_t rest = same; rest; rest &= rest - 1) {
            uint32_t value = value_of(warp, instr, (uint32_t)__builtin_ctz(rest));
            count += arrives ? expects ? 1 : value : 0;
            bytes += arrives && !expects ? 0 : value;
        }
        if (count > most) count = most;
        if (creates) trace(warp, instr, SIM_TRACED_INIT, address, bytes, 0);
        else if (arrives || instr->variant == SIM_MBARRIER_EXPECT_TX)
            trace(warp, instr, SIM_TRACED_ARRIVE, address, bytes | count << SIM_TRACED_ARRIVALS, 0);
        lanes &= ~same;
    }
}

typedef bool (*lane_operation)(sim_warp *warp, const sim_instr *instr, uint32_t lane,
                               lane_hosts *hosts, uint32_t value);

HANDLER(mbarrier_change) {
    static const lane_operation operations[] = {
        [SIM_MBARRIER_INIT] = run_init,       [SIM_MBARRIER_INVAL] = run_init,
        [SIM_MBARRIER_ARRIVE] = run_arrive,   [SIM_MBARRIER_ARRIVE_DROP] = run_arrive,
        [SIM_MBARRIER_EXPECT_TX] = run_bytes, [SIM_MBARRIER_COMPLETE_TX] = run_bytes,
    };
    lane_hosts hosts;
    if (!find_mbarriers(warp, instr, lanes, &hosts)) return;
    bool creates = instr->variant == SIM_MBARRIER_INIT;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint32_t value = value_of(warp, instr, lane);
        if (instr->variant == SIM_MBARRIER_INVAL)
            sim_async_deliver(warp->block, (uint32_t)hosts.address[lane], false);
        sim_mbarrier barrier = load(&hosts, lane);
        if (!creates && !is_initialised(warp, instr, lane, &barrier, hosts.address[lane])) return;
        if (!operations[instr->variant](warp, instr, lane, &hosts, value)) return;
    }
    if (warp->record.trace) trace_changes(warp, instr, lanes, &hosts);
    sim_note_change(warp);
}

// Whether the warp has announced something to the barrier itself. On a card it arrives so late that
// the other warps have looked at the phases before: warps that do not wait for each other rely on
// it.
static bool announced(const sim_warp *warp, uint64_t offset) {
    const sim_delivery *delivery = warp->block->deliveries;
    while (delivery && (delivery->warp != warp || delivery->mbarrier != offset))
        delivery = delivery->next;
    return delivery;
}

// A failed look gives the other warps their turn at once: nothing here can change meanwhile.
HANDLER(mbarrier_wait) {
    lane_hosts hosts;
    uint32_t ended = 0, parity = 0;
    if (!find_mbarriers(warp, instr, lanes, &hosts)) return;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        sim_mbarrier barrier = load(&hosts, lane);
        if (!is_initialised(warp, instr, lane, &barrier, hosts.address[lane])) return;
        bool waited = has(instr, SIM_MOD_PARITY)
                          ? SLOT(const uint32_t, instr->src[1])[lane] & 1
                          : sim_mbarrier_read(SLOT(const uint64_t, instr->src[1])[lane]).parity;
        parity = waited;
        if (barrier.parity == waited && announced(warp, hosts.address[lane]) &&
            !sim_warp_give_way(warp, instr, lanes))
            return;
        if (barrier.parity == waited) {
            sim_async_deliver(warp->block, (uint32_t)hosts.address[lane], true);
            barrier = load(&hosts, lane);
        }
        if (barrier.parity == waited) {
            warp->polled_mbarrier = (uint32_t)hosts.address[lane] + 1;
            continue;
        }
        ended |= lane_bit[lane];
        if (warp->observing)
            sim_observe_mbarrier(warp, instr, warp->frame->function, lane_bit[lane],
                                 warp->block->index, (uint32_t)hosts.address[lane],
                                 SIM_SYNC_MBARRIER_WAIT);
    }
    warp->gave_way = false;
    write_predicate(warp, instr->dst, lanes, ended);
    trace(warp, instr, SIM_TRACED_WAIT, hosts.address[__builtin_ctz(lanes)], ended != 0, parity);
    if (ended) {
        warp->polled_mbarrier = 0;
        sim_note_change(warp);
        return;
    }
    warp->interrupt = SIM_INTERRUPT_SPIN;
    warp->run_end = instr + 1;
}

HANDLER(mbarrier_pending) {
    DST(uint32_t);
    SRC(uint64_t, state, 1);
    LANES(uint32_t, d, (uint32_t)(state[i] & SIM_MBARRIER_MAX));
}

BIND(MBARRIER) {
    switch (instr->variant) {
    case SIM_MBARRIER_TEST_WAIT:
    case SIM_MBARRIER_TRY_WAIT: return mbarrier_wait;
    case SIM_MBARRIER_PENDING_COUNT: return mbarrier_pending;
    default: return mbarrier_change;
    }
}

// ---- cp.async.mbarrier.arrive ----

// Each lane announces the copies that it has issued so far. Without .noinc the phase waits for one
// arrival more, which is this one.
static bool announce(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                     const lane_hosts *hosts) {
    uint32_t first = (uint32_t)__builtin_ctz(lanes);
    uint32_t count = (uint32_t)__builtin_popcount(lanes);
    sim_mbarrier barrier = load(hosts, first);
    if (!is_initialised(warp, instr, first, &barrier, hosts->address[first])) return false;
    if (!has(instr, SIM_MOD_NOINC)) barrier.wanted += count;
    store(hosts, first, barrier);
    sim_delivery *delivery = sim_async_delivery(warp, warp->block, 0);
    if (!delivery) return false;
    delivery->instr = instr;
    delivery->function = warp->frame->function;
    delivery->lanes = lanes;
    delivery->mbarrier = (uint32_t)hosts->address[first];
    delivery->copies = warp->copies.issued;
    delivery->arrivals = count;
    if (has(instr, SIM_MOD_NOINC)) // else it takes the arrival that it has added
        trace(warp, instr, SIM_TRACED_COPIED, hosts->address[first], count << SIM_TRACED_ARRIVALS,
              0);
    return true;
}

HANDLER(cp_mbarrier) {
    lane_hosts hosts;
    if (!find_mbarriers(warp, instr, lanes, &hosts)) return;
    while (lanes) { // the lanes of one barrier together
        uint32_t first = (uint32_t)__builtin_ctz(lanes), group = 0;
        for (uint32_t lane = first; lane < SIM_WARP_LANES; lane++)
            if (lanes & lane_bit[lane] && hosts.address[lane] == hosts.address[first])
                group |= lane_bit[lane];
        if (!announce(warp, instr, group, &hosts)) return;
        lanes &= ~group;
    }
    sim_note_change(warp);
}
BIND(CP_MBARRIER) {
    (void)instr;
    return cp_mbarrier;
}
