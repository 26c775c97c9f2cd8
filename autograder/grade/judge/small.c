// The small case of a wrong step (small_case.h) for its report: see judge.h. Its runs have
// processes and a result of their own, so that nothing in them changes what was judged.
#include "grade/judge/judge.h"
#include "small_case.h"

// The work of a search is bounded by small_case.c; host code that sleeps is bounded here.
static const double search_s = 60;

enum { REPORT_COLUMNS = 72 };

typedef struct small_search {
    ladder_attempt attempt;
    double end_s; // on kl_now_s
} small_search;

static bool run_small(void *context, const kl_prepared *p, int watched, uint64_t from,
                      void *const *outputs) {
    small_search *search = context;
    ladder_attempt *attempt = &search->attempt;
    ladder_case item;
    ladder_case_end end;
    if (kl_now_s() > search->end_s ||
        ladder_case_borrow(attempt->run->plan->lab->problem, p, &item, NULL) != KL_OK)
        return false;
    attempt->watched = watched;
    attempt->watched_from = from;
    ladder_attempt_case(attempt, &item, 1, &end);
    close(item.inputs_fd);
    const unsigned char *bytes = attempt->outputs;
    for (int i = 0; i < p->shape.output_count; i++) // without a launch none has come
        if (bytes) memcpy(outputs[i], bytes + p->output_at[i], p->output_bytes[i]);
        else memset(outputs[i], KL_POISON, p->output_bytes[i]);
    return !end.dead;
}

static void find_writer(void *context, int output, uint64_t offset_bytes,
                        kl_small_writer *out_writer) {
    const ladder_attempt *attempt = &((const small_search *)context)->attempt;
    uint64_t block = 0;
    uint32_t thread = 0;
    bool written = false,
         watched = attempt->open && attempt->session.control && attempt->watched == output;
    *out_writer = (kl_small_writer){
        .known = watched &&
                 sim_last_write_get(attempt->session.control, attempt->watched_at + offset_bytes,
                                    &written, &block, &thread, NULL) == SIM_OK,
        .written = written};
    kl_thread_unpack(block, thread, out_writer->block, out_writer->thread);
}

static void draw(const kl_small_case *small, ladder_step_result *result) {
    const kl_style plain = {.width = REPORT_COLUMNS};
    FILE *out = small->found ? fmemopen(result->small, sizeof result->small, "w") : NULL;
    if (!out) return;
    fprintf(out, "%s: %s\n",
            small->smallest ? "the smallest case that is wrong" : "where it is wrong",
            small->title);
    kl_small_draw(small, &plain, 2, out);
    bool whole = !ferror(out) && ftell(out) + 1 < (long)sizeof result->small;
    fclose(out);
    if (!whole) result->small[0] = '\0';
}

void ladder_judge_small(const ladder_submission_run *run, const ladder_case *item,
                        const unsigned char *outputs) {
    ladder_step_result *aside = calloc(1, sizeof *aside);
    kl_small_case *small = calloc(1, sizeof *small);
    ladder_submission_run own = *run;
    small_search search = {
        .attempt = {.run = &own, .gpu = run->plan->gpu, .uncached = true, .keeps = true}};
    const kl_small_runner runner = {&search, run_small, find_writer};
    const void *failing[KL_MAX_BUFFERS];
    kl_verdict verdict;
    double before_s = ladder_budget_processor_s();
    own.step_result = aside;
    own.budget = NULL;
    search.end_s = kl_now_s() + search_s * ladder_machine_factor(run->plan->slowness);
    const kl_problem *problem = run->plan->lab->problem;
    bool wrong = !ladder_outputs_verify(problem, &item->data, outputs, &verdict);
    for (int i = 0; i < item->data.shape.output_count; i++)
        failing[i] = outputs + item->data.output_at[i];
    if (aside && small && wrong) { // in a first call
        kl_small_find(problem, &item->data, failing, &runner, small);
        draw(small, run->step_result);
    }
    ladder_attempt_close(&search.attempt);
    run->step_result->small_s = ladder_budget_processor_s() - before_s;
    free(small);
    free(aside);
}
