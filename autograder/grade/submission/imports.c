// The import audit: see submission.h and imports.def.
#include "grade/submission/submission.h"
#include <limits.h>

enum import_rule_kind { ALLOW, FORBID };

static const struct import_rule {
    const char *pattern;
    enum import_rule_kind kind;
    const char *reason;
} rules[] = {
#define LADDER_IMPORT(pattern, kind, reason) {pattern, kind, reason},
#include "grade/submission/imports.def"
#undef LADDER_IMPORT
};

static bool fits(const char *pattern, const char *symbol) {
    size_t length = strlen(pattern);
    if (length > 0 && pattern[length - 1] == '*') return strncmp(pattern, symbol, length - 1) == 0;
    return strcmp(pattern, symbol) == 0;
}

bool ladder_import_allowed(const char *symbol, const char *const *extra, size_t extra_count,
                           const char **out_reason) {
    for (size_t i = 0; i < extra_count; i++) {
        if (fits(extra[i], symbol)) {
            *out_reason = "allowed by the lab";
            return true;
        }
    }
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (fits(rules[i].pattern, symbol)) {
            *out_reason = rules[i].reason;
            return rules[i].kind == ALLOW;
        }
    }
    *out_reason = "not on the list of allowed functions";
    return false;
}

// Device code of a header-only library leaves its name space in the mangled kernel names and its
// folder in the PTX's .file lines, whichever compiler pass included it.
static bool holds_vendor_algorithm(const ladder_elf *object) {
    static const char *const marks[] = {"_ZN3cub", "_ZN6thrust", "/cub/", "/thrust/", "/cutlass/"};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (memmem(object->bytes, object->size, marks[i], strlen(marks[i]))) return true;
    return false;
}

kl_status ladder_import_audit(const ladder_elf *object, const char *const *extra,
                              size_t extra_count, kl_error *err) {
    enum { SHOWN = 3 };
    char list[KL_ERROR_TEXT - 160] = "";
    size_t used = 0;
    size_t forbidden = 0;
    for (size_t i = 0; i < object->undefined_count; i++) {
        const char *reason = "";
        if (ladder_import_allowed(object->undefined[i], extra, extra_count, &reason)) continue;
        forbidden++;
        if (forbidden > SHOWN) continue;
        char symbol[64];
        ladder_plain(object->undefined[i], false, symbol, sizeof symbol);
        int wrote = snprintf(list + used, sizeof list - used, "%s%s (%s)", used > 0 ? ", " : "",
                             symbol, reason);
        if (wrote > 0 && (size_t)wrote < sizeof list - used) used += (size_t)wrote;
    }
    if (forbidden == 0 && holds_vendor_algorithm(object)) {
        return kl_fail(
            err, KL_ERROR_INPUT,
            "the step holds code of the vendor's algorithms (CUB, Thrust), which are not allowed");
    }
    if (forbidden == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "the step calls what a step may not call: %s%s", list,
                   forbidden > SHOWN ? ", and more" : "");
}

static bool is_vendor_algorithm(const char *path) {
    static const char *const folders[] = {"/cub/", "/thrust/", "/cutlass/", "/cute/", "/nvbench/"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        if (strstr(path, folders[i])) return true;
    return false;
}

static bool lies_below(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

// Where a file lies that the compiler, which worked in `folder`, called `name`.
static bool resolve(const char *name, const char *folder, char out[PATH_MAX]) {
    char path[PATH_MAX];
    bool absolute = name[0] == '/';
    int length =
        snprintf(path, sizeof path, "%s%s%s", absolute ? "" : folder, absolute ? "" : "/", name);
    return length > 0 && (size_t)length < sizeof path && realpath(path, out);
}

static kl_status check_header(const char *name, const char *folder, const char *const *roots,
                              size_t root_count, kl_error *err) {
    char path[PATH_MAX], plain[160];
    ladder_plain(name, false, plain, sizeof plain);
    if (!resolve(name, folder, path))
        return kl_fail(err, KL_ERROR_INPUT, "the step includes %s, which is not there", plain);
    if (lies_below(path, folder)) return KL_OK; // the lab's own, and the step
    for (size_t i = 0; i < root_count; i++) {
        if (!lies_below(path, roots[i])) continue;
        if (!is_vendor_algorithm(path)) return KL_OK;
        return kl_fail(
            err, KL_ERROR_INPUT,
            "the step includes %s: the vendor's algorithms (CUB, Thrust) are not allowed", plain);
    }
    return kl_fail(err, KL_ERROR_INPUT,
                   "the step includes %s, which is neither the lab's header nor a system header",
                   plain);
}

kl_status ladder_include_audit(char *dependencies, const char *folder, const char *const *roots,
                               size_t root_count, kl_error *err) {
    char *text = strchr(dependencies, ':'); // "target : file file \<newline> file"
    if (!text) return KL_OK;
    text++;
    while (*text != '\0') {
        text += strspn(text, " \t\r\n\\");
        char name[PATH_MAX];
        size_t used = 0;
        while (*text != '\0' && !strchr(" \t\r\n", *text) && used + 1 < sizeof name) {
            if (*text == '\\' && text[1] == ' ') text++; // an escaped space belongs to the name
            name[used++] = *text++;
        }
        name[used] = '\0';
        if (used == 0) break;
        TRY(check_header(name, folder, roots, root_count, err));
    }
    return KL_OK;
}

kl_status ladder_message_audit(const char *log, const char *folder, const char *const *roots,
                               size_t root_count, kl_error *err) {
    static const char from[] = "In file included from ";
    kl_error ignored = {KL_OK, ""};
    for (const char *line = log; line && *line != '\0';
         line = strchr(line, '\n'), line += line != NULL) {
        if (strncmp(line, from, strlen(from)) == 0) line += strlen(from);
        size_t length = strcspn(line, ":(\n");
        char name[PATH_MAX], path[PATH_MAX];
        snprintf(name, sizeof name, "%.*s", (int)(length < PATH_MAX ? length : 0), line);
        bool located = length > 0 && (line[length] == ':' || line[length] == '(') &&
                       isdigit((unsigned char)line[length + 1]);
        if (!located || !resolve(name, folder, path))
            continue; // not "FILE:LINE: .." or "FILE(LINE): .."
        TRY(check_header(name, folder, roots, root_count, err ? err : &ignored));
    }
    return KL_OK;
}
