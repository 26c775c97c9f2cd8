// Places in the program's code: see internal.h.
#include "runtime/state/internal.h"
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <link.h>
#include <unwind.h>

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

// ---- Calls that a program repeats ----

enum { PLACES = 4 }; // that a text has

// A call as it was seen before. What comes from the same call of the API through the same functions
// of this library, with the stack as deep and the same return addresses in it, has the same text.
typedef struct call_site {
    const void *frame, *path; // where the stack stood, and which line of this library asked
    char name[32];            // of the call, as far as it has room
    int count;                // of the return addresses; 0: none is known
    const void *const *slots[PLACES];
    const void *returns[PLACES];
    char text[256];
} call_site;

typedef struct slot_search {
    call_site *site;
    void *const *frames;
    int count, found;
} slot_search;

// The stack as _Unwind_Backtrace goes through it: on x86-64 each return address lies just below the
// stack of the function that it returns to. Where it does not, no call is known again.
static _Unwind_Reason_Code note_slot(struct _Unwind_Context *context, void *search) {
    slot_search *s = search;
    const void *const *slot = (const void *const *)(uintptr_t)_Unwind_GetCFA(context) - 1;
    if ((void *)(uintptr_t)_Unwind_GetIP(context) != s->frames[s->found]) return _URC_NO_REASON;
    if (*slot != s->frames[s->found]) return _URC_END_OF_STACK;
    s->site->slots[s->found] = slot;
    s->site->returns[s->found] = s->frames[s->found];
    s->found++;
    return s->found == s->count ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static void learn(call_site *site, void *const *frames, int count) {
    slot_search search = {site, frames, count, 0};
#ifdef __x86_64__
    if (count > 0) _Unwind_Backtrace(note_slot, &search);
#endif
    site->count = search.found == count ? count : 0;
}

static bool is_same_call(const call_site *site, const void *frame, const void *path,
                         const char *name) {
    if (site->count == 0 || site->frame != frame || site->path != path ||
        strncmp(site->name, name, sizeof site->name) != 0)
        return false;
    for (int i = 0; i < site->count; i++)
        if (*site->slots[i] != site->returns[i]) return false;
    return true;
}

void runtime_caller_places(const char *call, char *text, size_t bytes) {
    enum { SITES = 64 };
    static call_site known[SITES];
    static unsigned long long known_closed;
    void *frames[RUNTIME_FRAMES];
    const void *frame = __builtin_frame_address(0), *path = __builtin_return_address(0);
    unsigned long long closed = 0;
    dl_iterate_phdr(count_closed, &closed);
    if (closed != known_closed) memset(known, 0, sizeof known);
    known_closed = closed;
    uint64_t spread = (uint64_t)(uintptr_t)frame * UINT64_C(0x9E3779B97F4A7C15);
    for (const char *at = call; *at; at++) spread = spread * 31 + (unsigned char)*at;
    call_site *site = &known[(spread >> 24) % SITES];
    if (!is_same_call(site, frame, path, call)) {
        int count = runtime_program_frames(frames, RUNTIME_FRAMES);
        if (count > PLACES) count = PLACES;
        *site = (call_site){.frame = frame, .path = path};
        snprintf(site->name, sizeof site->name, "%s", call);
        runtime_frames_text(frames, count, site->text, sizeof site->text);
        if (strlen(call) < sizeof site->name) learn(site, frames, count);
    }
    size_t length = strnlen(site->text, bytes - 1);
    memcpy(text, site->text, length);
    text[length] = '\0';
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
