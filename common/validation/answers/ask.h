// What a program of questions shares. Each question prints one line, "number answer ..".
// HOST(number) { say(..); }: asked from the host; ALONE: in a process of its own, since it may cost
// the device. DEVICE(number, format, words, blocks, threads, bytes) { .. }: a kernel that writes
// `words` 64-bit words to o, each printed with `format`; `bytes` of dynamic shared memory.
#pragma once
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

typedef unsigned long long u64;
typedef unsigned int u32;

struct Question {
    int number;
    void (*ask)();
    bool alone;
};
static Question questions[200];
static int question_count;
struct Enter {
    Enter(int number, void (*ask)(), bool alone) {
        questions[question_count++] = {number, ask, alone};
    }
};

static void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}

static void launch(void (*kernel)(u64 *), const char *format, int words, unsigned blocks,
                   unsigned threads, unsigned bytes) {
    u64 *d_out, out[64] = {};
    cudaMalloc(&d_out, sizeof out);
    cudaMemset(d_out, 0, sizeof out);
    if (bytes > 48 << 10)
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    kernel<<<blocks, threads, bytes>>>(d_out);
    int error = cudaGetLastError();
    if (!error) error = cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    if (error) say(" error %d", error);
    for (int i = 0; i < words && !error; i++) say(format, out[i]);
    cudaFree(d_out);
}

#define QUESTION(number, alone)                                                                    \
    static void ask##number();                                                                     \
    static Enter enter##number(number, ask##number, alone);                                        \
    static void ask##number()
#define HOST(number)  QUESTION(number, false)
#define ALONE(number) QUESTION(number, true)
#define KERNEL(number, alone, format, words, blocks, threads, bytes)                               \
    static __global__ void kernel##number(u64 *o);                                                 \
    QUESTION(number, alone) { launch(kernel##number, format, words, blocks, threads, bytes); }     \
    static __global__ void kernel##number(u64 *o)
#define DEVICE(number, ...)       KERNEL(number, false, __VA_ARGS__)
#define DEVICE_ALONE(number, ...) KERNEL(number, true, __VA_ARGS__)

static void ask_alone(int number) {
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    int status = 0;
    pid_t child = fork();
    if (!child) {
        alarm(10);
        execl("/proc/self/exe", "ask", text, (char *)nullptr);
        _exit(127);
    }
    waitpid(child, &status, 0);
    if (status) printf("%d ended %d %d\n", number, WEXITSTATUS(status), WTERMSIG(status));
}

[[maybe_unused]] static cudaStream_t new_stream(unsigned flags = cudaStreamNonBlocking) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, flags);
    return stream;
}

// PROGRAM: all questions; PROGRAM NUMBER: this one, here; PROGRAM NUMBER +: from there on.
int main(int argc, char **argv) {
    int first = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < question_count; i++) {
        const Question *q = &questions[i];
        if (argc == 2 ? q->number != first : q->number < first) continue;
        fflush(stdout);
        if (q->alone && argc != 2) {
            ask_alone(q->number);
            continue;
        }
        printf("%d", q->number);
        fflush(stdout);
        q->ask();
        printf("\n");
        fflush(stdout);
        cudaGetLastError();
    }
    return 0;
}
