// SPDX-License-Identifier: MIT
// The debug sections that a PTX text holds as text (PTX ISA 9.0, section 11.5.3: `.section
// .debug_info { .b8 1,2 .b64 label }`), as bytes. Labels of code become lines of the PTX, those of
// sections offsets. Other names stand for variables and parameters, whose addresses nobody knows
// here: they become a number that var_symbol_of turns back into the name.
#ifndef SIM_DEBUG_VARIABLES_SECTIONS_H
#define SIM_DEBUG_VARIABLES_SECTIONS_H

#include "base/arena.h"
#include "base/status.h"

enum { VAR_MAX_SECTIONS = 12 };

typedef struct var_section {
    const char *name; // "debug_info"
    uint8_t *bytes;
    size_t count;
} var_section;

// Where the part of one of several linked files begins in .debug_info, and what the linker added to
// its numbers of source files.
typedef struct var_unit {
    size_t offset;
    uint32_t first_file;
} var_unit;

typedef struct var_sections {
    var_section sections[VAR_MAX_SECTIONS];
    uint32_t section_count;
    const char *const *symbols; // [symbol_count]
    uint32_t symbol_count;
    const var_unit *units; // [unit_count], by offset
    uint32_t unit_count;
} var_sections;

// Everything is allocated in `arena`. BAD_PTX names the line. No section at all is no error.
sim_status var_sections_read(const char *ptx, size_t bytes, sim_arena *arena,
                             var_sections *out_sections, kl_error *err);

const var_section *var_section_find(const var_sections *sections, const char *name);

// The name and the offset from it that an address in the sections stands for; NULL: it is a number.
const char *var_symbol_of(const var_sections *sections, uint64_t address, int64_t *out_offset);

// The sections as an ELF file in memory, in `arena`; NULL: no memory.
void *var_elf_image(const var_sections *sections, sim_arena *arena, size_t *out_bytes);

#endif
