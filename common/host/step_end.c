// SPDX-License-Identifier: MIT
// How a step came out: see step_end.h.
#include "step_end.h"

#include <string.h>

static const char *const words[] = {
    [KL_RUN_NONE] = "not_run",    [KL_RUN_STARTED] = "not_run",
    [KL_RUN_OK] = "ok",           [KL_RUN_WRONG] = "wrong",
    [KL_RUN_FAILED] = "failed",   [KL_RUN_NOT_IMPLEMENTED] = "not_implemented",
    [KL_RUN_MISSING] = "missing", [KL_RUN_LEFT_OUT] = "left_out",
};
enum { STATES = sizeof words / sizeof words[0] };

const char *kl_run_state_word(kl_run_state state) {
    return words[state];
}

void kl_step_end_say(FILE *out, int step, const kl_step_end *end) {
    fprintf(out, "ladder-step %d %s %d\n", step, words[end->state], end->stopped);
}

kl_step_end kl_step_end_read(const char *output, int step) {
    static const char begin[] = "ladder-step ";
    kl_step_end end = {KL_RUN_NONE, false};
    for (const char *at = output; at && (at = strstr(at, begin)); at++) {
        char word[32];
        int number = 0, stopped = 0;
        if ((at != output && at[-1] != '\n') ||
            sscanf(at, "ladder-step %d %31s %d", &number, word, &stopped) != 3 || number != step)
            continue;
        for (int state = 0; state < STATES; state++)
            if (strcmp(word, words[state]) == 0)
                end = (kl_step_end){(kl_run_state)state, stopped != 0};
    }
    return end;
}
