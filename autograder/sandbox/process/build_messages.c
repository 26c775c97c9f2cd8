// SPDX-License-Identifier: MIT
// What of a build's output a student needs: see kit_build.h.
#include "sandbox/process/kit_build.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ladder_config.h"
#include "outcome.h"
#include "utilities/files.h"

enum { MOST_LINES = 40 };

// Messages that name something else than the mistake that a beginner made.
static const struct {
    const char *part; // of the message
    const char *hint; // what is meant
} hints[] = {
    {"expected a \";\"", "a semicolon is missing before this, often at the end of the line above"},
    {"more than one instance of overloaded function",
     "the lab's header declares this function: keep its parameters as they are there"},
    {"expected a declaration", "a brace too many above this, or one that closes too early?"},
};

typedef struct message_state {
    const char *source; // the kit's folder
    FILE *out;          // where the messages go
    const char *hint;   // for the message that is being printed; NULL: none
    bool of_kit;        // the build step at hand compiles a file of the kit, and has not failed
    bool dropped;       // the message at hand is left out
    int printed, more;  // lines
} message_state;

// Lines of the build tool itself, the command lines that it repeats, and what nvcc says last.
static bool is_noise(const char *line) {
    static const char *const starts[] = {"ninja: ",
                                         "gmake",
                                         "make",
                                         ": &&",
                                         "/bin/sh ",
                                         "cd ",
                                         "Consolidate compiler",
                                         "-- ",
                                         "Re-run",
                                         "Scanning dependencies",
                                         "Remark: The warnings can be"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncmp(line, starts[i], strlen(starts[i])) == 0) return true;
    if (strstr(line, "detected in the compilation of")) return true; // nvcc's count of errors
    return strncmp(line, LADDER_CUDA_COMPILER, strlen(LADDER_CUDA_COMPILER)) == 0 ||
           strncmp(line, "/usr/bin/c", strlen("/usr/bin/c")) == 0 || line[0] == '\0';
}

// Whether the file that a message begins with, "PATH(LINE): ..", is a step as it was handed out.
static bool is_untouched(const char *line) {
    char path[LADDER_PATH];
    char *text = NULL;
    size_t bytes = 0;
    kl_error err = {KL_OK, ""};
    const size_t most_bytes = 1 << 20;
    if (ladder_path(path, NULL, "%.*s", (int)strcspn(line, "(:"), line) != KL_OK ||
        ladder_file_read(AT_FDCWD, path, most_bytes, &text, &bytes, &err) != KL_OK)
        return false;
    bool untouched = kl_step_text_is_untouched(text);
    free(text);
    return untouched;
}

static void put(message_state *m, const char *line) {
    if (m->printed == MOST_LINES)
        m->more++;
    else
        fprintf(m->out, "%s\n", line), m->printed++;
}

static void end_message(message_state *m) {
    if (m->hint && m->more == 0) fprintf(m->out, "  hint: %s\n", m->hint);
    m->hint = NULL;
    m->dropped = false;
}

static void take_hint(message_state *m, const char *line) {
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (strstr(line, ": error") && strstr(line, hints[i].part)) m->hint = hints[i].hint;
}

// A line of the build tool that says what it does next, or what of it has failed.
static bool take_step(message_state *m, const char *line) {
    bool next = line[0] == '[', failed = strncmp(line, "FAILED: ", strlen("FAILED: ")) == 0;
    if (!next && !failed) return false;
    end_message(m);
    m->of_kit = next && !strstr(line, "labs/");
    return true;
}

// False where nothing more is worth a word.
static bool take_line(message_state *m, const char *line) {
    size_t prefix = strlen(m->source);
    if (take_step(m, line) || is_noise(line)) return true;
    bool inside = strncmp(line, m->source, prefix) == 0 && line[prefix] == '/';
    if (inside) {
        end_message(m);
        m->dropped = strstr(line, ": warning") && is_untouched(line);
    }
    if (m->dropped || (m->of_kit && !strstr(line, "error"))) return true;
    const char *shown = inside ? line + prefix + 1 : line;
    if (strstr(line, "null character")) { // each letter has one: thousands of lines
        fprintf(m->out, "%.*s: error: this file is UTF-16 or no text: save it as UTF-8\n",
                (int)strcspn(shown, "(:"), shown);
        return false;
    }
    take_hint(m, line);
    put(m, shown);
    return true;
}

void ladder_build_messages(const char *source, char *output, FILE *out) {
    message_state m = {.source = source, .out = out};
    char *line = strtok(output, "\n");
    while (line && take_line(&m, line)) line = strtok(NULL, "\n");
    if (line) return;
    end_message(&m);
    if (m.more > 0) fprintf(out, "(and %d lines more: the first error first)\n", m.more);
}
