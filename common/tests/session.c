// kit-session FILE WORK SOURCE: runs a section of a transcript (NAME.session, kit_tests.cmake) in
// the empty folder WORK, and says what differs from it.
//
//   $ COMMAND     for sh, in WORK; lines behind it that begin with two blanks belong to it
//   ? STATUS      what it ends with, 0 where the line is missing; `? any`; 77 without it: skipped
//   ~ REGEX       its output, errors included, matches these lines in their order
//   !~ REGEX      and this nowhere
//   | TEXT        all lines of this kind are the whole output, `SOURCE/` left out of it
//
// Expressions are POSIX's extended ones over the whole output: the point matches an end of a line,
// ^ and $ are its ends, \n is an end of a line. Other lines are comments.
#include <errno.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct transcript {
    const char *source;
    char *command; // NULL: none has been run
    char *output;  // of the command
    char *pattern; // of the lines ~ so far; NULL: none
    char *text;    // lines | so far; NULL: none
    int status;
    bool status_said;
    int faults;
} transcript;

static void *checked(void *memory) {
    if (!memory) {
        perror("kit-session");
        exit(2);
    }
    return memory;
}

// Appends `more` to a string or to NULL; gives the new one.
static char *append(char *text, const char *more) {
    size_t length = text ? strlen(text) : 0;
    text = checked(realloc(text, length + strlen(more) + 1));
    strcpy(text + length, more);
    return text;
}

static char *read_file(const char *path) {
    size_t size = 0;
    char *text = NULL;
    FILE *in = checked(fopen(path, "r"));
    for (;;) {
        text = checked(realloc(text, size + 65537));
        size_t got = fread(text + size, 1, 65536, in);
        size += got;
        if (got == 0) break;
    }
    fclose(in);
    text[size] = 0;
    for (size_t i = 0; i < size; i++) // a program's zeros do not end what is looked at
        if (!text[i]) text[i] = '?';
    return text;
}

static void leave_out(char *text, const char *part) {
    size_t length = strlen(part);
    for (char *at = text; length && (at = strstr(at, part)) != NULL;)
        memmove(at, at + length, strlen(at + length) + 1);
}

static void fault(transcript *p, const char *what, const char *line) {
    printf("%s: %s\n", what, line);
    p->faults++;
}

// The command's end: what has been said of it holds.
static void close_command(transcript *p) {
    if (!p->command) return;
    if (!p->status_said && p->status == 77) { // cannot run here
        printf("%s", p->output);
        exit(77);
    }
    if (!p->status_said && p->status != 0) fault(p, "the status is not 0", p->command);
    if (p->text) {
        char *source = append(append(NULL, p->source), "/");
        leave_out(p->output, source);
        if (strcmp(p->text, p->output) != 0) fault(p, "the output is another", p->command);
        free(source);
    }
    if (p->faults) printf("$ %s\n%s? %d\n", p->command, p->output, p->status);
    free(p->command);
    free(p->output);
    free(p->text);
    free(p->pattern);
    p->command = p->output = p->text = p->pattern = NULL;
}

static void run(transcript *p, char *command) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("output", "w", stdout) || dup2(1, 2) < 0) _exit(126);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) exit(2);
    p->command = command;
    p->output = read_file("output");
    p->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    p->status_said = false;
}

// Whether the output matches; `line` is what is told of an expression that is none.
static bool matches(transcript *p, const char *expression, const char *line) {
    char *pattern = append(NULL, expression);
    for (char *at = pattern; (at = strchr(at, '\\')) != NULL && at[1]; at++) {
        if (at[1] == 'n') {
            *at = '\n';
            memmove(at + 1, at + 2, strlen(at + 2) + 1);
        } else {
            at++;
        }
    }
    regex_t regex;
    if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0) {
        fault(p, "no regular expression", line);
        free(pattern);
        return true;
    }
    bool found = regexec(&regex, p->output, 0, NULL, 0) == 0;
    regfree(&regex);
    free(pattern);
    return found;
}

static void expect(transcript *p, const char *line) {
    if (strncmp(line, "? ", 2) == 0) {
        p->status_said = true;
        if (strcmp(line, "? any") != 0 && atoi(line + 2) != p->status)
            fault(p, "ended otherwise", line);
    } else if (strncmp(line, "~ ", 2) == 0) {
        p->pattern = append(append(append(p->pattern, p->pattern ? ".*(" : "("), line + 2), ")");
        if (!matches(p, p->pattern, line)) fault(p, "not found", line);
    } else if (strncmp(line, "!~ ", 3) == 0) {
        if (matches(p, line + 3, line)) fault(p, "found", line);
    } else if (line[0] == '|') {
        p->text = append(append(p->text, line[1] ? line + 2 : ""), "\n");
    }
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "usage: kit-session FILE WORK SOURCE\n");
        return 2;
    }
    char *section = read_file(arguments[1]);
    char *work = append(append(append(NULL, "rm -rf -- '"), arguments[2]), "'");
    if (system(work) != 0 || mkdir(arguments[2], 0777) != 0 || chdir(arguments[2]) != 0) {
        perror(arguments[2]);
        return 2;
    }
    transcript p = {.source = arguments[3]};
    int commands = 0;
    char *rest = section;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (strncmp(line, "$ ", 2) != 0) {
            if (p.command) expect(&p, line);
            continue;
        }
        close_command(&p);
        char *command = append(NULL, line + 2);
        while (rest && strncmp(rest, "  ", 2) == 0)
            command = append(append(command, "\n"), strsep(&rest, "\n"));
        run(&p, command);
        commands++;
    }
    close_command(&p);
    free(section);
    free(work);
    if (commands == 0) printf("no command in %s\n", arguments[1]);
    return p.faults || commands == 0;
}
