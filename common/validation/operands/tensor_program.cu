// Bulk tensor copies on a device: boxes of tensors of every type, rank, swizzle and position are
// loaded, stored and reduced, with a hash of the bytes per line; then what the driver says to
// descriptions of tensors, and what mistakes end with.
//
//   tensor_program                prints a line per case
//   tensor_program --compare FILE compares with such lines; 1: they differ
//   tensor_program --section NAME prints the lines of one section
//   tensor_program --mistake NAME how a launch with this mistake ends: each needs its own process
#include "tensor/case.cuh"
#include "tensor/copies.cuh"
#include "tensor/descriptions.cuh"
#include "tensor/mistakes.cuh"
#include "tensor/reductions.cuh"

static const struct {
    const char *name;
    void (*run)(void);
} sections[] = {{"descriptions", run_descriptions},
                {"types", run_types},
                {"conversions", run_conversions},
                {"maps", run_maps_elsewhere},
                {"shapes", run_shapes},
                {"swizzles", run_swizzles},
                {"strides", run_strides},
                {"cluster", run_cluster},
                {"reductions", run_reductions},
                {"bulk", run_bulk}};

static void *entry(const char *name) {
    void *function = NULL;
    cudaDriverEntryPointQueryResult result;
    must(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &result),
         name);
    return function;
}

int main(int argc, char **argv) {
    bool compares = argc == 3 && strcmp(argv[1], "--compare") == 0;
    bool mistakes = argc == 3 && strcmp(argv[1], "--mistake") == 0;
    const char *one = argc == 3 && strcmp(argv[1], "--section") == 0 ? argv[2] : NULL;
    if (argc != 1 && !compares && !mistakes && !one) {
        fprintf(stderr, "usage: %s [--compare FILE | --section NAME | --mistake NAME]\n", argv[0]);
        return 2;
    }
    if (compares && !(golden = fopen(argv[2], "r"))) {
        fprintf(stderr, "tensor_program: cannot read %s\n", argv[2]);
        return 2;
    }
    encode = (decltype(encode))entry("cuTensorMapEncodeTiled");
    replace = (decltype(replace))entry("cuTensorMapReplaceAddress");
    if (!encode || !replace) return 2;
    if (!mistakes && !one) {
        tensor t = plain();
        CUtensorMap map;
        say("without a context: code %d", (int)describe(&map, &t, NULL));
    }
    must(cudaFree(0), "context");
    must(cudaMalloc(&d_tensor, TENSOR_BYTES), "tensor");
    must(cudaMalloc(&d_out, TENSOR_BYTES), "out");
    h_tensor = (uint8_t *)calloc(1, TENSOR_BYTES);
    h_out = (uint8_t *)calloc(1, TENSOR_BYTES);
    if (mistakes) return run_mistake(argv[2]);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (one && strcmp(one, sections[i].name) != 0) continue;
        random_state = (uint32_t)i + 1;
        sections[i].run();
    }
    if (golden && fclose(golden) != 0) return 2;
    if (compares) printf("%d lines, %d differ\n", line_count, lines_differ);
    return lines_differ ? 1 : 0;
}
