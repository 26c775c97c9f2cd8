// SPDX-License-Identifier: MIT
// What a lab's program says of a step that is not right: see findings.h.
#include "show/findings/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "last_results.h"
#include "sandbox/process/process.h"
#include "step_text.h"
#include "table.h"
#include "utilities/options.h"

void ladder_verdict_find(const char *output, int step, ladder_verdict *out_verdict) {
    char begin[32];
    out_verdict->end = kl_step_end_read(output, step);
    out_verdict->text[0] = '\0';
    snprintf(begin, sizeof begin, "\nstep %d ", step);
    const char *at = output ? strstr(output, begin) : NULL;
    if (!at) return;
    const char *end = ++at;
    do { // its first line, and all that are indented
        end = strchr(end, '\n');
        end = end ? end + 1 : at + strlen(at);
    } while (*end == ' ');
    snprintf(out_verdict->text, sizeof out_verdict->text, "%.*s", (int)(end - at), at);
}

bool ladder_verdict_ends(const ladder_verdict *verdict) {
    switch (verdict->end.state) {
    case KL_RUN_WRONG: return !verdict->end.stopped;
    case KL_RUN_FAILED:
    case KL_RUN_MISSING:
    case KL_RUN_NOT_IMPLEMENTED: return false;
    case KL_RUN_NONE:
    case KL_RUN_STARTED:
    case KL_RUN_OK:
    case KL_RUN_LEFT_OUT: break;
    }
    return true;
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
    snprintf(text, sizeof text, "step %d %s: not written yet. %s.", step, info->name,
             known ? forgotten : "A step counts as written when its file sets IMPLEMENTED to 1");
    FILE *to = fmemopen(out, LADDER_VERDICT_TEXT, "w");
    if (!to) return;
    kl_print_wrapped(to, &style, 0, text);
    fclose(to);
}

kl_status ladder_verdict_ask(const ladder_kit *kit, const ladder_lab *lab, int step, bool solution,
                             ladder_verdict *out_verdict, kl_error *err) {
    char program[LADDER_PATH];
    ladder_program_args args;
    ladder_process process;
    memset(out_verdict, 0, sizeof *out_verdict);
    if (!solution && was_right(kit, lab, step)) return KL_OK;
    TRY(ladder_kit_lab_program(kit, lab, program, err));
    ladder_args_begin(&args, program);
    ladder_args_number(&args, "--step", step);
    ladder_args_flag(&args, "--check-only", true);
    ladder_args_flag(&args, "--say-cases", true);
    ladder_args_flag(&args, "--quick", true);
    ladder_args_text(&args, "--device", "sim");
    ladder_args_flag(&args, "--solution", solution);
    const ladder_process_spec spec = {.argv = (const char *const *)args.argv,
                                      .environment = (const char *const *)environ,
                                      .limits = {.output_bytes = 1 << 20}};
    TRY(ladder_process_run(&spec, &process, err));
    ladder_verdict_find(process.output, step, out_verdict);
    if (out_verdict->end.state == KL_RUN_NOT_IMPLEMENTED)
        describe_unwritten(kit, lab, step, out_verdict->text);
    ladder_process_free(&process);
    return KL_OK;
}
