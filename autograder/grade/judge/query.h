// SPDX-License-Identifier: MIT
// A lab's query program: it asks the runtime of this machine, GPU or simulator, and the answers are
// what a case of the lab is graded against (kl_problem.of_query). The kit's own program, never the
// submission's.
#ifndef LADDER_JUDGE_QUERY_H
#define LADDER_JUDGE_QUERY_H

#include "grade/rubric/lab_files.h"

// What it printed; to be freed.
kl_status ladder_query_run(const ladder_kit *kit, const ladder_lab *lab, bool gpu, char **out_text,
                           kl_error *err);

#endif
