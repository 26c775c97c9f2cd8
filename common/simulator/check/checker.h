// The checker: it finds what SIM_MODE_CHECK reports beyond the faults that stop a kernel in every
// mode (device/checks.def; docs/simulator.md, section 8). It watches the memory and the launches of
// one engine and stores findings. Its shadow state is exact to the byte, or to the kernel's
// narrowest access:
//   one bit per byte of device, shared and local memory: whether it has been written;
//   per cell the last write and two reads: thread, time and instruction of each.
// A time is a count of synchronisations. One access is ordered before another when synchronisation
// leads from the first to the second (order/order.h), not because it ran first.
#pragma once

#include "grids/grids.h"

// The state of the checks of one device; opaque.
typedef struct sim_checker sim_checker;

// A checker for the memory of one device. most_elements: as in sim_options. SIM_OUT_OF_MEMORY. Free
// with sim_checker_free.
sim_status sim_checker_new(sim_memory *memory, uint64_t most_elements, sim_checker **out_checker,
                           kl_error *err);
// Frees the checker; its reports stay valid.
void sim_checker_free(sim_checker *checker);

// ---- memory -------------------------------------------------------------------------------------

// A new allocation, by the program or for a module (whose variables are initialised).
sim_status sim_checker_allocated(sim_checker *checker, uint64_t address, bool by_program,
                                 kl_error *err);
void sim_checker_written(sim_checker *checker, uint64_t address, uint64_t bytes);
void sim_checker_copied(sim_checker *checker, uint64_t destination, uint64_t source,
                        uint64_t bytes);
// The host has read these bytes.
void sim_checker_host_read(sim_checker *checker, const void *data, uint64_t bytes);
void sim_checker_bad_free(sim_checker *checker, uint64_t address, const char *text);

// ---- launches -----------------------------------------------------------------------------------

// How a kernel launched a grid. A launch by the host and all launches below it form a tree, whose
// grids are numbered from 0 in the order in which they run.
typedef struct sim_check_descent {
    uint32_t parent; // number of the grid that launched it
    sim_child child; // the launch in device code
} sim_check_descent;

// Sets grid->observer. `descent`: NULL for launches by the host. SIM_OUT_OF_MEMORY: no memory for
// shadow cells.
sim_status sim_checker_launch_begin(sim_checker *checker, sim_grid *grid,
                                    const sim_check_descent *descent, kl_error *err);
void sim_checker_launch_end(sim_checker *checker, const sim_grid_result *result,
                            double host_seconds);
// A launch that is set aside while others run, and goes on: what is known of it meanwhile. Between
// them it is a piece of work of its stream of its own. parked: NULL at first. NULL: no host memory.
typedef struct check_parked check_parked;
check_parked *sim_checker_launch_park(sim_checker *checker, check_parked *parked, sim_queue queue);
void sim_checker_launch_take_up(sim_checker *checker, check_parked *parked, sim_queue queue);
// It has gone on, and ended. Accepts NULL.
void sim_checker_parked_free(sim_checker *checker, check_parked *parked);
// A launch failed before it ran, and the program did not read its error.
void sim_checker_unchecked_launch(sim_checker *checker, const sim_program *program,
                                  const sim_function *function, const char *text);

// A finding in host code. Equal texts are one finding.
void sim_checker_host_finding(sim_checker *checker, sim_check_class kind, const char *text);
// See sim_check_unset of engine/engine.h.
uint64_t sim_checker_unset(const sim_checker *checker, uint64_t address, uint64_t bytes,
                           uint64_t pitch, uint64_t *out_first);
// Whether it is 0 for any part of the bytes.
bool sim_checker_is_set(const sim_checker *checker, uint64_t address, uint64_t bytes);

// The number of findings in kernels of libraries that name no line of the program yet. `text`: the
// line for all of them, or NULL.
uint32_t sim_checker_library_findings(sim_checker *checker, const char *text);

// ---- order of work -----------------------------------------------------------------------------
// Between streams: streams.c.

// text: never NULL.
void sim_checker_step(sim_checker *checker, sim_order_step step, sim_queue queue, sim_queue other,
                      const char *text);
// The present copy or fill, if there is one, reads or writes these bytes.
void sim_checker_uses(sim_checker *checker, uint64_t address, uint64_t bytes, bool writes);
// The bytes of [address, address + bytes) that work uses for which the host has not waited: the
// next run of pages with equal use, from its first byte, which may be before `address`. *out_bytes
// 0: there is none.
void sim_checker_in_progress(const sim_checker *checker, uint64_t address, uint64_t bytes,
                             uint64_t *out_first, uint64_t *out_bytes, uint32_t *out_use);
// The host reads or writes a byte. `text` names the lines of its code as for SIM_STEP_WORK.
void sim_checker_host_access(sim_checker *checker, uint64_t address, bool writes, const char *text);
// Called before and after a launch by the host with all launches below it. SIM_HOST_QUEUE: it
// belongs to no stream.
void sim_checker_launch_submit(sim_checker *checker, sim_queue queue, const sim_program *program,
                               const sim_function *kernel);
void sim_checker_launch_done(sim_checker *checker, sim_queue queue);
// The program is about to be unloaded.
void sim_checker_unload(sim_checker *checker, const sim_program *program);

// ---- findings -----------------------------------------------------------------------------------

// The number of findings so far, and one of them by its index; borrowed until the next event.
uint32_t sim_checker_count(const sim_checker *checker);
const sim_finding *sim_checker_finding(const sim_checker *checker, uint32_t index);
// A copy of all findings so far. Free with sim_check_report_free. SIM_OUT_OF_MEMORY.
sim_status sim_checker_report(sim_checker *checker, sim_check_report **out_report, kl_error *err);
