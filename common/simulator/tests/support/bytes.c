// Helpers of the front end's tests: bytes and files. The cubin is built in frontend_build_cubin.c.
#include "support/bytes.h"

void bytes_put(test_bytes *bytes, const void *data, size_t count) {
    if (bytes->count + count > bytes->capacity) {
        bytes->capacity = (bytes->count + count) * 2;
        bytes->data = realloc(bytes->data, bytes->capacity);
        ck_assert_ptr_nonnull(bytes->data);
    }
    if (count) memcpy(bytes->data + bytes->count, data, count);
    bytes->count += count;
}

void bytes_put_u16(test_bytes *bytes, uint16_t value) { bytes_put(bytes, &value, sizeof value); }
void bytes_put_u32(test_bytes *bytes, uint32_t value) { bytes_put(bytes, &value, sizeof value); }
void bytes_put_u64(test_bytes *bytes, uint64_t value) { bytes_put(bytes, &value, sizeof value); }

void bytes_align(test_bytes *bytes, size_t alignment) {
    while (bytes->count % alignment) bytes_put(bytes, "", 1);
}

void bytes_free(test_bytes *bytes) {
    free(bytes->data);
    *bytes = (test_bytes){0};
}

test_bytes read_file(const char *path) {
    test_bytes bytes = {0};
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file, "cannot open %s", path);
    uint8_t part[4096];
    size_t count;
    while ((count = fread(part, 1, sizeof part, file)) > 0) bytes_put(&bytes, part, count);
    fclose(file);
    bytes_put(&bytes, "", 1);
    bytes.count--;
    return bytes;
}

const char *test_path(const char *folder, const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

uint8_t *exact_copy(const uint8_t *data, size_t count) {
    uint8_t *copy = malloc(count ? count : 1);
    ck_assert_ptr_nonnull(copy);
    if (count) memcpy(copy, data, count);
    return copy;
}

void build_container(test_bytes *image, const test_entry *entries, size_t entry_count) {
    test_bytes body = {0};
    for (size_t i = 0; i < entry_count; i++) {
        const test_entry *entry = &entries[i];
        size_t padded = (entry->payload_bytes + 7) / 8 * 8;
        bytes_put_u16(&body, entry->kind);
        bytes_put_u16(&body, 0x101);
        bytes_put_u32(&body, 64);
        bytes_put_u64(&body, padded);
        bytes_put_u32(&body, entry->full_bytes ? (uint32_t)entry->payload_bytes : 0);
        bytes_put_u32(&body, 0);
        bytes_put_u32(&body, 0);
        bytes_put_u32(&body, entry->arch);
        bytes_put_u64(&body, 0); // name
        bytes_put_u64(&body, entry->flags);
        bytes_put_u64(&body, 0);
        bytes_put_u64(&body, entry->full_bytes);
        bytes_put(&body, entry->payload, entry->payload_bytes);
        bytes_align(&body, 8);
    }
    bytes_put_u32(image, 0xBA55ED50);
    bytes_put_u16(image, 1);
    bytes_put_u16(image, 16);
    bytes_put_u64(image, body.count);
    bytes_put(image, body.data, body.count);
    bytes_free(&body);
}

void spoil_single_bytes(const uint8_t *image, size_t count,
                        void (*use)(const uint8_t *image, size_t count)) {
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    uint8_t *copy = exact_copy(image, count);
    for (size_t at = 0; at < count; at++) {
        for (size_t i = 0; i < sizeof values; i++) {
            copy[at] = values[i];
            use(copy, count);
        }
        copy[at] = image[at];
    }
    free(copy);
}

void expect_refusal(const test_refusal *row, sim_status status, const kl_error *err) {
    char place[64];
    ck_assert_msg(status == SIM_BAD_PTX, "was accepted: %s", row->text);
    bool is_version = strncmp(row->message, "there is no PTX version", 23) == 0;
    ck_assert_int_eq(err->status, is_version ? SIM_PTX_VERSION : SIM_BAD_PTX);
    snprintf(place, sizeof place, "line %u, column %u: ", row->line, row->column);
    ck_assert_msg(strncmp(err->text, place, strlen(place)) == 0, "%s gave: %s", row->text,
                  err->text);
    ck_assert_msg(strstr(err->text, row->message), "%s gave: %s", row->text, err->text);
}
