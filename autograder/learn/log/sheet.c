// Questions on lines of a step: see log.h.
#include "learn/log/log.h"
#include "show/profile/profile.h"
#include "show/report/report.h"

enum { LINES_MAX = 6, LEAST_SIZE = 1000, FILE_MAX = 4 << 20 };

// A step on two cases: the second is larger; of the first launch of each that has lines.
typedef struct sheet {
    const ladder_lab *lab;
    const kl_step_info *step;
    int family;
    int64_t sizes[2]; // equal: the lab has one case of the step alone
    ladder_profile *profiles[2];
    char *source;
    FILE *questions, *answers;
    int count;
} sheet;

// The two smallest sizes of the lab's suite from LEAST_SIZE on that the step has; where there is
// none so large, the largest.
static bool choose_cases(sheet *s) {
    const kl_problem *p = s->lab->problem;
    int64_t small = INT64_MAX, next = INT64_MAX, largest = 0;
    s->family = kl_problem_family(p, p->timed_family);
    if (s->family < 0 || !kl_problem_serves(p, s->family, s->step->number)) return false;
    for (int i = 0; i < p->suite_count; i++) {
        const kl_suite_entry *e = &p->suite[i];
        if (e->family != s->family || (e->flags & (KL_CHECK | KL_TIME_SIM)) == 0) continue;
        if (e->size > largest) largest = e->size;
        if (e->size < LEAST_SIZE || e->size == small) continue;
        if (e->size < small) {
            next = small;
            small = e->size;
        } else if (e->size < next) {
            next = e->size;
        }
    }
    s->sizes[0] = small < INT64_MAX ? small : largest;
    s->sizes[1] = next < INT64_MAX ? next : s->sizes[0];
    return largest > 0;
}

static const sim_launch_report *launch_of(const ladder_profile *profile) {
    for (uint32_t i = profile->prepare_launches; i < profile->count; i++)
        if (profile->launches[i]->line_count > 0) return profile->launches[i];
    return NULL;
}

// The same line in the other case's launch; NULL: it did not run there.
static const sim_line_counters *line_in(const sim_launch_report *launch, uint32_t line) {
    for (uint32_t i = 0; launch && i < launch->line_count; i++)
        if (launch->lines[i].line == line) return &launch->lines[i];
    return NULL;
}

static char *number(double value, char text[40]) {
    if (fabs(value) >= 1000) kl_format_grouped((long long)nearbyint(value), text, 40);
    else snprintf(text, 40, "%.3g", value);
    return text;
}

// Begins a question and its answer with the same number.
static void begin(sheet *s, const char *about) {
    s->count++;
    fprintf(s->questions, "%d. %s", s->count, about);
    fprintf(s->answers, "%d. ", s->count);
}

static void ask_size(sheet *s, const sim_line_counters *line, const char *about) {
    char sizes[2][64], here[40], there[40];
    const sim_line_counters *other = line_in(launch_of(s->profiles[1]), line->line);
    if (s->sizes[0] == s->sizes[1] || !other) return;
    for (int i = 0; i < 2; i++)
        kl_size_text(s->lab->problem, s->family, s->sizes[i], sizes[i], sizeof sizes[i]);
    begin(s, about);
    fprintf(
        s->questions,
        ": it takes %s warp instructions for %s. Does it take more for %s, and why: more warps, "
        "or more iterations of each?\n",
        number((double)line->counters.value[SIM_COUNTER_INST], here), sizes[0], sizes[1]);
    fprintf(s->answers, "%s warp instructions for %s\n",
            number((double)other->counters.value[SIM_COUNTER_INST], there), sizes[1]);
}

static void ask_sectors(sheet *s, const ladder_line *m, const char *about) {
    char value[40];
    if (!isfinite(m->sectors)) return;
    begin(s, about);
    fprintf(s->questions,
            ": how many sectors does one %s request of it move, and why so many? How many if the "
            "addresses of neighbouring threads were 32 elements apart?\n",
            m->access);
    fprintf(s->answers,
            "%s sectors per request; with addresses 32 elements apart each active thread needs a "
            "sector of its own: up to 32 per request\n",
            number(m->sectors, value));
}

static void ask_banks(sheet *s, const ladder_line *m, const char *about) {
    char value[40], ideal[40];
    if (!isfinite(m->wavefronts)) return;
    begin(s, about);
    fputs(": which banks do the threads of a warp use, and how many shared wavefronts does a "
          "request take? How many if neighbouring threads used addresses 32 words apart?\n",
          s->questions);
    fprintf(
        s->answers,
        "%s wavefront%s per request, %s without bank conflicts; 32 words apart all threads meet "
        "in one bank: a wavefront per active thread\n",
        number(m->wavefronts, value), m->wavefronts == 1 ? "" : "s",
        number(m->ideal_wavefronts, ideal));
}

static void ask_lanes(sheet *s, const ladder_line *m, const char *about) {
    if (!(m->lanes < 0.95)) return;
    begin(s, about);
    fputs(": how many threads of a warp are active there on average, of 32? Which condition "
          "decides it?\n",
          s->questions);
    fprintf(s->answers, "%.1f of 32\n", 32 * m->lanes);
}

static void ask_line(sheet *s, const sim_line_counters *line) {
    char code[240] = "", about[400];
    ladder_line m = ladder_line_measure(&line->counters);
    if (!ladder_source_line(s->source, line->line, code, sizeof code)) return;
    if (!strpbrk(code, "abcdefghijklmnopqrstuvwxyz") || strstr(code, "__global__"))
        return; // no work
    snprintf(about, sizeof about, "Line %u, `%s`", line->line, code);
    if (s->count == 0) ask_size(s, line, about); // the answer is alike for the other lines
    ask_sectors(s, &m, about);
    ask_banks(s, &m, about);
    ask_lanes(s, &m, about);
}

// What makes a line worth a question: its instructions, and what they move.
static double weight(const sim_line_counters *line) {
    ladder_line m = ladder_line_measure(&line->counters);
    return m.instructions * (1 + (isfinite(m.sectors) ? m.sectors : 0) +
                             (isfinite(m.wavefronts) ? m.wavefronts : 0));
}

static int by_weight(const void *a, const void *b) {
    double x = weight(*(const sim_line_counters *const *)a);
    double y = weight(*(const sim_line_counters *const *)b);
    return x < y ? 1 : x > y ? -1 : 0;
}

// Lines of the step's own file, the weightiest first.
static kl_status ask_lines(sheet *s, kl_error *err) {
    const sim_launch_report *launch = launch_of(s->profiles[0]);
    char file[96];
    if (!launch) return kl_fail(err, KL_ERROR_INPUT, "step %d launches no kernel", s->step->number);
    const sim_line_counters **lines = calloc(launch->line_count, sizeof *lines);
    uint32_t count = 0;
    if (!lines) return kl_fail(err, KL_ERROR_MEMORY, "no memory for lines");
    snprintf(file, sizeof file, "/%d_%.64s.cu", s->step->number, s->step->name);
    for (uint32_t i = 0; i < launch->line_count; i++) {
        const char *path = launch->files[launch->lines[i].file];
        size_t length = strlen(path), tail = strlen(file);
        if (length >= tail && strcmp(path + length - tail, file) == 0)
            lines[count++] = &launch->lines[i];
    }
    qsort(lines, count, sizeof *lines, by_weight);
    for (uint32_t i = 0; i < count && i < LINES_MAX; i++) ask_line(s, lines[i]);
    free(lines);
    return KL_OK;
}

static kl_status take_profiles(const ladder_kit *kit, sheet *s, kl_error *err) {
    const char *family = s->lab->problem->families[s->family].name;
    for (int i = 0; i < 2; i++) {
        char size[32];
        s->profiles[i] = calloc(1, sizeof *s->profiles[i]);
        if (!s->profiles[i]) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a profile");
        snprintf(size, sizeof size, "%lld", (long long)s->sizes[i]);
        if (i == 0)
            TRY(ladder_profile_step(kit, s->lab, s->step->number, false, size, family, NULL,
                                    s->profiles[i], err));
        else if (s->sizes[1] != s->sizes[0])
            TRY(ladder_profile_built_step(kit, s->lab, s->step->number, false, size, family, NULL,
                                          s->profiles[i], err));
    }
    return KL_OK;
}

static kl_status make(const ladder_kit *kit, sheet *s, kl_error *err) {
    char path[LADDER_PATH];
    if (!choose_cases(s))
        return kl_fail(err, KL_ERROR_INPUT, "step %d has no case of the timed kind",
                       s->step->number);
    TRY(ladder_kit_step_file(kit, s->lab, s->step, false, path, err));
    TRY(ladder_file_read(AT_FDCWD, path, FILE_MAX, &s->source, NULL, err));
    TRY(take_profiles(kit, s, err));
    return ask_lines(s, err);
}

kl_status ladder_sheet_write(const ladder_kit *kit, const ladder_lab *lab, const kl_step_info *step,
                             FILE *out, int *out_questions, kl_error *err) {
    sheet s = {.lab = lab, .step = step, .questions = out};
    char *answers = NULL, size[64];
    size_t bytes = 0;
    s.answers = open_memstream(&answers, &bytes);
    if (!s.answers) return kl_fail(err, KL_ERROR_MEMORY, "no memory for answers");
    fprintf(out, "## Step %d: %s\n\n", step->number, step->name);
    kl_status status = make(kit, &s, err);
    fclose(s.answers);
    if (status == KL_OK && s.count > 0) {
        kl_size_text(lab->problem, s.family, s.sizes[0], size, sizeof size);
        fprintf(out, "\nCounts are of the first launch of one call for %s on the simulator.\n\n",
                size);
        fprintf(out, "### Answers, for the examiner\n\n%s\n", answers);
    }
    if (status == KL_OK && s.count == 0) fputs("No line of this step stands out.\n\n", out);
    *out_questions = s.count;
    for (int i = 0; i < 2; i++) {
        if (s.profiles[i]) ladder_profile_free(s.profiles[i]);
        free(s.profiles[i]);
    }
    free(s.source);
    free(answers);
    return status;
}
