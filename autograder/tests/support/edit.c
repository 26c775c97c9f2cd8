// Wrong kernels as edits: see edit.h. A file is cut into sections first; their changes are read
// when they are applied.
#include "edit.h"

static const char edit_mark[] = "=== edit ", part_mark[] = "=== part ", with_mark[] = "=== with ";
static const char all_mark[] = "=== all\n", append_mark[] = "=== append\n",
                  body_mark[] = "=== body\n", only_mark[] = "=== only\n";
static const char next_mark[] = "@@\n";

// A piece of a text, whole lines.
typedef struct span {
    const char *text;
    size_t bytes;
} span;

kl_status edit_read_heading(const char *text, edit_heading *out_heading, kl_error *err) {
    out_heading->misses = 0;
    if (sscanf(text, "// %d_%*[a-zA-Z0-9_] %63[A-Z_/] misses=%d", &out_heading->step,
               out_heading->expect, &out_heading->misses) >= 2)
        return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "the name must be STEP_WORDS, an OUTCOME behind it");
}

static bool begins_with(const char *text, const char *mark) {
    return strncmp(text, mark, strlen(mark)) == 0;
}

static const char *next_line(const char *text) {
    const char *end = strchr(text, '\n');
    return end ? end + 1 : text + strlen(text);
}

static bool begins_section(const char *line) {
    return begins_with(line, edit_mark) || begins_with(line, part_mark);
}

// How often these lines stand in the text; *out_first: where first. `lines` ends with a line end.
static int count_lines(const char *text, span lines, const char **out_first) {
    int count = 0;
    for (; *text != '\0'; text = next_line(text)) {
        if (strncmp(text, lines.text, lines.bytes) != 0) continue;
        if (count++ == 0) *out_first = text;
    }
    return count;
}

// Puts the joined parts, which may be parts of it, in the place of *text.
static kl_status join_into(char **text, const span *parts, int count, kl_error *err) {
    size_t bytes = 1;
    for (int i = 0; i < count; i++) bytes += parts[i].bytes;
    char *joined = malloc(bytes), *to = joined;
    if (!joined) return kl_fail(err, KL_ERROR_MEMORY, "no memory for edits");
    for (int i = 0; i < count; i++) {
        memcpy(to, parts[i].text, parts[i].bytes);
        to += parts[i].bytes;
    }
    *to = '\0';
    free(*text);
    *text = joined;
    return KL_OK;
}

static kl_status fail_at(const edit *edit, int line, kl_error *err, const char *text) {
    return kl_fail(err, KL_ERROR_INPUT, "%s:%d: %s: %s", edit->path, line, edit->name, text);
}

// Puts `after` in the place of `before`, which must be there once. line: where they begin.
static kl_status replace(const edit *edit, int line, char **text, span before, span after,
                         kl_error *err) {
    const char *at = NULL;
    char message[256];
    int found = before.bytes > 0 ? count_lines(*text, before, &at) : 0;
    int shown = before.bytes > 0 ? (int)strcspn(before.text, "\n") : 0;
    if (before.bytes == 0) return fail_at(edit, line, err, "no old text");
    if (before.bytes == after.bytes && memcmp(before.text, after.text, after.bytes) == 0)
        return fail_at(edit, line, err, "old and new text are the same");
    if (found != 1) {
        snprintf(message, sizeof message, "the old text \"%.*s\"%s is %s; %s", shown, before.text,
                 before.bytes > (size_t)shown + 1 ? " and what follows" : "",
                 found == 0 ? "not in the step" : "in the step more than once",
                 found == 0 ? "it takes whole lines; has the solution changed?"
                            : "add lines around it");
        return fail_at(edit, line, err, message);
    }
    const span parts[] = {
        {*text, (size_t)(at - *text)}, after, {at + before.bytes, strlen(at + before.bytes)}};
    return join_into(text, parts, 3, err);
}

// Puts these lines into the place of the step's function, which is called honest from there on.
static kl_status give_body(const edit *edit, int line, span body, char **text, kl_error *err) {
    static const char start[] = "extern \"C\" int ", honest[] = "static int honest";
    const char *at = *text;
    while (*at != '\0' && !begins_with(at, start)) at = next_line(at);
    const char *open = strchr(at, '('), *end = open ? strstr(open, "{\n") : NULL;
    if (!end) return fail_at(edit, line, err, "the step has no function");
    const span parts[] = {{*text, (size_t)(at - *text)},
                          {honest, strlen(honest)},
                          {open, strlen(open)},
                          {"\n", 1},
                          {at, (size_t)(end + 2 - at)},
                          body,
                          {"}\n", 2}};
    return join_into(text, parts, 7, err);
}

// Makes the step its #include lines, those that the lines begin with, and a function with the other
// lines.
static kl_status leave_only(const edit *edit, span lines, char **text, kl_error *err) {
    static const char start[] = "extern \"C\" int ", include[] = "#include ";
    size_t bytes = 0;
    char *includes = NULL;
    FILE *out = open_memstream(&includes, &bytes);
    if (!out) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the edit");
    const char *at = *text, *body = lines.text;
    for (; *at != '\0' && !begins_with(at, start); at = next_line(at))
        if (begins_with(at, include)) fwrite(at, 1, (size_t)(next_line(at) - at), out);
    for (; begins_with(body, include); body = next_line(body)) {}
    fwrite(lines.text, 1, (size_t)(body - lines.text), out);
    fclose(out);
    const char *end = strstr(at, "{\n");
    const span parts[] = {{includes, bytes},
                          {"\n", 1},
                          {at, end ? (size_t)(end + 2 - at) : 0},
                          {body, lines.bytes - (size_t)(body - lines.text)},
                          {"}\n", 2}};
    kl_status status = end ? join_into(text, parts, 5, err)
                           : fail_at(edit, edit->body_line, err, "the step has no function");
    free(includes);
    return status;
}

// The lines behind a mark at `at`, up to the next one or to the end of the changes.
static kl_status add_lines(const edit *edit, const char *at, const char *end, int line, char **text,
                           kl_error *err) {
    while (at < end) {
        const char *mark = at, *first = next_line(at);
        int mark_line = line++;
        for (at = first; at < end && !begins_with(at, "==="); at = next_line(at)) line++;
        const span lines = {first, (size_t)(at - first)};
        const span parts[] = {{*text, strlen(*text)}, {"\n", 1}, lines};
        if (begins_with(mark, body_mark)) TRY(give_body(edit, mark_line, lines, text, err));
        else TRY(join_into(text, parts, 3, err));
    }
    return KL_OK;
}

// Each change in turn, as a diff shows it, then whole lines. before, after: room for the old and
// the new lines of all changes.
static kl_status apply_changes(const edit *edit, char *before, char *after, char **text,
                               kl_error *err) {
    const char *at = edit->body, *end = at + edit->body_bytes;
    span from = {before, 0}, to = {after, 0};
    int line = edit->body_line, first = line;
    for (; at < end && !begins_with(at, "==="); at = next_line(at), line++) {
        size_t bytes = (size_t)(next_line(at) - at), sign = *at != '\n';
        if (begins_with(at, next_mark)) {
            TRY(replace(edit, first, text, from, to, err));
            from.bytes = to.bytes = 0;
            first = line + 1;
            continue;
        }
        if (!strchr("-+ \n", *at))
            return fail_at(edit, line, err, "a line of a change begins with -, + or a blank");
        if (*at != '+') {
            memcpy(before + from.bytes, at + sign, bytes - sign);
            from.bytes += bytes - sign;
        }
        if (*at != '-') {
            memcpy(after + to.bytes, at + sign, bytes - sign);
            to.bytes += bytes - sign;
        }
    }
    if (line > first) TRY(replace(edit, first, text, from, to, err));
    return add_lines(edit, at, end, line, text, err);
}

// What its base makes of the text, then its own changes.
static kl_status apply_all_changes(const edit *edit, char **text, kl_error *err) {
    if (edit->base) TRY(apply_all_changes(edit->base, text, err));
    const span whole = {next_line(edit->body),
                        edit->body_bytes - (size_t)(next_line(edit->body) - edit->body)};
    if (begins_with(edit->body, all_mark)) return join_into(text, &whole, 1, err);
    if (begins_with(edit->body, only_mark)) return leave_only(edit, whole, text, err);
    char *before = malloc(edit->body_bytes + 1), *after = malloc(edit->body_bytes + 1);
    kl_status status = before && after ? apply_changes(edit, before, after, text, err)
                                       : kl_fail(err, KL_ERROR_MEMORY, "no memory for the edit");
    free(before);
    free(after);
    return status;
}

kl_status edit_heading_of(const edit *edit, edit_heading *out_heading, kl_error *err) {
    char title[256];
    snprintf(title, sizeof title, "// %s %s", edit->name, edit->words);
    kl_status status = edit_read_heading(title, out_heading, err);
    if (status != KL_OK) kl_fail_prefix(err, "%s:%d: %s", edit->path, edit->line, edit->name);
    return status;
}

static const char *behind_heading(const edit *edit) {
    const char *at = edit->heading;
    while (begins_with(at, "//")) at = next_line(at);
    return at;
}

kl_status edit_apply(const edit *edit, const char *step, char **out_text, kl_error *err) {
    const span whole = {step, strlen(step)};
    *out_text = NULL;
    TRY(join_into(out_text, &whole, 1, err));
    kl_status status = apply_all_changes(edit, out_text, err);
    const char *title = edit->words[0] == '\0' ? edit->heading : edit->title;
    const span parts[] = {{"// ", title == edit->title ? 3 : 0},
                          {title, (size_t)(behind_heading(edit) - title)},
                          {*out_text, strlen(*out_text)}};
    if (status == KL_OK) status = join_into(out_text, parts, 3, err);
    if (status == KL_OK) return KL_OK;
    free(*out_text);
    *out_text = NULL;
    return status;
}

static kl_status fail_in(const edit_list *list, int line, kl_error *err, const char *what,
                         const char *name) {
    return kl_fail(err, KL_ERROR_INPUT, "%s:%d: %s%s", list->path, line, what, name);
}

// The edit or part that the list has of this name, or NULL. name: up to a blank or its line's end.
static const edit *find_section(const edit_list *list, const char *name) {
    size_t length = strcspn(name, " \n");
    for (int i = 0; i < list->count + list->part_count; i++) {
        const edit *section = i < list->count ? &list->items[i] : &list->parts[i - list->count];
        if (strlen(section->name) == length && strncmp(section->name, name, length) == 0)
            return section;
    }
    return NULL;
}

// at: a line that begins with edit_mark or part_mark, which are as long.
static kl_status begin_section(edit_list *list, const char *at, int line, edit **out_edit,
                               kl_error *err) {
    const char *name = at + strlen(edit_mark);
    size_t length = strcspn(name, " \n"), good = 0;
    edit made = {.path = list->path, .line = line, .title = name, .heading = next_line(at)};
    while (good < length && (isalnum((unsigned char)name[good]) || name[good] == '_')) good++;
    if (length == 0 || good < length || length >= sizeof made.name)
        return fail_in(list, line, err, "an edit's name has letters, digits and _", "");
    memcpy(made.name, name, length);
    const char *words = name + length + (name[length] == ' ');
    snprintf(made.words, sizeof made.words, "%.*s", (int)strcspn(words, "\n"), words);
    if (find_section(list, name))
        return fail_in(list, line, err, "there is an edit of this name above: ", made.name);
    *out_edit =
        begins_with(at, part_mark) ? &list->parts[list->part_count++] : &list->items[list->count++];
    **out_edit = made;
    return KL_OK;
}

// end: the line behind the section.
static kl_status end_section(const edit_list *list, edit *made, const char *end, kl_error *err) {
    const char *at = made->heading;
    int line = made->line + 1;
    for (; at < behind_heading(made); at = next_line(at)) line++;
    if (begins_with(at, with_mark)) {
        made->base = find_section(list, at + strlen(with_mark));
        if (!made->base || made->base == made)
            return fail_at(made, line, err, "no edit or part of this name is above");
        at = next_line(at);
        line++;
    }
    made->body = at;
    made->body_line = line;
    made->body_bytes = (size_t)(end - at);
    while (made->body_bytes > 0 && at[made->body_bytes - 1] == '\n' &&
           (made->body_bytes == 1 || at[made->body_bytes - 2] == '\n'))
        made->body_bytes--;
    if (made->body_bytes == 0 && !made->base) return fail_at(made, line, err, "nothing is changed");
    for (; at < end; at = next_line(at), line++)
        if (begins_with(at, "===") && !begins_with(at, append_mark) &&
            !begins_with(at, body_mark) &&
            !(at == made->body && (begins_with(at, all_mark) || begins_with(at, only_mark))))
            return fail_in(list, line, err, "there is no such mark here", "");
    return KL_OK;
}

static kl_status parse_sections(edit_list *list, kl_error *err) {
    const char *at = list->text;
    edit *open = NULL; // the section that has begun
    for (int line = 1; *at != '\0'; at = next_line(at), line++) {
        if (begins_section(at)) {
            if (open) TRY(end_section(list, open, at, err));
            TRY(begin_section(list, at, line, &open, err));
        } else if (!open && *at != '\n' && !begins_with(at, "//")) {
            return fail_in(list, line, err, "this is in no edit", "");
        }
    }
    return open ? end_section(list, open, at, err) : KL_OK;
}

kl_status edits_parse(const char *path, const char *text, edit_list *out_list, kl_error *err) {
    size_t sections = 1;
    for (const char *at = text; *at != '\0'; at = next_line(at)) sections += begins_section(at);
    *out_list = (edit_list){.text = strdup(text),
                            .items = calloc(sections, sizeof(edit)),
                            .parts = calloc(sections, sizeof(edit))};
    snprintf(out_list->path, sizeof out_list->path, "%s", path);
    if (!out_list->text || !out_list->items || !out_list->parts)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for edits");
    return parse_sections(out_list, err);
}

kl_status edits_read(const char *path, edit_list *out_list, kl_error *err) {
    char *text = NULL;
    size_t capacity = 0;
    FILE *file = fopen(path, "re");
    *out_list = (edit_list){.items = NULL};
    if (!file) return kl_fail(err, KL_ERROR_INPUT, "%s: cannot be read", path);
    ssize_t bytes = getdelim(&text, &capacity, '\0', file);
    fclose(file);
    kl_status status = bytes > 0 ? edits_parse(path, text, out_list, err)
                                 : kl_fail(err, KL_ERROR_INPUT, "%s: is empty", path);
    free(text);
    return status;
}

void edits_free(edit_list *list) {
    free(list->text);
    free(list->items);
    free(list->parts);
    *list = (edit_list){.items = NULL};
}

kl_status edits_find(const edit_list *list, const char *name, const edit **out_edit,
                     kl_error *err) {
    for (int i = 0; i < list->count; i++) {
        *out_edit = &list->items[i];
        if (strcmp(list->items[i].name, name) == 0) return KL_OK;
    }
    return kl_fail(err, KL_ERROR_INPUT, "%s: there is no edit %s", list->path, name);
}
