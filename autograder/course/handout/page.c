// A page as students get it: see handout.h.
#include "course/handout/handout.h"

static const char kit_begin[] = "<!-- whole kit -->", kit_end[] = "<!-- /whole kit -->",
                  ours_begin[] = "<!-- handout", ours_end[] = "-->",
                  number[] = "<!--= ", names[] = "<!-- numbers: ", comment_end[] = "-->",
                  fold_begin[] = "<details><summary>Answers</summary>", fold_end[] = "</details>",
                  questions[] = "<!-- selfcheck -->",
                  answers_come[] =
                      "The answers come with the lab's solutions, after the deadline.\n\n";

typedef struct page {
    const char *name;
    char *text;   // [bytes] so far
    size_t bytes; // never more than the page's and `answers_come`
} page;

static void put(page *out, const char *text, size_t bytes) {
    memcpy(out->text + out->bytes, text, bytes);
    out->bytes += bytes;
}

// What is taken out takes its line with it where it was alone there: `at`, behind it, moves on, or
// blanks before it go.
static const char *close_gap(page *out, const char *at) {
    size_t before = out->bytes;
    while (before > 0 && out->text[before - 1] == ' ') before--;
    if (before > 0 && out->text[before - 1] != '\n') return at;
    if (*at != '\n') return at;
    out->bytes = before;
    at++;
    if (before == 0 || (before > 1 && out->text[before - 2] == '\n')) // no two empty lines
        while (*at == '\n') at++;
    return at;
}

static bool starts(const char *at, const char *with) {
    return strncmp(at, with, strlen(with)) == 0;
}

static kl_status find_end(const page *out, const char *at, const char *end, const char **out_at,
                          kl_error *err) {
    *out_at = strstr(at, end);
    if (*out_at) return KL_OK;
    if (*at == '\0')
        return kl_fail(err, KL_ERROR_INPUT, "%s: expected %s, but the page ends", out->name, end);
    return kl_fail(err, KL_ERROR_INPUT, "%s: no %s behind \"%.20s\"", out->name, end, at);
}

// What only the whole kit has.
static kl_status skip(page *out, const char **at, const char *end, kl_error *err) {
    const char *behind;
    TRY(find_end(out, *at, end, &behind, err));
    *at = close_gap(out, behind + strlen(end));
    return KL_OK;
}

// What only a handout has: "<!-- handout TEXT -->" within a line, or lines between "<!-- handout"
// and "-->".
static kl_status unwrap(page *out, const char **at, kl_error *err) {
    const char *from = *at + strlen(ours_begin), *to;
    TRY(find_end(out, *at, ours_end, &to, err));
    bool lines = *from == '\n';
    *at = to + strlen(ours_end);
    from++;
    if (lines && **at == '\n') (*at)++;
    if (!lines && to > from && to[-1] == ' ') to--;
    put(out, from, (size_t)(to - from));
    return KL_OK;
}

kl_status ladder_handout_page(const char *name, const char *text, bool answers, char **out_text,
                              kl_error *err) {
    page out = {name, malloc(strlen(text) + sizeof answers_come), 0};
    if (!out.text) return kl_fail(err, KL_ERROR_MEMORY, "no memory for %s", name);
    kl_status status = KL_OK;
    for (const char *at = text; *at != '\0' && status == KL_OK;) {
        if (starts(at, kit_begin)) {
            status = skip(&out, &at, kit_end, err);
        } else if (starts(at, number) || starts(at, names)) { // docs/tools/numbers.c
            status = skip(&out, &at, comment_end, err);
        } else if (starts(at, ours_begin)) {
            status = unwrap(&out, &at, err);
        } else if (!answers && starts(at, fold_begin)) {
            status = skip(&out, &at, fold_end, err);
        } else {
            if (!answers && starts(at, questions)) put(&out, answers_come, sizeof answers_come - 1);
            put(&out, at++, 1);
        }
    }
    out.text[out.bytes] = '\0';
    *out_text = out.text;
    if (status == KL_OK) return KL_OK;
    free(out.text);
    return status;
}

bool ladder_handout_is_later(const char *target, size_t bytes, const bool *labs) {
    for (int l = 0; l < ladder_lab_count; l++) {
        size_t length = strlen(ladder_labs[l].folder);
        for (const char *at = target; !labs[l] && at + length <= target + bytes; at++)
            if (strncmp(at, ladder_labs[l].folder, length) == 0 &&
                (at == target || at[-1] == '/') &&
                (at + length == target + bytes || at[length] == '/'))
                return true;
    }
    return false;
}

// A link at `at`, "[TEXT](TARGET)", in which TEXT may hold a picture; NULL: there is none.
static const char *find_target(const char *at, const char **out_text_end, const char **out_end) {
    int depth = 0;
    const char *c = at + (*at == '!');
    if (*c != '[') return NULL;
    for (; *c != '\0' && *c != '\n'; c++) {
        depth += (*c == '[') - (*c == ']');
        if (depth == 0) break;
    }
    if (*c != ']' || c[1] != '(') return NULL;
    *out_text_end = c;
    *out_end = c + 2 + strcspn(c + 2, ")\n");
    return **out_end == ')' ? c + 2 : NULL;
}

// The line from `at` on, without links to labs that are not handed out: their text stays, pictures
// go. Says how many links the line had, and how many stayed.
static const char *put_line(page *out, const char *at, const bool *labs, int *links, int *stay) {
    while (*at != '\0' && *at != '\n') {
        const char *text_end, *end, *target = find_target(at, &text_end, &end);
        bool later = target && ladder_handout_is_later(target, (size_t)(end - target), labs);
        *links += target != NULL;
        *stay += target && !later;
        if (!later) {
            put(out, at++, 1);
            continue;
        }
        if (*at == '[') put(out, at + 1, (size_t)(text_end - at - 1));
        at = end + 1;
    }
    if (*at == '\n') put(out, at++, 1);
    return at;
}

kl_status ladder_handout_links(const char *name, const char *text, const bool *labs,
                               char **out_text, kl_error *err) {
    page out = {name, malloc(strlen(text) + 1), 0};
    if (!out.text) return kl_fail(err, KL_ERROR_MEMORY, "no memory for %s", name);
    while (*text != '\0') {
        size_t before = out.bytes;
        int links = 0, stay = 0;
        bool row = *text == '|';
        text = put_line(&out, text, labs, &links, &stay);
        if (row && links > 0 && stay == 0) out.bytes = before; // of a table: about that lab alone
    }
    out.text[out.bytes] = '\0';
    *out_text = out.text;
    return KL_OK;
}
