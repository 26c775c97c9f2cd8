// Images with labels in host memory: see images.h.
#include "images.h"
#include "random.h"

kl_status kl_images_check_shape(int64_t count, int channels, int height, int width, kl_error *err) {
    if (count < 1 || channels < 1 || height < 1 || width < 1) {
        return kl_fail(err, KL_ERROR_INPUT, "%lld images of %d x %d x %d: there is nothing in them",
                       (long long)count, channels, height, width);
    }
    bool small = count <= KL_IMAGES_MAX_COUNT && channels <= KL_IMAGES_MAX_SIDE &&
                 height <= KL_IMAGES_MAX_SIDE && width <= KL_IMAGES_MAX_SIDE;
    // At most 2^26 * 2^36: no overflow.
    if (small && count * ((int64_t)channels * height * width) <= KL_IMAGES_MAX_BYTES) return KL_OK;
    return kl_fail(err, KL_ERROR_LIMIT,
                   "%lld images of %d x %d x %d are more than the kit takes (%lld images, sides of "
                   "%d, %.1f GB)",
                   (long long)count, channels, height, width, (long long)KL_IMAGES_MAX_COUNT,
                   KL_IMAGES_MAX_SIDE, 1e-9 * (double)KL_IMAGES_MAX_BYTES);
}

kl_status kl_images_alloc(int64_t count, int channels, int height, int width, int classes,
                          kl_images *out_images, kl_error *err) {
    *out_images = (kl_images){.count = 0};
    TRY(kl_images_check_shape(count, channels, height, width, err));
    kl_images made = {count, channels, height, width, classes, NULL, NULL};
    made.pixels = malloc((size_t)(count * kl_images_pixels(&made)));
    made.labels = malloc((size_t)count);
    if (!made.pixels || !made.labels) {
        kl_images_free(&made);
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for %lld images of %d x %d x %d",
                       (long long)count, channels, height, width);
    }
    *out_images = made;
    return KL_OK;
}

void kl_images_free(kl_images *images) {
    free(images->pixels);
    free(images->labels);
    *images = (kl_images){.count = 0};
}

int64_t kl_images_pixels(const kl_images *images) {
    return (int64_t)images->channels * images->height * images->width;
}

// Sums of whole numbers: exact, whatever the order (2^30 pixels of 255^2 are below 2^63).
void kl_images_moments(const kl_images *images, double *out_mean, double *out_stddev) {
    uint64_t sum = 0, squares = 0;
    int64_t n = images->count * kl_images_pixels(images);
    for (int64_t i = 0; i < n; i++) {
        sum += images->pixels[i];
        squares += (uint64_t)images->pixels[i] * images->pixels[i];
    }
    double mean = n > 0 ? (double)sum / (double)n : 0;
    double variance = n > 0 ? (double)squares / (double)n - mean * mean : 0;
    *out_mean = mean / 255;
    *out_stddev = variance > 0 ? sqrt(variance) / 255 : 1;
}

void kl_images_to_float(const kl_images *images, int64_t first, int64_t count, double mean,
                        double stddev, float *out) {
    float value[256]; // of each possible pixel
    for (int p = 0; p < 256; p++) value[p] = (float)((p / 255.0 - mean) / stddev);
    int64_t pixels = kl_images_pixels(images);
    const uint8_t *from = images->pixels + first * pixels;
    for (int64_t i = 0; i < count * pixels; i++) out[i] = value[from[i]];
}

// ---- orders and subsets ----------------------------------------------------------------------

static void shuffle(uint64_t seed, int64_t count, int32_t *items) {
    for (int64_t i = count - 1; i > 0; i--) {
        uint32_t k = kl_random_below(seed, (uint64_t)i, (uint64_t)i + 1);
        int32_t item = items[i];
        items[i] = items[k];
        items[k] = item;
    }
}

void kl_epoch_order(uint64_t seed, int64_t epoch, int64_t count, int32_t *out_order) {
    for (int64_t i = 0; i < count; i++) out_order[i] = (int32_t)i;
    shuffle(kl_random_fork(seed, (uint64_t)epoch), count, out_order);
}

// How many images of each class are taken: one at a time from the lowest class on, round and round,
// without the classes that have no more.
static void deal(const int64_t *there, int classes, int64_t count, int64_t *out_take) {
    for (int c = 0; c < classes; c++) out_take[c] = 0;
    while (count > 0) {
        for (int c = 0; c < classes && count > 0; c++) {
            if (out_take[c] == there[c]) continue;
            out_take[c]++;
            count--;
        }
    }
}

// The first take[c] of each class in the order of `all`; returns into `chosen`.
static void choose(const kl_images *from, const int32_t *all, int64_t *take, int32_t *chosen) {
    int64_t n = 0;
    for (int64_t i = 0; i < from->count; i++) {
        int label = from->labels[all[i]];
        if (take[label] == 0) continue;
        take[label]--;
        chosen[n++] = all[i];
    }
}

kl_status kl_images_subset(const kl_images *from, int64_t count, uint64_t seed,
                           kl_images *out_images, kl_error *err) {
    *out_images = (kl_images){.count = 0};
    if (count > from->count) {
        return kl_fail(err, KL_ERROR_INPUT, "%lld images are wanted, and the set has %lld",
                       (long long)count, (long long)from->count);
    }
    kl_images made;
    TRY(kl_images_alloc(count, from->channels, from->height, from->width, from->classes, &made,
                        err));
    int32_t *order = malloc((size_t)from->count * sizeof *order);
    int32_t *chosen = malloc((size_t)count * sizeof *chosen);
    if (!order || !chosen) {
        free(order);
        free(chosen);
        kl_images_free(&made);
        return kl_fail(err, KL_ERROR_MEMORY, "no memory to choose %lld images", (long long)count);
    }
    int64_t there[256] = {0}, take[256];
    for (int64_t i = 0; i < from->count; i++) there[from->labels[i]]++;
    deal(there, 256, count, take);
    kl_epoch_order(kl_random_fork(seed, 0), 0, from->count, order);
    choose(from, order, take, chosen);
    size_t pixels = (size_t)kl_images_pixels(from);
    for (int64_t i = 0; i < count; i++) {
        memcpy(made.pixels + (size_t)i * pixels, from->pixels + (size_t)chosen[i] * pixels, pixels);
        made.labels[i] = from->labels[chosen[i]];
    }
    free(order);
    free(chosen);
    *out_images = made;
    return KL_OK;
}
