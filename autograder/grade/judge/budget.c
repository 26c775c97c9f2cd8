// The time of a whole submission: see plan.h.
#include "grade/judge/plan.h"
#include "sandbox/process/machine.h"
#include <sys/mman.h>
#include <sys/resource.h>

// Of the time on the clock: what sleeps longer has used it up itself.
static const double asleep_share = 0.5;

static double clock_s(double limit_s) { return 60 + LADDER_BUDGET_CLOCK * limit_s; }

ladder_budget *ladder_budget_open(double limit_s, double slowness) {
    if (!(limit_s > 0)) return NULL;
    ladder_budget *budget = mmap(NULL, sizeof *budget, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0); // zeros
    if (budget == MAP_FAILED) return NULL;
    budget->limit_s = limit_s;
    budget->slowness = slowness;
    budget->end_s = kl_now_s() + clock_s(limit_s);
    return budget;
}

void ladder_budget_close(ladder_budget *budget) {
    if (budget) munmap(budget, sizeof *budget);
}

static double used_by(int who) {
    struct rusage usage = {.ru_maxrss = 0};
    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

double ladder_budget_processor_s(void) { return used_by(RUSAGE_SELF) + used_by(RUSAGE_CHILDREN); }

double ladder_budget_left_s(const ladder_budget *budget) {
    return budget ? fmax(budget->end_s - kl_now_s(), 0) : INFINITY;
}

static double sum(const double seconds[LADDER_STEPS_MAX]) {
    double all_s = 0;
    for (int i = 0; i < LADDER_STEPS_MAX; i++) all_s += seconds[i];
    return all_s;
}

ladder_budget_state ladder_budget_spent(const ladder_budget *budget, char *out_text, size_t bytes) {
    if (!budget) return LADDER_BUDGET_LEFT;
    double used_s = sum(budget->used_s);
    bool asleep = sum(budget->slept_s) > asleep_share * clock_s(budget->limit_s);
    const char *not_graded = "not graded: this machine was too slow: ";
    if (used_s > budget->limit_s) {
        bool slow = ladder_machine_too_slow(budget->slowness);
        snprintf(out_text, bytes,
                 "%sthe other steps used %.4g s of processor time; the limit of a whole submission "
                 "is %g s",
                 slow ? not_graded : "", used_s, budget->limit_s);
        return slow ? LADDER_BUDGET_MACHINE : LADDER_BUDGET_USED;
    }
    if (kl_now_s() <= budget->end_s) return LADDER_BUDGET_LEFT;
    snprintf(out_text, bytes,
             "%sthe grading of this submission took longer than %g s, a minute and %d times the "
             "limit of its processor time",
             asleep ? "" : not_graded, clock_s(budget->limit_s), LADDER_BUDGET_CLOCK);
    return asleep ? LADDER_BUDGET_USED : LADDER_BUDGET_MACHINE;
}
