// A class that does not exist: see bench.h. Of 100 students 40 have renamed the solution's
// variables, 15 those of a kernel that is wrong, 10 hand in the skeleton, 15 the same as an earlier
// student, 15 nearly the same, 5 an archive that is cut off. A third of all hand in archives.
#include "bench.h"
#include "course/export/export.h"
#include "edit.h"
#include <dirent.h>

enum { SOURCE_BYTES = 1 << 20, EDITS_MAX = 100 };

// The lab's wrong kernels; names: those that are wrong in a step which is handed in.
typedef struct wrong_kernels {
    edit_list edits;
    const char *names[EDITS_MAX];
    int count;
} wrong_kernels;

static uint64_t draw(uint64_t *state) { // splitmix64 (Steele, Lea, Flood 2014)
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static kl_status read_text(const char *path, char **out_text, kl_error *err) {
    size_t bytes = 0;
    return ladder_file_read(AT_FDCWD, path, SOURCE_BYTES, out_text, &bytes, err);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static kl_status find_wrong(const bench_class *class, wrong_kernels *out, kl_error *err) {
    char path[LADDER_PATH];
    edit_heading heading;
    TRY(ladder_path(path, err, "%s/autograder/tests/wrong/%s.edits", class->kit->source,
                    class->lab->folder));
    if (!ladder_file_exists(path)) return KL_OK;
    TRY(edits_read(path, &out->edits, err));
    for (int i = 0; i < out->edits.count && out->count < EDITS_MAX; i++) {
        TRY(edit_heading_of(&out->edits.items[i], &heading, err));
        if (heading.step < class->steps) out->names[out->count++] = out->edits.items[i].name;
    }
    qsort(out->names, (size_t)out->count, sizeof out->names[0], by_name);
    return KL_OK;
}

// Makes of a step's solution what the wrong kernel `name` is, if it is wrong in this step.
static kl_status spoil_step(const wrong_kernels *wrong, const char *name, int step, char **text,
                            kl_error *err) {
    const edit *edit = NULL;
    edit_heading heading;
    char *made = NULL;
    TRY(edits_find(&wrong->edits, name, &edit, err));
    TRY(edit_heading_of(edit, &heading, err));
    if (heading.step != step) return KL_OK;
    TRY(edit_apply(edit, *text, &made, err));
    free(*text);
    *text = made;
    return KL_OK;
}

// The text of one step of one student. kind: what the student has written. Caller frees.
static kl_status make_step(const bench_class *class, const wrong_kernels *wrong, const char *label,
                           int step, bool near, size_t index, char **out_text, kl_error *err) {
    char path[LADDER_PATH], tail[32], *text = NULL, *renamed = NULL;
    const ladder_rubric_step *row = &class->lab->rubric->steps[step];
    bool skeleton = strcmp(label, "skeleton") == 0;
    TRY(ladder_path(path, err, "%s/%s/%s/steps/%s", class->kit->source,
                    skeleton || row->given ? "labs" : "solutions", class->lab->folder, row->file));
    TRY(read_text(path, &text, err));
    kl_status status = KL_OK;
    if (!skeleton && strcmp(label, "solution") != 0)
        status = spoil_step(wrong, label, row->step, &text, err);
    snprintf(tail, sizeof tail, "_%zu", index);
    if (status == KL_OK && !skeleton) {
        status = bench_rename(text, tail, &renamed, err);
    } else if (status == KL_OK) {
        renamed = text;
        text = NULL;
    }
    free(text);
    *out_text = renamed;
    if (status != KL_OK || !near) return status;
    size_t bytes = strlen(renamed);
    char *grown = realloc(renamed, bytes + 32);
    if (!grown) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a submission");
    strcpy(grown + bytes, "// looked at again\n");
    *out_text = grown;
    return KL_OK;
}

static kl_status put_folder(const bench_class *class, const bench_student *s,
                            const ladder_zip_file *files, kl_error *err) {
    char path[LADDER_PATH];
    TRY(ladder_path(path, err, "%s/%s", class->folder, s->name));
    TRY(ladder_folder_make(path, err));
    for (int i = 0; i < class->steps; i++) {
        TRY(ladder_path(path, err, "%s/%s/%s", class->folder, s->name, files[i].name));
        TRY(ladder_file_write(path, files[i].data, files[i].bytes, err));
    }
    return KL_OK;
}

static kl_status put_archive(const bench_class *class, const bench_student *s,
                             const ladder_zip_file *files, kl_error *err) {
    char path[LADDER_PATH], *zip = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&zip, &bytes);
    if (!out) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a submission");
    kl_status status = ladder_zip_write(files, (size_t) class->steps, out, err);
    fclose(out);
    if (strcmp(s->label, "broken") == 0) bytes /= 2; // what is cut off is more than the directory
    if (status == KL_OK) status = ladder_path(path, err, "%s/%s", class->folder, s->name);
    if (status == KL_OK) status = ladder_file_write(path, zip, bytes, err);
    free(zip);
    return status;
}

static kl_status put_student(const bench_class *class, const wrong_kernels *wrong, size_t index,
                             bool near, kl_error *err) {
    const bench_student *s = &class->students[index];
    const char *label = strcmp(s->label, "broken") == 0 ? "solution" : s->label;
    ladder_zip_file *files = calloc((size_t) class->steps, sizeof *files);
    kl_status status = files ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for a submission");
    for (int i = 0; i < class->steps && status == KL_OK; i++) {
        char *text = NULL;
        status = make_step(class, wrong, label, i, near, (size_t)s->origin, &text, err);
        files[i] = (ladder_zip_file){.name = class->lab->rubric->steps[i].file,
                                     .data = text,
                                     .bytes = text ? strlen(text) : 0};
    }
    if (status == KL_OK)
        status = strstr(s->name, ".zip") ? put_archive(class, s, files, err)
                                         : put_folder(class, s, files, err);
    for (int i = 0; files && i < class->steps; i++) free((char *)files[i].data);
    free(files);
    return status;
}

// Draws what a student hands in. Returns whether it is a near copy.
static bool draw_student(const bench_class *class, size_t index, const wrong_kernels *wrong,
                         uint64_t *state) {
    bench_student *s = &class->students[index];
    uint64_t part = draw(state) % 100, choice = draw(state);
    bool archive = draw(state) % 3 == 0, near = false;
    s->origin = (int)index;
    if (part < 40 || (part >= 65 && part < 95 && index == 0)) {
        strcpy(s->label, "solution");
    } else if (part < 55 && wrong->count > 0) {
        strcpy(s->label, wrong->names[choice % (uint64_t)wrong->count]);
    } else if (part < 65) {
        strcpy(s->label, "skeleton");
    } else if (part < 95) {
        const bench_student *other = &class->students[choice % index];
        if (strcmp(other->label, "broken") == 0) other = &class->students[0];
        strcpy(s->label, other->label);
        s->origin = other->origin;
        near = part >= 80;
    } else {
        strcpy(s->label, "broken");
    }
    if (index == 0) strcpy(s->label, "solution");
    archive = archive || strcmp(s->label, "broken") == 0;
    snprintf(s->name, sizeof s->name, "s%05zu%s", index, archive ? ".zip" : "");
    return near;
}

kl_status bench_make(const bench_class *class, kl_error *err) {
    uint64_t state = class->seed;
    wrong_kernels *wrong = calloc(1, sizeof *wrong);
    if (!wrong) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a class");
    kl_status status = find_wrong(class, wrong, err);
    for (size_t i = 0; i < class->count && status == KL_OK; i++) {
        bool near = draw_student(class, i, wrong, &state);
        status = put_student(class, wrong, i, near, err);
    }
    edits_free(&wrong->edits);
    free(wrong);
    return status;
}

// ---- memory of a process and of all its descendants ---------------------------------------------

enum { PROCESSES_MAX = 4096 };

typedef struct row {
    pid_t process, parent;
    double bytes;
    bool counted;
} row;

// /proc/PID/stat, proc(5): the name in brackets may hold anything, so fields count from the last
// ')'.
static bool read_row(const char *name, row *out) {
    char path[64], text[1024];
    long pages = 0;
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%.20s/stat", name);
    FILE *in = fopen(path, "r");
    size_t bytes = in ? fread(text, 1, sizeof text - 1, in) : 0;
    if (in) fclose(in);
    text[bytes] = '\0';
    const char *rest = strrchr(text, ')');
    if (!rest ||
        sscanf(rest + 1,
               " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %*u "
               "%*u %ld",
               &parent, &pages) != 2)
        return false;
    *out = (row){(pid_t)atoi(name), parent, (double)pages * (double)sysconf(_SC_PAGESIZE), false};
    return true;
}

bench_memory bench_memory_of(pid_t process) {
    static row rows[PROCESSES_MAX];
    int count = 0;
    bench_memory memory = {0, 0};
    DIR *entries = opendir("/proc");
    for (struct dirent *e; entries && (e = readdir(entries));)
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && count < PROCESSES_MAX)
            count += read_row(e->d_name, &rows[count]);
    if (entries) closedir(entries);
    for (bool grown = true; grown;) { // a round for each generation
        grown = false;
        for (int i = 0; i < count; i++) {
            bool belongs = rows[i].process == process;
            for (int p = 0; p < count && !belongs; p++)
                belongs = rows[p].counted && rows[p].process == rows[i].parent;
            if (!belongs || rows[i].counted) continue;
            rows[i].counted = grown = true;
            memory.all_bytes += rows[i].bytes;
            if (rows[i].process == process) memory.own_bytes = rows[i].bytes;
        }
    }
    return memory;
}
