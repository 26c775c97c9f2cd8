// ladder new-lab: writes a lab of two steps, or more, that builds, runs, is graded and is tested as
// it stands. The files of autograder/commands/new_lab.txt are written into the kit; in names and
// texts @NAME@ and the like become the lab's own.
#include "commands/command.h"
#include "grade/submission/submission.h"
#include "json.h"

static const ladder_usage usage = {
    "ladder new-lab NN_name [options]",
    "Writes a lab of two steps or more: labs/NN_name with page, contract, problem,\n"
    "reference, description, hints and tests, solutions/NN_name with a walkthrough,\n"
    "the draft of a deck, slides/NN_name.md, and wrong and lazy kernels in\n"
    "autograder/tests. The build finds it by itself. It computes y = 3 x; change that to\n"
    "what your lab is about, one file after the other.",
    "  ladder new-lab 42_stencil\n"
    "  ladder new-lab 42_stencil --steps 5",
};

enum {
    FOLDER_BYTES = 48,
    MOST_FILES = 128,
    TEMPLATE_BYTES = 1 << 16,
    LEAST_STEPS = 2,
    MOST_STEPS = 12,
    ADDITIONS = 8
};

typedef struct new_lab {
    char folder[FOLDER_BYTES]; // 42_stencil
    char upper[FOLDER_BYTES];  // SCAN
    const char *name;          // stencil, in folder
    char decimal[8];           // 42
    int64_t steps;             // how many
    char *more[ADDITIONS];     // of the steps beyond the templates' two, what they add to each file
    char root[LADDER_PATH];    // what the lab is written below
    char *files[MOST_FILES];   // written, as seen from root
    int count;
} new_lab;

static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// [0-9][0-9]_[a-z][a-z0-9_]*
static bool is_lab_name(const char *text) {
    size_t length = strlen(text);
    if (length < 4 || length >= FOLDER_BYTES || !is_digit(text[0]) || !is_digit(text[1]) ||
        text[2] != '_' || !is_lower(text[3]))
        return false;
    for (const char *c = text + 4; *c != '\0'; c++)
        if (!is_lower(*c) && !is_digit(*c) && *c != '_') return false;
    return true;
}

// Names that the build has given to something else.
static bool is_target(const char *name) {
    static const char *const targets[] = {"all",    "clean",   "coverage", "edit_cache",
                                          "help",   "install", "package",  "rebuild_cache",
                                          "ladder", "test"};
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
        if (strcmp(name, targets[i]) == 0) return true;
    return false;
}

static kl_status take_name(const char *word, new_lab *out_lab, kl_error *err) {
    char plain[FOLDER_BYTES];
    if (!is_lab_name(word)) {
        return kl_fail(err, KL_ERROR_USAGE,
                       "'%s' is no name of a lab: two digits, _ and a word of lower-case letters, "
                       "digits and _, for example 42_stencil",
                       ladder_plain(word, false, plain, sizeof plain));
    }
    snprintf(out_lab->folder, sizeof out_lab->folder, "%s", word);
    out_lab->name = out_lab->folder + 3;
    snprintf(out_lab->decimal, sizeof out_lab->decimal, "%d", atoi(word));
    for (size_t i = 0; i <= strlen(out_lab->name); i++) {
        char c = out_lab->name[i];
        out_lab->upper[i] = (char)(is_lower(c) ? c - 'a' + 'A' : c);
    }
    if (is_target(out_lab->name)) {
        return kl_fail(err, KL_ERROR_USAGE, "'%s' is a word of the build; take another name",
                       out_lab->name);
    }
    const ladder_lab *old = ladder_lab_find(out_lab->decimal);
    if (!old) old = ladder_lab_find(out_lab->name);
    if (!old) return KL_OK;
    return kl_fail(err, KL_ERROR_USAGE, "there is a lab %s; take another number and another name",
                   old->folder);
}

// Nothing may be there yet of what is going to be written.
static kl_status require_absent(const new_lab *lab, kl_error *err) {
    static const struct {
        const char *folder, *suffix;
    } names[] = {{"labs", ""},
                 {"solutions", ""},
                 {"slides", ".md"},
                 {"autograder/tests/wrong", ".edits"},
                 {"autograder/tests/lazy", ".edits"}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[LADDER_PATH];
        TRY(ladder_path(path, err, "%s/%s/%s%s", lab->root, names[i].folder, lab->folder,
                        names[i].suffix));
        if (ladder_file_exists(path))
            return kl_fail(err, KL_ERROR_INPUT, "there is %s already", path);
    }
    return KL_OK;
}

// A word of a text, and what takes its place.
typedef struct word {
    const char *mark, *value;
} word;

// The text with the words replaced; to be freed, NULL without memory.
static char *replace(const char *text, const word *words, int count) {
    char *made = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&made, &bytes);
    while (out && *text != '\0') {
        int w = 0;
        while (w < count && strncmp(text, words[w].mark, strlen(words[w].mark)) != 0) w++;
        if (w < count) {
            fputs(words[w].value, out);
            text += strlen(words[w].mark);
        } else {
            fputc(*text++, out);
        }
    }
    if (out) fclose(out);
    return made;
}

// What a step beyond the second adds where a template has the mark. It earns points for correctness
// alone, until its count is known.
static const word additions[ADDITIONS] = {
    {"@MORE_FUNCTIONS@", ", @NAME@_step@STEP@"},
    {"@MORE_STEPS@", ",\n    {\n      \"step\": @STEP@, \"file\": \"@STEP@_step@STEP@.cu\",\n"
                     "      \"reason\": \"what step @STEP@ changes: still to be said\",\n"
                     "      \"criteria\": [\n        {\"kind\": \"correct\", \"points\": 6}\n"
                     "      ]\n    }"},
    {"@MORE_ROWS@", "| @STEP@ step@STEP@ | still to be said | - |\n"},
    {"@MORE_CHAPTERS@", "## Step @STEP@: step@STEP@\n\n"
                        "**Why.** What is slow in step @BEFORE@, in a number: still to be said.\n\n"
                        "**Task.** Write `steps/@STEP@_step@STEP@.cu`.\n\n"},
    {"@MORE_HINTS@", "\n\n## Step @STEP@\n\n1. A question, still to be asked.\n"
                     "2. The idea, still to be said.\n"
                     "3. Nearly the code, still to be written."},
    {"@MORE_QUESTIONS@", ",\n    {\"step\": @STEP@, \"none\": \"still to be asked\"}"},
    {"@MORE_SLIDES@", "# Step @STEP@: step@STEP@\n\n"
                      "What changes, and the number to watch: still to be said.\n\n"
                      "<!--\nStill to be said.\n-->\n\n"},
    {"@MORE_SECTIONS@", "\n## Step @STEP@: step@STEP@\n\n"
                        "**The change.** None yet; it is still the step before.\n\n"
                        "```c\n{{code solutions/@FOLDER@/steps/@STEP@_step@STEP@.cu "
                        "int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;}}\n```\n"},
};

// The text with the lab's names in the place of the templates'.
static char *fill_in(const new_lab *lab, const char *text) {
    char number[3];
    snprintf(number, sizeof number, "%.2s", lab->folder);
    word words[ADDITIONS + 5] = {{"@FOLDER@", lab->folder},
                                 {"@NAME@", lab->name},
                                 {"@UPPER@", lab->upper},
                                 {"@DECIMAL@", lab->decimal},
                                 {"@NUMBER@", number}};
    for (int i = 0; i < ADDITIONS; i++) words[5 + i] = (word){additions[i].mark, lab->more[i]};
    return replace(text, words, ADDITIONS + 5);
}

static kl_status put_more(const new_lab *lab, const char *addition, int step, FILE *out,
                          kl_error *err) {
    char number[12], before[12];
    snprintf(number, sizeof number, "%d", step);
    snprintf(before, sizeof before, "%d", step - 1);
    const word words[] = {
        {"@FOLDER@", lab->folder}, {"@NAME@", lab->name}, {"@STEP@", number}, {"@BEFORE@", before}};
    char *made = replace(addition, words, sizeof words / sizeof words[0]);
    if (!made) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a lab");
    fputs(made, out);
    free(made);
    return KL_OK;
}

static kl_status make_more(new_lab *lab, kl_error *err) {
    for (int i = 0; i < ADDITIONS; i++) {
        size_t bytes = 0;
        kl_status status = KL_OK;
        FILE *out = open_memstream(&lab->more[i], &bytes);
        if (!out) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a lab");
        for (int step = LEAST_STEPS; step < lab->steps && status == KL_OK; step++)
            status = put_more(lab, additions[i].value, step, out, err);
        fclose(out);
        TRY(status);
    }
    return KL_OK;
}

static kl_status note_file(new_lab *lab, const char *relative, kl_error *err) {
    if (lab->count < MOST_FILES) lab->files[lab->count] = strdup(relative);
    if (lab->count < MOST_FILES && lab->files[lab->count]) {
        lab->count++;
        return KL_OK;
    }
    return kl_fail(err, KL_ERROR_MEMORY, "too many templates");
}

static kl_status write_file(new_lab *lab, const char *relative, const char *text, kl_error *err) {
    char to[LADDER_PATH];
    char *made = fill_in(lab, text), *name = fill_in(lab, relative);
    kl_status status = kl_fail(err, KL_ERROR_MEMORY, "no memory for %s", relative);
    if (made && name) {
        status = ladder_path(to, err, "%s/%s", lab->root, name);
        char *slash = strrchr(to, '/');
        *slash = '\0';
        if (status == KL_OK) status = ladder_folder_make(to, err);
        *slash = '/';
        if (status == KL_OK) status = ladder_file_write(to, made, strlen(made), err);
        if (status == KL_OK) status = note_file(lab, name, err);
    }
    free(made);
    free(name);
    return status;
}

// Each file of the templates begins behind a line "==== PATH".
static kl_status write_files(new_lab *lab, const ladder_kit *kit, kl_error *err) {
    static const char mark[] = "\n==== ";
    char path[LADDER_PATH], *text = NULL;
    kl_status status = KL_OK;
    TRY(ladder_path(path, err, "%s/autograder/commands/new_lab.txt", kit->source));
    TRY(ladder_file_read(AT_FDCWD, path, TEMPLATE_BYTES, &text, NULL, err));
    for (char *at = strstr(text, mark), *next; at && status == KL_OK; at = next) {
        char *name = at + sizeof mark - 1, *begin = name + strcspn(name, "\n");
        next = strstr(begin, mark);
        if (next) next[1] = '\0'; // the line before keeps its end
        *begin = '\0';
        status = write_file(lab, name, begin + 1, err);
    }
    free(text);
    return status;
}

// The solutions of the steps beyond the second, which begin as the second one's.
static kl_status write_more_steps(new_lab *lab, kl_error *err) {
    char from[LADDER_PATH], to[LADDER_PATH], relative[LADDER_PATH], *text = NULL;
    TRY(ladder_path(from, err, "%s/solutions/%s/steps/1_neighbours.cu", lab->root, lab->folder));
    TRY(ladder_file_read(AT_FDCWD, from, TEMPLATE_BYTES, &text, NULL, err));
    kl_status status = KL_OK;
    for (int step = LEAST_STEPS; step < lab->steps && status == KL_OK; step++) {
        char name[24], function[24], title[24];
        snprintf(name, sizeof name, "step%d", step);
        snprintf(function, sizeof function, "_step%d", step);
        snprintf(title, sizeof title, "step %d:", step);
        const word words[] = {{"neighbours", name},
                              {"_step1", function},
                              {"step 1:", title},
                              {"What it fixes: sectors of which a load uses a single float.",
                               "What it changes: nothing yet; it is still the step before."}};
        char *made = replace(text, words, sizeof words / sizeof words[0]);
        if (!made) status = kl_fail(err, KL_ERROR_MEMORY, "no memory for a step");
        if (status == KL_OK)
            status = ladder_path(relative, err, "solutions/%s/steps/%d_step%d.cu", lab->folder,
                                 step, step);
        if (status == KL_OK) status = ladder_path(to, err, "%s/%s", lab->root, relative);
        if (status == KL_OK) status = ladder_file_write(to, made, strlen(made), err);
        if (status == KL_OK) status = note_file(lab, relative, err);
        free(made);
    }
    free(text);
    return status;
}

// The students' files of the solutions that were written; a given step gets its stamp.
static kl_status write_skeletons(new_lab *lab, kl_error *err) {
    static const char above[] = "solutions/";
    int written = lab->count;
    char folder[LADDER_PATH], from[LADDER_PATH], to[LADDER_PATH], relative[LADDER_PATH];
    TRY(ladder_path(folder, err, "%s/labs/%s/steps", lab->root, lab->folder));
    TRY(ladder_folder_make(folder, err));
    for (int i = 0; i < written; i++) {
        ladder_skeleton_state state = LADDER_SKELETON_ABSENT;
        if (!strstr(lab->files[i], "/steps/")) continue;
        bool given = strncmp(lab->files[i], above, sizeof above - 1) != 0;
        TRY(ladder_path(from, err, "%s/%s", lab->root, lab->files[i]));
        TRY(ladder_path(relative, err, "labs/%s", lab->files[i] + sizeof above - 1));
        TRY(ladder_path(to, err, "%s/%s", lab->root, given ? lab->files[i] : relative));
        TRY(ladder_skeleton_update(from, to, false, &state, err));
        if (!given) TRY(note_file(lab, relative, err));
    }
    return KL_OK;
}

static kl_status write_lab(const char *name, const char *into, new_lab *lab, kl_error *err) {
    ladder_kit kit;
    TRY(take_name(name, lab, err));
    TRY(ladder_kit_find(&kit, err));
    TRY(ladder_path(lab->root, err, "%s", into ? into : kit.source));
    TRY(require_absent(lab, err));
    TRY(make_more(lab, err));
    TRY(write_files(lab, &kit, err));
    TRY(write_more_steps(lab, err));
    return write_skeletons(lab, err);
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const new_lab *lab = context;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{schema ladder.new-lab/1 lab %s files [", lab->folder);
    for (int i = 0; i < lab->count; i++) kl_json_string(&json, NULL, lab->files[i]);
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}

static void print_lab(const new_lab *lab) {
    printf("Lab %s: %d files\n", lab->folder, lab->count);
    for (int i = 0; i < lab->count; i++) printf("  %s\n", lab->files[i]);
    printf("\nIt works as it stands:\n"
           "  ./ladder run %s --solution    its ladder\n"
           "  ./ladder grade %s --solution  100 of 100\n"
           "  ./ladder test %s              its tests, and the lines that still speak of y = 3 x\n"
           "\nThen make it yours: the contract (%s.h, call.c), problem.c and reference.c,\n"
           "the steps in solutions/%s with their rows in lab.json,\n"
           "README.md and hints.md, and `./ladder skeleton %s` for the students' files;\n"
           "walkthrough.md beside the steps, and the deck slides/%s.md, a draft. Add wrong and\n"
           "lazy kernels (autograder/tests/wrong/README.md), list the lab in README.md,\n"
           "and let `./ladder test` look at all of it.\n",
           lab->name, lab->name, lab->name, lab->name, lab->folder, lab->name, lab->folder);
}

int ladder_cmd_new_lab(int argc, char **argv) {
    const char *into = NULL, *json = NULL;
    new_lab lab = {.steps = LEAST_STEPS};
    const ladder_option options[] = {
        OPT_TEXT("--into", &into, "FOLDER", "write it below FOLDER instead of the kit's"),
        OPT_SIZE("--steps", &lab.steps, "N", "how many, 2 to 12 (default: 2)"),
        OPT_TEXT("--json", &json, "FILE", "the files as JSON (- is standard output)"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    if (arguments.count != 1) {
        return ladder_command_misused(argv[0],
                                      "expected one name, for example: ladder new-lab 42_stencil");
    }
    if (lab.steps < LEAST_STEPS || lab.steps > MOST_STEPS)
        return ladder_command_misused(argv[0], "--steps is a number from %d to %d", LEAST_STEPS,
                                      MOST_STEPS);
    kl_error err = {KL_OK, ""};
    kl_status status = write_lab(arguments.positional[0], into, &lab, &err);
    if (status == KL_OK && json) status = kl_file_put(json, write_json, &lab, &err);
    if (status != KL_OK) code = ladder_command_fail(argv[0], &err);
    else if (!kl_file_is_stdout(json)) print_lab(&lab);
    for (int i = 0; i < lab.count; i++) free(lab.files[i]);
    for (int i = 0; i < ADDITIONS; i++) free(lab.more[i]);
    return code;
}
