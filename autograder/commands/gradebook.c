// ladder gradebook ACTION FILE ..: what an instructor does with a course's grades.
#include "commands/command.h"
#include "course/gradebook/gradebook.h"

typedef struct book_options {
    ladder_grade_exports exports;
    ladder_late_options late;
    const char *counts, *reason, *who, *csv, *json, *line, *text;
    int64_t attempts;
    bool withdraw, bonus, exported, no_window;
} book_options;

// One run of the command. words: what follows FILE, [count].
typedef struct book_run {
    ladder_book *book;
    book_options *o;
    const char *file;
    const char *const *words;
    int count;
    kl_style style;
} book_run;

static const ladder_usage usage = {
    "ladder gradebook ACTION FILE [LAB] [..] [options]",
    "Reads and changes the grades that `ladder grade --gradebook FILE` has entered.\n"
    "ACTION is show, roster, policy, override, criterion, mark, marks, due, alias,\n"
    "merge, drop, erase, history, export or backup. A mark is the attempt that counts,\n"
    "minus the late deduction, or an override; due gives one student another due date,\n"
    "alias another id or name, and merge makes two students one, the second. criterion\n"
    "adds something that a person marks to a lab; mark gives points for it, or a comment\n"
    "on a line; marks prints all of a lab as text to edit, and reads what was edited.\n"
    "drop takes a student who has left out of all tables and exports; erase takes one\n"
    "who was dropped out of the file. STUDENT is an id, a login or a name; SHEET is what\n"
    "Canvas or Moodle gives, or a CSV file with ID, Name and Login.\n"
    "Every change is kept with who made it: see history.",
    "  ladder gradebook roster FILE SHEET\n"
    "  ladder gradebook show FILE [LAB]\n"
    "  ladder gradebook policy FILE LAB --counts last --attempts 3\n"
    "  ladder gradebook override FILE LAB STUDENT POINTS --reason 'dispute 12'\n"
    "  ladder gradebook override FILE LAB STUDENT --withdraw --reason 'see mail'\n"
    "  ladder gradebook criterion FILE LAB quality 10 --text 'names, structure'\n"
    "  ladder gradebook mark FILE LAB STUDENT quality 8 --text 'good names'\n"
    "  ladder gradebook mark FILE LAB STUDENT --line 3_sequential.cu:31 --text 'why?'\n"
    "  ladder gradebook marks FILE LAB >marks.txt, then: marks FILE LAB marks.txt\n"
    "  ladder gradebook due FILE LAB STUDENT 2026-11-27T23:59 --reason 'ill'\n"
    "  ladder gradebook alias FILE STUDENT 'Annie Lee'\n"
    "  ladder gradebook merge FILE lee.zip STUDENT\n"
    "  ladder gradebook drop FILE STUDENT --reason 'left the course'\n"
    "  ladder gradebook erase FILE STUDENT --reason 'request 7'\n"
    "  ladder gradebook history FILE [STUDENT]\n"
    "  ladder gradebook export FILE LAB --export canvas --roster SHEET\n"
    "  ladder gradebook backup FILE COPY",
};

typedef struct table_job {
    ladder_book *book;
    const ladder_lab *lab;
    kl_status (*write)(ladder_book *book, const ladder_lab *lab, FILE *out, kl_error *err);
} table_job;

static kl_status write_table(void *context, FILE *out, kl_error *err) {
    const table_job *job = context;
    return job->write(job->book, job->lab, out, err);
}

static kl_status show(book_run *r, kl_error *err) {
    const ladder_lab *lab = NULL;
    bool files = r->o->csv || r->o->json;
    if (r->count == 0 && files)
        return kl_fail(err, KL_ERROR_USAGE, "--csv and --json are of one lab: show FILE LAB");
    if (r->count == 0) return ladder_book_show(r->book, &r->style, stdout, err);
    TRY(ladder_lab_require(r->words[0], &lab, err));
    if (r->o->csv)
        TRY(kl_file_put(r->o->csv, write_table, &(table_job){r->book, lab, ladder_book_csv}, err));
    if (r->o->json)
        TRY(kl_file_put(r->o->json, write_table, &(table_job){r->book, lab, ladder_book_json},
                        err));
    return files ? KL_OK : ladder_book_show_lab(r->book, lab, &r->style, stdout, err);
}

// The students of the book, and who is to be decided about.
static kl_status tell_people(book_run *r, kl_error *err) {
    ladder_people_counts n;
    TRY(ladder_book_people(r->book, stdout, &n, err));
    ladder_people_tell(&n, stdout);
    return KL_OK;
}

static kl_status roster(book_run *r, kl_error *err) {
    ladder_book_roster_counts n;
    TRY(ladder_book_begin(r->book, err));
    TRY(ladder_book_roster(r->book, r->words[0], &n, err));
    TRY(ladder_book_commit(r->book, err));
    printf("%zu student%s added, %zu changed, %zu as before\n", n.added, n.added == 1 ? "" : "s",
           n.changed, n.same);
    if (n.undecided > 0) {
        kl_print_text(stdout, &r->style, 2,
                      "not entered: %zu that fit several students of the gradebook, such as %s: "
                      "ladder gradebook merge makes them one, then read the sheet again",
                      n.undecided, n.first);
        r->o->exported = false;
    }
    return tell_people(r, err);
}

static kl_status policy(book_run *r, kl_error *err) {
    const ladder_lab *lab = NULL;
    ladder_book_policy policy;
    ladder_late_policy late;
    char text[LADDER_BOOK_POLICY];
    TRY(ladder_lab_require(r->words[0], &lab, err));
    TRY(ladder_late_policy_read(&r->o->late, lab, &late, err));
    TRY(ladder_book_policy_get(r->book, lab, &policy, err));
    TRY(ladder_graded_policy(r->o->counts, r->o->attempts, &policy, err));
    ladder_book_policy_take(&policy, &late);
    if (r->o->no_window) policy.late.opens_s = policy.late.closes_s = 0;
    TRY(ladder_book_begin(r->book, err));
    TRY(ladder_book_policy_set(r->book, lab, &policy, err));
    TRY(ladder_book_commit(r->book, err));
    kl_print_text(stdout, &r->style, 2, "%s: %s", lab->folder,
                  ladder_book_policy_text(&policy, text, sizeof text));
    return KL_OK;
}

// "45.00 of 98 points", "no mark".
static const char *mark_text(const ladder_book_line *mark, char *text, size_t text_bytes) {
    const ladder_points *points = &mark->row.points;
    if (ladder_points_are_final(points))
        snprintf(text, text_bytes, "%.2f of %g points", ladder_points_final(points), points->most);
    else snprintf(text, text_bytes, "no mark");
    return text;
}

static kl_status read_points(const char *text, double *out_points, kl_error *err) {
    kl_error why;
    if (ladder_number_take(text, KL_ERROR_USAGE, out_points, &why) == KL_OK) return KL_OK;
    return kl_fail(err, KL_ERROR_USAGE, "expected a number of points: %s", why.text);
}

static kl_status override(book_run *r, kl_error *err) {
    const ladder_lab *lab = NULL;
    double points = (double)NAN;
    TRY(ladder_lab_require(r->words[0], &lab, err));
    if (r->o->withdraw != (r->count == 2))
        return kl_fail(err, KL_ERROR_USAGE, "expected STUDENT POINTS, or STUDENT --withdraw");
    if (!r->o->withdraw) TRY(read_points(r->words[2], &points, err));
    ladder_book_line before, after;
    char was[48], is[48];
    TRY(ladder_book_mark(r->book, lab, r->words[1], &before, err));
    TRY(ladder_book_begin(r->book, err));
    TRY(ladder_book_override(r->book, lab, r->words[1], points, r->o->bonus, r->o->reason, err));
    TRY(ladder_book_commit(r->book, err));
    TRY(ladder_book_mark(r->book, lab, r->words[1], &after, err));
    printf("%s (%s), %s: %s, was %s\n%s\n", after.row.title, after.key, lab->folder,
           mark_text(&after, is, sizeof is), mark_text(&before, was, sizeof was),
           r->o->withdraw ? "the override is taken back"
                          : "entered; ladder gradebook history has it");
    return KL_OK;
}

static kl_status criterion(book_run *r, kl_error *err) {
    const ladder_lab *lab = NULL;
    double points = (double)NAN;
    TRY(ladder_lab_require(r->words[0], &lab, err));
    if (r->o->withdraw != (r->count == 2))
        return kl_fail(err, KL_ERROR_USAGE, "expected NAME POINTS, or NAME --withdraw");
    if (!r->o->withdraw) TRY(read_points(r->words[2], &points, err));
    TRY(ladder_book_begin(r->book, err));
    TRY(ladder_book_criterion(r->book, lab, r->words[1], points,
                              r->o->text ? r->o->text : r->words[1], err));
    TRY(ladder_book_commit(r->book, err));
    if (r->o->withdraw) printf("%s: %s is not marked any more\n", lab->folder, r->words[1]);
    else printf("%s: %s, %g points, marked by a person\n", lab->folder, r->words[1], points);
    return KL_OK;
}

// Points of a criterion, or a comment on a line; --withdraw takes either back.
static kl_status read_gift(const book_run *r, char file[LADDER_TITLE], ladder_book_gift *out,
                           kl_error *err) {
    const char *line = r->o->line, *colon = line ? strrchr(line, ':') : NULL;
    *out = (ladder_book_gift){.points = (double)NAN, .text = r->o->text ? r->o->text : ""};
    if (line) {
        uint64_t number = 0;
        if (!colon || !ladder_parse_uint(colon + 1, (1 << 24) - 1, &number) || number == 0 ||
            colon - line >= LADDER_TITLE)
            return kl_fail(err, KL_ERROR_USAGE, "expected FILE:LINE, not '%.60s'", line);
        snprintf(file, LADDER_TITLE, "%.*s", (int)(colon - line), line);
        out->file = file;
        out->line = (uint32_t)number;
        if (r->o->withdraw) out->text = "";
        if (r->count == 2 && r->o->withdraw == !r->o->text) return KL_OK;
        return kl_fail(err, KL_ERROR_USAGE,
                       "expected STUDENT --line FILE:LINE --text TEXT, or --withdraw for --text; "
                       "points are given without --line");
    }
    if (r->count != (r->o->withdraw ? 3 : 4))
        return kl_fail(err, KL_ERROR_USAGE,
                       "expected STUDENT CRITERION POINTS, or STUDENT CRITERION --withdraw");
    out->criterion = r->words[2];
    return r->o->withdraw ? KL_OK : read_points(r->words[3], &out->points, err);
}

static kl_status mark(book_run *r, kl_error *err) {
    const ladder_lab *lab = NULL;
    ladder_book_gift gift;
    ladder_book_line before, after;
    char file[LADDER_TITLE], was[48], is[48];
    bool is_new = false;
    TRY(ladder_lab_require(r->words[0], &lab, err));
    TRY(read_gift(r, file, &gift, err));
    TRY(ladder_book_mark(r->book, lab, r->words[1], &before, err));
    TRY(ladder_book_begin(r->book, err));
    TRY(ladder_book_give(r->book, lab, r->words[1], &gift, &is_new, err));
    TRY(ladder_book_commit(r->book, err));
    TRY(ladder_book_mark(r->book, lab, r->words[1], &after, err));
    printf("%s (%s), %s: %s, was %s\n%s\n", after.row.title, after.key, lab->folder,
           mark_text(&after, is, sizeof is), mark_text(&before, was, sizeof was),
           is_new ? "entered; ladder gradebook history has it" : "it is so already");
    return KL_OK;
}

static kl_status marks(book_run *r, kl_error *err) {
    const ladder_lab *lab = NULL;
    size_t count = 0;
    TRY(ladder_lab_require(r->words[0], &lab, err));
    if (r->count == 1) return ladder_book_sheet_write(r->book, lab, stdout, err);
    TRY(ladder_book_begin(r->book, err));
    TRY(ladder_book_sheet_read(r->book, lab, r->words[1], &count, err));
    TRY(ladder_book_commit(r->book, err));
    printf("%s: %zu entr%s new\n", lab->folder, count, count == 1 ? "y is" : "ies are");
    return KL_OK;
}

static kl_status due(book_run *r, kl_error *err) {
    const ladder_lab *lab = NULL;
    double due_s = (double)NAN;
    char text[32];
    TRY(ladder_lab_require(r->words[0], &lab, err));
    if (r->o->withdraw != (r->count == 2))
        return kl_fail(err, KL_ERROR_USAGE, "expected STUDENT TIME, or STUDENT --withdraw");
    if (!r->o->withdraw && !ladder_time_read(r->words[2], &due_s))
        return kl_fail(err, KL_ERROR_USAGE,
                       "expected a time such as 2026-11-20T23:59 or 2026-11-20T23:59+01:00, not "
                       "'%.40s'",
                       r->words[2]);
    TRY(ladder_book_begin(r->book, err));
    TRY(ladder_book_due(r->book, lab, r->words[1], due_s, r->o->reason, err));
    TRY(ladder_book_commit(r->book, err));
    ladder_book_line mark;
    TRY(ladder_book_mark(r->book, lab, r->words[1], &mark, err));
    printf("%s (%s), %s: ", mark.row.title, mark.key, lab->folder);
    if (r->o->withdraw) puts("the due date of the class counts again");
    else printf("due %s for this student\n", ladder_time_text(due_s, text));
    return KL_OK;
}

static kl_status history(book_run *r, kl_error *err) {
    return ladder_book_history(r->book, r->count > 0 ? r->words[0] : NULL, &r->style, stdout, err);
}

static kl_status backup(book_run *r, kl_error *err) {
    TRY(ladder_book_backup(r->book, r->words[0], err));
    printf("%s: a copy of %s\n", r->words[0], r->file);
    return KL_OK;
}

static kl_status export(book_run *r, kl_error *err) {
    const ladder_lab *lab = NULL;
    TRY(ladder_lab_require(r->words[0], &lab, err));
    if (r->o->exports.texts.count == 0 || r->o->exports.formats != 0)
        return kl_fail(err, KL_ERROR_USAGE,
                       "a gradebook is exported as a table: --export is one of %s",
                       ladder_export_tables());
    return ladder_graded_export(r->book, lab, &r->o->exports, ".", &r->o->exported, err);
}

static kl_status alias(book_run *r, kl_error *err) {
    TRY(ladder_book_begin(r->book, err));
    TRY(ladder_book_alias(r->book, r->words[0], r->words[1], err));
    TRY(ladder_book_commit(r->book, err));
    printf("%s is %s, too\n", r->words[0], r->words[1]);
    return tell_people(r, err);
}

static kl_status merge(book_run *r, kl_error *err) {
    TRY(ladder_book_begin(r->book, err));
    TRY(ladder_book_merge(r->book, r->words[0], r->words[1], err));
    TRY(ladder_book_commit(r->book, err));
    printf("%s and %s are one student\n", r->words[0], r->words[1]);
    return tell_people(r, err);
}

static kl_status drop(book_run *r, kl_error *err) {
    TRY(ladder_book_begin(r->book, err));
    TRY(ladder_book_drop(r->book, r->words[0], r->o->withdraw, r->o->reason, err));
    TRY(ladder_book_commit(r->book, err));
    printf("%s %s\n", r->words[0],
           r->o->withdraw ? "is in the course again"
                          : "is in no table and no export any more; what was entered is kept");
    return tell_people(r, err);
}

static kl_status erase(book_run *r, kl_error *err) {
    ladder_book_erased n;
    TRY(ladder_book_erase(r->book, r->words[0], r->o->reason, &n, err));
    kl_print_text(stdout, &r->style, 2,
                  "erased: a student, %lld attempt%s, %lld grade%s, %lld line%s of the history, "
                  "which notes who erased somebody, when and why, not whom",
                  (long long)n.attempts, n.attempts == 1 ? "" : "s", (long long)n.grades,
                  n.grades == 1 ? "" : "s", (long long)n.lines, n.lines == 1 ? "" : "s");
    kl_print_wrapped(
        stdout, &r->style, 2,
        "not erased, as it is in other files: hand-ins, pages and tables in folders of "
        "results, copies of the gradebook, what the course system has; and what a "
        "comment or a reason about somebody else says");
    return KL_OK;
}

typedef struct book_action {
    const char *name;
    int least, most; // words behind FILE
    bool creates;    // a book that is not there
    kl_status (*run)(book_run *run, kl_error *err);
} book_action;

static const book_action actions[] = {
    {"show", 0, 1, false, show},
    {"roster", 1, 1, true, roster},
    {"policy", 1, 1, false, policy},
    {"override", 2, 3, false, override},
    {"due", 2, 3, false, due},
    {"history", 0, 1, false, history},
    {"export", 1, 1, false, export},
    {"backup", 1, 1, false, backup},
    {"alias", 2, 2, false, alias},
    {"merge", 2, 2, false, merge},
    {"drop", 1, 1, false, drop},
    {"erase", 1, 1, false, erase},
    {"mark", 2, 4, false, mark},
    {"marks", 1, 2, false, marks},
    {"criterion", 2, 3, true, criterion},
};

static const book_action *find_action(const char *name) {
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (strcmp(actions[i].name, name) == 0) return &actions[i];
    return NULL;
}

static kl_status run_action(const book_action *action, book_run *run, kl_error *err) {
    const ladder_book_access access = {.create = action->creates, .who = run->o->who};
    TRY(ladder_grade_exports_read(&run->o->exports, true, err));
    TRY(ladder_book_open(run->file, &access, &run->book, err));
    kl_status status = action->run(run, err);
    ladder_book_close(run->book);
    return status;
}

int ladder_cmd_gradebook(int argc, char **argv) {
    book_options o = {.attempts = -1, .exported = true};
    const ladder_option options[] = {
        OPT_TEXT("--reason", &o.reason, "TEXT", "of an override, a due date, a drop; it is kept"),
        OPT_FLAG("--withdraw", &o.withdraw,
                 "take it back: an override, a due date, a mark, a drop"),
        OPT_TEXT("--text", &o.text, "TEXT", "what a criterion asks for; a comment"),
        OPT_TEXT("--line", &o.line, "FILE:LINE", "of a step's file, that --text is about"),
        OPT_FLAG("--bonus", &o.bonus, "an override above the lab's points is meant"),
        OPT_TEXT("--who", &o.who, "NAME", "who changes it (default: your user name)"),
        OPT_CHOICE("--counts", &o.counts, NULL, "which attempt counts", LADDER_COUNTS_CHOICES),
        OPT_SIZE("--attempts", &o.attempts, "N", "only the first N count; 0: all"),
        OPT_TEXT("--due", &o.late.due, "TIME", "later is late: 2026-11-20T23:59[+01:00]"),
        OPT_TEXT("--late", &o.late.late, "POLICY", "'10% per day, at most 50%, grace 15 min'"),
        OPT_PAIR("--window", o.late.window, "FROM TO", "of an exam, as ladder grade has it"),
        OPT_FLAG("--no-window", &o.no_window, "the lab is an exam no more"),
        OPT_TEXT("--course", &o.late.course, "FILE",
                 "with lines late POLICY, due LAB TIME, window LAB FROM TO"),
        OPT_TEXT("--csv", &o.csv, "FILE", "marks of a lab (- is standard output)"),
        OPT_TEXT("--json", &o.json, "FILE", "the same as JSON"),
        OPT_TEXTS("--export", &o.exports.texts, "FORMAT[=FILE]", ladder_export_tables()),
        OPT_TEXT("--roster", &o.exports.roster, "FILE",
                 "the sheet downloaded from Canvas or Moodle"),
        OPT_TEXT("--assignment", &o.exports.assignment, "TITLE",
                 "Canvas's column (default: the lab's name)"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    const book_action *action = arguments.count > 0 ? find_action(arguments.positional[0]) : NULL;
    if (!action)
        return ladder_command_misused(
            argv[0],
            "expected show, roster, policy, override, criterion, mark, marks, due, alias, merge, "
            "history, export or backup");
    int words = arguments.count - 2;
    if (words < action->least || words > action->most)
        return ladder_command_misused(argv[0], "%s: a word is missing or too many", action->name);
    book_run run = {.o = &o,
                    .file = arguments.positional[1],
                    .words = &arguments.positional[2],
                    .count = words,
                    .style = kl_style_for(stdout)};
    kl_error err = {KL_OK, ""};
    if (run_action(action, &run, &err) != KL_OK) return ladder_command_fail(argv[0], &err);
    return o.exported ? LADDER_EXIT_OK : LADDER_EXIT_FAILED;
}
