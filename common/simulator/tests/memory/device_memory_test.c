// Device memory: exact bounds, poison, reuse, budget, messages, the device heap, memory shared with
// the host.
#include "support/run.h"
#include "suite.h"

static sim_memory *memory;

static void close_memory(void) { sim_mem_delete(memory); }

static void open_memory(uint64_t budget) {
    kl_error err = {0};
    OK_OR_SAY(sim_mem_new(budget, &memory, &err), err);
}

static void reopen_memory(uint64_t budget) {
    close_memory();
    open_memory(budget);
}

static void open_small(void) { open_memory(1 << 20); }
static void open_large(void) { open_memory(16 << 20); }
KL_FIXTURE(open_small, close_memory)

static uint64_t alloc(uint64_t bytes) {
    uint64_t address;
    OK(sim_mem_alloc(memory, bytes, &address, NULL));
    return address;
}

static void expect_place(uint64_t address, uint64_t bytes, const char *fragment) {
    char text[512];
    sim_mem_describe(memory, address, bytes, text, sizeof text);
    ck_assert_msg(strstr(text, fragment), "'%s' is not in: %s", fragment, text);
}

KL_TEST(allocations_are_exact) {
    uint64_t a = alloc(1000), b = alloc(1);
    ck_assert_uint_eq(a % SIM_ALLOCATION_ALIGN, 0);
    ck_assert_uint_eq(b % SIM_ALLOCATION_ALIGN, 0);
    ck_assert_ptr_nonnull(sim_mem_find(memory, a));
    ck_assert_ptr_nonnull(sim_mem_find(memory, a + 999));
    ck_assert_ptr_null(sim_mem_find(memory, a + 1000));
    ck_assert_ptr_null(sim_mem_find(memory, a - 1));
    ck_assert_uint_eq(sim_mem_find(memory, b)->bytes, 1);
    uint32_t words[250];
    OK(sim_mem_read(memory, words, a, sizeof words, NULL));
    for (int i = 0; i < 250; i++) ck_assert_uint_eq(words[i], SIM_POISON);
    float numbers[250]; // a program that compares them with its answer finds them wrong
    memcpy(numbers, words, sizeof numbers);
    for (int i = 0; i < 250; i++) ck_assert(fabsf(numbers[i] - 1.0f) > 1e30f);
    OK(sim_mem_write(memory, a, words, 1000, NULL));
    ck_assert_int_eq(sim_mem_write(memory, a + 1, words, 1000, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_mem_read(memory, words, a + 1000, 1, NULL), SIM_INVALID_VALUE);
    OK(sim_mem_read(memory, words, 0, 0, NULL));
    ck_assert_int_eq(sim_mem_write(memory, a, words, UINT64_MAX, NULL), SIM_INVALID_VALUE);
}

// As an H200 places them: units of 512 bytes, variables of modules of 256.
KL_TEST(allocations_are_as_far_apart_as_on_a_card) {
    static const struct {
        sim_guard guard;
        uint64_t apart, variables;
    } rows[] = {{SIM_GUARD_NONE, 512, 256}, {SIM_GUARD_UNIT, 1024, 1024}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        reopen_memory(1 << 20);
        uint64_t first, second;
        sim_mem_guard(memory, rows[i].guard);
        uint64_t a = alloc(1), b = alloc(512), c = alloc(513);
        ck_assert_uint_eq(b - a, rows[i].apart);
        ck_assert_uint_eq(c - b, rows[i].apart);
        OK(sim_mem_alloc_variable(memory, 1, 256, &first, NULL));
        OK(sim_mem_alloc_variable(memory, 256, 256, &second, NULL));
        ck_assert_uint_eq(second - first, rows[i].variables);
        ck_assert_uint_eq(alloc(1) % SIM_ALLOCATION_ALIGN, 0);
        OK(sim_mem_release(memory, first, NULL));
        OK(sim_mem_release(memory, second, NULL));
    }
    reopen_memory(1 << 20);
    sim_mem_guard(memory, SIM_GUARD_WIDE);
    uint64_t a = alloc(1);
    ck_assert_uint_ge(alloc(1) - a, 1 << 20);
}

KL_TEST(copies_and_fills) {
    uint64_t a = alloc(64), b = alloc(64);
    uint16_t values[32];
    OK(sim_mem_fill(memory, a, 0x12345678, 2, 32, NULL));
    OK(sim_mem_fill(memory, a, 0xAB, 1, 4, NULL));
    OK(sim_mem_copy(memory, b, a, 64, NULL));
    OK(sim_mem_copy(memory, b + 2, b, 62, NULL)); // ranges overlap
    OK(sim_mem_read(memory, values, b, 64, NULL));
    ck_assert_uint_eq(values[0], 0xABAB);
    ck_assert_uint_eq(values[2], 0xABAB);
    ck_assert_uint_eq(values[3], 0x5678);
    ck_assert_int_eq(sim_mem_fill(memory, a, 0, 3, 1, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_mem_fill(memory, a + 1, 0, 4, 1, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_mem_fill(memory, a, 0, 4, UINT64_C(1) << 62, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_mem_copy(memory, b, a, 65, NULL), SIM_INVALID_VALUE);
}

KL_TEST(releases) {
    kl_error err = {0};
    uint64_t a = alloc(4096), b = alloc(100);
    ck_assert_int_eq(sim_mem_release(memory, a + 8, &err), SIM_INVALID_VALUE);
    OK(sim_mem_release(memory, a, NULL));
    ck_assert_int_eq(sim_mem_release(memory, a, &err), SIM_INVALID_VALUE);
    KL_HAS(err.text, "was freed");
    expect_place(a + 16, 4, "16 bytes into an allocation of 4096 bytes");
    expect_place(b + 96, 4, "96 bytes into the allocation of 100 bytes");
    expect_place(b + 96, 8, "ends 4 bytes past it");
    expect_place(b + 100, 4, "just past the end");
    expect_place(0, 4, "null pointer");
    expect_place(0x7fff12345678, 4, "host pointer");
    sim_mem_label(memory, b, "table");
    expect_place(b + 104, 4, "4 bytes past the end of variable 'table'");
    uint64_t c = alloc(4096); // freed addresses rest before they are used again
    ck_assert_uint_ne(c, a);
}

KL_TEST(an_allocation_comes_back_to_its_place) {
    uint64_t a = alloc(1000), b = alloc(1000);
    ck_assert_int_eq(sim_mem_alloc_at(memory, a, 1000, NULL), SIM_OUT_OF_MEMORY); // it is live
    OK(sim_mem_release(memory, a, NULL));
    uint64_t c = alloc(1000);
    ck_assert_uint_ne(c, a); // not at once
    OK(sim_mem_alloc_at(memory, a, 1000, NULL));
    ck_assert_uint_eq(sim_mem_find(memory, a)->bytes, 1000);
    ck_assert_uint_eq(sim_mem_find(memory, b)->base, b);
    uint32_t word;
    OK(sim_mem_read(memory, &word, a, sizeof word, NULL));
    ck_assert_uint_eq(word, SIM_POISON);
    OK(sim_mem_release(memory, a, NULL));
    ck_assert_int_eq(sim_mem_alloc_at(memory, a, 2000, NULL), SIM_OUT_OF_MEMORY); // b is in the way
    ck_assert_int_eq(sim_mem_alloc_at(memory, a + 4, 8, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_mem_alloc_at(memory, 0, 8, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_mem_alloc_at(memory, a, UINT64_MAX, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_mem_alloc_at(memory, UINT64_MAX - 255, 8, NULL), SIM_INVALID_VALUE);
}

KL_TEST(budgets) {
    reopen_memory(1 << 16);
    uint64_t address, free_bytes, total;
    ck_assert_int_eq(sim_mem_alloc(memory, 0, &address, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_mem_alloc(memory, (1 << 16) + 1, &address, NULL), SIM_OUT_OF_MEMORY);
    ck_assert_int_eq(sim_mem_alloc(memory, UINT64_MAX, &address, NULL), SIM_OUT_OF_MEMORY);
    uint64_t all = alloc(1 << 16);
    ck_assert_int_eq(sim_mem_alloc(memory, 1, &address, NULL), SIM_OUT_OF_MEMORY);
    OK(sim_mem_release(memory, all, NULL));
    sim_mem_info(memory, &free_bytes, &total);
    ck_assert_uint_eq(free_bytes, 1 << 16);
    ck_assert_uint_eq(total, 1 << 16);
}

// Random allocations and releases: live ones never overlap, and the table finds each.
KL_TEST(random_traffic) {
    enum { LIVE = 64, ROUNDS = 5000 };
    reopen_memory(8 << 20);
    uint64_t base[LIVE] = {0}, bytes[LIVE] = {0}, state = 21;
    for (int round = 0; round < ROUNDS; round++) {
        int k = (int)(random_bits(&state) % LIVE);
        if (base[k]) {
            OK(sim_mem_release(memory, base[k], NULL));
            base[k] = 0;
            continue;
        }
        bytes[k] = random_bits(&state) % 100000 + 1;
        base[k] = alloc(bytes[k]);
        for (int other = 0; other < LIVE; other++)
            if (other != k && base[other])
                ck_assert(base[other] + bytes[other] <= base[k] ||
                          base[k] + bytes[k] <= base[other]);
        const sim_allocation *found = sim_mem_find(memory, base[k] + bytes[k] / 2);
        ck_assert(found && found->base == base[k] && found->bytes == bytes[k]);
    }
}

KL_TEST(the_device_heap) {
    sim_mem_set_heap_bytes(memory, 4096);
    ck_assert_uint_eq(sim_mem_heap_alloc(memory, 16), 0); // not created yet
    ck_assert(sim_mem_heap_create(memory));
    uint64_t a = sim_mem_heap_alloc(memory, 100), b = sim_mem_heap_alloc(memory, 100);
    ck_assert(a && b && a % 16 == 0 && b % 16 == 0 && b >= a + 100);
    ck_assert(sim_mem_heap_holds(memory, a, 100) && !sim_mem_heap_holds(memory, a, 101));
    ck_assert(!sim_mem_heap_holds(memory, a - 1, 1));
    ck_assert(!sim_mem_heap_release(memory, a + 4));
    ck_assert(sim_mem_heap_release(memory, a));
    ck_assert(!sim_mem_heap_release(memory, a) && !sim_mem_heap_holds(memory, a, 1));
    ck_assert_uint_eq(sim_mem_heap_alloc(memory, 5000), 0);
    ck_assert_uint_eq(sim_mem_heap_alloc(memory, 100), a);
}

static uint64_t alloc_shared(uint64_t bytes) {
    uint64_t address;
    OK(sim_mem_alloc_shared(memory, bytes, &address, NULL));
    return address;
}

static uint64_t offset_of(uint64_t address, int *out_file) {
    uint64_t offset;
    OK(sim_mem_shared_file(memory, address, out_file, &offset, NULL));
    return offset;
}

KL_TEST(shared_allocations) {
    uint64_t free_before, free_after, total, none;
    int file;
    sim_mem_info(memory, &free_before, &total);
    uint64_t a = alloc_shared(5000), private = alloc(100);
    uint64_t b = alloc_shared(4096), second = alloc(100);
    sim_mem_info(memory, &free_after, &total);
    ck_assert_uint_eq(free_before - free_after, 2 * SIM_ALLOCATION_ALIGN); // private ones count
    ck_assert(a % 4096 == 0 && b % 4096 == 0 && private >= a + 3 * 4096 && second >= b + 2 * 4096);
    ck_assert_ptr_nonnull(sim_mem_find(memory, a + 4999));
    ck_assert_ptr_null(sim_mem_find(memory, a + 5000));
    // What is written here is in the file, and the other way round.
    char text[8] = "";
    uint64_t at_a = offset_of(a, &file), at_b = offset_of(b, &file);
    OK(sim_mem_write(memory, a + 4990, "written", 8, NULL));
    ck_assert_int_eq(pread(file, text, 8, (off_t)at_a + 4990), 8);
    ck_assert_str_eq(text, "written");
    ck_assert_int_eq(pwrite(file, "outside", 8, (off_t)at_b), 8);
    OK(sim_mem_read(memory, text, b, 8, NULL));
    ck_assert_str_eq(text, "outside");
    ck_assert_int_ne(ftruncate(file, 4096), 0); // sealed
    ck_assert_int_eq(sim_mem_shared_file(memory, private, &file, &none, NULL), SIM_INVALID_VALUE);
    OK(sim_mem_release(memory, a, NULL));
    uint64_t again = alloc_shared(8192);
    ck_assert_uint_eq(offset_of(again, &file), at_a); // the pages, and zeros again
    OK(sim_mem_read(memory, text, again + 4990, 8, NULL));
    ck_assert_mem_eq(text, "\0\0\0\0\0\0\0\0", 8);
    ck_assert_int_eq(sim_mem_alloc_shared(memory, 1 << 20, &none, NULL), SIM_OUT_OF_MEMORY);
    ck_assert_int_eq(sim_mem_alloc_shared(memory, UINT64_MAX, &none, NULL), SIM_OUT_OF_MEMORY);
}

KL_TEST(attached_ranges) {
    int here[64] = {0}, back = 0;
    uint64_t at = (uint64_t)(uintptr_t)here, far = UINT64_C(0x7F1234567004);
    OK(sim_mem_attach(memory, at, sizeof here, here, NULL));
    ck_assert_int_eq(sim_mem_attach(memory, at + 8, 8, here + 2, NULL), SIM_INVALID_VALUE);
    OK(sim_mem_attach(memory, far, 100, NULL, NULL)); // a copy
    ck_assert_int_eq(sim_mem_attach(memory, SIM_GLOBAL_BASE - 4, 8, NULL, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_mem_attach(memory, SIM_LOCAL_WINDOW, 8, NULL, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_mem_attach(memory, UINT64_MAX - 4, 8, NULL, NULL), SIM_INVALID_VALUE);
    OK(sim_mem_fill(memory, at + 4, 7, 4, 2, NULL));
    ck_assert(here[0] == 0 && here[1] == 7 && here[2] == 7 && here[3] == 0);
    OK(sim_mem_copy(memory, far + 96, at + 8, 4, NULL));
    OK(sim_mem_read(memory, &back, far + 96, 4, NULL));
    ck_assert_int_eq(back, 7);
    ck_assert_int_eq(sim_mem_write(memory, far + 97, &back, 4, NULL), SIM_INVALID_VALUE);
    const sim_attachment *found = sim_mem_attached(memory, at + 12, 4);
    ck_assert_ptr_nonnull(found);
    ck_assert_uint_eq(found->device % SIM_ALLOCATION_ALIGN, at % SIM_ALLOCATION_ALIGN);
    ck_assert_ptr_nonnull(sim_mem_find(memory, found->device));
    ck_assert_int_eq(sim_mem_detach(memory, at + 4, NULL), SIM_INVALID_VALUE);
    OK(sim_mem_detach(memory, at, NULL));
    ck_assert_ptr_null(sim_mem_attached(memory, at, 4));
    OK(sim_mem_detach(memory, far, NULL));
    size_t count;
    sim_mem_list(memory, &count);
    ck_assert_uint_eq(count, 0);
}

// The memory of a device is its peers', however many may use it; what the host has is nobody's.
KL_TEST(memory_of_peers_is_not_the_hosts) {
    uint64_t host;
    uint64_t own = alloc(512);
    for (uint32_t i = 1; i < SIM_MOST_DEVICES; i++) sim_mem_peer(memory, i, 0, true);
    OK(sim_mem_alloc_shared(memory, 512, &host, NULL));
    for (uint32_t i = 0; i < SIM_MOST_DEVICES; i++) {
        ck_assert_ptr_nonnull(sim_mem_find_from(memory, own, i));
        ck_assert(sim_mem_is_peers(memory, own, i) == (i != 0));
        ck_assert_ptr_nonnull(sim_mem_find_from(memory, host, i));
        ck_assert(!sim_mem_is_peers(memory, host, i));
    }
}

// Each has its budget, whole blocks of addresses and a heap; the own kernels and those of peers may
// use what it allocates, but not what lies apart.
KL_TEST(devices_have_memory_of_their_own) {
    const uint64_t block = 2 << 20;
    uint64_t free_bytes, total, symbol;
    uint64_t a = alloc(512);
    sim_mem_use(memory, 1);
    uint64_t b = alloc(1 << 19), c = alloc(512);
    sim_mem_use(memory, 0);
    ck_assert_uint_eq(alloc(512), a + 512);
    sim_mem_info(memory, &free_bytes, &total);
    ck_assert_uint_eq(total - free_bytes, 1024);
    ck_assert(b / block != a / block && c == b + (1 << 19));
    ck_assert_int_eq(sim_mem_find(memory, b)->device, 1);
    ck_assert_ptr_null(sim_mem_find_from(memory, b, 0));
    ck_assert_ptr_nonnull(sim_mem_find_from(memory, b, 1));
    uint64_t version = sim_mem_version(memory);
    sim_mem_peer(memory, 0, 1, true);
    ck_assert_uint_ne(sim_mem_version(memory), version);
    ck_assert_ptr_nonnull(sim_mem_find_from(memory, b, 0));
    ck_assert_ptr_null(sim_mem_find_from(memory, a, 1));
    sim_mem_use(memory, 1);
    ck_assert_ptr_nonnull(sim_mem_find_from(memory, alloc(1), 0)); // later ones, too
    OK(sim_mem_alloc_variable(memory, 4, 4, &symbol, NULL));
    ck_assert_ptr_null(sim_mem_find_from(memory, symbol, 0));
    sim_mem_reach(memory, c, 1 << 2);
    ck_assert_ptr_null(sim_mem_find_from(memory, c, 0));
    ck_assert_ptr_nonnull(sim_mem_find_from(memory, c, 2));
    sim_mem_peer(memory, 0, 1, false);
    ck_assert_ptr_null(sim_mem_find_from(memory, b, 0));
    ck_assert(sim_mem_set_heap_bytes(memory, 4096) && sim_mem_heap_create(memory));
    uint64_t base, end;
    sim_mem_use(memory, 0);
    sim_mem_heap_range(memory, &base, &end);
    ck_assert_uint_eq(base, 0);
    ck_assert_uint_eq(sim_mem_heap_bytes(memory), 8 << 20);
    OK(sim_mem_release(memory, b, NULL)); // of any device
    sim_mem_info(memory, &free_bytes, &total);
    ck_assert_uint_eq(total - free_bytes, 1024);
}

#define GRANULE (UINT64_C(2) << 20)
KL_FIXTURE(open_large, close_memory)

static uint64_t reserve(uint64_t bytes) {
    uint64_t address;
    OK(sim_mem_reserve(memory, bytes, GRANULE, 0, &address, NULL));
    ck_assert_uint_eq(address % GRANULE, 0);
    return address;
}

static uint64_t make_pages(uint64_t bytes) {
    uint64_t pages;
    OK(sim_mem_pages_new(memory, bytes, &pages, NULL));
    return pages;
}

static bool is_released(uint64_t address) {
    return sim_mem_release(memory, address, NULL) == SIM_OK;
}

KL_TEST(reserved_addresses_are_nobody_elses) {
    uint64_t base = reserve(64 << 20), after = alloc(256), there;
    ck_assert_uint_ge(after, base + (64 << 20));
    ck_assert_ptr_null(sim_mem_find(memory, base));
    ck_assert_int_eq(sim_mem_alloc_at(memory, base, 256, NULL), SIM_OUT_OF_MEMORY);
    expect_place(base + 4, 4, "4 bytes into 67108864 bytes of addresses that are reserved");
    OK(sim_mem_reserve(memory, GRANULE, GRANULE, base, &there, NULL));
    ck_assert_uint_ne(there, base);
    ck_assert(is_released(base));
    ck_assert(!is_released(base));
    expect_place(base + 4, 4, "that cuMemAddressFree gave back");
    OK(sim_mem_reserve(memory, GRANULE, GRANULE, base, &there, NULL));
    ck_assert_uint_eq(there, base);
    ck_assert_int_ne(sim_mem_reserve(memory, UINT64_MAX, GRANULE, 0, &there, NULL), SIM_OK);
}

KL_TEST(mapped_memory_keeps_what_it_holds) {
    uint64_t base = reserve(4 * GRANULE), pages = make_pages(GRANULE);
    uint64_t more = make_pages(GRANULE), free_bytes, total;
    uint32_t word = 7, words[2] = {1, 2};
    sim_mem_info(memory, &free_bytes, &total);
    ck_assert_uint_eq(total - free_bytes, 2 * GRANULE);
    OK(sim_mem_map(memory, base, pages, NULL));
    ck_assert_int_ne(sim_mem_map(memory, base, more, NULL), SIM_OK);
    OK(sim_mem_map(memory, base + GRANULE, more, NULL));
    ck_assert_int_ne(sim_mem_map(memory, base + 4 * GRANULE, pages, NULL), SIM_OK);
    ck_assert(!is_released(pages + 1));
    OK(sim_mem_read(memory, &word, base, 4, NULL));
    ck_assert_uint_eq(word, SIM_POISON);
    // A range goes on in the next memory, and ends with it.
    OK(sim_mem_write(memory, base + GRANULE - 4, words, 8, NULL));
    ck_assert_int_ne(sim_mem_write(memory, base + 2 * GRANULE - 4, words, 8, NULL), SIM_OK);
    // The same memory at a second place, and after it has been at none.
    OK(sim_mem_map(memory, base + 3 * GRANULE, more, NULL));
    OK(sim_mem_read(memory, &word, base + 3 * GRANULE, 4, NULL));
    ck_assert_uint_eq(word, 2);
    ck_assert(is_released(base) && is_released(base + GRANULE));
    expect_place(base + 8, 4, "8 bytes into memory of 2097152 bytes at");
    expect_place(base + 8, 4, "that cuMemUnmap unmapped");
    OK(sim_mem_map(memory, base + 2 * GRANULE, pages, NULL));
    OK(sim_mem_read(memory, &word, base + 3 * GRANULE - 4, 4, NULL));
    ck_assert_uint_eq(word, 1);
    // Released memory lives where it is mapped.
    ck_assert(is_released(pages) && is_released(more));
    make_pages(GRANULE);
    OK(sim_mem_read(memory, &word, base + 3 * GRANULE - 4, 4, NULL));
    ck_assert_uint_eq(word, 1);
}

KL_TEST(access_to_mapped_memory) {
    uint64_t base = reserve(4 * GRANULE), pages = make_pages(GRANULE);
    OK(sim_mem_map(memory, base, pages, NULL));
    expect_place(base + GRANULE, 4, "0 bytes past the end of the memory that cuMemMap mapped");
    OK(sim_mem_access(memory, base, SIM_MEM_INACCESSIBLE, NULL));
    ck_assert_ptr_null(sim_mem_find(memory, base));
    expect_place(base + 4, 4, "that cuMemSetAccess has given no access to");
    OK(sim_mem_access(memory, base, SIM_MEM_READABLE, NULL));
    ck_assert_ptr_nonnull(sim_mem_find(memory, base + GRANULE - 1));
    expect_place(base + 4, 4, "which cuMemSetAccess has made readable only");
    ck_assert_int_ne(sim_mem_access(memory, base + GRANULE, SIM_MEM_WRITABLE, NULL), SIM_OK);
    ck_assert(is_released(base) && is_released(base));
    ck_assert_int_ne(sim_mem_map(memory, base, pages, NULL), SIM_OK);
}

KL_TEST_MAIN("device memory")
