// What a lab's program says of a step that is not right: see findings.h.
#include "show/findings/findings.h"
#include "sandbox/process/process.h"
#include "utilities/options.h"

void ladder_verdict_read(int records, int step, ladder_verdict *out_verdict) {
    kl_record record;
    *out_verdict = (ladder_verdict){.outcome = LADDER_NOT_RUN};
    for (uint32_t i = 0; kl_record_at(records, i, &record); i++) {
        if (record.kind != KL_RECORD_STEP || record.step != step) continue;
        if (record.is.end.outcome >= LADDER_OUTCOMES) continue;
        out_verdict->outcome = (ladder_outcome)record.is.end.outcome;
        out_verdict->stopped = record.is.end.stopped;
        memcpy(out_verdict->text, record.is.end.text, sizeof out_verdict->text);
    }
}

bool ladder_verdict_ends(const ladder_verdict *verdict) {
    switch (verdict->outcome) {
    case LADDER_WRONG_ANSWER: return !verdict->stopped;
    case LADDER_NOT_RUN:
    case LADDER_CORRECT:
    case LADDER_LEFT_OUT: return true;
    default: return false;
    }
}

// Whether the last run of this version of the step's file was right.
static bool was_right(const ladder_kit *kit, const ladder_lab *lab, int step) {
    char source[LADDER_PATH], file[LADDER_PATH];
    const kl_step_info *info = kl_problem_step(lab->problem, step);
    kl_last_result *all = calloc(KL_LAST_RESULTS, sizeof *all);
    bool right = false;
    if (all && ladder_kit_step_file(kit, lab, info, false, source, NULL) == KL_OK &&
        ladder_kit_last_results(kit, lab, file, NULL) == KL_OK) {
        int count = kl_last_results_read(file, all);
        const kl_last_result *found =
            kl_last_result_find(all, count, KL_RESULT_OF_RUN, step, kl_step_file_hash(source));
        right = found && found->good;
    }
    free(all);
    return right;
}

static void describe_unwritten(const ladder_kit *kit, const ladder_lab *lab, int step, char *out) {
    char source[LADDER_PATH], text[512], forgotten[256];
    const kl_step_info *info = kl_problem_step(lab->problem, step);
    const kl_style style = {.width = 80};
    bool known = ladder_kit_step_file(kit, lab, info, false, source, NULL) == KL_OK &&
                 kl_step_file_forgotten(source, forgotten, sizeof forgotten);
    snprintf(text, sizeof text, "step %d %s: %s. %s.", step, info->name,
             ladder_outcome_word(LADDER_NOT_IMPLEMENTED),
             known ? forgotten
                   : "A step counts as implemented when its file sets IMPLEMENTED to 1");
    FILE *to = fmemopen(out, KL_RECORD_TEXT, "w");
    if (!to) return;
    kl_print_wrapped(to, &style, 0, text);
    fclose(to);
}

kl_status ladder_verdict_ask(const ladder_kit *kit, const ladder_lab *lab, int step, bool solution,
                             ladder_verdict *out_verdict, kl_error *err) {
    char program[LADDER_PATH];
    ladder_program_args args;
    ladder_process process;
    *out_verdict = (ladder_verdict){.outcome = LADDER_NOT_RUN};
    if (!solution && was_right(kit, lab, step)) return KL_OK;
    TRY(ladder_kit_lab_program(kit, lab, program, err));
    ladder_args_begin(&args, program);
    ladder_args_number(&args, "--step", step);
    ladder_args_flag(&args, "--check-only", true);
    ladder_args_flag(&args, "--quick", true);
    ladder_args_text(&args, "--device", "sim");
    ladder_args_flag(&args, "--solution", solution);
    int records = kl_records_new();
    if (records >= 0) setenv(KL_RECORDS_VARIABLE, "3", 1); // may move `environ`
    const ladder_process_spec spec = {.argv = (const char *const *)args.argv,
                                      .environment = (const char *const *)environ,
                                      .descriptors = &records,
                                      .descriptor_count = records >= 0,
                                      .limits = {.output_bytes = 1 << 20}};
    kl_status status = ladder_process_run(&spec, &process, err);
    unsetenv(KL_RECORDS_VARIABLE); // of this program alone
    if (status == KL_OK) {
        ladder_verdict_read(records, step, out_verdict);
        ladder_process_free(&process);
    }
    if (records >= 0) close(records);
    if (out_verdict->outcome == LADDER_NOT_IMPLEMENTED)
        describe_unwritten(kit, lab, step, out_verdict->text);
    return status;
}
