// Steps changed so that they count less without doing better (grade/rubric/rubric.h), from the
// text of a lazy kernel. They compile and compute the same. For tests only.
#pragma once

#include <stdint.h>

#include "error.h"

// Good accesses beside the step's own: a warp each.
typedef enum attack_good {
    ATTACK_LOADS,         // global loads of one sector
    ATTACK_STORES,        // global stores of one sector
    ATTACK_ASYNC_COPIES,  // from global to shared memory
    ATTACK_SHARED_LOADS,  // shared loads without bank conflicts
    ATTACK_SHARED_STORES, // shared stores without bank conflicts
    ATTACK_INSTRUCTIONS   // with all threads of the warp active
} attack_good;

// The step's accesses in another form.
typedef enum attack_form {
    ATTACK_GLOBAL_READS,  // global loads as atomics that return a value
    ATTACK_GLOBAL_WRITES, // global stores as atomics
    ATTACK_SHARED_READS,  // shared loads as shared atomics
    ATTACK_SHARED_WRITES  // shared stores as shared atomics
} attack_form;

// The step followed by a kernel that does `amount` good accesses. function: the step's, such as
// "transpose_step1". NULL: the text has no such function. Caller frees.
char *attack_text_beside(const char *text, const char *function, attack_good good, uint64_t amount);

// What is changed beside accesses through variables and pointers.
typedef struct attack_more {
    bool bytes;  // read by atomics on the word around them, which may reach beyond an array's end
    bool copies; // asynchronous ones in inline assembly: atomics and shared stores
} attack_more;

// The step with the accesses of its text in that form. Caller frees.
char *attack_text_by_atomics(const char *text, attack_form form, attack_more more);

// ---- scan.c: reads C and CUDA texts, as far as these need it ----

// Whether a name or number goes on with this.
bool scan_is_word(char c);
const char *scan_blanks(const char *at);
// Behind the bracket that closes the one at `at`.
const char *scan_bracket(const char *at);
// The text without comments; caller frees.
char *scan_without_comments(const char *text);
// The text with given device code of the lab in the place of #include "NAME.cuh". folder: the
// lab's. Caller frees.
kl_status scan_with_headers(const char *text, const char *folder, char **out_text, kl_error *err);
