// What pages, figures and decks are made of: times that the timing model is held to, the card of
// this course, what lab 04's application measured. Nothing here prints a table or draws.
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "app.h"

// Where CMake has unpacked what programs wrote on cards, and what the simulator models for them
// (common/validation/logs.cmake), with a '/' behind it.
extern const char times_folder[];

enum { TIMES_DEVICE = 128 };
enum { KERNEL_TIMES_MOST = 512, KERNEL_TIMES_NAME = 64 };

// How a time is modelled: by the analytical model over counts (`bounded_us` of a profile), or by
// the cycle-level model of one SM (`time_us`).
typedef enum { KERNEL_MODEL_BOUNDS, KERNEL_MODEL_SM, KERNEL_MODELS } kernel_model;

// "look", "held", "new", "cause": looked at while the model was built, only reported, written when
// it was frozen, written each for one cause of its errors.
enum { KERNEL_HALVES = 4 };
extern const char *const kernel_halves[KERNEL_HALVES];

typedef struct kernel_time {
    char name[KERNEL_TIMES_NAME], kind[KERNEL_TIMES_NAME];
    int half;                          // of kernel_halves
    double us, low_us, high_us;        // measured: median and quartiles
    double modelled_us[KERNEL_MODELS]; // by the simulator, for the same card
} kernel_time;

typedef struct kernel_times {
    char device[TIMES_DEVICE]; // that was measured
    int count;
    kernel_time kernels[KERNEL_TIMES_MOST];
} kernel_times;

// What errors of some kernels come to.
typedef struct kernel_errors {
    int count, beyond_two;    // beyond_two: off by more than a factor of 2
    int within_fifth;         // off by at most 20 %
    double mean;              // of |modelled / measured - 1|
    double factor;            // typical: the geometric mean of the larger over the smaller
    const kernel_time *worst; // by factor; NULL when there are none
} kernel_errors;

// Modelled over measured; and the larger over the smaller of the two, at least 1.
double kernel_time_ratio(const kernel_time *kernel, kernel_model model);
double kernel_time_factor(const kernel_time *kernel, kernel_model model);

// card: "h200", "h100". False after a message, also when a kernel lacks one of
// the times.
bool kernel_times_load(const char *card, kernel_times *out);

// Of the kernels of a kind (NULL: all) in one half.
kernel_errors kernel_times_errors(const kernel_times *times, kernel_model model, const char *kind,
                                  int half);

// For qsort: the kernel whose cycle-level time has the larger factor comes first.
int kernel_time_worst_first(const void *a, const void *b);

enum { LAB_TIMES_MOST = 1024 };

// A step at a shape.
typedef struct lab_time {
    char lab[32], which[32]; // which: its case
    long long size;
    int step;
    double us, modelled_us[KERNEL_MODELS];
} lab_time;

typedef struct lab_times {
    char device[TIMES_DEVICE]; // that was measured
    int count;
    lab_time rows[LAB_TIMES_MOST]; // by lab, shape and step
} lab_times;

// What errors of a lab's times come to.
typedef struct lab_errors {
    int shapes, count;   // count: times
    int beyond_fifth;    // off by more than 20 %
    int pairs, in_order; // steps at one shape whose measured times differ by more than 15 %
    double mean;         // of |modelled / measured - 1|
} lab_errors;

// card: "h200". What was measured and not modelled is an error; false
// after a message.
bool lab_times_load(const char *card, lab_times *out);

// Of one lab; NULL: of all.
lab_errors lab_times_errors(const lab_times *times, kernel_model model, const char *lab);

// ---- The card of this course ----

// As in a row of devices.def: "h200". Only main() names another one.
extern const char *card_id;

// The second card: of h200 and h100 the one that the course's card is not.
const char *card_other_id(void);

// An id as text has it: "H200".
void card_name(const char *id, char *out, size_t bytes);

// The file that `written` means: every CARD and OTHER in it is that card's id. Times that are
// modelled for the simulator's default card are in simulator.json, so that is meant where no file
// has the card's name. False when `out` is too small.
bool card_path(const char *written, char *out, size_t bytes);

// ---- What lab 04's application stored ----

// Times, iterations, residuals and names; no counts of transfers. False when the file is not as
// gemv_row_app writes it.
bool stored_jacobi_load(const json_t *run, jacobi_run *out);
