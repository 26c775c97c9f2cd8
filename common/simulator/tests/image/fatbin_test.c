// SPDX-License-Identifier: MIT
// Protects the reader of fat binaries: entries, choices, raw images, sizes from headers,
// compression, damage.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/image.h"
#include "support/bytes.h"
#include "suite.h"

enum { LZ4 = 0x2000, ZSTD = 0x8000, ARCH_EXACT = 0x100000, FAMILY = 0x200000 };

static const char ptx[] = "\n// comment\n.version 9.0\n.target sm_90\n.address_size 64\n";

static test_entry ptx_entry(uint32_t arch, uint64_t flags) {
    return (test_entry){1, arch, flags | 0x11, ptx, sizeof ptx - 1, 0};
}

static test_entry cubin_entry(uint32_t arch, uint64_t flags) {
    return (test_entry){2, arch, flags | 0x11, "cubin", 5, 0};
}

static sim_fatbin *open_image(const test_bytes *image) {
    sim_fatbin *fatbin;
    kl_error err = {0};
    sim_status status = sim_fatbin_open(image->data, image->count, &fatbin, &err);
    ck_assert_msg(status == SIM_OK, "%s", err.text);
    return fatbin;
}

START_TEST(entries) {
    test_bytes image = {0};
    test_entry list[] = {ptx_entry(90, 0), cubin_entry(90, 0), {8, 90, 0, "ltoir", 5, 0}};
    build_container(&image, list, 3);
    sim_fatbin *fatbin = open_image(&image);
    const uint8_t *data;
    size_t bytes;
    kl_error err;
    ck_assert_uint_eq(sim_fatbin_count(fatbin), 3);
    ck_assert_uint_eq(sim_fatbin_container_count(fatbin), 1);
    ck_assert_uint_eq(sim_fatbin_get(fatbin, 0)->kind, SIM_FATBIN_PTX);
    ck_assert_uint_eq(sim_fatbin_get(fatbin, 1)->kind, SIM_FATBIN_CUBIN);
    ck_assert_uint_eq(sim_fatbin_get(fatbin, 2)->kind, 8);
    ck_assert_ptr_null(sim_fatbin_get(fatbin, 3));
    ck_assert_int_eq(sim_fatbin_payload(fatbin, 0, &data, &bytes, &err), SIM_OK);
    ck_assert(bytes >= sizeof ptx - 1 && memcmp(data, ptx, sizeof ptx - 1) == 0);
    ck_assert_int_eq(sim_fatbin_payload(fatbin, 3, &data, &bytes, &err), SIM_INVALID_VALUE);
    sim_fatbin_close(fatbin);
    sim_fatbin_close(NULL);
    bytes_free(&image);
}
END_TEST

START_TEST(choices) {
    test_bytes image = {0};
    test_entry list[] = {ptx_entry(75, 0),   ptx_entry(100, 0),
                         ptx_entry(90, 0),   ptx_entry(90, ARCH_EXACT),
                         cubin_entry(80, 0), cubin_entry(90, ARCH_EXACT),
                         cubin_entry(90, 0), cubin_entry(100, FAMILY)};
    uint32_t index;
    build_container(&image, list, 8);
    sim_fatbin *fatbin = open_image(&image);
    ck_assert(sim_fatbin_best_ptx(fatbin, SIM_FATBIN_ANY, 90, &index) && index == 3);
    ck_assert(sim_fatbin_best_ptx(fatbin, SIM_FATBIN_ANY, 89, &index) && index == 0);
    ck_assert(sim_fatbin_best_ptx(fatbin, SIM_FATBIN_ANY, 121, &index) && index == 1);
    ck_assert(!sim_fatbin_best_ptx(fatbin, SIM_FATBIN_ANY, 70, &index));
    ck_assert(!sim_fatbin_best_ptx(fatbin, 1, 90, &index)); // no second container
    ck_assert(sim_fatbin_best_cubin(fatbin, SIM_FATBIN_ANY, 90, &index) && index == 6);
    ck_assert(sim_fatbin_best_cubin(fatbin, 0, 86, &index) && index == 4);
    ck_assert(sim_fatbin_best_cubin(fatbin, SIM_FATBIN_ANY, 103, &index) && index == 7);
    ck_assert(sim_fatbin_best_cubin(fatbin, SIM_FATBIN_ANY, 121, &index) && index == 6);
    sim_fatbin_close(fatbin);
    bytes_free(&image);
}
END_TEST

// Containers one after the other, an empty one among them, zero bytes between: what -rdc programs
// register.
START_TEST(several_containers) {
    test_bytes image = {0};
    test_entry one = cubin_entry(90, 0), two = ptx_entry(90, 0);
    uint32_t index;
    build_container(&image, &one, 1);
    bytes_put(&image, "\0\0\0\0\0\0\0\0", 8);
    build_container(&image, NULL, 0);
    build_container(&image, &two, 1);
    bytes_put(&image, "\0\0\0", 3);
    sim_fatbin *fatbin = open_image(&image);
    ck_assert_uint_eq(sim_fatbin_container_count(fatbin), 3);
    ck_assert_uint_eq(sim_fatbin_count(fatbin), 2);
    ck_assert(!sim_fatbin_best_ptx(fatbin, 0, 90, &index));
    ck_assert(sim_fatbin_best_ptx(fatbin, 2, 90, &index) && index == 1);
    sim_fatbin_close(fatbin);
    bytes_free(&image);
}
END_TEST

START_TEST(raw_images) {
    test_bytes text = {0}, cubin = build_cubin();
    bytes_put(&text, ptx, sizeof ptx);
    sim_fatbin *fatbin = open_image(&text);
    ck_assert_uint_eq(sim_fatbin_get(fatbin, 0)->kind, SIM_FATBIN_PTX);
    ck_assert_uint_eq(sim_fatbin_get(fatbin, 0)->arch, 90);
    ck_assert_uint_eq(sim_fatbin_get(fatbin, 0)->payload_bytes, sizeof ptx - 1);
    sim_fatbin_close(fatbin);
    fatbin = open_image(&cubin);
    ck_assert_uint_eq(sim_fatbin_get(fatbin, 0)->kind, SIM_FATBIN_CUBIN);
    ck_assert_uint_eq(sim_fatbin_get(fatbin, 0)->arch, 90);
    sim_fatbin_close(fatbin);
    bytes_free(&text);
    bytes_free(&cubin);
}
END_TEST

// The size of an image must come from its header alone: registration hands over a bare pointer.
START_TEST(image_sizes) {
    test_bytes image = {0}, cubin = build_cubin();
    test_entry list[] = {ptx_entry(90, 0), cubin_entry(90, 0)};
    size_t bytes;
    kl_error err;
    build_container(&image, list, 2);
    size_t first = image.count;
    build_container(&image, list, 2);
    ck_assert_int_eq(sim_fatbin_image_bytes(image.data, SIZE_MAX, &bytes, &err), SIM_OK);
    ck_assert_uint_eq(bytes, first);
    ck_assert_int_eq(sim_fatbin_image_bytes(cubin.data, SIZE_MAX, &bytes, &err), SIM_OK);
    ck_assert_uint_eq(bytes, cubin.count);
    ck_assert_int_eq(sim_fatbin_image_bytes(ptx, SIZE_MAX, &bytes, &err), SIM_OK);
    ck_assert_uint_eq(bytes, sizeof ptx - 1);
    ck_assert_int_eq(sim_fatbin_image_bytes(image.data, first - 1, &bytes, &err), SIM_BAD_IMAGE);
    ck_assert_int_eq(sim_fatbin_image_bytes(cubin.data, 63, &bytes, &err), SIM_BAD_IMAGE);
    ck_assert_int_eq(sim_fatbin_image_bytes("hello", 6, &bytes, &err), SIM_BAD_IMAGE);
    ck_assert_int_eq(sim_fatbin_image_bytes("", 0, &bytes, &err), SIM_BAD_IMAGE);
    ck_assert_int_eq(sim_fatbin_image_bytes(NULL, 0, &bytes, &err), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_fatbin_image_bytes("/* open", 7, &bytes, &err), SIM_BAD_IMAGE);
    bytes_free(&image);
    bytes_free(&cubin);
}
END_TEST

// Fills `text` with PTX that compresses, and gives an entry for it.
static void check_compressed(const void *packed, size_t packed_bytes, uint64_t flag,
                             const char *text, size_t text_bytes) {
    test_entry entry = {1, 90, flag | 0x11, packed, packed_bytes, text_bytes};
    test_bytes image = {0};
    const uint8_t *data, *again;
    size_t bytes;
    kl_error err = {0};
    build_container(&image, &entry, 1);
    sim_fatbin *fatbin = open_image(&image);
    sim_status status = sim_fatbin_payload(fatbin, 0, &data, &bytes, &err);
    ck_assert_msg(status == SIM_OK, "%s", err.text);
    ck_assert_uint_eq(bytes, text_bytes);
    ck_assert(memcmp(data, text, bytes) == 0);
    ck_assert_int_eq(sim_fatbin_payload(fatbin, 0, &again, &bytes, &err), SIM_OK);
    ck_assert_ptr_eq(data, again); // kept, not decompressed again
    sim_fatbin_close(fatbin);
    // Damaged data and a wrong size must be noticed.
    for (int field = 0; field < 2; field++) {
        test_bytes copy = {0};
        bytes_put(&copy, image.data, image.count);
        size_t at =
            field ? 16 + 56 : 16 + 64 + packed_bytes / 2; // full size, or the middle of the data
        copy.data[at] ^= 0x5a;
        copy.data[at + (field ? 1 : -1)] ^= 0xff;
        fatbin = open_image(&copy);
        status = sim_fatbin_payload(fatbin, 0, &data, &bytes, &err);
        ck_assert(status == SIM_BAD_IMAGE || (field == 0 && status == SIM_OK));
        sim_fatbin_close(fatbin);
        bytes_free(&copy);
    }
    bytes_free(&image);
}

typedef int lz4_compress(const char *from, char *to, int bytes, int capacity);
typedef size_t zstd_compress(void *to, size_t capacity, const void *from, size_t bytes, int level);

// Compresses with the library itself; false, and says so, where that is not installed.
static bool find_compressor(const sim_codec *codec, const char *name, void *out_function) {
    void *found;
    if (sim_codec_function(codec, name, &found, NULL) != SIM_OK) {
        printf("skipped: %s is not installed\n", codec->package);
        return false;
    }
    memcpy(out_function, &found, sizeof found);
    return true;
}

START_TEST(compression) {
    char text[4000], packed[5000];
    lz4_compress *lz4;
    zstd_compress *zstd;
    for (size_t i = 0; i < sizeof text; i++) text[i] = ptx[i % (sizeof ptx - 1)];
    if (find_compressor(&sim_codec_lz4, "LZ4_compress_default", &lz4)) {
        int bytes = lz4(text, packed, sizeof text, sizeof packed);
        ck_assert_int_gt(bytes, 0);
        check_compressed(packed, (size_t)bytes, LZ4, text, sizeof text);
    }
    if (find_compressor(&sim_codec_zstd, "ZSTD_compress", &zstd)) {
        size_t bytes = zstd(packed, sizeof packed, text, sizeof text, 3);
        ck_assert_uint_lt(bytes, sizeof packed);
        check_compressed(packed, bytes, ZSTD, text, sizeof text);
    }
}
END_TEST

START_TEST(a_missing_library_is_named) {
    const sim_codec none = {"zstd", "libnone.so.9", "libnone9"};
    kl_error err = {0};
    void *function;
    ck_assert(!sim_codec_is_there(&none));
    ck_assert_int_eq(sim_codec_function(&none, "ZSTD_decompress", &function, &err),
                     SIM_UNSUPPORTED);
    ck_assert_ptr_null(function);
    ck_assert_ptr_nonnull(strstr(err.text, "libnone.so.9 was not found"));
    ck_assert_ptr_nonnull(strstr(err.text, "apt-get install libnone9"));
    ck_assert_ptr_nonnull(strstr(err.text, "--compress-mode=none"));
}
END_TEST

static void use(const uint8_t *data, size_t count) {
    kl_error err = {0};
    sim_fatbin *fatbin;
    size_t whole;
    sim_fatbin_image_bytes(data, count, &whole, &err);
    if (sim_fatbin_open(data, count, &fatbin, &err) != SIM_OK) {
        ck_assert(err.text[0]);
        return;
    }
    for (uint32_t i = 0; i < sim_fatbin_count(fatbin); i++) {
        const uint8_t *payload;
        size_t bytes, sum = 0;
        if (sim_fatbin_payload(fatbin, i, &payload, &bytes, &err) != SIM_OK) continue;
        for (size_t at = 0; at < bytes; at++) sum += payload[at];
        ck_assert_uint_ge(sum, 0);
    }
    sim_fatbin_close(fatbin);
}

START_TEST(truncations) {
    test_bytes image = {0};
    test_entry list[] = {ptx_entry(90, 0), cubin_entry(90, 0)};
    build_container(&image, list, 2);
    for (size_t count = 0; count < image.count; count++) {
        uint8_t *copy = exact_copy(image.data, count);
        sim_fatbin *fatbin;
        kl_error err = {0};
        ck_assert_int_eq(sim_fatbin_open(copy, count, &fatbin, &err), SIM_BAD_IMAGE);
        ck_assert(err.text[0]);
        free(copy);
    }
    bytes_free(&image);
}
END_TEST

START_TEST(single_bytes) {
    test_bytes image = {0};
    test_entry list[] = {
        ptx_entry(90, 0), {1, 90, ZSTD, "packed", 6, 100}, {1, 90, LZ4, "p", 1, 9}};
    build_container(&image, list, 3);
    spoil_single_bytes(image.data, image.count, use);
    bytes_free(&image);
}
END_TEST

START_TEST(wrappers) {
    test_bytes image = {0}, wrapper = {0};
    build_container(&image, NULL, 0);
    const void *list[] = {image.data, image.data, NULL};
    sim_fatbin_wrapper read;
    kl_error err;
    bytes_put_u32(&wrapper, 0x466243B1);
    bytes_put_u32(&wrapper, 1);
    bytes_put_u64(&wrapper, (uint64_t)(uintptr_t)image.data);
    bytes_put_u64(&wrapper, (uint64_t)(uintptr_t)list);
    ck_assert_int_eq(sim_fatbin_wrapper_read(wrapper.data, &read, &err), SIM_OK);
    ck_assert_ptr_eq(read.image, image.data);
    ck_assert_uint_eq(read.prelinked_count, 0);
    wrapper.data[4] = 2;
    ck_assert_int_eq(sim_fatbin_wrapper_read(wrapper.data, &read, &err), SIM_OK);
    ck_assert_uint_eq(read.prelinked_count, 2);
    ck_assert_ptr_eq(read.prelinked[1], image.data);
    wrapper.data[4] = 3;
    ck_assert_int_eq(sim_fatbin_wrapper_read(wrapper.data, &read, &err), SIM_BAD_IMAGE);
    wrapper.data[0] = 0;
    ck_assert_int_eq(sim_fatbin_wrapper_read(wrapper.data, &read, &err), SIM_BAD_IMAGE);
    ck_assert_int_eq(sim_fatbin_wrapper_read(NULL, &read, &err), SIM_INVALID_VALUE);
    bytes_free(&image);
    bytes_free(&wrapper);
}
END_TEST

KL_TEST_MAIN("frontend_fatbin", entries, choices, several_containers, raw_images, image_sizes,
             compression, a_missing_library_is_named, truncations, single_bytes, wrappers)
