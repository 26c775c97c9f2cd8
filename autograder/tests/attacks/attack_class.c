// Classes that attacks which are programs have graded: see attacks.h.
#include "attacks.h"

static const char lab[] = "02_reduction";

static void path_of(const attack_setup *setup, const char *relative, char out[LADDER_PATH]) {
    char above[LADDER_PATH];
    ATTACK_MUST(ladder_path(out, NULL, "%s/%s", setup->work, relative) == KL_OK, "path");
    snprintf(above, sizeof above, "%s", out);
    *strrchr(above, '/') = '\0';
    ATTACK_MUST(ladder_folder_make(above, NULL) == KL_OK, "%s", above);
}

void attack_put(const attack_setup *setup, const char *relative, const char *text) {
    char path[LADDER_PATH];
    path_of(setup, relative, path);
    ATTACK_MUST(ladder_file_write(path, text, strlen(text), NULL) == KL_OK, "%s", path);
}

void attack_link(const attack_setup *setup, const char *target, const char *relative) {
    char path[LADDER_PATH];
    path_of(setup, relative, path);
    ATTACK_MUST(symlink(target, path) == 0, "%s", path);
}

void attack_find_class(const attack_setup *setup, attack_class *out_class) {
    char in[LADDER_PATH];
    kl_error err = {KL_OK, ""};
    ladder_path(in, NULL, "%s/in", setup->work);
    *out_class = (attack_class){.count = 0};
    ATTACK_MUST(ladder_submissions_find(in, ladder_lab_find(lab), &out_class->list,
                                        &out_class->count, &err) == KL_OK,
                "%s", err.text);
    out_class->rows = calloc(out_class->count + 1, sizeof *out_class->rows);
    ATTACK_MUST(out_class->rows, "no memory");
}

void attack_run_class(const attack_setup *setup, bool resume, attack_class *out_class) {
    char output[LADDER_PATH], private_folder[LADDER_PATH];
    kl_error err = {KL_OK, ""};
    const ladder_grade_plan *plan = attack_plan(setup->kit, lab, false, &err);
    ladder_path(output, NULL, "%s/results", setup->work);
    ladder_path(private_folder, NULL, "%s/private", setup->work);
    attack_find_class(setup, out_class);
    ATTACK_MUST(plan && ladder_folder_make(output, &err) == KL_OK &&
                    ladder_folder_make(private_folder, &err) == KL_OK,
                "%s", err.text);
    ladder_class class = {.plan = plan,
                          .submissions = out_class->list,
                          .count = out_class->count,
                          .output = output,
                          .work = private_folder,
                          .device = "simulated",
                          .jobs = 2,
                          .resume = resume,
                          .stuck_s = setup->stuck_s};
    ATTACK_MUST(ladder_class_run(&class, out_class->rows, &err) == KL_OK, "%s", err.text);
    ladder_folder_remove(private_folder);
}

void attack_free_class(attack_class *class) {
    free(class->list);
    free(class->rows);
}

size_t attack_index(const attack_class *class, const char *title) {
    size_t i = 0;
    while (i < class->count && strcmp(class->list[i].title, title) != 0) i++;
    ATTACK_MUST(i < class->count, "no submission %s", title);
    return i;
}
