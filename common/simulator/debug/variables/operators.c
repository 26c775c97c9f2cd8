// Arithmetic and comparisons of C (C11, 6.3.1.8 and 6.5): see value.h. Integers wrap around, as
// on the device.
#include "debug/variables/value.h"

sim_status var_truth(var_evaluation *e, var_value *value, bool *out_truth) {
    var_number number;
    TRY(var_to_number(e, value, &number));
    *out_truth = number.is_float ? number.real != 0 : number.integer != 0;
    return SIM_OK;
}

static const var_type *promoted(const var_number *number) {
    if (number->is_float) return number->bytes <= 4 ? &var_float : &var_double;
    if (number->bytes < 4) return var_int_type(4, false);
    return var_int_type(number->bytes, number->is_unsigned);
}

// The usual arithmetic conversions.
static const var_type *common_type(const var_number *a, const var_number *b) {
    const var_type *left = promoted(a), *right = promoted(b);
    if (a->is_float || b->is_float) {
        if (left == &var_double || right == &var_double) return &var_double;
        return &var_float;
    }
    if (left->bytes != right->bytes) return left->bytes > right->bytes ? left : right;
    return left->is_unsigned ? left : right;
}

sim_status var_unary(var_evaluation *e, char operation, var_value *value) {
    var_number number;
    bool truth;
    if (operation == '!') {
        TRY(var_truth(e, value, &truth));
        return var_from_integer(e, &var_bool, !truth, value);
    }
    TRY(var_to_number(e, value, &number));
    if (number.is_float && operation == '~') return var_fail(e, "~ needs an integer.");
    const var_type *type = promoted(&number);
    if (number.is_float) {
        number.real = operation == '-' ? -number.real : number.real;
        return var_from_number(e, type, number, value);
    }
    uint64_t bits = (uint64_t)number.integer;
    return var_from_integer(e, type,
                            operation == '-'   ? 0 - bits
                            : operation == '~' ? ~bits
                                               : bits,
                            value);
}

// ---- comparisons ----

static bool compare(var_operator operation, const var_number *a, const var_number *b,
                    const var_type *type) {
    int order;
    if (type->kind == VAR_FLOAT) {
        double left = a->is_float ? a->real : (double)a->integer;
        double right = b->is_float ? b->real : (double)b->integer;
        if (isnan(left) || isnan(right)) return operation == VAR_NOT_EQUAL;
        order = (left > right) - (left < right);
    } else if (type->is_unsigned) {
        uint64_t mask = type->bytes < 8 ? UINT32_MAX : UINT64_MAX;
        uint64_t left = (uint64_t)a->integer & mask, right = (uint64_t)b->integer & mask;
        order = (left > right) - (left < right);
    } else {
        order = (a->integer > b->integer) - (a->integer < b->integer);
    }
    switch (operation) {
    case VAR_EQUAL: return order == 0;
    case VAR_NOT_EQUAL: return order != 0;
    case VAR_LESS: return order < 0;
    case VAR_AT_MOST: return order <= 0;
    case VAR_AT_LEAST: return order >= 0;
    default: return order > 0;
    }
}

// ---- arithmetic ----

static sim_status float_operation(var_evaluation *e, var_operator operation, var_number a,
                                  var_number b, const var_type *type, var_value *out) {
    double x = a.is_float      ? a.real
               : a.is_unsigned ? (double)(uint64_t)a.integer
                               : (double)a.integer;
    double y = b.is_float      ? b.real
               : b.is_unsigned ? (double)(uint64_t)b.integer
                               : (double)b.integer;
    var_number result = {.is_float = true};
    switch (operation) {
    case VAR_ADD: result.real = x + y; break;
    case VAR_SUBTRACT: result.real = x - y; break;
    case VAR_MULTIPLY: result.real = x * y; break;
    case VAR_DIVIDE: result.real = x / y; break;
    default:
        return var_fail(e, "Argument to arithmetic operation not a number or boolean: "
                           "this operator needs integers.");
    }
    // The sign of a NaN that an operation makes depends on the host; cuda-gdb shows this one.
    if (isnan(result.real) && !isnan(x) && !isnan(y)) result.real = copysign(NAN, -1);
    return var_from_number(e, type, result, out);
}

static sim_status divide(var_evaluation *e, bool remainder, uint64_t x, uint64_t y,
                         const var_type *type, uint64_t *out) {
    if (type->bytes < 8 && type->is_unsigned) x &= UINT32_MAX, y &= UINT32_MAX;
    if (y == 0 && !e->unread) return var_fail(e, "Division by zero");
    if (y == 0) y = 1;
    if (type->is_unsigned) *out = remainder ? x % y : x / y;
    else if (y == UINT64_MAX) // INT64_MIN / -1 has no value
        *out = remainder ? 0 : 0 - x;
    else *out = (uint64_t)(remainder ? (int64_t)x % (int64_t)y : (int64_t)x / (int64_t)y);
    return SIM_OK;
}

static uint64_t shift(bool left, uint64_t x, uint64_t count, const var_type *type) {
    uint64_t width = type->bytes * 8;
    if (left) return count >= width ? 0 : x << count;
    if (type->is_unsigned) {
        if (width < 64) x &= UINT32_MAX;
        return count >= width ? 0 : x >> count;
    }
    return (uint64_t)((int64_t)x >> (count >= width ? width - 1 : count));
}

static sim_status integer_operation(var_evaluation *e, var_operator operation, var_number a,
                                    var_number b, const var_type *type, var_value *out) {
    uint64_t x = (uint64_t)a.integer, y = (uint64_t)b.integer, result = 0;
    const var_type *left = promoted(&a);
    switch (operation) {
    case VAR_ADD: result = x + y; break;
    case VAR_SUBTRACT: result = x - y; break;
    case VAR_MULTIPLY: result = x * y; break;
    case VAR_OR: result = x | y; break;
    case VAR_XOR: result = x ^ y; break;
    case VAR_AND: result = x & y; break;
    case VAR_SHIFT_LEFT:
    case VAR_SHIFT_RIGHT:
        return var_from_integer(e, left, shift(operation == VAR_SHIFT_LEFT, x, y, left), out);
    default: TRY(divide(e, operation == VAR_REMAINDER, x, y, type, &result)); break;
    }
    return var_from_integer(e, type, result, out);
}

// ---- pointers ----

static uint64_t place_of(const var_evaluation *e, const var_value *value,
                         const var_number *number) {
    const var_type *type = var_strip(value->type);
    ptx_space space = type->kind == VAR_POINTER ? type->space : PTX_SPACE_NONE;
    return var_generic_address(e, space, (uint64_t)number->integer);
}

static sim_status pointer_operation(var_evaluation *e, var_operator operation, var_value *left,
                                    var_value *right, var_number a, var_number b) {
    bool first = var_strip(left->type)->kind == VAR_POINTER;
    bool both = first && var_strip(right->type)->kind == VAR_POINTER;
    const var_type *type = first ? left->type : right->type;
    uint64_t size = var_type_bytes(var_strip(type)->of);
    if (size == 0) size = 1; // of void, as gdb
    if (operation >= VAR_EQUAL && operation <= VAR_MORE) {
        a.integer = (int64_t)place_of(e, left, &a);
        b.integer = (int64_t)place_of(e, right, &b);
        return var_from_integer(e, &var_bool, compare(operation, &a, &b, var_int_type(8, true)),
                                left);
    }
    if (operation == VAR_SUBTRACT && both)
        return var_from_integer(
            e, var_int_type(8, false),
            (uint64_t)((int64_t)(place_of(e, left, &a) - place_of(e, right, &b)) / (int64_t)size),
            left);
    if (both || a.is_float || b.is_float || (operation != VAR_ADD && operation != VAR_SUBTRACT) ||
        (operation == VAR_SUBTRACT && !first))
        return var_fail(e, "Argument to arithmetic operation not a number or boolean: "
                           "it is a pointer.");
    uint64_t pointer = (uint64_t)(first ? a : b).integer, count = (uint64_t)(first ? b : a).integer;
    if (operation == VAR_SUBTRACT) count = 0 - count;
    return var_from_integer(e, type, pointer + count * size, left);
}

sim_status var_binary(var_evaluation *e, var_operator operation, var_value *left,
                      var_value *right) {
    var_number a, b;
    if (operation == VAR_REPEAT) {
        TRY(var_to_number(e, right, &b));
        if (b.is_float) return var_fail(e, "Invalid number of repetitions.");
        return var_repeat(e, left, b.integer);
    }
    TRY(var_to_number(e, left, &a));
    TRY(var_to_number(e, right, &b));
    if (var_strip(left->type)->kind == VAR_POINTER || var_strip(right->type)->kind == VAR_POINTER)
        return pointer_operation(e, operation, left, right, a, b);
    const var_type *type = common_type(&a, &b);
    if (operation >= VAR_EQUAL && operation <= VAR_MORE)
        return var_from_integer(e, &var_bool, compare(operation, &a, &b, type), left);
    if (type->kind == VAR_FLOAT) return float_operation(e, operation, a, b, type, left);
    return integer_operation(e, operation, a, b, type, left);
}
