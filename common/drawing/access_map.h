// SPDX-License-Identifier: MIT
// A warp's access to memory as a picture: its words in the banks of shared memory, its bytes in the
// sectors of global memory, its lanes at a branch; the chunks of a tile in the banks. What an
// access costs is the caller's to say: nothing is counted here.
#ifndef KL_ACCESS_MAP_H
#define KL_ACCESS_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { KL_MAP_LANES = 32, KL_MAP_BANKS = 32, KL_MAP_WORDS = 4, KL_MAP_PARTS = 8 };

// When a bank serves a word.
typedef struct kl_bank_service {
    uint32_t wavefront; // that does, from 0
    bool waits;         // for another word of its bank
    bool shares;        // the word of a lane before it: a broadcast
} kl_bank_service;

// An access to shared memory.
typedef struct kl_bank_access {
    uint32_t lanes;              // bit i: lane i takes part
    uint32_t words;              // of 4 bytes that a lane moves, 1 .. KL_MAP_WORDS
    uint32_t banks;              // that the memory has, up to KL_MAP_BANKS; 0: KL_MAP_BANKS
    uint64_t word[KL_MAP_LANES]; // of each lane: the number of its first word
    kl_bank_service served[KL_MAP_LANES][KL_MAP_WORDS]; // each word of each lane
} kl_bank_access;

// Words in the order of addresses: a column per bank, a row per word of each bank; every word once,
// green when it is served at once, orange when it waits. Left and top edge at (x, y).
void kl_bank_words_draw(FILE *out, double x, double y, double cell, int rows,
                        const kl_bank_access *access);

// Lanes: a column per bank, a row per lane, with the number of the wavefront that serves it, and
// "=" where the lane gets another's word. A whole picture, on the page's own paper.
void kl_bank_map_draw(FILE *out, const kl_bank_access *access, const char *title);

// An access to global or local memory.
typedef struct kl_sector_access {
    uint32_t lanes;                 // bit i: lane i takes part
    uint32_t bytes;                 // that a lane moves, up to 4 * KL_MAP_PARTS
    uint32_t apart;                 // bytes from a lane's word of 4 bytes to its next one, as in
                                    // local memory; 0: a lane's bytes lie together
    uint64_t address[KL_MAP_LANES]; // of each lane, a multiple of `bytes` up to 16
} kl_sector_access;

enum { KL_SECTOR_BYTES = 32, KL_LINE_BYTES = 128 };

// A row per cache line of 128 bytes that is touched, its four sectors, the lanes at their bytes:
// green what is used, orange what is moved with it. A whole picture.
void kl_sector_map_draw(FILE *out, const kl_sector_access *access, const char *title);

enum { KL_TILE_LINES = 8, KL_TILE_CHUNKS = 8 };

// 16 bytes of a row of a tile.
typedef struct kl_tile_chunk {
    bool is_used;        // else nothing of the tile lies here
    uint32_t row, chunk; // from 0
} kl_tile_chunk;

// A tile in shared memory, as lines of 128 bytes, the width of the banks.
typedef struct kl_tile_map {
    uint32_t lines;                                  // of `at`
    kl_tile_chunk at[KL_TILE_LINES][KL_TILE_CHUNKS]; // what lies in each four banks of a line
} kl_tile_map;

// A row per line, a column per four banks, in each cell the row and chunk that lie there; a colour
// per chunk. A whole picture.
void kl_tile_map_draw(FILE *out, const kl_tile_map *tile, const char *title);

// The lanes of a warp at a branch: those that jump, those that go on, those that are not there. A
// whole picture of one row.
void kl_split_draw(FILE *out, uint32_t lanes, uint32_t jumped, const char *title);

#endif
