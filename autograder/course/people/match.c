// The one matcher of people: see people.h.
#include "course/people/people.h"
#include <strings.h>

enum {
    KEY_MAX = 200, // bytes of a key; longer names are compared by their beginning
    KEYS_MAX = 16, // of each kind, of one person
    WORDS_MAX = 8  // of a name; one of more is compared as it stands only
};

// Keys of one kind, one behind the other in `text`.
typedef struct keys {
    char *text;
    int count, at[KEYS_MAX];
} keys;

// What a person is compared by. names[0 .. exact) have their words in order.
typedef struct person_keys {
    keys ids, logins, names, participants;
    int exact;
} person_keys;

struct ladder_people {
    person_keys *list; // [count]
    size_t count;
};

// The letter without its accents of U+00C0 .. U+017F; a blank: none.
static const char bases[] = "aaaaaaaceeeeiiiidnooooo ouuuuytsaaaaaaaceeeeiiiidnooooo ouuuuyty"
                            "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkk"
                            "llllllllllnnnnnnnnnoooooooorrrrrrsssssssstttttt"
                            "uuuuuuuuuuuuwwyyyzzzzzzs";
_Static_assert(sizeof bases == 0x180 - 0xC0 + 1, "a letter per code point");
// The same of U+1E00 .. U+1EFF, as Vietnamese has them.
static const char more_bases[] = "aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm"
                                 "mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv"
                                 "wwwwwwwwwwxxxxyyzzzzzzhtwyassss aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee"
                                 "eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy  vvyy";
_Static_assert(sizeof more_bases == 0x100 + 1, "a letter per code point");

// The letter that a character is compared as: small, without accents; ' ': it does not count.
static uint32_t letter_of(uint32_t point) {
    if (point < 0x80) return isalnum((int)point) ? (uint32_t)tolower((int)point) : ' ';
    if (point < 0xC0) return ' '; // signs, a no-break blank
    if (point < 0x180) return (uint32_t)bases[point - 0xC0];
    if (point >= 0x300 && point < 0x370) return ' '; // an accent behind its letter, as macOS has it
    if (point >= 0x391 && point <= 0x3A9) return point + 0x20; // Greek and Cyrillic capitals
    if (point >= 0x410 && point <= 0x42F) return point + 0x20;
    if (point >= 0x400 && point <= 0x40F) return point + 0x50;
    if (point >= 0x1E00 && point <= 0x1EFF) return (uint32_t)more_bases[point - 0x1E00];
    bool sign = (point >= 0x2000 && point <= 0x206F) || point == 0x3000 || point == 0xFEFF;
    return sign ? ' ' : point; // blanks, hyphens, apostrophes, marks of direction
}

// A text in such letters; bytes that are no UTF-8 stay. out: [KEY_MAX].
static void squeeze(const char *text, char *out) {
    size_t used = 0;
    while (*text != '\0' && used + 4 < KEY_MAX) {
        uint32_t point = 0;
        size_t length = ladder_utf8_decode(text, &point);
        uint32_t letter = length > 0 ? letter_of(point) : ' ';
        if (length == 0) out[used++] = *text;
        if (letter != ' ') used += ladder_utf8_encode(letter, out + used);
        text += length > 0 ? length : 1;
    }
    out[used] = '\0';
}

static bool add_key(keys *k, const char *text) {
    size_t used =
        k->count == 0 ? 0 : (size_t)k->at[k->count - 1] + strlen(k->text + k->at[k->count - 1]) + 1;
    if (k->count == KEYS_MAX || text[0] == '\0') return true;
    char *grown = realloc(k->text, used + strlen(text) + 1);
    if (!grown) return false;
    k->text = grown;
    strcpy(grown + used, text);
    k->at[k->count++] = (int)used;
    return true;
}

static bool has_key(const keys *k, int count, const char *text) {
    for (int i = 0; i < k->count && i < count; i++)
        if (strcmp(k->text + k->at[i], text) == 0) return true;
    return false;
}

// Whether two have a key in common, of the first counts of each.
static bool share(const keys *a, int a_count, const keys *b, int b_count) {
    for (int i = 0; i < a->count && i < a_count; i++)
        if (has_key(b, b_count, a->text + a->at[i])) return true;
    return false;
}

// "Lee, Ann" as "Ann Lee", each blank a plain one.
static void reorder(const char *name, char out[2 * LADDER_TITLE]) {
    char plain[LADDER_TITLE];
    size_t used = 0;
    while (*name != '\0' && used + 1 < sizeof plain) {
        size_t blank = ladder_blank_bytes(name);
        plain[used++] = blank > 0 ? ' ' : *name;
        name += blank > 0 ? blank : 1;
    }
    plain[used] = '\0';
    size_t before = strcspn(plain, ",");
    const char *behind = plain[before] == ',' ? plain + before + 1 : "";
    snprintf(out, 2 * LADDER_TITLE, "%s %.*s", behind, (int)before, plain);
}

// A name in order, as it stands, and with its words rotated.
static bool add_name(person_keys *p, const char *name, bool rotated) {
    char turned[2 * LADDER_TITLE], key[KEY_MAX];
    const char *words[WORDS_MAX + 1];
    int count = 0;
    reorder(name, turned);
    squeeze(turned, key);
    if (!rotated) return add_key(&p->names, key);
    for (const char *at = turned; count <= WORDS_MAX && *(at += strspn(at, " \t")) != '\0';
         at += strcspn(at, " \t"))
        words[count++] = at;
    bool well = true;
    for (int i = 1; count <= WORDS_MAX && i < count && well; i++) {
        char text[4 * LADDER_TITLE];
        snprintf(text, sizeof text, "%s %.*s", words[i], (int)(words[i] - turned), turned);
        squeeze(text, key);
        well = add_key(&p->names, key);
    }
    return well;
}

static void lower(const char *text, char out[LADDER_TITLE]) {
    size_t used = 0;
    for (; text[used] != '\0' && used + 1 < LADDER_TITLE; used++)
        out[used] = (char)tolower((unsigned char)text[used]);
    out[used] = '\0';
}

// An id: an address also by its part before the @, as a login.
static bool add_id(person_keys *p, const char *id) {
    char key[LADDER_TITLE];
    lower(id, key);
    const char *number = ladder_participant(key);
    if (number) return add_key(&p->participants, number);
    bool well = add_key(&p->ids, key);
    char *sign = strchr(key, '@');
    if (sign) *sign = '\0';
    return well && (!sign || add_key(&p->logins, key));
}

static void free_keys(person_keys *p) {
    free(p->ids.text);
    free(p->logins.text);
    free(p->names.text);
    free(p->participants.text);
}

static bool make_keys(const ladder_person *from, person_keys *p) {
    char id[LADDER_TITLE];
    bool well = true;
    *p = (person_keys){.exact = 0};
    for (int rotated = 0; rotated < 2 && well; rotated++) {
        well = add_name(p, from->name, rotated);
        for (const char *at = from->ids; well && ladder_person_next(&at, id);) // other names
            if (strchr(id, ' ') && !ladder_participant(id)) well = add_name(p, id, rotated);
        if (!rotated) p->exact = p->names.count;
    }
    for (const char *at = from->ids; well && ladder_person_next(&at, id);) well = add_id(p, id);
    return well;
}

void ladder_people_free(ladder_people *people) {
    for (size_t i = 0; people && i < people->count; i++) free_keys(&people->list[i]);
    if (people) free(people->list);
    free(people);
}

kl_status ladder_people_make(const ladder_person *list, size_t count, ladder_people **out_people,
                             kl_error *err) {
    ladder_people *people = calloc(1, sizeof *people);
    *out_people = NULL;
    if (people) people->list = calloc(count + 1, sizeof *people->list);
    bool well = people && people->list;
    for (size_t i = 0; i < count && well; i++) {
        people->count++;
        well = make_keys(&list[i], &people->list[i]);
    }
    if (!well) {
        ladder_people_free(people);
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for the students");
    }
    *out_people = people;
    return KL_OK;
}

// The rules; each says whether the wanted one may be this student.
typedef bool rule(const person_keys *wanted, const person_keys *student);

static bool by_id(const person_keys *w, const person_keys *s) {
    // Two addresses have their logins in common only where one of the two is bare.
    return share(&w->ids, KEYS_MAX, &s->ids, KEYS_MAX) ||
           share(&w->logins, KEYS_MAX, &s->ids, KEYS_MAX) ||
           share(&w->ids, KEYS_MAX, &s->logins, KEYS_MAX);
}

static bool by_name(const person_keys *w, const person_keys *s) {
    return share(&w->names, w->exact, &s->names, s->exact);
}

static bool by_turned_name(const person_keys *w, const person_keys *s) {
    return share(&w->names, w->exact, &s->names, KEYS_MAX) ||
           share(&w->names, KEYS_MAX, &s->names, s->exact);
}

static bool by_participant(const person_keys *w, const person_keys *s) {
    return share(&w->participants, KEYS_MAX, &s->participants, KEYS_MAX) ||
           share(&w->ids, KEYS_MAX, &s->participants, KEYS_MAX);
}

// Which students a rule fits: how many, and the last of them. among: another rule that must fit.
static size_t fits(const ladder_people *people, const person_keys *wanted, rule *fit, rule *among,
                   int *out_last) {
    size_t found = 0;
    for (size_t i = 0; i < people->count; i++) {
        if (!fit(wanted, &people->list[i]) || (among && !among(wanted, &people->list[i]))) continue;
        *out_last = (int)i;
        found++;
    }
    return found;
}

static int find(const ladder_people *people, const person_keys *wanted) {
    int index = LADDER_NOBODY, other = LADDER_NOBODY;
    rule *name = fits(people, wanted, by_name, NULL, &other) > 0 ? by_name : by_turned_name;
    size_t ids = fits(people, wanted, by_id, NULL, &index);
    size_t names = fits(people, wanted, name, NULL, &other);
    if (ids > 0) {
        size_t both = fits(people, wanted, by_id, name, &index);
        return both == 1 || (ids == 1 && names == 0) ? index : LADDER_SEVERAL;
    }
    if (names == 1) return other;
    size_t numbers = fits(people, wanted, by_participant, names > 0 ? name : NULL, &index);
    return numbers == 1 ? index : names + numbers > 0 ? LADDER_SEVERAL : LADDER_NOBODY;
}

// By the words between the underscores of a file's name.
static int find_words(const ladder_people *people, const char *text) {
    ladder_person ids = {.ids = ""}, name = {.ids = ""};
    if (!strchr(text, '_')) return LADDER_NOBODY;
    snprintf(name.name, sizeof name.name, "%.*s", (int)strcspn(text, "_"), text);
    for (const char *at = text; *at != '\0'; at += strspn(at, "_")) {
        char word[LADDER_TITLE];
        size_t length = strcspn(at, "_");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        bool counts = length < 3 && strspn(word, "0123456789") == length; // "lab_2_ann.zip"
        if (!counts) ladder_person_add(&ids, word);
        at += length;
    }
    int found = ladder_people_find(people, &ids);
    return found != LADDER_NOBODY ? found : ladder_people_find(people, &name);
}

int ladder_people_find(const ladder_people *people, const ladder_person *wanted) {
    person_keys keys_of;
    int found = make_keys(wanted, &keys_of) ? find(people, &keys_of) : LADDER_NOBODY;
    free_keys(&keys_of);
    return found != LADDER_NOBODY ? found : find_words(people, wanted->words);
}

bool ladder_people_by_id(const ladder_people *people, int index, const ladder_person *wanted) {
    person_keys keys_of;
    bool fit = make_keys(wanted, &keys_of) && by_id(&keys_of, &people->list[index]);
    free_keys(&keys_of);
    return fit;
}

bool ladder_names_are_one(const char *a, const char *b) {
    person_keys x = {.exact = 0}, y = {.exact = 0};
    bool well = add_name(&x, a, false) && add_name(&y, b, false);
    x.exact = x.names.count;
    y.exact = y.names.count;
    well = well && add_name(&x, a, true) && add_name(&y, b, true) && by_turned_name(&x, &y);
    free_keys(&x);
    free_keys(&y);
    return well;
}

bool ladder_names_are_turned(const char *a, const char *b) {
    static const char gaps[] = " ,";
    const char *const names[] = {a, b};
    for (int n = 0; n < 2; n++)
        for (const char *at = names[n]; *(at += strspn(at, gaps)) != '\0';
             at += strcspn(at, gaps)) {
            size_t length = strcspn(at, gaps);
            const char *in = names[1 - n];
            while (*(in += strspn(in, gaps)) != '\0' &&
                   (strcspn(in, gaps) != length || strncmp(in, at, length) != 0))
                in += strcspn(in, gaps);
            if (*in == '\0') return false;
        }
    return true;
}

// What one source says of a student.

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
