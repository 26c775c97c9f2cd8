// Argument lists: see options.h. What does not fit is left out; commands give far fewer.
#include "utilities/options.h"

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
        return kl_fail(err, KL_ERROR_INPUT, "%s: %s", word, strerror(errno));
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
