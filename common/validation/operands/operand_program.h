// What the parts of operand_program share. A case is one PTX instruction (or a short sequence) and
// the domains of its operands; it is run on a list of operand tuples that only depends on the case,
// and gives one or two results a tuple. Tuples are numbered by the thread that runs them.
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
    OPERAND_STORED = 384, // tuples whose results are printed; of the others, hashes are
    OPERAND_CHUNK = 32,   // tuples a hash
    OPERAND_LINE = 16     // tuples a line
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

#ifdef __cplusplus
}
#endif
