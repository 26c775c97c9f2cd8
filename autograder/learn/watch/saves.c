// Which step files were saved: see watch.h. inotify tells when to look; what was saved is seen on
// the files themselves, so that a lost or a foreign event does no harm.
#include "learn/watch/watch.h"
#include <poll.h>
#include <sys/inotify.h>

static void look(const char *path, ladder_saved_file *out) {
    struct stat status;
    bool there = stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    out->inode = there ? status.st_ino : 0;
    out->bytes = there ? status.st_size : 0;
    out->written = there ? status.st_mtim : (struct timespec){0, 0};
}

// A file that is not there, or is empty, is being saved: what counts is what comes in its place.
static bool is_saved(const ladder_saved_file *before, const ladder_saved_file *now) {
    return now->inode != 0 && (now->inode != before->inode || now->bytes != before->bytes ||
                               now->written.tv_sec != before->written.tv_sec ||
                               now->written.tv_nsec != before->written.tv_nsec);
}

kl_status ladder_saves_open(const ladder_kit *kit, const ladder_lab *lab, int step, bool poll,
                            ladder_saves *out_saves, kl_error *err) {
    ladder_saves *s = out_saves;
    char folder[LADDER_PATH];
    memset(s, 0, sizeof *s);
    s->fd = -1;
    TRY(ladder_path(folder, err, "%s/labs/%s/steps", kit->source, lab->folder));
    for (int i = 0; i < lab->problem->step_count && s->count < LADDER_STEPS_MAX; i++) {
        const kl_step_info *info = &lab->problem->steps[i];
        if (step >= 0 ? info->number != step : info->given) continue;
        ladder_saved_file *file = &s->files[s->count++];
        file->step = info->number;
        TRY(ladder_kit_step_file(kit, lab, info, false, file->path, err));
        look(file->path, file);
    }
    if (poll) return KL_OK;
    s->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (s->fd >= 0 && inotify_add_watch(s->fd, folder, IN_CLOSE_WRITE | IN_MOVED_TO) < 0)
        ladder_saves_close(s); // as on some network file systems: look instead
    return KL_OK;
}

void ladder_saves_close(ladder_saves *saves) {
    if (saves->fd >= 0) close(saves->fd);
    saves->fd = -1;
}

bool ladder_saves_pending(const ladder_saves *saves) {
    for (int i = 0; i < saves->count; i++) {
        ladder_saved_file now;
        look(saves->files[i].path, &now);
        if (is_saved(&saves->files[i], &now)) return true;
    }
    return false;
}

static bool is_later(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec >= b->tv_nsec;
}

int ladder_saves_take(ladder_saves *saves) {
    int step = -1;
    struct timespec latest = {0, 0};
    for (int i = 0; i < saves->count; i++) {
        ladder_saved_file *file = &saves->files[i], now = *file;
        look(file->path, &now);
        if (is_saved(file, &now) && is_later(&now.written, &latest)) {
            latest = now.written;
            step = file->step;
        }
        if (now.inode != 0) *file = now;
    }
    return step;
}

void ladder_saves_wait(const ladder_saves *saves, double limit_s) {
    const double look_every_s = 0.25;
    struct pollfd events = {saves->fd, POLLIN, 0}; // poll ignores a negative descriptor
    if (saves->fd < 0 && limit_s > look_every_s) limit_s = look_every_s;
    if (poll(&events, 1, (int)(limit_s * 1e3)) <= 0) return;
    char told[4096];
    while (read(saves->fd, told, sizeof told) > 0) {}
}
