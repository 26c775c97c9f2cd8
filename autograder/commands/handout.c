// ladder handout: the kit for students, and solutions once their deadline has passed.
#include "course/handout/handout.h"
#include "commands/command.h"
#include "json.h"
#include <time.h>

typedef struct handout_options {
    const char *after, *json, *labs, *add, *assistants;
    bool release, git;
} handout_options;

static const ladder_usage usage = {
    "ladder handout FOLDER [--git] [--labs LABS] [--assistants WHAT] | ladder handout FOLDER --add "
    "LABS | "
    "ladder handout FOLDER --release LAB [STEP]",
    "Writes the kit into FOLDER as students get it: without solutions, answers to the labs'\n"
    "questions, wrong and lazy kernels, tests, measured figures, slides, pages for\n"
    "instructors, and criteria that are marked as hidden. Step files are made anew.\n"
    "AGENTS.md there says what an assistant of a student may do: none, hints or free.\n"
    "--git makes a repository with one commit of it. A course by weeks hands out some labs\n"
    "with --labs, and others later into the same folder with --add: links and menus name\n"
    "what is there. --release puts the solution of one\n"
    "step into such a folder, or, without STEP, all solutions and answers of a lab, with a\n"
    "commit where it is a repository. With --after it refuses as long as that time has not\n"
    "passed.",
    "  ladder handout ../gpu-2026 --git\n"
    "  ladder handout ../gpu-2027 --git --labs 00,02 --assistants none\n"
    "  ladder handout ../gpu-2027 --add 07\n"
    "  ladder handout ../gpu-2026 --release reduction 3 --after 2026-11-20T23:59\n"
    "  ladder handout ../gpu-2026 --release reduction",
};

typedef struct job {
    const char *into;
    const handout_options *options;
    const ladder_handout *made;
    bool committed;
} job;

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const job *j = context;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{schema ladder.handout/1 folder %s files [", j->into);
    for (size_t i = 0; i < j->made->count; i++) kl_json_string(&json, NULL, j->made->files[i]);
    kl_json_put(&json, "] left_out [");
    for (size_t i = 0; i < j->made->left_count; i++)
        kl_json_put(&json, "{path %s why %s}", j->made->left[i].path, j->made->left[i].why);
    kl_json_put(&json, "] hidden %d}", j->made->hidden);
    return kl_json_finish(&json, err);
}

static kl_status release(const ladder_arguments *arguments, const handout_options *o,
                         ladder_handout *out_handout, bool *out_committed, kl_error *err) {
    const ladder_lab *lab = NULL;
    const kl_step_info *step = NULL;
    ladder_kit kit;
    TRY(ladder_lab_require(arguments->positional[1], &lab, err));
    if (arguments->count == 3)
        TRY(ladder_lab_require_step(lab, arguments->positional[2], &step, err));
    TRY(ladder_kit_find(&kit, err));
    return ladder_handout_release(&kit, lab, step, arguments->positional[0], o->after,
                                  (double)time(NULL), out_handout, out_committed, err);
}

static kl_status hand_out(const char *into, const handout_options *o, ladder_handout *out_handout,
                          kl_error *err) {
    ladder_kit kit;
    bool committed;
    TRY(ladder_kit_find(&kit, err));
    TRY(ladder_handout_write(&kit, into, o->labs,
                             o->assistants ? o->assistants : LADDER_ASSISTANTS_COMMON, out_handout,
                             err));
    if (!o->git) return KL_OK;
    TRY(ladder_handout_git_begin(into, err));
    return ladder_handout_commit(into, out_handout, "Kernel Ladder, for students", &committed, err);
}

static kl_status add(const char *into, const handout_options *o, ladder_handout *out_handout,
                     bool *out_committed, kl_error *err) {
    ladder_kit kit;
    char message[256];
    TRY(ladder_kit_find(&kit, err));
    TRY(ladder_handout_add_labs(&kit, into, o->add, out_handout, err));
    snprintf(message, sizeof message, "Labs %.200s", o->add);
    return ladder_handout_commit(into, out_handout, message, out_committed, err);
}

// Whether a rule has left something out before the item `at` of the list.
static bool is_told(const ladder_handout *made, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (made->left[i].rule == made->left[at].rule) return true;
    return false;
}

static void print_handout(const job *j) {
    printf("%s: %zu files%s\nleft out, beside solutions and slides:\n", j->into, j->made->count,
           j->options->git ? ", one commit" : "");
    for (size_t i = 0; i < j->made->left_count; i++)
        if (!is_told(j->made, i))
            printf("  %-17s %s\n", j->made->left[i].rule, j->made->left[i].why);
    if (j->made->hidden > 0) printf("  hidden criteria: %d\n", j->made->hidden);
}

static void print_added(const job *j) {
    printf("%s: %zu files came or changed their links\n", j->into, j->made->count);
    for (size_t i = 0; i < j->made->left_count; i++)
        if (strncmp(j->made->left[i].path, "labs/", 5) != 0)
            printf("  not changed: %s: somebody edited it\n", j->made->left[i].path);
    if (j->committed) printf("committed: git push hands it out\n");
}

static void print_release(const job *j) {
    for (size_t i = 0; i < j->made->count; i++) printf("%s: %s\n", j->into, j->made->files[i]);
    if (j->committed) printf("committed: git push hands it out\n");
}

int ladder_cmd_handout(int argc, char **argv) {
    handout_options o = {.git = false};
    const ladder_option options[] = {
        OPT_FLAG("--git", &o.git, "a git repository with one commit"),
        OPT_TEXT("--labs", &o.labs, "LABS", "only these, for example 00,02"),
        OPT_CHOICE(
            "--assistants", &o.assistants, "WHAT",
            "the rule in AGENTS.md for programs that help with code (" LADDER_ASSISTANTS_COMMON ")",
            LADDER_ASSISTANTS),
        OPT_TEXT("--add", &o.add, "LABS", "these too, into a handout that has not all"),
        OPT_FLAG("--release", &o.release, "add the solution of LAB's STEP, or all of LAB's"),
        OPT_TEXT("--after", &o.after, "TIME", "not before: 2026-11-20T23:59[+01:00]"),
        OPT_TEXT("--json", &o.json, "FILE", "what was done as JSON (- is standard output)"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    bool well = o.release ? arguments.count == 2 || arguments.count == 3 : arguments.count == 1;
    if (!well)
        return ladder_command_misused(argv[0], o.release
                                                   ? "expected a folder, a lab and perhaps a step, "
                                                     "for example: ladder handout ../gpu --release "
                                                     "reduction 3"
                                                   : "expected one folder, for example: ladder "
                                                     "handout ../gpu");
    if (((o.release || o.add) && (o.git || o.labs || o.assistants)) || (!o.release && o.after) ||
        (o.release && o.add))
        return ladder_command_misused(argv[0], "--git, --labs and --assistants are for a new "
                                               "handout, --after for --release, --add for "
                                               "one that is there");
    kl_error err = {KL_OK, ""};
    ladder_handout made = {.count = 0};
    job j = {arguments.positional[0], &o, &made, false};
    kl_status status = o.release ? release(&arguments, &o, &made, &j.committed, &err)
                       : o.add   ? add(j.into, &o, &made, &j.committed, &err)
                                 : hand_out(j.into, &o, &made, &err);
    if (status == KL_OK && o.json) status = kl_file_put(o.json, write_json, &j, &err);
    if (status != KL_OK) code = ladder_command_fail(argv[0], &err);
    else if (!kl_file_is_stdout(o.json))
        (o.release ? print_release : o.add ? print_added : print_handout)(&j);
    ladder_handout_free(&made);
    return code;
}
