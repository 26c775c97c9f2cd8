// Using up the machine from in the sandbox.
#include "../in_sandbox.h"

static bool plain(const attack_setup *setup, const char *try) {
    return in_sandbox_run(setup, try, &(in_sandbox){.fd = 0});
}

// attack: Forks without end.
// stopped by: SANDBOX_TASKS, SANDBOX_CGROUP
// expect: fork fails at the limit
// gains: it has as many processes as it wants
ATTACK(forks_without_end) { return plain(setup, "forks_without_end"); }

// attack: Starts threads without end.
// stopped by: SANDBOX_TASKS, SANDBOX_CGROUP
// expect: no more threads at the limit
// gains: it has as many threads as it wants
ATTACK(starts_threads_without_end) { return plain(setup, "starts_threads_without_end"); }

// attack: Fills memory by many processes, each of which keeps to the limit of one.
// stopped by: SANDBOX_MEMORY, SANDBOX_CGROUP, MEMORY_SUM
// expect: it is ended when all together are above the limit
// gains: it has three times the memory
ATTACK(fills_memory_by_many) { return plain(setup, "fills_memory_by_many"); }

// attack: Fills memory that is shared, which limits of data do not count.
// stopped by: SANDBOX_MEMORY, SANDBOX_CGROUP, MEMORY_SUM
// expect: it is ended at the limit
// gains: it has three times the memory
ATTACK(fills_shared_memory) { return plain(setup, "fills_shared_memory"); }

// attack: Fills a file in memory, which is no process's own memory.
// stopped by: SANDBOX_FILTER, SANDBOX_CGROUP
// expect: there are no such files for a step
// gains: it has three times the memory
ATTACK(fills_memory_files) { return plain(setup, "fills_memory_files"); }

// attack: Fills the disk.
// stopped by: SANDBOX_FILES
// expect: its folder is full at the limit
// gains: four times the limit lies on the disk
ATTACK(writes_much) { return plain(setup, "writes_much"); }

// attack: Uses up the files that a file system can have.
// stopped by: SANDBOX_FILES
// expect: no more files at the limit
// gains: it has ten times as many files
ATTACK(writes_many_files) { return plain(setup, "writes_many_files"); }

// attack: Makes folders in folders, deeper than a path can name.
// stopped by: SANDBOX_FILES
// expect: no more folders at the limit of files
// gains: the folders lie on the disk
ATTACK(digs_deep) { return plain(setup, "digs_deep"); }

// attack: Hands back a file of a terabyte that holds nothing.
// stopped by: SANDBOX_FILES, SANDBOX_OWN_USER
// expect: what comes back ends at the limit of its folder
// gains: a file of a terabyte lies on the disk
ATTACK(writes_sparse) {
    char folder[LADDER_PATH], path[LADDER_PATH + 8];
    struct stat info = {.st_size = 0};
    in_sandbox_run(setup, "writes_sparse", &(in_sandbox){.output = "out"});
    in_sandbox_folder(setup, folder);
    snprintf(path, sizeof path, "%s/out", folder);
    return stat(path, &info) == 0 && info.st_size > IN_SANDBOX_BYTES;
}
