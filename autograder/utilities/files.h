// Files as the grader needs them: bounded reads that follow no link, writes that appear whole or
// not at all (kl_file_put of atomic_file.h), removal of a tree that follows no link either.
#pragma once

#include "atomic_file.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- files.c ------------------------------------------------------------------------------------

enum { LADDER_PATH = 4096 };

// Formats a path into out: [LADDER_PATH]. KL_ERROR_LIMIT when it does not fit.
kl_status ladder_path(char *out, kl_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Reads a regular file of at most `limit` bytes, relative to `folder_fd` (AT_FDCWD: as usual). A
// symbolic link, FIFO, device or folder is refused without being opened for long. The result is
// terminated; caller frees.
kl_status ladder_file_read(int folder_fd, const char *name, size_t limit, char **out_text,
                           size_t *out_bytes, kl_error *err);

// Makes or replaces a file. KL_ERROR_SYSTEM names it.
kl_status ladder_file_write(const char *path, const void *data, size_t bytes, kl_error *err);

// The same for one of many files, or of a temporary folder: does not wait until it is on the disk.
kl_status ladder_file_make(const char *path, const void *data, size_t bytes, kl_error *err);

// Whether what was opened is still the file or folder of this name.
bool ladder_file_is_named(int fd, const char *path);

// Copies a regular file of at most `limit` bytes.
kl_status ladder_file_copy(const char *from, const char *to, size_t limit, kl_error *err);

// Makes a folder and those above it.
kl_status ladder_folder_make(const char *path, kl_error *err);
// folder_temporary.c: makes a private folder with a fresh name under $TMPDIR or /tmp; out:
// [LADDER_PATH]. It is this process's as long as it lives; those of processes that were killed are
// removed first.
kl_status ladder_folder_temporary(char *out, kl_error *err);
// folder_temporary.c: removes a folder and all in it, however deep, with two descriptors. Best
// effort; never leaves the folder, never follows a link.
void ladder_folder_remove(const char *path);
// The same of what lies in an open folder, which itself stays.
void ladder_folder_empty(int folder_fd);

// Whether there is something of this name, a folder too.
bool ladder_file_exists(const char *path);

// ---- locks --------------------------------------------------------------------------------------
// One process at a time writes somewhere. The lock is a file that names host, process and start of
// the one that has it, and is there only as long.

// A lock that is held.
typedef struct ladder_lock {
    int fd;                 // open as long as it is held
    char path[LADDER_PATH]; // "": nothing was taken
} ladder_lock;

// What is said of who has it: "process 12 on host WHAT since ..: what to do".
typedef struct ladder_lock_words {
    const char *what; // "grades into results"
    const char *cure; // "let it end"
} ladder_lock_words;

// KL_ERROR_SYSTEM names the process that has the lock, after wait_s, where it is alive, or on
// another machine, of which nothing is known. One that has died is told to notes, and its place is
// taken. Where the file cannot be made there is no lock.
kl_status ladder_lock_take(const char *path, const ladder_lock_words *words, double wait_s,
                           FILE *notes, ladder_lock *out_lock, kl_error *err);
// The same of a folder, without waiting; "WHAT FOLDER", such as "writes pages into". option: of the
// command, that names another folder, or "".
#define LADDER_LOCK_FILE ".ladder-lock"
kl_status ladder_lock_folder(const char *folder, const char *what, const char *option,
                             ladder_lock *out_lock, kl_error *err);
void ladder_lock_release(ladder_lock *lock);

// For a lock that is held by other means (flock): names this process in its file; "process 12 on
// host since .." of the one named there, or ""; says to notes that one named there has died.
bool ladder_lock_sign(int fd);
char *ladder_lock_holder(int fd, char *text, size_t text_bytes);
void ladder_lock_tell_dead(int fd, const char *what, FILE *notes);

// ---- elf_file.c ---------------------------------------------------------------------------------
// What the grader needs to know of an ELF file (System V ABI, x86-64): the symbols it imports and
// defines, the libraries it asks for, whether it holds a section. The file may be hostile: every
// offset and count is checked against its size, and nothing of it is executed or mapped writable.

enum {
    LADDER_ELF_MAX_BYTES = 256 << 20,
    LADDER_ELF_MAX_NAMES = 1 << 16 // symbols looked at in one file
};

// What was read of a file.
typedef struct ladder_elf {
    unsigned char *bytes;             // the file; all names below point into it
    size_t size;                      // of bytes
    const char **undefined;           // imported symbols, without their version
    size_t undefined_count;           // of undefined
    const char **defined;             // global symbols that it defines
    size_t defined_count;             // of defined
    const char **needed;              // DT_NEEDED of a program or shared object
    size_t needed_count;              // of needed
    bool has_device_code;             // a section .nv_fatbin
    const unsigned char *device_code; // that section; NULL without one
    size_t device_code_bytes;         // of device_code
} ladder_elf;

// KL_ERROR_INPUT when the file is not a 64-bit little-endian ELF file or is damaged, KL_ERROR_LIMIT
// when it is too large.
kl_status ladder_elf_read(const char *path, ladder_elf *out_elf, kl_error *err);
void ladder_elf_free(ladder_elf *elf);

// True when it asks for a shared library whose name starts like this, e.g. "libcudart.so".
bool ladder_elf_needs(const ladder_elf *elf, const char *library);

// Whether it has a global symbol of this name.
bool ladder_elf_defines(const ladder_elf *elf, const char *symbol);
