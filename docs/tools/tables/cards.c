// Tables of docs/cards.md: the rows of the devices, what their counting rules give, and the runs of
// the simulator stored in docs/cards. See tables.h.
#include "device/device.h"
#include "memory/access.h"
#include "tables/tables.h"

static const char *const ids[] = {
#define SIM_DEVICE(id, ...) #id,
#include "device/devices.def"
#undef SIM_DEVICE
};
enum { IDS = sizeof ids / sizeof ids[0] };

static void put_heads(FILE *out, const char *first) {
    fprintf(out, "| %s |", first);
    for (int i = 0; i < IDS; i++) fprintf(out, " `%s` |", ids[i]);
    fputs("\n|---|", out);
    for (int i = 0; i < IDS; i++) fputs("---:|", out);
    fputc('\n', out);
}

// ---- Rows ----

static bool print_rows(FILE *out, const char *root) {
    (void)root;
    put_heads(out, "number");
    static const struct {
        const char *what, *field;
        double unit;
    } rows[] = {{"SMs", "sm_count", 1},
                {"clock, MHz", "clock_mhz", 1},
                {"threads per SM", "threads_per_sm", 1},
                {"blocks per SM", "blocks_per_sm", 1},
                {"registers per SM", "registers_per_sm", 1},
                {"shared memory per SM, KiB", "shared_bytes_per_sm", 1024},
                {"L1 and shared memory, KiB", "l1_and_shared_bytes", 1024},
                {"L2, KiB", "l2_bytes", 1024},
                {"lanes of a shared request", "shared_lanes", 1},
                {"banks", "shared_banks", 1},
                {"bytes per bank and wavefront", "bank_bytes", 1},
                {"reads of device memory, GB/s", "read_gbs", 1}};
    fputs("| compute capability |", out);
    for (int i = 0; i < IDS; i++) {
        const sim_device *d = sim_device_find(ids[i]);
        fprintf(out, " %u.%u |", d->compute_major, d->compute_minor);
    }
    fputc('\n', out);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        fprintf(out, "| %s |", rows[r].what);
        for (int i = 0; i < IDS; i++) {
            double value = 0;
            if (!sim_device_number(sim_device_find(ids[i]), rows[r].field, &value)) return false;
            value /= rows[r].unit;
            if (value > 0) fprintf(out, " %.10g |", value);
            else fputs(" none |", out);
        }
        fputc('\n', out);
    }
    return true;
}

static bool print_sources(FILE *out, const char *root) {
    static const struct {
        const char *id, *fields, *source;
    } rows[] = {
#define SIM_SOURCE(device, names, source) {#device, names, source},
#include "device/device_sources.def"
#undef SIM_SOURCE
    };
    const char *before = "";
    (void)root;
    fputs("| card | numbers | source |\n|---|---|---|\n", out);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fprintf(out, "| %s%s%s | ", strcmp(before, rows[i].id) ? "`" : "",
                strcmp(before, rows[i].id) ? rows[i].id : "",
                strcmp(before, rows[i].id) ? "`" : "");
        fprintf(out, "%s | %s |\n", rows[i].fields, rows[i].source);
        before = rows[i].id;
    }
    return true;
}

// ---- Counting rules ----

static void stride(uint64_t at[32], uint64_t base, uint64_t step) {
    for (uint64_t lane = 0; lane < 32; lane++) at[lane] = base + lane * step;
}

static bool print_banks(FILE *out, const char *root) {
    static const uint32_t words[] = {1, 2, 3, 4, 8, 16, 17, 32, 33};
    (void)root;
    put_heads(out, "stride in 4-byte words");
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        fprintf(out, "| %u |", words[w]);
        for (int i = 0; i < IDS; i++) {
            uint64_t at[32];
            stride(at, 0, 4 * words[w]);
            sim_bank_use use = sim_legacy_banks(sim_device_find(ids[i]), at, 0xFFFFFFFF, 4);
            fprintf(out, " %u |", use.wavefronts);
        }
        fputc('\n', out);
    }
    return true;
}

static bool print_coalescing(FILE *out, const char *root) {
    static const struct {
        const char *what;
        uint64_t base, step;
        uint32_t bytes;
    } rows[] = {{"neighbouring floats, aligned to 128 bytes", 0x1000, 4, 4},
                {"the same, one float further", 0x1004, 4, 4},
                {"the same, 8 floats further", 0x1020, 4, 4},
                {"the same, 16 floats further", 0x1040, 4, 4},
                {"every second float", 0x1000, 8, 4},
                {"one float for all", 0x1000, 0, 4},
                {"neighbouring float4", 0x1000, 16, 16},
                {"a row each", 0x1000, 4096, 4}};
    (void)root;
    put_heads(out, "32 lanes read");
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        fprintf(out, "| %s |", rows[r].what);
        for (int i = 0; i < IDS; i++) {
            uint64_t at[32];
            stride(at, rows[r].base, rows[r].step);
            fprintf(out, " %u |",
                    32 * sim_legacy_units(sim_device_find(ids[i]), at, 0xFFFFFFFF, rows[r].bytes));
        }
        fputc('\n', out);
    }
    return true;
}

static bool print_registers(FILE *out, const char *root) {
    static const uint32_t registers[] = {8, 10, 11, 16, 17, 32, 33, 40, 64};
    (void)root;
    put_heads(out, "registers per thread");
    for (size_t r = 0; r < sizeof registers / sizeof registers[0]; r++) {
        fprintf(out, "| %u |", registers[r]);
        for (int i = 0; i < IDS; i++) {
            sim_occupancy o;
            sim_occupancy_compute(sim_device_find(ids[i]), 256, registers[r], 0, &o);
            fprintf(out, " %u (%.0f %%) |", o.blocks_per_sm, 100 * o.fraction);
        }
        fputc('\n', out);
    }
    return true;
}

// ---- Stored runs ----

enum { COLUMNS_MAX = 8, ROWS_MAX = 256 };
typedef struct csv {
    double value[ROWS_MAX][COLUMNS_MAX];
    int rows;
} csv;

// Numbers only, so many a line; '#' begins a comment.
static bool load(const char *root, const char *name, int columns, csv *out) {
    char path[4096], line[512];
    snprintf(path, sizeof path, "%s/docs/cards/%s", root, name);
    FILE *file = fopen(path, "r");
    out->rows = 0;
    bool good = file;
    while (good && fgets(line, sizeof line, file)) {
        char *at = line;
        if (*line == '#') continue;
        good = out->rows < ROWS_MAX;
        for (int c = 0; good && c < columns; c++) {
            char *end;
            out->value[out->rows][c] = strtod(at, &end);
            good = end != at && (*end == ',' || (c + 1 == columns && *end == '\n'));
            at = end + 1;
        }
        out->rows += good;
    }
    if (file) fclose(file);
    if (!good || !out->rows)
        fprintf(stderr, "ladder-docs tables: %s: not numbers in columns\n", path);
    return good && out->rows;
}

// Orders by the largest power of two, up to 16, that divides them: their rows are aligned alike.
static bool print_gemv(FILE *out, const char *root) {
    static const struct {
        int divisor;
        const char *what, *reported;
    } rows[] = {
        {16, "multiples of 16", "36.41 at most"},
        {8, "other multiples of 8", "about 4.5 to 7.4"},
        {4, "other multiples of 4", "about 4.5 to 7.4"},
        {2, "other even orders", "about 4.5 to 7.4"},
        {1, "odd orders, half of all", "4.5"},
    };
    static csv runs;
    if (!load(root, "gemv_gtx8800.csv", 3, &runs)) return false;
    fputs(
        "| orders from 2032 on | modelled, without texture | CUBLAS 1.1, reported | modelled, with "
        "texture | the paper's kernel, reported |\n|---|---:|---:|---:|---:|\n",
        out);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        double least[2] = {1e9, 1e9}, most[2] = {0, 0};
        for (int i = 0; i < runs.rows; i++) {
            int order = (int)runs.value[i][0], divisor = order & -order;
            if (order < 2032 || (divisor > 16 ? 16 : divisor) != rows[r].divisor) continue;
            for (int k = 0; k < 2; k++) {
                double rate = runs.value[i][1 + k];
                if (rate < least[k]) least[k] = rate;
                if (rate > most[k]) most[k] = rate;
            }
        }
        fprintf(out, "| %s | %.1f to %.1f | %s | %.1f to %.1f | 28.05 at least |\n", rows[r].what,
                least[0], most[0], rows[r].reported, least[1], most[1]);
    }
    return true;
}

// Blocks of 16 rows, two per SM as the paper has them.
static bool print_blocks(FILE *out, const char *root) {
    static csv runs;
    const sim_device *d;
    sim_occupancy o;
    if (!load(root, "gemv_gtx8800.csv", 3, &runs)) return false;
    if (sim_device_from_text("like=gtx8800;kernel_registers=16", &d, NULL) != SIM_OK) return false;
    sim_occupancy_compute(d, 256, 16, 0, &o);
    uint32_t at_once = o.blocks_per_sm * d->sm_count;
    fputs("| order | blocks | waves of all SMs | modelled, with texture, GFLOP/s |\n"
          "|---:|---:|---:|---:|\n",
          out);
    for (int i = 0; i < runs.rows; i++) {
        int order = (int)runs.value[i][0], blocks = order / 16;
        if (order < 2048 || order > 3072 || order % 64) continue;
        fprintf(out, "| %d | %d | %.2f%s | %.2f |\n", order, blocks, (double)blocks / at_once,
                blocks % (int)at_once ? "" : ", whole", runs.value[i][2]);
    }
    return true;
}

enum { VERSIONS = 6 };

// Times that differ by less are about equal.
static const double about_equal = 1.01;

// Which numbers of rows per warp come within about_equal of the fastest version: bit g, 1 << g
// rows.
static unsigned fastest(const double *times) {
    double best = times[0];
    unsigned groups = 0;
    for (int v = 1; v < VERSIONS; v++)
        if (times[v] < best) best = times[v];
    for (int v = 0; v < VERSIONS; v++)
        if (times[v] <= best * about_equal) groups |= 1u << v / 2;
    return groups;
}

static const char *rows_text(unsigned groups) {
    static const char *const texts[8] = {"",  "1",      "2",      "1 or 2",
                                         "4", "1 or 4", "2 or 4", "1, 2 or 4"};
    return texts[groups & 7];
}

static double least(double a, double b) { return a < b ? a : b; }

static bool print_softmax(FILE *out, const char *root) {
    static csv reported, modelled;
    if (!load(root, "softmax_reported.csv", 2 + VERSIONS, &reported) ||
        !load(root, "softmax_rtx4060.csv", 2 + VERSIONS, &modelled) ||
        reported.rows != modelled.rows)
        return false;
    fputs(
        "| rows x columns | reported, us: 1, 2, 4 rows per warp | fastest | modelled, us | fastest "
        "|\n|---|---:|---|---:|---|\n",
        out);
    int decided = 0, same = 0;
    for (int i = 0; i < reported.rows; i++) {
        const double *r = reported.value[i] + 2, *m = modelled.value[i] + 2;
        unsigned there = fastest(r), here = fastest(m);
        bool one = !(here & (here - 1)) && !(there & (there - 1));
        decided += one;
        same += one && here == there;
        fprintf(out, "| %.0f x %.0f | %.1f, %.1f, %.1f | %s | %.2f, %.2f, %.2f | %s |\n",
                reported.value[i][0], reported.value[i][1], least(r[0], r[1]), least(r[2], r[3]),
                least(r[4], r[5]), rows_text(there), least(m[0], m[1]), least(m[2], m[3]),
                least(m[4], m[5]), rows_text(here));
    }
    fprintf(out,
            "\nVersions within 1 %% of the fastest are about equal. Of the %d shapes at which both "
            "decide, the model has the reported winner at %d.\n",
            decided, same);
    return true;
}

bool tables_print_cards(FILE *out, const char *root, const char *what) {
    static const struct {
        const char *what;
        bool (*print)(FILE *out, const char *root);
    } rows[] = {{"rows", print_rows},           {"sources", print_sources},
                {"banks", print_banks},         {"coalescing", print_coalescing},
                {"registers", print_registers}, {"gemv", print_gemv},
                {"blocks", print_blocks},       {"softmax", print_softmax}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].what, what) == 0) return rows[i].print(out, root);
    fprintf(stderr, "ladder-docs tables: there is no table of cards called %s\n", what);
    return false;
}
