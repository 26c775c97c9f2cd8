// SPDX-License-Identifier: MIT
// Where things live in the simulated 64-bit generic address space. A program sees these numbers.
// Host code can use those of managed and page-locked memory only, which the drop-in runtime maps at
// the same addresses in the program; it keeps the rest unmapped so that host code faults there.
#ifndef SIM_BASE_ADDRESS_MAP_H
#define SIM_BASE_ADDRESS_MAP_H

#include <stdint.h>

// Device memory (global and constant): allocations are carved from here, 512-byte aligned.
#define SIM_DUMP_BASE UINT64_C(0x200000000000) // in every build: dumps and golden files
#if defined(__SANITIZE_THREAD__) // which lets programs map only parts of the address space
#define SIM_GLOBAL_BASE UINT64_C(0x7E8000000000)
#define SIM_GLOBAL_SPAN UINT64_C(0x002000000000)
#else
#define SIM_GLOBAL_BASE SIM_DUMP_BASE
#define SIM_GLOBAL_SPAN UINT64_C(0x008000000000) // 512 GiB of address space, not of memory
#endif
// Windows of the generic space: address = window + offset in the block's or thread's own memory.
#define SIM_SHARED_WINDOW UINT64_C(0x100000000000)
#define SIM_LOCAL_WINDOW  UINT64_C(0x110000000000)
#define SIM_PARAM_WINDOW  UINT64_C(0x120000000000)
#define SIM_WINDOW_BYTES  UINT64_C(0x1000000) // 16 MiB each
// The shared memory of a whole cluster: a block finds its own from offset 0 on, and that of the
// block of rank r from (r + 1) * SIM_WINDOW_BYTES on (PTX ISA, "mapa").
enum { SIM_CLUSTER_BLOCKS = 16 }; // at most, of sm_90, where a kernel allows more than 8
#define SIM_CLUSTER_WINDOW_BYTES (SIM_WINDOW_BYTES * (SIM_CLUSTER_BLOCKS + 1))

enum { SIM_ALLOCATION_ALIGN = 512 };

#endif
