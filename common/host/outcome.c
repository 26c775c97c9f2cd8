// Outcomes of steps: see outcome.h.
#include "outcome.h"
#include "atomic_file.h"
#include <glob.h>
#include <time.h>

static const struct outcome_row {
    ladder_outcome_kind kind;
    const char *word, *text;
} outcome_rows[] = {
#define LADDER_OUTCOME(id, kind, word, text) {LADDER_KIND_##kind, word, text},
#include "outcomes.def"
#undef LADDER_OUTCOME
};

ladder_outcome_kind ladder_outcome_kind_of(ladder_outcome outcome) {
    return outcome_rows[outcome].kind;
}

const char *ladder_outcome_word(ladder_outcome outcome) { return outcome_rows[outcome].word; }

const char *ladder_outcome_text(ladder_outcome outcome) { return outcome_rows[outcome].text; }

// ---- the last results ---------------------------------------------------------------------------
// The file of last results. It begins with its schema; then a line per entry, the newest first,
// fields separated by tabs: kind, step, hash of the step's file, time, "good" or "bad", "all" or
// "some" cases, state, text.

static const char schema[] = "ladder.last-results/1\n";
static const char *const kinds[] = {"run", "check"};

// Cuts the next field from *at; NULL at the line's end.
static char *next_field(char **at) { return *at ? strsep(at, "\t\n") : NULL; }

static bool read_entry(char *line, kl_last_result *out) {
    enum { FIELDS = 8 };
    char *fields[FIELDS], *at = line;
    for (int i = 0; i < FIELDS; i++)
        if (!(fields[i] = next_field(&at))) return false;
    *out = (kl_last_result){
        .kind = strcmp(fields[0], kinds[KL_RESULT_OF_CHECK]) == 0 ? KL_RESULT_OF_CHECK
                                                                  : KL_RESULT_OF_RUN,
        .step = (int)strtol(fields[1], NULL, 10),
        .hash = strtoull(fields[2], NULL, 16),
        .when_s = strtoll(fields[3], NULL, 10),
        .good = strcmp(fields[4], "good") == 0,
        .whole = strcmp(fields[5], "all") == 0,
    };
    snprintf(out->state, sizeof out->state, "%s", fields[6]);
    snprintf(out->text, sizeof out->text, "%s", fields[7]);
    return strcmp(fields[0], kinds[out->kind]) == 0;
}

int kl_last_results_read(const char *file, kl_last_result *out_results) {
    char *line = NULL;
    size_t capacity = 0;
    int count = 0;
    FILE *in = fopen(file, "r");
    if (!in) return 0;
    bool known = getline(&line, &capacity, in) > 0 && strcmp(line, schema) == 0;
    while (known && count < KL_LAST_RESULTS && getline(&line, &capacity, in) > 0)
        if (read_entry(line, &out_results[count])) count++;
    free(line);
    fclose(in);
    return count;
}

// A field on one line: what separates fields and lines becomes a blank.
static void write_field(FILE *out, const char *text, char end) {
    for (; *text != '\0'; text++) fputc(strchr("\t\n\r", *text) ? ' ' : *text, out);
    fputc(end, out);
}

static void write_entry(FILE *out, const kl_last_result *r) {
    fprintf(out, "%s\t%d\t%" PRIx64 "\t%" PRId64 "\t%s\t%s\t", kinds[r->kind], r->step, r->hash,
            r->when_s, r->good ? "good" : "bad", r->whole ? "all" : "some");
    write_field(out, r->state, '\t');
    write_field(out, r->text, '\n');
}

typedef struct entries {
    const char *file;
    const kl_last_result *fresh; // [fresh_count]
    kl_last_result *old;         // [KL_LAST_RESULTS], of which old_count are there
    int fresh_count, old_count;
} entries;

static bool is_same(const kl_last_result *a, const kl_last_result *b) {
    return a->kind == b->kind && a->step == b->step;
}

static bool is_replaced(const entries *e, const kl_last_result *old) {
    for (int i = 0; i < e->fresh_count; i++)
        if (is_same(old, &e->fresh[i])) return true;
    return false;
}

// What to keep of a step that came out as `fresh` says.
static kl_last_result settle(const entries *e, kl_last_result fresh) {
    if (fresh.when_s == 0) fresh.when_s = (int64_t)time(NULL);
    for (int i = 0; i < e->old_count && fresh.good && !fresh.whole; i++) {
        const kl_last_result *old = &e->old[i];
        if (!is_same(old, &fresh) || old->hash != fresh.hash) continue;
        int64_t when_s = fresh.when_s; // the step was looked at now, and is as it was
        if (!old->good || old->whole) fresh = *old;
        fresh.when_s = when_s;
    }
    return fresh;
}

static kl_status write_entries(void *context, FILE *out, kl_error *err) {
    entries *e = context;
    (void)err; // kl_file_update notices what could not be written
    e->old_count = kl_last_results_read(e->file, e->old);
    fputs(schema, out);
    for (int i = e->fresh_count; i-- > 0;) {
        const kl_last_result result = settle(e, e->fresh[i]);
        write_entry(out, &result);
    }
    for (int i = 0; i < e->old_count && i < KL_LAST_RESULTS - e->fresh_count; i++)
        if (!is_replaced(e, &e->old[i])) write_entry(out, &e->old[i]);
    return KL_OK;
}

kl_status kl_last_results_keep(const char *file, const kl_last_result *results, int count,
                               kl_error *err) {
    kl_last_result *old = calloc(KL_LAST_RESULTS, sizeof *old);
    if (!old) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the last results");
    entries e = {.file = file, .fresh = results, .old = old, .fresh_count = count};
    kl_status status = kl_file_update(file, write_entries, &e, err);
    free(old);
    return status;
}

const kl_last_result *kl_last_result_find(const kl_last_result *results, int count,
                                          kl_result_kind kind, int step, uint64_t hash) {
    for (int i = 0; i < count; i++)
        if (results[i].kind == kind && results[i].step == step && results[i].hash == hash)
            return &results[i];
    return NULL;
}

// ---- a step's text ------------------------------------------------------------------------------

enum { LARGEST_FILE = 1 << 20 }; // a step is a few KiB

uint64_t kl_step_text_hash(const char *text, size_t bytes) {
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < bytes; i++) h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return h;
}

char *kl_step_file_text(const char *path, size_t *out_bytes) {
    FILE *in = fopen(path, "r");
    char *text = in ? calloc(1, LARGEST_FILE + 1) : NULL;
    *out_bytes = text ? fread(text, 1, LARGEST_FILE, in) : 0;
    if (in) fclose(in);
    return text;
}

uint64_t kl_step_file_hash(const char *path) {
    size_t bytes;
    char *text = kl_step_file_text(path, &bytes);
    uint64_t hash = text ? kl_step_text_hash(text, bytes) : 0;
    free(text);
    return hash;
}

bool kl_step_text_is_untouched(const char *text) {
    static const char start[] = KL_STAMP_START;
    size_t bytes = strlen(text);
    size_t at = bytes > 0 ? bytes - 1 : 0; // the final newline does not count as a line end
    while (at > 0 && text[at - 1] != '\n') at--;
    if (strncmp(text + at, start, sizeof start - 1) != 0) return false;
    char *end = NULL;
    uint64_t stamped = strtoull(text + at + sizeof start - 1, &end, 16);
    return strcmp(end, KL_STAMP_END) == 0 && stamped == kl_step_text_hash(text, at);
}

bool kl_step_text_is_edited(const char *text) {
    return strstr(text, KL_STAMP_START) && !kl_step_text_is_untouched(text);
}

// Takes blanks and `word`, as a whole word, from *at.
static bool take(const char **at, const char *word) {
    size_t length = strlen(word);
    *at += strspn(*at, " \t");
    if (strncmp(*at, word, length) != 0) return false;
    *at += length;
    bool goes_on = isalnum((unsigned char)**at) || **at == '_';
    return !goes_on || word[0] == '#';
}

// Line, from 1, that defines IMPLEMENTED as 0; 0: none.
static int marker_line(const char *text) {
    int line = 1;
    for (const char *at = text; at; line++) {
        const char *rest = at;
        if (take(&rest, "#") && take(&rest, "define") && take(&rest, "IMPLEMENTED") &&
            take(&rest, "0"))
            return line;
        at = strchr(at, '\n');
        if (at) at++;
    }
    return 0;
}

bool kl_step_text_forgotten(const char *path, const char *text, char *out, size_t out_bytes) {
    int line = kl_step_text_is_untouched(text) ? 0 : marker_line(text);
    if (line == 0) return false;
    snprintf(out, out_bytes,
             "%.120s has been changed, but its line %d still says #define IMPLEMENTED 0: set it to "
             "1, and your code runs",
             basename(path), line);
    return true;
}

// Of a bug hunt that nobody has fixed, steps/12_election.cu: bugs/1_election.cu beside it runs it.
static bool tell_hunt(const char *path, const char *text, char *out, size_t out_bytes) {
    char lab[1024];
    glob_t found;
    int line = marker_line(text);
    const char *file = strrchr(path, '/'), *name = file ? strchr(file, '_') : NULL;
    size_t folder = file ? (size_t)(file - path) : 0, steps = strlen("/steps");
    if (line == 0 || !name || folder < steps || folder > sizeof lab - 128) return false;
    snprintf(lab, sizeof lab, "%.*s/bugs/[0-9]*%.100s", (int)(folder - steps), path, name);
    bool is_hunt = glob(lab, GLOB_NOSORT, NULL, &found) == 0;
    if (is_hunt) globfree(&found);
    lab[folder - steps] = '\0';
    const char *slash = strrchr(lab, '/'), *of = slash ? strchr(slash, '_') : NULL;
    if (!is_hunt || !of) return false;
    snprintf(out, out_bytes,
             "%.60s is a bug hunt: ./ladder check %.60s %.*s runs it and says what it finds; when "
             "you have fixed the bug, set IMPLEMENTED to 1 in line %d",
             file + 1, of + 1, (int)strcspn(name + 1, "."), name + 1, line);
    return true;
}

bool kl_step_file_forgotten(const char *path, char *out, size_t out_bytes) {
    size_t bytes;
    char *text = kl_step_file_text(path, &bytes);
    bool known = bytes > 0 && (tell_hunt(path, text, out, out_bytes) ||
                               kl_step_text_forgotten(path, text, out, out_bytes));
    free(text);
    return known;
}
