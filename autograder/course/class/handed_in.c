// SPDX-License-Identifier: MIT
// The list of who handed in what: see class.h.
#include "course/class/class.h"

#include "course/people/people.h"
#include "utilities/text.h"

// A line of one student; `who` has one id at least, or is one of a group.
static void put_line(const ladder_submission *s, const ladder_row *row, const ladder_person *who,
                     const ladder_points_change *change, FILE *out) {
    char id[LADDER_TITLE], due[32];
    const char *at = who->ids;
    bool member = s->members[0] != '\0' && ladder_person_next(&at, id);
    const char *const texts[] = {s->title, s->id, member ? id : s->user, s->submitted};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        ladder_put_csv(out, texts[k]);
        fputc(',', out);
    }
    fprintf(out, "%s,", s->late ? "\"yes\"" : "");
    if (change->late_rule[0] != '\0') fprintf(out, "%d", change->late_days);
    const ladder_points *points = &row->points;
    fputc(',', out);
    if (points->graded) fprintf(out, "%.4f", ladder_points_score(points));
    fputc(',', out);
    if (ladder_points_are_final(points)) fprintf(out, "%.4f", ladder_points_final_score(points));
    fputc(',', out);
    ladder_put_csv(out, s->problem);
    fprintf(out, ",%s,", s->due_s > 0 ? ladder_time_iso(s->due_s, due) : "");
    ladder_put_csv(out, who->name);
    fputs("\r\n", out);
}

void ladder_class_handed_in(const ladder_submission *list, const ladder_row *rows,
                            const ladder_points_change *changes, size_t count, FILE *out) {
    static ladder_person members[LADDER_MEMBERS_MAX];
    fputs("\"submission\",\"id\",\"user\",\"submitted\",\"marked late\",\"days late\",\"score\","
          "\"final score\",\"cannot be read\",\"own due date\",\"student\"\r\n",
          out);
    for (size_t i = 0; i < count; i++) {
        int people = ladder_people_of(&list[i], members);
        for (int m = 0; m < people; m++)
            put_line(&list[i], &rows[i], &members[m], &changes[i], out);
    }
}

void ladder_class_changed_table(const ladder_row *rows, size_t count, const kl_style *style,
                                FILE *out) {
    int told = 0;
    for (size_t i = 0; i < count; i++) {
        const ladder_points *points = &rows[i].points;
        const ladder_points_change *change = &points->change;
        if (!ladder_points_changed(points) && change->late_days == 0) continue;
        if (told++ == 0)
            fputs("\nscore as graded, what changes it, final score\n"
                  " graded  days late     lost  override   final  submission\n",
                  out);
        char late[32] = "", set[32] = "";
        double most = points->most > 0 ? points->most : 1;
        if (change->late_days > 0)
            snprintf(late, sizeof late, "%9d  %7.1f", change->late_days,
                     100 * ladder_points_deduction(points) / most);
        if (change->overridden) snprintf(set, sizeof set, "%.1f", 100 * change->override / most);
        if (points->graded)
            fprintf(out, " %6.1f", ladder_points_score(points));
        else
            fputs("   none", out);
        fprintf(out, "  %18s   %7s", late, set);
        if (ladder_points_are_final(points))
            fprintf(out, "  %6.1f  ", ladder_points_final_score(points));
        else
            fputs("    none  ", out);
        ladder_put_title(out, rows[i].title, style->width - 49);
        fputc('\n', out);
    }
}
