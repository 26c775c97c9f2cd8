// Compares results with golden ones, bit by bit.
#include "operand_program.h"

#include <inttypes.h>
#include <string.h>

static void print_tuple(const operand_case *test, const operand_record *got,
                        const operand_record *want, const uint64_t *in, uint32_t at) {
    printf("    tuple %u:", at);
    for (int i = 0; i < test->inputs; i++) {
        printf(" %s %0*" PRIx64, operand_domain_name(test->input[i]),
               2 * operand_domain_bytes(test->input[i]), in[(uint32_t)i * got->tuples + at]);
    }
    printf(" ->");
    for (uint32_t i = 0; i < got->outputs; i++) {
        int digits = 2 * (int)got->bytes[i];
        printf(" %0*" PRIx64 " (want %0*" PRIx64 ")", digits, got->results[i][at], digits,
               want->results[i][at]);
    }
    printf("\n");
}

static void compare_stored(const operand_case *test, const operand_record *got,
                           const operand_record *want, const uint64_t *in, int show,
                           operand_verdict *verdict) {
    for (uint32_t at = 0; at < want->stored; at++) {
        bool good = true;
        for (uint32_t i = 0; i < want->outputs; i++) {
            bool agrees = got->results[i][at] == want->results[i][at];
            verdict->compared++;
            if (!agrees) verdict->differing++;
            good = good && agrees;
        }
        if (!good && show-- > 0) print_tuple(test, got, want, in, at);
    }
}

operand_verdict operand_compare(const operand_case *test, const operand_record *want,
                                const uint64_t *in, const uint64_t *results, int show) {
    operand_verdict verdict = {0};
    static operand_record got; // 9 KiB
    operand_record_fill(test, in, results, &got);
    verdict.stale = got.tuples != want->tuples || got.stored != want->stored ||
                    got.outputs != want->outputs || got.bytes[0] != want->bytes[0] ||
                    got.bytes[1] != want->bytes[1] || got.operands_hash != want->operands_hash;
    if (verdict.stale) return verdict;
    compare_stored(test, &got, want, in, show, &verdict);
    uint32_t chunks = (want->tuples - want->stored) / OPERAND_CHUNK;
    for (uint32_t i = 0; i < chunks; i++)
        if (got.chunks[i] != want->chunks[i]) verdict.bad_chunks++;
    return verdict;
}
