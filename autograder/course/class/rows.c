// Rows of a class, its table, CSV files and JSON: see class.h.
#include "course/class/class.h"
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

// ladder.row/6: a header line, what changes the mark, title, kit, device, sandbox, seed, then a
// line a step. Numbers in hexadecimal floating point are exact.
static void put_row(const ladder_row *row, FILE *out) {
    const ladder_points *points = &row->points;
    const ladder_points_change *change = &points->change;
    fprintf(out, "ladder.row/6 %s %s %d %a %a %a %d\n", row->id,
            row->hash[0] != '\0' ? row->hash : "-", !points->graded, ladder_points_score(points),
            points->reached, points->most, row->step_count);
    fprintf(out, "%s %d %d %a %a %a %d %a %a %a %a %" PRIx64 "\n%s\n%s\n",
            row->rubric[0] != '\0' ? row->rubric : "-", change->late_days, change->slip_days,
            change->late_share, change->late_points, change->due_s, change->overridden,
            change->override, change->given, change->given_most, change->unmarked,
            change->given_hash, change->late_rule, row->title);
    fprintf(out, "%s\n%s\n%s\n%" PRIu64 "\n", row->trace.kit, row->trace.device, row->trace.sandbox,
            row->trace.seed);
    for (int i = 0; i < row->step_count; i++) {
        fprintf(out, "%d %d %a %a\n", row->steps[i].step, (int)row->steps[i].outcome,
                row->steps[i].points, row->steps[i].points_max);
    }
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

static bool parse_row(FILE *in, ladder_row *row) {
    int ungradable = 0, overridden = 0;
    ladder_points *points = &row->points;
    ladder_points_change *change = &points->change;
    double score = 0; // that of the points
    if (fscanf(in, "ladder.row/6 %95s %64s %d %la %la %la %d", row->id, row->hash, &ungradable,
               &score, &points->reached, &points->most, &row->step_count) != 7 ||
        row->step_count < 0 || row->step_count > LADDER_STEPS_MAX || fgetc(in) != '\n' ||
        fscanf(in, "%64s %d %d %la %la %la %d %la %la %la %la %" SCNx64, row->rubric,
               &change->late_days, &change->slip_days, &change->late_share, &change->late_points,
               &change->due_s, &overridden, &change->override, &change->given, &change->given_most,
               &change->unmarked, &change->given_hash) != 12 ||
        fgetc(in) != '\n' || !read_line(in, change->late_rule, sizeof change->late_rule) ||
        !read_line(in, row->title, sizeof row->title) ||
        !read_line(in, row->trace.kit, sizeof row->trace.kit) ||
        !read_line(in, row->trace.device, sizeof row->trace.device) ||
        !read_line(in, row->trace.sandbox, sizeof row->trace.sandbox) ||
        fscanf(in, "%" SCNu64, &row->trace.seed) != 1)
        return false;
    points->graded = ungradable == 0;
    change->overridden = overridden != 0;
    for (int i = 0; i < row->step_count; i++) {
        int outcome = 0;
        if (fscanf(in, "%d %d %la %la", &row->steps[i].step, &outcome, &row->steps[i].points,
                   &row->steps[i].points_max) != 4 ||
            outcome < 0 || outcome >= LADDER_OUTCOMES)
            return false;
        row->steps[i].outcome = (ladder_outcome)outcome;
    }
    return true;
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

// What became of a row's points, behind them.
static void put_final(const ladder_points *points, FILE *out) {
    const ladder_points_change *change = &points->change;
    if (points->graded)
        fprintf(out, ",%d,%.4f,", change->late_days, ladder_points_deduction(points));
    else fputs(",,,", out);
    if (change->overridden) fprintf(out, "%.4f", change->override);
    fputc(',', out);
    if (ladder_points_are_final(points)) fprintf(out, "%.4f", ladder_points_final(points));
    fputc(',', out);
    double score = ladder_points_final_score(points);
    if (score >= 0) fprintf(out, "%.4f", score);
    fputc(',', out);
    if (change->given_most > change->unmarked) fprintf(out, "%.4f", change->given);
    fputc(',', out);
    if (change->unmarked > 0) fprintf(out, "%.4f", change->unmarked);
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
        bool scored = points->graded;
        ladder_put_csv(out, row->title);
        fputc(',', out);
        ladder_put_csv(out, row->id);
        fprintf(out, ",\"%s\"", scored ? "scored" : "ungradable");
        if (scored)
            fprintf(out, ",%.4f,%.4f,%.4f", ladder_points_score(points), points->reached,
                    points->most);
        else fputs(",,,", out);
        put_final(points, out);
        for (int s = 0; head && s < head->step_count; s++) {
            if (row->done) {
                double step = ladder_outcome_points(row->steps[s].outcome, row->steps[s].points);
                fprintf(out, ",\"%s\",", ladder_outcome_word(row->steps[s].outcome));
                if (!isnan(step)) fprintf(out, "%.4f", step);
            } else {
                fputs(",,", out);
            }
        }
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
    const char *const texts[] = {s->title, s->id, member ? id : s->user, s->submitted};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        ladder_put_csv(out, texts[k]);
        fputc(',', out);
    }
    fprintf(out, "%s,", s->late ? "\"yes\"" : "");
    if (change->late_rule[0] != '\0') fprintf(out, "%d", change->late_days);
    const ladder_points *points = &row->points;
    fputc(',', out);
    if (points->graded) fprintf(out, "%.4f", ladder_points_score(points));
    fputc(',', out);
    if (ladder_points_are_final(points)) fprintf(out, "%.4f", ladder_points_final_score(points));
    fputc(',', out);
    ladder_put_csv(out, s->problem);
    fprintf(out, ",%s,", s->due_s > 0 ? ladder_time_iso(s->due_s, due) : "");
    ladder_put_csv(out, who->name);
    fputs("\r\n", out);
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
