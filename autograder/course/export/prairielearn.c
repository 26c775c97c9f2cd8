// results.json of a PrairieLearn external grader (https://docs.prairielearn.com/externalGrading/):
// a score from 0 to 1, tests with points, a picture of the steps. A submission that could not be
// graded is "not gradable", which costs the student no attempt. PrairieLearn shows all tests at
// once: hidden criteria are in the score alone. The whole file must stay below 1 MB.
#include "course/export/internal.h"

enum { FILE_MAX = 1000 * 1000, SHORT_OUTPUT = 256 }; // 1 MB, and what is left of an output above it

static void write_picture(kl_json *json, const ladder_report *report,
                          const ladder_hundredths *marks) {
    char *url = ladder_export_picture(report, marks);
    if (!url) return; // no memory: the marks go out without it
    kl_json_put(json, "images [{label %s url %s}]", "Points per step", url);
    free(url);
}

static void write_test(kl_json *json, const ladder_report *report, const ladder_hundredths *marks,
                       int s, int c, size_t limit) {
    char step[LADDER_EXPORT_NAME], what[LADDER_EXPORT_NAME], reason[LADDER_EXPORT_NAME],
        output[LADDER_EXPORT_OUTPUT + 1], cut[LADDER_EXPORT_OUTPUT + 1];
    ladder_export_output(report, s, c, output);
    kl_json_put(json, "{name %s description %s points %g max_points %g message %s output %s}",
                ladder_export_step_name(report, s, step),
                ladder_export_criterion_name(report, s, c, what),
                (double)marks->criterion[s][c] / 100, (double)marks->criterion_max[s][c] / 100,
                ladder_export_reason(report, s, reason), ladder_export_cut(output, limit, cut));
}

// What a person marks, once it is marked.
static void write_given(kl_json *json, const ladder_report *report, const ladder_hundredths *marks,
                        int i) {
    char name[LADDER_EXPORT_NAME], output[LADDER_EXPORT_OUTPUT + 1];
    kl_json_put(json, "{name %s points %g max_points %g output %s}",
                ladder_export_given_name(report, i, name), (double)marks->given[i] / 100,
                (double)marks->given_max[i] / 100, ladder_export_given_output(report, i, output));
}

// Why the grader failed, as PrairieLearn shows it.
static void write_not_gradable(kl_json *json, const ladder_report *report) {
    const ladder_result *r = report->result;
    char line[LADDER_MESSAGE], name[LADDER_EXPORT_NAME];
    kl_json_array(json, "format_errors");
    for (int s = 0; s < r->step_count; s++) {
        if (ladder_outcome_kind_of(r->steps[s].outcome) != LADDER_KIND_UNGRADABLE) continue;
        char plain[LADDER_MESSAGE];
        snprintf(line, sizeof line, "%s: %.700s", ladder_export_step_name(report, s, name),
                 r->steps[s].message);
        kl_json_string(json, NULL, ladder_plain(line, false, plain, sizeof plain));
    }
    kl_json_end(json);
}

// whole: with the hidden criteria.
static kl_status write_all(const ladder_hundredths *whole, const ladder_shown *shown, size_t limit,
                           FILE *out, kl_error *err) {
    const ladder_report *report = &shown->report;
    const ladder_result *r = report->result;
    bool gradable = r->points.graded && whole->total_max > 0;
    char line[LADDER_EXPORT_SUMMARY];
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{gradable %hhd", gradable);
    if (gradable) {
        kl_json_put(&json, "score %g message %s", (double)whole->final / (double)whole->total_max,
                    ladder_shown_summary(shown, line));
    } else {
        char problem[LADDER_MESSAGE + 80];
        bool unread = ladder_result_unreadable(r);
        kl_json_string(&json, "message",
                       unread ? ladder_report_unreadable(r, problem, sizeof problem)
                              : "The grader or the machine failed; this is no 0.");
        if (!unread) write_not_gradable(&json, report);
    }
    kl_json_string(&json, "output", "");
    if (gradable) {
        write_picture(&json, report, &shown->marks);
        kl_json_array(&json, "tests");
        for (int s = 0; s < r->step_count; s++)
            for (int c = 0; c < r->steps[s].criteria_count; c++)
                if (r->steps[s].criteria[c].counted)
                    write_test(&json, report, &shown->marks, s, c, limit);
        for (int i = 0; i < r->given.count; i++)
            if (r->given.items[i].marked) write_given(&json, report, &shown->marks, i);
        kl_json_end(&json);
    }
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}

static kl_status write_below_limit(const ladder_hundredths *whole, const ladder_shown *shown,
                                   FILE *out, kl_error *err) {
    kl_status status = KL_OK;
    for (size_t limit = LADDER_EXPORT_OUTPUT; limit > 0;
         limit = limit > SHORT_OUTPUT ? SHORT_OUTPUT : 0) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *memory = open_memstream(&text, &bytes);
        if (!memory) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a result");
        status = write_all(whole, shown, limit, memory, err);
        if (fclose(memory) != 0 && status == KL_OK)
            status = kl_fail(err, KL_ERROR_MEMORY, "no memory for a result");
        bool fits = status != KL_OK || bytes < FILE_MAX;
        if (fits && status == KL_OK) fwrite(text, 1, bytes, out);
        free(text);
        if (fits) return status;
    }
    return kl_fail(err, KL_ERROR_LIMIT,
                   "the result has more than the 1 MB that PrairieLearn takes");
}

kl_status ladder_export_prairielearn(const ladder_report *report, FILE *out, kl_error *err) {
    ladder_hundredths whole;
    ladder_shown *shown;
    ladder_hundredths_from(report->result, &whole);
    TRY(ladder_shown_make(report, &shown, err));
    kl_status status = write_below_limit(&whole, shown, out, err);
    free(shown);
    return status;
}

// The points of each step as an SVG data URL. Base64 by RFC 4648.

// In pixels of the picture's own grid.
enum { ROW = 22, BAR_LEFT = 180, BAR_WIDTH = 300, WIDTH = 600, MARGIN = 8 };

static void draw(const ladder_report *report, const ladder_hundredths *marks, FILE *out) {
    const ladder_result *r = report->result;
    int height = 2 * MARGIN + ROW * r->step_count;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"13\"><rect width=\"%d\" "
            "height=\"%d\" fill=\"#fff\"/>",
            WIDTH, height, WIDTH, height, WIDTH, height);
    for (int s = 0; s < r->step_count; s++) {
        char name[LADDER_EXPORT_NAME], points[32], most[32];
        int y = MARGIN + s * ROW;
        int64_t full = marks->step_max[s];
        int64_t width = full > 0 ? BAR_WIDTH * marks->step[s] / full : 0;
        ladder_html(out,
                    "<text x=\"%d\" y=\"%d\">%s</text><rect x=\"%d\" y=\"%d\" width=\"%d\" "
                    "height=\"14\" fill=\"#dde3ea\"/><rect x=\"%d\" y=\"%d\" width=\"%d\" "
                    "height=\"14\" fill=\"#2f6fb0\"/><text x=\"%d\" y=\"%d\">%s of %s</text>",
                    MARGIN, y + 15, ladder_export_step_name(report, s, name), BAR_LEFT, y + 4,
                    BAR_WIDTH, BAR_LEFT, y + 4, (int)width, BAR_LEFT + BAR_WIDTH + MARGIN, y + 15,
                    ladder_hundredths_text(marks->step[s], points, sizeof points),
                    ladder_hundredths_text(full, most, sizeof most));
    }
    fputs("</svg>", out);
}

static void put_base64(const unsigned char *data, size_t bytes, FILE *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes; i += 3) {
        size_t left = bytes - i;
        unsigned group = (unsigned)data[i] << 16;
        if (left > 1) group |= (unsigned)data[i + 1] << 8;
        if (left > 2) group |= data[i + 2];
        fputc(digits[group >> 18], out);
        fputc(digits[group >> 12 & 63], out);
        fputc(left > 1 ? digits[group >> 6 & 63] : '=', out);
        fputc(left > 2 ? digits[group & 63] : '=', out);
    }
}

char *ladder_export_picture(const ladder_report *report, const ladder_hundredths *marks) {
    char *svg = NULL, *url = NULL;
    size_t svg_bytes = 0, url_bytes = 0;
    FILE *out = open_memstream(&svg, &svg_bytes);
    if (!out) return NULL;
    draw(report, marks, out);
    bool whole = fclose(out) == 0;
    out = whole ? open_memstream(&url, &url_bytes) : NULL;
    if (out) {
        fputs("data:image/svg+xml;base64,", out);
        put_base64((const unsigned char *)svg, svg_bytes, out);
        if (fclose(out) != 0) {
            free(url);
            url = NULL;
        }
    }
    free(svg);
    return url;
}
