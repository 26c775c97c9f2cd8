// Parser of PTX modules (PTX ISA 9.0, chapters 4, 5 and 11): the header and the order of
// declarations. One pass, one token ahead, recursive descent. Syntax only; the decoder gives it
// meaning.
#include "ptx/internal.h"

// `.version 9.0`: the lexer reads 9.0 as a float, so the digits are read again here.
static sim_status parse_version(ptx_parser *parser) {
    if (!ptx_is_directive(parser, "version"))
        return ptx_expected(parser, ".version, with which every PTX module begins");
    TRY(ptx_advance(parser));
    const ptx_token *token = &parser->token;
    uint32_t number[2] = {0, 0}, part = 0;
    bool ok = token->kind == PTX_TOKEN_FLOAT64 && token->bytes < 8;
    for (uint32_t i = 0; i < token->bytes && ok; i++)
        if (token->text[i] == '.') ok = part++ == 0 && i > 0 && i + 1 < token->bytes;
        else if (token->text[i] >= '0' && token->text[i] <= '9')
            number[part] = number[part] * 10 + (uint32_t)(token->text[i] - '0');
        else ok = false;
    if (!ok || part != 1) return ptx_expected(parser, "a version such as 9.0");
    // The versions that there were; those of later toolkits are taken for granted. As for ptxas,
    // 7.10 is another spelling of 8.0.
    static const uint32_t last_minor[] = {0, 5, 3, 2, 3, 1, 5, 8, 8};
    uint32_t known = sizeof last_minor / sizeof *last_minor, version = number[0] * 10 + number[1];
    number[0] = version / 10;
    number[1] = version % 10;
    if (number[0] == 0 || (number[0] < known && number[1] > last_minor[number[0]]) ||
        number[0] > 2 * known) {
        ptx_parser_fail(parser, token->place, "there is no PTX version %u.%u", number[0],
                        number[1]);
        if (parser->err) parser->err->status = SIM_PTX_VERSION; // which kind of bad PTX
        return SIM_BAD_PTX;
    }
    parser->module->version_major = number[0];
    parser->module->version_minor = number[1];
    return ptx_advance(parser);
}

// The architecture of `sm_90a` or `compute_90a`, 0: the token is none.
static sim_status find_target(ptx_parser *parser, uint32_t *out_target) {
    static const struct {
        uint32_t architecture;
        const char *suffix;
        uint32_t major, minor;
    } targets[] = {
#define PTX_TARGET(architecture, suffix, major, minor) {architecture, suffix, major, minor},
#include "ptx/targets.def"
#undef PTX_TARGET
    };
    const ptx_module *module = parser->module;
    const ptx_token *token = &parser->token;
    uint32_t prefix = token->bytes > 3 && memcmp(token->text, "sm_", 3) == 0        ? 3
                      : token->bytes > 8 && memcmp(token->text, "compute_", 8) == 0 ? 8
                                                                                    : 0;
    uint32_t number = 0, i = prefix;
    *out_target = 0;
    if (!prefix) return SIM_OK;
    for (; i < token->bytes && i < 16 && token->text[i] >= '0' && token->text[i] <= '9'; i++)
        number = number * 10 + (uint32_t)(token->text[i] - '0');
    for (size_t row = 0; row < sizeof targets / sizeof *targets; row++) {
        size_t suffix = strlen(targets[row].suffix);
        if (targets[row].architecture != number || token->bytes - i != suffix ||
            memcmp(targets[row].suffix, token->text + i, suffix) != 0)
            continue;
        uint32_t major = targets[row].major, minor = targets[row].minor;
        if (module->version_major < major ||
            (module->version_major == major && module->version_minor < minor))
            return ptx_parser_fail(parser, token->place,
                                   "'%.*s' needs PTX %u.%u; this module is PTX %u.%u",
                                   (int)token->bytes, token->text, major, minor,
                                   module->version_major, module->version_minor);
        *out_target = number;
        return SIM_OK;
    }
    return ptx_expected(parser, "a target such as sm_90");
}

// `.target sm_90a, debug`; of several architectures the highest counts.
static sim_status parse_target(ptx_parser *parser) {
    static const char *const options[] = {"debug", "texmode_unified", "texmode_independent"};
    if (!ptx_is_directive(parser, "target")) return ptx_expected(parser, ".target after .version");
    ptx_module *module = parser->module;
    bool more = true, found[sizeof options / sizeof *options] = {false};
    TRY(ptx_advance(parser));
    while (more) {
        uint32_t target;
        size_t option = 0;
        TRY(find_target(parser, &target));
        while (!target && option < sizeof options / sizeof *options &&
               !ptx_token_is(&parser->token, options[option]))
            option++;
        if (!target && (module->target == 0 || option == sizeof options / sizeof *options))
            return ptx_expected(parser, module->target ? "a target option such as debug"
                                                       : "a target such as sm_90");
        if (!target) found[option] = true;
        parser->has_samplers |= found[2];
        parser->is_debug |= found[0];
        if (found[1] && found[2])
            return ptx_parser_fail(parser, parser->token.place, "two modes of textures");
        const char *text;
        TRY(ptx_expect_name(parser, "a target", &text));
        if (target > module->target) {
            module->target = target;
            module->target_text = text;
        }
        TRY(ptx_accept(parser, PTX_TOKEN_COMMA, &more));
    }
    return SIM_OK;
}

static sim_status parse_address_size(ptx_parser *parser) {
    TRY(ptx_advance(parser));
    ptx_place place = parser->token.place;
    TRY(ptx_expect_u32(parser, "32 or 64", UINT32_MAX, &parser->module->address_bits));
    if (parser->module->address_bits != 64)
        return ptx_parser_fail(parser, place, "only .address_size 64 is supported");
    return SIM_OK;
}

static sim_status parse_alias(ptx_parser *parser) {
    ptx_alias alias;
    TRY(ptx_advance(parser));
    alias.place = parser->token.place;
    TRY(ptx_expect_name(parser, "the name of a function", &alias.name));
    TRY(ptx_expect(parser, PTX_TOKEN_COMMA, NULL));
    TRY(ptx_expect_name(parser, "the name of a function", &alias.target));
    ptx_alias *slot = ptx_stack_push(&parser->aliases);
    if (!slot) return ptx_no_memory(parser);
    *slot = alias;
    return ptx_expect(parser, PTX_TOKEN_SEMICOLON, "';' after .alias");
}

static sim_status parse_linkage(ptx_parser *parser, ptx_linkage *linkage) {
    *linkage = (ptx_linkage){.place = parser->token.place};
    if (ptx_is_directive(parser, "visible")) linkage->is_visible = true;
    else if (ptx_is_directive(parser, "extern")) linkage->is_extern = true;
    else if (ptx_is_directive(parser, "weak")) linkage->is_weak = true;
    else if (ptx_is_directive(parser, "common"))
        linkage->is_weak = linkage->is_common = true; // several modules may define it, one is kept
    else return SIM_OK;
    return ptx_advance(parser);
}

static sim_status parse_declaration(ptx_parser *parser) {
    if (ptx_is_directive(parser, "file")) return ptx_parse_file_directive(parser);
    if (ptx_is_directive(parser, "section")) return ptx_parse_section(parser);
    if (ptx_is_directive(parser, "pragma")) return ptx_skip_pragma(parser, true);
    if (ptx_is_directive(parser, "alias")) return parse_alias(parser);
    ptx_linkage linkage;
    TRY(parse_linkage(parser, &linkage));
    if (!linkage.is_common &&
        (ptx_is_directive(parser, "entry") || ptx_is_directive(parser, "func")))
        return ptx_parse_function(parser, &linkage);
    if (parser->token.kind == PTX_TOKEN_DIRECTIVE) {
        ptx_space space = ptx_space_find(&parser->token);
        if (space == PTX_SPACE_GLOBAL || space == PTX_SPACE_CONST || space == PTX_SPACE_SHARED ||
            space == PTX_SPACE_TEX || ptx_is_directive(parser, "attribute"))
            return ptx_parse_variables(parser, &linkage, &parser->variables);
    }
    return ptx_expected(parser, "a declaration such as .entry, .func or .global");
}

static sim_status parse_module(ptx_parser *parser) {
    ptx_module *module = parser->module;
    module->address_bits = 64;
    TRY(ptx_advance(parser));
    TRY(parse_version(parser));
    TRY(parse_target(parser));
    while (ptx_is_directive(parser, "target")) TRY(parse_target(parser));
    if (ptx_is_directive(parser, "address_size")) TRY(parse_address_size(parser));
    while (parser->token.kind != PTX_TOKEN_END) TRY(parse_declaration(parser));
    module->lacks_debug = parser->is_debug && !parser->has_sections && parser->files.count == 0;

    const void *taken;
    TRY(ptx_stack_take(parser, &parser->variables, 0, &taken, &module->variable_count));
    module->variables = taken;
    TRY(ptx_stack_take(parser, &parser->functions, 0, &taken, &module->function_count));
    module->functions = taken;
    TRY(ptx_stack_take(parser, &parser->files, 0, &taken, &module->file_count));
    module->files = taken;
    TRY(ptx_stack_take(parser, &parser->aliases, 0, &taken, &module->alias_count));
    module->aliases = taken;
    return ptx_finish_debug_strings(parser);
}

static void free_scratch(ptx_parser *parser) {
    ptx_stack *stacks[] = {&parser->operands,     &parser->statements,   &parser->variables,
                           &parser->parameters,   &parser->functions,    &parser->files,
                           &parser->aliases,      &parser->names,        &parser->init_data,
                           &parser->init_symbols, &parser->debug_labels, &parser->debug_bytes};
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) free(stacks[i]->data);
    free(parser->symbols);
    free(parser->locs);
}

sim_status ptx_parse(const char *text, size_t bytes, ptx_module **out_module, kl_error *err) {
    *out_module = NULL;
    while (bytes > 0 && text[bytes - 1] == '\0') bytes--; // fat binaries pad with NULs
    if (bytes > UINT32_MAX / 2) return sim_fail(err, SIM_BAD_PTX, "a PTX text of 2 GiB or more");
    sim_arena *arena = sim_arena_new(PTX_MAX_ARENA_BYTES);
    ptx_module *module = arena ? sim_arena_alloc(arena, sizeof *module) : NULL;
    if (!module) {
        sim_arena_free(arena);
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a syntax tree");
    }
    module->arena = arena;
    ptx_parser parser = {.arena = arena,
                         .err = err,
                         .module = module,
                         .function_serial = 1, // 0 marks empty slots
                         .operands.element_bytes = sizeof(ptx_operand),
                         .statements.element_bytes = sizeof(ptx_statement),
                         .variables.element_bytes = sizeof(ptx_variable),
                         .parameters.element_bytes = sizeof(ptx_variable),
                         .functions.element_bytes = sizeof(ptx_function),
                         .files.element_bytes = sizeof(ptx_file),
                         .aliases.element_bytes = sizeof(ptx_alias),
                         .names.element_bytes = sizeof(const char *),
                         .init_data.element_bytes = 1,
                         .init_symbols.element_bytes = sizeof(ptx_init_symbol),
                         .debug_labels.element_bytes = sizeof(ptx_debug_label),
                         .debug_bytes.element_bytes = 1};
    ptx_lex_begin(&parser.lexer, text, bytes, err);
    sim_status status = parse_module(&parser);
    free_scratch(&parser);
    if (status != SIM_OK) {
        sim_arena_free(arena);
        return status;
    }
    *out_module = module;
    return SIM_OK;
}
