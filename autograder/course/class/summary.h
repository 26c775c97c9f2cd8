// SPDX-License-Identifier: MIT
// What a class's page needs of each submission, and what comes of all of them: distribution by
// step, mistakes that several made.
#ifndef LADDER_CLASS_SUMMARY_H
#define LADDER_CLASS_SUMMARY_H

#include "show/report/report.h"

// One submission.
typedef struct ladder_member {
    char id[96];              // of its folder of results
    char shown[LADDER_TITLE]; // on pages: its name, or a pseudonym
    char page[LADDER_TITLE];  // file of its page
    char why[LADDER_MESSAGE]; // it has no score; "": it has one
    char card[320];           // what ran the steps, in words
    double score;             // 0 .. 100, NaN without one
    int step_count;           // of steps
    struct {
        ladder_outcome outcome;
        double share;    // of the step's points
        double time_us;  // modelled, of the common case (show/report/figures.h); NaN: not counted
        double timed_us; // measured (ladder_timed_us); NaN: not timed
        const char *finding;  // the checker's first one: a name of checks.def; NULL: none
        int prediction_count; // of predictions
        ladder_prediction predictions[LADDER_ASKED_MAX]; // of the step, beside its counts
    } steps[LADDER_STEPS_MAX];                           // in the rubric's order
    char nickname[LADDER_NICKNAME];                      // for the leaderboard; "": not on it
    double
        solution; // how alike it is to the kit's solution (course/class/similar.h); NaN: not known
} ladder_member;

// shown, page and card are the caller's to fill in.
void ladder_member_from(const ladder_lab *lab, const ladder_result *result,
                        ladder_member *out_member);

// Quartiles of members: [count]; of fewer than five scores, or times, they are not told, since they
// would say who is who. solution: the kit's own result, or NULL.
void ladder_distribution_of(const ladder_lab *lab, const ladder_member *members, size_t count,
                            const ladder_result *solution, ladder_distribution *out_distribution);

// What became of a step in the whole class.
typedef struct ladder_step_counts {
    size_t right, failed, absent; // submissions
    double share;                 // mean share of the step's points, of those with a score
} ladder_step_counts;
// members: [count]. index: of the step in the rubric.
ladder_step_counts ladder_step_counts_of(const ladder_member *members, size_t count, int index);

// Index of the first step that was handed in and failed; -1: none.
int ladder_first_failure(const ladder_member *member);

// One number that is asked of a step, in the whole class: predictions before the first run, and
// how they compare with what the student's own step counts.
typedef struct ladder_predicted {
    int index;               // of the step in the rubric
    const char *name, *unit; // of the number, as the lab's questions have it
    size_t predicted, late;  // before the first run; after it
    size_t compared;         // of predicted: of a right step, so that they were counted
    size_t right, near;      // of compared: within 0.5 %, within 10 %
    double ratio;            // median of predicted / counted; NaN: of too few, or all counts are 0
} ladder_predicted;

enum { LADDER_PREDICTED_MAX = 64 };

// All numbers that somebody predicted, in the lab's order; returns how many.
int ladder_predicted_of(const ladder_lab *lab, const ladder_member *members, size_t count,
                        ladder_predicted out_predicted[LADDER_PREDICTED_MAX]);

enum { LADDER_SCORE_BINS = 10 };
// How many scores are in each tenth of 0 .. 100; 100 is in the last one.
void ladder_scores_of(const ladder_member *members, size_t count, size_t bins[LADDER_SCORE_BINS]);

// Index in the rubric of the step that is fastest, of those that are right and whose time is
// modelled, or measured on a GPU; -1: none.
int ladder_fastest_step(const ladder_member *member, bool measured);

// Mean score of those that have one; NaN: nobody.
double ladder_mean_score(const ladder_member *members, size_t count);

// A mistake: what became of a step in how many submissions.
typedef struct ladder_mistake {
    int index;              // of the step in the rubric
    ladder_outcome outcome; // of the step
    const char *finding;    // NULL: none
    size_t count;           // submissions in which it occurred
} ladder_mistake;

// Whether it occurred in this submission.
bool ladder_made_mistake(const ladder_member *member, const ladder_mistake *mistake);

enum { LADDER_MISTAKES_MAX = 64 };

// The most frequent ones first; returns how many. What was not handed in is none.
int ladder_mistakes_of(const ladder_member *members, size_t count,
                       ladder_mistake out_mistakes[LADDER_MISTAKES_MAX]);

// Index of the step on which the class's median is slowest against the solution's time, if by a
// twentieth at least, or, where that time is not known, slowest; -1: no times, or none is slow.
// *out_factor: against the solution, NaN where that is not known.
int ladder_slowest_step(const ladder_lab *lab, const ladder_distribution *distribution,
                        double *out_factor);

#endif
