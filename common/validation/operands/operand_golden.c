// Golden files of operand_program: little-endian, no alignment, described in ../README.md. Reading
// trusts nothing: every count is checked against what a record can hold.
#include "operand_program.h"

#include <string.h>
#include <inttypes.h>

static const char magic[8] = "KLOPGLD1";

// Results of one tuple, as they lie in the file.
static size_t tuple_bytes(const operand_record *record, uint32_t at, unsigned char *out_bytes) {
    size_t used = 0;
    for (uint32_t i = 0; i < record->outputs; i++)
        for (uint32_t byte = 0; byte < record->bytes[i]; byte++)
            out_bytes[used++] = (unsigned char)(record->results[i][at] >> 8 * byte);
    return used;
}

static uint64_t truncated(uint64_t value, int bytes) {
    return bytes == 8 ? value : value & ((UINT64_C(1) << 8 * bytes) - 1);
}

static uint64_t hash_value(uint64_t hash, uint64_t value) {
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(value >> 8 * i);
    return operand_hash(hash, bytes, sizeof bytes);
}

void operand_record_fill(const operand_case *test, const uint64_t *in, const uint64_t *results,
                         operand_record *out_record) {
    uint32_t tuples = (uint32_t)operand_tuples(test), outputs = (uint32_t)test->outputs;
    memset(out_record, 0, sizeof *out_record);
    snprintf(out_record->id, sizeof out_record->id, "%s", test->id);
    out_record->tuples = tuples;
    out_record->stored = tuples < OPERAND_STORED ? tuples : OPERAND_STORED;
    out_record->outputs = outputs;
    out_record->operands_hash = operand_hash(OPERAND_HASH_START, test->code, strlen(test->code));
    for (uint32_t i = 0; i < (uint32_t)test->inputs * tuples; i++)
        out_record->operands_hash = hash_value(out_record->operands_hash, in[i]);
    out_record->results_hash = OPERAND_HASH_START;
    uint64_t chunk = OPERAND_HASH_START;
    for (uint32_t at = 0; at < tuples; at++) {
        for (uint32_t i = 0; i < outputs; i++) {
            int bytes = operand_domain_bytes(test->output[i]);
            uint64_t value = truncated(results[i * tuples + at], bytes);
            out_record->bytes[i] = (uint32_t)bytes;
            out_record->results_hash = hash_value(out_record->results_hash, value);
            chunk = hash_value(chunk, value);
            if (at < out_record->stored) out_record->results[i][at] = value;
        }
        if (at < out_record->stored) chunk = OPERAND_HASH_START;
        else if ((at + 1 - out_record->stored) % OPERAND_CHUNK == 0) {
            out_record->chunks[(at - out_record->stored) / OPERAND_CHUNK] =
                (uint32_t)(chunk ^ chunk >> 32);
            chunk = OPERAND_HASH_START;
        }
    }
}

static bool put(FILE *file, const void *bytes, size_t count) {
    return fwrite(bytes, 1, count, file) == count;
}

static bool put_number(FILE *file, uint64_t value, int bytes) {
    unsigned char buffer[8];
    for (int i = 0; i < bytes; i++) buffer[i] = (unsigned char)(value >> 8 * i);
    return put(file, buffer, (size_t)bytes);
}

static bool get(FILE *file, void *bytes, size_t count) {
    return fread(bytes, 1, count, file) == count;
}

static bool get_number(FILE *file, int bytes, uint64_t *out_value) {
    unsigned char buffer[8];
    if (!get(file, buffer, (size_t)bytes)) return false;
    *out_value = 0;
    for (int i = 0; i < bytes; i++) *out_value |= (uint64_t)buffer[i] << 8 * i;
    return true;
}

static bool get_u32(FILE *file, uint32_t *out_value) {
    uint64_t value;
    if (!get_number(file, 4, &value)) return false;
    *out_value = (uint32_t)value;
    return true;
}

bool operand_golden_write_header(FILE *file, const operand_header *header) {
    return put(file, magic, sizeof magic) && put(file, header->device, sizeof header->device) &&
           put_number(file, header->capability, 4) && put_number(file, header->driver, 4) &&
           put_number(file, header->runtime, 4) && put_number(file, header->cases, 4);
}

bool operand_golden_read_header(FILE *file, operand_header *out_header) {
    char found[sizeof magic];
    if (!get(file, found, sizeof found) || memcmp(found, magic, sizeof magic) != 0) return false;
    if (!get(file, out_header->device, sizeof out_header->device)) return false;
    out_header->device[sizeof out_header->device - 1] = 0;
    return get_u32(file, &out_header->capability) && get_u32(file, &out_header->driver) &&
           get_u32(file, &out_header->runtime) && get_u32(file, &out_header->cases);
}

static uint32_t chunk_count(const operand_record *record) {
    return (record->tuples - record->stored) / OPERAND_CHUNK;
}

bool operand_golden_write(FILE *file, const operand_record *record) {
    unsigned char bytes[OPERAND_MAX_OUTPUTS * 8];
    bool ok = put(file, record->id, sizeof record->id) && put_number(file, record->tuples, 2) &&
              put_number(file, record->stored, 2) && put_number(file, record->outputs, 1) &&
              put_number(file, record->bytes[0], 1) && put_number(file, record->bytes[1], 1) &&
              put_number(file, record->operands_hash, 8) &&
              put_number(file, record->results_hash, 8);
    for (uint32_t at = 0; ok && at < record->stored; at++) {
        size_t count = tuple_bytes(record, at, bytes);
        ok = put(file, bytes, count);
    }
    for (uint32_t i = 0; ok && i < chunk_count(record); i++)
        ok = put_number(file, record->chunks[i], 4);
    return ok;
}

static bool plausible(const operand_record *record) {
    if (record->tuples > OPERAND_MAX_TUPLES || record->stored > OPERAND_STORED) return false;
    if (record->stored > record->tuples || record->outputs > OPERAND_MAX_OUTPUTS) return false;
    return record->bytes[0] <= 8 && record->bytes[1] <= 8;
}

bool operand_golden_read(FILE *file, operand_record *out_record) {
    uint64_t head[5];
    memset(out_record, 0, sizeof *out_record);
    bool ok = get(file, out_record->id, sizeof out_record->id) && get_number(file, 2, &head[0]) &&
              get_number(file, 2, &head[1]) && get_number(file, 1, &head[2]) &&
              get_number(file, 1, &head[3]) && get_number(file, 1, &head[4]) &&
              get_number(file, 8, &out_record->operands_hash) &&
              get_number(file, 8, &out_record->results_hash);
    if (!ok) return false;
    out_record->id[sizeof out_record->id - 1] = 0;
    out_record->tuples = (uint32_t)head[0];
    out_record->stored = (uint32_t)head[1];
    out_record->outputs = (uint32_t)head[2];
    out_record->bytes[0] = (uint32_t)head[3];
    out_record->bytes[1] = (uint32_t)head[4];
    if (!plausible(out_record)) return false;
    for (uint32_t at = 0; ok && at < out_record->stored; at++)
        for (uint32_t i = 0; ok && i < out_record->outputs; i++)
            ok = get_number(file, (int)out_record->bytes[i], &out_record->results[i][at]);
    for (uint32_t i = 0; ok && i < chunk_count(out_record); i++)
        ok = get_u32(file, &out_record->chunks[i]);
    return ok;
}

// ---- Compares results with golden ones, bit by bit ----

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
