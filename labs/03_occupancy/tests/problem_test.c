// Lab 03's reference: the worked cases of its sources, and equality with the simulator's occupancy
// query.
// links: sim_core
// defines: KL_TEST_H100_CSV=@BUILD@/common/validation/logs/occupancy_h100.csv
#include "engine/engine.h" // the simulator: occupancy
#include "random.h"
#include "reference.h"
#include "suite.h"

KL_TEST(worked_cases) {
    static const struct {
        occupancy_config config;
        int blocks, warps;
    } rows[] = {
        {{10, 256, 10, 0}, 3, 24},    // lecture 3: 10 registers
        {{10, 256, 11, 0}, 2, 16},    // one more
        {{13, 128, 25, 1024}, 4, 16}, // its spreadsheet: 512 threads, 50 %
        {{10, 256, 16, 2100}, 2, 16}, // the matrix-vector paper of 2008
        {{90, 1024, 65, 0}, 0, 0},    // 72 registers per thread: more than the file
        {{90, 32, 16, 232448}, 1, 1}, {{90, 32, 16, 232449}, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        occupancy_count got = occupancy_reference(&rows[i].config);
        ck_assert_msg(got.blocks == rows[i].blocks && got.warps == rows[i].warps,
                      "row %zu: %d blocks, %d warps", i, got.blocks, got.warps);
    }
}

KL_TEST(warps_that_hide_a_latency) {
    ck_assert_int_eq(occupancy_reference_hiding(&(occupancy_latency){200, 4, 4, 1}), 13);
    ck_assert_int_eq(occupancy_reference_hiding(&(occupancy_latency){200, 4, 8, 1}), 7);
    ck_assert_int_eq(occupancy_reference_hiding(&(occupancy_latency){16, 1, 4, 4}), 16);
}

KL_TEST(the_simulator_answers_alike) {
    const sim_device *device = sim_device_find("h100");
    for (uint64_t i = 0; i < 20000; i++) {
        occupancy_config c = {
            90, 1 + (int)kl_random_below(1, i, 1024), 1 + (int)kl_random_below(2, i, 257),
            (int)kl_random_below(3, i, 1 + 234000 / (1 + kl_random_below(4, i, 30)))};
        sim_occupancy sim;
        sim_occupancy_compute(device, (uint32_t)c.threads, (uint32_t)c.registers,
                              (uint32_t)c.shared_bytes, &sim);
        occupancy_count got = occupancy_reference(&c);
        ck_assert_msg(got.blocks == (int)sim.blocks_per_sm,
                      "%d threads, %d registers, %d bytes: %d, %u", c.threads, c.registers,
                      c.shared_bytes, got.blocks, sim.blocks_per_sm);
    }
}

// A kernel and block size of the file of answers.
typedef struct asked {
    int registers, fixed, raised, threads;
} asked;

static void compare_answer(const asked *a, int dynamic, int blocks) {
    // Without a raised limit more than 48 KiB are refused: that is the runtime's rule.
    bool refused = !a->raised && a->fixed + dynamic > 49152;
    occupancy_config c = {90, a->threads, a->registers, a->fixed + dynamic};
    sim_occupancy sim;
    sim_occupancy_compute(sim_device_find("h100"), (uint32_t)a->threads, (uint32_t)a->registers,
                          (uint32_t)(a->fixed + dynamic), &sim);
    int reference = refused ? 0 : occupancy_reference(&c).blocks;
    int simulated = refused ? 0 : (int)sim.blocks_per_sm;
    ck_assert_msg(reference == blocks && simulated == blocks,
                  "%d registers, %d threads, %d + %d bytes: H100 %d, reference %d, simulator %d",
                  a->registers, a->threads, a->fixed, dynamic, blocks, reference, simulated);
}

enum { DYNAMIC_SIZES = 15 };

// The heading's amounts of shared memory.
static void read_sizes(const char *line, int out_sizes[DYNAMIC_SIZES]) {
    int count = 0;
    for (const char *at = strstr(line, "threads"); at && (at = strchr(at, ',')); at++)
        if (count < DYNAMIC_SIZES) out_sizes[count++] = atoi(at + 1);
    ck_assert_int_eq(count, DYNAMIC_SIZES);
}

// What an H100's runtime answered: common/validation/occupancy_dump.cu.
KL_TEST(an_h100_answers_alike) {
    FILE *file = fopen(KL_TEST_H100_CSV, "r");
    ck_assert_ptr_nonnull(file);
    char line[256];
    int compared = 0, sizes[DYNAMIC_SIZES];
    while (fgets(line, sizeof line, file)) {
        asked a;
        int used;
        if (strncmp(line, "registers,", 10) == 0) read_sizes(line, sizes);
        if (sscanf(line, "%d,%d,%d,%d%n", &a.registers, &a.fixed, &a.raised, &a.threads, &used) !=
            4)
            continue; // a heading
        const char *at = line + used;
        for (int i = 0; i < DYNAMIC_SIZES; i++, at += 1 + strcspn(at + 1, ",\n")) {
            ck_assert_int_eq(*at, ',');
            if (at[1] == '-') continue; // not asked
            compare_answer(&a, sizes[i], atoi(at + 1));
            compared++;
        }
    }
    fclose(file);
    ck_assert_int_eq(compared, 9555);
}

// Five numbers a line, `lines` of them.
static char *answers(int lines, const char *line) {
    size_t bytes = strlen(line);
    char *text = malloc((size_t)lines * bytes + 1);
    for (int i = 0; i < lines; i++) memcpy(text + (size_t)i * bytes, line, bytes);
    text[(size_t)lines * bytes] = '\0';
    return text;
}

KL_TEST(a_case_is_made_of_the_runtimes_answers) {
    kl_prepared p;
    kl_error err;
    char *text = answers(5000, "90 100 40 1024 12\n");
    ck_assert_msg(occupancy_problem.of_query(text, &p, &err) == KL_OK, "%s", err.text);
    const occupancy_config *configs = p.inputs[0];
    const int32_t *answer = p.solution;
    ck_assert_int_eq(p.shape.size, 5000);
    ck_assert(configs[4999].threads == 100 && configs[4999].registers == 40);
    ck_assert(configs[4999].compute == 90 && configs[4999].shared_bytes == 1024);
    ck_assert(answer[4999] == 12 && answer[5000 + 4999] == 12 * 4); // 100 threads are 4 warps
    ck_assert_int_eq(occupancy_reference(&configs[0]).blocks, 12);
    ck_assert(kl_problem_serves(&occupancy_problem, p.shape.family, 1));
    kl_prepared_free(&p);
    free(text);
}

KL_TEST(other_words_of_a_query_are_refused) {
    static const struct {
        int lines;
        const char *line, *message;
    } rows[] = {{4999, "90 100 40 1024 12\n", "4999 lines, due are 5000"},
                {5000, "90 100 40 1024\n", "no five numbers"},
                {5000, "no driver\n", "5000 lines, due are"}};
    kl_prepared p;
    kl_error err;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = answers(rows[i].lines, rows[i].line);
        ck_assert_int_eq(occupancy_problem.of_query(text, &p, &err), KL_ERROR_INPUT);
        ck_assert_msg(strstr(err.text, rows[i].message), "%zu: %s", i, err.text);
        kl_prepared_free(&p);
        free(text);
    }
    char *text = answers(5000, "21 100 40 1024 12\n"); // a device that the table does not have
    ck_assert_int_eq(occupancy_problem.of_query(text, &p, &err), KL_OK);
    ck_assert_int_eq(p.shape.size, 0);
    kl_prepared_free(&p);
    free(text);
}

KL_TEST_MAIN("occupancy")
