// What grading one submission costs: see slurm.h. Each result.json has the seconds that it took.
#include "course/slurm/slurm.h"
#include <dirent.h>

enum { RESULT_MAX = 64 << 20, SAMPLES_MAX = 500 };

// The "seconds" of a result.json; below 0 when there is none.
static double seconds_of(const char *path) {
    static const char key[] = "\"seconds\": ";
    char *text = NULL;
    size_t bytes = 0;
    if (ladder_file_read(AT_FDCWD, path, RESULT_MAX, &text, &bytes, NULL) != KL_OK) return -1;
    const char *found = strstr(text, key);
    double seconds = found ? strtod(found + strlen(key), NULL) : -1;
    free(text);
    return seconds > 0 ? seconds : -1;
}

static bool find_in_class(const char *output, ladder_slurm_cost *out_cost) {
    char folder[LADDER_PATH], path[LADDER_PATH];
    if (ladder_path(folder, NULL, "%s/submissions", output) != KL_OK) return false;
    DIR *entries = opendir(folder);
    double sum = 0;
    int samples = 0;
    if (!entries) return false;
    for (struct dirent *e; samples < SAMPLES_MAX && (e = readdir(entries));) {
        if (e->d_name[0] == '.' ||
            ladder_path(path, NULL, "%s/%s/result.json", folder, e->d_name) != KL_OK)
            continue;
        double seconds = seconds_of(path);
        if (seconds < 0) continue;
        sum += seconds;
        samples++;
    }
    closedir(entries);
    if (samples == 0) return false;
    out_cost->seconds = sum / samples;
    snprintf(out_cost->source, sizeof out_cost->source, "mean of %d graded into %.100s before",
             samples, output);
    return true;
}

static kl_status grade_solution(const ladder_kit *kit, const ladder_lab *lab, kl_error *err) {
    char program[LADDER_PATH];
    TRY(ladder_path(program, err, "%s/autograder/ladder", kit->build));
    fprintf(stderr,
            "ladder grade: measuring what a submission costs: the kit's solution is graded\n");
    const char *const argv[] = {program,    "grade", lab->folder, "--solution",
                                "--device", "sim",   NULL};
    ladder_process_spec spec = {.argv = argv, .environment = (const char *const *)environ};
    ladder_process process;
    TRY(ladder_process_run(&spec, &process, err));
    ladder_process_free(&process);
    return KL_OK;
}

kl_status ladder_slurm_cost_find(const ladder_kit *kit, const ladder_lab *lab, const char *output,
                                 ladder_slurm_cost *out_cost, kl_error *err) {
    char path[LADDER_PATH];
    memset(out_cost, 0, sizeof *out_cost);
    if (find_in_class(output, out_cost)) return KL_OK;
    TRY(ladder_path(path, err, "%s/results/%s/submissions/solution/result.json", kit->build,
                    lab->folder));
    out_cost->seconds = seconds_of(path);
    if (out_cost->seconds < 0) {
        TRY(grade_solution(kit, lab, err));
        out_cost->seconds = seconds_of(path);
    }
    if (out_cost->seconds < 0) {
        out_cost->seconds = 0;
        snprintf(out_cost->source, sizeof out_cost->source,
                 "not known: the kit's solution cannot be graded here");
        return KL_OK;
    }
    snprintf(out_cost->source, sizeof out_cost->source, "what the kit's solution took here");
    return KL_OK;
}
