// The application of lab 12 (`ladder run histogram --app`): histogram equalisation of an image. The
// lab's step counts the image's grey levels; the host makes of the counts a new level for each,
// so that every level up to some one has as many pixels as it has in an image that uses all levels
// alike (Gonzalez and Woods, "Digital Image Processing", 4th ed., section 3.3); a kernel gives
// each pixel its new level, and the step counts again.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { EQUAL_LEVELS = 256, EQUAL_LEAST_SIDE = 16, EQUAL_MOST_SIDE = 1024, EQUAL_LAST_STEP = 6 };

// ---- app_equalise.cu ---------------------------------------------------------------------------

// pixel[i] = level[pixel[i]]. d_pixel: [n]; d_level: [EQUAL_LEVELS]; both on the device.
int equal_map(uint8_t *d_pixel, int64_t n, const uint8_t *d_level);

#ifdef __cplusplus
}
#else

#include "device.h"
#include "error.h"

// ---- app_image.c -------------------------------------------------------------------------------

// A grey image.
typedef struct equal_image {
    int width, height; // 1 to EQUAL_MOST_SIDE
    uint8_t *pixels;   // [height][width], owned
} equal_image;

// Hills in fog: few levels in the middle of the range. Free the image in any case.
kl_status equal_image_make(int width, uint64_t seed, equal_image *out, kl_error *err);
// A portable graymap (P5, one byte per pixel).
kl_status equal_image_read(const char *path, equal_image *out, kl_error *err);
void equal_image_free(equal_image *image);

// What can be said of an image by its histogram.
typedef struct equal_summary {
    int levels;           // that occur
    int low, high;        // 1 % of the pixels lie below low, 1 % above high
    double mean, spread;  // spread: standard deviation
    double entropy_bits;  // of a pixel
    double off_the_slope; // largest distance of the cumulative share from an image that uses all
                          // levels alike: 0 to 1
} equal_summary;

// counts: [EQUAL_LEVELS]
equal_summary equal_summarise(const uint32_t *counts);
// level: [EQUAL_LEVELS], the new one of each. Ascending; levels that do not occur get one, too.
void equal_levels(const uint32_t *counts, uint8_t *level);

// ---- app.c --------------------------------------------------------------------------------------

typedef struct equal_options {
    kl_device_request request;
    bool help, solution, step_chosen;
    bool steps[EQUAL_LAST_STEP + 1];
    const char *image, *json_file, *plot_folder;
    uint64_t seed;
    int width; // 0: the default
    int repeat;
} equal_options;

kl_status equal_options_parse(int argc, char **argv, equal_options *out, kl_error *err);

typedef struct equal_run {
    const equal_options *options;
    char device[256];
    bool simulated;
    equal_image image, equalised;
    uint32_t before[EQUAL_LEVELS], after[EQUAL_LEVELS];
    uint8_t level[EQUAL_LEVELS];
    struct {
        bool used;
        double before_us, after_us; // of one histogram
    } steps[EQUAL_LAST_STEP + 1];
} equal_run;

// ---- app_show.c --------------------------------------------------------------------------------

void equal_print(const equal_run *run, FILE *out);
kl_status equal_write_json(void *run, FILE *out, kl_error *err);
// Both images and both histograms.
kl_status equal_draw(void *run, FILE *out, kl_error *err);

#endif
