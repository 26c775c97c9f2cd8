// The program ladder-run-LAB: `ladder run`, `next` and `hint` of one lab, without the other labs,
// the grader and its reports. The launcher builds it for a first run, which waits for little else;
// it must say and do what `ladder` does.
#include "commands/command.h"
#include <locale.h>

int main(int argc, char **argv) {
    setlocale(LC_CTYPE, ""); // as main.c
    const char *name = argc > 1 ? argv[1] : "";
#define ANSWERS(command)                                                                           \
    if (strcmp(name, #command) == 0)                                                               \
        return ladder_command_end(name, ladder_cmd_##command(argc - 1, argv + 1));
    ANSWERS(run)
    ANSWERS(next)
    ANSWERS(hint)
    fputs("usage: ladder-run-LAB run|next|hint [arguments of that command of ladder]\n", stderr);
    return LADDER_EXIT_USAGE;
}
