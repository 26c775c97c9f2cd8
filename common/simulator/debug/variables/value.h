// Values of expressions: where they lie, their bytes once somebody needs them, and what C does with
// them. All of it lives in the arena of one evaluation.
#pragma once

#include "debug/variables/internal.h"

// ---- unset.c ------------------------------------------------------------------------------------
// Whether a register can have been written before an instruction: a local variable whose register
// nothing has written has no value yet.

typedef struct var_code var_code; // the instructions of a module

// NULL: the text does not parse, or no memory.
var_code *var_code_new(const char *ptx, size_t bytes);
// The name of a file of the module by its number; NULL: it has none.
const char *var_code_file(const var_code *code, uint32_t number);
void var_code_free(var_code *code); // accepts NULL

// True where no path through the function that holds `ptx_line` writes the register before that
// line. False when it is not known. A name is known by its address: it must stay as it is.
bool var_is_unset(var_code *code, uint32_t ptx_line, const char *register_name);

// ---- value.c ------------------------------------------------------------------------------------

struct sim_variables {
    var_model model;
    char missing[256]; // "": variables are known
    var_code *code;    // NULL where no variable lies in a register
};

typedef enum var_where { VAR_NOWHERE, VAR_IN_REGISTER, VAR_IN_MEMORY } var_where;

typedef struct var_value {
    const var_type *type;
    var_where where;
    const char *register_name;
    ptx_space space; // IN_MEMORY; NONE: a generic address
    uint64_t address;
    uint32_t bit_offset, bits; // of a bit field; bits 0: none
    const uint8_t *data;       // NULL: not read yet
    const char *absent;        // why it has no value: "optimized out"; NULL: it has one
    bool is_reference;         // the name is a reference to this
} var_value;

// One evaluation.
typedef struct var_evaluation {
    const sim_variables *variables;
    const sim_variables_thread *thread;
    sim_arena *arena;
    kl_error *err;
    int unread; // > 0: in sizeof, or behind a condition that is not met: nothing is read
    int depth;  // of the expression's nesting
} var_evaluation;

// Fails with SIM_INVALID_VALUE and a sentence.
sim_status var_fail(var_evaluation *e, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

typedef struct var_number {
    bool is_float, is_unsigned;
    uint32_t bytes;
    int64_t integer; // sign or zero extended; of floats, cut off
    double real;
} var_number;

// Reads the bytes of a value unless they are there. Refuses what has no value, or is too large.
sim_status var_load(var_evaluation *e, var_value *value);
// The value as a number: integers, floats, enumerations, pointers, arrays as pointers.
sim_status var_to_number(var_evaluation *e, var_value *value, var_number *out_number);
bool var_is_scalar(const var_type *type);
// A value of a base type, or a pointer, that lies nowhere.
sim_status var_from_number(var_evaluation *e, const var_type *type, var_number number,
                           var_value *out_value);
sim_status var_from_integer(var_evaluation *e, const var_type *type, uint64_t integer,
                            var_value *out_value);

// An array becomes a pointer to its first element.
sim_status var_decay(var_evaluation *e, var_value *value);
const var_type *var_pointer_to(var_evaluation *e, const var_type *type, ptx_space space);

// * & [] . of C. `name` of a member needs not end in NUL.
sim_status var_follow(var_evaluation *e, var_value *value);
sim_status var_address(var_evaluation *e, var_value *value);
sim_status var_index(var_evaluation *e, var_value *value, int64_t index);
sim_status var_member_of(var_evaluation *e, var_value *value, const char *name, size_t name_bytes);
// Member number `member` of a struct's value.
void var_take_member(const var_value *value, const var_member *member, var_value *out_value);
// Whether it lies within the bytes that its struct has: damaged information may say otherwise.
bool var_member_fits(const var_type *type, const var_member *member);
// `count` values like this one, side by side.
sim_status var_repeat(var_evaluation *e, var_value *value, int64_t count);
sim_status var_cast(var_evaluation *e, var_value *value, const var_type *type);

// A generic address as space and offset where it lies in a window; else GLOBAL and unchanged. Other
// spaces stay.
void var_resolve(const var_evaluation *e, ptx_space *space, uint64_t *address);
// The address that the same place has in the generic space.
uint64_t var_generic_address(const var_evaluation *e, ptx_space space, uint64_t address);

// ---- names ----

// A variable, enumerator or built-in of this name; NOT_FOUND without a message.
sim_status var_lookup(var_evaluation *e, const char *name, var_value *out_value);
// A register by its PTX name.
sim_status var_register(var_evaluation *e, const char *name, var_value *out_value);

// ---- expressions and text ----

// Reads a type's name ("unsigned char", "@shared Node *"); false, with *at unchanged: there is
// none.
bool var_parse_type(var_evaluation *e, const char **at, const var_type **out_type);
sim_status var_parse(var_evaluation *e, const char *expression, var_value *out_value);
// The text of a value, malloc'ed.
sim_status var_print(var_evaluation *e, var_value *value, const sim_variables_format *format,
                     char **out_text);

// ---- operators.c --------------------------------------------------------------------------------
// Operators of C on values that may be numbers or pointers.

typedef enum var_operator {
    VAR_OR_ELSE,
    VAR_AND_THEN,
    VAR_EQUAL, // to VAR_MORE: comparisons
    VAR_NOT_EQUAL,
    VAR_LESS,
    VAR_AT_MOST,
    VAR_AT_LEAST,
    VAR_MORE,
    VAR_OR,
    VAR_XOR,
    VAR_AND,
    VAR_SHIFT_LEFT,
    VAR_SHIFT_RIGHT,
    VAR_REPEAT,
    VAR_ADD,
    VAR_SUBTRACT,
    VAR_MULTIPLY,
    VAR_DIVIDE,
    VAR_REMAINDER
} var_operator;

// One of + - ! ~
sim_status var_unary(var_evaluation *e, char operation, var_value *value);
// Leaves the result in `left`. VAR_OR_ELSE and VAR_AND_THEN are not among them.
sim_status var_binary(var_evaluation *e, var_operator operation, var_value *left, var_value *right);
sim_status var_truth(var_evaluation *e, var_value *value, bool *out_truth);
