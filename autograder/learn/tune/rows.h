// Makes a ladder_tune_space of a lab's table. Included once by a file that the build writes for
// each lab with a tune.def; it defines TUNE_FILE ("path") and TUNE_SPACE (name of the space). The
// rows of the table:
//
//   TUNE_PARAMETER(name, what, values..)     parameters, before everything else
//   TUNE_LET(name, expression)               a number that follows from them, for the rules below
//   TUNE_RULE(condition, why)                drops a combination for which it does not hold
//   TUNE_SIZE_RULE(condition, why)           the same at one size; may use SIZE
//   TUNE_SET(name, restriction, what)        a named part of the space, restriction as in --only
//
// Conditions and expressions are C over the names of the parameters, evaluated as int64_t in the
// order of the rows: a rule protects the divisions of the rows below it.
#include "learn/tune/tune.h"

#define TUNE_PARAMETER(name, what, ...) TUNE_INDEX_##name,
#define TUNE_LET(name, expression)
#define TUNE_RULE(condition, why)
#define TUNE_SIZE_RULE(condition, why)
#define TUNE_SET(name, restriction, what)
enum tune_index {
#include TUNE_FILE
    TUNE_INDEX_COUNT
};
#undef TUNE_PARAMETER
_Static_assert((int)TUNE_INDEX_COUNT <= (int)LADDER_TUNE_PARAMETERS, "too many parameters");

// A parameter with more values than there is room for does not compile: excess elements of an
// array.
#define TUNE_PARAMETER(name, what, ...)                                                            \
    {#name, what, {__VA_ARGS__}, (int)(sizeof((const int[]){__VA_ARGS__}) / sizeof(int))},
static const ladder_tune_parameter parameters[] = {
#include TUNE_FILE
};
#undef TUNE_PARAMETER
#undef TUNE_SET

#define TUNE_PARAMETER(name, what, ...)
#define TUNE_SET(name, restriction, what) {#name, restriction, what},
static const ladder_tune_set sets[] = {
#include TUNE_FILE
    {NULL, NULL, NULL},
};
#undef TUNE_PARAMETER
#undef TUNE_SET
#undef TUNE_LET
#undef TUNE_RULE

#define TUNE_PARAMETER(name, what, ...)                                                            \
    const int64_t name = values[TUNE_INDEX_##name];                                                \
    (void)name;
#define TUNE_SET(name, restriction, what)
#define TUNE_LET(name, expression)                                                                 \
    const int64_t name = (expression);                                                             \
    (void)name;
#define TUNE_RULE(condition, why)                                                                  \
    if (!(condition)) return why;
static const char *misfit(const int *values) {
#include TUNE_FILE
    return NULL;
}
#undef TUNE_RULE
#undef TUNE_SIZE_RULE

// Only asked for combinations that make sense, so the rules need not be looked at again.
#define TUNE_RULE(condition, why)
#define TUNE_SIZE_RULE(condition, why)                                                             \
    if (!(condition)) return why;
static const char *misfit_size(const int *values, int64_t SIZE) {
    (void)SIZE;
#include TUNE_FILE
    return NULL;
}
#undef TUNE_PARAMETER
#undef TUNE_LET
#undef TUNE_RULE
#undef TUNE_SIZE_RULE
#undef TUNE_SET

extern const ladder_tune_space TUNE_SPACE;
const ladder_tune_space TUNE_SPACE = {
    .parameters = parameters,
    .parameter_count = TUNE_INDEX_COUNT,
    .sets = sets,
    .set_count = sizeof sets / sizeof sets[0] - 1,
    .misfit = misfit,
    .misfit_size = misfit_size,
};
