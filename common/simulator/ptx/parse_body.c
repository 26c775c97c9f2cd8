// Function bodies (PTX ISA 9.0, chapter 4.3 and section 5): labels, scopes, declarations,
// instructions. Scopes become OPEN and CLOSE statements; must not resolve names or know opcodes.
#include "ptx/internal.h"

static ptx_statement *push_statement(ptx_parser *parser, ptx_statement_kind kind, ptx_place place) {
    ptx_statement *statement = ptx_stack_push(&parser->statements);
    if (!statement) return NULL;
    statement->kind = kind;
    statement->place = place;
    return statement;
}

static sim_status parse_names(ptx_parser *parser, ptx_statement *statement, const char *what) {
    bool more = true;
    while (more) {
        const char *name;
        TRY(ptx_expect_name(parser, what, &name));
        const char **slot = ptx_stack_push(&parser->names);
        if (!slot) return ptx_no_memory(parser);
        *slot = name;
        TRY(ptx_accept(parser, PTX_TOKEN_COMMA, &more));
    }
    const void *names;
    TRY(ptx_stack_take(parser, &parser->names, 0, &names, &statement->name_count));
    statement->names = names;
    return ptx_expect(parser, PTX_TOKEN_SEMICOLON, "',' or ';' after a name");
}

// What may follow `label:` and belongs to the label.
static sim_status parse_labelled_directive(ptx_parser *parser, const char *label, ptx_place place) {
    ptx_statement statement = {.label = label, .place = place};
    if (ptx_is_directive(parser, "branchtargets")) {
        statement.kind = PTX_STATEMENT_BRANCHTARGETS;
        TRY(ptx_advance(parser));
        TRY(parse_names(parser, &statement, "a label"));
    } else if (ptx_is_directive(parser, "calltargets")) {
        statement.kind = PTX_STATEMENT_CALLTARGETS;
        TRY(ptx_advance(parser));
        TRY(parse_names(parser, &statement, "the name of a function"));
    } else if (ptx_is_directive(parser, "callprototype")) {
        statement.kind = PTX_STATEMENT_CALLPROTOTYPE;
        TRY(ptx_parse_prototype(parser, label, &statement.prototype));
    } else {
        statement.kind = PTX_STATEMENT_LABEL;
    }
    ptx_statement *slot = ptx_stack_push(&parser->statements);
    if (!slot) return ptx_no_memory(parser);
    *slot = statement;
    return SIM_OK;
}

// `opcode` was consumed by the caller. A blank before a dot is allowed: `ld .global .f32`.
static sim_status join_opcode(ptx_parser *parser, const ptx_token *opcode,
                              const ptx_symbol **out_symbol) {
    char joined[512];
    size_t bytes = opcode->bytes;
    if (bytes > sizeof joined)
        return ptx_parser_fail(parser, opcode->place, "this opcode is too long");
    memcpy(joined, opcode->text, bytes);
    while (parser->token.kind == PTX_TOKEN_DIRECTIVE) {
        if (bytes + parser->token.bytes + 1 > sizeof joined)
            return ptx_parser_fail(parser, opcode->place, "this opcode is too long");
        joined[bytes++] = '.';
        memcpy(joined + bytes, parser->token.text, parser->token.bytes);
        bytes += parser->token.bytes;
        TRY(ptx_advance(parser));
    }
    ptx_token whole = *opcode;
    whole.text = joined;
    whole.bytes = (uint32_t)bytes;
    return ptx_intern_opcode(parser, &whole, out_symbol);
}

static sim_status parse_instruction(ptx_parser *parser, const ptx_token *opcode, const char *guard,
                                    bool guard_negated) {
    const ptx_symbol *symbol;
    if (parser->token.kind == PTX_TOKEN_DIRECTIVE) TRY(join_opcode(parser, opcode, &symbol));
    else TRY(ptx_intern_opcode(parser, opcode, &symbol));
    ptx_instruction *instruction = sim_arena_alloc(parser->arena, sizeof *instruction);
    ptx_statement *statement = push_statement(parser, PTX_STATEMENT_INSTRUCTION, opcode->place);
    if (!instruction || !statement) return ptx_no_memory(parser);
    statement->instruction = instruction;
    instruction->words = symbol->words;
    instruction->word_count = symbol->word_count;
    instruction->opcode = symbol->text;
    instruction->guard = guard;
    instruction->guard_negated = guard_negated;
    instruction->nounroll = parser->nounroll;
    parser->nounroll = false;
    instruction->place = opcode->place;
    return ptx_parse_operands(parser, strcmp(instruction->words[0], "call") == 0,
                              PTX_TOKEN_SEMICOLON, &instruction->operands,
                              &instruction->operand_count);
}

// `@%p opcode ...`, `@!%p opcode ...`
static sim_status parse_guarded(ptx_parser *parser) {
    bool negated;
    const char *guard;
    TRY(ptx_advance(parser));
    TRY(ptx_accept(parser, PTX_TOKEN_NOT, &negated));
    TRY(ptx_expect_name(parser, "a predicate after '@'", &guard));
    ptx_token opcode = parser->token;
    if (opcode.kind != PTX_TOKEN_WORD) return ptx_expected(parser, "an instruction");
    TRY(ptx_advance(parser));
    return parse_instruction(parser, &opcode, guard, negated);
}

static sim_status parse_word(ptx_parser *parser) {
    ptx_token word = parser->token;
    TRY(ptx_advance(parser));
    if (parser->token.kind != PTX_TOKEN_COLON) return parse_instruction(parser, &word, NULL, false);
    const char *label;
    TRY(ptx_advance(parser));
    TRY(ptx_intern(parser, word.text, word.bytes, &label));
    return parse_labelled_directive(parser, label, word.place);
}

// A .global or .const variable of a function lives as long as the module: one of the module's has
// its value, by a name that no other can have.
static sim_status name_in_module(ptx_parser *parser, ptx_variable *variable, uint32_t number) {
    char name[96];
    if (variable->space != PTX_SPACE_GLOBAL && variable->space != PTX_SPACE_CONST) return SIM_OK;
    snprintf(name, sizeof name, "%.60s:%u:%u", variable->name, variable->place.line, number);
    return ptx_intern(parser, name, strlen(name), &variable->module_name);
}

static sim_status add_to_module(ptx_parser *parser, const ptx_variable *variable) {
    if (!variable->module_name) return SIM_OK;
    ptx_variable *slot = ptx_stack_push(&parser->variables);
    if (!slot) return ptx_no_memory(parser);
    *slot = *variable;
    slot->name = variable->module_name;
    return SIM_OK;
}

static sim_status parse_local_variables(ptx_parser *parser) {
    uint32_t mark = parser->variables.count;
    TRY(ptx_parse_variables(parser, NULL, &parser->variables));
    const void *taken;
    uint32_t count;
    for (uint32_t i = mark; i < parser->variables.count; i++)
        TRY(name_in_module(parser, &((ptx_variable *)(void *)parser->variables.data)[i], i));
    TRY(ptx_stack_take(parser, &parser->variables, mark, &taken, &count));
    const ptx_variable *variables = taken;
    for (uint32_t i = 0; i < count; i++) {
        ptx_statement *statement =
            push_statement(parser, PTX_STATEMENT_VARIABLE, variables[i].place);
        if (!statement) return ptx_no_memory(parser);
        statement->variable = &variables[i];
        TRY(add_to_module(parser, &variables[i]));
    }
    return SIM_OK;
}

sim_status ptx_skip_pragma(ptx_parser *parser, bool of_module) {
    TRY(ptx_advance(parser));
    bool more = true;
    while (more) {
        const ptx_token *word = &parser->token;
        if (word->kind == PTX_TOKEN_STRING && word->bytes == 8 &&
            !memcmp(word->text, "nounroll", 8))
            parser->nounroll = true;
        else if (of_module) return ptx_expected(parser, "\"nounroll\", the one pragma of a module");
        TRY(ptx_expect(parser, PTX_TOKEN_STRING, "a string after .pragma"));
        TRY(ptx_accept(parser, PTX_TOKEN_COMMA, &more));
    }
    return ptx_expect(parser, PTX_TOKEN_SEMICOLON, "',' or ';' after a pragma");
}

static sim_status parse_body_directive(ptx_parser *parser) {
    ptx_place place = parser->token.place;
    if (ptx_is_directive(parser, "loc")) {
        const ptx_location *location;
        TRY(ptx_parse_loc(parser, &location));
        ptx_statement *statement = push_statement(parser, PTX_STATEMENT_LOC, place);
        if (!statement) return ptx_no_memory(parser);
        statement->location = location;
        return SIM_OK;
    }
    if (ptx_is_directive(parser, "pragma")) return ptx_skip_pragma(parser, false);
    if (ptx_space_find(&parser->token) != PTX_SPACE_NONE) return parse_local_variables(parser);
    return ptx_expected(parser, "an instruction, a label or a declaration");
}

sim_status ptx_parse_body(ptx_parser *parser, ptx_function *function) {
    uint32_t mark = parser->statements.count;
    unsigned depth = 0;
    ptx_begin_function_locs(parser);
    TRY(ptx_expect(parser, PTX_TOKEN_OPEN_BRACE, NULL));
    for (;;) {
        const ptx_token *token = &parser->token;
        switch (token->kind) {
        case PTX_TOKEN_WORD: TRY(parse_word(parser)); break;
        case PTX_TOKEN_AT: TRY(parse_guarded(parser)); break;
        case PTX_TOKEN_DIRECTIVE: TRY(parse_body_directive(parser)); break;
        case PTX_TOKEN_OPEN_BRACE:
        case PTX_TOKEN_CLOSE_BRACE: {
            bool opens = token->kind == PTX_TOKEN_OPEN_BRACE;
            ptx_place place = token->place;
            if (opens && ++depth > PTX_MAX_SCOPES)
                return ptx_parser_fail(parser, place, "scopes nest too deep");
            TRY(ptx_advance(parser));
            if (!opens && depth-- == 0) {
                const void *statements;
                TRY(ptx_stack_take(parser, &parser->statements, mark, &statements,
                                   &function->statement_count));
                function->statements = statements;
                return SIM_OK;
            }
            if (!push_statement(parser, opens ? PTX_STATEMENT_OPEN : PTX_STATEMENT_CLOSE, place))
                return ptx_no_memory(parser);
            break;
        }
        case PTX_TOKEN_END:
            return ptx_parser_fail(parser, token->place,
                                   "expected '}' to close the body of '%.60s' (line %u), found the "
                                   "end of the text",
                                   function->name, function->place.line);
        default: return ptx_expected(parser, "an instruction, a label or a declaration");
        }
    }
}
