// Machine instructions as text: see profile.h. nvdisasm is given the bare instructions
// (--binary), for which it needs neither the program nor its cubin.
#include "show/profile/profile.h"
#include "image/image.h"
#include "ladder_config.h"

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
