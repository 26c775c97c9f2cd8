// The skeleton generator: see submission.h. Text to text at its core; must never lose a student's
// work.
#include "grade/submission/submission.h"
#include "outcome.h"
#include "utilities/files.h"

static const char marker_start[] = LADDER_SOLUTION_MARKER;

typedef enum marker_kind {
    MARK_NONE,
    MARK_BEGIN,
    MARK_SWITCH,
    MARK_TODO,
    MARK_STUB,
    MARK_UNKNOWN
} marker_kind;

typedef struct marker {
    marker_kind kind;
    size_t indent;    // bytes of white space before it
    const char *text; // behind "TODO: ", "STUB: " or "SWITCH: "
    size_t text_bytes;
} marker;

// line: [bytes], without its newline.
static marker read_marker(const char *line, size_t bytes) {
    marker m = {.kind = MARK_NONE};
    while (m.indent < bytes && (line[m.indent] == ' ' || line[m.indent] == '\t')) m.indent++;
    const size_t start_bytes = sizeof marker_start - 1;
    if (bytes - m.indent < start_bytes || memcmp(line + m.indent, marker_start, start_bytes) != 0)
        return m;
    const char *word = line + m.indent + start_bytes;
    size_t left = bytes - m.indent - start_bytes;
    while (left > 0 && (word[left - 1] == ' ' || word[left - 1] == '\t')) left--;
    m.kind = MARK_UNKNOWN;
    if (left == 5 && memcmp(word, "BEGIN", 5) == 0) m.kind = MARK_BEGIN;
    if (left > 6 && memcmp(word, "TODO: ", 6) == 0) m.kind = MARK_TODO;
    if (left > 6 && memcmp(word, "STUB: ", 6) == 0) m.kind = MARK_STUB;
    if (left > 8 && memcmp(word, "SWITCH: ", 8) == 0) m.kind = MARK_SWITCH;
    const size_t key_bytes = m.kind == MARK_SWITCH ? 8 : 6;
    if (m.kind != MARK_UNKNOWN && m.kind != MARK_BEGIN) {
        m.text = word + key_bytes;
        m.text_bytes = left - key_bytes;
    }
    return m;
}

// True when something like a marker is in the middle of a line, e.g. after a formatter joined
// lines.
static bool mentions_marker(const char *line, size_t bytes) {
    return memmem(line, bytes, marker_start + 3, sizeof marker_start - 4);
}

// A text that grows.
typedef struct buffer {
    char *text;
    size_t bytes, capacity;
    bool failed;
} buffer;

static void append(buffer *b, const char *text, size_t bytes) {
    if (b->failed) return;
    if (b->bytes + bytes + 1 > b->capacity) {
        size_t capacity = 2 * (b->bytes + bytes + 1);
        char *larger = realloc(b->text, capacity);
        if (!larger) {
            b->failed = true;
            return;
        }
        b->text = larger;
        b->capacity = capacity;
    }
    memcpy(b->text + b->bytes, text, bytes);
    b->bytes += bytes;
    b->text[b->bytes] = '\0';
}

static void append_string(buffer *b, const char *text) { append(b, text, strlen(text)); }

// Where the reader of a solution stands.
typedef struct reader {
    const char *name;
    int line;          // from 1
    int begin_line;    // of the open region; 0 outside
    marker_kind above; // of the line before
} reader;

static kl_status region_is_closed(const reader *r, kl_error *err) {
    if (r->begin_line == 0 || r->above == MARK_TODO || r->above == MARK_STUB) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   "%s:%d: the region leaves nothing for the student; it ends in lines "
                   "// SOLUTION TODO: text or // SOLUTION STUB: code",
                   r->name, r->begin_line);
}

// What a student is to do at a marker: [indent] bytes of its line, the words, its text.
static void speak(buffer *out, const char *line, const marker *m, const char *words) {
    append(out, line, m->indent);
    append_string(out, words);
    append(out, m->text, m->text_bytes);
    append(out, "\n", 1);
}

// A line behind no marker, which a region has for itself, and a switch turns off.
static kl_status take_code(reader *r, const char *line, size_t bytes, buffer *out, kl_error *err) {
    if (r->begin_line != 0) return KL_OK;
    if (r->above == MARK_SWITCH) {
        if (bytes < 2 || memcmp(line + bytes - 2, " 1", 2) != 0)
            return kl_fail(err, KL_ERROR_INPUT, "%s:%d: what a SOLUTION SWITCH is for ends in 1",
                           r->name, r->line);
        append(out, line, bytes - 1);
        append(out, "0\n", 2);
        return KL_OK;
    }
    append(out, line, bytes);
    append(out, "\n", 1);
    return KL_OK;
}

// One line of the solution: [bytes] without its newline. A region ends behind its TODO and STUB.
static kl_status take_line(reader *r, const char *line, size_t bytes, buffer *out, kl_error *err) {
    marker m = read_marker(line, bytes);
    bool speaks = m.kind == MARK_TODO || m.kind == MARK_STUB;
    bool spoke = r->above == MARK_TODO || r->above == MARK_STUB;
    if (spoke && !speaks) r->begin_line = 0;
    // A marker that is not alone would leak the solution.
    if (m.kind == MARK_UNKNOWN || (m.kind == MARK_NONE && mentions_marker(line, bytes)))
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s:%d: no known marker; each stands alone on its line: // SOLUTION BEGIN, "
                       "TODO: text, STUB: code, SWITCH: text",
                       r->name, r->line);
    if (m.kind == MARK_NONE) {
        TRY(take_code(r, line, bytes, out, err));
    } else if (speaks) {
        if (r->begin_line == 0)
            return kl_fail(err, KL_ERROR_INPUT, "%s:%d: SOLUTION TODO or STUB outside a region",
                           r->name, r->line);
        bool goes_on = r->above == MARK_TODO;
        speak(out, line, &m, m.kind == MARK_STUB ? "" : goes_on ? "// " : "// TODO(student): ");
    } else {
        TRY(region_is_closed(r, err));
        if (m.kind == MARK_BEGIN) r->begin_line = r->line;
        else speak(out, line, &m, "// TODO(student): ");
    }
    r->above = m.kind;
    return KL_OK;
}

kl_status ladder_skeleton_make(const char *name, const char *solution, char **out_text,
                               kl_error *err) {
    *out_text = NULL;
    buffer out = {.text = NULL};
    reader r = {.name = name};
    kl_status status = KL_OK;
    for (const char *line = solution; *line != '\0' && status == KL_OK;) {
        size_t bytes = strcspn(line, "\n");
        r.line++;
        if (bytes > 0 && line[bytes - 1] == '\r')
            status = kl_fail(err, KL_ERROR_INPUT, "%s:%d: the line ends in CR LF", name, r.line);
        else if (strncmp(line, KL_STAMP_START, sizeof KL_STAMP_START - 1) != 0)
            status = take_line(&r, line, bytes, &out, err);
        line += bytes + (line[bytes] == '\n');
    }
    if (status == KL_OK) status = region_is_closed(&r, err);
    char stamp[32];
    snprintf(stamp, sizeof stamp, "%016" PRIx64,
             kl_step_text_hash(out.text ? out.text : "", out.bytes));
    append_string(&out, KL_STAMP_START);
    append_string(&out, stamp);
    append_string(&out, KL_STAMP_END);
    if (status == KL_OK && out.failed)
        status = kl_fail(err, KL_ERROR_MEMORY, "%s: no memory for the skeleton", name);
    if (status != KL_OK) {
        free(out.text);
        return status;
    }
    *out_text = out.text;
    return KL_OK;
}

ladder_skeleton_state ladder_skeleton_compare(const char *existing, const char *made) {
    if (!existing) return LADDER_SKELETON_ABSENT;
    if (strcmp(existing, made) == 0) return LADDER_SKELETON_CURRENT;
    return kl_step_text_is_untouched(existing) ? LADDER_SKELETON_STALE : LADDER_SKELETON_CHANGED;
}

enum { LARGEST_FILE = 1 << 20 }; // a step is a few KiB

// A missing file is KL_OK with *out_text NULL when `may_miss`.
static kl_status read_text(const char *path, bool may_miss, char **out_text, kl_error *err) {
    size_t bytes = 0;
    *out_text = NULL;
    if (may_miss && !ladder_file_exists(path)) return KL_OK;
    TRY(ladder_file_read(AT_FDCWD, path, LARGEST_FILE, out_text, &bytes, err));
    if (strlen(*out_text) == bytes) return KL_OK;
    free(*out_text);
    *out_text = NULL;
    return kl_fail(err, KL_ERROR_INPUT, "%s: is no text", path);
}

kl_status ladder_skeleton_update(const char *solution_path, const char *skeleton_path,
                                 bool check_only, ladder_skeleton_state *out_state, kl_error *err) {
    char *solution = NULL, *made = NULL, *existing = NULL;
    kl_status status = read_text(solution_path, false, &solution, err);
    if (status == KL_OK)
        status = ladder_skeleton_make(basename(solution_path), solution, &made, err);
    if (status == KL_OK) status = read_text(skeleton_path, true, &existing, err);
    if (status == KL_OK) {
        *out_state = ladder_skeleton_compare(existing, made);
        if (*out_state == LADDER_SKELETON_CHANGED && strcmp(solution_path, skeleton_path) == 0 &&
            !strstr(existing, KL_STAMP_START))
            *out_state = LADDER_SKELETON_STALE;
        bool write = *out_state == LADDER_SKELETON_ABSENT || *out_state == LADDER_SKELETON_STALE;
        if (write && !check_only)
            status = ladder_file_write(skeleton_path, made, strlen(made), err);
    }
    free(solution);
    free(made);
    free(existing);
    return status;
}

kl_status ladder_skeleton_remove(const char *skeleton_path, bool check_only,
                                 ladder_skeleton_state *out_state, kl_error *err) {
    char *existing = NULL;
    TRY(read_text(skeleton_path, true, &existing, err));
    *out_state = ladder_skeleton_compare(existing, "");
    free(existing);
    if (*out_state == LADDER_SKELETON_STALE && !check_only && remove(skeleton_path) != 0)
        return kl_fail(err, KL_ERROR_INPUT, "cannot remove %s: %s", skeleton_path, strerror(errno));
    return KL_OK;
}
