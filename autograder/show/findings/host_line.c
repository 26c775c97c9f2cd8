// SPDX-License-Identifier: MIT
// Source lines of host code: see host_line.h.
#include "show/findings/host_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utilities/files.h"
#include "utilities/program_args.h"
#include "sandbox/process/process.h"

extern char **environ;

// "FUNCTION\nFILE:LINE\n" becomes "FILE:LINE in FUNCTION", the file without its folders; false
// when the line is unknown ("?").
static bool read_answer(char *answer, char *place, size_t bytes) {
    char *line = strchr(answer, '\n');
    if (!line) return false;
    *line++ = '\0';
    line[strcspn(line, "\n")] = '\0';
    const char *slash = strrchr(line, '/'), *name = slash ? slash + 1 : line;
    const char *colon = strrchr(name, ':');
    if (!colon || atoi(colon + 1) <= 0) return false;
    char *discriminator = strstr(line, " (discriminator");
    if (discriminator) *discriminator = '\0';
    bool known = answer[0] != '?' && strlen(answer) < 200;
    snprintf(place, bytes, "%s%s%s", name, known ? " in " : "", known ? answer : "");
    return true;
}

static bool ask(const char *file, const char *address, char *place, size_t bytes) {
    char program[LADDER_PATH];
    const char *argv[] = {program, "-Cfse", file, address, NULL};
    ladder_process_spec spec = {
        .argv = argv, .environment = (const char *const *)environ, .limits = {.wall_s = 10}};
    ladder_process process;
    kl_error ignored;
    if (ladder_program_find("addr2line", program, &ignored) != KL_OK ||
        ladder_process_run(&spec, &process, &ignored) != KL_OK)
        return false;
    bool found = process.end == LADDER_END_EXITED && process.output &&
                 read_answer(process.output, place, bytes);
    ladder_process_free(&process);
    return found;
}

void ladder_host_line(char *text, size_t bytes) {
    char file[LADDER_PATH], address[32], place[512], *at = strstr(text, "\nat ");
    if (!at) return;
    at += strlen("\nat ");
    char *end = at + strcspn(at, "\n"), *plus = end;
    while (plus > at && *plus != '+') plus--;
    size_t digits = strcspn(plus, " \n") - 1, available = bytes - (size_t)(at - text);
    if (plus == at || plus - at >= LADDER_PATH || digits >= sizeof address) return;
    snprintf(file, sizeof file, "%.*s", (int)(plus - at), at);
    snprintf(address, sizeof address, "%.*s", (int)digits, plus + 1);
    if (ask(file, address, place, sizeof place))
        snprintf(at, available, "%s\n", place);
    else
        snprintf(end, bytes - (size_t)(end - text), " (nvcc -g tells the line)\n");
}
