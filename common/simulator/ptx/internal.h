// What the files of the PTX parser share: its state, token helpers, scratch stacks, interned names.
// Private to parse*.c (and ast.c for the debug strings); others include ptx/ptx.h.
#pragma once

#include "ptx/ptx.h"

// Caps on what a text may ask for; far above what compilers write, far below what would hurt.
enum {
    PTX_MAX_REGISTERS = 1 << 20, // in one `%r<N>`
    PTX_MAX_ITEMS = 1 << 28,     // in any one list
    PTX_MAX_DIMENSIONS = 8,      // of an array
    PTX_MAX_OPERAND_DEPTH = 3,   // vectors within texture references within lists
    PTX_MAX_SCOPES = 256,        // nested { }
    PTX_MAX_WORDS = 32,          // in one opcode
};
#define PTX_MAX_VARIABLE_BYTES ((uint64_t)1 << 40)
#define PTX_MAX_INIT_BYTES     ((uint64_t)1 << 28) // initialised bytes of a module
#define PTX_MAX_ARENA_BYTES    ((size_t)6 << 30)

// An interned name; `words` and `opcode` are filled when it was used as an opcode.
typedef struct ptx_symbol {
    const char *text;
    uint32_t bytes, hash;
    const char *const *words;
    uint32_t word_count;
} ptx_symbol;

// Scratch array; lists within lists share one by remembering where they began.
typedef struct ptx_stack {
    unsigned char *data;
    uint32_t count, capacity, element_bytes;
} ptx_stack;

typedef struct ptx_debug_label {
    const char *name;
    uint32_t offset;
} ptx_debug_label;

// Contents of .section .debug_str: labels sorted by address of their interned name; a NUL ends
// `bytes`.
struct ptx_debug_strings {
    const ptx_debug_label *labels;
    uint32_t label_count;
    const uint8_t *bytes;
    uint64_t byte_count;
};
typedef struct ptx_debug_strings ptx_debug_strings;

// Open-addressed map from (file, line, column) to the latest .loc of the current function.
typedef struct ptx_loc_slot {
    const ptx_location *location;
    uint32_t function; // serial number of the function it belongs to
} ptx_loc_slot;

typedef struct ptx_parser {
    ptx_lexer lexer;
    ptx_token token; // the next, not yet consumed
    sim_arena *arena;
    kl_error *err;
    ptx_module *module;

    ptx_symbol *symbols; // power of two slots
    uint32_t symbol_slots, symbol_count;

    ptx_loc_slot *locs; // power of two slots
    uint32_t loc_slots, loc_count, function_serial;

    bool lists;                  // see ptx_parse_operands
    bool has_samplers;           // .target has texmode_independent
    bool is_debug, has_sections; // .target debug; a .section was there
    bool nounroll;               // a pragma "nounroll" waits for its instruction
    uint64_t init_bytes;         // of all initialisers so far
    ptx_stack operands, statements, variables, parameters, functions, files, aliases, names;
    ptx_stack init_data, init_symbols, debug_labels, debug_bytes;
} ptx_parser;

// ---- parse_support.c: tokens, stacks, names
sim_status ptx_advance(ptx_parser *parser);
// Fails at the current token: "expected WHAT, found 'text'".
sim_status ptx_expected(ptx_parser *parser, const char *what);
sim_status ptx_parser_fail(ptx_parser *parser, ptx_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
sim_status ptx_no_memory(ptx_parser *parser);
// Consumes a token of this kind or fails.
sim_status ptx_expect(ptx_parser *parser, ptx_token_kind kind, const char *what);
// Consumes a token of this kind if it is the next.
sim_status ptx_accept(ptx_parser *parser, ptx_token_kind kind, bool *out_accepted);
// Consumes an unsigned integer of at most `limit`.
sim_status ptx_expect_u32(ptx_parser *parser, const char *what, uint32_t limit, uint32_t *out);
// Consumes a name and interns it.
sim_status ptx_expect_name(ptx_parser *parser, const char *what, const char **out_name);
bool ptx_token_is(const ptx_token *token, const char *text);
bool ptx_is_directive(const ptx_parser *parser, const char *text);

sim_status ptx_intern(ptx_parser *parser, const char *text, uint32_t bytes, const char **out_name);
// As ptx_intern, with the split at dots. `out_symbol` holds until the next call.
sim_status ptx_intern_opcode(ptx_parser *parser, const ptx_token *token,
                             const ptx_symbol **out_symbol);

// A zeroed element; NULL: the cap is reached or memory is short.
void *ptx_stack_push(ptx_stack *stack);
// Makes the count at least `count`; false: the cap is reached or memory is short.
bool ptx_stack_extend(ptx_stack *stack, uint64_t count);
// Moves the elements from `mark` on into the arena.
sim_status ptx_stack_take(ptx_parser *parser, ptx_stack *stack, uint32_t mark, const void **out,
                          uint32_t *out_count);

// ---- parse_decl.c: declarations
// What comes before the space: `.visible`, `.extern`, `.weak`, `.common`.
typedef struct ptx_linkage {
    bool is_extern, is_visible, is_weak, is_common;
    ptx_place place;
} ptx_linkage;

ptx_space ptx_space_find(const ptx_token *token); // of a directive; NONE when it is none
// From the space on, up to and with the `;`; pushes each variable on `stack`.
sim_status ptx_parse_variables(ptx_parser *parser, const ptx_linkage *linkage, ptx_stack *stack);
// `( .param ..., ... )`, empty allowed; the names may be `_`.
sim_status ptx_parse_parameters(ptx_parser *parser, const ptx_variable **out, uint32_t *out_count);
// Skips `.attribute(...)` whose directive is next; reports whether it names .managed.
sim_status ptx_parse_attribute(ptx_parser *parser, bool *out_managed);

// ---- parse_init.c: `= {...}`
// `dimensions`: outermost first; 0 as the first means that the initialiser decides.
sim_status ptx_parse_initialiser(ptx_parser *parser, ptx_variable *variable,
                                 const uint64_t *dimensions, uint32_t dimension_count);

// ---- parse_constant.c
// The value of a constant expression.
typedef struct ptx_constant {
    ptx_operand_kind kind; // INT, FLOAT32 or FLOAT64
    bool is_unsigned;      // INT: how it is divided, shifted and compared
    uint64_t bits;         // two's complement, or the IEEE bits
} ptx_constant;

// Whether a constant expression may begin with the next token.
bool ptx_begins_constant(const ptx_parser *parser);
sim_status ptx_parse_constant(ptx_parser *parser, ptx_constant *out);
// A constant expression that is an integer, modulo 2^64; `what` is wanted where there is none.
sim_status ptx_parse_integer(ptx_parser *parser, const char *what, int64_t *out);
// `+4`, `+-4` after a name, when there is one.
sim_status ptx_parse_offset(ptx_parser *parser, int64_t *out);

// ---- parse_operand.c
// lists: a parenthesis opens a list, as in call; else a constant expression.
sim_status ptx_parse_operands(ptx_parser *parser, bool lists, ptx_token_kind end,
                              const ptx_operand **out, uint32_t *out_count);

// ---- parse_body.c
// The statements between the braces of a function, `{` being the next token.
sim_status ptx_parse_body(ptx_parser *parser, ptx_function *function);
// `.pragma "x", "y";`: only "nounroll" is heeded.
sim_status ptx_skip_pragma(ptx_parser *parser, bool of_module);

// ---- parse_function.c
// From `.entry` or `.func` on; pushes onto parser->functions.
sim_status ptx_parse_function(ptx_parser *parser, const ptx_linkage *linkage);
// `.callprototype` up to and with the `;`.
sim_status ptx_parse_prototype(ptx_parser *parser, const char *label,
                               const ptx_function **out_prototype);

// ---- parse_debug.c
sim_status ptx_parse_file_directive(ptx_parser *parser);
sim_status ptx_parse_loc(ptx_parser *parser, const ptx_location **out_location);
sim_status ptx_parse_section(ptx_parser *parser);
sim_status ptx_finish_debug_strings(ptx_parser *parser);
void ptx_begin_function_locs(ptx_parser *parser);
