// Fuzz target: image files. The first byte chooses the reader, the rest is the file. Must never
// crash, hang, leak or read outside the data; what is accepted must have the sizes that it says.
#include "images.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void read_images(kl_byte_source *source, size_t bytes) {
    kl_error err = {.status = KL_OK};
    kl_images images;
    if (kl_idx_images(source, "input", &images, &err) == KL_OK) {
        if (images.count * kl_images_pixels(&images) + 16 != (int64_t)bytes) abort();
        double mean = 0, stddev = 0;
        kl_images_moments(&images, &mean, &stddev); // reads every pixel
        if (!(mean >= 0 && mean <= 1 && stddev > 0 && stddev <= 1)) abort();
    } else if (err.text[0] == '\0' || images.pixels != NULL) {
        abort();
    }
    kl_images_free(&images);
}

static void read_labels(kl_byte_source *source, int classes) {
    kl_error err = {.status = KL_OK};
    int64_t count = 0;
    uint8_t *labels = NULL;
    kl_status status = kl_idx_labels(source, "input", classes, &count, &labels, &err);
    if ((status == KL_OK) != (labels != NULL) || (status != KL_OK && err.text[0] == '\0')) abort();
    for (int64_t i = 0; i < count; i++)
        if (labels[i] >= classes) abort();
    free(labels);
}

static void read_cifar(kl_byte_source *source, size_t bytes) {
    kl_error err = {.status = KL_OK};
    kl_images images = {.count = 0}, half;
    kl_status status = kl_cifar_add(source, "input", &images, &err);
    if (status == KL_OK && images.count * 3073 != (int64_t)bytes) abort();
    if (status != KL_OK && (err.text[0] == '\0' || images.count != 0)) abort();
    if (images.count > 1) { // a subset of what was read
        if (kl_images_subset(&images, images.count / 2, bytes, &half, &err) != KL_OK) abort();
        kl_images_free(&half);
    }
    kl_images_free(&images);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    if (bytes == 0) return 0;
    kl_error err = {.status = KL_OK};
    kl_byte_source *source = NULL;
    if (kl_bytes_from_memory((const char *)data + 1, bytes - 1, &source, &err) != KL_OK) abort();
    switch (data[0] % 3) {
    case 0: read_images(source, bytes - 1); break;
    case 1: read_labels(source, 1 + data[0] % 64); break;
    default: read_cifar(source, bytes - 1);
    }
    kl_bytes_close(source);
    return 0;
}
