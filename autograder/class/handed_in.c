// SPDX-License-Identifier: MIT
// The list of who handed in what: see handed_in.h.
#include "class/handed_in.h"

#include "kit/text.h"

void ladder_class_handed_in(const ladder_submission *list, const ladder_row *rows, size_t count,
                            const ladder_late_policy *policy, FILE *out) {
    fputs("\"submission\",\"id\",\"user\",\"submitted\",\"marked late\",\"days late\",\"score\","
          "\"score after late policy\",\"cannot be read\"\r\n",
          out);
    for (size_t i = 0; i < count; i++) {
        const ladder_submission *s = &list[i];
        const char *const texts[] = {s->title, s->id, s->user, s->submitted};
        int days = ladder_late_days(policy, s);
        for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
            ladder_put_csv(out, texts[k]);
            fputc(',', out);
        }
        fprintf(out, "%s,", s->late ? "\"yes\"" : "");
        if (policy->given) fprintf(out, "%d", days);
        if (rows[i].done && !rows[i].ungradable) {
            fprintf(out, ",%.4f,%.4f,", rows[i].score,
                    rows[i].score * ladder_late_share(policy, days));
        } else {
            fputs(",,,", out);
        }
        ladder_put_csv(out, s->problem);
        fputs("\r\n", out);
    }
}

void ladder_class_late_table(const ladder_submission *list, const ladder_row *rows, size_t count,
                             const ladder_late_policy *policy, FILE *out) {
    int told = 0;
    for (size_t i = 0; i < count; i++) {
        int days = ladder_late_days(policy, &list[i]);
        if (days == 0 || !rows[i].done || rows[i].ungradable) continue;
        if (told++ == 0) fputs("late, score before and after the policy:\n", out);
        fprintf(out, "  %6.1f -> %6.1f  %d day%s  %.60s\n", rows[i].score,
                rows[i].score * ladder_late_share(policy, days), days, days == 1 ? "" : "s",
                list[i].title);
    }
}
