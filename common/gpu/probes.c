// Loads the kernels of probes.cu when the first of them is asked for: see probes.h.
#include "probes.h"
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// The function of this name in LADDER_PROBES, as `out`, a pointer to a function. False: said why.
static int find(const char *name, void *out) {
    static void *library;
    if (!library) library = dlopen(LADDER_PROBES, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, name) : NULL;
    if (!symbol)
        fprintf(stderr,
                "kernels that measure a card were not built: %s\n"
                "run the lab by ./ladder on the machine with the card, which builds them\n",
                dlerror());
    memcpy(out, &symbol, sizeof symbol); // POSIX lets a data pointer be one of a function
    return symbol ? 1 : 0;
}

#define PROBE(name, parameters, ...)                                                               \
    int name parameters {                                                                          \
        static int(*probe) parameters;                                                             \
        if (!probe && !find(#name, &probe)) return cudaErrorSharedObjectSymbolNotFound;            \
        return probe(__VA_ARGS__);                                                                 \
    }
PROBE(kl_probe_read, (const void *d_x, uint64_t bytes, int blocks, float *d_sink), d_x, bytes,
      blocks, d_sink)
PROBE(kl_probe_copy, (const void *d_from, void *d_to, uint64_t bytes, int blocks), d_from, d_to,
      bytes, blocks)
PROBE(kl_probe_fma, (int blocks, float *d_sink), blocks, d_sink)
PROBE(kl_probe_tensor, (int blocks, float *d_sink), blocks, d_sink)
PROBE(kl_probe_delay, (uint64_t cycles), cycles)
PROBE(kl_probe_launch, (int count), count)
