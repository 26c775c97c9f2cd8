// Operands of instructions (PTX ISA 9.0, sections 4.5 and 6): names, literals, addresses, vectors,
// lists. Syntax only; must not ask what the instruction is.
#include "ptx/internal.h"

static sim_status parse_operand(ptx_parser *parser, unsigned depth, ptx_operand *out);

static sim_status parse_items(ptx_parser *parser, ptx_token_kind end, unsigned depth,
                              ptx_operand *operand, uint32_t mark) {
    bool more = parser->token.kind != end;
    while (more) {
        ptx_operand item;
        TRY(parse_operand(parser, depth, &item));
        ptx_operand *slot = ptx_stack_push(&parser->operands);
        if (!slot) return ptx_no_memory(parser);
        *slot = item;
        TRY(ptx_accept(parser, PTX_TOKEN_COMMA, &more));
    }
    TRY(ptx_expect(parser, end,
                   end == PTX_TOKEN_CLOSE_BRACE   ? "',' or '}' after a vector element"
                   : end == PTX_TOKEN_CLOSE_PAREN ? "',' or ')' after an argument"
                                                  : "',' or ']' after a coordinate"));
    const void *items;
    TRY(ptx_stack_take(parser, &parser->operands, mark, &items, &operand->item_count));
    operand->items = items;
    return SIM_OK;
}

// `[base]`, `[base+offset]`, `[literal]`, or `[texture, coordinates...]`.
static sim_status parse_address(ptx_parser *parser, unsigned depth, ptx_operand *out) {
    TRY(ptx_advance(parser));
    out->kind = PTX_OPERAND_ADDRESS;
    ptx_place base_place = parser->token.place;
    if (parser->token.kind == PTX_TOKEN_WORD) {
        TRY(ptx_expect_name(parser, "an address", &out->name));
        TRY(ptx_parse_offset(parser, &out->value));
    } else {
        TRY(ptx_parse_integer(parser, "a register, a variable or an integer as address",
                              &out->value));
    }
    if (parser->token.kind != PTX_TOKEN_COMMA)
        return ptx_expect(parser, PTX_TOKEN_CLOSE_BRACKET, "'+', ',' or ']' in an address");

    if (!out->name) return ptx_parser_fail(parser, base_place, "expected the name of a texture");
    if (depth >= PTX_MAX_OPERAND_DEPTH) return ptx_expected(parser, "']' (operands nest too deep)");
    TRY(ptx_advance(parser));
    uint32_t mark = parser->operands.count;
    ptx_operand *texture = ptx_stack_push(&parser->operands);
    if (!texture) return ptx_no_memory(parser);
    texture->kind = PTX_OPERAND_NAME;
    texture->name = out->name;
    texture->value = out->value;
    texture->place = base_place;
    out->kind = PTX_OPERAND_TEXREF;
    out->name = NULL;
    out->value = 0;
    return parse_items(parser, PTX_TOKEN_CLOSE_BRACKET, depth + 1, out, mark);
}

// A constant expression.
static sim_status parse_constant(ptx_parser *parser, ptx_operand *out) {
    ptx_constant constant;
    TRY(ptx_parse_constant(parser, &constant));
    out->kind = constant.kind;
    out->is_unsigned = constant.is_unsigned;
    out->value = (int64_t)constant.bits;
    return SIM_OK;
}

// What begins with a sign or `!`: a constant, a register of a video instruction or a predicate.
static sim_status parse_signed(ptx_parser *parser, ptx_operand *out) {
    const ptx_lexer behind = parser->lexer;
    const ptx_token sign = parser->token;
    TRY(ptx_advance(parser));
    if (parser->token.kind == PTX_TOKEN_WORD) {
        out->kind = PTX_OPERAND_NAME;
        out->negated = sign.kind == PTX_TOKEN_NOT;
        out->minus = sign.kind == PTX_TOKEN_MINUS;
        return ptx_expect_name(parser, "a number or a register after the sign", &out->name);
    }
    parser->lexer = behind; // an expression begins with the sign
    parser->token = sign;
    return parse_constant(parser, out);
}

// `%r1`, `%p1|%p2`, `_`, `table+16`, `table[4]`.
static sim_status parse_name(ptx_parser *parser, ptx_operand *out) {
    out->kind = PTX_OPERAND_NAME;
    TRY(ptx_expect_name(parser, "a name", &out->name));
    if (parser->token.kind == PTX_TOKEN_BAR) {
        TRY(ptx_advance(parser));
        return ptx_expect_name(parser, "a predicate after '|'", &out->second);
    }
    if (parser->token.kind != PTX_TOKEN_OPEN_BRACKET) return ptx_parse_offset(parser, &out->value);
    out->indexed = true;
    TRY(ptx_advance(parser));
    TRY(ptx_parse_integer(parser, "the index of an element", &out->value));
    return ptx_expect(parser, PTX_TOKEN_CLOSE_BRACKET, "']' after the index of an element");
}

static sim_status parse_operand(ptx_parser *parser, unsigned depth, ptx_operand *out) {
    *out = (ptx_operand){.place = parser->token.place};
    switch (parser->token.kind) {
    case PTX_TOKEN_WORD: return parse_name(parser, out);
    case PTX_TOKEN_NOT:
    case PTX_TOKEN_PLUS:
    case PTX_TOKEN_MINUS: return parse_signed(parser, out);
    case PTX_TOKEN_INT:
    case PTX_TOKEN_FLOAT32:
    case PTX_TOKEN_FLOAT64:
    case PTX_TOKEN_TILDE: return parse_constant(parser, out);
    case PTX_TOKEN_OPEN_BRACKET: return parse_address(parser, depth, out);
    case PTX_TOKEN_OPEN_BRACE: break;
    case PTX_TOKEN_OPEN_PAREN:
        if (!parser->lists || depth > 0) return parse_constant(parser, out);
        break;
    default: return ptx_expected(parser, "an operand");
    }
    bool is_vector = parser->token.kind == PTX_TOKEN_OPEN_BRACE;
    if (depth >= PTX_MAX_OPERAND_DEPTH)
        return ptx_parser_fail(parser, parser->token.place, "operands nest too deep");
    TRY(ptx_advance(parser));
    out->kind = is_vector ? PTX_OPERAND_VECTOR : PTX_OPERAND_LIST;
    TRY(parse_items(parser, is_vector ? PTX_TOKEN_CLOSE_BRACE : PTX_TOKEN_CLOSE_PAREN, depth + 1,
                    out, parser->operands.count));
    if (!is_vector || parser->token.kind != PTX_TOKEN_BAR) return SIM_OK;
    TRY(ptx_advance(parser));
    return ptx_expect_name(parser, "a predicate after '|'", &out->second);
}

sim_status ptx_parse_operands(ptx_parser *parser, bool lists, ptx_token_kind end,
                              const ptx_operand **out, uint32_t *out_count) {
    parser->lists = lists;
    uint32_t mark = parser->operands.count;
    bool more = parser->token.kind != end;
    while (more) {
        ptx_operand operand;
        TRY(parse_operand(parser, 0, &operand));
        ptx_operand *slot = ptx_stack_push(&parser->operands);
        if (!slot) return ptx_no_memory(parser);
        *slot = operand;
        TRY(ptx_accept(parser, PTX_TOKEN_COMMA, &more));
    }
    TRY(ptx_expect(parser, end, "',' or ';' after an operand"));
    const void *operands;
    TRY(ptx_stack_take(parser, &parser->operands, mark, &operands, out_count));
    *out = operands;
    return SIM_OK;
}
