// The caches of compute capability 9.0 as its counters show them. In brackets the kernel of
// validation/counters/counter_kernels.def whose counters show a rule.
//   L1   A SM's own. A load hits when its sector is there or on its way [global_load_offset_1]; a
//        miss fetches the sector, not the line [cache_half_lines]. Stores go through to the L2
//        [shape_2d_columns]; they take a line, and count as hits when the line was there
//        [global_store_width_2]; a sector that they fill can be read [cache_write_then_read].
//        Atomics pass by.
//   L2   Two partitions, half of the lines at home in each. A SM asks the near one; what is at home
//        in the other is fetched from there by pairs of sectors and counts again
//        [cache_stream_read: 1.5 sectors per sector; global_load_stride_32: 2], and is kept on both
//        sides [cache_l2_fits]. Stores and atomics go on to the home [cache_stream_write: 1.5].
//        SMs that ask for one sector at one time are served together, about 36 requests for 132 SMs
//        [cache_shared_by_blocks]; one SM that asks twice, past the L1, is served twice [bulk
//        copies of one box in turn].
//   DRAM Read by pairs of sectors [global_load_stride_16]; written when dirty lines leave the L2.
//   Cards whose rows differ: global loads may pass by the L1 (l1_caches_global), textures may have
//   a cache of their own (texture_cache_bytes), the L2 may be one (l2_partitions), without merging
//   (l2_merge_groups), filled by sectors (dram_pairs), or missing (l2_bytes): then every load is
//   one of device memory.
#include "counters/internal.h"

enum {
    PARTITIONS = 2,     // at most
    MERGE_REQUESTS = 1, // how far apart, in requests of a warp
    FILL_REQUESTS = 7,  // likewise parts of a sector that the L2 puts together, at most
    MAX_SMS = 1024,
    ALL_SECTORS = 0xF,
};

typedef struct replay_event {
    uint32_t time, line, site;
    uint16_t sm;
    uint8_t sectors, kind;
} replay_event;

struct sim_cache_memory {
    sim_cache_lines l1_lines, l2_lines;
    sim_cache l1[MAX_SMS], textures[MAX_SMS], l2[PARTITIONS];
    replay_event *events; // [2][capacity]: in order of blocks, in order of time
    uint64_t capacity;
};

typedef struct replay {
    const sim_cache_input *input;
    const sim_device *device;
    uint32_t sm_count;
    sim_cache_memory *in;
    sim_cache_result *result;
    sim_cache_counts *counts; // of the instruction whose access is replayed
} replay;

// Of the four sectors of a line, by a table in one number: the instruction for it is younger than
// what this may be compiled for.
static uint32_t count_bits(uint32_t sectors) {
    return UINT64_C(0x4332322132212110) >> 4 * sectors & 15;
}

// Both sectors of every pair with one of `sectors`.
static uint32_t whole_pairs(uint32_t sectors) {
    return sectors | (sectors & 5) << 1 | (sectors & 10) >> 1;
}

uint32_t sim_cache_l1_bytes(const sim_launch *launch, uint32_t blocks_per_sm) {
    const sim_device *device = launch->device;
    if (!device->l1_and_shared_bytes) return 0;
    uint32_t a_block = sim_launch_shared_bytes(launch) + device->shared_reserved_bytes;
    uint32_t need = blocks_per_sm * a_block, preferred = launch->config.preferred_shared_bytes;
    return device->l1_and_shared_bytes - sim_carve_out(device, need < preferred ? preferred : need);
}

void sim_cache_l2_begin(const sim_device *device, sim_l2_before *recent) {
    recent->capacity = device->l2_bytes / 32;
    recent->window =
        device->l2_partitions == PARTITIONS ? recent->capacity * 2 / 3 : recent->capacity;
}

// ---- L2 and device memory ----

static uint32_t home_of(const replay *r, uint32_t line) {
    return r->device->l2_partitions == 1 ? 0 : (line * UINT32_C(0x85EBCA6B)) >> 31;
}

// Without groups every other SM is near to the one partition.
static uint32_t near_partition(const replay *r, uint32_t sm) {
    uint32_t groups = r->device->l2_merge_groups ? r->device->l2_merge_groups : 2;
    return r->device->l2_partitions == 1 || sm % groups < groups / 2 ? 0 : 1;
}

static uint64_t l2_key(uint32_t partition, uint32_t line) {
    return (uint64_t)partition << 32 | line;
}

static sim_cache_line *l2_line(replay *r, uint32_t partition, uint32_t line) {
    sim_cache_line *found = sim_cache_find(&r->in->l2_lines, l2_key(partition, line));
    r->result->dram_writes += sim_cache_touch(&r->in->l2_lines, &r->in->l2[partition], found);
    return found;
}

// Sectors of the line that the L2 had before the launch.
static uint32_t had_before(const replay *r, const replay_event *event) {
    return r->input->recent ? sim_l2_before_line(r->input->recent, event->line) : 0;
}

// Reads `sectors` where they are at home; missing ones come from device memory. Returns how many.
static uint32_t read_home(replay *r, const replay_event *event, sim_cache_line *home,
                          uint32_t sectors) {
    uint32_t missing = sectors & ~(uint32_t)home->valid;
    uint32_t fetched =
        r->device->dram_pairs ? whole_pairs(missing) & ~(uint32_t)home->valid : missing;
    uint32_t pairs = count_bits((fetched | fetched >> 1) & 5);
    uint32_t count = r->device->dram_pairs ? 2 * pairs : count_bits(fetched);
    uint32_t recent = fetched ? count_bits(fetched & had_before(r, event)) : 0;
    r->counts->dram_reads += count;
    r->counts->dram_recent += recent;
    home->valid |= (uint8_t)fetched;
    if (count > recent) home->filled_time = event->time + 1;
    return count;
}

// What device memory has not sent yet when it is asked for again: by the same request of another
// warp, as warps that go through the same lines together make it.
static void note_wait(replay *r, const replay_event *event, const sim_cache_line *line,
                      uint32_t sectors) {
    if (line->filled_time == event->time + 1) r->counts->dram_waits += count_bits(sectors);
}

static bool is_merged(const replay *r, const replay_event *event, sim_cache_line *line,
                      uint32_t sectors) {
    if (!r->device->l2_merge_groups) return false;
    uint64_t group = UINT64_C(1) << event->sm % r->device->l2_merge_groups;
    if (event->time - line->merge_time > MERGE_REQUESTS || !line->merged) {
        line->merge_time = event->time;
        line->merge_groups = line->merged = 0;
    }
    bool merged = line->merge_groups & group && line->merge_sm != event->sm &&
                  !(sectors & ~(uint32_t)line->merged);
    line->merge_groups |= group;
    line->merge_sm = event->sm;
    line->merged |= (uint8_t)sectors;
    return merged;
}

static void l2_read(replay *r, const replay_event *event, uint32_t sectors) {
    if (!r->device->l2_bytes) {
        r->counts->l1_reads += count_bits(sectors);
        r->counts->l1_read_lines++;
        r->counts->dram_reads += count_bits(sectors);
        return;
    }
    uint32_t home = home_of(r, event->line), near = near_partition(r, event->sm);
    sim_cache_line *line = l2_line(r, near, event->line);
    if (is_merged(r, event, line, sectors)) {
        note_wait(r, event, line, sectors);
        return;
    }
    uint32_t missing = sectors & ~(uint32_t)line->valid;
    r->counts->l1_reads += count_bits(sectors);
    r->counts->l1_read_lines++;
    r->counts->l2_reads += count_bits(sectors);
    r->counts->l2_read_hits += count_bits(sectors & line->valid);
    if (!missing) {
        note_wait(r, event, line, sectors);
        return;
    }
    if (home == near) {
        read_home(r, event, line, missing);
        return;
    }
    sim_cache_line *far = l2_line(r, home, event->line);
    uint32_t pairs = whole_pairs(missing);
    r->counts->l2_reads += count_bits(pairs);
    r->counts->l2_read_hits += count_bits(pairs & far->valid);
    if (!read_home(r, event, far, pairs)) note_wait(r, event, far, sectors);
    line->filled_time = far->filled_time;
    line->valid |= (uint8_t)pairs;
}

// Sectors that a store or an atomic changes are counted on the way and at home.
static uint32_t l2_change(replay *r, const replay_event *event, uint32_t sectors,
                          sim_cache_line **out_home) {
    uint32_t home = home_of(r, event->line);
    *out_home = l2_line(r, home, event->line);
    if (!r->device->l2_bytes) return 0;
    (*out_home)->dirty |= (uint8_t)sectors;
    return count_bits(sectors) * (home == near_partition(r, event->sm) ? 1 : 2);
}

// ---- L1 ----

static uint64_t l1_key(const replay_event *event) {
    return (uint64_t)event->sm << 32 | event->line;
}

static sim_cache_line *l1_line(replay *r, const replay_event *event, bool *out_was_there) {
    sim_cache_line *line = sim_cache_find(&r->in->l1_lines, l1_key(event));
    *out_was_there = line->resident;
    sim_cache_touch(&r->in->l1_lines, &r->in->l1[event->sm], line);
    return line;
}

// A texture cache of its own has its own lines.
static void replay_texture(replay *r, const replay_event *event, uint32_t sectors) {
    enum { OF_TEXTURES = 62 };
    uint64_t key = UINT64_C(1) << OF_TEXTURES | l1_key(event);
    sim_cache_line *line = sim_cache_find(&r->in->l1_lines, key);
    sim_cache_touch(&r->in->l1_lines, &r->in->textures[event->sm], line);
    uint32_t missing = sectors & ~(uint32_t)line->valid;
    r->counts->l1_hits += count_bits(sectors & line->valid);
    line->valid |= (uint8_t)sectors;
    if (missing) l2_read(r, event, missing);
}

// Whether the L1 is asked: always for local memory.
static bool passes_l1(const replay *r, const replay_event *event) {
    if (event->kind & SIM_TRACE_LOCAL) return !r->device->l1_and_shared_bytes;
    return !r->device->l1_caches_global;
}

static void replay_load(replay *r, const replay_event *event, uint32_t sectors) {
    bool was_there;
    sim_cache_line *line = l1_line(r, event, &was_there);
    uint32_t missing = sectors & ~(uint32_t)line->valid;
    r->counts->l1_hits += count_bits(sectors & line->valid);
    line->valid |= (uint8_t)sectors;
    if (missing) l2_read(r, event, missing);
}

// Loads that leave nothing behind.
static void replay_load_once(replay *r, const replay_event *event, uint32_t sectors) {
    sim_cache_line *line = sim_cache_find(&r->in->l1_lines, l1_key(event));
    uint32_t missing = sectors & ~(uint32_t)line->valid;
    r->counts->l1_hits += count_bits(sectors & line->valid);
    if (missing) l2_read(r, event, missing);
}

// A store of a part of a sector that the L2 has not: either others make it whole at once, or the
// rest comes from device memory [H100, ncu: a naive transposition reads nothing of what it writes;
// H200: first_parts_that_complete_16_mib, first_same_parts_16_mib].
static void store_part(replay *r, const replay_event *event, sim_cache_line *home, uint32_t s) {
    uint32_t *since = &home->parts_since[s];
    uint8_t *parts = &home->parts[s], bit = (uint8_t)(1 << s);
    if (!*parts && had_before(r, event) & bit) home->whole |= bit;
    if ((home->valid | home->whole) & bit) {
        r->result->parts_found++;
        return;
    }
    if (*parts && event->time - *since > FILL_REQUESTS) { // it has been filled meanwhile
        home->whole |= bit;
        return;
    }
    if (*parts == UINT8_MAX) return; // nobody counts on so many
    if ((*parts)++ == 0) {
        *since = event->time;
        r->result->filled++;
        r->result->in_parts += !(home->begun & bit);
        home->begun |= bit;
    }
    if (r->input->stores_to_fill <= 0 || *parts < r->input->stores_to_fill) return;
    home->whole |= bit;
    r->result->filled--;
}

static void replay_store(replay *r, const replay_event *event, uint32_t sectors, uint32_t filled) {
    bool was_there;
    sim_cache_line *home;
    if (!passes_l1(r, event)) {
        sim_cache_line *line = l1_line(r, event, &was_there);
        if (was_there) r->counts->l1_hits += count_bits(sectors);
        // Local memory keeps what was stored, parts of sectors too [sass_local_lane_index].
        line->valid |= (uint8_t)(event->kind & SIM_TRACE_LOCAL ? sectors : filled);
    }
    r->counts->l2_writes += l2_change(r, event, sectors, &home);
    r->counts->l1_writes += count_bits(sectors);
    r->counts->l1_write_lines++;
    for (uint32_t s = 0; s < SIM_LINE_SECTORS && !(event->kind & SIM_TRACE_LOCAL); s++)
        if ((sectors & ~filled) >> s & 1) store_part(r, event, home, s);
    home->valid |= (uint8_t)filled;
}

static void replay_event_one(replay *r, const replay_event *event) {
    uint32_t sectors = event->sectors & ALL_SECTORS, filled = event->sectors >> SIM_LINE_SECTORS;
    sim_cache_line *home;
    uint32_t kind = event->kind & SIM_TRACE_KIND;
    if (kind <= SIM_TRACE_LOAD_ONCE && passes_l1(r, event)) kind = SIM_TRACE_LOAD_PAST_L1;
    r->counts->l1_sectors += count_bits(sectors);
    switch (kind) {
    case SIM_TRACE_TEXTURE: replay_texture(r, event, sectors); break;
    case SIM_TRACE_LOAD: replay_load(r, event, sectors); break;
    case SIM_TRACE_LOAD_PAST_L1: l2_read(r, event, sectors); break;
    case SIM_TRACE_LOAD_ONCE: replay_load_once(r, event, sectors); break;
    case SIM_TRACE_STORE: replay_store(r, event, sectors, filled); break;
    default:
        r->counts->l2_atomics += l2_change(r, event, sectors, &home);
        read_home(r, event, home, sectors);
        break;
    }
}

// ---- The schedule ----

typedef struct slot_times {
    uint32_t *end; // [slot][sm]: when the slot's last block ends
    uint32_t slots, sms;
} slot_times;

// Blocks go to SMs in iteration; each SM has as many slots as blocks can be resident, and a slot's
// blocks follow one another. Resident blocks advance alike: a request of each warp at a time.
static void place_block(const sim_trace_block *block, slot_times *times, uint32_t *out_sm,
                        uint32_t *out_slot, uint32_t *out_start) {
    *out_sm = (uint32_t)(block->block % times->sms);
    *out_slot = (uint32_t)(block->block / times->sms % times->slots);
    uint32_t *end = &times->end[*out_slot * times->sms + *out_sm];
    *out_start = *end;
    *end += block->duration + 1;
}

// Local memory is a slot's: the next block there uses the same lines.
static uint32_t local_key(const slot_times *times, uint32_t sm, uint32_t slot, uint32_t line) {
    return UINT32_C(0x80000000) | (sm * times->slots + slot) << 18 | line;
}

static void place_events(const sim_cache_input *input, const sim_trace *trace, slot_times *times,
                         sim_cache_result *result, replay_event *out_events) {
    const sim_longest_warp *warp = input->longest;
    uint64_t used = 0;
    result->starts = calloc(trace->block_count / times->sms + 1, sizeof *result->starts);
    for (uint64_t b = 0; b < trace->block_count; b++) {
        const sim_trace_block *block = &trace->blocks[b];
        uint32_t sm, slot, start;
        place_block(block, times, &sm, &slot, &start);
        if (result->starts && sm == 0) result->starts[result->start_count++] = start;
        for (uint64_t i = block->first; i < block->first + block->count; i++) {
            const sim_trace_entry *entry = &trace->entries[i];
            bool local = entry->kind & SIM_TRACE_LOCAL;
            bool longest = warp && block->block == warp->block && entry->warp == warp->warp;
            out_events[used++] = (replay_event){
                .time = start + entry->time,
                .line = local ? local_key(times, sm, slot, entry->line) : entry->line,
                .site = entry->site,
                .sm = (uint16_t)sm,
                .sectors = entry->sectors,
                .kind = (uint8_t)(entry->kind | (longest ? SIM_TRACE_LONGEST : 0))};
        }
    }
}

// Orders events by time; those of one time stay in the order of blocks.
static replay_event *sort_by_time(replay_event *events, replay_event *spare, uint64_t count,
                                  uint32_t *out_latest) {
    uint32_t latest = 0;
    for (uint64_t i = 0; i < count; i++) latest = events[i].time > latest ? events[i].time : latest;
    for (uint32_t shift = 0; shift < 32 && latest >> shift; shift += 8) {
        uint64_t places[257] = {0};
        for (uint64_t i = 0; i < count; i++) places[(events[i].time >> shift & 255) + 1]++;
        for (uint32_t k = 0; k < 256; k++) places[k + 1] += places[k];
        for (uint64_t i = 0; i < count; i++)
            spare[places[events[i].time >> shift & 255]++] = events[i];
        replay_event *sorted = spare;
        spare = events;
        events = sorted;
    }
    *out_latest = latest;
    return events;
}

// ---- Instructions ----

static int by_site(const void *a, const void *b) {
    uint32_t x = ((const sim_cache_site *)a)->site, y = ((const sim_cache_site *)b)->site;
    return (x > y) - (x < y);
}

static sim_cache_site *find_site(const sim_cache_result *result, uint32_t site) {
    sim_cache_site key = {.site = site};
    if (!result->site_count) return NULL;
    return bsearch(&key, result->sites, result->site_count, sizeof key, by_site);
}

const sim_cache_site *sim_cache_site_of(const sim_cache_result *result, uint32_t site) {
    return find_site(result, site);
}

const sim_cache_counts *sim_cache_find_site(const sim_cache_result *result, uint32_t site) {
    const sim_cache_site *found = find_site(result, site);
    return found ? &found->counts : NULL;
}

// One record a different site, ascending; few, so that the list is kept sorted while it grows.
static bool list_sites(const replay_event *events, uint64_t count, sim_cache_result *result) {
    uint32_t capacity = 0, last = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (i && events[i].site == last) continue;
        last = events[i].site;
        if (find_site(result, last)) continue;
        if (!sim_reserve(&result->sites, &capacity, result->site_count, sizeof *result->sites))
            return false;
        uint32_t at = result->site_count++;
        for (; at && result->sites[at - 1].site > last; at--)
            result->sites[at] = result->sites[at - 1];
        result->sites[at] = (sim_cache_site){.site = last};
    }
    return true;
}

static void sum_sites(sim_cache_result *result) {
    sim_cache_counts *total = &result->total;
    for (uint32_t i = 0; i < result->site_count; i++) {
        const sim_cache_counts *counts = &result->sites[i].counts;
        total->l1_sectors += counts->l1_sectors;
        total->l1_hits += counts->l1_hits;
        total->dram_recent += counts->dram_recent;
        total->l2_reads += counts->l2_reads;
        total->l2_read_hits += counts->l2_read_hits;
        total->l2_writes += counts->l2_writes;
        total->l2_atomics += counts->l2_atomics;
        total->l1_reads += counts->l1_reads;
        total->l1_writes += counts->l1_writes;
        total->l1_read_lines += counts->l1_read_lines;
        total->l1_write_lines += counts->l1_write_lines;
        total->dram_reads += counts->dram_reads;
        total->dram_waits += counts->dram_waits;
    }
}

// Where an access was found, by what it added to its site's counts.
static void note_line(sim_cache_lines_found *found, const sim_cache_counts *now,
                      const sim_cache_counts *before) {
    found->all++;
    found->past_l1 += now->l1_hits - before->l1_hits < now->l1_sectors - before->l1_sectors;
    found->in_dram += now->dram_reads > before->dram_reads;
}

static void note_slice(sim_cache_slice *slice, const sim_cache_counts *now,
                       const sim_cache_counts *before) {
    slice->l1_sectors += (uint32_t)(now->l1_sectors - before->l1_sectors);
    slice->l1_misses +=
        (uint32_t)(now->l1_sectors - before->l1_sectors - (now->l1_hits - before->l1_hits));
    slice->dram_reads +=
        (uint32_t)(now->dram_reads - before->dram_reads - (now->dram_recent - before->dram_recent));
    slice->dram_waits += (uint32_t)(now->dram_waits - before->dram_waits);
}

// ---- A launch ----

static void prepare_caches(replay *r) {
    const sim_device *device = r->device;
    double sample = SIM_LINE_BYTES * r->result->scale;
    const sim_launch *launch = r->input->launch;
    double l1_bytes = sim_cache_l1_bytes(launch, launch->occupancy.blocks_per_sm);
    uint32_t l1 = (uint32_t)(l1_bytes / sample);
    uint32_t textures = (uint32_t)(device->texture_cache_bytes / sample);
    uint32_t l2 = (uint32_t)((double)device->l2_bytes / device->l2_partitions / sample);
    for (uint32_t i = 0; i < r->sm_count; i++) {
        sim_cache_clear(&r->in->l1[i], l1 ? l1 : 1);
        sim_cache_clear(&r->in->textures[i], textures ? textures : 1);
    }
    for (uint32_t i = 0; i < PARTITIONS; i++) sim_cache_clear(&r->in->l2[i], l2 ? l2 : 1);
}

// The lines of an event that comes soon are fetched meanwhile; what the L1 has never had will be
// looked for in the L2.
static void look_ahead(const replay *r, const replay_event *events, uint64_t count, uint64_t at) {
    enum { FAR = 16, NEAR = 8 };
    if (at + FAR < count) sim_cache_expect(&r->in->l1_lines, l1_key(&events[at + FAR]));
    if (at + NEAR >= count) return;
    const replay_event *soon = &events[at + NEAR];
    if (sim_cache_expect_soon(&r->in->l1_lines, l1_key(soon))) return;
    uint32_t home = home_of(r, soon->line), near = near_partition(r, soon->sm);
    sim_cache_expect(&r->in->l2_lines, l2_key(near, soon->line));
    if (home != near) sim_cache_expect(&r->in->l2_lines, l2_key(home, soon->line));
}

static bool replay_all(replay *r, sim_trace *trace, slot_times *times) {
    uint64_t count = 0;
    for (uint64_t b = 0; b < trace->block_count; b++) count += trace->blocks[b].count;
    replay_event *events = r->in->events;
    place_events(r->input, trace, times, r->result, events);
    const replay_event *sorted =
        sort_by_time(events, events + r->in->capacity, count, &r->result->duration);
    if (!list_sites(sorted, count, r->result)) return false;
    sim_cache_site *site = NULL;
    for (uint64_t i = 0; i < count; i++) {
        if (!site || site->site != sorted[i].site) site = find_site(r->result, sorted[i].site);
        r->counts = &site->counts;
        site->lines++;
        look_ahead(r, sorted, count, i);
        sim_cache_counts before = site->counts;
        replay_event_one(r, &sorted[i]);
        note_slice(&site->slices[sim_cache_slice_of(r->result, sorted[i].time)], &site->counts,
                   &before);
        if (sorted[i].kind & SIM_TRACE_LONGEST) note_line(&site->longest, &site->counts, &before);
    }
    sum_sites(r->result);
    return true;
}

sim_cache_memory *sim_cache_memory_new(void) { return calloc(1, sizeof(sim_cache_memory)); }

void sim_cache_memory_free(sim_cache_memory *memory) {
    if (!memory) return;
    sim_cache_lines_free(&memory->l1_lines);
    sim_cache_lines_free(&memory->l2_lines);
    free(memory->events);
    free(memory);
}

// Room for a trace of so many entries.
static bool make_space(sim_cache_memory *memory, uint64_t entries) {
    if (memory->capacity <= entries) {
        free(memory->events);
        memory->capacity = entries + 1;
        memory->events = malloc(2 * memory->capacity * sizeof *memory->events);
        if (!memory->events) memory->capacity = 0;
    }
    return memory->events && sim_cache_lines_begin(&memory->l1_lines, entries, SIM_LINE_SHORT) &&
           sim_cache_lines_begin(&memory->l2_lines, 2 * entries, SIM_LINE_FULL);
}

sim_status sim_cache_replay(sim_cache_memory *memory, const sim_cache_input *input,
                            sim_trace *trace, sim_cache_result *out_result, kl_error *err) {
    memset(out_result, 0, sizeof *out_result);
    out_result->launched = input->recent ? input->recent->before : 0;
    out_result->scale = 4294967296.0 / (sim_trace_settle(trace) + 1.0);
    const sim_launch *launch = input->launch;
    uint32_t slots = launch->occupancy.blocks_per_sm ? launch->occupancy.blocks_per_sm : 1;
    uint32_t sms = launch->device->sm_count < MAX_SMS ? launch->device->sm_count : MAX_SMS;
    slot_times times = {calloc((size_t)slots * sms, sizeof *times.end), slots, sms};
    replay r = {input, launch->device, sms, memory, out_result, NULL};
    bool ok = times.end && !trace->failed && make_space(memory, trace->count);
    if (ok) {
        prepare_caches(&r);
        ok = replay_all(&r, trace, &times);
    }
    free(times.end);
    return ok ? SIM_OK : sim_fail(err, SIM_OUT_OF_MEMORY, "no host memory for the cache model");
}

void sim_cache_result_free(sim_cache_result *result) {
    free(result->sites);
    free(result->starts);
    result->sites = NULL;
    result->starts = NULL;
    result->site_count = result->start_count = 0;
}
