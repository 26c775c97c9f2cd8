// Dumps of tokens and syntax trees. Golden files depend on the format: change both together.
#include "ptx/ptx.h"

sim_status ptx_dump_tokens(const char *text, size_t bytes, FILE *out, kl_error *err) {
    ptx_lexer lexer;
    ptx_token token;
    ptx_lex_begin(&lexer, text, bytes, err);
    do {
        TRY(ptx_lex_next(&lexer, &token));
        fprintf(out, "%u:%u %s", token.place.line, token.place.column,
                ptx_token_kind_name(token.kind));
        if (token.bytes) fprintf(out, " %.*s", (int)token.bytes, token.text);
        if (token.kind == PTX_TOKEN_INT)
            fprintf(out, " = %" PRIu64 "%s", token.value, token.is_unsigned ? "U" : "");
        else if (token.kind == PTX_TOKEN_FLOAT32 || token.kind == PTX_TOKEN_FLOAT64)
            fprintf(out, " = 0x%" PRIx64, token.value);
        fprintf(out, "\n");
    } while (token.kind != PTX_TOKEN_END);
    return SIM_OK;
}

static const char *space_name(ptx_space space) {
    static const char *const names[] = {"generic", "reg",   "param", "global",
                                        "shared",  "local", "const", "tex"};
    return (unsigned)space < sizeof names / sizeof *names ? names[space] : "?";
}

static void dump_operand(const ptx_operand *operand, FILE *out) {
    static const char brackets[][2] = {[PTX_OPERAND_VECTOR] = {'{', '}'},
                                       [PTX_OPERAND_LIST] = {'(', ')'},
                                       [PTX_OPERAND_TEXREF] = {'[', ']'}};
    switch (operand->kind) {
    case PTX_OPERAND_NAME:
        fprintf(out, "%s%s", operand->negated ? "!" : "", operand->name);
        if (operand->second) fprintf(out, "|%s", operand->second);
        if (operand->value) fprintf(out, "%+" PRId64, operand->value);
        break;
    case PTX_OPERAND_INT:
        if (operand->is_unsigned) fprintf(out, "%" PRIu64 "U", (uint64_t)operand->value);
        else fprintf(out, "%" PRId64, operand->value);
        break;
    case PTX_OPERAND_FLOAT32: fprintf(out, "0f%08" PRIX64, (uint64_t)operand->value); break;
    case PTX_OPERAND_FLOAT64: fprintf(out, "0d%016" PRIX64, (uint64_t)operand->value); break;
    case PTX_OPERAND_ADDRESS:
        if (operand->name) fprintf(out, "[%s%+" PRId64 "]", operand->name, operand->value);
        else fprintf(out, "[%" PRId64 "]", operand->value);
        break;
    default:
        fputc(brackets[operand->kind][0], out);
        for (uint32_t i = 0; i < operand->item_count; i++) {
            if (i) fputs(", ", out);
            dump_operand(&operand->items[i], out);
        }
        fputc(brackets[operand->kind][1], out);
        if (operand->second) fprintf(out, "|%s", operand->second);
    }
}

static void dump_instruction(const ptx_instruction *instruction, FILE *out) {
    if (instruction->guard)
        fprintf(out, "@%s%s ", instruction->guard_negated ? "!" : "", instruction->guard);
    for (uint32_t i = 0; i < instruction->word_count; i++)
        fprintf(out, "%s%s", i ? " ." : "", instruction->words[i]);
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        fputs(i ? ", " : " | ", out);
        dump_operand(&instruction->operands[i], out);
    }
}

static void dump_initialiser(const ptx_variable *variable, FILE *out) {
    enum { SHOWN = 32 };
    fputs(" = ", out);
    for (uint64_t i = 0; i < variable->size_bytes && i < SHOWN; i++)
        fprintf(out, "%02x", variable->init_bytes[i]);
    if (variable->size_bytes > SHOWN) fputs("...", out);
    for (uint32_t i = 0; i < variable->init_symbol_count; i++) {
        const ptx_init_symbol *symbol = &variable->init_symbols[i];
        fprintf(out, " @%zu:%u=%s%s%s%+" PRId64 ">>%u", symbol->offset_bytes, symbol->width_bytes,
                symbol->generic ? "generic(" : "", symbol->name, symbol->generic ? ")" : "",
                symbol->addend, symbol->shift_bits);
    }
}

static void dump_variable(const ptx_variable *variable, FILE *out) {
    fprintf(out, "%s%s%s%s", variable->is_extern ? "extern " : "",
            variable->is_visible ? "visible " : "", variable->is_weak ? "weak " : "",
            variable->is_managed ? "managed " : "");
    fprintf(out, "%s ", space_name(variable->space));
    if (variable->align_bytes) fprintf(out, "align %u ", variable->align_bytes);
    if (variable->vector != 1) fprintf(out, "v%u ", variable->vector);
    fprintf(out, "%s %s", ptx_type_name(variable->type), variable->name);
    if (variable->is_range) fprintf(out, "<%u>", variable->count);
    fprintf(out, " elements %" PRIu64 " bytes %" PRIu64, variable->elements, variable->size_bytes);
    if (variable->pointee_space || variable->pointee_align)
        fprintf(out, " ptr %s align %u", space_name(variable->pointee_space),
                variable->pointee_align);
    if (variable->init_bytes) dump_initialiser(variable, out);
}

static void dump_location(const ptx_module *module, const ptx_location *location, FILE *out) {
    fprintf(out, "loc %u:%u:%u", location->file, location->line, location->column);
    const char *function = ptx_location_function(module, location);
    if (function) fprintf(out, " in %s", function);
    if (location->has_inlined_at)
        fprintf(out, " inlined at %u:%u:%u", location->inlined_file, location->inlined_line,
                location->inlined_column);
    for (const ptx_location *outer = location->outer; outer; outer = outer->outer)
        fprintf(out, " < %u:%u:%u", outer->file, outer->line, outer->column);
}

static void dump_function(const ptx_module *module, const ptx_function *function, FILE *out);

static void dump_statement(const ptx_module *module, const ptx_statement *statement, FILE *out) {
    fprintf(out, "  %u:%u ", statement->place.line, statement->place.column);
    switch (statement->kind) {
    case PTX_STATEMENT_INSTRUCTION: dump_instruction(statement->instruction, out); break;
    case PTX_STATEMENT_LABEL: fprintf(out, "label %s", statement->label); break;
    case PTX_STATEMENT_VARIABLE: dump_variable(statement->variable, out); break;
    case PTX_STATEMENT_LOC: dump_location(module, statement->location, out); break;
    case PTX_STATEMENT_OPEN: fputs("{", out); break;
    case PTX_STATEMENT_CLOSE: fputs("}", out); break;
    case PTX_STATEMENT_BRANCHTARGETS:
    case PTX_STATEMENT_CALLTARGETS:
        fprintf(out, "%s %s =",
                statement->kind == PTX_STATEMENT_CALLTARGETS ? "calltargets" : "branchtargets",
                statement->label);
        for (uint32_t i = 0; i < statement->name_count; i++)
            fprintf(out, " %s", statement->names[i]);
        break;
    case PTX_STATEMENT_CALLPROTOTYPE:
        fputs("prototype ", out);
        dump_function(module, statement->prototype, out);
        return; // has ended its line
    }
    fputc('\n', out);
}

static void dump_dimensions(const char *name, const uint32_t size[3], FILE *out) {
    if (size[0]) fprintf(out, " %s %u,%u,%u", name, size[0], size[1], size[2]);
}

static void dump_function(const ptx_module *module, const ptx_function *function, FILE *out) {
    fprintf(out, "%s%s%s%s %s%s", function->is_extern ? "extern " : "",
            function->is_visible ? "visible " : "", function->is_weak ? "weak " : "",
            function->is_entry ? "entry" : "func", function->name,
            function->is_noreturn ? " noreturn" : "");
    dump_dimensions("maxntid", function->max_threads, out);
    dump_dimensions("reqntid", function->required_threads, out);
    dump_dimensions("cluster", function->cluster, out);
    if (function->min_blocks) fprintf(out, " minnctapersm %u", function->min_blocks);
    if (function->max_registers) fprintf(out, " maxnreg %u", function->max_registers);
    if (function->max_cluster_blocks)
        fprintf(out, " maxclusterrank %u", function->max_cluster_blocks);
    fputc('\n', out);
    for (uint32_t i = 0; i < function->return_count; i++) {
        fputs("  returns ", out);
        dump_variable(&function->returns[i], out);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < function->param_count; i++) {
        fputs("  takes ", out);
        dump_variable(&function->params[i], out);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < function->statement_count; i++)
        dump_statement(module, &function->statements[i], out);
}

void ptx_dump_module(const ptx_module *module, FILE *out) {
    fprintf(out, "version %u.%u target %s (%u) address_size %u\n", module->version_major,
            module->version_minor, module->target_text, module->target, module->address_bits);
    for (uint32_t i = 0; i < module->file_count; i++)
        fprintf(out, "file %u %s\n", module->files[i].index, module->files[i].name);
    for (uint32_t i = 0; i < module->variable_count; i++) {
        dump_variable(&module->variables[i], out);
        fputc('\n', out);
    }
    for (uint32_t i = 0; i < module->alias_count; i++)
        fprintf(out, "alias %s = %s\n", module->aliases[i].name, module->aliases[i].target);
    for (uint32_t i = 0; i < module->function_count; i++)
        dump_function(module, &module->functions[i], out);
}
