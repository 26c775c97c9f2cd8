// Tables of the kit itself, see tables.h: systems on which it was tried (docs/systems.txt), what
// counts differ between toolkits (docs/toolkit_counts.txt); attacks and wrong kernels by their
// headings (CONTRIBUTING.md, autograder/tests/wrong/README.md); the grader's promises, counted
// (docs/targets.json); a large class (docs/class_bench.json); what noise makes of speed.
#include <dirent.h>

#include "device/report.h"
#include "heading.h"
#include "measured.h"
#include "tables/tables.h"
#include "targets_store.h"
#include "tests/support/edit.h"
#include "tables/noisy_times.h"

// ---- systems ----

bool tables_print_systems(FILE *out, const char *root, const char *unused) {
    char path[4096];
    (void)unused;
    snprintf(path, sizeof path, "%s/docs/systems.txt", root);
    char *text = tables_read_file(path);
    if (!text) return false;
    fprintf(out, "\n| system | toolkit | what was run | result | date | MB down | MB on disk | "
                 "seconds | of processor time |\n|---|---|---|---|---|---|---|---|---|\n");
    int rows = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] == '#') continue;
        fprintf(out, "| %s |\n", line);
        rows++;
    }
    fputc('\n', out);
    if (rows == 0) fprintf(stderr, "ladder-docs tables: %s: no rows\n", path);
    free(text);
    return rows > 0;
}

// ---- counts by toolkit ----

// "name 3 0.80 1.36" as "`name` 3 (0.80 to 1.36)"; "name 3 new new": HERE counted none.
static void put_factor(FILE *out, const char *counter) {
    char name[128], least[32], greatest[32];
    int steps = 0;
    if (sscanf(counter, " %127s %d %31s %31s", name, &steps, least, greatest) != 4) return;
    fprintf(out, "`%s` %d", name, steps);
    if (strcmp(least, "new") == 0) fputs(" (was 0)", out);
    else if (strcmp(least, greatest) == 0) fprintf(out, " (%s)", least);
    else fprintf(out, " (%s to %s)", least, greatest);
}

bool tables_print_toolkits(FILE *out, const char *root, const char *unused) {
    enum { MOST = 1000 }; // 17 labs under 9 toolkits are 153
    static struct {
        char toolkit[32], lab[64], *differ;
        int steps;
    } row[MOST];
    char path[4096];
    (void)unused;
    snprintf(path, sizeof path, "%s/docs/toolkit_counts.txt", root);
    char *text = tables_read_file(path);
    if (!text) return false;
    int rows = 0;
    char *after = NULL, *part = NULL;
    for (char *line = strtok_r(text, "\n", &after); line && rows < MOST;
         line = strtok_r(NULL, "\n", &after)) {
        int at = 0;
        if (sscanf(line, "%31s | %63s | %d | %n", row[rows].toolkit, row[rows].lab,
                   &row[rows].steps, &at) == 3 &&
            at > 0) // else a comment
            row[rows++].differ = line + at;
    }
    fprintf(out, "\n| lab | toolkit | steps | counters that differ: in how many steps, by what "
                 "factor |\n|---|---|---|---|\n");
    for (int i = 0; i < rows; i++) {
        if (row[i].lab[0] == '\0') continue; // is in the row of another toolkit
        fprintf(out, "| %s | %s", row[i].lab, row[i].toolkit);
        for (int k = i + 1; k < rows; k++) {
            if (strcmp(row[k].lab, row[i].lab) != 0 || row[k].steps != row[i].steps ||
                strcmp(row[k].differ, row[i].differ) != 0)
                continue;
            fprintf(out, ", %s", row[k].toolkit);
            row[k].lab[0] = '\0';
        }
        fprintf(out, " | %d | ", row[i].steps);
        const char *between = "";
        for (char *counter = strtok_r(row[i].differ, ",", &part); counter;
             counter = strtok_r(NULL, ",", &part)) {
            fputs(strcmp(counter, "-") == 0 ? "none" : between, out);
            put_factor(out, counter);
            between = ", ";
        }
        fputs(" |\n", out);
    }
    fputc('\n', out);
    if (rows == 0) fprintf(stderr, "ladder-docs tables: %s: no rows\n", path);
    free(text);
    return rows > 0;
}

// ---- attacks on the grader ----

static void put_cell(FILE *out, const char *text) {
    for (; *text != '\0'; text++) fprintf(out, *text == '|' ? "\\|" : "%c", *text);
}

static void put_counts(FILE *out, const attack *list, size_t count) {
    int switched_all = 0, design_all = 0;
    fputs("| class | attacks | of these stopped by the way the grader is built |\n|---|---|---|\n",
          out);
    for (size_t i = 0; i < count;) {
        size_t first = i;
        int design = 0;
        for (; i < count && strcmp(list[i].class_name, list[first].class_name) == 0; i++)
            design += list[i].defence_count == 0;
        fprintf(out, "| %s | %zu | %d |\n", list[first].class_name, i - first, design);
        switched_all += (int)(i - first) - design;
        design_all += design;
    }
    fprintf(out, "| all | %d | %d |\n", switched_all + design_all, design_all);
}

static void put_defences(FILE *out, const attack *list, size_t count) {
    fputs("\n| defence | what it does | attacks that need it off |\n|---|---|---|\n", out);
    for (int d = 0; d < LADDER_DEFENCES; d++) {
        int uses = 0;
        for (size_t i = 0; i < count; i++)
            for (int k = 0; k < list[i].defence_count; k++)
                uses += list[i].defences[k] == (ladder_defence)d;
        fprintf(out, "| %s | ", attack_defence_name((ladder_defence)d));
        put_cell(out, attack_defence_text((ladder_defence)d));
        fprintf(out, " | %d |\n", uses);
    }
}

static void put_attack(FILE *out, const attack *a) {
    fprintf(out, "| %s | `%s` | ", a->class_name, a->name);
    put_cell(out, a->text);
    fputs(" | ", out);
    for (int i = 0; i < a->defence_count; i++)
        fprintf(out, "%s%s", i > 0 ? ", " : "", attack_defence_name(a->defences[i]));
    if (a->defence_count == 0) fputs("how the grader is built", out);
    fputs(" | ", out);
    put_cell(out, a->expect);
    fputs(" | ", out);
    put_cell(out, a->defence_count > 0 ? a->gain_text : "");
    fputs(" |\n", out);
}

bool tables_print_attacks(FILE *out, const char *root, const char *what) {
    char folder[2048];
    attack *list = NULL;
    size_t count = 0;
    kl_error err = {KL_OK, ""};
    snprintf(folder, sizeof folder, "%s/autograder/tests/attacks", root);
    if (attack_find(folder, &list, &count, &err) != KL_OK || count == 0) {
        fprintf(stderr, "ladder-docs tables: %s: %s\n", folder,
                count == 0 ? "no attacks" : err.text);
        free(list);
        return false;
    }
    bool lists = strcmp(what, "list") == 0;
    if (!lists) put_counts(out, list, count);
    if (strcmp(what, "defences") == 0) put_defences(out, list, count);
    if (lists) {
        fputs("\n| class | attack | what it does | stopped by | outcome | without that |\n"
              "|---|---|---|---|---|---|\n",
              out);
        for (size_t i = 0; i < count; i++) put_attack(out, &list[i]);
    }
    free(list);
    return true;
}

// ---- wrong kernels ----

enum { WRONG_OUTCOMES = 32 };

// How many kernels are failed with which outcome.
typedef struct tally {
    int kernels, kinds;
    struct {
        char name[64];
        int count;
    } outcomes[WRONG_OUTCOMES];
} tally;

static void count(tally *all, const char *outcome) {
    int at = 0;
    while (at < all->kinds && strcmp(all->outcomes[at].name, outcome) != 0) at++;
    if (at == WRONG_OUTCOMES) return;
    if (at == all->kinds) snprintf(all->outcomes[all->kinds++].name, 64, "%s", outcome);
    all->outcomes[at].count++;
}

// A lab's kernels.
static kl_status count_lab(const char *path, tally *all, kl_error *err) {
    edit_list edits;
    kl_status status = edits_read(path, &edits, err);
    for (int i = 0; i < edits.count && status == KL_OK; i++) {
        edit_heading heading;
        status = edit_heading_of(&edits.items[i], &heading, err);
        count(all, heading.expect);
        all->kernels++;
    }
    edits_free(&edits);
    return status;
}

static int is_lab(const struct dirent *entry) {
    return entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
}

bool tables_print_wrong(FILE *out, const char *root, const char *unused) {
    char folder[2048], path[4096];
    struct dirent **labs = NULL;
    kl_error err = {KL_OK, ""};
    kl_status status = KL_OK;
    (void)unused;
    snprintf(folder, sizeof folder, "%s/autograder/tests/wrong", root);
    int found = scandir(folder, &labs, is_lab, alphasort), total = 0;
    fputs("| lab | wrong kernels | failed as |\n|---|---|---|\n", out);
    for (int i = 0; i < found; i++) {
        tally lab = {.kernels = 0};
        snprintf(path, sizeof path, "%s/%.255s", folder, labs[i]->d_name);
        labs[i]->d_name[strcspn(labs[i]->d_name, ".")] = '\0';
        if (status == KL_OK) status = count_lab(path, &lab, &err);
        fprintf(out, "| %s | %d |", labs[i]->d_name, lab.kernels);
        for (int k = 0; k < lab.kinds; k++)
            fprintf(out, "%s %d %s", k ? "," : "", lab.outcomes[k].count, lab.outcomes[k].name);
        fputs(" |\n", out);
        total += lab.kernels;
        free(labs[i]);
    }
    free(labs);
    fprintf(out, "| all | %d | |\n", total);
    if (status != KL_OK) fprintf(stderr, "ladder-docs tables: %s\n", err.text);
    return status == KL_OK && found > 0;
}

// ---- promises of the grader ----

bool tables_print_targets(FILE *out, const char *root, const char *unused) {
    char path[4096];
    targets_store store;
    kl_error err = {KL_OK, ""};
    int watched = 0;
    (void)unused;
    snprintf(path, sizeof path, "%s/docs/targets.json", root);
    if (targets_store_read(path, &store, &err) != KL_OK) {
        fprintf(stderr, "ladder-docs tables: %s\n", err.text);
        return false;
    }
    targets_row honest = targets_store_total(&store, "honest", &watched);
    targets_row kills = targets_store_total(&store, "kills", &watched);
    fprintf(out,
            "| promise | command (in `build/autograder/tests`) | counted so far |\n|---|---|---|\n"
            "| A right step is never accused | `ladder_targets_test --store FILE honest 3000` | %d "
            "gradings of steps, each with inputs of its own: %d accused |\n",
            honest.done, honest.wrong);
    fprintf(
        out,
        "| A killed class run loses, doubles and changes nothing | `ladder_targets_test --store "
        "FILE kills 1000` | %d kills, classes of 10 submissions: %d rows lost, doubled or "
        "changed |\n"
        "| and leaves no process | the same | %d kills: after %d of them |\n",
        kills.done, kills.wrong, watched, kills.left);
    return true;
}

bool tables_print_class(FILE *out, const char *root, const char *unused) {
    char path[4096];
    (void)unused;
    snprintf(path, sizeof path, "%s/docs/class_bench.json", root);
    json_error_t why;
    json_t *run = json_load_file(path, 0, &why);
    if (!run) {
        fprintf(stderr, "ladder-docs tables: %s: %s\n", path, why.text);
        return false;
    }
    const json_t *parts = json_object_get(run, "parts");
    double growth =
        measured_number(json_array_get(parts, json_array_size(parts) - 1), "judge_bytes") -
        measured_number(json_array_get(parts, 0), "judge_bytes");
    fprintf(out,
            "%.0f made-up submissions of `%s`, %.0f steps each%s, took %.0f minutes on %.0f "
            "processors of a machine with other work: %.0f per minute. The judge's own memory "
            "grew by %.1f MB after the first tenth, and %.0f of the results were wrong.\n",
            measured_number(run, "submissions"), measured_text(run, "lab"),
            measured_number(run, "steps"),
            json_is_true(json_object_get(run, "quick")) ? " with the short list of cases" : "",
            measured_number(run, "seconds") / 60, measured_number(run, "processors"),
            measured_number(run, "per_minute"), 1e-6 * growth, measured_number(run, "wrong"));
    json_decref(run);
    return true;
}

// ---- Which counters of Nsight Compute the simulator has ----

// From the page where they stand beside an H100's (common/validation/counters/counters.md), and
// from what was recorded there.
typedef struct counter_row {
    char what[256], name[128], source[16];
    int exact, near_ones, compared; // kernels that agree, that are within 15 %, all
} counter_row;

enum { ROWS = 256 };

static bool read_row(const char *line, counter_row *out) {
    if (sscanf(line, "| %255[^|] | `%127[^`]` | %15[^ |] | %d of %d | %d", out->what, out->name,
               out->source, &out->exact, &out->compared, &out->near_ones) != 6)
        return false;
    out->what[strcspn(out->what, "|")] = '\0';
    for (size_t end = strlen(out->what); end > 0 && out->what[end - 1] == ' ';)
        out->what[--end] = '\0';
    return true;
}

static int read_rows(const char *root, counter_row rows[ROWS]) {
    char path[4096];
    int count = 0;
    snprintf(path, sizeof path, "%s/common/validation/counters/counters.md", root);
    char *text = tables_read_file(path);
    for (char *line = text ? strtok(text, "\n") : NULL; line && count < ROWS;
         line = strtok(NULL, "\n"))
        count += read_row(line, &rows[count]);
    free(text);
    if (count == 0) fprintf(stderr, "ladder-docs tables: %s: no counters\n", path);
    return count;
}

static void print_equal(FILE *out, const counter_row *rows, int count) {
    fputs("\n| Nsight Compute | what | equal to an H100's in |\n|---|---|---|\n", out);
    for (int i = 0; i < count; i++)
        if (rows[i].exact == rows[i].compared)
            fprintf(out, "| `%s` | %s | %d of %d kernels |\n", rows[i].name, rows[i].what,
                    rows[i].exact, rows[i].compared);
    fputc('\n', out);
}

static void print_other(FILE *out, const counter_row *rows, int count) {
    fputs("\n| Nsight Compute | what | equal to an H100's in | within 15 % in | here it is |\n"
          "|---|---|---|---|---|\n",
          out);
    for (int i = 0; i < count; i++) {
        const counter_row *r = &rows[i];
        if (r->exact == r->compared) continue;
        fprintf(out, "| `%s` | %s | %d of %d kernels | %d | %s |\n", r->name, r->what, r->exact,
                r->compared, r->near_ones,
                strcmp(r->source, "PTX") == 0     ? "of PTX instructions"
                : strcmp(r->source, "MODEL") == 0 ? "modelled"
                                                  : "by the hardware's rule");
    }
    fputc('\n', out);
}

// Recorded on the card, and neither on that page nor in the simulator's JSON.
static bool print_absent(FILE *out, const char *root, const counter_row *rows, int count) {
    char path[4096];
    int absent = 0;
    char *recorded = tables_read_file(LADDER_CARD_LOGS "/counters/counters_h100.csv");
    snprintf(path, sizeof path, "%s/docs/schemas.txt", root);
    char *schemas = tables_read_file(path);
    bool good = recorded && schemas;
    if (good) recorded[strcspn(recorded, "\n")] = '\0';
    fputc('\n', out);
    for (char *name = good ? strtok(recorded, ",") : NULL; name; name = strtok(NULL, ",")) {
        bool known = !strchr(name, '_') || strstr(schemas, name);
        for (int i = 0; i < count && !known; i++) known = strcmp(rows[i].name, name) == 0;
        if (!known) fprintf(out, "- `%s`\n", name), absent++;
    }
    fputc('\n', out);
    free(recorded);
    free(schemas);
    return good && absent > 0;
}

bool tables_print_permission(FILE *out, const char *root, const char *what) {
    static counter_row rows[ROWS];
    int count = read_rows(root, rows);
    if (count == 0) return false;
    if (strcmp(what, "absent") == 0) return print_absent(out, root, rows, count);
    if (strcmp(what, "equal") == 0) print_equal(out, rows, count);
    else print_other(out, rows, count);
    return true;
}

// ---- noise: by simulation (noisy_times.h) ----

static void print_share(FILE *out, double share) { fprintf(out, " %.1f %% |", 100 * share); }

// Gains relative to thresholds that lie as `ladder calibrate` would put them for a solution that is
// twice as fast: sqrt(2) and 2 to the power of a quarter.
bool tables_print_noise(FILE *out, const char *root, const char *unused) {
    const double full = 1.4142, zero = 1.1892;
    (void)root;
    (void)unused;
    fputs("| noise of one timing | solution (2.0 x): not all | 10 % above full: not all | earlier "
          "step (1.0 x): any | 5 % below none: any | benefit of the doubt | unfit | pairs |\n"
          "|---|---|---|---|---|---|---|---|\n",
          out);
    for (int i = 0; i < noise_kind_count; i++) {
        const noise_kind *kind = &noise_kinds[i];
        noise_rates solution = noise_simulate(kind, full, zero, 2.0);
        noise_rates above = noise_simulate(kind, full, zero, 1.1 * full);
        noise_rates earlier = noise_simulate(kind, full, zero, 1.0);
        noise_rates below = noise_simulate(kind, full, zero, zero / 1.05);
        double pairs = 0.25 * (solution.pairs + above.pairs + earlier.pairs + below.pairs);
        double doubt = 0.25 * (solution.doubt + above.doubt + earlier.doubt + below.doubt);
        fprintf(out, "| %s |", kind->name);
        if (solution.unfit < 1) {
            print_share(out, 1 - solution.full);
            print_share(out, 1 - above.full);
            print_share(out, earlier.some);
            print_share(out, below.some);
            print_share(out, doubt);
        } else {
            fputs(" - | - | - | - | - |", out);
        }
        print_share(out, solution.unfit);
        fprintf(out, " %.1f |\n", pairs);
    }
    return true;
}
