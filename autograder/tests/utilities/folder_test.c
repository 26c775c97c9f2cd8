// SPDX-License-Identifier: MIT
// Removal of folders that were made to be hard to remove: deeper than any path, more folders deep
// than descriptors, without rights, with links that lead out.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "utilities/files.h"
#include "suite.h"

static kl_error err;
static char top[LADDER_PATH];

static void make_top(void) {
    ck_assert_msg(ladder_folder_temporary(top, &err) == KL_OK, "%s", err.text);
}

static void expect_gone(void) {
    ladder_folder_remove(top);
    ck_assert(!ladder_file_exists(top));
}

// A chain of folders below `fd`, which is closed.
static void make_chain(int fd, int depth) {
    for (int i = 0; i < depth; i++) {
        ck_assert_int_eq(mkdirat(fd, "a folder with a name of some length", 0755), 0);
        int inner = openat(fd, "a folder with a name of some length", O_RDONLY | O_DIRECTORY);
        ck_assert_int_ge(inner, 0);
        close(fd);
        fd = inner;
        close(openat(fd, "file", O_WRONLY | O_CREAT, 0644));
    }
    close(fd);
}

START_TEST(a_tree_deeper_than_any_path_is_removed) {
    struct rlimit few = {64, 64}; // descriptors
    make_top();
    make_chain(open(top, O_RDONLY | O_DIRECTORY), 1000);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    expect_gone();
}
END_TEST

START_TEST(folders_without_rights_are_removed) {
    char path[LADDER_PATH + 32];
    make_top();
    snprintf(path, sizeof path, "%s/closed/inner", top);
    ck_assert_msg(ladder_folder_make(path, &err) == KL_OK, "%s", err.text);
    ck_assert_int_eq(chmod(path, 0), 0);
    snprintf(path, sizeof path, "%s/closed", top);
    ck_assert_int_eq(chmod(path, 0), 0);
    expect_gone();
}
END_TEST

START_TEST(links_are_removed_and_not_followed) {
    char kept[LADDER_PATH], file[LADDER_PATH + 8], link[LADDER_PATH + 32];
    ck_assert_msg(ladder_folder_temporary(kept, &err) == KL_OK, "%s", err.text);
    snprintf(file, sizeof file, "%s/file", kept);
    ck_assert_msg(ladder_file_write(file, "x", 1, &err) == KL_OK, "%s", err.text);
    make_top();
    snprintf(link, sizeof link, "%s/link", top);
    ck_assert_int_eq(symlink(kept, link), 0);
    snprintf(link, sizeof link, "%s/.removed-0", top); // a name that the removal takes itself
    ck_assert_int_eq(symlink(kept, link), 0);
    make_chain(open(top, O_RDONLY | O_DIRECTORY), 3);
    expect_gone();
    ck_assert(ladder_file_exists(file));
    ladder_folder_remove(kept);
    snprintf(link, sizeof link, "%s-link", kept); // a link in place of the folder itself
    ck_assert_int_eq(symlink("/", link), 0);
    ladder_folder_remove(link);
    ck_assert(ladder_file_exists("/usr"));
    unlink(link);
}
END_TEST

START_TEST(wide_trees_with_names_that_clash_are_removed) {
    char path[LADDER_PATH + 64];
    make_top();
    for (int i = 0; i < 40; i++) {
        snprintf(path, sizeof path, "%s/.removed-%d/%d/.removed-%d/x", top, i, i, 39 - i);
        ck_assert_msg(ladder_folder_make(path, &err) == KL_OK, "%s", err.text);
    }
    expect_gone();
}
END_TEST

KL_TEST_MAIN("folder", a_tree_deeper_than_any_path_is_removed, folders_without_rights_are_removed,
             links_are_removed_and_not_followed, wide_trees_with_names_that_clash_are_removed)
