// SPDX-License-Identifier: MIT
// Kernels, device functions and call prototypes: everything but their bodies (PTX ISA 9.0, sections
// 11.1, 11.2 and 11.4). Must not compare declarations of one function with each other: the decoder
// does.
#include "ptx/internal.h"

#include <string.h>

enum { MAX_DIMENSION = 1 << 30 }; // of a block, cluster, register count given as a directive

// `.maxntid 256, 1, 1`: one to three numbers; missing ones are 1.
static sim_status parse_dimensions(ptx_parser *parser, const char *what, uint32_t out[3]) {
    TRY(ptx_advance(parser));
    bool more = true;
    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3 && more; i++) {
        TRY(ptx_expect_u32(parser, what, MAX_DIMENSION, &out[i]));
        if (i < 2) TRY(ptx_accept(parser, PTX_TOKEN_COMMA, &more));
    }
    return SIM_OK;
}

static sim_status parse_number(ptx_parser *parser, const char *what, uint32_t *out) {
    TRY(ptx_advance(parser));
    return ptx_expect_u32(parser, what, MAX_DIMENSION, out);
}

// The directive at the current token when it belongs to the head of a function.
static sim_status parse_head_directive(ptx_parser *parser, ptx_function *function) {
    const ptx_token *token = &parser->token;
    uint32_t ignored;
    bool managed = false;
    if (ptx_token_is(token, "maxntid"))
        return parse_dimensions(parser, "a number of threads", function->max_threads);
    if (ptx_token_is(token, "reqntid"))
        return parse_dimensions(parser, "a number of threads", function->required_threads);
    if (ptx_token_is(token, "reqnctapercluster"))
        return parse_dimensions(parser, "a number of blocks", function->cluster);
    if (ptx_token_is(token, "minnctapersm"))
        return parse_number(parser, "a number of blocks", &function->min_blocks);
    if (ptx_token_is(token, "maxclusterrank"))
        return parse_number(parser, "a number of blocks", &function->max_cluster_blocks);
    if (ptx_token_is(token, "maxnreg"))
        return parse_number(parser, "a number of registers", &function->max_registers);
    if (ptx_token_is(token, "maxnctapersm") || ptx_token_is(token, "abi_preserve") ||
        ptx_token_is(token, "abi_preserve_control"))
        return parse_number(parser, "a number", &ignored);
    if (ptx_token_is(token, "pragma")) return ptx_skip_pragma(parser);
    if (ptx_token_is(token, "attribute")) return ptx_parse_attribute(parser, &managed);
    if (ptx_token_is(token, "noreturn"))
        function->is_noreturn = true;
    else if (!ptx_token_is(token, "explicitcluster") && !ptx_token_is(token, "blocksareclusters"))
        return ptx_expected(parser, "'{', ';' or a directive such as .maxntid");
    return ptx_advance(parser);
}

static sim_status parse_head_directives(ptx_parser *parser, ptx_function *function) {
    while (parser->token.kind == PTX_TOKEN_DIRECTIVE) TRY(parse_head_directive(parser, function));
    return SIM_OK;
}

// After `.entry` or `.func`: returns, name, parameters, directives.
static sim_status parse_head(ptx_parser *parser, ptx_function *function) {
    TRY(parse_head_directives(parser, function));
    if (!function->is_entry && parser->token.kind == PTX_TOKEN_OPEN_PAREN)
        TRY(ptx_parse_parameters(parser, &function->returns, &function->return_count));
    function->place = parser->token.place;
    TRY(ptx_expect_name(parser,
                        function->is_entry ? "the name of a kernel" : "the name of a function",
                        &function->name));
    TRY(parse_head_directives(parser, function));
    if (parser->token.kind == PTX_TOKEN_OPEN_PAREN)
        TRY(ptx_parse_parameters(parser, &function->params, &function->param_count));
    return parse_head_directives(parser, function);
}

sim_status ptx_parse_function(ptx_parser *parser, const ptx_linkage *linkage) {
    ptx_function function = {.is_extern = linkage->is_extern,
                             .is_visible = linkage->is_visible,
                             .is_weak = linkage->is_weak,
                             .is_entry = ptx_is_directive(parser, "entry")};
    TRY(ptx_advance(parser));
    TRY(parse_head(parser, &function));
    if (parser->token.kind == PTX_TOKEN_OPEN_BRACE) {
        if (function.is_extern)
            return ptx_expected(parser, "';' (an .extern function has no body)");
        function.has_body = true;
        TRY(ptx_parse_body(parser, &function));
    } else {
        TRY(ptx_expect(parser, PTX_TOKEN_SEMICOLON, "'{' or ';' after the head of a function"));
    }
    ptx_function *slot = ptx_stack_push(&parser->functions);
    if (!slot) return ptx_no_memory(parser);
    *slot = function;
    return SIM_OK;
}

sim_status ptx_parse_prototype(ptx_parser *parser, const char *label,
                               const ptx_function **out_prototype) {
    ptx_function *function = sim_arena_alloc(parser->arena, sizeof *function);
    if (!function) return ptx_no_memory(parser);
    TRY(ptx_advance(parser));
    TRY(parse_head(parser, function));
    if (strcmp(function->name, "_") != 0)
        return ptx_parser_fail(parser, function->place, "expected '_' as the name of a prototype");
    function->name = label;
    *out_prototype = function;
    return ptx_expect(parser, PTX_TOKEN_SEMICOLON, "';' after a prototype");
}
