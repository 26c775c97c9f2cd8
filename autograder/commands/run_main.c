// SPDX-License-Identifier: MIT
// The program ladder-run-LAB: `ladder run` of one lab, without the other labs, the grader and its
// reports. The launcher builds it for a first run, which waits for little else; it must say and do
// what `ladder run` does.
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "commands/command.h"

int main(int argc, char **argv) {
    setlocale(LC_CTYPE, ""); // as main.c
    if (argc < 2 || strcmp(argv[1], "run") != 0) {
        fputs("usage: ladder-run-LAB run LAB [arguments of ladder run]\n", stderr);
        return LADDER_EXIT_USAGE;
    }
    return ladder_command_end(argv[1], ladder_cmd_run(argc - 1, argv + 1));
}
