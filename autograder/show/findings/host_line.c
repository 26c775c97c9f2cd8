// Source lines of host code: see findings.h.
#include "show/findings/findings.h"
#include "sandbox/process/process.h"
#include "utilities/options.h"

extern char **environ;

// "FUNCTION\nFILE:LINE\n" becomes "FILE:LINE in FUNCTION", the file without its folders; false
// when the line is unknown ("?").
static bool read_answer(char *answer, char *place, size_t bytes) {
    char *line = strchr(answer, '\n');
    if (!line) return false;
    *line++ = '\0';
    line[strcspn(line, "\n")] = '\0';
    const char *name = basename(line);
    const char *colon = strrchr(name, ':');
    if (!colon || atoi(colon + 1) <= 0) return false;
    char *discriminator = strstr(line, " (discriminator");
    if (discriminator) *discriminator = '\0';
    bool known = answer[0] != '?' && strlen(answer) < 200;
    snprintf(place, bytes, "%s%s%s", name, known ? " in " : "", known ? answer : "");
    return true;
}

// What addr2line says of a place "FILE+0xADDRESS", to be freed; NULL: nothing.
static char *ask(const char *at, const char *how) {
    char program[LADDER_PATH], file[LADDER_PATH], address[32];
    const char *end = at + strcspn(at, "\n"), *plus = end;
    while (plus > at && *plus != '+') plus--;
    size_t digits = strcspn(plus, " \n") - 1;
    if (plus == at || plus - at >= LADDER_PATH || digits >= sizeof address) return NULL;
    snprintf(file, sizeof file, "%.*s", (int)(plus - at), at);
    snprintf(address, sizeof address, "%.*s", (int)digits, plus + 1);
    const char *argv[] = {program, how, file, address, NULL};
    ladder_process_spec spec = {
        .argv = argv, .environment = (const char *const *)environ, .limits = {.wall_s = 10}};
    ladder_process process;
    kl_error ignored;
    if (ladder_program_find("addr2line", program, &ignored) != KL_OK) return NULL;
    // Not ladder_process_run, which ends all other children: an engine that is asked may be one.
    if (ladder_process_start(&spec, &process, &ignored) == KL_OK)
        ladder_process_wait((ladder_process *[]){&process}, 1);
    ladder_process_finish(&process);
    bool told = process.end == LADDER_END_EXITED && process.output;
    char *answer = told ? strdup(process.output) : NULL;
    ladder_process_free(&process);
    return answer;
}

static const char before[] = "\nat ";

void ladder_host_line(char *text, size_t bytes) {
    char place[512], *at = strstr(text, before);
    if (!at) return;
    at += sizeof before - 1;
    char *end = at + strcspn(at, "\n"), *answer = ask(at, "-Cfse");
    if (answer && read_answer(answer, place, sizeof place))
        snprintf(at, bytes - (size_t)(at - text), "%s\n", place);
    else snprintf(end, bytes - (size_t)(end - text), " (nvcc -g tells the line)\n");
    free(answer);
}

// nvcc's "/tmp/tmpxft_0001-6_NAME.cudafe1.cpp", which some lines are of, becomes "NAME.cu".
static void name_source(char *file) {
    char *made = strstr(file, ".cudafe1."), *name = strstr(file, "tmpxft_");
    if (!made || !name) return;
    for (int i = 0; name && i < 3; i++) name = strchr(name + (i > 0), '_');
    if (!name || name > made) return;
    *made = '\0';
    memmove(file, name + 1, strlen(name));
    strcat(file, ".cu");
}

// The first of the lines "FILE:LINE" that is the program's own, not of a header of the toolkit or
// the system.
static bool own_line(const char *lines, char *file, size_t file_bytes, uint32_t *out_line) {
    for (const char *at = lines; *at != '\0'; at += strcspn(at, "\n"), at += *at == '\n') {
        size_t length = strcspn(at, "\n");
        snprintf(file, file_bytes, "%.*s", (int)length, at);
        char *colon = strrchr(file, ':');
        bool given = strstr(file, "/include/") || strstr(file, ".stub.c:"); // nvcc made it
        if (!colon || given || atoi(colon + 1) <= 0) continue;
        *out_line = (uint32_t)atoi(colon + 1);
        *colon = '\0';
        name_source(file);
        return true;
    }
    return false;
}

static bool is_header(const char *file) {
    const char *dot = strrchr(file, '.');
    return dot && (strcmp(dot, ".cuh") == 0 || dot[1] == 'h');
}

void ladder_host_side(sim_finding *finding) {
    char *first = strstr(finding->text, before);
    bool found = false, has_sides = finding->kernel[0] != '\0' || finding->sides[1].line != 0;
    sim_check_side called = {.line = 0};
    for (char *at = first; at && !found; at = strstr(at + 1, before)) {
        char *answer = ask(at + sizeof before - 1, "-Cie");
        sim_check_side *side = has_sides ? &called : &finding->sides[0];
        found = answer && own_line(answer, side->file, sizeof side->file, &side->line);
        if (!found) side->file[0] = '\0';
        free(answer);
    }
    if (!first) return;
    if (found && has_sides)
        snprintf(first, sizeof finding->text - (size_t)(first - finding->text), "\n%s at %s:%u",
                 finding->kernel[0] != '\0' ? "the program calls the library"
                                            : "the kernel is launched",
                 called.file, called.line);
    else if (found) *first = '\0';
    else
        snprintf(first + strcspn(first + 1, "\n") + 1,
                 sizeof finding->text - (size_t)(first - finding->text) - strcspn(first + 1, "\n") -
                     1,
                 " (nvcc -g tells the line)");
}

void ladder_host_call(sim_check_side *side) {
    char text[sizeof side->file], place[sizeof side->file + 1];
    char *plus = strrchr(side->file, '+');
    if (side->call[0] == '\0' || !plus) return;
    memcpy(text, side->file, sizeof text);
    const char *address = text + (plus - side->file) + 1;
    for (; *address != '\0'; address += strspn(address, " ")) {
        size_t digits = strcspn(address, " ");
        snprintf(place, sizeof place, "%.*s+%.*s", (int)(plus - side->file), text, (int)digits,
                 address);
        char *answer = ask(place, "-Cie");
        bool found = answer && own_line(answer, side->file, sizeof side->file, &side->line);
        if (found && is_header(side->file)) // one of a source says which of its uses it is
            for (const char *at = answer; *at && is_header(side->file);) {
                uint32_t line;
                char file[sizeof side->file];
                at += strcspn(at, "\n"), at += *at == '\n';
                if (!own_line(at, file, sizeof file, &line)) break;
                if (!is_header(file)) memcpy(side->file, file, sizeof file), side->line = line;
            }
        free(answer);
        if (found) return;
        address += digits;
    }
    memcpy(side->file, text, sizeof text); // of the first call
    side->file[strcspn(side->file, " ")] = '\0';
}
