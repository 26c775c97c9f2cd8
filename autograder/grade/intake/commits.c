// SPDX-License-Identifier: MIT
// When the last commit of a repository was made. git reads it in the sandbox: what a repository
// says to git (its configuration) is the student's.
#include "grade/intake/intake.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/process/sandbox.h"
#include "utilities/text.h"

// The seconds in "committer Ann <ann@x.edu> 1795219140 +0100"; 0: none.
static double committed_s(const char *commit) {
    const char *line =
        strncmp(commit, "committer ", 10) == 0 ? commit : strstr(commit, "\ncommitter ");
    const char *end = strstr(commit, "\n\n"); // the message, which may say anything
    if (!line || (end && line > end)) return 0;
    size_t length = strcspn(line + 1, "\n") + 1;
    for (const char *at = line + length; at > line; at--)
        if (at[-1] == '>') return strtod(at, NULL);
    return 0;
}

static double read_commit(const char *git, const char *repository) {
    static const char *const environment[] = {"LC_ALL=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1",
                                              "GIT_NO_LAZY_FETCH=1", "HOME=/nonexistent", NULL};
    const char *const argv[] = {git, "--git-dir", repository, "cat-file", "commit", "HEAD", NULL};
    const char *const shown[] = {git, repository, NULL};
    const ladder_process_spec spec = {
        .argv = argv, .environment = environment, .limits = {.wall_s = 20, .processes = 4}};
    const ladder_sandbox_view view = {.shown = shown};
    ladder_process process;
    if (ladder_sandbox_run(&spec, &view, &process, NULL) != KL_OK) return 0;
    bool well = process.end == LADDER_END_EXITED && process.code == 0;
    double seconds = well ? committed_s(process.output) : 0;
    ladder_process_free(&process);
    return seconds;
}

void ladder_intake_commit_times(ladder_intake *intake) {
    static const char *const places[] = {"/usr/bin/git", "/usr/local/bin/git"};
    const char *git = NULL;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (!git && access(places[i], X_OK) == 0) git = places[i];
    if (!git || intake->layout != LADDER_LAYOUT_CLASSROOM) return;
    for (size_t i = 0; i < intake->count; i++) {
        ladder_submission *s = &intake->list[i];
        char repository[LADDER_PATH], full[LADDER_PATH], time[32];
        struct stat info;
        if (s->submitted[0] != '\0' ||
            ladder_path(repository, NULL, "%s/%s/.git", intake->folder, s->name) != KL_OK ||
            lstat(repository, &info) != 0 || !S_ISDIR(info.st_mode) || !realpath(repository, full))
            continue;
        double seconds = read_commit(git, full);
        if (seconds > 0)
            snprintf(s->submitted, sizeof s->submitted, "%s", ladder_time_iso(seconds, time));
    }
}
