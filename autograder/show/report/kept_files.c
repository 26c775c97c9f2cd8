// Files beside a result: see report.h.
#include "show/report/report.h"
#include "ladder_config.h"
#include "utilities/files.h"
#include <limits.h>

enum { FILE_MAX = 1 << 20 };

static char *read_one(const char *path) {
    char *text = NULL;
    return ladder_file_read(AT_FDCWD, path, FILE_MAX, &text, NULL, NULL) == KL_OK ? text : NULL;
}

// The way from folder `from` to `path`, both absolute, as a page in `from` may link to it.
static char *relative_way(const char *from, const char *path) {
    size_t i = 0, common = 0;
    for (; from[i] != '\0' && from[i] == path[i]; i++)
        if (path[i] == '/') common = i;
    if (from[i] == '\0' && path[i] == '/') common = i;
    if (common == 0) return NULL; // nothing in common: the page would name folders of a machine
    char *way = calloc(LADDER_PATH, 1);
    size_t used = 0;
    for (const char *at = from + common; way && *at != '\0'; at++)
        if (*at == '/' && used + 4 < LADDER_PATH)
            used += (size_t)snprintf(way + used, LADDER_PATH - used, "../");
    if (way) snprintf(way + used, LADDER_PATH - used, "%s", path + common + 1);
    return way;
}

char *ladder_page_address(const char *on_site, const char *file, const char *to) {
    char path[LADDER_PATH], from[PATH_MAX], target[PATH_MAX];
    if (LADDER_SITE[0] != '\0')
        return ladder_path(path, NULL, "%s/%s", LADDER_SITE, on_site) == KL_OK ? strdup(path)
                                                                               : NULL;
    return to && realpath(to, from) && realpath(file, target) ? relative_way(from, target) : NULL;
}

void ladder_kept_files_read(const char *folder, const char *kit, const ladder_lab *lab,
                            const char *to, ladder_kept_files *out_files) {
    char path[LADDER_PATH], on_site[LADDER_PATH];
    memset(out_files, 0, sizeof *out_files);
    for (int i = 0; i < lab->rubric->step_count && i < LADDER_STEPS_MAX; i++)
        if (ladder_path(path, NULL, "%s/%s", folder, lab->rubric->steps[i].file) == KL_OK)
            out_files->sources[i] = read_one(path);
    if (ladder_path(on_site, NULL, "lab_%s.html", lab->folder) != KL_OK ||
        ladder_path(path, NULL, "%s/labs/%s/README.md", kit, lab->folder) != KL_OK)
        return;
    out_files->lab_page = read_one(path);
    out_files->page = ladder_page_address(on_site, path, to);
}

void ladder_kept_files_free(ladder_kept_files *files) {
    for (int i = 0; i < LADDER_STEPS_MAX; i++) free(files->sources[i]);
    free(files->lab_page);
    free(files->page);
    memset(files, 0, sizeof *files);
}

ladder_beside ladder_kept_files_beside(const ladder_kept_files *files) {
    return (ladder_beside){.sources = (const char *const *)files->sources,
                           .lab_page = files->lab_page,
                           .page = files->page};
}
