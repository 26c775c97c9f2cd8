// SPDX-License-Identifier: MIT
// What the debug information of a module says, free of its encoding: types, functions with their
// blocks, variables with their places. Made by dwarf.c; everything lies in one arena. Addresses of
// code are lines of the PTX. Links between types may form circles (a list's node), of any kind when
// the information is damaged: who follows them counts.
#ifndef SIM_DEBUG_VARIABLES_MODEL_H
#define SIM_DEBUG_VARIABLES_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "debug/variables/variables.h"

enum { VAR_MAX_DEPTH = 64 }; // of types, blocks, expressions: deeper ones are refused

typedef enum var_kind {
    VAR_VOID,
    VAR_BOOL,
    VAR_CHAR, // signed or not, of one byte
    VAR_INT,
    VAR_FLOAT, // CUDA's __half and __nv_bfloat16 too, which are structs to the compiler
    VAR_ENUM,
    VAR_POINTER,
    VAR_REFERENCE,
    VAR_ARRAY,
    VAR_STRUCT,
    VAR_UNION,
    VAR_FUNCTION,
    VAR_ALIAS // typedef, const, volatile: `of` under another name
} var_kind;

typedef struct var_type var_type;

typedef struct var_member {
    const char *name; // NULL: an unnamed union or struct
    const var_type *type;
    uint64_t offset;           // in bytes
    uint32_t bit_offset, bits; // of a bit field, from the lowest bit at `offset`; bits 0: none
    bool is_base;              // a base class
} var_member;

typedef struct var_enumerator {
    const char *name;
    int64_t value;
} var_enumerator;

struct var_type {
    var_kind kind;
    const char *name; // NULL: made of others, or without one
    uint64_t bytes;   // of a value; 0: unknown. Arrays: see var_type_bytes
    bool is_unsigned;
    bool is_const;      // an ALIAS that adds it
    bool is_brain;      // a FLOAT of two bytes: bfloat16, not half
    const var_type *of; // POINTER, REFERENCE, ARRAY, ALIAS, FUNCTION's result; NULL: void
    ptx_space space;    // POINTER, REFERENCE: of what it points to; NONE: generic
    uint64_t count;     // ARRAY; 0: unknown
    const var_member *members;
    uint32_t member_count;
    const var_enumerator *enumerators;
    uint32_t enumerator_count;
};

typedef enum var_base {
    VAR_BASE_NONE,
    VAR_BASE_REGISTER,
    VAR_BASE_SYMBOL,
    VAR_BASE_ADDRESS
} var_base;

// Where a variable lies: in a register; or in memory at what a register, a symbol or a number says,
// plus `offset`.
typedef struct var_place {
    var_base base;  // NONE: nowhere, or in a way that is not understood
    bool in_memory; // with a register: it holds the address
    const char *name;
    int64_t offset;
} var_place;

typedef struct var_range { // of PTX lines, in which a variable has this place
    uint64_t from, to;
    var_place place;
} var_range;

typedef struct var_variable {
    const char *name;
    const var_type *type;
    sim_variable_kind kind;
    ptx_space space;      // of its memory, by its address class
    uint32_t line, order; // of its declaration; among those of its scope
    const var_range *ranges;
    uint32_t range_count;
    bool has_constant; // it has a value and no place
    int64_t constant;
} var_variable;

typedef enum var_scope_kind {
    VAR_SCOPE_FUNCTION,
    VAR_SCOPE_INLINED,
    VAR_SCOPE_BLOCK
} var_scope_kind;

typedef struct var_scope var_scope;
struct var_scope {
    var_scope_kind kind;
    const char *name; // of a function
    uint64_t from, to;
    uint32_t file, line, call_file, call_line;
    const var_variable *variables;
    uint32_t variable_count;
    const var_scope *inner; // the first scope within this one
    const var_scope *next;  // beside this one
};

typedef struct var_model {
    sim_arena *arena;
    const var_scope *functions;    // linked by `next`
    const var_variable *variables; // of the module
    uint32_t variable_count;
    const var_type *const *types; // those with names, and all enumerations
    uint32_t type_count;
} var_model;

// Reads the sections of a PTX text into `model`. BAD_PTX: they are damaged; NOT_FOUND: there are
// none; UNSUPPORTED: this build has no libdw. The rest of the model is empty then.
sim_status var_model_read(const char *ptx, size_t bytes, var_model *model, kl_error *err);

// The type behind aliases; never an ALIAS. NULL becomes void.
const var_type *var_strip(const var_type *type);
// Size of a value in bytes, of an array of all its elements; 0: unknown, or of no size that fits.
uint64_t var_type_bytes(const var_type *type);
// "@shared float (*)[8]" into out; cut where it does not fit.
void var_type_name(const var_type *type, char *out, size_t out_bytes);

// Base types as C names them: "unsigned int", "long long", "float"; NULL: there is none.
const var_type *var_base_type(const char *name);
// The integer type of `bytes` bytes.
const var_type *var_int_type(uint32_t bytes, bool is_unsigned);
extern const var_type var_bool, var_char, var_float, var_double, var_void;
// uint3, the type of threadIdx and the like.
extern const var_type var_uint3;

// "@shared", of a space; "@generic" for NONE.
const char *var_space_name(ptx_space space);

#endif
