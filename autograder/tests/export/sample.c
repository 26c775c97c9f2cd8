// Results to export: see sample.h.
#include "sample.h"
#include "suite.h"

// Ends of elements, of CDATA and of strings, controls, a formula, malformed and forbidden
// characters.
static const char hostile[] = "=1]]></failure><script>alert(1)</script>\033]0;x\a\"'&\\\xff\xc0\xaf"
                              "\xef\xbf\xbe\xef\xbf\xbf\xe2\x80\xae\x01 a:b \n\r\t\xf4\x90\x80\x80";

static void fill(char *text, size_t bytes) {
    size_t used = 0, length = sizeof hostile - 1;
    while (used + length < bytes) {
        memcpy(text + used, hostile, length);
        used += length;
    }
    text[used] = '\0';
}

static void spoil(ladder_result *r) {
    fill(r->title, sizeof r->title);
    r->note_count = LADDER_NOTES_MAX;
    for (int i = 0; i < LADDER_NOTES_MAX; i++) fill(r->notes[i], sizeof r->notes[i]);
    for (int s = 0; s < r->step_count; s++) {
        ladder_step_result *step = &r->steps[s];
        step->outcome = LADDER_WRONG_ANSWER;
        step->cases_total = step->failure_count = 1000;
        step->cases_run = 1;
        for (int c = 0; c < step->criteria_count; c++) step->criteria[c].points = 0;
        fill(step->message, sizeof step->message);
        fill(step->log, sizeof step->log);
        for (int i = 0; i < LADDER_FAILURES_MAX; i++) {
            fill(step->failures[i].title, sizeof step->failures[i].title);
            fill(step->failures[i].text, sizeof step->failures[i].text);
        }
    }
}

static ladder_criterion_result criterion(const ladder_criterion *c, double share) {
    ladder_criterion_result out = {.measured = true,
                                   .counted = true,
                                   .value = c->full,
                                   .modelled = (double)NAN,
                                   .points = c->points * share,
                                   .points_max = c->points};
    for (int i = 0; i < c->with_count; i++) out.with[i] = c->with[i].full;
    return out;
}

ladder_result *sample_result(sample_kind kind) {
    static const double shares[] = {1, 0, 1.0 / 3, 0.005, 2.0 / 3};
    const ladder_lab *lab = ladder_lab_find("reduction");
    ladder_result *r = calloc(1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    snprintf(r->id, sizeof r->id, "ann");
    snprintf(r->title, sizeof r->title, "Ann Lee");
    snprintf(r->hash, sizeof r->hash, "0123");
    r->wall_s = 12.3;
    r->step_count = lab->rubric->step_count;
    for (int s = 0; s < r->step_count; s++) {
        ladder_step_result *step = &r->steps[s];
        step->step = lab->rubric->steps[s].step;
        step->criteria_count = lab->rubric->steps[s].criteria_count;
        step->outcome = kind == SAMPLE_EMPTY                 ? LADDER_NOT_SUBMITTED
                        : kind == SAMPLE_MIXED && s % 3 == 1 ? LADDER_WRONG_ANSWER
                                                             : LADDER_CORRECT;
        for (int c = 0; c < step->criteria_count; c++) {
            double share = kind == SAMPLE_EMPTY || step->outcome != LADDER_CORRECT ? 0
                           : kind == SAMPLE_MIXED ? shares[(s + 2 * c) % 5]
                                                  : 1;
            step->criteria[c] = criterion(&lab->rubric->steps[s].criteria[c], share);
        }
    }
    if (kind == SAMPLE_MIXED) r->steps[r->step_count - 1].criteria[1].counted = false;
    if (kind == SAMPLE_UNGRADABLE) {
        r->steps[2].outcome = LADDER_UNGRADABLE;
        snprintf(r->steps[2].message, sizeof r->steps[2].message, "no memory on this machine");
    }
    if (kind == SAMPLE_HOSTILE) spoil(r);
    ladder_result_total(r);
    return kl_own(r);
}

ladder_report sample_report(const ladder_result *result) {
    return (ladder_report){.lab = ladder_lab_find("reduction"),
                           .result = result,
                           .device = "simulated NVIDIA H100",
                           .sandbox = "isolated",
                           .sandbox_text = ""};
}

char *sample_export(ladder_export_format format, const ladder_result *result) {
    kl_error err = {KL_OK, ""};
    char *text = NULL;
    size_t bytes = 0;
    ladder_report report = sample_report(result);
    FILE *out = open_memstream(&text, &bytes);
    ck_assert_ptr_nonnull(out);
    kl_status status = ladder_export_write(format, &report, out, &err);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_msg(status == KL_OK, "%s", err.text);
    return kl_own(text);
}

// ---- a reader of XML ----------------------------------------------------------------------------

enum { DEPTH = 16 };

// One character of UTF-8 that XML allows; returns its bytes, 0 for one that it does not.
static size_t character(const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    size_t length = s[0] < 0x80 ? 1 : s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : s[0] >= 0xC2 ? 2 : 0;
    uint32_t point = length == 1 ? s[0] : length == 0 ? 0 : s[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
        point = point << 6 | (s[i] & 0x3Fu);
    }
    bool allowed = point == '\t' || point == '\n' || point == '\r' ||
                   (point >= 0x20 && point <= 0xD7FF) || (point >= 0xE000 && point <= 0xFFFD) ||
                   (point >= 0x10000 && point <= 0x10FFFF);
    return allowed ? length : 0;
}

static size_t reference(const char *text) {
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#39;"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strncmp(text, known[i], strlen(known[i])) == 0) return strlen(known[i]);
    return 0;
}

// Character data up to `end`; NULL: something in it is not allowed.
static const char *data(const char *at, char end, char *out, size_t out_bytes) {
    size_t used = 0;
    while (*at != end) {
        if (*at == '\0' || *at == '<' || strncmp(at, "]]>", 3) == 0) return NULL;
        size_t length = *at == '&' ? reference(at) : character(at);
        if (length == 0) return NULL;
        for (size_t i = 0; i < length && used + 1 < out_bytes; i++) out[used++] = at[i];
        at += length;
    }
    out[used] = '\0';
    return at;
}

static const char *name(const char *at, char *out, size_t out_bytes) {
    size_t used = 0;
    if (!isalpha((unsigned char)*at)) return NULL;
    while ((isalnum((unsigned char)*at) || *at == '_' || *at == '-') && used + 1 < out_bytes)
        out[used++] = *at++;
    out[used] = '\0';
    return at;
}

static const char *attributes(const char *at, xml_element *element) {
    while (*at == ' ') {
        if (element->attribute_count == 12) return NULL;
        xml_attribute *a = &element->attributes[element->attribute_count++];
        at = name(at + 1, a->name, sizeof a->name);
        if (!at || at[0] != '=' || at[1] != '"') return NULL;
        at = data(at + 2, '"', a->value, sizeof a->value);
        if (!at) return NULL;
        at++;
        for (int i = 0; i + 1 < element->attribute_count; i++)
            if (strcmp(element->attributes[i].name, a->name) == 0) return NULL;
    }
    return at;
}

const char *xml_read(const char *text, void (*seen)(void *context, const xml_element *element),
                     void *context) {
    static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    char open[DEPTH][32], ignored[8];
    int depth = 0, roots = 0;
    if (strncmp(text, head, strlen(head)) != 0) return "no XML declaration";
    for (const char *at = text + strlen(head); *at != '\0';) {
        if (*at != '<') {
            const char *next = depth > 0 ? data(at, '<', ignored, sizeof ignored) : NULL;
            if (depth == 0 && *at == '\n') next = at + 1;
            if (!next) return "bad character data";
            at = next;
        } else if (at[1] == '/') {
            char closed[32];
            at = name(at + 2, closed, sizeof closed);
            if (!at || *at != '>' || depth == 0 || strcmp(closed, open[--depth]) != 0)
                return "an end tag that fits no element";
            at++;
        } else {
            static xml_element element;
            memset(&element, 0, sizeof element);
            element.depth = depth;
            at = name(at + 1, element.name, sizeof element.name);
            at = at ? attributes(at, &element) : NULL;
            if (!at || depth == DEPTH) return "a bad tag";
            roots += depth == 0;
            seen(context, &element);
            if (strncmp(at, "/>", 2) == 0) {
                at += 2;
            } else if (*at == '>') {
                snprintf(open[depth++], sizeof open[0], "%s", element.name);
                at++;
            } else {
                return "a tag that does not end";
            }
        }
    }
    return depth != 0 ? "an element that does not end" : roots != 1 ? "not one root" : NULL;
}

const char *xml_value(const xml_element *element, const char *name_wanted) {
    for (int i = 0; i < element->attribute_count; i++)
        if (strcmp(element->attributes[i].name, name_wanted) == 0)
            return element->attributes[i].value;
    return NULL;
}
