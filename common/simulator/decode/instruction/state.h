// SPDX-License-Identifier: MIT
// State of one module and of one function while they are decoded. While a function is decoded,
// every slot field of its instructions holds a value number; decode/slots.c replaces them by frame
// offsets at the end. Nothing here outlives sim_decode.
#ifndef SIM_DECODE_INSTRUCTION_STATE_H
#define SIM_DECODE_INSTRUCTION_STATE_H

#include "decode/instruction/map.h"
#include "program/cfg.h"
#include "program/ir.h"

// ---- Values: everything that gets a slot --------------------------------------------------------
typedef enum decode_width { WIDTH_PRED, WIDTH_32, WIDTH_64, WIDTH_128, WIDTH_COUNT } decode_width;

typedef enum decode_value_kind {
    VALUE_REGISTER, // may share its slot
    VALUE_CONSTANT,
    VALUE_SPECIAL,
    VALUE_FRAME, // a .param variable: its slot is 32 x bytes
    VALUE_LOCAL_BASE
} decode_value_kind;

typedef struct decode_value {
    uint8_t kind, width;
    uint8_t special;
    bool live_in;   // written by the caller (register parameters)
    uint32_t bytes; // FRAME
    uint64_t constant;
    uint32_t slot; // result of decode_assign_slots
} decode_value;

// ---- Names inside a function --------------------------------------------------------------------
typedef enum decode_name_kind {
    NAME_REGISTER,    // value
    NAME_SYMBOL,      // value: index of a program symbol (function-scope .shared)
    NAME_LOCAL,       // offset in the function's local memory
    NAME_ENTRY_PARAM, // offset in the parameter block
    NAME_FRAME_PARAM  // value: a VALUE_FRAME
} decode_name_kind;

typedef struct decode_name {
    decode_name_kind kind;
    const char *name;
    uint32_t value, depth, generation; // generation 0: declared by name; else cached from a range
    uint64_t offset;
    const ptx_variable *variable;
    uint32_t previous; // what the name meant before, restored when the scope ends
} decode_name;

typedef struct decode_range { // .reg .b32 %r<10>
    const ptx_variable *variable;
    size_t prefix_bytes;
    uint32_t depth;
    uint32_t *values; // number + 1, 0: not met yet
} decode_range;

typedef struct decode_label { // label, .branchtargets or .callprototype
    const ptx_statement *statement;
    uint32_t scope, pc, next;
} decode_label;

typedef struct decode_scope {
    uint32_t parent, first_name, first_range;
} decode_scope;

typedef struct decode_fixup { // BRA or BRX whose labels are still names
    uint32_t pc, scope;
    const ptx_operand *label;
} decode_fixup;

// ---- One module ---------------------------------------------------------------------------------
typedef struct decode_usage {                         // of one function with a body
    uint32_t *callees, callee_count, callee_capacity; // indices into program->functions
    uint32_t *shared, shared_count, shared_capacity;  // program symbols
    bool calls_indirectly, orders_blocks, has_barrier, uses_scratch;
    uint32_t stamp; // last search that met it
} decode_usage;

typedef struct decode_module {
    sim_program *program;
    const ptx_module *syntax;
    const char *text;
    size_t text_bytes;
    kl_error *err;
    sim_arena *arena;   // the program's
    sim_arena *scratch; // dies with the decoder
    bool keep_registers, refuses_functions;
    decode_map symbols;         // name -> program symbol
    decode_map functions;       // name -> program function
    decode_map bodiless;        // name -> index into syntax->functions
    decode_map aliases;         // name -> index into syntax->aliases
    decode_map opcodes;         // words -> index into opcode table
    decode_map function_shared; // ptx_variable of a function-scope .shared -> program symbol
    struct decode_opcode *opcode_table;
    uint32_t opcode_count, opcode_capacity;
    uint32_t symbol_capacity;
    bool *symbol_unresolved;     // by symbol: extern and defined nowhere
    const ptx_function **bodies; // syntax of program->functions[i]
    decode_usage *usage;
    bool *address_taken;                  // by function
    uint32_t scratch_offset;              // see DECODE_SCRATCH_REGISTER
    uint32_t search_stamp, *search_queue; // decode_for_reachable
    decode_map file_map; // .file index (see decode/source_lines.c) -> program->files
} decode_module;

// ---- One function -------------------------------------------------------------------------------
typedef struct decode_function {
    decode_module *module;
    sim_function *out;
    const ptx_function *syntax;
    uint32_t index;
    sim_arena *scratch;
    sim_instr *code;
    uint32_t code_count, code_capacity;
    decode_value *values;
    uint32_t value_count, value_capacity;
    uint32_t *constant_table; // open addressing over VALUE_CONSTANT, number + 1
    uint32_t constant_count, constant_capacity;
    uint32_t *slots; // lists of value numbers, and branch targets
    uint32_t slot_count, slot_capacity;
    sim_location *locations;
    uint32_t location_count, location_capacity, location;
    decode_map location_map; // by file and line, see decode/source_lines.c
    decode_map names;
    decode_name *name_table;
    uint32_t name_count, name_capacity;
    decode_range *ranges;
    uint32_t range_count, range_capacity, inner_ranges, generation;
    decode_scope *scopes;
    uint32_t scope_count, scope_capacity, scope, depth;
    decode_map labels;
    decode_label *label_table;
    uint32_t label_count, label_capacity;
    decode_fixup *fixups;
    uint32_t fixup_count, fixup_capacity;
    uint32_t specials[SIM_SPECIAL_COUNT]; // value, DECODE_NONE
    uint32_t local_base;                  // value, DECODE_NONE
    uint32_t *free_frames; // .param scratch of closed scopes, reused by the same size
    uint32_t free_frame_count, free_frame_capacity;
    sim_cfg cfg;                        // once all code is there
    const ptx_instruction *instruction; // the one being decoded
    const struct decode_opcode *opcode;
} decode_function;

// ---- Questions to it (state.c)
// ------------------------------------------------------------------- BAD_PTX: the text is wrong.
// UNSUPPORTED: it may be right but the simulator does not have it.
sim_status decode_fail(const decode_module *module, ptx_place place, sim_status status,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
sim_status decode_no_memory(const decode_module *module);

// The program function called `name`, aliases followed; DECODE_NONE when it has no body here.
uint32_t decode_find_function(const decode_module *module, const char *name);

#endif
