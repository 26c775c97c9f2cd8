// What others see of a class: its page and JSON, pairs of submissions that are alike, the
// leaderboard, names taken out.
#pragma once

#include "course/class/class.h"

// ---- summary.c ----------------------------------------------------------------------------------
// What a class's page needs of each submission, and what comes of all of them: distribution by
// step, mistakes that several made.

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
        double time_us;  // modelled, of the common case (show/report/report.h); NaN: not counted
        double timed_us; // measured (ladder_timed_us); NaN: not timed
        const char *finding;  // the checker's first one: a name of checks.def; NULL: none
        int prediction_count; // of predictions
        ladder_prediction predictions[LADDER_ASKED_MAX]; // of the step, beside its counts
    } steps[LADDER_STEPS_MAX];                           // in the rubric's order
    char people[LADDER_MEMBERS + LADDER_TITLE + 80];     // names and ids, a line each
    char nickname[LADDER_NICKNAME];                      // for the leaderboard; "": not on it
    double solution; // how alike it is to the kit's solution (course/pages/pages.h); NaN: not known
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

// ---- similar.c ----------------------------------------------------------------------------------
// Which submissions of a class are alike: fingerprints of each step file by winnowing (Schleimer,
// Wilkerson and Aiken, SIGMOD 2003) over its tokens, names and numbers made the same, comments left
// out. What the skeleton and the published solution give is taken out first, what much of the class
// has in common does not count, and what few have counts most. Beside them stand clues: the same
// file, comments and identifiers that only two have, another student's name. A hint where to look,
// and no more: short kernels that are right are alike.

// The fingerprints of one submission's files, sorted, each once.
typedef struct ladder_prints {
    uint64_t *items; // [count]
    double *rare;    // [count], 1 for what two of the class have, 1/2 for three; NULL: not known
    size_t count;    // of items
} ladder_prints;

// Kinds of clues: a file by its hash, words of a comment, an identifier, somebody's name.
enum {
    LADDER_CLUE_FILE = '=',
    LADDER_CLUE_COMMENT = '/',
    LADDER_CLUE_NAME = 'n',
    LADDER_CLUE_PERSON = '@'
};
// What a submission may have in common with one other only.
typedef struct ladder_clues {
    char **items; // [count], each behind its kind
    size_t count; // of items
} ladder_clues;

// False: no memory.
bool ladder_clues_add(ladder_clues *clues, char kind, const char *text);
// Sorts them, each once, and takes out those of `without` (NULL: nothing), which is sorted.
void ladder_clues_sort(ladder_clues *clues, const ladder_clues *without);
// Keeps of sorted clues of a class those that two submissions have, and files that few have.
void ladder_clues_keep_shared(ladder_clues *clues, size_t count);
void ladder_clues_free(ladder_clues *clues);

// texts: [steps of the lab], NULL where there is no file. without: of skeleton and solution; NULL:
// nothing. Adds to clues what the texts have; NULL: nowhere.
kl_status ladder_prints_make(const char *const *texts, int count, const ladder_prints *without,
                             ladder_prints *out_prints, ladder_clues *clues, kl_error *err);
void ladder_prints_free(ladder_prints *prints);
// Takes out what `others` has, too.
void ladder_prints_drop(ladder_prints *prints, const ladder_prints *others);

// A name or id of somebody in the class.
typedef struct ladder_class_name {
    char *text;   // owned
    size_t owner; // index of the submission
    bool brief;   // less than 4 letters, maybe a word: looked for in comments, as it is written
    bool of_kit;  // a word of the kit's own sources, such as "warp", names nobody
    size_t said;  // in how many other submissions it was found
} ladder_class_name;
// That a submission names somebody of another one.
typedef struct ladder_mention {
    size_t name, in; // indices of names and of submissions
} ladder_mention;
// The names of a class, and where they were found. One pass over a text finds all of them.
typedef struct ladder_class_names {
    ladder_class_name *items; // [count]
    size_t count;             // of items
    ladder_mention *mentions; // [mention_count]
    size_t mention_count;     // of mentions
} ladder_class_names;
// What is looked through is the kit's own, whose words name nobody.
#define LADDER_NAMES_KIT ((size_t)-1)
// people: names and ids, tabs or line ends between them. Sorted once, when all are there, before
// texts are looked through: the kit's first (in: LADDER_NAMES_KIT). source: C, else words. False:
// no memory.
bool ladder_names_add(ladder_class_names *names, const char *people, size_t owner);
void ladder_names_sort(ladder_class_names *names);
bool ladder_names_look(ladder_class_names *names, const char *text, size_t in, bool source);
// Adds to the clues of both what was found, but brief names that many say. ids: of submissions.
bool ladder_names_clues(const ladder_class_names *names, const char *const *ids,
                        ladder_clues *clues);
void ladder_names_free(ladder_class_names *names);

// Of the smaller one's fingerprints the share that the other one has, too; 0 where one of them has
// too few to say anything.
double ladder_prints_alike(const ladder_prints *a, const ladder_prints *b);

// Takes out what more than half of a class of ten or more has, and weighs what is left by how few
// have it.
void ladder_prints_weigh(ladder_prints *all, size_t count);

// Two submissions that are alike.
typedef struct ladder_pair {
    size_t a, b;      // indices, a < b
    double alike;     // ladder_prints_alike of the two, 0 .. 1
    double rare;      // what they share, the rarer the more: by this pairs are ranked
    char shared[700]; // clues in words; "": none
} ladder_pair;

enum { LADDER_PAIRS_MAX = 50 };

// Pairs that are at least `least` alike or share a clue, those that share what is rarest first;
// returns how many. clues: [count]. hide: clues are counted, their texts left out.
int ladder_similar_pairs(const ladder_prints *all, const ladder_clues *clues, size_t count,
                         double least, bool hide, ladder_pair out_pairs[LADDER_PAIRS_MAX]);

// ---- leaderboard --------------------------------------------------------------------------------
// The leaderboard of a lab: modelled time of the fastest right step of those who chose to take
// part, and the measured one where a GPU graded, under the pseudonyms that they chose. The best of
// all attempts counts that were reported from one folder of results.

// A place on it.
typedef struct ladder_leader {
    char id[96];                 // of the submission
    char nickname[LADDER_TITLE]; // as it is shown
    int step;                    // number of the step whose modelled time is shortest; -1: none
    double time_us;              // modelled, of the common case (show/report/report.h)
    int timed_step;              // number of the step whose measured time is shortest; -1: none
    double timed_us;             // measured (ladder_timed_us)
    char card[320];              // where it was measured
} ladder_leader;

// Those who take part, the fastest first: by measured time, then by modelled time; out_leaders:
// [count]; returns how many. path: where the best attempts are kept from one time to the next; who
// does not take part any more is dropped there. NULL: nothing is kept.
kl_status ladder_leaders_make(const ladder_lab *lab, const ladder_member *members, size_t count,
                              const char *path, ladder_leader *out_leaders, size_t *out_count,
                              kl_error *err);

// ---- page.c -------------------------------------------------------------------------------------
// The page of a class: distribution by step, common mistakes, the slowest step, pairs that are
// alike, what could not be graded. Loads nothing and runs nothing.

// What the page shows; all of it is the caller's.
typedef struct ladder_class_page {
    const ladder_lab *lab;                   // whose submissions were graded
    const char *device;                      // what ran the steps, in words
    const ladder_member *members;            // [count], in the order of the list
    size_t count;                            // of members
    const ladder_distribution *distribution; // by step
    const ladder_pair *pairs;                // indices of members
    int pair_count;                          // of pairs
    double least;                            // from which pairs are listed
    const ladder_leader *leaders;            // [leader_count], the fastest first
    size_t leader_count;                     // of leaders
    bool compared;                           // files were kept, so that pairs could be looked for
    const char *deck, *slides; // the lab's deck: its Markdown, and where its page is; NULL: none
} ladder_class_page;

// Number of the first slide of a deck's Markdown that has the checker's finding (NULL: none), else
// "Step N"; 0: no slide has either.
int ladder_slide_about(const char *deck, const char *finding, int step);

// What was predicted beside what was counted, a line per student and number (CSV).
void ladder_class_predictions_csv(const ladder_class_page *page, FILE *out);

// Writes the page and the same as JSON (ladder.report/1); one of the streams may be NULL. What
// could not be written of the page is seen in its stream.
kl_status ladder_class_write(const ladder_class_page *page, FILE *html, FILE *json, kl_error *err);

// ---- a pair of submissions ----------------------------------------------------------------------
// Two submissions that are alike, side by side: the step files that both have, line by line. Loads
// nothing and runs nothing.

// What the page shows; all of it is the caller's.
typedef struct ladder_pair_page {
    const ladder_lab *lab;         // whose steps these are
    const ladder_pair *pair;       // what they share
    const char *shown[2];          // whose submissions, as pages name them
    const char *pages[2];          // files of their pages
    const char *const *sources[2]; // [steps of the rubric] each; NULL: no such file
} ladder_pair_page;

// "pair_3.html", of the pair's index; out: [32]. Returns out.
char *ladder_pair_file(int index, char *out);

// Writes the page; what could not be written is seen in the stream.
void ladder_pair_html(const ladder_pair_page *page, FILE *out);

// ---- pseudonym.c --------------------------------------------------------------------------------
// Names for pages that others see. A pseudonym follows from the student and a key (HMAC), so it is
// the same in every lab and says nothing without the key. What a submission brought along in its
// texts (names of the class, addresses, paths, comments) is taken out.

enum { LADDER_PSEUDONYM = 24 }; // bytes of one: "student-k7f3m2qa"

// Reads a key, or makes one where there is no file. KL_ERROR_INPUT: it is not a key, or others may
// read it.
kl_status ladder_pseudonym_key(const char *path, ladder_row_key *out_key, kl_error *err);

// user: the student on the course system, "": not told; title: the name as submitted.
void ladder_pseudonym_of(const ladder_row_key *key, const char *user, const char *title,
                         char out[LADDER_PSEUDONYM]);

// Words by which students of a class are known.
typedef struct ladder_known_names {
    char **words;           // [count], lower case
    size_t count, capacity; // of words; those that there is memory for
} ladder_known_names;

// Adds a name, an id or an address, whole and in its parts.
kl_status ladder_known_names_add(ladder_known_names *names, const char *text, kl_error *err);
void ladder_known_names_free(ladder_known_names *names);

// Replaces, in place, each known word, e-mail address and path by one *.
void ladder_hide_names(const ladder_known_names *names, char *text);

// The same in a message, which may hold lines of source with comments behind them: these, too.
void ladder_hide_in_message(const ladder_known_names *names, char *text);

// Makes a result and its files fit to be shared under another name.
void ladder_hide_student(const ladder_known_names *names, const char *pseudonym,
                         ladder_result *result, ladder_kept_files *files);
