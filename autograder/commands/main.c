// SPDX-License-Identifier: MIT
// The `ladder` program: finds the command in commands.def and runs it. Commands live in cmd_*.c.
// `test` and `format` belong to the launcher script, which starts this program for everything else.
#include <errno.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "commands/command.h"
#include "table.h"
#include "kit/text.h"

static const ladder_command commands[] = {
#define LADDER_COMMAND(identifier, summary) {#identifier, summary, ladder_cmd_##identifier},
#include "commands/commands.def"
#undef LADDER_COMMAND
    {"test", "the whole test suite (./ladder test)", NULL},
    {"format", "lay out all source files (./ladder format)", NULL},
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_help(FILE *out) {
    fputs("Kernel Ladder: GPU kernels from naive to the hardware's limit, step by step.\n\n"
          "usage: ladder COMMAND [arguments]\n\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
    }
    fputs("\nA lab answers to its number, short name or folder: 2, reduction, 02_reduction.\n"
          "Example: ladder run reduction --solution\n"
          "More on a command: ladder COMMAND --help\n",
          out);
}

// Line breaks of the description are only those of its source file.
static void print_usage(const ladder_usage *usage) {
    kl_style style = kl_style_for(stdout);
    char text[2048];
    snprintf(text, sizeof text, "%s", usage->description);
    for (char *c = text; *c != '\0'; c++) {
        if (*c == '\n') *c = ' ';
    }
    fputs("usage: ", stdout);
    kl_print_wrapped(stdout, &style, 7, usage->synopsis);
    fputc('\n', stdout);
    kl_print_wrapped(stdout, &style, 0, text);
    fputc('\n', stdout);
}

bool ladder_command_begin(const ladder_usage *usage, const ladder_option *options,
                          size_t option_count, int argc, char **argv,
                          ladder_arguments *out_arguments, int *out_exit) {
    kl_error err = {KL_OK, ""};
    if (ladder_options_parse(options, option_count, argc, argv, out_arguments, &err) != KL_OK) {
        *out_exit = ladder_command_misused(argv[0], "%s", err.text);
        return false;
    }
    if (out_arguments->help) {
        print_usage(usage);
        ladder_options_help(stdout, options, option_count);
        printf("\nExample:\n%s\n", usage->example);
        *out_exit = LADDER_EXIT_OK;
        return false;
    }
    return true;
}

// "ladder NAME: text", wrapped; paths are not broken.
static void complain(const char *command, const char *text) {
    kl_style style = kl_style_for(stderr);
    int column = fprintf(stderr, "ladder %s: ", command);
    kl_print_wrapped(stderr, &style, column, text);
}

int ladder_command_fail(const char *command, const kl_error *err) {
    if (err->status == KL_ERROR_USAGE) return ladder_command_misused(command, "%s", err->text);
    complain(command, err->text);
    return LADDER_EXIT_FAILED;
}

int ladder_command_misused(const char *command, const char *format, ...) {
    char text[KL_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    complain(command, text);
    fprintf(stderr, "See: ladder %s --help\n", command);
    return LADDER_EXIT_USAGE;
}

// What was said must have arrived: a report that a full disk cut short is no success.
static int with_output(const char *command, int status) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    int code = errno;
    fprintf(stderr, "ladder %s: cannot write to standard output: %s\n", command,
            code ? strerror(code) : "an earlier write failed");
    return status == LADDER_EXIT_OK ? LADDER_EXIT_FAILED : status;
}

int main(int argc, char **argv) {
    setlocale(LC_CTYPE, ""); // may the terminal show more than ASCII? Numbers stay in the C locale
    if (argc < 2) {
        print_help(stderr);
        return LADDER_EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_help(stdout);
        return with_output("--help", LADDER_EXIT_OK);
    }
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i].name;
        if (strcmp(word, commands[i].name) != 0) continue;
        if (commands[i].run != NULL) return with_output(word, commands[i].run(argc - 1, argv + 1));
        fprintf(stderr,
                "ladder %s: this command belongs to the launcher at the top of the kit: "
                "./ladder %s\n",
                word, word);
        return LADDER_EXIT_USAGE;
    }
    char plain[80];
    ladder_plain(word, false, plain, sizeof plain);
    const char *meant = ladder_suggest(word, names, COMMAND_COUNT);
    fprintf(stderr, "ladder: unknown command '%s'%s%s%s\nSee: ladder --help\n", plain,
            meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
            meant != NULL ? "'?" : "");
    return LADDER_EXIT_USAGE;
}
