// What is taken from a submission, and what is kept of its builds.
#include "grade/submission/submission.h"
#include "suite.h"

// ---- submission ----
// Finding and reading submissions: names of every kind, links, FIFOs, letter case, extra files.

static kl_error err;
static char folder[LADDER_PATH];
static const ladder_lab *lab;

static void set_up(void) {
    lab = ladder_lab_find("reduction");
    ck_assert_ptr_nonnull(lab);
    OK(ladder_folder_temporary(folder, &err));
}

static void write_file(const char *name, const char *text) {
    char above[LADDER_PATH];
    const char *path = kl_own_text("%s/%s", folder, name);
    snprintf(above, sizeof above, "%s", path);
    *strrchr(above, '/') = '\0';
    OK(ladder_folder_make(above, &err));
    OK_OR_SAY(ladder_file_write(path, text, strlen(text), &err), err);
}

static void make_link(const char *target, const char *name) {
    const char *path = kl_own_text("%s/%s", folder, name);
    ck_assert_int_eq(symlink(target, path), 0);
}

KL_TEST(ids_are_safe_and_distinct) {
    static const char *const names[] = {"ann",
                                        "../../etc",
                                        "-rf",
                                        "a\nb",
                                        "<b>x</b>",
                                        ".hidden",
                                        "a b",
                                        "a_b",
                                        "",
                                        "\xe2\x80\xae"
                                        "evil",
                                        "a?b",
                                        "..",
                                        "ann.2",
                                        "A"};
    enum { COUNT = sizeof names / sizeof names[0] };
    char ids[COUNT][96];
    for (int i = 0; i < COUNT; i++) {
        ladder_submission_id(names[i], ids[i]);
        ck_assert(ids[i][0] != '\0' && ids[i][0] != '.' && ids[i][0] != '-');
        ck_assert_uint_eq(strspn(ids[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789._-"),
                          strlen(ids[i]));
        for (int k = 0; k < i; k++) ck_assert_str_ne(ids[i], ids[k]);
    }
    ck_assert_str_eq(ids[0], "ann");
    char longer[300], id[96];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    ladder_submission_id(longer, id);
    ck_assert_uint_lt(strlen(id), 80);
}

static void tear_down(void) { ladder_folder_remove(folder); }

KL_FIXTURE(set_up, tear_down)

KL_TEST(folders_and_single_files_are_submissions) {
    write_file("bob/3_sequential.cu", "x");
    write_file("ann/steps/1_interleaved.cu", "x");
    write_file("4_tail_off_by_one.cu", "x");
    write_file("2_strided-late.cu", "x");
    write_file("README.md", "x");
    write_file("notes.cu", "x");
    write_file(".git/x", "x");
    make_link("/etc", "link");
    ladder_submission *list = NULL;
    size_t count = 0;
    OK(ladder_submissions_find(folder, lab, &list, &count, &err));
    static const char *const want[] = {"2_strided-late.cu", "4_tail_off_by_one.cu", "ann", "bob",
                                       "link"};
    ck_assert_uint_eq(count, 5);
    for (size_t i = 0; i < count; i++) ck_assert_str_eq(list[i].title, want[i]);
    ck_assert(list[0].is_file && !list[2].is_file && list[4].refused);
    free(list);
}

static ladder_step_file files[LADDER_STEPS_MAX];
static ladder_result result;

static void read_one(const char *name) {
    ladder_submission submission = {.path = ""};
    struct stat info;
    OK(ladder_path(submission.path, &err, "%s/%s", folder, name));
    ck_assert_int_eq(lstat(submission.path, &info), 0);
    submission.is_file = S_ISREG(info.st_mode);
    memset(&result, 0, sizeof result);
    OK_OR_SAY(ladder_submission_read(&submission, lab, files, &result, &err), err);
}

static bool has_note(const char *text) {
    for (int i = 0; i < result.note_count; i++)
        if (strstr(result.notes[i], text)) return true;
    return false;
}

KL_TEST(only_named_files_are_taken) {
    write_file("s/1_Interleaved.CU", "one");
    write_file("s/3_sequential.cu", "three");
    write_file("s/3_SEQUENTIAL.cu", "not this");
    write_file("s/Makefile", "all:; rm -rf /");
    write_file("s/evil\nname<b>", "x");
    make_link("/etc/passwd", "s/2_strided.cu");
    const char *fifo = kl_own_text("%s/s/4_first_add.cu", folder);
    ck_assert_int_eq(mkfifo(fifo, 0600), 0);
    read_one("s");
    ck_assert(!files[0].present);
    ck_assert(files[1].present && strcmp(files[1].text, "one") == 0);
    ck_assert(files[2].refused && strstr(files[2].message, "2_strided.cu: is a symbolic link, and "
                                                           "links are not followed: hand in"));
    ck_assert_str_eq(files[3].text, "three");
    ck_assert(files[4].refused);
    ck_assert(has_note("Makefile") && has_note("1_Interleaved.CU"));
    ck_assert(!has_note("\n"));
    char first[LADDER_SHA256_TEXT];
    snprintf(first, sizeof first, "%s", result.hash);
    ladder_submission_free(files, lab->rubric->step_count);
    write_file("s/3_sequential.cu", "three!"); // another content is another hash
    read_one("s");
    ck_assert_str_ne(first, result.hash);
    ladder_submission_free(files, lab->rubric->step_count);
}

// Of several files for one step the nearest name counts, and the others are told.
KL_TEST(one_of_several_is_taken) {
    write_file("s/1_interleaved (1).cu", "copy");
    write_file("s/1_interleaved (2).cu", "later copy");
    write_file("s/2_strided.cu", "two");
    write_file("s/2_strided (1).cu", "not this");
    write_file("s/gus_2_strided.cu", "nor this");
    write_file("s/._3_sequential.cu", "of macOS");
    write_file("s/11_interleaved.cu", "of no step");
    write_file("s/steps/README", "nothing in it");
    read_one("s");
    ck_assert_str_eq(files[1].text, "later copy");
    ck_assert_str_eq(files[2].text, "two");
    ck_assert(!files[3].present);
    ck_assert(has_note("\"1_interleaved (1).cu\" is not used: \"1_interleaved (2).cu\" is taken"));
    ck_assert(has_note("\"gus_2_strided.cu\" is not used"));
    ck_assert(has_note("not used: 11_interleaved.cu (not a step's name; 1_interleaved.cu may be"));
    ladder_submission_free(files, lab->rubric->step_count);
}

// Three are told by name: the first ones, in whatever order the file system keeps them.
KL_TEST(files_that_are_not_used_are_told_in_order) {
    static const char *const names[] = {"s/e.txt", "s/a.txt", "s/d.txt", "s/c.txt", "s/b.txt"};
    write_file("s/1_interleaved.cu", "one");
    for (int i = 0; i < 5; i++) write_file(names[i], "text");
    read_one("s");
    ck_assert_int_eq(result.note_count, 4);
    for (int i = 0; i < 3; i++) {
        char start[32];
        snprintf(start, sizeof start, "not used: %c.txt (", 'a' + i);
        ck_assert_msg(strncmp(result.notes[i], start, strlen(start)) == 0, "%s", result.notes[i]);
    }
    ladder_submission_free(files, lab->rubric->step_count);
}

KL_TEST(a_single_file_is_its_step) {
    write_file("4_tail.cu", "four");
    read_one("4_tail.cu");
    ck_assert_str_eq(files[4].text, "four");
    ck_assert(has_note("\"4_tail.cu\" is taken for 4_first_add.cu"));
    ck_assert(!files[1].present);
    ladder_submission_free(files, lab->rubric->step_count);
}

KL_TEST(a_linked_steps_folder_is_not_followed) {
    write_file("other/3_sequential.cu", "secret");
    write_file("s/README", "x");
    const char *target = kl_own_text("%s/other", folder);
    make_link(target, "s/steps");
    read_one("s");
    ck_assert(!files[3].present);
    ladder_submission_free(files, lab->rubric->step_count);
}

KL_TEST(another_encoding_is_refused) {
    write_file("s/1_interleaved.cu", "\xff\xfe/\x01");
    read_one("s");
    ck_assert(files[1].refused && strstr(files[1].message, "save it as UTF-8"));
    ladder_submission_free(files, lab->rubric->step_count);
}

KL_TEST(a_file_above_the_limit_is_refused) {
    char *large = malloc(LADDER_SOURCE_MAX + 2);
    memset(large, 'x', LADDER_SOURCE_MAX + 1);
    large[LADDER_SOURCE_MAX + 1] = '\0';
    write_file("s/3_sequential.cu", large);
    free(large);
    read_one("s");
    ck_assert(files[3].refused && !files[3].text);
    KL_HAS(files[3].message, "more than the limit of 1048576 of a step's file: "
                             "hand in the source alone");
    ladder_submission_free(files, lab->rubric->step_count);
}

// ---- step_cache ----
// The cache of compiled steps: an object is found again by all that went into it and by nothing
// less, and one that is broken, foreign or out of place is none.

static kl_error err_step_cache;
static const char *const compiler[] = {"/bin/sh", "-O3", NULL};

typedef struct place {
    char top[LADDER_PATH], cache[LADDER_PATH], one[LADDER_PATH], two[LADDER_PATH];
} place;

static void write_text(const char *folder, const char *name, const char *text) {
    const char *path = kl_own_text("%s/%s", folder, name);
    OK(ladder_file_write(path, text, strlen(text), &err_step_cache));
}

// Two folders with names of the same length, in which a step can have been compiled.
static place make_place(void) {
    place p;
    OK(ladder_folder_temporary(p.top, &err_step_cache));
    OK(ladder_path(p.cache, &err_step_cache, "%s/cache", p.top));
    OK(ladder_path(p.one, &err_step_cache, "%s/one", p.top));
    OK(ladder_path(p.two, &err_step_cache, "%s/two", p.top));
    OK(ladder_folder_make(p.one, &err_step_cache));
    OK(ladder_folder_make(p.two, &err_step_cache));
    return p;
}

static ladder_step_cache open_cache(const place *p, bool secret) {
    ladder_step_cache cache;
    OK_OR_SAY(ladder_step_cache_open(p->cache, secret, &cache, &err_step_cache), err_step_cache);
    return cache;
}

// Keeps an "object" under this key that was made in p->one and names its folder.
static void keep(const ladder_step_cache *cache, const place *p, const char *key,
                 const char *text) {
    char object[2 * LADDER_PATH];
    snprintf(object, sizeof object, "%s\n%s/step.cu\n", text, p->one);
    write_text(p->one, "step.so", object);
    const char *path = kl_own_text("%s/step.so", p->one);
    ladder_step_cache_put(cache, key, p->one, path);
}

// What the cache gives for a key to somebody who works in `folder`; "" for nothing. Static.
static const char *take(const ladder_step_cache *cache, const char *folder, const char *key) {
    static char *text;
    free(text);
    text = NULL;
    const char *path = kl_own_text("%s/taken.so", folder);
    if (!ladder_step_cache_take(cache, key, folder, path)) return "";
    OK(ladder_file_read(AT_FDCWD, path, 1 << 20, &text, NULL, &err_step_cache));
    return text;
}

KL_TEST(an_object_is_found_again) {
    place p = make_place();
    ladder_step_cache cache = open_cache(&p, false);
    char want[2 * LADDER_PATH];
    ck_assert_str_eq(take(&cache, p.two, "aa"), "");
    keep(&cache, &p, "aa", "object");
    snprintf(want, sizeof want, "object\n%s/step.cu\n", p.two); // lines of its new place
    ck_assert_str_eq(take(&cache, p.two, "aa"), want);
    ck_assert_str_eq(take(&cache, p.two, "ab"), "");
    // Paths cannot be replaced by longer ones.
    const char *longer = kl_own_text("%s/longer", p.top);
    OK(ladder_folder_make(longer, &err_step_cache));
    ck_assert_str_eq(take(&cache, longer, "aa"), "");
    ladder_folder_remove(p.top);
}

KL_TEST(a_broken_or_foreign_entry_is_none) {
    place p = make_place();
    ladder_step_cache own = open_cache(&p, true), other = open_cache(&p, true);
    char entry[LADDER_PATH], copy[LADDER_PATH], *text = NULL;
    size_t bytes = 0;
    keep(&own, &p, "aa", "object");
    ck_assert_str_ne(take(&own, p.two, "aa"), "");
    ck_assert_str_eq(take(&other, p.two, "aa"), ""); // signed with another secret
    OK(ladder_path(entry, &err_step_cache, "%s/aa", p.cache));
    OK(ladder_path(copy, &err_step_cache, "%s/bb", p.cache));
    OK(ladder_file_read(AT_FDCWD, entry, 1 << 20, &text, &bytes, &err_step_cache));
    OK(ladder_file_write(copy, text, bytes, &err_step_cache));
    ck_assert_str_eq(take(&own, p.two, "bb"), ""); // under another one's name
    text[bytes - 3] ^= 1;
    OK(ladder_file_write(entry, text, bytes, &err_step_cache));
    ck_assert_str_eq(take(&own, p.two, "aa"), ""); // changed
    for (size_t cut = 0; cut < bytes; cut += 7) {
        OK(ladder_file_write(entry, text, cut, &err_step_cache));
        ck_assert_str_eq(take(&own, p.two, "aa"), ""); // cut off anywhere
    }
    ck_assert_int_eq(unlink(entry), 0);
    ck_assert_int_eq(symlink(copy, entry), 0);
    ck_assert_str_eq(take(&own, p.two, "aa"), "");
    free(text);
    ladder_folder_remove(p.top);
}

KL_TEST(keys_depend_on_all_files_and_the_compiler) {
    place p = make_place();
    static const char *const faster[] = {"/bin/sh", "-O2", NULL};
    char keys[6][LADDER_SHA256_TEXT];
    write_text(p.one, "a.cu", "int a;");
    write_text(p.one, "b.h", "int b;");
    OK(ladder_step_cache_key(p.one, compiler, keys[0], &err_step_cache));
    OK(ladder_step_cache_key(p.one, faster, keys[1], &err_step_cache));
    write_text(p.one, "b.h", "int c;");
    OK(ladder_step_cache_key(p.one, compiler, keys[2], &err_step_cache));
    write_text(p.one, "a.cu", "int a;int c;"); // what was the next file's is this one's
    write_text(p.one, "b.h", "");
    OK(ladder_step_cache_key(p.one, compiler, keys[3], &err_step_cache));
    write_text(p.two, "a.cu", "int a;");
    OK(ladder_step_cache_key(p.two, compiler, keys[4], &err_step_cache));
    write_text(p.two, "b.h", "int b;");
    OK(ladder_step_cache_key(p.two, compiler, keys[5], &err_step_cache));
    ck_assert_str_eq(keys[0], keys[5]); // the same files elsewhere
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 5; j++) ck_assert_str_ne(keys[i], keys[j]);
    ladder_folder_remove(p.top);
}

KL_TEST(the_entries_longest_unused_go) {
    place p = make_place();
    ladder_step_cache cache = open_cache(&p, false);
    char path[LADDER_PATH];
    struct stat info;
    keep(&cache, &p, "aa", "object");
    OK(ladder_path(path, &err_step_cache, "%s/aa", p.cache));
    ck_assert_int_eq(stat(path, &info), 0);
    cache.limit_bytes = 2 * (uint64_t)info.st_size + 8;
    keep(&cache, &p, "bb", "object");
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, old, 0), 0);
    ck_assert_str_ne(take(&cache, p.two, "aa"), ""); // used: no longer the oldest
    OK(ladder_path(path, &err_step_cache, "%s/bb", p.cache));
    ck_assert_int_eq(utimensat(AT_FDCWD, path, old, 0), 0);
    keep(&cache, &p, "cc", "object");
    ck_assert_str_eq(take(&cache, p.two, "bb"), "");
    ck_assert_str_ne(take(&cache, p.two, "aa"), "");
    ck_assert_str_ne(take(&cache, p.two, "cc"), "");
    ladder_folder_remove(p.top);
}

KL_TEST(a_folder_of_others_is_not_used) {
    place p = make_place();
    ladder_step_cache cache;
    OK(ladder_folder_make(p.cache, &err_step_cache));
    ck_assert_int_eq(chmod(p.cache, 0777), 0);
    ck_assert_int_eq(ladder_step_cache_open(p.cache, false, &cache, &err_step_cache),
                     KL_ERROR_SYSTEM);
    ck_assert_int_eq(rmdir(p.cache), 0);
    ck_assert_int_eq(symlink(p.one, p.cache), 0);
    ck_assert_int_eq(ladder_step_cache_open(p.cache, false, &cache, &err_step_cache),
                     KL_ERROR_SYSTEM);
    ladder_folder_remove(p.top);
}

KL_TEST_MAIN("submission")
