// Fuzz target: cubins; attributes, code and line table of every kernel are read.
// Must never crash, hang, leak or read outside the image.
#include "image/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static unsigned read_lines(const sim_cubin_line *lines, uint32_t count) {
    unsigned sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i && lines[i].offset < lines[i - 1].offset) abort(); // promised to ascend
        sum += lines[i].line;
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
    kl_error err = {0};
    sim_cubin *cubin;
    if (sim_cubin_open(data, bytes, &cubin, &err) != SIM_OK) {
        if (cubin || !err.text[0]) abort();
        return 0;
    }
    unsigned sum = 0;
    for (uint32_t i = 0; i < sim_cubin_kernel_count(cubin); i++) {
        const sim_cubin_kernel *kernel = sim_cubin_kernel_get(cubin, i);
        const sim_cubin_line *lines;
        uint32_t count;
        for (size_t at = 0; at < kernel->code_bytes; at++) sum += kernel->code[at];
        for (uint32_t at = 0; at < kernel->spill_count; at++)
            if (kernel->spills[at] >= kernel->code_bytes) abort();
        for (uint32_t at = 0; at < kernel->param_count; at++) sum += kernel->params[at].offset;
        if (sim_cubin_ptx_lines(cubin, kernel->name, &lines, &count, &err) == SIM_OK)
            sum += read_lines(lines, count);
    }
    sim_cubin_close(cubin);
    return sum == 0xffffffffu ? -1 : 0; // uses the sum, so that the reads stay
}
