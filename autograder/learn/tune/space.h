// SPDX-License-Identifier: MIT
// Spaces of compile-time configurations that `ladder tune` searches: parameters with their values,
// rules, named restrictions. A lab registers one by a table labs/<lab>/tune.def (rows: table.h);
// everything here is generic.
#ifndef LADDER_TUNE_SPACE_H
#define LADDER_TUNE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

enum {
    LADDER_TUNE_PARAMETERS = 24,
    LADDER_TUNE_VALUES = 16,            // of one parameter
    LADDER_TUNE_COMBINATIONS = 1 << 26, // looked at: a second or two
    LADDER_TUNE_CONFIGS = 1 << 20,      // that the rules leave
    LADDER_TUNE_TEXT = 512              // of one configuration
};

// Something that is varied.
typedef struct ladder_tune_parameter {
    const char *name;               // the kernel is compiled with -DTUNE_<name>=<value>
    const char *what;               // what it means, for people
    int values[LADDER_TUNE_VALUES]; // [value_count]
    int value_count;                // of values
} ladder_tune_parameter;

// A named restriction.
typedef struct ladder_tune_set {
    const char *name; // what --set takes
    const char *only; // "BM=128,256 STAGES=3"
    const char *what; // for people
} ladder_tune_set;

// All that may be varied.
typedef struct ladder_tune_space {
    const ladder_tune_parameter *parameters; // [parameter_count]
    int parameter_count;                     // of parameters
    const ladder_tune_set *sets;             // the first is the default
    int set_count;                           // of sets
    // values: [parameter_count]. NULL when the combination makes sense, else why it does not.
    const char *(*misfit)(const int *values);
    // The same for a size of the lab's timed cases.
    const char *(*misfit_size)(const int *values, int64_t size);
} ladder_tune_space;

// A configuration.
typedef struct ladder_tune_config {
    int values[LADDER_TUNE_PARAMETERS]; // by parameter
} ladder_tune_config;

// Which values of each parameter may be taken: bit v of allowed[p] stands for values[v].
typedef struct ladder_tune_filter {
    uint32_t allowed[LADDER_TUNE_PARAMETERS]; // by parameter
} ladder_tune_filter;

// The configurations that are taken.
typedef struct ladder_tune_configs {
    ladder_tune_config *items; // in the order of the table, the last parameter fastest
    size_t count;              // of items
    size_t combinations;       // looked at
    size_t sensible;           // of those, what the rules allow; `count` of them were taken
} ladder_tune_configs;

// A filter that allows every value.
void ladder_tune_filter_all(const ladder_tune_space *space, ladder_tune_filter *out_filter);

// Narrows a filter by "NAME=VALUE[,VALUE..] ..", words separated by blanks. KL_ERROR_USAGE names
// the word that is not understood and what is possible instead.
kl_status ladder_tune_filter_narrow(const ladder_tune_space *space, const char *only,
                                    ladder_tune_filter *filter, kl_error *err);

// Narrows by the set of this name; "all" stands for no restriction, NULL for the first set.
kl_status ladder_tune_filter_set(const ladder_tune_space *space, const char *name,
                                 ladder_tune_filter *filter, kl_error *err);

// All combinations that filter and rules allow; with limit > 0 at most that many, spread evenly
// over them. KL_ERROR_USAGE when nothing is left. Free with ladder_tune_configs_free.
kl_status ladder_tune_enumerate(const ladder_tune_space *space, const ladder_tune_filter *filter,
                                size_t limit, ladder_tune_configs *out_configs, kl_error *err);
void ladder_tune_configs_free(ladder_tune_configs *configs);

// Whether the two have the same value of every parameter.
bool ladder_tune_same(const ladder_tune_space *space, const ladder_tune_config *a,
                      const ladder_tune_config *b);

// "BM=128 BN=64 ..": the parameters in `which` (bit p: parameter p). Returns `text`.
char *ladder_tune_config_text(const ladder_tune_space *space, const ladder_tune_config *config,
                              uint32_t which, char *text, size_t text_bytes);

// The parameters in which the configurations differ: bit p for parameter p.
uint32_t ladder_tune_varying(const ladder_tune_space *space, const ladder_tune_config *items,
                             size_t count);

// Index of a parameter by name (letter case is ignored), or -1.
int ladder_tune_parameter_find(const ladder_tune_space *space, const char *name);

#endif
