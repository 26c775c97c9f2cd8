// SPDX-License-Identifier: MIT
// Points that a person gives: see manual_marks.h.
#include "grade/rubric/manual_marks.h"

#include <stdio.h>

// FNV-1a (Fowler, Noll, Vo) of a text and its end.
static uint64_t hash(uint64_t before, const char *text) {
    const uint64_t prime = UINT64_C(0x100000001b3);
    do before = (before ^ (unsigned char)*text) * prime;
    while (*text++ != '\0');
    return before;
}

static uint64_t hash_number(uint64_t before, double number) {
    char text[40];
    snprintf(text, sizeof text, "%a", number);
    return hash(before, text);
}

void ladder_given_sum(const ladder_given *given, ladder_points_change *change) {
    uint64_t all = UINT64_C(0xcbf29ce484222325); // FNV's offset basis
    change->given = change->given_most = change->unmarked = 0;
    for (int i = 0; i < given->count; i++) {
        const ladder_given_criterion *item = &given->items[i];
        if (item->marked) {
            change->given += item->points;
            change->given_most += item->most;
        } else {
            change->unmarked += item->most;
        }
        all = hash(hash(hash(all, item->name), item->text), item->comment);
        all = hash_number(hash_number(all, item->most), item->marked ? item->points : -1);
    }
    for (int i = 0; i < given->comment_count; i++) {
        const ladder_line_comment *comment = &given->comments[i];
        all = hash_number(hash(hash(all, comment->file), comment->text), comment->line);
    }
    change->given_hash = given->count + given->comment_count > 0 ? all : 0;
}

char *ladder_given_say(const ladder_given_criterion *item, char *text, size_t text_bytes) {
    if (!item->marked)
        snprintf(text, text_bytes, "%s: not marked yet (%g points)", item->name, item->most);
    else
        snprintf(text, text_bytes, "%s: %g of %g points%s%s", item->name, item->points, item->most,
                 item->comment[0] != '\0' ? ". " : "", item->comment);
    return text;
}
