// SPDX-License-Identifier: MIT
// Blocks of whole lines: see mtx_input.h. By place, a line belongs to the block in which it begins:
// a block looks one byte back to see whether a line begins with it, and reads on behind its end
// until its last line is whole.
#include "mtx_input.h"

#include <stdlib.h>
#include <string.h>

enum { BEHIND_BYTES = 256 }; // more than most lines have

kl_mtx_input kl_mtx_input_open(kl_lines *lines, size_t block_bytes, bool streamed) {
    kl_mtx_input input = {.lines = lines,
                          .block_bytes = block_bytes < KL_LINE_BYTES ? block_bytes : KL_LINE_BYTES};
    uint64_t done = 0;
    kl_bytes_progress(lines->source, &done, &input.end);
    input.placed = !streamed && kl_bytes_have_places(lines->source);
    input.next = done - (lines->end - lines->next);
    return input;
}

void kl_mtx_input_close(kl_mtx_input *input) {
    free(input->rest);
    input->rest = NULL;
}

uint64_t kl_mtx_input_left(const kl_mtx_input *input) {
    uint64_t done = 0, total = 0;
    kl_bytes_progress(input->lines->source, &done, &total);
    return total > done ? total - done + (input->lines->end - input->lines->next) : 0;
}

static void no_memory(kl_mtx_block *b) {
    kl_fail(&b->failure, KL_ERROR_MEMORY, "no memory to read a matrix");
}

// Room for so much text; what is there stays. false: no memory, which the block notes.
static bool make_room(kl_mtx_block *b, size_t bytes) {
    size_t room = bytes + 1 + KL_MTX_PAD;
    if (b->room >= room) return true;
    char *larger = realloc(b->buffer, room);
    if (larger == NULL) {
        no_memory(b);
        return false;
    }
    b->buffer = larger;
    b->room = room;
    return true;
}

static size_t after_newline(const char *text, size_t from, size_t bytes) {
    const char *newline = from < bytes ? memchr(text + from, '\n', bytes - from) : NULL;
    return newline == NULL ? 0 : (size_t)(newline - text) + 1;
}

// Sets which part of the buffer is the block's text.
static void set_text(kl_mtx_block *b, size_t begin, size_t end) {
    b->text = b->buffer + begin;
    b->bytes = end - begin;
    memset(b->buffer + end, '\n', KL_MTX_PAD);
}

// ---- by place --------------------------------------------------------------------------------

typedef struct piece {
    uint64_t from; // its place
    size_t bytes;  // read so far, into the block's buffer
    bool at_end;   // nothing more to read, or no way to
} piece;

static void read_piece(const kl_mtx_input *input, kl_mtx_block *b, piece *p, size_t want) {
    if (want > input->end - p->from) want = (size_t)(input->end - p->from);
    p->at_end = !make_room(b, want) || p->from + want == input->end;
    while (p->bytes < want && b->failure.status == KL_OK) {
        size_t got = 0;
        kl_bytes_read_at(input->lines->source, p->from + p->bytes, b->buffer + p->bytes,
                         want - p->bytes, &got, &b->failure);
        p->bytes += got;
        p->at_end = p->at_end || got == 0; // the file has become shorter, or cannot be read
        if (got == 0) break;
    }
}

// Where the line that holds byte `at` - 1 ends; reads on as far as a line may be long. 0: nowhere.
static size_t find_end(const kl_mtx_input *input, kl_mtx_block *b, piece *p, size_t at) {
    for (size_t searched = at - 1;;) {
        size_t end = after_newline(b->buffer, searched, p->bytes);
        if (end != 0) return end;
        if (b->failure.status != KL_OK || p->bytes > at + KL_LINE_BYTES) return 0;
        if (p->at_end) break;
        searched = p->bytes;
        read_piece(input, b, p, 2 * p->bytes);
    }
    b->buffer[p->bytes++] = '\n'; // the last line had none
    return p->bytes;
}

static void read_by_place(const kl_mtx_input *input, kl_mtx_block *b) {
    piece p = {.from = b->begins ? b->from : b->from - 1};
    read_piece(input, b, &p, (size_t)(b->to - p.from) + BEHIND_BYTES);
    size_t inside = (size_t)(b->to - p.from); // of which this block's lines begin
    if (inside > p.bytes) inside = p.bytes;
    size_t begin = b->begins || inside == 0 ? 0 : after_newline(b->buffer, 0, inside - 1);
    if (inside == 0 || (begin == 0 && !b->begins)) { // all of it belongs to a line before
        if (b->buffer != NULL) set_text(b, 0, 0);
        return;
    }
    size_t last = inside - 1; // where the last line begins
    while (last > begin && b->buffer[last - 1] != '\n') last--;
    size_t end = find_end(input, b, &p, inside);
    b->long_line = b->failure.status == KL_OK && (end == 0 || end - last > KL_LINE_BYTES);
    set_text(b, begin, end == 0 || b->long_line ? last : end);
}

static bool claim_place(kl_mtx_input *input, kl_mtx_block *b) {
    b->from = input->next;
    b->begins = !input->begun;
    b->to = input->end - b->from > input->block_bytes ? b->from + input->block_bytes : input->end;
    b->done_bytes = b->to;
    input->next = b->to;
    input->begun = true;
    return b->from < input->end;
}

// ---- one after the other ---------------------------------------------------------------------

// Bytes: first what the line reader has left, then the source's.
static kl_status read_bytes(kl_mtx_input *input, char *buffer, size_t capacity, size_t *out_bytes,
                            kl_error *err) {
    kl_lines *lines = input->lines;
    size_t left = lines->end - lines->next;
    if (left == 0) return kl_bytes_read(lines->source, buffer, capacity, out_bytes, err);
    size_t take = left < capacity ? left : capacity;
    memcpy(buffer, lines->buffer + lines->next, take);
    lines->next += take;
    *out_bytes = take;
    return KL_OK;
}

// Fills the buffer up to `want` bytes. A source that fails ends here.
static void read_on(kl_mtx_input *input, kl_mtx_block *b, size_t *bytes, size_t want) {
    input->ended = input->ended || !make_room(b, want);
    while (*bytes < want && !input->ended) {
        size_t got = 0;
        kl_status status = read_bytes(input, b->buffer + *bytes, want - *bytes, &got, &b->failure);
        input->ended = status != KL_OK || got == 0;
        *bytes += got;
    }
}

// The text up to and with the last newline.
static size_t whole_lines(const char *text, size_t bytes) {
    while (bytes > 0 && text[bytes - 1] != '\n') bytes--;
    return bytes;
}

// What follows the block's whole lines is for the next one.
static void keep_rest(kl_mtx_input *input, kl_mtx_block *b, size_t whole, size_t bytes) {
    if (input->rest_room < bytes - whole) {
        char *larger = realloc(input->rest, bytes - whole);
        if (larger == NULL) {
            no_memory(b);
            input->ended = true;
            return;
        }
        input->rest = larger;
        input->rest_room = bytes - whole;
    }
    input->rest_bytes = bytes - whole;
    if (bytes > whole) memcpy(input->rest, b->buffer + whole, bytes - whole);
}

static bool claim_next(kl_mtx_input *input, kl_mtx_block *b) {
    size_t bytes = input->rest_bytes, want = input->block_bytes + bytes, whole = 0;
    input->ended = !make_room(b, want);
    if (input->ended) return true;
    if (bytes > 0) memcpy(b->buffer, input->rest, bytes);
    read_on(input, b, &bytes, want);
    while ((whole = whole_lines(b->buffer, bytes)) == 0 && !input->ended && bytes <= KL_LINE_BYTES)
        read_on(input, b, &bytes, want = 2 * want); // a line longer than a block
    bool complete = input->ended && b->failure.status == KL_OK;
    if (complete && whole < bytes) { // the last line had no newline
        b->buffer[bytes++] = '\n';
        whole = bytes;
    }
    // Only the first line has more behind it than a block.
    if (bytes > KL_LINE_BYTES && memchr(b->buffer, '\n', KL_LINE_BYTES) == NULL) {
        b->long_line = input->ended = true;
        whole = 0;
    }
    keep_rest(input, b, whole, bytes);
    set_text(b, 0, whole);
    uint64_t total = 0;
    kl_bytes_progress(input->lines->source, &b->done_bytes, &total);
    return b->bytes > 0 || b->long_line || b->failure.status != KL_OK;
}

// ---- both ------------------------------------------------------------------------------------

bool kl_mtx_input_claim(kl_mtx_input *input, kl_mtx_block *b) {
    b->bytes = 0;
    b->long_line = false;
    b->failure.status = KL_OK;
    if (input->ended) return false;
    return input->placed ? claim_place(input, b) : claim_next(input, b);
}

void kl_mtx_input_read(const kl_mtx_input *input, kl_mtx_block *b) {
    if (input->placed) read_by_place(input, b);
}
