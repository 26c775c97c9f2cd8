// The decoded program: what the decoder makes of a PTX syntax tree and the executor runs.
// Everything is resolved: registers are byte offsets into a warp's frame, labels are indices,
// symbols are addresses, reconvergence points are known. Nothing here depends on a launch.
#pragma once

#include "program/instr.h"

// The user's line: of code inlined from headers of the toolkit or the system, the place of the call
// in a file that is neither.
typedef struct sim_location {
    uint32_t file, line; // file: index into program->files; line 0: unknown
    uint32_t call;       // sim_wait_call: what was called there, as far as waits are told by it
} sim_location;

// What a function of the toolkit's headers waits for: the rows of wait_calls.def.
typedef enum sim_wait_call {
    SIM_WAIT_NONE,
#define SIM_WAIT_CALL(id, ...) SIM_WAIT_##id,
#include "program/wait_calls.def"
#undef SIM_WAIT_CALL
    SIM_WAIT_COUNT
} sim_wait_call;

// A value that a frame holds from its beginning.
typedef struct sim_constant {
    uint32_t slot;  // of all lanes
    uint8_t bytes;  // 4 or 8 a lane; 0: a predicate slot
    bool is_shared; // an offset in the block's shared memory, whose first address is added
    uint64_t value; // of each lane, in the lowest bytes
} sim_constant;

// A register, or a .param variable, that a thread may read before anything has written to it. What
// it holds then is sim_unset_word, so that results show it.
typedef struct sim_unset {
    uint32_t slot;   // of all lanes
    uint32_t bytes;  // of all lanes; 4: a predicate
    uint32_t number; // tells it apart from others of its function
    bool wide;       // 64 bits a lane and not 32
    bool in_frame;   // a .param variable
} sim_unset;

// Word `index` of it: an integer that is no index (above 10^9 or below -9 * 10^8), as a float
// between 32,768 and 131,072 and as two halves between 7 and 8, either sign; each lane has another
// one. As the upper word of 64 bits a double between 65,536 and 131,072 and no valid address.
static inline uint32_t sim_unset_word(const sim_unset *unset, uint32_t index) {
    uint32_t x = (unset->number * 64 + index) * UINT32_C(0x9E3779B1);
    x = (x ^ x >> 15) * UINT32_C(0x85EBCA77);
    x ^= x >> 13;
    if (unset->bytes == 4) return x;
    if (unset->wide && index % 2) return UINT32_C(0x40F00000) | (x & UINT32_C(0x800FFFFF));
    return UINT32_C(0x47004700) | (x & UINT32_C(0x80FF80FF));
}

// Special registers, by their PTX names: %tid.x and so on.
typedef enum sim_special_id {
#define SIM_SPECIAL(id, name, width) SIM_SPECIAL_##id,
#include "program/specials.def"
#undef SIM_SPECIAL
    SIM_SPECIAL_COUNT
} sim_special_id;

// A special register that a function reads, and the slot in which it finds it.
typedef struct sim_special {
    uint32_t slot; // 32-bit slot; 64-bit for GRIDID
    uint8_t id;    // sim_special_id
} sim_special;

// A parameter or return value of a device function, or a call's argument.
typedef struct sim_frame_param {
    uint32_t slot, size_bytes; // of the value in the frame; its size as PTX declares it
} sim_frame_param;

typedef struct sim_call { // sim_instr.extra of CALL: caller's slots, copied lane by lane
    const sim_frame_param *arguments, *returns; // in order
    uint32_t argument_count, return_count;      // of these
    const char *name;                           // for messages and built-ins (builtins.def)
    bool is_builtin;                            // no PTX body: the executor provides it by name
} sim_call;

typedef struct sim_entry_param {              // kernel parameter, as cudaLaunchKernel needs it
    uint32_t offset, size_bytes, align_bytes; // in the parameter block
} sim_entry_param;

// A loop that is only left by comparing an index of 32 bits with a parameter of the kernel, which
// it does not do when the parameter is 2^31 or more.
typedef struct sim_narrow_loop {
    uint32_t pc;            // of the comparison
    uint32_t offset, bytes; // of the parameter in the block: as a whole (8), or its low half (4)
} sim_narrow_loop;
enum { SIM_NARROW_LOOPS = 16 }; // that are noted of a kernel, the first ones

// What a name of the PTX means in a function: for debuggers.
typedef enum sim_name_kind {
    SIM_NAME_REGISTER, // at `place` of the frame
    SIM_NAME_LOCAL,    // at `place` of the function's local memory
    SIM_NAME_PARAM     // at `place` of the kernel's parameter block
} sim_name_kind;
// One name, and what it means.
typedef struct sim_name {
    const char *name;    // "%r5", "__local_depot0", "_Z6kernelPf_param_0"
    uint8_t kind, bytes; // sim_name_kind; REGISTER: 4, 8 or 16 of a lane, 0: a predicate
    uint64_t place;      // what it is depends on the kind
} sim_name;

enum { SIM_SCOREBOARDS = 6 }; // of a warp

enum { SIM_REGISTER_BANKS = 2 }; // of even and of odd registers

// Pipes that a machine instruction may go to: integers and logic; products of integers, and what
// ptxas makes of them; of those with 64 bits; arithmetic of float; special functions; branches, and
// where lanes meet again behind them; loads of constants into uniform registers; any other.
typedef enum sim_machine_pipe {
    SIM_MACHINE_PIPE_OTHER,
    SIM_MACHINE_PIPE_ALU,
    SIM_MACHINE_PIPE_PRODUCT,
    SIM_MACHINE_PIPE_WIDE,
    SIM_MACHINE_PIPE_FLOAT,
    SIM_MACHINE_PIPE_SPECIAL,
    SIM_MACHINE_PIPE_BRANCH,
    SIM_MACHINE_PIPE_UNIFORM,
    SIM_MACHINE_PIPES
} sim_machine_pipe;

// A machine instruction of a function.
typedef struct sim_machine_op {
    uint32_t pc;   // of the PTX instruction that it came from
    uint8_t depth; // loops of the machine code around it
    uint8_t stall; // cycles until the warp's next instruction, at least
    bool jumps;    // a branch, or the end of a thread
    bool accesses; // memory, or another unit of which ptxas does not know the time
    // Of the warp's six scoreboards, a bit each: which one its result clears, if that takes a time
    // that ptxas does not know, and which have to be clear before it.
    uint8_t sets, waits;
    // Registers that it reads from each of two banks: behind the one before it, which may have kept
    // some of them (reuse), and when another warp came between. Of multiply-adds of floats alone.
    uint8_t reads[SIM_REGISTER_BANKS], reads_alone[SIM_REGISTER_BANKS];
    uint8_t pipe;      // sim_machine_pipe
    bool calls, aside; // a function; seldom executed, as it calls one for rare operands
} sim_machine_op;

// By how many machine instructions those that a launch executes grow with each time that a warp
// executes a PTX instruction, and with each time that one splits a warp.
typedef struct sim_machine_weight {
    int32_t executed;  // machine instructions with each execution
    int32_t divergent; // and with each split
} sim_machine_weight;

// One function of a program: an entry (a kernel) or what it calls.
typedef struct sim_function {
    const char *name; // mangled
    bool is_entry;    // a kernel
    // Decoded with sim_decode_options.keep_registers: names that hold in all of the code.
    const sim_name *names;
    uint32_t name_count;  // of `names`
    const char *refusal;  // why it cannot run: it, or a function that it calls, has an instruction
                          // that the simulator does not have; NULL: it can
    sim_instr *code;      // [code_count]; a pc is an index of it
    uint32_t code_count;  // of `code`
    uint32_t frame_bytes; // of one warp
    const sim_constant *constants; // [constant_count]
    uint32_t constant_count;       // of `constants`
    const sim_special *specials;   // [special_count]
    uint32_t special_count;        // of `specials`
    const sim_unset *unset;        // [unset_count]
    uint32_t unset_count;          // of `unset`
    const uint32_t *slots;         // operand lists and branch tables
    uint32_t slot_count;           // of `slots`
    // Functions with wgmma: the code and the lists once more, with the number of a PTX register, a
    // constant or the like, below value_count, in place of its slot, which others share. Else NULL.
    const struct sim_function *by_register;
    uint32_t value_count;                          // of these numbers
    const sim_location *locations;                 // [location_count], see sim_instr
    uint32_t location_count;                       // of `locations`
    const sim_entry_param *entry_params;           // entries
    uint32_t entry_param_count, entry_param_bytes; // of these; bytes of the parameter block
    const sim_narrow_loop *narrow;                 // [narrow_count], entries
    uint32_t narrow_count;                         // of `narrow`
    const sim_frame_param *params, *returns;       // device functions
    uint32_t param_count, return_count;            // of these
    // Static shared memory that this function's code declares or uses (see program); entries: of
    // the whole call tree, rounded to 16 as ptxas does.
    uint32_t shared_bytes;
    uint32_t dynamic_shared_offset; // entries: where dynamic shared memory starts; >= shared_bytes
    // Entries whose call tree uses the scratch space that sm_80 and later reserve for tiles of
    // several warps: where it lies in shared memory. 0 bytes: none.
    uint32_t scratch_offset, scratch_bytes;
    uint32_t local_bytes; // per thread, this function's own depot, a multiple of 16
    // SIM_NO_SLOT in entries (base 0); device functions: a 64-bit slot that the call fills.
    uint32_t local_base_slot;
    // with the offset of this frame's local memory (the caller's stack pointer)
    uint32_t cluster[3];          // blocks of a cluster that it is compiled for; 0: not given
    uint32_t most_cluster_blocks; // .maxclusterrank; 0: not given
    uint32_t max_threads[3], required_threads[3], min_blocks, max_registers; // 0: not given
    // Has a global atomic, fence.gpu, or volatile/acquire global access (and callees).
    bool orders_blocks;
    bool has_barrier;
    const sim_machine_op *machine; // [machine_count], in the order of the code; NULL: not known
    uint32_t machine_count;        // of `machine`
    const sim_machine_weight *machine_weights; // [code_count]; NULL: not known
    // Machine code from which they can be found, once somebody asks; NULL: none, or they were.
    const uint8_t *machine_code;
    uint32_t machine_code_bytes; // of `machine_code`
    // From the cubin, filled by the engine; registers 0: no cubin.
    uint32_t cubin_registers, cubin_shared_bytes, cubin_local_bytes, cubin_code_bytes;
    uint32_t cubin_barriers;
    uint32_t cubin_spill_store_bytes, cubin_spill_load_bytes; // as ptxas -v prints
    struct sim_bound *bound; // the executor's view, set by sim_program_bind
} sim_function;

// Where module-scope variables live. Global and const variables get device addresses from the
// engine before decoding; shared ones get offsets inside the block's window: statics first, dynamic
// after them.
typedef struct sim_symbol {
    const char *name;    // as in the PTX
    ptx_space space;     // GLOBAL, CONST, SHARED
    uint64_t address;    // device address; SHARED: offset in the shared window
    uint64_t size_bytes; // of the variable
    // Extern .shared []: address is the end of the static part, known per function.
    bool is_dynamic_shared;
    const ptx_variable *variable;
} sim_symbol;

// What `mov.u64 %rd, function` gives and an indirect call takes: index of a function of the same
// program.
#define SIM_CODE_WINDOW UINT64_C(0x130000000000)
static inline uint64_t sim_function_address(uint32_t index) {
    return SIM_CODE_WINDOW + (uint64_t)index * 16;
}

// A decoded module: its functions, variables and source files.
typedef struct sim_program {
    sim_function *functions;  // [function_count]
    uint32_t function_count;  // of `functions`
    const char *const *files; // source file names, indexed by sim_location.file
    uint32_t file_count;      // of `files`
    sim_symbol *symbols;      // [symbol_count]
    uint32_t symbol_count;    // of `symbols`
    bool refuses_functions;   // see sim_decode_options
    const ptx_module *module; // owned
    struct sim_arena *arena;  // owned
} sim_program;

// Frees the program, its module and their arena; accepts NULL.
void sim_program_free(sim_program *program);

// Writes `bytes` bytes to a device address.
typedef sim_status (*sim_write_fn)(void *context, uint64_t address, const void *source,
                                   uint64_t bytes, kl_error *err);
// Writes the initial value of every .global and .const variable that the module defines: its
// initialiser with the addresses of symbols filled in, zeroes where there is none.
sim_status sim_program_initialise(const sim_program *program, sim_write_fn write, void *context,
                                  kl_error *err);

// The function of this mangled name, or NULL.
sim_function *sim_program_find(const sim_program *program, const char *name);
// The variable of this name, or NULL.
sim_symbol *sim_program_symbol(const sim_program *program, const char *name);

// Part of an atomic operation of libcu++ on 1 or 2 bytes (cuda::atomic_ref<char>): a load or a
// compare-and-swap of the 2 or 4 bytes around them, which may reach past the end of an allocation.
// They share a page, and the swap puts back what it has found there: every card executes it.
bool sim_is_word_atomic(const sim_function *function, const sim_instr *instr);

// The name in dumps, as PTX writes it: "shfl". A constant.
const char *sim_op_name(sim_op op);
// How many parts of its list, the first ones, an instruction writes; it reads the rest.
uint32_t sim_written_parts(const sim_instr *instr);
// Calls `visit` for every slot field of `instr`, whose lists are in `slots`: first for what it
// reads, then for what it writes; fields that hold SIM_NO_SLOT are left out.
typedef void (*sim_slot_visit)(void *context, uint32_t *field, bool is_write);
void sim_visit_slots(uint32_t *slots, sim_instr *instr, sim_slot_visit visit, void *context);
// Whether an operand of these bits decides the result of an instruction whatever the other one is,
// as 0 does of `and`, 0 of a product of integers, the largest number of `max`.
bool sim_absorbs(const sim_instr *instr, uint64_t bits);
// One line of text for an instruction, for dumps, golden files and messages.
void sim_instr_print(const sim_function *function, const sim_instr *instr, char *out,
                     size_t out_bytes);
// All symbols and functions, for golden files and sim-dump.
void sim_program_print(const sim_program *program, FILE *out);

// ---- evidence.c ---------------------------------------------------------------------------------
// How the result of an instruction is known to be right: what coverage.md of common/validation says
// of its opcode and type, which the build makes a table of, and what is known to differ.

// Each one is more than those before it.
typedef enum sim_evidence {
    SIM_EVIDENCE_MANUAL,   // the manual of PTX alone
    SIM_EVIDENCE_PROGRAMS, // test programs execute it and check their results
    SIM_EVIDENCE_CARD,     // what a card gives, bit for bit
    SIM_EVIDENCE_COUNT
} sim_evidence;

enum { SIM_EVIDENCE_NAME = 64 };

// Of a whole opcode, "ld.global.v4.f32". out_name: the opcode and the type that count, "ld.f32";
// NULL: not wanted.
sim_evidence sim_evidence_of(const char *opcode, char out_name[SIM_EVIDENCE_NAME]);

// Why its result may be another one than a card's (inexact.def); NULL: nothing is known.
const char *sim_inexact_of(const char *opcode);
// The same of what reads a special register.
const char *sim_inexact_special(sim_special_id id);
// Of an instruction as the PTX has it, "mov.u32 %r1, %smid": by its opcode or a register it reads.
const char *sim_inexact_text(const char *text);
