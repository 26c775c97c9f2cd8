// A class run and its book: see gradebook.h.
#include "course/gradebook/gradebook.h"

kl_status ladder_graded_policy(const char *counts, int64_t attempts, ladder_book_policy *policy,
                               kl_error *err) {
    enum { ATTEMPTS_MAX = 1000000 };
    if (attempts > ATTEMPTS_MAX)
        return kl_fail(err, KL_ERROR_USAGE, "--attempts is at most %d; 0: all", ATTEMPTS_MAX);
    if (attempts >= 0) policy->attempts = (int)attempts;
    if (!counts) return KL_OK;
    policy->counts = strcmp(counts, "last") == 0    ? LADDER_COUNTS_LAST
                     : strcmp(counts, "first") == 0 ? LADDER_COUNTS_FIRST
                                                    : LADDER_COUNTS_BEST;
    return KL_OK;
}

static kl_status open_book(const ladder_graded_options *o, ladder_book **out_book, kl_error *err) {
    const ladder_book_access access = {.create = !o->regrade, .who = o->who};
    return ladder_book_open(o->file, &access, out_book, err);
}

void ladder_book_policy_take(ladder_book_policy *policy, const ladder_late_policy *said) {
    const ladder_late_policy *window = said->closes_s > 0 ? said : &policy->late;
    double opens_s = window->opens_s, closes_s = window->closes_s;
    if (said->given) policy->late = *said;
    policy->late.opens_s = opens_s;
    policy->late.closes_s = closes_s;
}

static kl_status take_policy(ladder_book *book, const ladder_graded_options *o,
                             const ladder_lab *lab, ladder_late_policy *late, bool *out_quick,
                             kl_error *err) {
    ladder_book_policy policy;
    TRY(ladder_book_policy_get(book, lab, &policy, err));
    TRY(ladder_graded_policy(o->counts, o->attempts, &policy, err));
    ladder_book_policy_take(&policy, late);
    *late = policy.late;
    *out_quick = o->quick || (o->regrade && policy.quick);
    if (o->regrade) return KL_OK; // it changes nothing before --apply
    policy.quick = o->quick;
    TRY(ladder_book_begin(book, err));
    TRY(ladder_book_policy_set(book, lab, &policy, err));
    return ladder_book_commit(book, err);
}

kl_status ladder_graded_before(const ladder_graded_options *options, const ladder_lab *lab,
                               ladder_submission *list, size_t count, ladder_late_policy *late,
                               ladder_points_change *changes, ladder_given *given, bool *out_quick,
                               kl_error *err) {
    ladder_book *book = NULL;
    *out_quick = options->quick;
    if (!options->file) return KL_OK;
    TRY(open_book(options, &book, err));
    kl_status status = take_policy(book, options, lab, late, out_quick, err);
    if (status == KL_OK) status = ladder_book_names(book, list, count, err);
    if (status == KL_OK) status = ladder_book_dues(book, lab, list, count, err);
    if (status == KL_OK) status = ladder_book_slip_days(book, lab, late, list, count, changes, err);
    if (status == KL_OK) status = ladder_book_overrides(book, lab, list, count, changes, err);
    if (status == KL_OK) status = ladder_book_given(book, lab, list, count, given, err);
    for (size_t i = 0; i < count && status == KL_OK; i++) ladder_given_sum(&given[i], &changes[i]);
    ladder_book_close(book);
    return status;
}

kl_status ladder_graded_slip_days(const ladder_graded_options *options, const ladder_lab *lab,
                                  const ladder_late_policy *late, const ladder_submission *list,
                                  size_t count, ladder_points_change *changes, kl_error *err) {
    ladder_book *book = NULL;
    TRY(open_book(options, &book, err));
    kl_status status = ladder_book_slip_days(book, lab, late, list, count, changes, err);
    ladder_book_close(book);
    return status;
}

static void tell_recorded(const ladder_graded_options *o, const ladder_book_recorded *n,
                          const kl_style *style, FILE *out) {
    fprintf(out, "gradebook %s: %zu new attempt%s, %zu already there", o->file, n->added,
            n->added == 1 ? "" : "s", n->known);
    if (n->replaced > 0) fprintf(out, ", %zu graded at last", n->replaced);
    if (n->skipped > 0) fprintf(out, ", %zu without a result left out", n->skipped);
    fputc('\n', out);
    if (n->ungraded > 0)
        fprintf(out, "%zu hand-in%s could not be graded: no attempt, and no slip day is taken\n",
                n->ungraded, n->ungraded == 1 ? "" : "s");
    if (!n->roster) {
        kl_print_text(out, style, 2,
                      "%zu student%s, called as their hand-ins are: the gradebook has no "
                      "roster%s. This enters one:",
                      n->people.students, n->people.students == 1 ? "" : "s",
                      o->roster ? ", as --roster is of the export alone" : "");
        fprintf(out, "  ./ladder gradebook roster %s %s\n", o->file,
                o->roster ? o->roster : "SHEET");
    }
    if (n->other_rubric > 0)
        fprintf(out,
                "%zu attempt%s graded by another rubric before and keep%s that grade: ladder "
                "regrade shows which marks would change\n",
                n->other_rubric, n->other_rubric == 1 ? " was" : "s were",
                n->other_rubric == 1 ? "s" : "");
    if (n->roster && n->people.matched < n->people.students)
        kl_print_wrapped(out, style, 2,
                         "to decide: ladder gradebook alias gives a student another name, merge "
                         "makes two students one");
    if (n->roster) ladder_people_tell(&n->people, out);
}

// The marks of other labs, which a hand-in for this one changes where slip days are spent best.
// out: [ladder_lab_count], NULL where a lab has no such policy; counts likewise.
static kl_status read_others(ladder_book *book, const ladder_lab *lab, ladder_book_line **out,
                             size_t *out_counts, kl_error *err) {
    for (int l = 0; l < ladder_lab_count; l++) {
        ladder_book_policy policy;
        if (&ladder_labs[l] == lab) continue;
        TRY(ladder_book_policy_get(book, &ladder_labs[l], &policy, err));
        if (policy.late.given && policy.late.slip_days > 0 && policy.late.slip_best)
            TRY(ladder_book_marks(book, &ladder_labs[l], &out[l], &out_counts[l], err));
    }
    return KL_OK;
}

// Says which labs have marks that their pages do not have yet.
static void tell_others(const ladder_graded_options *o, ladder_book_line *const *before,
                        const size_t *before_counts, ladder_book_line *const *after,
                        const size_t *after_counts, const kl_style *style, FILE *out) {
    for (int l = 0; l < ladder_lab_count; l++) {
        size_t moves = 0;
        char text[480];
        for (size_t i = 0; i < before_counts[l]; i++)
            for (size_t k = 0; k < after_counts[l]; k++)
                if (strcmp(before[l][i].key, after[l][k].key) == 0)
                    moves += ladder_points_are_final(&after[l][k].row.points) &&
                             ladder_points_final(&before[l][i].row.points) !=
                                 ladder_points_final(&after[l][k].row.points);
        if (moves == 0) continue;
        snprintf(
            text, sizeof text,
            "slip days are spent where they save most: %zu mark%s of %s changed with this "
            "run. The gradebook has %s; pages have %s after ladder grade %s --gradebook %.200s "
            "--resume, with the submissions and the output of that lab",
            moves, moves == 1 ? "" : "s", ladder_labs[l].folder, moves == 1 ? "it" : "them",
            moves == 1 ? "it" : "them", ladder_labs[l].problem->name, o->file);
        kl_print_wrapped(out, style, 0, text);
    }
}

// Whose mark is that of an earlier attempt than the newest, which pages show.
static kl_status tell_earlier(ladder_book *book, const ladder_lab *lab, const kl_style *style,
                              FILE *out, kl_error *err) {
    enum { TOLD = 20 };
    ladder_book_line *marks = NULL;
    size_t count = 0, told = 0;
    TRY(ladder_book_marks(book, lab, &marks, &count, err));
    for (size_t i = 0; i < count; i++) {
        if (marks[i].attempt == marks[i].attempts || told++ >= TOLD) continue;
        kl_print_text(out, style, 2,
                      "the mark of %.120s (%.60s) is that of attempt %d of %d, %.2f points: the "
                      "page of a later one shows others",
                      marks[i].row.title, marks[i].key, marks[i].attempt, marks[i].attempts,
                      ladder_points_final(&marks[i].row.points));
    }
    if (told > TOLD) fprintf(out, "and %zu more: ladder gradebook show lists them\n", told - TOLD);
    free(marks);
    return KL_OK;
}

static kl_status enter(ladder_book *book, const ladder_graded_options *o,
                       const ladder_grade_results *g, const kl_style *style, FILE *out,
                       kl_error *err) {
    enum { LABS = 64 }; // of others more than these are not told
    ladder_book_recorded n;
    ladder_book_line *before[LABS] = {NULL}, *after[LABS] = {NULL};
    size_t before_counts[LABS] = {0}, after_counts[LABS] = {0};
    bool few = ladder_lab_count <= LABS;
    kl_status status = few ? read_others(book, g->lab, before, before_counts, err) : KL_OK;
    if (status == KL_OK) status = ladder_book_begin(book, err);
    if (status == KL_OK)
        status = ladder_book_record(book, g->lab, g->submissions, g->rows, g->count, false, out, &n,
                                    err);
    if (status == KL_OK) status = ladder_book_commit(book, err);
    if (status == KL_OK) tell_recorded(o, &n, style, out);
    if (status == KL_OK) status = tell_earlier(book, g->lab, style, out, err);
    if (status == KL_OK && few) status = read_others(book, g->lab, after, after_counts, err);
    if (status == KL_OK && few)
        tell_others(o, before, before_counts, after, after_counts, style, out);
    for (int l = 0; l < LABS; l++) {
        free(before[l]);
        free(after[l]);
    }
    return status;
}

// "45.00 of 50", in exactly 16 columns.
static void put_points(FILE *out, const ladder_points *points) {
    char text[48] = "none";
    if (ladder_points_are_final(points))
        snprintf(text, sizeof text, "%.2f of %g", ladder_points_final(points), points->most);
    fprintf(out, "%16s", text);
}

// Whose marks change, old and new; both lists are of the same students. Returns how many.
static size_t put_moves(const ladder_book_line *before, const ladder_book_line *after, size_t count,
                        const kl_style *style, FILE *out) {
    size_t moves = 0;
    for (size_t i = 0; i < count; i++) {
        const ladder_points *was = &before[i].row.points, *is = &after[i].row.points;
        bool graded_moves = was->reached != is->reached || was->most != is->most;
        bool had = ladder_points_are_final(was), has = ladder_points_are_final(is);
        bool moves_here =
            had != has ||
            (has && (ladder_points_final(was) != ladder_points_final(is) || graded_moves));
        if (!moves_here) continue;
        if (moves++ == 0)
            fprintf(out, "changed marks, in final points:\n%16s  %16s  student\n", "before",
                    "after");
        put_points(out, was);
        fputs("  ", out);
        put_points(out, is);
        fputs("  ", out);
        ladder_put_title(out, after[i].row.title, "", style->width > 100 ? 60 : 28);
        fprintf(out, "  %s", after[i].key);
        if (is->change.overridden) fputs("  (override stays)", out);
        fputc('\n', out);
    }
    return moves;
}

static kl_status compare(ladder_book *book, const ladder_graded_options *o,
                         const ladder_grade_results *g, const kl_style *style, FILE *out,
                         kl_error *err) {
    ladder_book_recorded n;
    ladder_book_line *before = NULL, *after = NULL;
    size_t count = 0;
    TRY(ladder_book_begin(book, err)); // what is not committed is undone
    TRY(ladder_book_marks(book, g->lab, &before, &count, err));
    kl_status status =
        ladder_book_record(book, g->lab, g->submissions, g->rows, g->count, true, out, &n, err);
    if (status == KL_OK) status = ladder_book_marks(book, g->lab, &after, &count, err);
    if (status == KL_OK && o->apply) status = ladder_book_commit(book, err);
    if (status == KL_OK) {
        size_t moves = put_moves(before, after, count, style, out);
        fprintf(out, "%zu of %zu marks change; %zu grade%s new, %zu as before\n", moves, count,
                n.replaced, n.replaced == 1 ? " is" : "s are", n.known);
        if (n.other_rubric > 0)
            fprintf(out, "%zu could not be graded again and keep what they have\n", n.other_rubric);
        if (n.skipped > 0)
            fprintf(out, "%zu submission%s not in the gradebook: ./ladder grade enters them\n",
                    n.skipped, n.skipped == 1 ? " is" : "s are");
        fprintf(out,
                o->apply ? "entered into %s\n"
                         : "%s was not changed: --apply enters the new grades\n",
                o->file);
    }
    free(before);
    free(after);
    return status;
}

kl_status ladder_graded_after(const ladder_graded_options *options,
                              const ladder_grade_results *graded, const kl_style *style, FILE *out,
                              kl_error *err) {
    ladder_book *book = NULL;
    if (!options->file) return KL_OK;
    TRY(open_book(options, &book, err));
    kl_status status = options->regrade ? compare(book, options, graded, style, out, err)
                                        : enter(book, options, graded, style, out, err);
    ladder_book_close(book);
    return status;
}

kl_status ladder_graded_export(ladder_book *book, const ladder_lab *lab,
                               const ladder_grade_exports *exports, const char *output,
                               bool *out_exported, kl_error *err) {
    ladder_book_line *marks = NULL;
    size_t count = 0, used = 0;
    TRY(ladder_book_marks(book, lab, &marks, &count, err));
    ladder_submission *list = calloc(count + 1, sizeof *list); // of which only people are asked for
    ladder_row *rows = calloc(count + 1, sizeof *rows);
    kl_status status =
        list && rows ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for the marks");
    for (size_t i = 0; i < count && status == KL_OK; i++) {
        char ids[sizeof marks[i].person.ids];
        if (!marks[i].row.done && !marks[i].row.points.change.overridden) continue;
        snprintf(ids, sizeof ids, "%s", marks[i].person.ids);
        for (char *c = ids; *c != '\0'; c++)
            if (*c == '\n') *c = c[1] != '\0' ? '\t' : '\0';
        snprintf(list[used].title, sizeof list[used].title, "%s", marks[i].row.title);
        ladder_submission_member(&list[used], marks[i].row.title, ids);
        rows[used++] = marks[i].row;
    }
    const ladder_grade_results results = {lab, output, list, rows, used, true};
    if (status == KL_OK) status = ladder_grade_exports_tables(exports, &results, out_exported, err);
    free(rows);
    free(list);
    free(marks);
    return status;
}

kl_status ladder_graded_export_file(const ladder_graded_options *options, const ladder_lab *lab,
                                    const ladder_grade_exports *exports, const char *output,
                                    bool *out_exported, kl_error *err) {
    ladder_book *book = NULL;
    TRY(open_book(options, &book, err));
    kl_status status = ladder_graded_export(book, lab, exports, output, out_exported, err);
    ladder_book_close(book);
    return status;
}
