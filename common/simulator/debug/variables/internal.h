// The debug information of a module, as the evaluation of expressions wants it.
#pragma once

#if !defined(SIM_WITHOUT_LIBDW)
#include <elfutils/libdw.h>
#endif

#include "debug/variables/variables.h"

// ---- model --------------------------------------------------------------------------------------
// What the debug information of a module says, free of its encoding: types, functions with their
// blocks, variables with their places. Made by dwarf.c; everything lies in one arena. Addresses of
// code are lines of the PTX. Links between types may form circles (a list's node), of any kind when
// the information is damaged: who follows them counts.

enum { VAR_MAX_DEPTH = 64 }; // of types, blocks, expressions: deeper ones are refused

typedef enum var_kind {
    VAR_VOID,
    VAR_BOOL,
    VAR_CHAR, // signed or not, of one byte
    VAR_INT,
    VAR_FLOAT, // CUDA's __half and __nv_bfloat16 too, which are structs to the compiler
    VAR_ENUM,
    VAR_POINTER,
    VAR_REFERENCE,
    VAR_ARRAY,
    VAR_STRUCT,
    VAR_UNION,
    VAR_FUNCTION,
    VAR_ALIAS // typedef, const, volatile: `of` under another name
} var_kind;

typedef struct var_type var_type;

typedef struct var_member {
    const char *name; // NULL: an unnamed union or struct
    const var_type *type;
    uint64_t offset;           // in bytes
    uint32_t bit_offset, bits; // of a bit field, from the lowest bit at `offset`; bits 0: none
    bool is_base;              // a base class
} var_member;

typedef struct var_enumerator {
    const char *name;
    int64_t value;
} var_enumerator;

struct var_type {
    var_kind kind;
    const char *name; // NULL: made of others, or without one
    uint64_t bytes;   // of a value; 0: unknown. Arrays: see var_type_bytes
    bool is_unsigned;
    bool is_const;      // an ALIAS that adds it
    bool is_brain;      // a FLOAT of two bytes: bfloat16, not half
    const var_type *of; // POINTER, REFERENCE, ARRAY, ALIAS, FUNCTION's result; NULL: void
    ptx_space space;    // POINTER, REFERENCE: of what it points to; NONE: generic
    uint64_t count;     // ARRAY; 0: unknown
    const var_member *members;
    uint32_t member_count;
    const var_enumerator *enumerators;
    uint32_t enumerator_count;
};

typedef enum var_base {
    VAR_BASE_NONE,
    VAR_BASE_REGISTER,
    VAR_BASE_SYMBOL,
    VAR_BASE_ADDRESS
} var_base;

// Where a variable lies: in a register; or in memory at what a register, a symbol or a number says,
// plus `offset`.
typedef struct var_place {
    var_base base;  // NONE: nowhere, or in a way that is not understood
    bool in_memory; // with a register: it holds the address
    const char *name;
    int64_t offset;
} var_place;

typedef struct var_range { // of PTX lines, in which a variable has this place
    uint64_t from, to;
    var_place place;
} var_range;

typedef struct var_variable {
    const char *name;
    const var_type *type;
    sim_variable_kind kind;
    ptx_space space;      // of its memory, by its address class
    uint32_t line, order; // of its declaration; among those of its scope
    const var_range *ranges;
    uint32_t range_count;
    bool has_constant; // it has a value and no place
    int64_t constant;
} var_variable;

typedef enum var_scope_kind {
    VAR_SCOPE_FUNCTION,
    VAR_SCOPE_INLINED,
    VAR_SCOPE_BLOCK
} var_scope_kind;

typedef struct var_scope var_scope;
struct var_scope {
    var_scope_kind kind;
    const char *name; // of a function
    uint64_t from, to;
    uint32_t file, line, call_file, call_line;
    const var_variable *variables;
    uint32_t variable_count;
    const var_scope *inner; // the first scope within this one
    const var_scope *next;  // beside this one
};

typedef struct var_model {
    sim_arena *arena;
    const var_scope *functions;    // linked by `next`
    const var_variable *variables; // of the module
    uint32_t variable_count;
    const var_type *const *types; // those with names, and all enumerations
    uint32_t type_count;
} var_model;

// Reads the sections of a PTX text into `model`. BAD_PTX: they are damaged; NOT_FOUND: there are
// none; UNSUPPORTED: this build has no libdw. The rest of the model is empty then.
sim_status var_model_read(const char *ptx, size_t bytes, var_model *model, kl_error *err);

// The type behind aliases; never an ALIAS. NULL becomes void.
const var_type *var_strip(const var_type *type);
// Size of a value in bytes, of an array of all its elements; 0: unknown, or of no size that fits.
uint64_t var_type_bytes(const var_type *type);
// "@shared float (*)[8]" into out; cut where it does not fit.
void var_type_name(const var_type *type, char *out, size_t out_bytes);

// Base types as C names them: "unsigned int", "long long", "float"; NULL: there is none.
const var_type *var_base_type(const char *name);
// The integer type of `bytes` bytes.
const var_type *var_int_type(uint32_t bytes, bool is_unsigned);
extern const var_type var_bool, var_char, var_float, var_double, var_void;
// uint3, the type of threadIdx and the like.
extern const var_type var_uint3;

// "@shared", of a space; "@generic" for NONE.
const char *var_space_name(ptx_space space);

// ---- sections.c ---------------------------------------------------------------------------------
// The debug sections that a PTX text holds as text (PTX ISA 9.0, section 11.5.3: `.section
// .debug_info { .b8 1,2 .b64 label }`), as bytes. Labels of code become lines of the PTX, those of
// sections offsets. Other names stand for variables and parameters, whose addresses nobody knows
// here: they become a number that var_symbol_of turns back into the name.

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

// ---- dwarf.c ------------------------------------------------------------------------------------
// What dwarf.c and dwarf_types.c share: reading of DWARF with elfutils' libdw into a var_model.
#if !defined(SIM_WITHOUT_LIBDW)

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
