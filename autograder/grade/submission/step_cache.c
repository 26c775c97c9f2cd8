// Compiled steps: see submission.h. An entry is a line with its signature and the folder that it
// was compiled in, then the object's bytes.
#include "grade/submission/submission.h"
#include <dirent.h>
#include <sys/random.h>

enum {
    ENTRY_MAX = 16 << 20,    // bytes of one object
    SOURCE_MAX = 4 << 20,    // bytes of one file that goes into it
    CACHE_BYTES = 256 << 20, // of all entries
    HEAD_MAX = LADDER_PATH + 2 * LADDER_SHA256_TEXT
};
static const char version[] = "ladder.step/1";

kl_status ladder_step_cache_open(const char *folder, bool secret, ladder_step_cache *out_cache,
                                 kl_error *err) {
    struct stat info;
    *out_cache = (ladder_step_cache){.limit_bytes = CACHE_BYTES};
    TRY(ladder_path(out_cache->folder, err, "%s", folder));
    mode_t before = umask(077);
    kl_status status = ladder_folder_make(folder, err);
    umask(before);
    if (status != KL_OK) return status;
    if (lstat(folder, &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
        (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return kl_fail(err, KL_ERROR_SYSTEM, "%s is not this user's own folder", folder);
    if (secret && getrandom(out_cache->secret, sizeof out_cache->secret, 0) !=
                      (ssize_t)sizeof out_cache->secret)
        return kl_fail(err, KL_ERROR_SYSTEM, "no random numbers: %s", strerror(errno));
    return KL_OK;
}

static void add_text(ladder_sha256 *hash, const char *text) {
    ladder_sha256_add(hash, text, strlen(text) + 1);
}

// A program is known by its size and the time of its last change.
static void add_program(ladder_sha256 *hash, const char *path) {
    struct stat info;
    char text[96] = "absent";
    if (stat(path, &info) == 0) {
        snprintf(text, sizeof text, "%lld %lld.%09ld", (long long)info.st_size,
                 (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
    }
    add_text(hash, text);
}

static int is_plain(const struct dirent *entry) { return entry->d_name[0] != '.'; }

kl_status ladder_step_cache_key(const char *folder, const char *const *compiler,
                                char out_key[LADDER_SHA256_TEXT], kl_error *err) {
    ladder_sha256 hash;
    struct dirent **entries = NULL;
    ladder_sha256_begin(&hash);
    add_text(&hash, version);
    add_program(&hash, "/proc/self/exe");
    add_program(&hash, compiler[0]);
    for (; *compiler; compiler++) add_text(&hash, *compiler);
    int count = scandir(folder, &entries, is_plain, alphasort);
    kl_status status = count > 0 ? KL_OK : kl_fail(err, KL_ERROR_SYSTEM, "nothing in %s", folder);
    for (int i = 0; i < count; i++) {
        char path[LADDER_PATH], *text = NULL;
        size_t bytes = 0;
        if (status == KL_OK) status = ladder_path(path, err, "%s/%s", folder, entries[i]->d_name);
        if (status == KL_OK)
            status = ladder_file_read(AT_FDCWD, path, SOURCE_MAX, &text, &bytes, err);
        if (status == KL_OK) {
            add_text(&hash, entries[i]->d_name);
            ladder_sha256_add(&hash, &bytes, sizeof bytes);
            ladder_sha256_add(&hash, text, bytes);
        }
        free(text);
        free(entries[i]);
    }
    free(entries);
    ladder_sha256_end(&hash, out_key);
    return status;
}

static void sign(const ladder_step_cache *cache, const char *key, const char *folder,
                 const char *object, size_t bytes, char out_text[LADDER_SHA256_TEXT]) {
    ladder_sha256 hash;
    ladder_sha256_begin(&hash);
    ladder_sha256_add(&hash, cache->secret, sizeof cache->secret);
    add_text(&hash, key);
    add_text(&hash, folder);
    ladder_sha256_add(&hash, object, bytes);
    ladder_sha256_add(&hash, cache->secret, sizeof cache->secret);
    ladder_sha256_end(&hash, out_text);
}

// Puts one path into the place of another of the same length, wherever it stands.
static void replace_path(char *bytes, size_t count, const char *old, const char *new) {
    size_t length = strlen(old);
    for (char *at = bytes, *end = bytes + count; (at = memmem(at, (size_t)(end - at), old, length));
         at += length)
        memcpy(at, new, length);
}

bool ladder_step_cache_take(const ladder_step_cache *cache, const char *key, const char *folder,
                            const char *object) {
    char path[LADDER_PATH], signature[LADDER_SHA256_TEXT], *text = NULL;
    size_t bytes = 0;
    if (ladder_path(path, NULL, "%s/%s", cache->folder, key) != KL_OK ||
        ladder_file_read(AT_FDCWD, path, ENTRY_MAX + HEAD_MAX, &text, &bytes, NULL) != KL_OK)
        return false;
    // "SIGNATURE FOLDER\n"
    char *line_end = memchr(text, '\n', bytes < HEAD_MAX ? bytes : HEAD_MAX);
    bool good = line_end && line_end - text > LADDER_SHA256_TEXT;
    if (good) {
        char *made_in = text + LADDER_SHA256_TEXT, *data = line_end + 1;
        size_t data_bytes = bytes - (size_t)(data - text);
        *line_end = '\0';
        text[LADDER_SHA256_TEXT - 1] = '\0';
        sign(cache, key, made_in, data, data_bytes, signature);
        good = strcmp(signature, text) == 0 && strlen(made_in) == strlen(folder);
        if (good) replace_path(data, data_bytes, made_in, folder);
        good = good && ladder_file_write(object, data, data_bytes, NULL) == KL_OK;
        if (good) utimensat(AT_FDCWD, path, NULL, 0); // the oldest are those longest unused
    }
    free(text);
    return good;
}

typedef struct entry {
    char path[LADDER_PATH];
    long long age_key; // seconds of its last use
    uint64_t bytes;
} entry;

static int by_age(const void *a, const void *b) {
    const entry *left = a, *right = b;
    return left->age_key < right->age_key ? -1 : left->age_key > right->age_key;
}

// Removes the entries longest unused until the rest is within the limit.
static void make_space(const ladder_step_cache *cache) {
    struct dirent **names = NULL;
    int count = scandir(cache->folder, &names, is_plain, alphasort), known = 0;
    entry *entries = calloc(count > 0 ? (size_t)count : 1, sizeof *entries);
    uint64_t total = 0;
    for (int i = 0; i < count; i++) {
        struct stat info;
        entry *e = entries ? &entries[known] : NULL;
        if (e && ladder_path(e->path, NULL, "%s/%s", cache->folder, names[i]->d_name) == KL_OK &&
            lstat(e->path, &info) == 0 && S_ISREG(info.st_mode)) {
            e->age_key = (long long)info.st_mtim.tv_sec;
            total += e->bytes = (uint64_t)info.st_size;
            known++;
        }
        free(names[i]);
    }
    free(names);
    if (total > cache->limit_bytes) qsort(entries, (size_t)known, sizeof *entries, by_age);
    for (int i = 0; i < known && total > cache->limit_bytes; i++) {
        unlink(entries[i].path);
        total -= entries[i].bytes;
    }
    free(entries);
}

typedef struct contents {
    const char *signature, *folder, *data;
    size_t bytes;
} contents;

static kl_status write_entry(void *context, FILE *out, kl_error *err) {
    const contents *c = context;
    (void)err; // kl_file_put notices what could not be written
    fprintf(out, "%s %s\n", c->signature, c->folder);
    fwrite(c->data, 1, c->bytes, out);
    return KL_OK;
}

void ladder_step_cache_put(const ladder_step_cache *cache, const char *key, const char *folder,
                           const char *object) {
    char path[LADDER_PATH], signature[LADDER_SHA256_TEXT], *data = NULL;
    size_t bytes = 0;
    if (strchr(folder, '\n') || ladder_path(path, NULL, "%s/%s", cache->folder, key) != KL_OK ||
        ladder_file_read(AT_FDCWD, object, ENTRY_MAX, &data, &bytes, NULL) != KL_OK)
        return;
    sign(cache, key, folder, data, bytes, signature);
    contents c = {signature, folder, data, bytes};
    if (kl_file_put(path, write_entry, &c, NULL) == KL_OK) make_space(cache);
    free(data);
}
