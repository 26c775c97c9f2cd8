// Records of a search in memory and as CSV: see tune.h. JSON is in report.c.
#include "learn/tune/tune.h"

enum {
    LINE = 4096, // bytes of a line of the file, at most
    HEAD = 3,    // lines of comment at its beginning
    FILE_MAX = 256 << 20
};

static const struct {
    const char *word;
    bool is_fault;
} states[] = {
#define STATE_ROW(identifier, word, fault, meaning) {word, fault},
    LADDER_TUNE_STATES(STATE_ROW)};

static const char *const count_words[] = {
#define COUNT_WORD(column, counters) #column,
    LADDER_TUNE_COUNT_LIST(COUNT_WORD)};

const char *ladder_tune_state_word(ladder_tune_state state) { return states[state].word; }

bool ladder_tune_state_is_fault(ladder_tune_state state) { return states[state].is_fault; }

const char *ladder_tune_count_word(ladder_tune_count count) { return count_words[count]; }

const char *ladder_tune_rate_unit(const ladder_lab *lab) {
    return kl_ceiling_is_arithmetic(lab->problem->ceiling) ? "TFLOP/s" : "GB/s";
}

ladder_tune_record ladder_tune_record_empty(void) {
    ladder_tune_record r = {.us = NAN,
                            .us_low = NAN,
                            .us_high = NAN,
                            .rate = NAN,
                            .of_vendor = NAN,
                            .max_error = NAN,
                            .registers = -1,
                            .spill_bytes = -1,
                            .bank_share = NAN};
    for (int i = 0; i < LADDER_TUNE_COUNTS; i++) r.counts[i] = NAN;
    return r;
}

// ---- lines -------------------------------------------------------------------------------------

typedef struct line_text {
    char text[LINE];
    size_t used;
    bool is_cut;
} line_text;

__attribute__((format(printf, 2, 3))) static void put(line_text *line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line->text + line->used, sizeof line->text - line->used, format, args);
    va_end(args);
    line->is_cut = line->is_cut || length < 0 || (size_t)length >= sizeof line->text - line->used;
    line->used = line->is_cut ? line->used : line->used + (size_t)length;
}

static void put_number(line_text *line, int digits, double value) {
    if (isfinite(value)) put(line, ",%.*g", digits, value);
    else put(line, ",");
}

// Quoted (RFC 4180); texts have been cleaned when they were taken.
static void put_text(line_text *line, const char *text) {
    put(line, ",\"");
    for (; *text != '\0'; text++) put(line, *text == '"' ? "\"\"" : "%c", *text);
    put(line, "\"");
}

// The file's columns; a record has as many fields.
static void write_columns(const ladder_tune_origin *o, line_text *line) {
    put(line,
        "what,size,state,us,us_low,us_high,samples,%s,of_vendor,max_error,registers,"
        "spill_bytes,bank_share",
        ladder_tune_rate_unit(o->lab));
    for (int i = 0; i < LADDER_TUNE_COUNTS; i++) put(line, ",%s", count_words[i]);
    for (int p = 0; p < o->space->parameter_count; p++)
        put(line, ",%s", o->space->parameters[p].name);
    put(line, ",why\n");
}

static void write_record(const ladder_tune_origin *o, const ladder_tune_record *r,
                         line_text *line) {
    put(line, r->is_vendor ? "vendor" : "config");
    if (r->size > 0) put(line, ",%lld", (long long)r->size);
    else put(line, ",all");
    put(line, ",%s", states[r->state].word);
    put_number(line, 7, r->us);
    put_number(line, 7, r->us_low);
    put_number(line, 7, r->us_high);
    put(line, ",%d", r->samples);
    put_number(line, 6, r->rate);
    put_number(line, 5, r->of_vendor);
    put_number(line, 5, r->max_error);
    put_number(line, 6, r->registers >= 0 ? r->registers : NAN);
    put_number(line, 6, r->spill_bytes >= 0 ? r->spill_bytes : NAN);
    put_number(line, 4, r->bank_share);
    for (int i = 0; i < LADDER_TUNE_COUNTS; i++) put_number(line, 15, r->counts[i]);
    for (int p = 0; p < o->space->parameter_count; p++)
        put_number(line, 12, r->is_vendor ? NAN : r->config.values[p]);
    put_text(line, r->why);
    put(line, "\n");
}

// What the file says of its origin before the date, as two lines.
static void write_origin(const ladder_tune_origin *o, line_text *line) {
    put(line, "# ladder.tune/1; lab %s; kernel %s\n", o->lab->folder, o->kernel);
    put(line, "# %s; times %s; driver %s, runtime %s, toolkit %s\n", o->device,
        o->simulated ? "modelled" : "measured", o->driver, o->runtime, o->toolkit);
}

// ---- reading -----------------------------------------------------------------------------------

// Next field of a line, unquoted in place; NULL after the last.
static char *next_field(char **at) {
    if (!*at) return NULL;
    char *field = *at, *out = field, *in = field;
    bool quoted = *in == '"';
    if (quoted) in++;
    while (*in != '\0' && (quoted ? true : *in != ',')) {
        if (quoted && *in == '"' && *++in != '"') break;
        *out++ = *in++;
    }
    *at = *in == ',' ? in + 1 : NULL;
    *out = '\0';
    return field;
}

static double field_number(char **at) {
    const char *field = next_field(at);
    return field && field[0] != '\0' ? strtod(field, NULL) : NAN;
}

static int field_int(char **at) {
    double value = field_number(at);
    return value >= -1e9 && value <= 1e9 ? (int)value : -1;
}

static bool read_state(const char *word, ladder_tune_state *out_state) {
    for (int s = 0; s < LADDER_TUNE_STATE_COUNT && word; s++) {
        if (strcmp(states[s].word, word) != 0) continue;
        *out_state = (ladder_tune_state)s;
        return true;
    }
    return false;
}

static bool read_record(const ladder_tune_origin *o, char *line, ladder_tune_record *r) {
    char *at = line;
    *r = ladder_tune_record_empty();
    const char *what = next_field(&at);
    r->is_vendor = what && strcmp(what, "vendor") == 0;
    double size = field_number(&at); // "all" is 0
    r->size = size > 0 && size < 1e18 ? (int64_t)size : 0;
    bool good = what && read_state(next_field(&at), &r->state);
    r->us = field_number(&at);
    r->us_low = field_number(&at);
    r->us_high = field_number(&at);
    r->samples = field_int(&at);
    r->rate = field_number(&at);
    r->of_vendor = field_number(&at);
    r->max_error = field_number(&at);
    r->registers = field_int(&at);
    r->spill_bytes = field_int(&at);
    r->bank_share = field_number(&at);
    for (int i = 0; i < LADDER_TUNE_COUNTS; i++) r->counts[i] = field_number(&at);
    for (int p = 0; p < o->space->parameter_count; p++) r->config.values[p] = field_int(&at);
    const char *why = next_field(&at);
    if (why) ladder_plain(why, false, r->why, sizeof r->why);
    return good && why && !at;
}

static kl_status keep(ladder_tune_records *records, const ladder_tune_record *record,
                      kl_error *err) {
    if (records->count == records->capacity) {
        size_t capacity = records->capacity > 0 ? 2 * records->capacity : 256;
        ladder_tune_record *items = realloc(records->items, capacity * sizeof *items);
        if (!items) return kl_fail(err, KL_ERROR_MEMORY, "no memory for results");
        records->items = items;
        records->capacity = capacity;
    }
    records->items[records->count++] = *record;
    return KL_OK;
}

// Compares the beginning of a file; text: its lines. Takes over its date.
static kl_status check_head(ladder_tune_records *records, const char *text, size_t *out_bytes,
                            kl_error *err) {
    ladder_tune_origin *o = &records->origin;
    line_text origin = {.used = 0}, columns = {.used = 0};
    write_origin(o, &origin);
    write_columns(o, &columns);
    if (strncmp(text, origin.text, origin.used) != 0) {
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s holds results of another device, toolkit or kernel (%.*s); give "
                       "another --output, or --fresh to begin it anew",
                       records->path, (int)strcspn(text, "\n"), text);
    }
    const char *date = text + origin.used, *after = strchr(date, '\n');
    char begun[sizeof o->date];
    if (sscanf(date, "# begun %31[0-9TZ:-]", begun) != 1 || !after ||
        strncmp(after + 1, columns.text, columns.used) != 0) {
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s has other columns than this search; give another --output, or --fresh "
                       "to begin it anew",
                       records->path);
    }
    snprintf(o->date, sizeof o->date, "%s", begun);
    *out_bytes = (size_t)(after + 1 - text) + columns.used;
    return KL_OK;
}

// Reads what is there. *out_bytes: up to the last whole line.
static kl_status read_records(ladder_tune_records *records, size_t *out_bytes, kl_error *err) {
    char *text = NULL;
    size_t bytes = 0, used = 0;
    *out_bytes = 0;
    if (!ladder_file_exists(records->path)) return KL_OK;
    TRY(ladder_file_read(AT_FDCWD, records->path, FILE_MAX, &text, &bytes, err));
    kl_status status = bytes > 0 ? check_head(records, text, &used, err) : KL_OK;
    int number = HEAD + 2;
    for (char *end; status == KL_OK && (end = strchr(text + used, '\n')); number++) {
        ladder_tune_record record;
        *end = '\0';
        if (!read_record(&records->origin, text + used, &record)) {
            status = kl_fail(err, KL_ERROR_INPUT,
                             "%s: line %d is no result; fix it, or --fresh begins the file anew",
                             records->path, number);
        } else {
            status = keep(records, &record, err);
        }
        used = (size_t)(end + 1 - text);
    }
    *out_bytes = used;
    free(text);
    return status;
}

// ---- the file ----------------------------------------------------------------------------------

static kl_status append(ladder_tune_records *records, const line_text *line, kl_error *err) {
    if (line->is_cut) return kl_fail(err, KL_ERROR_LIMIT, "a result does not fit a line");
    if (!records->file) return KL_OK;
    fwrite(line->text, 1, line->used, records->file);
    if (fflush(records->file) == 0 && !ferror(records->file)) return KL_OK;
    return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", records->path, strerror(errno));
}

kl_status ladder_tune_records_open(const char *path, const ladder_tune_origin *origin, bool fresh,
                                   ladder_tune_records *out_records, kl_error *err) {
    ladder_tune_records *r = out_records;
    size_t bytes = 0;
    memset(r, 0, sizeof *r);
    r->origin = *origin;
    if (!path) return KL_OK;
    TRY(ladder_path(r->path, err, "%s", path));
    if (!fresh) TRY(read_records(r, &bytes, err));
    r->file = fopen(path, bytes > 0 ? "r+" : "w");
    if (!r->file)
        return kl_fail(err, KL_ERROR_SYSTEM, "cannot write %s: %s", path, strerror(errno));
    if (bytes > 0) { // after the last whole line
        if (ftruncate(fileno(r->file), (off_t)bytes) == 0 && fseek(r->file, 0, SEEK_END) == 0)
            return KL_OK;
        return kl_fail(err, KL_ERROR_SYSTEM, "cannot write %s: %s", path, strerror(errno));
    }
    line_text head = {.used = 0};
    write_origin(&r->origin, &head);
    put(&head, "# begun %s\n", r->origin.date);
    write_columns(&r->origin, &head);
    return append(r, &head, err);
}

void ladder_tune_records_close(ladder_tune_records *records) {
    if (records->file) fclose(records->file);
    free(records->items);
    memset(records, 0, sizeof *records);
}

const ladder_tune_record *ladder_tune_records_find(const ladder_tune_records *records,
                                                   const ladder_tune_config *config, int64_t size) {
    for (size_t i = records->count; i-- > 0;) {
        const ladder_tune_record *r = &records->items[i];
        if (r->is_vendor != (!config) || (r->size != size && r->size != 0)) continue;
        if (!config || ladder_tune_same(records->origin.space, &r->config, config)) return r;
    }
    return NULL;
}

kl_status ladder_tune_records_add(ladder_tune_records *records, const ladder_tune_record *record,
                                  kl_error *err) {
    line_text line = {.used = 0}, before = {.used = 0};
    const ladder_tune_record *old =
        ladder_tune_records_find(records, record->is_vendor ? NULL : &record->config, record->size);
    write_record(&records->origin, record, &line);
    if (old) write_record(&records->origin, old, &before);
    if (old && strcmp(line.text, before.text) == 0) return KL_OK;
    TRY(append(records, &line, err));
    return keep(records, record, err);
}

const ladder_tune_record *ladder_tune_records_best(const ladder_tune_records *records,
                                                   int64_t size) {
    const ladder_tune_record *best = NULL;
    for (size_t i = 0; i < records->count; i++) {
        const ladder_tune_record *r = &records->items[i];
        if (r->is_vendor || r->size != size || r->state != LADDER_TUNE_RIGHT) continue;
        if (!best || r->rate > best->rate) best = r;
    }
    return best;
}
