// The parts of `ladder tune`.
#include "suite.h"
#include "learn/tune/internal.h"

// ---- tune ----
// The parts of `ladder tune`: spaces and restrictions, records in their file, ranking, picture.

#define TUNE_FILE  "space.def"
#define TUNE_SPACE test_space
#include "learn/tune/rows.h"

static kl_error err;

// ---- spaces ------------------------------------------------------------------------------------

static ladder_tune_configs enumerate(const char *only, size_t limit) {
    ladder_tune_filter filter;
    ladder_tune_configs configs;
    ladder_tune_filter_all(&test_space, &filter);
    ck_assert_int_eq(ladder_tune_filter_narrow(&test_space, only, &filter, &err), KL_OK);
    kl_status status = ladder_tune_enumerate(&test_space, &filter, limit, &configs, &err);
    ck_assert_msg(status == KL_OK, "%s", err.text);
    return configs;
}

// The rules by hand, for each combination in the table's order.
KL_TEST(all_sensible_combinations_are_found) {
    static const int values_a[] = {1, 2, 4}, values_b[] = {0, 3}, values_long[] = {10, 20, 30};
    ladder_tune_configs found = enumerate("", 0);
    size_t next = 0;
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 2; b++) {
            for (int l = 0; l < 3; l++) {
                int divisor = values_a[a] + values_b[b] - 1;
                if (divisor == 0 || values_long[l] / divisor < 5) continue;
                ck_assert_uint_lt(next, found.count);
                const int *v = found.items[next++].values;
                ck_assert(v[0] == values_a[a] && v[1] == values_b[b] && v[2] == values_long[l]);
            }
        }
    }
    ck_assert_uint_eq(next, found.count);
    ck_assert_uint_eq(found.combinations, 18);
    ck_assert_uint_eq(found.sensible, found.count);
    ck_assert_ptr_null(test_space.misfit_size(found.items[0].values, 7));
    const int two[] = {2, 0, 10};
    ck_assert_str_eq(test_space.misfit_size(two, 7), "A does not divide the size");
    ladder_tune_configs_free(&found);
}

KL_TEST(restrictions_narrow) {
    ladder_tune_configs found = enumerate("a=2,4  Long=30", 0);
    for (size_t i = 0; i < found.count; i++) {
        ck_assert_int_ne(found.items[i].values[0], 1);
        ck_assert_int_eq(found.items[i].values[2], 30);
    }
    ck_assert_uint_eq(found.combinations, 4);
    uint32_t differ = ladder_tune_varying(&test_space, found.items, found.count);
    ck_assert_uint_eq(differ, 3);
    char text[64];
    ck_assert_str_eq(
        ladder_tune_config_text(&test_space, &found.items[0], differ, text, sizeof text),
        "A=2 B=0");
    ladder_tune_configs_free(&found);
    ladder_tune_filter filter;
    ladder_tune_filter_all(&test_space, &filter);
    ck_assert_int_eq(ladder_tune_filter_set(&test_space, NULL, &filter, &err), KL_OK);
    ck_assert_uint_eq(filter.allowed[0], 3); // the first set: A=1,2
    ck_assert_int_eq(ladder_tune_filter_set(&test_space, "all", &filter, &err), KL_OK);
    ck_assert_uint_eq(filter.allowed[0], 3);
}

KL_TEST(a_limit_spreads_evenly) {
    ladder_tune_configs all = enumerate("", 0), some = enumerate("", 3);
    ck_assert_uint_eq(some.count, 3);
    ck_assert_uint_eq(some.sensible, all.count);
    for (size_t i = 0; i < 3; i++)
        ck_assert(ladder_tune_same(&test_space, &some.items[i], &all.items[i * all.count / 3]));
    ladder_tune_configs_free(&all);
    ladder_tune_configs_free(&some);
}

KL_TEST(errors_name_the_word) {
    static const struct {
        const char *only, *says;
    } bad[] = {{"Lang=10", "did you mean Long?"}, {"A=3", "A has no value '3'; it takes 1, 2, 4"},
               {"A", "expected NAME=VALUE"},      {"A=", "expected NAME=VALUE"},
               {"=1", "expected NAME=VALUE"},     {"A=1x", "'1x'"}};
    ladder_tune_filter filter;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ladder_tune_filter_all(&test_space, &filter);
        ck_assert_int_eq(ladder_tune_filter_narrow(&test_space, bad[i].only, &filter, &err),
                         KL_ERROR_USAGE);
        KL_HAS(err.text, bad[i].says);
    }
    ck_assert_int_eq(ladder_tune_filter_set(&test_space, "fist", &filter, &err), KL_ERROR_USAGE);
    KL_HAS(err.text, "all, first, none");
    ladder_tune_configs configs;
    ladder_tune_filter_all(&test_space, &filter);
    ck_assert_int_eq(ladder_tune_filter_set(&test_space, "none", &filter, &err), KL_OK);
    ck_assert_int_eq(ladder_tune_enumerate(&test_space, &filter, 0, &configs, &err),
                     KL_ERROR_USAGE);
    ladder_tune_configs_free(&configs);
}

// ---- records -----------------------------------------------------------------------------------

static char path[LADDER_PATH];
static char folder[LADDER_PATH];

static void set_up(void) {
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    ck_assert_int_eq(ladder_path(path, &err, "%s/results.csv", folder), KL_OK);
}

static void tear_down(void) { ladder_folder_remove(folder); }

static ladder_tune_origin origin_on(const char *device) {
    ladder_tune_origin o = {.lab = ladder_lab_find("gemm"),
                            .space = &test_space,
                            .driver = "13.0",
                            .runtime = "13.0",
                            .toolkit = "13.0.1",
                            .kernel = "0123456789ab",
                            .date = "2026-01-02T03:04:05Z"};
    snprintf(o.device, sizeof o.device, "%s", device);
    return o;
}

static ladder_tune_record measured(int a, int64_t size, double rate) {
    ladder_tune_record r = ladder_tune_record_empty();
    r.config = (ladder_tune_config){{a, 3, 30}};
    r.size = size;
    r.state = LADDER_TUNE_RIGHT;
    r.us = r.us_low = r.us_high = 100.0 / rate;
    r.samples = 11;
    r.rate = rate;
    r.registers = 40;
    return r;
}

static void open_records(const char *device, bool fresh, ladder_tune_records *out) {
    ladder_tune_origin origin = origin_on(device);
    kl_status status = ladder_tune_records_open(path, &origin, fresh, out, &err);
    ck_assert_msg(status == KL_OK, "%s", err.text);
}

static void add(ladder_tune_records *records, ladder_tune_record record) {
    ck_assert_int_eq(ladder_tune_records_add(records, &record, &err), KL_OK);
}

KL_FIXTURE(set_up, tear_down)

KL_TEST(records_come_back) {
    ladder_tune_records records;
    open_records("card one", false, &records);
    add(&records, measured(1, 64, 5));
    ladder_tune_record wrong = measured(2, 64, NAN);
    wrong.state = LADDER_TUNE_WRONG;
    snprintf(wrong.why, sizeof wrong.why, "said \"no\", twice");
    wrong.bank_share = 0.25;
    wrong.counts[0] = 123456789;
    add(&records, wrong);
    add(&records, wrong); // word for word the same: not again
    ladder_tune_record never = measured(4, 0, NAN);
    never.state = LADDER_TUNE_NOT_COMPILED;
    add(&records, never);
    ladder_tune_records_close(&records);

    open_records("card one", false, &records);
    ck_assert_uint_eq(records.count, 3);
    const ladder_tune_record *r = ladder_tune_records_find(&records, &wrong.config, 64);
    ck_assert(r && r->state == LADDER_TUNE_WRONG && isnan(r->us));
    ck_assert_str_eq(r->why, "said \"no\", twice");
    ck_assert_double_eq(r->bank_share, 0.25);
    ck_assert_double_eq(r->counts[0], 123456789);
    ck_assert_int_eq(r->spill_bytes, -1);
    ck_assert_ptr_null(ladder_tune_records_find(&records, &wrong.config, 128));
    ck_assert_ptr_nonnull(ladder_tune_records_find(&records, &never.config, 128)); // of every size
    ck_assert_double_eq(ladder_tune_records_best(&records, 64)->rate, 5);
    ck_assert_str_eq(records.origin.date, "2026-01-02T03:04:05Z");
    ladder_tune_records_close(&records);
}

KL_TEST(a_half_line_is_cut_off) {
    ladder_tune_records records;
    open_records("card one", false, &records);
    add(&records, measured(1, 64, 5));
    fputs("config,64,right,1", records.file); // stopped in the middle
    ladder_tune_records_close(&records);
    open_records("card one", false, &records);
    ck_assert_uint_eq(records.count, 1);
    add(&records, measured(2, 64, 6));
    ladder_tune_records_close(&records);
    open_records("card one", false, &records);
    ck_assert_uint_eq(records.count, 2);
    ladder_tune_records_close(&records);
}

KL_TEST(other_origins_do_not_mix) {
    ladder_tune_records records;
    open_records("card one", false, &records);
    add(&records, measured(1, 64, 5));
    ladder_tune_records_close(&records);
    ladder_tune_origin other = origin_on("card two");
    ck_assert_int_eq(ladder_tune_records_open(path, &other, false, &records, &err), KL_ERROR_INPUT);
    KL_HAS(err.text, "--fresh");
    ladder_tune_records_close(&records);
    open_records("card two", true, &records);
    ck_assert_uint_eq(records.count, 0);
    fputs("config,64,sideways,1\n", records.file);
    ladder_tune_records_close(&records);
    ck_assert_int_eq(ladder_tune_records_open(path, &other, false, &records, &err), KL_ERROR_INPUT);
    KL_HAS(err.text, "line 5 is no result");
    ladder_tune_records_close(&records);
}

// Writes a file of the kit in `folder` and returns the hash of its kernel.
static const char *hash_with(const char *file, const char *text) {
    static ladder_tune_kernel kernel;
    static ladder_kit kit;
    ck_assert_int_eq(ladder_path(kit.source, &err, "%s", folder), KL_OK);
    ck_assert_int_eq(ladder_path(kit.build, &err, "%s/build", folder), KL_OK);
    const char *target = kl_own_text("%s/%s", folder, file);
    const char *source = kl_own_text("%s/tune.cu", folder);
    kl_status status = ladder_file_write(target, text, strlen(text), &err);
    ck_assert_msg(status == KL_OK, "%s", err.text);
    status =
        ladder_tune_kernel_open(&kit, ladder_lab_find("gemm"), &test_space, source, &kernel, &err);
    ck_assert_msg(status == KL_OK, "%s", err.text);
    return kernel.hash;
}

// An object that was compiled from other text must not be taken for this one.
KL_TEST(whatever_the_kernel_may_include_is_in_its_hash) {
    static const char *const files[] = {"tune.cu", "labs/07_gemm/gemm.h", "labs/07_gemm/gemm.cuh",
                                        "tune.cuh"};
    char seen[12][LADDER_SHA256_TEXT];
    const char *lab = kl_own_text("%s/labs/07_gemm", folder);
    ck_assert_int_eq(ladder_folder_make(lab, &err), KL_OK);
    const char *contract = kl_own_text("%s/gemm.h", lab);
    ck_assert_int_eq(ladder_file_write(contract, "", 0, &err), KL_OK);
    int count = 0;
    for (int i = 0; i < 4; i++) { // a line goes from each file to the next
        strcpy(seen[count++], hash_with(files[i], "// one\n// two\n"));
        strcpy(seen[count++], hash_with(files[i], "// one\n"));
        if (i + 1 < 4) strcpy(seen[count++], hash_with(files[i + 1], "// two\n"));
    }
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) ck_assert_str_ne(seen[i], seen[j]);
    ck_assert_str_eq(hash_with("tune.cuh", "// one\n"), seen[count - 1]);
}

// Any byte of the file may be damaged: it is read, or refused with a reason, and nothing else.
KL_TEST(damaged_files_are_read_or_refused) {
    ladder_tune_records records;
    char *text = NULL;
    size_t bytes = 0, refused = 0;
    open_records("card one", false, &records);
    add(&records, measured(1, 64, 5));
    ladder_tune_record wrong = measured(2, 64, NAN);
    wrong.state = LADDER_TUNE_WRONG;
    snprintf(wrong.why, sizeof wrong.why, "a \"quoted\" reason");
    add(&records, wrong);
    ladder_tune_records_close(&records);
    ck_assert_int_eq(ladder_file_read(AT_FDCWD, path, 1 << 16, &text, &bytes, &err), KL_OK);
    static const char damage[] = "\"\n,9-x";
    for (size_t i = 0; i < bytes; i++) {
        char was = text[i];
        text[i] = damage[i % (sizeof damage - 1)];
        ck_assert_int_eq(ladder_file_write(path, text, bytes, &err), KL_OK);
        text[i] = was;
        ladder_tune_origin origin = origin_on("card one");
        err.text[0] = '\0';
        kl_status status = ladder_tune_records_open(path, &origin, false, &records, &err);
        refused += status != KL_OK;
        ck_assert(status == KL_OK ? records.count <= 4 : err.text[0] != '\0');
        ladder_tune_records_close(&records);
    }
    ck_assert_uint_gt(refused, 100); // the whole head is compared
    free(text);
}

// ---- report ------------------------------------------------------------------------------------

static const int64_t sizes[] = {64, 128};

static ladder_tune_view view_of(const ladder_tune_records *records) {
    return (ladder_tune_view){
        .records = records, .sizes = sizes, .size_count = 2, .top = 2, .map_x = 0, .map_y = 2};
}

static void fill_records(ladder_tune_records *records) {
    ladder_tune_origin origin = origin_on("card <one>");
    ck_assert_int_eq(ladder_tune_records_open(NULL, &origin, false, records, &err), KL_OK);
    add(records, measured(1, 64, 10));
    add(records, measured(1, 128, 10));
    add(records, measured(2, 64, 8));
    add(records, measured(2, 128, 20));
    add(records, measured(4, 64, 30)); // the best at one size, not measured at the other
    ladder_tune_record wrong = measured(4, 128, 99);
    wrong.state = LADDER_TUNE_WRONG;
    snprintf(wrong.why, sizeof wrong.why, "element 7");
    add(records, wrong);
}

KL_TEST(the_ranking_asks_for_every_size) {
    ladder_tune_records records;
    ladder_tune_row rows[LADDER_TUNE_TOP];
    fill_records(&records);
    ladder_tune_view view = view_of(&records);
    ck_assert_int_eq(ladder_tune_ranking(&view, rows), 2);
    ck_assert_int_eq(rows[0].config->values[0], 2);
    ck_assert_double_eq_tol(rows[0].share, sqrt(8.0 / 30 * 20 / 20), 1e-12);
    ck_assert_int_eq(rows[1].config->values[0], 1);
    ck_assert_uint_eq(ladder_tune_faults(&view), 1);
    add(&records, measured(4, 128, 1)); // fixed: the newest record counts
    ck_assert_uint_eq(ladder_tune_faults(&view), 0);
    ladder_tune_records_close(&records);
}

static void expect_parts(const char *file, const char *const *parts, size_t count) {
    char *text = NULL;
    ck_assert_int_eq(ladder_file_read(AT_FDCWD, file, 1 << 20, &text, NULL, &err), KL_OK);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(strstr(text, parts[i]), "no '%s' in\n%s", parts[i], text);
    free(text);
}

// What lies in the file, as kl_keep has it.
static void keep_document(const char *name) {
    char *text = NULL;
    ck_assert_int_eq(ladder_file_read(AT_FDCWD, path, 1 << 20, &text, NULL, &err), KL_OK);
    kl_keep(name, text);
    free(text);
}

KL_TEST(table_picture_and_json_tell_all) {
    ladder_tune_records records;
    fill_records(&records);
    ladder_tune_view view = view_of(&records);
    FILE *out = fopen(path, "w");
    const kl_style style = {.width = 80};
    ladder_tune_print(&view, &style, out);
    fclose(out);
    expect_parts(path,
                 (const char *const[]){"Best at 64: 30.00 TFLOP/s: A=4 B=3 Long=30",
                                       "Best at 128: 20.00 TFLOP/s: A=2", "5 right, 1 wrong.",
                                       "wrong at 128: A=4 B=3 Long=30: element 7"},
                 4);
    out = fopen(path, "w");
    ladder_tune_draw(&view, out);
    fclose(out);
    expect_parts(path,
                 (const char *const[]){"card &lt;one&gt;", ">size 64, TFLOP/s<", ">A</text>",
                                       ">30.00</text>", "for each A (across) and Long (down)",
                                       "</svg>"},
                 6);
    out = fopen(path, "w");
    ck_assert_int_eq(ladder_tune_records_json(&records, out, &err), KL_OK);
    fclose(out);
    expect_parts(path,
                 (const char *const[]){"\"schema\": \"ladder.tune/1\"", "\"state\": \"wrong\"",
                                       "\"why\": \"element 7\"", "\"Long\": 30"},
                 4);
    keep_document("tune.json");
    records.origin.simulated = true; // then counts are told, too
    out = fopen(path, "w");
    ck_assert_int_eq(ladder_tune_records_json(&records, out, &err), KL_OK);
    fclose(out);
    expect_parts(path, (const char *const[]){"\"counts\": {"}, 1);
    keep_document("tune_simulated.json");
    ladder_tune_records_close(&records);
}

// ---- machine_code ----
// What is read from machine code: the busiest loop and its register banks, on instructions put
// together by hand.

static kl_error err_machine_code;

typedef struct words {
    uint64_t low, high;
} words;

// FFMA to register 0 of a times b plus c; reuse: bit o keeps operand o.
static words product(unsigned a, unsigned b, unsigned c, unsigned reuse) {
    return (words){0x223 | (uint64_t)a << 24 | (uint64_t)b << 32, c | (uint64_t)reuse << 58};
}

// BRA by a number of instructions, counted from the next one.
static words branch(int64_t instructions) {
    uint64_t distance = (uint64_t)(instructions * 16);
    uint64_t upper = distance >> 10 & 0xffffffffffff;
    return (words){0x947 | (distance >> 2 & 0xff) << 16 | upper << 34, upper >> 30};
}

KL_FIXTURE(NULL, NULL)

KL_TEST(conflicts_of_the_busiest_loop) {
    enum { PRODUCTS = 40 };
    words code[PRODUCTS + 4];
    size_t count = 0;
    code[count++] = product(2, 4, 6, 0); // before the loop: does not count
    for (int i = 0; i < PRODUCTS; i += 4) {
        code[count++] = product(2, 4, 1, 1);   // 2 and 4 in one bank; keeps 2
        code[count++] = product(2, 4, 1, 0);   // 2 is held, so 4 and 1: free
        code[count++] = product(2, 3, 255, 0); // two banks and no register: free
        code[count++] = product(8, 8, 9, 0);   // one register twice: free
    }
    code[count++] = (words){0x984, 0}; // a load
    code[count] = branch(-(int64_t)count);
    count++;
    code[count++] = (words){0x94d, 0}; // exit
    ladder_machine_code found;
    ladder_machine_code_loop((const uint8_t *)code, count * sizeof code[0], &found);
    ck_assert_int_eq(found.loop_products, PRODUCTS);
    ck_assert_int_eq(found.loop_instructions, PRODUCTS + 2);
    ck_assert_double_eq(found.bank_share, 0.25);
    ladder_machine_code_loop((const uint8_t *)code, (count - 2) * sizeof code[0], &found);
    ck_assert_int_eq(found.loop_products, 0); // without the branch there is no loop
    ck_assert(isnan(found.bank_share));
}

KL_TEST(a_file_without_kernels_is_refused) {
    ladder_machine_code code;
    ck_assert_int_eq(ladder_machine_code_read("/proc/self/exe", 90, &code, &err_machine_code),
                     KL_ERROR_INPUT);
    ck_assert_int_ne(ladder_machine_code_read("/nonexistent", 90, &code, &err_machine_code), KL_OK);
}

KL_TEST_MAIN("tune")
