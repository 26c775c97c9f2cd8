// What attacks that are programs (C functions) are given, and how the test runs attacks that are
// sources of a step. ../README.md says how to add one.
#pragma once

#include <signal.h>
#include <sys/wait.h>

#include "course/class/class.h"
#include "heading.h"

// What an attack works with. Its process has the defences switched as the test wants them.
typedef struct attack_setup {
    char work[LADDER_PATH]; // empty, of this attack's own; TMPDIR lies in it
    const ladder_kit *kit;
    double gone_s;  // how long a process that shall be gone is waited for
    double stuck_s; // of attack_run_class: when a worker counts as stuck; 0: as usual
} attack_setup;

// An attack: true when it has gained what its heading says. In a file of its class:
//   // attack: ..
//   ATTACK(name) { .. }
#define ATTACK(name) bool attack_##name(attack_setup *setup)
typedef bool attack_program(attack_setup *setup);

typedef struct attack_row {
    const char *class_name, *name;
    attack_program *run;
} attack_row;
extern const attack_row attack_rows[]; // made by CMake from the files; ends with NULLs

// An attack cannot be tried, or something beside the gain is not as it must be.
#define ATTACK_MUST(condition, ...)                                                                \
    do {                                                                                           \
        if (condition) break;                                                                      \
        fprintf(stderr, "    " __VA_ARGS__);                                                       \
        fprintf(stderr, " (%s:%d: %s)\n", __FILE__, __LINE__, #condition);                         \
        fflush(NULL);                                                                              \
        _Exit(ATTACK_EXIT_BROKEN);                                                                 \
    } while (0)
// This machine cannot show it: the reason is printed, nothing fails.
#define ATTACK_SKIP(...)                                                                           \
    do {                                                                                           \
        printf("    skipped: " __VA_ARGS__);                                                       \
        puts("");                                                                                  \
        fflush(NULL);                                                                              \
        _Exit(ATTACK_EXIT_SKIPPED);                                                                \
    } while (0)
enum { ATTACK_EXIT_BROKEN = 99, ATTACK_EXIT_SKIPPED = 98 };

// What is shared by the runs of one lab: the judge with its secret cases. whole: with all criteria
// of the rubric; else with those for correctness alone, which is all that most attacks are after.
const ladder_grade_plan *attack_plan(const ladder_kit *kit, const char *lab, bool whole,
                                     kl_error *err);

// What became of a source.
typedef struct attack_end {
    bool finished;  // the class run itself ended well
    ladder_row row; // of its only submission
    double wall_s;
} attack_end;

// Grades one file as a class of one, in this process; the class's folders lie in setup->work:
// results/, private/. limit_s: of a compiler or of an answer; 0: the defaults.
kl_status attack_grade(const attack_setup *setup, const ladder_grade_plan *plan, const char *file,
                       double limit_s, bool of_compiler, attack_end *out_end, kl_error *err);

// The source of a step's attack: edits are applied to the solution, @SECRET@, @DROP@ and @KIT@
// become paths. Caller frees.
char *attack_source(const attack *a, const attack_setup *setup, kl_error *err);
const char *attack_step_file(const attack *a, kl_error *err); // its name as it is handed in

// @SECRET@ holds this text, which no submission may learn; @DROP@ is a path that none may write.
extern const char attack_secret[];
void attack_secret_path(const attack_setup *setup, char out[LADDER_PATH]);
void attack_drop_path(const attack_setup *setup, char out[LADDER_PATH]);

// For programs: a class whose submissions lie in setup->work/in, graded in this process with lab
// 02's correctness cases into setup->work/results. An empty step file costs no compilation.
typedef struct attack_class {
    ladder_submission *list; // [count], as ladder_submissions_find gives them
    ladder_row *rows;        // [count]
    size_t count;
} attack_class;
void attack_put(const attack_setup *setup, const char *relative, const char *text); // makes folders
void attack_link(const attack_setup *setup, const char *target, const char *relative);
void attack_find_class(const attack_setup *setup, attack_class *out_class);
void attack_run_class(const attack_setup *setup, bool resume, attack_class *out_class);
void attack_free_class(attack_class *class);
// Index of the submission of this title; the attack cannot be tried when there is none.
size_t attack_index(const attack_class *class, const char *title);

// Whether a file below the folder holds the text.
bool attack_folder_holds(const char *folder, const char *text);
int attack_folder_entries(const char *folder); // without . and ..
