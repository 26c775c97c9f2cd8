// SPDX-License-Identifier: MIT
// ladder diff: what changed between two steps, in the source and in what the kernels did.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "commands/command.h"
#include "learn/lesson/diff.h"
#include "learn/predict/record.h"
#include "json.h"
#include "show/profile/profile.h"
#include "grade/submission/skeleton.h"

static const ladder_usage usage = {
    "ladder diff LAB A B [options]",
    "Shows the two step files side by side (one below the other on a narrow terminal),\n"
    "then the counters and the modelled time that the change moved.",
    "  ladder diff reduction 2 3 --solution",
};

enum { SIDE_BY_SIDE_WIDTH = 110, FILE_MAX = 4 << 20 };

typedef struct diff_options {
    bool solution, source_only, unified;
    const char *size, *family, *json;
} diff_options;

typedef struct side {
    const kl_step_info *step;
    char *text;
    char name[64]; // "3_sequential.cu"
    ladder_profile *profile;
} side;

typedef struct comparison {
    ladder_kit kit;
    const ladder_lab *lab;
    diff_options options;
    side sides[2];
    ladder_diff diff;
} comparison;

static kl_status read_sides(comparison *c, const ladder_arguments *arguments, kl_error *err) {
    TRY(ladder_lab_require(arguments->positional[0], &c->lab, err));
    TRY(ladder_kit_find(&c->kit, err));
    for (int i = 0; i < 2; i++) {
        side *s = &c->sides[i];
        char path[LADDER_PATH];
        TRY(ladder_lab_require_step(c->lab, arguments->positional[i + 1], &s->step, err));
        TRY(ladder_kit_step_file(&c->kit, c->lab, s->step, c->options.solution, path, err));
        TRY(ladder_file_read(AT_FDCWD, path, FILE_MAX, &s->text, NULL, err));
        snprintf(s->name, sizeof s->name, "%d_%.48s.cu", s->step->number, s->step->name);
    }
    // A solution's markers for the skeleton (grade/submission/skeleton.h) are no part of the
    // lesson.
    return ladder_diff_make(c->sides[0].text, c->sides[1].text, LADDER_SOLUTION_MARKER, &c->diff,
                            err);
}

static kl_status profile_sides(comparison *c, kl_error *err) {
    for (int i = 0; i < 2; i++) {
        side *s = &c->sides[i];
        if (!c->options.solution) ladder_predict_note(&c->kit, c->lab, &s->step->number, 1, "diff");
        s->profile = calloc(1, sizeof *s->profile);
        if (!s->profile) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a profile");
        TRY(ladder_profile_step(&c->kit, c->lab, s->step->number, c->options.solution,
                                c->options.size, c->options.family, NULL, s->profile, err));
    }
    return KL_OK;
}

static void write_counters(kl_json *json, const char *key, const ladder_profile *profile) {
    sim_counters totals;
    double time_us = 0;
    ladder_profile_totals(profile, &totals, &time_us);
    kl_json_object(json, key);
    kl_json_number(json, "time_us", time_us);
    kl_json_uint(json, "launches", profile->count);
    kl_json_object(json, "counters");
    for (int i = 0; i < SIM_COUNTER_COUNT; i++)
        kl_json_uint(json, sim_counter_name((sim_counter)i), totals.value[i]);
    kl_json_end(json);
    kl_json_end(json);
}

static void write_lines(kl_json *json, const ladder_diff *diff) {
    kl_json_array(json, "lines");
    for (size_t i = 0; i < diff->count; i++) {
        const ladder_diff_line *line = &diff->lines[i];
        if (line->edit == LADDER_SAME) continue;
        char *text = strndup(line->text, (size_t)line->bytes);
        bool added = line->edit == LADDER_ADDED;
        kl_json_object(json, NULL);
        kl_json_string(json, "edit", added ? "added" : "removed");
        kl_json_int(json, "line", added ? line->right : line->left);
        kl_json_string(json, "text", text);
        kl_json_end(json);
        free(text);
    }
    kl_json_end(json);
    kl_json_array(json, "renamed");
    for (int i = 0; i < diff->renames.count; i++) {
        kl_json_object(json, NULL);
        kl_json_string(json, "from", diff->renames.rows[i].from);
        kl_json_string(json, "to", diff->renames.rows[i].to);
        kl_json_end(json);
    }
    kl_json_end(json);
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const comparison *c = context;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_object(&json, NULL);
    kl_json_string(&json, "schema", "ladder.diff/1");
    kl_json_string(&json, "lab", c->lab->problem->name);
    kl_json_int(&json, "a", c->sides[0].step->number);
    kl_json_int(&json, "b", c->sides[1].step->number);
    write_lines(&json, &c->diff);
    if (c->sides[1].profile) {
        write_counters(&json, "profile_a", c->sides[0].profile);
        write_counters(&json, "profile_b", c->sides[1].profile);
    }
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}

// Names that the change is not about.
static void print_renames(const ladder_renames *renames, const kl_style *style) {
    char text[LADDER_RENAMES_MAX * (2 * LADDER_NAME + 8) + 16] = "renamed: ";
    size_t used = strlen(text);
    if (renames->count == 0) return;
    for (int i = 0; i < renames->count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s -> %s", i > 0 ? ", " : "",
                                 renames->rows[i].from, renames->rows[i].to);
    kl_print_wrapped(stdout, style, 9, text);
}

static void print_source(const comparison *c, const kl_style *style) {
    enum { CONTEXT = 2 };
    printf("%s -> %s: %d lines removed, %d added\n", c->sides[0].name, c->sides[1].name,
           c->diff.removed, c->diff.added);
    print_renames(&c->diff.renames, style);
    fputc('\n', stdout);
    if (style->width >= SIDE_BY_SIDE_WIDTH && !c->options.unified)
        ladder_diff_print_columns(&c->diff, CONTEXT, style, stdout);
    else
        ladder_diff_print(&c->diff, CONTEXT, style, stdout);
    if (c->sides[1].step->reason[0] != '\0') {
        fputs("\nwhy: ", stdout);
        kl_print_wrapped(stdout, style, 5, c->sides[1].step->reason);
    }
}

static kl_status run(comparison *c, const ladder_arguments *arguments, kl_error *err) {
    TRY(read_sides(c, arguments, err));
    kl_style style = kl_style_for(stdout);
    bool to_stdout = kl_file_is_stdout(c->options.json);
    if (!to_stdout) {
        print_source(c, &style);
        fflush(stdout);
    }
    if (!c->options.source_only) TRY(profile_sides(c, err));
    if (!to_stdout && !c->options.source_only) {
        char names[2][16];
        for (int i = 0; i < 2; i++)
            snprintf(names[i], sizeof names[i], "step %d", c->sides[i].step->number);
        fputc('\n', stdout);
        ladder_profile_compare(c->sides[0].profile, names[0], c->sides[1].profile, names[1], &style,
                               stdout);
    }
    return c->options.json ? kl_file_put(c->options.json, write_json, c, err) : KL_OK;
}

int ladder_cmd_diff(int argc, char **argv) {
    comparison c = {.options = {.size = NULL}};
    diff_options *o = &c.options;
    const ladder_option options[] = {
        {"--solution", LADDER_FLAG, &o->solution, NULL, "the complete steps instead of yours",
         NULL},
        {"--source-only", LADDER_FLAG, &o->source_only, NULL, "do not run the steps", NULL},
        {"--unified", LADDER_FLAG, &o->unified, NULL, "one below the other on any terminal", NULL},
        {"--size", LADDER_TEXT, &o->size, "N",
         "another size than the lab's largest on the simulator", NULL},
        {"--case", LADDER_TEXT, &o->family, "NAME", "another kind of input", NULL},
        {"--json", LADDER_TEXT, &o->json, "FILE", "the difference as JSON (- is standard output)",
         NULL},
    };
    ladder_arguments arguments;
    int code = LADDER_EXIT_OK;
    if (!ladder_command_begin(&usage, options, sizeof options / sizeof options[0], argc, argv,
                              &arguments, &code))
        return code;
    if (arguments.count != 3) {
        return ladder_command_misused(argv[0], "expected a lab and two steps, for example: "
                                               "ladder diff reduction 2 3");
    }
    kl_error err = {KL_OK, ""};
    kl_status status = run(&c, &arguments, &err);
    for (int i = 0; i < 2; i++) {
        if (c.sides[i].profile) ladder_profile_free(c.sides[i].profile);
        free(c.sides[i].profile);
        free(c.sides[i].text);
    }
    ladder_diff_free(&c.diff);
    return status == KL_OK ? LADDER_EXIT_OK : ladder_command_fail(argv[0], &err);
}
