// Cubins: ELF64 headers, sections, symbols, and the list of kernels. Attributes are in
// cubin_info.c, line tables in cubin_lines.c. Must not read outside image[0..bytes).
#include "image/internal.h"
#include "image/image.h"

enum {
    SYMBOL_FUNCTION = 2,      // low nibble of st_info
    SYMBOL_CUDA_ENTRY = 0x10, // bit of st_other: a kernel
};

static sim_status fail_damaged(kl_error *err, const char *what) {
    return sim_fail(err, SIM_BAD_IMAGE, "damaged cubin: %s", what);
}

const cubin_section *cubin_find_section(const sim_cubin *cubin, const char *name) {
    for (uint32_t i = 0; i < cubin->section_count; i++)
        if (strcmp(cubin->sections[i].name, name) == 0) return &cubin->sections[i];
    return NULL;
}

static sim_status read_header(sim_cubin *cubin, kl_error *err) {
    const uint8_t *image = cubin->image;
    if (cubin->image_bytes < ELF_HEADER_BYTES || memcmp(image, "\177ELF", 4) != 0)
        return sim_fail(err, SIM_BAD_IMAGE, "not a cubin (no ELF header)");
    if (image[4] != 2 || image[5] != 1)
        return sim_fail(err, SIM_BAD_IMAGE, "not a 64-bit little-endian cubin");
    if (read_u16(image + 18) != ELF_MACHINE_CUDA)
        return sim_fail(err, SIM_BAD_IMAGE, "an ELF for another machine (%u), not a cubin",
                        read_u16(image + 18));
    cubin->is_relocatable = read_u16(image + 16) == ELF_TYPE_RELOCATABLE;
    cubin->arch = elf_cuda_arch(image);
    return SIM_OK;
}

// Bytes of section header `index` of a table at `table`, all checked by the caller.
static sim_status read_section(sim_cubin *cubin, const uint8_t *header, cubin_section *section,
                               kl_error *err) {
    uint64_t offset = read_u64(header + 24);
    section->type = read_u32(header + 4);
    section->bytes = read_u64(header + 32);
    section->link = read_u32(header + 40);
    section->info = read_u32(header + 44);
    section->kernel = CUBIN_NO_KERNEL;
    if (elf_is_nobits(section->type)) return SIM_OK;
    if (offset > cubin->image_bytes || section->bytes > cubin->image_bytes - offset)
        return fail_damaged(err, "a section passes the end of the file");
    section->data = cubin->image + offset;
    return SIM_OK;
}

static bool is_string_table(const cubin_section *section) {
    return section->data && section->bytes > 0 && section->data[section->bytes - 1] == '\0';
}

static sim_status name_sections(sim_cubin *cubin, const uint8_t *table, uint32_t names,
                                kl_error *err) {
    if (names >= cubin->section_count || !is_string_table(&cubin->sections[names]))
        return fail_damaged(err, "no table of section names");
    const cubin_section *strings = &cubin->sections[names];
    for (uint32_t i = 0; i < cubin->section_count; i++) {
        uint32_t offset = read_u32(table + (size_t)i * ELF_SECTION_BYTES);
        if (offset >= strings->bytes) return fail_damaged(err, "a section without a name");
        cubin->sections[i].name = (const char *)strings->data + offset;
    }
    return SIM_OK;
}

static sim_status read_sections(sim_cubin *cubin, kl_error *err) {
    const uint8_t *image = cubin->image;
    uint64_t table_at = read_u64(image + 40);
    uint64_t count = read_u16(image + 60);
    uint32_t names = read_u16(image + 62);
    if (table_at == 0 || table_at > cubin->image_bytes ||
        cubin->image_bytes - table_at < ELF_SECTION_BYTES ||
        read_u16(image + 58) != ELF_SECTION_BYTES)
        return fail_damaged(err, "no section table");
    const uint8_t *table = image + table_at;
    if (count == 0) count = read_u64(table + 32); // ELF: too many for 16 bits
    if (names == 0xffff) names = read_u32(table + 40);
    if (count > CUBIN_MAX_SECTIONS || count > (cubin->image_bytes - table_at) / ELF_SECTION_BYTES)
        return fail_damaged(err, "the section table passes the end of the file");
    cubin->sections = sim_arena_array(cubin->arena, (size_t)count, sizeof *cubin->sections);
    if (!cubin->sections) return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a cubin");
    cubin->section_count = (uint32_t)count;
    for (uint32_t i = 0; i < cubin->section_count; i++)
        TRY(read_section(cubin, table + (size_t)i * ELF_SECTION_BYTES, &cubin->sections[i], err));
    return name_sections(cubin, table, names, err);
}

static sim_status read_symbol_table(sim_cubin *cubin, kl_error *err) {
    const cubin_section *table = NULL;
    for (uint32_t i = 0; i < cubin->section_count && !table; i++)
        if (cubin->sections[i].type == ELF_SECTION_SYMTAB) table = &cubin->sections[i];
    if (!table) return SIM_OK; // no kernels then
    if (table->link >= cubin->section_count || !is_string_table(&cubin->sections[table->link]))
        return fail_damaged(err, "no table of symbol names");
    if (table->bytes / ELF_SYMBOL_BYTES > CUBIN_MAX_SYMBOLS)
        return fail_damaged(err, "too many symbols");
    cubin->symbols = table->data;
    cubin->symbol_count = (uint32_t)(table->bytes / ELF_SYMBOL_BYTES);
    cubin->symbol_names = (const char *)cubin->sections[table->link].data;
    cubin->symbol_name_bytes = cubin->sections[table->link].bytes;
    return SIM_OK;
}

// The name of a symbol, "" when it has none or it is damaged.
static const char *symbol_name(const sim_cubin *cubin, uint32_t symbol) {
    uint32_t offset = read_u32(cubin->symbols + (size_t)symbol * ELF_SYMBOL_BYTES);
    return offset < cubin->symbol_name_bytes ? cubin->symbol_names + offset : "";
}

// The section of a symbol when it is the function after which `.text.<name>` is called, else NULL.
static cubin_section *function_section(const sim_cubin *cubin, uint32_t symbol) {
    const uint8_t *at = cubin->symbols + (size_t)symbol * ELF_SYMBOL_BYTES;
    uint32_t index = read_u16(at + 6);
    if ((at[4] & 0xf) != SYMBOL_FUNCTION || index == 0 || index >= cubin->section_count)
        return NULL;
    cubin_section *section = &cubin->sections[index];
    if (!section->data || strncmp(section->name, ".text.", 6) != 0) return NULL;
    return strcmp(section->name + 6, symbol_name(cubin, symbol)) == 0 ? section : NULL;
}

static int compare_kernels(const void *a, const void *b) {
    return strcmp(((const sim_cubin_kernel *)a)->name, ((const sim_cubin_kernel *)b)->name);
}

uint32_t cubin_kernel_index(const sim_cubin *cubin, const char *name) {
    sim_cubin_kernel key = {.name = name};
    const sim_cubin_kernel *found = cubin->kernel_count
                                        ? bsearch(&key, cubin->kernels, cubin->kernel_count,
                                                  sizeof *cubin->kernels, compare_kernels)
                                        : NULL;
    return found ? (uint32_t)(found - cubin->kernels) : (uint32_t)CUBIN_NO_KERNEL;
}

static sim_status list_kernels(sim_cubin *cubin, kl_error *err) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < cubin->symbol_count; i++) count += function_section(cubin, i) != NULL;
    cubin->kernels = sim_arena_array(cubin->arena, count, sizeof *cubin->kernels);
    if (!cubin->kernels) return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a cubin");
    for (uint32_t i = 0; i < cubin->symbol_count; i++) {
        const cubin_section *section = function_section(cubin, i);
        if (!section) continue;
        uint8_t other = cubin->symbols[(size_t)i * ELF_SYMBOL_BYTES + 5];
        cubin->kernels[cubin->kernel_count++] =
            (sim_cubin_kernel){.name = symbol_name(cubin, i),
                               .is_entry = other & SYMBOL_CUDA_ENTRY,
                               .code = section->data,
                               .code_bytes = (size_t)section->bytes};
    }
    if (cubin->kernel_count)
        qsort(cubin->kernels, cubin->kernel_count, sizeof *cubin->kernels, compare_kernels);
    for (uint32_t i = 0; i < cubin->section_count; i++)
        if (strncmp(cubin->sections[i].name, ".text.", 6) == 0)
            cubin->sections[i].kernel = cubin_kernel_index(cubin, cubin->sections[i].name + 6);
    return SIM_OK;
}

uint32_t cubin_symbol_kernel(const sim_cubin *cubin, uint32_t symbol, uint64_t *out_value) {
    if (symbol >= cubin->symbol_count) return CUBIN_NO_KERNEL;
    const uint8_t *at = cubin->symbols + (size_t)symbol * ELF_SYMBOL_BYTES;
    uint32_t section = read_u16(at + 6);
    if (section == 0 || section >= cubin->section_count) return CUBIN_NO_KERNEL;
    *out_value = read_u64(at + 8);
    return cubin->sections[section].kernel;
}

uint32_t cubin_symbol_names_kernel(const sim_cubin *cubin, uint32_t symbol) {
    if (symbol >= cubin->symbol_count) return CUBIN_NO_KERNEL;
    const cubin_section *section = function_section(cubin, symbol);
    return section ? section->kernel : (uint32_t)CUBIN_NO_KERNEL;
}

sim_status sim_cubin_open(const void *image, size_t bytes, sim_cubin **out_cubin, kl_error *err) {
    *out_cubin = NULL;
    if (!image) return sim_fail(err, SIM_INVALID_VALUE, "no image");
    sim_arena *arena = sim_arena_new(CUBIN_MAX_ARENA_BYTES);
    sim_cubin *cubin = arena ? sim_arena_alloc(arena, sizeof *cubin) : NULL;
    if (!cubin) {
        sim_arena_free(arena);
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a cubin");
    }
    cubin->arena = arena;
    cubin->image = image;
    cubin->image_bytes = bytes;
    sim_status status = read_header(cubin, err);
    if (status == SIM_OK) status = read_sections(cubin, err);
    if (status == SIM_OK) status = read_symbol_table(cubin, err);
    if (status == SIM_OK) status = list_kernels(cubin, err);
    if (status == SIM_OK) status = cubin_read_info(cubin, err);
    if (status != SIM_OK) {
        sim_arena_free(arena);
        return status;
    }
    *out_cubin = cubin;
    return SIM_OK;
}

void sim_cubin_close(sim_cubin *cubin) {
    if (cubin) sim_arena_free(cubin->arena); // the record itself lives in its arena
}

uint32_t sim_cubin_arch(const sim_cubin *cubin) { return cubin->arch; }

uint32_t sim_cubin_kernel_count(const sim_cubin *cubin) { return cubin->kernel_count; }

const sim_cubin_kernel *sim_cubin_kernel_get(const sim_cubin *cubin, uint32_t index) {
    return index < cubin->kernel_count ? &cubin->kernels[index] : NULL;
}

const sim_cubin_kernel *sim_cubin_find(const sim_cubin *cubin, const char *name) {
    uint32_t index = cubin_kernel_index(cubin, name);
    return index == CUBIN_NO_KERNEL ? NULL : &cubin->kernels[index];
}

// ---- machine opcode -----------------------------------------------------------------------------
// Operation codes of machine instructions: see image.h.

enum { PLAIN = false, MOVES = true };

static const struct {
    uint16_t code;
    bool moves;
    const char *name, *text;
} rows[] = {
#define MACHINE_OPCODE(code, name, moves, text) {code, moves, name, text},
#include "image/machine_opcodes.def"
#undef MACHINE_OPCODE
};

sim_machine_opcode sim_machine_opcode_of(const uint64_t words[2]) {
    static const uint8_t widths[8] = {8, 8, 16, 16, 32, 64, 128, 0};
    sim_machine_opcode opcode = {
        .code = words[0] & 0xFFF, .predicate = words[0] >> 12 & 7, .negated = words[0] >> 15 & 1};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].code != (opcode.code & 0x1FF)) continue;
        opcode.name = rows[i].name;
        opcode.text = rows[i].text;
        if (rows[i].moves) opcode.bits = widths[words[1] >> 9 & 7];
        break;
    }
    return opcode;
}
