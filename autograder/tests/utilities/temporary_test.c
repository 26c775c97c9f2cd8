// SPDX-License-Identifier: MIT
// Private folders of processes that are killed: the next process removes them, and nothing else.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "utilities/files.h"
#include "suite.h"

static kl_error err;
static char top[LADDER_PATH];

// A process that has a private folder with a file in it.
typedef struct owner {
    pid_t pid;
    char folder[LADDER_PATH], file[LADDER_PATH];
} owner;

static void make_top(void) {
    ck_assert_msg(ladder_folder_temporary(top, &err) == KL_OK, "%s", err.text);
    ck_assert_int_eq(setenv("TMPDIR", top, 1), 0);
}

static void fill_folder(owner *o) {
    char inner[LADDER_PATH];
    ck_assert(ladder_path(inner, &err, "%s/inner", o->folder) == KL_OK);
    ck_assert(ladder_path(o->file, &err, "%s/inner/file", o->folder) == KL_OK);
    ck_assert(ladder_folder_make(inner, &err) == KL_OK);
    ck_assert(ladder_file_write(o->file, "x", 1, &err) == KL_OK);
}

static void start(owner *o) {
    int ends[2];
    memset(o, 0, sizeof *o);
    ck_assert_int_eq(pipe(ends), 0);
    o->pid = fork();
    ck_assert_int_ge(o->pid, 0);
    if (o->pid == 0) {
        if (ladder_folder_temporary(o->folder, &err) != KL_OK) _exit(1);
        if (write(ends[1], o->folder, sizeof o->folder) != sizeof o->folder) _exit(1);
        for (;;) pause();
    }
    size_t used = 0;
    for (ssize_t got = 1; used < sizeof o->folder && got > 0; used += got > 0 ? (size_t)got : 0)
        got = read(ends[0], o->folder + used, sizeof o->folder - used);
    ck_assert_uint_eq(used, sizeof o->folder);
    close(ends[0]);
    close(ends[1]);
    fill_folder(o);
}

static void end(owner *o) {
    kill(o->pid, SIGKILL);
    ck_assert_int_eq(waitpid(o->pid, NULL, 0), o->pid);
}

static void make_another(void) {
    char folder[LADDER_PATH];
    ck_assert_msg(ladder_folder_temporary(folder, &err) == KL_OK, "%s", err.text);
    ladder_folder_remove(folder);
}

START_TEST(of_two_processes_the_killed_ones_folder_is_removed) {
    owner killed, living;
    make_top();
    start(&killed);
    start(&living);
    ck_assert(ladder_file_exists(killed.file)); // the second one did not take it
    end(&killed);
    make_another();
    ck_assert(!ladder_file_exists(killed.folder));
    ck_assert(ladder_file_exists(living.file));
    end(&living);
    make_another();
    ck_assert(!ladder_file_exists(living.folder));
    ladder_folder_remove(top);
}
END_TEST

// A class run's workers share what the process that was killed had made.
START_TEST(a_folder_lasts_as_long_as_any_process_that_shares_it) {
    owner o = {0};
    int ends[2];
    char byte;
    make_top();
    ck_assert_int_eq(pipe(ends), 0);
    pid_t first = fork();
    if (first == 0) {
        if (ladder_folder_temporary(o.folder, &err) != KL_OK) _exit(1);
        fill_folder(&o);
        pid_t second = fork();
        if (second == 0) {
            close(ends[1]);
            if (read(ends[0], &byte, 1) != 0) _exit(1); // until the test closes its end
            _exit(ladder_file_exists(o.file) ? 0 : 2);
        }
        close(ends[0]);
        close(ends[1]);
        int status = 0;
        make_another(); // a descriptor of one's own is no lock of somebody else's
        if (waitpid(second, &status, 0) != second) _exit(3);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 4);
    }
    close(ends[0]);
    make_another();
    close(ends[1]);
    int status = 0;
    ck_assert_int_eq(waitpid(first, &status, 0), first);
    ck_assert_int_eq(status, 0);
    make_another();
    ck_assert(ladder_file_exists(top));
    ladder_folder_remove(top);
}
END_TEST

// The same name, but something else: a link, a file, somebody else's folder, another machine's.
START_TEST(nothing_else_is_removed) {
    owner o;
    char kept[LADDER_PATH], path[LADDER_PATH], other[LADDER_PATH], *name;
    make_top();
    start(&o);
    name = strrchr(o.folder, '/') + 1;
    int prefix = (int)strlen(name) - 6;
    ck_assert(ladder_path(kept, &err, "%s/kept/file", top) == KL_OK);
    ck_assert(ladder_path(path, &err, "%s/kept", top) == KL_OK);
    ck_assert(ladder_folder_make(path, &err) == KL_OK);
    ck_assert(ladder_file_write(kept, "x", 1, &err) == KL_OK);
    char link[LADDER_PATH], plain[LADDER_PATH], foreign[LADDER_PATH];
    ck_assert(ladder_path(link, &err, "%s/%.*sLINKLI", top, prefix, name) == KL_OK);
    ck_assert(ladder_path(plain, &err, "%s/%.*sPLAINP", top, prefix, name) == KL_OK);
    ck_assert(ladder_path(foreign, &err, "%s/%.*sFOREIG", top, prefix, name) == KL_OK);
    ck_assert(ladder_path(other, &err, "%s/ladder-of-another-machine-XXXXXX", top) == KL_OK);
    ck_assert_int_eq(symlink(path, link), 0);
    ck_assert(ladder_file_write(plain, "x", 1, &err) == KL_OK);
    ck_assert(ladder_folder_make(foreign, &err) == KL_OK);
    ck_assert(ladder_folder_make(other, &err) == KL_OK);
    // What a submission puts into the folder that dies leads out of it.
    ck_assert(ladder_path(path, &err, "%s/out", o.folder) == KL_OK);
    ck_assert_int_eq(symlink("../kept", path), 0);
    bool root = geteuid() == 0 && chown(foreign, 12345, 12345) == 0;
    end(&o);
    make_another();
    ck_assert(!ladder_file_exists(o.folder));
    ck_assert(ladder_file_exists(kept));
    ck_assert(ladder_file_exists(link));
    ck_assert(ladder_file_exists(plain));
    ck_assert(ladder_file_exists(other));
    ck_assert(ladder_file_exists(foreign) == root); // as an ordinary user it is one's own, and dead
    ladder_folder_remove(top);
}
END_TEST

KL_TEST_MAIN("temporary", of_two_processes_the_killed_ones_folder_is_removed,
             a_folder_lasts_as_long_as_any_process_that_shares_it, nothing_else_is_removed)
