// Options of a command as a table: see options.h. "--name value" and "--name=value" are the same.
#include "utilities/options.h"
#include "utilities/text.h"

enum { OPTION_MAX = 40 };

static kl_status fail_unknown(const ladder_option *options, size_t count, const char *word,
                              kl_error *err) {
    const char *names[OPTION_MAX + 1];
    size_t name_count = 0;
    for (; name_count < count && name_count < OPTION_MAX; name_count++)
        names[name_count] = options[name_count].name;
    names[name_count++] = "--help";
    char plain[80];
    ladder_plain(word, false, plain, sizeof plain);
    const char *meant = ladder_suggest(word, names, name_count);
    if (meant)
        return kl_fail(err, KL_ERROR_USAGE, "unknown option %s; did you mean %s?", plain, meant);
    return kl_fail(err, KL_ERROR_USAGE, "unknown option %s", plain);
}

// True when `value` is one of the words in "a|b|c". The word FILE stands for a path, which is told
// by a '/' or a '.'.
bool ladder_is_choice(const char *choices, const char *value) {
    size_t length = strlen(value);
    const char *file = choices ? strstr(choices, "|FILE") : NULL;
    if (file && strcmp(value, "FILE") == 0) return false;
    if (file && strpbrk(value, "/.")) return true;
    for (const char *c = choices; c && length > 0; c = strchr(c, '|')) {
        if (*c == '|') c++;
        if (strncmp(c, value, length) == 0 && (c[length] == '|' || c[length] == '\0')) return true;
    }
    return false;
}

static kl_status store(const ladder_option *option, const char *value, kl_error *err) {
    char plain[80], got[96];
    ladder_plain(value, false, plain, sizeof plain);
    kl_quoted(plain, got, sizeof got);
    switch (option->kind) {
    case LADDER_PAIR: break; // parse_option takes both
    case LADDER_FLAG: *(bool *)option->target = true; return KL_OK;
    case LADDER_TEXT: *(const char **)option->target = value; return KL_OK;
    case LADDER_SIZE:
        if (!ladder_parse_size(value, option->target)) {
            return kl_fail(err, KL_ERROR_USAGE,
                           "%s takes a whole number such as 1000003 or 2^24, not %s", option->name,
                           got);
        }
        return KL_OK;
    case LADDER_SECONDS: {
        double seconds = 0;
        if (ladder_number_take(value, KL_ERROR_USAGE, &seconds, NULL) != KL_OK || seconds <= 0) {
            return kl_fail(err, KL_ERROR_USAGE, "%s takes a number of seconds above 0, not %s",
                           option->name, got);
        }
        *(double *)option->target = seconds;
        return KL_OK;
    }
    case LADDER_TEXTS: {
        ladder_texts *texts = option->target;
        if (texts->count == LADDER_TEXTS_MAX) {
            return kl_fail(err, KL_ERROR_USAGE, "%s is given more than %d times", option->name,
                           LADDER_TEXTS_MAX);
        }
        texts->items[texts->count++] = value;
        return KL_OK;
    }
    case LADDER_CHOICE:
        if (!ladder_is_choice(option->choices, value)) {
            return kl_fail(err, KL_ERROR_USAGE, "%s is one of %s, not %s", option->name,
                           option->choices, got);
        }
        *(const char **)option->target = value;
        return KL_OK;
    }
    return kl_fail(err, KL_ERROR_USAGE, "%s cannot be set", option->name);
}

// Finds the option that `word` names, with or without "=value".
static const ladder_option *find(const ladder_option *options, size_t count, const char *word) {
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < count; i++)
        if (strlen(options[i].name) == length && strncmp(options[i].name, word, length) == 0)
            return &options[i];
    return NULL;
}

// Handles argv[*index], which starts with a dash; moves *index past the argument it takes.
static kl_status parse_option(const ladder_option *options, size_t count, int argc, char **argv,
                              int *index, kl_error *err) {
    const char *word = argv[*index];
    const ladder_option *option = find(options, count, word);
    if (!option) return fail_unknown(options, count, word, err);
    const char *equals = strchr(word, '=');
    if (option->kind == LADDER_FLAG) {
        if (equals) return kl_fail(err, KL_ERROR_USAGE, "%s takes no argument", option->name);
        return store(option, "", err);
    }
    int wanted = option->kind == LADDER_PAIR ? 2 : 1;
    if (equals && wanted == 1) return store(option, equals + 1, err);
    if (equals || *index + wanted >= argc) {
        return kl_fail(err, KL_ERROR_USAGE, "%s needs %s: %s %s", option->name,
                       wanted == 1 ? "an argument" : "two arguments", option->name,
                       option->argument);
    }
    if (wanted == 2) {
        memcpy(option->target, argv + *index + 1, 2 * sizeof *argv);
        *index += 2;
        return KL_OK;
    }
    *index += 1;
    return store(option, argv[*index], err);
}

// "-5", "-.5": a value below 0, and no option.
static bool is_number(const char *word) {
    word += *word == '-';
    word += *word == '.';
    return *word >= '0' && *word <= '9';
}

kl_status ladder_options_parse(const ladder_option *options, size_t option_count, int argc,
                               char **argv, ladder_arguments *out_arguments, kl_error *err) {
    ladder_arguments *a = out_arguments;
    memset(a, 0, sizeof *a);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            a->help = true;
            return KL_OK;
        }
    }
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            a->after_dashes = argv + i + 1;
            a->after_count = argc - i - 1;
            return KL_OK;
        }
        if (argv[i][0] == '-' && argv[i][1] != '\0' && !is_number(argv[i])) {
            TRY(parse_option(options, option_count, argc, argv, &i, err));
            continue;
        }
        if (a->count == LADDER_POSITIONALS)
            return kl_fail(err, KL_ERROR_USAGE, "more than %d arguments", LADDER_POSITIONALS);
        a->positional[a->count++] = argv[i];
    }
    return KL_OK;
}

// A line of help. A long list of words goes on below, behind a '|'.
static void put_help(FILE *out, int width, const char *left, const char *help) {
    const int columns = 80 - width - 4;
    int used = (int)strlen(help);
    for (int cut = used > columns ? columns : 0; cut > 0 && used > columns; cut--)
        if (help[cut - 1] == '|') used = cut;
    fprintf(out, "  %-*s  %.*s\n", width, left, used, help);
    if (help[used] != '\0') fprintf(out, "  %-*s  %s\n", width, "", help + used);
}

void ladder_options_help(FILE *out, const ladder_option *options, size_t option_count) {
    char left[OPTION_MAX][48];
    size_t count = option_count < OPTION_MAX ? option_count : OPTION_MAX;
    int width = (int)strlen("--help");
    for (size_t i = 0; i < count; i++) {
        const char *argument = options[i].argument                ? options[i].argument
                               : options[i].kind == LADDER_CHOICE ? options[i].choices
                                                                  : "";
        int used = snprintf(left[i], sizeof left[i], "%s%s%s", options[i].name,
                            argument[0] != '\0' ? " " : "", argument);
        if (used > width) width = used;
    }
    for (size_t i = 0; i < count; i++) put_help(out, width, left[i], options[i].help);
    fprintf(out, "  %-*s  %s\n", width, "--help", "this text");
}

// ---- argument lists -----------------------------------------------------------------------------

static void add(ladder_program_args *args, const char *word) {
    if (args->count == LADDER_PROGRAM_ARGS) return;
    args->argv[args->count++] = (char *)word;
    args->argv[args->count] = NULL;
}

void ladder_args_begin(ladder_program_args *args, const char *program) {
    args->count = args->used = 0;
    add(args, program);
}

void ladder_args_flag(ladder_program_args *args, const char *name, bool set) {
    if (set) add(args, name);
}

void ladder_args_text(ladder_program_args *args, const char *name, const char *value) {
    if (!value) return;
    add(args, name);
    add(args, value);
}

// `length`: of what snprintf has just written to the free end of args->text.
static void add_number(ladder_program_args *args, const char *name, int length) {
    if (length < 0 || length >= LADDER_PROGRAM_TEXT - args->used) return;
    char *text = args->text + args->used;
    args->used += length + 1;
    ladder_args_text(args, name, text);
}

void ladder_args_number(ladder_program_args *args, const char *name, long long value) {
    size_t available = (size_t)(LADDER_PROGRAM_TEXT - args->used);
    add_number(args, name, snprintf(args->text + args->used, available, "%lld", value));
}

void ladder_args_real(ladder_program_args *args, const char *name, double value) {
    size_t available = (size_t)(LADDER_PROGRAM_TEXT - args->used);
    add_number(args, name, snprintf(args->text + args->used, available, "%.17g", value));
}

// ---- finding a program that the simulator can run -----------------------------------------------

// Finds a program as a shell does.
static kl_status find_in_path(const char *word, char *out, kl_error *err) {
    if (strchr(word, '/')) {
        TRY(ladder_path(out, err, "%s", word));
        if (access(out, X_OK) == 0) return KL_OK;
        return kl_fail(err, KL_ERROR_INPUT, "%s: %s", word,
                       errno == EACCES && ladder_file_exists(out)
                           ? "no program; of a .cu file nvcc -cudart shared -lineinfo makes one"
                           : strerror(errno));
    }
    const char *path = getenv("PATH");
    for (const char *part = path; part && *part != '\0';) {
        size_t length = strcspn(part, ":");
        if (ladder_path(out, err, "%.*s/%s", (int)length, part, word) == KL_OK &&
            ladder_file_exists(out))
            return KL_OK;
        part += length + (part[length] == ':');
    }
    return kl_fail(err, KL_ERROR_INPUT,
                   "there is no program '%s' in PATH; for one in this folder "
                   "write ./%s",
                   word, word);
}

// The simulator can only take the place of a runtime that the program loads.
static kl_status check_linkage(const char *program, kl_error *err) {
    ladder_elf elf;
    kl_error ignored = {KL_OK, ""};
    if (ladder_elf_read(program, &elf, &ignored) != KL_OK) return KL_OK; // a script, say
    bool shared = ladder_elf_needs(&elf, "libcudart.so");
    bool is_static = elf.has_device_code && !shared;
    ladder_elf_free(&elf);
    if (!is_static) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   "%s holds kernels but is linked with the static CUDA runtime, nvcc's default; "
                   "link it with: nvcc -cudart shared -lineinfo",
                   program);
}

kl_status ladder_program_find(const char *word, char *out, kl_error *err) {
    TRY(find_in_path(word, out, err));
    return check_linkage(out, err);
}

kl_status ladder_command_line_open(const char *text, const char *what,
                                   ladder_command_line *out_line, kl_error *err) {
    ladder_command_line *line = out_line;
    memset(line, 0, sizeof *line);
    if (wordexp(text, &line->words, WRDE_NOCMD) != 0) {
        memset(&line->words, 0, sizeof line->words);
        return kl_fail(err, KL_ERROR_USAGE, "%s'%s' is no program with its arguments", what, text);
    }
    if (line->words.we_wordc == 0)
        return kl_fail(err, KL_ERROR_USAGE, "%s'%s' names no program", what, text);
    TRY(ladder_program_find(line->words.we_wordv[0], line->path, err));
    line->word = line->words.we_wordv[0];
    line->words.we_wordv[0] = line->path;
    return KL_OK;
}

void ladder_command_line_close(ladder_command_line *line) {
    if (line->word) line->words.we_wordv[0] = line->word;
    if (line->words.we_wordv) wordfree(&line->words);
}
