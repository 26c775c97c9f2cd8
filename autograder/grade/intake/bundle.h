// What `ladder-unpack` hands to the judge: the wanted files of an archive as one plain stream of
// entries. The judge takes none of it on trust (archive.c).
#pragma once

#include <stdint.h>

enum {
    LADDER_BUNDLE_ARCHIVE_FD = 3, // of `ladder-unpack`: the archive
    LADDER_BUNDLE_FD = 4,         // and where the bundle goes
    LADDER_BUNDLE_NAME = 4096     // bytes of a name or text at most
};

typedef enum ladder_bundle_kind {
    LADDER_BUNDLE_FILE = 1, // name: its path in the archive; the file's bytes follow
    LADDER_BUNDLE_LEFT,     // name: of an entry that was left out, as it is no file
    LADDER_BUNDLE_LINK,     // the same, of a link
    LADDER_BUNDLE_OTHER,    // name: of a file that is not wanted; none of its bytes follow
    LADDER_BUNDLE_END       // the last one. name: what is wrong with the archive; "": nothing
} ladder_bundle_kind;

// Before each entry; the name (without a terminator) and the bytes come behind it.
typedef struct ladder_bundle_head {
    uint32_t kind, name_bytes;
    uint64_t bytes;
} ladder_bundle_head;
