// How a step came out, and what is known of its file: the words of outcomes, the results of the
// last commands, and what the file's own text says.
#pragma once

#include "error.h"
#include <stdbool.h>
#include <stddef.h>

// ---- how a step came out ------------------------------------------------------------------------
// How a step, or one of its cases, came out: the rows of outcomes.def. The lab's program and the
// grader have the same ones.

// How a step, or a case of it, came out.
typedef enum ladder_outcome {
#define LADDER_OUTCOME(id, kind, word, text) LADDER_##id,
#include "outcomes.def"
#undef LADDER_OUTCOME
    LADDER_OUTCOMES
} ladder_outcome;

// What an outcome means: right, not handed in, wrong, or not the submission's fault.
typedef enum ladder_outcome_kind {
    LADDER_KIND_GOOD,
    LADDER_KIND_ABSENT,
    LADDER_KIND_BAD,
    LADDER_KIND_UNGRADABLE
} ladder_outcome_kind;

// Kind, word and sentence of an outcome.
ladder_outcome_kind ladder_outcome_kind_of(ladder_outcome outcome);
const char *ladder_outcome_word(ladder_outcome outcome); // "wrong answer"
const char *ladder_outcome_text(ladder_outcome outcome); // for people

// ---- how it came out last -----------------------------------------------------------------------
// How each step of a student came out last, kept from one command to the next so that `ladder next`
// can say where they were: a small text file in the build folder (labs/LAB/last_results.txt), with
// one entry per step and kind. A result belongs to one version of the step's file.

// The file's name, beside the lab's program.
#define KL_LAST_RESULTS_FILE "last_results.txt"

// What gave the result. A step is done when both kinds that there are of its file are good.
typedef enum kl_result_kind {
    KL_RESULT_OF_RUN,  // answers compared with the reference
    KL_RESULT_OF_CHECK // findings of the simulator's checker
} kl_result_kind;

enum {
    KL_LAST_STATE = 32,   // bytes, terminator included
    KL_LAST_TEXT = 512,   // likewise
    KL_LAST_RESULTS = 128 // entries that are read
};

// One result.
typedef struct kl_last_result {
    kl_result_kind kind;       // what gave it
    int step;                  // its number
    uint64_t hash;             // of the step's file, kl_step_file_hash
    int64_t when_s;            // seconds since 1970; 0 when given to kl_last_results_keep: now
    bool good;                 // right, or nothing found
    bool whole;                // of all the lab's cases, not of some of them
    char state[KL_LAST_STATE]; // "ok", "WRONG", "race"; one line, as are texts
    char text[KL_LAST_TEXT];   // the first wrong value or finding; "" when there is none
} kl_last_result;

// Keeps results, [count], no two of one kind and step, in place of the older ones of their kind and
// step; the last of them counts as the newest. A good result of some cases does not replace a bad
// one of the same version of the file. KL_ERROR_SYSTEM when the file cannot be written.
kl_status kl_last_results_keep(const char *file, const kl_last_result *results, int count,
                               kl_error *err);

// Reads all entries, the newest first, into out_results: [KL_LAST_RESULTS]; returns how many. No
// file, or one of another schema: none.
int kl_last_results_read(const char *file, kl_last_result *out_results);

// The entry of this step, kind and version of the step's file among `results`: [count]; NULL when
// there is none.
const kl_last_result *kl_last_result_find(const kl_last_result *results, int count,
                                          kl_result_kind kind, int step, uint64_t hash);

// ---- the text of a step's file ------------------------------------------------------------------
// What the text of a step's file says of itself: whether it is as it was handed out, and whether it
// counts as written.

// How the last line of a handed-out file begins and ends; between them the hash, 16 hex digits, of
// all lines before it.
#define KL_STAMP_START "// ladder-skeleton "
#define KL_STAMP_END   " (as it was handed out; any change makes this file yours)\n"

// FNV-1a, 64 bits (Fowler, Noll, Vo): finds changes; it is not meant to resist a forger.
uint64_t kl_step_text_hash(const char *text, size_t bytes);

// The text of a step's file, terminated (of more than a MiB its beginning); free it. NULL: it
// cannot be read.
char *kl_step_file_text(const char *path, size_t *out_bytes);

// The same of a file; 0 when it cannot be read.
uint64_t kl_step_file_hash(const char *path);

// True when the last line of the text is a stamp that fits the lines before it.
bool kl_step_text_is_untouched(const char *text);

// True when it has a stamp that does not fit: it was handed out, and edited since.
bool kl_step_text_is_edited(const char *text);

// A step that says it is not implemented although its file was changed: when a line of it still is
// "#define IMPLEMENTED 0", fills `out` with a sentence that names the file (without folders) and
// the line, and returns true.
bool kl_step_text_forgotten(const char *path, const char *text, char *out, size_t out_bytes);
// Likewise of the file itself, also of a bug hunt as it was handed out, with the command that looks
// for its bug; false when it cannot be read.
bool kl_step_file_forgotten(const char *path, char *out, size_t out_bytes);

// ---- worth.c ------------------------------------------------------------------------------------
// What the results, counts and modelled times of a simulated run are worth, in a sentence or two.

// Warp instructions executed, by how their results are known to be right.
typedef struct kl_worth {
    double card;     // bit for bit what a card gives
    double programs; // checked by test programs
    double manual;   // by the manual of PTX alone
    double inexact;  // known to differ from a card
    double misled;   // branches and accesses that may depend on a result of these
} kl_worth;

// The names of the simulator's counters of these, in this order.
extern const char *const kl_worth_counters[5];

// The mean error of modelled times in per cent, of a lab's steps ("reduction") or, without a lab or
// for one that was not compared, of kernels that the model was not built with; out_of_lab: whether
// it is the lab's. False: times of this card were not compared. device: a text with its
// full name.
bool kl_worth_time_error(const char *device, const char *lab, double *out_percent,
                         bool *out_of_lab);

// Sentences; "" when nothing was counted. lab NULL: no lab's steps. Returns text.
char *kl_worth_text(const kl_worth *worth, const char *device, const char *lab, char *text,
                    size_t text_bytes);
