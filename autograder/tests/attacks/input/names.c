// Names of submissions that mean something to a file system or to the class.
#include <strings.h>

#include "attacks.h"

static const char step_file[] = "1_interleaved.cu";

// A class of submissions of these names with an empty step each.
static void put_named(const attack_setup *setup, const char *const *names, int count) {
    for (int i = 0; i < count; i++) {
        char path[512];
        snprintf(path, sizeof path, "in/%s/%s", names[i], step_file);
        attack_put(setup, path, " ");
    }
}

// Whether two of the submissions share an id where letter case makes no difference.
static bool share_an_id(const attack_setup *setup) {
    attack_class class;
    attack_find_class(setup, &class);
    bool shared = false;
    for (size_t i = 0; i < class.count; i++)
        for (size_t k = i + 1; k < class.count; k++)
            shared = shared || strcasecmp(class.list[i].id, class.list[k].id) == 0;
    ATTACK_MUST(class.count >= 2, "%zu submissions", class.count);
    attack_free_class(&class);
    return shared;
}

// attack: Two names differ in letter case only: on some file systems one folder of results.
// stopped by: DISTINCT_IDS
// expect: both get another id
// gains: one student's results are overwritten by another's
ATTACK(name_other_case) {
    static const char *const names[] = {"Ann", "ann", "bob"};
    put_named(setup, names, 3);
    return share_an_id(setup);
}

// attack: A name is spelled as the id that another, unusual name gets.
// stopped by: DISTINCT_IDS
// expect: both get another id
// gains: one student's results are overwritten by another's
ATTACK(name_is_other_id) {
    static const char victim[] = "J\xc3\xb6rg M\xc3\xbcller";
    char id[96];
    ladder_submission_id(victim, id);
    const char *const names[] = {victim, id};
    put_named(setup, names, 2);
    return share_an_id(setup);
}

// attack: The same, and a third name is spelled as what the first two become.
// stopped by: DISTINCT_IDS
// expect: all three get another id
// gains: one student's results are overwritten by another's
ATTACK(name_is_next_id) {
    static const char victim[] = "x y";
    char id[96];
    ladder_submission_id(victim, id);
    const char *first[] = {victim, id, NULL};
    put_named(setup, first, 2);
    attack_class class;
    attack_find_class(setup, &class);
    put_named(setup, (const char *const[]){class.list[1].id}, 1);
    attack_free_class(&class);
    return share_an_id(setup);
}

// attack: Two names differ in a dot at the end, which some file systems leave out.
// stopped by: DISTINCT_IDS
// expect: the dot is replaced and a hash put behind
// gains: an id that ends with a dot
ATTACK(name_trailing_dot) {
    static const char *const names[] = {"ann", "ann."};
    put_named(setup, names, 2);
    attack_class class;
    attack_find_class(setup, &class);
    const char *id = class.list[attack_index(&class, "ann.")].id;
    bool gained = id[strlen(id) - 1] == '.';
    attack_free_class(&class);
    return gained;
}

// Whether an id of the class holds one of these characters, or begins with one.
static bool an_id_holds(const attack_setup *setup, const char *characters) {
    attack_class class;
    attack_find_class(setup, &class);
    bool holds = false;
    ATTACK_MUST(class.count > 0, "no submission");
    for (size_t i = 0; i < class.count; i++) holds = holds || strpbrk(class.list[i].id, characters);
    attack_free_class(&class);
    return holds;
}

// attack: A name holds a line end and a row of results.
// stopped by: SAFE_IDS
// expect: another character stands for each
// gains: a line of its own in the class's files
ATTACK(name_line_end) {
    put_named(setup, (const char *const[]){"ann\nladder.row 100 100"}, 1);
    return an_id_holds(setup, "\n");
}

// attack: A name holds escape sequences of a terminal.
// stopped by: SAFE_IDS
// expect: another character stands for each
// gains: the path of a report recolours or overwrites the terminal
ATTACK(name_escape_sequence) {
    put_named(setup, (const char *const[]){"ann\033[2J\033[1;1H"}, 1);
    return an_id_holds(setup, "\033");
}

// attack: A name is made of shell syntax.
// stopped by: SAFE_IDS
// expect: another character stands for each
// gains: a path that a script of the instructor would run
ATTACK(name_shell_syntax) {
    put_named(setup, (const char *const[]){"$(touch taken);`id`|x&"}, 1);
    return an_id_holds(setup, "$`;|&()");
}

// attack: A name begins with a dash, as options do.
// stopped by: SAFE_IDS
// expect: another character stands for it
// gains: a folder that a program takes for an option
ATTACK(name_is_option) {
    put_named(setup, (const char *const[]){"-rf"}, 1);
    attack_class class;
    attack_find_class(setup, &class);
    bool gained = class.list[0].id[0] == '-';
    attack_free_class(&class);
    return gained;
}

// attack: Two names of 250 bytes differ in the last one.
// stopped by: SAFE_IDS, DISTINCT_IDS
// expect: both are cut, a hash of the whole name behind
// gains: one student's results are overwritten by another's
ATTACK(name_over_long) {
    char names[2][251];
    for (int i = 0; i < 2; i++) {
        memset(names[i], 'x', 250);
        names[i][249] = (char)('a' + i);
        names[i][250] = '\0';
    }
    put_named(setup, (const char *const[]){names[0], names[1]}, 2);
    return share_an_id(setup);
}

// The class's table beside the results.
static bool table_is_written(const attack_setup *setup) {
    attack_class class;
    char path[LADDER_PATH];
    attack_run_class(setup, false, &class);
    ladder_path(path, NULL, "%s/results/summary.csv", setup->work);
    bool written = ladder_file_write(path, "table", 5, NULL) == KL_OK;
    attack_free_class(&class);
    return written;
}

// attack: A submission is called as the class's table is.
// stopped by: OWN_FOLDERS
// expect: both are written
// gains: the class's table cannot be written
ATTACK(name_of_class_table) {
    put_named(setup, (const char *const[]){"summary.csv"}, 1);
    return !table_is_written(setup);
}

// attack: A submission is called as the folder of the class's rows is.
// stopped by: OWN_FOLDERS
// expect: its reports lie elsewhere
// gains: its reports lie among the class's rows and beside their key
ATTACK(name_of_class_folder) {
    put_named(setup, (const char *const[]){"class"}, 1);
    attack_class class;
    char path[LADDER_PATH];
    attack_run_class(setup, false, &class);
    ladder_path(path, NULL, "%s/results/class/report.html", setup->work);
    attack_free_class(&class);
    return ladder_file_exists(path);
}
