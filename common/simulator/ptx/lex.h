// SPDX-License-Identifier: MIT
// Lexer of PTX (PTX ISA 9.0, chapter 4): text to tokens, one at a time, comments dropped. Knows
// characters only: which words are opcodes or types is the parser's and the decoder's business.
#ifndef SIM_PTX_LEX_H
#define SIM_PTX_LEX_H

#include "ptx/ast.h"

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

#endif
