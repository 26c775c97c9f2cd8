// Variables of kernels for a debugger: what is visible at an instruction, and C expressions on it,
// one lane at a time. Names and types come from the debug information that `nvcc -G` writes into
// the PTX as text (DWARF 2; addresses are lines of the PTX, registers go by their PTX names).
// Without it the same functions know registers, casts of addresses, and threadIdx and the like.
//
// Places. An instruction is named by the line of the PTX text in which it begins (sim_instr's
// ptx_line). Registers hold their values as long as their names are in scope only if the module was
// decoded with keep_registers.
#pragma once

#include "ptx/ptx.h"

// ---- A module's debug information ----

// What is known of one module; opaque.
typedef struct sim_variables sim_variables;

// Reads the debug sections of a module's PTX, which need not end in NUL and is not needed
// afterwards. Succeeds also when there are none, or damaged ones: sim_variables_missing says so.
// Fails for lack of memory only.
sim_status sim_variables_open(const char *ptx, size_t bytes, sim_variables **out_variables,
                              kl_error *err);
// Accepts NULL.
void sim_variables_close(sim_variables *variables);

// Why there are lines and registers only, as a sentence for the user: compiled without -G, built
// without libdw, damaged. NULL: variables are known.
const char *sim_variables_missing(const sim_variables *variables);

// ---- What is visible at an instruction ----

// One of the functions in which an instruction lies: the innermost first, the last is the PTX
// function itself; those before it are inlined into the next.
typedef struct sim_variables_frame {
    const char *name;              // "kernel<float, 8>"; lives as long as the sim_variables
    bool is_inlined;               // into the next frame
    uint32_t file, line;           // where it is declared; file as .loc numbers it; 0: unknown
    uint32_t call_file, call_line; // inlined ones: where it is called
    uint32_t first, end;           // lines of the PTX that it has: [first, end)
} sim_variables_frame;

enum { SIM_VARIABLES_MAX_FRAMES = 32 };

// The path of a file by the number that .loc and frames use. False: it is not known.
bool sim_variables_file(const sim_variables *variables, uint32_t number, char *out_path,
                        size_t bytes);

// The frames at a line of the PTX; 0 where the function has no debug information.
uint32_t sim_variables_frames(const sim_variables *variables, uint32_t ptx_line,
                              sim_variables_frame out_frames[SIM_VARIABLES_MAX_FRAMES]);

// Lines of the PTX, [first, end), of the functions that are inlined beside a line of the PTX: into
// one of its frames, and without that line.
typedef struct sim_variables_range {
    uint32_t first, end; // [first, end)
} sim_variables_range;
// Returns how many there are, at most `most`.
uint32_t sim_variables_inlined_beside(const sim_variables *variables, uint32_t ptx_line,
                                      sim_variables_range *out_ranges, uint32_t most);

// What a variable is, to its function.
typedef enum sim_variable_kind {
    SIM_VARIABLE_PARAMETER,
    SIM_VARIABLE_LOCAL,  // of a thread
    SIM_VARIABLE_SHARED, // declared in the function
    SIM_VARIABLE_MODULE  // __device__, __constant__ and extern __shared__ variables
} sim_variable_kind;

// A variable that is in scope.
typedef struct sim_variable_row {
    const char *name;       // lives as long as the sim_variables
    sim_variable_kind kind; // parameter, local ..
    uint32_t line;          // where it is declared; 0: unknown
    uint32_t depth; // of its block in the function, from 0: deeper ones hide those of one name
    bool is_hidden; // a deeper block has one of the same name
} sim_variable_row;

// Calls `each` for every variable of frame number `frame` (0: innermost) that the source has in
// scope at a line of the PTX, innermost block first; with SIM_VARIABLE_MODULE last. Stops when
// `each` returns false.
void sim_variables_list(const sim_variables *variables, uint32_t ptx_line, uint32_t frame,
                        bool (*each)(void *context, const sim_variable_row *row), void *context);

// ---- Values ----

// What the debugger gives for a stopped thread. Each function fills `err` when it fails, with a
// sentence for the user.
typedef struct sim_variables_thread {
    void *context;     // of the functions below
    uint32_t ptx_line; // of the instruction that is next in the selected frame of the call stack
    uint32_t frame;    // of sim_variables_frames; names are looked up in it, then at module scope
    // A register of the PTX function by its name ("%r5", "%p1", "%tid.x"), its value in the low
    // bytes, predicates as 0 or 1. SIM_NOT_FOUND: the function has none of this name.
    sim_status (*read_register)(void *context, const char *name, uint64_t *out_value,
                                uint32_t *out_bytes, kl_error *err);
    // `bytes` bytes from an address of a space, as PTX means it: SHARED, LOCAL (of the frame's
    // thread; offset in the local window), PARAM (offset in the kernel's parameters), GLOBAL and
    // CONST (device addresses), NONE (generic addresses).
    sim_status (*read_memory)(void *context, ptx_space space, uint64_t address, void *out,
                              uint64_t bytes, kl_error *err);
    // Where a variable of the PTX lies: its address as read_memory takes it. Names are those of the
    // PTX: module variables, shared ones, "__local_depot3" of the frame's function (where its depot
    // begins in local memory), "_Z6kernelPf_param_0". SIM_NOT_FOUND: there is none.
    sim_status (*find_symbol)(void *context, const char *name, ptx_space *out_space,
                              uint64_t *out_address, kl_error *err);
} sim_variables_thread;

// How to write a value; zeros: as its type says.
typedef struct sim_variables_format {
    char letter;            // of gdb's /x /d /u /o /t /c /f /a /z; 0: by type
    uint32_t most_elements; // of an array, then "..."; 0: 200, as gdb
    bool without_type;      // pointers: "0x.." without "(@global float *) ", for tables of lanes
} sim_variables_format;

// What an expression gave. Free with sim_variables_value_free.
typedef struct sim_variables_value {
    // As gdb writes it: "{x = 1, y = 2}", "{0, 1, 0 <repeats 14 times>}"; what fresh memory is
    // filled with, unless a format asks for its bits, is "<never written>".
    char *text;
    char *type; // "float [8]", "@global float *"
    // Where it lies, for `watch`, `x` and `print/banks`: in a register, in memory, or nowhere.
    char register_name[24]; // "": not in a register
    bool in_memory;
    ptx_space space;        // of memory; generic pointers are resolved to their window's space
    uint64_t address;       // as read_memory takes it
    uint64_t bytes;         // of the whole value
    uint64_t element_bytes; // arrays: of an innermost element; else `bytes`
    // Numbers, characters, enumerations and pointers.
    bool is_number;
    bool is_float;
    uint64_t number;   // the value as an integer, sign extended; of floats, cut off
    double real;       // of floats
    uint32_t children; // members or elements, or 1 for a pointer that may be followed
    bool has_value;    // false: optimised out, or not set yet; `text` says which
} sim_variables_value;

// Evaluates a C expression for one thread: names, members, ->, [], * and & with address spaces,
// arithmetic, comparisons, casts to base types and to (@shared int *), sizeof, ?:, `a[0]@4` (that
// many elements), registers $r1 or %r1, threadIdx, blockIdx, blockDim, gridDim, warpSize.
// SIM_INVALID_VALUE with a sentence, as gdb's where it has one: `No symbol "foo" in current
// context.` `format` may be NULL. Nothing is written, and no function called.
sim_status sim_variables_evaluate(const sim_variables *variables,
                                  const sim_variables_thread *thread, const char *expression,
                                  const sim_variables_format *format,
                                  sim_variables_value *out_value, kl_error *err);
void sim_variables_value_free(sim_variables_value *value);

// Child `index` of an expression's value: its name ("x", "[3]", "*p") and the expression that
// evaluates to it. Both are for the caller to free.
sim_status sim_variables_child(const sim_variables *variables, const sim_variables_thread *thread,
                               const char *expression, uint32_t index, char **out_name,
                               char **out_expression, kl_error *err);
