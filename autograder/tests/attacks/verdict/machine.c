// A machine that is unfit, for which no student may be failed; and what looks like one.
#include <sys/resource.h>

#include "tests/support/defence_switch.h"
#include "attacks.h"

// What becomes of a step whose run has broken off twice, with private folders in this one.
static ladder_outcome blamed(const char *folder) {
    ladder_case_end end = {.outcome = LADDER_UNGRADABLE, .dead = true};
    snprintf(end.text, sizeof end.text, "the simulator does not answer");
    ladder_broken_run(folder, &end);
    return end.outcome;
}

// attack: A run breaks off twice because the disk of the private folders has gone.
// stopped by: MACHINE_FIT
// expect: ungradable
// gains: an honest student is failed
ATTACK(disk_gone) {
    char folder[LADDER_PATH];
    ladder_path(folder, NULL, "%s/gone", setup->work);
    return blamed(folder) != LADDER_UNGRADABLE;
}

// attack: A run breaks off twice because no file can grow any more.
// stopped by: MACHINE_FIT
// expect: ungradable
// gains: an honest student is failed
ATTACK(disk_full) {
    const struct rlimit small = {64 << 10, 64 << 10};
    signal(SIGXFSZ, SIG_IGN);
    ATTACK_MUST(setrlimit(RLIMIT_FSIZE, &small) == 0, "setrlimit");
    return blamed(setup->work) != LADDER_UNGRADABLE;
}

// attack: A run breaks off twice because the private folders lie in what is no folder.
// stopped by: MACHINE_FIT
// expect: ungradable
// gains: an honest student is failed
ATTACK(disk_is_a_file) {
    char folder[LADDER_PATH];
    attack_put(setup, "file", "x");
    ladder_path(folder, NULL, "%s/file", setup->work);
    return blamed(folder) != LADDER_UNGRADABLE;
}

// attack: Breaks off its run, twice, on a machine that is fit, in the hope of being ungradable.
// stopped by: BLAME
// expect: BROKEN_RUN
// gains: is not failed
ATTACK(breaks_off_twice) { return blamed(setup->work) == LADDER_UNGRADABLE; }

// attack: The kit's simulator is missing on this machine.
// stopped by: design
// expect: ungradable
// gains: an honest student is failed
ATTACK(simulator_missing) {
    kl_error err = {KL_OK, ""};
    ladder_kit kit = *setup->kit;
    ladder_path(kit.build, NULL, "%s/no-build", setup->work);
    const ladder_grade_plan *usual = attack_plan(setup->kit, "02_reduction", false, &err);
    ATTACK_MUST(usual, "%s", err.text);
    ladder_grade_plan plan = *usual;
    plan.kit = &kit;
    static ladder_step_result result; // large
    ladder_step_costs costs;
    memset(&result, 0, sizeof result);
    const ladder_submission_run run = {.plan = &plan,
                                       .step = &plan.lab->rubric->steps[1],
                                       .object = "/no-object",
                                       .step_folder = setup->work,
                                       .step_result = &result};
    ladder_judge_step(&run, &costs);
    return result.outcome != LADDER_UNGRADABLE;
}

// attack: Has its judge wait for ever: for a writer of a pipe, with the guard against pipes away.
// stopped by: WORKER_WATCH
// expect: BROKEN_RUN, of this submission only
// gains: holds
ATTACK(judge_stuck) {
    attack_class class;
    char path[LADDER_PATH];
    defence_switch(LADDER_DEFENCE_NO_LINKS, false);
    attack_put(setup, "in/ann/readme.txt", "x");
    attack_put(setup, "in/bob/1_interleaved.cu", " ");
    ladder_path(path, NULL, "%s/in/ann/1_interleaved.cu", setup->work);
    ATTACK_MUST(mkfifo(path, 0600) == 0, "mkfifo");
    setup->stuck_s = 8; // no busy machine keeps the other worker silent for so long
    attack_run_class(setup, false, &class);
    const ladder_row *ann = &class.rows[attack_index(&class, "ann")];
    const ladder_row *bob = &class.rows[attack_index(&class, "bob")];
    ATTACK_MUST(ann->done && ann->steps[1].outcome == LADDER_BROKEN_RUN, "ann");
    ATTACK_MUST(bob->done && bob->steps[1].outcome == LADDER_EMPTY_FILE, "bob");
    attack_free_class(&class);
    return false;
}
