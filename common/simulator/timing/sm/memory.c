// Queues and the L1: see internal.h.
#include "timing/sm/internal.h"

enum { SECTOR_BYTES = 32 };

// Takes `work` cycles of a queue; returns when they end.
static double serve(sm_queue *queue, double now, double work) {
    queue->free = sim_larger(queue->free, now) + work;
    queue->work += work;
    return queue->free;
}

// Notes `work` cycles at `now`; returns how much of the bandwidth was in use.
static double use(sm_load *load, double now, double work) {
    const double most = 0.9; // beyond, the queue itself tells
    if (now > load->at) {
        load->work *= exp((load->at - now) / machine_constant.load_window);
        load->at = now;
    }
    double used = load->work / machine_constant.load_window;
    load->work += work;
    return used < most ? used : most;
}

// What a request waits because of others: half a load makes it wait `half`, and the nearer the
// load comes to all that is there, the longer.
static double wait_under(sm_load *load, double now, double work, double half) {
    double used = use(load, now, work);
    return half * used / (1 - used);
}

// ---- The L1 ----

static sm_l1_line *set_of(const sm_memory *m, uint32_t line) {
    uint64_t number = (uint64_t)sim_trace_hash(line) * m->sets >> 32;
    return m->l1 + number * SM_L1_WAYS;
}

// Sectors of a line of global memory that it has; 0: it does not have the line.
static uint32_t sectors_held(const sm_memory *m, uint32_t line) {
    const sm_l1_line *set = set_of(m, line);
    for (int way = 0; way < SM_L1_WAYS; way++)
        if (set[way].valid && set[way].line == line && !set[way].local) return set[way].valid;
    return 0;
}

// A number below SM_L1_WAYS. Marsaglia, "Xorshift RNGs", 2003.
static uint32_t random_way(sm_memory *m) {
    m->random ^= m->random << 13;
    m->random ^= m->random >> 17;
    m->random ^= m->random << 5;
    return m->random % SM_L1_WAYS;
}

// A place that is empty is taken first; else one is as good as another (H100: l1_rows_again_*).
static sm_l1_line *find_line(sm_memory *m, uint32_t line, bool local) {
    sm_l1_line *set = set_of(m, line), *taken = NULL;
    for (int way = 0; way < SM_L1_WAYS; way++) {
        if (set[way].valid && set[way].line == line && set[way].local == local) return &set[way];
        if (!set[way].valid) taken = &set[way];
    }
    if (!taken) taken = &set[random_way(m)];
    *taken = (sm_l1_line){.line = line, .local = local};
    return taken;
}

// ---- Behind the L1 ----

static sm_site *site_of(sm_memory *m, uint32_t site) {
    const sim_cache_site *found = sim_cache_site_of(m->cache, site);
    return found ? &m->sites[found - m->cache->sites] : NULL;
}

// Cycles of device memory for so many sectors of one line: rows are opened for the first of them.
static double line_cycles(const sm_memory *m, double sectors) {
    if (sectors <= 0) return 0;
    return sim_larger(sectors, machine_constant.dram_line) * m->dram_cycles;
}

// A timed launch begins with an L2 full of what others have written: what is read or stored drives
// that out, until all of it is gone.
static bool is_full_of_stores(const sm_memory *m) {
    return m->filled * SECTOR_BYTES < m->device->l2_bytes;
}

// Of the cycles of a line where device memory is read and written: more for one by itself, so much
// less for the second one of a pair.
static double pairing(const sm_memory *m, uint32_t line) {
    if (!m->mixes || m->copies) return 1;
    return sectors_held(m, line ^ 1) ? 1 - m->alone : 1 + m->alone;
}

// Takes device memory for more sectors of a line, and for what they drive out of the L2. Returns
// the cycles of that.
static double take_dram(sm_memory *m, sm_l1_line *line, double sectors, double at) {
    double work = line_cycles(m, line->fetched + sectors) - line_cycles(m, line->fetched);
    double driven =
        is_full_of_stores(m) ? machine_constant.written_back * sectors * m->dram_cycles : 0;
    work *= m->changes ? machine_constant.atomic_fill : pairing(m, line->line);
    line->fetched += (float)sectors;
    m->filled += sectors * m->sms * m->each;
    serve(&m->dram, at, (work + driven) * m->sms);
    m->dram.work -= driven * m->sms; // only until all is driven out
    return (work + driven) * m->sms;
}

// How many sectors device memory sends for `sectors` of a line. A site's share of them is asked for
// by whole pairs; of neighbouring lines of one request the L2 has all, or none.
static double sectors_from_dram(sm_memory *m, sm_site *site, uint32_t line, double sectors) {
    double least = m->device->dram_pairs && sectors < 2 ? 2 : sectors;
    if (!site) return sectors * m->default_dram;
    if (m->filled_site != site || line != m->filled_line + 1) m->fills = site->owed >= 0.5 * least;
    m->filled_site = site;
    m->filled_line = line;
    if (!m->fills) return 0;
    site->owed -= least;
    return least;
}

// Whether SMs that go through the same lines together have asked device memory for these sectors
// just before: they are on their way to the L2.
static bool is_in_flight(const sm_memory *m, sm_site *site, double sectors) {
    if (!site) return false;
    site->late += sectors * site->waits[m->slice];
    if (site->late < 0.5 * sectors) return false;
    site->late -= sectors;
    return true;
}

// When those of `sectors` that the L2 lacks have come to it; 0: it has them.
static double fill_l2(sm_memory *m, sm_site *site, sm_l1_line *line, double sectors, double at) {
    double dram = sectors_from_dram(m, site, line->line, sectors);
    if (dram <= 0) return is_in_flight(m, site, sectors) ? at + m->dram_latency : 0;
    double further = fmax(dram - 1, 0);
    double latency = m->dram_latency + further * machine_constant.dram_sector_latency;
    if (is_full_of_stores(m))
        latency += machine_constant.evict_latency + further * machine_constant.evict_sector_latency;
    double work = take_dram(m, line, dram, at);
    if (m->mixes || is_full_of_stores(m))
        latency +=
            use(&m->dram_load, at, work) * 2 * machine_constant.dram_mixed_wait * m->copy_cycles;
    else latency += wait_under(&m->dram_load, at, work, machine_constant.dram_wait);
    return m->dram.free + latency;
}

// When `sectors` of a line that the L1 lacks are there.
static double fetch(sm_memory *m, sm_site *site, sm_l1_line *line, double sectors, double now) {
    double asked = sim_larger(sectors, machine_constant.l2_line) * m->l2_cycles;
    double wait = wait_under(&m->l2_load, now, asked * m->sms, machine_constant.l2_wait);
    double at = serve(&m->port, now, asked * m->sms);
    if (m->hottest.passes > 0)
        serve(&m->atomics, now, machine_constant.l2_exclusive * asked * m->sms);
    return sim_larger(at + m->l2_latency + wait, fill_l2(m, site, line, sectors, at));
}

static double load_line(sm_memory *m, const sim_traced_line *entry, double now) {
    uint8_t kind = entry->kind & SIM_TRACE_KIND;
    bool local = entry->kind & SIM_TRACE_LOCAL;
    sm_site *site = local                       ? NULL
                    : kind == SIM_TRACE_TEXTURE ? &m->all_textures
                                                : site_of(m, entry->site);
    sm_l1_line *line = find_line(m, entry->line, local);
    uint32_t wanted = entry->sectors & 15, missing = wanted;
    if (kind != SIM_TRACE_LOAD_PAST_L1) missing &= ~(uint32_t)line->valid;
    double last = now + m->l1_latency, arrives = now; // local: its own stores brought it there
    if (missing) line->by = site;
    if (site)
        (line->by ? line->by : site)->owed += __builtin_popcount(wanted) * site->dram[m->slice];
    if (missing && !local) {
        double sectors = __builtin_popcount(missing);
        double cost = machine_constant.port_line + (sectors - 1) * machine_constant.port_sector;
        m->asked += cost;
        arrives = fetch(m, site, line, sectors, serve(&m->lines, now, cost));
    }
    for (uint32_t s = 0; s < SIM_LINE_SECTORS; s++) {
        if (missing >> s & 1) line->arrives[s] = arrives;
        if (wanted >> s & 1) last = sim_larger(last, line->arrives[s]);
    }
    line->valid |= (uint8_t)wanted;
    return last;
}

// Sectors of which only a part is stored.
static uint32_t stored_in_part(const sim_traced_line *entry) {
    return entry->sectors & 15 & ~(uint32_t)(entry->sectors >> SIM_LINE_SECTORS);
}

// Share of the sectors stored in parts that other stores make whole at once.
static double completed(const sm_memory *m) { return sim_larger(0, 1 - m->filled_parts); }

// The L2 takes a line; returns when it has it.
static double store_in_l2(sm_memory *m, const sim_traced_line *entry, double now) {
    double sectors = __builtin_popcount(entry->sectors & 15);
    double ns = m->device->store_line_ns + sectors * m->device->store_sector_ns;
    double port = machine_constant.store_line + sectors * machine_constant.store_sector;
    if (m->copies) {
        port = 0; // they have a queue of their own
        ns *= machine_constant.bulk_store_share;
    }
    ns *= stored_in_part(entry) ? 1 + completed(m) * (machine_constant.store_part - 1)
                                : machine_constant.store_whole;
    return serve(&m->stores, now, sim_larger(port, ns * m->clock_ghz * m->sms));
}

// Returns when the L2 has it. beside: the other line of its pair is stored, too.
static double store_line(sm_memory *m, const sim_traced_line *entry, bool beside, double now) {
    double at = store_in_l2(m, entry, now);
    bool local = entry->kind & SIM_TRACE_LOCAL;
    uint32_t held = sectors_held(m, entry->line);
    double paired = pairing(m, entry->line);
    // A store takes a line of the L1, in which the sectors that it fills can be read.
    if (!m->copies)
        find_line(m, entry->line, local)->valid |=
            (uint8_t)(local ? entry->sectors & 15 : entry->sectors >> SIM_LINE_SECTORS);
    if (local) return at; // device memory does not see a thread's own memory
    // Device memory gets whole sectors; pairs of which only parts are stored are read before,
    // unless the warps of this SM have read them, so that the L2 has them.
    uint32_t parts = stored_in_part(entry) & ~held;
    double sectors = __builtin_popcount(entry->sectors & 15);
    double pairs = ((parts & 3) != 0) + ((parts & 12) != 0);
    double open = __builtin_popcount(parts) * (1 - completed(m)); // no others make them whole
    double whole = (sectors - open) * m->dram_cycles * paired;
    double share =
        is_full_of_stores(m) ? machine_constant.written_back : 1; // its own wait in the L2
    m->filled += sectors * m->sms * m->each;
    // Rows are opened for what is read, and for what is written unless neighbours are stored, too.
    double opened = line_cycles(m, 2 * pairs);
    double closed = beside ? sim_larger(sectors, 2) * m->dram_cycles : opened;
    double filled = pairs > 0 ? (opened + closed) * m->written * m->filled_parts * m->sms : 0;
    double stored = whole * m->written * m->sms;
    use(&m->dram_load, at, stored + filled); // loads wait longer
    serve(&m->dram, at, share * stored + filled);
    m->dram.work += (1 - share) * stored;
    // They wait in the L2 until it has the rest.
    if (beside && filled > 0) {
        m->stores.free =
            sim_larger(m->stores.free, m->dram.free - machine_constant.store_queue_cycles);
        m->tail = machine_constant.fill_tail;
    } else {
        m->stores.free += filled;
    }
    return at;
}

// ns of the unit of the L2 that has the launch's hottest sector or piece, for atomics on `sectors`
// of a line of which `words` lanes have one.
static double hot_ns(const sm_memory *m, const sim_instr *instr, double sectors, double words) {
    const sim_contention *hottest = &m->hottest;
    bool real = instr->type >= PTX_F16 && instr->type <= PTX_F64;
    double pass = real ? machine_constant.atomic_float_ns : machine_constant.atomic_ns;
    double piece = sectors == SIM_LINE_SECTORS ? machine_constant.atomic_line_ns / SIM_LINE_SECTORS
                                               : machine_constant.atomic_piece_ns;
    return sim_larger(words * hottest->passes * hottest->sector * pass,
                      sectors * hottest->piece * piece);
}

// ns of the whole L2 for them.
static double atomic_ns(const sm_memory *m, const sim_instr *instr, double sectors) {
    double sector = sim_is_atom(instr) ? machine_constant.atomic_returned_ns
                                       : machine_constant.atomic_sector_ns;
    return sectors * sector + m->hottest.repeats * machine_constant.atomic_repeat_ns;
}

// The L2 does atomics, on sectors that it has. What it does for them it cannot do for loads, in
// part, and the reverse.
static double atomic_line(sm_memory *m, const sim_instr *instr, const sim_traced_line *entry,
                          double now) {
    sm_site *site = site_of(m, entry->site);
    sm_l1_line none = {0};
    double sectors = __builtin_popcount(entry->sectors & 15);
    double words = site && site->words > sectors ? site->words : sectors;
    double at = serve(&m->lines, now, sectors * machine_constant.port_line);
    if (site) site->owed += sectors * site->dram[m->slice];
    m->changes = true;
    double filled = site ? fill_l2(m, site, &none, sectors, at) : 0;
    m->changes = false;
    double work = atomic_ns(m, instr, sectors) * m->clock_ghz * m->sms;
    double hot = hot_ns(m, instr, sectors, words) * m->clock_ghz * m->sms;
    serve(&m->port, at, machine_constant.l2_exclusive * work);
    at = sim_larger(serve(&m->atomics, at, work), serve(&m->hot, at, hot)) + m->l2_latency;
    return sim_larger(at, filled);
}

// Whether the request has the other line of the pair of line `i`, too.
static bool is_beside(const sim_traced_line *entries, uint32_t count, uint32_t i) {
    uint32_t other = entries[i].line ^ 1;
    return (i > 0 && entries[i - 1].line == other) ||
           (i + 1 < count && entries[i + 1].line == other);
}

static uint32_t sectors_of(const sim_traced_line *entries, uint32_t count) {
    uint32_t sectors = 0;
    for (uint32_t i = 0; i < count; i++)
        sectors += (uint32_t)__builtin_popcount(entries[i].sectors & 15);
    return sectors;
}

// Whether its sectors are those of sm_memory_least.
static bool is_counted(const sim_traced_line *entry) {
    bool local = entry->kind & SIM_TRACE_LOCAL;
    return !local && (entry->kind & SIM_TRACE_KIND) != SIM_TRACE_ATOMIC;
}

double sm_memory_request(sm_memory *m, const sim_instr *instr, uint32_t start,
                         const sim_traced_line *entries, uint32_t count, double now) {
    double rate = m->device->l1_sector_rate > 0 ? m->device->l1_sector_rate : 4;
    double work =
        sim_larger(sim_larger(1 / m->device->lsu_rate, entries[0].wavefronts), ceil(count / rate));
    bool loads = sim_is_load(instr) || instr->op == SIM_OP_CP_ASYNC;
    if (loads) work = sim_larger(work, machine_constant.l1_load);
    double at = serve(&m->unit, now, work), last = at;
    m->asked = 0;
    if (is_counted(&entries[0])) m->sectors += sectors_of(entries, count);
    m->slice = start == SM_ANY_TIME ? SIM_CACHE_SLICES
                                    : sim_cache_slice_of(m->cache, start + entries[0].time);
    m->filled_site = NULL;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t kind = entries[i].kind & SIM_TRACE_KIND;
        if (kind == SIM_TRACE_STORE) store_line(m, &entries[i], is_beside(entries, count, i), at);
        else if (kind == SIM_TRACE_ATOMIC)
            last = sim_larger(last, atomic_line(m, instr, &entries[i], at));
        else last = sim_larger(last, load_line(m, &entries[i], at));
    }
    // What a request asks of the L2 goes through the SM's port, lines that are few no faster.
    double rest = machine_constant.port_request - m->asked;
    if (m->asked > 0 && rest > 0) m->lines.free += rest;
    return loads ? last + (work - 1) * machine_constant.conflict : at;
}

// ---- Bulk copies ----

static double bulk_in(sm_memory *m, const sim_traced_line *lines, uint32_t count, uint32_t blocks,
                      double now) {
    double own = 0, of_others;
    for (uint32_t i = 0; i < count; i++)
        own += __builtin_popcount(lines[i].sectors & 15) > SIM_LINE_SECTORS / 2
                   ? machine_constant.bulk_line
                   : machine_constant.bulk_row;
    of_others = own * (blocks - 1);
    double at = serve(&m->bulk, now, own + of_others) - of_others;
    double last = at + machine_constant.bulk_latency;
    for (uint32_t i = 0; i < count; i++) {
        sm_site *site = site_of(m, lines[i].site);
        sm_l1_line none = {.line = lines[i].line};
        double sectors = __builtin_popcount(lines[i].sectors & 15);
        double asked = sim_larger(sectors * m->bulk_share, machine_constant.l2_line);
        double sent = serve(&m->port, now, asked * m->bulk_cycles * m->sms);
        if (site) site->owed += sectors * site->dram[m->slice];
        double filled = fill_l2(m, site, &none, sectors, sent);
        last = sim_larger(last, sent + machine_constant.bulk_latency);
        last = sim_larger(last, filled + machine_constant.bulk_dram);
    }
    return last;
}

static double bulk_out(sm_memory *m, const sim_traced_line *lines, uint32_t count, double now) {
    double at = serve(&m->bulk_stores, now, count * machine_constant.bulk_store_line), last = at;
    for (uint32_t i = 0; i < count; i++)
        if ((lines[i].kind & SIM_TRACE_KIND) == SIM_TRACE_STORE)
            last = sim_larger(last, store_line(m, &lines[i], is_beside(lines, count, i), now));
    return last + machine_constant.bulk_store;
}

double sm_memory_bulk(sm_memory *m, uint32_t start, const sim_traced_line *lines, uint32_t count,
                      uint32_t blocks, bool in, double now) {
    if (count == 0) return now + machine_constant.bulk_latency; // all of it outside of the tensor
    m->sectors += sectors_of(lines, count);
    m->slice = start == SM_ANY_TIME ? SIM_CACHE_SLICES
                                    : sim_cache_slice_of(m->cache, start + lines[0].time);
    m->filled_site = NULL;
    m->copies = true;
    double end = in ? bulk_in(m, lines, count, blocks, now) : bulk_out(m, lines, count, now);
    m->copies = false;
    return end;
}

double sm_memory_shared(sm_memory *m, double wavefronts, double latency, double now) {
    double work = sim_larger(1 / m->device->lsu_rate, wavefronts / m->device->wavefront_rate);
    return serve(&m->unit, now, work) + latency - 1;
}

double sm_memory_constant(sm_memory *m, double addresses, double latency, double now) {
    double work = sim_larger(1, addresses) * machine_constant.constant_word;
    return serve(&m->constants, now, work) + latency - machine_constant.constant_word;
}

double sm_memory_uniform(sm_memory *m, uint32_t warps, double now) {
    enum { FEW = 32 }; // up to 32 and from 40 on, as measured
    double work = warps > FEW ? machine_constant.uniform_crowded : machine_constant.uniform_word;
    return serve(&m->constants, now, work) + machine_constant.uniform_latency - work;
}

// Of two axes or more, the units take neighbours in both for one service; along linear memory they
// take line after line.
double sm_memory_texture(sm_memory *m, const sim_instr *instr, const sim_traced_line *entries,
                         uint32_t count, double now) {
    enum { WIDE = 16, TWO_WORDS = 8 };
    bool linear = sim_geometry_axes((sim_geometry)instr->geometry) == 1;
    uint32_t bytes = count ? entries[0].wavefronts : 0; // of a texel
    double service = machine_constant.texture_service * (linear ? 1 : 2) *
                     sim_larger(1, (double)bytes / TWO_WORDS);
    if (linear) service = sim_larger(service, count * machine_constant.texture_line);
    double latency = machine_constant.texture_latency +
                     (linear ? 0 : machine_constant.texture_plane) +
                     (bytes >= WIDE ? machine_constant.texture_wide : 0);
    double at = serve(&m->textures, now, service), last = at;
    for (uint32_t i = 0; i < count; i++) last = sim_larger(last, load_line(m, &entries[i], at));
    return last > at + m->l1_latency ? last + latency - m->l1_latency : at + latency;
}

double sm_memory_ready(const sm_memory *m, const sim_instr *instr, double now) {
    if (instr->space == PTX_SPACE_CONST)
        return sim_larger(now, m->constants.free - machine_constant.queue_cycles);
    if (sim_pipe_of(instr) == SIM_PIPE_TEX)
        return sim_larger(now, m->textures.free - machine_constant.queue_cycles);
    double ready = sim_larger(now, m->unit.free - machine_constant.queue_cycles);
    bool writes = instr->op == SIM_OP_ST || instr->op == SIM_OP_RED;
    if (!writes || instr->space == PTX_SPACE_SHARED) return ready;
    double queue = sim_larger(m->stores.free, sim_larger(m->atomics.free, m->hot.free));
    return sim_larger(ready, queue - machine_constant.store_queue_cycles);
}

double sm_memory_least(const sm_memory *m, const sim_sm_input *input) {
    const uint64_t *totals = input->totals->value;
    double all = (double)totals[SIM_COUNTER_GLOBAL_LD_SECTORS] +
                 (double)totals[SIM_COUNTER_BULK_READ] + m->stored_sectors;
    double most = sim_larger(sim_larger(m->dram.work, m->stores.work),
                             sim_larger(m->port.work, m->lines.work));
    return m->sectors > 0 ? m->tail + most * all / (m->sectors * m->device->sm_count) : 0;
}

double sm_memory_quiet(const sm_memory *m) {
    return sim_larger(sim_larger(m->stores.free, sim_larger(m->atomics.free, m->hot.free)),
                      sim_larger(m->dram.free + m->tail, m->port.free));
}

// ---- A launch ----

static double sectors_cycles(const sm_memory *m, double gbs) {
    return gbs > 0 ? SECTOR_BYTES / gbs * m->clock_ghz : 0;
}

// Sectors that bulk copies write, which have no counter of their own.
static double bulk_stored_sectors(const sim_sm_input *input) {
    double sectors = 0;
    for (uint32_t f = 0; f < input->recorded->function_count; f++) {
        const sim_function *function = &input->launch->program->functions[f];
        const sim_raw_counts *counts = input->recorded->counts[f].by_pc;
        if (!counts) continue;
        const uint64_t *ran = input->recorded->counts[f].ran;
        uint32_t end = function->code_count;
        SIM_EACH_RAN(pc, ran, end) {
            const sim_instr *instr = &function->code[pc];
            if (sim_is_bulk(instr) && instr->variant == SIM_BULK_TO_GLOBAL)
                sectors += (double)counts[pc].sectors;
        }
    }
    return sectors;
}

static void find_traffic(sm_memory *m, const sim_sm_input *input) {
    const uint64_t *totals = input->totals->value;
    m->stored_sectors = (double)totals[SIM_COUNTER_GLOBAL_ST_SECTORS] + bulk_stored_sectors(input);
    double stored = SECTOR_BYTES * m->stored_sectors;
    double written = (double)totals[SIM_COUNTER_FOOTPRINT_WRITE];
    const sim_cache_counts *found = &m->cache->total;
    double fresh = found->dram_reads ? 1 - (double)found->dram_recent / found->dram_reads : 1;
    double bytes = fresh * (double)totals[SIM_COUNTER_DRAM_READ] + written;
    m->written = stored > written ? written / stored : stored > 0;
    m->filled_parts = m->cache->parts_found ? 0 : 1;
    if (m->cache->in_parts) m->filled_parts = (double)m->cache->filled / m->cache->in_parts;
    m->mixes = written > 0.1 * bytes;
    double mix = m->mixes ? fmin(1, 2 * written / bytes) : 0; // of a copy, half is written
    m->alone = mix * machine_constant.dram_alone;
    m->copy_cycles = sectors_cycles(m, m->device->copy_gbs);
    m->dram_cycles = mix * m->copy_cycles + (1 - mix) * sectors_cycles(m, m->device->read_gbs);
}

static void find_shares(sm_site *site, const sim_cache_site *from) {
    double parts = 0, *dram = site->dram, *waits = site->waits;
    for (uint32_t k = 0; k < SIM_CACHE_SLICES; k++) {
        const sim_cache_slice *slice = &from->slices[k];
        if (slice->l1_misses == 0) continue;
        dram[k] = (double)slice->dram_reads / slice->l1_sectors;
        waits[k] = (double)slice->dram_waits / slice->l1_misses;
        dram[SIM_CACHE_SLICES] += dram[k];
        waits[SIM_CACHE_SLICES] += waits[k];
        parts++;
    }
    if (parts == 0) return;
    dram[SIM_CACHE_SLICES] /= parts;
    waits[SIM_CACHE_SLICES] /= parts;
}

static void find_sites(sm_memory *m, const sim_sm_input *input) {
    const sim_cache_counts *total = &m->cache->total;
    double missed = (double)(total->l1_sectors - total->l1_hits);
    m->default_dram = missed > 0 ? (double)(total->dram_reads - total->dram_recent) / missed : 1;
    for (uint32_t i = 0; i < m->cache->site_count; i++) {
        const sim_cache_site *from = &m->cache->sites[i];
        uint32_t f = from->site >> 20, pc = from->site & 0xFFFFF;
        find_shares(&m->sites[i], from);
        if (f >= input->recorded->function_count || !input->recorded->counts[f].by_pc) continue;
        const sim_raw_counts *raw = &input->recorded->counts[f].by_pc[pc];
        double lines = (double)from->lines * m->cache->scale;
        if (lines > 0) m->sites[i].words = (double)raw->on / lines;
        const sim_instr *instr = &input->launch->program->functions[f].code[pc];
        if (instr->machine == SIM_MACHINE_AGGREGATED) m->sites[i].words = 1;
    }
}

// Textures are not in the sample: device memory sends what is left of all that is read once.
static void find_textures(sm_memory *m, const sim_sm_input *input) {
    double fetched = 0, left = (double)input->recorded->footprint_read_bytes / SECTOR_BYTES -
                               (double)m->cache->total.dram_reads * m->cache->scale;
    for (uint32_t f = 0; f < input->recorded->function_count; f++) {
        const sim_function *function = &input->launch->program->functions[f];
        const uint64_t *ran = input->recorded->counts[f].ran;
        if (!ran) continue;
        uint32_t end = function->code_count;
        SIM_EACH_RAN(pc, ran, end)
            if (issue_kind_of(&function->code[pc]) == ISSUE_TEXTURE)
                fetched += (double)input->recorded->counts[f].by_pc[pc].sectors;
    }
    double share = fetched > 0 && left > 0 ? left < fetched ? left / fetched : 1 : 0;
    for (uint32_t k = 0; k <= SIM_CACHE_SLICES; k++) m->all_textures.dram[k] = share;
}

// Copies of the same lines by several SMs at about the same time meet on their way to the L2.
static void find_bulk(sm_memory *m, const sim_sm_input *input) {
    double copied = (double)input->totals->value[SIM_COUNTER_BULK_READ];
    double once = (double)input->recorded->footprint_read_bytes / SECTOR_BYTES;
    double first = copied > once ? once / copied : 1;
    m->bulk_share = first + (1 - first) * machine_constant.bulk_shared;
}

// The L1 is full of lines that nobody asks for again.
static void leave_lines(sm_memory *m) {
    for (uint32_t i = 0; i < m->sets * SM_L1_WAYS; i++)
        m->l1[i] = (sm_l1_line){.line = UINT32_MAX - i, .valid = 0xF};
}

bool sm_memory_begin(sm_memory *m, const sim_sm_input *input) {
    const sim_launch *launch = input->launch;
    const sim_device *device = launch->device;
    uint32_t lines = sim_cache_l1_bytes(launch, launch->occupancy.blocks_per_sm) / SIM_LINE_BYTES;
    *m = (sm_memory){.device = device,
                     .clock_ghz = device->clock_mhz * 1e-3,
                     .sms = device->sm_count,
                     .hottest = input->recorded->contention,
                     .cache = input->cache,
                     .sets = 1,
                     .each = 1,
                     .filled = (double)input->cache->launched,
                     .random = 1};
    if (lines >= SM_L1_WAYS) m->sets = lines / SM_L1_WAYS;
    m->l2_cycles = sectors_cycles(m, machine_constant.l2_rate * device->l2_gbs);
    m->bulk_cycles = sectors_cycles(m, device->bulk_gbs);
    m->l1_latency = machine_constant.l1_latency;
    m->l2_latency = issue_l2_latency(device);
    m->dram_latency = device->dram_latency_ns * m->clock_ghz;
    m->l1 = calloc((size_t)m->sets * SM_L1_WAYS, sizeof *m->l1);
    m->sites = calloc(m->cache->site_count + 1, sizeof *m->sites);
    if (!m->l1 || !m->sites) return false;
    if (input->traces->modelled.mixed) leave_lines(m);
    find_traffic(m, input);
    find_sites(m, input);
    find_textures(m, input);
    find_bulk(m, input);
    return true;
}

void sm_memory_end(sm_memory *m) {
    free(m->l1);
    free(m->sites);
}
