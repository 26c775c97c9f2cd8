// SPDX-License-Identifier: MIT
// Places in the program's code: see caller.h.
#include "runtime/state/caller.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <stdio.h>

// The address as the file's own tables have it: those of a file that lies where it was linked to
// are not relative to its beginning.
static uint64_t address_in_file(const Dl_info *file, uint64_t code) {
    const Elf64_Ehdr *head = file->dli_fbase;
    return head->e_type == ET_EXEC ? code : code - (uint64_t)(uintptr_t)file->dli_fbase;
}

bool runtime_code_place(uint64_t code, char *text, size_t bytes) {
    Dl_info info;
    if (!dladdr((void *)(uintptr_t)code, &info) || !info.dli_fname) return false;
    snprintf(text, bytes, "%s+0x%llx%s%s", info.dli_fname,
             (unsigned long long)address_in_file(&info, code), info.dli_sname ? " in " : "",
             info.dli_sname ? info.dli_sname : "");
    return true;
}

bool runtime_caller_place(char *text, size_t bytes) {
    enum { FRAMES = 16 };
    void *frames[FRAMES];
    Dl_info own, info;
    int count = backtrace(frames, FRAMES);
    if (!dladdr((void *)(uintptr_t)runtime_caller_place, &own)) return false;
    for (int i = 0; i < count; i++) {
        if (!dladdr(frames[i], &info) || info.dli_fbase == own.dli_fbase) continue;
        // One byte before the return address lies the call itself.
        return runtime_code_place((uint64_t)(uintptr_t)frames[i] - 1, text, bytes);
    }
    return false;
}
