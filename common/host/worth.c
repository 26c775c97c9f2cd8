// See outcome.h. time_errors.def is made of the tables of docs/timing.md by time_errors.cmake.
#include "outcome.h"

const char *const kl_worth_counters[5] = {
    "sim__inst_held_to_card.sum", "sim__inst_held_to_programs.sum", "sim__inst_by_the_manual.sum",
    "sim__inst_inexact.sum", "sim__inst_misled.sum"};

static const struct {
    const char *device, *lab; // lab "": kernels that the model was not built with
    double percent;
} time_errors[] = {
#define TIME_ERROR(device, lab, percent) {device, lab, percent},
#include "time_errors.def"
#undef TIME_ERROR
};

bool kl_worth_time_error(const char *device, const char *lab, double *out_percent,
                         bool *out_of_lab) {
    bool found = false;
    *out_of_lab = false;
    for (size_t i = 0; i < sizeof time_errors / sizeof *time_errors; i++) {
        bool own = lab && strcmp(time_errors[i].lab, lab) == 0;
        if (!strstr(device, time_errors[i].device) || !(own || time_errors[i].lab[0] == '\0'))
            continue;
        if (*out_of_lab) continue; // the lab's own row stands above all others
        *out_percent = time_errors[i].percent;
        *out_of_lab = own;
        found = true;
    }
    return found;
}

// Per cent, as few digits as say something.
static const char *share(double part, double all, char text[32]) {
    double percent = 100 * part / all;
    if (part == all) snprintf(text, 32, "all");
    else if (percent > 99.9) snprintf(text, 32, "more than 99.9%%");
    else if (percent >= 99) snprintf(text, 32, "%.1f%%", percent);
    else if (percent >= 1) snprintf(text, 32, "%.0f%%", percent);
    else snprintf(text, 32, "%.2g%%", percent);
    return text;
}

char *kl_worth_text(const kl_worth *worth, const char *device, const char *lab, char *text,
                    size_t text_bytes) {
    double all = worth->card + worth->programs + worth->manual, percent;
    char part[32];
    bool of_lab;
    size_t used = 0;
    text[0] = '\0';
    if (!(all > 0)) return text;
#define PUT(...)                                                                                   \
    do {                                                                                           \
        int put_ = snprintf(text + used, text_bytes - used, __VA_ARGS__);                          \
        used += put_ > 0 && (size_t)put_ < text_bytes - used ? (size_t)put_ : 0;                   \
    } while (0)
    if (!(worth->inexact > 0)) PUT("Results: no known difference from a card");
    else
        PUT("Results: %s of the instructions executed are known to differ from a card's, and %s",
            share(worth->inexact, all, part),
            worth->misled > 0 ? "branches or addresses may depend on them"
                              : "no branch and no address depends on them");
    PUT(" (compared with a card bit for bit: %s", share(worth->card, all, part));
    if (worth->programs > 0) PUT("; by test programs: %s", share(worth->programs, all, part));
    if (worth->manual > 0) PUT("; by the manual alone: %s", share(worth->manual, all, part));
    if (kl_worth_time_error(device, lab, &percent, &of_lab))
        PUT("). Times: modelled, %.1f%% off on average for %s", percent,
            of_lab ? "this lab" : "kernels that the model was not built with");
    else PUT("). Times: modelled, never compared with this card's");
    PUT(".");
#undef PUT
    return text;
}
