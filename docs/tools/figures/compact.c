// A picture in few bytes and lines: see figure.h. Shapes of one class become one path or one group
// where nothing that is painted between them overlaps them. Coordinates are shortened as text,
// never computed anew.
#include "figures/figure.h"

#include <float.h>

enum { LINE_BYTES = 2000, WORD_BYTES = 96, NUMBERS = 4 };

typedef enum kind { RECT, PATH, TEXT, CIRCLE, GROUP, OTHER } kind;

typedef struct box {
    double left, top, right, bottom;
} box;

// A piece of the picture's text.
typedef struct piece {
    const char *at;
    size_t length;
} piece;

typedef struct shape {
    kind kind;
    piece key;            // of a GROUP its opening tag, of OTHER nothing, else the class
    piece words[NUMBERS]; // attributes: x y width height; d; x y; cx cy r
    piece content;        // text; what a GROUP has in it; all of an OTHER
    box box;              // pixels that it may touch
    struct shape *next;   // of the same set
} shape;

// Shapes that are written as one.
typedef struct set {
    shape *first, *last;
} set;

typedef struct picture {
    shape
        *shapes; // [count]; addresses are taken, so there is room for all before the first is read
    set *sets;   // [set_count], in the order of painting
    size_t count, set_count;
} picture;

// ---- Reading ----

static bool is_word(piece word, const char *text) {
    return strlen(text) == word.length && strncmp(word.at, text, word.length) == 0;
}

static bool same(piece a, piece b) {
    return a.length == b.length && strncmp(a.at, b.at, a.length) == 0;
}

// The value of an attribute of the tag; without one its `at` is NULL.
static piece attribute(piece tag, const char *name) {
    size_t length = strlen(name);
    for (const char *p = tag.at; p + length + 2 < tag.at + tag.length; p++)
        if (*p == ' ' && strncmp(p + 1, name, length) == 0 &&
            strncmp(p + 1 + length, "=\"", 2) == 0)
            return (piece){p + length + 3, strcspn(p + length + 3, "\"")};
    return (piece){NULL, 0};
}

// Takes the attributes called, class besides, where the tag has these and no others.
static bool take(shape *s, piece tag, int count, const char *const *names) {
    int all = 0;
    for (size_t i = 0; i < tag.length; i++) all += tag.at[i] == '=';
    s->key = attribute(tag, "class");
    bool has_all = s->key.at && all == count + 1;
    for (int i = 0; i < count; i++) {
        s->words[i] = attribute(tag, names[i]);
        has_all = has_all && s->words[i].at;
    }
    return has_all;
}

static void include(box *b, double x, double y) {
    b->left = fmin(b->left, x);
    b->top = fmin(b->top, y);
    b->right = fmax(b->right, x);
    b->bottom = fmax(b->bottom, y);
}

static const box nowhere = {DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX};
static const box everywhere = {-DBL_MAX, -DBL_MAX, DBL_MAX, DBL_MAX};

// To whole pixels, and `margin` px more for what is drawn along an edge.
static box grown(box b, double margin) {
    return (box){floor(b.left - margin), floor(b.top - margin), ceil(b.right + margin),
                 ceil(b.bottom + margin)};
}

static bool overlap(const box *a, const box *b) {
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

// Where a path of straight lines between absolute points goes; another's is everywhere.
static box path_box(piece d) {
    box b = nowhere;
    for (const char *p = d.at; p < d.at + d.length;) {
        if (strchr("ML Z", *p)) {
            p++;
            continue;
        }
        char *end;
        double x = strtod(p, &end), y = end > p ? strtod(end, &end) : 0;
        if (end <= p || strchr("HVhvmlCcSsQqTtAa", *p)) return everywhere;
        include(&b, x, y);
        p = end;
    }
    return grown(b, 2);
}

static bool ends_with(piece word, const char *end) {
    size_t length = strlen(end);
    return word.length > length && strncmp(word.at + word.length - length, end, length) == 0;
}

// A letter is at most as wide as the largest text is high.
static box text_box(const shape *s) {
    enum { SIZE = 13 };
    double x = strtod(s->words[0].at, NULL), y = strtod(s->words[1].at, NULL),
           width = (double)s->content.length * SIZE;
    double left = ends_with(s->key, " m") ? x - width / 2 : ends_with(s->key, " e") ? x - width : x;
    return grown((box){left, y - SIZE, left + width, y + SIZE / 2.0}, 2);
}

static bool has_outline(piece key) {
    return is_word(key, "frame") || ends_with(key, "line") || is_word(key, "line");
}

// The end of an element that begins at `at`: behind its tag, or its closing tag where it has one.
static const char *end_of(const char *at) {
    int depth = 0;
    do {
        const char *close = strchr(at, '>');
        if (!close) return at + strlen(at);
        depth += at[1] == '/' ? -1 : close[-1] == '/' ? 0 : 1;
        at = close + 1;
        if (depth > 0) at += strcspn(at, "<");
    } while (depth > 0 && *at != '\0');
    return at;
}

static box box_of(const shape *s) {
    double v[NUMBERS] = {0};
    for (int i = 0; i < NUMBERS && s->words[i].at; i++) v[i] = strtod(s->words[i].at, NULL);
    switch (s->kind) {
    case RECT:
        return grown((box){v[0], v[1], v[0] + v[2], v[1] + v[3]}, has_outline(s->key) ? 2 : 0);
    case CIRCLE: return grown((box){v[0] - v[2], v[1] - v[2], v[0] + v[2], v[1] + v[2]}, 2);
    case PATH: return path_box(s->words[0]);
    case TEXT: return text_box(s);
    default: return everywhere;
    }
}

static box group_box(piece tag, piece content);

// The element of the text at `at`. Returns its end.
static const char *read_shape(shape *s, const char *at) {
    const char *end = end_of(at);
    piece tag = {at, strcspn(at, ">") + 1};
    bool whole = tag.length == (size_t)(end - at);
    *s = (shape){.kind = OTHER, .content = {at, (size_t)(end - at)}, .box = everywhere};
    if (strncmp(at, "<rect ", 6) == 0 &&
        take(s, tag, 4, (const char *const[]){"x", "y", "width", "height"}))
        s->kind = RECT;
    else if (strncmp(at, "<path ", 6) == 0 && whole && take(s, tag, 1, (const char *const[]){"d"}))
        s->kind = PATH;
    else if (strncmp(at, "<circle ", 8) == 0 && whole &&
             take(s, tag, 3, (const char *const[]){"cx", "cy", "r"}))
        s->kind = CIRCLE;
    else if (strncmp(at, "<text ", 6) == 0 && take(s, tag, 2, (const char *const[]){"x", "y"}))
        s->kind = TEXT, s->content = (piece){at + tag.length, strcspn(at + tag.length, "<")};
    else if (strncmp(at, "<g", 2) == 0)
        s->kind = GROUP, s->key = tag,
        s->content = (piece){at + tag.length, (size_t)(end - at) - tag.length - strlen("</g>")};
    s->box = s->kind == GROUP ? group_box(s->key, s->content) : box_of(s);
    return end;
}

// A group covers what its parts cover, unless it is turned.
static box group_box(piece tag, piece content) {
    box b = nowhere;
    if (attribute(tag, "transform").at) return everywhere;
    for (const char *at = content.at + strspn(content.at, "\n"); at < content.at + content.length;
         at += strspn(at, "\n")) {
        shape part;
        at = read_shape(&part, at);
        include(&b, part.box.left, part.box.top);
        include(&b, part.box.right, part.box.bottom);
    }
    return b;
}

// ---- Sets ----

static bool joins(const set *to, const shape *s) {
    return s->kind != OTHER && to->first->kind == s->kind && same(to->first->key, s->key);
}

static bool lies_on(const set *below, const shape *s) {
    for (const shape *other = below->first; other; other = other->next)
        if (overlap(&other->box, &s->box)) return true;
    return false;
}

// Into the last set of its kind and key behind which nothing is painted that the shape overlaps;
// else into a set of its own.
static void add(picture *p, shape *s) {
    for (size_t i = p->set_count; i-- > 0;) {
        if (joins(&p->sets[i], s)) {
            p->sets[i].last = p->sets[i].last->next = s;
            return;
        }
        if (lies_on(&p->sets[i], s)) break;
    }
    p->sets[p->set_count++] = (set){s, s};
}

// ---- Writing ----

// Without zeros that say nothing: 21.0, 0.50, -0.0.
static void put_number(FILE *out, piece number) {
    const char *digits = number.at, *end = digits + number.length;
    if (memchr(digits, '.', number.length)) {
        while (end[-1] == '0') end--;
        if (end[-1] == '.') end--;
    }
    if (end - digits == 2 && strncmp(digits, "-0", 2) == 0) digits++;
    fprintf(out, "%.*s", (int)(end - digits), digits);
}

static void put_path(FILE *out, piece d) {
    for (const char *p = d.at, *end = d.at + d.length; p < end;) {
        size_t length = strspn(p, "-.0123456789");
        if (length > 0) put_number(out, (piece){p, length});
        else fputc(*p, out);
        p += length > 0 ? length : 1;
    }
}

static void put_rect_path(FILE *out, const shape *s) {
    static const char *const between[] = {"M", " ", "h", "v"};
    for (int i = 0; i < NUMBERS; i++) {
        fputs(between[i], out);
        put_number(out, s->words[i]);
    }
    fputs("h-", out);
    put_number(out, s->words[2]);
    fputc('z', out);
}

static void put_attributes(FILE *out, const shape *s, const char *const *names) {
    for (int i = 0; i < NUMBERS && s->words[i].at; i++) {
        fprintf(out, " %s=\"", names[i]);
        put_number(out, s->words[i]);
        fputc('"', out);
    }
}

static void write_rect(FILE *out, const shape *s) {
    fputs("<rect", out);
    put_attributes(out, s, (const char *const[]){"x", "y", "width", "height"});
    fputs("/>", out);
}

static void put_circle(FILE *out, const shape *s) {
    fputs("<circle", out);
    put_attributes(out, s, (const char *const[]){"cx", "cy", "r"});
    fputs("/>", out);
}

static void write_text(FILE *out, const shape *s) {
    fputs("<text", out);
    put_attributes(out, s, (const char *const[]){"x", "y"});
    fprintf(out, ">%.*s</text>", (int)s->content.length, s->content.at);
}

// As it is, but without line ends, and with short numbers in attributes: text has no '"' in it.
static void put_other(FILE *out, const shape *s) {
    for (const char *p = s->content.at, *end = p + s->content.length; p < end; p++) {
        if (strncmp(p, ".0\"", 3) == 0) p += 2;
        if (*p != '\n') fputc(*p, out);
    }
}

static bool touch(const box *a, const box *b) {
    return a->left <= b->right && b->left <= a->right && a->top <= b->bottom && b->top <= a->bottom;
}

// Where edges cross pixels, those of one path that touch leave no seam, unlike those of two
// elements; and corners of an outline look otherwise.
static bool is_one_path(const set *of) {
    for (const shape *s = of->first; s; s = s->next) {
        for (int i = 0; i < NUMBERS; i++) {
            double value = strtod(s->words[i].at, NULL);
            if (value != floor(value)) return false;
        }
        for (const shape *other = s->next; other; other = other->next)
            if (touch(&s->box, &other->box)) return false;
    }
    return !has_outline(of->first->key);
}

static void put_each(FILE *out, const set *of, void (*put)(FILE *out, const shape *s)) {
    for (const shape *s = of->first; s; s = s->next) put(out, s);
}

static bool put_drawing(FILE *out, piece drawing, size_t line_bytes);

static void put_content(FILE *out, const shape *group) {
    put_drawing(out, group->content, SIZE_MAX);
}

static void put_set(FILE *out, const set *of) {
    const shape *first = of->first;
    piece key = first->key;
    if (first->kind == PATH || (first->kind == RECT && is_one_path(of))) {
        fprintf(out, "<path class=\"%.*s\" d=\"", (int)key.length, key.at);
        for (const shape *s = first; s; s = s->next)
            if (s->kind == RECT) put_rect_path(out, s);
            else put_path(out, s->words[0]);
        fputs("\"/>", out);
    } else if (first->kind == OTHER) {
        put_other(out, first);
    } else if (first->kind == GROUP) {
        fprintf(out, "%.*s", (int)key.length, key.at);
        put_each(out, of, put_content);
        fputs("</g>", out);
    } else {
        fprintf(out, "<g class=\"%.*s\">", (int)key.length, key.at);
        put_each(out, of,
                 first->kind == RECT     ? write_rect
                 : first->kind == CIRCLE ? put_circle
                                         : write_text);
        fputs("</g>", out);
    }
}

// Elements; a line ends behind the first set with which it has line_bytes.
static bool put_drawing(FILE *out, piece drawing, size_t line_bytes) {
    const char *at = drawing.at, *end = at + drawing.length;
    size_t most = 1;
    for (const char *c = at; c < end; c++) most += *c == '<';
    picture p = {.shapes = calloc(most, sizeof *p.shapes), .sets = calloc(most, sizeof *p.sets)};
    bool fits = p.shapes && p.sets;
    for (at += strspn(at, "\n"); fits && at < end; at += strspn(at, "\n")) {
        shape *s = &p.shapes[p.count++];
        at = read_shape(s, at);
        add(&p, s);
    }
    long line = ftell(out);
    for (size_t i = 0; i < p.set_count; i++) {
        put_set(out, &p.sets[i]);
        if ((size_t)(ftell(out) - line) < line_bytes) continue;
        fputc('\n', out);
        line = ftell(out);
    }
    free(p.shapes);
    free(p.sets);
    return fits;
}

char *figure_compact(const char *svg) {
    static const char paper[] = "class=\"paper\"/>\n", close[] = "</svg>";
    const char *begin = strstr(svg, paper), *end = strstr(svg, close);
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return NULL;
    begin = begin && end ? begin + strlen(paper) : svg;
    piece drawing = {begin, begin > svg ? (size_t)(end - begin) : 0};
    fprintf(out, "%.*s", (int)(begin - svg), svg);
    bool written = put_drawing(out, drawing, LINE_BYTES);
    fputs(begin + drawing.length, out);
    written = fclose(out) == 0 && written;
    if (written) return text;
    free(text);
    return NULL;
}
