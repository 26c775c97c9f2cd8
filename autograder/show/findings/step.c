// SPDX-License-Identifier: MIT
// The checker on one step of a lab: see step.h.
#include "show/findings/step.h"

#include "utilities/program_args.h"
#include "utilities/text.h"
#include "step_text.h"

#define MAX_INSTRUCTIONS INT64_C(2000000000) // of a launch of any program: some minutes
// Of a block of any program: 1 to 4 seconds of a core, by how many of them touch memory.
#define MAX_BLOCK_INSTRUCTIONS INT64_C(30000000)

ladder_checks_options ladder_check_program_options(const ladder_check_request *request,
                                                   bool foreground) {
    bool given = request->max_instructions >= 0;
    int64_t most = given && request->max_instructions > MAX_INSTRUCTIONS ? request->max_instructions
                                                                         : MAX_INSTRUCTIONS;
    int64_t of_block = given ? request->max_instructions : MAX_BLOCK_INSTRUCTIONS;
    return (ladder_checks_options){.order = request->order,
                                   .max_instructions = (uint64_t)most,
                                   .max_block_instructions = (uint64_t)of_block,
                                   .foreground = foreground};
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
    ladder_args_flag(&args, "--say-cases", true);
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
    else
        options.max_instructions = ladder_checks_limit(lab, step, request->family, size);
    options.max_block_instructions = options.max_instructions; // a lab's launch has its own limit
    TRY(ladder_checks_run(kit, args.argv, &options, out_checks, err));
    char path[LADDER_PATH];
    if (out_checks->unwritten && ladder_kit_step_file(kit, lab, kl_problem_step(lab->problem, step),
                                                      request->solution, path, err) == KL_OK)
        kl_step_file_forgotten(path, out_checks->forgotten, sizeof out_checks->forgotten);
    return KL_OK;
}
