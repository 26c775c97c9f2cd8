// The ladder of a run: see ladder.h. State of the steps, rates and times.
#include "ladder.h"

void kl_ladder_step_begin(kl_ladder_step *step, const kl_step_info *info) {
    memset(step, 0, sizeof *step);
    step->number = info->number;
    step->name = info->name;
    step->reason = info->reason;
    step->bad_case = step->given_at = -1;
    step->state = LADDER_NOT_RUN;
    for (int i = 0; i < KL_PLAN_MAX; i++) {
        step->cases[i].state = LADDER_NOT_RUN;
        step->cases[i].time_us = (kl_interval){NAN, NAN, NAN};
        step->cases[i].prepare_us = NAN;
    }
}

void kl_ladder_step_add(kl_ladder_step *step, const kl_case_result *result) {
    if (result->plan_index >= 0 && result->plan_index < KL_PLAN_MAX) {
        step->cases[result->plan_index] = *result;
    } else {
        step->state = result->state;
        snprintf(step->text, sizeof step->text, "%s", result->text);
    }
}

void kl_ladder_step_settle(kl_ladder_step *step, const kl_plan *plan, kl_part parts,
                           ladder_outcome ended, const char *ending) {
    if (step->state != LADDER_NOT_RUN) return; // told about as a whole: not loadable, or no device
    step->state = LADDER_CORRECT;
    for (int i = 0; i < plan->count; i++) {
        kl_case_result *c = &step->cases[i];
        const kl_planned *planned = &plan->cases[i];
        if (!(parts & planned->part) || !(planned->serves & KL_STEP_BIT(step->number))) continue;
        if (c->state == LADDER_NOT_IMPLEMENTED) {
            step->state = LADDER_NOT_IMPLEMENTED;
            return;
        }
        if (c->state == LADDER_NOT_RUN && c->begun) {
            c->state = ended;
            snprintf(c->text, sizeof c->text, "%s",
                     ending[0] != '\0' ? ending : "ended in the middle of this case");
        }
        if (c->state != LADDER_CORRECT && step->bad_case < 0) {
            step->bad_case = i;
            step->state = c->state == LADDER_NOT_RUN ? ended : c->state;
            snprintf(step->text, sizeof step->text, "%s", c->text);
        }
    }
    if (kl_ladder_broke_off(step) && step->text[0] == '\0')
        snprintf(step->text, sizeof step->text, "%s", ending);
}

bool kl_ladder_broke_off(const kl_ladder_step *step) {
    ladder_outcome_kind kind = ladder_outcome_kind_of(step->state);
    return kind == LADDER_KIND_UNGRADABLE ||
           (kind == LADDER_KIND_BAD && step->state != LADDER_WRONG_ANSWER &&
            step->state != LADDER_COMPILE_ERROR);
}

bool kl_ladder_acceptable(const kl_ladder_step *step) {
    return step->state == LADDER_CORRECT || step->state == LADDER_NOT_IMPLEMENTED ||
           step->state == LADDER_LEFT_OUT;
}

// Of the cases that were asked for, none is the step's.
bool kl_ladder_has_no_case(const kl_ladder *ladder, const kl_ladder_step *step) {
    const uint64_t *steps = ladder->plan->steps_of;
    return step->state == LADDER_NOT_RUN &&
           !((steps[KL_SMALL] | steps[KL_LARGE]) & KL_STEP_BIT(step->number));
}

bool kl_ladder_ok(const kl_ladder *ladder) {
    bool any = false;
    for (int i = 0; i < ladder->count; i++) {
        if (kl_ladder_has_no_case(ladder, &ladder->steps[i])) continue;
        any = true;
        const kl_side_check *check = ladder->steps[i].check;
        if (!kl_ladder_acceptable(&ladder->steps[i]) || (check && check->findings > 0))
            return false;
    }
    return any && (!ladder->has_vendor || kl_ladder_acceptable(&ladder->vendor));
}

// In a run arrays lie side by side, so that what lies far behind one is taken for a place behind
// its neighbour; the checker keeps them apart. Where it names another one, that is said.
static void name_array(kl_ladder_step *step, const kl_side_check *check) {
    static const char word[] = " of argument ", last[] = " of the kernel";
    char *wrong = strstr(step->text, word), *from = wrong;
    const char *right = strstr(check->text, word), *end = right ? strstr(right, last) : NULL;
    if (!wrong || !end || strncmp(check->text, "out-of-bounds", 13) != 0) return;
    size_t bytes = (size_t)(end - right) + sizeof last - 1;
    if (strncmp(wrong, right, bytes) == 0) return;
    while (from > step->text && strncmp(from, " at ", 4) != 0) from--;
    char rest[sizeof step->text];
    snprintf(rest, sizeof rest, "%s", wrong + strcspn(wrong, "\n"));
    snprintf(from, sizeof step->text - (size_t)(from - step->text), " outside%.*s%s", (int)bytes,
             right, rest);
}

void kl_ladder_join_checks(kl_ladder *ladder) {
    kl_side_checks *checks = &ladder->checks;
    int kept = 0;
    for (int i = 0; i < checks->count; i++) {
        kl_side_check *check = &checks->steps[i];
        const kl_ladder_step *step = NULL;
        for (int s = 0; s < ladder->count; s++)
            if (ladder->steps[s].number == check->step) step = &ladder->steps[s];
        check->wrong = step && step->state == LADDER_WRONG_ANSWER;
        check->faulted =
            step && step->state == LADDER_KERNEL_FAULT && !kl_may_cause_fault(check->text);
        bool clean = check->findings == 0;
        if (!step || !kl_ladder_broke_off(step) || !clean) checks->steps[kept++] = *check;
    }
    checks->count = kept;
    for (int s = 0; s < ladder->count; s++)
        for (int i = 0; i < kept; i++)
            if (checks->steps[i].step == ladder->steps[s].number) {
                ladder->steps[s].check = &checks->steps[i];
                if (checks->steps[i].faulted) name_array(&ladder->steps[s], &checks->steps[i]);
            }
}

double kl_ladder_rate(const kl_ladder *ladder, const kl_ladder_step *step, int plan_index) {
    if (plan_index < 0 || !(step->cases[plan_index].time_us.mid > 0.0)) return NAN;
    const kl_case *shape = &ladder->plan->cases[plan_index].data.shape;
    double us = step->cases[plan_index].time_us.mid;
    return kl_ceiling_is_arithmetic(ladder->problem->ceiling)
               ? shape->work_ops / us * 1e-6    // TFLOP/s
               : shape->work_bytes / us * 1e-3; // GB/s
}

double kl_ladder_share(const kl_ladder *ladder, const kl_ladder_step *step) {
    const kl_problem *problem = ladder->problem;
    int at = ladder->plan->main_of[1 + step->number];
    bool elsewhere = at >= 0 && problem->ceiling == KL_CEILING_LINK &&
                     ladder->plan->cases[at].data.shape.family !=
                         kl_problem_family(problem, problem->timed_family);
    return elsewhere ? NAN : kl_ladder_rate(ladder, step, at) / kl_ladder_unit_of(ladder).ceiling;
}

kl_ladder_unit kl_ladder_unit_of(const kl_ladder *ladder) {
    const kl_ceilings *c = &ladder->ceilings;
    switch (ladder->problem->ceiling) {
    case KL_CEILING_READ: return (kl_ladder_unit){"GB/s", "GB/s at", "of read", c->read_gbs};
    case KL_CEILING_COPY: return (kl_ladder_unit){"GB/s", "GB/s at", "of copy", c->copy_gbs};
    case KL_CEILING_FMA: return (kl_ladder_unit){"TFLOP/s", "TFLOP/s at", "of FMA", c->fma_tflops};
    case KL_CEILING_LINK: return (kl_ladder_unit){"GB/s", "GB/s at", "of link", c->link_gbs};
    case KL_CEILING_TENSOR:
        return (kl_ladder_unit){"TFLOP/s", "TFLOP/s at", "of tensor", c->tensor_tflops};
    }
    return (kl_ladder_unit){"?", "?", "?", NAN};
}

double kl_ladder_first_us(const kl_ladder *ladder, const kl_ladder_step *step) {
    int m = ladder->plan->main_of[1 + step->number];
    int family = m >= 0 ? ladder->plan->cases[m].data.shape.family : -1;
    for (int i = 0; m >= 0 && i < ladder->problem->step_count; i++) {
        int number = ladder->problem->steps[i].number;
        if (!kl_problem_serves(ladder->problem, family, number)) continue;
        for (int k = 0; k < ladder->count; k++) {
            const kl_ladder_step *first = &ladder->steps[k];
            if (first->number == number && first->state == LADDER_CORRECT)
                return first->cases[m].time_us.mid;
        }
        return NAN; // the lab's first step with this case is not in this run, or not right
    }
    return NAN;
}
