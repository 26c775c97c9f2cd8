// Writes a ZIP archive: see export.h. Records by APPNOTE.TXT 4.3.7, 4.3.12 and 4.3.16.
#include "course/export/export.h"

enum {
    LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END = 0x06054b50,
    NEEDS = 10,               // version 1.0: nothing but storing
    MADE_BY = 3 << 8 | NEEDS, // Unix, whose file modes stand in the external attributes
    FIRST_DAY = 1 << 5 | 1    // 1980-01-01
};

static uint32_t crc32(const char *data, size_t bytes) {
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= (unsigned char)data[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0xEDB88320u & (0u - (crc & 1)));
    }
    return ~crc;
}

static void put(FILE *out, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; i++) fputc((int)(value >> (8 * i) & 0xFF), out);
}

// What a file's own head and its row in the directory share.
static void put_common(FILE *out, const ladder_zip_file *file) {
    uint32_t bytes = (uint32_t)file->bytes;
    put(out, NEEDS, 2);
    put(out, 0, 2); // flags
    put(out, 0, 2); // stored
    put(out, 0, 2); // time
    put(out, FIRST_DAY, 2);
    put(out, crc32(file->data, bytes), 4);
    put(out, bytes, 4);
    put(out, bytes, 4);
    put(out, (uint32_t)strlen(file->name), 2);
    put(out, 0, 2); // extra field
}

enum { HEAD = 30, ROW = 46 }; // bytes of a file's head and row, without name and content

static void put_row(FILE *out, const ladder_zip_file *file, uint32_t start) {
    uint32_t mode = S_IFREG | (file->program ? 0755 : 0644);
    put(out, CENTRAL, 4);
    put(out, MADE_BY, 2);
    put_common(out, file);
    put(out, 0, 2); // comment
    put(out, 0, 2); // disk
    put(out, 0, 2); // internal attributes
    put(out, mode << 16, 4);
    put(out, start, 4);
    fputs(file->name, out);
}

kl_status ladder_zip_write(const ladder_zip_file *files, size_t count, FILE *out, kl_error *err) {
    uint64_t at = 0, directory = 0;
    for (size_t i = 0; i < count; i++) {
        at += HEAD + strlen(files[i].name) + files[i].bytes;
        directory += ROW + strlen(files[i].name);
    }
    if (count > LADDER_ZIP_FILES || at + directory > UINT32_MAX)
        return kl_fail(err, KL_ERROR_LIMIT, "an archive of %zu files is too large", count);
    for (size_t i = 0; i < count; i++) {
        put(out, LOCAL, 4);
        put_common(out, &files[i]);
        fputs(files[i].name, out);
        fwrite(files[i].data, 1, files[i].bytes, out);
    }
    uint64_t start = 0;
    for (size_t i = 0; i < count; i++) {
        put_row(out, &files[i], (uint32_t)start);
        start += HEAD + strlen(files[i].name) + files[i].bytes;
    }
    put(out, END, 4);
    put(out, 0, 4); // disks
    put(out, (uint32_t)count, 2);
    put(out, (uint32_t)count, 2);
    put(out, (uint32_t)directory, 4);
    put(out, (uint32_t)at, 4);
    put(out, 0, 2); // comment
    return KL_OK;
}
