// SPDX-License-Identifier: MIT
// Whose fault it is that a run broke off (the engine ended, a reply made no sense). A submission
// could make either happen, and "ungradable" would then be better than the failure it deserves. So
// it is tried once more, from the start; what breaks off twice where the machine is fit is the
// submission's.
#include <stdio.h>

#include "grade/judge/attempt.h"
#include "utilities/defence.h"
#include "sandbox/process/machine.h"

void ladder_broken_run(const char *folder, ladder_case_end *end) {
    kl_error err = {KL_OK, ""};
    char text[LADDER_MESSAGE];
    if (end->outcome != LADDER_UNGRADABLE || end->ours || !ladder_defence_on(LADDER_DEFENCE_BLAME))
        return;
    if (ladder_machine_fit(folder, &err) != KL_OK) {
        snprintf(text, sizeof text, "%.300s (%.600s)", err.text, end->text);
    } else {
        snprintf(text, sizeof text, "broke off twice: %.900s", end->text);
        end->outcome = LADDER_BROKEN_RUN;
    }
    snprintf(end->text, sizeof end->text, "%s", text);
}

void ladder_attempt_fairly(ladder_attempt *attempt, const ladder_case *item, int calls,
                           ladder_case_end *out_end) {
    ladder_attempt_case(attempt, item, calls, out_end);
    if (out_end->outcome != LADDER_UNGRADABLE) return;
    ladder_attempt_close(attempt);
    ladder_attempt_case(attempt, item, calls, out_end);
    ladder_broken_run(attempt->run->step_folder, out_end);
}
