// SPDX-License-Identifier: MIT
// Writes a ZIP archive: see zip.h. Records by APPNOTE.TXT 4.3.7, 4.3.12 and 4.3.16.
#include "course/export/zip.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

enum {
    LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END = 0x06054b50,
    NEEDS = 10,               // version 1.0: nothing but storing
    MADE_BY = 3 << 8 | NEEDS, // Unix, whose file modes stand in the external attributes
    FIRST_DAY = 1 << 5 | 1    // 1980-01-01
};

static uint32_t crc32(const char *text, size_t bytes) {
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= (unsigned char)text[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0xEDB88320u & (0u - (crc & 1)));
    }
    return ~crc;
}

static void put(FILE *out, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; i++) fputc((int)(value >> (8 * i) & 0xFF), out);
}

// What a file's own head and its row in the directory share.
static void put_common(FILE *out, const ladder_zip_file *file) {
    uint32_t bytes = (uint32_t)strlen(file->text);
    put(out, NEEDS, 2);
    put(out, 0, 2); // flags
    put(out, 0, 2); // stored
    put(out, 0, 2); // time
    put(out, FIRST_DAY, 2);
    put(out, crc32(file->text, bytes), 4);
    put(out, bytes, 4);
    put(out, bytes, 4);
    put(out, (uint32_t)strlen(file->name), 2);
    put(out, 0, 2); // extra field
}

void ladder_zip_write(const ladder_zip_file *files, size_t count, FILE *out) {
    enum { HEAD = 30, ROW = 46 }; // bytes without name and content
    uint32_t starts[LADDER_ZIP_FILES], at = 0, directory = 0;
    for (size_t i = 0; i < count; i++) {
        starts[i] = at;
        put(out, LOCAL, 4);
        put_common(out, &files[i]);
        fputs(files[i].name, out);
        fputs(files[i].text, out);
        at += HEAD + (uint32_t)(strlen(files[i].name) + strlen(files[i].text));
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t mode = S_IFREG | (files[i].program ? 0755 : 0644);
        put(out, CENTRAL, 4);
        put(out, MADE_BY, 2);
        put_common(out, &files[i]);
        put(out, 0, 2); // comment
        put(out, 0, 2); // disk
        put(out, 0, 2); // internal attributes
        put(out, mode << 16, 4);
        put(out, starts[i], 4);
        fputs(files[i].name, out);
        directory += ROW + (uint32_t)strlen(files[i].name);
    }
    put(out, END, 4);
    put(out, 0, 4); // disks
    put(out, (uint32_t)count, 2);
    put(out, (uint32_t)count, 2);
    put(out, directory, 4);
    put(out, at, 4);
    put(out, 0, 2); // comment
}
