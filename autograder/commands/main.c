// The `ladder` program: finds the command in commands.def and runs it. Each command has a file of
// its name. Commands without a function belong to the launcher script, which starts this program
// for everything else.
#include "commands/command.h"
#include <locale.h>

static const ladder_command commands[] = {
#define LADDER_COMMANDS_OF(who)                   {NULL, who, NULL, false},
#define LADDER_COMMAND(identifier, name, summary) {name, summary, ladder_cmd_##identifier, false},
#define LADDER_KIT_COMMAND(identifier, name, summary)                                              \
    {name, summary, ladder_cmd_##identifier, true},
#include "commands/commands.def"
#undef LADDER_KIT_COMMAND
#undef LADDER_COMMAND
#undef LADDER_COMMANDS_OF
    {"install", "install what the kit needs: toolkit, compiler, CMake", NULL, false},
    {"docs", "build the documentation site", NULL, false},
    {"test", "the whole test suite", NULL, true},
    {"format", "lay out all source files", NULL, true},
    {"tables", "renew generated tables and figures", NULL, true},
    {"counters", "renew the comparison of counters", NULL, true},
    {"coverage", "renew the tables of what is simulated", NULL, true},
    {"budget", "lower the rows of budget.txt", NULL, true},
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

// The commands that this kit has, below their headings.
static void print_commands(FILE *out) {
    const char *heading = NULL;
    bool handout = ladder_command_is_handout();
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const ladder_command *c = &commands[i];
        if (!c->name) heading = c->summary;
        if (!c->name || (handout && c->whole_kit)) continue;
        if (heading) fprintf(out, "\n%s:\n", heading);
        heading = NULL;
        fprintf(out, "  %-9s %s\n", c->name, c->summary);
    }
}

static void print_help(FILE *out) {
    fputs("Kernel Ladder: GPU kernels from naive to the hardware's limit, step by step.\n\n"
          "usage: ladder COMMAND [arguments]\n"
          "       ladder                        where you were: ladder next\n",
          out);
    print_commands(out);
    fprintf(out,
            "\nA lab answers to its number, short name or folder: 2, reduction, 02_reduction.\n"
            "The simulator has these devices, the first one by default:\n  %s.\n"
            "--device NAME, or LADDER_SIM_DEVICE=NAME in the environment, chooses another;\n"
            "ladder devices says more of them.\n"
            "Example: ./ladder run first_kernel\n"
            "More on a command: ladder COMMAND --help\n",
            sim_device_names());
}

// Runs the command that argv[0] names.
static int answer(int argc, char **argv) {
    const char *word = argv[0];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        print_help(stdout);
        return LADDER_EXIT_OK;
    }
    const char *names[COMMAND_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (!commands[i].name) continue;
        names[count++] = commands[i].name;
        if (strcmp(word, commands[i].name) != 0) continue;
        if (commands[i].whole_kit && ladder_command_is_handout()) {
            fprintf(stderr,
                    "ladder %s: this kit is a handout, and the command belongs to the whole kit\n",
                    word);
            return LADDER_EXIT_FAILED;
        }
        if (commands[i].run) return commands[i].run(argc, argv);
        fprintf(stderr,
                "ladder %s: this command belongs to the launcher at the top of the kit: "
                "./ladder %s\n",
                word, word);
        return LADDER_EXIT_USAGE;
    }
    char plain[80];
    ladder_plain(word, false, plain, sizeof plain);
    const char *meant = ladder_suggest(word, names, count);
    fprintf(stderr, "ladder: unknown command '%s'%s%s%s\nSee: ladder --help\n", plain,
            meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    return LADDER_EXIT_USAGE;
}

int main(int argc, char **argv) {
    setlocale(LC_CTYPE, ""); // may the terminal show more than ASCII? Numbers stay in the C locale
    char *alone[] = {"next", NULL};
    char **words = argc < 2 ? alone : argv + 1;
    return ladder_command_end(words[0], answer(argc < 2 ? 1 : argc - 1, words));
}
