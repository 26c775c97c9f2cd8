// Headings of attacks: see heading.h.
#include "heading.h"

#include <dirent.h>

#include "tests/support/edit.h"

static const struct {
    const char *name, *text;
} defences[] = {
#define LADDER_DEFENCE(id, text) {#id, text},
#include "utilities/defence.def"
#undef LADDER_DEFENCE
};

static const struct {
    const char *word, *text;
} gains[] = {
#define ATTACK_GAIN(id, word, text) {word, text},
#include "gains.def"
#undef ATTACK_GAIN
};

const char *attack_defence_name(ladder_defence defence) { return defences[defence].name; }

const char *attack_defence_text(ladder_defence defence) { return defences[defence].text; }

static char *read_text(const char *path) {
    enum { MOST = 1 << 20 };
    FILE *file = fopen(path, "re");
    char *text = file ? calloc(1, MOST) : NULL;
    size_t got = text ? fread(text, 1, MOST - 1, file) : 0;
    if (file) fclose(file);
    if (got > 0) return text;
    free(text);
    return NULL;
}

static kl_status read_defences(const char *value, attack *a, kl_error *err) {
    char copy[ATTACK_LINE], *rest = NULL;
    if (strcmp(value, "design") == 0) return KL_OK;
    snprintf(copy, sizeof copy, "%s", value);
    for (char *word = strtok_r(copy, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
        int found = 0;
        while (found < LADDER_DEFENCES && strcmp(defences[found].name, word) != 0) found++;
        if (found == LADDER_DEFENCES)
            return kl_fail(err, KL_ERROR_INPUT, "%s is not in utilities/defence.def", word);
        if (a->defence_count == ATTACK_DEFENCES)
            return kl_fail(err, KL_ERROR_LIMIT, "more than %d defences", ATTACK_DEFENCES);
        a->defences[a->defence_count++] = (ladder_defence)found;
    }
    return a->defence_count > 0 ? KL_OK : kl_fail(err, KL_ERROR_INPUT, "no defence is named");
}

static void read_gain(const char *value, attack *a) {
    for (int i = 0; i < ATTACK_GAIN_OTHER; i++) {
        if (strcmp(gains[i].word, value) != 0) continue;
        a->gain = (attack_gain)i;
        snprintf(a->gain_text, sizeof a->gain_text, "%s", gains[i].text);
        return;
    }
    a->gain = ATTACK_GAIN_OTHER;
    snprintf(a->gain_text, sizeof a->gain_text, "%s", value);
}

// A whole value, its continuation lines joined.
static kl_status take_value(const char *key, const char *value, attack *a, kl_error *err) {
    if (strcmp(key, "attack") == 0) {
        snprintf(a->text, sizeof a->text, "%s", value);
    } else if (strcmp(key, "step") == 0) {
        if (sscanf(value, "%63s %d", a->lab, &a->step) != 2)
            return kl_fail(err, KL_ERROR_INPUT, "\"step: LAB NUMBER\" is meant");
    } else if (strcmp(key, "stopped by") == 0) {
        return read_defences(value, a, err);
    } else if (strcmp(key, "expect") == 0) {
        snprintf(a->expect, sizeof a->expect, "%s", value);
    } else if (strcmp(key, "gains") == 0) {
        read_gain(value, a);
    } else if (strcmp(key, "limit") == 0) {
        a->limit_s = strtod(value, NULL);
    } else if (strcmp(key, "tier") == 0) {
        a->full_only = strcmp(value, "full") == 0;
    }
    return KL_OK;
}

// The key that a comment line begins with: its length, or 0.
static size_t key_of(const char *line) {
    static const char *const keys[] = {"attack", "step",  "stopped by", "expect",
                                       "gains",  "limit", "tier"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        size_t length = strlen(keys[i]);
        if (strncmp(line, keys[i], length) == 0 && line[length] == ':') return length;
    }
    return 0;
}

// Reads the comment lines from *at on, and leaves *at behind them.
static kl_status read_block(const char **at, attack *a, kl_error *err) {
    char key[32] = "", value[ATTACK_LINE] = "";
    kl_status status = KL_OK;
    while (strncmp(*at, "// ", 3) == 0 && status == KL_OK) {
        const char *line = *at + 3;
        size_t length = strcspn(line, "\n"), key_length = key_of(line);
        if (key_length > 0) {
            status = take_value(key, value, a, err);
            snprintf(key, sizeof key, "%.*s", (int)key_length, line);
            line += key_length + 1;
            line += *line == ' ';
            value[0] = '\0';
            length = strcspn(line, "\n");
        }
        size_t used = strlen(value);
        snprintf(value + used, sizeof value - used, "%s%.*s", used > 0 ? " " : "", (int)length,
                 line);
        *at = line + length + (line[length] == '\n');
    }
    if (status == KL_OK) status = take_value(key, value, a, err);
    if (a->gain_text[0] == '\0') read_gain("points", a);
    if (status == KL_OK && (a->text[0] == '\0' || a->expect[0] == '\0'))
        status = kl_fail(err, KL_ERROR_INPUT, "the heading needs attack, stopped by and expect");
    return status;
}

typedef struct attack_list {
    attack *items;
    size_t count, capacity;
} attack_list;

static kl_status add(attack_list *list, const attack *a, kl_error *err) {
    if (list->count == list->capacity) {
        list->capacity = list->capacity > 0 ? 2 * list->capacity : 64;
        attack *grown = realloc(list->items, list->capacity * sizeof *grown);
        if (!grown) return kl_fail(err, KL_ERROR_MEMORY, "no memory for attacks");
        list->items = grown;
    }
    list->items[list->count++] = *a;
    return KL_OK;
}

// The attacks of a C file: a heading, then ATTACK(name).
static kl_status read_programs(attack_list *list, const attack *base, const char *text,
                               kl_error *err) {
    const char mark[] = "// attack: ", function[] = "ATTACK(";
    const char *at = text;
    while ((at = strstr(at, mark))) {
        attack a = *base;
        a.is_program = true;
        TRY(read_block(&at, &a, err));
        if (strncmp(at, function, strlen(function)) != 0)
            return kl_fail(err, KL_ERROR_INPUT, "after \"%.60s\" ATTACK(name) is missing", a.text);
        at += strlen(function);
        snprintf(a.name, sizeof a.name, "%.*s", (int)strcspn(at, ")"), at);
        TRY(add(list, &a, err));
    }
    return KL_OK;
}

// The attack that is a change of a step, of that of lab 02 where no other is named.
static kl_status read_source(attack_list *list, attack *a, const edit *edit, kl_error *err) {
    const char *heading = edit->heading;
    snprintf(a->name, sizeof a->name, "%s", edit->name);
    snprintf(a->lab, sizeof a->lab, "02_reduction");
    a->step = 1;
    snprintf(a->expect, sizeof a->expect, "%s", edit->words);
    TRY(read_block(&heading, a, err));
    return add(list, a, err);
}

static kl_status read_edits(attack_list *list, const attack *base, kl_error *err) {
    edit_list edits;
    kl_status status = edits_read(base->path, &edits, err);
    for (int i = 0; i < edits.count && status == KL_OK; i++) {
        attack a = *base;
        status = read_source(list, &a, &edits.items[i], err);
        if (status != KL_OK) kl_fail_prefix(err, "line %d: %s", edits.items[i].line, a.name);
    }
    edits_free(&edits);
    return status;
}

static kl_status read_attack_file(attack_list *list, const char *folder, const char *class_name,
                                  const char *file, kl_error *err) {
    attack base = {.limit_s = 0};
    const char *dot = strrchr(file, '.');
    snprintf(base.class_name, sizeof base.class_name, "%s", class_name);
    snprintf(base.name, sizeof base.name, "%.*s", (int)(dot - file), file);
    snprintf(base.path, sizeof base.path, "%s/%s/%s", folder, class_name, file);
    if (strcmp(dot, ".edits") == 0) return read_edits(list, &base, err);
    char *text = read_text(base.path);
    if (!text) return kl_fail(err, KL_ERROR_INPUT, "cannot be read");
    kl_status status = read_programs(list, &base, text, err);
    free(text);
    return status;
}

static int is_attack(const struct dirent *entry) {
    const char *dot = strrchr(entry->d_name, '.');
    return dot && (strcmp(dot, ".edits") == 0 || strcmp(dot, ".c") == 0);
}

static kl_status read_class(attack_list *list, const char *folder, const char *class_name,
                            kl_error *err) {
    char path[4096];
    struct dirent **entries = NULL;
    kl_status status = KL_OK;
    snprintf(path, sizeof path, "%s/%s", folder, class_name);
    int count = scandir(path, &entries, is_attack, alphasort);
    for (int i = 0; i < count; i++) {
        if (status == KL_OK) {
            status = read_attack_file(list, folder, class_name, entries[i]->d_name, err);
            if (status != KL_OK) kl_fail_prefix(err, "%s/%s", class_name, entries[i]->d_name);
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

static int is_class(const struct dirent *entry) {
    return islower((unsigned char)entry->d_name[0]) && !strchr(entry->d_name, '.');
}

int attack_classes(const char *folder, char out_names[ATTACK_CLASSES][64]) {
    struct dirent **entries = NULL;
    int found = scandir(folder, &entries, is_class, alphasort), count = 0;
    for (int i = 0; i < found; i++) {
        if (count < ATTACK_CLASSES) snprintf(out_names[count++], 64, "%.63s", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return count;
}

kl_status attack_find(const char *folder, attack **out_list, size_t *out_count, kl_error *err) {
    char classes[ATTACK_CLASSES][64];
    attack_list list = {NULL, 0, 0};
    kl_status status = KL_OK;
    int count = attack_classes(folder, classes);
    for (int i = 0; i < count && status == KL_OK; i++)
        status = read_class(&list, folder, classes[i], err);
    *out_list = list.items;
    *out_count = list.count;
    return status;
}
