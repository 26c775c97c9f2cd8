// Debug sections as an ELF file in memory, for a library that reads DWARF from files: a header, the
// sections one after the other, their names, the section headers (ELF-64 Object File Format 1.5).
#include "debug/variables/internal.h"
#include <elf.h>

enum { ALIGN = 8, NAME_BYTES = 64 };

static size_t aligned(size_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }

static void put_header(uint8_t *image, size_t table, uint16_t count) {
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC, // nothing is left to relocate
        .e_machine = EM_CUDA,
        .e_version = EV_CURRENT,
        .e_shoff = table,
        .e_ehsize = sizeof header,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = count,
        .e_shstrndx = (uint16_t)(count - 1)};
    memcpy(image, &header, sizeof header);
}

// Section 0 is none; the last has the names.
void *var_elf_image(const var_sections *sections, sim_arena *arena, size_t *out_bytes) {
    Elf64_Shdr headers[VAR_MAX_SECTIONS + 2] = {{0}};
    char names[(VAR_MAX_SECTIONS + 2) * NAME_BYTES] = "";
    uint32_t count = sections->section_count, used = 1;
    size_t at = sizeof(Elf64_Ehdr);
    for (uint32_t i = 0; i <= count; i++) {
        bool is_names = i == count;
        const char *name = is_names ? "shstrtab" : sections->sections[i].name;
        size_t name_bytes = strnlen(name, NAME_BYTES - 3);
        headers[i + 1] = (Elf64_Shdr){.sh_name = used,
                                      .sh_type = is_names ? SHT_STRTAB : SHT_PROGBITS,
                                      .sh_offset = at,
                                      .sh_addralign = 1};
        names[used++] = '.';
        memcpy(names + used, name, name_bytes);
        used += (uint32_t)name_bytes + 1;
        headers[i + 1].sh_size = is_names ? used : sections->sections[i].count;
        at = aligned(at + headers[i + 1].sh_size);
    }
    *out_bytes = at + (count + 2) * sizeof headers[0];
    uint8_t *image = sim_arena_alloc(arena, *out_bytes);
    if (!image) return NULL;
    put_header(image, at, (uint16_t)(count + 2));
    for (uint32_t i = 0; i < count; i++)
        memcpy(image + headers[i + 1].sh_offset, sections->sections[i].bytes,
               sections->sections[i].count);
    memcpy(image + headers[count + 1].sh_offset, names, used);
    memcpy(image + at, headers, (count + 2) * sizeof headers[0]);
    return image;
}
