// ladder export: the kit for a machine that grades for a course system. What students hand in may
// run there without a sandbox, in a container that allows no namespaces: so the kit has no
// solutions and nothing that is made from them. It is the handout with the rubrics as they are,
// hidden criteria included. `gradescope` makes of it an autograder, as
// https://gradescope-autograders.readthedocs.io/en/latest/specs/ asks for: setup.sh and
// run_autograder at the root of a zip archive, made from texts in
// autograder/course/export/gradescope, with the kit beside them.
#include "commands/command.h"
#include "course/export/export.h"
#include "course/handout/handout.h"

typedef struct export_options {
    const char *output;
    bool unsafe;
} export_options;

static const ladder_usage usage = {
    "ladder export gradescope|moodle|qti LAB [options], or: ladder export kit DIR",
    "Writes the zip archive that Gradescope takes as the autograder of a programming\n"
    "assignment. Its image builds the kit, which lies in the archive without solutions,\n"
    "and grades on the simulator: no GPU is needed. `kit` writes the same kit into a\n"
    "folder, for images of other course systems. If a container allows no namespaces,\n"
    "there is no sandbox for a submission, and the grader stops. --unsafe grades without\n"
    "a sandbox; then only the container isolates a submission, which can read all of it.\n"
    "moodle and qti write the lab's predictions and self-check questions, with answers, for\n"
    "a question bank: Moodle XML, and a package of QTI 2.1.",
    "  ladder export gradescope reduction\n"
    "  ladder export moodle reduction\n"
    "  ladder export kit ../grader",
};

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

enum { SCRIPTS = 2, FILE_MAX = 64 << 20 };
static const char *const scripts[SCRIPTS] = {"setup.sh", "run_autograder"};

static kl_status make_script(const ladder_kit *kit, const ladder_lab *lab, const export_options *o,
                             const char *name, ladder_zip_file *out_file, kl_error *err) {
    const char *const pairs[][2] = {{"@LAB@", lab->folder},
                                    {"@OPTIONS@", o->unsafe ? "--unsafe" : ""}};
    char path[LADDER_PATH], *text = NULL;
    TRY(ladder_path(path, err, "%s/autograder/course/export/gradescope/%s", kit->source, name));
    TRY(ladder_file_read(AT_FDCWD, path, FILE_MAX, &text, NULL, err));
    char *filled = fill(text, pairs, sizeof pairs / sizeof pairs[0]);
    free(text);
    if (!filled) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a script");
    *out_file = (ladder_zip_file){strdup(name), filled, strlen(filled), .program = true};
    return KL_OK;
}

// With the hidden criteria, but without answers, which nobody asks for there.
static kl_status copy_description(const ladder_kit *kit, const ladder_lab *lab, const char *into,
                                  kl_error *err) {
    char from[LADDER_PATH], to[LADDER_PATH], *text = NULL, *copy = NULL;
    int removed = 0;
    TRY(ladder_path(from, err, "%s/labs/%s/lab.json", kit->source, lab->folder));
    TRY(ladder_path(to, err, "%s/labs/%s/lab.json", into, lab->folder));
    TRY(ladder_file_read(AT_FDCWD, from, FILE_MAX, &text, NULL, err));
    kl_status status =
        ladder_handout_description(from, lab->folder, text, true, false, &copy, &removed, err);
    free(text);
    if (status == KL_OK) status = ladder_file_write(to, copy, strlen(copy), err);
    free(copy);
    return status;
}

// The kit of a grading machine: what students have, and what the grader must know beside it.
static kl_status write_kit(const ladder_kit *kit, const char *into, ladder_handout *out_made,
                           kl_error *err) {
    TRY(ladder_handout_write(kit, into, NULL, LADDER_ASSISTANTS_COMMON, out_made, err));
    for (int l = 0; l < ladder_lab_count; l++)
        TRY(copy_description(kit, &ladder_labs[l], into, err));
    return KL_OK;
}

typedef struct archive {
    ladder_zip_file *files; // [count], owned with their names and contents
    size_t count;
} archive;

static kl_status take_file(const char *folder, const char *name, ladder_zip_file *out_file,
                           kl_error *err) {
    char path[LADDER_PATH], in_zip[LADDER_PATH], *data = NULL;
    size_t bytes = 0;
    TRY(ladder_path(path, err, "%s/%s", folder, name));
    TRY(ladder_path(in_zip, err, "kit/%s", name));
    TRY(ladder_file_read(AT_FDCWD, path, FILE_MAX, &data, &bytes, err));
    *out_file = (ladder_zip_file){strdup(in_zip), data, bytes, .program = access(path, X_OK) == 0};
    return KL_OK;
}

static kl_status write_zip(void *context, FILE *out, kl_error *err) {
    const archive *a = context;
    return ladder_zip_write(a->files, a->count, out, err);
}

static kl_status fill_archive(const ladder_kit *kit, const ladder_lab *lab, const export_options *o,
                              const char *folder, archive *a, kl_error *err) {
    ladder_handout made;
    kl_status status = write_kit(kit, folder, &made, err);
    a->files = calloc(made.count + SCRIPTS, sizeof *a->files);
    if (status == KL_OK && !a->files)
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for an archive");
    for (int i = 0; i < SCRIPTS && status == KL_OK; i++)
        status = make_script(kit, lab, o, scripts[i], &a->files[a->count++], err);
    for (size_t i = 0; i < made.count && status == KL_OK; i++)
        status = take_file(folder, made.files[i], &a->files[a->count++], err);
    ladder_handout_free(&made);
    return status;
}

static kl_status export_gradescope(const char *lab_word, const export_options *o, kl_error *err) {
    const ladder_lab *lab = NULL;
    ladder_kit kit;
    archive a = {NULL, 0};
    char folder[LADDER_PATH];
    TRY(ladder_lab_require(lab_word, &lab, err));
    TRY(ladder_kit_find(&kit, err));
    TRY(ladder_folder_temporary(folder, err));
    kl_status status = fill_archive(&kit, lab, o, folder, &a, err);
    if (status == KL_OK) status = kl_file_put(o->output, write_zip, &a, err);
    for (size_t i = 0; i < a.count; i++) {
        free((char *)a.files[i].name);
        free((char *)a.files[i].data);
    }
    free(a.files);
    ladder_folder_remove(folder);
    if (status == KL_OK && !kl_file_is_stdout(o->output))
        printf("%s: upload it as the autograder of %s; it has no solutions\n", o->output,
               lab->folder);
    return status;
}

static kl_status export_kit(const char *into, kl_error *err) {
    ladder_kit kit;
    ladder_handout made;
    TRY(ladder_kit_find(&kit, err));
    kl_status status = write_kit(&kit, into, &made, err);
    if (status == KL_OK)
        printf("%s: %zu files, without solutions; build it in the image that grades: ./ladder "
               "doctor\n",
               into, made.count);
    ladder_handout_free(&made);
    return status;
}

typedef struct bank_job {
    const ladder_bank *bank;
    bool qti;
} bank_job;

static kl_status write_bank(void *context, FILE *out, kl_error *err) {
    const bank_job *job = context;
    if (job->qti) return ladder_questions_qti(job->bank, out, err);
    ladder_questions_moodle(job->bank, out);
    return KL_OK;
}

static kl_status export_questions(const char *lab_word, bool qti, const char *output,
                                  kl_error *err) {
    const ladder_lab *lab = NULL;
    ladder_kit kit;
    ladder_bank bank;
    char file[LADDER_PATH];
    TRY(ladder_lab_require(lab_word, &lab, err));
    TRY(ladder_kit_find(&kit, err));
    TRY(ladder_kit_require_solution(&kit, lab, NULL, 0, err));
    TRY(output
            ? ladder_path(file, err, "%s", output)
            : ladder_path(file, err, "%s.%s", lab->problem->name, qti ? "qti.zip" : "moodle.xml"));
    TRY(ladder_bank_make(&kit, lab, &bank, err));
    kl_status status = kl_file_put(file, write_bank, &(bank_job){&bank, qti}, err);
    if (status == KL_OK && !kl_file_is_stdout(file))
        printf("%s: %zu questions of %s, with their answers\n", file, bank.count, lab->folder);
    ladder_bank_free(&bank);
    return status;
}

int ladder_cmd_export(int argc, char **argv) {
    export_options o = {.output = NULL};
    const ladder_option options[] = {
        OPT_TEXT("--output", &o.output, "FILE",
                 "default: autograder.zip, LAB.moodle.xml, LAB.qti.zip"),
        OPT_FLAG("--unsafe", &o.unsafe, "grade there even without a sandbox"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    const char *what = arguments.count == 2 ? arguments.positional[0] : "";
    bool kit = strcmp(what, "kit") == 0, qti = strcmp(what, "qti") == 0;
    bool questions = qti || strcmp(what, "moodle") == 0;
    if (!kit && !questions && strcmp(what, "gradescope") != 0)
        return ladder_command_misused(argv[0], "expected: ladder export gradescope|moodle|qti LAB, "
                                               "or: ladder export kit DIR");
    if (!questions && !o.output) o.output = "autograder.zip";
    kl_error err = {KL_OK, ""};
    kl_status status = kit         ? export_kit(arguments.positional[1], &err)
                       : questions ? export_questions(arguments.positional[1], qti, o.output, &err)
                                   : export_gradescope(arguments.positional[1], &o, &err);
    return status == KL_OK ? LADDER_EXIT_OK : ladder_command_fail(argv[0], &err);
}
