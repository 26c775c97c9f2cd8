// What is looked at in decks (slides/NN_name.md) and walkthroughs: their shape, numbers and code
// that they type, answers that a slide shows too early; and what a deck's pictures are called for
// those who cannot see them. Each function prints its faults and returns 0 when there is none.
#include <ctype.h>
#include <glob.h>
#include <stdarg.h>

#include "docs.h"

enum { PATH_BYTES = 4096 };

static bool begins(const char *line, const char *with) {
    return strncmp(line, with, strlen(with)) == 0;
}

// A slide begins with its heading. Not inside code, and not in the deck's head, which ends with its
// second rule.
static bool is_heading(const char *line) { return begins(line, "# "); }

// ---- Shape ----

typedef struct slide {
    char title[256];
    bool figure, notes, question, answer, command;
} slide;

typedef struct deck_shape {
    const char *name;
    int at, slides, figures, questions, live; // slides: without questions and answers
    char asked[256];                          // the question of the slide before, "" without
    bool draft;
    int faults;
} deck_shape;

__attribute__((format(printf, 2, 3))) static void complain(deck_shape *deck, const char *format,
                                                           ...) {
    va_list words;
    va_start(words, format);
    printf("%s: ", deck->name);
    vprintf(format, words);
    va_end(words);
    putchar('\n');
    deck->faults++;
}

static void end_slide(deck_shape *d, slide *s) {
    d->at++;
    if (d->asked[0] && !s->answer)
        complain(d, "slide %d is a question, and the next one no answer: %s", d->at - 1, d->asked);
    if (s->answer && !d->asked[0])
        complain(d, "slide %d is an answer without a question: %s", d->at, s->title);
    d->asked[0] = '\0';
    if (!s->question && !s->answer) {
        d->slides++;
        d->figures += s->figure;
    }
    if (!s->notes && !s->question) complain(d, "slide %d has no notes: %s", d->at, s->title);
    if (s->question) {
        d->questions++;
        snprintf(d->asked, sizeof d->asked, "%s", s->title);
        if (!text_has(s->title, " · [0-9]+ minutes?$"))
            complain(d, "slide %d does not say how many minutes the question takes: %s", d->at,
                     s->title);
    }
    d->live += s->answer && s->command;
    *s = (slide){.title = ""};
}

static void end_deck(deck_shape *d) {
    if (d->asked[0]) complain(d, "slide %d is a question, and the last slide: %s", d->at, d->asked);
    printf("%s: %d slides, %d of %d with a figure, %d questions, %d to be checked live%s\n",
           d->name, d->at, d->figures, d->slides, d->questions, d->live,
           d->draft ? ", a draft" : "");
    if (!d->draft && (d->at < 20 || d->slides > 40)) complain(d, "20 to 40 slides are a deck");
    if (!d->draft && d->figures * 2 <= d->slides)
        complain(d, "figures on %d of %d slides: not more than half", d->figures, d->slides);
    if (d->questions < 3) complain(d, "fewer than three questions");
    if (d->live < 2) complain(d, "fewer than two answers that the audience can check");
}

static void read_shape(slide *s, const char *line) {
    if (is_heading(line)) snprintf(s->title, sizeof s->title, "%s", line + 2);
    s->figure = s->figure || text_has(line, "^!\\[[^]]*\\]\\([^)]*\\.svg\\)$");
    s->question = s->question || begins(line, "# Question ");
    s->answer = s->answer || begins(line, "# Answer ");
    s->notes = s->notes || strcmp(line, "<!--") == 0;
}

// words: DECK..: has a deck 20 to 40 slides (those with questions and answers are not counted
// upwards), a figure on more than half of the others, notes on each but the questions, and three
// questions or more that say how many minutes they take, each with the answer on the next slide?
// Two answers have a command of ladder with its output, which the audience can run. One with
// "draft: true" above its first slide may be shorter.
int check_shape(int count, char **words) {
    int faults = 0;
    for (int i = 0; i < count; i++) {
        deck_shape d = {.name = text_base(words[i])};
        slide s = {.title = ""};
        char *text = text_read(words[i]), *rest = text;
        bool fenced = false;
        int rules = 0;
        for (char *line; (line = text_line(&rest));) {
            fenced ^= begins(line, "```");
            if (fenced) {
                s.command = s.command || begins(line, "$ ./ladder ");
            } else if (rules < 2) {
                rules += strcmp(line, "---") == 0;
                d.draft = d.draft || strcmp(line, "draft: true") == 0;
            } else {
                if (is_heading(line) && s.title[0]) end_slide(&d, &s);
                read_shape(&s, line);
            }
        }
        end_slide(&d, &s);
        end_deck(&d);
        faults += d.faults;
        free(text);
    }
    return faults > 0;
}

// ---- Numbers ----

// The cards whose numbers a slide, or a paragraph of a walkthrough, has, and what it says.
typedef struct said {
    struct {
        char name[16];
        int line;
    } cards[4];
    int count;
    char text[1 << 14];
} said;

static void note_card(said *s, const char *name, int line) {
    int at = 0;
    while (at < s->count && strcmp(s->cards[at].name, name) != 0) at++;
    if (at == 4) return;
    snprintf(s->cards[at].name, sizeof s->cards[at].name, "%s", name);
    s->cards[at].line = line;
    if (at == s->count) s->count++;
}

static int end_said(said *s, const char *file, const char *footer) {
    int typed = 0;
    for (int i = 0; i < s->count; i++) {
        const char *name = s->cards[i].name;
        if (strstr(s->text, name) || strstr(footer, name)) continue;
        printf("%s:%d: a number of an %s, which the slide does not name\n", file, s->cards[i].line,
               name);
        typed++;
    }
    s->count = 0;
    s->text[0] = '\0';
    return typed;
}

static void take_line(said *s, const char *line, int number, bool deck) {
    if (deck && text_has(line, "\\{\\{[^}]*CARD[^}]*\\}\\}")) note_card(s, "{{card}}", number);
    const char *at = line;
    for (size_t length; (at = text_find(at, "\\{\\{[^}]*_?h[12]00\\.[^}]*\\}\\}", &length));
         at += length) {
        char name[8] = "H", mark[512];
        snprintf(mark, sizeof mark, "%.*s", (int)length, at);
        char *dot = mark;
        for (char *next = mark; (next = strstr(next, "00."));)
            dot = next += 2; // the last of the mark
        snprintf(name, sizeof name, "H%.3s", dot - 3);
        note_card(s, name, number);
    }
    char *rest = strdup(line);
    for (char *card; (card = strstr(rest, "{{card}}"));) memcpy(card, "\1\1card\1\1", 8);
    text_remove(rest, "\\{\\{[^}]*\\}\\}");
    for (char *card; (card = strstr(rest, "\1\1card\1\1"));) memcpy(card, "{{card}}", 8);
    size_t used = strlen(s->text);
    snprintf(s->text + used, sizeof s->text - used, " %s", rest);
    free(rest);
}

// Numbers with a unit that a line types, marks, code and pictures left out. 16 x 16 is a shape.
// facts: from the first row of facts.txt whose text may be typed.
static int typed_in(const char *facts, const char *file, int number, const char *line) {
    char *rest = strdup(line);
    int typed = 0;
    text_remove(rest, "\\{\\{[^}]*\\}\\}");
    text_remove(rest, "`[^`]*`");
    text_remove(rest, "!\\[[^]]*\\]\\([^)]*\\)");
    const char *at = rest;
    for (size_t length;
         (at = text_find(
              at,
              "[0-9][0-9.,]* ?([kKMGT]i?B(/s)?|[kMGT]?FLOP/s|[munk]s|[MG]Hz|%|x|times|cycles?|SMs|"
              "registers|seconds|microseconds|bytes?|per cent|threads per SM|"
              "[a-z-]+ per cycle)([^A-Za-z0-9]|$)",
              &length));
         at += length) {
        bool shape = length > 1 && strncmp(at + length - 2, "x ", 2) == 0 &&
                     isdigit((unsigned char)at[length]);
        bool behind = !isalnum((unsigned char)at[length - 1]) && at[length - 1] != '%';
        char listed[256];
        snprintf(listed, sizeof listed, " | %.*s | ", (int)length - behind, at);
        bool power = at > rest && at[-1] == '^'; // 2^28 bytes: a size of a problem
        if (shape || power || strstr(facts, listed)) continue;
        printf("%s:%d: %.*s\n", file, number, (int)length - behind, at);
        typed++;
    }
    free(rest);
    return typed;
}

static int numbers_of(const char *facts, const char *path) {
    static said s;
    char *text = text_read(path), *rest = text, footer[512] = "";
    bool deck = text_has(path, "slides/[0-9]|wrong_deck"), walk = strstr(path, "walkthrough"),
         fenced = false;
    bool notes = false;
    int number = 0, typed = 0;
    for (char *line; (line = text_line(&rest));) {
        number++;
        if (begins(line, "footer:")) snprintf(footer, sizeof footer, "%s", line);
        if (!fenced) {
            if (deck && is_heading(line)) typed += end_said(&s, path, footer);
            if (strcmp(line, "<!--") == 0) notes = true;
            if (strcmp(line, "-->") == 0) notes = false;
            if (walk && line[0] == '\0') typed += end_said(&s, path, footer);
            if ((deck || walk) && !notes) take_line(&s, line, number, deck);
        }
        fenced ^= begins(line, "```");
        if (!fenced) typed += typed_in(facts, path, number, line);
    }
    free(text);
    return typed + end_said(&s, path, footer);
}

// words: FACTS DECK..: does a deck or a walkthrough type a number with a unit? Numbers that were
// measured or counted, and those of machines, come by marks (numbers.c). The last rows of FACTS,
// slides/facts.txt, whose keys begin with "typed.", are what may be typed. A number of a card is
// on a slide, or in a walkthrough's paragraph, that names the card, a slide also by its deck's
// footer: {{card}} for files of CARD, any other one by its name, since docs/card.txt may change.
int check_numbers(int count, char **words) {
    int typed = 0;
    char *all = text_read(words[0]);
    const char *facts = strstr(all, "\ntyped.");
    for (int i = 1; i < count; i++) typed += numbers_of(facts ? facts : "", words[i]);
    free(all);
    printf("numbers: %d typed\n", typed);
    return typed > 0;
}

// ---- Code ----

// A line without what two ways of writing it differ in: comments, blanks, braces.
static char *bare(const char *line) {
    char *text = strdup(line), *comment = strstr(text, "//");
    if (comment) *comment = '\0';
    text_remove(text, "/\\*[^*]*\\*/");
    text_remove(text, "[ \t{}]|#pragma unroll.*");
    return text;
}

// All lines of the lab's files and of its solution, as `bare` leaves them.
static char *sources_of(const char *kit, const char *lab) {
    static const char *const patterns[] = {"labs/%s/*.cu", "labs/%s/*.cuh", "labs/%s/*.h",
                                           "labs/%s/steps/*.cu", "solutions/%s/steps/*"};
    char *all = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&all, &bytes);
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
        char below[512], pattern[PATH_BYTES];
        glob_t files = {0};
        snprintf(below, sizeof below, patterns[p], lab);
        snprintf(pattern, sizeof pattern, "%s/%s", kit, below);
        if (glob(pattern, 0, NULL, &files) == 0)
            for (size_t i = 0; i < files.gl_pathc; i++) {
                char *text = text_read(files.gl_pathv[i]), *rest = text;
                for (char *line; (line = text_line(&rest));) {
                    char *left = bare(line);
                    fputs(left, out);
                    free(left);
                }
                free(text);
            }
        globfree(&files);
    }
    fclose(out);
    return all;
}

// words: KIT DECK..: does each line of code that a lab's deck types occur in the folder of the lab
// or its solution, blanks, braces and comments apart? A block that is simpler than the step begins
// with ```c sketch.
int check_code(int count, char **words) {
    int faults = 0;
    for (int i = 1; i < count; i++) {
        char lab[256];
        snprintf(lab, sizeof lab, "%.*s", (int)strcspn(text_base(words[i]), "."),
                 text_base(words[i]));
        char *source = sources_of(words[0], lab), *text = text_read(words[i]), *rest = text;
        bool typed = false;
        int number = 0;
        for (char *line; source[0] && (line = text_line(&rest));) {
            number++;
            if (begins(line, "```")) {
                typed = strcmp(line, "```c") == 0;
                continue;
            }
            if (!typed || begins(line, "{{code") || text_has(line, "^ *\\.\\.$")) continue;
            char *left = bare(line);
            if (!strstr(source, left)) { // "" is in every text
                printf("%s:%d: is in no step: %s\n", words[i], number, line);
                faults++;
            }
            free(left);
        }
        free(text);
        free(source);
    }
    return faults > 0;
}

// ---- Answers ----

enum { SLIDES = 128, SAID = 1 << 14 };

static const char number_pattern[] = "[0-9][0-9,]*(\\.[0-9]+)?( ?[kM]( |$))?";

// What the slides of a deck say: numbers to three digits, and words, each between blanks.
typedef struct told {
    char numbers[SLIDES][SAID], words[SLIDES][SAID];
} told;

static void append(char text[SAID], const char *word) {
    size_t used = strlen(text);
    snprintf(text + used, SAID - used, "%s%s ", used == 0 ? " " : "", word);
}

// "98.3 k" is 98300 of three digits; `token` ends where the number does.
static void value_of(const char *token, char out[32]) {
    char digits[64];
    size_t used = 0;
    double by = 1;
    for (const char *c = token; *c != '\0'; c++) {
        if (*c == 'k') by = 1e3;
        if (*c == 'M') by = 1e6;
        if ((isdigit((unsigned char)*c) || *c == '.') && used + 1 < sizeof digits)
            digits[used++] = *c;
    }
    digits[used] = '\0';
    snprintf(out, 32, "%.3g", strtod(digits, NULL) * by);
}

static void take_text(told *t, int slide, const char *line) {
    char *text = strdup(line), *lower = strdup(line);
    for (char *c = text; *c != '\0'; c++)
        if (strchr("|`*:;()\"", *c)) *c = ' ';
    for (size_t i = 0; text[i] != '\0'; i++) lower[i] = (char)tolower((unsigned char)text[i]);
    append(t->words[slide], lower);
    const char *at = text;
    for (size_t length; (at = text_find(at, number_pattern, &length)); at += length) {
        char token[64], value[32];
        snprintf(token, sizeof token, "%.*s", (int)length, at);
        value_of(token, value);
        append(t->numbers[slide], value);
    }
    free(text);
    free(lower);
}

static void take_figure(told *t, int slide, const char *path) {
    char *svg = text_read(path);
    const char *at = svg ? svg : "";
    for (size_t length; (at = text_find(at, ">[^<]*</text>", &length)); at += length) {
        char *text = strndup(at + 1, length - strlen(">") - strlen("</text>"));
        take_text(t, slide, text);
        free(text);
    }
    free(svg);
}

// Numbers that are said of many things, such as 4 or 32, tell nothing.
static bool is_telling(const char *token) {
    return text_has(token, "[1-9][0-9.,]*[kM0-9 ]*$") &&
           (text_has(token, "\\.0*[1-9]") ||
            (text_has(token, "^[0-9,]+") && strlen(token) > 2 && !text_has(token, "\\.0+$")));
}

// Whether the slide has one of the line's longer words.
static bool shares_word(const char *words, const char *line) {
    char *text = strdup(line), *rest = text;
    bool shared = false;
    for (char *c = text; *c != '\0'; c++) *c = (char)tolower((unsigned char)*c);
    for (char *word; !shared && (word = strsep(&rest, " "));) {
        for (char *part; !shared && *word != '\0'; word = part + (*part != '\0')) {
            part = word + strspn(word, "abcdefghijklmnopqrstuvwxyz");
            char wanted[128];
            snprintf(wanted, sizeof wanted, " %.*s", (int)(part - word), word);
            shared = part - word > 4 && strstr(words, wanted);
        }
    }
    free(text);
    return shared;
}

// A line of the answer on slide `at`, whose question is the slide before; in "128 of 132" the
// second number is known.
static int look_at_answer(const told *t, int at, const char *name, const char *line) {
    int faults = 0;
    const char *from = line;
    for (size_t length; (from = text_find(from, number_pattern, &length)); from += length) {
        char token[64], value[32], wanted[40];
        snprintf(token, sizeof token, "%.*s", (int)length, from);
        value_of(token, value);
        snprintf(wanted, sizeof wanted, " %s ", value);
        bool known = from - line >= 3 && strncmp(from - 3, "of ", 3) == 0;
        if (known || !is_telling(token) || strstr(t->numbers[at - 1], wanted)) continue;
        for (int s = 1; s < at - 1; s++) {
            if (!strstr(t->numbers[s], wanted) || !shares_word(t->words[s], line)) continue;
            fprintf(stderr, "%s: slide %d shows %s, which slide %d asks for: %s\n", name, s, token,
                    at - 1, line);
            faults++;
        }
    }
    return faults;
}

// words: DRAWN DECK, DRAWN having the decks' drawn figures; the deck as `ladder-docs numbers`
// fills it comes from standard input and goes to standard output. Does a slide before a prediction
// show what the answer's command prints: the same number to three digits, beside a word of that
// line; in the text or in a figure? What the question itself says is no answer.
int check_answers(int count, char **words) {
    static told t;
    if (count < 2) return 2;
    char *line = NULL, *folder = text_folder(words[1]);
    size_t bytes = 0;
    bool fenced = false, answer = false, notes = false;
    int rules = 0, at = 0, predicted = -1, faults = 0;
    while (getline(&line, &bytes, stdin) > 0) {
        fputs(line, stdout);
        line[strcspn(line, "\n")] = '\0';
        fenced ^= begins(line, "```");
        rules += !fenced && strcmp(line, "---") == 0;
        if (rules > 1 && !fenced && is_heading(line)) {
            at++;
            answer = begins(line, "# Answer ");
        }
        if (at == 0 || at == SLIDES) continue;
        notes = notes || strcmp(line, "<!--") == 0;
        if (strcmp(line, "-->") == 0) {
            notes = false;
            continue;
        }
        if (notes || begins(line, "<!--") || begins(line, "```")) continue;
        if (text_has(line, "^!\\[[^]]*\\]\\([^)]*\\.svg\\)$")) {
            char path[PATH_BYTES];
            text_picture(line, folder, words[0], path, sizeof path);
            take_figure(&t, at, path);
            continue;
        }
        if (answer && fenced && predicted == at - 1 && !begins(line, "$ "))
            faults += look_at_answer(&t, at, text_base(words[1]), line);
        if (text_has(line, "^# Question [0-9]+: predict")) predicted = at;
        take_text(&t, at, line);
    }
    free(line);
    free(folder);
    return faults > 0;
}

// ---- Pictures and powers ----

// "2^28" as it is set, but in code.
static void put_powers(const char *line) {
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", //
                                         "⁵", "⁶", "⁷", "⁸", "⁹"};
    size_t length;
    for (const char *at; (at = text_find(line, "`[^`]*`|[0-9]\\^-?[0-9]+", &length));
         line = at + length) {
        printf("%.*s", (int)(at - line), line);
        if (*at == '`') {
            printf("%.*s", (int)length, at);
            continue;
        }
        putchar(*at);
        for (const char *c = at + 2; c < at + length; c++)
            fputs(*c == '-' ? "⁻" : raised[*c - '0'], stdout);
    }
    puts(line);
}

// The title of a drawing, without what would end a picture's text in Markdown; "" without one.
static void title_of(const char *path, char *out, size_t bytes) {
    char *svg = text_read(path), *begin = svg ? strstr(svg, "<title>") : NULL;
    snprintf(out, bytes, "%.*s", begin ? (int)strcspn(begin + 7, "<") : 0, begin ? begin + 7 : "");
    text_remove(out, "[][]");
    free(svg);
}

// words: SLIDES DRAWN DECK: the deck with the title that each drawing has as the text of its
// picture for those who cannot see it, SLIDES being the folder of the deck, DRAWN that with its
// drawn figures; Marp takes the size of a picture from there, too, and leaves the rest.
int check_titled(int count, char **words) {
    if (count != 3) return 2;
    char *text = text_read(words[2]), *rest = text;
    bool fenced = false;
    int failed = !text;
    for (char *line; (line = text_line(&rest));) {
        char path[PATH_BYTES], title[2048];
        if (text_has(line, "^!\\[[^]]*\\]\\([^)]*\\.svg\\)$")) {
            text_picture(line, words[0], words[1], path, sizeof path);
            title_of(path, title, sizeof title);
            const char *shown = strstr(line, "](");
            if (!title[0]) {
                fprintf(stderr, "%s: %s: no title\n", words[2], path);
                failed = 1;
            }
            printf("%.*s %s%s\n", (int)(shown - line), line, title, shown);
            continue;
        }
        fenced ^= begins(line, "```");
        if (fenced || begins(line, "![")) puts(line);
        else put_powers(line);
    }
    free(text);
    return failed;
}
