// SPDX-License-Identifier: MIT
// ladder export gradescope LAB: a ready autograder for Gradescope, as
// https://gradescope-autograders.readthedocs.io/en/latest/specs/ asks for: setup.sh and
// run_autograder at the root of a zip archive. Both are made from texts in
// autograder/course/export/gradescope.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "commands/command.h"
#include "course/export/zip.h"
#include "utilities/files.h"

typedef struct export_options {
    const char *kit, *revision, *output;
    bool unsafe;
} export_options;

static const ladder_usage usage = {
    "ladder export gradescope LAB --kit URL [options]",
    "Writes the zip archive that Gradescope takes as the autograder of a programming\n"
    "assignment. Its image clones the kit from URL, builds it, and grades on the\n"
    "simulator: no GPU is needed. If Gradescope's container allows no namespaces,\n"
    "there is no sandbox for a submission, and run_autograder stops. --unsafe grades without\n"
    "a sandbox; then only the container isolates a submission.",
    "  ladder export gradescope reduction --kit https://git.school.edu/gpu/kit.git",
};

typedef struct made_file {
    const char *name;
    char *text;
} made_file;

// The texts stand in quotes of a shell script.
static kl_status check_word(const char *word, const char *option, kl_error *err) {
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:/@._~+%=-";
    if (word[0] != '\0' && word[0] != '-' && word[strspn(word, plain)] == '\0') return KL_OK;
    return kl_fail(err, KL_ERROR_USAGE, "%s is not an address that git clone accepts", option);
}

// A text with each @NAME@ replaced; caller frees. pairs: [count][2].
static char *fill(const char *text, const char *const pairs[][2], size_t count) {
    char *filled = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&filled, &bytes);
    if (!out) return NULL;
    while (*text != '\0') {
        size_t i = 0;
        while (i < count && strncmp(text, pairs[i][0], strlen(pairs[i][0])) != 0) i++;
        if (i < count) {
            fputs(pairs[i][1], out);
            text += strlen(pairs[i][0]);
        } else {
            fputc(*text++, out);
        }
    }
    if (fclose(out) == 0) return filled;
    free(filled);
    return NULL;
}

static kl_status make_file(const ladder_kit *kit, const ladder_lab *lab, const export_options *o,
                           made_file *file, kl_error *err) {
    enum { TEMPLATE_MAX = 64 << 10 };
    const char *const pairs[][2] = {{"@LAB@", lab->folder},
                                    {"@KIT@", o->kit},
                                    {"@REVISION@", o->revision},
                                    {"@OPTIONS@", o->unsafe ? "--unsafe" : ""}};
    char path[LADDER_PATH], *text = NULL;
    TRY(ladder_path(path, err, "%s/autograder/course/export/gradescope/%s", kit->source,
                    file->name));
    TRY(ladder_file_read(AT_FDCWD, path, TEMPLATE_MAX, &text, NULL, err));
    file->text = fill(text, pairs, sizeof pairs / sizeof pairs[0]);
    free(text);
    return file->text ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for a script");
}

enum { FILES = 2 };

static kl_status write_zip(void *context, FILE *out, kl_error *err) {
    const made_file *made = context;
    ladder_zip_file files[FILES];
    (void)err; // kl_file_put notices what could not be written
    for (int i = 0; i < FILES; i++)
        files[i] = (ladder_zip_file){made[i].name, made[i].text, .program = true};
    ladder_zip_write(files, FILES, out);
    return KL_OK;
}

static kl_status export(const char *lab_word, const export_options *o, kl_error *err) {
    const ladder_lab *lab = NULL;
    ladder_kit kit;
    made_file files[FILES] = {{"setup.sh", NULL}, {"run_autograder", NULL}};
    TRY(ladder_lab_require(lab_word, &lab, err));
    TRY(check_word(o->kit, "--kit", err));
    TRY(check_word(o->revision, "--revision", err));
    TRY(ladder_kit_find(&kit, err));
    kl_status status = KL_OK;
    for (int i = 0; i < FILES && status == KL_OK; i++)
        status = make_file(&kit, lab, o, &files[i], err);
    if (status == KL_OK) status = kl_file_put(o->output, write_zip, files, err);
    for (int i = 0; i < FILES; i++) free(files[i].text);
    if (status == KL_OK && !kl_file_is_stdout(o->output))
        printf("%s: upload it as the autograder of %s\n", o->output, lab->folder);
    return status;
}

int ladder_cmd_export(int argc, char **argv) {
    export_options o = {.revision = "HEAD", .output = "autograder.zip"};
    const ladder_option options[] = {
        {"--kit", LADDER_TEXT, &o.kit, "URL", "where git clones the kit from", NULL},
        {"--revision", LADDER_TEXT, &o.revision, "NAME", "its branch, tag or commit", NULL},
        {"--output", LADDER_TEXT, &o.output, "FILE", "default: autograder.zip", NULL},
        {"--unsafe", LADDER_FLAG, &o.unsafe, NULL, "grade there even without a sandbox", NULL},
    };
    ladder_arguments arguments;
    int code = LADDER_EXIT_OK;
    if (!ladder_command_begin(&usage, options, sizeof options / sizeof options[0], argc, argv,
                              &arguments, &code))
        return code;
    if (arguments.count != 2 || strcmp(arguments.positional[0], "gradescope") != 0 || !o.kit)
        return ladder_command_misused(argv[0], "expected: ladder export gradescope LAB --kit URL");
    kl_error err = {KL_OK, ""};
    kl_status status = export(arguments.positional[1], &o, &err);
    return status == KL_OK ? LADDER_EXIT_OK : ladder_command_fail(argv[0], &err);
}
