// The decoder's stages, in the order in which module.c and function.c run them. Private to
// the decoder.
#pragma once

#include "decode/decode.h"
#include "decode/instruction/instruction.h"

// ---- stages -------------------------------------------------------------------------------------

// ---- Of a module --------------------------------------------------------------------------------
sim_status decode_add_symbols(decode_module *module, sim_place_fn place,
                              void *context); // symbols.c
sim_status decode_add_function_shared(decode_module *module, const ptx_function *function);
sim_status decode_scan_usage(decode_module *module);    // usage.c: call graph, shared variables
sim_status decode_layout_shared(decode_module *module); // shared.c
// orders_blocks and has_barrier over the call graph, from what decode_body noted in usage.
sim_status decode_propagate_properties(decode_module *module);
// Calls `visit` for every function reachable from `root`, itself included.
sim_status decode_for_reachable(decode_module *module, uint32_t root,
                                void (*visit)(decode_module *module, uint32_t function,
                                              void *context),
                                void *context);
sim_status decode_body(decode_module *module, uint32_t index); // function.c
sim_status decode_collect_files(decode_module *module);        // source_lines.c
// The location of code after `location`, as an index into the function's table.
sim_status decode_location(decode_function *function, const ptx_location *location,
                           uint32_t *out_index);

// ---- Of a function ------------------------------------------------------------------------------

// Sums that take in a product, as ptxas makes them (contract.c).
sim_status decode_contract_products(decode_function *function);

// The variable of shared memory that each address is formed from (variables.c).
sim_status decode_find_variables(decode_function *function);

// Stores whose address depends on data (scatter.c).
sim_status decode_find_scatter(decode_function *function);

// What depends on results that a card may give otherwise (misled.c).
sim_status decode_find_misled(decode_function *function);

// Loops whose index has fewer bits than their bound (narrow.c).
sim_status decode_find_narrow(decode_function *function);

// Slots (slots.c): from value numbers to frame offsets.
sim_status decode_assign_slots(decode_function *function);
// source_lines.c: after that, what names of the outermost scope mean.
sim_status decode_list_names(decode_function *function);
static inline void decode_for_slots(const decode_function *function, sim_instr *instr,
                                    sim_slot_visit visit, void *context) {
    sim_visit_slots(function->slots, instr, visit, context);
}

// ---- liveness.c ---------------------------------------------------------------------------------
// Live intervals of a function's registers, and loads of which the value is used on some paths
// only; private to the decoder. Liveness is that of one thread:
// each lane's own control flow is a path through the graph, so lanes that diverge are covered.

// Instruction pc reads at 2 * pc and writes at 2 * pc + 1. From the first position where the
// register may hold a value that is wanted to the last, both included; first > last: never used.
typedef struct decode_interval {
    uint32_t first, last;
    bool unset; // it may be read before it is written: also of a .param variable
} decode_interval;

// Sets sim_instr.dropped. Registers are value numbers still.
sim_status decode_find_dropped(decode_function *function);
// Once registers have their slots in a frame of so many bytes: marks the instructions
// (sim_instr.touches) that a warp is followed through which holds what such a load brought, or
// what nobody has written. intervals: [value_count], of decode_live_intervals.
sim_status decode_mark_touching(decode_function *function, const decode_interval *intervals,
                                uint64_t frame_bytes);

// out_intervals: [value_count]; of what is neither register nor .param variable nothing is filled.
sim_status decode_live_intervals(decode_function *function, decode_interval *out_intervals);

// ---- addresses.c --------------------------------------------------------------------------------
// Which memory operations of a block use the same address register, and which ones have addresses
// of the same shape. Private to the decoder.

// Sets `base` and `shape` of all instructions with an address. intervals: [value_count], of
// decode_live_intervals.
sim_status decode_number_addresses(decode_function *function, const decode_interval *intervals);
