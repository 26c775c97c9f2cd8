// Initialisers of variables (PTX ISA 9.0, section 5.4.4): bytes in the device's (little-endian)
// order, and the places where addresses of symbols go: sym, sym+4, generic(sym)+4, 0xFF00(sym).
// Must not know where symbols will lie.
#include "ptx/internal.h"

// One initialiser: `shape` counts elements, a vector being one more, innermost, dimension.
typedef struct init_state {
    ptx_variable *variable;
    uint64_t shape[PTX_MAX_DIMENSIONS + 1];  // [0] is UINT64_MAX when the initialiser decides
    uint64_t stride[PTX_MAX_DIMENSIONS + 1]; // elements under one index of the dimension
    uint32_t depth;
    uint32_t width; // bytes of an element
    uint64_t used;  // elements up to the last one written
} init_state;

// Makes parser->init_data (bytes) hold at least `bytes`.
static sim_status reserve_bytes(ptx_parser *parser, uint64_t bytes) {
    if (bytes > PTX_MAX_INIT_BYTES - parser->init_bytes)
        return ptx_parser_fail(parser, parser->token.place,
                               "more than 2^28 bytes of initialised variables");
    if (!ptx_stack_extend(&parser->init_data, bytes)) return ptx_no_memory(parser);
    return SIM_OK;
}

static uint64_t float_bits_of(double value, ptx_type type) {
    uint64_t bits = 0;
    if (type == PTX_F32) {
        float narrow = (float)value;
        memcpy(&bits, &narrow, sizeof narrow);
    } else {
        memcpy(&bits, &value, sizeof value);
    }
    return bits;
}

// The bits of the constant expression at the current token as an element of `type`.
static sim_status parse_number(ptx_parser *parser, ptx_type type, uint64_t *out_bits) {
    ptx_constant constant;
    ptx_place place = parser->token.place;
    if (!ptx_begins_constant(parser))
        return ptx_expected(parser, "a number or the name of a symbol");
    TRY(ptx_parse_constant(parser, &constant));
    bool is_float_type = type >= PTX_F16 && type <= PTX_F64;
    bool fits = constant.kind == PTX_OPERAND_INT
                    ? !is_float_type
                    : type == PTX_F32 || type == PTX_F64 || (type >= PTX_B8 && type <= PTX_B128);
    if (!fits)
        return ptx_parser_fail(parser, place, "%s does not initialise .%s",
                               constant.kind == PTX_OPERAND_INT ? "an integer" : "a float",
                               ptx_type_name(type));
    *out_bits = constant.bits;
    if (constant.kind == PTX_OPERAND_FLOAT64 && ptx_type_bytes(type) == 4) {
        double value;
        memcpy(&value, &constant.bits, sizeof value);
        *out_bits = float_bits_of(value, PTX_F32);
    }
    return SIM_OK;
}

// `sym`, `sym+4`, `generic(sym)`, `generic(sym+4)`, `generic(sym)+4`.
static sim_status parse_symbol(ptx_parser *parser, ptx_init_symbol *symbol) {
    bool wrapped = false;
    int64_t addend = 0;
    ptx_place place = parser->token.place;
    bool is_generic = ptx_token_is(&parser->token, "generic");
    TRY(ptx_expect_name(parser, "the name of a symbol", &symbol->name));
    if (is_generic) TRY(ptx_accept(parser, PTX_TOKEN_OPEN_PAREN, &wrapped));
    if (wrapped) {
        symbol->generic = true;
        TRY(ptx_expect_name(parser, "the name of a symbol", &symbol->name));
        TRY(ptx_parse_offset(parser, &symbol->addend));
        TRY(ptx_expect(parser, PTX_TOKEN_CLOSE_PAREN, "')' after generic(symbol"));
    }
    TRY(ptx_parse_offset(parser, &addend));
    if (__builtin_add_overflow(symbol->addend, addend, &symbol->addend))
        return ptx_parser_fail(parser, place, "the offset does not fit 64 bits");
    return SIM_OK;
}

// `0xFF00(sym)`: one byte of the address; the mask is a run of whole bytes.
static sim_status set_mask(ptx_parser *parser, ptx_place place, uint64_t mask, uint32_t width,
                           ptx_init_symbol *symbol) {
    unsigned shift = mask ? (unsigned)__builtin_ctzll(mask) : 1;
    uint64_t run = mask >> (shift & 63);
    unsigned run_bits = run + 1 == 0 ? 64 : (unsigned)__builtin_ctzll(run + 1);
    bool is_run = run_bits == 64 || run >> run_bits == 0;
    if (shift % 8 || run_bits % 8 || !is_run || run_bits / 8 > width)
        return ptx_parser_fail(parser, place, "a mask must select whole bytes such as 0xFF00");
    symbol->shift_bits = (uint8_t)shift;
    symbol->width_bytes = (uint8_t)(run_bits / 8);
    return SIM_OK;
}

static sim_status add_symbol(ptx_parser *parser, init_state *state, uint64_t element,
                             const uint64_t *mask, ptx_place place) {
    ptx_init_symbol symbol = {.width_bytes = (uint8_t)state->width};
    ptx_type type = state->variable->type;
    if (type >= PTX_B8 && type <= PTX_B128)
        return ptx_parser_fail(parser, place, "an address initialises .u64, or bytes of .u8");
    symbol.offset_bytes = (size_t)(element * state->width);
    if (mask) TRY(set_mask(parser, place, *mask, state->width, &symbol));
    TRY(parse_symbol(parser, &symbol));
    if (mask) TRY(ptx_expect(parser, PTX_TOKEN_CLOSE_PAREN, "')' after the masked symbol"));
    if (symbol.width_bytes > 8)
        return ptx_parser_fail(parser, place, "an address does not fill this type");
    ptx_init_symbol *slot = ptx_stack_push(&parser->init_symbols);
    if (!slot) return ptx_no_memory(parser);
    *slot = symbol;
    return SIM_OK;
}

static sim_status parse_element(ptx_parser *parser, init_state *state, uint64_t element) {
    ptx_place place = parser->token.place;
    TRY(reserve_bytes(parser, (element + 1) * state->width));
    if (element >= state->used) state->used = element + 1;
    if (parser->token.kind == PTX_TOKEN_WORD)
        return add_symbol(parser, state, element, NULL, place);
    uint64_t bits;
    bool is_mask;
    TRY(parse_number(parser, state->variable->type, &bits));
    TRY(ptx_accept(parser, PTX_TOKEN_OPEN_PAREN, &is_mask));
    if (is_mask) return add_symbol(parser, state, element, &bits, place);
    uint32_t stored = state->width < 8 ? state->width : 8;
    memcpy(parser->init_data.data + element * state->width, &bits, stored);
    return SIM_OK;
}

// `{ item, item }` for dimension `level` whose first element is `first`.
static sim_status parse_level(ptx_parser *parser, init_state *state, uint32_t level,
                              uint64_t first) {
    ptx_place opened = parser->token.place;
    if (level == state->depth)
        return ptx_parser_fail(parser, opened, "more braces than '%.60s' has dimensions",
                               state->variable->name);
    TRY(ptx_advance(parser));
    // Elements may also be listed flat, so count elements, not indices.
    uint64_t at = 0, limit;
    if (__builtin_mul_overflow(state->shape[level], state->stride[level], &limit))
        limit = UINT64_MAX;
    bool more = parser->token.kind != PTX_TOKEN_CLOSE_BRACE;
    while (more) {
        uint64_t stride = state->stride[level];
        bool nested = parser->token.kind == PTX_TOKEN_OPEN_BRACE;
        if (nested) at = (at + stride - 1) / stride * stride;
        if (at >= limit || at > PTX_MAX_INIT_BYTES)
            return ptx_parser_fail(parser, parser->token.place,
                                   "more values than '%.60s' has elements", state->variable->name);
        if (nested) {
            TRY(parse_level(parser, state, level + 1, first + at));
            at += stride;
        } else {
            TRY(parse_element(parser, state, first + at));
            at++;
        }
        TRY(ptx_accept(parser, PTX_TOKEN_COMMA, &more));
    }
    return ptx_expect(parser, PTX_TOKEN_CLOSE_BRACE, "',' or '}' in an initialiser");
}

// Texture, sampler and surface references: { addr_mode_0 = clamp, ... } is not bytes; skipped.
static sim_status skip_reference(ptx_parser *parser) {
    TRY(ptx_expect(parser, PTX_TOKEN_OPEN_BRACE, NULL));
    while (parser->token.kind != PTX_TOKEN_CLOSE_BRACE) {
        if (parser->token.kind != PTX_TOKEN_WORD && parser->token.kind != PTX_TOKEN_EQUALS &&
            parser->token.kind != PTX_TOKEN_INT && parser->token.kind != PTX_TOKEN_COMMA)
            return ptx_expected(parser, "'}'");
        TRY(ptx_advance(parser));
    }
    return ptx_advance(parser);
}

static sim_status set_shape(ptx_parser *parser, init_state *state, const uint64_t *dimensions,
                            uint32_t count) {
    const ptx_variable *variable = state->variable;
    state->width = ptx_type_bytes(variable->type);
    if (state->width == 0)
        return ptx_parser_fail(parser, variable->place, "predicates cannot be initialised");
    for (uint32_t i = 0; i < count; i++) state->shape[i] = dimensions[i];
    state->depth = count;
    if (variable->vector > 1) state->shape[state->depth++] = variable->vector;
    if (count && dimensions[0] == 0) state->shape[0] = UINT64_MAX;
    uint64_t stride = 1; // a zero among the dimensions hides the others from set_size()
    for (uint32_t level = state->depth; level-- > 0;) {
        state->stride[level] = stride ? stride : 1;
        if (level && (__builtin_mul_overflow(stride, state->shape[level], &stride) ||
                      stride > PTX_MAX_VARIABLE_BYTES))
            return ptx_parser_fail(parser, variable->place, "'%.60s' is larger than any memory",
                                   variable->name);
    }
    return SIM_OK;
}

static sim_status finish(ptx_parser *parser, init_state *state, bool is_open) {
    ptx_variable *variable = state->variable;
    if (is_open) {
        uint64_t row = state->stride[0], rows = (state->used + row - 1) / row;
        if (row > PTX_MAX_INIT_BYTES)
            return ptx_parser_fail(parser, variable->place, "'%.60s' is larger than any memory",
                                   variable->name);
        variable->size_bytes = rows * row * state->width;
        variable->elements = rows * row / variable->vector;
    }
    uint64_t bytes = variable->size_bytes;
    if (bytes > PTX_MAX_INIT_BYTES - parser->init_bytes)
        return ptx_parser_fail(parser, variable->place,
                               "more than 2^28 bytes of initialised variables");
    parser->init_bytes += bytes;
    uint8_t *init = sim_arena_alloc(parser->arena, bytes);
    if (!init) return ptx_no_memory(parser);
    uint64_t written = parser->init_data.count < bytes ? parser->init_data.count : bytes;
    if (written) memcpy(init, parser->init_data.data, written);
    variable->init_bytes = init;
    const void *symbols;
    TRY(ptx_stack_take(parser, &parser->init_symbols, 0, &symbols, &variable->init_symbol_count));
    variable->init_symbols = symbols;
    return SIM_OK;
}

sim_status ptx_parse_initialiser(ptx_parser *parser, ptx_variable *variable,
                                 const uint64_t *dimensions, uint32_t dimension_count) {
    if (variable->type == PTX_TEXREF || variable->type == PTX_SAMPLERREF ||
        variable->type == PTX_SURFREF)
        return skip_reference(parser);
    init_state state = {.variable = variable};
    TRY(set_shape(parser, &state, dimensions, dimension_count));
    parser->init_data.count = 0;
    parser->init_symbols.count = 0;
    if (parser->token.kind == PTX_TOKEN_OPEN_BRACE) {
        if (state.depth == 0) { // `{7}` for a scalar
            state.shape[0] = state.stride[0] = 1;
            state.depth = 1;
        }
        TRY(parse_level(parser, &state, 0, 0));
    } else if (state.depth == 0) {
        TRY(parse_element(parser, &state, 0));
    } else {
        return ptx_expected(parser, "'{'");
    }
    return finish(parser, &state, dimension_count && dimensions[0] == 0);
}
