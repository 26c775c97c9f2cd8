// ladder report: pages of a class that has been graded, from the results that ladder grade keeps.
#include "commands/command.h"
#include "course/people/people.h"
#include "course/pages/pages.h"
#include "grade/submission/submission.h"
#include <dirent.h>
#include <strings.h>

typedef struct report_options {
    const char *output, *pseudonyms, *solution, *json;
} report_options;

static const ladder_usage usage = {
    "ladder report RESULTS [options]",
    "Makes pages of what ladder grade has left in the folder RESULTS: one of each\n"
    "submission beside the class, and class.html with the distribution by step, common\n"
    "mistakes, pairs that are alike, and what could not be graded. The class is shown by\n"
    "quartiles, which name nobody. With --pseudonyms the pages may be passed on: names,\n"
    "addresses, paths, comments and printed text are taken out, and students have other\n"
    "names, the same in every lab, which nobody can trace back without KEYFILE (it is\n"
    "made when it is not there).",
    "  ladder report results\n"
    "  ladder report results --pseudonyms ~/course.key --output shared\n"
    "  ladder report results --json class.json",
};

enum { ALIKE_PERCENT = 60 }; // from which a pair is listed

typedef struct reporting {
    const report_options *options;
    ladder_kit kit;
    const char *results;
    char output[LADDER_PATH], device[320];
    const ladder_lab *lab; // of all results
    ladder_row_key key;
    ladder_known_names names;
    ladder_member *members;
    ladder_prints *prints;
    ladder_clues *clues;
    ladder_class_names people; // who may be named in what another one handed in
    size_t count, lost;        // lost: results that cannot be read, or names that two have
    bool compared;
    ladder_graded solution; // result NULL: not known
    ladder_distribution distribution;
    ladder_lock lock; // of output
} reporting;

// ---- One submission ----

// to: the folder of its page; NULL: it is shared, or not written.
static kl_status open_one(const reporting *r, const char *id, const char *to,
                          ladder_graded *out_graded, ladder_kept_files *out_files, kl_error *err) {
    char path[LADDER_PATH];
    TRY(ladder_class_path(r->results, id, "result.json", path, err));
    TRY(ladder_graded_read(path, out_graded, err));
    kl_status status = ladder_class_path(r->results, id, LADDER_CLASS_FILES, path, err);
    if (status == KL_OK && r->lab && r->lab != out_graded->lab)
        status = kl_fail(err, KL_ERROR_INPUT, "%s holds results of two labs, %s and %s", r->results,
                         r->lab->folder, out_graded->lab->folder);
    if (status == KL_OK)
        ladder_kept_files_read(path, r->kit.source, out_graded->lab, to, out_files);
    else ladder_graded_free(out_graded);
    return status;
}

static void name_member(const reporting *r, const ladder_result *result, ladder_member *member) {
    if (r->options->pseudonyms) {
        char pseudonym[LADDER_PSEUDONYM];
        ladder_pseudonym_of(&r->key, result->user, result->title, pseudonym);
        snprintf(member->shown, sizeof member->shown, "%s", pseudonym);
    } else {
        snprintf(member->shown, sizeof member->shown, "%s", result->title);
    }
    snprintf(member->page, sizeof member->page, "%.95s.html",
             r->options->pseudonyms ? member->shown : member->id);
}

// The skeleton's file of a step; of a handout, which has no solutions, the one that lies there.
// Caller frees; NULL: there is none.
static char *read_kit_file(const reporting *r, const ladder_rubric_step *step, bool solution) {
    char path[LADDER_PATH], *text = NULL, *made = NULL;
    const char *file = step->file, *top = step->given ? "labs" : "solutions";
    if (ladder_path(path, NULL, "%s/%s/%s/steps/%s", r->kit.source, top, r->lab->folder, file) ==
        KL_OK)
        ladder_file_read(AT_FDCWD, path, LADDER_SOURCE_MAX, &text, NULL, NULL);
    if (solution) return text;
    if (text) {
        ladder_skeleton_make(file, text, &made, NULL);
        free(text);
    } else if (ladder_path(path, NULL, "%s/labs/%s/steps/%s", r->kit.source, r->lab->folder,
                           file) == KL_OK) {
        ladder_file_read(AT_FDCWD, path, LADDER_SOURCE_MAX, &made, NULL, NULL);
    }
    return made;
}

// What the skeleton, or the solution, gives.
static kl_status prints_of_kit(const reporting *r, bool solution, const ladder_prints *without,
                               ladder_prints *out_prints, ladder_clues *clues, kl_error *err) {
    char *texts[LADDER_STEPS_MAX] = {NULL};
    int count = r->lab->rubric->step_count;
    for (int i = 0; i < count; i++)
        texts[i] = read_kit_file(r, &r->lab->rubric->steps[i], solution);
    kl_status status =
        ladder_prints_make((const char *const *)texts, count, without, out_prints, clues, err);
    for (int i = 0; i < count; i++) free(texts[i]);
    return status;
}

// ---- All of them ----

static int keep_ids(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static kl_status add_names(reporting *r, const ladder_result *result, kl_error *err) {
    TRY(ladder_known_names_add(&r->names, result->title, err));
    TRY(ladder_known_names_add(&r->names, result->id, err));
    TRY(ladder_known_names_add(&r->names, result->members, err));
    return ladder_known_names_add(&r->names, result->user, err);
}

// The first reading: which names there are, and what the class is like. A result that cannot be
// read is told, and the others go on.
static kl_status take_one(reporting *r, const char *id, kl_error *err) {
    ladder_graded graded;
    ladder_kept_files files;
    kl_error why = {KL_OK, ""};
    if (open_one(r, id, NULL, &graded, &files, &why) != KL_OK) {
        fprintf(stderr, "ladder report: left out: %s\n", why.text);
        r->lost++;
        return KL_OK;
    }
    r->lab = graded.lab;
    snprintf(r->device, sizeof r->device, "%s", graded.device);
    ladder_member *member = &r->members[r->count];
    ladder_member_from(graded.lab, graded.result, member);
    snprintf(member->id, sizeof member->id, "%.95s", id); // that of its folder
    snprintf(member->card, sizeof member->card, "%.319s", graded.device);
    name_member(r, graded.result, member);
    if (r->options->pseudonyms && member->nickname[0] != '\0') // a chosen one may say who it is
        snprintf(member->nickname, sizeof member->nickname, "%.24s", member->shown);
    for (int i = 0; i < LADDER_STEPS_MAX; i++) r->compared |= files.sources[i] != NULL;
    kl_status status = add_names(r, graded.result, err);
    ladder_kept_files_free(&files);
    ladder_graded_free(&graded);
    if (status == KL_OK) r->count++;
    return status;
}

static kl_status take_all(reporting *r, kl_error *err) {
    char folder[LADDER_PATH];
    struct dirent **entries = NULL;
    TRY(ladder_path(folder, err, "%s/submissions", r->results));
    int count = scandir(folder, &entries, keep_ids, alphasort);
    if (count < 0)
        return kl_fail(err, KL_ERROR_INPUT, "%s: %s; expected the folder that ladder grade wrote",
                       folder, strerror(errno));
    r->members = calloc((size_t)count + 1, sizeof *r->members);
    r->prints = calloc((size_t)count + 1, sizeof *r->prints);
    r->clues = calloc((size_t)count + 1, sizeof *r->clues);
    kl_status status = r->members && r->prints && r->clues
                           ? KL_OK
                           : kl_fail(err, KL_ERROR_MEMORY, "no memory for a class");
    for (int i = 0; i < count; i++) {
        if (status == KL_OK) status = take_one(r, entries[i]->d_name, err);
        free(entries[i]);
    }
    free(entries);
    if (status == KL_OK && r->count == 0)
        status = kl_fail(err, KL_ERROR_INPUT, "there are no results in %s", folder);
    bool shared = r->options->pseudonyms;
    for (size_t m = 0; m < r->count && shared; m++)
        ladder_hide_in_message(&r->names, r->members[m].why);
    return status;
}

// The order of the list: with pseudonyms one that tells nothing.
static int by_shown(const void *a, const void *b) {
    const ladder_member *x = a, *y = b;
    int order = strcmp(x->shown, y->shown);
    return order != 0 ? order : strcmp(x->id, y->id);
}

// Two of one name are told apart by their folders, "leeann_1059" as the course system's "1059".
static void name_twins(reporting *r) {
    bool before = false;
    for (size_t m = 0; m < r->count && !r->options->pseudonyms; m++) {
        ladder_member *one = &r->members[m];
        bool next = m + 1 < r->count && strcmp(one->shown, one[1].shown) == 0;
        size_t used = strlen(one->shown);
        const char *number = strrchr(one->id, '_');
        if (before || next)
            snprintf(one->shown + used, sizeof one->shown - used, " (%.95s)",
                     number ? number + 1 : one->id);
        before = next;
    }
}

static bool take_people(reporting *r) {
    bool enough = true;
    for (size_t m = 0; m < r->count && enough; m++)
        enough = ladder_names_add(&r->people, r->members[m].people, m);
    ladder_names_sort(&r->people);
    for (int i = 0; i < r->lab->rubric->step_count && enough; i++) {
        char *text = read_kit_file(r, &r->lab->rubric->steps[i], true);
        enough = !text || ladder_names_look(&r->people, text, LADDER_NAMES_KIT, false);
        free(text);
    }
    return enough;
}

// Who else of the class is named in what a submission has: a clue of both.
static bool put_people(reporting *r) {
    const char **ids = calloc(r->count + 1, sizeof *ids);
    for (size_t m = 0; m < r->count && ids; m++) ids[m] = r->members[m].id;
    bool enough = ids && ladder_names_clues(&r->people, ids, r->clues);
    free(ids);
    return enough;
}

static kl_status compare_one(reporting *r, size_t m, const ladder_prints *skeleton,
                             const ladder_prints *solution, kl_error *err) {
    ladder_graded graded;
    ladder_kept_files files;
    TRY(open_one(r, r->members[m].id, NULL, &graded, &files, err));
    kl_status status =
        ladder_prints_make((const char *const *)files.sources, r->lab->rubric->step_count, skeleton,
                           &r->prints[m], &r->clues[m], err);
    if (status == KL_OK && solution->count > 0)
        r->members[m].solution = ladder_prints_alike(&r->prints[m], solution);
    if (status == KL_OK) ladder_prints_drop(&r->prints[m], solution);
    bool enough = true;
    for (int i = 0; i < r->lab->rubric->step_count && enough; i++)
        if (files.sources[i]) enough = ladder_names_look(&r->people, files.sources[i], m, true);
    for (int i = 0; i < graded.result->note_count && enough; i++)
        enough = ladder_names_look(&r->people, graded.result->notes[i], m, false);
    if (!enough && status == KL_OK) status = kl_fail(err, KL_ERROR_MEMORY, "no memory for clues");
    ladder_kept_files_free(&files);
    ladder_graded_free(&graded);
    return status;
}

static kl_status compare_all(reporting *r, kl_error *err) {
    ladder_prints skeleton = {NULL, NULL, 0}, solution = {NULL, NULL, 0};
    ladder_clues kit = {NULL, 0};
    if (!take_people(r)) return kl_fail(err, KL_ERROR_MEMORY, "no memory for names");
    TRY(prints_of_kit(r, false, NULL, &skeleton, &kit, err));
    kl_status status = prints_of_kit(r, true, &skeleton, &solution, &kit, err);
    ladder_clues_sort(&kit, NULL);
    for (size_t m = 0; m < r->count && status == KL_OK; m++)
        status = compare_one(r, m, &skeleton, &solution, err);
    if (status == KL_OK && !put_people(r))
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for clues");
    for (size_t m = 0; m < r->count; m++) ladder_clues_sort(&r->clues[m], &kit);
    ladder_clues_keep_shared(r->clues, r->count);
    ladder_clues_free(&kit);
    ladder_prints_free(&skeleton);
    ladder_prints_free(&solution);
    return status;
}

// The kit's own result, for the ladder beside it: --solution, or what ladder grade --solution left.
static kl_status take_solution(reporting *r, kl_error *err) {
    char path[LADDER_PATH];
    bool asked = r->options->solution;
    TRY(ladder_path(path, err, asked ? "%s" : "%s/results/%s/submissions/solution/result.json",
                    asked ? r->options->solution : r->kit.build, r->lab->folder));
    if (!asked && !ladder_file_exists(path)) return KL_OK;
    kl_error why = {KL_OK, ""};
    kl_status status = ladder_graded_read(path, &r->solution, &why);
    if (status == KL_OK && r->solution.lab == r->lab) return KL_OK;
    if (status == KL_OK) {
        ladder_graded_free(&r->solution);
        status = kl_fail(&why, KL_ERROR_INPUT, "%s is of another lab", path);
    }
    return asked ? kl_fail(err, status, "%s", why.text) : KL_OK; // an older kit's, say
}

// ---- Pages ----

static kl_status write_student(void *context, FILE *out, kl_error *err) {
    (void)err; // kl_file_put notices what could not be written
    ladder_report_html(context, out);
    return KL_OK;
}

static kl_status put_student(const reporting *r, const ladder_member *member, kl_error *err) {
    ladder_graded graded;
    ladder_kept_files files;
    char path[LADDER_PATH];
    bool shared = r->options->pseudonyms;
    TRY(ladder_path(path, err, "%s/%s", r->output, member->page));
    char *slash = strrchr(path, '/');
    if (slash) *slash = '\0';
    TRY(open_one(r, member->id, shared ? NULL : path, &graded, &files, err));
    if (shared) ladder_hide_student(&r->names, member->shown, graded.result, &files);
    ladder_report report = ladder_graded_report(&graded);
    report.beside = ladder_kept_files_beside(&files);
    report.beside.class = &r->distribution;
    report.beside.shared = shared;
    kl_status status = ladder_path(path, err, "%s/%s", r->output, member->page);
    if (status == KL_OK) status = kl_file_put(path, write_student, &report, err);
    ladder_kept_files_free(&files);
    ladder_graded_free(&graded);
    return status;
}

static kl_status write_class(void *context, FILE *out, kl_error *err) {
    return ladder_class_write(context, out, NULL, err);
}

static kl_status write_class_json(void *context, FILE *out, kl_error *err) {
    return ladder_class_write(context, NULL, out, err);
}

static kl_status write_predictions(void *context, FILE *out, kl_error *err) {
    (void)err;
    ladder_class_predictions_csv(context, out);
    return KL_OK;
}

static kl_status write_pair(void *context, FILE *out, kl_error *err) {
    (void)err;
    ladder_pair_html(context, out);
    return KL_OK;
}

// Both submissions' files side by side.
static kl_status put_pair(const reporting *r, const ladder_pair *pair, int index, kl_error *err) {
    const ladder_member *who[2] = {&r->members[pair->a], &r->members[pair->b]};
    ladder_graded graded[2];
    ladder_kept_files files[2];
    char path[LADDER_PATH], file[32];
    kl_status status = KL_OK;
    int opened = 0;
    for (; opened < 2 && status == KL_OK; opened += status == KL_OK) {
        status = open_one(r, who[opened]->id, NULL, &graded[opened], &files[opened], err);
        if (status == KL_OK && r->options->pseudonyms)
            ladder_hide_student(&r->names, who[opened]->shown, graded[opened].result,
                                &files[opened]);
    }
    ladder_pair_page page = {.lab = r->lab, .pair = pair};
    for (int k = 0; k < opened; k++) {
        page.shown[k] = who[k]->shown;
        page.pages[k] = who[k]->page;
        page.sources[k] = (const char *const *)files[k].sources;
    }
    if (status == KL_OK)
        status = ladder_path(path, err, "%s/%s", r->output, ladder_pair_file(index, file));
    if (status == KL_OK) status = kl_file_put(path, write_pair, &page, err);
    for (int k = 0; k < opened; k++) {
        ladder_kept_files_free(&files[k]);
        ladder_graded_free(&graded[k]);
    }
    return status;
}

// The best attempts are kept beside the rows.
static kl_status take_leaders(const reporting *r, ladder_leader *out_leaders, size_t *out_count,
                              kl_error *err) {
    char path[LADDER_PATH];
    bool any = false;
    for (size_t m = 0; m < r->count; m++) any = any || r->members[m].nickname[0] != '\0';
    TRY(ladder_path(path, err, "%s/class", r->results));
    if (any) TRY(ladder_folder_make(path, err));
    TRY(ladder_path(path, err, "%s/class/leaderboard.txt", r->results));
    return ladder_leaders_make(r->lab, r->members, r->count, path, out_leaders, out_count, err);
}

// Two who chose one pseudonym are both shown, and somebody must talk to them.
static void tell_twins(reporting *r, const ladder_leader *leaders, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++) {
            if (strcasecmp(leaders[i].nickname, leaders[k].nickname) != 0) continue;
            fprintf(stderr,
                    "ladder report: %s and %s have one pseudonym on the leaderboard, %s: one of "
                    "them must choose another in leaderboard.txt\n",
                    leaders[k].id, leaders[i].id, leaders[i].nickname);
            r->lost++;
        }
}

// Shared pages are called by pseudonyms, which are made of the user of the course system, or of the
// title: one of two would take the place of the other. In the order of what is shown.
static kl_status check_pseudonyms(const reporting *r, kl_error *err) {
    for (size_t m = 1; r->options->pseudonyms && m < r->count; m++) {
        const ladder_member *a = &r->members[m - 1], *b = &r->members[m];
        if (strcmp(a->shown, b->shown) != 0) continue;
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s and %s are of one student, or of two of one name, and would both be %s: "
                       "take one of them out of %s/submissions",
                       a->id, b->id, b->shown, r->results);
    }
    return KL_OK;
}

// The address of the lab's slides, and their text; NULL: there are none to link to. Pages with
// pseudonyms are for others, who have no build.
static char *find_slides(const reporting *r, char **out_deck) {
    char on_site[LADDER_PATH], page[LADDER_PATH], text[LADDER_PATH];
    *out_deck = NULL;
    if (ladder_path(on_site, NULL, "slides/%s.html", r->lab->folder) != KL_OK ||
        ladder_path(page, NULL, "%s/site/%s", r->kit.build, on_site) != KL_OK ||
        ladder_path(text, NULL, "%s/slides/%s.md", r->kit.source, r->lab->folder) != KL_OK)
        return NULL;
    char *address = ladder_page_address(on_site, page, r->options->pseudonyms ? NULL : r->output);
    if (address) ladder_file_read(AT_FDCWD, text, LADDER_SOURCE_MAX, out_deck, NULL, NULL);
    return address;
}

// The lines of a member's students, behind title and user.
static const char *students_of(const ladder_member *member) {
    return strchr(strchr(member->people, '\n') + 1, '\n') + 1;
}

// Whether a student, by name and id, handed in both: that they are alike is no news.
static bool are_of_one(const ladder_member *a, const ladder_member *b) {
    char one[LADDER_TITLE], other[LADDER_TITLE];
    for (const char *at = students_of(a); ladder_person_next(&at, one);)
        for (const char *beside = students_of(b); ladder_person_next(&beside, other);)
            if (strchr(one, '\t') && strcmp(one, other) == 0) return true;
    return false;
}

static kl_status put_class(reporting *r, kl_error *err) {
    ladder_pair pairs[LADDER_PAIRS_MAX];
    char *deck = NULL;
    char path[LADDER_PATH];
    ladder_leader *leaders = calloc(r->count + 1, sizeof *leaders);
    if (!leaders) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a leaderboard");
    ladder_class_page page = {.lab = r->lab,
                              .device = r->device,
                              .members = r->members,
                              .count = r->count,
                              .distribution = &r->distribution,
                              .pairs = pairs,
                              .least = ALIKE_PERCENT / 100.0,
                              .leaders = leaders,
                              .compared = r->compared};
    char *slides = find_slides(r, &deck);
    page.deck = deck;
    page.slides = slides;
    page.pair_count = ladder_similar_pairs(r->prints, r->clues, r->count, page.least,
                                           r->options->pseudonyms != NULL, pairs);
    int other = 0;
    for (int i = 0; i < page.pair_count; i++)
        if (!are_of_one(&r->members[pairs[i].a], &r->members[pairs[i].b]))
            pairs[other++] = pairs[i];
    page.pair_count = other;
    kl_status status = take_leaders(r, leaders, &page.leader_count, err);
    if (status == KL_OK) tell_twins(r, leaders, page.leader_count);
    if (status == KL_OK) status = ladder_path(path, err, "%s/class.html", r->output);
    if (status == KL_OK) status = kl_file_put(path, write_class, &page, err);
    if (status == KL_OK) status = ladder_path(path, err, "%s/predictions.csv", r->output);
    if (status == KL_OK) status = kl_file_put(path, write_predictions, &page, err);
    if (status == KL_OK && r->options->json)
        status = kl_file_put(r->options->json, write_class_json, &page, err);
    for (int i = 0; i < LADDER_PAIRS_MAX && status == KL_OK; i++) {
        char file[32]; // an older page must not outlive its pair
        status = i < page.pair_count
                     ? put_pair(r, &pairs[i], i, err)
                     : ladder_path(path, err, "%s/%s", r->output, ladder_pair_file(i, file));
        if (status == KL_OK && i >= page.pair_count) unlink(path);
    }
    free(leaders);
    free(slides);
    free(deck);
    return status;
}

static kl_status make_pages(reporting *r, kl_error *err) {
    TRY(ladder_kit_find(&r->kit, err));
    if (r->options->pseudonyms) TRY(ladder_pseudonym_key(r->options->pseudonyms, &r->key, err));
    TRY(ladder_path(r->output, err, r->options->output ? "%s" : "%s/pages",
                    r->options->output ? r->options->output : r->results));
    TRY(take_all(r, err));
    TRY(take_solution(r, err));
    qsort(r->members, r->count, sizeof *r->members, by_shown);
    name_twins(r);
    TRY(check_pseudonyms(r, err));
    TRY(compare_all(r, err));
    ladder_prints_weigh(r->prints, r->count);
    ladder_distribution_of(r->lab, r->members, r->count, r->solution.result, &r->distribution);
    TRY(ladder_folder_make(r->output, err));
    TRY(ladder_lock_folder(r->output, "writes pages into", " with --output", &r->lock, err));
    for (size_t m = 0; m < r->count; m++) TRY(put_student(r, &r->members[m], err));
    return put_class(r, err);
}

static void release(reporting *r) {
    for (size_t m = 0; r->prints && m < r->count; m++) ladder_prints_free(&r->prints[m]);
    for (size_t m = 0; r->clues && m < r->count; m++) ladder_clues_free(&r->clues[m]);
    ladder_names_free(&r->people);
    free(r->clues);
    ladder_known_names_free(&r->names);
    ladder_graded_free(&r->solution);
    ladder_lock_release(&r->lock);
    free(r->prints);
    free(r->members);
}

int ladder_cmd_report(int argc, char **argv) {
    report_options o = {.output = NULL};
    const ladder_option options[] = {
        OPT_TEXT("--output", &o.output, "DIR", "where pages go (default: RESULTS/pages)"),
        OPT_TEXT("--pseudonyms", &o.pseudonyms, "KEYFILE", "pages that name nobody"),
        OPT_TEXT("--solution", &o.solution, "FILE",
                 "result.json of the kit's solution, shown beside"),
        OPT_TEXT("--json", &o.json, "FILE", "the class as JSON (- is standard output)"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    if (arguments.count != 1)
        return ladder_command_misused(
            argv[0], "expected a folder of results, for example: ./ladder report results");
    kl_error err = {KL_OK, ""};
    FILE *said = kl_file_is_stdout(o.json) ? stderr : stdout;
    reporting r = {.options = &o, .results = arguments.positional[0]};
    kl_status status = make_pages(&r, &err);
    if (status != KL_OK) code = ladder_command_fail(argv[0], &err);
    else
        fprintf(said, "%zu page%s and %s/class.html\n", r.count, r.count == 1 ? "" : "s", r.output);
    if (status == KL_OK && !r.solution.result)
        fprintf(
            said,
            "The solution's times are not beside them: ./ladder grade %s --solution gives them.\n",
            r.lab->problem->name);
    if (status == KL_OK && r.lost > 0) code = LADDER_EXIT_FAILED;
    release(&r);
    return code;
}
