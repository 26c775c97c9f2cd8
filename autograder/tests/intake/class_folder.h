// A class's folder for a test, what is taken of it, and who has which step.
#pragma once

#include "grade/intake/intake.h"
#include "ladder_config.h"
#include "suite.h"
#include "utilities/files.h"

static kl_error err;
static char folder[LADDER_PATH], staging[LADDER_PATH];
static const ladder_lab *lab;
static ladder_intake taken;
static ladder_step_file files[LADDER_STEPS_MAX];
static ladder_result result;

static inline void set_up(void) {
    char top[LADDER_PATH];
    lab = ladder_lab_find("reduction");
    ck_assert_ptr_nonnull(lab);
    OK(ladder_folder_temporary(top, &err));
    ladder_path(folder, &err, "%s/in", top);
    ladder_path(staging, &err, "%s/staging", top);
    OK(ladder_folder_make(folder, &err));
    OK(ladder_folder_make(staging, &err));
}

static inline void forget_taken(void) {
    free(taken.list);
    taken.list = NULL;
}

static inline void tear_down(void) {
    forget_taken();
    *strrchr(folder, '/') = '\0';
    ladder_folder_remove(folder);
}

static inline void put(const char *name, const char *text) {
    char path[LADDER_PATH], above[LADDER_PATH];
    ladder_path(path, &err, "%s/%s", folder, name);
    snprintf(above, sizeof above, "%s", path);
    *strrchr(above, '/') = '\0';
    OK(ladder_folder_make(above, &err));
    OK(ladder_file_write(path, text, strlen(text), &err));
}

// Takes what lies below `folder` (relative; "" for itself).
static inline void take(const char *what, const char *layout) {
    char path[LADDER_PATH];
    forget_taken();
    ladder_folder_remove(staging);
    OK(ladder_folder_make(staging, &err));
    ladder_path(path, &err, "%s%s%s", folder, *what != '\0' ? "/" : "", what);
    OK_OR_SAY(ladder_intake_take(path, layout, lab, staging, &taken, &err), err);
}

static inline const ladder_submission *find(const char *title) {
    for (size_t i = 0; i < taken.count; i++)
        if (strcmp(taken.list[i].title, title) == 0) return &taken.list[i];
    ck_abort_msg("no submission of %s", title);
    return NULL;
}

// Whether a student's step (an index of the rubric) has this text; NULL: is absent.
static inline void holds(const char *title, int step, const char *text) {
    memset(&result, 0, sizeof result);
    OK(ladder_submission_read(find(title), lab, files, &result, &err));
    if (!text) ck_assert_msg(!files[step].present, "%s has step %d", title, step);
    else
        ck_assert_msg(files[step].text && strcmp(files[step].text, text) == 0,
                      "%s: step %d is \"%s\"", title, step,
                      files[step].text ? files[step].text : "absent");
    ladder_submission_free(files, lab->rubric->step_count);
}

static inline bool says(const char *text, const char *part) { return strstr(text, part); }

// Whether the line on what was found has this.
static inline bool described(const char *part) {
    char line[400];
    ladder_intake_describe(&taken, line, sizeof line);
    return says(line, part);
}
