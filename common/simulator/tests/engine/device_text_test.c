// Devices as text: every row survives being written and read, good files, bad files, sources.
#include "device/device.h"

#include "suite.h"

static const char *const ids[] = {
#define SIM_DEVICE(id, ...) #id,
#include "device/devices.def"
#undef SIM_DEVICE
};
enum { IDS = sizeof ids / sizeof ids[0] };

static char *written(const sim_device *device) {
    char *text = KL_PRINTED(out, sim_device_write(out, device));
    return text;
}

KL_TEST_ROWS(rows_survive_writing_and_reading, IDS) {
    const sim_device *row = sim_device_find(ids[_i]), *read = NULL, *again = NULL;
    kl_error err = {0};
    char *text = written(row);
    OK_OR_SAY(sim_device_from_text(text, &read, &err), err);
    sim_device copy = *read;
    copy.id = row->id;
    ck_assert_str_eq(copy.name, row->name);
    copy.name = row->name;
    ck_assert_msg(memcmp(&copy, row, sizeof copy) == 0, "%s differs", row->id);
    ck_assert_int_eq(sim_device_from_text(read->id, &again, &err), SIM_OK);
    ck_assert_ptr_eq(again, read); // its id is the device again
    ck_assert_ptr_null(strchr(read->id, '\n'));
    free(text);
}

KL_TEST(a_text_changes_what_it_names) {
    const sim_device *d, *k40 = sim_device_find("k40");
    kl_error err = {0};
    OK_OR_SAY(sim_device_from_text("# a smaller one\n like = k40 # first\n\nname = Tesla K20X; "
                                   "sm_count = 14\nclock_mhz=732\ncarve_out_kib = 16 32 48\n"
                                   "alu_latency_cycles = 9.5",
                                   &d, &err),
              err);
    ck_assert_str_eq(d->name, "Tesla K20X");
    ck_assert_uint_eq(d->sm_count, 14);
    ck_assert_uint_eq(d->clock_mhz, 732);
    ck_assert_uint_eq(d->carve_out_kib.at[2], 48);
    ck_assert_uint_eq(d->carve_out_kib.at[3], 0);
    ck_assert_double_eq(d->alu_latency_cycles, 9.5);
    ck_assert_uint_eq(d->l2_bytes, k40->l2_bytes);
    ck_assert(sim_device_is_text(d->id) && !sim_device_is_file(d->id));
    ck_assert(sim_device_is_file("./x") && sim_device_is_file("k20.txt"));
    ck_assert(!sim_device_is_file("k40") && !sim_device_is_text("k40"));
}

static const struct {
    const char *text, *says;
} bad[] = {
    {"", "compute_major is missing"},
    {"sm_count = 3", "compute_major is missing"},
    {"sm_count = 3", "`like = ID` as the first line"},
    {"like = k50", "line 1: like = k50: there is no such device, only h100, h200"},
    {"like = like=k40", "there is no such device"},
    {"sm_count = 3\nlike = k40", "line 2: like comes first"},
    {"like = k40\nlike = k40", "line 2: like comes first"},
    {"like = k40\nsm_cuont = 3", "line 2: there is no field sm_cuont; near it: sm_count"},
    {"like = k40\n\nsm_count = 0", "line 3: sm_count = 0: a whole number from 1 to 1024"},
    {"like = k40\nsm_count = 1025", "from 1 to 1024 is wanted (multiprocessors)"},
    {"like = k40\nsm_count = -1", "a whole number"},
    {"like = k40\nsm_count = 1.5", "a whole number"},
    {"like = k40\nsm_count = 0x10", "a whole number"},
    {"like = k40\nsm_count = 15 SMs", "a whole number"},
    {"like = k40\nsm_count =", "a whole number"},
    {"like = k40\nread_gbs = nan", "read_gbs = nan: a number from 0.1 to 100000"},
    {"like = k40\nread_gbs = 1e9", "a number from"},
    {"like = k40\nread_gbs = 1.2.3", "a number from"},
    {"like = k40\nsm_count = 3\nsm_count = 4", "line 3: sm_count is given twice"},
    {"like = k40\nsm_count 3", "\"sm_count 3\" is not `field = value`"},
    {"like = k40\nname =", "name: one text"},
    {"like = k40\nname = a\nname = b", "name: one text"},
    {"like = k40\nname = a\tb\033[2J", "not printable"},
    {"like = k40\nname = caf\xc3\xa9", "not printable"},
    {"like = k40\ncarve_out_kib = 32 16", "ascending sizes"},
    {"like = k40\ncarve_out_kib = 16 x", "ascending sizes"},
    {"like = k40\ncarve_out_kib = 64", "carve_out_kib exceeds shared_bytes_per_sm"},
    {"like = k40\nwarps_per_sm = 32", "threads_per_sm is not 32 x warps_per_sm"},
    {"like = k40\nl2_bytes = 0", "l2_bytes and l2_latency_ns"},
    {"like = a100\nl2_bytes = 0;l2_latency_ns = 0", "an L1 of global memory needs an L2"},
    {"like = gtx8800\nl1_caches_global = 1", "there is no L1"},
    {"like = k40\nshared_banks = 24", "16 or 32"},
    {"like = k40\nbank_bytes = 6", "bank_bytes is 4 or 8"},
    {"like = k40\nshared_bytes_per_block_optin = 65536", "do not ascend"},
    {"like = gtx8800\nthreads_per_block = 1024", "threads_per_block exceeds threads_per_sm"},
};

KL_TEST_ROWS(bad_texts_are_refused, sizeof bad / sizeof bad[0]) {
    const sim_device *d = sim_device_find(NULL);
    kl_error err = {0};
    ck_assert_int_eq(sim_device_from_text(bad[_i].text, &d, &err), SIM_INVALID_VALUE);
    ck_assert_ptr_null(d);
    ck_assert_msg(strstr(err.text, bad[_i].says), "%s: %s", bad[_i].text, err.text);
}

KL_TEST(a_text_has_an_end) {
    const sim_device *d;
    kl_error err = {0};
    char *text = malloc(20000);
    memset(text, 'x', 20000);
    memcpy(text, "like=k40;name=", 14);
    text[19999] = '\0';
    ck_assert_int_eq(sim_device_from_text(text, &d, &err), SIM_INVALID_VALUE);
    KL_HAS(err.text, "characters");
    free(text);
}

KL_TEST(files) {
    const sim_device *d;
    kl_error err = {0};
    char path[] = "/tmp/device_text_XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    static const char text[] = "like = a100\nsm_count = 7 # one slice\n";
    ck_assert_int_eq(write(fd, text, sizeof text - 1), sizeof text - 1);
    OK_OR_SAY(sim_device_open(path, &d, &err), err);
    ck_assert_uint_eq(d->sm_count, 7);
    ck_assert_str_eq(d->id, "like=a100;sm_count=7;");
    ck_assert_int_eq(write(fd, "\0", 1), 1);
    ck_assert_int_eq(sim_device_open(path, &d, &err), SIM_INVALID_VALUE);
    KL_HAS(err.text, "is no text of a device");
    close(fd);
    unlink(path);
    ck_assert_int_eq(sim_device_open(path, &d, &err), SIM_INVALID_VALUE);
    KL_HAS(err.text, "cannot read the device /tmp/device_text_");
    ck_assert_int_eq(sim_device_open("k50", &d, &err), SIM_INVALID_VALUE);
    KL_HAS(err.text, "there is no device \"k50\", only h100, h200");
    ck_assert_int_eq(sim_device_open("/", &d, &err), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_device_open(NULL, &d, &err), SIM_OK);
    ck_assert_str_eq(d->id, "h100");
}

// Each number of each row has its source once, and no source names what is not there.
KL_TEST(every_number_has_one_source) {
    static const char *const fields[] = {
#define SIM_FIELD(type, field, least, most, what) #field,
#include "device/device_fields.def"
#undef SIM_FIELD
    };
    enum { FIELDS = sizeof fields / sizeof fields[0] };
    static const char *const rows[][2] = {
#define SIM_SOURCE(device, names, source) {#device, names},
#include "device/device_sources.def"
#undef SIM_SOURCE
    };
    int times[IDS][FIELDS] = {{0}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        char names[2048], *rest = NULL;
        int device = 0;
        while (device < IDS && strcmp(ids[device], rows[r][0]) != 0) device++;
        ck_assert_msg(device < IDS, "a source of %s", rows[r][0]);
        ck_assert_uint_lt(strlen(rows[r][1]), sizeof names);
        strcpy(names, rows[r][1]);
        for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
            int field = 0;
            while (field < FIELDS && strcmp(fields[field], name) != 0) field++;
            ck_assert_msg(field < FIELDS, "%s: a source of %s", rows[r][0], name);
            times[device][field]++;
        }
    }
    for (int d = 0; d < IDS; d++)
        for (int f = 0; f < FIELDS; f++) {
            ck_assert_msg(times[d][f] == 1, "%s: %d sources of %s", ids[d], times[d][f], fields[f]);
            ck_assert_ptr_nonnull(sim_device_source(ids[d], fields[f]));
        }
    ck_assert_ptr_null(sim_device_source("k40", "no such field"));
}

KL_TEST_MAIN("device_text")
