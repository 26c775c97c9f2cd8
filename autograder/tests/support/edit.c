// Wrong kernels as edits: see edit.h. A section is found first, then its changes are applied.
#include "edit.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char edit_mark[] = "=== edit ", part_mark[] = "=== part ";
static const char all_mark[] = "=== all\n", like_mark[] = "=== like ", with_mark[] = "=== with ";
static const char append_mark[] = "=== append\n";
static const char old_mark[] = "=== old\n", new_mark[] = "=== new\n", end_mark[] = "=== end\n";

// A piece of a text, whole lines.
typedef struct span {
    const char *text;
    size_t bytes;
} span;

kl_status edit_read_heading(const char *text, edit_heading *out_heading, kl_error *err) {
    const char *line = strchr(text, '\n');
    out_heading->misses = 0;
    if (line &&
        sscanf(line + 1, "// %*[a-z-]: step=%d file=%63s expect=%63s misses=%d", &out_heading->step,
               out_heading->file, out_heading->expect, &out_heading->misses) >= 3)
        return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   "the second line must be \"// wrong-kernel: step=N file=NAME expect=OUTCOME\"");
}

static bool begins_with(const char *text, const char *mark) {
    return strncmp(text, mark, strlen(mark)) == 0;
}

static const char *next_line(const char *text) {
    const char *end = strchr(text, '\n');
    return end ? end + 1 : text + strlen(text);
}

// The first line at or after `text` that begins with `mark`, or NULL. text: at the start of a line.
static const char *find_line(const char *text, const char *mark) {
    while (text && *text != '\0' && !begins_with(text, mark)) text = next_line(text);
    return text && *text != '\0' ? text : NULL;
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

static char *join(const span *parts, int count) {
    size_t bytes = 1;
    for (int i = 0; i < count; i++) bytes += parts[i].bytes;
    char *text = malloc(bytes), *to = text;
    for (int i = 0; text && i < count; i++) {
        memcpy(to, parts[i].text, parts[i].bytes);
        to += parts[i].bytes;
    }
    if (text) *to = '\0';
    return text;
}

// Fails with the line of the file at which `at`, in the edit's text, stands.
static kl_status fail_at(const edit *edit, const char *at, kl_error *err, const char *text) {
    int line = edit->line - 1; // the licence line is the file's, not the section's
    for (const char *c = edit->text; c <= at; c = next_line(c)) line++;
    return kl_fail(err, KL_ERROR_INPUT, "%s:%d: %s: %s", edit->path, line, edit->name, text);
}

// Puts `after` in the place of `before`, which must be there once.
static kl_status replace(const edit *edit, char **text, span before, span after, kl_error *err) {
    const char *at = NULL;
    char message[256];
    int found = before.bytes > 0 ? count_lines(*text, before, &at) : 0;
    int shown = (int)strcspn(before.text, "\n");
    if (before.bytes == 0) return fail_at(edit, before.text, err, "no old text");
    if (before.bytes == after.bytes && memcmp(before.text, after.text, after.bytes) == 0)
        return fail_at(edit, before.text, err, "old and new text are the same");
    if (found != 1) {
        snprintf(message, sizeof message, "the old text \"%.*s\"%s is %s; %s", shown, before.text,
                 before.bytes > (size_t)shown + 1 ? " and what follows" : "",
                 found == 0 ? "not in the step" : "in the step more than once",
                 found == 0 ? "it takes whole lines; has the solution changed?"
                            : "add lines around it");
        return fail_at(edit, before.text, err, message);
    }
    const span parts[] = {
        {*text, (size_t)(at - *text)}, after, {at + before.bytes, strlen(at + before.bytes)}};
    char *changed = join(parts, 3);
    if (!changed) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the edit");
    free(*text);
    *text = changed;
    return KL_OK;
}

// The mark of the first change at or after `text`, or NULL.
static const char *next_change(const char *text) {
    const char *old = find_line(text, old_mark), *append = find_line(text, append_mark);
    return old && (!append || old < append) ? old : append;
}

// Each change in turn: lines behind "=== append" go to the end; old lines up to the mark of the new
// ones, these up to the next change or the end.
static kl_status apply_changes(const edit *edit, const char *at, char **text, kl_error *err) {
    for (;;) {
        bool appends = begins_with(at, append_mark);
        const char *before = next_line(at), *middle = appends ? at : find_line(before, new_mark);
        const char *after = middle ? next_line(middle) : NULL;
        const char *next = next_change(before), *end = find_line(after, end_mark);
        if (!middle || (next && next < middle))
            return fail_at(edit, at, err, "\"=== new\" is missing");
        const char *stop = next ? next : end, *second = find_line(after, new_mark);
        if (second && second < stop) return fail_at(edit, second, err, "\"=== old\" is missing");
        span from = {before, (size_t)(middle - before)}, to = {after, (size_t)(stop - after)};
        if (appends) {
            const span parts[] = {{*text, strlen(*text)}, to};
            char *longer = join(parts, 2);
            if (!longer) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the edit");
            free(*text);
            *text = longer;
        } else {
            TRY(replace(edit, text, from, to, err));
        }
        if (stop == end) return KL_OK;
        at = stop;
    }
}

// Those of its part first, which may have one itself.
static kl_status apply_all_changes(const edit *edit, char **text, kl_error *err) {
    if (edit->part) TRY(apply_all_changes(edit->part, text, err));
    return apply_changes(edit, next_change(edit->text), text, err);
}

kl_status edit_heading_of(const edit *edit, edit_heading *out_heading, kl_error *err) {
    kl_status status = edit_read_heading(edit->text, out_heading, err);
    if (status != KL_OK) kl_fail_prefix(err, "%s:%d: %s", edit->path, edit->line, edit->name);
    return status;
}

// The heading, and behind the mark at `all` the whole text.
static kl_status take_all(const edit *edit, const char *all, char **out_text, kl_error *err) {
    const char *text = next_line(all), *end = find_line(text, "===");
    if (!begins_with(end, end_mark)) return fail_at(edit, end, err, "this is behind \"=== all\"");
    const span parts[] = {{edit->text, (size_t)(all - edit->text)}, {text, (size_t)(end - text)}};
    *out_text = join(parts, 2);
    return *out_text ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for the edit");
}

kl_status edit_apply(const edit *edit, const char *step, char **out_text, kl_error *err) {
    const char *all = find_line(edit->text, all_mark), *first = next_change(edit->text);
    *out_text = NULL;
    if (all && !first) return take_all(edit, all, out_text, err);
    if (all) return fail_at(edit, all, err, "\"=== all\" and \"=== old\"");
    if (!first) return fail_at(edit, edit->text, err, "\"=== old\" is missing");
    const span whole[] = {{step, strlen(step)}};
    char *text = join(whole, 1);
    if (!text) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the edit");
    kl_status status = apply_all_changes(edit, &text, err);
    if (status == KL_OK) {
        const char *marks = find_line(edit->text, "===");
        const span parts[] = {{edit->text, (size_t)(marks - edit->text)}, {text, strlen(text)}};
        *out_text = join(parts, 2);
        if (!*out_text) status = kl_fail(err, KL_ERROR_MEMORY, "no memory for the edit");
    }
    free(text);
    return status;
}

static kl_status fail_in(const edit_list *list, int line, kl_error *err, const char *what,
                         const char *name) {
    return kl_fail(err, KL_ERROR_INPUT, "%s:%d: %s%s", list->path, line, what, name);
}

// The part that the list has of this name, or NULL. name: up to the end of its line.
static edit *find_part(const edit_list *list, const char *name) {
    size_t length = strcspn(name, "\n");
    for (int i = 0; i < list->part_count; i++)
        if (strlen(list->parts[i]->name) == length &&
            strncmp(list->parts[i]->name, name, length) == 0)
            return list->parts[i];
    return NULL;
}

// at: a line that begins with edit_mark or part_mark, which are as long. Adds an edit or a part
// without text.
static kl_status begin_edit(edit_list *list, const char *at, int line, kl_error *err) {
    const char *name = at + strlen(edit_mark);
    bool is_part = begins_with(at, part_mark);
    size_t length = strcspn(name, "\n");
    edit made = {.path = list->path, .line = line};
    const edit *earlier = NULL;
    size_t good = 0;
    while (good < length && (isalnum((unsigned char)name[good]) || name[good] == '_')) good++;
    if (length == 0 || good < length || length >= sizeof made.name)
        return fail_in(list, line, err, "an edit's name has letters, digits and _", "");
    memcpy(made.name, name, length);
    if (edits_find(list, made.name, &earlier, NULL) == KL_OK || find_part(list, made.name))
        return fail_in(list, line, err, "there is an edit of this name above: ", made.name);
    if (is_part) {
        if (list->part_count == (int)(sizeof list->parts / sizeof *list->parts))
            return fail_in(list, line, err, "too many parts: ", made.name);
        edit *part = malloc(sizeof made);
        if (!part) return kl_fail(err, KL_ERROR_MEMORY, "no memory for edits");
        *part = made;
        list->parts[list->part_count++] = part;
        return KL_OK;
    }
    edit *grown = realloc(list->items, ((size_t)list->count + 1) * sizeof made);
    if (!grown) return kl_fail(err, KL_ERROR_MEMORY, "no memory for edits");
    list->items = grown;
    list->items[list->count++] = made;
    return KL_OK;
}

static kl_status join_into(edit *made, const span *parts, int count, kl_error *err) {
    char *joined = join(parts, count);
    if (!joined) return kl_fail(err, KL_ERROR_MEMORY, "no memory for edits");
    free(made->text);
    made->text = joined;
    return KL_OK;
}

// Of the last edit, where it is like an earlier one: that one's changes, then its own; where the
// earlier one is a whole file, a whole file, too.
static kl_status take_like(edit_list *list, kl_error *err) {
    edit *made = &list->items[list->count - 1];
    const edit *base = NULL;
    const char *like = find_line(made->text, like_mark), *first = next_change(like);
    char name[sizeof made->name];
    if (!like) return KL_OK;
    const char *word = like + strlen(like_mark);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "\n"), word);
    if (edits_find(list, name, &base, NULL) != KL_OK || base == made)
        return fail_at(made, like, err, "no edit of this name is above");
    if (!first) return fail_at(made, like, err, "\"=== old\" is missing");
    const char *all = find_line(base->text, all_mark), *end = find_line(base->text, end_mark);
    const span heading = {made->text, (size_t)(like - made->text)};
    if (!all) {
        const char *changes = find_line(base->text, old_mark);
        if (!changes) return fail_at(made, like, err, "the edit of this name changes nothing");
        const span parts[] = {heading, {changes, (size_t)(end - changes)}, {first, strlen(first)}};
        return join_into(made, parts, 3, err);
    }
    const span whole[] = {{next_line(all), (size_t)(end - next_line(all))}};
    char *text = join(whole, 1);
    kl_status status = text ? apply_changes(made, first, &text, err)
                            : kl_fail(err, KL_ERROR_MEMORY, "no memory for edits");
    if (status == KL_OK) {
        const span parts[] = {heading,
                              {all_mark, strlen(all_mark)},
                              {text, strlen(text)},
                              {end_mark, strlen(end_mark)}};
        status = join_into(made, parts, 4, err);
    }
    free(text);
    return status;
}

// Of a section that is there whole.
static kl_status end_edit(edit_list *list, edit *made, bool is_part, kl_error *err) {
    const char *with = find_line(made->text, with_mark);
    bool whole = find_line(made->text, like_mark) || find_line(made->text, all_mark);
    if (is_part && !next_change(made->text))
        return fail_at(made, made->text, err, "\"=== old\" is missing");
    if (with) made->part = find_part(list, with + strlen(with_mark));
    if (with && (!made->part || made->part == made))
        return fail_at(made, with, err, "no part of this name is above");
    if (with && whole) return fail_at(made, with, err, "\"=== with\" is for changes of the step");
    return is_part ? KL_OK : take_like(list, err);
}

kl_status edits_parse(const char *path, const char *text, edit_list *out_list, kl_error *err) {
    edit_list *list = out_list;
    const span licence = {text, (size_t)(next_line(text) - text)};
    const char *body = NULL; // of the section that has begun, `open`
    edit *open = NULL;
    bool is_part = false;
    int line = 1;
    *list = (edit_list){.items = NULL};
    snprintf(list->path, sizeof list->path, "%s", path);
    for (const char *at = text, *next; *at != '\0'; at = next, line++) {
        next = next_line(at);
        if (begins_with(at, edit_mark) || begins_with(at, part_mark)) {
            if (body) break;
            TRY(begin_edit(list, at, line, err));
            is_part = begins_with(at, part_mark);
            open = is_part ? list->parts[list->part_count - 1] : &list->items[list->count - 1];
            body = next;
        } else if (!body) {
            if (*at != '\n' && !begins_with(at, "//"))
                return fail_in(list, line, err, "this is in no edit", "");
        } else if (begins_with(at, end_mark)) {
            const span parts[] = {licence, {body, (size_t)(next - body)}};
            open->text = join(parts, 2);
            if (!open->text) return kl_fail(err, KL_ERROR_MEMORY, "no memory for edits");
            TRY(end_edit(list, open, is_part, err));
            body = NULL;
        } else if (begins_with(at, "===") && !begins_with(at, old_mark) &&
                   !begins_with(at, new_mark) && !begins_with(at, all_mark) &&
                   !begins_with(at, like_mark) && !begins_with(at, with_mark) &&
                   !begins_with(at, append_mark)) {
            return fail_in(list, line, err, "there is no such mark", "");
        }
    }
    if (!body) return KL_OK;
    return fail_in(list, line, err, "\"=== end\" is missing for ", open->name);
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
    for (int i = 0; i < list->count; i++) free(list->items[i].text);
    free(list->items);
    for (int i = 0; i < list->part_count; i++) {
        free(list->parts[i]->text);
        free(list->parts[i]);
    }
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
