// Protects the promise that the simulator counts what a GPU counts: the solutions of lab 02 are
// profiled on the simulator and compared, launch by launch, with counters that Nsight Compute read
// on an H100 (labs/measured/h100.csv:02_reduction/counters).
//   hardware_test LADDER COUNTERS FOLDER
// where: LADDER_HAVE_JANSSON
// links: kl_measured
// test: lab/reduction_hardware_counters @ladder@ @SOURCE@/labs/measured/h100.csv:02_reduction/counters @BUILD@/labs
// labels: grade
#include <jansson.h>

#include "measured.h"
#include "suite.h"

enum { MAX_ROWS = 4096, STEPS = 9 };
static const long sizes[] = {1000003, 1048576};

typedef struct hardware_row {
    int step, launch;
    long size;
    char counter[96];
    double value;
} hardware_row;

static hardware_row rows[MAX_ROWS];
static int row_count;
static const char *ladder_program, *folder;

// How a counter of the simulator must agree with the hardware's.
typedef struct agreement {
    const char *counter;
    double tolerance; // relative; the hardware's arbitration adds some shared-memory wavefronts
    double noise;     // absolute: what other traffic on the card adds
    int first_step;   // step 0's shared loads are merged by ptxas, which PTX counts cannot show
} agreement;

// In step 8's machine code one warp at the end of the array executes the load of the last vectors
// in two groups of lanes where the PTX shows one: a request more at sizes that are not a multiple
// of the block.
static const agreement agreements[] = {
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 0, 0, 0},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 0, 0, 0},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 0, 0, 0},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 0, 0, 0},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", 0, 0, 0},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", 0, 0, 0},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", 0, 0, 0},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", 0, 0, 0},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 0.02, 16, 1},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 0.02, 16, 1},
    {"dram__bytes_read.sum", 0.05, 16384, 0},
};

// A row of the document for each launch, with its counters.
static void read_rows(const char *name) {
    json_t *document = measured_document(name), *launch, *value;
    const char *counter;
    size_t i;
    json_array_foreach(json_object_get(document, "rows"), i, launch) {
        json_object_foreach(launch, counter, value) {
            if (row_count == MAX_ROWS) break;
            hardware_row *row = &rows[row_count++];
            row->step = (int)measured_number(launch, "step");
            row->size = (long)measured_number(launch, "size");
            row->launch = (int)measured_number(launch, "launch");
            row->value = json_number_value(value);
            snprintf(row->counter, sizeof row->counter, "%s", counter);
        }
    }
    json_decref(document);
}

static const hardware_row *find_row(int step, long size, int launch, const char *counter) {
    for (int i = 0; i < row_count; i++)
        if (rows[i].step == step && rows[i].size == size && rows[i].launch == launch &&
            !strcmp(rows[i].counter, counter))
            return &rows[i];
    return NULL;
}

static json_t *profile(int step, long size) {
    char path[512], command[1536];
    snprintf(path, sizeof path, "%s/profile_%d_%ld.json", folder, step, size);
    snprintf(command, sizeof command,
             "'%s' profile reduction %d --solution --size %ld --json '%s' > /dev/null",
             ladder_program, step, size, path);
    ck_assert_int_eq(system(command), 0);
    json_error_t error;
    json_t *report = json_load_file(path, 0, &error);
    ck_assert_msg(report, "%s: %s", path, error.text);
    return report;
}

// Counters that are zero are left out of the JSON.
static double counter_of(const json_t *launch, const char *name) {
    return json_number_value(json_object_get(json_object_get(launch, "counters"), name));
}

static void compare_launch(int step, long size, int index, const json_t *launch, int *compared) {
    for (size_t i = 0; i < sizeof agreements / sizeof agreements[0]; i++) {
        const agreement *rule = &agreements[i];
        const hardware_row *row = find_row(step, size, index, rule->counter);
        if (!row || step < rule->first_step) continue;
        double got = counter_of(launch, rule->counter), want = row->value;
        double slack = rule->tolerance * want + rule->noise;
        if (step == 8 && strstr(rule->counter, "_op_ld")) slack += 1; // see below
        double off = got > want ? got - want : want - got;
        ck_assert_msg(off <= slack, "step %d, size %ld, launch %d, %s: simulator %.0f, H100 %.0f",
                      step, size, index, rule->counter, got, want);
        (*compared)++;
    }
    const hardware_row *registers = find_row(step, size, index, "launch__registers_per_thread");
    if (!registers) return;
    // The hardware gives out registers in eights at least 16; ptxas's own number is at or below.
    double own = json_number_value(json_object_get(launch, "registers"));
    double given = own <= 16 ? 16 : own;
    ck_assert_msg(given <= registers->value && registers->value < given + 8,
                  "step %d: %.0f registers, H100 %.0f", step, own, registers->value);
    (*compared)++;
}

KL_TEST_ROWS(counters_of_a_step_equal_the_hardwares, STEPS) {
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        json_t *report = profile(_i, sizes[s]);
        json_t *launches = json_object_get(report, "launches"), *launch;
        size_t index;
        int compared = 0;
        json_array_foreach(launches, index, launch) {
            compare_launch(_i, sizes[s], (int)index, launch, &compared);
        }
        ck_assert_int_ge(compared, 10);
        ck_assert_ptr_null(find_row(_i, sizes[s], (int)json_array_size(launches),
                                    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"));
        json_decref(report);
    }
}

int main(int argc, char **argv) {
    if (argc != 4) return EXIT_FAILURE;
    ladder_program = argv[1];
    folder = argv[3];
    read_rows(argv[2]);
    Suite *suite = suite_create("hardware");
    kl_add_tests(suite);
    return row_count == 0 ? EXIT_FAILURE : kl_suite_run(suite);
}
