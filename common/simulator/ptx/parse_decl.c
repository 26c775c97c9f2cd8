// Declarations of variables, registers and parameters (PTX ISA 9.0, sections 5.1 to 5.4).
// Sizes are checked here, once; must not resolve names.
#include "ptx/internal.h"

static const struct {
    const char *text;
    ptx_space space;
} spaces[] = {
    {"reg", PTX_SPACE_REG},       {"param", PTX_SPACE_PARAM}, {"global", PTX_SPACE_GLOBAL},
    {"shared", PTX_SPACE_SHARED}, {"local", PTX_SPACE_LOCAL}, {"const", PTX_SPACE_CONST},
    {"tex", PTX_SPACE_TEX},
};

ptx_space ptx_space_find(const ptx_token *token) {
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (ptx_token_is(token, spaces[i].text)) return spaces[i].space;
    return PTX_SPACE_NONE;
}

static ptx_type find_type(const ptx_token *token) {
    char word[16];
    if (token->bytes >= sizeof word) return PTX_TYPE_NONE;
    memcpy(word, token->text, token->bytes);
    word[token->bytes] = '\0';
    return ptx_type_find(word);
}

static uint32_t find_vector(const ptx_token *token) {
    if (token->bytes != 2 || token->text[0] != 'v') return 0;
    char digit = token->text[1];
    return digit == '2' || digit == '4' || digit == '8' ? (uint32_t)(digit - '0') : 0;
}

static sim_status parse_align(ptx_parser *parser, uint32_t *out_align) {
    TRY(ptx_advance(parser));
    ptx_place place = parser->token.place;
    TRY(ptx_expect_u32(parser, "an alignment", 1u << 20, out_align));
    if (*out_align == 0 || (*out_align & (*out_align - 1)))
        return ptx_parser_fail(parser, place, "an alignment must be a power of two");
    return SIM_OK;
}

sim_status ptx_parse_attribute(ptx_parser *parser, bool *out_managed) {
    TRY(ptx_advance(parser));
    TRY(ptx_expect(parser, PTX_TOKEN_OPEN_PAREN, "'(' after .attribute"));
    for (unsigned depth = 1; depth;) {
        const ptx_token *token = &parser->token;
        bool is_name = token->kind == PTX_TOKEN_DIRECTIVE;
        if (is_name && ptx_token_is(token, "managed")) *out_managed = true;
        else if (is_name && !ptx_token_is(token, "unified"))
            return ptx_expected(parser, ".managed or .unified");
        else if (token->kind == PTX_TOKEN_OPEN_PAREN) depth++;
        else if (token->kind == PTX_TOKEN_CLOSE_PAREN) depth--;
        else if (!is_name && token->kind != PTX_TOKEN_INT && token->kind != PTX_TOKEN_COMMA)
            return ptx_expected(parser, "')' at the end of .attribute");
        TRY(ptx_advance(parser));
    }
    return SIM_OK;
}

// One directive between the space and the name.
static sim_status parse_qualifier(ptx_parser *parser, bool *is_pointer, ptx_variable *base) {
    const ptx_token *token = &parser->token;
    if (ptx_token_is(token, "align") && (base->type == PTX_TYPE_NONE || *is_pointer))
        return parse_align(parser, *is_pointer ? &base->pointee_align : &base->align_bytes);
    if (ptx_token_is(token, "attribute")) return ptx_parse_attribute(parser, &base->is_managed);
    ptx_type type = find_type(token);
    uint32_t vector = find_vector(token);
    ptx_space space = ptx_space_find(token);
    if (ptx_token_is(token, "ptr") && base->space == PTX_SPACE_PARAM) *is_pointer = true;
    else if (type != PTX_TYPE_NONE && base->type == PTX_TYPE_NONE) base->type = type;
    else if (vector && base->vector == 1 && base->type == PTX_TYPE_NONE) base->vector = vector;
    else if (space != PTX_SPACE_NONE && *is_pointer && base->pointee_space == PTX_SPACE_NONE &&
             base->pointee_align == 0)
        base->pointee_space = space;
    else return ptx_expected(parser, base->type == PTX_TYPE_NONE ? "a type" : "a name");
    return ptx_advance(parser);
}

// From the space to the token after the type: what all names of one declaration share.
static sim_status parse_base(ptx_parser *parser, const ptx_linkage *linkage, ptx_variable *base) {
    *base = (ptx_variable){.vector = 1, .count = 1, .elements = 1};
    while (parser->token.kind == PTX_TOKEN_DIRECTIVE && ptx_token_is(&parser->token, "attribute"))
        TRY(ptx_parse_attribute(parser, &base->is_managed));
    base->space =
        parser->token.kind == PTX_TOKEN_DIRECTIVE ? ptx_space_find(&parser->token) : PTX_SPACE_NONE;
    if (base->space == PTX_SPACE_NONE) return ptx_expected(parser, "a state space such as .param");
    if (linkage) {
        base->is_extern = linkage->is_extern;
        base->is_visible = linkage->is_visible;
        base->is_weak = linkage->is_weak;
        base->is_common = linkage->is_common;
    }
    TRY(ptx_advance(parser));
    bool is_pointer = false;
    while (parser->token.kind == PTX_TOKEN_DIRECTIVE)
        TRY(parse_qualifier(parser, &is_pointer, base));
    base->is_pointer = is_pointer;
    if (base->type == PTX_TYPE_NONE) return ptx_expected(parser, "a type");
    return SIM_OK;
}

// `[4][8]`; a first `[]` leaves 0.
static sim_status parse_dimensions(ptx_parser *parser, uint64_t *dimensions, uint32_t *out_count) {
    *out_count = 0;
    while (parser->token.kind == PTX_TOKEN_OPEN_BRACKET) {
        TRY(ptx_advance(parser));
        if (*out_count == PTX_MAX_DIMENSIONS)
            return ptx_parser_fail(parser, parser->token.place, "more than %d dimensions",
                                   PTX_MAX_DIMENSIONS);
        uint64_t size = 0;
        if (parser->token.kind == PTX_TOKEN_INT) {
            size = parser->token.value;
            TRY(ptx_advance(parser));
        } else if (*out_count > 0) {
            return ptx_expected(parser, "the size of the dimension");
        }
        dimensions[(*out_count)++] = size;
        TRY(ptx_expect(parser, PTX_TOKEN_CLOSE_BRACKET, "']' after the size of a dimension"));
    }
    return SIM_OK;
}

static sim_status set_size(ptx_parser *parser, ptx_variable *variable, const uint64_t *dimensions,
                           uint32_t dimension_count) {
    uint64_t elements = 1;
    bool too_large = false;
    for (uint32_t i = 0; i < dimension_count; i++)
        too_large |= __builtin_mul_overflow(elements, dimensions[i], &elements);
    uint64_t element_bytes = (uint64_t)variable->vector * ptx_type_bytes(variable->type);
    too_large |= __builtin_mul_overflow(elements, element_bytes, &variable->size_bytes);
    if (too_large || elements > PTX_MAX_VARIABLE_BYTES ||
        variable->size_bytes > PTX_MAX_VARIABLE_BYTES)
        return ptx_parser_fail(parser, variable->place, "'%.60s' is larger than any memory",
                               variable->name);
    variable->elements = elements;
    return SIM_OK;
}

// `<10>` after the name of a register.
static sim_status parse_range(ptx_parser *parser, ptx_variable *variable) {
    TRY(ptx_advance(parser));
    variable->is_range = true;
    TRY(ptx_expect_u32(parser, "the number of registers", PTX_MAX_REGISTERS, &variable->count));
    return ptx_expect(parser, PTX_TOKEN_GREATER, "'>' after the number of registers");
}

// Registers and variables for such values are .b16 and .b32.
static bool is_instruction_type(ptx_type type) {
    return type == PTX_BF16 || type == PTX_BF16X2 || type == PTX_TF32 || type == PTX_U16X2 ||
           type == PTX_S16X2;
}

static sim_status check_space(ptx_parser *parser, const ptx_variable *variable) {
    bool is_register = variable->space == PTX_SPACE_REG, is_vector = variable->vector > 1;
    const char *wrong = NULL;
    if (variable->type == PTX_PRED && (!is_register || is_vector))
        wrong = "a predicate is a scalar register";
    else if (is_vector && variable->space == PTX_SPACE_PARAM) wrong = "a parameter is no vector";
    else if (variable->space == PTX_SPACE_TEX) wrong = ".tex is of PTX 1.4 and earlier";
    else if (variable->type == PTX_SAMPLERREF && !parser->has_samplers)
        wrong = "a sampler needs texmode_independent behind .target";
    else if (is_instruction_type(variable->type)) wrong = "only instructions have this type";
    else if (variable->type == PTX_F16X2 && variable->space == PTX_SPACE_PARAM)
        wrong = "no parameter has this type";
    else if (variable->is_common && variable->space != PTX_SPACE_GLOBAL)
        wrong = "a .common variable is a .global one";
    else if (variable->vector * ptx_type_bytes(variable->type) > 16 || variable->vector > 4)
        wrong = "a vector has at most 4 elements and 128 bits";
    return wrong ? ptx_parser_fail(parser, variable->place, "'%.60s': %s", variable->name, wrong)
                 : SIM_OK;
}

// Name, range or dimensions, initialiser.
static sim_status parse_declarator(ptx_parser *parser, ptx_variable *variable) {
    variable->place = parser->token.place;
    if (parser->token.is_dotted) return ptx_expected(parser, "a name");
    TRY(ptx_expect_name(parser, "a name", &variable->name));
    uint64_t dimensions[PTX_MAX_DIMENSIONS];
    uint32_t dimension_count = 0;
    if (parser->token.kind == PTX_TOKEN_LESS) TRY(parse_range(parser, variable));
    else TRY(parse_dimensions(parser, dimensions, &dimension_count));
    TRY(set_size(parser, variable, dimensions, dimension_count));
    TRY(check_space(parser, variable));
    if (parser->token.kind != PTX_TOKEN_EQUALS) return SIM_OK;
    if ((variable->space != PTX_SPACE_GLOBAL && variable->space != PTX_SPACE_CONST) ||
        variable->is_extern)
        return ptx_expected(parser, "';' (this variable cannot be initialised)");
    TRY(ptx_advance(parser));
    return ptx_parse_initialiser(parser, variable, dimensions, dimension_count);
}

// An array without a size takes it from its initialiser, from another module or from the launch.
static sim_status check_size(ptx_parser *parser, const ptx_variable *variable) {
    bool has_size = variable->elements > 0 || variable->is_extern ||
                    variable->space == PTX_SPACE_PARAM || variable->space == PTX_SPACE_REG;
    return has_size
               ? SIM_OK
               : ptx_parser_fail(parser, variable->place, "'%.60s' has no size", variable->name);
}

sim_status ptx_parse_variables(ptx_parser *parser, const ptx_linkage *linkage, ptx_stack *stack) {
    ptx_variable base;
    TRY(parse_base(parser, linkage, &base));
    bool more = true;
    while (more) {
        ptx_variable variable = base;
        TRY(parse_declarator(parser, &variable));
        TRY(check_size(parser, &variable));
        if (strcmp(variable.name, "_") == 0)
            return ptx_parser_fail(parser, variable.place, "'_' is no name of a variable");
        ptx_variable *slot = ptx_stack_push(stack);
        if (!slot) return ptx_no_memory(parser);
        *slot = variable;
        TRY(ptx_accept(parser, PTX_TOKEN_COMMA, &more));
    }
    return ptx_expect(parser, PTX_TOKEN_SEMICOLON, "',' or ';' after a declaration");
}

sim_status ptx_parse_parameters(ptx_parser *parser, const ptx_variable **out, uint32_t *out_count) {
    uint32_t mark = parser->parameters.count;
    TRY(ptx_expect(parser, PTX_TOKEN_OPEN_PAREN, NULL));
    bool more = parser->token.kind != PTX_TOKEN_CLOSE_PAREN;
    while (more) {
        ptx_variable variable;
        TRY(parse_base(parser, NULL, &variable));
        TRY(parse_declarator(parser, &variable));
        ptx_variable *slot = ptx_stack_push(&parser->parameters);
        if (!slot) return ptx_no_memory(parser);
        *slot = variable;
        TRY(ptx_accept(parser, PTX_TOKEN_COMMA, &more));
    }
    TRY(ptx_expect(parser, PTX_TOKEN_CLOSE_PAREN, "',' or ')' after a parameter"));
    const void *parameters;
    TRY(ptx_stack_take(parser, &parser->parameters, mark, &parameters, out_count));
    *out = parameters;
    return SIM_OK;
}
