// SPDX-License-Identifier: MIT
// Wrong kernels as edits: see edit.h.
#include "edit.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char old_mark[] = "=== old\n", new_mark[] = "=== new\n", end_mark[] = "=== end\n";

// A piece of a text, whole lines.
typedef struct span {
    const char *text;
    size_t bytes;
} span;

kl_status edit_read_heading(const char *text, edit_heading *out_heading, kl_error *err) {
    const char *line = strchr(text, '\n');
    out_heading->misses = 0;
    if (line != NULL &&
        sscanf(line + 1, "// %*[a-z-]: step=%d file=%63s expect=%63s misses=%d", &out_heading->step,
               out_heading->file, out_heading->expect, &out_heading->misses) >= 3)
        return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   "the second line must be \"// wrong-kernel: step=N file=NAME expect=OUTCOME\"");
}

static bool begins_with(const char *text, const char *mark) {
    return strncmp(text, mark, strlen(mark)) == 0;
}

// The first line at or after `text` that begins with `mark`, or NULL. text: at the start of a line.
static const char *find_line(const char *text, const char *mark) {
    while (text != NULL && *text != '\0' && !begins_with(text, mark)) {
        text = strchr(text, '\n');
        if (text != NULL) text++;
    }
    return text != NULL && *text != '\0' ? text : NULL;
}

// How often these lines stand in the text; *out_first: where first. `lines` ends with a line end.
static int count_lines(const char *text, span lines, const char **out_first) {
    int count = 0;
    for (; text != NULL && *text != '\0'; text = strchr(text, '\n'), text += text != NULL) {
        if (strncmp(text, lines.text, lines.bytes) != 0) continue;
        if (count++ == 0) *out_first = text;
    }
    return count;
}

static char *join(const span *parts, int count) {
    size_t bytes = 1;
    for (int i = 0; i < count; i++) bytes += parts[i].bytes;
    char *text = malloc(bytes), *to = text;
    for (int i = 0; text != NULL && i < count; i++) {
        memcpy(to, parts[i].text, parts[i].bytes);
        to += parts[i].bytes;
    }
    if (text != NULL) *to = '\0';
    return text;
}

// Puts `after` in the place of `before`, which must be there once.
static kl_status replace(char **text, span before, span after, int change, kl_error *err) {
    const char *at = NULL;
    int found = before.bytes > 0 ? count_lines(*text, before, &at) : 0;
    int shown = (int)strcspn(before.text, "\n");
    if (before.bytes == 0 ||
        (before.bytes == after.bytes && memcmp(before.text, after.text, after.bytes) == 0)) {
        return kl_fail(err, KL_ERROR_INPUT, "change %d: %s", change,
                       before.bytes == 0 ? "no old text" : "old and new text are the same");
    }
    if (found != 1) {
        return kl_fail(err, KL_ERROR_INPUT, "change %d: the old text \"%.*s\"%s is %s; %s", change,
                       shown, before.text,
                       before.bytes > (size_t)shown + 1 ? " and what follows" : "",
                       found == 0 ? "not in the step" : "in the step more than once",
                       found == 0 ? "has the solution changed?" : "add lines around it");
    }
    const span parts[] = {
        {*text, (size_t)(at - *text)}, after, {at + before.bytes, strlen(at + before.bytes)}};
    char *changed = join(parts, 3);
    if (changed == NULL) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the edit");
    free(*text);
    *text = changed;
    return KL_OK;
}

// Each change in turn: old lines up to the mark of the new ones, these up to the next change or the
// end.
static kl_status apply_changes(const char *at, char **text, kl_error *err) {
    int change = 1;
    for (;; change++) {
        const char *before = at + strlen(old_mark), *middle = find_line(before, new_mark);
        const char *after = middle != NULL ? middle + strlen(new_mark) : NULL;
        const char *next = find_line(after, old_mark), *end = find_line(after, end_mark);
        if (end == NULL) {
            return kl_fail(err, KL_ERROR_INPUT, "change %d: \"=== %s\" is missing", change,
                           middle == NULL ? "new" : "end");
        }
        const char *stop = next != NULL && next < end ? next : end;
        span from = {before, (size_t)(middle - before)}, to = {after, (size_t)(stop - after)};
        TRY(replace(text, from, to, change, err));
        if (stop == end) return KL_OK;
        at = stop;
    }
}

kl_status edit_apply(const char *edit, const char *step, char **out_text, kl_error *err) {
    const char *first = find_line(edit, old_mark);
    *out_text = NULL;
    if (first == NULL) return kl_fail(err, KL_ERROR_INPUT, "\"=== old\" is missing");
    const span whole[] = {{step, strlen(step)}};
    char *text = join(whole, 1);
    if (text == NULL) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the edit");
    kl_status status = apply_changes(first, &text, err);
    if (status == KL_OK) {
        const span parts[] = {{edit, (size_t)(first - edit)}, {text, strlen(text)}};
        *out_text = join(parts, 2);
        if (*out_text == NULL) status = kl_fail(err, KL_ERROR_MEMORY, "no memory for the edit");
    }
    free(text);
    return status;
}
