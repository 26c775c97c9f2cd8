// Reading and writing what is not the job's.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tries.h"

static const char note[] = "note-to-the-next-run";

bool try_reads(void) {
    char text[64];
    int fd = open(try_argument, O_RDONLY);
    return fd >= 0 && read(fd, text, sizeof text) > 0;
}

bool try_lists(void) {
    DIR *folder = opendir(try_argument);
    const struct dirent *item;
    while (folder && (item = readdir(folder)))
        if (strcmp(item->d_name, "secret-file") == 0 || strcmp(item->d_name, "block") == 0)
            return true;
    return false;
}

bool try_writes(void) {
    int fd = open(try_argument, O_WRONLY | O_CREAT, 0644);
    return fd >= 0 && write(fd, note, sizeof note) == (ssize_t)sizeof note;
}

bool try_overwrites(void) {
    int fd = open(try_argument, O_WRONLY | O_TRUNC);
    return fd >= 0 && write(fd, note, sizeof note) == (ssize_t)sizeof note;
}

bool try_finds_open_descriptor(void) {
    char text[64];
    for (int fd = 4; fd < 1024; fd++)
        if (read(fd, text, sizeof text) > 0) return true;
    return false;
}

bool try_plants_link(void) { return symlink(try_argument, "out") == 0; }

bool try_plants_pipe(void) { return mkfifo("out", 0644) == 0; }

bool try_plants_folder(void) { return mkdir("out", 0755) == 0; }

bool try_plants_set_user_id(void) {
    int fd = open("out", O_WRONLY | O_CREAT, 0755);
    return fd >= 0 && write(fd, note, sizeof note) > 0 && fchmod(fd, 04755) == 0;
}

bool try_leaves_note(void) {
    int fd = open("note", O_WRONLY | O_CREAT, 0644);
    return fd >= 0 && write(fd, note, sizeof note) > 0;
}

bool try_finds_note(void) {
    char text[sizeof note];
    int fd = open("note", O_RDONLY);
    return fd >= 0 && read(fd, text, sizeof text) == (ssize_t)sizeof text;
}
