// Runs the catalogue: without arguments all cases, those that fault or crash each in a process of
// its own; with a name that case alone.
// with: memory.cu copy.cu launch.cu stream.cu fault.cu
// test: none
// check: bad-free failed-launch misaligned out-of-bounds stopped uninitialised (made of mistakes)
#include "catalogue.h"

#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

static const case_list *const lists[] = {&memory_cases, &copy_cases,   &symbol_cases, &launch_cases,
                                         &stream_cases, &device_cases, &fault_cases};

char *device_bytes(size_t bytes) {
    char *memory;
    cudaError_t status = cudaMalloc(&memory, bytes);
    if (status) {
        printf(" no memory for this case: %s\n", cudaGetErrorName(status));
        exit(1);
    }
    return memory;
}

static void run(const error_case &c) {
    printf("%s:", c.name);
    fflush(stdout); // what a crash leaves behind
    c.run();
    printf("\n");
    fflush(stdout);
}

// A case that leaves an error behind says so, and the next one starts afresh.
static void clean_up() {
    cudaGetLastError();
    cudaError_t left = cudaDeviceSynchronize();
    if (!left) return;
    printf("  left behind: %s\n", cudaGetErrorName(left));
    cudaDeviceReset();
}

// Everything of the calling process's kind, then `name` alone or, when NULL, all cases that share.
static int run_here(const char *name) {
    for (const case_list *list : lists)
        for (const error_case &c : *list) {
            if (name ? strcmp(c.name, name) != 0 : c.alone) continue;
            run(c);
            if (!name) clean_up();
        }
    return 0;
}

static void run_in_child(const char *argument) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "errors", argument, (char *)nullptr);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) exit(1);
    if (WIFSIGNALED(status)) printf(" died of signal %d\n", WTERMSIG(status));
    if (WIFEXITED(status) && WEXITSTATUS(status)) printf(" ended with %d\n", WEXITSTATUS(status));
}

int main(int argc, char **argv) {
    if (argc > 1) return run_here(strcmp(argv[1], "together") == 0 ? nullptr : argv[1]);
    run_in_child("together");
    for (const case_list *list : lists)
        for (const error_case &c : *list)
            if (c.alone) run_in_child(c.name);
    return 0;
}
