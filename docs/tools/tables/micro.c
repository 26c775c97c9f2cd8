// Tables of micro-ladders in Markdown: see tables.h. What was counted is in
// micro_simulator.json, what was measured in micro_h100.json and those of other devices, all as
// `ladder run LAB --micro --json` wrote them. Modelled times are left out: the simulator's runs are
// smaller.
#include "measured.h"
#include "table.h"
#include "tables/tables.h"

static const json_t *find_point(const json_t *sweep, const char *parameter, const json_t *value) {
    size_t index;
    json_t *point;
    json_array_foreach(sweep, index, point) {
        if (json_equal(json_object_get(point, parameter), value)) return point;
    }
    return NULL;
}

// Long sweeps over numbers are shown at powers of two and at their ends.
static bool is_shown(const json_t *sweep, size_t index, const json_t *value) {
    json_int_t number = json_integer_value(value);
    bool end = index == 0 || index + 1 == json_array_size(sweep);
    return !json_is_integer(value) || end || (number > 0 && (number & (number - 1)) == 0);
}

static void number_cell(FILE *out, const json_t *point, const char *key, const char *format) {
    const json_t *value = json_object_get(point, key);
    fputs(" ", out);
    if (json_is_number(value)) fprintf(out, format, json_number_value(value));
    fputs(" |", out);
}

static void print_row(FILE *out, const json_t *point, const json_t *counted, const json_t *value,
                      double first_us, bool has_ratio, bool has_rate) {
    double us = json_number_value(json_object_get(point, "time_us"));
    if (json_is_integer(value)) fprintf(out, "| %lld |", (long long)json_integer_value(value));
    else fprintf(out, "| %s |", json_string_value(value));
    if (has_ratio) number_cell(out, counted, "ratio", "%.4g");
    number_cell(out, point, "time_us", "%.1f");
    fprintf(out, " %.2f |", us / first_us);
    char text[32];
    if (has_rate)
        fprintf(out, " %s |",
                kl_format_rate(measured_number(point, "wanted_gbs"), text, sizeof text));
    fputc('\n', out);
}

static void print_sweep(FILE *out, const json_t *gpu, const json_t *simulator, const char *name) {
    const json_t *sweep = json_object_get(gpu, name), *counts = json_object_get(simulator, name);
    json_t *first = json_array_get(sweep, 0), *point;
    const char *title =
        json_string_value(json_object_get(json_object_get(simulator, "titles"), name));
    const char *ratio =
        json_string_value(json_object_get(json_object_get(simulator, "ratios"), name));
    void *iterator = json_object_iter(first); // in the order in which they were written
    const char *parameter = iterator ? json_object_iter_key(iterator) : NULL;
    if (!parameter) return;
    bool has_rate = json_object_get(first, "wanted_gbs");
    double first_us = json_number_value(json_object_get(first, "time_us"));
    fprintf(out, "\n%s\n\n| %s |", title ? title : name, parameter);
    if (ratio) fprintf(out, " %s |", ratio);
    fprintf(out, " us | times the first |%s\n|---|", has_rate ? " GB/s |" : "");
    for (int i = 0; i < 2 + (ratio != NULL) + has_rate; i++) fputs("---:|", out);
    fputc('\n', out);
    size_t index;
    json_array_foreach(sweep, index, point) {
        const json_t *value = json_object_get(point, parameter);
        if (!is_shown(sweep, index, value)) continue;
        print_row(out, point, find_point(counts, parameter, value), value, first_us, ratio,
                  has_rate);
    }
}

bool tables_print_micro(FILE *out, const char *root, const char *lab) {
    json_t *devices[TABLES_DEVICES], *simulator = NULL;
    int count = tables_load_folded(root, lab, "micro", "ladder.micro/1", devices);
    if (count > 0) simulator = tables_load(root, lab, "micro", "ladder.micro/1");
    for (int i = 0; i < count; i++) {
        const char *name;
        json_t *sweep, *gpu = simulator ? devices[i] : NULL;
        if (!gpu) break;
        tables_fold(out, json_string_value(json_object_get(gpu, "device")));
        fprintf(out, "\nMeasured on %s (median); counted by the simulator.\n",
                json_string_value(json_object_get(gpu, "device")));
        json_object_foreach(gpu, name, sweep) {
            if (json_is_array(sweep)) print_sweep(out, gpu, simulator, name);
        }
        fputc('\n', out);
        tables_unfold(out);
    }
    bool good = simulator;
    for (int i = 0; i < count; i++) json_decref(devices[i]);
    json_decref(simulator);
    return good;
}

// ---- Tables of latencies ----

// What was measured is in files of ladder.latency/1 (labs/00_first_kernel/latency.cu prints them)
// and in the ceilings of a run.
static const char measured_in[] = "00_first_kernel";
enum { REQUEST_BYTES = 128, SCHEDULERS = 4, WARPS_MOST = 64 }; // of compute capability 9.0

static double cycles_of(const json_t *latency, const char *key) {
    return json_number_value(json_object_get(json_object_get(latency, "cycles"), key));
}

static double ns_of(const json_t *latency, const char *key) {
    double mhz = json_number_value(json_object_get(latency, "clock_mhz"));
    return mhz > 0 ? cycles_of(latency, key) * 1e3 / mhz : 0;
}

static const char *device_of(const json_t *run) {
    const char *name = json_string_value(json_object_get(json_object_get(run, "device"), "name"));
    return name ? name : "";
}

static const struct {
    const char *key, *text;
} kinds[] = {
    {"register", "a multiply-add on registers"},
    {"constant", "a load from constant memory, cached in the SM"},
    {"shared", "a load from shared memory"},
    {"l1", "a load from global memory, found in the L1 cache"},
    {"local", "a load from local memory, found in the L1 cache"},
    {"l2", "a load from global memory, found in the L2 cache"},
    {"dram", "a load from global memory, found in device memory (DRAM)"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

bool tables_print_latency(FILE *out, const char *root, const char *lab) {
    json_t *cards[TABLES_DEVICES];
    int count = tables_load_devices(root, lab, "latency", "ladder.latency/1", cards);
    if (count == 0) return false;
    fputs("\nMeasured with [latency.cu](latency.cu), one thread:\n\n| one thread waits for |", out);
    for (int c = 0; c < count; c++) fprintf(out, " %s, cycles | ns |", device_of(cards[c]));
    fputs("\n|---|", out);
    for (int c = 0; c < count; c++) fputs("---:|---:|", out);
    fputc('\n', out);
    for (int k = 0; k < KINDS; k++) {
        fprintf(out, "| %s |", kinds[k].text);
        for (int c = 0; c < count; c++)
            fprintf(out, " %.0f | %.*f |", cycles_of(cards[c], kinds[k].key),
                    ns_of(cards[c], kinds[k].key) < 9.95, ns_of(cards[c], kinds[k].key));
        fputc('\n', out);
    }
    fputc('\n', out);
    for (int c = 0; c < count; c++) json_decref(cards[c]);
    return true;
}

// A card's figures: what must be in flight on an SM, and what a multiply-add takes.
typedef struct card {
    const char *name;
    double read_gbs, dram_ns, bytes, requests, alu_cycles;
} card;

// The card of a run, with the latencies that were measured on a card of the same name; false when
// there are none.
static bool find_card(const json_t *run, json_t *const *latencies, int count, card *out) {
    const json_t *device = json_object_get(run, "device");
    double sms = json_number_value(json_object_get(device, "multiprocessors"));
    for (int i = 0; i < count && sms > 0; i++) {
        if (strcmp(device_of(latencies[i]), device_of(run)) != 0) continue;
        const json_t *ceilings = json_object_get(run, "ceilings");
        *out = (card){.name = device_of(run),
                      .read_gbs = json_number_value(json_object_get(ceilings, "read_gbs")),
                      .dram_ns = ns_of(latencies[i], "dram"),
                      .alu_cycles = cycles_of(latencies[i], "register")};
        out->bytes = out->read_gbs * out->dram_ns / sms; // GB/s x ns = bytes
        out->requests = out->bytes / REQUEST_BYTES;
        return true;
    }
    return false;
}

static void print_sum(FILE *out, const card *c) {
    fprintf(out,
            "- %s: %.0f GB/s x %.0f ns = %.2f MB in flight on the device, %.0f bytes per SM, "
            "%.1f requests of %d bytes.\n",
            c->name, c->read_gbs, c->dram_ns, c->read_gbs * c->dram_ns * 1e-6, c->bytes,
            c->requests, REQUEST_BYTES);
}

// One line per number of independent instructions of a warp: a G80's SM, then each card.
static void print_line(FILE *out, const card *cards, int count, int independent) {
    fprintf(out, "| %d | %.0f |", independent, ceil(200.0 / (4 * independent)));
    for (int c = 0; c < count; c++) {
        double cycles = floor(cards[c].alu_cycles + 0.5); // warps per scheduler hide whole cycles
        double warps = ceil(cards[c].requests / independent);
        fprintf(out, " %.0f | %.0f%s |", SCHEDULERS * ceil(cycles / independent), warps,
                warps > WARPS_MOST ? ": more than 64" : "");
    }
    fputc('\n', out);
}

bool tables_print_hiding(FILE *out, const char *root, const char *lab) {
    json_t *runs[TABLES_DEVICES], *latencies[TABLES_DEVICES];
    card cards[TABLES_DEVICES];
    int count = 0, measured = 0;
    int run_count = tables_load_devices(root, lab, "run", "ladder.run/2", runs);
    if (run_count > 0)
        measured = tables_load_devices(root, measured_in, "latency", "ladder.latency/1", latencies);
    for (int r = 0; r < run_count && measured > 0; r++)
        count += find_card(runs[r], latencies, measured, &cards[count]);
    if (count > 0) {
        fputc('\n', out);
        for (int c = 0; c < count; c++) print_sum(out, &cards[c]);
        fputs("\nWarps per SM that are needed:\n\n| independent instructions per warp | "
              "G80's SM, 200 cycles |",
              out);
        for (int c = 0; c < count; c++)
            fprintf(out, " %s, multiply-adds | %s, loads from device memory |", cards[c].name,
                    cards[c].name);
        fputs("\n|---:|---:|", out);
        for (int c = 0; c < count; c++) fputs("---:|---:|", out);
        fputc('\n', out);
        for (int k = 1; k <= 8; k *= 2) print_line(out, cards, count, k);
        fputc('\n', out);
    } else {
        fprintf(stderr, "ladder-docs tables: %s: no card with a run and with latencies\n", lab);
    }
    for (int i = 0; i < run_count; i++) json_decref(runs[i]);
    for (int i = 0; i < measured; i++) json_decref(latencies[i]);
    return count > 0;
}
