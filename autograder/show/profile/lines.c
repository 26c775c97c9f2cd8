// Metrics of source lines and the worst line in words: see profile.h. What a line loses is told in
// the work of a resource; the bound of that resource (timing/bounds) says what it is worth in time.
#include "advice.h"
#include "grade/submission/submission.h"
#include "show/profile/internal.h"

enum {
    WORD_SECTORS = 4, // of 32 neighbouring words of 4 bytes
    WIDE_SECTORS =
        16, // of 32 neighbouring words of 16 bytes, the widest; one more when they do not
            // begin with a sector
};

static double ratio(double a, double b) { return b > 0 ? a / b : NAN; }

// What a line may do to global memory.
typedef struct access_kind {
    const char *name;
    sim_counter requests, sectors;
} access_kind;
static const access_kind access_kinds[] = {
    {"load", SIM_COUNTER_GLOBAL_LD_REQUESTS, SIM_COUNTER_GLOBAL_LD_SECTORS},
    {"store", SIM_COUNTER_GLOBAL_ST_REQUESTS, SIM_COUNTER_GLOBAL_ST_SECTORS},
    {"atomic", SIM_COUNTER_GLOBAL_ATOM_REQUESTS, SIM_COUNTER_GLOBAL_ATOM_SECTORS},
    {"atomic", SIM_COUNTER_GLOBAL_RED_REQUESTS, SIM_COUNTER_GLOBAL_RED_SECTORS},
};
enum { ACCESS_KINDS = sizeof access_kinds / sizeof access_kinds[0] };

// The kind that moves most sectors: `out[c * rows + r] = in[r * cols + c]` is told by its stores.
static const access_kind *busiest_kind(const sim_counters *counters) {
    const access_kind *most = &access_kinds[0];
    for (int i = 1; i < ACCESS_KINDS; i++)
        if (counters->value[access_kinds[i].sectors] > counters->value[most->sectors])
            most = &access_kinds[i];
    return most;
}

double ladder_sector_cycles(const sim_device *device) {
    double sm_bytes_per_cycle =
        device->read_gbs * 1e3 / ((double)device->sm_count * (double)device->clock_mhz);
    return sm_bytes_per_cycle > 0 ? 32.0 / sm_bytes_per_cycle : 2.0;
}

// Sectors beyond those of neighbouring words. Up to WIDE_SECTORS per request all may be needed: how
// wide the accesses are is not counted.
static double excess_sectors(const sim_counters *counters) {
    double excess = 0;
    for (int i = 0; i < ACCESS_KINDS; i++) {
        double requests = (double)counters->value[access_kinds[i].requests];
        double each = ratio((double)counters->value[access_kinds[i].sectors], requests);
        bool off_by_half_a_sector = fabs(each - (WIDE_SECTORS + 1)) < 0.05;
        if (each > WIDE_SECTORS && !off_by_half_a_sector)
            excess += (each - WORD_SECTORS) * requests;
    }
    return excess;
}

ladder_line ladder_line_measure(const sim_counters *counters) {
    const uint64_t *v = counters->value;
    double instructions = (double)v[SIM_COUNTER_INST];
    const access_kind *kind = busiest_kind(counters);
    double shared = (double)v[SIM_COUNTER_SHARED_LD_INST] + (double)v[SIM_COUNTER_SHARED_ST_INST];
    double wavefronts =
        (double)v[SIM_COUNTER_SHARED_LD_WAVEFRONTS] + (double)v[SIM_COUNTER_SHARED_ST_WAVEFRONTS];
    double conflicts =
        (double)v[SIM_COUNTER_SHARED_LD_CONFLICTS] + (double)v[SIM_COUNTER_SHARED_ST_CONFLICTS];
    ladder_line line = {
        .instructions = instructions,
        .lanes = ratio((double)v[SIM_COUNTER_THREAD_INST], instructions * LADDER_LANES),
        .sectors = ratio((double)v[kind->sectors], (double)v[kind->requests]),
        .access = kind->name,
        .wavefronts = ratio(wavefronts, shared),
        .ideal_wavefronts = ratio(wavefronts - conflicts, shared),
        .conflict = ratio(wavefronts, wavefronts - conflicts),
    };
    double loads = (double)v[SIM_COUNTER_CONSTANT_LD_INST];
    double addresses = (double)v[SIM_COUNTER_CONSTANT_LD_TURNS];
    line.lost_lanes = instructions > 0 ? instructions * (1.0 - line.lanes) : 0;
    line.lost_conflicts = conflicts;
    line.lost_sectors = excess_sectors(counters);
    line.places = ratio(addresses, loads);
    line.lost_places = addresses - loads;
    return line;
}

typedef enum loss { LOSS_LANES, LOSS_CONFLICTS, LOSS_SECTORS, LOSS_PLACES } loss;
enum { LOSSES = LADDER_LOSSES };

// The resources whose work is lost.
static const uint32_t bounds_of[LOSSES] = {
    [LOSS_LANES] = 1u << SIM_BOUND_ISSUE | 1u << SIM_BOUND_FMA | 1u << SIM_BOUND_ALU |
                   1u << SIM_BOUND_XU | 1u << SIM_BOUND_FP64,
    [LOSS_CONFLICTS] = 1u << SIM_BOUND_SHARED,
    [LOSS_SECTORS] =
        1u << SIM_BOUND_L1 | 1u << SIM_BOUND_L2 | 1u << SIM_BOUND_STORES | 1u << SIM_BOUND_DRAM,
    [LOSS_PLACES] = 1u << SIM_BOUND_CONSTANT,
};

static double loss_of(const ladder_line *line, loss kind) {
    const double lost[LOSSES] = {line->lost_lanes, line->lost_conflicts, line->lost_sectors,
                                 line->lost_places};
    return lost[kind];
}

// All that a launch does of the work of which a part is lost.
static double work_of(const sim_counters *counters, loss kind) {
    const uint64_t *v = counters->value;
    double sectors = 0;
    switch (kind) {
    case LOSS_LANES: return (double)v[SIM_COUNTER_INST];
    case LOSS_CONFLICTS:
        return (double)v[SIM_COUNTER_SHARED_LD_WAVEFRONTS] +
               (double)v[SIM_COUNTER_SHARED_ST_WAVEFRONTS];
    case LOSS_SECTORS:
        for (int i = 0; i < ACCESS_KINDS; i++) sectors += (double)v[access_kinds[i].sectors];
        return sectors;
    case LOSS_PLACES: return (double)v[SIM_COUNTER_CONSTANT_LD_TURNS];
    }
    return 0;
}

double ladder_bound_us(const sim_launch_report *report, uint32_t kinds) {
    double most = 0;
    for (int b = 0; b < SIM_TIME_BOUNDS; b++)
        if (kinds >> report->bounds[b].kind & 1) most = fmax(most, report->bounds[b].time_us);
    return most;
}

double ladder_work_us(const sim_launch_report *report, const sim_device *device) {
    return fmax(report->time_us - device->kernel_us, report->bounds[0].time_us);
}

// Share of the launch's time that one unit of lost work costs: 0 where no warp splits, for then
// idle lanes are not divergence.
static double unit_cost(const sim_launch_report *report, const sim_device *device, loss kind) {
    bool splits = report->totals.value[SIM_COUNTER_BRANCHES_DIVERGENT] > 0;
    double work = work_of(&report->totals, kind), us = ladder_work_us(report, device);
    if (!(work > 0) || !(us > 0) || (kind == LOSS_LANES && !splits)) return 0;
    return ladder_bound_us(report, bounds_of[kind]) / work / us;
}

// Lanes idle behind a branch of another line, as in the body of a loop that some leave earlier: the
// line that splits most warps. NULL: the line has such a branch itself, or there is none.
static const sim_line_counters *splitting_line(const sim_launch_report *report,
                                               const sim_line_counters *at) {
    const sim_line_counters *most = NULL;
    if (at->counters.value[SIM_COUNTER_BRANCHES_DIVERGENT] > 0) return NULL;
    for (uint32_t i = 0; i < report->line_count; i++) {
        uint64_t splits = report->lines[i].counters.value[SIM_COUNTER_BRANCHES_DIVERGENT];
        if (splits > 0 && report->lines[i].file == at->file &&
            (!most || splits > most->counters.value[SIM_COUNTER_BRANCHES_DIVERGENT]))
            most = &report->lines[i];
    }
    return most;
}

static void put_divergence(const sim_launch_report *report, const sim_line_counters *at,
                           const ladder_line *line, const char *where, char *text,
                           size_t text_bytes) {
    const sim_line_counters *split = splitting_line(report, at);
    int used = snprintf(
        text, text_bytes,
        "%s: only %.0f %% of lanes work here while the rest of the warp idles (divergence): %s",
        where, 100.0 * line->lanes, kl_advice_text(KL_ADVICE_SAME_PATH));
    if (split && used > 0 && (size_t)used < text_bytes)
        snprintf(text + used, text_bytes - (size_t)used,
                 "; the branch that splits most warps is in line %u", split->line);
}

static void put_sentence(const sim_launch_report *report, const sim_line_counters *at,
                         const ladder_line *line, loss kind, const char *where, char *text,
                         size_t text_bytes) {
    const uint64_t *v = at->counters.value;
    switch (kind) {
    case LOSS_LANES: put_divergence(report, at, line, where, text, text_bytes); return;
    case LOSS_CONFLICTS: {
        uint64_t loads = v[SIM_COUNTER_SHARED_LD_CONFLICTS];
        uint64_t stores = v[SIM_COUNTER_SHARED_ST_CONFLICTS];
        const char *what = stores == 0  ? "shared load is"
                           : loads == 0 ? "shared store is"
                                        : "shared loads and stores are";
        char ideal[16];
        snprintf(ideal, sizeof ideal, line->ideal_wavefronts < 1.05 ? "%.0f" : "%.1f",
                 line->ideal_wavefronts);
        const double random = 3.7; // 32 lanes at random words have fewer: 3.5 on average
        bool regular = line->conflict > random;
        snprintf(text, text_bytes,
                 "%s: %s %.0f-way bank conflicted (%.1f wavefronts instead of %s)%s%s", where, what,
                 line->conflict, line->wavefronts, ideal, regular ? ": " : "",
                 regular ? kl_advice_text(KL_ADVICE_PAD_ROWS) : "");
        return;
    }
    case LOSS_SECTORS:
        snprintf(text, text_bytes,
                 "%s: a global %s touches %.1f sectors, where 32 neighbouring floats lie in %d "
                 "(uncoalesced): %s",
                 where, line->access, line->sectors, WORD_SECTORS,
                 kl_advice_text(KL_ADVICE_COALESCE));
        return;
    case LOSS_PLACES:
        snprintf(
            text, text_bytes,
            "%s: the lanes of a warp want %.1f addresses of constant memory, which serves one at "
            "a time; shared memory serves 32 banks at once",
            where, line->places);
        return;
    }
}

// What a kind of loss costs in all lines together, and the line that loses most.
static ladder_loss sum_up(const sim_launch_report *report, const sim_device *device, loss kind) {
    sim_line_counters whole = {.counters = report->totals};
    const sim_line_counters *lines = report->line_count > 0 ? report->lines : &whole;
    uint32_t count = report->line_count > 0 ? report->line_count : 1;
    ladder_loss sum = {.kind = (int)kind, .bounds = bounds_of[kind], .line = 0};
    double most = 0, cost = unit_cost(report, device, kind);
    for (uint32_t i = 0; i < count; i++) {
        ladder_line line = ladder_line_measure(&lines[i].counters);
        double lost = loss_of(&line, kind);
        sum.share += cost * lost;
        if (lost <= most) continue;
        most = lost;
        sum.line = i;
    }
    return sum;
}

int ladder_find_losses(const sim_launch_report *report, const sim_device *device,
                       ladder_loss losses[LADDER_LOSSES]) {
    static const double least_share = 0.05; // of the launch's time, to be worth a word
    int count = 0;
    for (int k = 0; k < LOSSES; k++) {
        ladder_loss one = sum_up(report, device, (loss)k);
        int at = count;
        if (one.share < least_share) continue;
        for (; at > 0 && losses[at - 1].share < one.share; at--) losses[at] = losses[at - 1];
        losses[at] = one;
        count++;
    }
    return count;
}

void ladder_loss_text(const sim_launch_report *report, const ladder_loss *lost, char *text,
                      size_t text_bytes) {
    const sim_line_counters whole = {.counters = report->totals};
    const sim_line_counters *at = report->line_count > 0 ? &report->lines[lost->line] : &whole;
    ladder_line line = ladder_line_measure(&at->counters);
    char where[160];
    ladder_where(report, at, where, sizeof where);
    put_sentence(report, at, &line, (loss)lost->kind, where, text, text_bytes);
}

bool ladder_profile_worst(const sim_launch_report *report, const sim_device *device, char *text,
                          size_t text_bytes) {
    ladder_loss losses[LADDER_LOSSES];
    if (ladder_find_losses(report, device, losses) == 0) return false;
    ladder_loss_text(report, &losses[0], text, text_bytes);
    return true;
}

// ---- the source of a launch's lines -------------------------------------------------------------

// A source file in lines; empty when it cannot be read.
typedef struct source {
    char *text;
    char **lines; // from 1
    uint32_t count;
} source;

static void free_source(source *s) {
    free(s->text);
    free(s->lines);
    *s = (source){NULL, NULL, 0};
}

static void read_source(const char *path, source *out) {
    enum { SOURCE_MAX = 4 << 20 };
    size_t bytes = 0;
    *out = (source){NULL, NULL, 0};
    kl_error err = {KL_OK, ""};
    if (ladder_file_read(AT_FDCWD, path, SOURCE_MAX, &out->text, &bytes, &err) != KL_OK) return;
    uint32_t count = 1;
    for (size_t i = 0; i < bytes; i++) count += out->text[i] == '\n';
    out->lines = calloc((size_t)count + 2, sizeof *out->lines);
    if (!out->lines) {
        free_source(out);
        return;
    }
    char *line = out->text;
    for (out->count = 0; line && out->count < count;) {
        out->lines[++out->count] = line;
        line = strchr(line, '\n');
        if (line) *line++ = '\0';
    }
}

// The text of a source line without `indent` columns, tabs replaced, to be freed; NULL without
// memory.
static char *tidy_text(const char *text, size_t indent) {
    size_t used = 0, most = 4 * strlen(text) + 1;
    char *wide = malloc(most), *shown = malloc(most);
    for (const char *s = text; wide && *s != '\0'; s++) {
        if (*s == '\t')
            for (int i = 0; i < 4; i++) wide[used++] = ' ';
        else if (*s != '\r') wide[used++] = *s;
    }
    if (wide) wide[used] = '\0';
    if (wide && shown) ladder_plain(used > indent ? wide + indent : "", false, shown, most);
    free(wide);
    return shown;
}

static size_t indent_of(const char *text) {
    size_t columns = 0;
    for (; *text == ' ' || *text == '\t'; text++) columns += *text == '\t' ? 4 : 1;
    return *text == '\0' || *text == '\r' ? SIZE_MAX : columns;
}

// A line that only the skeleton's maker reads.
static bool is_marker(const char *text) {
    return strncmp(text + strspn(text, " \t"), LADDER_SOLUTION_MARKER,
                   sizeof LADDER_SOLUTION_MARKER - 1) == 0;
}

enum { GAP = 4 }; // between lines that ran, more other ones than this are folded

// Columns that all lines to be shown begin with: those that ran and those between them.
static size_t common_indent(const sim_launch_report *r, const source *s, uint32_t first,
                            uint32_t end) {
    size_t least = SIZE_MAX;
    uint32_t previous = r->lines[first].line;
    for (uint32_t i = first; i < end; i++) {
        uint32_t line = r->lines[i].line;
        bool near = line > previous && line <= previous + GAP;
        for (uint32_t at = near ? previous + 1 : line; at <= line && at <= s->count; at++) {
            size_t columns =
                at >= 1 && !is_marker(s->lines[at]) ? indent_of(s->lines[at]) : SIZE_MAX;
            least = columns < least ? columns : least;
        }
        previous = line;
    }
    return least == SIZE_MAX ? 0 : least;
}

static void show(const source *s, uint32_t line, size_t indent, const sim_line_counters *counters,
                 ladder_source_visit visit, void *context) {
    char *text = tidy_text(line >= 1 && line <= s->count ? s->lines[line] : "", indent);
    visit(context, line, text ? text : "", counters);
    free(text);
}

void ladder_source_walk(const sim_launch_report *report, uint32_t first, uint32_t end,
                        ladder_source_visit visit, void *context) {
    const sim_launch_report *r = report;
    uint32_t file = r->lines[first].file;
    source s;
    read_source(file < r->file_count ? r->files[file] : "?", &s);
    size_t indent = common_indent(r, &s, first, end);
    uint32_t previous = r->lines[first].line;
    for (uint32_t i = first; i < end; i++) {
        uint32_t line = r->lines[i].line;
        if (line > previous + GAP) visit(context, 0, "", NULL);
        for (uint32_t between = previous + 1;
             line <= previous + GAP && between < line && between <= s.count; between++)
            if (!is_marker(s.lines[between])) show(&s, between, indent, NULL, visit, context);
        show(&s, line, indent, &r->lines[i], visit, context);
        previous = line;
    }
    free_source(&s);
}
