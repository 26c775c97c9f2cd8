// SPDX-License-Identifier: MIT
// The checker's side of the order of work, shared by streams.c (what the program does, findings)
// and gather.c (what its kernels used). While the default stream is the only one nothing is
// gathered: a few launches are remembered, whose accesses the shadow cells still hold when another
// one appears.
#ifndef SIM_CHECK_STREAMS_H
#define SIM_CHECK_STREAMS_H

#include "check/internal.h"
#include "check/order/uses.h"

enum { CHECK_LATE_LAUNCHES = 64, CHECK_PAGE_SHIFT = 12 };

// A launch whose accesses are in the shadow cells only.
typedef struct check_late {
    uint32_t begin; // time
    check_moment moment;
    const sim_program *program;
    const sim_function *kernel;
    uint32_t call; // as check_use has it
} check_late;

typedef struct check_clash_pair { // a finding by its places
    uint32_t later, earlier, finding;
} check_clash_pair;

typedef struct check_streams {
    check_works *works;
    check_uses *uses;
    bool many; // there has been more than the default stream
    check_late late[CHECK_LATE_LAUNCHES];
    uint32_t late_count;
    check_late now;       // the launch under way
    uint32_t before;      // launch_begin when it was submitted
    check_moment copying; // the piece of work that copies and fills are of; number 0: none
    uint32_t copying_place;
    char last_call[512]; // text of the last piece of work, and its place
    uint32_t last_place;
    uint32_t launching; // check_late.call of the next launch
    uint8_t *touched;   // [touched_pages], whether a kernel accessed a page since it was gathered
    uint64_t touched_pages;
    uint32_t *list; // those pages
    uint32_t list_count, list_capacity;
    check_clash_pair *pairs;
    uint32_t pair_count, pair_capacity;
} check_streams;

// gather.c: notes what the launches of `late` used, the pages of which are forgotten then.
void check_gather(sim_checker *checker);
// Room for flags of as many bytes of device memory; false: no memory.
bool check_touched_reserve(check_streams *streams, uint64_t bytes);
// streams.c: tells what has been noted and clashes.
void check_streams_tell(sim_checker *checker);

#endif
