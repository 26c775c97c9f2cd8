// Which step a file is, by its name: see submission.h.
#include "grade/submission/submission.h"
#include <strings.h>

enum { KEY = 512 }; // bytes of a name in one spelling: twice the longest name of a file

// Words that file managers and browsers put to a copy's name (English, German, Dutch, French,
// Italian, Spanish, Portuguese, Polish), beside a number.
static const char *const copy_words[] = {"copy",  "of",  "duplicate",    "kopie",
                                         "von",   "van", "copie",        "de",
                                         "copia", "di",  "c\xc3\xb3pia", "kopia"};

// Bytes of a character at `at` that does not show or separates words; 0: it is none of these.
// U+00A0, U+2000 to U+202F (blanks, dashes, marks of direction), U+2060 to U+206F and U+FEFF.
static size_t unseen_at(const char *at) {
    const unsigned char *u = (const unsigned char *)at;
    if (u[0] == 0xc2 && u[1] == 0xa0) return 2;
    if (u[0] == 0xe2 && u[1] == 0x80 && u[2] >= 0x80 && u[2] <= 0xaf) return 3;
    if (u[0] == 0xe2 && u[1] == 0x81 && u[2] >= 0xa0 && u[2] <= 0xaf) return 3;
    if (u[0] == 0xef && u[1] == 0xbb && u[2] == 0xbf) return 3;
    return 0;
}

void ladder_name_trim(const char *name, char *out, size_t bytes) {
    const char *end = name;
    for (size_t skip; (skip = isspace((unsigned char)*name) ? 1 : unseen_at(name)) > 0;)
        name += skip;
    for (const char *at = name; *at != '\0';) {
        size_t unseen = unseen_at(at);
        bool ends = unseen > 0 || isspace((unsigned char)*at) || *at == '.';
        at += unseen > 0 ? unseen : 1;
        if (!ends) end = at;
    }
    snprintf(out, bytes, "%.*s", end > name ? (int)(end - name) : 0, name);
}

// A name in one spelling: letters small, one '_' for everything between words, none at its ends and
// beside a dot.
static void spell(const char *name, char out[KEY]) {
    size_t used = 0;
    bool gap = false;
    for (const char *at = name; *at != '\0' && used + 2 < KEY;) {
        size_t unseen = unseen_at(at);
        unsigned char c = (unsigned char)*at;
        at += unseen > 0 ? unseen : 1;
        if (unseen > 0 || (c < 0x80 && !isalnum(c) && c != '.')) {
            gap = true;
            continue;
        }
        if (gap && used > 0 && c != '.' && out[used - 1] != '.') out[used++] = '_';
        gap = false;
        out[used++] = (char)tolower(c);
    }
    while (used > 0 && out[used - 1] == '.') used--;
    out[used] = '\0';
}

// Takes ".cu" off a spelled name; false: it does not end so.
static bool take_suffix(char *spelled) {
    size_t length = strlen(spelled);
    if (length < 4 || strcmp(spelled + length - 3, ".cu") != 0) return false;
    spelled[length - 3] = '\0';
    return true;
}

static bool is_copy_word(const char *word, size_t length) {
    if (length <= 3 && strspn(word, "0123456789") >= length) return true;
    for (size_t i = 0; i < sizeof copy_words / sizeof *copy_words; i++)
        if (strlen(copy_words[i]) == length && memcmp(copy_words[i], word, length) == 0)
            return true;
    return false;
}

// Whether all words of text[0 .. length) are those of a copy.
static bool are_copy_words(const char *text, size_t length) {
    for (size_t at = 0; at < length;) {
        size_t word = 0;
        while (at + word < length && text[at + word] != '_' && text[at + word] != '.') word++;
        if (word > 0 && !is_copy_word(text + at, word)) return false;
        at += word + 1;
    }
    return true;
}

// How a stem stands for that of a step, both spelled alike.
static ladder_name_fit fit_of(const char *stem, const char *step) {
    size_t length = strlen(step);
    if (strcmp(stem, step) == 0) return LADDER_NAME_SPELLED;
    for (const char *at = stem; (at = strstr(at, step)); at++) {
        const char *behind = at + length;
        bool begins = at == stem || at[-1] == '_' || at[-1] == '.';
        bool ends = *behind == '\0' || *behind == '_' || *behind == '.';
        if (!begins || !ends) continue;
        bool copy =
            are_copy_words(stem, (size_t)(at - stem)) && are_copy_words(behind, strlen(behind));
        return copy ? LADDER_NAME_COPY : LADDER_NAME_AMID;
    }
    return LADDER_NAME_NONE;
}

int ladder_step_of_name(const ladder_rubric *rubric, const char *name, ladder_name_fit *out_fit) {
    char stem[KEY], step[KEY];
    ladder_name_fit best = LADDER_NAME_NONE;
    size_t best_length = 0;
    int found = -1;
    spell(name, stem);
    bool source = take_suffix(stem);
    for (int i = 0; source && i < rubric->step_count; i++) {
        spell(rubric->steps[i].file, step);
        take_suffix(step);
        bool exact = strcmp(name, rubric->steps[i].file) == 0;
        ladder_name_fit fit = exact ? LADDER_NAME_EXACT : fit_of(stem, step);
        size_t length = strlen(step); // of two names that it holds the longer one is meant
        if (fit > best || fit == LADDER_NAME_NONE || (fit == best && length <= best_length))
            continue;
        best = fit;
        best_length = length;
        found = i;
    }
    if (out_fit) *out_fit = best;
    return found;
}

// The step of which a spelled name holds the number, at its begin or behind "step"; -1: none.
static int step_of_number(const ladder_rubric *rubric, const char *spelled) {
    const char *at = spelled;
    for (const char *word = spelled; at == spelled && (word = strstr(word, "step")); word++)
        if (isdigit((unsigned char)word[4 + (word[4] == '_')])) at = word + 4 + (word[4] == '_');
    if (!isdigit((unsigned char)*at)) return -1;
    long number = strtol(at, NULL, 10);
    for (int i = 0; i < rubric->step_count; i++)
        if (rubric->steps[i].step == number) return i;
    return -1;
}

int ladder_step_of_single(const ladder_rubric *rubric, const char *name) {
    char stem[KEY], step[KEY];
    int found = ladder_step_of_name(rubric, name, NULL);
    if (found >= 0) return found;
    spell(name, stem);
    if (!take_suffix(stem)) return -1;
    for (int i = 0; i < rubric->step_count; i++) {
        spell(rubric->steps[i].file, step);
        take_suffix(step);
        if (strncmp(stem, step, strlen(step)) == 0) return i;
    }
    char after = stem[strspn(stem, "0123456789")];
    bool numbered =
        isdigit((unsigned char)stem[0]) && (after == '\0' || after == '_' || after == '.');
    return numbered ? step_of_number(rubric, stem) : -1;
}

// The step that a name without a step's name probably means; -1: none is near.
static int step_meant(const ladder_rubric *rubric, const char *spelled) {
    char step[KEY], stem[KEY];
    snprintf(stem, sizeof stem, "%s", spelled);
    stem[strcspn(stem, ".")] = '\0';
    int best = -1;
    size_t nearest = 4; // edits that are still a slip
    for (int i = 0; i < rubric->step_count; i++) {
        spell(rubric->steps[i].file, step);
        take_suffix(step);
        const char *word = strchr(step, '_'); // without its number
        size_t all = ladder_edit_distance(stem, step), half = strlen(step) / 2;
        size_t edits = word ? ladder_edit_distance(stem, word + 1) : all;
        edits = all < edits ? all : edits;
        if (word && strlen(word) > 4 && strstr(stem, word + 1)) edits = 0;
        if (edits < nearest && edits < half) {
            nearest = edits;
            best = i;
        }
    }
    return best >= 0 && nearest < 2            ? best
           : step_of_number(rubric, stem) >= 0 ? step_of_number(rubric, stem)
                                               : best;
}

static bool is_source(const char *spelled) {
    size_t length = strlen(spelled);
    return length > 3 && strcmp(spelled + length - 3, ".cu") == 0;
}

// "a step of lab 01_transpose or 07_gemm": the labs that have one of this name; "": none has.
static void labs_of_name(const char *name, char *text, size_t bytes) {
    text[0] = '\0';
    for (int i = 0; i < ladder_lab_count; i++) {
        size_t used = strlen(text);
        if (ladder_step_of_name(ladder_labs[i].rubric, name, NULL) >= 0)
            snprintf(text + used, bytes - used, "%s%.24s", used > 0 ? " or " : "a step of lab ",
                     ladder_labs[i].folder);
    }
}

char *ladder_step_name_why(const ladder_rubric *rubric, const char *name, char *text,
                           size_t bytes) {
    char spelled[KEY];
    spell(name, spelled);
    int meant = step_meant(rubric, spelled);
    labs_of_name(name, text, bytes);
    if (text[0] != '\0') return text;
    snprintf(text, bytes, "%s%s%.60s%s",
             is_source(spelled) ? "not a step's name" : "not a .cu file", meant >= 0 ? "; " : "",
             meant >= 0 ? rubric->steps[meant].file : "", meant >= 0 ? " may be meant" : "");
    return text;
}

int ladder_step_name_distance(const ladder_rubric *rubric, const char *name) {
    char spelled[KEY];
    spell(name, spelled);
    return is_source(spelled) ? 0 : step_meant(rubric, spelled) >= 0 ? 1 : 2;
}

void ladder_seen_add(ladder_seen *seen, int distance, const char *name, const char *why) {
    int last = seen->count < LADDER_SEEN_TOLD ? seen->count : LADDER_SEEN_TOLD, at = last;
    char plain[sizeof seen->items[0].name];
    ladder_plain(name, false, plain, sizeof plain);
    seen->count++;
    while (at > 0 && (seen->items[at - 1].distance > distance ||
                      (seen->items[at - 1].distance == distance &&
                       strcmp(seen->items[at - 1].name, plain) > 0)))
        at--;
    if (at == LADDER_SEEN_TOLD) return;
    int kept = last < LADDER_SEEN_TOLD ? last : LADDER_SEEN_TOLD - 1;
    memmove(&seen->items[at + 1], &seen->items[at], (size_t)(kept - at) * sizeof seen->items[0]);
    seen->items[at].distance = distance;
    memcpy(seen->items[at].name, plain, sizeof plain);
    snprintf(seen->items[at].why, sizeof seen->items[at].why, "%s", why);
}

char *ladder_seen_say(const ladder_seen *seen, char *text, size_t bytes) {
    enum { MORE = 32 }; // room for how many more there are
    size_t used = 0;
    int told = 0, kept = seen->count < LADDER_SEEN_TOLD ? seen->count : LADDER_SEEN_TOLD;
    text[0] = '\0';
    for (; told < kept; told++) {
        const char *name = seen->items[told].name, *why = seen->items[told].why;
        if (used + strlen(name) + strlen(why) + MORE >= bytes) break;
        used += (size_t)snprintf(text + used, bytes - used, "%s%s (%s)", told > 0 ? ", " : "", name,
                                 why);
    }
    if (seen->count > told)
        snprintf(text + used, bytes - used, "%s%d%s", told > 0 ? " and " : "", seen->count - told,
                 told > 0 ? " more" : " files");
    return text;
}
