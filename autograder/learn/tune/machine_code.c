// Machine code of a shared object: see internal.h. Decodes two instructions only, branch and
// multiply-add, of the 128-bit encoding of compute capabilities 7.x to 9.x (fields found by
// compiling known kernels).
#include "learn/tune/internal.h"
#include "image/image.h"

enum {
    INSTRUCTION_BYTES = 16,
    ENCODING_FIRST = 70, // architectures of this encoding
    ENCODING_LAST = 90,
    OPCODE_BITS = 12,
    OPCODE_BRA = 0x947,
    OPCODE_FFMA = 0x223,     // all operands in registers
    OPCODE_FFMA_ANY = 0x023, // of the low nine bits: also with a constant or immediate operand
    OPERANDS = 3,
    NO_REGISTER = 255, // reads as 0 from no bank
    LOOP_LEAST = 32    // multiply-adds, below which a loop is not one of products
};

typedef struct instruction {
    uint64_t low, high;
} instruction;

static instruction at(const uint8_t *code, size_t index) {
    instruction i;
    memcpy(&i.low, code + index * INSTRUCTION_BYTES, sizeof i.low);
    memcpy(&i.high, code + index * INSTRUCTION_BYTES + sizeof i.low, sizeof i.high);
    return i;
}

static unsigned opcode(instruction i) { return i.low & ((1u << OPCODE_BITS) - 1); }

static bool is_product(instruction i) { return (opcode(i) & 0x1ff) == OPCODE_FFMA_ANY; }

// Index that the branch at `index` jumps to. Distance in bytes from the next instruction: bits 34
// .. 81 hold its bits 10 .. 57, bits 16 .. 23 its bits 2 .. 9.
static int64_t target(instruction i, size_t index) {
    uint64_t field = i.low >> 34 | (i.high & 0x3ffff) << 30;
    int64_t upper = (int64_t)(field << 16) >> 16; // 48 bits with sign
    int64_t distance = upper * 1024 + (int64_t)(i.low >> 16 & 0xff) * 4;
    return (int64_t)index + 1 + distance / INSTRUCTION_BYTES;
}

// What the operands' reuse caches hold after an instruction: a register, or NO_REGISTER.
typedef struct reuse {
    unsigned held[OPERANDS];
} reuse;

static const reuse nothing = {{NO_REGISTER, NO_REGISTER, NO_REGISTER}};

// True when the multiply-add reads two fresh registers of one bank; notes what it leaves.
static bool conflicts(instruction i, reuse *cache) {
    const unsigned registers[OPERANDS] = {
        (unsigned)(i.low >> 24 & 0xff), (unsigned)(i.low >> 32 & 0xff), (unsigned)(i.high & 0xff)};
    unsigned seen[OPERANDS], seen_count = 0;
    int in_bank[2] = {0, 0};
    for (int o = 0; o < OPERANDS; o++) {
        unsigned r = registers[o];
        bool known = r == NO_REGISTER || cache->held[o] == r;
        for (unsigned s = 0; s < seen_count; s++) known = known || seen[s] == r;
        if (known) continue;
        seen[seen_count++] = r;
        in_bank[r % 2]++;
    }
    for (int o = 0; o < OPERANDS; o++) {
        bool keeps = (i.high >> (58 + o) & 1) != 0; // bits 122 .. 124
        cache->held[o] = keeps ? registers[o] : NO_REGISTER;
    }
    return in_bank[0] > 1 || in_bank[1] > 1;
}

static void measure(const uint8_t *code, size_t first, size_t last, ladder_machine_code *out) {
    reuse cache = nothing;
    int products = 0, in_registers = 0, waiting = 0;
    for (size_t k = first; k <= last; k++) {
        instruction i = at(code, k);
        products += is_product(i);
        if (opcode(i) != OPCODE_FFMA) {
            cache = nothing;
            continue;
        }
        in_registers++;
        waiting += conflicts(i, &cache);
    }
    out->loop_instructions = (int)(last - first + 1);
    out->loop_products = products;
    out->bank_share = in_registers > 0 ? (double)waiting / in_registers : NAN;
}

void ladder_machine_code_loop(const uint8_t *code, size_t bytes, ladder_machine_code *out_code) {
    size_t count = bytes / INSTRUCTION_BYTES;
    ladder_machine_code best = {.bank_share = NAN};
    for (size_t k = 0; k < count; k++) {
        instruction i = at(code, k);
        if (opcode(i) != OPCODE_BRA) continue;
        int64_t to = target(i, k);
        if (to < 0 || to >= (int64_t)k) continue;
        ladder_machine_code loop;
        measure(code, (size_t)to, k, &loop);
        bool inner = loop.loop_products == best.loop_products &&
                     loop.loop_instructions < best.loop_instructions;
        if (loop.loop_products >= LOOP_LEAST && (loop.loop_products > best.loop_products || inner))
            best = loop;
    }
    out_code->loop_instructions = best.loop_instructions;
    out_code->loop_products = best.loop_products;
    out_code->bank_share = best.bank_share;
}

static int largest(int a, uint32_t b) { return (int)b > a ? (int)b : a; }

static void add_kernel(const sim_cubin_kernel *kernel, bool known_encoding,
                       ladder_machine_code *out) {
    out->registers = largest(out->registers, kernel->registers);
    out->spill_bytes =
        largest(out->spill_bytes, kernel->spill_store_bytes + kernel->spill_load_bytes);
    out->shared_bytes = largest(out->shared_bytes, kernel->shared_bytes);
    if (!known_encoding) return;
    ladder_machine_code loop;
    ladder_machine_code_loop(kernel->code, kernel->code_bytes, &loop);
    if (loop.loop_products > out->loop_products) {
        out->loop_instructions = loop.loop_instructions;
        out->loop_products = loop.loop_products;
        out->bank_share = loop.bank_share;
    }
}

static kl_status read_cubin(sim_fatbin *fatbin, uint32_t index, ladder_machine_code *out_code,
                            kl_error *err) {
    const uint8_t *image = NULL;
    size_t bytes = 0;
    sim_cubin *cubin = NULL;
    if (sim_fatbin_payload(fatbin, index, &image, &bytes, err) != SIM_OK ||
        sim_cubin_open(image, bytes, &cubin, err) != SIM_OK)
        return kl_fail_from(err, KL_ERROR_INPUT, "its machine code cannot be read");
    uint32_t arch = sim_cubin_arch(cubin);
    bool known = arch >= ENCODING_FIRST && arch <= ENCODING_LAST;
    for (uint32_t k = 0; k < sim_cubin_kernel_count(cubin); k++)
        add_kernel(sim_cubin_kernel_get(cubin, k), known, out_code);
    sim_cubin_close(cubin);
    return KL_OK;
}

// Every image of the architecture: beside the kernels' there is one of nvcc's device link without
// any.
static kl_status read_fatbin(sim_fatbin *fatbin, uint32_t architecture,
                             ladder_machine_code *out_code, kl_error *err) {
    uint32_t images = 0;
    for (uint32_t i = 0; i < sim_fatbin_count(fatbin); i++) {
        const sim_fatbin_entry *entry = sim_fatbin_get(fatbin, i);
        if (entry->kind != SIM_FATBIN_CUBIN || entry->arch != architecture) continue;
        TRY(read_cubin(fatbin, i, out_code, err));
        images++;
    }
    if (images > 0 && out_code->registers > 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "it has no machine code of a kernel for sm_%u",
                   architecture);
}

kl_status ladder_machine_code_read(const char *path, uint32_t architecture,
                                   ladder_machine_code *out_code, kl_error *err) {
    ladder_elf elf;
    *out_code = (ladder_machine_code){.bank_share = NAN};
    TRY(ladder_elf_read(path, &elf, err));
    kl_status status = KL_OK;
    sim_fatbin *fatbin = NULL;
    if (!elf.device_code) status = kl_fail(err, KL_ERROR_INPUT, "%s holds no kernels", path);
    else if (sim_fatbin_open(elf.device_code, elf.device_code_bytes, &fatbin, err) != SIM_OK)
        status = kl_fail_from(err, KL_ERROR_INPUT, "%s", path);
    else status = read_fatbin(fatbin, architecture, out_code, err);
    sim_fatbin_close(fatbin);
    ladder_elf_free(&elf);
    return status;
}
