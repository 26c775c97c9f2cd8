// Tables of a gradebook: see gradebook.h.
#include "course/gradebook/gradebook.h"

enum { LABS = 12 }; // beside each other

// The id of a student who is called as another is; else "".
static const char *id_of(const ladder_book_line *marks, size_t count, size_t at) {
    for (size_t i = 0; i < count; i++)
        if (i != at && strcmp(marks[i].row.title, marks[at].row.title) == 0) return marks[at].key;
    return "";
}

static int name_width(const ladder_book_line *marks, size_t count, bool ids, int available) {
    int width = 10;
    for (size_t i = 0; i < count; i++) {
        int used = ladder_title_width(marks[i].row.title, ids ? id_of(marks, count, i) : "");
        width = used > width ? used : width;
    }
    available = available > 10 ? available : 10;
    return width < available ? width : available;
}

static void put_number(FILE *out, int width, bool there, double number) {
    if (there) fprintf(out, "%*.2f", width, number);
    else fprintf(out, "%*s", width, "-");
}

kl_status ladder_book_show_lab(ladder_book *book, const ladder_lab *lab, const kl_style *style,
                               FILE *out, kl_error *err) {
    ladder_book_line *marks = NULL;
    ladder_book_policy policy;
    size_t count = 0;
    char text[LADDER_BOOK_POLICY];
    TRY(ladder_book_policy_get(book, lab, &policy, err));
    TRY(ladder_book_marks(book, lab, &marks, &count, err));
    double most = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, marks[i].row.points.most);
    fprintf(out, "%s, %g points\n", lab->folder, most);
    kl_print_wrapped(out, style, 2, ladder_book_policy_text(&policy, text, sizeof text));
    fputc('\n', out);
    int width = name_width(marks, count, true, style->width - 57);
    fprintf(out, "%-*s  attempt   graded   days late    lost  override    final\n", width,
            "student");
    for (size_t i = 0; i < count; i++) {
        const ladder_book_line *m = &marks[i];
        const ladder_points *points = &m->row.points;
        const ladder_points_change *change = &points->change;
        ladder_put_title(out, m->row.title, id_of(marks, count, i), width);
        if (m->attempt > 0) snprintf(text, sizeof text, "%d of %d", m->attempt, m->attempts);
        else snprintf(text, sizeof text, "none");
        fprintf(out, "  %7s", text);
        put_number(out, 9, points->graded, points->reached);
        fprintf(out, "%12s", ladder_late_short(points, text));
        double lost = ladder_points_deduction(points);
        put_number(out, 8, lost > 0, lost);
        put_number(out, 10, change->overridden, change->override);
        put_number(out, 9, ladder_points_are_final(points), ladder_points_final(points));
        if (points->most != most) fprintf(out, " of %g", points->most); // graded by another rubric
        fputc('\n', out);
    }
    for (size_t i = 0; i < count; i++) {
        char line[800], due[32], name[400];
        const char *id = id_of(marks, count, i);
        snprintf(name, sizeof name, id[0] != '\0' ? "%s (%s)" : "%s", marks[i].row.title, id);
        if (marks[i].ungraded > 0) {
            kl_print_text(out, style, 2, "no attempt of %s: %d hand-in%s could not be graded", name,
                          marks[i].ungraded, marks[i].ungraded == 1 ? "" : "s");
        }
        if (marks[i].row.points.change.due_s > 0) {
            kl_print_text(out, style, 2, "due date of %s, %s, by %s: %s", name,
                          ladder_time_text(marks[i].row.points.change.due_s, due), marks[i].due_who,
                          marks[i].due_reason);
        }
        if (!marks[i].row.points.change.overridden) continue;
        snprintf(line, sizeof line, "override of %s by %s: %s", name, marks[i].who,
                 marks[i].reason);
        size_t used = strlen(line);
        double then = marks[i].override_most, now = marks[i].row.points.most;
        if (then > 0 && then != now)
            snprintf(line + used, sizeof line - used,
                     "; the lab had %g points then and has %g now: set it again, or leave it", then,
                     now);
        kl_print_wrapped(out, style, 2, line);
    }
    for (int c = 0; count > 0 && c < marks[0].given.count; c++) {
        size_t marked = 0, handed_in = 0;
        for (size_t i = 0; i < count; i++) {
            handed_in += marks[i].row.done;
            marked += marks[i].row.done && marks[i].given.items[c].marked;
        }
        fprintf(out, "marked by a person: %s, %g points: %zu of %zu who handed in\n",
                marks[0].given.items[c].name, marks[0].given.items[c].most, marked, handed_in);
    }
    free(marks);
    return KL_OK;
}

kl_status ladder_book_show(ladder_book *book, const kl_style *style, FILE *out, kl_error *err) {
    const ladder_lab **labs = NULL;
    ladder_book_line *marks[LABS] = {NULL};
    size_t lab_count = 0, count = 0;
    TRY(ladder_book_labs(book, &labs, &lab_count, err));
    size_t shown = lab_count < LABS ? lab_count : LABS;
    kl_status status = KL_OK;
    // Without a grade the students stand alone: of any lab, as none has marks.
    for (size_t l = 0; l < (shown > 0 ? shown : 1) && status == KL_OK; l++)
        status =
            ladder_book_marks(book, shown > 0 ? labs[l] : &ladder_labs[0], &marks[l], &count, err);
    if (status == KL_OK) {
        int width = name_width(marks[0], count, false, style->width - 24 - 8 * (int)shown);
        fprintf(out, "final scores in percent\n\n%-*s  %-*s", width, "student", shown > 0 ? 20 : 0,
                "id");
        for (size_t l = 0; l < shown; l++) fprintf(out, "  lab %.2s", labs[l]->folder);
        fputc('\n', out);
        for (size_t i = 0; i < count; i++) {
            const char *key = marks[0][i].key;
            int used = kl_text_width(key);
            ladder_put_title(out, marks[0][i].row.title, "", width);
            fputs("  ", out);
            ladder_put_title(out, key, "", shown > 0 || used > 20 ? 20 : used);
            for (size_t l = 0; l < shown; l++) {
                double score = ladder_points_final_score(&marks[l][i].row.points);
                if (score >= 0) fprintf(out, "  %6.1f", score);
                else fputs("       -", out);
            }
            fputc('\n', out);
        }
        fprintf(out, "\n%zu student%s\n", count, count == 1 ? "" : "s");
    }
    for (size_t l = 0; l < LABS; l++) free(marks[l]);
    free(labs);
    return status;
}

kl_status ladder_book_csv(ladder_book *book, const ladder_lab *lab, FILE *out, kl_error *err) {
    ladder_book_line *marks = NULL;
    size_t count = 0;
    TRY(ladder_book_marks(book, lab, &marks, &count, err));
    fputs("\"id\",\"name\",\"login\",\"lab\",\"attempt\",\"attempts\",\"points\",\"points_max\","
          "\"own due date\",\"days late\",\"late deduction\",\"override\",\"reason\",\"who\","
          "\"final points\",\"final score\",\"files sha256\",\"rubric\",\"kit\",\"graded\"",
          out);
    for (int c = 0; count > 0 && c < marks[0].given.count; c++)
        ladder_cells(out, ",%s", marks[0].given.items[c].name);
    fputs(",\"not marked yet\"\r\n", out);
    for (size_t i = 0; i < count; i++) {
        const ladder_book_line *m = &marks[i];
        const ladder_points *points = &m->row.points;
        const ladder_points_change *change = &points->change;
        char due[32];
        double score = ladder_points_final_score(points);
        ladder_cells(out, "%s,%s,%s,%s,%d,%d,%.4f,%.4f,", m->key, m->name, m->login, lab->folder,
                     m->attempt, m->attempts, points->graded ? points->reached : NAN,
                     points->most > 0 ? points->most : NAN);
        if (change->due_s > 0) fputs(ladder_time_iso(change->due_s, due), out);
        ladder_cells(out, ",%d,%.4f,%.4f,%s,%s,%.4f,%.4f,%s,%s,%s,%s", change->late_days,
                     points->graded ? ladder_points_deduction(points) : NAN,
                     change->overridden ? change->override : NAN, m->reason, m->who,
                     ladder_points_are_final(points) ? ladder_points_final(points) : NAN,
                     score >= 0 ? score : NAN, m->row.hash, m->row.rubric, m->kit, m->at);
        for (int c = 0; c < m->given.count; c++)
            ladder_cells(out, ",%.4f", m->given.items[c].marked ? m->given.items[c].points : NAN);
        ladder_cells(out, ",%.4f\r\n", change->unmarked > 0 ? change->unmarked : NAN);
    }
    free(marks);
    return KL_OK;
}

static void write_student(kl_json *json, const ladder_book_line *m) {
    const ladder_points *points = &m->row.points;
    const ladder_points_change *change = &points->change;
    char alias[LADDER_TITLE];
    kl_json_put(json, "{id %s name %s login %s aliases [", m->key, m->name, m->login);
    for (const char *at = m->person.ids; ladder_person_next(&at, alias);)
        if (strcmp(alias, m->key) != 0 && strcmp(alias, m->login) != 0)
            kl_json_string(json, NULL, alias);
    kl_json_put(json, "] attempt %d attempts %d ungraded %d points %g points_max %g", m->attempt,
                m->attempts, m->ungraded, points->graded ? points->reached : NAN, points->most);
    ladder_points_json(points, json);
    kl_json_put(json,
                "own_due_reason %s own_due_by %s override_reason %s override_by %s "
                "files_sha256 %s rubric_sha256 %s kit %s graded %s",
                change->due_s > 0 ? m->due_reason : NULL, change->due_s > 0 ? m->due_who : NULL,
                change->overridden ? m->reason : NULL, change->overridden ? m->who : NULL,
                m->row.done ? m->row.hash : NULL, m->row.done ? m->row.rubric : NULL,
                m->row.done ? m->kit : NULL, m->row.done ? m->at : NULL);
    ladder_given_json(&m->given, json);
    kl_json_array(json, "steps");
    for (int s = 0; s < m->row.step_count; s++) {
        kl_json_put(json, "{step %d outcome %s points %g points_max %g}", m->row.steps[s].step,
                    ladder_outcome_word(m->row.steps[s].outcome), m->row.steps[s].points,
                    m->row.steps[s].points_max);
    }
    kl_json_put(json, "]}");
}

kl_status ladder_book_json(ladder_book *book, const ladder_lab *lab, FILE *out, kl_error *err) {
    ladder_book_line *marks = NULL;
    ladder_book_policy policy;
    size_t count = 0;
    char text[LADDER_BOOK_POLICY];
    TRY(ladder_book_policy_get(book, lab, &policy, err));
    TRY(ladder_book_marks(book, lab, &marks, &count, err));
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{schema ladder.gradebook/1 lab %s policy %s students [", lab->problem->name,
                ladder_book_policy_text(&policy, text, sizeof text));
    for (size_t i = 0; i < count; i++) write_student(&json, &marks[i]);
    kl_json_put(&json, "]}");
    free(marks);
    return kl_json_finish(&json, err);
}
