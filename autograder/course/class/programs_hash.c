// SPDX-License-Identifier: MIT
// What a class is graded by: see run.h.
#include <fcntl.h>
#include <stdlib.h>

#include "course/class/run.h"
#include "utilities/files.h"
#include "utilities/sha256.h"
#include "ladder_config.h"

kl_status ladder_class_programs(const ladder_kit *kit, const ladder_lab *lab, char *out,
                                size_t out_bytes, kl_error *err) {
    enum { PROGRAM_MAX = 256 << 20, FILES = 4 };
    char paths[FILES][LADDER_PATH], text[LADDER_SHA256_TEXT];
    TRY(ladder_path(paths[0], err, "%s/autograder/ladder", kit->build));
    TRY(ladder_kit_engine(kit, paths[1], err));
    TRY(ladder_kit_runner(kit, paths[2], err));
    TRY(ladder_kit_adapter(kit, lab->folder, paths[3], err));
    ladder_sha256 hash;
    ladder_sha256_begin(&hash);
    for (int i = 0; i < FILES; i++) {
        char *program = NULL;
        size_t bytes = 0;
        TRY(ladder_file_read(AT_FDCWD, paths[i], PROGRAM_MAX, &program, &bytes, err));
        ladder_sha256_add(&hash, program, bytes);
        free(program);
    }
    ladder_sha256_end(&hash, text);
    snprintf(out, out_bytes, "%s %.16s", LADDER_VERSION, text);
    return KL_OK;
}
