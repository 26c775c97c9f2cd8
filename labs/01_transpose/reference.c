// The answer of lab 01 is its input read in another order, so the reference is the comparison.
// Error bound: 0. A transposition moves bits; -0, NaN payloads and denormals must arrive as they
// left. Must not be linked into anything that a submission can read.
#include "reference.h"

#include "parallel.h"

enum {
    PIECES = 64,           // of a large matrix, compared by several threads
    PIECE_LEAST = 1 << 20, // elements of one
    BLOCK = 64, // compared block by block, because one of the two matrices is read down its columns
    NEARBY = 64 // where a stray element is looked for: tiles are at most this wide
};

static const uint32_t never_written = 0xFFFFFFFFu; // outputs are filled with this before each call

static float as_float(uint32_t bits) {
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Place of element (r, c) of the input in the output.
static int64_t place_of(const transpose_check *k, int64_t r, int64_t c) {
    return k->is_copy ? r * k->cols + c : c * k->rows + r;
}

// Looks for the bits among the input's elements around (r, c); writes where they are from.
static bool find_nearby(const transpose_check *k, int64_t r, int64_t c, uint32_t bits,
                        int64_t *out_r, int64_t *out_c) {
    int64_t r1 = r / NEARBY * NEARBY, c1 = c / NEARBY * NEARBY;
    for (int64_t i = r1; i < r1 + NEARBY && i < k->rows; i++) {
        for (int64_t j = c1; j < c1 + NEARBY && j < k->cols; j++) {
            if (k->in[i * k->cols + j] == bits) {
                *out_r = i;
                *out_c = j;
                return true;
            }
        }
    }
    return false;
}

// Says in a few words what kind of mistake puts these bits at element (r, c)'s place.
static void explain(const transpose_check *k, int64_t r, int64_t c, char *hint, size_t bytes) {
    int64_t at = place_of(k, r, c), from_r = 0, from_c = 0;
    uint32_t got = k->out[at];
    if (got == never_written) {
        snprintf(hint, bytes, "the element of out for in[%lld][%lld] was never written",
                 (long long)r, (long long)c);
    } else if (!k->is_copy && got == k->in[at]) {
        snprintf(hint, bytes, "the elements are in the order of the input: copied, not transposed");
    } else if (!k->is_copy && k->rows != k->cols &&
               got == k->in[at % k->cols * k->cols + at / k->cols % k->rows]) {
        snprintf(hint, bytes,
                 "as if a row of the output had cols = %lld elements; it has rows = %lld",
                 (long long)k->cols, (long long)k->rows);
    } else if (find_nearby(k, r, c, got, &from_r, &from_c)) {
        snprintf(hint, bytes, "found in[%lld][%lld] instead of in[%lld][%lld]", (long long)from_r,
                 (long long)from_c, (long long)r, (long long)c);
    }
}

static void note_wrong(const transpose_check *k, int64_t r, int64_t c, kl_verdict *v) {
    int64_t at = place_of(k, r, c);
    if (!v->ok && (uint64_t)at >= v->first_wrong) {
        return; // the first place in the output is shown
    }
    v->ok = false;
    v->first_wrong = (uint64_t)at;
    v->expected = as_float(k->in[r * k->cols + c]);
    v->got = as_float(k->out[at]);
}

// Some of the matrix's rows, in blocks, and what was found there.
typedef struct piece {
    const transpose_check *check;
    int64_t from, to;
    kl_verdict found;
} piece;

static void compare_piece(void *context, int index) {
    piece *p = (piece *)context + index;
    const transpose_check *k = p->check;
    for (int64_t r0 = p->from; r0 < p->to; r0 += BLOCK) {
        for (int64_t c0 = 0; c0 < k->cols; c0 += BLOCK) {
            int64_t r1 = r0 + BLOCK < p->to ? r0 + BLOCK : p->to;
            int64_t c1 = c0 + BLOCK < k->cols ? c0 + BLOCK : k->cols;
            for (int64_t r = r0; r < r1; r++) {
                for (int64_t c = c0; c < c1; c++) {
                    if (k->out[place_of(k, r, c)] != k->in[r * k->cols + c])
                        note_wrong(k, r, c, &p->found);
                }
            }
        }
    }
}

void transpose_compare(const transpose_check *k, kl_verdict *out_verdict) {
    kl_verdict *v = out_verdict;
    memset(v, 0, sizeof *v);
    v->ok = true;
    piece pieces[PIECES];
    int64_t count = k->rows * k->cols / PIECE_LEAST + 1;
    count = count < PIECES ? count : PIECES;
    for (int64_t i = 0; i < count; i++)
        pieces[i] = (piece){k, k->rows * i / count, k->rows * (i + 1) / count, *v};
    kl_parallel((int)count, compare_piece, pieces);
    for (int64_t i = 0; i < count; i++) {
        const kl_verdict *found = &pieces[i].found;
        if (!found->ok && (v->ok || found->first_wrong < v->first_wrong)) *v = *found;
    }
    v->compared = (uint64_t)(k->rows * k->cols);
    if (v->compared == 0) { // of an empty matrix the one word behind it must be untouched
        v->compared = 1;
        v->ok = k->out[0] == never_written;
        v->expected = NAN;
        v->got = as_float(k->out[0]);
        snprintf(v->hint, sizeof v->hint, "%s",
                 v->ok ? "" : "the matrix is empty: nothing may be written");
    } else if (!v->ok) {
        int64_t at = (int64_t)v->first_wrong;
        int64_t width = k->is_copy ? k->cols : k->rows;
        int64_t r = k->is_copy ? at / width : at % width;
        int64_t c = k->is_copy ? at % width : at / width;
        explain(k, r, c, v->hint, sizeof v->hint);
    }
    v->max_error = v->ok ? 0.0 : INFINITY; // any other bits are as wrong as any others
}
