// Fat binaries and cubins.
#include "image/image.h"
#include "suite.h"
#include "support/bytes.h"

// ---- machine_opcode ----
// Protects what is read off a machine instruction: each row of the table once, width and predicate
// as ptxas 13.0 wrote them for known PTX.

static const struct {
    uint64_t words[2];
    const char *name; // NULL: none
    uint32_t bits, predicate;
    bool negated;
} cases[] = {
    {{0x00000a00ff017b82, 0x000fe20000000800}, "LDC", 32, 7, false}, // a 32-bit constant
    {{0x00008400ff027b82, 0x000ea20000000a00}, "LDC", 64, 7, false}, // a pointer
    {{0x0000820000047ab9, 0x000fc60000000a00}, "ULDC", 64, 7, false},
    {{0x0000000002057fae, 0x004fe8000b921844}, "LDGSTS", 32, 7, false}, // cp.async 4, 8, 16
    {{0x0000000002057fae, 0x004fe8000b921a44}, "LDGSTS", 64, 7, false},
    {{0x0000000002057fae, 0x004fe8000b901c44}, "LDGSTS", 128, 7, false},
    {{0x000000000000994d, 0}, "EXIT", 0, 1, true}, // @!P1
    {{0x0000000000002947, 0}, "BRA", 0, 2, false}, // @P2
    {{0x0000000000007fff, 0}, NULL, 0, 7, false},
};

KL_TEST(words_give_name_width_and_predicate) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim_machine_opcode got = sim_machine_opcode_of(cases[i].words);
        ck_assert_pstr_eq(got.name, cases[i].name);
        ck_assert_uint_eq(got.code, cases[i].words[0] & 0xFFF);
        ck_assert_uint_eq(got.bits, cases[i].bits);
        ck_assert_uint_eq(got.predicate, cases[i].predicate);
        ck_assert_int_eq(got.negated, cases[i].negated);
    }
}

KL_TEST(rows_are_of_nine_bits_and_differ) {
    static const uint16_t codes[] = {
#define MACHINE_OPCODE(code, name, moves, text) code,
#include "image/machine_opcodes.def"
#undef MACHINE_OPCODE
    };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        ck_assert_uint_lt(codes[i], 0x200);
        if (i > 0) ck_assert_uint_lt(codes[i - 1], codes[i]);
    }
}

// ---- cubin ----
// Protects the cubin reader on a cubin built by hand: every attribute, the code, the line table,
// and damage.

static test_bytes image;
static sim_cubin *cubin;

static void open_cubin(void) {
    kl_error err = {0};
    image = build_cubin();
    OK_OR_SAY(sim_cubin_open(image.data, image.count, &cubin, &err), err);
}

static void close_cubin(void) {
    sim_cubin_close(cubin);
    bytes_free(&image);
}

KL_FIXTURE(open_cubin, close_cubin)

KL_TEST(attributes) {
    ck_assert_uint_eq(sim_cubin_arch(cubin), 90);
    ck_assert_uint_eq(sim_cubin_kernel_count(cubin), 1);
    const sim_cubin_kernel *kernel = sim_cubin_find(cubin, "k");
    ck_assert_ptr_nonnull(kernel);
    ck_assert_ptr_eq(kernel, sim_cubin_kernel_get(cubin, 0));
    ck_assert_ptr_null(sim_cubin_kernel_get(cubin, 1));
    ck_assert_ptr_null(sim_cubin_find(cubin, "kk"));
    ck_assert_str_eq(kernel->name, "k");
    ck_assert(kernel->is_entry);
    ck_assert_uint_eq(kernel->registers, 40);
    ck_assert_uint_eq(kernel->max_registers, 64);
    ck_assert_uint_eq(kernel->shared_bytes, 16);
    ck_assert_uint_eq(kernel->frame_bytes, 24);
    ck_assert_uint_eq(kernel->stack_bytes, 32);
    ck_assert_uint_eq(kernel->barriers, 3);
    ck_assert_uint_eq(kernel->param_bytes, 12);
    ck_assert_uint_eq(kernel->max_threads[0], 128);
    ck_assert_uint_eq(kernel->max_threads[1], 2);
    ck_assert_uint_eq(kernel->max_threads[2], 1);
    ck_assert_uint_eq(kernel->required_threads[0], 0);
}

// Recursion: ptxas writes no bound for the stack, and the frame alone remains.
KL_TEST(unknown_stack) {
    static const uint8_t stack[] = {4, 0x12, 8, 0, 1, 0, 0, 0, 32, 0, 0, 0};
    uint8_t *found = memmem(image.data, image.count, stack, sizeof stack);
    sim_cubin *recursive;
    kl_error err;
    ck_assert_ptr_nonnull(found);
    memset(found + 8, 0xff, 4);
    ck_assert_int_eq(sim_cubin_open(image.data, image.count, &recursive, &err), SIM_OK);
    const sim_cubin_kernel *kernel = sim_cubin_find(recursive, "k");
    ck_assert(kernel->is_stack_unknown);
    ck_assert_uint_eq(kernel->stack_bytes, 24);
    ck_assert(!sim_cubin_find(cubin, "k")->is_stack_unknown);
    sim_cubin_close(recursive);
}

KL_TEST(parameters_and_spills) {
    const sim_cubin_kernel *kernel = sim_cubin_find(cubin, "k");
    ck_assert_uint_eq(kernel->param_count, 2);
    ck_assert_uint_eq(kernel->params[0].offset, 0);
    ck_assert_uint_eq(kernel->params[0].size_bytes, 8);
    ck_assert_uint_eq(kernel->params[1].offset, 8);
    ck_assert_uint_eq(kernel->params[1].size_bytes, 4);
    ck_assert_uint_eq(kernel->spill_count, 2);
    ck_assert_uint_eq(kernel->spills[0], 16);
    ck_assert_uint_eq(kernel->spills[1], 32);
    ck_assert_uint_eq(kernel->spill_store_bytes, 8);
    ck_assert_uint_eq(kernel->spill_load_bytes, 4);
}

KL_TEST(code) {
    const sim_cubin_kernel *kernel = sim_cubin_find(cubin, "k");
    ck_assert_uint_eq(kernel->code_bytes, 64);
    ck_assert_uint_eq(kernel->code[0], 0x18);
}

KL_TEST(ptx_lines) {
    const sim_cubin_line *lines;
    uint32_t count;
    kl_error err = {0};
    OK_OR_SAY(sim_cubin_ptx_lines(cubin, "k", &lines, &count, &err), err);
    ck_assert_uint_eq(count, 4);
    ck_assert_uint_eq(sim_cubin_line_at(lines, count, 0)->line, 10);
    ck_assert_uint_eq(sim_cubin_line_at(lines, count, 31)->line, 7);
    ck_assert_uint_eq(sim_cubin_line_at(lines, count, 32)->line, 11);
    ck_assert_uint_eq(sim_cubin_line_at(lines, count, 48)->line, 15);
    ck_assert_ptr_null(sim_cubin_line_at(lines, 0, 48));
    ck_assert_int_eq(sim_cubin_ptx_lines(cubin, "x", &lines, &count, &err), SIM_NOT_FOUND);
}

// Everything the reader offers, so that damage is met wherever it lies.
static void use(const uint8_t *data, size_t count) {
    kl_error err = {0};
    sim_cubin *damaged;
    if (sim_cubin_open(data, count, &damaged, &err) != SIM_OK) {
        ck_assert(err.text[0]);
        ck_assert_ptr_null(damaged);
        return;
    }
    for (uint32_t i = 0; i < sim_cubin_kernel_count(damaged); i++) {
        const char *name = sim_cubin_kernel_get(damaged, i)->name;
        const sim_cubin_line *lines;
        uint32_t line_count;
        sim_cubin_ptx_lines(damaged, name, &lines, &line_count, &err);
        sim_cubin_line_at(lines, line_count, 16);
    }
    sim_cubin_close(damaged);
}

KL_TEST(truncations) {
    for (size_t count = 0; count < image.count; count++) {
        uint8_t *copy = exact_copy(image.data, count);
        sim_cubin *damaged;
        ck_assert_int_eq(sim_cubin_open(copy, count, &damaged, NULL), SIM_BAD_IMAGE);
        free(copy);
    }
}

KL_TEST(single_bytes) { spoil_single_bytes(image.data, image.count, use); }

KL_TEST(not_cubins) {
    sim_cubin *none;
    ck_assert_int_eq(sim_cubin_open(NULL, 0, &none, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_cubin_open("", 0, &none, NULL), SIM_BAD_IMAGE);
    image.data[18] = 62; // x86-64
    ck_assert_int_eq(sim_cubin_open(image.data, image.count, &none, NULL), SIM_BAD_IMAGE);
    sim_cubin_close(NULL);
}

// ---- fatbin ----
// Protects the reader of fat binaries: entries, choices, raw images, sizes from headers,
// compression, damage.

enum { LZ4 = 0x2000, ZSTD = 0x8000, ARCH_EXACT = 0x100000, FAMILY = 0x200000 };

static const char ptx[] = "\n// comment\n.version 9.0\n.target sm_90\n.address_size 64\n";

static test_entry ptx_entry(uint32_t arch, uint64_t flags) {
    return (test_entry){1, arch, flags | 0x11, ptx, sizeof ptx - 1, 0};
}

static test_entry cubin_entry(uint32_t arch, uint64_t flags) {
    return (test_entry){2, arch, flags | 0x11, "cubin", 5, 0};
}

static sim_fatbin *fatbin; // of `image`, unless a test says otherwise

static void open_image(const test_bytes *bytes) {
    kl_error err = {0};
    sim_fatbin_close(fatbin);
    OK_OR_SAY(sim_fatbin_open(bytes->data, bytes->count, &fatbin, &err), err);
}

static void begin_image(void) {
    image = (test_bytes){0};
    fatbin = NULL;
}

static void end_image(void) {
    sim_fatbin_close(fatbin);
    bytes_free(&image);
}

KL_FIXTURE(begin_image, end_image)

KL_TEST(entries) {
    test_entry list[] = {ptx_entry(90, 0), cubin_entry(90, 0), {8, 90, 0, "ltoir", 5, 0}};
    build_container(&image, list, 3);
    open_image(&image);
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
    sim_fatbin_close(NULL);
}

KL_TEST(choices) {
    test_entry list[] = {ptx_entry(75, 0),   ptx_entry(100, 0),
                         ptx_entry(90, 0),   ptx_entry(90, ARCH_EXACT),
                         cubin_entry(80, 0), cubin_entry(90, ARCH_EXACT),
                         cubin_entry(90, 0), cubin_entry(100, FAMILY)};
    uint32_t index;
    build_container(&image, list, 8);
    open_image(&image);
    ck_assert(sim_fatbin_best_ptx(fatbin, SIM_FATBIN_ANY, 90, &index) && index == 3);
    ck_assert(sim_fatbin_best_ptx(fatbin, SIM_FATBIN_ANY, 89, &index) && index == 0);
    ck_assert(sim_fatbin_best_ptx(fatbin, SIM_FATBIN_ANY, 121, &index) && index == 1);
    ck_assert(!sim_fatbin_best_ptx(fatbin, SIM_FATBIN_ANY, 70, &index));
    ck_assert(!sim_fatbin_best_ptx(fatbin, 1, 90, &index)); // no second container
    ck_assert(sim_fatbin_best_cubin(fatbin, SIM_FATBIN_ANY, 90, &index) && index == 6);
    ck_assert(sim_fatbin_best_cubin(fatbin, 0, 86, &index) && index == 4);
    ck_assert(sim_fatbin_best_cubin(fatbin, SIM_FATBIN_ANY, 103, &index) && index == 7);
    ck_assert(sim_fatbin_best_cubin(fatbin, SIM_FATBIN_ANY, 121, &index) && index == 6);
}

// Containers one after the other, an empty one among them, zero bytes between: what -rdc programs
// register.
KL_TEST(several_containers) {
    test_entry one = cubin_entry(90, 0), two = ptx_entry(90, 0);
    uint32_t index;
    build_container(&image, &one, 1);
    bytes_put(&image, "\0\0\0\0\0\0\0\0", 8);
    build_container(&image, NULL, 0);
    build_container(&image, &two, 1);
    bytes_put(&image, "\0\0\0", 3);
    open_image(&image);
    ck_assert_uint_eq(sim_fatbin_container_count(fatbin), 3);
    ck_assert_uint_eq(sim_fatbin_count(fatbin), 2);
    ck_assert(!sim_fatbin_best_ptx(fatbin, 0, 90, &index));
    ck_assert(sim_fatbin_best_ptx(fatbin, 2, 90, &index) && index == 1);
}

KL_TEST(raw_images) {
    test_bytes text = {0}, cubin = build_cubin();
    bytes_put(&text, ptx, sizeof ptx);
    open_image(&text);
    ck_assert_uint_eq(sim_fatbin_get(fatbin, 0)->kind, SIM_FATBIN_PTX);
    ck_assert_uint_eq(sim_fatbin_get(fatbin, 0)->arch, 90);
    ck_assert_uint_eq(sim_fatbin_get(fatbin, 0)->payload_bytes, sizeof ptx - 1);
    open_image(&cubin);
    ck_assert_uint_eq(sim_fatbin_get(fatbin, 0)->kind, SIM_FATBIN_CUBIN);
    ck_assert_uint_eq(sim_fatbin_get(fatbin, 0)->arch, 90);
    bytes_free(&text);
    bytes_free(&cubin);
}

// The size of an image must come from its header alone: registration hands over a bare pointer.
KL_TEST(image_sizes) {
    test_bytes cubin = build_cubin();
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
    bytes_free(&cubin);
}

// Fills `text` with PTX that compresses, and gives an entry for it.
static void check_compressed(const void *packed, size_t packed_bytes, uint64_t flag,
                             const char *text, size_t text_bytes) {
    test_entry entry = {1, 90, flag | 0x11, packed, packed_bytes, text_bytes};
    const uint8_t *data, *again;
    size_t bytes;
    kl_error err = {0};
    bytes_free(&image);
    build_container(&image, &entry, 1);
    open_image(&image);
    sim_status status = sim_fatbin_payload(fatbin, 0, &data, &bytes, &err);
    ck_assert_msg(status == SIM_OK, "%s", err.text);
    ck_assert_uint_eq(bytes, text_bytes);
    ck_assert(memcmp(data, text, bytes) == 0);
    ck_assert_int_eq(sim_fatbin_payload(fatbin, 0, &again, &bytes, &err), SIM_OK);
    ck_assert_ptr_eq(data, again); // kept, not decompressed again
    // Damaged data and a wrong size must be noticed.
    for (int field = 0; field < 2; field++) {
        test_bytes copy = {0};
        bytes_put(&copy, image.data, image.count);
        size_t at =
            field ? 16 + 56 : 16 + 64 + packed_bytes / 2; // full size, or the middle of the data
        copy.data[at] ^= 0x5a;
        copy.data[at + (field ? 1 : -1)] ^= 0xff;
        open_image(&copy);
        status = sim_fatbin_payload(fatbin, 0, &data, &bytes, &err);
        ck_assert(status == SIM_BAD_IMAGE || (field == 0 && status == SIM_OK));
        bytes_free(&copy);
    }
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

KL_TEST(compression) {
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

KL_TEST(a_missing_library_is_named) {
    const sim_codec none = {"zstd", "libnone.so.9", "libnone9"};
    kl_error err = {0};
    void *function;
    ck_assert(!sim_codec_is_there(&none));
    ck_assert_int_eq(sim_codec_function(&none, "ZSTD_decompress", &function, &err),
                     SIM_UNSUPPORTED);
    ck_assert_ptr_null(function);
    KL_HAS(err.text, "libnone.so.9 was not found", "apt-get install libnone9",
           "--compress-mode=none");
}

static void use_fatbin(const uint8_t *data, size_t count) {
    kl_error err = {0};
    sim_fatbin *damaged;
    size_t whole;
    sim_fatbin_image_bytes(data, count, &whole, &err);
    if (sim_fatbin_open(data, count, &damaged, &err) != SIM_OK) {
        ck_assert(err.text[0]);
        return;
    }
    for (uint32_t i = 0; i < sim_fatbin_count(damaged); i++) {
        const uint8_t *payload;
        size_t bytes, sum = 0;
        if (sim_fatbin_payload(damaged, i, &payload, &bytes, &err) != SIM_OK) continue;
        for (size_t at = 0; at < bytes; at++) sum += payload[at];
        ck_assert_uint_ge(sum, 0);
    }
    sim_fatbin_close(damaged);
}

KL_TEST(truncations_fatbin) {
    test_entry list[] = {ptx_entry(90, 0), cubin_entry(90, 0)};
    build_container(&image, list, 2);
    for (size_t count = 0; count < image.count; count++) {
        uint8_t *copy = exact_copy(image.data, count);
        sim_fatbin *damaged;
        kl_error err = {0};
        ck_assert_int_eq(sim_fatbin_open(copy, count, &damaged, &err), SIM_BAD_IMAGE);
        ck_assert(err.text[0]);
        free(copy);
    }
}

KL_TEST(single_bytes_fatbin) {
    test_entry list[] = {
        ptx_entry(90, 0), {1, 90, ZSTD, "packed", 6, 100}, {1, 90, LZ4, "p", 1, 9}};
    build_container(&image, list, 3);
    spoil_single_bytes(image.data, image.count, use_fatbin);
}

KL_TEST(wrappers) {
    test_bytes wrapper = {0};
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
    bytes_free(&wrapper);
}

KL_TEST_MAIN("image")
