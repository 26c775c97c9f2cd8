// class-bench (`ladder bench class`): grades a class that does not exist and measures throughput,
// memory over time, whether equal work got equal results, and whether the gradebook has them all.
#include "bench.h"
#include "course/gradebook/gradebook.h"
#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { PARTS = 10, SAMPLES_MAX = 1 << 20, TABLE_BYTES = 64 << 20 };
static const double sample_s = 1; // between two looks

typedef struct sample {
    double at_s;
    size_t graded;
    bench_memory memory;
} sample;

typedef struct class_bench {
    const char *lab, *output, *json, *device;
    int64_t submissions, jobs, steps, seed;
    bool quick;
    ladder_kit kit;
    bench_class class;
    char work[LADDER_PATH], results[LADDER_PATH];
    char course[LADDER_PATH]; // the gradebook; "": this build has none
    sample *samples;          // [count]
    size_t count;
    double seconds;
    double processor_s; // of all processes that were waited for
    double alone_s;     // with the GPU alone, of all submissions
    size_t wrong;       // rows and marks that are not as they must be
    size_t marks;       // of the gradebook
} class_bench;

static size_t count_rows(const char *results) {
    char path[LADDER_PATH];
    size_t rows = 0;
    DIR *entries = ladder_path(path, NULL, "%s/class", results) == KL_OK ? opendir(path) : NULL;
    for (struct dirent *e; entries && (e = readdir(entries));) {
        size_t length = strlen(e->d_name);
        rows += length > 4 && strcmp(e->d_name + length - 4, ".row") == 0;
    }
    if (entries) closedir(entries);
    return rows;
}

static kl_status take_sample(class_bench *b, pid_t grader, double started_s, kl_error *err) {
    if ((b->count & (b->count - 1)) == 0) { // grows at powers of two
        sample *grown = realloc(b->samples, (b->count > 0 ? 2 * b->count : 1) * sizeof *grown);
        if (!grown || b->count >= SAMPLES_MAX)
            return kl_fail(err, KL_ERROR_MEMORY, "no memory for more samples");
        b->samples = grown;
    }
    b->samples[b->count++] =
        (sample){kl_now_s() - started_s, count_rows(b->results), bench_memory_of(grader)};
    return KL_OK;
}

static void start_grader(const ladder_program_args *args, const char *table) {
    int fd = open(table, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0) _exit(127);
    close(fd);
    execv(args->argv[0], args->argv);
    _exit(127);
}

// Grades the class with the program that everybody uses, and looks at it meanwhile.
static kl_status grade(class_bench *b, kl_error *err) {
    char program[LADDER_PATH], table[LADDER_PATH];
    ladder_program_args args;
    TRY(ladder_path(program, err, "%s/autograder/ladder", b->kit.build));
    TRY(ladder_path(table, err, "%s/table.txt", b->work));
    ladder_args_begin(&args, program);
    args.argv[args.count++] = "grade";
    args.argv[args.count++] = (char *)b->class.lab->folder;
    args.argv[args.count] = NULL;
    ladder_args_text(&args, "--submissions", b->class.folder);
    ladder_args_text(&args, "--output", b->results);
    ladder_args_text(&args, "--device", b->device);
    ladder_args_text(&args, "--gradebook", b->course[0] != '\0' ? b->course : NULL);
    ladder_args_flag(&args, "--quick", b->quick);
    if (b->jobs > 0) ladder_args_number(&args, "--jobs", b->jobs);
    double started_s = kl_now_s();
    fflush(NULL);
    pid_t grader = fork();
    if (grader == 0) start_grader(&args, table);
    if (grader < 0) return kl_fail(err, KL_ERROR_SYSTEM, "cannot start it: %s", strerror(errno));
    kl_status status = KL_OK;
    int ended = 0;
    struct rusage used = {.ru_maxrss = 0};
    while (status == KL_OK && wait4(grader, &ended, WNOHANG, &used) == 0) {
        const struct timespec pause = {(time_t)sample_s, 0};
        status = take_sample(b, grader, started_s, err);
        nanosleep(&pause, NULL);
    }
    b->seconds = kl_now_s() - started_s;
    b->processor_s = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                     1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    if (status != KL_OK) {
        kill(grader, SIGTERM);
        waitpid(grader, &ended, 0);
    } else if (!WIFEXITED(ended) || WEXITSTATUS(ended) > 1) { // 1: broken archives
        status = kl_fail(err, KL_ERROR_SYSTEM, "ladder grade ended with status %d", ended);
    }
    return status;
}

static double alone_of(const char *result) {
    char *text = NULL;
    double seconds = 0;
    if (ladder_file_read(AT_FDCWD, result, TABLE_BYTES, &text, NULL, NULL) != KL_OK) return 0;
    const char *key = "\"alone_seconds\": ", *at = strstr(text, key); // the first: of the whole
    if (at) seconds = strtod(at + strlen(key), NULL);
    free(text);
    return seconds;
}

// How long the submissions had the GPU to themselves, by their results.
static double alone_of_all(const char *results) {
    char path[LADDER_PATH];
    double seconds = 0;
    DIR *entries =
        ladder_path(path, NULL, "%s/submissions", results) == KL_OK ? opendir(path) : NULL;
    for (struct dirent *e; entries && (e = readdir(entries));)
        if (e->d_name[0] != '.' &&
            ladder_path(path, NULL, "%s/submissions/%s/result.json", results, e->d_name) == KL_OK)
            seconds += alone_of(path);
    if (entries) closedir(entries);
    return seconds;
}

// "STATUS,SCORE" of a student in the class's table, "" when it is not there.
static void find_result(const char *table, const char *name, char out[64]) {
    char start[80];
    snprintf(start, sizeof start, "\n\"%s\",\"", name);
    const char *row = strstr(table, start);
    out[0] = '\0';
    if (!row) return;
    row = strstr(row + strlen(start), "\",");
    if (!row) return;
    const char *end = strchr(row + 2, ',');
    end = end ? strchr(end + 1, ',') : NULL;
    if (end) snprintf(out, 64, "%.*s", (int)(end - row - 2), row + 2);
}

// Each student is in the table once, with the result of all others of the same label; what is
// broken has none, and nothing but the solution (which the first student has) gets its result.
static kl_status check_results(class_bench *b, kl_error *err) {
    char path[LADDER_PATH], result[64], (*known)[64] = calloc(b->class.count, sizeof *known);
    char *table = NULL;
    size_t bytes = 0, lines = 0;
    TRY(ladder_path(path, err, "%s/summary.csv", b->results));
    if (!known) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the results");
    kl_status status = ladder_file_read(AT_FDCWD, path, TABLE_BYTES, &table, &bytes, err);
    for (size_t i = 0; i < bytes; i++) lines += table[i] == '\n';
    b->wrong = status == KL_OK && lines != b->class.count + 1;
    for (size_t i = 0; i < b->class.count && status == KL_OK; i++) {
        const bench_student *s = &b->class.students[i];
        size_t first = 0;
        while (strcmp(b->class.students[first].label, s->label) != 0) first++;
        find_result(table, s->name, result);
        strcpy(known[i], result);
        bool broken = strcmp(s->label, "broken") == 0;
        bool good = strcmp(result, known[first]) == 0 && result[0] != '\0' &&
                    broken == (strncmp(result, "\"ungradable\"", 12) == 0);
        if (strcmp(s->label, "solution") != 0) good = good && strcmp(result, known[0]) != 0;
        if (good) continue;
        b->wrong++;
        fprintf(stderr, "%s (%s): %s, not as %s\n", s->name, s->label,
                result[0] != '\0' ? result : "not in the table", known[first]);
    }
    free(table);
    free(known);
    return status;
}

// Opening looks through the whole file. What is broken has no mark.
static kl_status check_gradebook(class_bench *b, kl_error *err) {
    const ladder_book_access access = {0};
    ladder_book *book = NULL;
    ladder_book_line *marks = NULL;
    size_t expected = 0, graded = 0;
    if (b->course[0] == '\0') return KL_OK;
    TRY(ladder_book_open(b->course, &access, &book, err));
    kl_status status = ladder_book_marks(book, b->class.lab, &marks, &b->marks, err);
    for (size_t i = 0; i < b->class.count; i++)
        expected += strcmp(b->class.students[i].label, "broken") != 0;
    for (size_t i = 0; status == KL_OK && i < b->marks; i++) {
        graded += marks[i].row.points.graded;
        if (marks[i].attempts == 1) continue;
        b->wrong++;
        fprintf(stderr, "%s: %d attempts in the gradebook, not 1\n", marks[i].name,
                marks[i].attempts);
    }
    if (status == KL_OK && (b->marks != b->class.count || graded != expected)) {
        b->wrong++;
        fprintf(stderr, "%zu students in the gradebook, %zu with a mark, not %zu and %zu\n",
                b->marks, graded, b->class.count, expected);
    }
    free(marks);
    ladder_book_close(book);
    return status;
}

// A new gradebook for the class, or none in a build without SQLite.
static kl_status make_gradebook(class_bench *b, kl_error *err) {
    const ladder_book_access access = {.create = true};
    ladder_book *book = NULL;
    kl_error why = {KL_OK, ""};
    TRY(ladder_path(b->course, err, "%s/course.db", b->work));
    (void)remove(b->course); // of an earlier benchmark
    if (ladder_book_open(b->course, &access, &book, &why) != KL_OK) {
        fprintf(stderr, "class-bench: without a gradebook: %s\n", why.text);
        b->course[0] = '\0';
    }
    ladder_book_close(book);
    return KL_OK;
}

// The samples of one of PARTS equal parts of the run's time: submissions graded, peaks.
static sample part_of(const class_bench *b, int part) {
    sample peak = {0, 0, {0, 0}};
    double from_s = b->seconds * part / PARTS, to_s = b->seconds * (part + 1) / PARTS;
    size_t before = 0, after = part == PARTS - 1 ? b->class.count : 0;
    for (size_t i = 0; i < b->count; i++) {
        const sample *s = &b->samples[i];
        if (s->at_s < from_s) before = s->graded;
        if (s->at_s < to_s && s->graded > after) after = s->graded;
        if (s->at_s < from_s || s->at_s >= to_s) continue;
        if (s->memory.own_bytes > peak.memory.own_bytes)
            peak.memory.own_bytes = s->memory.own_bytes;
        if (s->memory.all_bytes > peak.memory.all_bytes)
            peak.memory.all_bytes = s->memory.all_bytes;
    }
    peak.at_s = to_s;
    peak.graded = after > before ? after - before : 0;
    return peak;
}

// Seconds until the first submission was graded: taking in comes before.
static double first_s(const class_bench *b) {
    for (size_t i = 0; i < b->count; i++)
        if (b->samples[i].graded > 0) return b->samples[i].at_s;
    return b->seconds;
}

// The judge's memory at the end of the run, against that at its second fifth.
static double growth_of(const class_bench *b) {
    double early = part_of(b, 3).memory.own_bytes, late = part_of(b, PARTS - 1).memory.own_bytes;
    return early > 0 ? late / early : 0;
}

static void print(const class_bench *b) {
    printf("  time  graded  per minute  judge's memory  all processes\n");
    for (int i = 0; i < PARTS; i++) {
        sample s = part_of(b, i);
        printf("%6.0f  %6zu  %10.1f  %11.1f MB  %10.0f MB\n", s.at_s, s.graded,
               (double)s.graded * 60 * PARTS / b->seconds, s.memory.own_bytes / 1e6,
               s.memory.all_bytes / 1e6);
    }
    printf("\n%zu submissions of %s, %d steps each, in %.0f s: %.1f per minute on %d processors\n",
           b->class.count, b->class.lab->folder, b->class.steps, b->seconds,
           (double)b->class.count * 60 / b->seconds, kl_processors());
    printf("each: %.1f s on the clock, %.1f s of processor time",
           b->seconds / (double)b->class.count, b->processor_s / (double)b->class.count);
    if (b->alone_s > 0) printf(", %.1f s with the GPU alone", b->alone_s / (double)b->class.count);
    printf("\nfirst result after %.1f s; the judge's memory at the end is %.2f of that at 40 %%\n",
           first_s(b), growth_of(b));
    printf("results: %zu of %zu are as they must be\n", b->class.count - b->wrong, b->class.count);
    if (b->course[0] != '\0') printf("gradebook: whole, with %zu marks\n", b->marks);
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const class_bench *b = context;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json,
                "{schema ladder.class_bench/1 lab %s submissions %zu steps %d device %s "
                "quick %hhd processors %d seconds %g processor_seconds %g alone_seconds %g "
                "first_result_seconds %g per_minute %g judge_growth %g gradebook_marks %zu "
                "wrong %zu parts [",
                b->class.lab->folder, b->class.count, b->class.steps, b->device, b->quick,
                kl_processors(), b->seconds, b->processor_s, b->alone_s, first_s(b),
                (double)b->class.count * 60 / b->seconds, growth_of(b), b->marks, b->wrong);
    for (int i = 0; i < PARTS; i++) {
        sample s = part_of(b, i);
        kl_json_put(&json, "{until_seconds %g graded %zu judge_bytes %g all_bytes %g}", s.at_s,
                    s.graded, s.memory.own_bytes, s.memory.all_bytes);
    }
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}

static kl_status run(class_bench *b, kl_error *err) {
    char folder[LADDER_PATH];
    TRY(ladder_kit_find(&b->kit, err));
    TRY(ladder_lab_require(b->lab, &b->class.lab, err));
    int steps = b->class.lab->rubric->step_count;
    if (b->steps == 1)
        return kl_fail(err, KL_ERROR_INPUT, "step 0 is given to everybody: --steps 2 or more");
    if (b->output) TRY(ladder_folder_make(b->output, err));
    TRY(b->output ? ladder_path(b->work, err, "%s", b->output)
                  : ladder_folder_temporary(b->work, err));
    TRY(ladder_path(folder, err, "%s/submissions", b->work));
    TRY(ladder_path(b->results, err, "%s/results", b->work));
    ladder_folder_remove(folder); // of an earlier benchmark
    ladder_folder_remove(b->results);
    TRY(ladder_folder_make(folder, err));
    b->class.kit = &b->kit;
    b->class.folder = folder;
    b->class.steps = b->steps > 0 && b->steps < steps ? (int)b->steps : steps;
    b->class.seed = (uint64_t)b->seed;
    b->class.count = (size_t)b->submissions;
    b->class.students = calloc(b->class.count, sizeof *b->class.students);
    if (!b->class.students) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a class");
    fprintf(stderr, "class-bench: writing %zu submissions\n", b->class.count);
    TRY(bench_make(&b->class, err));
    TRY(make_gradebook(b, err));
    TRY(grade(b, err));
    b->alone_s = alone_of_all(b->results);
    TRY(check_results(b, err));
    TRY(check_gradebook(b, err));
    print(b);
    return b->json ? kl_file_put(b->json, write_json, b, err) : KL_OK;
}

int main(int argc, char **argv) {
    class_bench b = {.lab = "reduction", .submissions = 1000, .seed = 1, .device = "sim"};
    const ladder_option options[] = {
        OPT_TEXT("--lab", &b.lab, "LAB", "whose solution it is (default: reduction)"),
        OPT_SIZE("--submissions", &b.submissions, "N", "default: 1000"),
        OPT_SIZE("--steps", &b.steps, "N", "that each hands in (default: all)"),
        OPT_SIZE("--jobs", &b.jobs, "N", "of ladder grade"),
        OPT_TEXT("--device", &b.device, "NAME", "of ladder grade (default: sim)"),
        OPT_FLAG("--quick", &b.quick, "the short list of cases"),
        OPT_SIZE("--seed", &b.seed, "N", "another class"),
        OPT_TEXT("--output", &b.output, "DIR", "keep submissions and results there"),
        OPT_TEXT("--json", &b.json, "FILE", "ladder.class_bench/1"),
    };
    enum { OPTIONS = sizeof options / sizeof options[0] };
    ladder_arguments arguments;
    kl_error err = {KL_OK, ""};
    if (ladder_options_parse(options, OPTIONS, argc, argv, &arguments, &err) != KL_OK ||
        (!arguments.help && (arguments.count > 0 || b.submissions < 1 || b.submissions > 100000))) {
        fprintf(stderr, "class-bench: %s; see --help\n",
                err.status != KL_OK ? err.text : "1 to 100000 submissions can be made");
        return 2;
    }
    if (arguments.help) {
        printf("usage: ladder bench class [-- OPTIONS]\n\n");
        ladder_options_help(stdout, options, OPTIONS);
        return 0;
    }
    kl_status status = run(&b, &err);
    if (!b.output && b.work[0] != '\0') ladder_folder_remove(b.work);
    free(b.class.students);
    free(b.samples);
    if (status != KL_OK) fprintf(stderr, "class-bench: %s\n", err.text);
    return status != KL_OK || b.wrong > 0;
}
