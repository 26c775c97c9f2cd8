// How the result of an instruction is known to be right: what coverage.md of common/validation says
// of its opcode and type, which the build makes a table of, and what is known to differ.
#pragma once

#include "program/ir.h"

// Each one is more than those before it.
typedef enum sim_evidence {
    SIM_EVIDENCE_MANUAL,   // the manual of PTX alone
    SIM_EVIDENCE_PROGRAMS, // test programs execute it and check their results
    SIM_EVIDENCE_CARD,     // what a card gives, bit for bit
    SIM_EVIDENCE_COUNT
} sim_evidence;

enum { SIM_EVIDENCE_NAME = 64 };

// Of a whole opcode, "ld.global.v4.f32". out_name: the opcode and the type that count, "ld.f32";
// NULL: not wanted.
sim_evidence sim_evidence_of(const char *opcode, char out_name[SIM_EVIDENCE_NAME]);

// Why its result may be another one than a card's (inexact.def); NULL: nothing is known.
const char *sim_inexact_of(const char *opcode);
// The same of what reads a special register.
const char *sim_inexact_special(sim_special_id id);
// Of an instruction as the PTX has it, "mov.u32 %r1, %smid": by its opcode or a register it reads.
const char *sim_inexact_text(const char *text);
