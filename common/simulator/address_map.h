// SPDX-License-Identifier: MIT
// Where things live in the simulated 64-bit generic address space. A program sees these numbers; none of
// them is a host pointer, and the drop-in runtime keeps them unmapped so that host code faults on them.
#ifndef SIM_ADDRESS_MAP_H
#define SIM_ADDRESS_MAP_H

#include <stdint.h>

// Device memory (global and constant): allocations are carved from here, 512-byte aligned.
#define SIM_GLOBAL_BASE UINT64_C(0x200000000000)
#define SIM_GLOBAL_SPAN UINT64_C(0x010000000000) // 1 TiB of address space, not of memory
// Windows of the generic space: address = window + offset in the block's or thread's own memory.
#define SIM_SHARED_WINDOW UINT64_C(0x100000000000)
#define SIM_LOCAL_WINDOW  UINT64_C(0x110000000000)
#define SIM_PARAM_WINDOW  UINT64_C(0x120000000000)
#define SIM_WINDOW_BYTES  UINT64_C(0x1000000) // 16 MiB each

enum { SIM_ALLOCATION_ALIGN = 512 };

#endif
