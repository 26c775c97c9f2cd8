// SPDX-License-Identifier: MIT
// Where the step files of a student lie: see gather.h.
#include "grade/intake/gather.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grade/intake/archive.h"
#include "grade/intake/layout.h"
#include "grade/submission/submission.h"
#include "utilities/text.h"

enum {
    DEPTH_MAX = 5,    // a folder in a folder, with a repository's labs/NN_name/steps in it
    BRANCHES_MAX = 64 // folders of one folder that are looked into
};

// How much better a folder is for what its path says than one more step file makes it.
enum { OF_THIS_LAB = 1000, NAMED_STEPS = 100, OF_SOLUTIONS = -500 };

typedef struct search {
    const ladder_lab *lab;
    ladder_gathered *found;
    int best;          // rank of found->folder
    int entries;       // looked at
    int archive_depth; // of found->archive
    size_t top;        // length of the path where the search began
} search;

bool ladder_gather_is_step(const ladder_lab *lab, const char *name) {
    for (int i = 0; i < lab->rubric->step_count; i++)
        if (strcasecmp(name, lab->rubric->steps[i].file) == 0) return true;
    return false;
}

static bool has_part(const char *path, const char *part) {
    size_t length = strlen(part);
    for (const char *at = path; (at = strstr(at, part)); at += length) {
        bool begins = at > path && at[-1] == '/';
        if (begins && (at[length] == '/' || at[length] == '\0')) return true;
    }
    return false;
}

static void consider(search *s, const char *path, int files, int depth) {
    const char *below = path + s->top;
    ladder_gathered *found = s->found;
    if (files == 0) return;
    int rank = 10 * files - depth;
    if (has_part(below, s->lab->folder)) rank += OF_THIS_LAB;
    if (has_part(below, "solutions")) rank += OF_SOLUTIONS;
    const char *name = strrchr(path, '/');
    if (depth > 0 && name && strcmp(name, "/steps") == 0) rank += NAMED_STEPS;
    bool first = found->folder[0] == '\0', better = first || rank > s->best;
    const char *loser = better ? found->folder + (first ? 0 : s->top) : below;
    if (!first) snprintf(found->other, sizeof found->other, "%.90s", *loser != '\0' ? loser : "/");
    if (!better) return;
    snprintf(found->folder, sizeof found->folder, "%s", path);
    found->files = files;
    s->best = rank;
}

static void consider_file(search *s, const char *path, const char *name, int depth) {
    ladder_gathered *found = s->found;
    if (ladder_archive_is(name)) {
        char full[LADDER_PATH];
        bool nearer = found->archive[0] == '\0' || depth < s->archive_depth ||
                      (depth == s->archive_depth &&
                       strcmp(name, strrchr(found->archive, '/') + 1) > 0); // whatever the order
        if (!nearer || ladder_path(full, NULL, "%s/%s", path, name) != KL_OK) return;
        snprintf(found->archive, sizeof found->archive, "%s", full);
        s->archive_depth = depth;
    } else if (ladder_archive_is_foreign(name)) {
        snprintf(found->foreign, sizeof found->foreign, "%.90s", name);
    } else if (strlen(name) > 3 && strcasecmp(name + strlen(name) - 3, ".cu") == 0) {
        ladder_plain(name, false, found->source, sizeof found->source);
    }
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void look(search *s, int parent, const char *name, const char *path, int depth) {
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
    char *below[BRANCHES_MAX];
    int branches = 0, files = 0;
    if (!entries) {
        if (fd >= 0) close(fd);
        return;
    }
    for (struct dirent *item; (item = readdir(entries));) {
        struct stat info;
        if (ladder_entry_is_skipped(item->d_name)) continue;
        if (s->entries++ > LADDER_SUBMISSION_FILES) break;
        if (ladder_gather_is_step(s->lab, item->d_name)) files++;
        if (fstatat(fd, item->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (S_ISREG(info.st_mode)) consider_file(s, path, item->d_name, depth);
        if (S_ISDIR(info.st_mode) && branches < BRANCHES_MAX && depth < DEPTH_MAX) {
            below[branches] = strdup(item->d_name);
            branches += below[branches] != NULL;
        }
    }
    consider(s, path, files, depth);
    qsort(below, (size_t)branches, sizeof below[0], by_name);
    for (int i = 0; i < branches; i++) {
        char deeper[LADDER_PATH];
        if (ladder_path(deeper, NULL, "%s/%s", path, below[i]) == KL_OK)
            look(s, fd, below[i], deeper, depth + 1);
        free(below[i]);
    }
    closedir(entries);
}

void ladder_gather(const char *folder, const ladder_lab *lab, ladder_gathered *out_gathered) {
    memset(out_gathered, 0, sizeof *out_gathered);
    search s = {.lab = lab, .found = out_gathered, .top = strlen(folder)};
    look(&s, AT_FDCWD, folder, folder, 0);
}
