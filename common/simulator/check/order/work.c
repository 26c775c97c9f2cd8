// Order of pieces of work: see uses.c.
#include "check/order/order.h"

enum {
    MOST_LINES = 4096,
    NO_LINE = UINT32_MAX,
    HOST = 0, // queues that are always there
    LEGACY,
    BLOCKING, // all that is in blocking streams: what the legacy one waits for
    FIXED
};

// All that is in blocking streams of the device; nobody's name.
static sim_queue blocking_of(uint32_t device) {
    return SIM_QUEUE_ON(SIM_QUEUE(SIM_QUEUE_KINDS, 0), device);
}

typedef struct clock {
    uint32_t *at; // [count], by line: pieces of work that are known
    uint32_t count;
} clock;

typedef struct queue {
    clock known;
    uint32_t line; // NO_LINE until work is put into it
} queue;

typedef struct line {
    uint32_t count; // of pieces so far
    sim_queue name; // of its queue
    bool free;      // which is gone
} line;

struct check_works {
    sim_queue *names; // [count], beside `queues`: searched often
    queue *queues;
    uint32_t count, capacity;
    line *lines;
    uint32_t line_count, line_capacity;
    sim_queue last_name; // of the piece begun last
    clock last;          // what comes before it, itself included
    bool all;            // memory ran short: everything counts as ordered
};

// ---- clocks -------------------------------------------------------------------------------------

static bool reserve(check_works *works, clock *c, uint32_t count) {
    if (count <= c->count) return true;
    uint32_t *grown = realloc(c->at, count * sizeof *grown);
    if (!grown) {
        works->all = true;
        return false;
    }
    memset(grown + c->count, 0, (count - c->count) * sizeof *grown);
    c->at = grown;
    c->count = count;
    return true;
}

static void forget(clock *c) {
    for (uint32_t i = 0; i < c->count; i++) c->at[i] = 0;
}

static void join(check_works *works, clock *to, const clock *from) {
    if (to == from || !reserve(works, to, from->count)) return;
    for (uint32_t i = 0; i < from->count; i++)
        if (from->at[i] > to->at[i]) to->at[i] = from->at[i];
}

static bool knows(const clock *c, check_moment moment) {
    return moment.line < c->count && c->at[moment.line] >= moment.number;
}

// ---- queues -------------------------------------------------------------------------------------

check_works *check_works_new(void) {
    check_works *works = calloc(1, sizeof *works);
    if (!works) return NULL;
    works->capacity = 64;
    works->names = calloc(works->capacity, sizeof *works->names);
    works->queues = calloc(works->capacity, sizeof *works->queues);
    if (!works->names || !works->queues) {
        check_works_free(works);
        return NULL;
    }
    works->names[HOST] = SIM_HOST_QUEUE;
    works->names[LEGACY] = SIM_LEGACY_QUEUE;
    works->names[BLOCKING] = blocking_of(0);
    works->count = FIXED;
    for (uint32_t i = 0; i < FIXED; i++) works->queues[i].line = NO_LINE;
    return works;
}

void check_works_free(check_works *works) {
    if (!works) return;
    for (uint32_t i = 0; i < works->count; i++) free(works->queues[i].known.at);
    free(works->last.at);
    free(works->names);
    free(works->queues);
    free(works->lines);
    free(works);
}

static bool grow(check_works *works) {
    uint32_t capacity = 2 * works->capacity;
    sim_queue *names = realloc(works->names, capacity * sizeof *names);
    if (names) works->names = names;
    queue *queues = realloc(works->queues, capacity * sizeof *queues);
    if (queues) works->queues = queues;
    if (!names || !queues) return false;
    works->capacity = capacity;
    return true;
}

static uint32_t find(const check_works *works, sim_queue name) {
    uint32_t at = 0;
    while (at < works->count && works->names[at] != name) at++;
    return at;
}

// The queue of this name, which may be a new one; NULL: no memory.
static queue *queue_of(check_works *works, sim_queue name) {
    uint32_t at = find(works, name);
    if (at < works->count) return &works->queues[at];
    if (works->count == works->capacity && !grow(works)) {
        works->all = true;
        return NULL;
    }
    works->names[at] = name;
    works->queues[at] = (queue){.line = NO_LINE};
    works->count++;
    return &works->queues[at];
}

// The queue of this name, before which all that it waits for is there.
static queue *queue_among(check_works *works, sim_queue name) {
    uint32_t device = SIM_QUEUE_DEVICE(name);
    if (device && (!queue_of(works, SIM_QUEUE_ON(SIM_LEGACY_QUEUE, device)) ||
                   !queue_of(works, blocking_of(device))))
        return NULL;
    return queue_of(works, name);
}

static clock *known_of(check_works *works, sim_queue name) {
    return &works->queues[find(works, name)].known;
}

// What a call that the host makes now, and that puts something into the queue, comes after.
static void enter(check_works *works, sim_queue name, queue *q) {
    sim_queue_kind kind = SIM_QUEUE_KIND(name);
    uint32_t device = SIM_QUEUE_DEVICE(name);
    join(works, &q->known, &works->queues[HOST].known);
    if (kind == SIM_QUEUE_LEGACY) join(works, &q->known, known_of(works, blocking_of(device)));
    if (kind == SIM_QUEUE_BLOCKING)
        join(works, &q->known, known_of(works, SIM_QUEUE_ON(SIM_LEGACY_QUEUE, device)));
}

static void leave(check_works *works, sim_queue name, const queue *q) {
    if (SIM_QUEUE_KIND(name) == SIM_QUEUE_BLOCKING)
        join(works, known_of(works, blocking_of(SIM_QUEUE_DEVICE(name))), &q->known);
}

// Lines of queues that are gone serve again once the host has waited for all that is in them.
static uint32_t new_line(check_works *works, sim_queue name) {
    const clock *host = &works->queues[HOST].known;
    for (uint32_t i = 0; i < works->line_count; i++) {
        line *l = &works->lines[i];
        if (!l->free || !knows(host, (check_moment){i, l->count})) continue;
        l->free = false;
        l->name = name;
        return i;
    }
    if (works->line_count == MOST_LINES ||
        !check_reserve(&works->lines, &works->line_capacity, works->line_count,
                       sizeof *works->lines)) {
        works->all = true;
        return NO_LINE;
    }
    works->lines[works->line_count] = (line){.name = name};
    return works->line_count++;
}

// ---- steps --------------------------------------------------------------------------------------

check_moment check_works_begin(check_works *works, sim_queue name) {
    queue *q = works->all ? NULL : queue_among(works, name);
    if (q && q->line == NO_LINE) q->line = new_line(works, name);
    if (!q || q->line == NO_LINE || !reserve(works, &q->known, q->line + 1))
        return (check_moment){0, 0};
    enter(works, name, q);
    check_moment begun = {q->line, ++works->lines[q->line].count};
    q->known.at[begun.line] = begun.number;
    leave(works, name, q);
    works->last_name = name;
    forget(&works->last);
    join(works, &works->last, &q->known);
    return begun;
}

void check_works_after(check_works *works, sim_queue name, sim_queue other_name) {
    if (!works->all) queue_among(works, other_name);
    queue *q = works->all ? NULL : queue_among(works, name);
    if (!q) return;
    queue *other = &works->queues[find(works, other_name)];
    bool to_host = SIM_QUEUE_KIND(name) == SIM_QUEUE_HOST;
    bool to_event = SIM_QUEUE_KIND(name) == SIM_QUEUE_EVENT;
    // The default stream's end is that of the blocking streams too; of a blocking stream the host
    // waits for no more than what is in it.
    if (!to_host || SIM_QUEUE_KIND(other_name) == SIM_QUEUE_LEGACY) enter(works, other_name, other);
    if (to_event) forget(&q->known);
    join(works, &q->known, &other->known);
    leave(works, name, q);
}

void check_works_gone(check_works *works, sim_queue name) {
    uint32_t at = find(works, name);
    if (at < FIXED || at >= works->count) return;
    queue *gone = &works->queues[at];
    if (gone->line != NO_LINE) works->lines[gone->line].free = true;
    free(gone->known.at);
    works->count--;
    *gone = works->queues[works->count];
    works->names[at] = works->names[works->count];
}

void check_works_wait_all(check_works *works) {
    clock *host = &works->queues[HOST].known;
    if (!reserve(works, host, works->line_count)) return;
    for (uint32_t i = 0; i < works->line_count; i++) host->at[i] = works->lines[i].count;
}

// ---- questions ----------------------------------------------------------------------------------

bool check_works_knows(const check_works *works, check_moment other) {
    return works->all || other.number == 0 || knows(&works->last, other);
}

bool check_works_all_known(const check_works *works) {
    const clock *host = &works->queues[HOST].known;
    for (uint32_t i = 0; !works->all && i < works->line_count; i++)
        if (!knows(host, (check_moment){i, works->lines[i].count})) return false;
    return true;
}

static void learn(check_works *works, clock *c, check_moment other) {
    if (reserve(works, c, other.line + 1) && c->at[other.line] < other.number)
        c->at[other.line] = other.number;
}

void check_works_learn(check_works *works, check_moment other) {
    learn(works, &works->last, other);
    learn(works, &queue_of(works, works->last_name)->known, other);
}

bool check_works_host_knows(const check_works *works, check_moment moment) {
    return works->all || moment.number == 0 || knows(&works->queues[HOST].known, moment);
}

void check_works_host_learns(check_works *works, check_moment moment) {
    learn(works, &works->queues[HOST].known, moment);
}

sim_queue_kind check_works_kind(const check_works *works, check_moment moment) {
    return moment.line < works->line_count ? SIM_QUEUE_KIND(works->lines[moment.line].name)
                                           : SIM_QUEUE_HOST;
}

// Nodes of a graph do not say theirs.
bool check_works_are_apart(const check_works *works, check_moment a, check_moment b) {
    if (a.line >= works->line_count || b.line >= works->line_count) return false;
    sim_queue first = works->lines[a.line].name, second = works->lines[b.line].name;
    return SIM_QUEUE_KIND(first) != SIM_QUEUE_NODES && SIM_QUEUE_KIND(second) != SIM_QUEUE_NODES &&
           SIM_QUEUE_DEVICE(first) != SIM_QUEUE_DEVICE(second);
}
