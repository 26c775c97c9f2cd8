// SPDX-License-Identifier: MIT
// A decoded video instruction (sim_instr.extra of VIDEO): scalar ones on a byte, a half or the
// whole of each operand, and SIMD ones on two halves or four bytes. Both take elements out of
// operands by place and width, compute on 64 bits, saturate, and either merge with operand c or
// accumulate. Of all these nvcc 13 itself emits vabsdiff2 and vabsdiff4 for sm_90 (__vabsdiffs2,
// __vsadu4 ..); the others come from PTX in programs' asm.
#ifndef SIM_PROGRAM_VIDEO_H
#define SIM_PROGRAM_VIDEO_H

#include <stdbool.h>
#include <stdint.h>

#include "program/ir.h"

// The operations of the video instructions: vadd, vsub and so on.
typedef enum sim_video_op {
    SIM_VIDEO_ADD,
    SIM_VIDEO_SUB,
    SIM_VIDEO_ABSDIFF,
    SIM_VIDEO_MIN,
    SIM_VIDEO_MAX,
    SIM_VIDEO_AVERAGE,
    SIM_VIDEO_SHL,
    SIM_VIDEO_SHR,
    SIM_VIDEO_MAD,
    SIM_VIDEO_SET
} sim_video_op;
// What becomes of operand c.
typedef enum sim_video_second {
    SIM_VIDEO_MERGE, // it gives the bits that no result goes to
    SIM_VIDEO_PLUS,
    SIM_VIDEO_LEAST,
    SIM_VIDEO_GREATEST
} sim_video_second;

enum { SIM_VIDEO_ELEMENTS = 4 };

// How an operand's elements are found.
typedef struct sim_video_source {
    bool is_signed;                   // the elements are extended with their sign
    bool negated;                     // vmad: -a
    uint8_t bits;                     // 8, 16 or 32
    uint8_t from[SIM_VIDEO_ELEMENTS]; // lowest bit of each element in the 64 bits b:a
} sim_video_source;

// A decoded video instruction.
typedef struct sim_video {
    sim_video_op operation;         // on each pair of elements
    sim_video_second second;        // what is done with its result and the third operand
    sim_compare compare;            // SET
    sim_video_source a, b;          // the two operands
    uint8_t elements;               // 1, 2 or 4
    uint8_t mask;                   // elements that are computed
    uint8_t bits;                   // of a result
    uint8_t to[SIM_VIDEO_ELEMENTS]; // lowest bit of each result
    bool is_signed, saturates;      // of the result
    bool wraps;                     // SHL, SHR: the count modulo 32, else at most 32
    bool plus_one, c_negated;       // MAD
    uint8_t shift;                  // MAD: 0, 7 or 15
} sim_video;

#endif
