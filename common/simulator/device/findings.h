// SPDX-License-Identifier: MIT
// What SIM_MODE_CHECK has to say of a program: findings as data. check/ makes them.
#ifndef SIM_DEVICE_FINDINGS_H
#define SIM_DEVICE_FINDINGS_H

#include "device/report.h"

// The rows of checks.def.
typedef enum sim_check_class {
#define SIM_CHECK(id, name, is_warning, meaning) SIM_CHECK_##id,
#include "device/checks.def"
#undef SIM_CHECK
    SIM_CHECK_COUNT
} sim_check_class;

// What an access does.
typedef enum sim_check_action {
    SIM_ACTION_NONE,
    SIM_ACTION_READ,
    SIM_ACTION_WRITE,
    SIM_ACTION_ATOMIC
} sim_check_action;

// What the instruction takes the numbers of a value to be.
typedef enum sim_value_kind { SIM_VALUE_UNKNOWN, SIM_VALUE_INTEGER, SIM_VALUE_REAL } sim_value_kind;

// One of the accesses that a finding is about.
typedef struct sim_check_side {
    sim_check_action action; // SIM_ACTION_NONE: there is no such side
    char file[256];          // "": unknown
    uint32_t line;           // from 1; 0: unknown
    sim_dim3 block, thread;  // indices of who did it, from 0
    uint32_t value_bytes;    // of value, 0: not known
    uint8_t value[16];       // what it read or wrote, as in memory
    uint8_t value_kind;      // sim_value_kind
    uint8_t element_bytes;   // of each of its numbers, by the instruction
    // Of a stream-race or host-race: which kernel does it (mangled), or which call of the host
    // ("cudaMemset"), or "host code".
    // Of a call `file` has its machine code's address and those of the calls around it,
    // "PROGRAM+0xADDRESS 0xADDRESS"; `ladder` makes them a file and a line.
    char kernel[256], call[64];
} sim_check_side;

// One finding: the first of its class at its line or pair of lines, and how often it was seen.
typedef struct sim_finding {
    sim_check_class kind; // what is wrong
    uint64_t count;       // how often it was seen, at least 1
    char kernel[256];     // mangled; "": not of a kernel
    uint32_t launch;      // index of the first launch
    uint64_t address;     // device address, or offset in shared or local memory
    char space[8];        // "global", "shared", "local" or ""
    uint32_t bytes;       // size of the access
    // What holds the address, where that is known: its number among the program's allocations (from
    // 1; 0: none) or the name of the variable.
    uint32_t allocation;
    uint32_t argument; // of the kernel, from 1: the only one that points there; 0: not known
    uint64_t allocation_bytes, allocation_offset;
    char variable[256];
    sim_check_side sides[2]; // the later access first; unused ones have SIM_ACTION_NONE
    char text[KL_ERROR_TEXT];
} sim_finding;

// By what threads of a launch waited for each other, or chose their way, so that another order of
// blocks and warps may show another fault.
typedef enum sim_dependence {
    SIM_DEPENDS_ON_FLAGS = 1,       // in memory, that others set while the kernel ran
    SIM_DEPENDS_ON_MANY = 2,        // likewise, of blocks that ran at the same time
    SIM_DEPENDS_ON_ACTIVE_LANES = 4 // __activemask()
} sim_dependence;

// Everything the checks have to say of a program so far. Freed by sim_check_report_free.
typedef struct sim_check_report {
    sim_finding *findings;                // in the order of their first occurrence, leaks last
    uint32_t count;                       // of `findings`
    uint64_t left_out;                    // findings beyond the cap on their number
    uint64_t launches, warp_instructions; // that were checked
    double host_seconds;                  // that checked launches took on the host
    bool times_exhausted;                 // a launch was too long to tell races in its later part
    uint32_t depends;                     // sim_dependence as bits
    uint64_t *host_reads;                 // digest of the bytes of each copy to the host, in order
    uint32_t host_read_count;             // of `host_reads`
} sim_check_report;

// Frees the report and what it points to; accepts NULL.
void sim_check_report_free(sim_check_report *report);

// The name in JSON and on the screen: "race". A constant.
const char *sim_check_name(sim_check_class kind);
// What such a finding means, as one phrase. A constant.
const char *sim_check_meaning(sim_check_class kind);
// True when a program with it may still be right, so that it costs no points.
bool sim_check_is_warning(sim_check_class kind);
// True when it is about a call of the host's, at sides[0], not about threads of a kernel.
bool sim_check_is_of_host(sim_check_class kind);

#endif
