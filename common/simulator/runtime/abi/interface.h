// In which version of the CUDA runtime's interface the program speaks: the drop-ins for the
// versions are made of the same objects, but for interface.c and api/versions.c, which are compiled
// for each with its RUNTIME_MAJOR (11, 12 or 13).
#pragma once

typedef struct runtime_interface_facts {
    int version; // as cudaRuntimeGetVersion says it: 11080, 12040, 13000
    struct {
#define RUNTIME_LAYOUT(since, keyword, name, field, at, in_11, in_12, in_13) unsigned short name;
#include "runtime/abi/layouts.def"
#undef RUNTIME_LAYOUT
    } bytes; // of the program's structures
} runtime_interface_facts;

extern const runtime_interface_facts runtime_interface;

// Copies a structure to or from the program, as much of it as the program has.
#define RUNTIME_STRUCT_COPY(name, to, from) memcpy((to), (from), runtime_interface.bytes.name)
