// A handout as a git repository, and the solution of one step that is put into it: see handout.h.
#include "course/handout/handout.h"
#include "grade/intake/intake.h"
#include "utilities/options.h"

// Runs git in a folder, with no settings but these: the caller need not be known to git.
static kl_status run_git(const char *folder, const char *const *words, size_t count,
                         kl_error *err) {
    static const char *const settings[] = {
        "-c", "user.name=Kernel Ladder", "-c", "user.email=ladder@localhost",
        "-c", "init.defaultBranch=main", "-c", "core.autocrlf=false",
        "-c", "commit.gpgSign=false",    "-c", "gc.auto=0",
        "-c", "safe.directory=*"};
    enum { SETTINGS = sizeof settings / sizeof settings[0] };
    static const char *const environment[] = {
        "PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C",          "GIT_CONFIG_NOSYSTEM=1",
        "GIT_CONFIG_GLOBAL=/dev/null",       "HOME=/nonexistent", NULL};
    char git[LADDER_PATH], what[160];
    TRY(ladder_program_find("git", git, err));
    const char **argv = calloc(SETTINGS + count + 2, sizeof *argv);
    if (!argv) return kl_fail(err, KL_ERROR_MEMORY, "no memory for git");
    argv[0] = git;
    memcpy(argv + 1, settings, sizeof settings);
    memcpy(argv + 1 + SETTINGS, words, count * sizeof *words);
    ladder_process_spec spec = {.argv = argv,
                                .environment = environment,
                                .folder = folder,
                                .limits = {.wall_s = 600, .output_bytes = 8 << 20}};
    ladder_process process;
    kl_status status = ladder_process_run(&spec, &process, err);
    free(argv);
    if (status != KL_OK) return status;
    if (process.end != LADDER_END_EXITED || process.code != 0)
        status = kl_fail(err, KL_ERROR_SYSTEM, "git %s %s: %.600s", words[0],
                         ladder_process_describe(&process, what, sizeof what), process.output);
    ladder_process_free(&process);
    return status;
}

kl_status ladder_handout_git_begin(const char *folder, kl_error *err) {
    const char *const words[] = {"init", "-q"};
    return run_git(folder, words, 2, err);
}

static kl_status commit_paths(const char *folder, const char *const *paths, size_t count,
                              const char *message, kl_error *err) {
    enum { AT_A_TIME = 500 }; // names of a command line
    const char *words[AT_A_TIME + 3] = {"add", "-f", "--"};
    for (size_t done = 0; done < count;) {
        size_t taken = count - done < AT_A_TIME ? count - done : AT_A_TIME;
        memcpy(words + 3, paths + done, taken * sizeof *paths);
        TRY(run_git(folder, words, taken + 3, err));
        done += taken;
    }
    const char *const commit[] = {"commit", "-q", "-m", message};
    return run_git(folder, commit, sizeof commit / sizeof commit[0], err);
}

kl_status ladder_handout_commit(const char *into, const ladder_handout *handout,
                                const char *message, bool *out_committed, kl_error *err) {
    char git[LADDER_PATH];
    *out_committed = false;
    TRY(ladder_path(git, err, "%s/.git", into));
    if (!ladder_file_exists(git)) return KL_OK;
    TRY(commit_paths(into, (const char *const *)handout->files, handout->count, message, err));
    *out_committed = true;
    return KL_OK;
}

static kl_status require_deadline(const char *after, double now_s, kl_error *err) {
    double after_s = 0;
    if (!after) return KL_OK;
    if (!ladder_time_read(after, &after_s))
        return kl_fail(err, KL_ERROR_USAGE,
                       "--after %s: expected a time such as 2026-11-20T23:59 or "
                       "2026-11-20T23:59+01:00",
                       after);
    if (now_s > after_s) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "not released: %s has not passed yet", after);
}

// Of the kit and a handout of it, both have this; a whole kit has a solution of every step.
static kl_status require_handout(const ladder_lab *lab, const char *into, kl_error *err) {
    bool labs[LADDER_LABS_MAX];
    int count = ladder_handout_labs(into, labs);
    if (labs[lab - ladder_labs]) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   count > 0 ? "%s has no labs/%s yet: first ladder handout FOLDER --add LAB"
                             : "%s is no handout: it has no labs/%s/lab.json",
                   into, lab->folder);
}

static kl_status add_step(const ladder_kit *kit, const ladder_lab *lab, const kl_step_info *step,
                          const char *into, ladder_handout *made, kl_error *err) {
    char path[LADDER_PATH], file[KL_STEP_FILE];
    if (step->given)
        return kl_fail(err, KL_ERROR_INPUT, "step %d of lab %s is given: the students have it",
                       step->number, lab->folder);
    TRY(ladder_path(path, err, "solutions/%s/steps/%s", lab->folder, kl_step_file(step, file)));
    return ladder_handout_add(kit, into, path, made, err);
}

static kl_status add_lab(const ladder_kit *kit, const ladder_lab *lab, const char *into,
                         ladder_handout *made, kl_error *err) {
    static const char *const parts[] = {"solutions/%s", "labs/%s/README.md", "labs/%s/lab.json"};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char path[LADDER_PATH], whole[LADDER_PATH];
        TRY(ladder_path(path, err, parts[i], lab->folder));
        TRY(ladder_path(whole, err, "%s/%s", kit->source, path));
        if (ladder_file_exists(whole)) TRY(ladder_handout_add(kit, into, path, made, err));
    }
    return KL_OK;
}

kl_status ladder_handout_release(const ladder_kit *kit, const ladder_lab *lab,
                                 const kl_step_info *step, const char *into, const char *after,
                                 double now_s, ladder_handout *out_handout, bool *out_committed,
                                 kl_error *err) {
    char message[256];
    *out_committed = false;
    memset(out_handout, 0, sizeof *out_handout);
    TRY(require_deadline(after, now_s, err));
    TRY(require_handout(lab, into, err));
    TRY(ladder_lock_folder(into, "writes a handout into", "", &out_handout->lock, err));
    TRY(step ? add_step(kit, lab, step, into, out_handout, err)
             : add_lab(kit, lab, into, out_handout, err));
    if (out_handout->count == 0)
        return kl_fail(err, KL_ERROR_INPUT, "%s has %s of lab %s already", into,
                       step ? "that step" : "all", lab->folder);
    if (step)
        snprintf(message, sizeof message, "Solution of lab %s, step %d: %s", lab->folder,
                 step->number, step->name);
    else snprintf(message, sizeof message, "Solutions and answers of lab %s", lab->folder);
    return ladder_handout_commit(into, out_handout, message, out_committed, err);
}
