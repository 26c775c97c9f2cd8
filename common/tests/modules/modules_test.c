// Holds a component's files to its modules (modules.txt in its root): includes and undefined
// symbols point downwards, circles of files are those that modules.txt names, and a header is
// reached by one path. Lines of modules.txt:
//
//   MODULE [MODULE..]        a level, the topmost first; modules of one level know nothing of each
//                            other
//   beside: FOLDER..         folders of the root that are no modules
//   names: N                 how many files and folders the root may show, at most
//   circle: FILE.. : reason  source files that call each other, and why they may
//   headers: by name         each module's folder is an include folder: includes are written from
//                            there, not from the root; folders in it are parts of the module
//
// usage: modules_test ROOT NM OBJECT_LIST [OTHER_ROOT..]; OTHER_ROOTs are include folders of other
// components. Exits with 1 after printing each fault on a line of its own.
#include <dirent.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_MODULES = 64, MAX_FILES = 2048, MAX_CIRCLES = 64, PATH_BYTES = 512, LINE_BYTES = 4096 };

typedef struct module {
    char name[64];
    int level; // 0 is the topmost
} module;

typedef struct source { // a file below the root, by its path from there
    char path[PATH_BYTES];
    int module;
    // Of C files: the others that define what it calls.
    bool calls[MAX_FILES];
    int order, lowest; // of the search for circles; order 0: not met
    bool on_path;
} source;

typedef struct symbol {
    char *name;
    int file;
} symbol;

static const char *root;
static module modules[MAX_MODULES];
static source *files; // [MAX_FILES]
static char besides[MAX_MODULES][64], circles[MAX_CIRCLES][LINE_BYTES];
static bool circle_met[MAX_CIRCLES];
static int module_count, file_count, beside_count, circle_count, fault_count;
static bool headers_by_name;
static int names, names_most; // of the root: how many, and at most (0: any number)

static void fault(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void fault(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
    fault_count++;
}

static void give_up(const char *what, const char *name) {
    fprintf(stderr, "modules_test: %s: %s\n", what, name);
    exit(2);
}

static bool exists(const char *folder, const char *name) {
    char path[3 * PATH_BYTES];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static bool is_source(const char *end) {
    static const char *const ends[] = {".c", ".h", ".cu", ".def"};
    for (int i = 0; i < 4; i++)
        if (strcmp(end, ends[i]) == 0) return true;
    return false;
}

static bool ends_with(const char *text, const char *end) {
    size_t text_bytes = strlen(text), end_bytes = strlen(end);
    return text_bytes >= end_bytes && strcmp(text + text_bytes - end_bytes, end) == 0;
}

// ---- modules.txt --------------------------------------------------------------------------------

static int find_module(const char *name) {
    for (int i = 0; i < module_count; i++)
        if (strcmp(modules[i].name, name) == 0) return i;
    return -1;
}

static void read_modules(void) {
    char path[2 * PATH_BYTES], line[LINE_BYTES];
    snprintf(path, sizeof path, "%s/modules.txt", root);
    FILE *file = fopen(path, "r");
    if (!file) give_up("cannot read", path);
    for (int level = 0; fgets(line, sizeof line, file);) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "circle: ", 8) == 0) {
            if (circle_count == MAX_CIRCLES || !strstr(line + 8, " : "))
                give_up("bad circle", line);
            strcpy(circles[circle_count++], line + 8);
            continue;
        }
        if (strncmp(line, "names: ", 7) == 0) {
            names_most = atoi(line + 7);
            continue;
        }
        if (strcmp(line, "headers: by name") == 0) {
            headers_by_name = true;
            continue;
        }
        bool is_beside = strncmp(line, "beside: ", 8) == 0;
        if (!is_beside && (line[0] < 'a' || line[0] > 'z')) continue;
        for (char *word = strtok(is_beside ? line + 8 : line, " "); word;
             word = strtok(NULL, " ")) {
            if (module_count == MAX_MODULES || beside_count == MAX_MODULES || strlen(word) > 63)
                give_up("too many modules", path);
            if (is_beside) {
                strcpy(besides[beside_count++], word);
                continue;
            }
            if (find_module(word) >= 0) fault("modules.txt: %s is twice", word);
            strcpy(modules[module_count].name, word);
            modules[module_count++].level = level;
        }
        level += !is_beside;
    }
    fclose(file);
    if (module_count == 0) give_up("no module in", path);
}

// ---- files --------------------------------------------------------------------------------------

static bool is_beside(const char *folder) {
    for (int i = 0; i < beside_count; i++)
        if (strcmp(besides[i], folder) == 0) return true;
    return false;
}

// `folder`: from the root; "" is the root itself. `around`: the module that it lies in, or -1.
static void read_folder(const char *folder, int around) {
    char path[4 * PATH_BYTES], name[2 * PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", root, folder);
    DIR *directory = opendir(path);
    if (!directory) give_up("cannot open", path);
    int in = find_module(folder);
    if (in < 0 && headers_by_name) in = around;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.') continue;
        names += !*folder;
        int bytes =
            snprintf(name, sizeof name, "%s%s%s", folder, *folder ? "/" : "", entry->d_name);
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", root, name);
        if (bytes >= PATH_BYTES || stat(path, &info) != 0) give_up("cannot read", path);
        if (S_ISDIR(info.st_mode)) {
            if (!is_beside(name)) read_folder(name, in);
            continue;
        }
        const char *end = strrchr(name, '.');
        if (!end || !is_source(end)) continue;
        if (in < 0) fault("%s: lies in no module of modules.txt", name);
        if (in < 0) continue;
        if (file_count == MAX_FILES) give_up("too many files below", root);
        strcpy(files[file_count].path, name);
        files[file_count++].module = in;
    }
    closedir(directory);
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const source *)a)->path, ((const source *)b)->path);
}

static int find_file(const char *path) {
    for (int i = 0; i < file_count; i++)
        if (strcmp(files[i].path, path) == 0) return i;
    return -1;
}

// An arrow from one file to another: down, or inside a module.
static bool may_know(int from, int to) {
    int a = files[from].module, b = files[to].module;
    return a == b || modules[a].level < modules[b].level;
}

// ---- includes -----------------------------------------------------------------------------------

// The file that an include names, or -1; counts the folders in which a compiler would find one.
static int find_header(const char *name, int *matches) {
    char path[2 * PATH_BYTES];
    int found = -1;
    for (int i = 0; i < (headers_by_name ? module_count : 1); i++) {
        snprintf(path, sizeof path, "%s/%s", modules[i].name, name);
        int at = find_file(headers_by_name ? path : name);
        if (at < 0) continue;
        found = at;
        ++*matches;
    }
    return found;
}

static void check_include(int from, int line, const char *name, char *const *others) {
    const char *path = files[from].path;
    char folder[2 * PATH_BYTES];
    snprintf(folder, sizeof folder, "%s/%.*s", root, (int)(strrchr(path, '/') - path), path);
    int matches = 0, to = find_header(name, &matches);
    for (; *others; others++) matches += exists(*others, name);
    if (!headers_by_name && exists(folder, name))
        fault("%s:%d: \"%s\" is not written from the root, or hides another header", path, line,
              name);
    else if (matches > 1) fault("%s:%d: \"%s\" is reached by %d paths", path, line, name, matches);
    else if (to >= 0 && !may_know(from, to))
        fault("%s:%d: includes %s, which does not stand below it", path, line, name);
}

static void check_includes(char *const *others) {
    char path[2 * PATH_BYTES], line[LINE_BYTES], name[PATH_BYTES];
    for (int i = 0; i < file_count; i++) {
        snprintf(path, sizeof path, "%s/%s", root, files[i].path);
        FILE *file = fopen(path, "r");
        if (!file) give_up("cannot read", path);
        for (int number = 1; fgets(line, sizeof line, file); number++)
            if (sscanf(line, " # include \"%511[^\"]\"", name) == 1)
                check_include(i, number, name, others);
        fclose(file);
    }
}

// ---- symbols ------------------------------------------------------------------------------------

// From ".../CMakeFiles/target.dir/kit/text.c.o" to the file; -1 for what was generated.
static int file_of_object(const char *object) {
    char path[LINE_BYTES];
    const char *cmake = strstr(object, "/CMakeFiles/"),
               *dir = cmake ? strstr(cmake, ".dir/") : NULL;
    if (!dir || !ends_with(object, ".o")) give_up("not an object of CMake's", object);
    const char *name = dir + 5;
    if (strncmp(name, "./", 2) == 0) name += 2;
    int bytes = snprintf(path, sizeof path, "%.*s/%.*s", (int)(cmake - object), object,
                         (int)strlen(name) - 2, name);
    if (bytes >= (int)sizeof path) give_up("too long", object);
    for (char *at = path; at;
         at = strchr(at + 1, '/')) { // some tail of it is the path from the root
        int file = find_file(at + (*at == '/'));
        if (file >= 0) return file;
    }
    return -1;
}

static symbol *wanted, *defined;
static size_t wanted_count, defined_count;

static void note(symbol **list, size_t *count, const char *name, int file) {
    if (*count % 1024 == 0) *list = realloc(*list, (*count + 1024) * sizeof **list);
    if (!*list) give_up("no memory for", name);
    (*list)[(*count)++] = (symbol){strdup(name), file};
}

// Lines of nm: "OBJECT: NAME TYPE ..".
static void read_symbols(const char *nm, const char *list) {
    char command[3 * LINE_BYTES], line[2 * LINE_BYTES], last[2 * LINE_BYTES] = "", *colon;
    int file = -1;
    snprintf(command, sizeof command, "tr '\\n' '\\0' <'%s' | xargs -0 '%s' -A -P -g", list, nm);
    FILE *symbols = popen(command, "r");
    if (!symbols) give_up("cannot run", command);
    while (fgets(line, sizeof line, symbols)) {
        char name[LINE_BYTES], type;
        if (!(colon = strstr(line, ": "))) continue;
        *colon = '\0';
        if (strcmp(line, last) != 0) file = file_of_object(strcpy(last, line));
        if (file < 0 || sscanf(colon + 2, "%4095s %c", name, &type) != 2) continue;
        if (strchr("Uwv", type)) note(&wanted, &wanted_count, name, file); // w, v: weak references
        else note(&defined, &defined_count, name, file);
    }
    if (pclose(symbols) != 0) give_up("failed", command);
    if (defined_count == 0) give_up("no symbols in", list);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const symbol *)a)->name, ((const symbol *)b)->name);
}

static void check_symbols(void) {
    qsort(defined, defined_count, sizeof *defined, by_name);
    for (size_t i = 0; i < wanted_count; i++) {
        const symbol *found = bsearch(&wanted[i], defined, defined_count, sizeof *defined, by_name);
        if (!found || found->file == wanted[i].file) continue;
        bool is_new = !files[wanted[i].file].calls[found->file];
        files[wanted[i].file].calls[found->file] = true;
        if (is_new && !may_know(wanted[i].file, found->file))
            fault("%s: uses %s of %s, which does not stand below it", files[wanted[i].file].path,
                  wanted[i].name, files[found->file].path);
    }
}

// ---- circles ------------------------------------------------------------------------------------

static bool names_file(const char *circle, const char *path) {
    size_t bytes = strlen(path);
    const char *end = strstr(circle, " : ");
    for (const char *at = circle; (at = strstr(at, path)) && at < end; at++)
        if ((at == circle || at[-1] == ' ') && at[bytes] == ' ') return true;
    return false;
}

static void check_circle(const int *members, int count) {
    for (int c = 0; c < circle_count; c++) {
        int named = 0, words = 0;
        for (int i = 0; i < count; i++) named += names_file(circles[c], files[members[i]].path);
        for (const char *at = circles[c], *end = strstr(at, " : "); at && at < end;
             at = strchr(at + 1, ' '))
            words++;
        if (named != count || words != count) continue;
        circle_met[c] = true;
        return;
    }
    printf("circle of %d files:", count);
    for (int i = 0; i < count; i++) printf(" %s", files[members[i]].path);
    fault(": not named in modules.txt");
}

// Tarjan's search for strongly connected components.
static int stack[MAX_FILES], stack_count, visited;

static void search(int at) {
    source *file = &files[at];
    file->order = file->lowest = ++visited;
    stack[stack_count++] = at;
    file->on_path = true;
    for (int next = 0; next < file_count; next++) {
        if (!file->calls[next]) continue;
        if (!files[next].order) search(next);
        if (files[next].on_path && files[next].lowest < file->lowest)
            file->lowest = files[next].lowest;
    }
    if (file->lowest != file->order) return;
    int first = stack_count;
    do files[stack[--first]].on_path = false;
    while (stack[first] != at);
    if (stack_count - first > 1) check_circle(stack + first, stack_count - first);
    stack_count = first;
}

int main(int argc, char **argv) {
    if (argc < 4) give_up("usage", "modules_test ROOT NM OBJECT_LIST [OTHER_ROOT..]");
    root = argv[1];
    files = calloc(MAX_FILES, sizeof *files);
    if (!files) give_up("no memory for", root);
    read_modules();
    read_folder("", -1);
    if (names_most > 0 && names > names_most)
        fault("%d names in the root, at most %d", names, names_most);
    qsort(files, (size_t)file_count, sizeof *files, by_path);
    check_includes(argv + 4);
    read_symbols(argv[2], argv[3]);
    check_symbols();
    for (int i = 0; i < file_count; i++)
        if (!files[i].order) search(i);
    for (int c = 0; c < circle_count; c++)
        if (!circle_met[c]) fault("modules.txt: there is no circle of %s", circles[c]);
    printf("%d files in %d modules, %d circles, %d faults\n", file_count, module_count,
           circle_count, fault_count);
    return fault_count > 0;
}
