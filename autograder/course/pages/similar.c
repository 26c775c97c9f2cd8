// Fingerprints of submissions, and what only two of a class have: see pages.h.
#include "course/pages/pages.h"
#include <strings.h>

enum {
    GRAM = 14,      // tokens that are hashed together: about a line and a half
    WINDOW = 8,     // of its hashes the least is kept, so any 21 equal tokens are noticed
    PRINTS_MIN = 12 // of the smaller submission; fewer say nothing
};

// ---- Tokens ----

typedef struct tokens {
    uint32_t *items;
    size_t count, capacity;
    ladder_clues *clues; // where comments and names go; NULL: nowhere
} tokens;

static bool add_token(tokens *t, uint32_t token) {
    if (t->count == t->capacity) {
        size_t capacity = t->capacity == 0 ? 1024 : 2 * t->capacity;
        uint32_t *more = realloc(t->items, capacity * sizeof *more);
        if (!more) return false;
        t->items = more;
        t->capacity = capacity;
    }
    t->items[t->count++] = token;
    return true;
}

// Bytes of the word here: letters and digits, of any alphabet.
static size_t word_length(const char *at) {
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || (unsigned char)at[length] >= 0x80) length++;
    return length;
}

// Words that mean the same whatever a student calls things.
static uint32_t word_token(const char *word, size_t length) {
    // clang-format off
    static const char *const kept[] = {
        "for", "while", "do", "if", "else", "return", "break", "continue", "switch", "case",
        "float", "double", "int", "unsigned", "int64_t", "uint32_t", "float4", "threadIdx",
        "blockIdx", "blockDim", "gridDim", "__shared__", "__global__", "__device__", "template",
        "const", "static", "__syncthreads", "__shfl_down_sync", "atomicAdd"
    };
    // clang-format on
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        if (strlen(kept[i]) == length && strncmp(kept[i], word, length) == 0)
            return 1000 + (uint32_t)i;
    return 1; // a name
}

static const char *skip_comment(const char *at) {
    if (at[1] == '/') return at + strcspn(at, "\n");
    const char *end = strstr(at + 2, "*/");
    return end ? end + 2 : at + strlen(at);
}

// Each line of a comment, by its letters and digits; short ones say nothing.
static bool add_comment(ladder_clues *clues, const char *at, const char *end) {
    enum { LETTERS_MIN = 12 };
    char line[120];
    for (size_t used = 0, letters = 0; clues && at <= end; at++) {
        if (at == end || *at == '\n') {
            line[used > 0 && line[used - 1] == ' ' ? used - 1 : used] = '\0';
            if (letters >= LETTERS_MIN && !ladder_clues_add(clues, LADDER_CLUE_COMMENT, line))
                return false;
            used = letters = 0;
        } else if (word_length(at) > 0 && used + 2 < sizeof line) { // a letter of any alphabet
            line[used++] = (char)tolower((unsigned char)*at);
            letters++;
        } else if (used > 0 && line[used - 1] != ' ' && used + 2 < sizeof line) {
            line[used++] = ' ';
        }
    }
    return true;
}

static bool add_name(ladder_clues *clues, const char *at, size_t length) {
    char name[80];
    if (!clues || length < 4 || length >= sizeof name) return true;
    snprintf(name, sizeof name, "%.*s", (int)length, at);
    return ladder_clues_add(clues, LADDER_CLUE_NAME, name);
}

static bool read_tokens(const char *at, tokens *out) {
    while (*at != '\0') {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
            const char *end = skip_comment(at);
            if (!add_comment(out->clues, at, end)) return false;
            at = end;
        } else if (*at == '"') {
            for (at++; *at != '\0' && *at != '"'; at++) at += at[0] == '\\' && at[1] != '\0';
            at += *at == '"';
            if (!add_token(out, 2)) return false;
        } else if (isalpha((unsigned char)*at) || *at == '_') {
            size_t length = 1;
            while (isalnum((unsigned char)at[length]) || at[length] == '_') length++;
            uint32_t token = word_token(at, length);
            if (!add_token(out, token)) return false;
            if (token == 1 && !add_name(out->clues, at, length)) return false;
            at += length;
        } else if (isdigit((unsigned char)*at)) {
            while (isalnum((unsigned char)*at) || *at == '.') at++;
            if (!add_token(out, 3)) return false;
        } else if (!add_token(out, 4 + (unsigned char)*at++)) {
            return false;
        }
    }
    return true;
}

// ---- Fingerprints ----

static uint64_t hash_gram(const uint32_t *tokens, uint64_t step) {
    uint64_t hash = 14695981039346656037u ^ step; // FNV-1a
    for (int i = 0; i < GRAM; i++) hash = (hash ^ tokens[i]) * 1099511628211u;
    return hash;
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool has(const ladder_prints *prints, uint64_t value) {
    return prints && bsearch(&value, prints->items, prints->count, sizeof value, by_value);
}

// The least hash of each window, the last one of equal ones.
static void winnow(const tokens *t, uint64_t step, uint64_t *out, size_t *count) {
    size_t grams = t->count >= GRAM ? t->count - GRAM + 1 : 0, chosen = (size_t)-1;
    for (size_t first = 0; first < grams && (first == 0 || first + WINDOW <= grams); first++) {
        size_t least = first;
        for (size_t i = first; i < first + WINDOW && i < grams; i++)
            if (hash_gram(t->items + i, step) <= hash_gram(t->items + least, step)) least = i;
        if (least != chosen) out[(*count)++] = hash_gram(t->items + least, step);
        chosen = least;
    }
}

kl_status ladder_prints_make(const char *const *texts, int count, const ladder_prints *without,
                             ladder_prints *out_prints, ladder_clues *clues, kl_error *err) {
    bool enough = true;
    *out_prints = (ladder_prints){NULL, NULL, 0};
    for (int i = 0; i < count && enough; i++) {
        tokens t = {.clues = clues};
        char sha[LADDER_SHA256_TEXT], file[LADDER_SHA256_TEXT + 16];
        if (!texts[i]) continue;
        ladder_sha256 hash;
        ladder_sha256_begin(&hash);
        ladder_sha256_add(&hash, texts[i], strlen(texts[i]));
        ladder_sha256_end(&hash, sha);
        snprintf(file, sizeof file, "%d %s", i, sha);
        // That two have a file of hardly anything is none.
        enough = read_tokens(texts[i], &t) &&
                 (!clues || t.count < GRAM || ladder_clues_add(clues, LADDER_CLUE_FILE, file));
        size_t bytes = (out_prints->count + t.count + 1) * sizeof *out_prints->items;
        uint64_t *more = enough ? realloc(out_prints->items, bytes) : NULL;
        enough = more;
        if (enough) {
            out_prints->items = more;
            winnow(&t, (uint64_t)i, out_prints->items, &out_prints->count);
        }
        free(t.items);
    }
    if (!enough) {
        ladder_prints_free(out_prints);
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for fingerprints");
    }
    size_t kept = 0;
    if (out_prints->count > 0)
        qsort(out_prints->items, out_prints->count, sizeof *out_prints->items, by_value);
    for (size_t i = 0; i < out_prints->count; i++) {
        uint64_t value = out_prints->items[i];
        if ((kept > 0 && out_prints->items[kept - 1] == value) || has(without, value)) continue;
        out_prints->items[kept++] = value;
    }
    out_prints->count = kept;
    return KL_OK;
}

void ladder_prints_drop(ladder_prints *prints, const ladder_prints *others) {
    size_t kept = 0;
    for (size_t i = 0; i < prints->count; i++)
        if (!has(others, prints->items[i])) prints->items[kept++] = prints->items[i];
    prints->count = kept;
}

void ladder_prints_free(ladder_prints *prints) {
    free(prints->items);
    free(prints->rare);
    *prints = (ladder_prints){NULL, NULL, 0};
}

// ---- What only two have -------------------------------------------------------------------------

bool ladder_clues_add(ladder_clues *clues, char kind, const char *text) {
    char **more = realloc(clues->items, (clues->count + 1) * sizeof *more);
    if (!more) return false;
    clues->items = more;
    char *copy = malloc(strlen(text) + 2);
    if (!copy) return false;
    sprintf(copy, "%c%s", kind, text);
    more[clues->count++] = copy;
    return true;
}

void ladder_clues_free(ladder_clues *clues) {
    for (size_t i = 0; i < clues->count; i++) free(clues->items[i]);
    free(clues->items);
    *clues = (ladder_clues){NULL, 0};
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool has_clue(const ladder_clues *clues, char *const *clue) {
    return clues->count > 0 && bsearch(clue, clues->items, clues->count, sizeof *clue, by_text);
}

// Keeps of sorted items each once, and those that `keep` wants.
static void sift(ladder_clues *clues, bool (*keep)(const void *context, char *const *clue),
                 const void *context) {
    size_t kept = 0;
    for (size_t i = 0; i < clues->count; i++) {
        bool again = kept > 0 && strcmp(clues->items[kept - 1], clues->items[i]) == 0;
        if (again || !keep(context, &clues->items[i])) free(clues->items[i]);
        else clues->items[kept++] = clues->items[i];
    }
    clues->count = kept;
}

static bool not_among(const void *context, char *const *clue) {
    return !context || !has_clue(context, clue);
}

void ladder_clues_sort(ladder_clues *clues, const ladder_clues *without) {
    if (clues->count > 0) qsort(clues->items, clues->count, sizeof *clues->items, by_text);
    sift(clues, not_among, without);
}

// All clues of a class, sorted, as often as they occur.
typedef struct census {
    ladder_clues all;
    size_t most; // submissions that may have one file
} census;

static bool is_of_two(const void *context, char *const *clue) {
    const census *c = context;
    char *const *found = bsearch(clue, c->all.items, c->all.count, sizeof *clue, by_text);
    size_t first = (size_t)(found - c->all.items), end = first;
    while (first > 0 && strcmp(c->all.items[first - 1], *clue) == 0) first--;
    while (end < c->all.count && strcmp(c->all.items[end], *clue) == 0) end++;
    return end - first == 2 ||
           (end - first > 2 && **clue == LADDER_CLUE_FILE && end - first <= c->most);
}

void ladder_clues_keep_shared(ladder_clues *clues, size_t count) {
    size_t total = 0;
    for (size_t m = 0; m < count; m++) total += clues[m].count;
    char **every = malloc((total + 1) * sizeof *every);
    total = 0;
    for (size_t m = 0; m < count && every; m++)
        for (size_t i = 0; i < clues[m].count; i++)
            if ((every[total] = strdup(clues[m].items[i])) != NULL) total++;
    census c = {{every, total}, count < 6 ? 3 : count / 2};
    if (every) qsort(every, total, sizeof *every, by_text);
    for (size_t m = 0; m < count && every; m++) sift(&clues[m], is_of_two, &c);
    ladder_clues_free(&c.all);
}

// ---- Who is named -------------------------------------------------------------------------------

static int compare_words(const char *a, size_t a_length, const char *b, size_t b_length) {
    int order = strncasecmp(a, b, a_length < b_length ? a_length : b_length);
    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

// By the first word, then the whole name, then the owner.
static int by_word(const void *a, const void *b) {
    const ladder_class_name *x = a, *y = b;
    int order = compare_words(x->text, word_length(x->text), y->text, word_length(y->text));
    if (order == 0) order = strcasecmp(x->text, y->text);
    return order != 0 ? order : (x->owner > y->owner) - (x->owner < y->owner);
}

bool ladder_names_add(ladder_class_names *names, const char *people, size_t owner) {
    enum { BRIEF = 4 };
    for (const char *at = people; *at != '\0'; at += strcspn(at, "\t\n"), at += *at != '\0') {
        const char *begin = at;
        while (*begin != '\0' && !strchr("\t\n", *begin) && word_length(begin) == 0) begin++;
        size_t length = strcspn(begin, "\t\n"), letters = 0;
        while (letters < length && isalpha((unsigned char)begin[letters])) letters++;
        bool brief = length < BRIEF;
        if (length < 2 || (brief && letters < length)) continue; // "7" is in every source
        ladder_class_name *more = realloc(names->items, (names->count + 1) * sizeof *more);
        if (!more) return false;
        names->items = more;
        char *text = strndup(begin, length);
        if (!text) return false;
        more[names->count++] = (ladder_class_name){text, owner, brief, false, 0};
    }
    return true;
}

void ladder_names_sort(ladder_class_names *names) {
    if (names->count > 0) qsort(names->items, names->count, sizeof *names->items, by_word);
}

static bool add_mention(ladder_class_names *names, size_t name, size_t in) {
    ladder_mention *more = realloc(names->mentions, (names->mention_count + 1) * sizeof *more);
    if (!more) return false;
    names->mentions = more;
    for (size_t i = names->mention_count; i > 0 && more[i - 1].in == in; i--)
        if (more[i - 1].name == name) return true;
    more[names->mention_count++] = (ladder_mention){name, in};
    names->items[name].said++;
    return true;
}

static bool stands_here(const ladder_class_name *name, const char *at) {
    size_t length = strlen(name->text);
    return (name->brief ? strncmp : strncasecmp)(at, name->text, length) == 0 &&
           word_length(at + length) == 0;
}

// Who is named by the word at `at`. Of equal names that `in` has one of itself, nobody.
static bool look_here(ladder_class_names *names, const char *at, size_t in, bool brief) {
    size_t low = 0, high = names->count, length = word_length(at), end;
    while (low < high) {
        size_t mid = (low + high) / 2;
        const char *text = names->items[mid].text;
        if (compare_words(text, word_length(text), at, length) < 0) low = mid + 1;
        else high = mid;
    }
    for (; low < names->count; low = end) {
        const ladder_class_name *name = &names->items[low];
        bool own = false;
        if (compare_words(name->text, word_length(name->text), at, length) != 0) break;
        for (end = low; end < names->count && strcasecmp(names->items[end].text, name->text) == 0;)
            own |= names->items[end++].owner == in;
        if (own || (name->brief && !brief) || !stands_here(name, at)) continue;
        for (size_t i = low; i < end; i++)
            if (in == LADDER_NAMES_KIT) names->items[i].of_kit = true;
            else if (!names->items[i].of_kit && !add_mention(names, i, in)) return false;
    }
    return true;
}

bool ladder_names_look(ladder_class_names *names, const char *text, size_t in, bool source) {
    const char *comment = text; // that ends here
    for (const char *at = text; *at != '\0';) {
        size_t length = word_length(at);
        if (source && at >= comment && at[0] == '/' && (at[1] == '/' || at[1] == '*'))
            comment = skip_comment(at);
        if (length > 0 && !look_here(names, at, in, !source || at < comment)) return false;
        at += length > 0 ? length : 1;
    }
    return true;
}

bool ladder_names_clues(const ladder_class_names *names, const char *const *ids,
                        ladder_clues *clues) {
    enum { FEW = 2 }; // who say a brief name: what more say is a word
    char clue[LADDER_TITLE + 200];
    for (size_t i = 0; i < names->mention_count; i++) {
        const ladder_mention *one = &names->mentions[i];
        const ladder_class_name *name = &names->items[one->name];
        if (name->brief && name->said > FEW) continue;
        snprintf(clue, sizeof clue, "%.120s (in %.95s)", name->text, ids[one->in]);
        if (!ladder_clues_add(&clues[one->in], LADDER_CLUE_PERSON, clue) ||
            !ladder_clues_add(&clues[name->owner], LADDER_CLUE_PERSON, clue))
            return false;
    }
    return true;
}

void ladder_names_free(ladder_class_names *names) {
    for (size_t i = 0; i < names->count; i++) free(names->items[i].text);
    free(names->items);
    free(names->mentions);
    *names = (ladder_class_names){NULL, 0, NULL, 0};
}

double ladder_prints_alike(const ladder_prints *a, const ladder_prints *b) {
    size_t least = a->count < b->count ? a->count : b->count, both = 0;
    if (least < PRINTS_MIN) return 0;
    for (size_t i = 0, k = 0; i < a->count && k < b->count;) {
        both += a->items[i] == b->items[k];
        uint64_t x = a->items[i], y = b->items[k];
        i += x <= y;
        k += y <= x;
    }
    return (double)both / (double)least;
}

// How many submissions have a fingerprint; every: of all, sorted.
static size_t owners(const uint64_t *every, size_t total, uint64_t value) {
    size_t low = 0, high = total, end;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (every[mid] < value) low = mid + 1;
        else high = mid;
    }
    for (end = low; end < total && every[end] == value;) end++;
    return end - low;
}

void ladder_prints_weigh(ladder_prints *all, size_t count) {
    enum { CLASS_MIN = 10 };
    size_t total = 0, at = 0;
    for (size_t i = 0; i < count; i++) total += all[i].count;
    uint64_t *every = malloc((total + 1) * sizeof *every);
    if (!every) return; // then pairs are more alike than they should be: a hint all the same
    for (size_t i = 0; i < count; i++) {
        if (all[i].count > 0) memcpy(every + at, all[i].items, all[i].count * sizeof *every);
        at += all[i].count;
    }
    qsort(every, total, sizeof *every, by_value);
    for (size_t i = 0; i < count; i++) {
        size_t own = 0;
        all[i].rare = calloc(all[i].count + 1, sizeof *all[i].rare);
        for (size_t k = 0; k < all[i].count; k++) {
            size_t have = owners(every, total, all[i].items[k]);
            if (count >= CLASS_MIN && 2 * have > count) continue;
            if (all[i].rare && have > 1) all[i].rare[own] = 1.0 / (double)(have - 1);
            all[i].items[own++] = all[i].items[k];
        }
        all[i].count = own;
    }
    free(every);
}

// What two have in common: rare fingerprints, and clues in words. Whether that is worth a look.
static bool compare_pair(const ladder_prints *prints, const ladder_clues *clues, bool hide,
                         ladder_pair *pair) {
    const ladder_prints *a = &prints[pair->a], *b = &prints[pair->b];
    const ladder_clues *x = &clues[pair->a], *y = &clues[pair->b];
    int files = 0, names = 0, comments = 0, people = 0;
    char said[3][200] = {"", "", ""}; // people, comments, names
    for (size_t i = 0, k = 0; i < a->count && k < b->count && a->rare;) {
        uint64_t p = a->items[i], q = b->items[k];
        if (p == q) pair->rare += a->rare[i];
        i += p <= q;
        k += q <= p;
    }
    for (size_t i = 0, k = 0; i < x->count && k < y->count;) {
        int order = strcmp(x->items[i], y->items[k]);
        if (order == 0) {
            const char *clue = x->items[i];
            int which = *clue == LADDER_CLUE_PERSON ? 0 : *clue == LADDER_CLUE_COMMENT ? 1 : 2;
            files += *clue == LADDER_CLUE_FILE;
            people += which == 0;
            comments += which == 1;
            names += *clue == LADDER_CLUE_NAME;
            size_t used = strlen(said[which]);
            if (*clue != LADDER_CLUE_FILE && used + strlen(clue) + 5 < sizeof said[0])
                sprintf(said[which] + used, "%s'%s'", used > 0 ? ", " : "", clue + 1);
        }
        i += order <= 0;
        k += order >= 0;
    }
    pair->rare += 20 * files + 20 * people + 5 * comments + 2 * names;
    size_t used = 0;
#define PUT(number, one, many, text)                                                               \
    if ((number) > 0)                                                                              \
    used += (size_t)snprintf(pair->shared + used, sizeof pair->shared - used, "%s%d %s%s%s",       \
                             used > 0 ? "; " : "", number, (number) == 1 ? (one) : (many),         \
                             hide || *(text) == '\0' ? "" : ": ", hide ? "" : (text))
    PUT(files, "file is the same in both", "files are the same in both", "");
    PUT(people, "name of the other's", "names of the other's", said[0]);
    PUT(comments, "comment that only these two have", "comments that only these two have", said[1]);
    PUT(names, "identifier that only these two have", "identifiers that only these two have",
        said[2]);
#undef PUT
    return files + people + comments > 0 || names >= 3;
}

int ladder_similar_pairs(const ladder_prints *all, const ladder_clues *clues, size_t count,
                         double least, bool hide, ladder_pair out_pairs[LADDER_PAIRS_MAX]) {
    int found = 0;
    for (size_t a = 0; a < count; a++) {
        for (size_t b = a + 1; b < count; b++) {
            ladder_pair pair = {a, b, ladder_prints_alike(&all[a], &all[b]), 0, ""};
            bool speaks = compare_pair(all, clues, hide, &pair);
            if (pair.alike < least && !speaks) continue;
            if (found == LADDER_PAIRS_MAX && out_pairs[found - 1].rare >= pair.rare) continue;
            int at = found < LADDER_PAIRS_MAX ? found++ : found - 1;
            for (; at > 0 && out_pairs[at - 1].rare < pair.rare; at--)
                out_pairs[at] = out_pairs[at - 1];
            out_pairs[at] = pair;
        }
    }
    return found;
}
