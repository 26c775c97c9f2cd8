// Names in bulk downloads: see intake.h. Sources of the schemes:
//   Canvas      lib/content_zipper.rb of github.com/instructure/canvas-lms:
//               NAME[_LATE]_USER_ATTACHMENT_FILE, or anon_ID in place of name and user; a file that
//               is handed in again gets "-1" before its suffix
//   Moodle      mod/assign/locallib.php and mod/assign/submission/file of github.com/moodle/moodle:
//               "Full Name_NUMBER_assignsubmission_file" (older versions: with a '_' behind it), as
//               a folder or in front of each file's name
//   Gradescope  "Export Submissions": folders submission_NUMBER beside submission_metadata.yml
//   GitHub      docs.github.com, GitHub Classroom: repositories ASSIGNMENT-USER
#include "grade/intake/intake.h"
#include <strings.h>

static const char metadata_name[] = "submission_metadata.yml";

const char *const ladder_layout_words[] = {
#define LAYOUT_WORD(id, word, text) word,
    LADDER_LAYOUT_LIST(LAYOUT_WORD)};

static const char all_words[] =
#define LAYOUT_CHOICE(id, word, text) "|" word
    LADDER_LAYOUT_LIST(LAYOUT_CHOICE);
const char *const ladder_layout_choices = all_words + 1;

const char *ladder_layout_text(ladder_layout layout) {
    static const char *const texts[] = {
#define LAYOUT_TEXT(id, word, text) text,
        LADDER_LAYOUT_LIST(LAYOUT_TEXT)};
    return texts[layout];
}

ladder_layout ladder_layout_find(const char *word) {
    int at = 0;
    while (at < LADDER_LAYOUTS && strcmp(ladder_layout_words[at], word) != 0) at++;
    return (ladder_layout)at;
}

bool ladder_entry_is_skipped(const char *name) {
    return name[0] == '.' || strcmp(name, "__MACOSX") == 0 || strcasecmp(name, "Thumbs.db") == 0;
}

static void keep(char *out, size_t capacity, const char *from, size_t length) {
    snprintf(out, capacity, "%.*s", (int)length, from);
}

// "steps-2.zip" is "steps.zip" handed in a third time.
static void split_attempt(ladder_handed *h) {
    char *dot = strrchr(h->file, '.');
    char *tar = dot && dot - h->file > 4 ? dot - 4 : NULL;
    if (tar && strncasecmp(tar, ".tar", 4) == 0) dot = tar;
    char *dash = dot;
    while (dash && dash > h->file && isdigit((unsigned char)dash[-1])) dash--;
    if (!dash || dash == dot || dash - h->file < 2 || dash[-1] != '-' || dot - dash > 3) return;
    h->attempt = atoi(dash);
    memmove(dash - 1, dot, strlen(dot) + 1);
}

// The part of a name up to `end` that is a number, with a '_' before it; its first digit, or NULL.
static const char *number_before(const char *name, const char *end) {
    const char *at = end;
    while (at > name && isdigit((unsigned char)at[-1])) at--;
    return at < end && at > name && at[-1] == '_' ? at : NULL;
}

static bool is_number(const char *text, size_t length) {
    size_t digits = strspn(text, "0123456789");
    return length > 0 && length <= 18 && digits >= length;
}

// NAME[_LATE]_USER_ATTACHMENT_FILE. Canvas takes numbers between underscores out of names of
// people, so that the first such number is the user's.
static bool read_canvas(const char *name, ladder_handed *h) {
    const char *part = strchr(name, '_');
    for (; part; part = strchr(part + 1, '_')) {
        const char *user = part + 1;
        size_t user_length = strcspn(user, "_");
        const char *file_number = user + user_length + 1;
        bool anonymous = part - name == 4 && strncmp(name, "anon", 4) == 0;
        if (user[user_length] != '_' || !(is_number(user, user_length) || anonymous)) continue;
        size_t number_length = strcspn(file_number, "_");
        if (!is_number(file_number, number_length) || file_number[number_length] != '_') continue;
        const char *file = file_number + number_length + 1;
        size_t name_length = (size_t)(part - name);
        if (*file == '\0' || name_length == 0) return false;
        if (name_length > 5 && strncmp(part - 5, "_LATE", 5) == 0) {
            h->late = true;
            name_length -= 5;
        }
        keep(h->title, sizeof h->title, name,
             anonymous ? (size_t)(user - name) + user_length : name_length);
        keep(h->user, sizeof h->user, user, user_length);
        h->number = atoll(file_number);
        snprintf(h->file, sizeof h->file, "%s", file);
        snprintf(h->owner, sizeof h->owner, "%.180s_%s", anonymous ? "anon" : h->title, h->user);
        split_attempt(h);
        return true;
    }
    return false;
}

static bool read_moodle(const char *name, bool is_folder, ladder_handed *h) {
    static const char mark[] = "_assignsubmission_file";
    const char *at = strstr(name, mark);
    const char *number = at ? number_before(name, at) : NULL;
    if (!number) return false;
    const char *file = at + sizeof mark - 1;
    file += *file == '_';
    if (is_folder != (*file == '\0')) return false;
    keep(h->title, sizeof h->title, name, (size_t)(number - name) - 1);
    keep(h->user, sizeof h->user, number, (size_t)(at - number));
    keep(h->owner, sizeof h->owner, name, (size_t)(at - name));
    snprintf(h->file, sizeof h->file, "%s", file);
    return h->title[0] != '\0';
}

static bool read_gradescope(const ladder_entry *entry, ladder_handed *h) {
    static const char mark[] = "submission_";
    size_t begin = sizeof mark - 1;
    const char *number = entry->name + begin;
    if (!entry->is_folder || strncmp(entry->name, mark, begin) != 0 || *number == '\0')
        return false;
    snprintf(h->title, sizeof h->title, "%s", entry->name);
    snprintf(h->owner, sizeof h->owner, "%s", entry->name);
    snprintf(h->user, sizeof h->user, "%.63s", number);
    return true;
}

static bool read_repository(const ladder_entry *entry, const char *prefix, ladder_handed *h) {
    size_t begin = strlen(prefix);
    if (!entry->is_folder) return false;
    bool has_prefix = strncmp(entry->name, prefix, begin) == 0 && entry->name[begin] != '\0';
    snprintf(h->title, sizeof h->title, "%s", entry->name + (has_prefix ? begin : 0));
    snprintf(h->owner, sizeof h->owner, "%s", entry->name);
    snprintf(h->user, sizeof h->user, "%.63s", h->title);
    return true;
}

bool ladder_layout_read(ladder_layout layout, const ladder_entry *entry, const char *prefix,
                        ladder_handed *out_handed) {
    memset(out_handed, 0, sizeof *out_handed);
    switch (layout) {
    case LADDER_LAYOUT_CANVAS: return !entry->is_folder && read_canvas(entry->name, out_handed);
    case LADDER_LAYOUT_MOODLE: return read_moodle(entry->name, entry->is_folder, out_handed);
    case LADDER_LAYOUT_GRADESCOPE: return read_gradescope(entry, out_handed);
    case LADDER_LAYOUT_CLASSROOM: return read_repository(entry, prefix, out_handed);
    default: return false;
    }
}

ladder_layout ladder_layout_recognise(const ladder_entry *entries, size_t count) {
    static const ladder_layout by_name[] = {LADDER_LAYOUT_MOODLE, LADDER_LAYOUT_CANVAS,
                                            LADDER_LAYOUT_GRADESCOPE};
    ladder_handed handed;
    size_t repositories = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(entries[i].name, metadata_name) == 0) return LADDER_LAYOUT_GRADESCOPE;
        repositories += entries[i].is_repository;
    }
    for (size_t k = 0; k < sizeof by_name / sizeof by_name[0]; k++) {
        size_t fit = 0;
        for (size_t i = 0; i < count; i++)
            fit += ladder_layout_read(by_name[k], &entries[i], "", &handed);
        if (2 * fit > count) return by_name[k];
    }
    return 2 * repositories > count ? LADDER_LAYOUT_CLASSROOM : LADDER_LAYOUT_PLAIN;
}

void ladder_layout_prefix(const ladder_entry *entries, size_t count, char *out) {
    const char *first = NULL;
    size_t common = 0, folders = 0;
    out[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        if (!entries[i].is_folder) continue;
        const char *name = entries[i].name;
        if (folders++ == 0) {
            first = name;
            common = strlen(name);
        }
        size_t same = 0;
        while (same < common && name[same] == first[same]) same++;
        common = same;
    }
    if (folders < 2) return;
    while (common > 0 && first[common - 1] != '-') common--;
    keep(out, NAME_MAX + 1, first, common);
}
