// idx files: see images.h. Nothing is believed of the header before the bytes are there.
#include "images.h"
#include "table.h"

enum {
    UNSIGNED_BYTES = 0x08, // type of a value
    MOST_DIMENSIONS = 3,
    WORD = 4 // bytes of the magic number, and of a size
};

typedef struct header {
    int dimensions;
    uint32_t sizes[MOST_DIMENSIONS];
    int64_t values;
} header;

static const char again[] = "it is cut off or damaged, get it again";

static kl_status check_magic(const uint8_t *magic, int dimensions, kl_error *err) {
    if (magic[0] != 0 || magic[1] != 0) {
        bool packed = magic[0] == 0x1f && magic[1] == 0x8b;
        return kl_fail(err, KL_ERROR_INPUT,
                       "byte 0: no idx file: it must begin with two zero bytes and begins with "
                       "0x%02X 0x%02X%s",
                       magic[0], magic[1], packed ? ", which is gzip's: unpack it" : "");
    }
    if (magic[2] != UNSIGNED_BYTES) {
        return kl_fail(err, KL_ERROR_INPUT,
                       "byte 2: values of type 0x%02X; only unsigned bytes (0x08) are read",
                       magic[2]);
    }
    if (magic[3] != dimensions) {
        bool swapped = magic[3] == (dimensions == 3 ? 1 : 3);
        return kl_fail(err, KL_ERROR_INPUT, "byte 3: %d dimension%s, and %s have %d%s", magic[3],
                       magic[3] == 1 ? "" : "s", dimensions == 3 ? "images" : "labels", dimensions,
                       swapped ? ": are the files of images and labels exchanged?" : "");
    }
    return KL_OK;
}

static kl_status read_header(kl_byte_source *source, int dimensions, header *out, kl_error *err) {
    uint8_t bytes[WORD * (1 + MOST_DIMENSIONS)];
    size_t want = (size_t)WORD * (size_t)(1 + dimensions), got = 0;
    TRY(kl_bytes_fill(source, bytes, want, &got, err));
    if (got >= WORD) TRY(check_magic(bytes, dimensions, err));
    if (got == 0) return kl_fail(err, KL_ERROR_INPUT, "the file is empty");
    if (got < want) {
        return kl_fail(err, KL_ERROR_INPUT, "the file ends after %zu of the header's %zu bytes: %s",
                       got, want, again);
    }
    *out = (header){.dimensions = dimensions, .values = 1};
    for (int d = 0; d < dimensions; d++) {
        const uint8_t *at = bytes + WORD * (1 + d);
        out->sizes[d] =
            (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
    }
    return KL_OK;
}

static kl_status cut_off(const header *h, uint64_t have, kl_error *err) {
    char values[32], there[32];
    return kl_fail(err, KL_ERROR_INPUT,
                   "the header announces %s bytes of %s, and the file has %s: %s",
                   kl_format_grouped(h->values, values, sizeof values),
                   h->dimensions == 1 ? "labels" : "pixels",
                   kl_format_grouped((long long)have, there, sizeof there), again);
}

// The values behind the header and the end of the file after them. h->values is within the limits.
static kl_status read_values(kl_byte_source *source, const header *h, uint8_t **out_values,
                             kl_error *err) {
    uint64_t done = 0, total = 0, got = 0, head = (uint64_t)WORD * (uint64_t)(1 + h->dimensions);
    *out_values = NULL;
    kl_bytes_progress(source, &done, &total);
    // Of an uncompressed file the length is known: nothing is read of one that is too short.
    if (kl_bytes_have_size(source) && total - head < (uint64_t)h->values)
        return cut_off(h, total - head, err);
    uint8_t *values = NULL;
    TRY(kl_bytes_take(source, (uint64_t)h->values, &values, &got, err));
    bool end = true;
    kl_status status = KL_OK;
    if (got < (uint64_t)h->values) status = cut_off(h, got, err);
    if (status == KL_OK) status = kl_bytes_at_end(source, &end, err);
    if (status == KL_OK && !end) {
        status = kl_fail(err, KL_ERROR_INPUT,
                         "byte %llu: the file goes on after the last %s that its header announces; "
                         "it is damaged, get it again",
                         (unsigned long long)head + (unsigned long long)h->values,
                         h->dimensions == 1 ? "label" : "image");
    }
    if (status != KL_OK) free(values);
    if (status == KL_OK) *out_values = values;
    return status;
}

static kl_status read_images(kl_byte_source *source, kl_images *out, kl_error *err) {
    header h = {.dimensions = 0};
    TRY(read_header(source, 3, &h, err));
    for (int d = 1; d < 3; d++) {
        if (h.sizes[d] > KL_IMAGES_MAX_SIDE) {
            return kl_fail(err, KL_ERROR_LIMIT, "byte %d: a side of %u pixels; the kit takes %d",
                           WORD * (1 + d), h.sizes[d], KL_IMAGES_MAX_SIDE);
        }
    }
    int height = (int)h.sizes[1], width = (int)h.sizes[2];
    TRY(kl_images_check_shape(h.sizes[0], 1, height, width, err));
    h.values = (int64_t)h.sizes[0] * height * width;
    TRY(read_values(source, &h, &out->pixels, err));
    out->count = h.sizes[0];
    out->channels = 1;
    out->height = height;
    out->width = width;
    return KL_OK;
}

kl_status kl_idx_images(kl_byte_source *source, const char *name, kl_images *out_images,
                        kl_error *err) {
    *out_images = (kl_images){.count = 0};
    return read_images(source, out_images, err) == KL_OK ? KL_OK : kl_fail_prefix(err, "%s", name);
}

static kl_status read_labels(kl_byte_source *source, int classes, int64_t *out_count,
                             uint8_t **out_labels, kl_error *err) {
    header h = {.dimensions = 0};
    TRY(read_header(source, 1, &h, err));
    TRY(kl_images_check_shape(h.sizes[0], 1, 1, 1, err));
    h.values = h.sizes[0];
    TRY(read_values(source, &h, out_labels, err));
    for (int64_t i = 0; i < h.values; i++) {
        if ((*out_labels)[i] < classes) continue;
        kl_fail(err, KL_ERROR_INPUT,
                "byte %lld: label %u of image %lld; %d classes have labels 0 to %d",
                (long long)i + 2 * WORD, (*out_labels)[i], (long long)i, classes, classes - 1);
        free(*out_labels);
        *out_labels = NULL;
        return KL_ERROR_INPUT;
    }
    *out_count = h.values;
    return KL_OK;
}

kl_status kl_idx_labels(kl_byte_source *source, const char *name, int classes, int64_t *out_count,
                        uint8_t **out_labels, kl_error *err) {
    *out_count = 0;
    *out_labels = NULL;
    return read_labels(source, classes, out_count, out_labels, err) == KL_OK
               ? KL_OK
               : kl_fail_prefix(err, "%s", name);
}

kl_status kl_idx_read(const char *images_path, const char *labels_path, int classes,
                      kl_images *out_images, kl_error *err) {
    kl_byte_source *source = NULL;
    kl_images made;
    int64_t labels = 0;
    *out_images = (kl_images){.count = 0};
    TRY(kl_bytes_open(images_path, &source, err));
    kl_status status = kl_idx_images(source, images_path, &made, err);
    kl_bytes_close(source);
    TRY(status);
    status = kl_bytes_open(labels_path, &source, err);
    if (status == KL_OK) {
        status = kl_idx_labels(source, labels_path, classes, &labels, &made.labels, err);
        kl_bytes_close(source);
    }
    if (status == KL_OK && labels != made.count) {
        status = kl_fail(err, KL_ERROR_INPUT,
                         "%s has %lld images and %s %lld labels: they do not belong together",
                         images_path, (long long)made.count, labels_path, (long long)labels);
    }
    if (status != KL_OK) {
        kl_images_free(&made);
        return status;
    }
    made.classes = classes;
    *out_images = made;
    return KL_OK;
}
