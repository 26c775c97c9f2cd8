// SPDX-License-Identifier: MIT
// The checker: what SIM_MODE_CHECK looks for beyond the faults that stop a kernel in every mode
// (device/checks.def; docs/simulator.md, section 8). It watches one engine's memory and launches,
// and keeps findings. Shadow state, all of it byte-precise or as fine as the kernel's narrowest
// access:
//   one bit a byte of device, shared and local memory: has it been written?
//   for each place the last write and two readers: who, when, at which instruction.
// "When" is a count of synchronisations; an access is ordered before another when synchronisation
// leads from one to the other (order/order.h), never because it happened to run first.
#ifndef SIM_CHECK_CHECKER_H
#define SIM_CHECK_CHECKER_H

#include "device/device.h"
#include "device/report.h"
#include "grids/grids.h"

// What a device's checks know of its memory and threads; opaque.
typedef struct sim_checker sim_checker;

// A checker for the memory of one device. SIM_OUT_OF_MEMORY. Free with sim_checker_free.
sim_status sim_checker_new(sim_memory *memory, sim_checker **out_checker, kl_error *err);
// Frees the checker, not the reports that it gave.
void sim_checker_free(sim_checker *checker);

// ---- memory -------------------------------------------------------------------------------------

// A new allocation: of the program, or of a module (whose variables have their values).
sim_status sim_checker_allocated(sim_checker *checker, uint64_t address, bool by_program,
                                 kl_error *err);
void sim_checker_written(sim_checker *checker, uint64_t address, uint64_t bytes);
void sim_checker_copied(sim_checker *checker, uint64_t destination, uint64_t source,
                        uint64_t bytes);
// The host has got these bytes.
void sim_checker_host_read(sim_checker *checker, const void *data, uint64_t bytes);
void sim_checker_bad_free(sim_checker *checker, uint64_t address, const char *text);

// ---- launches -----------------------------------------------------------------------------------

// How a kernel launched a grid. Launches of the host and all below one form a tree, whose grids are
// numbered as they run, from 0.
typedef struct sim_check_descent {
    uint32_t parent; // that launched it
    sim_child child; // as device code asked for it
} sim_check_descent;

// Sets grid->observer. `descent`: NULL for launches of the host. SIM_OUT_OF_MEMORY when there is no
// memory for shadow cells.
sim_status sim_checker_launch_begin(sim_checker *checker, sim_grid *grid,
                                    const sim_check_descent *descent, kl_error *err);
void sim_checker_launch_end(sim_checker *checker, const sim_grid_result *result,
                            double host_seconds);
// A launch that failed before it ran, and whose error nobody asked for.
void sim_checker_unchecked_launch(sim_checker *checker, const sim_program *program,
                                  const sim_function *function, const char *text);

// Something in host code. The same text counts as one finding.
void sim_checker_host_finding(sim_checker *checker, sim_check_class kind, const char *text);
// sim_check_unset of engine/engine.h.
uint64_t sim_checker_unset(const sim_checker *checker, uint64_t address, uint64_t bytes,
                           uint64_t pitch, uint64_t *out_first);
// Whether that is 0 for any part of the bytes.
bool sim_checker_is_set(const sim_checker *checker, uint64_t address, uint64_t bytes);

// How many findings in kernels of libraries have no place in the program yet; `text`: it, for all
// of them, or NULL.
uint32_t sim_checker_library_findings(sim_checker *checker, const char *text);

// ---- order of work -----------------------------------------------------------------------------
// Between streams: streams.c.

// text: never NULL.
void sim_checker_step(sim_checker *checker, sim_order_step step, sim_queue queue, sim_queue other,
                      const char *text);
// The copy or fill under way, if there is one, reads or writes these bytes.
void sim_checker_uses(sim_checker *checker, uint64_t address, uint64_t bytes, bool writes);
// What work that the host has not waited for uses of [address, address + bytes): the next run of
// pages alike, from its first byte on, which may lie before `address`. *out_bytes 0: there is none.
void sim_checker_in_progress(const sim_checker *checker, uint64_t address, uint64_t bytes,
                             uint64_t *out_first, uint64_t *out_bytes, uint32_t *out_use);
// The host reads or writes a byte, at the places in its code that `text` names as SIM_STEP_WORK has
// them.
void sim_checker_host_access(sim_checker *checker, uint64_t address, bool writes, const char *text);
// Around a launch of the host with all below it; SIM_HOST_QUEUE: it is no work of a stream.
void sim_checker_launch_submit(sim_checker *checker, sim_queue queue, const sim_program *program,
                               const sim_function *kernel);
void sim_checker_launch_done(sim_checker *checker, sim_queue queue);
// The program is about to go.
void sim_checker_unload(sim_checker *checker, const sim_program *program);

// ---- findings -----------------------------------------------------------------------------------

// How many there are so far, and one of them by its index; borrowed until the next event.
uint32_t sim_checker_count(const sim_checker *checker);
const sim_finding *sim_checker_finding(const sim_checker *checker, uint32_t index);
// What was found so far, as a copy. Free with sim_check_report_free. SIM_OUT_OF_MEMORY.
sim_status sim_checker_report(sim_checker *checker, sim_check_report **out_report, kl_error *err);

#endif
