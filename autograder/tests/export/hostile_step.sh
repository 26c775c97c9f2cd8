#!/bin/sh
# hostile_step.sh FOLDER TEXT SYMBOL: prints a step 1 of the reduction that reads every file below FOLDER by system calls of its
# own, which no audit of imports sees, and tells which hold TEXT (a line of a solution's source) or are binaries with SYMBOL. Both
# stand in it in disguise, so that it does not find itself.
disguised() {
    printf '%s' "$1" | od -An -v -tu1 | tr -s ' \n' '\n\n' | awk 'NF { printf "%d, ", ($1 + 1) % 256 }'
}
cat <<EOF
#include "reduction.h"

static const char root[] = "$1";
static const unsigned char texts[2][400] = {{$(disguised "$2")}, {$(disguised "$3")}};
EOF
cat <<'EOF'
static char wanted[2][400], block[8 << 20];
static int files;

static long call(long number, long a, long b, long c) {
    long result;
    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c)
                 : "rcx", "r11", "memory");
    return result;
}

static int length(const char *text) {
    int n = 0;
    while (text[n]) n++;
    return n;
}

static void say(const char *what, const char *path) {
    call(1, 1, (long)what, length(what));
    call(1, 1, (long)path, length(path));
    call(1, 1, (long)"\n", 1);
}

static int holds(long bytes, const char *text) {
    int n = length(text);
    for (long i = 0; i + n <= bytes; i++) {
        int k = 0;
        while (k < n && block[i + k] == text[k]) k++;
        if (k == n) return 1;
    }
    return 0;
}

static void read_file(const char *path) {
    long fd = call(2, (long)path, 0, 0), bytes = 0, got;
    if (fd < 0) return;
    while (bytes < (long)sizeof block &&
           (got = call(0, fd, (long)(block + bytes), (long)sizeof block - bytes)) > 0)
        bytes += got;
    call(3, fd, 0, 0);
    files++;
    bool binary = bytes > 4 && block[0] == 127 && block[1] == 'E';
    if (holds(bytes, wanted[binary])) say(binary ? "FOUND binary " : "FOUND source ", path);
}

static void walk(char *path, int used) {
    char entries[4096];
    long fd = call(2, (long)path, 0200000, 0); // O_DIRECTORY: no link is followed, no file opened
    if (fd < 0) return;
    for (long got; (got = call(217, fd, (long)entries, sizeof entries)) > 0;)
        for (long at = 0; at < got; at += *(unsigned short *)(entries + at + 16)) {
            const char *name = entries + at + 19;
            int type = entries[at + 18], n = length(name);
            if ((name[0] == '.' && (n == 1 || name[1] == '.')) || used + n + 2 > 4000) continue;
            path[used] = '/';
            for (int i = 0; i <= n; i++) path[used + 1 + i] = name[i];
            if (type == 4) walk(path, used + 1 + n);
            if (type == 8) read_file(path);
            path[used] = 0;
        }
    call(3, fd, 0, 0);
}

extern "C" int reduction_step1(const float *, int64_t, reduction_op, float *, void *, size_t) {
    static char path[4096];
    static bool done;
    if (done) return 0;
    done = true;
    for (int t = 0; t < 2; t++)
        for (int i = 0; texts[t][i]; i++) wanted[t][i] = (char)(texts[t][i] - 1);
    for (int i = 0; root[i]; i++) path[i] = root[i];
    walk(path, length(path));
    say("LOOKED AT ", files > 100 ? "many files" : files > 0 ? "some files" : "no file");
    return 0;
}
EOF
