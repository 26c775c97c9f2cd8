// SPDX-License-Identifier: MIT
// Where the step files of one student are: in a folder, in an archive, or among the class's files.
#include "grade/intake/internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "grade/intake/archive.h"
#include "grade/intake/gather.h"
#include "utilities/text.h"
#include "grade/rubric/predictions.h"

enum { COPY_MAX = 64 << 20 };

// What of a student's archive is wanted: step files, and archives, of which one is looked into.
static const char *const of_student[] = {
    ".cu", LADDER_BESIDE_STEPS, ".zip", ".tar", ".gz", ".tgz", ".rar", ".7z", NULL};

static bool is_beside_steps(const char *file) {
    static const char *const names[] = {LADDER_BESIDE_STEPS};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(file, names[i]) == 0) return true;
    return false;
}

// The private folder of a submission on the list.
static kl_status new_folder(const ladder_taking *in, ladder_submission *s, kl_error *err) {
    TRY(ladder_path(s->path, err, "%s/%zu", in->staging, (size_t)(s - in->out->list)));
    return ladder_folder_make(s->path, err);
}

static void note(ladder_submission *s, const char *format, const char *detail) {
    size_t used = strlen(s->note), available = sizeof s->note - used;
    if (used > 0 && used + 3 < sizeof s->note) {
        memcpy(s->note + used, "; ", 3);
        used += 2;
        available -= 2;
    }
    char shown[120];
    ladder_plain(detail, false, shown, sizeof shown);
    snprintf(s->note + used, available, format, shown);
}

// Nothing of this lab was found: no code, and so no 0.
static void find_none(ladder_taking *in, ladder_submission *s, const char *where,
                      const ladder_gathered *found) {
    char shown[100], other[120] = "";
    ladder_plain(where, false, shown, sizeof shown);
    if (found && found->source[0] != '\0')
        snprintf(other, sizeof other, ", but %.90s", found->source);
    in->out->broken++;
    snprintf(s->problem, sizeof s->problem, "no step file of this lab (such as %.60s) in %.90s%s",
             in->lab->rubric->steps[in->lab->rubric->step_count > 1].file, shown, other);
}

// Unpacks an archive into `folder`; false with a problem.
static bool unpack(ladder_taking *in, ladder_submission *s, const char *path, const char *folder,
                   kl_status *status, kl_error *err) {
    ladder_archive_end end;
    *status =
        ladder_archive_unpack(path, &ladder_archive_of_student, of_student, folder, &end, err);
    if (*status != KL_OK) return false;
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    if (end.problem[0] != '\0') {
        char shown[100];
        in->out->broken++;
        ladder_plain(name, false, shown, sizeof shown);
        snprintf(s->problem, sizeof s->problem, "%.90s: %.220s", shown, end.problem);
        return false;
    }
    if (end.left > 0)
        note(s, "left out of the archive, as it is a link or no file: %s", end.left_first);
    return true;
}

// Unpacks a student's archive, and one within it where no step file lies beside that, and finds the
// steps: they lie in s->path where *out_found says a folder.
static kl_status open_archive(ladder_taking *in, ladder_submission *s, const char *path,
                              ladder_gathered *out_found, kl_error *err) {
    kl_status status = KL_OK;
    char inner[LADDER_PATH];
    memset(out_found, 0, sizeof *out_found);
    in->out->archives++;
    TRY(new_folder(in, s, err));
    if (!unpack(in, s, path, s->path, &status, err)) return status;
    ladder_gather(s->path, in->lab, out_found);
    if (out_found->folder[0] == '\0' && out_found->archive[0] != '\0') {
        const char *name = strrchr(out_found->archive, '/') + 1;
        TRY(ladder_path(inner, err, "%s.inner", s->path));
        TRY(ladder_folder_make(inner, err));
        note(s, "taken from an archive in the archive: %s", name);
        if (!unpack(in, s, out_found->archive, inner, &status, err)) return status;
        ladder_gather(inner, in->lab, out_found);
        if (out_found->folder[0] == '\0' && out_found->archive[0] != '\0')
            note(s, "an archive within two others is not read: %s",
                 strrchr(out_found->archive, '/') + 1);
    }
    if (out_found->other[0] != '\0')
        note(s, "step files that also lie in %s are not used", out_found->other);
    if (out_found->folder[0] == '\0') return KL_OK;
    return ladder_path(s->path, err, "%s", out_found->folder);
}

kl_status ladder_taking_archive(ladder_taking *in, ladder_submission *s, const char *path,
                                kl_error *err) {
    ladder_gathered found;
    TRY(open_archive(in, s, path, &found, err));
    if (s->problem[0] != '\0' || found.folder[0] != '\0') return KL_OK;
    if (found.foreign[0] != '\0')
        ladder_taking_refuse(in, s, found.foreign);
    else
        find_none(in, s, strrchr(path, '/') + 1, &found);
    return KL_OK;
}

void ladder_taking_refuse(ladder_taking *in, ladder_submission *s, const char *name) {
    in->out->broken++;
    char shown[100];
    ladder_plain(name, false, shown, sizeof shown);
    snprintf(s->problem, sizeof s->problem,
             "%s: archives are read as .zip, .tar, .tar.gz and .tgz only", shown);
}

// A folder that somebody handed in.
kl_status ladder_taking_folder(ladder_taking *in, ladder_submission *s, kl_error *err) {
    ladder_gathered found;
    ladder_gather(s->path, in->lab, &found);
    if (found.other[0] != '\0') note(s, "step files that also lie in %s are not used", found.other);
    if (found.folder[0] != '\0') return ladder_path(s->path, err, "%s", found.folder);
    if (found.archive[0] != '\0') return ladder_taking_archive(in, s, found.archive, err);
    if (found.foreign[0] != '\0')
        ladder_taking_refuse(in, s, found.foreign);
    else
        find_none(in, s, s->name, &found);
    return KL_OK;
}

// A copy of a file that somebody handed in under the name that it had there. One that is too large
// is not copied but told when the step is read.
static kl_status copy_file(const ladder_taking *in, const ladder_item *from, const char *folder,
                           kl_error *err) {
    char source[LADDER_PATH], target[LADDER_PATH], *text = NULL;
    size_t bytes = 0;
    TRY(ladder_path(source, err, "%s/%s", in->folder, from->entry.name));
    TRY(ladder_path(target, err, "%s/%s", folder, from->handed.file));
    if (ladder_file_read(AT_FDCWD, source, COPY_MAX, &text, &bytes, NULL) != KL_OK) return KL_OK;
    kl_status status = ladder_file_write(target, text, bytes, err);
    free(text);
    return status;
}

// Puts the files of one student together: items[0 .. count), the last of each name counts. Of
// archives the last one is taken, and files beside it stand above those in it.
kl_status ladder_taking_files(ladder_taking *in, const ladder_item *items, size_t count,
                              ladder_submission *s, kl_error *err) {
    const ladder_item *archive = NULL, *foreign = NULL;
    ladder_gathered found = {.files = 0};
    char path[LADDER_PATH];
    int archives = 0;
    for (size_t i = 0; i < count; i++) {
        if (ladder_archive_is(items[i].handed.file)) {
            bool later = !archive || items[i].handed.number >= archive->handed.number;
            archive = later ? &items[i] : archive;
            archives++;
        } else if (ladder_archive_is_foreign(items[i].handed.file)) {
            foreign = &items[i];
        }
    }
    if (archive) {
        TRY(ladder_path(path, err, "%s/%s", in->folder, archive->entry.name));
        TRY(open_archive(in, s, path, &found, err));
        if (archives > 1)
            note(s, "of several archives the last one is used: %s", archive->entry.name);
    } else {
        TRY(new_folder(in, s, err));
    }
    int steps = 0;
    for (size_t i = 0; i < count && s->problem[0] == '\0'; i++) {
        const ladder_handed *h = &items[i].handed;
        bool last = i + 1 == count || strcasecmp(h->file, items[i + 1].handed.file) != 0;
        size_t length = strlen(h->file);
        bool step = length > 3 && strcasecmp(h->file + length - 3, ".cu") == 0;
        bool wanted = step || is_beside_steps(h->file);
        if (!wanted || ladder_entry_is_skipped(h->file)) continue;
        if (!last) {
            note(s, "handed in again later: %s", items[i].entry.name);
            continue;
        }
        TRY(copy_file(in, &items[i], s->path, err));
        if (ladder_gather_is_step(in->lab, h->file))
            steps++;
        else if (length > 3)
            snprintf(found.source, sizeof found.source, "%.90s", h->file);
    }
    if (steps > 0 || found.folder[0] != '\0' || s->problem[0] != '\0') return KL_OK;
    if (!archive && foreign)
        ladder_taking_refuse(in, s, foreign->handed.file);
    else
        find_none(in, s, items[0].entry.name, &found);
    return KL_OK;
}
