// One finding of the checker as a paragraph: see finding.h.
#include "utilities/finding.h"
#include "advice.h"
#include "memory/memory.h"
#include "utilities/files.h"
#include "utilities/text.h"

enum { SOURCE_MAX = 4 << 20, LINE_MAX_BYTES = 256 };

typedef struct printer {
    const ladder_finding_source *source;
    const kl_style *style; // NULL: without lines of source
    FILE *out;
} printer;

// Line `number` (from 1) of a text without its indentation; false when there is none.
static bool line_of(const char *text, uint32_t number, char *out, size_t bytes) {
    for (; number > 1 && text; number--) {
        text = strchr(text, '\n');
        if (text) text++;
    }
    if (!text || number == 0) return false;
    text += strspn(text, " \t");
    snprintf(out, bytes, "%.*s", (int)strcspn(text, "\r\n"), text);
    for (char *c = out; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F) *c = ' ';
    return out[0] != '\0';
}

// The text of a file, to be freed; NULL when there is none to be had.
static char *read_source(const printer *p, const char *file) {
    char *text = NULL;
    kl_error ignored = {KL_OK, ""};
    if (p->source)
        return strcmp(basename(file), p->source->name) == 0 ? strdup(p->source->text) : NULL;
    ladder_file_read(AT_FDCWD, file, SOURCE_MAX, &text, NULL, &ignored);
    return text;
}

static void put_line(const printer *p, const char *file, uint32_t number) {
    char line[LINE_MAX_BYTES], *text = read_source(p, file);
    if (!text) return;
    if (line_of(text, number, line, sizeof line)) {
        fputs("      ", p->out);
        kl_print_source(p->out, p->style, 6, line, (int)strlen(line));
    }
    free(text);
}

// What fresh device and shared memory holds, whole words of it.
static bool is_poison(const sim_check_side *side) {
    uint32_t word, bytes = side->value_bytes;
    for (uint32_t i = 0; i + sizeof word <= bytes; i += sizeof word) {
        memcpy(&word, side->value + i, sizeof word);
        if (word != SIM_POISON) return false;
    }
    return bytes >= sizeof word;
}

static const char *plain_kernel(const sim_finding *f, char *name, size_t bytes);
static const char *plain_variable(const sim_finding *f, char *name, size_t bytes);

// How the source declares what a finding is about, up to its name; NULL: not found.
static const char *declared_in(const char *source, const sim_finding *f, uint32_t line, char *text,
                               size_t bytes) {
    char name[256];
    bool found;
    if (f->variable[0] != '\0')
        found =
            ladder_array_declared(source, plain_variable(f, name, sizeof name), line, text, bytes);
    else
        found = f->argument && kl_argument_type(source, plain_kernel(f, name, sizeof name),
                                                f->argument, text, bytes);
    return found ? text : NULL;
}

// As a number of the type that the source or the instruction gives it.
static void put_value(const printer *p, const sim_finding *f, const sim_check_side *side) {
    char text[320], declaration[256];
    if (side->value_bytes == 0) return;
    if (is_poison(side)) {
        fputs(", value never written", p->out);
        return;
    }
    const char *declared = NULL;
    for (int i = 0; i < 2 && !declared; i++) {
        char *source = read_source(p, f->sides[i].file);
        if (source)
            declared = declared_in(source, f, f->sides[i].line, declaration, sizeof declaration);
        free(source);
    }
    ladder_value_text(side, declared, text, sizeof text);
    enum { BESIDE = 32 }; // a longer one has its own line
    fprintf(p->out, strlen(text) > BESIDE ? ",\n        value %s" : ", value %s", text);
}

// "read by cudaMemcpy at main.cu:15", "write in kernel k(int*) at main.cu:7".
static void put_work(const printer *p, const sim_check_side *side) {
    static const char *const verbs[] = {"use", "read", "write", "atomic"};
    char kernel[256];
    ladder_demangle_all(side->kernel, kernel, sizeof kernel);
    fprintf(p->out, "    %s %s %s", verbs[side->action], side->call[0] ? "by" : "in kernel",
            side->call[0] ? side->call : kernel);
    if (side->line != 0) fprintf(p->out, " at %s:%u\n", basename(side->file), side->line);
    else if (side->call[0] != '\0' && side->file[0] != '\0')
        fprintf(p->out, "\n      called at %s (nvcc -g tells the line)\n", basename(side->file));
    else fputs(" at an unknown line (compile with nvcc -lineinfo)\n", p->out);
    if (side->line != 0 && p->style) put_line(p, side->file, side->line);
}

static void put_side(const printer *p, const sim_finding *f, const sim_check_side *side) {
    FILE *out = p->out;
    static const char *const verbs[] = {"at", "read at", "write at", "atomic at"};
    if (side->call[0] != '\0' || side->kernel[0] != '\0') {
        put_work(p, side);
        return;
    }
    if (side->line == 0 && side->action == SIM_ACTION_NONE) return;
    if (side->line == 0)
        fprintf(out, "    %s an unknown line (compile with nvcc -lineinfo)", verbs[side->action]);
    else fprintf(out, "    %s %s:%u", verbs[side->action], basename(side->file), side->line);
    bool by_thread = !sim_check_is_of_host(f->kind) && f->kind != SIM_CHECK_INDEX_WIDTH;
    if (by_thread && f->kernel[0] != '\0') {
        fprintf(out, "\n      thread (%u,%u,%u) of block (%u,%u,%u)", side->thread.x,
                side->thread.y, side->thread.z, side->block.x, side->block.y, side->block.z);
        put_value(p, f, side);
    }
    fputc('\n', out);
    if (side->line != 0 && p->style) put_line(p, side->file, side->line);
}

// "[3][31]" as the source of one of the two sides declares the array, or of no source.
static bool find_index(const printer *p, const sim_finding *f, const ladder_array *array,
                       char *index, size_t bytes) {
    bool known = false;
    for (int i = 0; i < 2 && !known; i++) {
        char *source = read_source(p, f->sides[i].file);
        known = source && ladder_array_index(array, source, index, bytes);
        free(source);
    }
    return known || ladder_array_index(array, NULL, index, bytes);
}

// The name of a variable as the source has it. nvcc makes variables of the elements of a small
// array: tile_$_0, tile_$_1.
static const char *plain_variable(const sim_finding *f, char *name, size_t bytes) {
    char mangled[sizeof f->variable];
    snprintf(mangled, sizeof mangled, "%s", f->variable);
    char *part = strstr(mangled, "_$_");
    if (part) *part = '\0';
    ladder_demangle(mangled, name, bytes);
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

// "tile[3][31]", "tile + 1 bytes" where the array's shape is not known.
static void put_variable(const printer *p, const sim_finding *f) {
    char name[256], index[64];
    const char *plain = plain_variable(f, name, sizeof name);
    const char *part = strstr(f->variable, "_$_");
    ladder_array array = {.name = plain,
                          .bytes = f->allocation_bytes,
                          .offset_bytes = f->allocation_offset,
                          .access_bytes = f->bytes};
    fprintf(p->out, ": %s", plain);
    if (part) {
        array.offset_bytes += strtoul(part + 3, NULL, 10) * array.bytes;
        array.bytes = 0;
    }
    if ((int64_t)f->allocation_offset < 0)
        fprintf(p->out, " - %" PRIu64 " bytes", -f->allocation_offset);
    else if (find_index(p, f, &array, index, sizeof index)) fputs(index, p->out);
    else if (array.offset_bytes != 0) fprintf(p->out, " + %" PRIu64 " bytes", array.offset_bytes);
}

// "y[5], argument 2 of the kernel".
static void put_argument(const printer *p, const sim_finding *f) {
    char kernel[256], name[64] = "";
    char *source = read_source(p, f->sides[0].file);
    bool named = source && kl_argument_name(source, plain_kernel(f, kernel, sizeof kernel),
                                            f->argument, name, sizeof name);
    fprintf(p->out, ": %s%sargument %u of the kernel", named ? name : "", named ? ", " : "",
            f->argument);
    if (f->bytes > 0 && f->bytes <= 4 && f->allocation_offset % f->bytes == 0)
        fprintf(p->out, ", element %" PRIu64, f->allocation_offset / f->bytes);
    else fprintf(p->out, ", byte %" PRIu64, f->allocation_offset);
    free(source);
}

// "s, declared at :4 without a value" behind `label`, where the line of source says it. Of a
// fragment its use is part of its type.
static bool put_unset(const printer *p, const sim_finding *f, const char *label) {
    char names[256], type[32] = "";
    uint32_t number = f->sides[0].line, line = 0;
    sscanf(f->text, "a fragment of wmma (%31[a-z_])", type);
    char *source = number ? read_source(p, f->sides[0].file) : NULL;
    if (source) line = ladder_unset_names(source, number, type, names, sizeof names);
    if (source && !line) line = ladder_unset_names(source, number, "", names, sizeof names);
    if (line) fprintf(p->out, "%s%s, declared at :%u without a value", label, names, line);
    free(source);
    return line != 0;
}

static void put_place(const printer *p, const sim_finding *f) {
    bool fragment = strncmp(f->text, "a fragment", strlen("a fragment")) == 0;
    if (f->kind == SIM_CHECK_UNSET_VARIABLE &&
        put_unset(p, f, fragment ? "    fragment " : "    local variable "))
        fputc('\n', p->out);
    if (f->space[0] == '\0' || f->kind == SIM_CHECK_LEAK || f->kind == SIM_CHECK_BAD_FREE) return;
    fputs("    ", p->out);
    if (f->bytes != 0) fprintf(p->out, "%u bytes of ", f->bytes);
    fprintf(p->out, "%s memory", f->space);
    if (f->variable[0] != '\0') put_variable(p, f);
    else if (strcmp(f->space, "local") == 0 && put_unset(p, f, ": "))
        ;
    else if (f->argument != 0) put_argument(p, f);
    else if (f->allocation != 0)
        fprintf(p->out, ": allocation %u (%" PRIu64 " bytes) + %" PRIu64, f->allocation,
                f->allocation_bytes, f->allocation_offset);
    else fprintf(p->out, " at 0x%" PRIx64, f->address);
    fputc('\n', p->out);
}

// Threads in x of a launch that a finding's text tells of, as a number; "": it tells of none.
static void launched_threads(const sim_finding *f, char number[16]) {
    unsigned threads = 0;
    const char *at = strstr(f->text, "<<<(");
    number[0] = '\0';
    if (at && sscanf(at, "<<<(%*u,%*u,%*u), (%u", &threads) == 1)
        snprintf(number, 16, "%u", threads);
}

// Whether the line at `at` has a launch of the kernel with this number in it; "": any.
static bool is_launch(const char *at, const char *kernel, const char *number) {
    const char *end = at + strcspn(at, "\n"), *found = strstr(at, kernel);
    const char *launch = strstr(at, "<<<");
    if (!found || !launch || launch >= end || found >= launch) return false;
    const char *said = strstr(launch, number);
    return said && said < end;
}

// Lines of a source that launch a kernel so; returns how many.
static int put_launch_lines(const printer *p, const char *text, const char *kernel,
                            const char *number, const char *file) {
    int count = 0;
    uint32_t line = 1;
    for (const char *at = text; at && *at != '\0'; line++) {
        const char *end = strchr(at, '\n');
        if (is_launch(at, kernel, number)) {
            fprintf(p->out, "    %s %s:%u\n", count++ == 0 ? "launched at" : "or at",
                    basename(file), line);
            put_line(p, file, line);
        }
        at = end ? end + 1 : NULL;
    }
    return count;
}

// The name of a kernel without its template and parameters.
static const char *plain_kernel(const sim_finding *f, char *name, size_t bytes) {
    ladder_demangle(f->kernel, name, bytes);
    name[strcspn(name, "(<")] = '\0';
    const char *space = strrchr(name, ' ');
    return space ? space + 1 : name;
}

// Lines of the source that launch a kernel, found by its name before "<<<": those that say the
// block's size as the launch had it, otherwise all.
static void put_launches(const printer *p, const sim_finding *f) {
    char name[256], number[16];
    const char *plain = plain_kernel(f, name, sizeof name);
    const char *file = f->sides[0].file;
    if (*plain == '\0' || file[0] == '\0') return;
    char *text = read_source(p, file);
    if (!text) return;
    launched_threads(f, number);
    if (put_launch_lines(p, text, plain, number, file) == 0)
        put_launch_lines(p, text, plain, "", file);
    free(text);
}

// A text of several lines, each wrapped by itself.
static void put_text(const char *text, const kl_style *style, FILE *out) {
    char line[KL_ERROR_TEXT];
    for (int number = 0; *text != '\0'; number++) {
        size_t used = 0;
        text += strspn(text, " \n");
        for (; *text != '\0' && *text != '\n'; text++)
            if (used + 1 < sizeof line) line[used++] = *text;
        line[used] = '\0';
        if (used == 0) break;
        fprintf(out, "%*s", number == 0 ? 4 : 6, "");
        kl_print_wrapped(out, style, number == 0 ? 4 : 8, line);
    }
}

void ladder_finding_sides(const sim_finding *f, FILE *out) {
    const printer p = {.out = out};
    put_side(&p, f, &f->sides[0]);
    put_side(&p, f, &f->sides[1]);
    put_place(&p, f);
}

// "race: two threads of a block access one address, unordered", then `more` and a line end.
static void ladder_finding_heading(const sim_finding *f, const kl_style *style, const char *more,
                                   FILE *out) {
    const char *tone = sim_check_is_warning(f->kind) ? "\033[33m" : "\033[31m";
    char text[512];
    int used = (int)strlen(sim_check_name(f->kind)) + 2;
    snprintf(text, sizeof text, "%s%s", sim_check_meaning(f->kind), more);
    fprintf(out, "%s%s%s: ", style->colour ? tone : "", sim_check_name(f->kind),
            style->colour ? "\033[0m" : "");
    if (used + kl_text_width(text) <= style->width) fprintf(out, "%s\n", text);
    else kl_print_wrapped(out, style, used, text);
}

const char *ladder_finding_text(const sim_finding *f, const ladder_finding_source *source,
                                char *text, size_t text_bytes) {
    const printer p = {.source = source};
    char kernel[256];
    ladder_demangle_all(f->text, text, text_bytes);
    kl_shorten_paths(text);
    char *code = strstr(text, " of the kernel") ? read_source(&p, f->sides[0].file) : NULL;
    kl_argument_names_put(code, plain_kernel(f, kernel, sizeof kernel), text, text_bytes);
    free(code);
    return text;
}

void ladder_finding_print(const sim_finding *f, const ladder_finding_source *source,
                          const kl_style *style, FILE *out) {
    const printer p = {source, style, out};
    char kernel[256], text[KL_ERROR_TEXT];
    char times[32] = "";
    if (f->count > 1) snprintf(times, sizeof times, " (%" PRIu64 " times)", f->count);
    ladder_finding_heading(f, style, times, out);
    if (f->kernel[0] != '\0') {
        const char *library = sim_kernel_library(f->kernel);
        ladder_demangle_all(f->kernel, kernel, sizeof kernel);
        if (library) fprintf(out, "    in a kernel of %s\n", library);
        else fprintf(out, "    in kernel %s\n", kernel);
    }
    if (f->kind == SIM_CHECK_UNCHECKED_LAUNCH) {
        put_launches(&p, f);
    } else {
        put_side(&p, f, &f->sides[0]);
        put_side(&p, f, &f->sides[1]);
    }
    put_place(&p, f);
    ladder_finding_text(f, source, text, sizeof text);
    put_text(text, style, out);
}

const char *ladder_finding_place(const sim_finding *f, char *text, size_t text_bytes) {
    const sim_check_side *a = &f->sides[0], *b = &f->sides[1];
    char kernel[256];
    if (a->line == 0) {
        ladder_demangle_all(f->kernel, kernel, sizeof kernel);
        snprintf(text, text_bytes, "%s%.60s", kernel[0] != '\0' ? "kernel " : "", kernel);
    } else if (b->line == 0 || (b->line == a->line && strcmp(a->file, b->file) == 0)) {
        snprintf(text, text_bytes, "%s:%u", basename(a->file), a->line);
    } else {
        bool one_file = strcmp(a->file, b->file) == 0;
        snprintf(text, text_bytes, "%s:%u and %s:%u", basename(a->file), a->line,
                 one_file ? "" : basename(b->file), b->line);
    }
    return text;
}
