// Runs every operand case (operand_cases.def) on the device of the CUDA runtime and writes a golden
// file, or compares with one. A case that cannot run, because the device or the simulator lacks an
// instruction of its class, is reported and costs its class only.
#include "operand_program.h"

#include <cuda_runtime_api.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const operand_class *const classes[] = {
#define OPERAND_CLASS(name) &operand_class_##name,
#include "operand_classes.def"
#undef OPERAND_CLASS
};
enum { CLASSES = sizeof classes / sizeof classes[0] };

typedef struct options {
    const char *write, *compare, *known, *only_class, *only_case;
    bool list, print;
    int show;
} options;

typedef struct device_buffers {
    uint64_t *d_in, *d_results;
    uint64_t in[OPERAND_MAX_INPUTS * OPERAND_MAX_TUPLES];
    uint64_t results[OPERAND_MAX_OUTPUTS * OPERAND_MAX_TUPLES];
} device_buffers;

typedef struct tally {
    int run, failed_to_run, wrong, known, missing;
} tally;

static cudaError_t allocate(device_buffers *buffers) {
    cudaError_t err = cudaMalloc((void **)&buffers->d_in, sizeof buffers->in);
    return err ? err : cudaMalloc((void **)&buffers->d_results, sizeof buffers->results);
}

// Both halves of the results are always there: cases with one result use the second for what they
// like.
static cudaError_t run_case(const operand_case *test, device_buffers *buffers) {
    uint32_t tuples = (uint32_t)operand_tuples(test);
    size_t in_bytes = (size_t)test->inputs * tuples * sizeof(uint64_t);
    void *arguments[] = {&buffers->d_in, &buffers->d_results, &tuples};
    dim3 grid = {tuples / OPERAND_BLOCK, 1, 1}, block = {OPERAND_BLOCK, 1, 1};
    cudaError_t err = cudaSuccess;
    operand_fill(test, buffers->in);
    if (in_bytes) err = cudaMemcpy(buffers->d_in, buffers->in, in_bytes, cudaMemcpyHostToDevice);
    if (!err) err = cudaMemset(buffers->d_results, 0xCD, sizeof buffers->results);
    if (!err) err = cudaLaunchKernel(test->kernel, grid, block, arguments, 0, NULL);
    if (!err) err = cudaDeviceSynchronize();
    if (err) return err;
    return cudaMemcpy(buffers->results, buffers->d_results,
                      (size_t)test->outputs * tuples * sizeof(uint64_t), cudaMemcpyDeviceToHost);
}

// After an error that sticks to the context the device starts anew.
static void recover(device_buffers *buffers) {
    cudaGetLastError();
    if (cudaMemset(buffers->d_results, 0, sizeof(uint64_t)) == cudaSuccess &&
        cudaDeviceSynchronize() == cudaSuccess)
        return;
    cudaGetLastError();
    cudaDeviceReset();
    if (allocate(buffers) != cudaSuccess) fprintf(stderr, "operand_program: the device is lost\n");
}

static bool wanted(const options *chosen, const operand_class *class, const operand_case *test) {
    if (chosen->only_class && strcmp(chosen->only_class, class->name) != 0) return false;
    return !chosen->only_case || strcmp(chosen->only_case, test->id) == 0;
}

static void print_results(const operand_case *test, const device_buffers *buffers) {
    uint32_t tuples = (uint32_t)operand_tuples(test);
    printf("%s: %s\n", test->id, test->code);
    for (uint32_t at = 0; at < tuples; at++) {
        printf("    tuple %u:", at);
        for (int i = 0; i < test->inputs; i++) {
            printf(" %s %" PRIx64, operand_domain_name(test->input[i]),
                   buffers->in[(uint32_t)i * tuples + at]);
        }
        printf(" ->");
        for (int i = 0; i < test->outputs; i++)
            printf(" %" PRIx64, buffers->results[(uint32_t)i * tuples + at]);
        printf("\n");
    }
}

// Ids of --known FILE, in the order of the file; one per line, followed by the reason.
typedef struct known_cases {
    char (*ids)[48];
    size_t count;
} known_cases;

static bool read_known(const char *path, known_cases *out_known) {
    char line[512];
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return false;
    }
    bool ok = true;
    while (ok && fgets(line, sizeof line, file)) {
        char id[48];
        if (line[0] == '#' || sscanf(line, "%47s", id) != 1) continue;
        void *grown = realloc(out_known->ids, (out_known->count + 1) * sizeof id);
        ok = grown;
        if (!ok) continue;
        out_known->ids = grown;
        memcpy(out_known->ids[out_known->count++], id, sizeof id);
    }
    fclose(file);
    return ok;
}

static bool is_known(const known_cases *known, const char *id) {
    for (size_t i = 0; i < known->count; i++)
        if (strcmp(known->ids[i], id) == 0) return true;
    return false;
}

// Golden records in the order of the file; a case is looked for from where the last one was found.
typedef struct golden {
    operand_header header;
    operand_record *records;
    uint32_t next;
} golden;

static bool read_golden(const char *path, golden *out_golden) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return false;
    }
    bool ok =
        operand_golden_read_header(file, &out_golden->header) && out_golden->header.cases <= 100000;
    if (ok) out_golden->records = calloc(out_golden->header.cases + 1, sizeof(operand_record));
    ok = ok && out_golden->records;
    for (uint32_t i = 0; ok && i < out_golden->header.cases; i++)
        ok = operand_golden_read(file, &out_golden->records[i]);
    if (!ok) fprintf(stderr, "operand_program: %s is no golden file, or cut short\n", path);
    fclose(file);
    return ok;
}

static const operand_record *find_record(golden *golden, const char *id) {
    for (uint32_t i = 0; i < golden->header.cases; i++) {
        uint32_t at = (golden->next + i) % golden->header.cases;
        if (strcmp(golden->records[at].id, id) == 0) {
            golden->next = at + 1;
            return &golden->records[at];
        }
    }
    return NULL;
}

static void compare_case(const options *chosen, golden *golden, const known_cases *known,
                         const operand_case *test, const device_buffers *buffers, tally *tally) {
    const operand_record *want = find_record(golden, test->id);
    if (!want || !want->tuples) {
        printf("%s: %s\n", test->id,
               want ? "did not run for the golden file" : "not in the golden file");
        tally->missing++;
        return;
    }
    operand_verdict verdict =
        operand_compare(test, want, buffers->in, buffers->results, chosen->show);
    if (verdict.stale) {
        printf("%s: the golden file has other operands or code: write it again\n", test->id);
        tally->missing++;
        return;
    }
    bool expected = is_known(known, test->id);
    if (!verdict.differing && !verdict.bad_chunks) {
        if (!expected) return;
        printf("%s: agrees now: take it out of %s\n", test->id, chosen->known);
        tally->wrong++;
        return;
    }
    printf("%s%s: %u of %u results differ, and %u groups of %d more", test->id,
           expected ? " (known)" : "", verdict.differing, verdict.compared, verdict.bad_chunks,
           OPERAND_CHUNK);
    printf("; %s\n", test->code);
    if (expected) tally->known++;
    else tally->wrong++;
}

typedef struct run_state {
    const options *chosen;
    device_buffers *buffers;
    golden *golden; // NULL: none to compare with
    known_cases known;
    FILE *output; // NULL: none to write
    bool written; // false once writing failed
} run_state;

static void run_class(run_state *state, const operand_class *class, tally *total) {
    tally own = {0};
    operand_record record;
    for (int i = 0; i < class->count; i++) {
        const operand_case *test = &class->cases[i];
        if (!wanted(state->chosen, class, test)) continue;
        cudaError_t err = run_case(test, state->buffers);
        memset(&record, 0, sizeof record);
        snprintf(record.id, sizeof record.id, "%s", test->id);
        if (err) {
            if (is_known(&state->known, test->id)) own.known++;
            else if (!own.failed_to_run++)
                printf("%s: %s: %s\n", class->name, test->id, cudaGetErrorString(err));
            recover(state->buffers);
        } else {
            own.run++;
            operand_record_fill(test, state->buffers->in, state->buffers->results, &record);
            if (state->chosen->print) print_results(test, state->buffers);
            if (state->golden)
                compare_case(state->chosen, state->golden, &state->known, test, state->buffers,
                             &own);
        }
        if (state->output && !operand_golden_write(state->output, &record)) state->written = false;
    }
    if (own.failed_to_run || own.wrong || own.missing) {
        printf("class %s: %d run, %d wrong, %d not run, %d not compared\n", class->name, own.run,
               own.wrong, own.failed_to_run, own.missing);
    }
    total->run += own.run;
    total->failed_to_run += own.failed_to_run;
    total->wrong += own.wrong;
    total->known += own.known;
    total->missing += own.missing;
}

static uint32_t count_cases(const options *chosen) {
    uint32_t count = 0;
    for (int c = 0; c < CLASSES; c++)
        for (int i = 0; i < classes[c]->count; i++)
            count += wanted(chosen, classes[c], &classes[c]->cases[i]);
    return count;
}

static bool describe_device(operand_header *out_header) {
    struct cudaDeviceProp properties;
    int driver = 0, runtime = 0;
    cudaError_t err = cudaGetDeviceProperties(&properties, 0);
    if (err) {
        fprintf(stderr, "operand_program: %s\n", cudaGetErrorString(err));
        return false;
    }
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    snprintf(out_header->device, sizeof out_header->device, "%.63s", properties.name);
    out_header->capability = (uint32_t)(properties.major * 10 + properties.minor);
    out_header->driver = (uint32_t)driver;
    out_header->runtime = (uint32_t)runtime;
    return true;
}

static int run_all(const options *chosen) {
    static device_buffers buffers;
    golden golden = {0};
    operand_header header = {0};
    tally total = {0};
    run_state state = {.chosen = chosen, .buffers = &buffers, .written = true};
    if (!describe_device(&header) || allocate(&buffers) != cudaSuccess) return 2;
    if (chosen->known && !read_known(chosen->known, &state.known)) return 2;
    if (chosen->compare) {
        if (!read_golden(chosen->compare, &golden)) return 2;
        state.golden = &golden;
        printf("golden results of %s, compute capability %u; here %s\n", golden.header.device,
               golden.header.capability, header.device);
    }
    header.cases = count_cases(chosen);
    if (chosen->write) {
        state.output = fopen(chosen->write, "wb");
        if (!state.output) {
            perror(chosen->write);
            return 2;
        }
        state.written = operand_golden_write_header(state.output, &header);
    }
    for (int c = 0; c < CLASSES; c++) run_class(&state, classes[c], &total);
    if (state.output && fclose(state.output) != 0) state.written = false;
    if (!state.written) fprintf(stderr, "operand_program: cannot write %s\n", chosen->write);
    printf("%d cases run, %d wrong, %d known to differ or not to run, %d not run, "
           "%d not compared\n",
           total.run, total.wrong, total.known, total.failed_to_run, total.missing);
    free(golden.records);
    free(state.known.ids);
    cudaFree(buffers.d_in);
    cudaFree(buffers.d_results);
    return state.written && total.run && !total.wrong && !total.failed_to_run && !total.missing ? 0
                                                                                                : 1;
}

static int list_cases(const options *chosen) {
    for (int c = 0; c < CLASSES; c++) {
        for (int i = 0; i < classes[c]->count; i++) {
            const operand_case *test = &classes[c]->cases[i];
            if (wanted(chosen, classes[c], test)) {
                printf("%-16s %-36s %5d  %s\n", classes[c]->name, test->id, operand_tuples(test),
                       test->code);
            }
        }
    }
    return 0;
}

static int usage(void) {
    fprintf(stderr,
            "usage: operand_program --write FILE | --compare FILE | --list | --print\n"
            "                       [--known FILE] [--class NAME] [--case ID] [--show TUPLES]\n"
            "example: operand_program --compare operands_h100.bin --class f32_add --show 10\n");
    return 2;
}

int main(int argc, char **argv) {
    options chosen = {.show = 3};
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];
        const char **text = strcmp(option, "--write") == 0     ? &chosen.write
                            : strcmp(option, "--compare") == 0 ? &chosen.compare
                            : strcmp(option, "--known") == 0   ? &chosen.known
                            : strcmp(option, "--class") == 0   ? &chosen.only_class
                            : strcmp(option, "--case") == 0    ? &chosen.only_case
                                                               : NULL;
        if (strcmp(option, "--list") == 0) chosen.list = true;
        else if (strcmp(option, "--print") == 0) chosen.print = true;
        else if (i + 1 == argc) return usage();
        else if (text) *text = argv[++i];
        else if (strcmp(option, "--show") == 0) chosen.show = atoi(argv[++i]);
        else return usage();
    }
    if (chosen.list) return list_cases(&chosen);
    if (!chosen.write && !chosen.compare && !chosen.print) return usage();
    if (!count_cases(&chosen)) {
        fprintf(stderr, "operand_program: no such class or case\n");
        return 2;
    }
    return run_all(&chosen);
}
