// Source positions (PTX ISA 9.0, section 11.5): .file, .loc with its inlined_at chain, and the
// debug sections, of which only .debug_str (names of inlined functions) is kept. Must accept any
// contents of the other sections.
#include "ptx/internal.h"

// The string at the current token without its escapes.
static sim_status parse_text(ptx_parser *parser, const char *what, const char **out_text) {
    const ptx_token *token = &parser->token;
    if (token->kind != PTX_TOKEN_STRING) return ptx_expected(parser, what);
    char *copy = sim_arena_text(parser->arena, token->text, token->bytes);
    if (!copy) return ptx_no_memory(parser);
    char *to = copy;
    for (uint32_t i = 0; i < token->bytes; i++) {
        if (token->text[i] == '\\' && i + 1 < token->bytes) i++;
        *to++ = token->text[i];
    }
    *to = '\0';
    *out_text = copy;
    return ptx_advance(parser);
}

// `.file 1 "name"`, or with `, timestamp, size`
sim_status ptx_parse_file_directive(ptx_parser *parser) {
    ptx_file file = {0};
    bool more;
    TRY(ptx_advance(parser));
    ptx_place place = parser->token.place;
    TRY(ptx_expect_u32(parser, "the number of a file", UINT32_MAX, &file.index));
    const ptx_file *known = (const ptx_file *)parser->files.data;
    for (uint32_t i = 0; i < parser->files.count; i++)
        if (known[i].index == file.index)
            return ptx_parser_fail(parser, place, "two files have the number %u", file.index);
    TRY(parse_text(parser, "the name of a file in quotes", &file.name));
    TRY(ptx_accept(parser, PTX_TOKEN_COMMA, &more));
    while (more) {
        TRY(ptx_expect(parser, PTX_TOKEN_INT, "an integer"));
        TRY(ptx_accept(parser, PTX_TOKEN_COMMA, &more));
    }
    ptx_file *slot = ptx_stack_push(&parser->files);
    if (!slot) return ptx_no_memory(parser);
    *slot = file;
    return SIM_OK;
}

// ---- .loc

void ptx_begin_function_locs(ptx_parser *parser) {
    parser->function_serial++; // slots of other functions now count as empty
    parser->loc_count = 0;
}

static uint32_t place_hash(uint32_t file, uint32_t line, uint32_t column) {
    uint64_t hash = ((uint64_t)line << 32 | column) * 0x9e3779b97f4a7c15u + file;
    return (uint32_t)((hash ^ hash >> 32) * 0x9e3779b97f4a7c15u >> 32);
}

// The slot of a place in the current function, or the empty slot where it would go.
static ptx_loc_slot *find_loc(ptx_loc_slot *slots, uint32_t slot_count, uint32_t serial,
                              uint32_t file, uint32_t line, uint32_t column) {
    uint32_t slot = place_hash(file, line, column) & (slot_count - 1);
    for (; slots[slot].function == serial; slot = (slot + 1) & (slot_count - 1)) {
        const ptx_location *at = slots[slot].location;
        if (at->line == line && at->column == column && at->file == file) break;
    }
    return &slots[slot];
}

static sim_status grow_locs(ptx_parser *parser) {
    uint32_t slot_count = parser->loc_slots ? parser->loc_slots * 2 : 1024;
    ptx_loc_slot *slots = slot_count ? calloc(slot_count, sizeof *slots) : NULL;
    if (!slots) return ptx_no_memory(parser);
    for (uint32_t i = 0; i < parser->loc_slots; i++) {
        const ptx_loc_slot *old = &parser->locs[i];
        if (old->function != parser->function_serial || !old->location) continue;
        *find_loc(slots, slot_count, parser->function_serial, old->location->file,
                  old->location->line, old->location->column) = *old;
    }
    free(parser->locs);
    parser->locs = slots;
    parser->loc_slots = slot_count;
    return SIM_OK;
}

// Links `location` to the place of its call and remembers it as the latest at its own place.
static sim_status link_location(ptx_parser *parser, ptx_location *location) {
    if (parser->loc_count >= parser->loc_slots / 2) TRY(grow_locs(parser));
    uint32_t serial = parser->function_serial;
    if (location->has_inlined_at) {
        const ptx_loc_slot *caller =
            find_loc(parser->locs, parser->loc_slots, serial, location->inlined_file,
                     location->inlined_line, location->inlined_column);
        if (caller->function == serial) location->outer = caller->location;
    }
    ptx_loc_slot *own = find_loc(parser->locs, parser->loc_slots, serial, location->file,
                                 location->line, location->column);
    if (own->function != serial) parser->loc_count++;
    own->function = serial;
    own->location = location;
    return SIM_OK;
}

static sim_status parse_place(ptx_parser *parser, uint32_t *file, uint32_t *line,
                              uint32_t *column) {
    TRY(ptx_expect_u32(parser, "the number of a file", UINT32_MAX, file));
    TRY(ptx_expect_u32(parser, "a line number", UINT32_MAX, line));
    return ptx_expect_u32(parser, "a column number", UINT32_MAX, column);
}

static sim_status parse_inlining(ptx_parser *parser, ptx_location *location) {
    const ptx_token *token = &parser->token;
    if (token->kind == PTX_TOKEN_WORD && ptx_token_is(token, "function_name")) {
        TRY(ptx_advance(parser));
        TRY(ptx_expect_name(parser, "a label in .debug_str", &location->function_label));
        bool has_offset;
        TRY(ptx_accept(parser, PTX_TOKEN_PLUS, &has_offset));
        if (has_offset)
            TRY(ptx_expect_u32(parser, "an offset", UINT32_MAX, &location->function_offset));
        return SIM_OK;
    }
    if (token->kind == PTX_TOKEN_WORD && ptx_token_is(token, "inlined_at")) {
        TRY(ptx_advance(parser));
        location->has_inlined_at = true;
        return parse_place(parser, &location->inlined_file, &location->inlined_line,
                           &location->inlined_column);
    }
    return ptx_expected(parser, "function_name or inlined_at");
}

sim_status ptx_parse_loc(ptx_parser *parser, const ptx_location **out_location) {
    ptx_location *location = sim_arena_alloc(parser->arena, sizeof *location);
    if (!location) return ptx_no_memory(parser);
    TRY(ptx_advance(parser));
    TRY(parse_place(parser, &location->file, &location->line, &location->column));
    bool more;
    TRY(ptx_accept(parser, PTX_TOKEN_COMMA, &more));
    while (more) {
        TRY(parse_inlining(parser, location));
        TRY(ptx_accept(parser, PTX_TOKEN_COMMA, &more));
    }
    *out_location = location;
    return link_location(parser, location);
}

// ---- .section

// The next token is a label of .debug_str.
static sim_status add_debug_label(ptx_parser *parser) {
    ptx_debug_label *label = ptx_stack_push(&parser->debug_labels);
    if (!label) return ptx_no_memory(parser);
    label->offset = parser->debug_bytes.count;
    return ptx_expect_name(parser, "a label", &label->name);
}

// The contents of .debug_str: labels and `.b8 1,2,3`.
static sim_status parse_debug_strings(ptx_parser *parser) {
    bool is_bytes = false;
    while (parser->token.kind != PTX_TOKEN_CLOSE_BRACE) {
        const ptx_token *token = &parser->token;
        if (token->kind == PTX_TOKEN_WORD) {
            TRY(add_debug_label(parser));
            continue;
        }
        if (token->kind == PTX_TOKEN_DIRECTIVE) {
            is_bytes = ptx_token_is(token, "b8");
        } else if (token->kind == PTX_TOKEN_INT && is_bytes) {
            uint8_t *byte = ptx_stack_push(&parser->debug_bytes);
            if (!byte) return ptx_no_memory(parser);
            *byte = (uint8_t)token->value;
        } else if (token->kind == PTX_TOKEN_END) {
            return ptx_expected(parser, "'}' at the end of a section");
        }
        TRY(ptx_advance(parser));
    }
    return ptx_advance(parser);
}

// `.section .name { ... }`
sim_status ptx_parse_section(ptx_parser *parser) {
    parser->has_sections = true;
    TRY(ptx_advance(parser));
    if (parser->token.kind != PTX_TOKEN_DIRECTIVE && parser->token.kind != PTX_TOKEN_WORD)
        return ptx_expected(parser, "the name of a section");
    bool is_strings = ptx_token_is(&parser->token, "debug_str");
    TRY(ptx_advance(parser));
    while (parser->token.kind == PTX_TOKEN_COMMA || parser->token.kind == PTX_TOKEN_STRING)
        TRY(ptx_advance(parser)); // flags that other compilers write
    TRY(ptx_expect(parser, PTX_TOKEN_OPEN_BRACE, "'{' after the name of a section"));
    if (is_strings) return parse_debug_strings(parser);
    for (unsigned depth = 1; depth;) {
        if (parser->token.kind == PTX_TOKEN_END)
            return ptx_expected(parser, "'}' at the end of a section");
        if (parser->token.kind == PTX_TOKEN_OPEN_BRACE && ++depth > PTX_MAX_SCOPES)
            return ptx_parser_fail(parser, parser->token.place, "braces nest too deep");
        if (parser->token.kind == PTX_TOKEN_CLOSE_BRACE) depth--;
        TRY(ptx_advance(parser));
    }
    return SIM_OK;
}

static int compare_labels(const void *a, const void *b) {
    uintptr_t left = (uintptr_t)((const ptx_debug_label *)a)->name;
    uintptr_t right = (uintptr_t)((const ptx_debug_label *)b)->name;
    return (left > right) - (left < right);
}

sim_status ptx_finish_debug_strings(ptx_parser *parser) {
    if (parser->debug_labels.count == 0) return SIM_OK;
    ptx_debug_strings *strings = sim_arena_alloc(parser->arena, sizeof *strings);
    if (!strings) return ptx_no_memory(parser);
    qsort(parser->debug_labels.data, parser->debug_labels.count, sizeof(ptx_debug_label),
          compare_labels);
    if (!ptx_stack_push(&parser->debug_bytes)) return ptx_no_memory(parser); // the final NUL
    const void *labels, *bytes;
    uint32_t byte_count;
    TRY(ptx_stack_take(parser, &parser->debug_labels, 0, &labels, &strings->label_count));
    TRY(ptx_stack_take(parser, &parser->debug_bytes, 0, &bytes, &byte_count));
    strings->labels = labels;
    strings->bytes = bytes;
    strings->byte_count = byte_count;
    parser->module->debug_strings = strings;
    return SIM_OK;
}
