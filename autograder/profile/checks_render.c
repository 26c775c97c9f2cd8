// SPDX-License-Identifier: MIT
// Findings for a terminal: see checks.h. One paragraph each: what, where on both sides with the
// line of source, which threads, which memory, why. Fits 80 columns.
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/checks.h"
#include "kit/demangle.h"
#include "kit/files.h"

enum { SOURCE_MAX = 4 << 20, LINE_MAX_BYTES = 256 };

// Line `number` (from 1) of a text without its indentation; false when there is none.
static bool line_of(const char *text, uint32_t number, char *out, size_t bytes) {
    for (; number > 1 && text != NULL; number--) {
        text = strchr(text, '\n');
        if (text != NULL) text++;
    }
    if (text == NULL || number == 0) return false;
    text += strspn(text, " \t");
    snprintf(out, bytes, "%.*s", (int)strcspn(text, "\r\n"), text);
    for (char *c = out; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F) *c = ' ';
    return out[0] != '\0';
}

static void put_line(const char *file, uint32_t number, const kl_style *style, FILE *out) {
    char line[LINE_MAX_BYTES], *text = NULL;
    size_t bytes = 0;
    kl_error ignored = {KL_OK, ""};
    if (ladder_file_read(AT_FDCWD, file, SOURCE_MAX, &text, &bytes, &ignored) != KL_OK) return;
    if (line_of(text, number, line, sizeof line))
        fprintf(out, "      %.*s\n", kl_line_room(style, 7), line);
    free(text);
}

// As a number of the type that it seems to be: 4 bytes as a float unless that would be no usual
// one.
static void put_value(const sim_check_side *side, FILE *out) {
    uint64_t bits = 0;
    float real;
    uint32_t bytes = side->value_bytes < 8 ? side->value_bytes : 8;
    if (bytes == 0) return;
    memcpy(&bits, side->value, bytes);
    memcpy(&real, side->value, sizeof real);
    bool is_real = fabsf(real) > 1e-20f && fabsf(real) < 1e20f;
    fputs(", value ", out);
    if (bytes == 4 && is_real) fprintf(out, "%g (", (double)real);
    if (bytes == 4 && !is_real) fprintf(out, "%" PRId32 " (", (int32_t)(uint32_t)bits);
    fprintf(out, "0x%0*" PRIx64 "%s", 2 * (int)bytes, bits, bytes == 4 ? ")" : "");
}

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void put_side(const sim_check_side *side, const kl_style *style, FILE *out) {
    static const char *const verbs[] = {"at", "read at", "write at", "atomic at"};
    if (side->line == 0 && side->action == SIM_ACTION_NONE) return;
    if (side->line == 0)
        fprintf(out, "    %s an unknown line (compile with nvcc -lineinfo)", verbs[side->action]);
    else
        fprintf(out, "    %s %s:%u", verbs[side->action], file_name(side->file), side->line);
    fprintf(out, "\n      thread (%u,%u,%u) of block (%u,%u,%u)", side->thread.x, side->thread.y,
            side->thread.z, side->block.x, side->block.y, side->block.z);
    put_value(side, out);
    fputc('\n', out);
    if (side->line != 0) put_line(side->file, side->line, style, out);
}

static void put_place(const sim_finding *f, FILE *out) {
    char name[256];
    if (f->space[0] == '\0' || f->kind == SIM_CHECK_LEAK || f->kind == SIM_CHECK_BAD_FREE) return;
    fprintf(out, "    %u bytes of %s memory at 0x%" PRIx64, f->bytes, f->space, f->address);
    if (f->variable[0] != '\0') {
        ladder_demangle(f->variable, name, sizeof name);
        const char *plain = strrchr(name, ':');
        fprintf(out, ": %s", plain != NULL ? plain + 1 : name);
        if (f->allocation_offset != 0) fprintf(out, " + %" PRIu64, f->allocation_offset);
    } else if (f->allocation != 0) {
        fprintf(out, ": allocation %u (%" PRIu64 " bytes) + %" PRIu64, f->allocation,
                f->allocation_bytes, f->allocation_offset);
    }
    fputc('\n', out);
}

// Threads in x of a launch that a finding's text tells of, as a number; "": it tells of none.
static void launched_threads(const sim_finding *f, char number[16]) {
    unsigned threads = 0;
    const char *at = strstr(f->text, "<<<(");
    number[0] = '\0';
    if (at != NULL && sscanf(at, "<<<(%*u,%*u,%*u), (%u", &threads) == 1)
        snprintf(number, 16, "%u", threads);
}

// Whether the line at `at` has a launch of the kernel with this number in it; "": any.
static bool is_launch(const char *at, const char *kernel, const char *number) {
    const char *end = at + strcspn(at, "\n"), *found = strstr(at, kernel);
    const char *launch = strstr(at, "<<<");
    if (found == NULL || launch == NULL || launch >= end || found >= launch) return false;
    const char *said = strstr(launch, number);
    return said != NULL && said < end;
}

// Lines of a source that launch a kernel so; returns how many.
static int put_launch_lines(const char *text, const char *kernel, const char *number,
                            const char *file, const kl_style *style, FILE *out) {
    int count = 0;
    uint32_t line = 1;
    for (const char *at = text; at != NULL && *at != '\0'; line++) {
        const char *end = strchr(at, '\n');
        if (is_launch(at, kernel, number)) {
            fprintf(out, "    %s %s:%u\n", count++ == 0 ? "launched at" : "or at", file_name(file),
                    line);
            put_line(file, line, style, out);
        }
        at = end != NULL ? end + 1 : NULL;
    }
    return count;
}

// Lines of the source that launch a kernel, found by its name before "<<<": those that say the
// block's size as the launch had it, otherwise all.
static void put_launches(const sim_finding *f, const kl_style *style, FILE *out) {
    char name[256], number[16], *text = NULL;
    size_t bytes = 0;
    kl_error ignored = {KL_OK, ""};
    ladder_demangle(f->kernel, name, sizeof name);
    name[strcspn(name, "(<")] = '\0';
    const char *space = strrchr(name, ' ');
    const char *plain = space != NULL ? space + 1 : name;
    const char *file = f->sides[0].file;
    if (*plain == '\0' || file[0] == '\0') return;
    if (ladder_file_read(AT_FDCWD, file, SOURCE_MAX, &text, &bytes, &ignored) != KL_OK) return;
    launched_threads(f, number);
    if (put_launch_lines(text, plain, number, file, style, out) == 0)
        put_launch_lines(text, plain, "", file, style, out);
    free(text);
}

// A text of several lines, each wrapped by itself; of paths only the file's name.
static void put_text(const char *text, const kl_style *style, FILE *out) {
    char line[KL_ERROR_TEXT];
    for (int number = 0; *text != '\0'; number++) {
        size_t used = 0;
        text += strspn(text, " \n");
        for (; *text != '\0' && *text != '\n'; text++) {
            bool word_begins = used == 0 || line[used - 1] == ' ';
            if (word_begins && *text == '/') {
                const char *end = text + strcspn(text, " \n");
                for (const char *c = text; c < end; c++)
                    if (*c == '/') text = c + 1;
            }
            if (used + 1 < sizeof line) line[used++] = *text;
        }
        line[used] = '\0';
        if (used == 0) break;
        fprintf(out, "%*s", number == 0 ? 4 : 6, "");
        kl_print_wrapped(out, style, number == 0 ? 4 : 8, line);
    }
}

static void put_heading(const sim_finding *f, const kl_style *style, const char *more, FILE *out) {
    const char *tone = sim_check_is_warning(f->kind) ? "\033[33m" : "\033[31m";
    fprintf(out, "%s%s%s: %s%s\n", style->colour ? tone : "", sim_check_name(f->kind),
            style->colour ? "\033[0m" : "", sim_check_meaning(f->kind), more);
}

static void put_finding(const sim_finding *f, const kl_style *style, FILE *out) {
    char kernel[256], text[KL_ERROR_TEXT];
    char times[32] = "";
    if (f->count > 1) snprintf(times, sizeof times, " (%" PRIu64 " times)", f->count);
    put_heading(f, style, times, out);
    if (f->kernel[0] != '\0') {
        ladder_demangle_all(f->kernel, kernel, sizeof kernel);
        fprintf(out, "    in kernel %s\n", kernel);
    }
    if (f->kind == SIM_CHECK_UNCHECKED_LAUNCH) {
        put_launches(f, style, out);
    } else {
        put_side(&f->sides[0], style, out);
        put_side(&f->sides[1], style, out);
    }
    put_place(f, out);
    ladder_demangle_all(f->text, text, sizeof text);
    put_text(text, style, out);
    fputc('\n', out);
}

// All leaks at once: findings[first..], of which the leaks are the end.
static void put_leaks(const sim_check_report *report, uint32_t first, const kl_style *style,
                      FILE *out) {
    enum { SHOWN = 12 };
    char list[64 * SHOWN], *at = list;
    uint32_t count = report->count - first;
    uint64_t bytes = 0;
    for (uint32_t i = first; i < report->count; i++) {
        const sim_finding *f = &report->findings[i];
        bytes += f->allocation_bytes;
        if (i - first < SHOWN)
            at += snprintf(at, 64, "%s%" PRIu32 " (%" PRIu64 " bytes)", i > first ? ", " : "",
                           f->allocation, f->allocation_bytes);
    }
    put_heading(&report->findings[first], style, "", out);
    char text[sizeof list + 128];
    snprintf(text, sizeof text,
             "never freed: %" PRIu32 " allocation%s of the program, %" PRIu64
             " bytes; by their order: %s%s",
             count, count == 1 ? "" : "s", bytes, list, count > SHOWN ? ", .." : "");
    fputs("    ", out);
    kl_print_wrapped(out, style, 4, text);
    fputc('\n', out);
}

static void put_report(const sim_check_report *report, const kl_style *style, FILE *out) {
    uint32_t count = report->count;
    while (count > 0 && report->findings[count - 1].kind == SIM_CHECK_LEAK) count--;
    for (uint32_t i = 0; i < count; i++) put_finding(&report->findings[i], style, out);
    if (count < report->count) put_leaks(report, count, style, out);
    if (report->left_out != 0)
        fprintf(out, "%" PRIu64 " more findings are left out\n", report->left_out);
    if (report->times_exhausted)
        fputs("a launch was too long: its later part was not searched for races\n", out);
}

// "no findings", "1 warning", "3 findings, 2 of them warnings,".
static void put_count(uint64_t count, uint64_t warnings, FILE *out) {
    const char *s = count == 1 ? "" : "s";
    if (count == 0)
        fputs("no findings", out);
    else if (warnings == count)
        fprintf(out, "%" PRIu64 " warning%s", count, s);
    else
        fprintf(out, "%" PRIu64 " finding%s", count, s);
    if (warnings != 0 && warnings != count)
        fprintf(out, ", %" PRIu64 " of them %s,", warnings,
                warnings == 1 ? "a warning" : "warnings");
}

void ladder_checks_print(const ladder_checks *checks, const kl_style *style, FILE *out) {
    put_report(checks->report, style, out);
    if (checks->order != NULL) {
        fprintf(out, "in order %s of blocks and warps:\n", checks->order);
        put_report(checks->permuted, style, out);
        if (checks->differing_read != 0)
            fprintf(out,
                    "results differ from those of the usual order, first in copy %u to the "
                    "host\n",
                    checks->differing_read);
        else
            fputs("results are the same as in the usual order\n", out);
    }
    uint64_t warnings = ladder_checks_warnings(checks);
    uint64_t count = ladder_checks_errors(checks) + warnings;
    uint64_t launches = checks->report->launches;
    if (checks->exit_code != 0)
        fprintf(out, "the program ended with exit status %d\n", checks->exit_code);
    if (checks->unwritten || (count == 0 && launches == 0)) {
        fputs(checks->unwritten ? "not implemented yet\n" : "no kernel was launched\n", out);
        return;
    }
    put_count(count, warnings, out);
    fprintf(out, " in %" PRIu64 " launch%s\n", launches, launches == 1 ? "" : "es");
}
