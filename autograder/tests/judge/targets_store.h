// What the counting of the grader's promises came to so far (docs/targets.json, ladder.targets/1),
// so that it can be spread over many runs: each goes on where the last one ended. The documents'
// figures are generated from the file. One line a row; the last row of a kind is the one that
// grows.
#pragma once

#include "error.h"

enum { TARGETS_ROWS_MAX = 64 };

typedef struct targets_row {
    char kind[16]; // honest: gradings of right steps; kills: of a class run
    char date[16]; // on which it was counted, 2026-01-31
    uint64_t from,
        next;  // units (honest: one lab with inputs of its own; kills: one class), half open
    int done;  // gradings, or kills
    int wrong; // accused, or rows lost or changed
    int left;  // kills: after which a process was left; -1: not looked
} targets_row;

typedef struct targets_store {
    const char *path; // NULL: nothing is kept
    int count;
    targets_row rows[TARGETS_ROWS_MAX];
} targets_store;

// A file that does not exist is an empty store; one that is no store is an error.
kl_status targets_store_read(const char *path, targets_store *out_store, kl_error *err);

// The row that grows: today's of this kind, begun after the last unit of its kind, or with `from`
// when that is not negative and further on. Without a path a row of its own. NULL: too many rows.
targets_row *targets_store_row(targets_store *store, const char *kind, int64_t from);

// Of all rows of a kind. left is of the `watched` gradings or kills where it was looked at.
targets_row targets_store_total(const targets_store *store, const char *kind, int *out_watched);

kl_status targets_store_write(const targets_store *store, kl_error *err);
