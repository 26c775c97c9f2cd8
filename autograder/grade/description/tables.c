// SPDX-License-Identifier: MIT
// What is made of a lab's description for C and CMake: see description.h. Whole numbers are in the
// C text as they are in the file, others with the 17 digits that give a double back.
#include "grade/description/description.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "utilities/sha256.h"

typedef const kl_json_value *value;

#define EACH(item, object, key)                                                                    \
    for (value item = ladder_field_items(object, key); item; item = item->next)

static void put_quoted(FILE *out, const char *text) {
    fputc('"', out);
    for (const char *s = text; *s != '\0'; s++)
        if (*s == '\n')
            fputs("\\n", out);
        else if ((unsigned char)*s < 0x20)
            fprintf(out, "\\%03o", (unsigned)*s);
        else if (strchr("\\\"?", *s))
            fprintf(out, "\\%c", *s);
        else
            fputc(*s, out);
    fputc('"', out);
}

static void put_text(FILE *out, value object, const char *key, const char *absent) {
    put_quoted(out, ladder_field_text(object, key, absent));
}

static void put_number(FILE *out, value object, const char *key, const char *absent) {
    value number = kl_json_member(object, key);
    char text[40];
    if (!number || number->is_integer) {
        fputs(number ? number->text : absent, out);
        return;
    }
    snprintf(text, sizeof text, "%.17g", number->number);
    fprintf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static const char *word(bool truth) {
    return truth ? "true" : "false";
}

static const char *word_of(value object, const char *key) {
    return word(ladder_field_true(object, key));
}

// The texts of an array as a C list that ends with 0.
static void put_texts(FILE *out, value object, const char *key) {
    EACH(item, object, key) {
        put_quoted(out, item->text);
        fputs(", ", out);
    }
    fputs("0", out);
}

// The family and the size of a case.
static void put_case(FILE *out, value object) {
    put_text(out, object, "family", "");
    fputs(", INT64_C(", out);
    put_number(out, object, "size", "0");
    fputs(")", out);
}

// A table of its own: what must hold besides a criterion's count.
static void put_bounds(FILE *out, value criterion, long long step, int c) {
    if (ladder_field_count(criterion, "with") == 0) return;
    fprintf(out, "static const ladder_bound with_%lld_%d[] = {\n", step, c);
    EACH(bound, criterion, "with") {
        fputs("    {", out);
        put_text(out, bound, "text", "");
        fputs(", ", out);
        put_text(out, bound, "counter", "");
        fputs(", ", out);
        put_text(out, bound, "per", "call");
        fputs(", ", out);
        put_case(out, bound);
        fputs(", ", out);
        put_number(out, bound, "full", "0");
        fputs(", ", out);
        put_number(out, bound, "zero", "0");
        fputs("},\n", out);
    }
    fputs("};\n", out);
}

// Likewise: how a speed criterion is graded where times are modelled, by device.
static void put_modelled(FILE *out, value entry, long long step, int c) {
    if (!entry || ladder_field_text(entry, "left_out", NULL)) return;
    fprintf(out, "static const ladder_modelled modelled_%lld_%d[] = {\n", step, c);
    EACH(device, entry, "devices") {
        fputs("    {", out);
        put_text(out, device, "device", "");
        fputs(", INT64_C(", out);
        put_number(out, entry, "size", "0");
        fputs("), ", out);
        put_number(out, device, "over_us", "0");
        fputs(", ", out);
        put_number(out, device, "full", "0");
        fputs(", ", out);
        put_number(out, device, "zero", "0");
        fputs("},\n", out);
    }
    fputs("};\n", out);
}

static bool is_kind(value criterion, const char *kind) {
    return strcmp(ladder_field_text(criterion, "kind", ""), kind) == 0;
}

// What count and speed have in common.
static void put_measured(FILE *out, value criterion) {
    fputs(", .family = ", out);
    put_text(out, criterion, "family", "");
    fputs(", .size = INT64_C(", out);
    put_number(out, criterion, "size", "0");
    fputs("), .full = ", out);
    put_number(out, criterion, "full", "0");
    fputs(", .zero = ", out);
    put_number(out, criterion, "zero", "0");
}

static void put_criterion(FILE *out, value criterion, value entry, long long step, int c) {
    bool count = is_kind(criterion, "count"), speed = is_kind(criterion, "speed");
    const char *hidden = ladder_field_hidden(criterion),
               *left_out = ladder_field_text(entry, "left_out", NULL);
    fprintf(out, "    {.kind = LADDER_CRITERION_%s, .points = ",
            count                             ? "COUNT"
            : speed                           ? "SPEED"
            : is_kind(criterion, "predicted") ? "PREDICTED"
                                              : "CORRECT");
    put_number(out, criterion, "points", "0");
    fputs(", .text = ", out);
    put_text(out, criterion, "text", "");
    if (count || speed) put_measured(out, criterion);
    if (count) {
        fputs(", .counter = ", out);
        put_text(out, criterion, "counter", "");
        fputs(", .per = ", out);
        put_text(out, criterion, "per", "call");
        int bounds = ladder_field_count(criterion, "with");
        if (bounds > 0) fprintf(out, ", .with = with_%lld_%d, .with_count = %d", step, c, bounds);
    }
    if (speed) {
        fputs(", .over = ", out);
        put_number(out, criterion, "over", "0");
        if (left_out) {
            fputs(", .unmodelled = ", out);
            put_quoted(out, left_out);
        } else if (entry) {
            fprintf(out, ", .modelled = modelled_%lld_%d, .modelled_count = %d", step, c,
                    ladder_field_count(entry, "devices"));
        }
    }
    if (hidden) fprintf(out, ", .hidden = \"%s\"", hidden);
    fputs("},\n", out);
}

static value entry_of(const ladder_modelled_file *modelled, long long step, value criterion) {
    return is_kind(criterion, "speed") ? ladder_modelled_find(modelled, (int)step, criterion)
                                       : NULL;
}

static void put_criteria(FILE *out, const ladder_description *d,
                         const ladder_modelled_file *modelled) {
    EACH(step, d->root, "steps") {
        long long number = ladder_field_integer(step, "step", 0);
        int c = 0;
        EACH(criterion, step, "criteria") {
            put_bounds(out, criterion, number, c);
            put_modelled(out, entry_of(modelled, number, criterion), number, c++);
        }
    }
    EACH(step, d->root, "steps") {
        long long number = ladder_field_integer(step, "step", 0);
        int c = 0;
        fprintf(out, "static const ladder_criterion criteria_%lld[] = {\n", number);
        EACH(criterion, step, "criteria") {
            put_criterion(out, criterion, entry_of(modelled, number, criterion), number, c++);
        }
        fputs("};\n", out);
    }
    fputs("static const ladder_rubric_step steps[] = {\n", out);
    EACH(step, d->root, "steps") {
        long long number = ladder_field_integer(step, "step", 0);
        fprintf(out, "    {%lld, \"%s\", %s, criteria_%lld, %d},\n", number,
                ladder_field_text(step, "file", ""), word_of(step, "given"), number,
                ladder_field_count(step, "criteria"));
    }
    fputs("};\n", out);
}

// Everything of the table by which grading goes, from its note on but for its hash.
static void put_rest(FILE *out, const ladder_description *d, const ladder_modelled_file *modelled) {
    value limits = kl_json_member(d->root, "limits");
    static const char *const limit_rows[][3] = {
        {".build_s = ", "build_s", "0"},
        {".case_s = ", "case_s", "0"},
        {".submission_s = ", "submission_s", "0"},
        {".instructions = UINT64_C(", "instructions", "0"},
        {".read_back_bytes = UINT64_C(", "read_back", "1024"},
        {".plain_share = ", "plain_share", "0.5"}};
    fputs("    .modelled_of = ", out);
    if (modelled->document.root)
        put_text(out, modelled->document.root, "rubric", ""); // "": grading says what to do
    else
        fputs("0", out);
    fprintf(out, ",\n    .allow_imports = allow_imports,\n    .allow_import_count = %d,\n",
            ladder_field_count(d->root, "allow_imports"));
    for (size_t i = 0; i < sizeof limit_rows / sizeof limit_rows[0]; i++) {
        fprintf(out, "    %s", limit_rows[i][0]);
        put_number(out, limits, limit_rows[i][1], limit_rows[i][2]);
        fputs(strchr(limit_rows[i][0], '(') ? "),\n" : ",\n", out);
    }
    fprintf(out,
            "    .work_log = %s,\n    .app_after_run = %s,\n    .steps = steps,\n"
            "    .step_count = %d,\n};\n",
            word_of(d->root, "work_log"), word_of(d->root, "app_after_run"),
            ladder_field_count(d->root, "steps"));
}

// What grading goes by: the table itself but for its note, so that questions, figures and words for
// authors may change while results that are stored stay good.
static void hash_of(const char *criteria, const char *rest, char out_text[LADDER_SHA256_TEXT]) {
    ladder_sha256 hash;
    ladder_sha256_begin(&hash);
    ladder_sha256_add(&hash, criteria, strlen(criteria));
    ladder_sha256_add(&hash, rest, strlen(rest));
    ladder_sha256_end(&hash, out_text);
}

kl_status ladder_write_rubric(FILE *out, const ladder_description *d,
                              const ladder_modelled_file *modelled, kl_error *err) {
    char *criteria = NULL, *rest = NULL, hash[LADDER_SHA256_TEXT];
    size_t criteria_bytes = 0, rest_bytes = 0;
    FILE *first = open_memstream(&criteria, &criteria_bytes),
         *second = open_memstream(&rest, &rest_bytes);
    if (first) {
        fputs("static const char *const allow_imports[] = {", first);
        put_texts(first, d->root, "allow_imports");
        fputs("};\n", first);
        put_criteria(first, d, modelled);
    }
    if (second) put_rest(second, d, modelled);
    bool whole = first && second;
    if (first && fclose(first) != 0) whole = false;
    if (second && fclose(second) != 0) whole = false;
    if (whole) {
        hash_of(criteria, rest, hash);
        fprintf(out,
                "// Made from lab.json by ladder-lab; do not edit.\n"
                "#include \"grade/rubric/rubric.h\"\n\n%s\nextern const ladder_rubric "
                "ladder_rubric_%s;\nconst ladder_rubric ladder_rubric_%s = {\n    .note = ",
                criteria, d->lab, d->lab);
        put_text(out, d->root, "note", "");
        fprintf(out, ",\n    .hash = \"%s\",\n%s", hash, rest);
    }
    free(criteria);
    free(rest);
    return whole ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for the rubric of %s", d->lab);
}

static void put_asked(FILE *out, value root) {
    EACH(asked, root, "questions") {
        fprintf(out, "static const ladder_question ask_%lld[] = {\n",
                ladder_field_integer(asked, "step", 0));
        EACH(ask, asked, "ask") {
            static const char *const keys[] = {"name", "text", "unit", "value"};
            fputs("    {", out);
            for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
                put_text(out, ask, keys[i], "");
                fputs(", ", out);
            }
            fputs("INT64_C(", out);
            put_number(out, ask, "size", "0");
            fputs(")},\n", out);
        }
        fputs("    {0, 0, 0, 0, 0},\n};\n", out);
    }
}

void ladder_write_questions(FILE *out, const ladder_description *d) {
    int index = 0;
    fputs("// Made from lab.json by ladder-lab; do not edit.\n"
          "#include \"grade/rubric/questions.h\"\n\n",
          out);
    put_asked(out, d->root);
    EACH(one, d->root, "selfcheck") {
        fprintf(out, "static const char *const values_%d[] = {", index++);
        put_texts(out, one, "values");
        fputs("};\n", out);
    }
    fputs("static const ladder_asked steps[] = {\n", out);
    EACH(asked, d->root, "questions") {
        long long step = ladder_field_integer(asked, "step", 0);
        fprintf(out, "    {%lld, ", step);
        put_case(out, asked);
        fputs(", ", out);
        put_text(out, asked, "none", "");
        fprintf(out, ", ask_%lld, %d},\n", step, ladder_field_count(asked, "ask"));
    }
    fputs("    {0, 0, 0, 0, 0, 0},\n};\nstatic const ladder_selfcheck selfchecks[] = {\n", out);
    index = 0;
    EACH(one, d->root, "selfcheck") {
        fputs("    {", out);
        put_text(out, one, "question", "");
        fputs(", ", out);
        put_text(out, one, "answer", "");
        fprintf(out, ", %lld, ", ladder_field_integer(one, "step", -1));
        put_case(out, one);
        fprintf(out, ", values_%d, %d},\n", index++, ladder_field_count(one, "values"));
    }
    fprintf(
        out,
        "    {0, 0, 0, 0, 0, 0, 0},\n};\n\nextern const ladder_questions ladder_questions_%s;\n"
        "const ladder_questions ladder_questions_%s = {\n    .asked = steps,\n"
        "    .asked_count = %d,\n    .selfchecks = selfchecks,\n    .selfcheck_count = %d,\n};\n",
        d->lab, d->lab, ladder_field_count(d->root, "questions"),
        ladder_field_count(d->root, "selfcheck"));
}

static void put_watches(FILE *out, value root) {
    int count = 0;
    EACH(watch, root, "watch") count += kl_json_member(watch, "counter") != NULL;
    fprintf(out, "enum { KL_WATCH_COUNT = %d };\nstatic const kl_watch watches[] = {\n", count);
    EACH(watch, root, "watch") {
        if (!kl_json_member(watch, "counter")) continue; // only the page has it: nothing counts it
        fprintf(out, "    {%lld, ", ladder_field_integer(watch, "step", 0));
        put_text(out, watch, "text", "");
        fputs(", ", out);
        put_text(out, watch, "counter", "");
        fputs(", ", out);
        put_text(out, watch, "per", "");
        fputs(", ", out);
        put_number(out, watch, "scale", "1");
        fputs(", ", out);
        put_number(out, watch, "target", "__builtin_nan(\"\")");
        fputs(", INT64_C(", out);
        put_number(out, watch, "size", "0");
        fputs("), ", out);
        put_text(out, watch, "family", "");
        fputs("},\n", out);
    }
    if (count == 0) fputs("    {0, 0, 0, 0, 0, 0, 0, 0}, // none: C wants a row\n", out);
    fputs("};\n", out);
}

// A line of warp_instructions.txt that begins with a digit is a row of kl_executed.
static kl_status put_executed(FILE *out, const char *executed, kl_error *err) {
    char *rows = NULL;
    size_t bytes = 0;
    int count = 0, line = 0;
    FILE *to = open_memstream(&rows, &bytes);
    if (!to) return kl_fail(err, KL_ERROR_MEMORY, "no memory for warp_instructions.txt");
    kl_status status = KL_OK;
    for (const char *at = executed; at && *at != '\0' && status == KL_OK;) {
        size_t length = strcspn(at, "\n");
        char text[160], family[64], instructions[40], behind;
        unsigned step;
        snprintf(text, sizeof text, "%.*s", (int)(length < 159 ? length : 159), at);
        line++;
        if (*at >= '0' && *at <= '9') {
            int found = sscanf(text, "%u %63[A-Za-z0-9_-] %39[0-9.e+-] %c", &step, family,
                               instructions, &behind);
            if (found != 3)
                status = kl_fail(err, KL_ERROR_INPUT,
                                 "warp_instructions.txt:%d: expected STEP FAMILY NUMBER", line);
            else
                fprintf(to, "    {%u, \"%s\", %s},\n", step, family, instructions);
            count++;
        }
        at += length + (at[length] == '\n');
    }
    if (count == 0) fputs("    {0, 0, 0},\n", to);
    if (fclose(to) != 0 && status == KL_OK)
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for warp_instructions.txt");
    if (status == KL_OK)
        fprintf(out,
                "enum { KL_EXECUTED_COUNT = %d };\nstatic const kl_executed executed[] = {\n%s};\n",
                count, rows);
    free(rows);
    return status;
}

// "grid" of "2_grid.cu".
static int name_of(value step, const char **out_name) {
    const char *file = ladder_field_text(step, "file", "");
    *out_name = strchr(file, '_') + 1;
    return (int)(strlen(*out_name) - strlen(".cu"));
}

kl_status ladder_write_steps(FILE *out, const ladder_description *d, const char *executed,
                             kl_error *err) {
    fputs("// Made from lab.json by ladder-lab; do not edit. The lab's steps, for its problem.c "
          "alone.\nstatic const kl_step_info steps[] = {\n",
          out);
    EACH(step, d->root, "steps") {
        value needs = kl_json_member(step, "needs");
        const char *name;
        int length = name_of(step, &name);
        fprintf(out, "    {%lld, \"%.*s\", ", ladder_field_integer(step, "step", 0), length, name);
        put_text(out, step, "reason", "");
        fprintf(out, ", %s, %lld, %lld, %s},\n", word_of(step, "given"),
                ladder_field_integer(needs, "sm", 0), ladder_field_integer(needs, "cuda", 0),
                word_of(needs, "exact"));
    }
    fputs("};\n", out);
    put_watches(out, d->root);
    return put_executed(out, executed, err);
}

void ladder_write_figures(FILE *out, const ladder_description *d) {
    EACH(figure, d->root, "figures")
    fprintf(out, "%s %s\n", ladder_field_text(figure, "file", ""),
            ladder_field_text(figure, "draw", ""));
}

void ladder_write_cmake(FILE *out, const ladder_description *d) {
    fputs("# Made from lab.json by ladder-lab; do not edit.\nset(lab_steps", out);
    EACH(step, d->root, "steps") fprintf(out, " %s", ladder_field_text(step, "file", ""));
    fputs(")\nset(lab_given", out);
    EACH(step, d->root, "steps") {
        if (ladder_field_true(step, "given"))
            fprintf(out, " %s", ladder_field_text(step, "file", ""));
    }
    fputs(")\nset(lab_numbers", out);
    EACH(step, d->root, "steps") fprintf(out, " %lld", ladder_field_integer(step, "step", 0));
    fputs(")\n", out);
    EACH(step, d->root, "steps") {
        value needs = kl_json_member(step, "needs");
        long long number = ladder_field_integer(step, "step", 0);
        fprintf(out,
                "set(needs_sm_%lld %lld)\nset(needs_cuda_%lld %lld)\nset(needs_exact_%lld %s)\n",
                number, ladder_field_integer(needs, "sm", 0), number,
                ladder_field_integer(needs, "cuda", 0), number,
                ladder_field_true(needs, "exact") ? "ON" : "OFF");
    }
    fputs("set(lab_figures", out);
    EACH(figure, d->root, "figures")
    fprintf(out, "\n  \"%s %s\"", ladder_field_text(figure, "file", ""),
            ladder_field_text(figure, "draw", ""));
    fputs(")\n", out);
}

kl_status ladder_modelled_load(const char *path, ladder_modelled_file *out_file, kl_error *err) {
    size_t bytes = 0;
    ladder_modelled_file file = {0};
    *out_file = file;
    FILE *there = fopen(path, "rb");
    if (!there) return KL_OK; // made from measured runs, which a lab need not have
    fclose(there);
    TRY(ladder_description_file(path, &file.text, &bytes, err));
    kl_status status = kl_json_read(path, file.text, bytes, &file.document, err);
    if (status == KL_OK)
        *out_file = file;
    else
        free(file.text);
    return status;
}

void ladder_modelled_free(ladder_modelled_file *file) {
    kl_json_free(&file->document);
    free(file->text);
    *file = (ladder_modelled_file){0};
}

const kl_json_value *ladder_modelled_find(const ladder_modelled_file *file, int step,
                                          const kl_json_value *criterion) {
    char key[256];
    snprintf(key, sizeof key, "%d/%lld/%.160s/%lld", step,
             ladder_field_integer(criterion, "over", 0), ladder_field_text(criterion, "family", ""),
             ladder_field_integer(criterion, "size", 0));
    return kl_json_member(kl_json_member(file->document.root, "criteria"), key);
}
