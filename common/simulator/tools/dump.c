// Developer tool: prints what the simulator makes of a PTX file, or of the PTX inside a program, an
// object file or a fat binary, stage by stage: tokens, syntax tree, decoded operations; or which
// opcodes it has, and which functions cannot run here. Runs nothing.
#include "ops/ops.h"
#include "image/image.h"
#include "decode/decode.h"
#include <elf.h>
#include <time.h>

static const int archs[] = {90, 100, 103, 120, 121}; // the later ones where there is no other
enum { ARCHS = sizeof archs / sizeof *archs };

typedef struct dump_text {
    const char *data;
    size_t bytes;
} dump_text;

typedef struct dump_options {
    const char *stage, *path;
    bool keep_registers, quiet;
} dump_options;

static sim_status read_file(const char *path, uint8_t **out_data, size_t *out_bytes,
                            kl_error *err) {
    FILE *file = fopen(path, "rb");
    if (!file) return sim_fail(err, SIM_NOT_FOUND, "cannot open %s", path);
    size_t capacity = 1 << 16, bytes = 0;
    uint8_t *data = malloc(capacity);
    while (data) {
        bytes += fread(data + bytes, 1, capacity - bytes - 1, file);
        if (bytes < capacity - 1) break;
        capacity *= 2;
        uint8_t *larger = realloc(data, capacity);
        if (!larger) free(data);
        data = larger;
    }
    fclose(file);
    if (!data) return sim_fail(err, SIM_OUT_OF_MEMORY, "out of memory reading %s", path);
    data[bytes] = 0;
    *out_data = data;
    *out_bytes = bytes;
    return SIM_OK;
}

// The section .nv_fatbin of a host program; false when this is not one.
static bool find_section(const uint8_t *data, size_t bytes, const uint8_t **out_image,
                         size_t *out_bytes) {
    Elf64_Ehdr header;
    if (bytes < sizeof header || memcmp(data, ELFMAG, SELFMAG) != 0) return false;
    memcpy(&header, data, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr) ||
        header.e_shoff > bytes || header.e_shstrndx >= header.e_shnum ||
        (bytes - header.e_shoff) / sizeof(Elf64_Shdr) < header.e_shnum)
        return false;
    Elf64_Shdr names, section;
    memcpy(&names, data + header.e_shoff + header.e_shstrndx * sizeof names, sizeof names);
    for (uint32_t i = 0; i < header.e_shnum; i++) {
        memcpy(&section, data + header.e_shoff + i * sizeof section, sizeof section);
        uint64_t name = names.sh_offset + section.sh_name;
        if (name > bytes || bytes - name < sizeof ".nv_fatbin") continue;
        if (memcmp(data + name, ".nv_fatbin", sizeof ".nv_fatbin") != 0) continue;
        if (section.sh_offset > bytes || section.sh_size > bytes - section.sh_offset) return false;
        *out_image = data + section.sh_offset;
        *out_bytes = section.sh_size;
        return true;
    }
    return false;
}

static sim_status place_anywhere(void *context, const ptx_variable *variable, uint64_t *out_address,
                                 kl_error *err) {
    uint64_t *next = context;
    (void)err;
    uint64_t align =
        variable->align_bytes > SIM_ALLOCATION_ALIGN ? variable->align_bytes : SIM_ALLOCATION_ALIGN;
    *next = (*next + align - 1) / align * align;
    *out_address = *next;
    *next += variable->size_bytes;
    return SIM_OK;
}

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static sim_status dump_ops(const dump_options *options, ptx_module *module, dump_text text,
                           kl_error *err) {
    const sim_decode_options decode = {.keep_registers = options->keep_registers};
    uint64_t next = SIM_DUMP_BASE;
    sim_program *program;
    double begin = now_ms();
    sim_status status =
        sim_decode(&decode, module, text.data, text.bytes, place_anywhere, &next, &program, err);
    if (status != SIM_OK) {
        ptx_module_free(module);
        return status;
    }
    if (options->quiet) printf("decoded in %.1f ms\n", now_ms() - begin);
    else sim_program_print(program, stdout);
    sim_program_free(program);
    return SIM_OK;
}

// One line a function that cannot run: its name, and why.
static sim_status dump_refused(ptx_module *module, dump_text text, kl_error *err) {
    const sim_decode_options decode = {.refuses_functions = true};
    uint64_t next = SIM_GLOBAL_BASE;
    sim_program *program;
    sim_status status =
        sim_decode(&decode, module, text.data, text.bytes, place_anywhere, &next, &program, err);
    if (status != SIM_OK) {
        ptx_module_free(module);
        return status;
    }
    status = sim_program_bind(program, err);
    for (uint32_t i = 0; i < program->function_count && status == SIM_OK; i++)
        if (program->functions[i].refusal)
            printf("%s: %s\n", program->functions[i].name, program->functions[i].refusal);
    sim_program_free(program);
    return status;
}

// The opcode of every instruction, words and all, one per line.
static void dump_opcodes(const ptx_module *module) {
    for (uint32_t f = 0; f < module->function_count; f++)
        for (uint32_t i = 0; i < module->functions[f].statement_count; i++) {
            const ptx_statement *statement = &module->functions[f].statements[i];
            if (statement->kind == PTX_STATEMENT_INSTRUCTION) puts(statement->instruction->opcode);
        }
}

static sim_status dump_ptx(const dump_options *options, dump_text text, kl_error *err) {
    if (strcmp(options->stage, "tokens") == 0)
        return ptx_dump_tokens(text.data, text.bytes, stdout, err);
    ptx_module *module;
    double begin = now_ms();
    TRY(ptx_parse(text.data, text.bytes, &module, err));
    if (options->quiet) printf("parsed in %.1f ms\n", now_ms() - begin);
    if (strcmp(options->stage, "ops") == 0) return dump_ops(options, module, text, err);
    if (strcmp(options->stage, "refused") == 0) return dump_refused(module, text, err);
    if (strcmp(options->stage, "opcodes") == 0) dump_opcodes(module);
    if (strcmp(options->stage, "ast") == 0) ptx_dump_module(module, stdout);
    if (strcmp(options->stage, "ptx") == 0) fwrite(text.data, 1, text.bytes, stdout);
    ptx_module_free(module);
    return SIM_OK;
}

// Each container of an image holds one module.
static sim_status dump_image(const dump_options *options, const uint8_t *image, size_t bytes,
                             kl_error *err) {
    sim_fatbin *fatbin;
    TRY(sim_fatbin_open(image, bytes, &fatbin, err));
    sim_status status = SIM_OK;
    uint32_t containers = sim_fatbin_container_count(fatbin);
    for (uint32_t i = 0; i < containers && status == SIM_OK; i++) {
        uint32_t index;
        const uint8_t *data = NULL;
        size_t data_bytes;
        int at = 0;
        while (at < ARCHS && !sim_fatbin_best_ptx(fatbin, (int)i, archs[at], &index)) at++;
        if (at == ARCHS) continue;
        status = sim_fatbin_payload(fatbin, index, &data, &data_bytes, err);
        if (status != SIM_OK) break;
        const char *end = memchr(data, 0, data_bytes);
        if (end) data_bytes = (size_t)(end - (const char *)data);
        status = dump_ptx(options, (dump_text){(const char *)data, data_bytes}, err);
    }
    sim_fatbin_close(fatbin);
    return status;
}

static sim_status dump_file(const dump_options *options, kl_error *err) {
    uint8_t *data = NULL;
    size_t bytes = 0, image_bytes;
    const uint8_t *image;
    TRY(read_file(options->path, &data, &bytes, err));
    sim_status status;
    if (find_section(data, bytes, &image, &image_bytes))
        status = dump_image(options, image, image_bytes, err);
    else status = dump_image(options, data, bytes, err);
    free(data);
    return status;
}

static int usage(void) {
    fputs("usage: sim-dump [--keep-registers] [--time] tokens|ast|ops|ptx|opcodes|refused FILE\n"
          "FILE: PTX text, a fat binary, an object file or a program built by nvcc\n"
          "example: sim-dump ops kernel.ptx\n",
          stderr);
    return 2;
}

int main(int argc, char **argv) {
    dump_options options = {0};
    int next = 1;
    for (; next < argc && strncmp(argv[next], "--", 2) == 0; next++)
        if (strcmp(argv[next], "--keep-registers") == 0) options.keep_registers = true;
        else if (strcmp(argv[next], "--time") == 0) options.quiet = true;
        else return usage();
    if (argc - next != 2) return usage();
    options.stage = argv[next];
    options.path = argv[next + 1];
    static const char *const stages[] = {"tokens", "ast", "ops", "ptx", "opcodes", "refused"};
    bool known = false;
    for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++)
        known = known || strcmp(stages[i], options.stage) == 0;
    if (!known) return usage();
    kl_error err = {0};
    if (dump_file(&options, &err) == SIM_OK) return 0;
    fprintf(stderr, "sim-dump: %s: %s\n", sim_status_text(err.status), err.text);
    return 1;
}
