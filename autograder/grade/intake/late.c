// SPDX-License-Identifier: MIT
// What is handed in after the due date: see intake.h.
#define _DEFAULT_SOURCE // timegm
#include "grade/intake/intake.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "utilities/text.h"

static const double day_s = 86400;

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

// "10", "12,5 %", "5%/day" as a share.
static bool read_share(const char *text, double *out_share) {
    static const char day[] = "/day";
    char number[40];
    size_t length = strlen(text), end = sizeof day - 1;
    if (length > end && strcmp(text + length - end, day) == 0) length -= end;
    if (length >= sizeof number) return false;
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    ladder_number percent = ladder_number_read(number, 0);
    *out_share = percent.value / 100;
    return percent.kind == LADDER_NUMBER_VALUE && percent.value >= 0 && percent.value <= 100;
}

static bool read_minutes(const char *text, double *out_s) {
    enum { MOST = 7 * 24 * 60 };
    uint64_t minutes = 0;
    char number[16];
    size_t length = strspn(text, "0123456789");
    if (length == 0 || length >= sizeof number ||
        (text[length] != '\0' && strcmp(text + length, "m") != 0))
        return false;
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    bool read = ladder_parse_uint(number, MOST, &minutes);
    *out_s = 60.0 * (double)minutes;
    return read;
}

kl_status ladder_late_policy_read(const char *due, const char *rate, const char *at_most,
                                  const char *grace, ladder_late_policy *out_policy,
                                  kl_error *err) {
    *out_policy = (ladder_late_policy){.given = due, .at_most = 1};
    if (!due && (rate || at_most || grace))
        return kl_fail(err, KL_ERROR_INPUT, "--late, --late-max and --grace need --due");
    if (grace && !read_minutes(grace, &out_policy->grace_s))
        return kl_fail(err, KL_ERROR_INPUT,
                       "--grace %s: expected minutes, a week at most, such as 15", grace);
    if (due && !ladder_time_read(due, &out_policy->due_s))
        return kl_fail(
            err, KL_ERROR_INPUT,
            "--due %s: expected a time such as 2026-11-20T23:59 or 2026-11-20T23:59+01:00", due);
    if (rate && !read_share(rate, &out_policy->rate))
        return kl_fail(err, KL_ERROR_INPUT, "--late %s: expected percent per day, such as 10%%",
                       rate);
    if (at_most && !read_share(at_most, &out_policy->at_most))
        return kl_fail(err, KL_ERROR_INPUT, "--late-max %s: expected percent, such as 50%%",
                       at_most);
    return KL_OK;
}

int ladder_late_days(const ladder_late_policy *policy, const ladder_submission *submission) {
    double submitted_s = 0;
    if (!policy->given) return 0;
    bool own = submission->due_s > 0;
    if (!ladder_time_read(submission->submitted, &submitted_s)) return submission->late && !own;
    double late_s = submitted_s - (own ? submission->due_s : policy->due_s);
    double days = late_s <= policy->grace_s ? 0 : ceil(late_s / day_s);
    return days <= 0 ? 0 : days > 10000 ? 10000 : (int)days;
}

double ladder_late_share(const ladder_late_policy *policy, int days) {
    double lost = policy->rate * days;
    return 1 - (lost < policy->at_most ? lost : policy->at_most);
}
