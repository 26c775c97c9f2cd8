// What an instruction says, and what every form of it needs: the opcode's words, operands with
// the names and values behind them, and the place where the decoded instruction goes.
#pragma once

#include "program/program.h"

// ---- state.c ------------------------------------------------------------------------------------
// The containers of the decoder.

enum { DECODE_NONE = 0xFFFFFFFFu };
enum { DECODE_MOST_SHARED = 48 << 10 }; // bytes of static shared memory of a kernel

// From interned pointers to numbers; zeroed is empty. Memory comes from the arena and is never
// returned.
typedef struct decode_map {
    const void **keys;
    uint32_t *values;
    uint32_t count, capacity;
} decode_map;

uint32_t decode_map_get(const decode_map *map, const void *key); // DECODE_NONE when absent
bool decode_map_put(sim_arena *arena, decode_map *map, const void *key, uint32_t value);

// Room for one more element of a growing array in an arena; NULL when memory is short.
void *decode_grow(sim_arena *arena, void *array, uint32_t count, uint32_t *capacity,
                  size_t element_bytes);
#define DECODE_PUSH(arena, array, count, capacity)                                                 \
    (((array) = decode_grow((arena), (array), (count), &(capacity), sizeof *(array)))              \
         ? &(array)[(count)++]                                                                     \
         : NULL)

// ---- state.c ------------------------------------------------------------------------------------
// State of one module and of one function while they are decoded. While a function is decoded,
// every slot field of its instructions holds a value number; decode/slots.c replaces them by frame
// offsets at the end. Nothing here outlives sim_decode.

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
    uint8_t type;   // ptx_type of a declared register, else NONE: it fits any of its width
    bool live_in;   // written by the caller (register parameters)
    bool is_shared; // CONSTANT: see sim_constant
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

typedef struct decode_range { // .reg .b32 %r<10>; .reg .v2 .b32 %v, whose components are elements
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
    bool keep_registers, refuses_functions, linked;
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
    bool has_vectors; // registers
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

// ---- Questions to it (state.c) ------------------------------------------------------------------
// BAD_PTX: the text is wrong.
// UNSUPPORTED: it may be right but the simulator does not have it.
sim_status decode_fail(const decode_module *module, ptx_place place, sim_status status,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));
sim_status decode_no_memory(const decode_module *module);

// The program function called `name`, aliases followed; DECODE_NONE when it has no body here.
uint32_t decode_find_function(const decode_module *module, const char *name);

// ---- instruction --------------------------------------------------------------------------------

// ---- Opcodes (opcode.c) -------------------------------------------------------------------------
// Classes of modifier words (opcode_classes.def); opcode_rules.def says which an opcode takes.
enum {
#define OPCODE_CLASS(name) CLASS_INDEX_##name,
#include "decode/instruction/opcode_classes.def"
#undef OPCODE_CLASS
    CLASS_COUNT
};
#define DECODE_CLASS(name) (UINT64_C(1) << CLASS_INDEX_##name)

typedef struct decode_opcode {
    const char *text; // "ld.global.f32"
    uint64_t classes; // of the modifiers it has
    sim_instr proto;  // op, types, mods and all that does not depend on operands
    uint8_t type_count;
    bool is_limited; // `limits` in opcode.c has a row for it
} decode_opcode;

// The decoded form of instruction->words, kept for the next instruction with the same words.
sim_status decode_find_opcode(decode_function *function, const ptx_instruction *instruction,
                              const decode_opcode **out_opcode);

// Operations without a rule read their own words. Every word but the first must be in `known`,
// words separated by spaces.
sim_status decode_check_words(const decode_function *function, const char *known);
bool decode_has_word(const decode_function *function, const char *word);
// All words of a list, in any order.
bool decode_has_words(const ptx_instruction *instruction, const char *list);
// Word number `index`, from 0, of those behind the opcode that are in `list`; "" when there are
// fewer.
const char *decode_word_among(const decode_function *function, const char *list, uint32_t index);

// ---- Names and values (names.c, values.c) -------------------------------------------------------
sim_status decode_declare(decode_function *function, const ptx_variable *variable);
sim_status decode_declare_params(decode_function *function);
sim_status decode_open_scope(decode_function *function);
sim_status decode_close_scope(decode_function *function, ptx_place place);
// Index into name_table or DECODE_NONE.
sim_status decode_lookup(decode_function *function, const char *name, uint32_t *out_name);
// How many components the vector register `name` has, 0: it is none.
uint32_t decode_vector_size(const decode_function *function, const char *name);
// A name that no text has, for an operand that means `value`.
sim_status decode_name_value(decode_function *function, uint32_t value, const char **out_name);
sim_status decode_add_label(decode_function *function, const ptx_statement *statement);
const decode_label *decode_find_label(const decode_function *function, const char *name,
                                      uint32_t scope);

sim_status decode_new_value(decode_function *function, decode_value value, uint32_t *out_value);
// Whether `a` stands before `b` in the text.
bool decode_is_before(ptx_place a, ptx_place b);

// A constant slot; `value` is cut to the width. Predicates: 0 or all lanes.
sim_status decode_constant(decode_function *function, decode_width width, uint64_t value,
                           uint32_t *out_value);
// The shared address of what lies `offset` bytes behind the beginning of the block's shared memory.
sim_status decode_shared_constant(decode_function *function, decode_width width, uint64_t offset,
                                  uint32_t *out_value);
// Where the scratch memory of cooperative groups starts: 288 bytes that the driver reserves in
// shared memory. They lie after the statics of the kernels that reach code which names this
// register, and count as statics.
#define DECODE_SCRATCH_REGISTER "%reserved_smem_offset_1"
// A slot of a launch-constant special register; *out_id >= SIM_SPECIAL_CLOCK: use SREG. Not a
// special register: *out_id = SIM_SPECIAL_COUNT and *out_value = DECODE_NONE, or a constant value.
sim_status decode_special(decode_function *function, const ptx_operand *operand,
                          uint32_t *out_value, uint32_t *out_id);
sim_status decode_local_base(decode_function *function, uint32_t *out_value);
decode_width decode_type_width(ptx_type type);

// ---- Operands (operand.c) -----------------------------------------------------------------------
// Operand `index` of the current instruction, which decode_check_count has made sure of.
const ptx_operand *decode_operand_at(const decode_function *function, uint32_t index);
// SIM_UNSUPPORTED for a form that the simulator does not have.
sim_status decode_unknown_form(const decode_function *function, const char *why);
sim_status decode_check_count(const decode_function *function, uint32_t least, uint32_t most);
// A value that is read: register, immediate, special register or address of a variable.
sim_status decode_read(decode_function *function, const ptx_operand *operand, ptx_type type,
                       uint32_t *out_value);
// The same where only a width is wanted (shift counts: WIDTH_32).
sim_status decode_read_width(decode_function *function, const ptx_operand *operand,
                             decode_width width, uint32_t *out_value);
sim_status decode_read_predicate(decode_function *function, const ptx_operand *operand,
                                 bool *out_negated, uint32_t *out_value);
// Whether the register that is `value` may stand where `type` is wanted (PTX ISA, section 9.4):
// of the same size, and bits, an integer for an integer or the same float.
sim_status decode_check_type(const decode_function *function, const ptx_operand *operand,
                             uint32_t value, ptx_type type);
sim_status decode_write_type(decode_function *function, const ptx_operand *operand, ptx_type type,
                             uint32_t *out_value);
// A register that is written. Where PTX allows `_` instead, ask decode_is_sink first.
bool decode_is_sink(const ptx_operand *operand);
sim_status decode_write(decode_function *function, const ptx_operand *operand, decode_width width,
                        uint32_t *out_value);
// `d|p` or `d`: the second goes to *out_second; SIM_NO_SLOT for what is absent or, in a pair, `_`.
sim_status decode_write_pair(decode_function *function, const ptx_operand *operand,
                             decode_width width, uint32_t *out_value, uint32_t *out_second);
// Registers or immediates where PTX lets the register be wider than the type (ld, st, cvt).
sim_status decode_relaxed(decode_function *function, const ptx_operand *operand, ptx_type type,
                          bool is_write, uint32_t *out_value, bool *out_is_64);
// Fills src[0], offset and what else an address decides; `bytes` is the size of the access.
sim_status decode_address(decode_function *function, const ptx_operand *operand, uint32_t bytes,
                          sim_instr *instr);
// The address that naming a variable, parameter or function means: *out_base + *out_offset,
// *out_base DECODE_NONE for a constant. *out_found false: the name is none of these.
typedef struct decode_place {
    bool found;
    uint32_t base; // value, DECODE_NONE for a constant address
    uint64_t offset;
    ptx_space space; // NONE: a function
    uint32_t symbol; // shared memory: index + 1
} decode_place;
sim_status decode_address_of(decode_function *function, const ptx_operand *operand,
                             decode_place *out_place);
// "'add.f32' " + message, at the operand.
sim_status decode_operand_fail(const decode_function *function, const ptx_operand *operand,
                               const char *format, ...) __attribute__((format(printf, 3, 4)));

// ---- Short forms of operands (expand.c) ---------------------------------------------------------
// Whether an operand is a short form: a whole vector register, %tid, `%r1+4`, `table[4]`.
bool decode_is_short(const decode_function *function, const ptx_instruction *instruction);
// The same instruction without them; what computes a sum is appended.
sim_status decode_expand(decode_function *function, const ptx_instruction *instruction,
                         ptx_instruction *out);

// ---- The decoded instruction (operand.c) --------------------------------------------------------
// Appends an instruction made from the current opcode, guard included.
sim_status decode_emit(decode_function *function, sim_instr **out_instr);
// Appends `count` entries to the function's lists; *out_first is the index of the first.
sim_status decode_list(decode_function *function, const uint32_t *entries, uint32_t count,
                       uint32_t *out_first);
