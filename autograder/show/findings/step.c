// The checker on one step of a lab: see findings.h.
#include "show/findings/findings.h"
#include "utilities/finding.h"
#include "utilities/options.h"

// Of a launch of any program: minutes. A loop that cannot end is found long before, unless it
// changes what its condition depends on.
#define MAX_INSTRUCTIONS INT64_C(10000000000)

ladder_checks_options ladder_check_program_options(const ladder_check_request *request,
                                                   bool foreground) {
    bool given = request->max_instructions >= 0;
    int64_t most = given && request->max_instructions > MAX_INSTRUCTIONS ? request->max_instructions
                                                                         : MAX_INSTRUCTIONS;
    int64_t of_block = given ? request->max_instructions : 0;
    return (ladder_checks_options){.order = request->order,
                                   .more_orders = true,
                                   .max_instructions = (uint64_t)most,
                                   .max_block_instructions = (uint64_t)of_block,
                                   .most_elements = (uint64_t)request->elements,
                                   .foreground = foreground};
}

// The first finding that is no warning, or NULL.
static const sim_finding *first_error(const sim_check_report *report) {
    for (uint32_t i = 0; report && i < report->count; i++)
        if (!sim_check_is_warning(report->findings[i].kind)) return &report->findings[i];
    return NULL;
}

// For `ladder next`. A kit that cannot be written to is checked all the same.
static void keep_result(const ladder_kit *kit, const ladder_lab *lab, const char *source,
                        const ladder_check_request *request, const ladder_checks *checks) {
    const sim_finding *first = first_error(checks->report);
    char file[LADDER_PATH], place[128];
    kl_error err = {KL_OK, ""};
    kl_last_result result = {.kind = KL_RESULT_OF_CHECK,
                             .step = checks->step,
                             .hash = kl_step_file_hash(source),
                             .good = ladder_checks_errors(checks) == 0,
                             .whole = !request->size && !request->family};
    if (checks->unwritten || (checks->report->launches == 0 && result.good)) return;
    snprintf(result.state, sizeof result.state, "%s", result.good ? "clean" : "finding");
    if (first) {
        snprintf(result.state, sizeof result.state, "%s", sim_check_name(first->kind));
        snprintf(result.text, sizeof result.text, "%s at %s", sim_check_meaning(first->kind),
                 ladder_finding_place(first, place, sizeof place));
    }
    if (ladder_kit_last_results(kit, lab, file, &err) == KL_OK)
        kl_last_results_keep(file, &result, 1, &err);
}

kl_status ladder_check_step(const ladder_kit *kit, const ladder_lab *lab, int step,
                            const ladder_check_request *request, const char *progress,
                            ladder_checks *out_checks, kl_error *err) {
    char program[LADDER_PATH];
    TRY(ladder_kit_lab_program(kit, lab, program, err));
    ladder_program_args args;
    ladder_args_begin(&args, program);
    ladder_args_number(&args, "--step", step);
    ladder_args_flag(&args, "--check-only", true);
    ladder_args_flag(&args, "--quick", !request->size);
    ladder_args_text(&args, "--device", "sim");
    ladder_args_flag(&args, "--solution", request->solution);
    ladder_args_text(&args, "--size", request->size);
    ladder_args_text(&args, "--case", request->family);
    ladder_checks_options options = ladder_check_program_options(request, false);
    int64_t size = -1;
    options.lab = lab;
    options.step = step;
    options.solution = request->solution;
    options.progress = progress;
    if (request->size)
        ladder_parse_size(request->size, &size); // the lab's program complains of others
    if (request->max_instructions >= 0)
        options.max_instructions = (uint64_t)request->max_instructions;
    else options.max_instructions = ladder_checks_limit(lab, step, request->family, size);
    options.max_block_instructions = options.max_instructions; // a lab's launch has its own limit
    TRY(ladder_checks_run(kit, args.argv, &options, out_checks, err));
    char path[LADDER_PATH];
    const kl_step_info *info = kl_problem_step(lab->problem, step);
    TRY(ladder_kit_step_file(kit, lab, info, request->solution, path, err));
    if (out_checks->unwritten)
        kl_step_file_forgotten(path, out_checks->forgotten, sizeof out_checks->forgotten);
    if (!request->solution) keep_result(kit, lab, path, request, out_checks);
    return KL_OK;
}
