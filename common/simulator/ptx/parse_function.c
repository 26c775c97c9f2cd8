// Kernels, device functions and call prototypes: everything but their bodies (PTX ISA 9.0, sections
// 11.1, 11.2 and 11.4). Must not compare declarations of one function with each other: the decoder
// does.
#include "ptx/internal.h"

enum { MAX_DIMENSION = 1 << 30 }; // of a block, cluster, register count given as a directive

static sim_status expect_positive(ptx_parser *parser, const char *what, uint32_t least,
                                  uint32_t *out) {
    ptx_place place = parser->token.place;
    TRY(ptx_expect_u32(parser, what, MAX_DIMENSION, out));
    return *out >= least ? SIM_OK : ptx_parser_fail(parser, place, "%s of 0", what);
}

// `.maxntid 256, 1, 1`: one to three numbers; missing ones are 1.
static sim_status parse_dimensions(ptx_parser *parser, const char *what, uint32_t least,
                                   uint32_t out[3]) {
    TRY(ptx_advance(parser));
    bool more = true;
    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3 && more; i++) {
        TRY(expect_positive(parser, what, least, &out[i]));
        if (i < 2) TRY(ptx_accept(parser, PTX_TOKEN_COMMA, &more));
    }
    return SIM_OK;
}

static sim_status parse_number(ptx_parser *parser, const char *what, uint32_t least,
                               uint32_t *out) {
    TRY(ptx_advance(parser));
    return expect_positive(parser, what, least, out);
}

// The directive at the current token when it belongs to the head of a kernel.
static sim_status parse_kernel_directive(ptx_parser *parser, ptx_function *function,
                                         bool *out_known) {
    const ptx_token *token = &parser->token;
    *out_known = true;
    if (ptx_token_is(token, "maxntid"))
        return parse_dimensions(parser, "a number of threads", 1, function->max_threads);
    if (ptx_token_is(token, "reqntid"))
        return parse_dimensions(parser, "a number of threads", 1, function->required_threads);
    if (ptx_token_is(token, "reqnctapercluster"))
        return parse_dimensions(parser, "a number of blocks", 0, function->cluster);
    if (ptx_token_is(token, "minnctapersm"))
        return parse_number(parser, "a number of blocks", 1, &function->min_blocks);
    if (ptx_token_is(token, "maxclusterrank"))
        return parse_number(parser, "a number of blocks", 0, &function->max_cluster_blocks);
    if (ptx_token_is(token, "maxnreg"))
        return parse_number(parser, "a number of registers", 1, &function->max_registers);
    if (ptx_token_is(token, "pragma")) return ptx_skip_pragma(parser, false);
    *out_known = ptx_token_is(token, "explicitcluster");
    if (ptx_token_is(token, "blocksareclusters")) *out_known = function->blocks_are_clusters = true;
    return *out_known ? ptx_advance(parser) : SIM_OK;
}

static sim_status parse_head_directive(ptx_parser *parser, ptx_function *function) {
    const ptx_token *token = &parser->token;
    uint32_t ignored;
    bool known = false, managed = false;
    if (function->is_entry) {
        TRY(parse_kernel_directive(parser, function, &known));
        if (known) return SIM_OK;
        return ptx_expected(parser, "'{', ';' or a directive such as .maxntid");
    }
    if (ptx_token_is(token, "abi_preserve") || ptx_token_is(token, "abi_preserve_control"))
        return parse_number(parser, "a number", 0, &ignored);
    if (ptx_token_is(token, "attribute")) return ptx_parse_attribute(parser, &managed);
    if (!ptx_token_is(token, "noreturn"))
        return ptx_expected(parser, "'{', ';' or a directive such as .noreturn");
    function->is_noreturn = true;
    return ptx_advance(parser);
}

// Directives that exclude or need each other.
static sim_status check_directives(ptx_parser *parser, const ptx_function *function) {
    const char *wrong = NULL;
    if (function->max_threads[0] && function->required_threads[0])
        wrong = ".maxntid and .reqntid exclude each other";
    if (function->max_cluster_blocks && function->cluster[0])
        wrong = ".maxclusterrank and .reqnctapercluster exclude each other";
    if (function->blocks_are_clusters && !(function->required_threads[0] && function->cluster[0]))
        wrong = ".blocksareclusters needs .reqntid and .reqnctapercluster";
    return wrong ? ptx_parser_fail(parser, function->place, "%s", wrong) : SIM_OK;
}

// Results are registers, or one .param.
static sim_status check_returns(ptx_parser *parser, const ptx_function *function) {
    for (uint32_t i = 0; i < function->return_count; i++) {
        const ptx_variable *result = &function->returns[i];
        if (result->is_range)
            return ptx_parser_fail(parser, result->place, "a result is no range of registers");
        if (function->return_count > 1 && result->space != PTX_SPACE_REG)
            return ptx_parser_fail(parser, result->place, "of several results each is a .reg");
    }
    if (function->return_count && function->is_noreturn)
        return ptx_parser_fail(parser, function->place, "a .noreturn function has no result");
    return SIM_OK;
}

// Parameters have names of their own; those of kernels lie in memory.
static sim_status check_parameters(ptx_parser *parser, const ptx_function *function) {
    for (uint32_t i = 0; i < function->param_count; i++) {
        const ptx_variable *param = &function->params[i];
        if (param->is_range)
            return ptx_parser_fail(parser, param->place, "a parameter is no range of registers");
        if (!function->is_entry && param->is_pointer)
            return ptx_parser_fail(parser, param->place, "only a kernel's parameter is a .ptr");
        if (function->is_entry && param->space == PTX_SPACE_REG)
            return ptx_parser_fail(parser, param->place, "a parameter of a kernel is a .param");
        if (function->is_entry && param->elements == 0)
            return ptx_parser_fail(parser, param->place, "a parameter of a kernel has a size");
        for (uint32_t k = 0; k < i && strcmp(param->name, "_") != 0; k++)
            if (function->params[k].name == param->name)
                return ptx_parser_fail(parser, param->place, "two parameters are named '%.60s'",
                                       param->name);
    }
    return SIM_OK;
}

// Those of a function, other than a prototype's and a kernel's, have names.
static sim_status check_names(ptx_parser *parser, const ptx_function *function) {
    for (uint32_t i = 0; i < function->param_count + function->return_count; i++) {
        const ptx_variable *variable = i < function->param_count
                                           ? &function->params[i]
                                           : &function->returns[i - function->param_count];
        if (strcmp(variable->name, "_") == 0)
            return ptx_parser_fail(parser, variable->place,
                                   "parameters and results of a function have names");
    }
    return SIM_OK;
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
    TRY(check_parameters(parser, function));
    TRY(parse_head_directives(parser, function));
    TRY(check_returns(parser, function));
    return check_directives(parser, function);
}

sim_status ptx_parse_function(ptx_parser *parser, const ptx_linkage *linkage) {
    ptx_function function = {.is_extern = linkage->is_extern,
                             .is_visible = linkage->is_visible,
                             .is_weak = linkage->is_weak,
                             .is_entry = ptx_is_directive(parser, "entry")};
    TRY(ptx_advance(parser));
    TRY(parse_head(parser, &function));
    if (!function.is_entry) TRY(check_names(parser, &function));
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
