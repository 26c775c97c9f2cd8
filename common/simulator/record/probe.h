// SPDX-License-Identifier: MIT
// Recording of where lanes point, how branches split and which boxes are copied
// (device/counters.h). A program that is to be probed gets other handlers (ops/ops.h,
// sim_bind_probes), which call the ones that it had, look at what these counted, and note it here;
// a program that is not has nothing of all this.
#ifndef SIM_RECORD_PROBE_H
#define SIM_RECORD_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "device/counters.h"
#include "program/ir.h"

// What one worker saw of one instruction.
typedef struct sim_probe {
    uint64_t first_block, worst_block; // indices in the schedule, of the samples
    union {
        sim_access_map access; // of a memory instruction
        sim_branch_map branch; // of a branch
        sim_box_map box;       // of a bulk tensor copy
    };
} sim_probe;

// What one worker saw of one function: by pc, NULL where nothing was noted.
typedef struct sim_function_probes {
    sim_probe **by_pc; // [code_count]; NULL: nothing at all
} sim_function_probes;

// Of one launch: [worker][function]. Each worker touches its own row only.
typedef struct sim_probes {
    uint32_t worker_count, function_count; // of the executor; of the program
    sim_function_probes *rows;             // [worker_count * function_count]
    bool *failed; // [worker_count]: memory ran out, so sums are not complete
} sim_probes;

// NULL without memory.
sim_probes *sim_probes_new(uint32_t workers, uint32_t functions);
// program: the one that ran. NULL probes: nothing.
void sim_probes_free(sim_probes *probes, const sim_program *program);

// The probe of an instruction on a worker, made at its first use; NULL without memory.
sim_probe *sim_probe_at(sim_probes *probes, uint32_t worker, const sim_function *function,
                        uint32_t function_index, uint32_t pc);

// Whether an execution with `surplus` units beyond the least is one to keep; of others the sums are
// enough.
bool sim_probe_wants(const sim_probe *probe, uint64_t block, uint32_t surplus);
// Notes an execution that is not kept.
void sim_probe_note_sums(sim_probe *probe, uint32_t units, uint32_t least);
// Notes an execution: sums, and whether it is the one to keep. Of equally bad ones that of the
// earliest block in the schedule counts, and within a block the first.
void sim_probe_note_access(sim_probe *probe, uint64_t block, const sim_access_sample *sample);
// A split: `lanes` were active, `jumped` of them took the branch.
void sim_probe_note_split(sim_probe *probe, uint64_t block, const uint32_t block_id[3],
                          uint32_t warp, uint32_t lanes, uint32_t jumped);
// Notes a copy of this box; that of the earliest block is kept, within a block the first.
void sim_probe_note_box(sim_probe *probe, uint64_t block, const sim_box_map *box);
// Adds what another worker saw of the same instruction.
void sim_probe_merge_access(sim_probe *to, const sim_probe *from);
void sim_probe_merge_branch(sim_probe *to, const sim_probe *from);
void sim_probe_merge_box(sim_probe *to, const sim_probe *from);

#endif
