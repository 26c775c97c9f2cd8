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

// What is known, and which data of it are seen: released to it, and acquired, too. Of these 2 n are
// the data of n pieces up to the last fence of piece n, 2 n + 1 all data of n pieces.
typedef struct view {
    clock known, released, seen;
} view;

typedef struct queue {
    view view;
    uint32_t line; // NO_LINE until work is put into it
} queue;

typedef struct line {
    uint32_t count;                       // of pieces so far
    uint32_t released[SIM_FENCE_SYS + 1]; // by scope: the last piece that released
    sim_queue name;                       // of its queue
    bool free;                            // which is gone
} line;

struct check_works {
    sim_queue *names; // [count], beside `queues`: searched often
    queue *queues;
    uint32_t count, capacity;
    line *lines;
    uint32_t line_count, line_capacity;
    sim_queue last_name; // of the piece begun last
    view last;           // what comes before it, itself included
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

static void forget_view(view *v) { forget(&v->known), forget(&v->released), forget(&v->seen); }

static void join_view(check_works *works, view *to, const view *from) {
    join(works, &to->known, &from->known);
    join(works, &to->released, &from->released);
    join(works, &to->seen, &from->seen);
}

static void free_view(view *v) { free(v->known.at), free(v->released.at), free(v->seen.at); }

static void raise(check_works *works, clock *c, uint32_t line, uint32_t to) {
    if (reserve(works, c, line + 1) && c->at[line] < to) c->at[line] = to;
}

// A piece of work and all its data.
static void learn_all(check_works *works, view *v, check_moment moment) {
    raise(works, &v->known, moment.line, moment.number);
    raise(works, &v->released, moment.line, 2 * moment.number + 1);
    raise(works, &v->seen, moment.line, 2 * moment.number + 1);
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
    for (uint32_t i = 0; i < works->count; i++) free_view(&works->queues[i].view);
    free_view(&works->last);
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

static view *view_of(check_works *works, sim_queue name) {
    return &works->queues[find(works, name)].view;
}

// What a call that the host makes now, and that puts something into the queue, comes after.
static void enter(check_works *works, sim_queue name, queue *q) {
    sim_queue_kind kind = SIM_QUEUE_KIND(name);
    uint32_t device = SIM_QUEUE_DEVICE(name);
    join_view(works, &q->view, &works->queues[HOST].view);
    if (kind == SIM_QUEUE_LEGACY) join_view(works, &q->view, view_of(works, blocking_of(device)));
    if (kind == SIM_QUEUE_BLOCKING)
        join_view(works, &q->view, view_of(works, SIM_QUEUE_ON(SIM_LEGACY_QUEUE, device)));
}

static void leave(check_works *works, sim_queue name, const queue *q) {
    if (SIM_QUEUE_KIND(name) == SIM_QUEUE_BLOCKING)
        join_view(works, view_of(works, blocking_of(SIM_QUEUE_DEVICE(name))), &q->view);
}

// Lines of queues that are gone serve again once the host has waited for all that is in them.
static uint32_t new_line(check_works *works, sim_queue name) {
    const clock *host = &works->queues[HOST].view.known;
    for (uint32_t i = 0; i < works->line_count; i++) {
        line *l = &works->lines[i];
        if (!l->free || !knows(host, (check_moment){i, l->count})) continue;
        l->free = false;
        l->name = name;
        return i;
    }
    if (works->line_count == MOST_LINES || !sim_reserve(&works->lines, &works->line_capacity,
                                                        works->line_count, sizeof *works->lines)) {
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
    if (!q || q->line == NO_LINE || !reserve(works, &q->view.known, q->line + 1))
        return (check_moment){0, 0};
    enter(works, name, q);
    check_moment begun = {q->line, ++works->lines[q->line].count};
    learn_all(works, &q->view, begun);
    leave(works, name, q);
    works->last_name = name;
    forget_view(&works->last);
    join_view(works, &works->last, &q->view);
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
    if (to_event) forget_view(&q->view);
    join_view(works, &q->view, &other->view);
    leave(works, name, q);
}

void check_works_gone(check_works *works, sim_queue name) {
    uint32_t at = find(works, name);
    if (at < FIXED || at >= works->count) return;
    queue *gone = &works->queues[at];
    if (gone->line != NO_LINE) works->lines[gone->line].free = true;
    free_view(&gone->view);
    works->count--;
    *gone = works->queues[works->count];
    works->names[at] = works->names[works->count];
}

void check_works_wait_all(check_works *works) {
    for (uint32_t i = 0; i < works->line_count; i++)
        learn_all(works, &works->queues[HOST].view, (check_moment){i, works->lines[i].count});
}

// ---- questions ----------------------------------------------------------------------------------

bool check_works_knows(const check_works *works, check_moment other) {
    return works->all || other.number == 0 || knows(&works->last.known, other);
}

bool check_works_all_known(const check_works *works) {
    const clock *host = &works->queues[HOST].view.known;
    for (uint32_t i = 0; !works->all && i < works->line_count; i++)
        if (!knows(host, (check_moment){i, works->lines[i].count})) return false;
    return true;
}

bool check_works_host_knows(const check_works *works, check_moment moment) {
    return works->all || moment.number == 0 || knows(&works->queues[HOST].view.known, moment);
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

// ---- flags and fences ---------------------------------------------------------------------------

static const view *view_of_line(check_works *works, uint32_t at) {
    uint32_t queue = find(works, works->lines[at].name);
    return queue < works->count && works->queues[queue].line == at ? &works->queues[queue].view
                                                                   : NULL;
}

// What the other one had seen, it passes on with what it releases.
static void learn(check_works *works, view *v, check_moment other, sim_fence scope) {
    const view *from = view_of_line(works, other.line);
    uint32_t released = works->lines[other.line].released[scope];
    raise(works, &v->known, other.line, other.number);
    raise(works, &v->released, other.line, 2 * released);
    if (!from) return;
    join(works, &v->known, &from->known);
    for (uint32_t i = 0; released && i < from->seen.count; i++) {
        if (i == other.line) continue;
        raise(works, &v->released, i, from->seen.at[i]);
        raise(works, &v->seen, i, from->seen.at[i]);
    }
}

void check_works_learn(check_works *works, check_moment other, bool narrow) {
    view *now[] = {&works->last, &queue_of(works, works->last_name)->view};
    if (other.line >= works->line_count) return;
    uint32_t line = queue_of(works, works->last_name)->line;
    sim_fence scope = check_works_scope(works, other, (check_moment){line, 0});
    for (int i = 0; i < 2; i++) {
        learn(works, now[i], other, scope);
        if (narrow) learn_all(works, now[i], other);
    }
}

// What the host reads, it acquires.
void check_works_host_learns(check_works *works, check_moment moment) {
    view *host = &works->queues[HOST].view;
    if (moment.line >= works->line_count) return;
    learn(works, host, moment, SIM_FENCE_SYS);
    join(works, &host->seen, &host->released);
}

void check_works_released(check_works *works, check_moment piece, sim_fence scope) {
    for (int i = 0; piece.line < works->line_count && i <= (int)scope; i++)
        works->lines[piece.line].released[i] = piece.number;
}

void check_works_acquired(check_works *works, sim_fence scope) {
    queue *q = works->all ? NULL : queue_of(works, works->last_name);
    if (!q || q->line == NO_LINE) return;
    for (uint32_t i = 0; i < q->view.released.count; i++)
        if (check_works_scope(works, (check_moment){i, 0}, (check_moment){q->line, 0}) <= scope)
            raise(works, &q->view.seen, i, q->view.released.at[i]);
}

sim_fence check_works_scope(const check_works *works, check_moment other, check_moment piece) {
    return check_works_are_apart(works, other, piece) ? SIM_FENCE_SYS : SIM_FENCE_GPU;
}

static bool holds(const clock *c, check_moment moment, bool late) {
    return moment.line < c->count && c->at[moment.line] >= 2 * moment.number + late;
}

bool check_works_sees(const check_works *works, check_moment other, bool late, bool early,
                      bool *out_released) {
    *out_released = works->all || other.number == 0 || holds(&works->last.released, other, late);
    return *out_released &&
           (works->all || other.number == 0 || !early || holds(&works->last.seen, other, late));
}

bool check_works_host_sees(const check_works *works, check_moment other, bool late) {
    return works->all || other.number == 0 || holds(&works->queues[HOST].view.seen, other, late);
}
