// SPDX-License-Identifier: MIT
// Rows of device/devices.def: all of them in range, and those that validation/device_row.cu
// measured equal to what it printed on the card (device_row_ID.txt in validation/ID.tar.zst).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "suite.h"

// The number that follows `key` in the text; fails when there is none.
static double number_after(const char *text, const char *key) {
    const char *at = strstr(text, key);
    ck_assert_msg(at, "device_row printed no %s", key);
    return strtod(at + strlen(key), NULL);
}

// Nanoseconds of a chase through so many bytes: " 8MiB=450 cycles (227 ns)".
static double chase_ns(const char *text, const char *key) {
    const char *at = strstr(text, key), *bracket = at ? strchr(at, '(') : NULL;
    ck_assert_msg(bracket, "device_row printed no %s", key);
    return strtod(bracket + 1, NULL);
}

static const sim_device *row(const char *id) {
    const sim_device *device = sim_device_find(id);
    ck_assert_msg(device, "no row %s", id);
    return device;
}

START_TEST(every_row_is_whole) {
    char names[256], *rest = NULL;
    int rows = 0;
    snprintf(names, sizeof names, "%s", sim_device_names());
    for (char *id = strtok_r(names, ", ", &rest); id; id = strtok_r(NULL, ", ", &rest), rows++) {
        const sim_device *d = row(id);
        const struct {
            const char *name;
            double value, least, most;
        } fields[] = {
#define SIM_FIELD(type, field, least, most, what)                                                  \
    {#field,                                                                                       \
     _Generic((type *)0, sim_sizes * : 1.0, default                                                \
              : *(const type *)&d->field),                                                         \
     least, most},
#include "device/device_fields.def"
#undef SIM_FIELD
        };
        ck_assert_ptr_nonnull(d->name);
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            ck_assert_msg(fields[i].value >= fields[i].least && fields[i].value <= fields[i].most,
                          "%s: %s = %g", id, fields[i].name, fields[i].value);
    }
    ck_assert_int_eq(rows, 6);
    ck_assert_ptr_eq(sim_device_find(NULL), sim_device_find("h100"));
}
END_TEST

// Which rows have a file, and whether rates and latencies are the program's, too. (Those of the
// H100 are not: docs/validation.md.)
static const struct {
    const char *id;
    bool rates;
} measured[] = {
    {"h100", false},
    {"h200", true},
};

START_TEST(rows_are_what_was_measured) {
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const sim_device *d = row(measured[i].id);
        char path[4096], text[8192], name[128];
        snprintf(path, sizeof path, TEST_BUILD_DIR "/common/validation/logs/device_row_%s.txt", d->id);
        FILE *file = fopen(path, "r");
        ck_assert_msg(file, "no %s", path);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        ck_assert_int_eq(sscanf(text, "name=%127[^=]", name), 1);
        ck_assert_msg(strncmp(name, d->name, strlen(d->name)) == 0, "%s: %s", path, name);
        const struct {
            const char *key;
            double value;
            bool rate;
        } fields[] = {
            {"sm_count=", d->sm_count, false},
            {"clock_mhz=", d->clock_mhz, false},
            {"l2_bytes=", (double)d->l2_bytes, false},
            {"memory_bytes=", (double)d->memory_bytes, false},
            {"shared_sm=", d->shared_bytes_per_sm, false},
            {"shared_optin=", d->shared_bytes_per_block_optin, false},
            {"regs_sm=", d->registers_per_sm, false},
            {"memory_clock_khz=", d->memory_clock_mhz * 1e3, false},
            {"memory_bus_bits=", d->memory_bus_bits, false},
            {"read_gbs=", d->read_gbs, true},
            {"copy_gbs=", d->copy_gbs, true},
            {"l2_gbs=", d->l2_gbs, true},
            {"store_line_ns=", d->store_line_ns, true},
            {"store_sector_ns=", d->store_sector_ns, true},
            {"shared_latency_cycles=", d->shared_latency_cycles, false},
            {"launch_us=", d->launch_us, true},
            {" kernel_us=", d->kernel_us, true},
        };
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
            if (fields[f].rate && !measured[i].rates) continue;
            ck_assert_msg(number_after(text, fields[f].key) == fields[f].value,
                          "%s: %s%g, but the row has %g", path, fields[f].key,
                          number_after(text, fields[f].key), fields[f].value);
        }
        if (!measured[i].rates) continue;
        // Half of the L2 is near each SM: 8 MiB lie in it for sure, a gigabyte in memory alone.
        ck_assert_double_eq(chase_ns(text, " 8MiB="), d->l2_latency_ns);
        ck_assert_double_eq(chase_ns(text, " 1024MiB="), d->dram_latency_ns);
    }
}
END_TEST

KL_TEST_MAIN("devices", every_row_is_whole, rows_are_what_was_measured)
