// How launches of tensor_program.cu with a mistake end.
#pragma once

#include "case.cuh"

__global__ void load_misplaced(uint8_t *out, const __grid_constant__ CUtensorMap map, coordinates c,
                               uint32_t bytes) {
    load_box<1>(out, &map, c, bytes, 2048, 0);
}

static int run_mistake(const char *name) {
    uint32_t dims[] = {64, 32}, box[] = {16, 8}, offset = 0;
    tensor t = make(7, 2, dims, box, 0);
    CUtensorMap map, zeros = {}, *d_map;
    coordinates c = {};
    auto is = [name](const char *text) { return strcmp(name, text) == 0; };
    must(cudaMalloc(&d_map, 4096), "map");
    if (is("behind")) t.dims[1] = 1 << 28;
    CUresult code = describe(&map, &t, d_tensor);
    must(cudaMemcpy((char *)d_map + 16, &map, sizeof map, cudaMemcpyHostToDevice), "map");
    must(cudaMemcpy((char *)d_map + 2048 + 64, &map, sizeof map, cudaMemcpyHostToDevice), "map");
    if (is("x1")) c.at[0] = 1;
    if (is("x2")) c.at[0] = 2;
    if (is("x-1")) c.at[0] = -1;
    if (is("x-17")) c.at[0] = -17; // wholly outside
    if (is("x65")) c.at[0] = 65;
    if (is("shared16")) offset = 16;
    if (is("shared64")) offset = 64;
    if (is("behind")) c.at[1] = 1 << 27;
    int reduces = strcmp(name, "add s64") == 0 || strcmp(name, "min f32") == 0 ||
                  strcmp(name, "inc s32") == 0 || strcmp(name, "and f32") == 0;
    if (reduces) {
        t.type = is("add s64") ? 5 : is("inc s32") ? 3 : 7;
        if (is("add s64")) t.box[0] = 8;
        describe(&map, &t, d_tensor);
    }
    int operation = is("add s64")   ? ADD
                    : is("min f32") ? MIN
                    : is("inc s32") ? INC
                    : is("and f32") ? AND
                    : is("store x-4") || is("store y-1") || is("store z-1") || is("store y99")
                        ? STORE
                    : is("add x-4") || is("add y-1") ? ADD
                    : is("add x2")                   ? ADD
                                                     : -1;
    if (strstr(name, "x-4")) c.at[0] = -4;
    if (strstr(name, "y-1")) c.at[1] = -1;
    if (strstr(name, "y99")) c.at[1] = 99;
    if (is("add x2")) c.at[0] = 2;
    if (is("prefetch x2")) c.at[0] = 2;
    if (operation >= 0) sends[1]<<<1, THREADS, 2048>>>(d_out, map, c, 512, operation);
    else if (is("rank")) load_misplaced<<<1, THREADS, 2048>>>(d_out, map, c, box_bytes(&t));
    else if (is("map16"))
        load_by_pointer<<<1, THREADS, 2048>>>(d_out, (CUtensorMap *)((char *)d_map + 16), c,
                                              box_bytes(&t), 2048);
    else if (is("map64"))
        load_by_pointer<<<1, THREADS, 2048>>>(d_out, (CUtensorMap *)((char *)d_map + 2048 + 64), c,
                                              box_bytes(&t), 2048);
    else if (is("nullmap"))
        load_by_pointer<<<1, THREADS, 2048>>>(d_out, NULL, c, box_bytes(&t), 2048);
    else
        loads[1]<<<1, THREADS, 2048>>>(d_out, is("zeros") ? zeros : map, c, box_bytes(&t), 2048,
                                       offset);
    cudaError_t status = cudaGetLastError();
    if (!status) status = cudaDeviceSynchronize();
    say("mistake %s: code %d, %s", name, (int)code, cudaGetErrorName(status));
    return 0;
}
