// ladder-docs numbers: fills in the numbers of a slide deck or of a walkthrough, and the code of
// walkthroughs. A deck types no number that was measured or counted; it has marks, and this program
// puts what the kit's documents say in their place:
//   {{value FILE PATH FORMAT}}          a number of a JSON document
//   {{ratio FILE PATH PATH FORMAT}}     the first by the second
//   {{device ID FIELD FORMAT}}          a number of a row of devices.def; FIELD as there
//   {{code FILE FIRST .. LAST}}         alone in its line: from the only line with FIRST to the
//                                       next one, as far indented, that contains LAST; without
//                                       " .. LAST" to the brace that closes what FIRST opens
//   {{fact KEY}}                        a line "KEY | TEXT | SOURCE" of the file of facts
//   {{card}}                            the card of the course, "H200"; {{other}} the second one
// In FILE, and as ID, CARD is the id of the course's card, in FILE OTHER that of the second one
// (stored/card.h).
// FILE is seen from the folder given. PATH has keys, indices of arrays, or KEY=VALUE,.. for the
// element of an array that has these values, with / between: steps/step=8/results/size=1024/rate.
// FORMAT is printf's for one double, with words behind it; FORMAT/N divides by N before.
//   ladder-docs numbers --page FOLDER FACTS PAGE.md
// makes the numbers in the text of a lab's page anew. There a mark stands behind the number, which
// readers of the file see, in a comment:
//   12<!--= ratio steps/step=0/$L/time_us steps/step=1/$L/time_us %.0f --> times as fast
// Its FILE is the lab's run on the course's card, on the second one where OTHER stands before PATH,
// or one of labs/measured (CARD.csv:02_reduction/micro). $L is the text of a line
// <!-- numbers: L = results/case=sum-exact,size=268435456 --> of the page.

#include "docs.h"
#include "device/device.h"
#include "measured.h"
#include "stored/stored.h"

enum { TEXT = 1024, WORDS = 4, CODE_LINES = 15, NAMES = 32 };

typedef struct filling {
    const char *root, *deck, *facts;
    int line;
    bool failed;
    char document_path[2 * TEXT]; // the document that was read last: most marks ask for it again
    json_t *document;
} filling;

static void complain(filling *f, const char *what, const char *about) {
    fprintf(stderr, "ladder-docs numbers: %s, line %d: %s: %s\n", f->deck, f->line, what, about);
    f->failed = true;
}

// Whether the element has all values of "KEY=VALUE,KEY=VALUE".
static bool matches(const json_t *element, const char *wanted) {
    char copy[TEXT], *rest = NULL;
    snprintf(copy, sizeof copy, "%s", wanted);
    for (char *pair = strtok_r(copy, ",", &rest); pair; pair = strtok_r(NULL, ",", &rest)) {
        char *value = strchr(pair, '=');
        if (!value) return false;
        *value++ = '\0';
        const json_t *member = json_object_get(element, pair);
        bool same = json_is_string(member) ? strcmp(json_string_value(member), value) == 0
                                           : json_is_number(member) &&
                                                 json_number_value(member) == strtod(value, NULL);
        if (!same) return false;
    }
    return true;
}

static const json_t *step_into(const json_t *at, const char *part) {
    if (json_is_object(at)) return json_object_get(at, part);
    if (!strchr(part, '=')) return json_array_get(at, (size_t)strtoul(part, NULL, 10));
    size_t i;
    json_t *element;
    json_array_foreach((json_t *)at, i, element) if (matches(element, part)) return element;
    return NULL;
}

static double look_up(filling *f, const char *file, const char *path) {
    char name[2 * TEXT], path_of_file[2 * TEXT] = "", copy[TEXT], *rest = NULL;
    snprintf(name, sizeof name, "%s/%s", f->root, file);
    bool named = card_path(name, path_of_file, sizeof path_of_file);
    if (strcmp(path_of_file, f->document_path) != 0) {
        json_decref(f->document);
        f->document = named ? measured_document(path_of_file) : NULL;
        strcpy(f->document_path, f->document ? path_of_file : "");
    }
    const json_t *at = f->document;
    snprintf(copy, sizeof copy, "%s", path);
    for (char *part = strtok_r(copy, "/", &rest); at && part; part = strtok_r(NULL, "/", &rest))
        at = step_into(at, part);
    double value = json_is_number(at) ? json_number_value(at) : NAN;
    if (isnan(value)) complain(f, f->document ? path : path_of_file, "no number there");
    return value;
}

#define FIELD(name)                                                                                \
    { #name, offsetof(sim_device, name), sizeof(((sim_device *)0)->name) }
static const struct {
    const char *name;
    size_t offset, bytes;
} fields[] = {
    FIELD(sm_count),
    FIELD(clock_mhz),
    FIELD(warps_per_sm),
    FIELD(blocks_per_sm),
    FIELD(threads_per_sm),
    FIELD(registers_per_sm),
    FIELD(schedulers_per_sm),
    FIELD(registers_per_thread),
    FIELD(shared_bytes_per_sm),
    FIELD(shared_bytes_per_block_optin),
    FIELD(l2_bytes),
    FIELD(memory_bytes),
};
#undef FIELD

static double device_field(filling *f, const char *id, const char *name) {
    const sim_device *device = sim_device_find(strcmp(id, "CARD") == 0 ? card_id : id);
    for (size_t i = 0; device && i < sizeof fields / sizeof fields[0]; i++) {
        if (strcmp(fields[i].name, name) != 0) continue;
        const char *at = (const char *)device + fields[i].offset;
        uint32_t narrow;
        uint64_t wide;
        memcpy(&narrow, at, sizeof narrow);
        if (fields[i].bytes == sizeof narrow) return narrow;
        memcpy(&wide, at, sizeof wide);
        return (double)wide;
    }
    complain(f, name, "no such field of a device");
    return NAN;
}

// The text between the bars of the line that begins with the key.
static void put_fact(filling *f, const char *key, FILE *out) {
    char line[TEXT];
    FILE *facts = fopen(f->facts, "r");
    bool found = false;
    while (facts && !found && fgets(line, sizeof line, facts)) {
        char *text = strstr(line, " | "), *source = text ? strstr(text + 3, " | ") : NULL;
        if (!source) continue;
        *text = *source = '\0';
        found = strcmp(line, key) == 0;
        if (found) fputs(text + 3, out);
    }
    if (facts) fclose(facts);
    if (!found) complain(f, key, "no such fact");
}

static int indent_of(const char *line) { return (int)strspn(line, " "); }

// The marks between which a skeleton has nothing are for the kit alone.
static bool is_solution_mark(const char *line) {
    return strncmp(line + indent_of(line), "// SOLUTION ", strlen("// SOLUTION ")) == 0;
}

// The lines of a region, of which `line` is the first; last: see above, or NULL. False when it is
// longer than CODE_LINES.
static bool put_region(FILE *file, char line[TEXT], const char *last, FILE *out) {
    int indent = indent_of(line);
    for (int count = 1; count <= CODE_LINES; count++) {
        int own = indent_of(line);
        if (!is_solution_mark(line)) fputs(line + (own < indent ? own : indent), out);
        if (own == indent && (last ? strstr(line, last) != NULL : line[own] == '}')) return true;
        if (!fgets(line, TEXT, file)) return false;
    }
    return false;
}

// mark: "code FILE FIRST .. LAST" or "code FILE FIRST". The end of the mark's own line follows, so
// that of the region's last line is cut.
static void put_code(filling *f, char *mark, FILE *out) {
    char name[2 * TEXT], line[TEXT], *text = NULL;
    char *path = mark + strlen("code "), *first = strchr(path, ' ');
    char *last = first ? strstr(first, " .. ") : NULL;
    size_t bytes = 0;
    if (!first) return complain(f, mark, "words are missing");
    *first++ = '\0';
    if (last) {
        *last = '\0';
        last += strlen(" .. ");
    }
    snprintf(name, sizeof name, "%s/%s", f->root, path);
    FILE *file = fopen(name, "r"), *region = open_memstream(&text, &bytes);
    int found = 0;
    bool whole = false;
    while (file && region && fgets(line, sizeof line, file)) {
        if (!strstr(line, first)) continue;
        if (++found == 1) whole = put_region(file, line, last, region);
    }
    if (file) fclose(file);
    if (region) fclose(region);
    if (found != 1) complain(f, first, found ? "is there more than once" : "no such line");
    else if (!whole) complain(f, last ? last : first, "does not end within 15 lines");
    else fprintf(out, "%.*s", (int)bytes - 1, text);
    free(text);
}

// "%.0f GB/s" or "%.0f KiB/1024".
static void put_number(filling *f, double value, char *format, FILE *out) {
    char *scale = strrchr(format, '/');
    if (scale && scale[1] >= '0' && scale[1] <= '9') {
        value /= strtod(scale + 1, NULL);
        *scale = '\0';
    }
    const char *letter =
        format[0] == '%' ? format + 1 + strspn(format + 1, ".0123456789'") : format;
    if (*letter != 'f' || strchr(letter, '%'))
        return complain(f, format, "a format begins with %.Nf and has no other");
    char shown[TEXT];
    snprintf(shown, sizeof shown, "%.*s", (int)(letter + 1 - format), format);
    fprintf(out, shown, value); // NOLINT: checked above
    const char *words = letter + 1;
    if (strncmp(words, " pct", 4) == 0) {
        fputs(" %", out);
        words += 4;
    }
    fputs(words, out);
}

static void put_card(const char *id, FILE *out) {
    char name[TEXT];
    card_name(id, name, sizeof name);
    fputs(name, out);
}

// mark: the text between the braces.
static void fill(filling *f, char *mark, FILE *out) {
    char *word[WORDS + 1] = {0}, *rest = mark;
    if (strncmp(mark, "code ", 5) == 0) return put_code(f, mark, out);
    if (strcmp(mark, "card") == 0) return put_card(card_id, out);
    if (strcmp(mark, "other") == 0) return put_card(card_other_id(), out);
    int wanted = strncmp(mark, "ratio ", 6) == 0 ? 5 : strncmp(mark, "fact ", 5) == 0 ? 2 : 4;
    for (int i = 0; i < wanted && i <= WORDS && rest; i++) {
        word[i] = rest;
        rest = i + 1 < wanted ? strchr(rest, ' ') : NULL;
        if (rest) *rest++ = '\0';
    }
    if (!word[wanted - 1]) complain(f, mark, "words are missing");
    else if (strcmp(word[0], "fact") == 0) put_fact(f, word[1], out);
    else if (strcmp(word[0], "value") == 0)
        put_number(f, look_up(f, word[1], word[2]), word[3], out);
    else if (strcmp(word[0], "ratio") == 0)
        put_number(f, look_up(f, word[1], word[2]) / look_up(f, word[1], word[3]), word[4], out);
    else if (strcmp(word[0], "device") == 0)
        put_number(f, device_field(f, word[1], word[2]), word[3], out);
    else complain(f, word[0], "no such mark");
}

// ---- The numbers of a page ---------------------------------------------------------------------

typedef struct page_names {
    const char *lab;
    int count;
    char name[NAMES][TEXT / 8], text[NAMES][TEXT];
} page_names;

static const char name_begin[] = "<!-- numbers: ", mark_begin[] = "<!--= ", comment_end[] = " -->";

static void take_names(filling *f, FILE *page, page_names *out) {
    char line[4 * TEXT];
    while (fgets(line, sizeof line, page)) {
        f->line++;
        char *name = line + strlen(name_begin), *end = strstr(line, comment_end);
        if (strncmp(line, name_begin, strlen(name_begin)) != 0) continue;
        char *text = strstr(name, " = ");
        if (!end || !text || out->count == NAMES) {
            complain(f, "no NAME = TEXT", line);
            continue;
        }
        *text = *end = '\0';
        snprintf(out->name[out->count], sizeof out->name[0], "%s", name);
        snprintf(out->text[out->count++], sizeof out->text[0], "%s", text + strlen(" = "));
    }
    rewind(page);
    f->line = 0;
}

// The mark as in a deck: with the texts of its names, and with a file.
static char *full_mark(filling *f, const page_names *names, const char *mark) {
    char *text = NULL;
    size_t bytes = 0, verb = strcspn(mark, " ");
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return NULL;
    fprintf(out, "%.*s", (int)verb, mark);
    const char *at = mark + verb;
    bool filled = strncmp(mark, "ratio ", 6) == 0 || strncmp(mark, "value ", 6) == 0;
    if (filled && strncmp(at, " OTHER ", 7) == 0) {
        fprintf(out, " labs/measured/OTHER.csv:%s", names->lab);
        at += strlen(" OTHER");
    } else if (filled && at[1] != '$' && !strstr(mark, ".csv:")) {
        fprintf(out, " labs/measured/CARD.csv:%s", names->lab);
    }
    for (; *at; at++) {
        int i = 0;
        size_t length = strcspn(at + 1, " /");
        if (*at != '$') {
            fputc(*at, out);
            continue;
        }
        while (i < names->count &&
               (strlen(names->name[i]) != length || strncmp(names->name[i], at + 1, length) != 0))
            i++;
        if (i == names->count) complain(f, mark, "no such name of this page");
        fputs(i < names->count ? names->text[i] : "", out);
        at += length;
    }
    fclose(out);
    return text;
}

// Where the number or the card begins that ends at `end`: "1,032", "-0.5", "H200"; `end` when there
// is none.
static char *number_before(char *line, char *end) {
    char *at = end;
    while (at > line && strchr("0123456789.,", at[-1])) at--;
    while (at < end && strchr(".,", *at)) at++;
    bool word = at > line && (at[-1] == 'H' || at[-1] == '-');
    return at < end && word ? at - 1 : at;
}

static void fill_line(filling *f, const page_names *names, char *line, FILE *out) {
    char *at = line;
    for (char *mark; (mark = strstr(at, mark_begin));) {
        char *end = strstr(mark, comment_end), *number = number_before(at, mark);
        fprintf(out, "%.*s", (int)(number - at), at);
        if (end) *end = '\0';
        if (!end || number == mark) {
            complain(f, mark, end ? "no number before this mark" : "no end of this mark");
            return;
        }
        char *full = full_mark(f, names, mark + strlen(mark_begin));
        if (full) fill(f, full, out);
        free(full);
        *end = ' ';
        at = end + strlen(comment_end);
        fprintf(out, "%.*s", (int)(at - mark), mark);
    }
    fputs(at, out);
}

static void fill_page(filling *f, FILE *page) {
    static page_names names; // large
    char line[4 * TEXT], lab[TEXT];
    const char *slash = strrchr(f->deck, '/'), *before = slash;
    while (before && before > f->deck && before[-1] != '/') before--;
    snprintf(lab, sizeof lab, "%.*s", before ? (int)(slash - before) : 0, before ? before : "");
    names.lab = lab;
    take_names(f, page, &names);
    while (fgets(line, sizeof line, page)) {
        f->line++;
        fill_line(f, &names, line, stdout);
    }
}

// ---- A deck ------------------------------------------------------------------------------------

static void fill_deck(filling *f, FILE *deck) {
    char line[4 * TEXT];
    while (fgets(line, sizeof line, deck)) {
        f->line++;
        char *at = line;
        for (char *mark; (mark = strstr(at, "{{"));) {
            char *end = strstr(mark, "}}");
            if (!end) {
                complain(f, mark, "no end of this mark");
                break;
            }
            *mark = *end = '\0';
            fputs(at, stdout);
            fill(f, mark + 2, stdout);
            at = end + 2;
        }
        fputs(at, stdout);
    }
}

// The numbers of a lab that nobody measured on the course's card are those of the other one. A page
// is labs/LAB/README.md, a walkthrough solutions/LAB/walkthrough.md, a deck slides/LAB.md.
static void take_card(const filling *f) {
    char lab[128], here[512], other[512];
    const char *name = text_base(f->deck), *end = strrchr(f->deck, '/');
    const char *folder = end;
    while (folder && folder > f->deck && folder[-1] != '/') folder--;
    if (text_has(name, "^[0-9][0-9]_.*\\.md$"))
        snprintf(lab, sizeof lab, "%.*s", (int)strlen(name) - 3, name);
    else snprintf(lab, sizeof lab, "%.*s", folder ? (int)(end - folder) : 0, folder ? folder : "");
    snprintf(here, sizeof here, "%s/labs/measured/%s.csv:%s", f->root, card_id, lab);
    snprintf(other, sizeof other, "%s/labs/measured/%s.csv:%s", f->root, card_other_id(), lab);
    if (!measured_has(here) && measured_has(other)) card_id = card_other_id();
}

int docs_numbers(int argc, char **argv) {
    bool is_page = argc == 5 && strcmp(argv[1], "--page") == 0;
    if (argc != 4 && !is_page) {
        fputs("usage: ladder-docs numbers [--page] FOLDER FACTS DECK.md\n", stderr);
        return 2;
    }
    filling f = {.root = argv[argc - 3], .facts = argv[argc - 2], .deck = argv[argc - 1]};
    take_card(&f);
    FILE *deck = fopen(f.deck, "r");
    if (!deck) {
        perror(f.deck);
        return 1;
    }
    (is_page ? fill_page : fill_deck)(&f, deck);
    fclose(deck);
    json_decref(f.document);
    return f.failed;
}
