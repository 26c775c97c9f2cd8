// The application of lab 11 (`ladder run scan --app`): the bright pixels of an image one behind the
// other (stream compaction), and its run-length code and back, with the student's own scan. A scan
// of flags says where each element that stays goes.
#pragma once

#include "device.h"
#include "ladder.h"

enum {
    CODING_BRIGHT = 192, // pixels from here on are compacted
    CODING_LAST_STEP = 10,
    CODING_MOST_SIDE = 16384,
    CODING_MOST_REPEAT = 1000,
};

typedef struct coding_options {
    bool help, solution, quick;
    int64_t side; // of the image; 0: the device's
    int step, repeat;
    uint64_t seed;
    kl_device_request request;
    const char *json_file, *plot_folder; // or NULL
} coding_options;

// One of three: compaction, coding, decoding.
typedef struct coding_stage {
    const char *name;
    int64_t in, out; // elements that it begins and ends with
    int scans;       // calls of the step
    double time_us, scan_us;
} coding_stage;

enum { CODING_COMPACT, CODING_ENCODE, CODING_DECODE, CODING_STAGES };

typedef struct coding_run {
    char device[256];
    bool simulated, solution;
    int step, repeat;
    uint64_t seed;
    int64_t side, runs;
    coding_stage stages[CODING_STAGES];
    uint8_t *pixels, *decoded; // [side][side]
    int64_t wrong_places;      // of compacted pixels that are not those of the host
    int64_t wrong_pixels;      // of the decoded image
} coding_run;

// app_coding.c: runs the three stages on run->pixels and compares. run: with side, step and pixels.
kl_status coding_run_all(const kl_step *step, coding_run *run, kl_error *err);

// ---- app_kernels.cu; each returns a cudaError_t ------------------------------------------------
// flags[i]: 1 where a pixel is at least `limit`.
int coding_flag_bright(const uint8_t *d_pixels, int64_t n, int limit, int32_t *d_flags);
// flags[i]: 1 where a run begins.
int coding_flag_runs(const uint8_t *d_pixels, int64_t n, int32_t *d_flags);
// places[position[i]] = i where flags[i]; values[position[i]] = pixels[i], unless values is NULL.
int coding_gather(const uint8_t *d_pixels, const int32_t *d_flags, const int32_t *d_position,
                  int64_t n, int32_t *d_places, uint8_t *d_values);
// lengths[r]: from begin[r] to the next run's, or to n. [runs].
int coding_lengths(const int32_t *d_begin, int64_t runs, int64_t n, int32_t *d_lengths);
// marks[begin[r]] = 1; the others are 0 before.
int coding_mark(const int32_t *d_begin, int64_t runs, int32_t *d_marks);
// pixels[i] = values[number[i] - 1].
int coding_spread(const uint8_t *d_values, const int32_t *d_number, int64_t n, uint8_t *d_pixels);
