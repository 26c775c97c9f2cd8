// What the parts of operand_program share. A case is one PTX instruction (or a short sequence) and
// the domains of its operands; it is run on a list of operand tuples that only depends on the case,
// and gives one or two results a tuple. Tuples are numbered by the thread that runs them. See
// ../README.md for the format of golden files.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    OPERAND_MAX_INPUTS = 4,
    OPERAND_MAX_OUTPUTS = 2,
    OPERAND_BLOCK = 128,    // threads of a block
    OPERAND_CROSSED = 1024, // tuples of corner values at most
    OPERAND_RANDOM = 512,   // tuples of random values
    OPERAND_MAX_TUPLES = OPERAND_CROSSED + OPERAND_RANDOM,
    OPERAND_STORED = 384, // tuples whose results a golden file keeps; of the others it keeps hashes
    OPERAND_CHUNK = 32    // tuples a hash
};

typedef enum operand_domain {
#define OPERAND_DOMAIN(name, type, bytes, values) DOMAIN_##name,
#include "operand_domains.def"
#undef OPERAND_DOMAIN
    DOMAIN_COUNT
} operand_domain;

typedef struct operand_case {
    const char *id;
    const void *kernel; // (const uint64_t *in, uint64_t *results, uint32_t count)
    int outputs, inputs;
    operand_domain output[OPERAND_MAX_OUTPUTS], input[OPERAND_MAX_INPUTS];
    const char *code; // PTX
} operand_case;

typedef struct operand_class {
    const char *name;
    const operand_case *cases;
    int count;
} operand_class;

#define OPERAND_CLASS(name) extern const operand_class operand_class_##name;
#include "operand_classes.def"
#undef OPERAND_CLASS

// operand_values.c -------------------------------------------------------------------------------

const char *operand_domain_name(operand_domain domain);
int operand_domain_bytes(operand_domain domain);

// Number of tuples of a case, a multiple of OPERAND_BLOCK, at most OPERAND_MAX_TUPLES.
int operand_tuples(const operand_case *test);

// in: [test->inputs][tuples]. The same on every machine.
void operand_fill(const operand_case *test, uint64_t *in);

uint64_t operand_hash(uint64_t hash, const void *bytes, size_t count); // FNV-1a
#define OPERAND_HASH_START UINT64_C(0xCBF29CE484222325)

// operand_golden.c -------------------------------------------------------------------------------

// What a golden file holds of one case.
typedef struct operand_record {
    char id[48];
    uint32_t tuples; // 0: the case did not run
    uint32_t stored; // tuples whose results are in `results`; the first ones
    uint32_t outputs;
    uint32_t bytes[OPERAND_MAX_OUTPUTS];
    uint64_t operands_hash; // of code and operands: tells a stale file
    uint64_t results_hash;  // of all results
    uint64_t results[OPERAND_MAX_OUTPUTS][OPERAND_STORED];
    uint32_t chunks[OPERAND_MAX_TUPLES / OPERAND_CHUNK]; // hashes of the tuples after those
} operand_record;

typedef struct operand_header {
    char device[64];
    uint32_t capability; // 90
    uint32_t driver, runtime;
    uint32_t cases;
} operand_header;

// results: [test->outputs][tuples]
void operand_record_fill(const operand_case *test, const uint64_t *in, const uint64_t *results,
                         operand_record *out_record);
bool operand_golden_write_header(FILE *file, const operand_header *header);
bool operand_golden_write(FILE *file, const operand_record *record);
bool operand_golden_read_header(FILE *file, operand_header *out_header);
bool operand_golden_read(FILE *file, operand_record *out_record);

// and their comparison with results --------------------------------------------------------------

typedef struct operand_verdict {
    uint32_t compared;   // results, one a tuple and output
    uint32_t differing;  // of these
    uint32_t bad_chunks; // hashes that differ
    bool stale;          // operands or code are not those of the golden file
} operand_verdict;

// Compares and prints the first `show` differing tuples with their operands. in: [inputs][tuples];
// results: [outputs][tuples].
operand_verdict operand_compare(const operand_case *test, const operand_record *want,
                                const uint64_t *in, const uint64_t *results, int show);

#ifdef __cplusplus
}
#endif
