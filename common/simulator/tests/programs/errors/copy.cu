// Copies and fills: direction, null, size, freed memory, pitches; device symbols.
#include "catalogue.h"

#include <cstring>

case_list copy_cases, symbol_cases;

static char host_bytes[8192], other_host[8192];

CASE(copy_cases, copy_sizes) {
    char *memory = device_bytes(4 << 20);
    char *end = memory + (4 << 20);
    say(cudaMemcpy(memory, host_bytes, 0, cudaMemcpyHostToDevice));
    say(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    say(cudaMemcpy(end - 4, host_bytes, 8192, cudaMemcpyHostToDevice));
    say(cudaMemcpy(host_bytes, end - 4, 8192, cudaMemcpyDeviceToHost));
    say(cudaMemcpy(end - 4, memory, 8192, cudaMemcpyDeviceToDevice));
    say(cudaMemcpy(memory, host_bytes, SIZE_MAX, cudaMemcpyHostToDevice));
    say(cudaFree(memory));
    say(cudaMemcpy(memory, host_bytes, 64, cudaMemcpyHostToDevice));
    say(cudaMemcpy(host_bytes, memory, 64, cudaMemcpyDeviceToHost));
}

CASE(copy_cases, copy_directions) {
    char *memory = device_bytes(64);
    say(cudaMemcpy(host_bytes, other_host, 64, cudaMemcpyHostToHost));
    say(cudaMemcpy(host_bytes, other_host, 64, cudaMemcpyHostToDevice));
    say(cudaMemcpy(host_bytes, other_host, 64, cudaMemcpyDeviceToHost));
    say(cudaMemcpy(host_bytes, other_host, 64, cudaMemcpyDeviceToDevice));
    say(cudaMemcpy(host_bytes, other_host, 64, cudaMemcpyDefault));
    say(cudaMemcpy(memory, host_bytes, 64, cudaMemcpyDeviceToHost));
    say(cudaMemcpy(memory, host_bytes, 64, cudaMemcpyDeviceToDevice));
    say(cudaMemcpy(memory, host_bytes, 64, cudaMemcpyHostToHost));
    say(cudaMemcpy(host_bytes, memory, 64, cudaMemcpyHostToDevice));
    say(cudaMemcpy(host_bytes, memory, 64, cudaMemcpyHostToHost));
    say(cudaMemcpy(memory, memory + 32, 32, cudaMemcpyHostToDevice));
    say(cudaMemcpy(memory, memory + 32, 32, cudaMemcpyDeviceToHost));
    say(cudaMemcpy(memory, memory + 32, 32, cudaMemcpyDefault));
    say(cudaMemcpy(memory, host_bytes, 64, (cudaMemcpyKind)17));
    say(cudaMemcpy(memory, host_bytes, 64, (cudaMemcpyKind)-1));
    say(cudaFree(memory));
}

CASE(copy_cases, copy_null) {
    char *memory = device_bytes(64);
    say(cudaMemcpy(nullptr, host_bytes, 64, cudaMemcpyHostToDevice));
    say(cudaMemcpy(memory, nullptr, 64, cudaMemcpyHostToDevice));
    say(cudaMemcpy(host_bytes, nullptr, 64, cudaMemcpyDeviceToHost));
    say(cudaMemcpy(nullptr, memory, 64, cudaMemcpyDeviceToHost));
    say(cudaMemcpy(nullptr, memory, 64, cudaMemcpyDeviceToDevice));
    say(cudaMemcpyAsync(nullptr, host_bytes, 64, cudaMemcpyHostToDevice, 0));
    say(cudaFree(memory));
}

CASE(copy_cases, copy_between_devices) {
    char *memory = device_bytes(64);
    say(cudaMemcpyPeer(memory, 0, memory + 32, 0, 32));
    say(cudaMemcpyPeer(memory, 0, memory + 32, 99, 32));
    say(cudaMemcpyPeer(memory, 0, host_bytes, 0, 32));
    say(cudaFree(memory));
}

CASE(copy_cases, copy_rows) {
    char *memory = device_bytes(4096);
    const cudaMemcpyKind up = cudaMemcpyHostToDevice;
    say(cudaMemcpy2D(memory, 64, host_bytes, 32, 64, 4, up));
    say(cudaMemcpy2D(memory, 32, host_bytes, 64, 64, 4, up));
    say(cudaMemcpy2D(memory, 64, host_bytes, 64, 64, 4, up));
    say(cudaMemcpy2D(memory, 64, host_bytes, 64, 0, 4, up));
    say(cudaMemcpy2D(memory, 64, host_bytes, 64, 64, 0, up));
    say(cudaMemcpy2D(memory, 0, host_bytes, 64, 64, 1, up));
    say(cudaMemcpy2D(nullptr, 64, host_bytes, 64, 64, 4, up));
    say(cudaMemcpy2D(memory, 64, host_bytes, 64, 64, 4, (cudaMemcpyKind)9));
    say(cudaMemcpy2D(memory, (size_t)1 << 33, host_bytes, 64, 64, 2, up));
    say(cudaFree(memory));
}

CASE(copy_cases, copy_boxes) {
    char *memory = device_bytes(4096);
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    say(cudaMemcpy3D(&p));
    say(cudaMemcpy3D(nullptr));
    p.extent = make_cudaExtent(16, 4, 2);
    p.kind = cudaMemcpyHostToDevice;
    say(cudaMemcpy3D(&p));
    p.srcPtr = make_cudaPitchedPtr(host_bytes, 16, 16, 4);
    say(cudaMemcpy3D(&p));
    p.dstPtr = make_cudaPitchedPtr(memory, 8, 8, 4);
    say(cudaMemcpy3D(&p));
    p.dstPtr = make_cudaPitchedPtr(memory, 16, 16, 4);
    say(cudaMemcpy3D(&p));
    p.kind = (cudaMemcpyKind)8;
    say(cudaMemcpy3D(&p));
    say(cudaFree(memory));
}

CASE(copy_cases, fills) {
    char *memory = device_bytes(4 << 20);
    say(cudaMemset(memory, 0, 0));
    say(cudaMemset(nullptr, 0, 0));
    say(cudaMemset(nullptr, 0, 16));
    say(cudaMemset(host_bytes, 0, 16));
    say(cudaMemset(memory + (4 << 20) - 8, 0, 8192));
    say(cudaMemset(memory, 300, 16));
    say(cudaMemset2D(memory, 16, 0, 32, 4));
    say(cudaMemset2D(memory, 32, 0, 32, 4));
    say(cudaMemset2D(memory, 32, 0, 0, 4));
    say(cudaMemset2D(nullptr, 32, 0, 32, 4));
    say(cudaMemset3D(make_cudaPitchedPtr(memory, 16, 16, 2), 0, make_cudaExtent(32, 2, 2)));
    say(cudaMemset3D(make_cudaPitchedPtr(nullptr, 16, 16, 2), 0, make_cudaExtent(16, 2, 2)));
    say(cudaFree(memory));
    say(cudaMemset(memory, 0, 16));
}

// ---- symbols ------------------------------------------------------------------------------------

__device__ int number[4];
__constant__ float table[8];
__managed__ int shared_by_all[3];
static int ordinary[4];

CASE(symbol_cases, symbol_copies) {
    int words[16] = {};
    say(cudaMemcpyToSymbol(number, words, 16));
    say(cudaMemcpyToSymbol(number, words, 17));
    say(cudaMemcpyToSymbol(number, words, 16, 4));
    say(cudaMemcpyToSymbol(number, words, 4, 100));
    say(cudaMemcpyToSymbol(number, words, 0, 0));
    say(cudaMemcpyToSymbol(table, words, 33));
    say(cudaMemcpyToSymbol(number, nullptr, 4));
    say(cudaMemcpyToSymbol(number, words, 4, 0, cudaMemcpyDeviceToHost));
    say(cudaMemcpyToSymbol(number, words, 4, 0, cudaMemcpyHostToHost));
    say(cudaMemcpyToSymbol(number, words, 4, 0, (cudaMemcpyKind)9));
    say(cudaMemcpyFromSymbol(words, number, 20));
    say(cudaMemcpyFromSymbol(words, number, 4, 0, cudaMemcpyHostToDevice));
    say(cudaMemcpyFromSymbol((void *)nullptr, number, 4));
    say(cudaMemcpyToSymbol(shared_by_all, words, 12));
}

ALONE(symbol_cases, symbols_that_are_none) {
    int words[4] = {};
    void *address = nullptr;
    size_t bytes = 0;
    say(cudaMemcpyToSymbol(ordinary, words, 4));
    say(cudaMemcpyFromSymbol(words, ordinary, 4));
    say(cudaGetSymbolAddress(&address, ordinary));
    say(cudaGetSymbolSize(&bytes, ordinary));
    say(cudaGetSymbolAddress(&address, (const void *)nullptr));
    say(cudaMemcpyToSymbol((const void *)nullptr, words, 4));
    say(cudaMemcpyToSymbol((const void *)"number", words, 4));
}

ALONE(symbol_cases, symbol_questions) {
    void *address = nullptr;
    size_t bytes = 0;
    say(cudaGetSymbolAddress(&address, table));
    say(cudaGetSymbolSize(&bytes, table), bytes);
    say(cudaGetSymbolSize(&bytes, shared_by_all), bytes);
}
