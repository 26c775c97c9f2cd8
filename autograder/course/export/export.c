// The table of formats: see export.h.
#include "course/export/export.h"

typedef struct format_row {
    const char *name, *file;
    bool says_ungradable;
    kl_status (*one)(const ladder_report *report, FILE *out, kl_error *err);
    kl_status (*table)(const ladder_export_table *table, FILE *out, kl_error *err);
} format_row;

static const format_row formats[] = {
#define LADDER_EXPORT_ONE(name, function, file, says_ungradable, what)                             \
    {#name, file, says_ungradable, function, NULL},
#define LADDER_EXPORT_TABLE(name, function, file, what) {#name, file, true, NULL, function},
#include "course/export/formats.def"
};

const char *ladder_export_name(ladder_export_format format) { return formats[format].name; }

const char *ladder_export_file(ladder_export_format format) { return formats[format].file; }

bool ladder_export_is_table(ladder_export_format format) { return formats[format].table; }

const char *ladder_export_names(void) {
    return
#define LADDER_EXPORT_ONE(name, function, file, says_ungradable, what) ", " #name
#define LADDER_EXPORT_TABLE(name, function, file, what)                ", " #name
#include "course/export/formats.def"
        +2; // without the first comma
}

const char *ladder_export_tables(void) {
    return
#define LADDER_EXPORT_TABLE(name, function, file, what) ", " #name
#include "course/export/formats.def"
        +2;
}

kl_status ladder_export_parse(const char *text, ladder_export_format *out_format,
                              const char **out_file, kl_error *err) {
    size_t length = strcspn(text, "=");
    *out_file = text[length] == '=' ? text + length + 1 : NULL;
    if (*out_file && **out_file == '\0')
        return kl_fail(err, KL_ERROR_USAGE, "--export %s names no file", text);
    for (int i = 0; i < LADDER_EXPORTS; i++) {
        if (strlen(formats[i].name) != length || strncmp(formats[i].name, text, length) != 0)
            continue;
        *out_format = (ladder_export_format)i;
        return KL_OK;
    }
    char plain[80];
    ladder_plain(text, false, plain, sizeof plain);
    return kl_fail(err, KL_ERROR_USAGE, "--export is one of %s, not '%.*s'", ladder_export_names(),
                   (int)strcspn(plain, "="), plain);
}

bool ladder_export_fits(ladder_export_format format, const ladder_result *result) {
    return result->points.graded || formats[format].says_ungradable;
}

kl_status ladder_export_write(ladder_export_format format, const ladder_report *report, FILE *out,
                              kl_error *err) {
    if (!ladder_export_fits(format, report->result)) {
        return kl_fail(err, KL_ERROR_SYSTEM,
                       "%s has no form for a submission that could not be graded but a 0: nothing "
                       "is written; grade it again",
                       formats[format].name);
    }
    return formats[format].one(report, out, err);
}

kl_status ladder_export_write_table(ladder_export_format format, const ladder_export_table *table,
                                    FILE *out, kl_error *err) {
    return formats[format].table(table, out, err);
}
