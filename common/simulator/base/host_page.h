// SPDX-License-Identifier: MIT
// Pages of this machine's memory.
#ifndef SIM_BASE_HOST_PAGE_H
#define SIM_BASE_HOST_PAGE_H

#include <stdint.h>
#include <unistd.h>

// Bytes of a page, a power of two: 4096 on x86-64; 4096, 16384 or 65536 on aarch64.
static inline uint64_t sim_host_page(void) {
    return (uint64_t)sysconf(_SC_PAGESIZE);
}

// `bytes` rounded up to whole pages.
static inline uint64_t sim_host_pages_up(uint64_t bytes) {
    return (bytes + sim_host_page() - 1) & ~(sim_host_page() - 1);
}

#endif
