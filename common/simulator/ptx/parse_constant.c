// Constant expressions (PTX ISA 9.0, section 4.5), with the operators and precedences of C: 64-bit
// integers, signed unless one has the suffix U or does not fit 63 bits, or doubles; the two do not
// mix. Must accept what ptxas accepts, and compute what it computes: `~` gives an unsigned number,
// a shift count is taken modulo 64, 0f3F800000 takes part in no operation.
#include "ptx/internal.h"

enum {
    MAX_DEPTH = 64,
    LOWEST = 1
}; // of nested parentheses; the precedence of `?:` is below LOWEST

static const struct {
    ptx_token_kind kind;
    uint8_t precedence;
} operators[] = {
    {PTX_TOKEN_BAR_BAR, 1},
    {PTX_TOKEN_AND_AND, 2},
    {PTX_TOKEN_BAR, 3},
    {PTX_TOKEN_CARET, 4},
    {PTX_TOKEN_AND, 5},
    {PTX_TOKEN_EQUALS_EQUALS, 6},
    {PTX_TOKEN_NOT_EQUALS, 6},
    {PTX_TOKEN_LESS, 7},
    {PTX_TOKEN_GREATER, 7},
    {PTX_TOKEN_LESS_EQUALS, 7},
    {PTX_TOKEN_GREATER_EQUALS, 7},
    {PTX_TOKEN_LESS_LESS, 8},
    {PTX_TOKEN_GREATER_GREATER, 8},
    {PTX_TOKEN_PLUS, 9},
    {PTX_TOKEN_MINUS, 9},
    {PTX_TOKEN_STAR, 10},
    {PTX_TOKEN_SLASH, 10},
    {PTX_TOKEN_PERCENT, 10},
};

static sim_status parse_ternary(ptx_parser *parser, unsigned depth, ptx_constant *out);

static unsigned precedence_of(ptx_token_kind kind) {
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i].kind == kind) return operators[i].precedence;
    return 0;
}

static double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static sim_status integer_wanted(ptx_parser *parser, ptx_place place, const ptx_constant *value) {
    if (value->kind == PTX_OPERAND_INT) return SIM_OK;
    return ptx_parser_fail(parser, place, "an integer constant is wanted here");
}

// ---- Operators ----------------------------------------------------------------------------------

static sim_status divide(ptx_parser *parser, ptx_place place, bool remainder, bool is_unsigned,
                         uint64_t a, uint64_t b, uint64_t *out) {
    if (b == 0) return ptx_parser_fail(parser, place, "a constant expression divides by zero");
    if (is_unsigned) *out = remainder ? a % b : a / b;
    else if (b == UINT64_MAX) // the quotient of the least integer and -1 wraps
        *out = remainder ? 0 : 0 - a;
    else *out = (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
    return SIM_OK;
}

static sim_status apply_integers(ptx_parser *parser, ptx_token_kind operator, ptx_place place,
                                 const ptx_constant *left, const ptx_constant *right,
                                 ptx_constant *out) {
    uint64_t a = left->bits, b = right->bits;
    bool is_unsigned = left->is_unsigned || right->is_unsigned;
    bool less = is_unsigned ? a < b : (int64_t)a < (int64_t)b;
    *out = (ptx_constant){.kind = PTX_OPERAND_INT, .is_unsigned = is_unsigned};
    switch (operator) {
    case PTX_TOKEN_PLUS: out->bits = a + b; return SIM_OK;
    case PTX_TOKEN_MINUS: out->bits = a - b; return SIM_OK;
    case PTX_TOKEN_STAR: out->bits = a * b; return SIM_OK;
    case PTX_TOKEN_SLASH:
    case PTX_TOKEN_PERCENT:
        return divide(parser, place, operator== PTX_TOKEN_PERCENT, is_unsigned, a, b, &out->bits);
    case PTX_TOKEN_BAR: out->bits = a | b; return SIM_OK;
    case PTX_TOKEN_CARET: out->bits = a ^ b; return SIM_OK;
    case PTX_TOKEN_AND: out->bits = a & b; return SIM_OK;
    case PTX_TOKEN_LESS_LESS:
        out->bits = a << (b & 63);
        out->is_unsigned = left->is_unsigned;
        return SIM_OK;
    case PTX_TOKEN_GREATER_GREATER:
        out->bits = left->is_unsigned ? a >> (b & 63) : (uint64_t)((int64_t)a >> (b & 63));
        out->is_unsigned = left->is_unsigned;
        return SIM_OK;
    default: break;
    }
    out->is_unsigned = false;
    switch (operator) {
    case PTX_TOKEN_BAR_BAR: out->bits = a || b; break;
    case PTX_TOKEN_AND_AND: out->bits = a && b; break;
    case PTX_TOKEN_EQUALS_EQUALS: out->bits = a == b; break;
    case PTX_TOKEN_NOT_EQUALS: out->bits = a != b; break;
    case PTX_TOKEN_LESS: out->bits = less; break;
    case PTX_TOKEN_GREATER: out->bits = !less && a != b; break;
    case PTX_TOKEN_LESS_EQUALS: out->bits = less || a == b; break;
    default: out->bits = !less; break; // >=
    }
    return SIM_OK;
}

static sim_status apply_floats(ptx_parser *parser, ptx_token_kind operator, ptx_place place,
                               double a, double b, ptx_constant *out) {
    double value = 0;
    *out = (ptx_constant){.kind = PTX_OPERAND_INT};
    switch (operator) {
    case PTX_TOKEN_EQUALS_EQUALS: out->bits = a == b; return SIM_OK;
    case PTX_TOKEN_NOT_EQUALS: out->bits = a != b; return SIM_OK;
    case PTX_TOKEN_LESS: out->bits = a < b; return SIM_OK;
    case PTX_TOKEN_GREATER: out->bits = a > b; return SIM_OK;
    case PTX_TOKEN_LESS_EQUALS: out->bits = a <= b; return SIM_OK;
    case PTX_TOKEN_GREATER_EQUALS: out->bits = a >= b; return SIM_OK;
    case PTX_TOKEN_PLUS: value = a + b; break;
    case PTX_TOKEN_MINUS: value = a - b; break;
    case PTX_TOKEN_STAR: value = a * b; break;
    case PTX_TOKEN_SLASH:
        if (b == 0) return ptx_parser_fail(parser, place, "a constant expression divides by zero");
        value = a / b;
        break;
    default: return ptx_parser_fail(parser, place, "this operation takes no floats");
    }
    out->kind = PTX_OPERAND_FLOAT64;
    memcpy(&out->bits, &value, sizeof value);
    return SIM_OK;
}

static sim_status apply(ptx_parser *parser, ptx_token_kind operator, ptx_place place,
                        const ptx_constant *left, const ptx_constant *right, ptx_constant *out) {
    if (left->kind == PTX_OPERAND_FLOAT32 || right->kind == PTX_OPERAND_FLOAT32)
        return ptx_parser_fail(parser, place, "no operation takes a 0f constant");
    if (left->kind != right->kind)
        return ptx_parser_fail(parser, place, "an operation on an integer and a float");
    if (left->kind == PTX_OPERAND_INT)
        return apply_integers(parser, operator, place, left, right, out);
    return apply_floats(parser, operator, place, double_of(left->bits), double_of(right->bits),
                        out);
}

// ---- Grammar ------------------------------------------------------------------------------------

// `(expression)`, `(.s64)factor`, `(.u64)factor`; the parenthesis is open.
static sim_status parse_parenthesis(ptx_parser *parser, unsigned depth, ptx_constant *out);

static sim_status parse_factor(ptx_parser *parser, unsigned depth, ptx_constant *out) {
    const ptx_token token = parser->token;
    if (depth >= MAX_DEPTH) return ptx_parser_fail(parser, token.place, "operands nest too deep");
    *out = (ptx_constant){.kind = PTX_OPERAND_INT, .bits = token.value};
    switch (token.kind) {
    case PTX_TOKEN_INT: out->is_unsigned = token.is_unsigned || token.value > INT64_MAX; break;
    case PTX_TOKEN_FLOAT32: out->kind = PTX_OPERAND_FLOAT32; break;
    case PTX_TOKEN_FLOAT64: out->kind = PTX_OPERAND_FLOAT64; break;
    case PTX_TOKEN_OPEN_PAREN:
        TRY(ptx_advance(parser));
        return parse_parenthesis(parser, depth + 1, out);
    case PTX_TOKEN_PLUS:
    case PTX_TOKEN_MINUS:
    case PTX_TOKEN_NOT:
    case PTX_TOKEN_TILDE: {
        TRY(ptx_advance(parser));
        ptx_place place = parser->token.place;
        TRY(parse_factor(parser, depth + 1, out));
        if (out->kind == PTX_OPERAND_FLOAT32)
            return ptx_parser_fail(parser, place, "a 0f constant has no sign");
        bool inverts = token.kind == PTX_TOKEN_NOT || token.kind == PTX_TOKEN_TILDE;
        if (inverts) TRY(integer_wanted(parser, place, out));
        if (token.kind == PTX_TOKEN_NOT)
            *out = (ptx_constant){.kind = PTX_OPERAND_INT, .bits = !out->bits};
        else if (token.kind == PTX_TOKEN_TILDE)
            *out = (ptx_constant){PTX_OPERAND_INT, true, ~out->bits};
        else if (token.kind == PTX_TOKEN_MINUS)
            out->bits =
                out->kind == PTX_OPERAND_INT ? 0 - out->bits : out->bits ^ (uint64_t)1 << 63;
        return SIM_OK;
    }
    default: return ptx_expected(parser, "a number");
    }
    return ptx_advance(parser);
}

static sim_status parse_parenthesis(ptx_parser *parser, unsigned depth, ptx_constant *out) {
    if (parser->token.kind != PTX_TOKEN_DIRECTIVE) {
        TRY(parse_ternary(parser, depth, out));
        return ptx_expect(parser, PTX_TOKEN_CLOSE_PAREN, "')' after a constant expression");
    }
    bool is_unsigned = ptx_is_directive(parser, "u64");
    if (!is_unsigned && !ptx_is_directive(parser, "s64"))
        return ptx_expected(parser, "'.s64' or '.u64', which a constant is converted to");
    TRY(ptx_advance(parser));
    TRY(ptx_expect(parser, PTX_TOKEN_CLOSE_PAREN, NULL));
    ptx_place place = parser->token.place;
    TRY(parse_factor(parser, depth, out));
    TRY(integer_wanted(parser, place, out));
    out->is_unsigned = is_unsigned;
    return SIM_OK;
}

static sim_status parse_binary(ptx_parser *parser, unsigned depth, unsigned least,
                               ptx_constant *out) {
    TRY(parse_factor(parser, depth, out));
    for (;;) {
        const ptx_token operator= parser->token;
        unsigned precedence = precedence_of(operator.kind);
        ptx_constant left = *out, right;
        if (precedence < least || precedence == 0) return SIM_OK;
        TRY(ptx_advance(parser));
        TRY(parse_binary(parser, depth + 1, precedence + 1, &right));
        TRY(apply(parser, operator.kind, operator.place, &left, &right, out));
    }
}

static sim_status parse_ternary(ptx_parser *parser, unsigned depth, ptx_constant *out) {
    ptx_constant condition, other;
    bool is_choice;
    if (depth >= MAX_DEPTH)
        return ptx_parser_fail(parser, parser->token.place, "operands nest too deep");
    ptx_place place = parser->token.place;
    TRY(parse_binary(parser, depth, LOWEST, out));
    TRY(ptx_accept(parser, PTX_TOKEN_QUESTION, &is_choice));
    if (!is_choice) return SIM_OK;
    condition = *out;
    TRY(integer_wanted(parser, place, &condition));
    TRY(parse_ternary(parser, depth + 1, out));
    TRY(integer_wanted(parser, place, out));
    TRY(ptx_expect(parser, PTX_TOKEN_COLON, "':' and what a false condition gives"));
    TRY(parse_ternary(parser, depth + 1, &other));
    TRY(integer_wanted(parser, place, &other));
    if (!condition.bits) *out = other;
    return SIM_OK;
}

bool ptx_begins_constant(const ptx_parser *parser) {
    switch (parser->token.kind) {
    case PTX_TOKEN_INT:
    case PTX_TOKEN_FLOAT32:
    case PTX_TOKEN_FLOAT64:
    case PTX_TOKEN_PLUS:
    case PTX_TOKEN_MINUS:
    case PTX_TOKEN_TILDE:
    case PTX_TOKEN_NOT:
    case PTX_TOKEN_OPEN_PAREN: return true;
    default: return false;
    }
}

sim_status ptx_parse_constant(ptx_parser *parser, ptx_constant *out) {
    return parse_ternary(parser, 0, out);
}

sim_status ptx_parse_integer(ptx_parser *parser, const char *what, int64_t *out) {
    ptx_constant constant;
    ptx_place place = parser->token.place;
    if (!ptx_begins_constant(parser)) return ptx_expected(parser, what);
    TRY(ptx_parse_constant(parser, &constant));
    TRY(integer_wanted(parser, place, &constant));
    *out = (int64_t)constant.bits;
    return SIM_OK;
}

sim_status ptx_parse_offset(ptx_parser *parser, int64_t *out) {
    bool has_offset;
    TRY(ptx_accept(parser, PTX_TOKEN_PLUS, &has_offset));
    return has_offset ? ptx_parse_integer(parser, "an integer offset", out) : SIM_OK;
}
