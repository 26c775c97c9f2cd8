// Devices as text: see device.h.
#include "device/device.h"
#include <pthread.h>

// ---- The fields ----

typedef enum field_kind { FIELD_U32, FIELD_U64, FIELD_REAL, FIELD_SIZES } field_kind;

typedef struct field_row {
    const char *name, *what;
    field_kind kind;
    size_t offset;
    double least, most;
} field_row;

static const field_row fields[] = {
#define SIM_FIELD(type, field, least, most, what)                                                  \
    {#field,                                                                                       \
     what,                                                                                         \
     _Generic((type *)0,                                                                           \
         uint32_t *: FIELD_U32,                                                                    \
         uint64_t *: FIELD_U64,                                                                    \
         double *: FIELD_REAL,                                                                     \
         sim_sizes *: FIELD_SIZES),                                                                \
     offsetof(sim_device, field),                                                                  \
     least,                                                                                        \
     most},
#include "device/device_fields.def"
#undef SIM_FIELD
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

static double value_of(const sim_device *device, const field_row *field) {
    const char *at = (const char *)device + field->offset;
    if (field->kind == FIELD_U32) return *(const uint32_t *)at;
    return field->kind == FIELD_U64 ? (double)*(const uint64_t *)at : *(const double *)at;
}

// ---- Reading ----

typedef struct reader {
    sim_device device;
    bool given[FIELDS], any, named;
    char text[SIM_DEVICE_TEXT], name[128]; // what was read so far, as the device's id
    size_t used;
    uint32_t line;
    kl_error *err;
} reader;

#define BAD(r, ...) fail_at(r, __VA_ARGS__)

static sim_status __attribute__((format(printf, 2, 3)))
fail_at(reader *r, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return sim_fail(r->err, SIM_INVALID_VALUE, "line %u: %s", r->line, text);
}

static const field_row *find_field(const char *name) {
    for (int i = 0; i < FIELDS; i++)
        if (strcmp(fields[i].name, name) == 0) return &fields[i];
    return NULL;
}

bool sim_device_number(const sim_device *device, const char *field, double *out_value) {
    const field_row *found = find_field(field);
    if (!found || found->kind == FIELD_SIZES) return false;
    *out_value = value_of(device, found);
    return true;
}

// The field whose name begins or ends as the given one does, for a message.
static const char *near_field(const char *name) {
    for (size_t length = strlen(name); length >= 3; length--)
        for (int i = 0; i < FIELDS; i++)
            if (strncmp(fields[i].name, name, length) == 0) return fields[i].name;
    return fields[2].name;
}

// Decimal digits, with a point and an exponent where the field is not a whole number.
static bool parse(const char *text, field_kind kind, double *out) {
    const char *allowed = kind == FIELD_REAL ? "0123456789.eE+-" : "0123456789";
    char *end;
    if (!*text || strspn(text, allowed) != strlen(text)) return false;
    *out = strtod(text, &end);
    return *end == '\0';
}

static sim_status set_sizes(reader *r, const field_row *field, char *value) {
    sim_sizes sizes = {{0}};
    int count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(value, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        double size;
        if (count == SIM_SIZES || !parse(word, FIELD_U32, &size) || size < 1 ||
            size > field->most || (count && size < sizes.at[count - 1]))
            return BAD(r, "%s: at most %d ascending sizes of 1 to %g are wanted (%s)", field->name,
                       SIM_SIZES, field->most, field->what);
        sizes.at[count++] = (uint16_t)size;
    }
    memcpy((char *)&r->device + field->offset, &sizes, sizeof sizes);
    return SIM_OK;
}

static sim_status set_number(reader *r, const field_row *field, const char *value) {
    double number;
    if (!parse(value, field->kind, &number) || !(number >= field->least && number <= field->most))
        return BAD(r, "%s = %.40s: a %snumber from %.15g to %.15g is wanted (%s)", field->name,
                   value, field->kind == FIELD_REAL ? "" : "whole ", field->least, field->most,
                   field->what);
    char *at = (char *)&r->device + field->offset;
    if (field->kind == FIELD_U32) *(uint32_t *)at = (uint32_t)number;
    if (field->kind == FIELD_U64) *(uint64_t *)at = (uint64_t)number;
    if (field->kind == FIELD_REAL) *(double *)at = number;
    return SIM_OK;
}

static sim_status set_like(reader *r, const char *value) {
    const sim_device *row = strchr(value, '=') ? NULL : sim_device_find(value);
    if (r->any) return BAD(r, "like comes first, and once");
    if (!row)
        return BAD(r, "like = %.40s: there is no such device, only %s", value, sim_device_names());
    r->device = *row;
    snprintf(r->name, sizeof r->name, "%s", row->name);
    for (int i = 0; i < FIELDS; i++) r->given[i] = true;
    return SIM_OK;
}

static sim_status set_field(reader *r, bool seen[FIELDS], const char *key, char *value) {
    const field_row *field = find_field(key);
    if (!field) return BAD(r, "there is no field %.40s; near it: %s", key, near_field(key));
    if (seen[field - fields]) return BAD(r, "%s is given twice", key);
    seen[field - fields] = r->given[field - fields] = true;
    return field->kind == FIELD_SIZES ? set_sizes(r, field, value) : set_number(r, field, value);
}

static char *trim(char *text) {
    while (isspace((unsigned char)*text)) text++;
    for (size_t end = strlen(text); end && isspace((unsigned char)text[end - 1]); end--)
        text[end - 1] = '\0';
    return text;
}

// Characters that may be shown on a terminal as they are.
static bool is_plain(const char *text) {
    for (; *text; text++)
        if (!isprint((unsigned char)*text)) return false;
    return true;
}

// One `key = value`; nothing is fine.
static sim_status read_part(reader *r, bool seen[FIELDS], char *part) {
    part = trim(part);
    if (!*part) return SIM_OK;
    char *equals = strchr(part, '=');
    if (!is_plain(part)) return BAD(r, "it holds characters that are not printable ASCII");
    if (!equals) return BAD(r, "\"%.40s\" is not `field = value`", part);
    *equals = '\0';
    char *key = trim(part), *value = trim(equals + 1);
    int wrote = snprintf(r->text + r->used, sizeof r->text - r->used, "%s=%s;", key, value);
    if (wrote < 0 || (size_t)wrote >= sizeof r->text - r->used)
        return BAD(r, "a device takes at most %d characters", SIM_DEVICE_TEXT - 1);
    r->used += (size_t)wrote;
    sim_status status = SIM_OK;
    if (strcmp(key, "like") == 0) {
        status = set_like(r, value);
    } else if (strcmp(key, "name") == 0) {
        if (r->named || !*value || strlen(value) >= sizeof r->name || strchr(value, '='))
            status =
                BAD(r, "name: one text of 1 to %zu characters, without '='", sizeof r->name - 1);
        else snprintf(r->name, sizeof r->name, "%s", value);
        r->named = true;
    } else {
        status = set_field(r, seen, key, value);
    }
    r->any = true;
    return status;
}

// ---- What must fit together ----

static bool is_one_of(uint32_t value, uint32_t a, uint32_t b) { return value == a || value == b; }

// What is wrong with numbers each of which is in its range; NULL: nothing.
static const char *contradiction(const sim_device *d) {
    const uint16_t *kib = d->carve_out_kib.at;
    if (d->threads_per_sm != 32 * d->warps_per_sm) return "threads_per_sm is not 32 x warps_per_sm";
    if (d->threads_per_block > d->threads_per_sm) return "threads_per_block exceeds threads_per_sm";
    if (d->registers_per_block > d->registers_per_sm)
        return "registers_per_block exceeds registers_per_sm";
    if (d->shared_bytes_per_block > d->shared_bytes_per_block_optin ||
        d->shared_bytes_per_block_optin + d->shared_reserved_bytes > d->shared_bytes_per_sm)
        return "shared memory per block, with the attribute and per SM do not ascend";
    if (d->l1_and_shared_bytes && d->l1_and_shared_bytes < d->shared_bytes_per_sm)
        return "l1_and_shared_bytes is less than shared_bytes_per_sm";
    for (int i = 0; i < SIM_SIZES && kib[i]; i++)
        if (kib[i] * 1024u > d->shared_bytes_per_sm)
            return "carve_out_kib exceeds shared_bytes_per_sm";
    if (d->l1_caches_global && (!d->l1_and_shared_bytes || d->l1_latency_cycles <= 0))
        return "l1_caches_global is 1, but there is no L1, or no latency of it";
    if (!d->l2_bytes != !d->l2_latency_ns) return "l2_bytes and l2_latency_ns: both are 0 or none";
    if (!d->l2_bytes && d->l1_caches_global) return "an L1 of global memory needs an L2 behind it";
    if (!is_one_of(d->shared_lanes, 16, 32) || !is_one_of(d->shared_banks, 16, 32))
        return "shared_lanes and shared_banks are 16 or 32";
    if (!is_one_of(d->bank_bytes, 4, 8) || !is_one_of(d->bank_map_bytes, 4, d->bank_bytes))
        return "bank_bytes is 4 or 8, bank_map_bytes is 4 or the same";
    return NULL;
}

static sim_status check(reader *r) {
    for (int i = 0; i < FIELDS; i++)
        if (!r->given[i])
            return sim_fail(r->err, SIM_INVALID_VALUE,
                            "%s is missing (%s); `like = ID` as the first line takes over a known "
                            "device: %s",
                            fields[i].name, fields[i].what, sim_device_names());
    if (!r->name[0]) return sim_fail(r->err, SIM_INVALID_VALUE, "name is missing");
    const char *wrong = contradiction(&r->device);
    return wrong ? sim_fail(r->err, SIM_INVALID_VALUE, "%s", wrong) : SIM_OK;
}

static sim_status read_all(reader *r, char *text) {
    bool seen[FIELDS] = {false};
    for (char *line = text; line; r->line++) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        line[strcspn(line, "#")] = '\0';
        char *rest = NULL;
        for (char *part = strtok_r(line, ";", &rest); part; part = strtok_r(NULL, ";", &rest))
            TRY(read_part(r, seen, part));
        line = end ? end + 1 : NULL;
    }
    return check(r);
}

// ---- Devices that were read ----

// Rows of devices.def are constants that any thread may keep a pointer to. So are these, from when
// they were read to the end of the process; the same text gives the same row.
enum { KEPT_MAX = 64 };
static struct {
    pthread_mutex_t lock;
    sim_device *rows[KEPT_MAX];
    int count;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const sim_device *find_kept(const char *id) {
    for (int i = 0; i < kept.count; i++)
        if (strcmp(kept.rows[i]->id, id) == 0) return kept.rows[i];
    return NULL;
}

static sim_status keep(reader *r, const sim_device **out_device) {
    pthread_mutex_lock(&kept.lock);
    const sim_device *found = find_kept(r->text);
    sim_device *row = NULL;
    if (!found && kept.count < KEPT_MAX) {
        row = malloc(sizeof *row);
        char *id = strdup(r->text), *name = strdup(r->name);
        if (row && id && name) {
            *row = r->device;
            row->id = id;
            row->name = name;
            kept.rows[kept.count++] = row;
            found = row;
        } else {
            free(row);
            free(id);
            free(name);
        }
    }
    pthread_mutex_unlock(&kept.lock);
    *out_device = found;
    return found ? SIM_OK : sim_fail(r->err, SIM_OUT_OF_MEMORY, "no memory for another device");
}

sim_status sim_device_from_text(const char *text, const sim_device **out_device, kl_error *err) {
    reader *r = calloc(1, sizeof *r);
    char *copy = strdup(text);
    sim_status status = SIM_OUT_OF_MEMORY;
    *out_device = NULL;
    if (!r || !copy) {
        sim_fail(err, status, "no memory for a device");
    } else {
        r->line = 1;
        r->err = err;
        status = read_all(r, copy);
        if (status == SIM_OK) status = keep(r, out_device);
    }
    free(copy);
    free(r);
    return status;
}

// The same from a file, whose path stands before the message.
static sim_status sim_device_from_file(const char *path, const sim_device **out_device,
                                       kl_error *err) {
    enum { FILE_MAX = 64 << 10 };
    *out_device = NULL;
    FILE *file = fopen(path, "r");
    char *text = malloc(FILE_MAX + 1);
    sim_status status = SIM_OK;
    size_t bytes = file && text ? fread(text, 1, FILE_MAX, file) : 0;
    if (!file) status = sim_fail(err, SIM_INVALID_VALUE, "cannot read the device %.512s", path);
    else if (!text) status = sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a device");
    else if (ferror(file) || bytes == FILE_MAX || memchr(text, '\0', bytes))
        status = sim_fail(err, SIM_INVALID_VALUE, "%.512s is no text of a device", path);
    if (file) fclose(file);
    if (status == SIM_OK) {
        kl_error inner = {0};
        text[bytes] = '\0';
        status = sim_device_from_text(text, out_device, &inner);
        if (status != SIM_OK) sim_fail(err, status, "%.512s: %.512s", path, inner.text);
    }
    free(text);
    return status;
}

bool sim_device_is_text(const char *word) { return strchr(word, '='); }

bool sim_device_is_file(const char *word) {
    return !sim_device_is_text(word) && strpbrk(word, "/.");
}

sim_status sim_device_open(const char *word, const sim_device **out_device, kl_error *err) {
    if (word && sim_device_is_text(word)) return sim_device_from_text(word, out_device, err);
    if (word && sim_device_is_file(word)) return sim_device_from_file(word, out_device, err);
    *out_device = sim_device_find(word);
    if (*out_device) return SIM_OK;
    return sim_fail(err, SIM_INVALID_VALUE, "there is no device \"%.64s\", only %s", word,
                    sim_device_names());
}

// ---- Writing ----

static const struct {
    const char *id, *names, *source;
} sources[] = {
#define SIM_SOURCE(device, names, source) {#device, names, source},
#include "device/device_sources.def"
#undef SIM_SOURCE
};

// Whether the list of names, with blanks between them, has this one.
static bool has_name(const char *names, const char *name) {
    size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at += length) {
        bool begins = at == names || at[-1] == ' ', ends = at[length] == ' ' || !at[length];
        if (begins && ends) return true;
    }
    return false;
}

const char *sim_device_source(const char *id, const char *field) {
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        if (strcmp(sources[i].id, id) == 0 && has_name(sources[i].names, field))
            return sources[i].source;
    return NULL;
}

enum { LINE = 80, VALUE = 512 };

static void value_text(const sim_device *device, const field_row *field, char text[VALUE]) {
    int used = snprintf(text, VALUE, "%s =", field->name);
    if (field->kind != FIELD_SIZES) {
        snprintf(text + used, (size_t)(VALUE - used), " %.15g", value_of(device, field));
        return;
    }
    const sim_sizes *sizes = (const sim_sizes *)((const char *)device + field->offset);
    for (int i = 0; i < SIM_SIZES && sizes->at[i]; i++)
        used += snprintf(text + used, (size_t)(VALUE - used), " %u", sizes->at[i]);
}

// A comment in lines of at most 80 columns.
static void write_comment(FILE *out, const char *head, const char *text) {
    size_t used = strlen(head);
    fputs(head, out);
    while (*text) {
        size_t length = strcspn(text, " ");
        if (used + 1 + length > LINE) {
            fputs("\n#  ", out);
            used = 3;
        }
        fprintf(out, " %.*s", (int)length, text);
        used += 1 + length;
        text += length + (text[length] == ' ');
    }
    fputc('\n', out);
}

static void write_field(FILE *out, const sim_device *device, const field_row *field) {
    char text[VALUE];
    value_text(device, field, text);
    if (strlen(text) + strlen("  # ") + strlen(field->what) <= LINE) {
        fprintf(out, "%s  # %s\n", text, field->what);
        return;
    }
    write_comment(out, "#", field->what);
    fprintf(out, "%s\n", text);
}

void sim_device_write(FILE *out, const sim_device *device) {
    const char *last = NULL;
    fprintf(out, "name = %s\n", device->name);
    for (int i = 0; i < FIELDS; i++) {
        const char *source = sim_device_source(device->id, fields[i].name);
        if (source && (!last || strcmp(source, last) != 0)) {
            fputc('\n', out);
            write_comment(out, "# Source:", source);
        }
        last = source;
        write_field(out, device, &fields[i]);
    }
}
