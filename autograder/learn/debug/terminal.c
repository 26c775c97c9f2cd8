// Reads commands, from scripts and then from standard input, and runs them.
#include "learn/debug/debug.h"

static const debug_command commands[] = {
#define DEBUG_COMMAND(identifier, name, alias, repeats, arguments, help)                           \
    {name, alias, debug_cmd_##identifier, repeats, arguments, help},
#include "learn/debug/commands.def"
#undef DEBUG_COMMAND
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static bool has_alias(const debug_command *command, const char *word, size_t length) {
    const char *at = command->alias;
    while (*at) {
        size_t own = strcspn(at, " ");
        if (own == length && strncmp(at, word, length) == 0) return true;
        at += own + 1;
    }
    return false;
}

static const debug_command *find(const char *word, size_t length) {
    for (int i = 0; i < COMMANDS; i++)
        if (has_alias(&commands[i], word, length)) return &commands[i];
    for (int i = 0; i < COMMANDS; i++)
        if (strncmp(commands[i].name, word, length) == 0) return &commands[i];
    return NULL;
}

static uint32_t complete(const char *typed, size_t length, const char *out[DEBUG_COMPLETIONS]) {
    _Static_assert((int)COMMANDS <= (int)DEBUG_COMPLETIONS, "all of them may be asked for");
    uint32_t count = 0;
    for (int i = 0; i < COMMANDS; i++)
        if (strncmp(commands[i].name, typed, length) == 0) out[count++] = commands[i].name;
    return count;
}

static void show_help(const debug_command *command, const kl_style *style) {
    char line[512];
    FILE *out = fmemopen(line, sizeof line, "w");
    if (!out) return;
    fputs(command->name, out);
    for (const char *at = command->alias; *at; at += strcspn(at, " ") + 1) {
        fputs(", ", out);
        fwrite(at, 1, strcspn(at, " "), out);
    }
    if (command->arguments[0]) fprintf(out, " %s", command->arguments);
    if (command->help[0]) fprintf(out, ": %s", command->help);
    fclose(out);
    kl_print_wrapped(stdout, style, 2, line);
}

kl_status debug_cmd_help(debug_terminal *t, const debug_words *words, kl_error *err) {
    size_t length = strlen(words->text);
    const debug_command *command = length ? find(words->text, length) : NULL;
    if (length && !command)
        return kl_fail(err, KL_ERROR_INPUT, "Undefined command: \"%s\".", words->text);
    for (int i = 0; i < COMMANDS; i++)
        if (!command || command == &commands[i]) show_help(&commands[i], &t->style);
    if (!command) puts("An empty line repeats a step, print, x or list.");
    return KL_OK;
}

kl_status debug_cmd_quit(debug_terminal *t, const debug_words *words, kl_error *err) {
    (void)words;
    (void)err;
    t->quits = true;
    return KL_OK;
}

bool debug_is_command(const char *line) {
    size_t name = strcspn(line, " \t/");
    return name > 0 && find(line, name);
}

// "p/x i + 1": the command's name, its format, its text.
kl_status debug_run_line(debug_terminal *t, char *line, const debug_command **out_command,
                         kl_error *err) {
    size_t name = strcspn(line, " \t/");
    char *format = line + name, *text;
    const debug_command *command = find(line, name);
    *out_command = command;
    if (!command)
        return kl_fail(err, KL_ERROR_INPUT, "Undefined command: \"%.*s\".  Try \"help\".",
                       (int)name, line);
    static char none[1];
    if (*format == '/') {
        format++;
        text = format + strcspn(format, " \t");
    } else {
        text = format;
        format = none;
    }
    if (*text) *text++ = '\0';
    text += strspn(text, " \t");
    t->listed = t->listed && command->run == debug_cmd_list;
    return command->run(t, &(debug_words){format, text}, err);
}

// Without blanks around it, and without a comment.
static char *clean(char *line) {
    line += strspn(line, " \t");
    size_t length = strlen(line);
    while (length > 0 && isspace((unsigned char)line[length - 1])) line[--length] = '\0';
    if (line[0] == '#') line[0] = '\0';
    return line;
}

// Runs the commands of a file or of the user. script: its name, whose first error ends it.
static void read_commands(debug_terminal *t, FILE *in, const char *script) {
    bool terminal = !script && isatty(fileno(in)) && isatty(STDOUT_FILENO);
    debug_editor *editor = terminal ? debug_editor_new(complete) : NULL;
    char *line = NULL, last[1024] = "";
    size_t capacity = 0;
    int number = 0;
    while (!t->quits) {
        kl_error err = {KL_OK, ""};
        const debug_command *command = NULL;
        char copy[1024];
        if (!debug_read_line(editor, in, terminal, &line, &capacity)) break;
        number++;
        char *words = clean(line);
        if (words[0] == '\0' && (!terminal || last[0] == '\0')) continue;
        snprintf(copy, sizeof copy, "%s", words[0] ? words : last);
        if (!terminal) printf("(ladder) %s\n", copy);
        kl_status status = debug_run_line(t, copy, &command, &err);
        if (words[0]) snprintf(last, sizeof last, "%s", command && command->repeats ? words : "");
        if (status == KL_OK) continue;
        fflush(stdout);
        if (script) fprintf(stderr, "%s:%d: ", script, number);
        fprintf(stderr, "%s\n", err.text);
        t->failed |= !terminal;
        if (script) break;
    }
    if (terminal && !t->quits) putchar('\n');
    debug_editor_free(editor);
    free(line);
}

static kl_status read_scripts(debug_terminal *t, const ladder_texts *scripts, kl_error *err) {
    for (int i = 0; i < scripts->count && !t->failed; i++) {
        FILE *in = fopen(scripts->items[i], "r");
        if (!in) return kl_fail(err, KL_ERROR_INPUT, "%s cannot be read", scripts->items[i]);
        read_commands(t, in, scripts->items[i]);
        fclose(in);
    }
    return KL_OK;
}

kl_status ladder_debug(const ladder_kit *kit, char *const *argv,
                       const ladder_debug_options *options, bool *out_failed, kl_error *err) {
    debug_terminal *t = calloc(1, sizeof *t);
    if (!t) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the debugger");
    t->kit = kit;
    t->argv = argv;
    t->check = options->check;
    t->style = kl_style_for(stdout);
    t->client.descriptor = -1;
    debug_catch_interrupt();
    kl_status status = read_scripts(t, options->scripts, err);
    if (status == KL_OK && !options->batch && !t->quits) read_commands(t, stdin, NULL);
    *out_failed = t->failed;
    debug_end(t);
    debug_close_variables(t);
    free(t);
    return status;
}
