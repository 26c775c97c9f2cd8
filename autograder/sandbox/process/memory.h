// SPDX-License-Identifier: MIT
// The memory that all descendants of this process hold together: proc(5). Where no control group
// keeps the limit of a submission, the judge adds up what its processes use: compiler, runner, and
// the engine, in which the memory of the device lies.
#ifndef LADDER_PROCESS_MEMORY_H
#define LADDER_PROCESS_MEMORY_H

#include <stdint.h>

// Bytes of their own memory and of what they share; none that are read from files. Pages that
// several of them hold count once for each, which is quick to say and never too little.
uint64_t ladder_memory_of_descendants(void);
// The same, where each page counts once; takes the kernel some milliseconds per GiB. Where it may
// not be asked, as above.
uint64_t ladder_memory_of_descendants_exactly(void);

// Memory that this machine has for this process and all that it starts: its own, or the limit of a
// control group where that is less (a container, a job of a cluster). 0: not known.
uint64_t ladder_memory_of_machine(void);

// How long to wait, in seconds, before the next look: memory that is `left` is not filled sooner.
double ladder_memory_look_s(uint64_t left);

#endif
