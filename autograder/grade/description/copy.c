// A lab's description as others get it: see description.h. What is left out is cut from the file's
// text with one comma, so that everything else keeps its layout.
#include "grade/description/description.h"

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
