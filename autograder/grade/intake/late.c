// Due dates and what being late costs, from one line of text: see intake.h.
#define _DEFAULT_SOURCE // timegm
#include "grade/intake/intake.h"

static const double day_s = 86400, hour_s = 3600;

// "Z", "UTC", "+01:00", "+0100"; "": this machine's.
static bool read_zone(const char *text, bool *out_local, int *out_minutes) {
    int hours = 0, minutes = 0, used = 0;
    *out_local = text[0] == '\0';
    *out_minutes = 0;
    if (*out_local || strcmp(text, "Z") == 0 || strcmp(text, "UTC") == 0) return true;
    bool read = (sscanf(text + 1, "%2d:%2d%n", &hours, &minutes, &used) == 2 ||
                 sscanf(text + 1, "%2d%2d%n", &hours, &minutes, &used) == 2) &&
                text[1 + used] == '\0' && hours >= 0 && hours < 24 && minutes >= 0 && minutes < 60;
    if (!read || (text[0] != '+' && text[0] != '-')) return false;
    *out_minutes = (text[0] == '-' ? -1 : 1) * (60 * hours + minutes);
    return true;
}

bool ladder_time_read(const char *text, double *out_s) {
    struct tm when = {.tm_isdst = -1};
    char between = 0;
    int used = 0, zone_minutes = 0;
    bool local = false;
    if (sscanf(text, "%4d-%2d-%2d%c%2d:%2d%n", &when.tm_year, &when.tm_mon, &when.tm_mday, &between,
               &when.tm_hour, &when.tm_min, &used) != 6 ||
        (between != 'T' && between != ' '))
        return false;
    const char *at = text + used;
    if (*at == ':') {
        if (sscanf(at, ":%2d%n", &when.tm_sec, &used) != 1) return false;
        at += used;
        if (*at == '.') at += 1 + strspn(at + 1, "0123456789");
    }
    at += strspn(at, " ");
    bool fits = when.tm_year >= 1970 && when.tm_mon >= 1 && when.tm_mon <= 12 &&
                when.tm_mday >= 1 && when.tm_mday <= 31 && when.tm_hour >= 0 && when.tm_hour < 24 &&
                when.tm_min >= 0 && when.tm_min < 60 && when.tm_sec >= 0 && when.tm_sec <= 60;
    if (!fits || !read_zone(at, &local, &zone_minutes)) return false;
    when.tm_year -= 1900;
    when.tm_mon--;
    int day = when.tm_mday;
    time_t seconds = local ? mktime(&when) : timegm(&when);
    if (when.tm_mday != day) return false; // the 30th of February
    *out_s = (double)seconds - 60.0 * zone_minutes;
    return true;
}

// ---- a line of text -----------------------------------------------------------------------------

// Where reading stands: errors name file, line and column, from 1.
typedef struct reader {
    const char *file, *line, *at;
    int number; // of the line
} reader;

static kl_status fail_at(const reader *r, const char *expected, kl_error *err) {
    return kl_fail(err, KL_ERROR_INPUT, "%s:%d:%d: expected %s, not %s%.40s%s", r->file, r->number,
                   (int)(r->at - r->line) + 1, expected, *r->at ? "'" : "the end of the line",
                   r->at, *r->at ? "'" : "");
}

static void skip_blanks(reader *r) { r->at += strspn(r->at, " \t"); }

// Takes "per day" with any blanks between its words; a word ends where no letter goes on.
static bool take(reader *r, const char *words) {
    const char *at = r->at;
    for (const char *w = words; *w != '\0'; w++) {
        if (*w == ' ') {
            if (*at != ' ' && *at != '\t') return false;
            at += strspn(at, " \t");
        } else if (*at++ != *w) {
            return false;
        }
    }
    if (isalpha((unsigned char)at[-1]) && isalpha((unsigned char)*at)) return false;
    r->at = at;
    skip_blanks(r);
    return true;
}

// Takes "10", "12.5" or "12,5": a comma without a digit behind it ends the clause.
static kl_status take_number(reader *r, const char *expected, double *out, kl_error *err) {
    char text[24];
    size_t n = 0;
    while (n + 1 < sizeof text &&
           (isdigit((unsigned char)r->at[n]) || (n > 0 && (r->at[n] == '.' || r->at[n] == ',') &&
                                                 isdigit((unsigned char)r->at[n + 1]))))
        n++;
    snprintf(text, sizeof text, "%.*s", (int)n, r->at);
    ladder_number number = ladder_number_read(text, 0);
    if (n == 0 || number.kind != LADDER_NUMBER_VALUE || number.value > 1e6)
        return fail_at(r, expected, err);
    *out = number.value;
    r->at += n;
    skip_blanks(r);
    return KL_OK;
}

// ---- what being late costs ----------------------------------------------------------------------

static const char rule_clause[] =
    "a clause of a late policy (10% per day, 2 points per hour, 5% once, at most 50%, "
    "grace 15 min, 3 slip days, 2 per lab, spent best)";

// "%" or "points" behind a number; one line has one of them.
static kl_status take_unit(reader *r, double number, bool *unit_known, ladder_late_policy *p,
                           double *out, kl_error *err) {
    reader before = *r;
    bool points = take(r, "points") || take(r, "point");
    if (!points) take(r, "%"); // a number alone is percent
    if (*unit_known && points != p->in_points)
        return fail_at(&before, "one unit in a late policy, percent or points", err);
    if (!points && number > 100) return fail_at(&before, "at most 100 percent", err);
    *unit_known = true;
    p->in_points = points;
    *out = points ? number : number / 100;
    return KL_OK;
}

static kl_status take_whole(reader *r, double number, double most, int *out, kl_error *err) {
    if (number > most || number != floor(number)) return fail_at(r, "a whole number of days", err);
    *out = (int)number;
    return KL_OK;
}

static kl_status take_grace(reader *r, ladder_late_policy *p, kl_error *err) {
    static const char expected[] = "minutes or hours, a week at most, such as 15 min";
    double number = 0;
    reader before = *r;
    TRY(take_number(r, expected, &number, err));
    bool hours = take(r, "hours") || take(r, "hour") || take(r, "h");
    if (!hours && !take(r, "minutes") && !take(r, "minute") && !take(r, "min")) take(r, "m");
    p->grace_s = number * (hours ? hour_s : 60);
    return p->grace_s <= 7 * day_s ? KL_OK : fail_at(&before, expected, err);
}

static kl_status take_clause(reader *r, bool *unit_known, ladder_late_policy *p, kl_error *err) {
    double number = 0;
    if (take(r, "at most")) {
        TRY(take_number(r, "percent or points, such as 50%", &number, err));
        return take_unit(r, number, unit_known, p, &p->at_most, err);
    }
    if (take(r, "grace")) return take_grace(r, p, err);
    if (take(r, "no deduction")) return KL_OK;
    if (take(r, "spent first") || take(r, "spent best")) {
        p->slip_best = strstr(r->line, "spent best");
        return KL_OK;
    }
    TRY(take_number(r, rule_clause, &number, err));
    if (take(r, "slip days") || take(r, "slip day"))
        return take_whole(r, number, 365, &p->slip_days, err);
    if (take(r, "per lab")) return take_whole(r, number, 365, &p->slip_most, err);
    double amount = 0;
    TRY(take_unit(r, number, unit_known, p, &amount, err));
    ladder_late_per per = take(r, "once")                           ? LADDER_LATE_ONCE
                          : take(r, "per hour") || take(r, "/hour") ? LADDER_LATE_PER_HOUR
                                                                    : LADDER_LATE_PER_DAY;
    if (per == LADDER_LATE_PER_DAY && !take(r, "per day")) take(r, "/day");
    p->cost[per] += amount;
    return KL_OK;
}

static kl_status take_rule(reader *r, ladder_late_policy *p, kl_error *err) {
    bool unit_known = false;
    ladder_late_policy read = {.given = p->given,
                               .due_s = p->due_s,
                               .at_most = NAN,
                               .opens_s = p->opens_s,
                               .closes_s = p->closes_s};
    do {
        skip_blanks(r);
        TRY(take_clause(r, &unit_known, &read, err));
    } while ((*r->at == ',' || *r->at == ';') && r->at++);
    if (*r->at != '\0') return fail_at(r, "a comma or the end of the line", err);
    if (isnan(read.at_most)) read.at_most = read.in_points ? (double)INFINITY : 1;
    *p = read;
    return KL_OK;
}

kl_status ladder_late_rule_read(const char *file, const char *rule, ladder_late_policy *policy,
                                kl_error *err) {
    reader r = {.file = file, .line = rule, .at = rule, .number = 1};
    return take_rule(&r, policy, err);
}

static kl_status take_time(reader *r, double *out, kl_error *err) {
    char text[40];
    size_t length = strcspn(r->at, " \t");
    snprintf(text, sizeof text, "%.*s", (int)length, r->at);
    if (length >= sizeof text || !ladder_time_read(text, out))
        return fail_at(r, "a time such as 2026-11-20T23:59 or 2026-11-20T23:59+01:00", err);
    r->at += length;
    skip_blanks(r);
    return KL_OK;
}

// Takes the name of a lab; *out_this: it is `lab`.
static kl_status take_lab(reader *r, const ladder_lab *lab, bool *out_this, kl_error *err) {
    char name[64];
    size_t length = strcspn(r->at, " \t");
    snprintf(name, sizeof name, "%.*s", (int)length, r->at);
    const ladder_lab *found = length < sizeof name ? ladder_lab_find(name) : NULL;
    if (!found) return fail_at(r, "a lab such as 02 or reduction", err);
    *out_this = found == lab;
    r->at += length;
    skip_blanks(r);
    return KL_OK;
}

static kl_status take_line(reader *r, const ladder_lab *lab, ladder_late_policy *p, kl_error *err) {
    bool this = false, window = false;
    double due_s = 0, closes_s = 0;
    skip_blanks(r);
    if (*r->at == '\0' || *r->at == '#') return KL_OK;
    if (take(r, "late")) return take_rule(r, p, err);
    window = take(r, "window");
    if (!window && !take(r, "due"))
        return fail_at(r, "late POLICY, due LAB TIME or window LAB FROM TO", err);
    TRY(take_lab(r, lab, &this, err));
    TRY(take_time(r, &due_s, err));
    reader end = *r;
    if (window) TRY(take_time(r, &closes_s, err));
    if (window && closes_s <= due_s)
        return fail_at(&end, "an end that is after the beginning", err);
    if (*r->at != '\0') return fail_at(r, "the end of the line", err);
    if (window && this) p->opens_s = due_s, p->closes_s = closes_s;
    if (window) return KL_OK;
    if (this) p->due_s = due_s;
    p->given = p->given || this;
    return KL_OK;
}

static kl_status read_course(const char *file, const ladder_lab *lab, ladder_late_policy *p,
                             kl_error *err) {
    enum { MOST = 1 << 20 };
    char *text = NULL;
    size_t bytes = 0;
    TRY(ladder_file_read(AT_FDCWD, file, MOST, &text, &bytes, err));
    kl_status status = KL_OK;
    int number = 1;
    for (char *line = text, *end; line && status == KL_OK; line = end, number++) {
        end = strchr(line, '\n');
        size_t length = end ? (size_t)(end - line) : strlen(line);
        while (length > 0 && strchr(" \t\r", line[length - 1])) length--;
        if (end) end++;
        line[length] = '\0';
        reader r = {.file = file, .line = line, .at = line, .number = number};
        status = take_line(&r, lab, p, err);
    }
    free(text);
    return status;
}

kl_status ladder_late_policy_read(const ladder_late_options *o, const ladder_lab *lab,
                                  ladder_late_policy *out_policy, kl_error *err) {
    *out_policy = (ladder_late_policy){.at_most = 1};
    if (o->course) TRY(read_course(o->course, lab, out_policy, err));
    if (o->due && !ladder_time_read(o->due, &out_policy->due_s))
        return kl_fail(
            err, KL_ERROR_INPUT,
            "--due %s: expected a time such as 2026-11-20T23:59 or 2026-11-20T23:59+01:00", o->due);
    out_policy->given = out_policy->given || o->due;
    double *const ends[] = {&out_policy->opens_s, &out_policy->closes_s};
    for (int i = 0; i < 2 && o->window[0]; i++)
        if (!ladder_time_read(o->window[i], ends[i]))
            return kl_fail(err, KL_ERROR_INPUT,
                           "--window FROM TO: expected two times such as 2026-12-01T10:00 "
                           "2026-12-01T12:00, not %s",
                           o->window[i]);
    if (o->window[0] && out_policy->closes_s <= out_policy->opens_s)
        return kl_fail(err, KL_ERROR_INPUT, "--window %s %s: the end is not after the beginning",
                       o->window[0], o->window[1]);
    if (o->course && !out_policy->given && out_policy->closes_s <= 0)
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s has no due date of %s: add a line due %s 2026-11-20T23:59", o->course,
                       lab->folder, lab->problem->name);
    if (o->late && !out_policy->given)
        return kl_fail(err, KL_ERROR_INPUT, "--late needs --due TIME, or --course FILE");
    return o->late ? ladder_late_rule_read("--late", o->late, out_policy, err) : KL_OK;
}

char *ladder_late_rule(const ladder_late_policy *p, char *text, size_t text_bytes) {
    static const char *const pers[] = {" per day", " per hour", " once"};
    double scale = p->in_points ? 1 : 100;
    size_t used = 0;
    text[0] = '\0';
#define PUT(...)     used += (size_t)snprintf(text + used, text_bytes - used, __VA_ARGS__)
#define UNIT(number) (!p->in_points ? " %" : (number) == 1 ? " point" : " points")
    for (int i = 0; i < LADDER_LATE_PERS; i++)
        if (p->cost[i] > 0)
            PUT("%s%g%s%s", used > 0 ? ", " : "", scale * p->cost[i], UNIT(p->cost[i]), pers[i]);
    if (used == 0) PUT("no deduction");
    else if (p->at_most < (p->in_points ? (double)INFINITY : 1))
        PUT(", at most %g%s", scale * p->at_most, UNIT(p->at_most));
    if (p->grace_s > 0) PUT(", grace %g minutes", p->grace_s / 60);
    if (p->slip_days > 0) PUT(", %d slip day%s", p->slip_days, p->slip_days == 1 ? "" : "s");
    if (p->slip_days > 0 && p->slip_most > 0) PUT(", %d per lab", p->slip_most);
    if (p->slip_days > 0 && p->slip_best) PUT(", spent best");
#undef UNIT
#undef PUT
    return text;
}

bool ladder_window_apply(const ladder_late_policy *p, ladder_submission *s) {
    double submitted_s = 0, closes_s = fmax(p->closes_s, s->due_s);
    char at[32], from[32], to[32];
    if (p->closes_s <= 0 || !ladder_time_read(s->submitted, &submitted_s)) return false;
    if (submitted_s >= p->opens_s && submitted_s <= closes_s) return false;
    s->outside = true;
    snprintf(s->problem, sizeof s->problem,
             "handed in at %s, outside of the window from %s to %s: kept, not graded",
             ladder_time_text(submitted_s, at), ladder_time_text(p->opens_s, from),
             ladder_time_text(closes_s, to));
    return true;
}

void ladder_late_apply(const ladder_late_policy *p, const ladder_submission *submission,
                       int slip_left, ladder_points_change *change) {
    const int most_days = 10000;
    double submitted_s = 0, late_s = 0, grace_s = p->grace_s;
    char due[32], rule[LADDER_LATE_RULE];
    change->late_days = change->slip_days = 0;
    change->late_share = change->late_points = 0;
    change->late_rule[0] = '\0';
    change->due_s = p->given ? submission->due_s : 0;
    if (!p->given) return;
    snprintf(change->late_rule, sizeof change->late_rule, "due %s, %.*s",
             ladder_time_text(p->due_s, due), LADDER_LATE_RULE - 60,
             ladder_late_rule(p, rule, sizeof rule));
    bool own = submission->due_s > 0;
    if (ladder_time_read(submission->submitted, &submitted_s))
        late_s = submitted_s - (own ? submission->due_s : p->due_s);
    else if (submission->late && !own)
        late_s = day_s, grace_s = 0; // of a mark without a time nobody knows how late
    if (late_s <= grace_s) return;
    double days = ceil(late_s / day_s), needed = ceil((late_s - grace_s) / day_s);
    int most = p->slip_most > 0 && p->slip_most < slip_left ? p->slip_most : slip_left;
    change->late_days = days > most_days ? most_days : (int)days;
    change->slip_days = needed < most ? (int)needed : most;
    late_s -= day_s * change->slip_days;
    if (late_s <= grace_s) return;
    double lost = p->cost[LADDER_LATE_PER_DAY] * fmin(ceil(late_s / day_s), most_days) +
                  p->cost[LADDER_LATE_PER_HOUR] * fmin(ceil(late_s / hour_s), 24 * most_days) +
                  p->cost[LADDER_LATE_ONCE];
    *(p->in_points ? &change->late_points : &change->late_share) = fmin(lost, p->at_most);
}
