// What is looked at in figures (SVG): colours for light and dark pages, titles that say what a
// chart shows, texts that are large enough on a slide. Each function prints its faults, says how
// many it found of how many, and returns 0 when there is none.
#include "docs.h"

enum { PATH_BYTES = 4096 };

// ---- Colours ----

// Whether an element has a colour of its own, which no page can change. The paper below everything
// (class="bg") may have one: a rule of the style goes before it.
static bool has_own_colour(const char *svg) {
    bool styled = false;
    for (const char *at = svg; (at = strchr(at, '<')); at++) {
        styled = strncmp(at, "<style", 6) == 0 || (styled && strncmp(at, "</style", 7) != 0);
        char *tag = strndup(at, strcspn(at, ">"));
        bool own = !styled && !strstr(tag, "class=\"bg\"") &&
                   text_has(tag, "(fill|stroke|color)[=:]\"?(#|rgb|white|black)");
        free(tag);
        if (own) return true;
    }
    return false;
}

// words: ROOT FIGURE.., the figures relative to ROOT.
int check_palettes(int count, char **words) {
    int wrong = 0;
    for (int i = 1; i < count; i++) {
        char path[PATH_BYTES], why[128] = "";
        bool absolute = words[i][0] == '/';
        snprintf(path, sizeof path, "%s%s%s", absolute ? "" : words[0], absolute ? "" : "/",
                 words[i]);
        char *svg = text_read(path);
        if (!svg || !text_has(svg, "prefers-color-scheme: *dark"))
            strcpy(why, svg ? "no colours for dark pages" : "no such file");
        if (svg && has_own_colour(svg))
            strcat(why, why[0] ? ", a colour outside the style" : "a colour outside the style");
        free(svg);
        if (why[0]) printf("%s: %s\n", words[i], why);
        wrong += why[0] != '\0';
    }
    printf("palettes: %d of %d figures\n", wrong, count - 1);
    return wrong > 0 || count < 2;
}

// ---- Titles ----

// XML's own names, in place.
static void unescape(char *text) {
    static const struct {
        const char *name;
        char character;
    } names[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&amp;", '&'}};
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        size_t length = 1;
        char character = *from;
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
            if (strncmp(from, names[i].name, strlen(names[i].name)) == 0)
                character = names[i].character, length = strlen(names[i].name);
        *to++ = character;
        from += length;
    }
    *to = '\0';
}

// The text of the next element NAME from *at on, which moves behind it; NULL when there is none.
static char *next_text(const char **at, const char *name) {
    size_t length = strlen(name);
    for (const char *tag = *at; (tag = strchr(tag, '<')); tag++) {
        if (strncmp(tag + 1, name, length) != 0 || !strchr(" >", tag[1 + length])) continue;
        const char *begin = strchr(tag, '>');
        if (!begin) return NULL;
        *at = begin + 1 + strcspn(begin + 1, "<");
        char *text = strndup(begin + 1, (size_t)(*at - begin - 1));
        unescape(text);
        return text;
    }
    return NULL;
}

// "highest 4031 (5 vectorized, 8192 x 8192)": is a text of this value drawn, or of it and a word?
static bool is_drawn(const char *svg, const char *title, const char *word) {
    char value[64];
    const char *said = strstr(title, word);
    snprintf(value, sizeof value, "%s", said ? said + strlen(word) : "");
    char *end = strstr(value, " (");
    if (end) *end = '\0';
    size_t length = strlen(value);
    bool found = false;
    for (char *text; !found && (text = next_text(&svg, "text")); free(text))
        found = strncmp(text, value, length) == 0 && (text[length] == '\0' || text[length] == ' ');
    return found;
}

static int complain_title(const char *list, const char *picture, const char *what,
                          const char *title) {
    printf("%s: %s: %s%s\n", list, picture, what, title);
    return 1;
}

// How many faults the title of a chart has; line: of the list, with what draws it.
static int look_at_title(const char *list, const char *picture, const char *line, const char *svg) {
    const char *at = svg;
    char *title = next_text(&at, "title");
    if (!title) return complain_title(list, picture, "no values: ", "");
    int faults = 0;
    if (text_has(line, "--contest|winners")) {
        if (!text_has(title, "(; fastest|; of steps .*): ?.*|step [0-9]+ (in|\\()"))
            faults = complain_title(list, picture, "no winner: ", title);
    } else if (text_has(line, "--registers")) {
        if (!text_has(title, "all [0-9]+ warps up to [0-9]+ registers"))
            faults = complain_title(list, picture, "no values: ", title);
    } else if (!text_has(title, "highest [0-9]") ||
               !text_has(title, "lowest [0-9]|faster than the library at [0-9]")) {
        faults = complain_title(list, picture, "no values: ", title);
    } else if (text_has(line, "--(rates|times|gains|counts|modelled|warps-needed|bounds) |/micro "
                              "[a-z_]+$|/latency( |$)")) {
        static const char *const words[] = {"highest ", "lowest "};
        for (int i = 0; i < 2; i++) {
            const char *said = strstr(title, words[i]);
            if (is_drawn(svg, title, words[i])) continue;
            printf("%s: %s: %.*s is not drawn\n", list, picture,
                   said ? (int)strcspn(said, "(") - 1 : 0, said ? said : "");
            faults++;
        }
    }
    free(title);
    return faults;
}

// What shows no values (who has which element, waits of a warp) is no chart.
static bool is_chart(const char *line) {
    return line[0] != '#' && strchr(line, ' ') &&
           text_has(line, "\\.(json|csv)(:[^ ]*)?( |$)|--timing|--registers") &&
           !text_has(line, "/assignment( |$)|/tiles( |$)|scoreboard|two-loads|--profile");
}

// words: lists of figures; the pictures of a list lie beside it, or in the last word
// "folder=FOLDER/" before it.
int check_titles(int count, char **words) {
    const char *folder = "";
    int charts = 0, faults = 0;
    for (int i = 0; i < count; i++) {
        if (strncmp(words[i], "folder=", 7) == 0) {
            folder = words[i] + 7;
            continue;
        }
        char *list = text_read(words[i]), *rest = list;
        for (char *line; (line = text_line(&rest));) {
            if (!is_chart(line)) continue;
            char path[PATH_BYTES], picture[256];
            snprintf(picture, sizeof picture, "%.*s", (int)strcspn(line, " "), line);
            int beside = (int)(text_base(words[i]) - words[i]);
            snprintf(path, sizeof path, "%.*s%s", folder[0] ? (int)strlen(folder) : beside,
                     folder[0] ? folder : words[i], picture);
            char *svg = text_read(path);
            faults += look_at_title(words[i], picture, line, svg ? svg : "");
            charts++;
            free(svg);
        }
        free(list);
    }
    printf("titles: %d charts, %d faults\n", charts, faults);
    return faults > 0 || charts == 0;
}

// ---- Sizes ----

enum { SMALLEST = 16, CLASSES = 32, DEPTH = 16 };

// The classes of a picture's style that have a size of text; of those that an element has, the
// last one counts.
typedef struct sizes {
    char names[CLASSES][16];
    double px[CLASSES];
    int count;
} sizes;

static sizes read_style(const char *svg) {
    sizes s = {.count = 0};
    for (const char *at = svg;
         s.count < CLASSES && (at = text_find(at, "\\.[a-z0-9]+\\{font-size:", NULL));) {
        size_t length = strcspn(at + 1, "{");
        snprintf(s.names[s.count], sizeof s.names[0], "%.*s", (int)length, at + 1);
        at += 1 + length + strlen("{font-size:");
        s.px[s.count++] = strtod(at, NULL);
    }
    return s;
}

// Of the text of a tag, 0 when it does not say.
static double size_of(const sizes *s, const char *tag) {
    static const char own[] = " font-size=\"", named[] = " class=\"";
    const char *at = strstr(tag, own), *classes = strstr(tag, named);
    if (at) return strtod(at + strlen(own), NULL);
    char names[128] = " ";
    if (!classes) return 0;
    classes += strlen(named);
    snprintf(names, sizeof names, " %.*s ", (int)strcspn(classes, "\""), classes);
    for (int i = s->count; i-- > 0;) {
        char name[20];
        snprintf(name, sizeof name, " %s ", s->names[i]);
        if (strstr(names, name)) return s->px[i];
    }
    return 0;
}

typedef struct texts {
    int unknown; // whose size is not said
    double least;
} texts;

// The sizes of all texts; that of a group is its texts'.
static texts read_texts(const char *svg) {
    sizes style = read_style(svg);
    texts found = {0};
    double groups[DEPTH] = {0};
    int depth = 0;
    for (const char *at = svg; (at = strchr(at, '<')); at++) {
        char *tag = strndup(at, strcspn(at, ">"));
        bool is_text = strncmp(tag, "<text ", 6) == 0;
        double size = size_of(&style, tag);
        if (strncmp(tag, "<g", 2) == 0 && depth + 1 < DEPTH)
            depth++, groups[depth] = size > 0 ? size : groups[depth - 1];
        if (strcmp(tag, "</g") == 0 && depth > 0) depth--;
        if (text_has(tag, "<tspan.*font-size|<g.*scale\\(")) found.unknown++;
        if (is_text && size == 0) size = groups[depth];
        if (is_text && strstr(tag, "transform=\"scale")) size = 0;
        if (is_text && size == 0) found.unknown++;
        if (is_text && size > 0 && (found.least == 0 || size < found.least)) found.least = size;
        free(tag);
    }
    return found;
}

// What is wrong with a picture that is `wanted` px wide or high where a slide has 1280 x 720; ""
// of nothing.
static void look_at_sizes(const char *path, double wanted, bool by_height, char *out,
                          size_t bytes) {
    char *svg = text_read(path);
    const char *view = svg ? strstr(svg, "viewBox=\"0 0 ") : NULL;
    double width = 0, height = 0;
    out[0] = '\0';
    if (!view || sscanf(view, "viewBox=\"0 0 %lf %lf", &width, &height) != 2) {
        snprintf(out, bytes, "no viewBox, or no such file");
    } else {
        texts found = read_texts(svg);
        double shown = found.least * wanted / (by_height ? height : width);
        if (found.unknown > 0)
            snprintf(out, bytes, "the size of %d texts is not told", found.unknown);
        else if (found.least > 0 && shown < SMALLEST - 0.05)
            snprintf(out, bytes, "text of %.1f px", shown);
    }
    free(svg);
}

// words: DRAWN DECK.., DRAWN having the decks' drawn figures: is any text of any figure smaller
// than 16 px where its slide is 1280 x 720? A figure is as wide or high as the deck says
// (![w:1150]), a text as large as its class or its group's in the figure's style, or as it says
// itself.
int check_sizes(int count, char **words) {
    int figures = 0, faults = 0;
    for (int i = 1; i < count; i++) {
        char *deck = text_read(words[i]), *rest = deck, *folder = text_folder(words[i]);
        bool fenced = false;
        int number = 0;
        for (char *line; (line = text_line(&rest));) {
            char path[PATH_BYTES], why[128];
            number++;
            fenced ^= strncmp(line, "```", 3) == 0;
            if (fenced || !text_has(line, "^!\\[.*\\]\\([^)]*\\.svg\\)")) continue;
            const char *size = text_find(line, "[wh]:[0-9]+", NULL),
                       *shown = strstr(line, "](") + 2;
            text_picture(line, folder, words[0], path, sizeof path);
            if (size) look_at_sizes(path, strtod(size + 2, NULL), size[0] == 'h', why, sizeof why);
            else snprintf(why, sizeof why, "no width and no height");
            figures += size != NULL;
            if (!why[0]) continue;
            printf("%s:%d: %.*s: %s\n", text_base(words[i]), number, (int)strcspn(shown, ")"),
                   shown, why);
            faults++;
        }
        free(deck);
        free(folder);
    }
    printf("sizes: %d figures, %d with text that is too small\n", figures, faults);
    return faults > 0;
}
