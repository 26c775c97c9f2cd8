// Blocks in another order catch by wrong answers alone what the checker would find by its rules.
#include "tests/support/defence_switch.h"
#include "attacks.h"

static bool earns_unchecked(attack_setup *setup, const char *name) {
    char path[LADDER_PATH];
    attack a = {.lab = "02_reduction", .step = 1};
    attack_end end;
    kl_error err = {KL_OK, ""};
    defence_switch(LADDER_DEFENCE_CHECKER, false);
    snprintf(a.name, sizeof a.name, "%s", name);
    ATTACK_MUST(ladder_path(a.path, &err, "%s/autograder/tests/attacks/timing/timing.edits",
                            setup->kit->source) == KL_OK,
                "%s", err.text);
    const ladder_grade_plan *plan = attack_plan(setup->kit, a.lab, false, &err);
    char *text = plan ? attack_source(&a, setup, &err) : NULL;
    const char *file = attack_step_file(&a, &err);
    ATTACK_MUST(text && file, "%s", err.text);
    ATTACK_MUST(ladder_path(path, &err, "%s/in", setup->work) == KL_OK &&
                    ladder_folder_make(path, &err) == KL_OK &&
                    ladder_path(path, &err, "%s/in/%s", setup->work, file) == KL_OK &&
                    ladder_file_write(path, text, strlen(text), &err) == KL_OK,
                "%s", err.text);
    free(text);
    ATTACK_MUST(attack_grade(setup, plan, path, 0, false, &end, &err) == KL_OK, "%s", err.text);
    for (int i = 0; i < end.row.step_count; i++) {
        if (end.row.steps[i].step != a.step) continue;
        bool earns = end.row.steps[i].points > 0;
        ATTACK_MUST(earns || end.row.steps[i].outcome == LADDER_ORDER, "outcome %s",
                    ladder_outcome_word(end.row.steps[i].outcome));
        return earns;
    }
    return false;
}

// attack: Takes blocks to run in the order of their numbers, in a form that the checker does not
// know.
// stopped by: OTHER_ORDER
// expect: the outcome names the order
// gains: earns points by luck
ATTACK(last_block_by_luck) { return earns_unchecked(setup, "last_block_does_not_wait"); }

// attack: Takes block 0 to run first, in a form that the checker does not know.
// stopped by: OTHER_ORDER
// expect: the outcome names the order
// gains: earns points by luck
ATTACK(first_block_by_luck) { return earns_unchecked(setup, "first_block_begins"); }
