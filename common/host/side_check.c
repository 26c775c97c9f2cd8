// Findings beside a run: see parallel.h.
#include "parallel.h"
#include "this_machine.h"
#include <poll.h>
#include <sys/socket.h>

bool kl_may_cause_fault(const char *finding) {
    static const char *const causes[] = {"uninitialised", "unset-variable", "absent-lane",
                                         "race",          "block-race",     "grid-race",
                                         "stream-race",   "register-race",  "host-race"};
    size_t length = strcspn(finding, " \n");
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
        if (strlen(causes[i]) == length && strncmp(finding, causes[i], length) == 0) return true;
    return false;
}

void kl_side_check_ask(int fd, int step) {
    const kl_record record = {.kind = KL_RECORD_CHECK, .step = step};
    kl_record_send(fd, &record);
}

bool kl_side_check_next(int fd, int *out_step) {
    kl_record record;
    bool came = recv(fd, &record, sizeof record, MSG_WAITALL) == (ssize_t)sizeof record &&
                record.kind == KL_RECORD_CHECK;
    if (came) *out_step = record.step;
    return came;
}

// Reads exactly one record. False at the end, and when the time is over.
static bool receive(int fd, double until_s, kl_record *record) {
    size_t have = 0;
    while (have < sizeof *record) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        double left_s = until_s - kl_now_s();
        int polled = left_s > 0 ? poll(&ready, 1, (int)(left_s * 1e3) + 1) : 0;
        if (polled < 0 && errno == EINTR) continue;
        if (polled <= 0) return false;
        ssize_t got = read(fd, (char *)record + have, sizeof *record - have);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        have += (size_t)got;
    }
    return kl_record_accept(record) && record->kind == KL_RECORD_CHECKED;
}

void kl_side_check_collect(int fd, double limit_s, kl_side_checks *out_checks) {
    double until_s = kl_now_s() + limit_s;
    out_checks->count = 0;
    shutdown(fd, SHUT_WR);
    kl_record record;
    while (out_checks->count < KL_SIDE_CHECKS && receive(fd, until_s, &record)) {
        kl_side_check *check = &out_checks->steps[out_checks->count++];
        *check = (kl_side_check){.step = record.step, .findings = record.is.check.findings};
        memcpy(check->text, record.is.check.text, sizeof check->text);
    }
    close(fd);
}

static bool is_clean(const kl_side_check *check) {
    return check->findings == 0 && check->text[0] == '\0';
}

static bool is_named(const kl_side_check *check, bool wrong) {
    return is_clean(check) && check->wrong == wrong;
}

// "step 3", "steps 0 to 4, 6": the clean ones whose results are wrong, or right. Their number.
static int name_clean(const kl_side_checks *checks, bool wrong, char *text, size_t bytes) {
    int count = 0;
    size_t used = 0;
    for (int i = 0; i < checks->count; i++) count += is_named(&checks->steps[i], wrong);
    used += (size_t)snprintf(text, bytes, "step%s", count == 1 ? "" : "s");
    const char *before = " ";
    for (int i = 0; i < checks->count && used < bytes; i++) {
        const kl_side_check *first = &checks->steps[i], *last = first;
        if (!is_named(first, wrong)) continue;
        while (i + 1 < checks->count && is_named(&last[1], wrong) &&
               last[1].step == last->step + 1) {
            last++;
            i++;
        }
        used += (size_t)snprintf(text + used, bytes - used, "%s%d", before, first->step);
        if (last > first && used < bytes)
            used += (size_t)snprintf(text + used, bytes - used, "%s%d",
                                     last > first + 1 ? " to " : ", ", last->step);
        before = ", ";
    }
    return count;
}

// What it is stands with the step's outcome, but that of a warning.
static void print_found(const kl_side_check *c, const char *lab, bool solution,
                        const kl_style *style, FILE *out) {
    char text[KL_RECORD_FINDING + 128];
    size_t what = strcspn(c->text, "\n");
    const char *why = c->text + what + (c->text[what] == '\n');
    const char *at = strstr(c->text, " at "); // "race at 2_strided.cu:37"
    int place = at && at < why ? (int)(c->text + what - at) : 0;
    if (c->findings < 0)
        snprintf(text, sizeof text, "check: step %d was not checked: %s", c->step, c->text);
    else if (c->findings == 0)
        snprintf(text, sizeof text, "check: step %d: a warning, %.*s: %s", c->step, (int)what,
                 c->text, why);
    else if (c->faulted) // the fault itself is told with the case
        snprintf(text, sizeof text, "check: step %d%.*s: this fault", c->step, place, at);
    else if (c->findings == 1)
        snprintf(text, sizeof text, "check: step %d%.*s: %s", c->step, place, at, why);
    else
        snprintf(text, sizeof text, "check: step %d%.*s, the first of %d findings: %s", c->step,
                 place, at, c->findings, why);
    for (char *end = text; (end = strchr(end, '\n'));) *end = ' ';
    kl_print_wrapped(out, style, 7, text);
    if (c->findings >= 0)
        fprintf(out, "       ./ladder check %s %d%s\n", lab, c->step,
                solution ? " --solution" : "");
}

void kl_side_check_print(const kl_side_checks *checks, const char *lab, bool solution,
                         const kl_style *style, FILE *out) {
    char steps[256];
    if (checks->count > 0) fputc('\n', out);
    if (name_clean(checks, true, steps, sizeof steps) > 0) {
        kl_print_text(out, style, 7,
                      "check: %s: no race and no read of unset memory in small cases", steps);
    }
    if (name_clean(checks, false, steps, sizeof steps) > 0)
        kl_print_text(out, style, 7, "check: %s clean (small cases, on the simulator)", steps);
    for (int i = 0; i < checks->count; i++)
        if (!is_clean(&checks->steps[i])) print_found(&checks->steps[i], lab, solution, style, out);
}
