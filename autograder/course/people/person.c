// What one source says of a student: see people.h.
#include "course/people/people.h"
#include <strings.h>

bool ladder_person_next(const char **at, char *out) {
    size_t length = strcspn(*at, "\n");
    snprintf(out, LADDER_TITLE, "%.*s", (int)length, *at);
    *at += length + ((*at)[length] == '\n');
    return length > 0;
}

bool ladder_person_add(ladder_person *person, const char *id) {
    char one[LADDER_TITLE], known[LADDER_TITLE];
    id += strspn(id, " \t");
    size_t length = strcspn(id, "\n"), used = strlen(person->ids);
    while (length > 0 && (id[length - 1] == ' ' || id[length - 1] == '\t')) length--;
    snprintf(one, sizeof one, "%.*s", (int)length, id);
    for (const char *at = person->ids; ladder_person_next(&at, known);)
        if (strcasecmp(known, one) == 0) return true;
    if (one[0] == '\0') return true;
    if (used + strlen(one) + 2 > sizeof person->ids) return false;
    snprintf(person->ids + used, sizeof person->ids - used, "%s\n", one);
    return true;
}

const char *ladder_participant(const char *id) {
    static const char word[] = "participant ";
    return strncasecmp(id, word, sizeof word - 1) == 0 ? id + sizeof word - 1 : NULL;
}

ladder_person ladder_person_of_word(const char *word) {
    ladder_person person = {.ids = ""};
    snprintf(person.name, sizeof person.name, "%s", word);
    ladder_person_add(&person, word);
    return person;
}

// Bytes of a title's end that are no part of a name: what the kind of a file is called.
static size_t ending_of(const char *title) {
    static const char *const ends[] = {".cu", ".tar.gz", ".tgz", ".tar", ".zip", ".rar", ".7z"};
    size_t length = strlen(title);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t bytes = strlen(ends[i]);
        if (length > bytes && strcasecmp(title + length - bytes, ends[i]) == 0) return bytes;
    }
    return 0;
}

ladder_person ladder_person_of_title(const char *title, const char *user) {
    char plain[LADDER_TITLE];
    snprintf(plain, sizeof plain, "%.*s", (int)(strlen(title) - ending_of(title)), title);
    ladder_person person = ladder_person_of_word(plain);
    ladder_person_add(&person, title);
    if (user && user[0] != '\0') { // the title is a name then, and no id
        person.ids[0] = '\0';
        ladder_person_add(&person, user);
    }
    snprintf(person.words, sizeof person.words, "%s", plain);
    return person;
}

int ladder_people_of(const ladder_submission *submission, ladder_person out[LADDER_MEMBERS_MAX]) {
    int count = 0;
    for (const char *line = submission->members; *line != '\0' && count < LADDER_MEMBERS_MAX;) {
        ladder_person *one = &out[count++];
        size_t length = strcspn(line, "\n"), name = strcspn(line, "\t\n");
        *one = (ladder_person){.ids = ""};
        snprintf(one->name, sizeof one->name, "%.*s", (int)name, line);
        for (size_t at = name; at < length;) {
            char id[LADDER_TITLE];
            size_t part = strcspn(line + at + 1, "\t\n");
            snprintf(id, sizeof id, "%.*s", (int)part, line + at + 1);
            ladder_person_add(one, id);
            at += 1 + part;
        }
        line += length + (line[length] == '\n');
    }
    if (count > 0) return count;
    out[0] = ladder_person_of_title(submission->title, submission->user);
    return 1;
}

void ladder_people_tell(const ladder_people_counts *counts, FILE *out) {
    fprintf(out, "%zu student%s, %zu matched, %zu to decide\n", counts->students,
            counts->students == 1 ? "" : "s", counts->matched, counts->students - counts->matched);
}
