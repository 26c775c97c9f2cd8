// Pages without names: see pages.h.
#include "course/pages/pages.h"

// ---- Key and pseudonym ----

kl_status ladder_pseudonym_key(const char *path, ladder_row_key *out_key, kl_error *err) {
    struct stat info;
    bool made = false;
    char *text = NULL;
    size_t bytes = 0;
    if (lstat(path, &info) != 0) return ladder_row_key_open(path, true, out_key, &made, err);
    if ((info.st_mode & 077) != 0)
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s: others may read this key, and so could tell who is who: chmod 600",
                       path);
    TRY(ladder_file_read(AT_FDCWD, path, sizeof *out_key, &text, &bytes, err));
    if (bytes == sizeof *out_key) memcpy(out_key, text, bytes);
    free(text);
    if (bytes == sizeof *out_key) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "%s is not a key of ladder report --pseudonyms", path);
}

void ladder_pseudonym_of(const ladder_row_key *key, const char *user, const char *title,
                         char out[LADDER_PSEUDONYM]) {
    static const char digits[] = "abcdefghjkmnpqrstuvwxyz23456789"; // none that look alike
    enum { LENGTH = 8, BASE = sizeof digits - 1 };
    const char *who = user[0] != '\0' ? user : title;
    char hash[LADDER_SHA256_TEXT], word[LENGTH + 1] = "", part[17];
    ladder_hmac(key->bytes, sizeof key->bytes, who, strlen(who), hash);
    snprintf(part, sizeof part, "%.16s", hash);
    uint64_t value = strtoull(part, NULL, 16);
    for (int i = 0; i < LENGTH; i++, value /= BASE) word[i] = digits[value % BASE];
    snprintf(out, LADDER_PSEUDONYM, "student-%s", word);
}

// ---- Words ----

// Letter case of ASCII and of the letters that follow 0xC3 in UTF-8.
static unsigned char lower(const char *text, size_t at) {
    unsigned char c = (unsigned char)text[at];
    bool latin = at > 0 && (unsigned char)text[at - 1] == 0xC3;
    if (latin && c >= 0x80 && c <= 0x9E && c != 0x97) return (unsigned char)(c + 0x20);
    return (unsigned char)(c < 0x80 ? tolower(c) : c);
}

static bool is_letter(char c) {
    return isalnum((unsigned char)c) || ((unsigned char)c & 0x80) != 0;
}

// Words of names of folders that name nobody.
static bool is_plain_word(const char *word) {
    static const char *const plain[] = {
        "submission", "late", "steps", "step", "lab",  "file",    "assignsubmission",
        "zip",        "tar",  "the",   "kit",  "com",  "edu",     "org",
        "student",    "mail", "your",  "own",  "work", "solution"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (strcmp(word, plain[i]) == 0) return true;
    return ladder_lab_find(word);
}

static kl_status add_word(ladder_known_names *names, const char *text, size_t length,
                          kl_error *err) {
    enum { SHORTEST = 3 };
    if (length < SHORTEST) return KL_OK;
    char *word = strndup(text, length);
    for (size_t i = 0; word && i < length; i++) word[i] = (char)lower(text, i);
    if (word && is_plain_word(word)) {
        free(word);
        return KL_OK;
    }
    if (word && names->count == names->capacity) {
        size_t capacity = names->capacity == 0 ? 64 : 2 * names->capacity;
        char **more = realloc(names->words, capacity * sizeof *more);
        if (!more) {
            free(word);
            return kl_fail(err, KL_ERROR_MEMORY, "no memory for names");
        }
        names->words = more;
        names->capacity = capacity;
    }
    if (!word) return kl_fail(err, KL_ERROR_MEMORY, "no memory for names");
    names->words[names->count++] = word;
    return KL_OK;
}

kl_status ladder_known_names_add(ladder_known_names *names, const char *text, kl_error *err) {
    TRY(add_word(names, text, strlen(text), err));
    for (const char *at = text; *at != '\0';) {
        size_t length = 0;
        while (is_letter(at[length])) length++;
        TRY(add_word(names, at, length, err));
        at += length + (at[length] != '\0');
    }
    return KL_OK;
}

void ladder_known_names_free(ladder_known_names *names) {
    for (size_t i = 0; i < names->count; i++) free(names->words[i]);
    free(names->words);
    *names = (ladder_known_names){NULL, 0, 0};
}

// ---- Hiding ----

// What is hidden becomes HIDDEN first, and then, however long it was, one mark.
#define HIDDEN '\x01'

static void blank(char *text, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if (text[i] != '\n') text[i] = HIDDEN;
}

static void close_up(char *text) {
    char *to = text;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at != HIDDEN) {
            *to++ = *at;
            continue;
        }
        while (at[1] == HIDDEN) at++;
        *to++ = '*';
    }
    *to = '\0';
}

// Whether a word may begin or end between two characters: not inside one, but in "annSum" after
// "ann".
static bool is_border(const char *text, size_t at) {
    if (at == 0 || text[at] == '\0') return true;
    char before = text[at - 1], after = text[at];
    bool alike = isalpha((unsigned char)before) || ((unsigned char)before & 0x80) != 0
                     ? isalpha((unsigned char)after) || ((unsigned char)after & 0x80) != 0
                     : isdigit((unsigned char)before) && isdigit((unsigned char)after);
    return !alike || (islower((unsigned char)before) && isupper((unsigned char)after));
}

static bool is_word_at(const char *text, size_t at, const char *word) {
    enum { ANYWHERE = 5 }; // letters from which a name is hidden inside of other words, too
    size_t length = 0;
    for (; word[length] != '\0'; length++)
        if (text[at + length] == '\0' || lower(text, at + length) != (unsigned char)word[length])
            return false;
    return length >= ANYWHERE || (is_border(text, at) && is_border(text, at + length));
}

static bool is_of_address(char c) { return is_letter(c) || (c != '\0' && strchr("._%+-", c)); }

static void hide_addresses(char *text) {
    for (char *at = text; (at = strchr(at, '@')); at++) {
        size_t from = (size_t)(at - text), to = from + 1;
        while (from > 0 && is_of_address(text[from - 1])) from--;
        while (is_of_address(text[to])) to++;
        if (from < (size_t)(at - text) && to > (size_t)(at - text) + 1) blank(text, from, to);
    }
}

// "/home/ann/x.cu", "~/x", "C:\Users\ann": two parts or more.
static void hide_paths(char *text) {
    for (size_t at = 0; text[at] != '\0'; at++) {
        char slash = text[at];
        if ((slash != '/' && slash != '\\') || (at > 0 && text[at - 1] == slash)) continue;
        size_t from = at, to = at, parts = 0;
        if (at > 0 && (text[at - 1] == '~' || text[at - 1] == ':')) from--;
        if (from < at && text[from] == ':' && from > 0 && is_letter(text[from - 1])) from--;
        bool begins = from == 0 || !is_letter(text[from - 1]);
        while (text[to] == slash && is_of_address(text[to + 1])) {
            for (to++; is_of_address(text[to]);) to++;
            parts++;
        }
        if (begins && (parts > 1 || text[from] == '~')) blank(text, from, to);
        at = to > at ? to - 1 : at;
    }
}

void ladder_hide_names(const ladder_known_names *names, char *text) {
    hide_addresses(text);
    hide_paths(text);
    for (size_t w = 0; w < names->count; w++)
        for (size_t at = 0; text[at] != '\0'; at++)
            if (is_word_at(text, at, names->words[w]))
                blank(text, at, at + strlen(names->words[w]));
    close_up(text);
}

void ladder_hide_in_message(const ladder_known_names *names, char *text) {
    for (char *at = text; (at = strstr(at, "//"));) {
        char *end = at + strcspn(at, "\n");
        memset(at, ' ', (size_t)(end - at));
        at = end;
    }
    ladder_hide_names(names, text);
}

void ladder_hide_student(const ladder_known_names *names, const char *pseudonym,
                         ladder_result *result, ladder_kept_files *files) {
    snprintf(result->id, sizeof result->id, "%s", pseudonym);
    snprintf(result->title, sizeof result->title, "%s", pseudonym);
    result->user[0] = result->hash[0] = '\0';
    result->note_count = 0; // they name files
    result->nickname[0] = '\0';
    result->work_log[0] = '\0'; // a student's own words can say who wrote them
    for (int i = 0; i < result->step_count; i++) {
        ladder_step_result *step = &result->steps[i];
        step->log[0] = '\0'; // what a program prints can say anything
        ladder_hide_in_message(names, step->message);
        for (int k = 0; k < LADDER_FAILURES_MAX; k++)
            ladder_hide_in_message(names, step->failures[k].text);
        ladder_hide_names(names, step->check.failed);
        for (int k = 0; k < LADDER_FINDINGS_MAX; k++) // a kernel's name, where no line is known
            ladder_hide_names(names, step->check.findings[k].place);
        for (int k = 0; k < step->prediction_count; k++)
            ladder_hide_names(names, step->predictions[k].name);
    }
    for (int i = 0; i < result->given.count; i++)
        ladder_hide_in_message(names, result->given.items[i].comment);
    for (int i = 0; i < result->given.comment_count; i++)
        ladder_hide_in_message(names, result->given.comments[i].text);
    for (int i = 0; i < LADDER_STEPS_MAX; i++) {
        if (!files->sources[i]) continue;
        ladder_hide_comments(files->sources[i]);
        ladder_hide_names(names, files->sources[i]);
    }
}
