// What is looked at in pages: links, quoted files, the card of each rate, the front page. Each
// function prints its faults and returns 0 when there is none.
#include <ctype.h>
#include <glob.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include "docs.h"

enum { PATH_BYTES = 4096, NAMES = 4096 };

// Where a page is read, and how many faults it has.
typedef struct page {
    const char *name;
    int line, faults;
} page;

__attribute__((format(printf, 2, 3))) static void fault(page *p, const char *format, ...) {
    va_list words;
    va_start(words, format);
    printf("%s:%d: ", p->name, p->line);
    vprintf(format, words);
    va_end(words);
    putchar('\n');
    p->faults++;
}

static bool is_fence(const char *line) {
    return strncmp(line + strspn(line, " \t"), "```", 3) == 0;
}

static bool enter(const char *root) {
    if (chdir(root) == 0) return true;
    perror(root);
    return false;
}

// Texts that were read, for the length of the program.
typedef struct names {
    char *all[NAMES];
    int count;
} names;

static bool has_name(const names *in, const char *name) {
    for (int i = 0; i < in->count; i++)
        if (strcmp(in->all[i], name) == 0) return true;
    return false;
}

static void add_name(names *to, const char *name) {
    if (to->count < NAMES) to->all[to->count++] = strdup(name);
}

// ---- Links ----

// A heading as the name of its anchor: lower case, blanks as dashes, punctuation left out.
static void make_anchor(const char *heading, char *out, size_t bytes) {
    size_t used = 0;
    for (const char *c = heading; *c != '\0' && used + 1 < bytes; c++)
        if (isalnum((unsigned char)*c) || strchr("_- ", *c))
            out[used++] = (char)(*c == ' ' ? '-' : tolower((unsigned char)*c));
    out[used] = '\0';
}

static bool has_heading(const char *path, const char *name) {
    char *text = text_read(path), *rest = text, anchor[512];
    bool fenced = false, found = false;
    for (char *line; !found && (line = text_line(&rest));) {
        if (is_fence(line)) {
            fenced = !fenced;
        } else if (!fenced && text_has(line, "^#+ ")) {
            line += strspn(line, "#");
            make_anchor(line + strspn(line, " "), anchor, sizeof anchor);
            found = strcmp(anchor, name) == 0;
        }
    }
    free(text);
    return found;
}

// "a/./b", "a/../b" and "./b" as "a/b", "b" and "b", in place.
static void shorten_path(char *path) {
    char *parts[128], *rest = strdup(path), *text = rest;
    int count = 0;
    for (char *part; count < 128 && (part = strsep(&rest, "/"));) {
        bool up = strcmp(part, "..") == 0 && count > 0 && strcmp(parts[count - 1], "..") != 0;
        if (up) count--;
        else if (strcmp(part, ".") != 0) parts[count++] = part;
    }
    path[0] = '\0';
    for (int i = 0; i < count; i++)
        sprintf(path + strlen(path), "%s%s", i > 0 ? "/" : "", parts[i]);
    free(text);
}

// Figures of the decks' list and pages of recordings, which are made and not tracked.
static const names *made_files(void) {
    static names made;
    static const char *const lists[][3] = {
        {"slides/figures.txt", "slides/", ""},
        {"docs/site/recordings.txt", "slides/recordings/", ".html"}};
    for (int i = 0; i < 2 && made.count < NAMES && (i > 0 || made.count == 0); i++) {
        char *text = text_read(lists[i][0]), *rest = text, path[PATH_BYTES];
        for (char *line; (line = text_line(&rest));) {
            snprintf(path, sizeof path, "%s%.*s%s", lists[i][1], (int)strcspn(line, " "), line,
                     lists[i][2]);
            add_name(&made, path);
        }
        free(text);
    }
    return &made;
}

static void follow(page *p, const char *target, const names *made) {
    size_t cut = strcspn(target, "#");
    const char *name = target[cut] == '#' ? target + cut + 1 : "";
    char path[PATH_BYTES], *folder = text_folder(p->name);
    if (cut == 0) snprintf(path, sizeof path, "%s", p->name);
    else snprintf(path, sizeof path, "%s/%.*s", folder, (int)cut, target);
    free(folder);
    shorten_path(path);
    if (has_name(made, path)) return;
    size_t length = strlen(path);
    if (access(path, F_OK) != 0) fault(p, "there is no %s", path);
    else if (name[0] && length > 3 && strcmp(path + length - 3, ".md") == 0 &&
             !has_heading(path, name))
        fault(p, "%s has no heading for #%s", path, name);
}

// words: ROOT PAGE..: does every relative link of the pages lead somewhere? The file must exist,
// or be a figure that slides/figures.txt draws, or a page of docs/site/recordings.txt, and after a
// # in a page there must be a heading with that anchor.
int check_links(int count, char **words) {
    if (!enter(words[0])) return 2;
    const names *made = made_files();
    int links = 0, faults = 0;
    for (int i = 1; i < count; i++) {
        page p = {.name = words[i]};
        char *text = text_read(words[i]), *rest = text;
        bool fenced = false;
        for (char *line; (line = text_line(&rest));) {
            p.line++;
            fenced ^= is_fence(line);
            if (fenced) continue;
            text_remove(line, "`[^`]*`");
            size_t length;
            for (const char *at = line; (at = text_find(at, "\\]\\([^) ]+\\)", &length));
                 at += length) {
                char target[PATH_BYTES];
                snprintf(target, sizeof target, "%.*s", (int)length - 3, at + 2);
                if (text_has(target, "^[a-z]+:")) continue;
                links++;
                follow(&p, target, made);
            }
        }
        faults += p.faults;
        free(text);
    }
    printf("links: %d followed\n", links);
    return faults > 0;
}

// ---- Quotes ----

static char *trimmed(char *text) {
    text += strspn(text, " \t");
    for (size_t n = strlen(text); n > 0 && strchr(" \t", text[n - 1]); n--) text[n - 1] = '\0';
    return text;
}

static bool has_line(const char *path, const char *wanted) {
    char *text = text_read(path), *rest = text;
    bool found = false;
    for (char *line; !found && (line = text_line(&rest));)
        found = strcmp(trimmed(line), wanted) == 0;
    free(text);
    return found;
}

// Paths of the kit in a line; *path becomes the last one that is a file.
static void take_paths(page *p, const char *line, char path[PATH_BYTES]) {
    size_t length;
    for (const char *at = line;
         (at = text_find(at, "`(common|labs|solutions|autograder|slides|docs)/[^` ]*`", &length));
         at += length) {
        char name[PATH_BYTES], *csv;
        struct stat info;
        snprintf(name, sizeof name, "%.*s", (int)length - 2, at + 1);
        if (text_has(name, "[<>*]|42_|NN_|(CARD|ID)\\.")) continue;
        if ((csv = strstr(name, ".csv:"))) csv[4] = '\0'; // a document in it
        if (stat(name, &info) != 0) fault(p, "there is no %s", name);
        else if (S_ISREG(info.st_mode)) snprintf(path, PATH_BYTES, "%s", name);
    }
}

// words: ROOT PAGE..: do pages tell the truth about files? Every path in backquotes that begins
// with one of the kit's top folders must exist, and every line of a fenced block that follows such
// a path (the last one named before it) must stand in that file.
int check_quotes(int count, char **words) {
    if (!enter(words[0])) return 2;
    int faults = 0;
    for (int i = 1; i < count; i++) {
        page p = {.name = words[i]};
        char *text = text_read(words[i]), *rest = text, path[PATH_BYTES] = "";
        bool fenced = false;
        int quotes = 0;
        for (char *line; (line = text_line(&rest));) {
            p.line++;
            if (is_fence(line)) {
                fenced = !fenced;
                quotes += fenced && path[0];
                if (!fenced) path[0] = '\0';
            } else if (!fenced) {
                take_paths(&p, line, path);
            } else if (path[0] && *trimmed(line) != '\0' && !has_line(path, trimmed(line))) {
                fault(&p, "%s has no line: %s", path, trimmed(line));
            }
        }
        if (fenced) fault(&p, "a block does not end");
        printf("%s: %d quoted blocks\n", words[i], quotes);
        faults += p.faults;
        free(text);
    }
    return faults > 0;
}

// ---- Rates ----

// A paragraph, and what the page has said before it.
typedef struct rates {
    page page;
    bool lab, steps, told; // told: which card the page's numbers are of
    char shown[32];        // the card of the page's first figure, "" without
    char text[1 << 15];    // of the paragraph
    int from;              // its first line
} rates;

// A number that is filled in for the card of docs/card.txt, with its mark, becomes '@'.
static void mark_filled(char *text) {
    size_t length;
    for (char *at = text;
         (at = (char *)text_find(at, "(H[0-9]+|-?[0-9][0-9.,]*)<!--= [^>]*-->", &length));) {
        *at = '@';
        memmove(at + 1, at + length, strlen(at + length) + 1);
    }
}

static void look_at_paragraph(rates *r) {
    size_t length;
    r->page.line = r->from;
    if (r->lab && !r->steps && !r->told) {
        const char *at =
            text_find(r->text, "([Rr]ates|[Tt]imes|[Gg]ains)[^.]*( H[12]00| @)", &length);
        r->told = at;
        if (at && at[length - 1] != '@')
            fault(&r->page, "the page says which card it tells of, not filled in");
        if (at && text_has(r->shown, "^h[0-9]+$"))
            fault(&r->page, "the page tells of docs/card.txt, its first figure of an %s", r->shown);
    }
    if (r->lab && !r->told && strchr(r->text, '@'))
        fault(&r->page, "a number of the card, which the page has not named before");
    text_remove(r->text, "\"[^\"]*\"");
    if (text_has(
            r->text,
            "[0-9] ([GT]B/s|[GT]FLOP/s|us|µs|ms)([^A-Za-z0-9]|$)|[0-9] times (as "
            "(fast|long|slow)|the rate|slower|faster)|[0-9] % (of the ([a-z-]+ )?ceiling|slower|"
            "faster)") &&
        !text_has(r->text, "H[12]00|8800|GTX|RTX|[Mm]odel"))
        fault(&r->page, "a rate without a card");
    r->text[0] = '\0';
}

// The card of the first figure of FIGURES/LAB/figures.txt, which ladder-lab makes of lab.json.
static void find_shown(const char *figures, const char *path, char out[32]) {
    char *folder = text_folder(path), list[PATH_BYTES];
    snprintf(list, sizeof list, "%s/%s/figures.txt", figures, text_base(folder));
    char *text = text_read(list), *rest = text, *line = text_line(&rest);
    const char *at = line ? text_find(line, "measured/[A-Za-z0-9]*\\.csv:[^/ ]* ", NULL) : NULL;
    snprintf(out, 32, "%.*s", at ? (int)strcspn(at + 9, ".") : 0, at ? at + 9 : "");
    free(text);
    free(folder);
}

static int look_at_rates(const char *path, const char *figures) {
    static rates r;
    r = (rates){.page = {.name = path}, .lab = text_has(path, "^labs/.*/README\\.md$")};
    find_shown(figures, path, r.shown);
    char *text = text_read(path), *rest = text;
    bool fenced = false, generated = false;
    int number = 0;
    for (char *line; (line = text_line(&rest));) {
        number++;
        if (r.lab) mark_filled(line);
        fenced ^= strncmp(line, "```", 3) == 0;
        if (text_has(line, "^<!-- /?ladder:")) generated = line[5] != '/';
        if (fenced || generated || line[0] == '|') continue;
        if (line[strspn(line, " ")] == '\0') {
            look_at_paragraph(&r);
            continue;
        }
        r.steps = r.steps || strncmp(line, "## Step", 7) == 0;
        if (!r.text[0]) r.from = number;
        size_t used = strlen(r.text);
        snprintf(r.text + used, sizeof r.text - used, " %s", line);
    }
    look_at_paragraph(&r);
    free(text);
    return r.page.faults;
}

// words: KIT FIGURES: each rate, time and gain in the text of a page, a lab's hints, a deck or a
// walkthrough has its card: the paragraph names it, or says that the model gives them. In a lab's
// page they may also be filled in for the card of docs/card.txt (marks after them, numbers.c); then
// a sentence before the first step says so, with the card's name filled in, too, and the first
// figure of FIGURES/LAB/figures.txt shows CARD.
int check_rates(int count, char **words) {
    static const char *const patterns[] = {
        "labs/[0-9]*/README.md", "labs/[0-9]*/hints.md",      "README.md", "docs/*.md",
        "slides/*.md",           "solutions/*/walkthrough.md"};
    int faults = 0;
    if (count != 2 || !enter(words[0])) return 2;
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
        glob_t files = {0};
        if (glob(patterns[p], 0, NULL, &files) == 0)
            for (size_t i = 0; i < files.gl_pathc; i++)
                faults += look_at_rates(files.gl_pathv[i], words[1]);
        globfree(&files);
    }
    return faults > 0;
}

// ---- The front page ----

static const char *const elements[] = {"^A course kit ",
                                       "^For students, ",
                                       "No GPU is needed",
                                       "ERR_NVGPUCTRPERM",
                                       "^!.*docs/page.png",
                                       "^./ladder run ",
                                       "^./ladder test ",
                                       "ladder:output step ",
                                       "fixes it",
                                       "adds your row",
                                       "ladder:output race: ",
                                       "ladder:labs all ",
                                       "Points come from counts",
                                       " a student ",
                                       " learning alone ",
                                       " an instructor ",
                                       " curious ",
                                       "Requirements and limits",
                                       "^MIT licence",
                                       "To cite: "};
enum { ELEMENTS = sizeof elements / sizeof elements[0], FRONT_LINES = 90 };

// words: PAGE: is the front page short, and does it have what a visitor looks for? At most 90
// lines, and these elements, in this order.
int check_front_page(int count, char **words) {
    if (count != 1) return 2;
    char *text = text_read(words[0]), *rest = text;
    int at[ELEMENTS] = {0}, number = 0, faults = 0, last = 0;
    for (char *line; (line = text_line(&rest));) {
        number++;
        for (int i = 0; i < ELEMENTS; i++)
            if (!at[i] && text_has(line, elements[i])) at[i] = number;
    }
    for (int i = 0; i < ELEMENTS; i++) {
        if (!at[i]) printf("%s: no line with: %s\n", words[0], elements[i]);
        if (at[i] && at[i] < last)
            printf("%s:%d: comes too early: %s\n", words[0], at[i], elements[i]);
        faults += !at[i] || at[i] < last;
        if (at[i]) last = at[i];
    }
    if (number > FRONT_LINES) {
        printf("%s: %d lines, more than %d\n", words[0], number, FRONT_LINES);
        faults++;
    }
    printf("front page: %d lines, %d faults\n", number, faults);
    free(text);
    return faults > 0;
}
