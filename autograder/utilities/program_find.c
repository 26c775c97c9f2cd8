// SPDX-License-Identifier: MIT
// Finding a program that the simulator can run: see program_args.h.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utilities/elf_file.h"
#include "utilities/files.h"
#include "utilities/program_args.h"

// Finds a program as a shell does.
static kl_status find_in_path(const char *word, char *out, kl_error *err) {
    if (strchr(word, '/')) {
        TRY(ladder_path(out, err, "%s", word));
        if (access(out, X_OK) == 0) return KL_OK;
        return kl_fail(err, KL_ERROR_INPUT, "%s: %s", word, strerror(errno));
    }
    const char *path = getenv("PATH");
    for (const char *part = path; part && *part != '\0';) {
        size_t length = strcspn(part, ":");
        if (ladder_path(out, err, "%.*s/%s", (int)length, part, word) == KL_OK &&
            ladder_file_exists(out))
            return KL_OK;
        part += length + (part[length] == ':');
    }
    return kl_fail(err, KL_ERROR_INPUT,
                   "there is no program '%s' in PATH; for one in this folder "
                   "write ./%s",
                   word, word);
}

// The simulator can only take the place of a runtime that the program loads.
static kl_status check_linkage(const char *program, kl_error *err) {
    ladder_elf elf;
    kl_error ignored = {KL_OK, ""};
    if (ladder_elf_read(program, &elf, &ignored) != KL_OK) return KL_OK; // a script, say
    bool shared = ladder_elf_needs(&elf, "libcudart.so");
    bool is_static = elf.has_device_code && !shared;
    ladder_elf_free(&elf);
    if (!is_static) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   "%s holds kernels but is linked with the static CUDA runtime, nvcc's default; "
                   "link it with: nvcc -cudart shared -lineinfo",
                   program);
}

kl_status ladder_program_find(const char *word, char *out, kl_error *err) {
    TRY(find_in_path(word, out, err));
    return check_linkage(out, err);
}
