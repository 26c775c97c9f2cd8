// What launches used, from the shadow cells: of each cell the last write and two reads, each by an
// instruction. More readers make no difference to other launches.
#include "check/rules.h"
#include <sys/mman.h>

enum {
    PAGE = 1 << CHECK_PAGE_SHIFT,
    OVERHANG = 64, // bytes of a row that are in the page behind the one that it is noted for
    SLOTS = 4      // strong write, plain write, two reads: in this order the plain write remains
};

typedef struct memory_of_use { // records from `begin` to below `end` with this site and flags
    check_record begin, end, key;
    uint32_t use;
} memory_of_use;

typedef struct gathering {
    sim_checker *checker;
    check_streams *streams;
    check_record floor;
    const check_record *records[SLOTS];
    memory_of_use memory[SLOTS];
} gathering;

// ---- pages --------------------------------------------------------------------------------------

bool check_touched_reserve(check_streams *s, uint64_t bytes) {
    uint64_t pages = (bytes >> CHECK_PAGE_SHIFT) + 1;
    if (pages <= s->touched_pages) return true;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *grown = s->touched ? mremap(s->touched, s->touched_pages, 2 * pages, MREMAP_MAYMOVE)
                             : mmap(NULL, 2 * pages, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (grown == MAP_FAILED) return false;
    s->touched = grown;
    s->touched_pages = 2 * pages;
    return true;
}

void check_touch_page(sim_checker *checker, uint64_t page) {
    check_streams *s = checker->streams;
    if (!sim_reserve(&s->list, &s->list_capacity, s->list_count, sizeof *s->list)) return;
    s->touched[page] = 1;
    s->list[s->list_count++] = (uint32_t)page;
}

// ---- records ------------------------------------------------------------------------------------

static const sim_instr *instruction_at(const sim_program *program, uint32_t site,
                                       const sim_function **out_function) {
    for (uint32_t f = 0; f < program->function_count; f++) {
        *out_function = &program->functions[f];
        if (site < program->functions[f].code_count) return &program->functions[f].code[site];
        site -= program->functions[f].code_count + 1;
    }
    return NULL;
}

static uint32_t flags_of(int slot, check_record record, const sim_instr *instr) {
    uint32_t flags = slot < 2 ? CHECK_USE_WRITES : 0;
    if (!(record & CHECK_STRONG)) return flags;
    flags |= CHECK_USE_STRONG;
    if (record & CHECK_ATOMIC) flags |= CHECK_USE_ATOMIC;
    if (instr && instr->scope == SIM_FENCE_SYS) flags |= CHECK_USE_SYSTEM;
    bool takes = slot >= 2 || (instr && sim_is_atom(instr));
    return takes ? flags | CHECK_USE_TAKES : flags;
}

static const check_late *late_of(const check_streams *s, check_record record) {
    uint32_t at = s->late_count - 1;
    while (at > 0 && check_record_time(record) < s->late[at].begin) at--;
    return &s->late[at];
}

// Of a plain access: on which side of its launch's fences it is; records from *begin to below *end
// are on the same.
static uint32_t side_of(int slot, check_record record, const check_late *late, check_record *begin,
                        check_record *end) {
    uint32_t flags = 0;
    if (record & CHECK_STRONG) return 0;
    for (int scope = SIM_FENCE_GPU; scope <= SIM_FENCE_SYS; scope++) {
        uint32_t time = slot < 2 ? late->released[scope] : late->acquired[scope];
        check_record bound = (check_record)time << CHECK_TIME_SHIFT;
        bool behind = time && record >= bound;
        if (behind && *begin < bound) *begin = bound;
        if (time && !behind && *end > bound) *end = bound;
        if (slot < 2 && (behind || !time)) flags |= CHECK_USE_LATE(scope);
        if (slot >= 2 && !behind) flags |= CHECK_USE_EARLY(scope);
    }
    return flags;
}

static void remember(gathering *g, int slot, check_record record) {
    check_streams *s = g->streams;
    const check_late *late = late_of(s, record);
    const sim_function *function = late->kernel;
    const sim_instr *instr = instruction_at(late->program, check_record_site(record), &function);
    check_location place = {.line = 0};
    uint32_t line = instr ? instr->location : UINT32_MAX;
    if (line < function->location_count && function->locations[line].line &&
        function->locations[line].file < late->program->file_count) {
        place.line = function->locations[line].line;
        snprintf(place.file, sizeof place.file, "%s",
                 late->program->files[function->locations[line].file]);
    }
    snprintf(place.kernel, sizeof place.kernel, "%s", late->kernel->name);
    bool last = late == &s->late[s->late_count - 1];
    check_record begin = (check_record)late->begin << CHECK_TIME_SHIFT;
    check_record end = last ? UINT64_MAX : (check_record)late[1].begin << CHECK_TIME_SHIFT;
    uint32_t side = side_of(slot, record, late, &begin, &end);
    const check_use use = {.moment = late->moment,
                           .place = check_uses_location(s->uses, &place),
                           .flags = flags_of(slot, record, instr) | side,
                           .call = late->call};
    g->memory[slot] =
        (memory_of_use){.begin = begin,
                        .end = end,
                        .key = record & ~(CHECK_THREAD_MASK | ~UINT64_C(0) << CHECK_TIME_SHIFT),
                        .use = check_uses_by(s->uses, &use)};
}

static inline uint32_t use_of(gathering *g, int slot, check_record record) {
    const check_record apart = CHECK_THREAD_MASK | ~UINT64_C(0) << CHECK_TIME_SHIFT;
    const memory_of_use *known = &g->memory[slot];
    if (record < g->floor) return 0;
    if (record < known->begin || record >= known->end || (record & ~apart) != known->key)
        remember(g, slot, record);
    return known->use;
}

// ---- cells --------------------------------------------------------------------------------------

static void note_run(const gathering *g, uint64_t first, uint64_t count, const uint32_t *uses) {
    uint32_t shift = g->checker->global.shift;
    for (int slot = 0; slot < SLOTS && count; slot++)
        if (uses[slot])
            check_uses_note(g->streams->uses, first << shift, count << shift, uses[slot]);
}

static void gather_cells(gathering *g, uint64_t first, uint64_t count) {
    uint32_t run[SLOTS] = {0}, now[SLOTS];
    uint64_t begin = first, end = first + count;
    if (end > g->checker->global.count) end = g->checker->global.count;
    for (uint64_t cell = first; cell < end; cell++) {
        for (int slot = 0; slot < SLOTS; slot++)
            now[slot] = use_of(g, slot, g->records[slot][cell]);
        if (memcmp(run, now, sizeof run) == 0) continue;
        note_run(g, begin, cell - begin, run);
        memcpy(run, now, sizeof run);
        begin = cell;
    }
    if (begin < end) note_run(g, begin, end - begin, run);
}

void check_gather(sim_checker *checker) {
    check_streams *s = checker->streams;
    const check_cells *cells = &checker->global;
    gathering g = {.checker = checker, .streams = s};
    bool any = s->late_count > 0 && cells->count > 0;
    if (any) g.floor = (check_record)s->late[0].begin << CHECK_TIME_SHIFT;
    const check_record *const records[SLOTS] = {cells->strong, cells->write, cells->reads[0],
                                                cells->reads[1]};
    memcpy(g.records, records, sizeof records);
    for (uint32_t i = 0; i < s->list_count && any; i++) {
        uint64_t page = s->list[i], cell = page << CHECK_PAGE_SHIFT >> cells->shift;
        bool overhangs = page + 1 < s->touched_pages && !s->touched[page + 1];
        gather_cells(&g, cell, (PAGE + (overhangs ? OVERHANG : 0)) >> cells->shift);
    }
    for (uint32_t i = 0; i < s->list_count; i++) s->touched[s->list[i]] = 0;
    s->list_count = s->late_count = 0;
}
