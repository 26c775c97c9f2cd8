// SPDX-License-Identifier: MIT
// What a lab's program says of a step that is not right: see verdict.h.
#include "show/findings/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "last_results.h"
#include "sandbox/process/process.h"
#include "step_text.h"
#include "table.h"
#include "utilities/program_args.h"

bool ladder_verdict_find(const char *output, int step, char *out) {
    char begin[32];
    out[0] = '\0';
    snprintf(begin, sizeof begin, "\nstep %d ", step);
    const char *at = output ? strstr(output, begin) : NULL;
    if (!at) return false;
    const char *end = ++at;
    do { // its first line, and all that are indented
        end = strchr(end, '\n');
        end = end ? end + 1 : at + strlen(at);
    } while (*end == ' ');
    snprintf(out, LADDER_VERDICT, "%.*s", (int)(end - at), at);
    return true;
}

bool ladder_verdict_ends(const char *verdict) {
    bool wrong = strstr(verdict, ": WRONG\n") && !strstr(verdict, "stopped after");
    return verdict[0] == '\0' || wrong;
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
    FILE *to = fmemopen(out, LADDER_VERDICT, "w");
    if (!to) return;
    kl_print_wrapped(to, &style, 0, text);
    fclose(to);
}

kl_status ladder_verdict_ask(const ladder_kit *kit, const ladder_lab *lab, int step, bool solution,
                             char *out, kl_error *err) {
    char program[LADDER_PATH];
    ladder_program_args args;
    ladder_process process;
    out[0] = '\0';
    if (!solution && was_right(kit, lab, step)) return KL_OK;
    TRY(ladder_kit_lab_program(kit, lab, program, err));
    ladder_args_begin(&args, program);
    ladder_args_number(&args, "--step", step);
    ladder_args_flag(&args, "--check-only", true);
    ladder_args_flag(&args, "--quick", true);
    ladder_args_text(&args, "--device", "sim");
    ladder_args_flag(&args, "--solution", solution);
    const ladder_process_spec spec = {.argv = (const char *const *)args.argv,
                                      .environment = (const char *const *)environ,
                                      .limits = {.output_bytes = 1 << 20}};
    TRY(ladder_process_run(&spec, &process, err));
    if (!ladder_verdict_find(process.output, step, out) &&
        strstr(process.output, "not written yet"))
        describe_unwritten(kit, lab, step, out);
    ladder_process_free(&process);
    return KL_OK;
}
