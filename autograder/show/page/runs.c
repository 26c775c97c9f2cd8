// SPDX-License-Identifier: MIT
// Lists of numbers in runs: see internal.h.
#include "show/page/internal.h"

#include <string.h>

static void end_run(page_runs *runs) {
    if (runs->times == 0) return;
    fprintf(runs->out, "%s%s", runs->some ? " " : "", runs->value);
    if (runs->times > 1) fprintf(runs->out, "*%llu", (unsigned long long)runs->times);
    runs->some = true;
    runs->times = 0;
}

void page_runs_add(page_runs *runs, const char *value) {
    if (runs->times > 0 && strcmp(runs->value, value) != 0) end_run(runs);
    snprintf(runs->value, sizeof runs->value, "%s", value);
    runs->times++;
}

void page_runs_add_number(page_runs *runs, long long value) {
    char text[32];
    snprintf(text, sizeof text, "%lld", value);
    page_runs_add(runs, text);
}

void page_runs_end(page_runs *runs) {
    end_run(runs);
    runs->some = false;
}
