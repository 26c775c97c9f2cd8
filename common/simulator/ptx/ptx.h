// From the text of a PTX module to its syntax tree, and from several texts to one.
#pragma once

#include "base/base.h"

// ---- ast.c --------------------------------------------------------------------------------------
// Syntax tree of a PTX module (PTX ISA 9.0, chapters 4 and 5): what the parser hands to the
// decoder. Syntax only: opcodes are still dotted words, names are unresolved, nothing here knows
// what `add` means. All nodes live in the module's arena and die with it; arrays are (pointer,
// count). Names and opcode words are interned: within one module equal text has equal pointers, and
// two instructions with the same opcode share one `words` array.

// State spaces of PTX.
typedef enum ptx_space {
    PTX_SPACE_NONE, // generic
    PTX_SPACE_REG,
    PTX_SPACE_PARAM,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_SHARED,
    PTX_SPACE_LOCAL,
    PTX_SPACE_CONST,
    PTX_SPACE_TEX
} ptx_space;

// Fundamental types (PTX ISA table "Fundamental Type Specifiers"); size by ptx_type_bytes().
typedef enum ptx_type {
    PTX_TYPE_NONE,
#define PTX_TYPE(id, text, bytes, kind) PTX_##id,
#include "ptx/types.def"
#undef PTX_TYPE
    PTX_TYPE_COUNT
} ptx_type;

// A place in the PTX text, both from 1.
typedef struct ptx_place {
    uint32_t line, column; // columns are bytes
} ptx_place;

// What an operand is. The fields of ptx_operand that it has follow from this.
typedef enum ptx_operand_kind {
    PTX_OPERAND_NAME,    // register, variable, label, function, special register (%tid.x), `_`
    PTX_OPERAND_INT,     // value of a constant expression
    PTX_OPERAND_FLOAT32, // 0f3F800000
    PTX_OPERAND_FLOAT64, // value of an expression of 0d3FF0000000000000 and decimal literals
    PTX_OPERAND_ADDRESS, // [base], [base+offset], [literal]; base in name or, empty, only offset
    PTX_OPERAND_VECTOR,  // {a, b, c, d}
    PTX_OPERAND_LIST,    // (a, b) in call
    PTX_OPERAND_TEXREF   // [tex, {x, y}]: items[0] the texture, items[1..] the rest
} ptx_operand_kind;

typedef struct ptx_operand ptx_operand;
// One operand of an instruction.
struct ptx_operand {
    ptx_operand_kind kind; // decides which of the fields below have a meaning
    bool negated;          // !%p
    bool minus;            // -%r, of video instructions
    bool is_unsigned;      // INT: unsigned, as its literals say
    bool indexed;          // NAME: `table[4]`, whose `value` counts elements
    const char *name;      // NAME, ADDRESS; without component suffix handling: "%tid.x" stays whole
    const char *second;    // NAME: `%p1|%p2` (setp, shfl) gives the right-hand name, else NULL;
                           // VECTOR: `{...}|%p` (tex that reports residency) likewise
    int64_t value;         // INT: value; ADDRESS: byte offset; FLOAT*: the IEEE bits; NAME: the
                           // offset of `mov.u64 %rd1, table+16`, else 0; see `indexed`
    const ptx_operand *items; // VECTOR, LIST, TEXREF
    uint32_t item_count;      // of `items`
    ptx_place place;          // where it begins
};

// One instruction with its guard.
typedef struct ptx_instruction {
    const char *const *words;    // opcode split at dots: "ld", "global", "nc", "v4", "f32"; a "::"
                                 // stays inside its word
    uint32_t word_count;         // of `words`
    const char *opcode;          // the same words in one piece, "ld.global.nc.v4.f32"
    const char *guard;           // predicate register, NULL when unguarded
    bool guard_negated;          // @!%p: executed where the predicate is false
    bool nounroll;               // the first one behind a `.pragma "nounroll"`
    const ptx_operand *operands; // in the order of the text, results first
    uint32_t operand_count;      // of `operands`
    ptx_place place;             // where the opcode begins
} ptx_instruction;

// One step of an initialiser: bytes at an offset, or the address of a symbol (generic(x) too).
typedef struct ptx_init_symbol {
    size_t offset_bytes; // from the beginning of the variable
    const char *name;    // of the symbol
    int64_t addend;      // in bytes
    bool generic;        // generic(x): the address in the generic space
    uint8_t width_bytes; // 1..8; with mask forms (0xFF(sym)) the byte selected by shift
    uint8_t shift_bits;  // by which the address is shifted before it is cut to the width
} ptx_init_symbol;

// A variable or parameter declaration; registers as `.reg .b32 %r<10>` have count 10 and name "%r".
typedef struct ptx_variable {
    ptx_space space;      // in which it is declared
    ptx_type type;        // of an element
    uint32_t vector;      // 1, 2 or 4
    uint32_t align_bytes; // 0: natural
    const char *name;     // with its "%" if it has one
    bool is_range;        // %r<10>
    uint32_t count;       // for a range: registers; else 1
    uint64_t elements;    // product of array dimensions; 1 for scalars; 0 for `[]` (extern shared)
    uint64_t size_bytes;  // elements * vector * type size
    bool is_extern, is_visible, is_weak; // linkage directives
    bool is_common;                      // .common, which is weak too
    bool is_managed;                     // .attribute(.managed)
    bool is_pointer;                     // .ptr
    const char *module_name;   // .global or .const of a function: its own name in the module
    ptx_space pointee_space;   // .ptr .global on kernel parameters, else NONE
    uint32_t pointee_align;    // in bytes; 0: not given
    const uint8_t *init_bytes; // size_bytes long, NULL when not initialised
    const ptx_init_symbol *init_symbols; // [init_symbol_count], addresses among the initialisers
    uint32_t init_symbol_count;          // of `init_symbols`
    ptx_place place;                     // where the name stands
} ptx_variable;

// What a line of a function's body is.
typedef enum ptx_statement_kind {
    PTX_STATEMENT_INSTRUCTION,
    PTX_STATEMENT_LABEL,
    PTX_STATEMENT_VARIABLE, // .reg, .shared, .local, .param inside a body
    PTX_STATEMENT_LOC,
    PTX_STATEMENT_OPEN, // {  (names declared inside end at the matching CLOSE)
    PTX_STATEMENT_CLOSE,
    PTX_STATEMENT_BRANCHTARGETS, // label: .branchtargets a, b, c;
    PTX_STATEMENT_CALLTARGETS,
    PTX_STATEMENT_CALLPROTOTYPE
} ptx_statement_kind;

// `.loc file line column [, function_name label, inlined_at file line column]`. `outer` is the
// inlined_at location chain's next element (the place of the call), NULL at the end: the last .loc
// before this one in the same function that names the inlined_at place. The user's line is the
// chain's end.
typedef struct ptx_location {
    uint32_t file, line, column;                         // from 1; file: ptx_file.index
    bool has_inlined_at;                                 // the fields below are set
    uint32_t inlined_file, inlined_line, inlined_column; // from where the function of this line
                                                         // was inlined
    const char *function_label;                          // label in .debug_str, may be NULL
    uint32_t function_offset;                            // bytes after that label
    const struct ptx_location *outer; // the .loc of the place into which it was inlined, or NULL
} ptx_location;

// One statement of a body.
typedef struct ptx_statement {
    ptx_statement_kind kind;              // decides which of the fields below is set
    ptx_place place;                      // where it begins
    const char *label;                    // LABEL, BRANCHTARGETS, CALLTARGETS, CALLPROTOTYPE
    const ptx_instruction *instruction;   // INSTRUCTION
    const ptx_variable *variable;         // VARIABLE
    const ptx_location *location;         // LOCATION
    const char *const *names;             // BRANCHTARGETS, CALLTARGETS
    uint32_t name_count;                  // of `names`
    const struct ptx_function *prototype; // CALLPROTOTYPE
} ptx_statement;

// A function or a kernel, or a declaration or prototype of one.
typedef struct ptx_function {
    const char *name; // mangled; NULL: a prototype without one
    bool is_entry, is_extern, is_visible, is_weak, has_body, is_noreturn; // .entry, linkage
                                                                          // directives, { .. },
                                                                          // .noreturn
    const ptx_variable *returns;                                          // [return_count]
    uint32_t return_count;                                                // of `returns`
    const ptx_variable *params;                                           // [param_count]
    uint32_t param_count;                                                 // of `params`
    uint32_t max_threads[3];                                              // .maxntid, 0: not given
    uint32_t required_threads[3];                                         // .reqntid
    uint32_t min_blocks;                                                  // .minnctapersm
    uint32_t max_registers;                                               // .maxnreg
    uint32_t cluster[3];             // .reqnctapercluster, 0: not given
    uint32_t max_cluster_blocks;     // .maxclusterrank
    bool blocks_are_clusters;        // .blocksareclusters
    const ptx_statement *statements; // [statement_count]
    uint32_t statement_count;        // of `statements`
    ptx_place place;                 // where the name stands
} ptx_function;

// A row of .file.
typedef struct ptx_file {
    uint32_t index;   // as .loc names it
    const char *name; // as the compiler noted it
} ptx_file;

// `.alias name, target;`
typedef struct ptx_alias {
    const char *name, *target; // the new name, and the function that it stands for
    ptx_place place;           // where the directive begins
} ptx_alias;

// A PTX module as its text says it. Everything it points to lies in `arena`.
typedef struct ptx_module {
    uint32_t version_major, version_minor; // of .version
    uint32_t target;                       // 90 for sm_90, sm_90a
    const char *target_text;               // of .target, as written
    uint32_t address_bits;                 // 64
    const ptx_variable *variables; // module scope: .global, .const, .shared, texture references
    uint32_t variable_count;       // of `variables`
    const ptx_function *functions; // [function_count], declarations too
    uint32_t function_count;       // of `functions`
    const ptx_file *files;         // [file_count]
    uint32_t file_count;           // of `files`
    const ptx_alias *aliases;      // [alias_count]
    uint32_t alias_count;          // of `aliases`
    struct ptx_debug_strings *debug_strings; // see ptx_location_function
    struct sim_arena *arena;                 // owns all of it
    bool lacks_debug;                        // .target debug without a section or a file
} ptx_module;

// Size in bytes of a fundamental type; 0 for PTX_TYPE_NONE and for predicates.
uint32_t ptx_type_bytes(ptx_type type);
// ".f32" without the dot; "?" for an unknown type.
const char *ptx_type_name(ptx_type type);
// The type whose text is `word` ("f32"), PTX_TYPE_NONE when it is none.
ptx_type ptx_type_find(const char *word);

// Parses `text` (`bytes` long, need not end in NUL). On failure the error text shows the PTX line
// with a caret under the column. The module is freed by ptx_module_free, which accepts NULL.
sim_status ptx_parse(const char *text, size_t bytes, ptx_module **out_module, kl_error *err);
void ptx_module_free(ptx_module *module);

// The mangled name of the function that `location` was inlined from ("_ZN...shfl_down_syncEjfji"),
// NULL when unknown.
const char *ptx_location_function(const ptx_module *module, const ptx_location *location);
// The name of source file `index` of .file, NULL when there is none.
const char *ptx_file_name(const ptx_module *module, uint32_t index);

// Fills `error` with "line L, column C: message", the source line and a caret. Used by parser and
// decoder.
sim_status ptx_fail(const char *text, size_t bytes, ptx_place place, sim_status status,
                    kl_error *err, const char *format, ...) __attribute__((format(printf, 6, 7)));

// ---- lex.c --------------------------------------------------------------------------------------
// Lexer of PTX (PTX ISA 9.0, chapter 4): text to tokens, one at a time, comments dropped. Knows
// characters only: which words are opcodes or types is the parser's and the decoder's business.

// The kinds of tokens.
typedef enum ptx_token_kind {
#define PTX_TOKEN(id, text) PTX_TOKEN_##id,
#include "ptx/tokens.def"
#undef PTX_TOKEN
    PTX_TOKEN_COUNT
} ptx_token_kind;

// A token.
typedef struct ptx_token {
    ptx_token_kind kind; // decides which of `value` and `is_unsigned` have a meaning
    bool is_unsigned;    // INT with the suffix U
    bool is_dotted;      // WORD with a dot inside: an opcode such as `ld.global.f32`, or `%tid.x`
    uint32_t bytes;      // length of `text`
    const char *text; // points into the PTX; STRING without its quotes, DIRECTIVE without its dot
    uint64_t value;   // INT: the magnitude; FLOAT32, FLOAT64: the IEEE bits
    ptx_place place;  // where it begins
} ptx_token;

// A text that is being read.
typedef struct ptx_lexer {
    const char *text, *end; // the whole PTX, for error messages
    const char *at;         // the next unread character
    const char *line_start; // of the line of `at`
    uint32_t line;          // its number, from 1
    kl_error *err;          // filled where a token is none
} ptx_lexer;

// Texts of 4 GiB and more are refused by ptx_parse, so that lines and columns fit 32 bits.
void ptx_lex_begin(ptx_lexer *lexer, const char *text, size_t bytes, kl_error *err);

// Reads the next token. BAD_PTX, with the error filled, on a character or number that PTX does not
// have.
sim_status ptx_lex_next(ptx_lexer *lexer, ptx_token *out_token);

// "','", "a name": what an error message calls tokens of this kind.
const char *ptx_token_kind_text(ptx_token_kind kind);
// "COMMA", "WORD": the identifier, for dumps.
const char *ptx_token_kind_name(ptx_token_kind kind);

// ---- dump.c -------------------------------------------------------------------------------------
// Text forms of the parser's stages, for golden files and for looking at what the simulator reads.

// One line a token: `12:5 WORD ld.global.f32`. Stops at the first bad token and returns its error.
sim_status ptx_dump_tokens(const char *text, size_t bytes, FILE *out, kl_error *err);

// The tree as canonical PTX-like text: one line a node, every field that is set, in a fixed order.
void ptx_dump_module(const ptx_module *module, FILE *out);

// ---- link.c -------------------------------------------------------------------------------------
// Links PTX modules into one, as nvlink links the object files of a program built with -rdc=true:
// one text in which every file sees the others' .visible functions and variables. Works on text, so
// that the parser and the decoder meet nothing but an ordinary module.

// One PTX text of those that are linked.
typedef struct ptx_source {
    const char *text; // need not end in NUL
    size_t bytes;     // of `text`
} ptx_source;

// The linked text, NUL-terminated, for the caller to free. Definitions marked .weak or .common may
// repeat: the strong one, else the first, stays. Names that are private to a file and occur in
// another one too get the suffix "$file<number from 1>". Source file numbers of .file and .loc are
// moved apart. BAD_PTX when two files define the same visible name.
sim_status ptx_link(const ptx_source *sources, uint32_t count, char **out_text, size_t *out_bytes,
                    kl_error *err);
