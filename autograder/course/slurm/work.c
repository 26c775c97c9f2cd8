// The work of an array job: see slurm.h. "ladder.work/3 SEED CHUNK COUNT", then a line per
// submission: its flags, what changes its mark (days late, slip days, share and points that they
// cost, own due date, override) and texts, each after a blank, with every byte that is no plain
// character as %XX.
#include "course/slurm/slurm.h"

enum { WORK_MAX = 1 << 30, REFUSED = 1, IS_FILE = 2, OVERRIDDEN = 4, NONE_TAKEN = 8, OUTSIDE = 16 };

// The texts of a submission that grading looks at, with the space that each has.
typedef struct field {
    char *text;
    size_t bytes;
} field;

enum { FIELDS = 9 };

static void fields_of(ladder_submission *s, ladder_points_change *change, field out[FIELDS]) {
    const field all[FIELDS] = {{s->path, sizeof s->path},
                               {s->id, sizeof s->id},
                               {s->title, sizeof s->title},
                               {s->name, sizeof s->name},
                               {s->problem, sizeof s->problem},
                               {s->note, sizeof s->note},
                               {s->user, sizeof s->user},
                               {s->members, sizeof s->members},
                               {change->late_rule, sizeof change->late_rule}};
    memcpy(out, all, sizeof all);
}

static void put_text(FILE *out, const char *text) {
    fputc(' ', out);
    for (const char *at = text; *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;
        if (c > ' ' && c < 0x7f && c != '%') fputc(c, out);
        else fprintf(out, "%%%02X", c);
    }
}

static kl_status put_work(void *context, FILE *out, kl_error *err) {
    const ladder_slurm_work *work = context;
    (void)err; // kl_file_put notices what could not be written
    fprintf(out, "ladder.work/3 %" PRIx64 " %zu %zu\n", work->seed, work->chunk, work->count);
    for (size_t i = 0; i < work->count; i++) {
        ladder_submission *s = &work->list[i];
        field fields[FIELDS];
        ladder_points_change *change = &work->changes[i];
        fields_of(s, change, fields);
        fprintf(out, "%d %d %d %a %a %a %a",
                (s->refused ? REFUSED : 0) | (s->is_file ? IS_FILE : 0) |
                    (change->overridden ? OVERRIDDEN : 0) | (s->none_taken ? NONE_TAKEN : 0) |
                    (s->outside ? OUTSIDE : 0),
                change->late_days, change->slip_days, change->late_share, change->late_points,
                change->due_s, change->override);
        for (int f = 0; f < FIELDS; f++) put_text(out, fields[f].text);
        fputc('\n', out);
    }
    return KL_OK;
}

kl_status ladder_slurm_work_write(const char *path, const ladder_slurm_work *work, kl_error *err) {
    mode_t before = umask(077);
    kl_status status = kl_file_put(path, put_work, (void *)work, err);
    umask(before);
    return status;
}

static int digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Takes one text of a line; *at goes on behind it.
static bool take_text(const char **at, field to) {
    const char *from = *at;
    size_t used = 0;
    if (*from++ != ' ') return false;
    for (; *from != '\0' && *from != ' ' && *from != '\n'; from++) {
        char c = *from;
        if (used + 1 >= to.bytes) return false;
        if (c == '%') {
            int high = digit(from[1]), low = high >= 0 ? digit(from[2]) : -1;
            if (low < 0) return false;
            c = (char)(high << 4 | low);
            from += 2;
        }
        to.text[used++] = c;
    }
    to.text[used] = '\0';
    *at = from;
    return true;
}

static bool take_submission(const char *line, ladder_submission *s, ladder_points_change *change) {
    int flags = 0, used = 0;
    field fields[FIELDS];
    if (sscanf(line, "%d %d %d %la %la %la %la%n", &flags, &change->late_days, &change->slip_days,
               &change->late_share, &change->late_points, &change->due_s, &change->override,
               &used) != 7)
        return false;
    const char *at = line + used;
    fields_of(s, change, fields);
    for (int f = 0; f < FIELDS; f++)
        if (!take_text(&at, fields[f])) return false;
    s->refused = (flags & REFUSED) != 0;
    s->is_file = (flags & IS_FILE) != 0;
    s->none_taken = (flags & NONE_TAKEN) != 0;
    s->outside = (flags & OUTSIDE) != 0;
    change->overridden = (flags & OVERRIDDEN) != 0;
    return *at == '\n' && s->id[0] != '\0';
}

static bool take_work(const char *text, uint64_t task, ladder_slurm_work *work) {
    size_t all = 0;
    if (sscanf(text, "ladder.work/3 %" SCNx64 " %zu %zu", &work->seed, &work->chunk, &all) != 3 ||
        work->chunk == 0 || all > LADDER_SUBMISSIONS_MAX || task > all / work->chunk ||
        task * work->chunk >= all)
        return false;
    size_t first = (size_t)task * work->chunk;
    size_t count = all - first < work->chunk ? all - first : work->chunk;
    work->list = calloc(count, sizeof *work->list);
    work->changes = calloc(count, sizeof *work->changes);
    if (!work->list || !work->changes) return false;
    const char *line = strchr(text, '\n');
    for (size_t i = 0; line && i < first + count; i++) {
        size_t at = work->count;
        if (i >= first && !take_submission(line + 1, &work->list[at], &work->changes[at]))
            return false;
        work->count += i >= first;
        line = strchr(line + 1, '\n');
    }
    return work->count == count;
}

kl_status ladder_slurm_work_read(const char *path, uint64_t task, ladder_slurm_work *out_work,
                                 kl_error *err) {
    char *text = NULL;
    size_t bytes = 0;
    memset(out_work, 0, sizeof *out_work);
    TRY(ladder_file_read(AT_FDCWD, path, WORK_MAX, &text, &bytes, err));
    bool good = take_work(text, task, out_work);
    free(text);
    if (good) return KL_OK;
    free(out_work->list);
    free(out_work->changes);
    out_work->list = NULL;
    out_work->changes = NULL;
    return kl_fail(err, KL_ERROR_INPUT, "%s has no submissions for a task %" PRIu64, path, task);
}

bool ladder_slurm_work_seed(const char *path, uint64_t *out_seed) {
    char *text = NULL;
    size_t bytes = 0;
    if (ladder_file_read(AT_FDCWD, path, WORK_MAX, &text, &bytes, NULL) != KL_OK) return false;
    bool found = sscanf(text, "ladder.work/3 %" SCNx64, out_seed) == 1;
    free(text);
    return found;
}
