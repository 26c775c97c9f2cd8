// Runs operand cases (operand_cases.def) on the device of the CUDA runtime and prints what they
// give:
//   operand_program [--list | --operands] [NAME..]   NAME: a case or a class; none: all
// Lines of a case (docs/validation.md): a hash of its code and operands; the results of its first
// tuples; hashes of further ones. Or the error that it ends with, because the device or the
// simulator lacks an instruction of its class, which costs its class only. --operands: a line per
// tuple, with operands and results.
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

typedef struct device_buffers {
    uint64_t *d_in, *d_results;
    uint64_t in[OPERAND_MAX_INPUTS * OPERAND_MAX_TUPLES];
    uint64_t results[OPERAND_MAX_OUTPUTS * OPERAND_MAX_TUPLES];
} device_buffers;

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

// Result `i` of a tuple, cut to the bytes that it has.
static uint64_t result_of(const operand_case *test, const device_buffers *buffers, int i,
                          uint32_t tuple) {
    int bytes = operand_domain_bytes(test->output[i]);
    uint64_t value = buffers->results[(uint32_t)(i * operand_tuples(test)) + tuple];
    return bytes == 8 ? value : value & ((UINT64_C(1) << 8 * bytes) - 1);
}

// The results of a tuple, joined by colons.
static void print_tuple(const operand_case *test, const device_buffers *buffers, uint32_t tuple) {
    for (int i = 0; i < test->outputs; i++)
        printf("%c%0*" PRIx64, i ? ':' : ' ', 2 * operand_domain_bytes(test->output[i]),
               result_of(test, buffers, i, tuple));
}

static void print_operands(const operand_case *test, const device_buffers *buffers) {
    uint32_t tuples = (uint32_t)operand_tuples(test);
    printf("%s: %s\n", test->id, test->code);
    for (uint32_t at = 0; at < tuples; at++) {
        printf("    tuple %u:", at);
        for (int i = 0; i < test->inputs; i++)
            printf(" %s %0*" PRIx64, operand_domain_name(test->input[i]),
                   2 * operand_domain_bytes(test->input[i]),
                   buffers->in[(uint32_t)i * tuples + at]);
        printf(" ->");
        print_tuple(test, buffers, at);
        printf("\n");
    }
}

static uint64_t hash_value(uint64_t hash, uint64_t value) {
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(value >> 8 * i);
    return operand_hash(hash, bytes, sizeof bytes);
}

static void print_results(const operand_case *test, const device_buffers *buffers) {
    uint32_t tuples = (uint32_t)operand_tuples(test), at = 0;
    uint64_t hash = operand_hash(OPERAND_HASH_START, test->code, strlen(test->code));
    for (uint32_t i = 0; i < (uint32_t)test->inputs * tuples; i++)
        hash = hash_value(hash, buffers->in[i]);
    printf("%s operands %016" PRIx64, test->id, hash);
    for (; at < tuples && at < OPERAND_STORED; at++) {
        if (at % OPERAND_LINE == 0) printf("\n%s %u", test->id, at);
        print_tuple(test, buffers, at);
    }
    if (at < tuples) printf("\n%s hashes", test->id);
    while (at < tuples) {
        hash = OPERAND_HASH_START;
        for (int n = 0; n < OPERAND_CHUNK; n++, at++)
            for (int i = 0; i < test->outputs; i++)
                hash = hash_value(hash, result_of(test, buffers, i, at));
        printf(" %08x", (unsigned)(hash ^ hash >> 32));
    }
    printf("\n");
}

static bool wanted(char *const *names, const operand_class *class, const operand_case *test) {
    if (!*names) return true;
    for (; *names; names++)
        if (strcmp(*names, class->name) == 0 || strcmp(*names, test->id) == 0) return true;
    return false;
}

int main(int argc, char **argv) {
    static device_buffers buffers;
    struct cudaDeviceProp card;
    int driver = 0, runtime = 0, found = 0;
    bool lists = argc > 1 && strcmp(argv[1], "--list") == 0;
    bool shows = argc > 1 && strcmp(argv[1], "--operands") == 0;
    char *const *names = argv + 1 + (lists || shows);
    cudaError_t err = lists ? cudaSuccess : cudaGetDeviceProperties(&card, 0);
    if (!err && !lists) err = allocate(&buffers);
    if (err) {
        fprintf(stderr, "operand_program: %s\n", cudaGetErrorString(err));
        return 2;
    }
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (!lists && !shows)
        printf("# %s, compute capability %d.%d, driver %d, runtime %d\n", card.name, card.major,
               card.minor, driver, runtime);
    for (int c = 0; c < CLASSES; c++)
        for (int i = 0; i < classes[c]->count; i++) {
            const operand_case *test = &classes[c]->cases[i];
            if (!wanted(names, classes[c], test)) continue;
            found++;
            if (lists) {
                printf("%-16s %-36s %5d  %s\n", classes[c]->name, test->id, operand_tuples(test),
                       test->code);
                continue;
            }
            err = run_case(test, &buffers);
            if (err) {
                printf("%s %s\n", test->id, cudaGetErrorName(err));
                recover(&buffers);
            } else if (shows) print_operands(test, &buffers);
            else print_results(test, &buffers);
        }
    if (!found) fprintf(stderr, "operand_program: no such class or case (--list names all)\n");
    return found ? 0 : 2;
}
