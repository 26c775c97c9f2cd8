// Groups of Moodle: where an assignment is one of groups, every member's copy is handed out, and
// the group's name and a hyphen stand before each member's (mod/assign/locallib.php).
#include "grade/intake/internal.h"

// A copy of the list: who it is, and a hash of its step files; "": it cannot be read.
typedef struct copy {
    size_t index;
    char hash[LADDER_SHA256_TEXT];
} copy;

static kl_status hash_of(const ladder_taking *in, const ladder_submission *s, char *out,
                         kl_error *err) {
    ladder_step_file files[LADDER_STEPS_MAX];
    ladder_result *result = calloc(1, sizeof *result);
    if (!result) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the submissions");
    out[0] = '\0';
    kl_status status = KL_OK;
    if (s->problem[0] == '\0') {
        status = ladder_submission_read(s, in->lab, files, result, err);
        if (status == KL_OK) {
            memcpy(out, result->hash, sizeof result->hash);
            ladder_submission_free(files, in->lab->rubric->step_count);
        }
    }
    free(result);
    return status;
}

static int by_hash(const void *a, const void *b) {
    const copy *x = a, *y = b;
    int order = strcmp(x->hash, y->hash);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

// Bytes that titles begin with alike, up to and with a hyphen.
static size_t common_prefix(const ladder_submission *list, const copy *copies, size_t count) {
    const char *first = list[copies[0].index].title;
    size_t common = strlen(first);
    for (size_t i = 1; i < count; i++) {
        const char *title = list[copies[i].index].title;
        size_t same = 0;
        while (same < common && title[same] == first[same]) same++;
        common = same;
    }
    while (common > 0 && first[common - 1] != '-') common--;
    return common;
}

// Gives a submission its member's name without the group's.
static void name_member(ladder_submission *to, const ladder_submission *from, size_t prefix) {
    char number[80];
    snprintf(number, sizeof number, "Participant %s", from->user);
    if (!ladder_submission_member(to, from->title + prefix, number))
        snprintf(to->problem, sizeof to->problem, "too many students handed it in together");
}

// Copies of the same files become the first of them; the others lose their id.
static void join(ladder_taking *in, const copy *copies, size_t count) {
    ladder_submission *list = in->out->list, *first = &list[copies[0].index];
    size_t prefix = count > 1 && copies[0].hash[0] != '\0' ? common_prefix(list, copies, count) : 0;
    if (prefix == 0) {
        for (size_t i = 0; i < count; i++) {
            ladder_submission *s = &list[copies[i].index];
            s->members[0] = '\0';
            name_member(s, s, strcspn(s->title, "-") + 1);
        }
        return;
    }
    char title[LADDER_TITLE];
    size_t used = (size_t)snprintf(title, sizeof title, "%.*s:", (int)prefix - 1, first->title);
    first->members[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        ladder_submission *s = &list[copies[i].index];
        name_member(first, s, prefix);
        int more = snprintf(title + used, sizeof title - used, "%s %s", i > 0 ? "," : "",
                            s->title + prefix);
        used = used + (size_t)more < sizeof title ? used + (size_t)more : sizeof title - 1;
        if (s != first) s->name[0] = '\0';
    }
    ladder_plain(title, false, first->title, sizeof first->title);
    in->out->teams++;
}

kl_status ladder_taking_teams(ladder_taking *in, kl_error *err) {
    ladder_submission *list = in->out->list;
    size_t count = in->out->count, kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!strchr(list[i].title, '-')) return KL_OK; // no assignment of groups
    copy *copies = calloc(count + 1, sizeof *copies);
    kl_status status = copies ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for the groups");
    for (size_t i = 0; i < count && status == KL_OK; i++) {
        copies[i].index = i;
        status = hash_of(in, &list[i], copies[i].hash, err);
    }
    if (status == KL_OK) {
        qsort(copies, count, sizeof *copies, by_hash);
        for (size_t i = 0, next; i < count; i = next) {
            for (next = i + 1; next < count; next++) {
                size_t same = strcspn(list[copies[i].index].title, "-");
                if (strcmp(copies[next].hash, copies[i].hash) != 0 ||
                    strncmp(list[copies[next].index].title, list[copies[i].index].title,
                            same + 1) != 0)
                    break;
            }
            join(in, &copies[i], next - i);
        }
        for (size_t i = 0; i < count; i++)
            if (list[i].name[0] != '\0') list[kept++] = list[i];
        in->out->count = kept;
    }
    free(copies);
    return status;
}
