// Rows of a class, its table, CSV files and JSON: see class.h.
#include "course/class/class.h"
#include "show/report/result.def"
#include "utilities/defence.h"
#include <sys/random.h>

void ladder_row_from(const ladder_result *result, const ladder_lab *lab, ladder_row *out_row) {
    memset(out_row, 0, sizeof *out_row);
    snprintf(out_row->id, sizeof out_row->id, "%s", result->id);
    snprintf(out_row->title, sizeof out_row->title, "%s", result->title);
    snprintf(out_row->hash, sizeof out_row->hash, "%s", result->hash);
    out_row->done = true;
    out_row->points = result->points;
    snprintf(out_row->rubric, sizeof out_row->rubric, "%s", lab->rubric->hash);
    out_row->trace.seed = result->seed;
    out_row->step_count = result->step_count;
    for (int i = 0; i < result->step_count; i++) {
        out_row->steps[i].step = result->steps[i].step;
        out_row->steps[i].outcome = result->steps[i].outcome;
        out_row->steps[i].points = result->steps[i].points;
        out_row->steps[i].points_max = result->steps[i].points_max;
    }
}

kl_status ladder_row_key_open(const char *path, bool fresh, ladder_row_key *out_key, bool *out_made,
                              kl_error *err) {
    char *text = NULL;
    size_t bytes = 0;
    struct stat info;
    *out_made = false;
    bool own = lstat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
               (info.st_mode & 077) == 0;
    own = !fresh && (own || !ladder_defence_on(LADDER_DEFENCE_KEY_OWNER));
    bool found = own &&
                 ladder_file_read(AT_FDCWD, path, sizeof *out_key, &text, &bytes, NULL) == KL_OK &&
                 bytes == sizeof *out_key;
    if (found) memcpy(out_key, text, sizeof *out_key);
    free(text);
    if (found) return KL_OK;
    *out_made = true;
    if (getrandom(out_key, sizeof *out_key, 0) != (ssize_t)sizeof *out_key)
        return kl_fail(err, KL_ERROR_SYSTEM, "no random numbers: %s", strerror(errno));
    unlink(path); // a link there is replaced, not followed
    mode_t before = umask(077);
    kl_status status = ladder_file_write(path, out_key, sizeof *out_key, err);
    umask(before);
    return status;
}

// A row's file: a header line, a line for each member of RESULT_ROW (result.def), and of each step
// for each of RESULT_ROW_STEP. Numbers in hexadecimal floating point are exact.
static const char row_head[] = "ladder.row/7";

#define PUT_TEXT(value)        fprintf(out, "%s\n", value);
#define PUT_NUMBER(value)      fprintf(out, "%a\n", value);
#define PUT_COUNT(value)       fprintf(out, "%d\n", value);
#define PUT_YES(value)         fprintf(out, "%d\n", value);
#define PUT_INDEX(value)       fprintf(out, "%" PRIu64 "\n", value);
#define PUT_OUTCOME(value)     fprintf(out, "%d\n", (int)(value));
#define PUT_ROW(kind, member)  PUT_##kind(row->member)
#define PUT_STEP(kind, member) PUT_##kind(row->steps[i].member)

static void put_step(const ladder_row *row, int i, FILE *out) { RESULT_ROW_STEP(PUT_STEP) }

static void put_row(const ladder_row *row, FILE *out) {
    PUT_TEXT(row_head)
    RESULT_ROW(PUT_ROW)
    for (int i = 0; i < row->step_count; i++) put_step(row, i, out);
}

typedef struct signed_text {
    const char *text, *signature;
} signed_text;

static kl_status put_signed(void *context, FILE *out, kl_error *err) {
    const signed_text *t = context;
    (void)err; // kl_file_put notices what could not be written
    fprintf(out, "%s%s\n", t->text, t->signature);
    return KL_OK;
}

kl_status ladder_row_write(const ladder_row *row, const ladder_row_key *key, const char *path,
                           kl_error *err) {
    static const ladder_row_key none;
    char *text = NULL, signature[LADDER_SHA256_TEXT];
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a row");
    put_row(row, memory);
    fclose(memory);
    key = key ? key : &none;
    ladder_hmac(key->bytes, sizeof key->bytes, text, bytes, signature);
    kl_status status = kl_file_put(path, put_signed, &(signed_text){text, signature}, err);
    free(text);
    return status;
}

// A line without its end; false when it is longer than fits.
static bool read_line(FILE *in, char *out, size_t out_bytes) {
    size_t used = 0;
    int c;
    while ((c = fgetc(in)) != EOF && c != '\n' && used + 1 < out_bytes) out[used++] = (char)c;
    out[used] = '\0';
    return c == '\n';
}

// A line with one of the first whole numbers.
static bool read_choice(FILE *in, int choices, int *out) {
    return fscanf(in, "%d", out) == 1 && *out >= 0 && *out < choices && fgetc(in) == '\n';
}

// Each kind continues a condition.
#define SCAN(form, value) &&fscanf(in, form, &(value)) == 1 && fgetc(in) == '\n'
#define GET_TEXT(value)   &&read_line(in, value, sizeof(value))
#define GET_NUMBER(value) SCAN("%la", value)
#define GET_COUNT(value)  SCAN("%d", value)
#define GET_INDEX(value)  SCAN("%" SCNu64, value)
#define GET_YES(value)    &&read_choice(in, 2, &choice) && ((value) = choice != 0, true)
#define GET_OUTCOME(value)                                                                         \
    &&read_choice(in, LADDER_OUTCOMES, &choice) && ((value) = (ladder_outcome)choice, true)
#define GET_ROW(kind, member)  GET_##kind(row->member)
#define GET_STEP(kind, member) GET_##kind(row->steps[i].member)

static bool parse_row(FILE *in, ladder_row *row) {
    char head[sizeof row_head];
    int choice = 0;
    bool well = read_line(in, head, sizeof head) && strcmp(head, row_head) == 0 RESULT_ROW(GET_ROW);
    well = well && row->step_count >= 0 && row->step_count <= LADDER_STEPS_MAX;
    for (int i = 0; well && i < row->step_count; i++) well = true RESULT_ROW_STEP(GET_STEP);
    return well;
}

// Whether the last line of a row's text is the signature of what stands before it.
static bool is_signed(const char *text, size_t bytes, const ladder_row_key *key) {
    char signature[LADDER_SHA256_TEXT];
    enum { TAIL = LADDER_SHA256_TEXT }; // digits and a line end
    if (bytes <= TAIL || text[bytes - 1] != '\n' || text[bytes - TAIL - 1] != '\n') return false;
    if (!key || !ladder_defence_on(LADDER_DEFENCE_ROW_SIGNATURE)) return true;
    ladder_hmac(key->bytes, sizeof key->bytes, text, bytes - TAIL, signature);
    unsigned differ = 0;
    for (size_t i = 0; i + 1 < TAIL; i++)
        differ |= (unsigned)(signature[i] ^ text[bytes - TAIL + i]);
    return differ == 0;
}

ladder_row_state ladder_row_read(const char *path, const ladder_row_key *key, ladder_row *out_row) {
    enum { ROW_MAX = 64 << 10 };
    char *text = NULL;
    size_t bytes = 0;
    memset(out_row, 0, sizeof *out_row);
    if (!ladder_file_exists(path)) return LADDER_ROW_ABSENT;
    if (ladder_file_read(AT_FDCWD, path, ROW_MAX, &text, &bytes, NULL) != KL_OK)
        return LADDER_ROW_FOREIGN;
    if (is_signed(text, bytes, key)) {
        FILE *in = fmemopen(text, bytes, "r");
        out_row->done = in && parse_row(in, out_row);
        if (in) fclose(in);
    }
    free(text);
    return out_row->done ? LADDER_ROW_GOOD : LADDER_ROW_FOREIGN;
}

// One character a step.
static char mark_of(ladder_outcome outcome, double points, double points_max) {
    switch (ladder_outcome_kind_of(outcome)) {
    case LADDER_KIND_GOOD: return points >= points_max - 1e-9 ? '+' : '~';
    case LADDER_KIND_ABSENT: return '.';
    case LADDER_KIND_BAD: return 'x';
    case LADDER_KIND_UNGRADABLE: return '?';
    }
    return ' ';
}

// The id of a submission that is called as another is, as namesakes are; else "".
static const char *id_of(const ladder_row *rows, size_t count, size_t at) {
    for (size_t i = 0; i < count; i++)
        if (i != at && strcmp(rows[i].title, rows[at].title) == 0) return rows[at].id;
    return "";
}

static int widest_title(const ladder_row *rows, size_t count, int most) {
    int width = 10;
    for (size_t i = 0; i < count; i++) {
        int used = ladder_title_width(rows[i].title, id_of(rows, count, i));
        width = used > width ? used : width;
    }
    return width < most ? width : most;
}

int ladder_title_width(const char *title, const char *id) {
    return kl_text_width(title) + (id[0] != '\0' ? kl_text_width(id) + 3 : 0);
}

// The first columns of a text, `most` at most; returns how many.
static int put_cut(FILE *out, const char *text, int most) {
    int used = kl_text_width(text), left = used <= most ? used : most - 2;
    for (const char *s = text; *s != '\0'; s++) {
        bool starts = ((unsigned char)*s & 0xC0) != 0x80;
        if (starts && left-- == 0) break;
        fputc(*s, out);
    }
    if (used > most) fputs("..", out);
    return used <= most ? used : most;
}

void ladder_put_title(FILE *out, const char *title, const char *id, int width) {
    int behind = ladder_title_width("", id), half = width / 2;
    behind = behind < half || kl_text_width(title) + behind <= width ? behind : half;
    int used = put_cut(out, title, width - behind);
    if (id[0] != '\0') {
        fputs(" (", out);
        used += 3 + put_cut(out, id, width - used - 3);
        fputc(')', out);
    }
    fprintf(out, "%*s", width - used, "");
}

// Behind a step's mark for each; `gap`: columns to the first failure.
static void put_worst(FILE *out, const ladder_row *row, int gap) {
    for (int i = 0; i < row->step_count; i++) {
        ladder_outcome_kind kind = ladder_outcome_kind_of(row->steps[i].outcome);
        if (kind != LADDER_KIND_BAD && kind != LADDER_KIND_UNGRADABLE) continue;
        ladder_outcome outcome = row->steps[i].outcome;
        bool whole = outcome == LADDER_UNREADABLE || outcome == LADDER_NONE_TAKEN ||
                     outcome == LADDER_OUTSIDE; // of no step
        fprintf(out, "%*s", gap, "");
        if (!whole) fprintf(out, "step %d: ", row->steps[i].step);
        fputs(ladder_outcome_word(outcome), out);
        return;
    }
}

void ladder_class_table(const ladder_row *rows, size_t count, const kl_style *style, FILE *out) {
    int steps = 0;
    for (size_t i = 0; i < count; i++)
        steps = rows[i].step_count > steps ? rows[i].step_count : steps;
    int marks = steps > 5 ? steps : 5;
    int width = widest_title(rows, count, style->width - marks - 42);
    fprintf(out, "%-*s   score  ", width, "submission");
    for (int i = 0; i < steps; i++) {
        int number = i;
        for (size_t r = 0; r < count; r++)
            if (rows[r].step_count > i) number = rows[r].steps[i].step;
        fputc('0' + number % 10, out);
    }
    fprintf(out, "%*s  first failure\n", marks - steps, "");
    for (size_t i = 0; i < count; i++) {
        const ladder_row *row = &rows[i];
        ladder_put_title(out, row->title, id_of(rows, count, i), width);
        if (!row->done) {
            fprintf(out, "    none  %-*s  the grader failed here\n", marks, "?");
            continue;
        }
        if (!row->points.graded) fputs("    none  ", out);
        else fprintf(out, "  %6.1f  ", ladder_points_score(&row->points));
        for (int s = 0; s < row->step_count; s++) {
            fputc(mark_of(row->steps[s].outcome, row->steps[s].points, row->steps[s].points_max),
                  out);
        }
        put_worst(out, row, marks - row->step_count + 2);
        fputc('\n', out);
    }
    fputs("\n+ all points  ~ some  . not handed in  x failed  ? could not be graded\n", out);
}

void ladder_class_csv(const ladder_row *rows, size_t count, FILE *out) {
    fputs("\"submission\",\"id\",\"status\",\"score\",\"points\",\"points_max\",\"days late\","
          "\"late deduction\",\"override\",\"final points\",\"final score\","
          "\"given by a person\",\"not marked yet\"",
          out);
    const ladder_row *head = NULL;
    for (size_t i = 0; i < count && !head; i++)
        if (rows[i].done) head = &rows[i];
    for (int s = 0; head && s < head->step_count; s++)
        fprintf(out, ",\"step %d\",\"step %d points\"", head->steps[s].step, head->steps[s].step);
    fputs("\r\n", out);
    for (size_t i = 0; i < count; i++) {
        const ladder_row *row = &rows[i];
        const ladder_points *points = &row->points;
        const ladder_points_change *change = &points->change;
        bool scored = points->graded;
        double score = ladder_points_final_score(points);
        ladder_cells(
            out, "%s,%s,%s,%.4f,%.4f,%.4f,%.0f,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f", row->title, row->id,
            scored ? "scored" : "ungradable", scored ? ladder_points_score(points) : NAN,
            scored ? points->reached : NAN, scored ? points->most : NAN,
            scored ? change->late_days : NAN, scored ? ladder_points_deduction(points) : NAN,
            change->overridden ? change->override : NAN,
            ladder_points_are_final(points) ? ladder_points_final(points) : NAN,
            score >= 0 ? score : NAN, change->given_most > change->unmarked ? change->given : NAN,
            change->unmarked > 0 ? change->unmarked : NAN);
        for (int s = 0; head && s < head->step_count; s++)
            ladder_cells(
                out, ",%s,%.4f", row->done ? ladder_outcome_word(row->steps[s].outcome) : NULL,
                row->done ? ladder_outcome_points(row->steps[s].outcome, row->steps[s].points)
                          : NAN);
        fputs("\r\n", out);
    }
}

kl_status ladder_class_json(const ladder_lab *lab, const ladder_row *rows, size_t count, FILE *out,
                            kl_error *err) {
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{schema ladder.class/1 lab %s submissions [", lab->problem->name);
    for (size_t i = 0; i < count; i++) {
        const ladder_row *row = &rows[i];
        const ladder_points *points = &row->points;
        bool scored = points->graded;
        kl_json_put(&json,
                    "{id %s submission %s files_sha256 %s status %s score %g points %g "
                    "points_max %g",
                    row->id, row->title, row->done ? row->hash : NULL,
                    scored ? "scored" : "ungradable", scored ? ladder_points_score(points) : NAN,
                    scored ? points->reached : NAN, scored ? points->most : NAN);
        ladder_points_json(points, &json);
        kl_json_array(&json, "steps");
        for (int s = 0; s < row->step_count; s++) {
            kl_json_put(&json, "{step %d outcome %s points %g points_max %g}", row->steps[s].step,
                        ladder_outcome_word(row->steps[s].outcome),
                        ladder_outcome_points(row->steps[s].outcome, row->steps[s].points),
                        row->steps[s].points_max);
        }
        kl_json_put(&json, "]}");
    }
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}

// ---- beside what a course system knows ----------------------------------------------------------

// A line of one student; `who` has one id at least, or is one of a group.
static void put_line(const ladder_submission *s, const ladder_row *row, const ladder_person *who,
                     const ladder_points_change *change, FILE *out) {
    char id[LADDER_TITLE], due[32];
    const char *at = who->ids;
    bool member = s->members[0] != '\0' && ladder_person_next(&at, id);
    const ladder_points *points = &row->points;
    ladder_cells(out, "%s,%s,%s,%s,%s,%.0f,%.4f,%.4f,%s,", s->title, s->id, member ? id : s->user,
                 s->submitted, s->late ? "yes" : NULL,
                 change->late_rule[0] != '\0' ? change->late_days : NAN,
                 points->graded ? ladder_points_score(points) : NAN,
                 ladder_points_are_final(points) ? ladder_points_final_score(points) : NAN,
                 s->problem);
    if (s->due_s > 0) fputs(ladder_time_iso(s->due_s, due), out);
    ladder_cells(out, ",%s\r\n", who->name);
}

void ladder_class_handed_in(const ladder_submission *list, const ladder_row *rows,
                            const ladder_points_change *changes, size_t count, FILE *out) {
    static ladder_person members[LADDER_MEMBERS_MAX];
    fputs("\"submission\",\"id\",\"user\",\"submitted\",\"marked late\",\"days late\",\"score\","
          "\"final score\",\"cannot be read\",\"own due date\",\"student\"\r\n",
          out);
    for (size_t i = 0; i < count; i++) {
        int people = ladder_people_of(&list[i], members);
        for (int m = 0; m < people; m++)
            put_line(&list[i], &rows[i], &members[m], &changes[i], out);
    }
}

void ladder_class_changed_table(const ladder_row *rows, size_t count, const kl_style *style,
                                FILE *out) {
    int told = 0;
    for (size_t i = 0; i < count; i++) {
        const ladder_points *points = &rows[i].points;
        const ladder_points_change *change = &points->change;
        bool late_now = points->graded && change->late_days > 0; // else it costs nothing
        if (!ladder_points_changed(points) && !late_now) continue;
        if (told++ == 0)
            fputs("\nscore as graded, what changes it, final score\n"
                  " graded   days late     lost  override   final  submission\n",
                  out);
        char late[64] = "", days[32], set[32] = "";
        double most = points->most > 0 ? points->most : 1;
        if (late_now)
            snprintf(late, sizeof late, "%10s  %7.1f", ladder_late_short(points, days),
                     100 * ladder_points_deduction(points) / most);
        if (change->overridden) snprintf(set, sizeof set, "%.1f", 100 * change->override / most);
        if (points->graded) fprintf(out, " %6.1f", ladder_points_score(points));
        else fputs("   none", out);
        fprintf(out, "  %19s   %7s", late, set);
        if (ladder_points_are_final(points))
            fprintf(out, "  %6.1f  ", ladder_points_final_score(points));
        else fputs("    none  ", out);
        const char *id = id_of(rows, count, i);
        int used = ladder_title_width(rows[i].title, id), most_here = style->width - 50;
        ladder_put_title(out, rows[i].title, id, used < most_here ? used : most_here);
        fputc('\n', out);
    }
}
