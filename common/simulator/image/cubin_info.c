// Attributes of kernels: .nv.info (by symbol), .nv.info.<kernel>, and sizes of .nv.shared.* and
// .nv.constant*. An attribute is {u8 format, u8 number, then by format a byte, a u16, or a u16 size
// and so many bytes}. Verified against `ptxas -v` (tests/image/nvcc_test.c). Unknown attributes are
// skipped.
#include "image/internal.h"

enum {
    FORMAT_NONE = 1,
    FORMAT_U8 = 2,
    FORMAT_U16 = 3,
    FORMAT_SIZED = 4,

    ATTRIBUTE_MAX_THREADS = 0x05,      // u32 x, y, z
    ATTRIBUTE_REQUIRED_THREADS = 0x10, // u32 x, y, z
    ATTRIBUTE_FRAME = 0x11,            // u32 symbol, u32 bytes
    ATTRIBUTE_STACK = 0x12,            // u32 symbol, u32 bytes with callees
    ATTRIBUTE_PARAM = 0x17,            // u32 0, u16 ordinal, u16 offset, u32 size << 18 | flags
    ATTRIBUTE_PARAM_BYTES = 0x19,      // u16
    ATTRIBUTE_MAX_REGISTERS = 0x1b,    // u16
    ATTRIBUTE_REGISTERS = 0x2f,        // u32 symbol, u32 count
    ATTRIBUTE_BARRIERS = 0x4c,         // u8
    ATTRIBUTE_ANNOTATIONS = 0x55,      // pairs of u32 kind, u32 offset of an instruction
    ANNOTATION_SPILL = 1,

    RESERVED_SHARED_BYTES = 1024, // at the beginning of shared memory since sm_90
    UNLIMITED_REGISTERS = 255,
    MAX_PARAMS = 4096,
};

#define STACK_UNKNOWN UINT32_MAX // value of ATTRIBUTE_STACK

typedef struct attribute {
    uint8_t format, number;
    uint16_t value;      // FORMAT_U8, FORMAT_U16
    const uint8_t *data; // FORMAT_SIZED
    uint32_t bytes;
} attribute;

typedef struct attribute_reader {
    const uint8_t *at, *end;
} attribute_reader;

// False at the end, or where the section is damaged: what was read before stays.
static bool next_attribute(attribute_reader *reader, attribute *out) {
    if (reader->end - reader->at < 4) return false;
    *out = (attribute){.format = reader->at[0], .number = reader->at[1]};
    out->value = read_u16(reader->at + 2);
    reader->at += 4;
    if (out->format == FORMAT_U8) out->value &= 0xff;
    if (out->format != FORMAT_SIZED) return out->format >= FORMAT_NONE && out->format <= FORMAT_U16;
    if (out->value > reader->end - reader->at) return false;
    out->data = reader->at;
    out->bytes = out->value;
    reader->at += out->bytes;
    return true;
}

static attribute_reader read_attributes(const cubin_section *section) {
    const uint8_t *data = section->data;
    return (attribute_reader){data, data ? data + section->bytes : data};
}

// .nv.info: attributes of the whole file, each naming the function it is about.
static void read_global_info(sim_cubin *cubin, const cubin_section *section) {
    attribute_reader reader = read_attributes(section);
    attribute at;
    while (next_attribute(&reader, &at)) {
        if (at.format != FORMAT_SIZED || at.bytes < 8) continue;
        uint32_t index = cubin_symbol_names_kernel(cubin, read_u32(at.data));
        if (index == CUBIN_NO_KERNEL) continue;
        sim_cubin_kernel *kernel = &cubin->kernels[index];
        uint32_t value = read_u32(at.data + 4);
        if (at.number == ATTRIBUTE_REGISTERS) kernel->registers = value;
        if (at.number == ATTRIBUTE_FRAME) kernel->frame_bytes = value;
        if (at.number == ATTRIBUTE_STACK) {
            kernel->is_stack_unknown = value == STACK_UNKNOWN;
            kernel->stack_bytes = kernel->is_stack_unknown ? 0 : value;
        }
    }
}

// Bytes that the LDL or STL at `offset` of the code moves (as nvdisasm 13.0 shows them for sm_90),
// and which of the two it is.
static uint32_t spill_bytes(const sim_cubin_kernel *kernel, uint32_t offset, bool *out_is_store) {
    enum { LDL = 0x983, STL = 0x387 };
    if (kernel->code_bytes < CUBIN_INSTRUCTION_BYTES ||
        offset > kernel->code_bytes - CUBIN_INSTRUCTION_BYTES)
        return 0;
    uint64_t low = read_u64(kernel->code + offset), high = read_u64(kernel->code + offset + 8);
    static const uint8_t widths[8] = {1, 1, 2, 2, 4, 8, 16, 0}; // by bits 9-11 of the second word
    uint32_t opcode = low & 0xfff;
    *out_is_store = opcode == STL;
    return opcode == STL || opcode == LDL ? widths[high >> 9 & 7] : 0;
}

// Byte of a cubin's ELF header: 7 of nvcc 11.8 and 12.4, 8 of 13.0.
enum { ELF_ABI_VERSION = 8, ABI_OF_13 = 8 };

static int compare_u32(const void *a, const void *b) {
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

// `spills` has room for every pair; the offsets are sorted by the caller.
static void read_spills(sim_cubin_kernel *kernel, const attribute *at, uint32_t *spills) {
    for (uint32_t i = 0; i < at->bytes / 8; i++) {
        if (read_u32(at->data + i * 8) != ANNOTATION_SPILL) continue;
        bool is_store = false;
        uint32_t offset = read_u32(at->data + i * 8 + 4);
        uint32_t bytes = spill_bytes(kernel, offset, &is_store);
        if (bytes == 0) continue;
        spills[kernel->spill_count++] = offset;
        *(is_store ? &kernel->spill_store_bytes : &kernel->spill_load_bytes) += bytes;
    }
}

static void count_local_accesses(sim_cubin_kernel *kernel) {
    for (uint32_t at = 0; at < kernel->code_bytes; at += CUBIN_INSTRUCTION_BYTES) {
        bool is_store = false;
        uint32_t bytes = spill_bytes(kernel, at, &is_store);
        *(is_store ? &kernel->spill_store_bytes : &kernel->spill_load_bytes) += bytes;
    }
}

static void read_threads(const attribute *at, uint32_t out[3]) {
    if (at->bytes < 12) return;
    for (int i = 0; i < 3; i++) out[i] = read_u32(at->data + i * 4);
}

// Parameters come in descending order; `ordinal` is their index.
static void read_param(const attribute *at, sim_cubin_param *params, uint32_t count) {
    uint32_t ordinal = read_u16(at->data + 4);
    if (ordinal >= count) return;
    params[ordinal].offset = read_u16(at->data + 6);
    params[ordinal].size_bytes = read_u32(at->data + 8) >> 18;
}

// Makes room for the parameters and spills that the section will give.
static sim_status allocate_lists(sim_cubin *cubin, const cubin_section *section,
                                 sim_cubin_kernel *kernel, sim_cubin_param **out_params,
                                 uint32_t **out_spills, kl_error *err) {
    attribute_reader reader = read_attributes(section);
    attribute at;
    size_t params = 0, pairs = 0;
    while (next_attribute(&reader, &at)) {
        if (at.number == ATTRIBUTE_PARAM && at.bytes >= 12) params++;
        if (at.number == ATTRIBUTE_ANNOTATIONS) pairs += at.bytes / 8;
    }
    if (params > MAX_PARAMS)
        return sim_fail(err, SIM_BAD_IMAGE, "damaged cubin: %zu parameters", params);
    *out_params = sim_arena_array(cubin->arena, params, sizeof **out_params);
    *out_spills = sim_arena_array(cubin->arena, pairs, sizeof **out_spills);
    kernel->params = *out_params;
    kernel->param_count = (uint32_t)params;
    kernel->spills = *out_spills;
    return *out_params && *out_spills ? SIM_OK
                                      : sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a cubin");
}

// .nv.info.<kernel>
static sim_status read_kernel_info(sim_cubin *cubin, const cubin_section *section,
                                   sim_cubin_kernel *kernel, kl_error *err) {
    if (kernel->params) return SIM_OK; // a second section of this name: only the first counts
    sim_cubin_param *params = NULL;
    uint32_t *spills = NULL;
    TRY(allocate_lists(cubin, section, kernel, &params, &spills, err));
    attribute_reader reader = read_attributes(section);
    attribute at;
    while (next_attribute(&reader, &at)) {
        bool sized = at.format == FORMAT_SIZED;
        switch (at.number) {
        case ATTRIBUTE_MAX_THREADS:
            if (sized) read_threads(&at, kernel->max_threads);
            break;
        case ATTRIBUTE_REQUIRED_THREADS:
            if (sized) read_threads(&at, kernel->required_threads);
            break;
        case ATTRIBUTE_PARAM:
            if (sized && at.bytes >= 12) read_param(&at, params, kernel->param_count);
            break;
        case ATTRIBUTE_ANNOTATIONS:
            if (sized) read_spills(kernel, &at, spills);
            break;
        case ATTRIBUTE_PARAM_BYTES:
            if (!sized) kernel->param_bytes = at.value;
            break;
        case ATTRIBUTE_MAX_REGISTERS:
            if (!sized && at.value < UNLIMITED_REGISTERS) kernel->max_registers = at.value;
            break;
        case ATTRIBUTE_BARRIERS:
            if (!sized) kernel->barriers = at.value;
            break;
        default: break;
        }
    }
    if (kernel->spill_count) qsort(spills, kernel->spill_count, sizeof *spills, compare_u32);
    kernel->marks_spills = kernel->spill_count || cubin->image[ELF_ABI_VERSION] >= ABI_OF_13;
    if (!kernel->marks_spills) count_local_accesses(kernel);
    return SIM_OK;
}

static uint32_t cap_u32(uint64_t bytes) {
    return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
}

// The kernel that a section named `prefix` + kernel belongs to; NULL for other sections.
static sim_cubin_kernel *kernel_of(sim_cubin *cubin, const cubin_section *section,
                                   const char *prefix) {
    size_t length = strlen(prefix);
    if (strncmp(section->name, prefix, length) != 0) return NULL;
    uint32_t index = cubin_kernel_index(cubin, section->name + length);
    return index == CUBIN_NO_KERNEL ? NULL : &cubin->kernels[index];
}

sim_status cubin_read_info(sim_cubin *cubin, kl_error *err) {
    // A linked sm_90 cubin counts the reserved bytes in .nv.shared.<kernel>; a relocatable one does
    // not.
    uint32_t counted = cubin->arch >= 90 && !cubin->is_relocatable ? RESERVED_SHARED_BYTES : 0;
    for (uint32_t i = 0; i < cubin->section_count; i++) {
        const cubin_section *section = &cubin->sections[i];
        sim_cubin_kernel *kernel;
        if (section->kernel != CUBIN_NO_KERNEL && cubin->arch < 90) {
            // Before sm_90 the register count is also in bits 24-31 of sh_info of the code.
            cubin->kernels[section->kernel].registers = section->info >> 24;
        } else if ((kernel = kernel_of(cubin, section, ".nv.shared."))) {
            uint32_t bytes = cap_u32(section->bytes);
            kernel->shared_bytes = bytes > counted ? bytes - counted : 0;
        } else if ((kernel = kernel_of(cubin, section, ".nv.info."))) {
            TRY(read_kernel_info(cubin, section, kernel, err));
        }
    }
    const cubin_section *global = cubin_find_section(cubin, ".nv.info");
    if (global) read_global_info(cubin, global);
    for (uint32_t i = 0; i < cubin->kernel_count; i++)
        if (cubin->kernels[i].stack_bytes < cubin->kernels[i].frame_bytes)
            cubin->kernels[i].stack_bytes = cubin->kernels[i].frame_bytes;
    return SIM_OK;
}
