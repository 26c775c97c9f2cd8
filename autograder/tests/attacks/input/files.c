// Folders whose entries are not what they seem.
#include "attacks.h"

static ladder_outcome outcome_of(const attack_class *class, const char *title, int step) {
    const ladder_row *row = &class->rows[attack_index(class, title)];
    for (int i = 0; i < row->step_count; i++)
        if (row->steps[i].step == step) return row->steps[i].outcome;
    return LADDER_UNGRADABLE;
}

// What becomes of ann's step 1; the class is graded.
static ladder_outcome grade_ann(const attack_setup *setup) {
    attack_class class;
    attack_run_class(setup, false, &class);
    ladder_outcome outcome = outcome_of(&class, "ann", 1);
    attack_free_class(&class);
    return outcome;
}

// attack: A step's file is a link to a file with a secret, which the compiler's messages would
// quote.
// stopped by: NO_LINKS
// expect: REFUSED_FILE
// gains: secret
ATTACK(link_to_secret) {
    char secret[LADDER_PATH], results[LADDER_PATH];
    attack_secret_path(setup, secret);
    attack_link(setup, secret, "in/ann/1_interleaved.cu");
    grade_ann(setup);
    ladder_path(results, NULL, "%s/results", setup->work);
    return attack_folder_holds(results, attack_secret);
}

// attack: A step's file is a link to the same file of another student.
// stopped by: NO_LINKS
// expect: REFUSED_FILE
// gains: another student's file is graded
ATTACK(link_to_other_student) {
    attack_put(setup, "in/bob/1_interleaved.cu", " ");
    attack_link(setup, "../bob/1_interleaved.cu", "in/ann/1_interleaved.cu");
    return grade_ann(setup) != LADDER_REFUSED_FILE;
}

// attack: The whole submission is a link to another student's folder.
// stopped by: NO_LINKS
// expect: UNREADABLE, which says that it is a link
// gains: another student's file is graded
ATTACK(folder_is_link) {
    attack_put(setup, "in/bob/1_interleaved.cu", " ");
    attack_link(setup, "bob", "in/ann");
    return grade_ann(setup) != LADDER_UNREADABLE;
}

// attack: The folder "steps" is a link to another student's.
// stopped by: NO_LINKS
// expect: UNREADABLE, which says that it is a link
// gains: another student's file is graded
ATTACK(steps_is_link) {
    attack_put(setup, "in/bob/1_interleaved.cu", " ");
    attack_link(setup, "../bob", "in/ann/steps");
    return grade_ann(setup) != LADDER_UNREADABLE;
}

// attack: A step's file is a link to a device that never ends.
// stopped by: NO_LINKS
// expect: REFUSED_FILE
// gains: a device is opened
ATTACK(link_to_device) {
    attack_link(setup, "/dev/zero", "in/ann/1_interleaved.cu");
    return grade_ann(setup) != LADDER_REFUSED_FILE;
}

// attack: A step's file is a pipe into which nobody writes.
// stopped by: NO_LINKS
// expect: REFUSED_FILE
// gains: holds
ATTACK(pipe_without_writer) {
    char path[LADDER_PATH];
    attack_put(setup, "in/ann/readme.txt", "x");
    ladder_path(path, NULL, "%s/in/ann/1_interleaved.cu", setup->work);
    ATTACK_MUST(mkfifo(path, 0600) == 0, "mkfifo");
    ATTACK_MUST(grade_ann(setup) == LADDER_REFUSED_FILE, "not refused");
    return false;
}

// attack: A step's file is a folder.
// stopped by: NO_LINKS
// expect: REFUSED_FILE
// gains: a folder is read as a file
ATTACK(step_is_folder) {
    attack_put(setup, "in/ann/1_interleaved.cu/x", "x");
    return grade_ann(setup) != LADDER_REFUSED_FILE;
}

// attack: A step's file is larger than any source: a hole of 3 MiB and blanks.
// stopped by: FILE_SIZE
// expect: REFUSED_FILE
// gains: a file of any size is taken into memory
ATTACK(file_too_large) {
    enum { BYTES = 3 << 20 };
    char *text = malloc(BYTES + 1);
    ATTACK_MUST(text, "no memory");
    memset(text, ' ', BYTES);
    text[BYTES] = '\0';
    attack_put(setup, "in/ann/1_interleaved.cu", text);
    free(text);
    return grade_ann(setup) != LADDER_REFUSED_FILE;
}

// attack: A submission has 12000 files.
// stopped by: FILE_COUNT
// expect: 10000 are looked at
// gains: every entry costs the grader time
ATTACK(thousands_of_files) {
    enum { FILES = 12000 };
    char name[LADDER_PATH], path[LADDER_PATH];
    attack_put(setup, "in/ann/1_interleaved.cu", " ");
    ladder_path(path, NULL, "%s/in/ann", setup->work);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "f%d.txt", i);
        int fd = openat(folder, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        ATTACK_MUST(fd >= 0, "%s", name);
        close(fd);
    }
    close(folder);
    ladder_submission submission = {.id = "ann"};
    static ladder_result result; // large
    static ladder_step_file files[LADDER_STEPS_MAX];
    snprintf(submission.path, sizeof submission.path, "%s", path);
    memset(&result, 0, sizeof result);
    const ladder_lab *lab = ladder_lab_find("02_reduction");
    ATTACK_MUST(ladder_submission_read(&submission, lab, files, &result, NULL) == KL_OK, "read");
    ladder_submission_free(files, lab->rubric->step_count);
    int more = 0;
    for (int i = 0; i < result.note_count; i++) sscanf(result.notes[i], "and %d more files", &more);
    return more > LADDER_SUBMISSION_FILES;
}
