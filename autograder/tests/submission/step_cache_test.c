// SPDX-License-Identifier: MIT
// The cache of compiled steps: an object is found again by all that went into it and by nothing
// less, and one that is broken, foreign or out of place is none.
#include "grade/submission/submission.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "suite.h"

static kl_error err;
static const char *const compiler[] = {"/bin/sh", "-O3", NULL};

typedef struct place {
    char top[LADDER_PATH], cache[LADDER_PATH], one[LADDER_PATH], two[LADDER_PATH];
} place;

static void write_text(const char *folder, const char *name, const char *text) {
    char path[LADDER_PATH];
    ck_assert_int_eq(ladder_path(path, &err, "%s/%s", folder, name), KL_OK);
    ck_assert_int_eq(ladder_file_write(path, text, strlen(text), &err), KL_OK);
}

// Two folders with names of the same length, in which a step can have been compiled.
static place make_place(void) {
    place p;
    ck_assert_int_eq(ladder_folder_temporary(p.top, &err), KL_OK);
    ck_assert_int_eq(ladder_path(p.cache, &err, "%s/cache", p.top), KL_OK);
    ck_assert_int_eq(ladder_path(p.one, &err, "%s/one", p.top), KL_OK);
    ck_assert_int_eq(ladder_path(p.two, &err, "%s/two", p.top), KL_OK);
    ck_assert_int_eq(ladder_folder_make(p.one, &err), KL_OK);
    ck_assert_int_eq(ladder_folder_make(p.two, &err), KL_OK);
    return p;
}

static ladder_step_cache open_cache(const place *p, bool secret) {
    ladder_step_cache cache;
    ck_assert_msg(ladder_step_cache_open(p->cache, secret, &cache, &err) == KL_OK, "%s", err.text);
    return cache;
}

// Keeps an "object" under this key that was made in p->one and names its folder.
static void keep(const ladder_step_cache *cache, const place *p, const char *key,
                 const char *text) {
    char path[LADDER_PATH], object[2 * LADDER_PATH];
    snprintf(object, sizeof object, "%s\n%s/step.cu\n", text, p->one);
    write_text(p->one, "step.so", object);
    ck_assert_int_eq(ladder_path(path, &err, "%s/step.so", p->one), KL_OK);
    ladder_step_cache_put(cache, key, p->one, path);
}

// What the cache gives for a key to somebody who works in `folder`; "" for nothing. Static.
static const char *take(const ladder_step_cache *cache, const char *folder, const char *key) {
    static char *text;
    char path[LADDER_PATH];
    free(text);
    text = NULL;
    ck_assert_int_eq(ladder_path(path, &err, "%s/taken.so", folder), KL_OK);
    if (!ladder_step_cache_take(cache, key, folder, path)) return "";
    ck_assert_int_eq(ladder_file_read(AT_FDCWD, path, 1 << 20, &text, NULL, &err), KL_OK);
    return text;
}

START_TEST(an_object_is_found_again) {
    place p = make_place();
    ladder_step_cache cache = open_cache(&p, false);
    char want[2 * LADDER_PATH], longer[LADDER_PATH];
    ck_assert_str_eq(take(&cache, p.two, "aa"), "");
    keep(&cache, &p, "aa", "object");
    snprintf(want, sizeof want, "object\n%s/step.cu\n", p.two); // lines of its new place
    ck_assert_str_eq(take(&cache, p.two, "aa"), want);
    ck_assert_str_eq(take(&cache, p.two, "ab"), "");
    // Paths cannot be replaced by longer ones.
    ck_assert_int_eq(ladder_path(longer, &err, "%s/longer", p.top), KL_OK);
    ck_assert_int_eq(ladder_folder_make(longer, &err), KL_OK);
    ck_assert_str_eq(take(&cache, longer, "aa"), "");
    ladder_folder_remove(p.top);
}
END_TEST

START_TEST(a_broken_or_foreign_entry_is_none) {
    place p = make_place();
    ladder_step_cache own = open_cache(&p, true), other = open_cache(&p, true);
    char entry[LADDER_PATH], copy[LADDER_PATH], *text = NULL;
    size_t bytes = 0;
    keep(&own, &p, "aa", "object");
    ck_assert_str_ne(take(&own, p.two, "aa"), "");
    ck_assert_str_eq(take(&other, p.two, "aa"), ""); // signed with another secret
    ck_assert_int_eq(ladder_path(entry, &err, "%s/aa", p.cache), KL_OK);
    ck_assert_int_eq(ladder_path(copy, &err, "%s/bb", p.cache), KL_OK);
    ck_assert_int_eq(ladder_file_read(AT_FDCWD, entry, 1 << 20, &text, &bytes, &err), KL_OK);
    ck_assert_int_eq(ladder_file_write(copy, text, bytes, &err), KL_OK);
    ck_assert_str_eq(take(&own, p.two, "bb"), ""); // under another one's name
    text[bytes - 3] ^= 1;
    ck_assert_int_eq(ladder_file_write(entry, text, bytes, &err), KL_OK);
    ck_assert_str_eq(take(&own, p.two, "aa"), ""); // changed
    for (size_t cut = 0; cut < bytes; cut += 7) {
        ck_assert_int_eq(ladder_file_write(entry, text, cut, &err), KL_OK);
        ck_assert_str_eq(take(&own, p.two, "aa"), ""); // cut off anywhere
    }
    ck_assert_int_eq(unlink(entry), 0);
    ck_assert_int_eq(symlink(copy, entry), 0);
    ck_assert_str_eq(take(&own, p.two, "aa"), "");
    free(text);
    ladder_folder_remove(p.top);
}
END_TEST

START_TEST(keys_depend_on_all_files_and_the_compiler) {
    place p = make_place();
    static const char *const faster[] = {"/bin/sh", "-O2", NULL};
    char keys[6][LADDER_SHA256_TEXT];
    write_text(p.one, "a.cu", "int a;");
    write_text(p.one, "b.h", "int b;");
    ck_assert_int_eq(ladder_step_cache_key(p.one, compiler, keys[0], &err), KL_OK);
    ck_assert_int_eq(ladder_step_cache_key(p.one, faster, keys[1], &err), KL_OK);
    write_text(p.one, "b.h", "int c;");
    ck_assert_int_eq(ladder_step_cache_key(p.one, compiler, keys[2], &err), KL_OK);
    write_text(p.one, "a.cu", "int a;int c;"); // what was the next file's is this one's
    write_text(p.one, "b.h", "");
    ck_assert_int_eq(ladder_step_cache_key(p.one, compiler, keys[3], &err), KL_OK);
    write_text(p.two, "a.cu", "int a;");
    ck_assert_int_eq(ladder_step_cache_key(p.two, compiler, keys[4], &err), KL_OK);
    write_text(p.two, "b.h", "int b;");
    ck_assert_int_eq(ladder_step_cache_key(p.two, compiler, keys[5], &err), KL_OK);
    ck_assert_str_eq(keys[0], keys[5]); // the same files elsewhere
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 5; j++) ck_assert_str_ne(keys[i], keys[j]);
    ladder_folder_remove(p.top);
}
END_TEST

START_TEST(the_entries_longest_unused_go) {
    place p = make_place();
    ladder_step_cache cache = open_cache(&p, false);
    char path[LADDER_PATH];
    struct stat info;
    keep(&cache, &p, "aa", "object");
    ck_assert_int_eq(ladder_path(path, &err, "%s/aa", p.cache), KL_OK);
    ck_assert_int_eq(stat(path, &info), 0);
    cache.limit_bytes = 2 * (uint64_t)info.st_size + 8;
    keep(&cache, &p, "bb", "object");
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, old, 0), 0);
    ck_assert_str_ne(take(&cache, p.two, "aa"), ""); // used: no longer the oldest
    ck_assert_int_eq(ladder_path(path, &err, "%s/bb", p.cache), KL_OK);
    ck_assert_int_eq(utimensat(AT_FDCWD, path, old, 0), 0);
    keep(&cache, &p, "cc", "object");
    ck_assert_str_eq(take(&cache, p.two, "bb"), "");
    ck_assert_str_ne(take(&cache, p.two, "aa"), "");
    ck_assert_str_ne(take(&cache, p.two, "cc"), "");
    ladder_folder_remove(p.top);
}
END_TEST

START_TEST(a_folder_of_others_is_not_used) {
    place p = make_place();
    ladder_step_cache cache;
    ck_assert_int_eq(ladder_folder_make(p.cache, &err), KL_OK);
    ck_assert_int_eq(chmod(p.cache, 0777), 0);
    ck_assert_int_eq(ladder_step_cache_open(p.cache, false, &cache, &err), KL_ERROR_SYSTEM);
    ck_assert_int_eq(rmdir(p.cache), 0);
    ck_assert_int_eq(symlink(p.one, p.cache), 0);
    ck_assert_int_eq(ladder_step_cache_open(p.cache, false, &cache, &err), KL_ERROR_SYSTEM);
    ladder_folder_remove(p.top);
}
END_TEST

KL_TEST_MAIN("step_cache", an_object_is_found_again, a_broken_or_foreign_entry_is_none,
             keys_depend_on_all_files_and_the_compiler, the_entries_longest_unused_go,
             a_folder_of_others_is_not_used)
