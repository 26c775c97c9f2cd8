// SPDX-License-Identifier: MIT
// A warp of a play on its recorded way: which operation comes next, and which lines of memory it
// asks for.
#ifndef SIM_PLAY_WAY_H
#define SIM_PLAY_WAY_H

#include "play/code.h"
#include "warps/path.h"

// A warp's place on the SM.
typedef struct play_warp {
    const sim_warp_path *path; // NULL: empty
    uint32_t run, access;      // next ones of the path
    uint32_t here;             // pc of the run at which it goes on
    uint32_t runs;             // of the path, to be played
    bool cut;                  // it did more
    const play_code *code;
    const play_op *at, *end;             // operations of the present stretch
    uint32_t first, length, entered;     // its first pc, pcs, and the one where it was entered
    double *board;                       // [registers]: cycle at which each can be read
    double scoreboards[SIM_SCOREBOARDS]; // cycle at which each is clear
    uint32_t *requests; // [longest]: first access of each pc of the stretch, and turn
    uint8_t *counts;    // [longest]: accesses
    uint8_t *passes;    // [longest]: what becomes of each (way.c)
    uint32_t next;      // cycle at which it can issue; UINT32_MAX: not before others do something
    uint32_t age;       // number of its block
    uint32_t start;     // of its block in the replay of the caches
    bool off;           // the operations are passed with no lane on
    bool at_barrier, switched;    // switched: to other lanes than those that came here
    bool fell;                    // at the last branch with a predicate: the lanes did not jump
    const sim_function *branched; // whose branch at branch_pc was the last operation; NULL: none
    uint32_t branch_pc;
} play_warp;

// Sets the warp to the beginning of its path, of which it plays `runs` runs. codes: by function of
// the program, [functions], all that the path names made.
void play_way_begin(play_warp *w, const play_code *codes, const sim_function *functions);
// The operation that comes next, not taken yet; NULL: the path has ended.
const play_op *play_way_next(play_warp *w, const play_code *codes, const sim_function *functions);
// The lines that an operation on global or local memory asks for, a count returned; 0: none.
uint32_t play_way_lines(const play_warp *w, const play_op *op, const sim_path_line **out_lines);

#endif
