// Command-line options of one command as a table: parsing, help text, errors with a suggestion.
// Must not print anything but help, and must not exit.
#pragma once

#include "utilities/files.h"
#include <wordexp.h>

// ---- options.c ----------------------------------------------------------------------------------

// What an option takes, and the type of its target.
typedef enum ladder_option_kind {
    LADDER_FLAG,    // bool *: set to true
    LADDER_TEXT,    // const char **: the argument
    LADDER_TEXTS,   // ladder_texts *: the argument of each time it is given
    LADDER_PAIR,    // const char *[2]: two arguments, "FROM TO"
    LADDER_SIZE,    // int64_t *: "1000003", "2^24", "16M"
    LADDER_SECONDS, // double *: above 0
    LADDER_CHOICE   // const char **: one of `choices`
} ladder_option_kind;

enum { LADDER_TEXTS_MAX = 16 };
// The arguments of an option that may be repeated.
typedef struct ladder_texts {
    const char *items[LADDER_TEXTS_MAX]; // [count], in their order
    int count;                           // of items
} ladder_texts;

// A row of a command's table.
typedef struct ladder_option {
    const char *name;        // with its dashes: "--size"
    ladder_option_kind kind; // what it takes
    void *target;            // where that goes; unchanged when the option is not given
    const char *argument; // its name in the help text: "N"; NULL for a flag, and to show `choices`
    const char *help;     // one line
    const char *choices;  // "auto|sim|gpu" for LADDER_CHOICE
} ladder_option;

// Rows by what the option takes.
#define OPT_FLAG(name, target, help)                                                               \
    { name, LADDER_FLAG, target, NULL, help, NULL }
#define OPT_TEXT(name, target, argument, help)                                                     \
    { name, LADDER_TEXT, target, argument, help, NULL }
#define OPT_TEXTS(name, target, argument, help)                                                    \
    { name, LADDER_TEXTS, target, argument, help, NULL }
#define OPT_PAIR(name, target, argument, help)                                                     \
    { name, LADDER_PAIR, target, argument, help, NULL }
#define OPT_SIZE(name, target, argument, help)                                                     \
    { name, LADDER_SIZE, target, argument, help, NULL }
#define OPT_SECONDS(name, target, argument, help)                                                  \
    { name, LADDER_SECONDS, target, argument, help, NULL }
#define OPT_CHOICE(name, target, argument, help, choices)                                          \
    { name, LADDER_CHOICE, target, argument, help, choices }

enum { LADDER_POSITIONALS = 64 };

// The words that are no options.
typedef struct ladder_arguments {
    const char *positional[LADDER_POSITIONALS]; // [count], in their order
    int count;                                  // of positional
    bool help;                                  // --help or -h was given; nothing else was checked
    char **after_dashes; // what follows "--", NULL-terminated; NULL when there was none
    int after_count;     // of after_dashes
} ladder_arguments;
// What many commands take: a lab and a step, or -- and a program with its arguments.
static inline bool ladder_names_step(const ladder_arguments *arguments) {
    return arguments->count == 2 && !arguments->after_dashes;
}
static inline bool ladder_names_program(const ladder_arguments *arguments) {
    return arguments->count == 0 && arguments->after_count > 0;
}

// Whether the value is one of the words between bars, or a file where FILE is among them.
bool ladder_is_choice(const char *choices, const char *value);

// argv[0] is the command's name. KL_ERROR_USAGE names the word and, if one is near, the option
// meant.
kl_status ladder_options_parse(const ladder_option *options, size_t option_count, int argc,
                               char **argv, ladder_arguments *out_arguments, kl_error *err);

// One line an option, aligned; fits 80 columns when the help texts do.
void ladder_options_help(FILE *out, const ladder_option *options, size_t option_count);

// ---- argument lists -----------------------------------------------------------------------------
// Argument lists for the lab programs, whose options are rows of run_options.def.

enum { LADDER_PROGRAM_ARGS = 160, LADDER_PROGRAM_TEXT = 4096 };

// A list that is being made.
typedef struct ladder_program_args {
    char *argv[LADDER_PROGRAM_ARGS + 1]; // NULL-terminated
    int count;                           // of argv
    char text[LADDER_PROGRAM_TEXT];      // numbers as text
    int used;                            // bytes of text
} ladder_program_args;

// Begins with the program's path; then one option after the other, a flag only when it is set.
void ladder_args_begin(ladder_program_args *args, const char *program);
void ladder_args_flag(ladder_program_args *args, const char *name, bool set);
void ladder_args_text(ladder_program_args *args, const char *name,
                      const char *value); // NULL: left out
// The option with a number.
void ladder_args_number(ladder_program_args *args, const char *name, long long value);
void ladder_args_real(ladder_program_args *args, const char *name, double value);

// A program and its arguments in one word, "./a.out 1000", taken apart as a shell does.
typedef struct ladder_command_line {
    wordexp_t words;        // the command line: we_wordv, ended by NULL
    char *word;             // its first word, as it was given
    char path[LADDER_PATH]; // of the program, which words.we_wordv[0] is
} ladder_command_line;

// Close it in any case. `what`: whose word it is, "--before ", or "".
kl_status ladder_command_line_open(const char *text, const char *what,
                                   ladder_command_line *out_line, kl_error *err);
void ladder_command_line_close(ladder_command_line *line);

// Finds a program as a shell does; out: [LADDER_PATH]. An error when it holds
// kernels that the simulator cannot reach.
kl_status ladder_program_find(const char *word, char *out, kl_error *err);
