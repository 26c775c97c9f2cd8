// SPDX-License-Identifier: MIT
// Using up the machine from behind the wall.
#include <sys/stat.h>

#include "../behind_wall.h"

static bool plain(const attack_room *room, const char *try) {
    return behind_wall_run(room, try, &(behind_wall){.fd = 0});
}

// attack: Forks without end.
// stopped by: WALL_TASKS, WALL_CGROUP
// expect: fork fails at the limit
// gains: it has as many processes as it wants
ATTACK(forks_without_end) {
    return plain(room, "forks_without_end");
}

// attack: Starts threads without end.
// stopped by: WALL_TASKS, WALL_CGROUP
// expect: no more threads at the limit
// gains: it has as many threads as it wants
ATTACK(starts_threads_without_end) {
    return plain(room, "starts_threads_without_end");
}

// attack: Fills memory by many processes, each of which keeps to the limit of one.
// stopped by: WALL_MEMORY, WALL_CGROUP
// expect: it is ended when all together are above the limit
// gains: it has three times the memory
ATTACK(fills_memory_by_many) {
    return plain(room, "fills_memory_by_many");
}

// attack: Fills memory that is shared, which limits of data do not count.
// stopped by: WALL_MEMORY, WALL_CGROUP
// expect: it is ended at the limit
// gains: it has three times the memory
ATTACK(fills_shared_memory) {
    return plain(room, "fills_shared_memory");
}

// attack: Fills a file in memory, which is no process's own memory.
// stopped by: WALL_FILTER, WALL_CGROUP
// expect: there are no such files for a step
// gains: it has three times the memory
ATTACK(fills_memory_files) {
    return plain(room, "fills_memory_files");
}

// attack: Fills the disk.
// stopped by: WALL_FILES
// expect: its folder is full at the limit
// gains: four times the limit lies on the disk
ATTACK(writes_much) {
    return plain(room, "writes_much");
}

// attack: Uses up the files that a file system can have.
// stopped by: WALL_FILES
// expect: no more files at the limit
// gains: it has ten times as many files
ATTACK(writes_many_files) {
    return plain(room, "writes_many_files");
}

// attack: Makes folders in folders, deeper than a path can name.
// stopped by: WALL_FILES
// expect: no more folders at the limit of files
// gains: the folders lie on the disk
ATTACK(digs_deep) {
    return plain(room, "digs_deep");
}

// attack: Hands back a file of a terabyte that holds nothing.
// stopped by: WALL_FILES, WALL_OWN_USER
// expect: what comes back ends at the limit of its folder
// gains: a file of a terabyte lies on the disk
ATTACK(writes_sparse) {
    char folder[LADDER_PATH], path[LADDER_PATH + 8];
    struct stat info = {.st_size = 0};
    behind_wall_run(room, "writes_sparse", &(behind_wall){.output = "out"});
    behind_wall_folder(room, folder);
    snprintf(path, sizeof path, "%s/out", folder);
    return stat(path, &info) == 0 && info.st_size > BEHIND_WALL_BYTES;
}
