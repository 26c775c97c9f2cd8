// How every command begins and fails: see command.h.
#include "commands/command.h"
#include "table.h"

bool ladder_command_is_handout(void) {
    ladder_kit kit;
    return ladder_kit_find(&kit, NULL) == KL_OK && ladder_kit_is_handout(&kit);
}

// Line breaks of the description are only those of its source file.
static void print_usage(const ladder_usage *usage) {
    kl_style style = kl_style_for(stdout);
    char text[2048];
    snprintf(text, sizeof text, "%s", usage->description);
    for (char *c = text; *c != '\0'; c++)
        if (*c == '\n') *c = ' ';
    fputs("usage: ", stdout);
    kl_print_wrapped(stdout, &style, 7, usage->synopsis);
    fputc('\n', stdout);
    kl_print_wrapped(stdout, &style, 0, text);
    fputc('\n', stdout);
}

// Lines "  ladder .." as they are typed in a kit.
static void print_example(const char *text) {
    puts("\nExample:");
    for (; *text != '\0'; text += strcspn(text, "\n"), text += *text == '\n') {
        bool command = strncmp(text, "  ladder ", 9) == 0;
        printf("%s%.*s\n", command ? "  ./" : "", (int)strcspn(text, "\n") - 2 * command,
               text + 2 * command);
    }
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
        print_example(usage->example);
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

int ladder_command_no_step(const char *command, const ladder_arguments *arguments,
                           const char *expected, const char *ask) {
    const ladder_lab *lab = NULL;
    kl_error err = {KL_OK, ""};
    if (arguments->count == 0 || arguments->after_dashes)
        return ladder_command_misused(command,
                                      "expected %s, for example: ./ladder %s reduction 3%s",
                                      expected, command, strstr(expected, "two") ? " 4" : "");
    if (ladder_lab_require(arguments->positional[0], &lab, &err) == KL_OK)
        ladder_lab_ask_step(lab, ask, &err);
    return ladder_command_misused(command, "%s", err.text);
}

int ladder_command_end(const char *command, int status) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    int code = errno;
    fprintf(stderr, "ladder %s: cannot write to standard output: %s\n", command,
            code ? strerror(code) : "an earlier write failed");
    return status == LADDER_EXIT_OK ? LADDER_EXIT_FAILED : status;
}
