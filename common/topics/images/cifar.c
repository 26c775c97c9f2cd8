// CIFAR-10, binary version: see images.h. Memory grows with the records that are there.
#include "images.h"

enum {
    PIXELS = KL_CIFAR_CHANNELS * KL_CIFAR_SIDE * KL_CIFAR_SIDE,
    RECORD = 1 + PIXELS,
    BLOCK = 1024 // records that are made room for at a time, at least
};

static kl_status reserve(kl_images *images, int64_t *capacity, kl_error *err) {
    if (images->count < *capacity) return KL_OK;
    int64_t larger = *capacity < BLOCK ? BLOCK : 2 * *capacity;
    uint8_t *pixels = realloc(images->pixels, (size_t)larger * PIXELS);
    if (pixels) images->pixels = pixels;
    uint8_t *labels = !pixels ? NULL : realloc(images->labels, (size_t)larger);
    if (!labels)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for %lld images", (long long)larger);
    images->labels = labels;
    *capacity = larger;
    return KL_OK;
}

static kl_status add_record(const uint8_t *record, size_t got, int64_t index, kl_images *images,
                            int64_t *capacity, kl_error *err) {
    long long byte = (long long)index * RECORD;
    if (got < RECORD) {
        return kl_fail(err, KL_ERROR_INPUT,
                       "byte %lld: the file ends after %zu of the %d bytes of record %lld: it is "
                       "cut off or no CIFAR-10 file of the binary version",
                       byte, got, RECORD, (long long)index);
    }
    if (record[0] >= KL_CIFAR_CLASSES) {
        return kl_fail(err, KL_ERROR_INPUT,
                       "byte %lld: label %u in record %lld, and labels are 0 to %d: is this the "
                       "binary version of CIFAR-10?",
                       byte, record[0], (long long)index, KL_CIFAR_CLASSES - 1);
    }
    TRY(kl_images_check_shape(images->count + 1, KL_CIFAR_CHANNELS, KL_CIFAR_SIDE, KL_CIFAR_SIDE,
                              err));
    TRY(reserve(images, capacity, err));
    memcpy(images->pixels + (size_t)images->count * PIXELS, record + 1, PIXELS);
    images->labels[images->count++] = record[0];
    return KL_OK;
}

static kl_status add_records(kl_byte_source *source, kl_images *images, kl_error *err) {
    uint8_t record[RECORD];
    size_t got = 0;
    int64_t capacity =
        images->count; // room that is there may be more: then realloc changes nothing
    for (int64_t index = 0;; index++) {
        TRY(kl_bytes_fill(source, record, RECORD, &got, err));
        if (got == 0 && index > 0) return KL_OK;
        if (got == 0) return kl_fail(err, KL_ERROR_INPUT, "the file is empty");
        TRY(add_record(record, got, index, images, &capacity, err));
    }
}

kl_status kl_cifar_add(kl_byte_source *source, const char *name, kl_images *images, kl_error *err) {
    int64_t before = images->count;
    images->channels = KL_CIFAR_CHANNELS;
    images->height = images->width = KL_CIFAR_SIDE;
    images->classes = KL_CIFAR_CLASSES;
    if (add_records(source, images, err) == KL_OK) return KL_OK;
    images->count = before;
    return kl_fail_prefix(err, "%s", name);
}

kl_status kl_cifar_read(const char *const *paths, int path_count, kl_images *out_images,
                        kl_error *err) {
    kl_images made = {.count = 0};
    kl_status status = KL_OK;
    *out_images = made;
    for (int i = 0; i < path_count && status == KL_OK; i++) {
        kl_byte_source *source = NULL;
        status = kl_bytes_open(paths[i], &source, err);
        if (status != KL_OK) break;
        status = kl_cifar_add(source, paths[i], &made, err);
        kl_bytes_close(source);
    }
    if (status != KL_OK) kl_images_free(&made);
    else *out_images = made;
    return status;
}
