// What is made of a lab's description for C and CMake: see description.h. Whole numbers are in the
// C text as they are in the file, others with the 17 digits that give a double back.
#include "grade/description/description.h"
#include "utilities/text.h"

typedef const kl_json_value *value;

#define EACH(item, object, key)                                                                    \
    for (value item = ladder_field_items(object, key); item; item = item->next)

static void put_quoted(FILE *out, const char *text) {
    fputc('"', out);
    for (const char *s = text; *s != '\0'; s++)
        if (*s == '\n') fputs("\\n", out);
        else if ((unsigned char)*s < 0x20) fprintf(out, "\\%03o", (unsigned)*s);
        else if (strchr("\\\"?", *s)) fprintf(out, "\\%c", *s);
        else fputc(*s, out);
    fputc('"', out);
}

static void put_number(FILE *out, value number, const char *absent) {
    char text[40];
    if (!number || number->is_integer) {
        fputs(number ? number->text : absent, out);
        return;
    }
    snprintf(text, sizeof text, "%.17g", number->number);
    fprintf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static const char *word_of(value object, const char *key) {
    return ladder_field_true(object, key) ? "true" : "false";
}

// Writes a form in which fields of the object take the place of their names: $text is a text as a
// C literal, #size a number, ?given true or false. What stands for an absent one follows its name
// as in "$per=call;"; without, "" and 0. {"n", 3} is written by "{$name, #size}".
static void put(FILE *out, value object, const char *form) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
    while (*form != '\0') {
        char kind = *form++, key[24], absent[24] = "";
        int length = strchr("$#?", kind) ? (int)strspn(form, letters) : 0;
        if (length == 0) {
            fputc(kind, out);
            continue;
        }
        snprintf(key, sizeof key, "%.*s", length, form);
        form += length;
        if (*form == '=') {
            int end = (int)strcspn(form, ";");
            snprintf(absent, sizeof absent, "%.*s", end - 1, form + 1);
            form += end + 1;
        }
        if (kind == '$') put_quoted(out, ladder_field_text(object, key, absent));
        else if (kind == '#')
            put_number(out, kl_json_member(object, key), absent[0] != '\0' ? absent : "0");
        else fputs(word_of(object, key), out);
    }
}

// The texts of an array as a C list that ends with 0.
static void put_texts(FILE *out, value object, const char *key) {
    EACH(item, object, key) {
        put_quoted(out, item->text);
        fputs(", ", out);
    }
    fputs("0", out);
}

static bool is_kind(value criterion, const char *kind) {
    return strcmp(ladder_field_text(criterion, "kind", ""), kind) == 0;
}

// What labs/modelled.json says of a speed criterion.
static value entry_of(const ladder_modelled_file *modelled, value step, value criterion) {
    if (!is_kind(criterion, "speed")) return NULL;
    return ladder_modelled_find(modelled, (int)ladder_field_integer(step, "step", 0), criterion);
}

// The tables of the c-th criterion of a step: what must hold besides its count, its hidden cases,
// and how its speed is graded where times are modelled, by device.
static void put_own_tables(FILE *out, value step, value criterion, value entry, int c) {
    long long number = ladder_field_integer(step, "step", 0);
    if (ladder_field_count(criterion, "with") > 0) {
        fprintf(out, "static const ladder_bound with_%lld_%d[] = {\n", number, c);
        EACH(bound, criterion, "with") {
            put(out, bound,
                "    {$text, $counter, $per=call;, $family, INT64_C(#size), #full, #zero},\n");
        }
        fputs("};\n", out);
    }
    if (ladder_field_count(criterion, "cases") > 0) {
        fprintf(out, "static const ladder_hidden_case cases_%lld_%d[] = {\n", number, c);
        EACH(hidden, criterion, "cases") { put(out, hidden, "    {$family, INT64_C(#size)},\n"); }
        fputs("};\n", out);
    }
    if (!entry || kl_json_member(entry, "left_out")) return;
    fprintf(out, "static const ladder_modelled modelled_%lld_%d[] = {\n", number, c);
    EACH(device, entry, "devices") {
        put(out, device, "    {$device, ");
        put(out, entry, "INT64_C(#size), ");
        put(out, device, "#over_us, #full, #zero},\n");
    }
    fputs("};\n", out);
}

static void put_criterion(FILE *out, value step, value criterion, value entry, int c) {
    static const char measured[] = ", .family = $family, .size = INT64_C(#size), .full = #full, "
                                   ".zero = #zero";
    long long number = ladder_field_integer(step, "step", 0);
    int bounds = ladder_field_count(criterion, "with");
    int cases = ladder_field_count(criterion, "cases");
    bool count = is_kind(criterion, "count"), speed = is_kind(criterion, "speed");
    fprintf(out, "    {.kind = LADDER_CRITERION_%s",
            count                             ? "COUNT"
            : speed                           ? "SPEED"
            : is_kind(criterion, "predicted") ? "PREDICTED"
            : is_kind(criterion, "cases")     ? "CASES"
                                              : "CORRECT");
    put(out, criterion, ", .points = #points, .text = $text");
    if (count || speed) put(out, criterion, measured);
    if (count) put(out, criterion, ", .counter = $counter, .per = $per=call;");
    if (kl_json_member(criterion, "cuda")) put(out, criterion, ", .needs_cuda = #cuda");
    if (bounds > 0) fprintf(out, ", .with = with_%lld_%d, .with_count = %d", number, c, bounds);
    if (cases > 0) fprintf(out, ", .cases = cases_%lld_%d, .case_count = %d", number, c, cases);
    if (speed) put(out, criterion, ", .over = #over");
    if (entry && kl_json_member(entry, "left_out")) put(out, entry, ", .unmodelled = $left_out");
    else if (entry)
        fprintf(out, ", .modelled = modelled_%lld_%d, .modelled_count = %d", number, c,
                ladder_field_count(entry, "devices"));
    const char *hidden = ladder_field_hidden(criterion);
    if (hidden) fprintf(out, ", .hidden = \"%s\"", hidden);
    fputs("},\n", out);
}

static void put_criteria(FILE *out, const ladder_description *d,
                         const ladder_modelled_file *modelled) {
    EACH(step, d->root, "steps") {
        int c = 0;
        EACH(criterion, step, "criteria") {
            put_own_tables(out, step, criterion, entry_of(modelled, step, criterion), c++);
        }
    }
    EACH(step, d->root, "steps") {
        int c = 0;
        put(out, step, "static const ladder_criterion criteria_#step[] = {\n");
        EACH(criterion, step, "criteria") {
            put_criterion(out, step, criterion, entry_of(modelled, step, criterion), c++);
        }
        fputs("};\n", out);
    }
    fputs("static const ladder_rubric_step steps[] = {\n", out);
    EACH(step, d->root, "steps") {
        put(out, step, "    {#step, $file, ?given, criteria_#step, ");
        fprintf(out, "%d},\n", ladder_field_count(step, "criteria"));
    }
    fputs("};\n", out);
}

// Everything of the table by which grading goes, from its note on but for its hash.
static void put_rest(FILE *out, const ladder_description *d, const ladder_modelled_file *modelled) {
    fputs("    .modelled_of = ", out);
    if (modelled->of_lab) put(out, modelled->of_lab, "$rubric"); // "": grading says what to do
    else fputs("0", out);
    fprintf(out, ",\n    .allow_imports = allow_imports,\n    .allow_import_count = %d,\n",
            ladder_field_count(d->root, "allow_imports"));
    put(out, kl_json_member(d->root, "limits"),
        "    .build_s = #build_s,\n    .case_s = #case_s,\n    .submission_s = #submission_s,\n"
        "    .instructions = UINT64_C(#instructions),\n"
        "    .read_back_bytes = UINT64_C(#read_back=1024;),\n"
        "    .plain_share = #plain_share=0.5;,\n");
    put(out, d->root, "    .work_log = ?work_log,\n    .app_after_run = ?app_after_run,\n");
    fprintf(out, "    .steps = steps,\n    .step_count = %d,\n};\n",
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
                "ladder_rubric_%s;\nconst ladder_rubric ladder_rubric_%s = {\n",
                criteria, d->lab, d->lab);
        put(out, d->root, "    .note = $note,\n");
        fprintf(out, "    .hash = \"%s\",\n%s", hash, rest);
    }
    free(criteria);
    free(rest);
    return whole ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for the rubric of %s", d->lab);
}

void ladder_write_questions(FILE *out, const ladder_description *d) {
    int index = 0;
    fputs("// Made from lab.json by ladder-lab; do not edit.\n"
          "#include \"grade/rubric/rubric.h\"\n\n",
          out);
    EACH(asked, d->root, "questions") {
        put(out, asked, "static const ladder_question ask_#step[] = {\n");
        EACH(ask, asked, "ask") {
            put(out, ladder_asked_as(d->root, ask), "    {$name, $text, $unit, $value, ");
            put(out, ask, "INT64_C(#size)},\n");
        }
        fputs("    {0, 0, 0, 0, 0},\n};\n", out);
    }
    EACH(one, d->root, "selfcheck") {
        fprintf(out, "static const char *const values_%d[] = {", index++);
        put_texts(out, one, "values");
        fputs("};\n", out);
    }
    fputs("static const ladder_asked steps[] = {\n", out);
    EACH(asked, d->root, "questions") {
        put(out, asked, "    {#step, $family, INT64_C(#size), $none, ask_#step, ");
        fprintf(out, "%d},\n", ladder_field_count(asked, "ask"));
    }
    fputs("    {0, 0, 0, 0, 0, 0},\n};\nstatic const ladder_selfcheck selfchecks[] = {\n", out);
    index = 0;
    EACH(one, d->root, "selfcheck") {
        put(out, one, "    {$question, $answer, #step=-1;, $family, INT64_C(#size), ");
        fprintf(out, "values_%d, %d},\n", index++, ladder_field_count(one, "values"));
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
        if (kl_json_member(watch, "counter")) // else only the page has it: nothing counts it
            put(out, watch,
                "    {#step, $text, $counter, $per, #scale=1;, #target=__builtin_nan(\"\");, "
                "INT64_C(#size), $family},\n");
    }
    if (count == 0) fputs("    {0, 0, 0, 0, 0, 0, 0, 0}, // none: C wants a row\n", out);
    fputs("};\n", out);
}

// A line of warp_instructions.csv behind the lab's name as rows of kl_executed: the family, then
// a number for each step, absent where the step has no such cases. Returns how many rows; -1: none.
static int put_family(FILE *out, const char *line) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    int family = (int)strspn(line, letters), count = 0, step = 0;
    for (const char *at = line + family; *at == ','; step++) {
        size_t length = strcspn(++at, ",\n");
        if (strspn(at, "0123456789.e+-") != length) return -1;
        if (length > 0)
            fprintf(out, "    {%d, \"%.*s\", %.*s},\n", step, family, line, (int)length, at);
        count += length > 0;
        at += length;
    }
    return family > 0 && count > 0 ? count : -1;
}

// Every line that begins with the lab.
static kl_status put_executed(FILE *out, const char *lab, const char *executed, kl_error *err) {
    char *rows = NULL;
    size_t bytes = 0, name = strlen(lab);
    int count = 0, line = 1;
    FILE *to = open_memstream(&rows, &bytes);
    if (!to) return kl_fail(err, KL_ERROR_MEMORY, "no memory for warp_instructions.csv");
    kl_status status = KL_OK;
    for (const char *at = executed; at && *at != '\0' && status == KL_OK; line++) {
        bool own = strncmp(at, lab, name) == 0 && at[name] == ',';
        int more = own ? put_family(to, at + name + 1) : 0;
        if (more < 0)
            status = kl_fail(err, KL_ERROR_INPUT,
                             "warp_instructions.csv:%d: expected LAB,FAMILY,NUMBER,..", line);
        count += more;
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    if (count == 0) fputs("    {0, 0, 0},\n", to);
    if (fclose(to) != 0 && status == KL_OK)
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for warp_instructions.csv");
    if (status == KL_OK)
        fprintf(out,
                "enum { KL_EXECUTED_COUNT = %d };\nstatic const kl_executed executed[] = {\n%s};\n",
                count, rows);
    free(rows);
    return status;
}

kl_status ladder_write_steps(FILE *out, const ladder_description *d, const char *executed,
                             kl_error *err) {
    fputs("// Made from lab.json by ladder-lab; do not edit. The lab's steps, for its problem.c "
          "alone.\nstatic const kl_step_info steps[] = {\n",
          out);
    EACH(step, d->root, "steps") {
        const char *name = strchr(ladder_field_text(step, "file", ""), '_') + 1; // of "2_grid.cu"
        put(out, step, "    {#step, ");
        fprintf(out, "\"%.*s\"", (int)(strlen(name) - strlen(".cu")), name);
        put(out, step, ", $reason, ?given, ");
        put(out, kl_json_member(step, "needs"), "#sm, #cuda, ?exact, #devices},\n");
    }
    fputs("};\n", out);
    put_watches(out, d->root);
    return put_executed(out, d->lab, executed, err);
}

void ladder_write_figures(FILE *out, const ladder_description *d) {
    EACH(figure, d->root, "figures") {
        fprintf(out, "%s %s\n", ladder_field_text(figure, "file", ""),
                ladder_field_text(figure, "draw", ""));
    }
}

void ladder_write_cmake(FILE *out, const ladder_description *d) {
    fputs("# Made from lab.json by ladder-lab; do not edit.\nset(lab_steps", out);
    EACH(step, d->root, "steps") put(out, step, " $file");
    fputs(")\nset(lab_given", out);
    EACH(step, d->root, "steps") {
        if (ladder_field_true(step, "given")) put(out, step, " $file");
    }
    fputs(")\nset(lab_numbers", out);
    EACH(step, d->root, "steps") put(out, step, " #step");
    fputs(")\n", out);
    EACH(step, d->root, "steps") {
        static const char *const forms[][2] = {{"set(needs_sm_#step ", "#sm)\n"},
                                               {"set(needs_cuda_#step ", "#cuda)\n"},
                                               {"set(needs_exact_#step ", "?exact)\n"},
                                               {"set(needs_devices_#step ", "#devices)\n"}};
        for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
            put(out, step, forms[i][0]);
            put(out, kl_json_member(step, "needs"), forms[i][1]);
        }
    }
    fputs("set(lab_figures", out);
    EACH(figure, d->root, "figures") {
        fprintf(out, "\n  \"%s %s\"", ladder_field_text(figure, "file", ""),
                ladder_field_text(figure, "draw", ""));
    }
    fputs(")\n", out);
}

kl_status ladder_modelled_read(const char *name, const char *text, size_t bytes, const char *lab,
                               ladder_modelled_file *out_file, kl_error *err) {
    ladder_modelled_file file = {0};
    *out_file = file;
    TRY(kl_json_read(name, text, bytes, &file.document, err));
    file.of_lab = kl_json_member(kl_json_member(file.document.root, "labs"), lab);
    *out_file = file;
    return KL_OK;
}

kl_status ladder_modelled_load(const char *path, const char *lab, ladder_modelled_file *out_file,
                               kl_error *err) {
    char *text = NULL;
    size_t bytes = 0;
    *out_file = (ladder_modelled_file){0};
    FILE *there = fopen(path, "rb");
    if (!there) return KL_OK; // made from measured runs, which labs need not have
    fclose(there);
    TRY(ladder_description_file(path, &text, &bytes, err));
    kl_status status = ladder_modelled_read(path, text, bytes, lab, out_file, err);
    if (status == KL_OK) out_file->text = text;
    else free(text);
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
    return kl_json_member(kl_json_member(file->of_lab, "criteria"), key);
}

// ---- a description as others get it -------------------------------------------------------------
// What is left out is cut from the text with one comma: everything else keeps its layout.

typedef struct cutter {
    const ladder_description *d;
    char *text;  // [used] so far
    size_t used; // bytes
    size_t at;   // of the file, up to which it is copied
} cutter;

static bool is_blank(char c) { return c != '\0' && strchr(" \t\r\n", c) != NULL; }

static void copy_to(cutter *c, size_t to) {
    if (to <= c->at) return;
    memcpy(c->text + c->used, c->d->text + c->at, to - c->at);
    c->used += to - c->at;
    c->at = to;
}

// Cuts an item of an object or array. first: none of those before it is left, so that the comma
// behind it goes, and not the one before.
static void cut(cutter *c, const kl_json_value *item, bool first) {
    size_t begin = item->key_begin, end = item->end;
    if (!first) {
        copy_to(c, begin);
        while (c->used > 0 && is_blank(c->text[c->used - 1])) c->used--;
        if (c->used > 0 && c->text[c->used - 1] == ',') c->used--;
    } else {
        copy_to(c, begin);
        while (is_blank(c->d->text[end])) end++;
        if (c->d->text[end] == ',') {
            end++;
            while (is_blank(c->d->text[end])) end++;
        } else {
            end = item->end;
        }
    }
    c->at = end;
}

static int cut_hidden(cutter *c, const kl_json_value *step) {
    int removed = 0, left = 0;
    for (const kl_json_value *item = ladder_field_items(step, "criteria"); item;
         item = item->next) {
        if (ladder_field_left_out(item)) {
            cut(c, item, left == 0);
            removed++;
        } else {
            left++;
        }
    }
    return removed;
}

kl_status ladder_description_copy(const ladder_description *d, bool hidden, bool answers,
                                  char **out_text, int *out_removed, kl_error *err) {
    cutter c = {.d = d, .text = malloc(d->document.bytes + 1)};
    *out_removed = 0;
    if (!c.text) return kl_fail(err, KL_ERROR_MEMORY, "no memory for %s", d->document.name);
    int left = 0;
    for (const kl_json_value *item = d->root->item; item; item = item->next) {
        bool steps = strcmp(item->key, "steps") == 0;
        if (!answers && strcmp(item->key, "selfcheck") == 0) cut(&c, item, left == 0);
        else left++;
        for (const kl_json_value *step = steps && !hidden ? item->item : NULL; step;
             step = step->next)
            *out_removed += cut_hidden(&c, step);
    }
    copy_to(&c, d->document.bytes);
    c.text[c.used] = '\0';
    *out_text = c.text;
    return KL_OK;
}
