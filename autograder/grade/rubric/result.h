// The results of grading, as plain data without pointers into the submission: what the judge fills
// in and the reports print. Texts may hold what a submission printed; every report escapes them for
// its own sink.
#pragma once

#include "grade/rubric/rubric.h"
#include "outcome.h"

// ---- final points (result.c) --------------------------------------------------------------------
// The points of a graded submission. Here alone they become final ones: what being late takes away,
// and what an instructor put in their place. Tables, pages, exports and the gradebook ask here.

enum { LADDER_LATE_RULE = 200 };
// What changes points after grading; all 0: nothing does.
typedef struct ladder_points_change {
    int late_days, slip_days;         // begun after the due date; of the student's budget, for them
    double late_share, late_points;   // what being late costs: of the points, 0 .. 1; points
    char late_rule[LADDER_LATE_RULE]; // due date and late policy, for people; "": none
    double due_s;    // the student's own due date, seconds since 1970; 0: that of the class
    bool overridden; // an instructor decided
    double override; // then: the points in place of all others, of `most`
    // By a person: points; what their criteria can earn, which is the same for a whole class; what
    // of that is not marked yet; a hash of all that was given, 0: nothing.
    double given, given_most, unmarked;
    uint64_t given_hash;
} ladder_points_change;

// Points, as graded and what changes them.
typedef struct ladder_points {
    bool graded;                 // false: it could not be graded, and `reached` counts nothing
    double reached, most;        // as graded, with what a person gave
    ladder_points_change change; // late, overridden
} ladder_points;

// What changes points is this from now on: what a person gave moves the points as graded.
void ladder_points_apply(ladder_points *points, const ladder_points_change *change);

// An override replaces the points and the deduction. final and final_score are NaN for
// what has neither been graded nor overridden; scores (0 .. 100) also where `most` is 0.
double ladder_points_score(const ladder_points *points);     // as graded
double ladder_points_deduction(const ladder_points *points); // of the points, for being late
double ladder_points_final(const ladder_points *points);
double ladder_points_final_score(const ladder_points *points);
// Whether there is a final mark, and whether it is another than the points as graded.
bool ladder_points_are_final(const ladder_points *points);
bool ladder_points_changed(const ladder_points *points);
// "2 days late, 1 slip day", or "". out: [40]; returns it.
char *ladder_late_say(const ladder_points_change *change, char *out);
// The same in a column of a table: "2 (1 slip)", or "-". out: [32]; returns it.
char *ladder_late_short(const ladder_points *points, char *out);

enum { LADDER_POINTS_TEXT = 280 };
// "2 days late: -8.00; final: 32.00 of 50.00 points (64.0 %)", "set by the instructor: 45.00; ..":
// what became of the points, behind the student's own due date and "10 of the points are not
// marked yet"; "" when there is none of them. Returns text.
char *ladder_points_text(const ladder_points *points, char *text, size_t text_bytes);

// What a person gives beside what is measured: points for criteria that nothing counts (code
// quality, a written answer), and comments on lines. Which criteria a lab has is the course's own
// (ladder gradebook criterion); they are no part of lab.json, so that they change no grade.

enum {
    LADDER_GIVEN_MAX = 8,     // criteria of one lab that persons mark
    LADDER_COMMENTS_MAX = 24, // comments on lines, of one submission
    LADDER_GIVEN_NAME = 32,   // bytes of a criterion's name
    LADDER_GIVEN_TEXT = 400   // bytes of what a person writes at one place
};

// A criterion, and what a person gave for it.
typedef struct ladder_given_criterion {
    char name[LADDER_GIVEN_NAME];    // "quality": one word
    char text[160];                  // what it asks for, for people
    double most;                     // points that it can earn
    bool marked;                     // false: not marked yet; in the maximum
    double points;                   // that were given, when marked
    char comment[LADDER_GIVEN_TEXT]; // on the whole; "": none
} ladder_given_criterion;

// A comment on one line of a step's file.
typedef struct ladder_line_comment {
    char file[96];                // "3_sequential.cu"
    uint32_t line;                // from 1
    char text[LADDER_GIVEN_TEXT]; // what is said of it
} ladder_line_comment;

// All that persons gave to one submission.
typedef struct ladder_given {
    int count;                                         // of items
    ladder_given_criterion items[LADDER_GIVEN_MAX];    // in the order in which they were made
    int comment_count;                                 // of comments
    ladder_line_comment comments[LADDER_COMMENTS_MAX]; // by file and line
} ladder_given;

// Their sums, and a hash of all of it, as what changes points; the other members stay.
void ladder_given_sum(const ladder_given *given, ladder_points_change *change);

// "quality: 8 of 10 points. good names"; "quality: not marked yet (10 points)". Returns text.
char *ladder_given_say(const ladder_given_criterion *item, char *text, size_t text_bytes);

// ---- results (result.c) -------------------------------------------------------------------------

// What files and pages show as a step's points: NaN, which is no 0, where it was not graded.
double ladder_outcome_points(ladder_outcome outcome, double points);

enum {
    LADDER_STEPS_MAX = 32,
    LADDER_CRITERIA_MAX = 8, // of one step
    LADDER_FAILURES_MAX = 8, // failed cases told one by one, of one step
    LADDER_FINDINGS_MAX = 4, // of the checker, of one step
    LADDER_CALLS_MAX = 6,    // counted cases that are kept, of one step
    LADDER_MESSAGE = 1024,
    LADDER_PROBLEM = 1000,      // why a submission is not graded
    LADDER_SMALL = 3 << 10,     // a small case as it is drawn
    LADDER_LOG = 12 << 10,      // compiler or program output kept, of one step
    LADDER_WORK_LOG = 48 << 10, // of what was handed in as log.md
    LADDER_TITLE = 200,
    LADDER_MEMBERS = 2048, // bytes of all who handed in a submission
    LADDER_NICKNAME = 25,  // bytes of a name on the leaderboard
    LADDER_NOTES_MAX = 12  // remarks on the submission as a whole
};

// A case that was not right.
typedef struct ladder_failure {
    ladder_outcome outcome;    // of the case
    char title[96];            // the case: "sum-exact, 1000003 elements"
    char text[LADDER_MESSAGE]; // what was wrong
    bool compared;             // an output was compared and is wrong; then also:
    char output[32];           // its name
    uint64_t first_wrong;      // index of the first wrong element
    double expected, got;      // its value in the reference, and in the step's output
    double bound;              // error that is allowed there
    char seen[32];             // `got` in words: "123.5", "never written"
} ladder_failure;

// What the simulator's checker found in a step; the whole text is among its failures.
typedef struct ladder_found {
    const char *kind; // "race": a name of device/checks.def
    char place[96];   // "3_sequential.cu:31 and :34"
    char text[400];   // what is wrong, and what to do; "": not known
} ladder_found;

// What became of the check.
typedef struct ladder_check_result {
    int cases;         // that were checked
    int wanted;        // of these cases; fewer were checked when the check itself failed
    char failed[200];  // why it did; "": it did not
    int finding_count; // warnings not counted
    ladder_found findings[LADDER_FINDINGS_MAX]; // the first ones
} ladder_check_result;

// What a criterion came to.
typedef struct ladder_criterion_result {
    bool measured;     // false: no GPU, or the step is not correct
    bool counted;      // part of the total here
    bool closed;       // speed: worth nothing, because a count of the step is
    double value;      // NaN when not measured
    double low, high;  // speed: interval of the value
    double full, zero; // speed: thresholds that were used; NaN: none yet
    bool calibrated;   // and they are this card's (grade/speed/speed.h), not the rubric's
    bool left_out;     // speed: not graded on this card, as its thresholds say
    bool doubt;        // speed: noise still decides; the end kinder to the student counts
    int pairs;         // speed: of processes that were timed
    double call_us;    // speed: measured time of one call of the step on this card; NaN: not timed
    double same_low, same_high; // speed: interval of the baseline against itself
    double seconds;             // speed: that the timing took
    // speed: of them, those with the card alone, processes and inputs before, and inputs and ends
    // of processes after the calls
    double alone_s, before_s, after_s;
    // count, without all points: the line of the step's file that most of what costs points comes
    // from; 0: not known
    uint32_t line;
    double with[LADDER_WITH_MAX]; // count: values of its further bounds
    // speed: its ratio of modelled times and what that is worth; NaN when none was taken. Without a
    // GPU `value` and `points` are these.
    double modelled, modelled_points;
    double points, points_max;
} ladder_criterion_result;

// One call of a right step on the simulator, as criteria count it: what rooflines and ladders show.
typedef struct ladder_call {
    char family[48];     // of the case: what its inputs are like
    int64_t size;        // of the case
    int launches;        // kernels
    double time_us;      // modelled: kernels, fills and copies on the device, an event
    double busy_us;      // of it, kernels
    double bytes;        // read from and written to device memory
    double fma;          // multiply-adds
    double fma_pipe;     // warp instructions of the pipe that does those of float
    double instructions; // warp instructions
    kl_worth worth;      // how they are known to be right
} ladder_call;

// One number of a step that the student predicted, and what was counted
// (grade/rubric/lab_files.h).
typedef struct ladder_prediction {
    char name[LADDER_QUESTION_NAME]; // of the number, as the lab's questions have it
    double predicted, counted;       // NaN: not yet
    bool stood;                      // predicted before the step's first run
} ladder_prediction;

// What a step came to.
typedef struct ladder_step_result {
    int step;                     // its number
    ladder_outcome outcome;       // of all cases together
    char message[LADDER_MESSAGE]; // why, for people; "" when correct
    bool over_memory;             // its processes together used more than they may
    bool forgotten;               // not implemented: the file was changed, as `message` says
    char log[LADDER_LOG];         // end of what the compiler or the step printed
    int cases_total, cases_run, cases_right; // that there are, that were run, that were right
    char tried[240];   // those that were run, while they fit: "empty 0; sum-exact 1, 33"
    int failure_count; // failed cases; the first LADDER_FAILURES_MAX of them are kept
    ladder_failure failures[LADDER_FAILURES_MAX]; // the first ones
    char
        small[LADDER_SMALL]; // of a wrong answer: the smallest case (small_case.h), as drawn, or ""
    double small_s;          // processor time of the search for it, which counts as nobody's
    ladder_check_result check;                             // of the simulator's checker
    int criteria_count;                                    // of criteria
    ladder_criterion_result criteria[LADDER_CRITERIA_MAX]; // in the rubric's order
    int call_count;                      // cases that criteria count which are not hidden
    ladder_call calls[LADDER_CALLS_MAX]; // [call_count]
    int prediction_count;                // of predictions
    ladder_prediction predictions[LADDER_ASKED_MAX]; // in the order of the questions
    bool predicted;                                  // all that is asked, before the first run
    double points, points_max;                       // reached; that could be reached
    double build_s, run_s;                           // on the clock: compiling, running
    double alone_s;                                  // with the GPU alone
    double cases_s, check_s, criteria_s; // on the clock: its cases, their check, counts and times
    double hidden_s; // that its hidden cases took, which is in none of the others; not written
} ladder_step_result;

// What a submission came to.
typedef struct ladder_result {
    char id[96];                       // name of its folder under results/
    char title[LADDER_TITLE];          // name as submitted, made printable
    char user[64];                     // the student on the course system; "": not told
    char members[LADDER_MEMBERS];      // all who handed it in, a line each (ladder_submission)
    char hash[LADDER_SHA256_TEXT];     // of the files taken, in order of steps
    uint64_t seed;                     // of the secret inputs
    int note_count;                    // of notes
    char notes[LADDER_NOTES_MAX][480]; // on the submission as a whole
    int step_count;                    // of steps
    ladder_step_result steps[LADDER_STEPS_MAX]; // in the rubric's order
    char nickname[LADDER_NICKNAME]; // on the leaderboard, as chosen in leaderboard.txt; "": none
    char work_log[LADDER_WORK_LOG]; // as handed in (ladder log); "": none
    ladder_given given;             // what persons marked and said
    ladder_points points;           // not graded: some step is UNGRADABLE
    double wall_s; // that the grading took, on the clock; without hidden cases, whose time tells
} ladder_result;

// Adds a remark; beyond the last one they are dropped.
void ladder_result_note(ladder_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Keeps the end of a text as the step's log, control characters replaced.
void ladder_result_log(ladder_step_result *step, const char *text, size_t bytes);

// Whether what was handed in could not be read at all, or has no step of the lab: no score, and
// grading it again changes nothing. Each step's message says why.
bool ladder_result_unreadable(const ladder_result *result);

// How long the grading had the GPU to itself, in seconds; 0 without one.
double ladder_result_alone_s(const ladder_result *result);

// Sums up points, with what a person gave; what changes them stays.
void ladder_result_total(ladder_result *result);
