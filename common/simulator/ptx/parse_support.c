// Ground of the PTX parser: reading tokens with good errors, scratch stacks, interned names and
// opcodes. Must not know any production of the grammar.
#include "ptx/internal.h"

sim_status ptx_advance(ptx_parser *parser) { return ptx_lex_next(&parser->lexer, &parser->token); }

sim_status ptx_parser_fail(ptx_parser *parser, ptx_place place, const char *format, ...) {
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    const ptx_lexer *lexer = &parser->lexer;
    return ptx_fail(lexer->text, (size_t)(lexer->end - lexer->text), place, SIM_BAD_PTX,
                    parser->err, "%s", message);
}

sim_status ptx_expected(ptx_parser *parser, const char *what) {
    const ptx_token *token = &parser->token;
    int shown = token->bytes > 60 ? 60 : (int)token->bytes;
    if (token->kind == PTX_TOKEN_END)
        return ptx_parser_fail(parser, token->place, "expected %s, found the end of the text",
                               what);
    return ptx_parser_fail(parser, token->place, "expected %s, found '%s%.*s'", what,
                           token->kind == PTX_TOKEN_DIRECTIVE ? "." : "", shown, token->text);
}

sim_status ptx_no_memory(ptx_parser *parser) {
    return sim_fail(parser->err, SIM_OUT_OF_MEMORY,
                    "no memory for the syntax tree (or a list beyond its cap) near line %u",
                    parser->token.place.line);
}

sim_status ptx_expect(ptx_parser *parser, ptx_token_kind kind, const char *what) {
    if (parser->token.kind != kind)
        return ptx_expected(parser, what ? what : ptx_token_kind_text(kind));
    return ptx_advance(parser);
}

sim_status ptx_accept(ptx_parser *parser, ptx_token_kind kind, bool *out_accepted) {
    *out_accepted = parser->token.kind == kind;
    return *out_accepted ? ptx_advance(parser) : SIM_OK;
}

sim_status ptx_expect_u32(ptx_parser *parser, const char *what, uint32_t limit, uint32_t *out) {
    if (parser->token.kind != PTX_TOKEN_INT) return ptx_expected(parser, what);
    if (parser->token.value > limit)
        return ptx_parser_fail(parser, parser->token.place, "%s is beyond the limit of %u", what,
                               limit);
    *out = (uint32_t)parser->token.value;
    return ptx_advance(parser);
}

sim_status ptx_expect_name(ptx_parser *parser, const char *what, const char **out_name) {
    if (parser->token.kind != PTX_TOKEN_WORD) return ptx_expected(parser, what);
    TRY(ptx_intern(parser, parser->token.text, parser->token.bytes, out_name));
    return ptx_advance(parser);
}

bool ptx_token_is(const ptx_token *token, const char *text) {
    return strlen(text) == token->bytes && memcmp(token->text, text, token->bytes) == 0;
}

bool ptx_is_directive(const ptx_parser *parser, const char *text) {
    return parser->token.kind == PTX_TOKEN_DIRECTIVE && ptx_token_is(&parser->token, text);
}

// ---- names

// FNV-1a over 8 bytes at a time, folded at the end; only spread matters here.
static uint32_t hash_text(const char *text, uint32_t bytes) {
    const uint64_t prime = 0x100000001b3u;
    uint64_t hash = 0xcbf29ce484222325u ^ bytes;
    for (; bytes >= 8; text += 8, bytes -= 8) {
        uint64_t part;
        memcpy(&part, text, 8);
        hash = (hash ^ part) * prime;
        hash ^= hash >> 29;
    }
    for (; bytes; text++, bytes--) hash = (hash ^ (unsigned char)*text) * prime;
    return (uint32_t)(hash ^ hash >> 32);
}

static sim_status grow_symbols(ptx_parser *parser) {
    uint32_t slots = parser->symbol_slots ? parser->symbol_slots * 2 : 4096;
    ptx_symbol *grown = slots ? calloc(slots, sizeof *grown) : NULL;
    if (!grown) return ptx_no_memory(parser);
    for (uint32_t i = 0; i < parser->symbol_slots; i++) {
        if (!parser->symbols[i].text) continue;
        uint32_t slot = parser->symbols[i].hash & (slots - 1);
        while (grown[slot].text) slot = (slot + 1) & (slots - 1);
        grown[slot] = parser->symbols[i];
    }
    free(parser->symbols);
    parser->symbols = grown;
    parser->symbol_slots = slots;
    return SIM_OK;
}

static sim_status find_symbol(ptx_parser *parser, const char *text, uint32_t bytes,
                              ptx_symbol **out_symbol) {
    if (parser->symbol_count >= parser->symbol_slots / 2) TRY(grow_symbols(parser));
    uint32_t hash = hash_text(text, bytes), mask = parser->symbol_slots - 1;
    uint32_t slot = hash & mask;
    for (; parser->symbols[slot].text; slot = (slot + 1) & mask) {
        ptx_symbol *symbol = &parser->symbols[slot];
        if (symbol->hash == hash && symbol->bytes == bytes &&
            memcmp(symbol->text, text, bytes) == 0) {
            *out_symbol = symbol;
            return SIM_OK;
        }
    }
    ptx_symbol *symbol = &parser->symbols[slot];
    symbol->text = sim_arena_text(parser->arena, text, bytes);
    if (!symbol->text) return ptx_no_memory(parser);
    symbol->hash = hash;
    symbol->bytes = bytes;
    parser->symbol_count++;
    *out_symbol = symbol;
    return SIM_OK;
}

sim_status ptx_intern(ptx_parser *parser, const char *text, uint32_t bytes, const char **out_name) {
    ptx_symbol *symbol;
    TRY(find_symbol(parser, text, bytes, &symbol));
    *out_name = symbol->text;
    return SIM_OK;
}

sim_status ptx_intern_opcode(ptx_parser *parser, const ptx_token *token,
                             const ptx_symbol **out_symbol) {
    ptx_symbol *symbol;
    TRY(find_symbol(parser, token->text, token->bytes, &symbol));
    if (!symbol->words) {
        const char *words[PTX_MAX_WORDS];
        uint32_t count = 0;
        const char *at = symbol->text, *end = symbol->text + symbol->bytes;
        while (at <= end) {
            const char *dot = memchr(at, '.', (size_t)(end - at));
            if (!dot) dot = end;
            if (count == PTX_MAX_WORDS)
                return ptx_parser_fail(parser, token->place, "an opcode of more than %d words",
                                       PTX_MAX_WORDS);
            // Interning a word may grow the table, hence the second look-up below.
            TRY(ptx_intern(parser, at, (uint32_t)(dot - at), &words[count]));
            count++;
            at = dot + 1;
        }
        TRY(find_symbol(parser, token->text, token->bytes, &symbol));
        symbol->words = sim_arena_copy(parser->arena, words, count * sizeof *words);
        if (!symbol->words) return ptx_no_memory(parser);
        symbol->word_count = count;
    }
    *out_symbol = symbol;
    return SIM_OK;
}

// ---- scratch stacks

static bool reserve(ptx_stack *stack, uint64_t count) {
    if (count <= stack->capacity) return true;
    if (count > PTX_MAX_ITEMS) return false;
    uint64_t capacity = stack->capacity ? stack->capacity : 64;
    while (capacity < count) capacity *= 2;
    void *grown = realloc(stack->data, (size_t)capacity * stack->element_bytes);
    if (!grown) return false;
    stack->data = grown;
    stack->capacity = (uint32_t)capacity;
    return true;
}

void *ptx_stack_push(ptx_stack *stack) {
    if (!reserve(stack, (uint64_t)stack->count + 1)) return NULL;
    void *element = stack->data + (size_t)stack->count++ * stack->element_bytes;
    memset(element, 0, stack->element_bytes);
    return element;
}

bool ptx_stack_extend(ptx_stack *stack, uint64_t count) {
    if (count <= stack->count) return true;
    if (!reserve(stack, count)) return false;
    memset(stack->data + (size_t)stack->count * stack->element_bytes, 0,
           (size_t)(count - stack->count) * stack->element_bytes);
    stack->count = (uint32_t)count;
    return true;
}

sim_status ptx_stack_take(ptx_parser *parser, ptx_stack *stack, uint32_t mark, const void **out,
                          uint32_t *out_count) {
    uint32_t count = stack->count - mark;
    *out = NULL;
    *out_count = count;
    stack->count = mark;
    if (count == 0) return SIM_OK;
    *out = sim_arena_copy(parser->arena, stack->data + (size_t)mark * stack->element_bytes,
                          (size_t)count * stack->element_bytes);
    return *out ? SIM_OK : ptx_no_memory(parser);
}
