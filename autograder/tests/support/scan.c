// Reads C and CUDA texts: see attack_text.h.
#include "attack_text.h"

#include "utilities/files.h"

enum { HEADER_MAX = 1 << 20 };

bool scan_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

const char *scan_blanks(const char *at) { return at + strspn(at, " \t\n"); }

const char *scan_bracket(const char *at) {
    int depth = 0;
    for (; *at != '\0'; at++) {
        if (strchr("([{", *at)) depth++;
        if (strchr(")]}", *at) && --depth == 0) return at + 1;
    }
    return at;
}

char *scan_without_comments(const char *text) {
    char *copy = malloc(strlen(text) + 1), *to = copy;
    while (*text != '\0') {
        if (text[0] == '/' && text[1] == '/') {
            text += strcspn(text, "\n");
        } else if (text[0] == '/' && text[1] == '*') {
            const char *end = strstr(text + 2, "*/");
            text = end ? end + 2 : text + strlen(text);
        } else {
            *to++ = *text++;
        }
    }
    *to = '\0';
    return copy;
}

kl_status scan_with_headers(const char *text, const char *folder, char **out_text, kl_error *err) {
    char path[LADDER_PATH], name[LADDER_PATH], *header = NULL;
    size_t bytes = 0;
    kl_status status = KL_OK;
    FILE *out = open_memstream(out_text, &bytes);
    while (*text != '\0' && status == KL_OK) {
        const char *end = text + strcspn(text, "\n");
        end += *end == '\n';
        int taken = 0; // of the line, when it is one of these
        sscanf(text, "#include \"%200[a-z_].cuh\"%n", name, &taken);
        if (taken > 0) {
            status = ladder_path(path, err, "%s/%s.cuh", folder, name);
            if (status == KL_OK)
                status = ladder_file_read(AT_FDCWD, path, HEADER_MAX, &header, NULL, err);
            if (status == KL_OK) fputs(header, out);
            free(header);
            header = NULL;
        } else {
            fwrite(text, 1, (size_t)(end - text), out);
        }
        text = end;
    }
    fclose(out);
    return status;
}
