// SPDX-License-Identifier: MIT
// Names what a rubric asks for in speed, so that thresholds that were measured or modelled for one
// version of a rubric (grade/speed/thresholds.h, labs/modelled.json) are not used with another.
#ifndef LADDER_RUBRIC_SPEED_HASH_H
#define LADDER_RUBRIC_SPEED_HASH_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "utilities/sha256.h"

struct ladder_rubric;

enum { LADDER_SPEED_HASH_TEXT = 17 }; // 16 hexadecimal digits and the terminator

// A rubric's speed criteria are added in its order, between ladder_sha256_begin and the end below.
// has_counts: the step has criteria on counts, which close those on speed to earlier steps.
void ladder_speed_hash_add(ladder_sha256 *hash, int step, bool has_counts, int over,
                           const char *family, int64_t size, double full, double zero);
void ladder_speed_hash_end(ladder_sha256 *hash, char out_text[LADDER_SPEED_HASH_TEXT]);

// The whole of it, of a rubric.
void ladder_rubric_speed_hash(const struct ladder_rubric *rubric,
                              char out_text[LADDER_SPEED_HASH_TEXT]);

// KL_ERROR_INPUT when the thresholds of modelled times were made for other speed criteria than the
// rubric has; says what to run. lab: the folder's name.
kl_status ladder_rubric_check_modelled(const struct ladder_rubric *rubric, const char *lab,
                                       kl_error *err);

#endif
