// SPDX-License-Identifier: MIT
// What an instruction says, and what every form of it needs: the opcode's words, operands with
// the names and values behind them, and the place where the decoded instruction goes.
#ifndef SIM_DECODE_INSTRUCTION_INSTRUCTION_H
#define SIM_DECODE_INSTRUCTION_INSTRUCTION_H

#include "decode/instruction/state.h"

// ---- Opcodes (opcode.c) ------------------------------------------------------------------
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
} decode_opcode;

// The decoded form of instruction->words, kept for the next instruction with the same words.
sim_status decode_find_opcode(decode_function *function, const ptx_instruction *instruction,
                              const decode_opcode **out_opcode);

// Operations without a rule read their own words. Every word but the first must be in `known`,
// words separated by spaces.
sim_status decode_check_words(const decode_function *function, const char *known);
bool decode_has_word(const decode_function *function, const char *word);

// ---- Names and values (names.c, values.c) -----------------------------------------
sim_status decode_declare(decode_function *function, const ptx_variable *variable);
sim_status decode_declare_params(decode_function *function);
sim_status decode_open_scope(decode_function *function);
sim_status decode_close_scope(decode_function *function, ptx_place place);
// Index into name_table or DECODE_NONE.
sim_status decode_lookup(decode_function *function, const char *name, uint32_t *out_name);
sim_status decode_add_label(decode_function *function, const ptx_statement *statement);
const decode_label *decode_find_label(const decode_function *function, const char *name,
                                      uint32_t scope);

sim_status decode_new_value(decode_function *function, decode_value value, uint32_t *out_value);
// A constant slot; `value` is cut to the width. Predicates: 0 or all lanes.
sim_status decode_constant(decode_function *function, decode_width width, uint64_t value,
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

// ---- Operands (operand.c) ----------------------------------------------------------------
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

// ---- The decoded instruction (emit.c) -----------------------------------------------------------
// Appends an instruction made from the current opcode, guard included.
sim_status decode_emit(decode_function *function, sim_instr **out_instr);
// Appends `count` entries to the function's lists; *out_first is the index of the first.
sim_status decode_list(decode_function *function, const uint32_t *entries, uint32_t count,
                       uint32_t *out_first);

#endif
