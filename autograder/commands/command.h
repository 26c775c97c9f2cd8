// The commands of `ladder` as a table (commands.def) and what every command shares: help and
// errors.
#pragma once

#include "grade/rubric/lab_files.h"
#include "utilities/options.h"

// Exit status of the program.
enum { LADDER_EXIT_OK = 0, LADDER_EXIT_FAILED = 1, LADDER_EXIT_USAGE = 2 };

typedef struct ladder_command {
    const char *name;    // NULL: the row is a heading of `ladder --help`, its text in `summary`
    const char *summary; // one line for `ladder --help`
    int (*run)(int argc, char **argv); // argv[0] is the command's name
    bool whole_kit;                    // a handout does not have it
} ladder_command;

#define LADDER_COMMANDS_OF(who)
#define LADDER_COMMAND(identifier, name, summary)                                                  \
    int ladder_cmd_##identifier(int argc, char **argv);
#define LADDER_KIT_COMMAND LADDER_COMMAND
#include "commands/commands.def"
#undef LADDER_KIT_COMMAND
#undef LADDER_COMMAND
#undef LADDER_COMMANDS_OF

// What a command's --help shows besides its options.
typedef struct ladder_usage {
    const char *synopsis;    // "ladder hint LAB STEP [options]"
    const char *description; // wrapped when it is printed
    const char *example;     // one or more lines
} ladder_usage;

// Whether this kit was handed out, without what is for those who keep it.
bool ladder_command_is_handout(void);

// Parses; on --help prints the help. Returns true when the command should go on; otherwise
// *out_exit is the exit status to return with.
bool ladder_command_begin(const ladder_usage *usage, const ladder_option *options,
                          size_t option_count, int argc, char **argv,
                          ladder_arguments *out_arguments, int *out_exit);
// The same at the beginning of a command's function, which it ends where there is nothing to do.
// From here on `arguments` are the words that are no options, and `code` is the exit status.
#define LADDER_COMMAND_BEGIN(usage, options)                                                       \
    ladder_arguments arguments;                                                                    \
    int code = LADDER_EXIT_OK;                                                                     \
    if (!ladder_command_begin(&(usage), options, sizeof options / sizeof options[0], argc, argv,   \
                              &arguments, &code))                                                  \
    return code

// Prints "ladder NAME: text" to standard error and returns the exit status that fits the error.
int ladder_command_fail(const char *command, const kl_error *err);

// The same for a wrong command line, with a pointer to --help.
int ladder_command_misused(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The same where something such as "a lab and a step" was expected; `ask`: "which step". Names the
// steps of the lab that was named, or gives the example "./ladder NAME reduction 3".
int ladder_command_no_step(const char *command, const ladder_arguments *arguments,
                           const char *expected, const char *ask);

// The exit status of the program after a command that returned `status`. What was said must have
// arrived: a report that a full disk cut short is no success.
int ladder_command_end(const char *command, int status);
