// Plays a session of the Debug Adapter Protocol: starts the debugger (player LADDER debug --dap ..)
// and writes what goes to it and what comes from it. Of its standard input these lines count:
//   > COMMAND {ARGUMENTS}   a request; what comes up to its answer is read
//   ~ EVENT                 reads up to this event
//   ! TEXT                  bytes as they are, with \r and \n; then waits for the debugger's end
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static FILE *to, *from;
static int sent;

static void start(char **argv) {
    int there[2], back[2];
    if (pipe(there) != 0 || pipe(back) != 0) exit(3);
    if (fork() == 0) {
        dup2(there[0], STDIN_FILENO);
        dup2(back[1], STDOUT_FILENO);
        close(there[0]);
        close(there[1]);
        close(back[0]);
        close(back[1]);
        execv(argv[0], argv);
        _exit(127);
    }
    close(there[0]);
    close(back[1]);
    to = fdopen(there[1], "w");
    from = fdopen(back[0], "r");
}

// One message, written too; NULL: the debugger has ended.
static char *receive(void) {
    char head[64];
    size_t bytes = 0;
    while (fgets(head, sizeof head, from) && strcmp(head, "\r\n") != 0)
        if (sscanf(head, "Content-Length: %zu", &bytes) != 1) exit(4);
    char *text = bytes > 0 ? calloc(1, bytes + 1) : NULL;
    if (!text || fread(text, 1, bytes, from) != bytes) return NULL;
    text[strcspn(text, "\n")] = '\0';
    printf("< %s\n", text);
    return text;
}

// Reads until a message has all of the words.
static void await(const char *type, const char *word) {
    for (bool found = false; !found;) {
        char *text = receive();
        if (!text) {
            printf("the debugger has ended\n");
            exit(1);
        }
        found = strstr(text, type) && strstr(text, word);
        free(text);
    }
}

static void request(const char *line) {
    char word[64], text[4096];
    size_t name = strcspn(line, " ");
    const char *arguments = line[name] ? line + name + 1 : "{}";
    int length = snprintf(text, sizeof text,
                          "{\"seq\": %d, \"type\": \"request\", \"command\": \"%.*s\", "
                          "\"arguments\": %s}",
                          ++sent, (int)name, line, arguments);
    fprintf(to, "Content-Length: %d\r\n\r\n%s", length, text);
    fflush(to);
    snprintf(word, sizeof word, "\"request_seq\": %d,", sent);
    await("\"type\": \"response\"", word);
}

static void send_raw(const char *text) {
    for (; *text; text++) {
        bool escape = text[0] == '\\' && (text[1] == 'r' || text[1] == 'n');
        if (escape) text++;
        putc(!escape ? *text : *text == 'r' ? '\r' : '\n', to);
    }
    fflush(to);
}

int main(int argc, char **argv) {
    char *line = NULL, word[128];
    size_t capacity = 0;
    int status = 0;
    if (argc < 2) return 2;
    signal(SIGPIPE, SIG_IGN);
    start(argv + 1);
    while (getline(&line, &capacity, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '<' || line[0] == '\0') continue;
        printf("%s\n", line);
        snprintf(word, sizeof word, "\"event\": \"%s\"", line + 2);
        if (line[0] == '>') request(line + 2);
        else if (line[0] == '~') await("\"type\": \"event\"", word);
        else send_raw(line + 2);
        fflush(stdout);
    }
    fclose(to);
    for (char *rest; (rest = receive());) free(rest);
    wait(&status);
    printf("exit status %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 255);
    free(line);
    return 0;
}
