// ladder grade and ladder regrade: the command line. What is done is in course/grading/.
#include "commands/command.h"
#include "course/grading/grading.h"

static const ladder_usage usage = {
    "ladder grade LAB [STEP | PATH | --submissions WHAT] [options]",
    "Builds each step by itself, runs it on fresh secret inputs in a process of its\n"
    "own, compares the outputs, and counts what the kernels did on the simulator.\n"
    "Without PATH and --submissions your own files in labs/ are graded, or the one of\n"
    "STEP. PATH is one submission: a folder, an archive (.zip, ..) or a step's file. WHAT is a\n"
    "folder or an archive: a bulk download of Gradescope, Canvas, Moodle or GitHub Classroom\n"
    "as it is, or any folder in which every folder, archive or file that is named like a\n"
    "step is a submission. Archives of students are unpacked. --export writes what other\n"
    "systems read: "
#define LADDER_EXPORT_ONE(name, function, file, says_ungradable, what) #name ", "
#include "course/export/formats.def"
    "of each submission; "
#define LADDER_EXPORT_TABLE(name, function, file, what) #name ", "
#include "course/export/formats.def"
    "a table of a class.",
    "  ladder grade reduction\n"
    "  ladder grade reduction 3\n"
    "  ladder grade reduction inbox/ann --export gradescope=results.json\n"
    "  ladder grade reduction --submissions inbox --output results --jobs 4\n"
    "  ladder grade reduction --submissions submissions.zip --gradebook course.db\n"
    "  ladder grade reduction --submissions inbox --slurm --partition teaching",
};

// In a handout, without what is for a class.
static const ladder_usage own_usage = {
    "ladder grade LAB [STEP | FILE] [options]",
    "Scores your own files in labs/, the one of STEP, or one FILE of a step. Builds each\n"
    "step by itself, runs it on fresh secret inputs in a process of its own, compares the\n"
    "outputs, and counts what the kernels did on the simulator. The page that it writes\n"
    "says where points are missing.",
    "  ladder grade reduction --quick\n"
    "  ladder grade reduction 3\n"
    "  ladder grade reduction",
};

static const ladder_usage regrade_usage = {
    "ladder regrade LAB --submissions WHAT --gradebook FILE [--apply] [options]",
    "Grades what was handed in again, by the rubric as it is now, and lists each mark\n"
    "that changes, old and new. The gradebook and all that was published stay as they are\n"
    "until --apply enters the new grades; nothing is graded twice for that. Pages and\n"
    "tables of the new grades lie in build/results/LAB/regrade (--output names another\n"
    "folder). A lab whose last grading was --quick is graded so again.",
    "  ladder regrade reduction --submissions inbox --gradebook course.db\n"
    "  ladder regrade reduction --submissions inbox --gradebook course.db --apply",
};

// What does not go together; an exit status, or LADDER_EXIT_OK.
static int check_options(const char *command, const ladder_grade_request *r) {
    if (r->solution + (r->submissions != NULL) + (r->path != NULL) > 1)
        return ladder_command_misused(command,
                                      "PATH, --solution and --submissions exclude each other");
    bool late = r->late.due || r->late.late || r->late.course || r->late.window[0];
    if (!r->submissions && (r->layout || late || r->students))
        return ladder_command_misused(
            command, "--layout, --students, --due, --window and --course need --submissions");
    if (!r->submissions && !r->path && r->files_as.count > 0)
        return ladder_command_misused(command, "--as needs PATH or --submissions");
    if (!r->submissions && r->book.file)
        return ladder_command_misused(command, "--gradebook needs --submissions");
    if (!r->book.file && (r->book.counts || r->book.attempts >= 0 || r->book.who))
        return ladder_command_misused(command, "--counts, --attempts and --who need --gradebook");
    if (r->book.regrade && (!r->submissions || !r->book.file))
        return ladder_command_misused(command, "expected --submissions and --gradebook");
    if (r->book.regrade &&
        (r->exports.texts.count > 0 || r->book.counts || r->book.attempts >= 0 || late))
        return ladder_command_misused(command, "a rubric changes here, no policy and no export: "
                                               "ladder gradebook does those");
    return LADDER_EXIT_OK;
}

enum { OPTIONS = 44, OWN_OPTIONS = 6 }; // room for the rows; the first ones, for own steps

// The options, in the order of the help; returns how many. out: [OPTIONS].
static size_t list_options(ladder_grade_request *r, bool regrade, ladder_option *out) {
    const ladder_option rows[] = {
        // OWN_OPTIONS: of who grades own steps.
        OPT_FLAG("--quick", &r->quick, "fewer and smaller cases: half to a third of the time"),
        OPT_FLAG("--first-failure", &r->first_failure,
                 "first wrong case ends a step; no given step is added"),
        OPT_CHOICE("--device", &r->device, "NAME", ladder_device_words, ladder_device_words),
        OPT_SIZE("--seed", &r->seed, "N", "inputs from this seed instead of a secret one"),
        OPT_TEXT("--output", &r->output, "DIR", "where reports go (default: results)"),
        OPT_TEXT("--json", &r->json, "FILE", "results as JSON (- is standard output)"),
        // Of a class.
        OPT_TEXT("--submissions", &r->submissions, "WHAT", "a folder or archive of submissions"),
        OPT_TEXTS("--as", &r->files_as, "FILE=STEP",
                  "takes a file of another name for a step: step3.cu=3"),
        OPT_CHOICE("--layout", &r->layout, "NAME", ladder_layout_choices, ladder_layout_choices),
        OPT_TEXT("--students", &r->students, "FILE", "a sheet: the Group of each, when Submitted"),
        OPT_TEXT("--due", &r->late.due, "TIME", "later is late: 2026-11-20T23:59[+01:00]"),
        OPT_TEXT("--late", &r->late.late, "POLICY", "'10% per day, at most 50%, grace 15 min'"),
        OPT_TEXT("--course", &r->late.course, "FILE",
                 "lines late POLICY, due LAB TIME, window LAB FROM TO"),
        OPT_PAIR("--window", r->late.window, "FROM TO",
                 "an exam: what comes outside is not graded"),
        OPT_FLAG("--solution", &r->solution, "grade the kit's own solution"),
        OPT_SIZE("--jobs", &r->jobs, "N", "submissions graded at a time"),
        OPT_FLAG("--resume", &r->resume, "leave out what is finished and unchanged"),
        OPT_SECONDS("--build-limit", &r->build_s, "S",
                    "processor time of a compiler run (default 60)"),
        OPT_SECONDS("--case-limit", &r->case_s, "S",
                    "wait for a case on an idle machine (default 30)"),
        OPT_SECONDS("--submission-limit", &r->submission_s, "S",
                    "processor time of a submission (default 600)"),
        OPT_SIZE("--instructions", &r->instructions, "N", "most warp instructions of a launch"),
        OPT_SIZE("--memory", &r->memory, "N", "bytes that a submission may use: see doctor"),
        OPT_FLAG("--unsafe", &r->unsafe, "grade submissions even without a sandbox"),
        OPT_TEXT("--gradebook", &r->book.file, "FILE", "enter the grades into this file"),
        OPT_CHOICE("--counts", &r->book.counts, NULL, "which attempt counts",
                   LADDER_COUNTS_CHOICES),
        OPT_SIZE("--attempts", &r->book.attempts, "N", "only the first N count; 0: all"),
        OPT_TEXT("--who", &r->book.who, "NAME", "who grades (default: your user name)"),
        OPT_FLAG("--slurm", &r->slurm.wanted, "as an array job of Slurm"),
        OPT_TEXT("--partition", &r->slurm.options.partition, "NAME", "of the job"),
        OPT_TEXT("--account", &r->slurm.options.account, "NAME", "of the job"),
        OPT_SIZE("--gpus", &r->slurm.options.gpus, "N", "per task"),
        OPT_TEXT("--time-limit", &r->slurm.options.time_limit, "TIME",
                 "of a task, as sbatch's --time"),
        OPT_SIZE("--chunk", &r->slurm.options.chunk, "N", "submissions per task"),
        OPT_TEXTS("--sbatch", &r->slurm.more, "OPTION",
                  "any other option of sbatch; may be repeated"),
        OPT_FLAG("--dry-run", &r->slurm.dry_run, "print the job's script only"),
        OPT_TEXT("--slurm-task", &r->slurm.task, "DIR", "what the job's script uses"),
        OPT_TEXTS("--export", &r->exports.texts, "FORMAT[=FILE]",
                  "gradescope, junit, ..; may be repeated"),
        OPT_TEXT("--roster", &r->exports.roster, "FILE",
                 "the sheet downloaded from Canvas or Moodle"),
        OPT_TEXT("--assignment", &r->exports.assignment, "TITLE",
                 "Canvas's column (default: the lab's name)"),
        OPT_FLAG("--apply", &r->book.apply, "enter the new grades"), // regrade's
    };
    size_t count = sizeof rows / sizeof rows[0] - (regrade ? 0 : 1);
    _Static_assert(sizeof rows / sizeof rows[0] <= OPTIONS, "room for all options");
    memcpy(out, rows, count * sizeof rows[0]);
    return count;
}

static int grade(const char *command, ladder_grade_request *r, const char *lab) {
    kl_error err = {KL_OK, ""};
    ladder_grading_end end;
    bool class = r->submissions || r->slurm.task;
    r->exports.to_stdout = kl_file_is_stdout(r->json);
    kl_status status = ladder_grade_exports_read(&r->exports, class, &err);
    if (status == KL_OK)
        status = ladder_slurm_request_read(&r->slurm, r->submissions, r->output, &err);
    if (status == KL_OK) status = ladder_lab_require(lab, &r->lab, &err);
    if (status == KL_OK) status = ladder_grading_run(r, &end, &err);
    if (status != KL_OK) return ladder_command_fail(command, &err);
    if (!end.all_well)
        fprintf(stderr, "ladder grade: something could not be graded; see the reports\n");
    if (!end.exported)
        fprintf(stderr,
                "ladder grade: not every mark was entered, or one needs a look; see the messages "
                "above\n");
    return end.all_well && end.exported ? LADDER_EXIT_OK : LADDER_EXIT_FAILED;
}

static bool asks_for_help(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

static int run(int argc, char **argv, bool regrade) {
    ladder_grade_request request = {.device = "auto",
                                    .seed = -1,
                                    .resume = regrade,
                                    .book = {.attempts = -1, .regrade = regrade}};
    ladder_option options[OPTIONS];
    size_t count = list_options(&request, regrade, options);
    ladder_arguments arguments;
    int code = LADDER_EXIT_OK;
    bool own = !regrade && asks_for_help(argc, argv) && ladder_command_is_handout();
    if (!ladder_command_begin(regrade ? &regrade_usage
                              : own   ? &own_usage
                                      : &usage,
                              options, own ? OWN_OPTIONS : count, argc, argv, &arguments, &code))
        return code;
    if (arguments.count != 1 && arguments.count != 2) {
        return ladder_command_misused(argv[0],
                                      "expected one lab, for example: ./ladder grade reduction");
    }
    request.path = arguments.count == 2 ? arguments.positional[1] : NULL;
    code = check_options(argv[0], &request);
    return code != LADDER_EXIT_OK ? code : grade(argv[0], &request, arguments.positional[0]);
}

int ladder_cmd_grade(int argc, char **argv) { return run(argc, argv, false); }

int ladder_cmd_regrade(int argc, char **argv) { return run(argc, argv, true); }
