// Order between blocks: see order.h. Entries lie in one growing array; those of one key
// (location, block, who) form a chain from the newest to the oldest, found by a hash table.
#include "check/order/order.h"

enum { NONE = 0, SEARCH_MAX = 4096 };

typedef struct entry {
    uint64_t position; // of the giving block; links: the other place
    uint32_t place, who;
    uint32_t number, time; // of the release; links: time is the number known there
    uint32_t older;        // entry of the same key
} entry;

typedef struct place {
    uint64_t address;
    uint32_t links;   // newest link
    uint32_t newest;  // number of the last release or link
    uint32_t visited; // by search number
    uint32_t visited_number;
} place;

typedef struct search { // locations to look at, in turn
    uint32_t place[SEARCH_MAX], number[SEARCH_MAX];
    uint32_t count;
} search;

struct check_log {
    search list;
    entry *entries; // [0] is not used
    uint32_t entry_count, entry_capacity;
    uint32_t *keys; // hash table of newest entries
    uint32_t key_count, key_capacity;
    place *places; // [0] is not used
    uint32_t place_count, place_capacity;
    uint32_t *addresses; // hash table of places
    uint32_t address_capacity;
    uint32_t number; // of the last release
    uint32_t searches;
    bool full; // memory ran short: everything counts as ordered
};

static uint64_t hash(uint64_t x) {
    x = (x ^ x >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    return x ^ x >> 29;
}

check_log *check_log_new(void) {
    check_log *log = calloc(1, sizeof *log);
    if (log) log->entry_count = log->place_count = 1;
    return log;
}

void check_log_free(check_log *log) {
    if (!log) return;
    free(log->entries);
    free(log->keys);
    free(log->places);
    free(log->addresses);
    free(log);
}

void check_log_clear(check_log *log) {
    log->full = false;
    if (check_log_is_empty(log)) return;
    memset(log->keys, 0, log->key_capacity * sizeof *log->keys);
    memset(log->addresses, 0, log->address_capacity * sizeof *log->addresses);
    log->entry_count = log->place_count = 1;
    log->key_count = log->number = log->searches = 0;
}

bool check_log_is_empty(const check_log *log) { return log->place_count <= 1 && !log->full; }

// ---- locations ----------------------------------------------------------------------------------

static uint32_t *address_cell(const check_log *log, uint64_t address) {
    uint32_t mask = log->address_capacity - 1, at = (uint32_t)hash(address) & mask;
    while (log->addresses[at] && log->places[log->addresses[at]].address != address)
        at = (at + 1) & mask;
    return &log->addresses[at];
}

static bool grow_addresses(check_log *log) {
    uint32_t capacity = log->address_capacity ? log->address_capacity * 2 : 64;
    uint32_t *table = calloc(capacity, sizeof *table);
    if (!table) return false;
    free(log->addresses);
    log->addresses = table;
    log->address_capacity = capacity;
    for (uint32_t i = 1; i < log->place_count; i++) *address_cell(log, log->places[i].address) = i;
    return true;
}

static uint32_t find_place(const check_log *log, uint64_t address) {
    return log->address_capacity ? *address_cell(log, address) : NONE;
}

static uint32_t make_place(check_log *log, uint64_t address) {
    uint32_t found = find_place(log, address);
    if (found || log->full) return found;
    bool fits = log->place_count < CHECK_LOG_LOCATIONS;
    if (fits && 2 * log->place_count >= log->address_capacity) fits = grow_addresses(log);
    fits = fits &&
           sim_reserve(&log->places, &log->place_capacity, log->place_count, sizeof *log->places);
    if (!fits) {
        log->full = true;
        return NONE;
    }
    log->places[log->place_count] = (place){.address = address};
    *address_cell(log, address) = log->place_count;
    return log->place_count++;
}

// ---- releases -----------------------------------------------------------------------------------

static uint32_t *key_cell(const check_log *log, uint32_t at_place, uint64_t position,
                          uint32_t who) {
    uint32_t mask = log->key_capacity - 1;
    uint32_t at = (uint32_t)hash(hash(position << 11 | who) + at_place) & mask;
    for (; log->keys[at]; at = (at + 1) & mask) {
        const entry *e = &log->entries[log->keys[at]];
        if (e->place == at_place && e->position == position && e->who == who) break;
    }
    return &log->keys[at];
}

static bool grow_keys(check_log *log) {
    uint32_t capacity = log->key_capacity ? log->key_capacity * 2 : 256, old = log->key_capacity;
    uint32_t *before = log->keys, *table = calloc(capacity, sizeof *table);
    if (!table) return false;
    log->keys = table;
    log->key_capacity = capacity;
    for (uint32_t i = 0; i < old; i++) {
        if (!before[i]) continue;
        const entry *e = &log->entries[before[i]];
        *key_cell(log, e->place, e->position, e->who) = before[i];
    }
    free(before);
    return true;
}

// Room for one more entry and key.
static bool reserve(check_log *log) {
    bool fits = log->entry_count < UINT32_MAX / 2;
    fits = fits &&
           sim_reserve(&log->entries, &log->entry_capacity, log->entry_count, sizeof *log->entries);
    if (fits && 2 * (log->key_count + 1) > log->key_capacity) fits = grow_keys(log);
    if (!fits) log->full = true;
    return fits;
}

void check_log_release(check_log *log, uint64_t address, uint64_t position, uint32_t who,
                       uint32_t time) {
    uint32_t at = make_place(log, address);
    if (!at || !reserve(log)) return;
    uint32_t *cell = key_cell(log, at, position, who);
    if (*cell && log->entries[*cell].time >= time) return;
    if (!*cell) log->key_count++;
    log->entries[log->entry_count] = (entry){.position = position,
                                             .place = at,
                                             .who = who,
                                             .number = ++log->number,
                                             .time = time,
                                             .older = *cell};
    log->places[at].newest = log->number;
    *cell = log->entry_count++;
}

void check_log_link(check_log *log, uint64_t address, const check_seen *seen) {
    uint32_t at = make_place(log, address);
    if (seen->all) log->full = true;
    if (seen->only == at) return;
    for (uint32_t i = 0; at && i < seen->count && reserve(log); i++) {
        const check_taken *taken = &seen->taken[i];
        const entry *last = &log->entries[log->places[at].links];
        bool known =
            log->places[at].links && last->position == taken->place && last->time == taken->number;
        if (taken->place == at || taken->since == CHECK_AT_FENCE || known) continue;
        log->entries[log->entry_count] = (entry){.position = taken->place,
                                                 .place = at,
                                                 .number = ++log->number,
                                                 .time = taken->number,
                                                 .older = log->places[at].links};
        log->places[at].newest = log->number;
        log->places[at].links = log->entry_count++;
    }
}

// ---- what a block has seen ----------------------------------------------------------------------

void check_seen_clear(check_seen *seen) {
    seen->count = seen->last = seen->waiting = seen->base = seen->only = 0;
    memset(seen->hints, 0, sizeof seen->hints);
    seen->all = false;
}

void check_seen_free(check_seen *seen) {
    free(seen->taken);
    *seen = (check_seen){.count = 0};
}

static bool grow_seen(check_seen *seen) {
    return sim_reserve(&seen->taken, &seen->capacity, seen->count, sizeof *seen->taken);
}

// What all threads know need be kept once for each location.
static void join_seen(check_log *log, const check_order *order, check_seen *seen) {
    enum { FEW = 4 };
    if (seen->base == order->base || seen->count <= FEW) return;
    seen->base = order->base;
    log->searches++;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < seen->count; i++) {
        const check_taken taken = seen->taken[i];
        place *at = &log->places[taken.place];
        bool known = taken.since < order->base;
        if (known && at->visited == log->searches) {
            check_taken *first = &seen->taken[at->visited_number];
            if (first->number < taken.number) *first = taken;
            continue;
        }
        if (known) {
            at->visited = log->searches;
            at->visited_number = kept;
        }
        seen->taken[kept++] = taken;
    }
    seen->count = kept;
    seen->last = 0;
}

// Whether what was taken up adds nothing to it.
static bool covers(const check_order *order, const check_taken *taken, const check_taken *by) {
    if (taken->since < order->base) return true;
    return taken->thread == by->thread &&
           (taken->since != CHECK_AT_FENCE || by->since == CHECK_AT_FENCE);
}

// It is of the same thread, and nobody else can know of the one and not of the other.
static bool may_renew(const check_taken *taken, const check_taken *by) {
    return taken->thread == by->thread && taken->since == by->since;
}

// Notes it where one of the location is: it brings nothing new, or that one can be renewed.
static bool renew(const check_order *order, const place *at, check_taken *taken,
                  const check_taken *by) {
    if (taken->place != by->place) return false;
    if (taken->number >= at->newest && covers(order, taken, by)) return true;
    if (!may_renew(taken, by)) return false;
    *taken = *by;
    return true;
}

bool check_log_acquire(check_log *log, const check_order *order, check_seen *seen, uint64_t address,
                       check_taken by) {
    by.place = find_place(log, address);
    if (!by.place) return false;
    by.number = log->number;
    const place *at = &log->places[by.place];
    uint32_t *hint = &seen->hints[by.thread % CHECK_TAKEN_HINTS];
    if (*hint < seen->count && renew(order, at, &seen->taken[*hint], &by)) {
        seen->last = *hint;
        return true;
    }
    join_seen(log, order, seen);
    for (uint32_t i = seen->count; i-- > 0;) // recent ones are at the end
        if (renew(order, at, &seen->taken[i], &by)) {
            seen->last = *hint = i;
            return true;
        }
    if (seen->count >= SEARCH_MAX || !grow_seen(seen)) {
        seen->all = true;
        return true;
    }
    seen->waiting += by.since == CHECK_AT_FENCE;
    if (seen->count == 0) seen->only = by.place;
    if (seen->only != by.place) seen->only = NONE;
    seen->taken[seen->count] = by;
    seen->last = *hint = seen->count++;
    return true;
}

// Whether `thread` has this or a later state of the location from a read that counts.
static bool has_taken(const check_taken *own, const check_taken *taken, uint32_t thread) {
    return own->thread == thread && own->place == taken->place && own->number >= taken->number &&
           own->since != CHECK_AT_FENCE;
}

// `thread` has read no location itself, but knows of the read by another one. *own: index of what
// the thread has of a location, which is looked at first.
static void adopt(const check_order *order, check_seen *seen, check_taken taken, uint32_t thread,
                  uint32_t time, uint32_t *own) {
    if (check_order_knows(order, thread, taken.thread, taken.since) ||
        !check_order_knows(order, thread, taken.thread, taken.at))
        return;
    if (has_taken(&seen->taken[*own], &taken, thread)) return;
    for (uint32_t i = seen->count; i-- > 0;)
        if (has_taken(&seen->taken[i], &taken, thread)) {
            *own = i;
            return;
        }
    if (seen->count >= SEARCH_MAX || !grow_seen(seen)) {
        seen->all = true;
        return;
    }
    taken.thread = thread;
    taken.since = time;
    taken.at = CHECK_AT_FENCE; // nobody adopts it again
    seen->taken[seen->count++] = taken;
}

// Behind a barrier it need not be the thread which has read a location that executes the fence.
void check_seen_fence(const check_order *order, check_seen *seen, uint32_t warp, uint32_t lanes,
                      uint32_t time) {
    uint32_t count = seen->count, latest[SIM_WARP_LANES] = {0};
    for (uint32_t i = 0; i < count && !seen->all; i++) {
        const check_taken taken = seen->taken[i];
        if (taken.since < order->base) continue;
        uint32_t own = taken.thread / SIM_WARP_LANES == warp ? 1u << taken.thread % 32 : 0;
        for (uint32_t rest = lanes & ~own; rest; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            adopt(order, seen, taken, SIM_WARP_LANES * warp + lane, time, &latest[lane]);
        }
        if (taken.since != CHECK_AT_FENCE || !(lanes & own)) continue;
        seen->taken[i].since = time;
        seen->waiting--;
    }
}

// Whether thread `me` knows what was taken up there.
static bool counts(const check_order *order, const check_taken *taken, uint32_t me) {
    if (taken->since < order->base) return true;
    if (taken->since == CHECK_AT_FENCE) return false;
    return me == CHECK_ANY_THREAD || check_order_knows(order, me, taken->thread, taken->since) ||
           check_order_met(order, me, taken->thread, taken->since);
}

static bool passed_on(const check_log *log, uint32_t at, uint32_t number, uint64_t position,
                      uint32_t who, uint32_t time) {
    uint32_t e = *key_cell(log, at, position, who);
    while (e && log->entries[e].number > number) e = log->entries[e].older;
    return e && time < log->entries[e].time;
}

// Whether location `at` up to `number` passes it on by itself.
static bool passed_here(const check_log *log, uint32_t at, uint32_t number, uint64_t position,
                        uint32_t thread, uint32_t time) {
    return passed_on(log, at, number, position, CHECK_WHO_ALL, time) ||
           passed_on(log, at, number, position, thread, time) ||
           passed_on(log, at, number, position, CHECK_WHO_WARP + thread / 32, time);
}

// Puts a location on the list unless it is there with that number or a later one.
static bool visit(check_log *log, uint32_t at, uint32_t number) {
    search *list = &log->list;
    place *p = &log->places[at];
    if (p->visited == log->searches && p->visited_number >= number) return true;
    if (list->count == SEARCH_MAX) return false;
    p->visited = log->searches;
    p->visited_number = number;
    list->place[list->count] = at;
    list->number[list->count++] = number;
    return true;
}

// Whether what the thread has taken up itself tells of it, without what was passed on before that.
// The location seen last is the likeliest: that of a lock just taken.
static bool seen_knows(const check_log *log, const check_order *order, const check_seen *seen,
                       uint32_t me, uint64_t position, uint32_t thread, uint32_t time) {
    for (uint32_t i = 0; i <= seen->count; i++) {
        const check_taken *taken = &seen->taken[i == 0 ? seen->last : i - 1];
        if (counts(order, taken, me) &&
            passed_here(log, taken->place, taken->number, position, thread, time))
            return true;
    }
    return false;
}

const check_taken *check_log_missed(const check_log *log, const check_seen *seen, uint32_t me,
                                    uint64_t position, uint32_t thread, uint32_t time) {
    const check_taken *found = NULL;
    for (uint32_t i = log->key_capacity ? seen->count : 0; i-- > 0;) {
        const check_taken *taken = &seen->taken[i];
        if (!passed_here(log, taken->place, taken->number, position, thread, time)) continue;
        if (taken->thread == me) return taken;
        if (!found) found = taken;
    }
    return found;
}

bool check_log_knows(check_log *log, const check_order *order, check_seen *seen, uint32_t me,
                     uint64_t position, uint32_t thread, uint32_t time) {
    if (log->full || seen->all) return true;
    if (seen->count == 0 || log->key_capacity == 0) return false;
    join_seen(log, order, seen);
    if (seen_knows(log, order, seen, me, position, thread, time)) return true;
    const search *list = &log->list;
    log->list.count = 0;
    log->searches++;
    for (uint32_t i = seen->count; i-- > 0;)
        if (counts(order, &seen->taken[i], me) &&
            !visit(log, seen->taken[i].place, seen->taken[i].number))
            return true;
    uint32_t own = list->count;
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t at = list->place[i], number = list->number[i];
        if (i >= own && passed_here(log, at, number, position, thread, time)) return true;
        for (uint32_t e = log->places[at].links; e; e = log->entries[e].older)
            if (log->entries[e].number <= number &&
                !visit(log, (uint32_t)log->entries[e].position, log->entries[e].time))
                return true; // too long to follow: no alarm without proof
    }
    return false;
}
