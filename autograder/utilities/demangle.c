// Kernel names as their authors wrote them: see text.h. Itanium C++ ABI, section 3.4.
#include "utilities/text.h"

// From the C++ run-time library that nvcc's host compiler brings along.
extern char *__cxa_demangle(const char *name, char *buffer, size_t *bytes, int *status);

// Nobody writes "(anonymous namespace)::".
static void drop_anonymous(char *name) {
    static const char anonymous[] = "(anonymous namespace)::";
    for (char *at; (at = strstr(name, anonymous));)
        memmove(at, at + sizeof anonymous - 1, strlen(at + sizeof anonymous - 1) + 1);
}

char *ladder_demangle(const char *name, char *text, size_t text_bytes) {
    int status = 0;
    bool is_mangled = strncmp(name, "_Z", 2) == 0; // "d" is a type, too
    char *plain = is_mangled ? __cxa_demangle(name, NULL, NULL, &status) : NULL;
    ladder_plain(status == 0 && plain ? plain : name, false, text, text_bytes);
    free(plain);
    drop_anonymous(text);
    return text;
}

// "void f<(int)3>(float*)" to "f<(int)3>": up to the bracket that is not inside <>, from the last
// blank before.
static void strip(char *name) {
    int depth = 0;
    char *start = name;
    for (char *c = name; *c != '\0'; c++) {
        depth += (*c == '<') - (*c == '>');
        if (depth == 0 && *c == ' ') start = c + 1;
        if (depth == 0 && *c == '(') {
            *c = '\0';
            break;
        }
    }
    memmove(name, start, strlen(start) + 1);
}

void ladder_demangle_all(const char *text, char *out, size_t out_bytes) {
    size_t used = 0;
    while (*text != '\0' && used + 1 < out_bytes) {
        size_t length = 0;
        bool starts = strncmp(text, "_Z", 2) == 0;
        while (starts && (isalnum((unsigned char)text[length]) || text[length] == '_')) length++;
        if (length == 0) {
            out[used++] = *text++;
            continue;
        }
        char name[512], plain[512];
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        ladder_demangle(name, plain, sizeof plain);
        strip(plain);
        int wrote = snprintf(out + used, out_bytes - used, "%s", plain);
        used +=
            wrote > 0 && (size_t)wrote < out_bytes - used ? (size_t)wrote : out_bytes - used - 1;
        text += length;
    }
    out[used] = '\0';
}
