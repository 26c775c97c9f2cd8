// What one of the kit's programs reports to the command that started it: records of one size over
// one descriptor, so that no command searches what a student's program prints. A command that waits
// for the program's end gives it a file in memory; LADDER_RECORDS_FD is its number. The checker
// that runs beside `ladder run` has a socket (side_check.c).
#pragma once

#include <stdbool.h>
#include <stdint.h>

// The environment variable that holds the descriptor for records.
#define KL_RECORDS_VARIABLE "LADDER_RECORDS_FD"

// What a record is about.
typedef enum kl_record_kind {
    KL_RECORD_CASE = 1,    // a step begins with a case
    KL_RECORD_STEP,        // a step has come to its end
    KL_RECORD_PREPARATION, // of a step that is launched once: what is not its call
    KL_RECORD_CRASH,       // host code has used an address of the device (runtime/state/guard.c)
    KL_RECORD_CHECK,       // asks for a check of a step
    KL_RECORD_CHECKED,     // what it found
    KL_RECORD_KINDS
} kl_record_kind;

enum { KL_RECORD_NAME = 64, KL_RECORD_FINDING = 1024, KL_RECORD_TEXT = 3584 };

// One record. Bytes that its kind does not use are 0.
typedef struct kl_record {
    uint32_t kind; // a kl_record_kind
    int32_t step;  // its number; not of a crash
    union {
        struct {
            uint32_t first_launch; // index of its first launch, if it has any
            char family[KL_RECORD_NAME];
            int64_t size;  // in the lab's unit
            uint64_t seed; // of the inputs
        } in_case;
        struct {
            uint32_t outcome;          // a ladder_outcome (outcome.h)
            bool stopped;              // a case was stopped at its ceiling of warp instructions
            char text[KL_RECORD_TEXT]; // the paragraph on a step that is not correct, or ""
        } end;
        struct {
            uint32_t launches;             // of the preparation
            uint32_t first_span, end_span; // of the call (device/spans.h): indices of the first
                                           // and after the last; 0: all that follow
            bool wrong;                    // what the call has computed
        } once;
        struct {
            int32_t findings; // how many the checker reported; -1: the step was not checked
            // The first finding: what and where, a line end, and why with what to do; or why there
            // was no check.
            char text[KL_RECORD_FINDING];
        } check;
        char crash[1024]; // lines on what was accessed and from where
    } is;                 // by its kind
} kl_record;

// A new file in memory for records; -1: there is none.
int kl_records_new(void);
// The descriptor that this program was given; -1: nobody wants its records. Async-signal-safe where
// getenv is.
int kl_records_wanted(void);
// Appends a record. Async-signal-safe. False: nobody takes it.
bool kl_record_send(int fd, const kl_record *record);
// The record of this number, from 0, in a file. False: there are no more. Its texts are terminated.
bool kl_record_at(int fd, uint32_t number, kl_record *out_record);
// Whether the kind is known; terminates the texts of a record that came from another process.
bool kl_record_accept(kl_record *record);
