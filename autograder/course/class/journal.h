// SPDX-License-Identifier: MIT
// The journal of a class's runs, class/journal in the folder of results: lines are only added, one
// when a run begins, one per submission that begins or ends, one when the run has ended. It says
// what a killed run did, and keeps the seed of its inputs, so that the run that goes on grades on
// the same ones. A finished run's seed is not used again: its reports have told it.
#ifndef LADDER_CLASS_JOURNAL_H
#define LADDER_CLASS_JOURNAL_H

#include <stdio.h>

#include "course/class/rows.h"

// Takes a folder of results for one run: class/lock names host, process and start of the one that
// writes there. KL_ERROR_SYSTEM names it where it is alive, or on another machine, of which nothing
// is known. One that has died is told to notes, and its place is taken. *out_lock: for unlock.
kl_status ladder_class_lock(const char *output, FILE *notes, int *out_lock, kl_error *err);
// -1: nothing was taken.
void ladder_class_unlock(int lock);

// An open journal.
typedef struct ladder_journal {
    int fd;          // of the file, to add lines
    char path[4096]; // of the file, for messages
} ladder_journal;

// What an earlier run left in it.
typedef struct ladder_journal_state {
    bool unfinished; // the last run was killed or stopped
    uint64_t seed;   // of its inputs
    size_t graded;   // submissions that the runs since the last finished one have graded
} ladder_journal_state;

// What the journal of these results says of a run of this lab by its present rubric. One that is
// not there, is damaged, or was not signed with the key of these results says nothing.
ladder_journal_state ladder_journal_read(const char *output, const ladder_lab *lab);

// Begins a run; the key signs what it says of itself. anew: nothing of earlier runs is kept.
// KL_ERROR_SYSTEM names the file.
kl_status ladder_journal_open(const char *output, bool anew, const ladder_lab *lab, uint64_t seed,
                              const ladder_row_key *key, ladder_journal *out_journal,
                              kl_error *err);

// Of a submission: "begin ID".
kl_status ladder_journal_begin(const ladder_journal *journal, const char *id, kl_error *err);
// "graded ID HASH POINTS", "ungradable ID", "lost ID" where no row came; kept: "kept ID", it was
// graded before.
kl_status ladder_journal_end(const ladder_journal *journal, const ladder_row *row, bool kept,
                             kl_error *err);

// finished: every submission has its row.
void ladder_journal_close(ladder_journal *journal, bool finished);

#endif
