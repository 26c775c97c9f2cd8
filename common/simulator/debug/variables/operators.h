// SPDX-License-Identifier: MIT
// Operators of C on values that may be numbers or pointers.
#ifndef SIM_DEBUG_VARIABLES_OPERATORS_H
#define SIM_DEBUG_VARIABLES_OPERATORS_H

#include "debug/variables/value.h"

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

#endif
