// Uses of device memory by pieces of work: see order.h. What is known of a byte is a state, of
// which there are few: a page has one for all of its bytes, or one for each 4 or 1 of them.
#include "check/order/order.h"

enum {
    READERS = 7, // as many streams may read at the same time; of more, some are not kept
    PAGE = 4096,
    CHUNK = 1024, // pages that get their tables at once
    WORD = 4,
    STEPS = 4096,     // remembered changes of states
    CLASHES = 64,     // kept until they are taken
    FLAGS = 16,       // likewise, for what is told of a missing fence
    MOST = 1 << 21,   // states, and uses: then everything is forgotten
    FIRST_SLOTS = 256 // of the table of states
};

typedef struct state { // uses; 0: none
    uint32_t write, reads[READERS];
} state;

typedef struct page {
    uint32_t generation; // another one than now: nothing is known
    uint32_t whole;      // state of all its bytes, unless it is divided
    bool divided, bytewise;
    uint32_t *cells; // states
} page;

typedef struct step {
    uint32_t from, use, to;
    uint32_t generation; // another one than now: it is none
} step;

struct check_uses {
    check_works *works;
    check_location *places;
    uint32_t place_count, place_capacity;
    check_use *uses; // from 1
    uint32_t use_count, use_capacity;
    state *states; // state 0: nothing
    uint32_t state_count, state_capacity;
    uint32_t *slots; // states by hash; 0: empty
    uint32_t slot_count;
    step steps[STEPS];
    page **chunks; // [chunk_count], each [CHUNK] or NULL
    uint64_t chunk_count;
    uint32_t generation;
    // The first use of a generation, which clashes with none: most are forgotten before the next.
    struct {
        uint64_t offset, bytes;
        uint32_t use; // 0: none
    } first;
    check_clash clashes[CLASHES];
    uint32_t clash_count;
    check_flag_pair flags[FLAGS]; // the last ones
    uint32_t flag_count;          // so far
};

check_uses *check_uses_new(check_works *works) {
    check_uses *uses = calloc(1, sizeof *uses);
    if (!uses) return NULL;
    uses->works = works;
    uses->slot_count = FIRST_SLOTS;
    uses->slots = calloc(uses->slot_count, sizeof *uses->slots);
    uses->states = calloc(1, sizeof *uses->states);
    uses->state_count = uses->state_capacity = uses->generation = 1;
    if (uses->slots && uses->states) return uses;
    check_uses_free(uses);
    return NULL;
}

void check_uses_free(check_uses *uses) {
    if (!uses) return;
    for (uint64_t i = 0; i < uses->chunk_count; i++) {
        for (uint32_t k = 0; uses->chunks[i] && k < CHUNK; k++) free(uses->chunks[i][k].cells);
        free(uses->chunks[i]);
    }
    free(uses->chunks);
    free(uses->places);
    free(uses->uses);
    free(uses->states);
    free(uses->slots);
    free(uses);
}

// ---- places and uses ----------------------------------------------------------------------------

static bool is_same_place(const check_location *a, const check_location *b) {
    return a->line == b->line && strcmp(a->call, b->call) == 0 && strcmp(a->file, b->file) == 0 &&
           strcmp(a->kernel, b->kernel) == 0;
}

uint32_t check_uses_location(check_uses *uses, const check_location *place) {
    uint32_t at = 0;
    while (at < uses->place_count && !is_same_place(&uses->places[at], place)) at++;
    if (at < uses->place_count) return at;
    if (!sim_reserve(&uses->places, &uses->place_capacity, at, sizeof *uses->places))
        return at ? at - 1 : 0;
    uses->places[at] = *place;
    uses->place_count++;
    return at;
}

const check_location *check_uses_location_at(const check_uses *uses, uint32_t place) {
    return &uses->places[place];
}

const check_use *check_uses_use(const check_uses *uses, uint32_t use) { return &uses->uses[use]; }

static bool is_same_work(check_moment a, check_moment b) {
    return a.line == b.line && a.number == b.number;
}

uint32_t check_uses_by(check_uses *uses, const check_use *use) {
    for (uint32_t i = uses->use_count; i > 0; i--) {
        const check_use *old = &uses->uses[i];
        if (!is_same_work(old->moment, use->moment)) break;
        if (old->place == use->place && old->flags == use->flags) return i;
    }
    if (uses->place_count == 0 ||
        !sim_reserve(&uses->uses, &uses->use_capacity, uses->use_count + 1, sizeof *uses->uses))
        return 0;
    uses->uses[++uses->use_count] = *use;
    return uses->use_count;
}

// ---- states -------------------------------------------------------------------------------------

static uint32_t hash_of(const state *s) {
    uint32_t hash = s->write * 2654435761u;
    for (int i = 0; i < READERS; i++) hash = (hash ^ s->reads[i]) * 2246822519u + (hash >> 15);
    return hash ^ hash >> 13;
}

static uint32_t *slot_of(const check_uses *uses, const state *s) {
    uint32_t at = hash_of(s) & (uses->slot_count - 1);
    while (uses->slots[at] && memcmp(&uses->states[uses->slots[at]], s, sizeof *s) != 0)
        at = (at + 1) & (uses->slot_count - 1);
    return &uses->slots[at];
}

static bool grow_slots(check_uses *uses) {
    uint32_t *grown = calloc(2 * (size_t)uses->slot_count, sizeof *grown);
    if (!grown) return false;
    free(uses->slots);
    uses->slots = grown;
    uses->slot_count *= 2;
    for (uint32_t i = 1; i < uses->state_count; i++) *slot_of(uses, &uses->states[i]) = i;
    return true;
}

// The number of a state; 0, that of nothing, also when there is no memory.
static uint32_t number_of(check_uses *uses, const state *s) {
    static const state nothing = {0, {0}};
    if (memcmp(s, &nothing, sizeof *s) == 0) return 0;
    if (2 * uses->state_count >= uses->slot_count && !grow_slots(uses)) return 0;
    uint32_t *slot = slot_of(uses, s);
    if (*slot) return *slot;
    if (!sim_reserve(&uses->states, &uses->state_capacity, uses->state_count, sizeof *uses->states))
        return 0;
    uses->states[uses->state_count] = *s;
    *slot = uses->state_count;
    return uses->state_count++;
}

// ---- clashes ------------------------------------------------------------------------------------

bool check_uses_lack_scope(const check_uses *uses, const check_use *a, const check_use *b) {
    uint32_t both = a->flags & b->flags;
    return (both & CHECK_USE_STRONG) && !(both & CHECK_USE_SYSTEM) &&
           check_works_are_apart(uses->works, a->moment, b->moment);
}

// A flag in memory: a kernel polls or sets it by strong accesses, and other work goes at it at the
// same time because it is meant to.
static bool is_flag(check_uses *uses, const check_use *earlier, const check_use *later) {
    bool calls[2] = {earlier->flags & CHECK_USE_CALL, later->flags & CHECK_USE_CALL};
    if (calls[0] && calls[1]) return false;
    if (!calls[0] && !calls[1]) {
        if (!(earlier->flags & later->flags & CHECK_USE_STRONG)) return false;
        bool narrow = check_uses_lack_scope(uses, earlier, later);
        if ((earlier->flags & CHECK_USE_WRITES) && (later->flags & CHECK_USE_TAKES)) {
            check_works_learn(uses->works, earlier->moment, narrow);
            uses->flags[uses->flag_count++ % FLAGS] =
                (check_flag_pair){(uint32_t)(earlier - uses->uses), (uint32_t)(later - uses->uses)};
        }
        return !narrow;
    }
    const check_use *kernel = calls[0] ? later : earlier, *call = calls[0] ? earlier : later;
    if (!(kernel->flags & CHECK_USE_STRONG)) return false;
    // What atomics add up is a result: a copy of it must wait, and they for what sets it before.
    bool polls = (call->flags & CHECK_USE_WRITES) && (kernel->flags & CHECK_USE_TAKES);
    return polls || !(kernel->flags & CHECK_USE_ATOMIC);
}

check_flag_pair check_uses_flag(const check_uses *uses, const check_use *a, const check_use *b) {
    for (uint32_t i = 0; i < FLAGS && i < uses->flag_count; i++) {
        check_flag_pair pair = uses->flags[(uses->flag_count - 1 - i) % FLAGS];
        if (uses->uses[pair.write].moment.line == a->moment.line &&
            uses->uses[pair.read].moment.line == b->moment.line)
            return pair;
    }
    return (check_flag_pair){0, 0};
}

static bool is_plain(const check_use *use) {
    return !(use->flags & (CHECK_USE_STRONG | CHECK_USE_CALL));
}

bool check_uses_lack_fence(const check_uses *uses, const check_use *a, const check_use *b,
                           bool *out_released) {
    sim_fence scope = check_works_scope(uses->works, a->moment, b->moment);
    if (!is_plain(a) || !is_plain(b)) return false;
    if (!(a->flags & CHECK_USE_WRITES) || b->flags & CHECK_USE_WRITES) return false;
    return !check_works_sees(uses->works, a->moment, a->flags & CHECK_USE_LATE(scope),
                             b->flags & CHECK_USE_EARLY(scope), out_released);
}

// Whether nothing that is known yet makes `later` see what `earlier` did.
static bool is_apart(check_uses *uses, const check_use *earlier, const check_use *later) {
    bool released;
    return !check_works_knows(uses->works, earlier->moment) ||
           check_uses_lack_fence(uses, earlier, later, &released);
}

static void note_clash(check_uses *uses, uint32_t earlier, uint32_t later, uint64_t offset,
                       uint32_t bytes) {
    const check_use *a = &uses->uses[earlier], *b = &uses->uses[later];
    if (is_same_work(a->moment, b->moment) || !is_apart(uses, a, b) || is_flag(uses, a, b)) return;
    for (uint32_t i = 0; i < uses->clash_count; i++) {
        check_clash *old = &uses->clashes[i];
        if (uses->uses[old->earlier].place != a->place || uses->uses[old->later].place != b->place)
            continue;
        old->count++;
        return;
    }
    if (uses->clash_count < CLASHES)
        uses->clashes[uses->clash_count++] = (check_clash){later, earlier, offset, 1, bytes};
}

bool check_uses_take_clash(check_uses *uses, check_clash *out_clash) {
    while (uses->clash_count > 0) {
        *out_clash = uses->clashes[0];
        uses->clash_count--;
        memmove(uses->clashes, uses->clashes + 1, uses->clash_count * sizeof *uses->clashes);
        const check_use *earlier = &uses->uses[out_clash->earlier];
        const check_use *later = &uses->uses[out_clash->later];
        if (is_apart(uses, earlier, later) || check_uses_lack_scope(uses, earlier, later))
            return true;
    }
    return false;
}

// ---- one use of one state -----------------------------------------------------------------------

// What clashes with a read that comes before this one clashes with this one too. Of one piece of
// work a plain and a strong read are both kept.
static state after_read(const check_uses *uses, const state *now, uint32_t use) {
    const check_use *u = &uses->uses[use];
    state next = {.write = now->write};
    uint32_t count = 0;
    for (int i = 0; i < READERS && now->reads[i]; i++) {
        check_moment moment = uses->uses[now->reads[i]].moment;
        if (now->reads[i] == use) return *now;
        if (is_same_work(moment, u->moment) || !check_works_knows(uses->works, moment))
            next.reads[count++] = now->reads[i];
    }
    if (count < READERS) next.reads[count] = use;
    return next;
}

static uint32_t compute(check_uses *uses, uint32_t from, uint32_t use, uint64_t offset,
                        uint32_t bytes) {
    const state now = uses->states[from];
    const check_use *u = &uses->uses[use], *write = &uses->uses[now.write];
    if (now.write) note_clash(uses, now.write, use, offset, bytes);
    if (u->flags & CHECK_USE_WRITES) {
        for (int i = 0; i < READERS && now.reads[i]; i++)
            note_clash(uses, now.reads[i], use, offset, bytes);
        // Launches from before there were streams are noted late (gather.c).
        bool late = now.write && write->moment.line == u->moment.line &&
                    write->moment.number > u->moment.number;
        const state next = {.write = use};
        return late ? from : number_of(uses, &next);
    }
    if (now.write && is_same_work(write->moment, u->moment) && !(write->flags & CHECK_USE_STRONG))
        return from;
    const state next = after_read(uses, &now, use);
    return number_of(uses, &next);
}

static uint32_t next_of(check_uses *uses, uint32_t from, uint32_t use, uint64_t offset,
                        uint32_t bytes) {
    step *known = &uses->steps[(from * 2654435761u ^ use * 40503u) % STEPS];
    if (known->generation != uses->generation || known->use != use || known->from != from)
        *known = (step){from, use, compute(uses, from, use, offset, bytes), uses->generation};
    return known->to;
}

// ---- pages --------------------------------------------------------------------------------------

static page *find_page(check_uses *uses, uint64_t index) {
    uint64_t chunk = index / CHUNK;
    if (chunk >= uses->chunk_count) {
        page **grown = realloc(uses->chunks, (chunk + 1) * sizeof *grown);
        if (!grown) return NULL;
        for (uint64_t i = uses->chunk_count; i <= chunk; i++) grown[i] = NULL;
        uses->chunks = grown;
        uses->chunk_count = chunk + 1;
    }
    page **pages = &uses->chunks[chunk];
    if (!*pages) *pages = calloc(CHUNK, sizeof **pages);
    return *pages ? &(*pages)[index % CHUNK] : NULL;
}

static page *page_of(check_uses *uses, uint64_t index) {
    page *p = find_page(uses, index);
    if (!p) return NULL;
    if (p->generation != uses->generation) {
        p->generation = uses->generation;
        p->whole = 0;
        p->divided = false;
    }
    return p;
}

// Gives the page cells of its own, of single bytes if need be; false: no memory.
static bool divide(page *p, bool bytewise) {
    if (p->divided && (p->bytewise || !bytewise)) return true;
    bool was_divided = p->divided;
    if (!p->cells || p->bytewise != bytewise) {
        uint32_t *cells = malloc((bytewise ? PAGE : PAGE / WORD) * sizeof *cells);
        if (!cells) return false;
        for (uint32_t i = 0; was_divided && i < PAGE; i++) cells[i] = p->cells[i / WORD];
        free(p->cells);
        p->cells = cells;
        p->bytewise = bytewise;
    }
    p->divided = true;
    for (uint32_t i = 0; !was_divided && i < (bytewise ? PAGE : PAGE / WORD); i++)
        p->cells[i] = p->whole;
    return true;
}

// [at, at + bytes) of a page that starts at `start`. use 0: forgets.
static void note_in_page(check_uses *uses, uint64_t start, uint32_t at, uint32_t bytes,
                         uint32_t use) {
    uint64_t chunk = start / PAGE / CHUNK;
    if (!use && (chunk >= uses->chunk_count || !uses->chunks[chunk])) return;
    page *p = page_of(uses, start / PAGE);
    if (!p) return;
    if (!p->divided) {
        uint32_t next = use ? next_of(uses, p->whole, use, start + at, WORD) : 0;
        if (bytes == PAGE) p->whole = next;
        if (bytes == PAGE || next == p->whole) return;
    }
    if (!divide(p, (at | bytes) % WORD != 0)) return;
    uint32_t each = p->bytewise ? 1 : WORD, from = 0, to = 0;
    for (uint32_t i = at / each; i < (at + bytes) / each; i++) {
        if (i == at / each || p->cells[i] != from) {
            from = p->cells[i];
            to = use ? next_of(uses, from, use, start + (uint64_t)i * each, each) : 0;
        }
        p->cells[i] = to;
    }
}

static void note(check_uses *uses, uint64_t offset, uint64_t bytes, uint32_t use) {
    while (bytes > 0) {
        uint32_t at = (uint32_t)(offset % PAGE), part = PAGE - at;
        if (part > bytes) part = (uint32_t)bytes;
        note_in_page(uses, offset - at, at, part, use);
        offset += part;
        bytes -= part;
    }
}

static void note_first(check_uses *uses) {
    uint32_t use = uses->first.use;
    uses->first.use = 0;
    if (use) note(uses, uses->first.offset, uses->first.bytes, use);
}

void check_uses_note(check_uses *uses, uint64_t offset, uint64_t bytes, uint32_t use) {
    bool is_first = uses->state_count == 1 && !uses->first.use;
    if (!use || use > uses->use_count) return;
    note_first(uses);
    uses->first.offset = offset;
    uses->first.bytes = bytes;
    if (is_first) uses->first.use = use;
    else note(uses, offset, bytes, use);
}

void check_uses_forget(check_uses *uses, uint64_t offset, uint64_t bytes) {
    note_first(uses);
    uint64_t end = uses->chunk_count * CHUNK * PAGE;
    if (offset < end) note(uses, offset, bytes < end - offset ? bytes : end - offset, 0);
}

void check_uses_trim(check_uses *uses) {
    if (uses->use_count >= MOST || uses->state_count >= MOST) check_uses_forget_all(uses);
}

void check_uses_forget_all(check_uses *uses) {
    // The last state first: the ways to the others' slots stay.
    for (uint32_t i = uses->state_count; i > 1; i--) *slot_of(uses, &uses->states[i - 1]) = 0;
    uses->generation++;
    uses->first.use = 0;
    uses->use_count = uses->clash_count = uses->flag_count = 0;
    uses->state_count = 1;
}

// ---- the host's own accesses --------------------------------------------------------------------

bool check_uses_host_lacks_fence(const check_uses *uses, const check_use *use) {
    return is_plain(use) && use->flags & CHECK_USE_WRITES &&
           check_works_host_knows(uses->works, use->moment) &&
           !check_works_host_sees(uses->works, use->moment,
                                  use->flags & CHECK_USE_LATE(SIM_FENCE_SYS));
}

// For the host: it has not waited for this use, or has seen a flag that does not bring its data.
static bool is_in_progress(const check_uses *uses, uint32_t use) {
    if (use == 0) return false;
    const check_use *u = &uses->uses[use];
    return !check_works_host_knows(uses->works, u->moment) || check_uses_host_lacks_fence(uses, u);
}

static uint32_t flags_of(const check_uses *uses, uint32_t number) {
    const state *s = &uses->states[number];
    uint32_t flags = is_in_progress(uses, s->write) ? SIM_PAGES_WRITTEN : 0;
    for (int i = 0; i < READERS && s->reads[i]; i++)
        if (is_in_progress(uses, s->reads[i])) flags |= SIM_PAGES_READ;
    return flags;
}

// NULL: nothing is known of it.
static const page *look_at(const check_uses *uses, uint64_t index) {
    uint64_t chunk = index / CHUNK;
    if (chunk >= uses->chunk_count || !uses->chunks[chunk]) return NULL;
    const page *p = &uses->chunks[chunk][index % CHUNK];
    return p->generation == uses->generation ? p : NULL;
}

static uint32_t flags_of_page(const check_uses *uses, uint64_t index) {
    const page *p = look_at(uses, index);
    if (!p) return 0;
    if (!p->divided) return flags_of(uses, p->whole);
    uint32_t last = p->cells[0], now = flags_of(uses, last), first = now, all = now;
    bool differs = false;
    for (uint32_t i = 1; i < (p->bytewise ? PAGE : PAGE / WORD); i++) {
        if (p->cells[i] == last) continue;
        last = p->cells[i];
        now = flags_of(uses, last);
        differs |= now != first;
        all |= now;
    }
    return all && differs ? all | SIM_PAGES_IN_PART : all;
}

bool check_uses_pages(check_uses *uses, uint64_t offset, uint64_t end, check_pages *out_pages) {
    *out_pages = (check_pages){0};
    note_first(uses);
    if (end > uses->chunk_count * CHUNK * PAGE) end = uses->chunk_count * CHUNK * PAGE;
    for (uint64_t i = offset / PAGE; i * PAGE < end; i++) {
        uint32_t flags = flags_of_page(uses, i);
        if (out_pages->flags && flags != out_pages->flags) break;
        if (!flags) continue;
        if (!out_pages->flags) *out_pages = (check_pages){.offset = i * PAGE, .flags = flags};
        out_pages->bytes += PAGE;
    }
    return out_pages->flags != 0;
}

// As between kernels (is_flag); an atomic of a narrower scope makes a result, not a flag.
static bool is_host_flag(const check_use *use) {
    if (use->flags & CHECK_USE_CALL || !(use->flags & CHECK_USE_STRONG)) return false;
    return !(use->flags & CHECK_USE_ATOMIC) || use->flags & CHECK_USE_SYSTEM;
}

uint32_t check_uses_by_host(check_uses *uses, uint64_t offset, bool writes) {
    note_first(uses);
    const page *p = look_at(uses, offset / PAGE);
    if (!p) return 0;
    uint32_t at = (uint32_t)(offset % PAGE), number = p->whole;
    if (p->divided) number = p->cells[p->bytewise ? at : at / WORD];
    const state s = uses->states[number];
    if (is_in_progress(uses, s.write)) {
        const check_use *use = &uses->uses[s.write];
        if (!is_host_flag(use)) return s.write;
        if (!writes) check_works_host_learns(uses->works, use->moment);
    }
    for (int i = 0; writes && i < READERS && s.reads[i]; i++)
        if (is_in_progress(uses, s.reads[i]) && !is_host_flag(&uses->uses[s.reads[i]]))
            return s.reads[i];
    return 0;
}
