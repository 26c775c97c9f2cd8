// Tables of latencies in Markdown: see tables.h. What was measured is in files of
// ladder.latency/1 (labs/00_first_kernel/latency.cu prints them) and in the ceilings of a run.
#include "tables/tables.h"

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
