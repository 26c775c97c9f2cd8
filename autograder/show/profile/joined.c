// Source, PTX and machine code of a launch, joined by the line tables: see profile.h.
#include "show/profile/profile.h"
#include "image/image.h"
#include "ladder_config.h"

// ---- The join -----------------------------------------------------------------------------------

typedef struct walk {
    ladder_joined *joined;
    uint32_t next; // of the report's lines
} walk;

static void take_source(void *context, uint32_t number, const char *text,
                        const sim_line_counters *counters) {
    walk *w = context;
    (void)number;
    if (counters) w->joined->rows[w->next++].source = strdup(text);
}

static void take_sources(ladder_joined *joined, const sim_launch_report *r) {
    walk w = {joined, 0};
    for (uint32_t first = 0; first < r->line_count;) {
        uint32_t end = first;
        while (end < r->line_count && r->lines[end].file == r->lines[first].file) end++;
        ladder_source_walk(r, first, end, take_source, &w);
        first = end;
    }
}

// The report's line of an instruction; line_count: it has none, or one that was not executed.
static uint32_t row_of(const sim_launch_report *r, const sim_code_instr *instr) {
    uint32_t low = 0, high = r->line_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const sim_line_counters *line = &r->lines[middle];
        bool before =
            line->file != instr->file ? line->file < instr->file : line->line < instr->line;
        if (before) low = middle + 1;
        else high = middle;
    }
    bool found = low < r->line_count && r->lines[low].file == instr->file &&
                 r->lines[low].line == instr->line;
    return found ? low : r->line_count;
}

// Instructions by row, machine instructions by instruction, each in the code's order.
static void sort(ladder_joined *joined, const sim_launch_report *r) {
    const sim_code *code = r->code;
    for (uint32_t i = 0; i < code->instr_count; i++)
        joined->rows[row_of(r, &code->instrs[i])].count++;
    for (uint32_t row = 1; row <= r->line_count; row++)
        joined->rows[row].first = joined->rows[row - 1].first + joined->rows[row - 1].count;
    for (uint32_t row = 0; row <= r->line_count; row++) joined->rows[row].count = 0;
    for (uint32_t i = 0; i < code->instr_count; i++) {
        ladder_joined_row *row = &joined->rows[row_of(r, &code->instrs[i])];
        joined->instrs[row->first + row->count++] = i;
    }
    for (uint32_t i = 0; i < code->machine_count; i++) {
        int32_t of = code->machine[i].instr;
        if (of == SIM_CODE_NONE) joined->machine_alone++;
        else joined->machine_first[of + 1]++;
    }
    for (uint32_t i = 0; i < code->instr_count; i++)
        joined->machine_first[i + 1] += joined->machine_first[i];
    uint32_t *next = calloc((size_t)code->instr_count + 1, sizeof *next);
    for (uint32_t i = 0; next && i < code->machine_count; i++) {
        int32_t of = code->machine[i].instr;
        if (of != SIM_CODE_NONE) joined->machine[joined->machine_first[of] + next[of]++] = i;
    }
    free(next);
}

kl_status ladder_joined_make(const sim_launch_report *report, ladder_joined *out_joined,
                             kl_error *err) {
    const sim_code *code = report->code;
    memset(out_joined, 0, sizeof *out_joined);
    if (!code) return kl_fail(err, KL_ERROR_INPUT, "the code of this launch was not kept");
    out_joined->report = report;
    out_joined->row_count = report->line_count;
    out_joined->rows = calloc((size_t)report->line_count + 1, sizeof *out_joined->rows);
    out_joined->instrs = calloc((size_t)code->instr_count + 1, sizeof *out_joined->instrs);
    out_joined->machine = calloc((size_t)code->machine_count + 1, sizeof *out_joined->machine);
    out_joined->machine_first =
        calloc((size_t)code->instr_count + 2, sizeof *out_joined->machine_first);
    if (!out_joined->rows || !out_joined->instrs || !out_joined->machine ||
        !out_joined->machine_first) {
        ladder_joined_free(out_joined);
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for the code of a kernel");
    }
    take_sources(out_joined, report);
    sort(out_joined, report);
    out_joined->whole = ladder_disassemble(code, &out_joined->text);
    return KL_OK;
}

void ladder_joined_free(ladder_joined *joined) {
    for (uint32_t i = 0; joined->rows && i < joined->row_count; i++) free(joined->rows[i].source);
    free(joined->rows);
    free(joined->instrs);
    free(joined->machine);
    free(joined->machine_first);
    if (joined->whole) ladder_disassembly_free(&joined->text);
    memset(joined, 0, sizeof *joined);
}

const char *ladder_joined_machine(const ladder_joined *joined, uint32_t index, char text[128]) {
    if (joined->whole && joined->text.lines[index])
        snprintf(text, 128, "%s", joined->text.lines[index]);
    else ladder_machine_opcode_text(joined->report->code->machine[index].words, text, 128);
    return text;
}

const char *ladder_joined_about(const ladder_joined *joined, char text[256]) {
    const sim_code *code = joined->report->code;
    if (code->machine_count == 0)
        snprintf(text, 256,
                 "PTX alone: the program holds no machine code that belongs to it, or was linked "
                 "from several files (-rdc)");
    else if (joined->whole)
        snprintf(text, 256, "PTX, and under it the machine code for sm_%u, by nvdisasm",
                 code->architecture);
    else
        snprintf(text, 256,
                 "PTX, and under it the machine code for sm_%u as opcode and width; with nvdisasm "
                 "of the CUDA toolkit, which was not found here, whole instructions",
                 code->architecture);
    return text;
}

// ---- Text ---------------------------------------------------------------------------------------

enum { CODE = 16, WIDE = 132 }; // the column where code begins; from this width on side by side

static void put_instr(const ladder_joined *joined, uint32_t index, const kl_style *style,
                      FILE *out) {
    const sim_code *code = joined->report->code;
    const sim_code_instr *instr = &code->instrs[index];
    char machine[128], warps[32];
    uint32_t at = joined->machine_first[index], end = joined->machine_first[index + 1];
    bool wide = style->width >= WIDE;
    int half = (style->width - CODE) / 2;
    kl_format_count((double)instr->executed, warps, sizeof warps);
    fprintf(out, "%9s", warps);
    if (instr->executed) fprintf(out, " %5.1f ", (double)instr->on / (double)instr->executed);
    else fputs("       ", out);
    const char *text = code->text + instr->text;
    if (!wide) {
        kl_print_wrapped(out, style, CODE + 2, text);
    } else {
        fprintf(out, "%-*.*s %s\n", half, half, text,
                at < end ? ladder_joined_machine(joined, joined->machine[at], machine) : "");
        at += at < end;
    }
    for (; at < end; at++) {
        fprintf(out, "%*s", wide ? CODE + half + 1 : CODE + 2, "");
        if (!wide) fputs("> ", out);
        kl_print_wrapped(out, style, wide ? CODE + half + 1 : CODE + 6,
                         ladder_joined_machine(joined, joined->machine[at], machine));
    }
}

void ladder_joined_print(const ladder_joined *joined, const kl_style *style, FILE *out) {
    const sim_launch_report *r = joined->report;
    char text[512];
    const char *bold = style->colour ? "\033[1m" : "", *plain = style->colour ? "\033[0m" : "";
    uint32_t file = UINT32_MAX;
    fprintf(out, "%s", bold);
    kl_print_wrapped(out, style, 2, ladder_demangle(r->kernel, text, sizeof text));
    fprintf(out, "%s  ", plain);
    kl_print_wrapped(out, style, 2, ladder_config_text(r, text, sizeof text));
    fputs("  ", out);
    kl_print_wrapped(out, style, 2, ladder_joined_about(joined, text));
    for (uint32_t i = 0; i < joined->row_count; i++) {
        const ladder_joined_row *row = &joined->rows[i];
        if (r->lines[i].file != file) {
            file = r->lines[i].file;
            const char *path = file < r->file_count ? r->files[file] : "?";
            fprintf(out, "\n    warps   thr  %s\n",
                    ladder_plain(basename(path), false, text, sizeof text));
        }
        fprintf(out, "%s%5u  ", bold, r->lines[i].line);
        const char *source = row->source ? row->source : "";
        kl_print_source(out, style, 7, source, (int)strlen(source));
        fputs(plain, out);
        for (uint32_t k = 0; k < row->count; k++)
            put_instr(joined, joined->instrs[row->first + k], style, out);
    }
    if (joined->row_count == 0)
        fputs("\n  no source lines: compile with nvcc -lineinfo to see them\n", out);
    uint32_t others = joined->rows[joined->row_count].count;
    fprintf(out, "\nleft out: %u instruction%s of lines that were not executed or are not known",
            others, others == 1 ? "" : "s");
    if (joined->machine_alone)
        fprintf(out, ",\n%u machine instructions that belong to no PTX instruction",
                joined->machine_alone);
    fputs("\n\n", out);
}

// ---- JSON ---------------------------------------------------------------------------------------

static void write_instr(kl_json *json, const ladder_joined *joined, uint32_t index) {
    const sim_code *code = joined->report->code;
    char machine[128];
    kl_json_put(json, "{ptx %s warps %lu threads %lu machine [",
                code->text + code->instrs[index].text, code->instrs[index].executed,
                code->instrs[index].on);
    for (uint32_t i = joined->machine_first[index]; i < joined->machine_first[index + 1]; i++)
        kl_json_string(json, NULL, ladder_joined_machine(joined, joined->machine[i], machine));
    kl_json_put(json, "]}");
}

void ladder_joined_write(const ladder_joined *joined, kl_json *json) {
    const sim_launch_report *r = joined->report;
    char name[512];
    kl_json_put(json, "{kernel %s architecture %u disassembled %hhd lines [",
                ladder_demangle(r->kernel, name, sizeof name), r->code->architecture,
                joined->whole);
    for (uint32_t i = 0; i < joined->row_count; i++) {
        const ladder_joined_row *row = &joined->rows[i];
        kl_json_put(json, "{file %s line %u source %s instructions [",
                    r->lines[i].file < r->file_count ? r->files[r->lines[i].file] : NULL,
                    r->lines[i].line, row->source);
        for (uint32_t k = 0; k < row->count; k++)
            write_instr(json, joined, joined->instrs[row->first + k]);
        kl_json_put(json, "]}");
    }
    kl_json_put(json, "]}");
}

// ---- machine instructions as text ---------------------------------------------------------------
// nvdisasm is given the bare instructions (--binary): it needs neither the program nor its cubin.

bool ladder_disassembler_find(char *out) {
    kl_error err = {KL_OK, ""};
    const char *path = getenv("PATH");
    for (const char *part = path; part && *part != '\0';) {
        size_t length = strcspn(part, ":");
        if (ladder_path(out, &err, "%.*s/nvdisasm", (int)length, part) == KL_OK &&
            ladder_file_exists(out))
            return true;
        part += length + (part[length] == ':');
    }
    const char *slash = strrchr(LADDER_NVCC, '/');
    int folder = slash ? (int)(slash - LADDER_NVCC) : 0;
    return ladder_path(out, &err, "%.*s/nvdisasm", folder, LADDER_NVCC) == KL_OK &&
           ladder_file_exists(out);
}

// "        /*0010*/              @!P0 EXIT ;" to line 1, "@!P0 EXIT". Other lines are left out.
static void take_line(char *line, uint32_t count, const char **lines) {
    line += strspn(line, " \t");
    if (strncmp(line, "/*", 2) != 0) return;
    char *end;
    unsigned long offset = strtoul(line + 2, &end, 16);
    if (strncmp(end, "*/", 2) != 0 || offset / SIM_MACHINE_BYTES >= count) return;
    char *text = end + 2 + strspn(end + 2, " \t");
    text[strcspn(text, ";")] = '\0';
    size_t length = strlen(text);
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t')) length--;
    text[length] = '\0';
    if (length > 0) lines[offset / SIM_MACHINE_BYTES] = text;
}

static bool take_text(const char *output, uint32_t count, ladder_disassembly *out) {
    out->text = strdup(output);
    out->lines = calloc((size_t)count + 1, sizeof *out->lines);
    if (!out->text || !out->lines) return false;
    for (char *line = out->text; line;) {
        char *next = strchr(line, '\n');
        if (next) *next++ = '\0';
        take_line(line, count, out->lines);
        line = next;
    }
    for (uint32_t i = 0; i < count; i++)
        if (out->lines[i]) return true;
    return false;
}

static bool run(const char *program, const char *file, const sim_code *code,
                ladder_disassembly *out) {
    char architecture[16];
    snprintf(architecture, sizeof architecture, "SM%u", code->architecture);
    const char *argv[] = {program, "--binary", architecture, file, NULL};
    const char *environment[] = {"PATH=/usr/bin:/bin", "LC_ALL=C", NULL};
    const ladder_process_spec spec = {.argv = argv,
                                      .environment = environment,
                                      .limits = {.wall_s = 60, .output_bytes = 64 << 20}};
    ladder_process process;
    kl_error err = {KL_OK, ""};
    if (ladder_process_run(&spec, &process, &err) != KL_OK) return false;
    bool done = process.end == LADDER_END_EXITED && process.code == 0 &&
                take_text(process.output, code->machine_count, out);
    ladder_process_free(&process);
    return done;
}

bool ladder_disassemble(const sim_code *code, ladder_disassembly *out_disassembly) {
    char program[LADDER_PATH], folder[LADDER_PATH], file[LADDER_PATH];
    kl_error err = {KL_OK, ""};
    *out_disassembly = (ladder_disassembly){NULL, NULL};
    if (code->machine_count == 0 || !ladder_disassembler_find(program) ||
        ladder_folder_temporary(folder, &err) != KL_OK)
        return false;
    size_t bytes = (size_t)code->machine_count * SIM_MACHINE_BYTES;
    uint8_t *data = malloc(bytes);
    for (uint32_t i = 0; data && i < code->machine_count; i++)
        memcpy(data + (size_t)i * SIM_MACHINE_BYTES, code->machine[i].words, SIM_MACHINE_BYTES);
    bool done = data && ladder_path(file, &err, "%s/code", folder) == KL_OK &&
                ladder_file_write(file, data, bytes, &err) == KL_OK &&
                run(program, file, code, out_disassembly);
    free(data);
    ladder_folder_remove(folder);
    if (!done) ladder_disassembly_free(out_disassembly);
    return done;
}

void ladder_disassembly_free(ladder_disassembly *disassembly) {
    free(disassembly->text);
    free(disassembly->lines);
    *disassembly = (ladder_disassembly){NULL, NULL};
}

void ladder_machine_opcode_text(const uint64_t words[2], char *text, size_t text_bytes) {
    sim_machine_opcode opcode = sim_machine_opcode_of(words);
    char name[48], guard[16] = "";
    if (!opcode.name) snprintf(name, sizeof name, "opcode 0x%03x", opcode.code);
    else if (opcode.bits > 0) snprintf(name, sizeof name, "%s %u bits", opcode.name, opcode.bits);
    else snprintf(name, sizeof name, "%s", opcode.name);
    if (opcode.predicate != SIM_MACHINE_ALWAYS)
        snprintf(guard, sizeof guard, "@%sP%u ", opcode.negated ? "!" : "", opcode.predicate);
    if (opcode.text) snprintf(text, text_bytes, "%s%-14s %s", guard, name, opcode.text);
    else snprintf(text, text_bytes, "%s%s", guard, name);
}
