// What goes wrong with a file: another writer, a full disk, a damaged file, a newer or older kit,
// a process that is killed in its middle. Each is told with what to do, and the book stays whole.
// where: LADDER_HAVE_SQLITE
#include <sqlite3.h>
#include <sys/resource.h>

#include "suite.h"
#include "tests/gradebook/sample.h"

static kl_error err;

static void expect(const char *what) {
    ck_assert_msg(strstr(err.text, what), "no '%s' in: %s", what, err.text);
}

static kl_status open_again(double wait_s, ladder_book **out_book) {
    const ladder_book_access access = {.who = "prof", .wait_s = wait_s};
    err = (kl_error){KL_OK, ""};
    return ladder_book_open(book_path, &access, out_book, &err);
}

// A book with some students and grades.
static void fill(int students) {
    ladder_book *book = book_open();
    OK(ladder_book_begin(book, &err));
    for (int i = 0; i < students; i++) {
        char name[16];
        ladder_book_recorded n;
        snprintf(name, sizeof name, "s%d", i);
        ladder_submission s = book_submission(name, "", "");
        ladder_row row = book_row(name, "r1", 10);
        OK(ladder_book_record(book, book_lab(), &s, &row, 1, false, NULL, &n, &err));
    }
    OK(ladder_book_commit(book, &err));
    book_close(book);
}

static void hash_file(char *out) {
    char *text = NULL;
    size_t bytes = 0;
    ladder_sha256 hash;
    OK(ladder_file_read(AT_FDCWD, book_path, 64 << 20, &text, &bytes, &err));
    ladder_sha256_begin(&hash);
    ladder_sha256_add(&hash, text, bytes);
    ladder_sha256_end(&hash, out);
    free(text);
}

// The file is refused with these words, and not a byte of it changes.
static void is_refused(const char *what, const char *advice) {
    char before[LADDER_SHA256_TEXT], after[LADDER_SHA256_TEXT];
    ladder_book *book = NULL;
    hash_file(before);
    ck_assert_int_eq(open_again(0, &book), KL_ERROR_INPUT);
    ck_assert_ptr_null(book);
    expect(what);
    expect(advice);
    expect(book_path);
    hash_file(after);
    ck_assert_str_eq(before, after);
}

KL_FIXTURE(book_set_up, book_tear_down)

KL_TEST(another_writer_is_told) {
    sqlite3 *other = NULL;
    ladder_book *book = NULL;
    fill(3);
    ck_assert_int_eq(sqlite3_open(book_path, &other), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    OK(open_again(0.05, &book)); // reading goes on
    ck_assert_int_eq(ladder_book_begin(book, &err), KL_ERROR_SYSTEM);
    expect("another process writes into this gradebook");
    expect("nothing was changed");
    ck_assert_int_eq(sqlite3_exec(other, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    OK(ladder_book_begin(book, &err)); // and when it has ended
    OK(ladder_book_commit(book, &err));
    ladder_book_close(book);
    sqlite3_close(other);
}

// Another ladder is named, by its process and when it began; one that was killed is in no way.
KL_TEST(a_ladder_that_writes_is_named) {
    ladder_book *book = NULL;
    char ready, who[80];
    int begun[2];
    fill(3);
    ck_assert_int_eq(pipe(begun), 0);
    pid_t first = fork();
    if (first == 0) {
        if (open_again(0, &book) == KL_OK && ladder_book_begin(book, &err) == KL_OK &&
            write(begun[1], "", 1) == 1)
            pause();
        _exit(1);
    }
    close(begun[1]);
    ck_assert_int_eq(read(begun[0], &ready, 1), 1);
    OK(open_again(0.05, &book));
    ck_assert_int_eq(ladder_book_begin(book, &err), KL_ERROR_SYSTEM);
    snprintf(who, sizeof who, "process %d on ", (int)first);
    expect(who);
    expect(" since 20");
    expect("nothing was changed: let it end");
    kill(first, SIGKILL);
    ck_assert_int_eq(waitpid(first, NULL, 0), first);
    OK(ladder_book_begin(book, &err));
    OK(ladder_book_commit(book, &err));
    ladder_book_close(book);
    close(begun[0]);
}

// Sets the marks of student `name`, one transaction each.
static int set_often(const char *name, int times) {
    const ladder_book_access access = {.who = name, .wait_s = 200};
    ladder_book *book = NULL;
    if (ladder_book_open(book_path, &access, &book, &err) != KL_OK) return 1;
    for (int i = 0; i < times; i++)
        if (ladder_book_begin(book, &err) != KL_OK ||
            ladder_book_override(book, book_lab(), name, i, true, "again", &err) != KL_OK ||
            ladder_book_commit(book, &err) != KL_OK)
            return 2;
    ladder_book_close(book);
    return 0;
}

KL_TEST(two_processes_lose_nothing) {
    enum { PROCESSES = 2, TIMES = 25 };
    fill(PROCESSES);
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        ck_assert_int_ge(children[i], 0);
        if (children[i] == 0) _exit(set_often(i == 0 ? "s0" : "s1", TIMES));
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    ck_assert_int_eq(book_ask(book_path, "SELECT count(*) FROM overrides"), PROCESSES * TIMES);
    ck_assert_int_eq(book_ask(book_path, "SELECT count(*) FROM audit WHERE action = 'override'"),
                     PROCESSES * TIMES);
    book_is_whole(book_path);
}

KL_TEST(a_full_disk_changes_nothing) {
    struct stat info;
    char before[LADDER_SHA256_TEXT], after[LADDER_SHA256_TEXT];
    fill(3);
    hash_file(before);
    ck_assert_int_eq(stat(book_path, &info), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) { // a file that may grow no further stands for the disk
        struct rlimit limit = {(rlim_t)info.st_size, (rlim_t)info.st_size};
        ladder_book *book = NULL;
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(10);
        if (open_again(0, &book) != KL_OK || ladder_book_begin(book, &err) != KL_OK) _exit(11);
        kl_status status = KL_OK;
        for (int i = 0; i < 500 && status == KL_OK; i++) {
            char name[16];
            ladder_book_recorded n;
            snprintf(name, sizeof name, "new%d", i);
            ladder_submission s = book_submission(name, "", "");
            ladder_row row = book_row(name, "r1", 10);
            status = ladder_book_record(book, book_lab(), &s, &row, 1, false, NULL, &n, &err);
        }
        if (status == KL_OK) status = ladder_book_commit(book, &err);
        bool told = status == KL_ERROR_SYSTEM && strstr(err.text, "cannot be written") &&
                    strstr(err.text, "make room") && strstr(err.text, book_path);
        ladder_book_close(book);
        if (!told) fprintf(stderr, "%s\n", err.text);
        _exit(told ? 0 : 12);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", status);
    hash_file(after);
    ck_assert_str_eq(before, after);
    book_is_whole(book_path);
    ck_assert_int_eq(book_ask(book_path, "SELECT count(*) FROM attempts"), 3);
}

KL_TEST(a_killed_process_leaves_the_book_as_it_was) {
    fill(3);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) { // in the middle of a change, part of which lies in the file already
        sqlite3 *db = NULL;
        int code = sqlite3_open(book_path, &db);
        if (code == SQLITE_OK)
            code = sqlite3_exec(db,
                                "PRAGMA cache_size = 2; BEGIN IMMEDIATE;"
                                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
                                " WHERE i < 3000) INSERT INTO students (key) SELECT i FROM n;"
                                "UPDATE attempts SET title = 'not committed'",
                                NULL, NULL, NULL);
        if (code != SQLITE_OK) _exit(1);
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    const char *journal = kl_own_text("%s-journal", book_path);
    ck_assert(ladder_file_exists(journal)); // what the next one puts back
    ladder_book *book = NULL;
    OK(open_again(0, &book));
    ladder_book_close(book);
    ck_assert_int_eq(book_ask(book_path, "SELECT count(*) FROM attempts"), 3);
    ck_assert_int_eq(book_ask(book_path, "SELECT count(*) FROM students"), 3);
    ck_assert_int_eq(book_ask(book_path, "SELECT count(*) FROM attempts WHERE title LIKE 'not%'"),
                     0);
    book_is_whole(book_path);
}

static void overwrite(off_t at, size_t bytes) {
    char noise[8192];
    memset(noise, 0xA5, sizeof noise);
    int fd = open(book_path, O_WRONLY);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pwrite(fd, noise, bytes, at), (ssize_t)bytes);
    close(fd);
}

KL_TEST(a_damaged_file_is_refused) {
    fill(40);
    struct stat info;
    ck_assert_int_eq(stat(book_path, &info), 0);
    ck_assert_int_gt(info.st_size, 6 * 4096);
    overwrite(4096, 4096); // a page in the middle
    is_refused("damaged", "ladder gradebook backup");
    ck_assert_int_eq(unlink(book_path), 0);
    fill(40);
    ck_assert_int_eq(truncate(book_path, info.st_size / 8192 * 4096), 0); // half of it
    is_refused("damaged", "ladder gradebook backup");
    overwrite(0, 100); // not even its head
    is_refused("no gradebook", "ladder gradebook backup");
}

KL_TEST(what_is_no_gradebook_is_refused) {
    ladder_book *book = NULL;
    ck_assert_int_eq(open_again(0, &book), KL_ERROR_INPUT);
    expect("No such file");
    expect("--gradebook FILE");
    ck_assert(!ladder_file_exists(book_path));
    ck_assert(book_sql(book_path, "CREATE TABLE songs (name TEXT)"));
    is_refused("is a database, but no gradebook", "name another file");
    ck_assert_int_eq(unlink(book_path), 0);
    book_file("course.db", "These are my notes on the course, which are of more than 100 bytes, so "
                           "that nobody takes them for an empty file.\n");
    is_refused("no gradebook", "left as it is");
    ladder_book *made = NULL;
    const ladder_book_access create = {.create = true};
    const char *path = kl_own_text("%s/no/such/folder.db", book_folder);
    ck_assert_int_eq(ladder_book_open(path, &create, &made, &err), KL_ERROR_INPUT);
    expect("does its folder exist");
}

// Behind an erasure the file is written anew: where there is no room, the error says what is done.
KL_TEST(an_erasure_on_a_full_disk_says_what_is_done) {
    struct stat info;
    fill(200);
    ck_assert_int_eq(stat(book_path, &info), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        struct rlimit limit = {(rlim_t)info.st_size, (rlim_t)info.st_size};
        ladder_book *book = NULL;
        ladder_book_erased n;
        if (open_again(0, &book) != KL_OK || ladder_book_begin(book, &err) != KL_OK ||
            ladder_book_drop(book, "s7", false, "left", &err) != KL_OK ||
            ladder_book_commit(book, &err) != KL_OK)
            _exit(10);
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || signal(SIGXFSZ, SIG_IGN) == SIG_ERR) _exit(11);
        kl_status status = ladder_book_erase(book, "s7", "asked for it", &n, &err);
        bool told = status != KL_OK && strstr(err.text, "the student is erased") &&
                    strstr(err.text, book_path);
        if (!told) fprintf(stderr, "%s\n", status == KL_OK ? "no fault" : err.text);
        _exit(told ? 0 : 12);
    }
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", status);
    ck_assert_int_eq(book_ask(book_path, "SELECT count(*) FROM students"), 199);
    book_is_whole(book_path);
}

KL_TEST(a_newer_book_is_refused) {
    fill(1);
    ck_assert(book_sql(book_path, "PRAGMA user_version = 99"));
    is_refused("is of version 99, and this kit knows versions up to 9", "use the newer kit");
}

KL_TEST(a_backup_is_whole_while_others_write) {
    sqlite3 *other = NULL;
    ladder_book *book = NULL;
    fill(5);
    const char *copy = kl_own_text("%s/copy.db", book_folder);
    ck_assert_int_eq(sqlite3_open(book_path, &other), SQLITE_OK);
    ck_assert_int_eq(
        sqlite3_exec(other, "BEGIN IMMEDIATE; UPDATE students SET name = 'x'", NULL, NULL, NULL),
        SQLITE_OK);
    OK(open_again(0, &book));
    OK_OR_SAY(ladder_book_backup(book, copy, &err), err);
    ck_assert_int_eq(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
    book_is_whole(copy);
    ck_assert_int_eq(book_ask(copy, "SELECT count(*) FROM students WHERE name <> 'x'"), 5);
    ck_assert_int_eq(ladder_book_backup(book, copy, &err), KL_ERROR_INPUT);
    expect("exists already");
    ladder_book_close(book);
}

KL_TEST(a_book_of_version_1_is_migrated_without_loss) {
    static const char *const same[] = {
        "SELECT count(*) FROM students WHERE key = '4711' AND name = 'Ann Lee' AND login = 'ann'"
        " AND roster = 1",
        "SELECT count(*) FROM students",
        "SELECT count(*) FROM attempts WHERE number = 2 AND submission = 'f2' AND late = 1"
        " AND title = 'ann, again' AND submitted = '2026-11-21T10:00Z'",
        "SELECT count(*) FROM grades WHERE points = 33.25 AND points_max = 50 AND kit = 'old kit'"
        " AND rubric = 'r1' AND at = '2026-10-01T00:00:00Z'",
        "SELECT count(*) FROM grades WHERE ungradable = 1",
        "SELECT sum(points) * 100 FROM steps",
        "SELECT count(*) FROM overrides WHERE reason = 'it''s fair' AND who = 'old prof'",
        "SELECT sum(entry) FROM audit WHERE at < '2026-11'",
    };
    int64_t before[sizeof same / sizeof same[0]];
    char *sql = NULL;
    OK(ladder_file_read(AT_FDCWD, TEST_FOLDER "/version1.sql", 1 << 20, &sql, NULL, &err));
    ck_assert(book_sql(book_path, sql));
    free(sql);
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        before[i] = book_ask(book_path, same[i]);
        ck_assert_msg(before[i] > 0, "%s", same[i]);
    }
    ladder_book *book = book_open();
    ck_assert_double_eq(book_final(book, "4711"), 40); // the override
    ck_assert_double_eq(book_final(book, "4712"), 33.25);
    book_policy(book, (ladder_book_policy){.counts = LADDER_COUNTS_LAST, .attempts = 1});
    book_close(book);
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        ck_assert_msg(book_ask(book_path, same[i]) == before[i], "%s", same[i]);
    ck_assert_int_eq(book_ask(book_path, "PRAGMA user_version"), 9);
    ck_assert_int_eq(book_ask(book_path, "SELECT count(*) FROM audit WHERE action = 'migrate'"
                                         " AND detail = 'version 1 to 9'"),
                     1);
    book_is_whole(book_path);
    book_close(book_open()); // once
    ck_assert_int_eq(book_ask(book_path, "SELECT count(*) FROM audit WHERE action = 'migrate'"), 1);
    // Version 7 had what being late costs as numbers.
    ck_assert(book_sql(book_path,
                       "ALTER TABLE assignments DROP COLUMN late;"
                       "ALTER TABLE assignments DROP COLUMN opens;"
                       "ALTER TABLE assignments DROP COLUMN closes; UPDATE assignments SET"
                       " due = 1795219140, late_rate = 0.125, late_most = 0.5, grace = 900;"
                       " PRAGMA user_version = 7;"));
    char text[LADDER_BOOK_POLICY];
    ladder_book_policy late;
    book = book_open();
    OK(ladder_book_policy_get(book, book_lab(), &late, &err));
    ck_assert_str_eq(ladder_book_policy_text(&late, text, sizeof text),
                     "last of 1 attempt; due 2026-11-20 23:59 UTC, 12.5 % per day, at most 50 %, "
                     "grace 15 minutes");
}

KL_TEST_MAIN("gradebook faults")
