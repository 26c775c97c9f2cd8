// SPDX-License-Identifier: MIT
// What dwarf.c and dwarf_types.c share: reading of DWARF with elfutils' libdw into a var_model.
#ifndef SIM_DEBUG_VARIABLES_DWARF_H
#define SIM_DEBUG_VARIABLES_DWARF_H

#include <elfutils/libdw.h>

#include "debug/variables/model.h"
#include "debug/variables/sections.h"

// A type that is known by its place in .debug_info; `die` until it is filled.
typedef struct var_type_slot {
    Dwarf_Off offset;
    var_type *type; // NULL: an empty slot
    Dwarf_Die die;
} var_type_slot;

typedef struct var_dwarf {
    var_model *model;
    const var_sections *sections;
    Dwarf *dwarf;
    var_type_slot *slots; // open-addressed, a power of two
    uint32_t slot_count, type_count;
    var_type_slot *waiting; // types whose contents are still to be read
    uint32_t waiting_count, waiting_capacity;
    uint32_t entries;    // read so far
    uint32_t first_file; // what to add to the unit's numbers of source files
    kl_error *err;
} var_dwarf;

enum { VAR_MAX_ENTRIES = 4 << 20 }; // of .debug_info, of all kinds

// Space of an NVIDIA address class (DW_AT_address_class, CUDA-GDB's ptxDwarf); NONE: generic.
ptx_space var_class_space(Dwarf_Die *die);

// A copy of an attribute's text, NULL where there is none or no memory.
const char *var_die_text(var_dwarf *d, Dwarf_Die *die, unsigned attribute);
// "util::scale" of "_ZN4util5scaleE", by which nvcc names what lies in namespaces; else `name`.
const char *var_plain_name(var_dwarf *d, const char *name);
// An attribute's number, or `otherwise`.
uint64_t var_die_number(Dwarf_Die *die, unsigned attribute, uint64_t otherwise);

// The type of DW_AT_type, to be filled by var_dwarf_fill_types; *out_type is NULL for void.
sim_status var_die_type(var_dwarf *d, Dwarf_Die *die, const var_type **out_type);
// Reads the contents of all types that var_die_type met, and of those which they name.
sim_status var_dwarf_fill_types(var_dwarf *d);

// Counts an entry; BAD_PTX when there are too many, which only a circle can make.
sim_status var_dwarf_count(var_dwarf *d);
sim_status var_dwarf_no_memory(var_dwarf *d);

#endif
