// SPDX-License-Identifier: MIT
// Names what a rubric asks for in speed: see rubric.h.
#include "grade/rubric/rubric.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void ladder_speed_hash_add(ladder_sha256 *hash, int step, bool has_counts, int over,
                           const char *family, int64_t size, double full, double zero) {
    char text[256]; // one line, of which no part can hold a line's end
    int length = snprintf(text, sizeof text, "%d %d %d %.100s %" PRId64 " %.9g %.9g\n", step,
                          has_counts, over, family, size, full, zero);
    ladder_sha256_add(hash, text, (size_t)length);
}

void ladder_speed_hash_end(ladder_sha256 *hash, char out_text[LADDER_SPEED_HASH_TEXT]) {
    char text[LADDER_SHA256_TEXT];
    ladder_sha256_end(hash, text);
    snprintf(out_text, LADDER_SPEED_HASH_TEXT, "%.16s", text);
}

bool ladder_rubric_has_counts(const ladder_rubric_step *row) {
    for (int i = 0; i < row->criteria_count; i++)
        if (row->criteria[i].kind == LADDER_CRITERION_COUNT) return true;
    return false;
}

void ladder_rubric_speed_hash(const ladder_rubric *rubric, char out_text[LADDER_SPEED_HASH_TEXT]) {
    ladder_sha256 hash;
    ladder_sha256_begin(&hash);
    for (int s = 0; s < rubric->step_count; s++) {
        const ladder_rubric_step *row = &rubric->steps[s];
        for (int i = 0; i < row->criteria_count; i++) {
            const ladder_criterion *c = &row->criteria[i];
            if (c->kind == LADDER_CRITERION_SPEED)
                ladder_speed_hash_add(&hash, row->step, ladder_rubric_has_counts(row), c->over,
                                      c->family, c->size, c->full, c->zero);
        }
    }
    ladder_speed_hash_end(&hash, out_text);
}

kl_status ladder_rubric_check_modelled(const ladder_rubric *rubric, const char *lab,
                                       kl_error *err) {
    char now[LADDER_SPEED_HASH_TEXT];
    ladder_rubric_speed_hash(rubric, now);
    if (!rubric->modelled_of || strcmp(rubric->modelled_of, now) == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   "labs/modelled.json was made for other speed criteria than "
                   "labs/%s/lab.json has now; make it again: ./ladder tables",
                   lab);
}
