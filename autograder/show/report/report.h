// Reports of a graded submission: text for a terminal, a page of HTML that needs nothing else, JSON
// (ladder.grade/1). All texts of submissions are escaped for their sink. Those of a class:
// course/class/class.h.
#pragma once

#include "device/device.h"
#include "grade/rubric/result.h"
#include "json.h"
#include "table.h"

// ---- report -------------------------------------------------------------------------------------

// How a class did at each step of a lab, as quartiles: it names nobody.
typedef struct ladder_spread {
    double low, mid, high; // NaN: of too few
} ladder_spread;

// All quartiles of a class.
typedef struct ladder_distribution {
    int count;                                // submissions with a score
    ladder_spread shares[LADDER_STEPS_MAX];   // of a step's points, 0 .. 1
    ladder_spread times_us[LADDER_STEPS_MAX]; // modelled, of the common case (figures.c)
    // The same of the kit's solution; NaN where it is not known.
    double solution_us[LADDER_STEPS_MAX];
} ladder_distribution;

// What a page shows beside a result. All of it may be NULL.
typedef struct ladder_beside {
    const char *const *sources;       // [steps] text of each step's file as graded; NULL: not kept
    const char *lab_page;             // text of the lab's README.md
    const char *page;                 // address of the lab's page: an .html of the site, or an .md
    const ladder_distribution *class; // that the submission is part of
    bool shared;                      // goes to others: what names the files is left out
} ladder_beside;

// What a report is made of.
typedef struct ladder_report {
    const ladder_lab *lab;       // that was graded
    const ladder_result *result; // of the submission
    const char *device;          // "simulated NVIDIA H100", "GPU"
    const char *sandbox;         // level reached
    const char *sandbox_text;    // what that means
    ladder_beside beside;        // for HTML
} ladder_report;

// The three forms of a report. What could not be written is seen in the stream, and by JSON told.
void ladder_report_text(const ladder_report *report, const kl_style *style, FILE *out);
void ladder_report_html(const ladder_report *report, FILE *out);
kl_status ladder_report_json(const ladder_report *report, FILE *out, kl_error *err);
// The keys late_policy, late_days, slip_days, own_due, late_deduction, override, final_points,
// final_score, given_points and unmarked_points of the open object.
void ladder_points_json(const ladder_points *points, kl_json *json);

// The keys given and line_comments: what persons gave.
void ladder_given_json(const ladder_given *given, kl_json *json);

enum { LADDER_CRITERION_TEXT = 1200 }; // bytes of the sentence on a criterion

// Whether the value of a speed criterion is a modelled ratio: there was no GPU.
bool ladder_report_is_modelled(const ladder_criterion_result *result);

// One sentence on a criterion and what was measured: "sectors per request: 4.02 (full points up to
// 4, none at 8)", "..: modelled 3.1 x step 0 at size 65,536 (..)".
char *ladder_report_criterion(const ladder_criterion *criterion,
                              const ladder_criterion_result *result, char *text, size_t text_bytes);

// One predicted number beside what was counted: "blocks: predicted 4096, counted 2048: 2.0 times
// too high". And one sentence on all of them (of steps that are not given); "" when there is none.
char *ladder_report_prediction(const ladder_prediction *item, char *text, size_t text_bytes);
char *ladder_report_predictions(const ladder_report *report, char *text, size_t text_bytes);

// What results, counts and modelled times are worth, of the calls that criteria count; "" without
// any.
enum { LADDER_WORTH_TEXT = 1024 };
char *ladder_report_worth(const ladder_report *report, char *text, size_t text_bytes);

// "NOT CHECKED for races ..: why", or "" where the check ran to its end.
char *ladder_report_check(const ladder_check_result *check, char *text, size_t text_bytes);

// Behind what could not be graded, where late work costs.
#define LADDER_NO_ATTEMPT " It is no attempt and takes no slip day."
// Why nothing of a result was graded (ladder_result_unreadable), and what follows. Returns text.
char *ladder_report_unreadable(const ladder_result *result, char *text, size_t text_bytes);

// The one thing to do next.
typedef struct ladder_next {
    const kl_step_info *step;               // NULL: of the lab nothing is left to do
    char text[LADDER_CRITERION_TEXT + 192]; // what is to do, a sentence
    char command[96];                       // that helps with it
} ladder_next;

// The first step that is not right, else the criterion that lacks most points, else the next lab.
// False: nothing can be said, since the submission was not graded.
bool ladder_report_next(const ladder_report *report, ladder_next *out_next);

// "12.5", "3": points without needless digits.
char *ladder_report_points(double points, char *text, size_t text_bytes);

// ---- read.c -------------------------------------------------------------------------------------
// Reads what json.c wrote: a graded submission, from its result.json. Needs Jansson.

// A graded submission, read from its JSON.
typedef struct ladder_graded {
    const ladder_lab *lab;  // that it is of
    ladder_result *result;  // as graded
    char kit[32];           // version that graded it
    char device[320];       // what ran the steps
    char sandbox[64];       // level that was reached
    char sandbox_text[800]; // what that means
} ladder_graded;

// KL_ERROR_INPUT: not a file of ladder.grade/1, or one of a lab or a rubric that this kit does not
// have. KL_ERROR_SYSTEM: the kit was built without Jansson.
kl_status ladder_graded_read(const char *path, ladder_graded *out_graded, kl_error *err);
void ladder_graded_free(ladder_graded *graded);

// As the reports take it. Points into `graded`.
ladder_report ladder_graded_report(const ladder_graded *graded);

// ---- figures.c ----------------------------------------------------------------------------------
// Pictures of a page about a grade (SVG, base/paper.h): the ladder of points and that of modelled
// times of one submission, beside the class and the kit's solution.

// The case that criteria of most steps count, so that times of steps can be compared. False: no two
// steps share one.
bool ladder_common_case(const ladder_lab *lab, const char **out_family, int64_t *out_size);

// Modelled time of a step's call on that case; NaN: it was not counted.
double ladder_common_us(const ladder_lab *lab, const ladder_step_result *step);

// Measured time of a step's call on the case that most criteria of speed have (of several such
// cases, that of the later steps); NaN: the step was not timed on it.
double ladder_timed_us(const ladder_lab *lab, const ladder_step_result *step);

// Share of each step's points: the submission's (result NULL: nobody's), and the class's quartiles
// where they are known.
void ladder_draw_points(const ladder_lab *lab, const ladder_result *result,
                        const ladder_distribution *class, FILE *out);

// Modelled times of the common case by step. False, and nothing is drawn, where fewer than two are
// known.
bool ladder_draw_times(const ladder_lab *lab, const ladder_result *result,
                       const ladder_distribution *class, FILE *out);

// ---- excerpt.c ----------------------------------------------------------------------------------
// Lines of a step's file that its report speaks of, with lines around them, as HTML; and where the
// lab's page has the chapter of a step.

// Lines that the checker's findings, the compiler and the failures name in `file`. Nothing where
// they name none.
void ladder_put_excerpt(const ladder_step_result *step, const char *file, const char *source,
                        FILE *out);

// Line `number` of `source` without its indent and its end; false: there is none, or it is empty.
bool ladder_source_line(const char *source, uint32_t number, char *out, size_t out_bytes);

// The heading of the chapter of the lab's README.md that is about the step: "## Step 3: tiled",
// "## Steps 1 to 3: ..", "## Steps 7 and 8: ..". False: there is none.
bool ladder_chapter_heading(const char *readme, int step, char *out, size_t out_bytes);

// The address of this heading on the lab's page: `page` with the fragment that an .md file, or an
// .html page of the documentation site, has for it. Returns `out`.
const char *ladder_section_address(const char *page, const ladder_lab *lab, const char *heading,
                                   char *out, size_t out_bytes);

// ---- files beside a result ----------------------------------------------------------------------
// What a page shows beside a result, from files: the step files as they were graded, and the lab's
// README.md.

// The texts, owned.
typedef struct ladder_kept_files {
    char *sources[LADDER_STEPS_MAX]; // by the rubric's steps; NULL: none
    char *lab_page;                  // the lab's README.md; NULL: none
    char *page;                      // address of the lab's page; NULL: none
} ladder_kept_files;

// The address of one of the kit's pages: `on_site` below the site's (LADDER_SITE); where the build
// has none, the way from the folder `to` to `file`. NULL: neither is there, or `to` is NULL. The
// caller frees it.
char *ladder_page_address(const char *on_site, const char *file, const char *to);

// What is not there stays NULL. kit: the kit's top folder. to: the folder in which the report will
// lie, from which it links to the kit's files where the build has no address of a site
// (LADDER_SITE); NULL: it goes elsewhere. End with ladder_kept_files_free.
void ladder_kept_files_read(const char *folder, const char *kit, const ladder_lab *lab,
                            const char *to, ladder_kept_files *out_files);
void ladder_kept_files_free(ladder_kept_files *files);

// As a page takes it. Points into `files`.
ladder_beside ladder_kept_files_beside(const ladder_kept_files *files);

// ---- html.c -------------------------------------------------------------------------------------
// What pages begin and end with, and bars.

// The head of a page that loads nothing, up to base.css in its <style>, which stays open.
// what: before the title, as in "Timeline: ". nonce: scripts with it may run, NULL: none.
void ladder_page_head(FILE *out, const char *what, const char *title, const char *nonce);
// The end of a page: data (JSON) in an element of this id, and the script that shows it.
void ladder_page_end(FILE *out, const char *id, const char *data, const char *nonce,
                     const char *script);
// Head and beginning of a page about grades, which runs nothing, up to <body>.
void ladder_page_begin(FILE *out, const char *title);

// A bar of `share` of its width. label: for those who cannot see it.
void ladder_put_share(FILE *out, double share, const char *label);

// ---- roofline -----------------------------------------------------------------------------------
// A roofline: a rate over its operations per byte, once of device memory and, where its traffic is
// known, once of the L2, below what each of them and the pipes allow ("Hierarchical Roofline
// Analysis for GPUs", Yang, Kurth and Williams, 2020). Operations are multiply-adds of float, two
// each, with the full width of a warp; warp instructions where there are none ("An Instruction
// Roofline Model for GPUs", Ding and Williams, 2019). Where tensor cores do more,
// operations are those of products of halves that take as many of their cycles. Bytes are those of
// the timing model.

// What was counted of a launch or of a call.
typedef struct ladder_roofline_counts {
    double fma, fma_pipe; // multiply-adds; warp instructions of the pipe that does those of float
    double tensor_cycles; // of the tensor cores of an SM, all SMs together; 0: none, or not known
    double instructions;  // warp instructions
    double bytes;         // read from and written to device memory
    double l2_bytes;      // read from and written to the L2, atomics too; 0: not known
    double time_us;       // modelled
} ladder_roofline_counts;

// A roofline, ready to be drawn.
typedef struct ladder_roofline {
    const char *what, *x_title, *y_title; // kind of operation; titles of the axes
    const sim_device *device;             // whose roofs these are
    double unit;                          // of y, in operations per second
    double operations, seconds;           // of the launch or call
    double bytes, l2_bytes;               // of device memory; of the L2, 0: not known
    double peak;                          // operations per second that the pipes allow
} ladder_roofline;

// False where there is nothing to draw: no operations, no traffic to device memory, no time.
bool ladder_roofline_of(const ladder_roofline_counts *counts, const sim_device *device,
                        ladder_roofline *out_line);

// Which memory a roof is of.
typedef enum ladder_roof { LADDER_ROOF_DRAM, LADDER_ROOF_L2, LADDER_ROOFS } ladder_roof;

// What a picture of it shows, in its units.
typedef struct ladder_roofline_numbers {
    double rate, peak;              // of the launch or call; what the pipes allow
    double intensity[LADDER_ROOFS]; // operations per byte of each memory; NaN: not known
    double slope[LADDER_ROOFS];     // what a memory allows, per operation per byte
} ladder_roofline_numbers;

// The numbers of the picture; of the L2 only where its traffic is known.
ladder_roofline_numbers ladder_roofline_numbers_of(const ladder_roofline *line);

// The picture (SVG). point: what is shown, such as "this launch".
void ladder_roofline_draw(const ladder_roofline *line, const char *point, FILE *out);

// ": 8 operations per byte. Rate: ..": the sentence behind the word "intensity", as HTML.
void ladder_roofline_tell(const ladder_roofline *line, ladder_roof roof, FILE *out);

// ---- show/page/text.cmake -----------------------------------------------------------------------
// Style sheets that show/page/text.cmake builds in: base.css of every page, report.css of those of
// a grade.

// The two texts, terminated.
extern const char ladder_style_base[];
extern const char ladder_style_report[];
