// Memory of a process and of all its descendants: see bench.h.
#include "bench.h"
#include <dirent.h>

enum { PROCESSES_MAX = 4096 };

typedef struct row {
    pid_t process, parent;
    double bytes;
    bool counted;
} row;

// /proc/PID/stat, proc(5): the name in brackets may hold anything, so fields count from the last
// ')'.
static bool read_row(const char *name, row *out) {
    char path[64], text[1024];
    long pages = 0;
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%.20s/stat", name);
    FILE *in = fopen(path, "r");
    size_t bytes = in ? fread(text, 1, sizeof text - 1, in) : 0;
    if (in) fclose(in);
    text[bytes] = '\0';
    const char *rest = strrchr(text, ')');
    if (!rest ||
        sscanf(rest + 1,
               " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %*u "
               "%*u %ld",
               &parent, &pages) != 2)
        return false;
    *out = (row){(pid_t)atoi(name), parent, (double)pages * (double)sysconf(_SC_PAGESIZE), false};
    return true;
}

bench_memory bench_memory_of(pid_t process) {
    static row rows[PROCESSES_MAX];
    int count = 0;
    bench_memory memory = {0, 0};
    DIR *entries = opendir("/proc");
    for (struct dirent *e; entries && (e = readdir(entries));)
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && count < PROCESSES_MAX)
            count += read_row(e->d_name, &rows[count]);
    if (entries) closedir(entries);
    for (bool grown = true; grown;) { // a round for each generation
        grown = false;
        for (int i = 0; i < count; i++) {
            bool belongs = rows[i].process == process;
            for (int p = 0; p < count && !belongs; p++)
                belongs = rows[p].counted && rows[p].process == rows[i].parent;
            if (!belongs || rows[i].counted) continue;
            rows[i].counted = grown = true;
            memory.all_bytes += rows[i].bytes;
            if (rows[i].process == process) memory.own_bytes = rows[i].bytes;
        }
    }
    return memory;
}
