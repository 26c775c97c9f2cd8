// SPDX-License-Identifier: MIT
// Places in the program's code: see internal.h.
#include "runtime/state/internal.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

// How many files have been closed, of dl_iterate_phdr.
static int count_closed(struct dl_phdr_info *file, size_t bytes, void *out_count) {
    (void)bytes;
    *(unsigned long long *)out_count = file->dlpi_subs;
    return 1;
}

// As dladdr(), which goes through all the symbols of a file: a program makes most of its calls from
// few places.
static bool find_file(const void *code, Dl_info *out_info) {
    enum { SETS = 32, WAYS = 4 };
    typedef struct place {
        const void *code;
        Dl_info info;
    } place;
    static __thread place known[SETS][WAYS];
    static __thread unsigned next;
    static __thread unsigned long long known_closed;
    unsigned long long closed = 0;
    dl_iterate_phdr(count_closed, &closed);
    if (closed != known_closed) memset(known, 0, sizeof known);
    known_closed = closed;
    uint64_t spread = (uint64_t)(uintptr_t)code * UINT64_C(0x9E3779B97F4A7C15);
    place *set = known[(spread >> 32) % SETS], *found = set;
    while (found < set + WAYS && found->code != code) found++;
    if (!code || found == set + WAYS) {
        if (!dladdr(code, out_info)) return false;
        found = &set[next++ % WAYS];
        *found = (place){code, *out_info};
    }
    *out_info = found->info;
    return true;
}

// The address as the file's own tables have it: those of a file that lies where it was linked to
// are not relative to its beginning.
static uint64_t address_in_file(const Dl_info *file, uint64_t code) {
    const Elf64_Ehdr *head = file->dli_fbase;
    return head->e_type == ET_EXEC ? code : code - (uint64_t)(uintptr_t)file->dli_fbase;
}

bool runtime_code_place(uint64_t code, char *text, size_t bytes) {
    Dl_info info;
    if (!find_file((void *)(uintptr_t)code, &info) || !info.dli_fname) return false;
    snprintf(text, bytes, "%s+0x%llx%s%s", info.dli_fname,
             (unsigned long long)address_in_file(&info, code), info.dli_sname ? " in " : "",
             info.dli_sname ? info.dli_sname : "");
    return true;
}

int runtime_program_frames(void **frames, int most) {
    Dl_info own, info;
    int count = backtrace(frames, most), first = 0;
    if (!find_file((void *)(uintptr_t)runtime_caller_place, &own)) return 0;
    while (first < count && (!find_file(frames[first], &info) || info.dli_fbase == own.dli_fbase))
        first++;
    memmove(frames, frames + first, (size_t)(count - first) * sizeof *frames);
    return count - first;
}

bool runtime_caller_place(char *text, size_t bytes) {
    void *frames[RUNTIME_FRAMES];
    return runtime_program_frames(frames, RUNTIME_FRAMES) > 0 &&
           runtime_code_place((uint64_t)(uintptr_t)frames[0] - 1, text, bytes);
}

void runtime_caller_places(char *text, size_t bytes) {
    enum { PLACES = 4 };
    void *frames[RUNTIME_FRAMES];
    int count = runtime_program_frames(frames, RUNTIME_FRAMES);
    runtime_frames_text(frames, count < PLACES ? count : PLACES, text, bytes);
}

void runtime_frames_text(void *const *frames, int count, char *text, size_t bytes) {
    Dl_info first, info;
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        size_t used = strlen(text);
        if (!find_file(frames[i], i == 0 ? &first : &info) || !first.dli_fname) return;
        if (i > 0 && info.dli_fbase != first.dli_fbase) return;
        snprintf(text + used, bytes - used, "%s%s0x%llx", i == 0 ? first.dli_fname : " ",
                 i == 0 ? "+" : "",
                 (unsigned long long)address_in_file(&first, (uint64_t)(uintptr_t)frames[i] - 1));
    }
}

// Code that accesses memory for the program: of this library, the C and C++ libraries, the loader.
static bool is_helper(const void *code) {
    static const char *const names[] = {"libc.", "libm.", "libstdc++.", "libgcc_s.", "ld-linux"};
    Dl_info own, info;
    if (!find_file(code, &info) || !info.dli_fname) return false;
    if (find_file((void *)(uintptr_t)is_helper, &own) && own.dli_fbase == info.dli_fbase)
        return true;
    const char *slash = strrchr(info.dli_fname, '/'), *name = slash ? slash + 1 : info.dli_fname;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0) return true;
    return false;
}

int runtime_interrupted_frames(void *code, void **frames, int most) {
    void *all[RUNTIME_FRAMES];
    int count = backtrace(all, RUNTIME_FRAMES), first = 0, used = 0;
    while (first < count && all[first] != code) first++;
    if (first == count) first = count = 0;
    if (count == 0) count = 1;
    all[first] = (char *)code + 1; // as behind a call
    int own = first;
    while (own + 1 < count && is_helper((char *)all[own] - 1)) own++;
    if (is_helper((char *)all[own] - 1)) own = first;
    while (used < most && own < count) frames[used++] = all[own++];
    return used;
}
