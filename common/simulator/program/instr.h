// One decoded instruction, its operands, and the vocabulary of its fields. The program around it:
// ir.h.
//
// Frame layout. A frame holds the registers of one function for one warp, 32 lanes side by side:
//   32-bit (and narrower) register  uint32_t[32], 128 bytes; narrower values sit in the low bits,
//                                   upper bits are unspecified: readers truncate, signed readers
//                                   sign-extend
//   64-bit register                 uint64_t[32], 256 bytes
//   128-bit register                two neighbouring 64-bit ones, low first
//   predicate                       one uint32_t, bit i = lane i
//   .param variable of a call       32 x size bytes, lane-major: address = offset + lane *
//                                   size_bytes (a register used as argument has the same layout: 4
//                                   or 8 bytes a lane)
// Immediates and launch-constant special registers are slots of the frame as well, so that every
// operand is an offset and the executor has one form of each operation. They are filled from
// `constants` and `specials` when a frame is set up; code never writes them. All slots are 64-byte
// aligned but predicates (4-byte). Registers that are never live together may share a slot, also
// across lanes that have diverged: an instruction must not write the lanes it was not given. Slots
// are shared only within one width, so a lane's bytes of a slot are the same whichever register
// lies there. Only plain arithmetic may have dst == src; memory, warp-level and several-result
// operations never do unless the PTX itself says so (`ld.shared.u32 %r1, [%r1]`).
//
// Operands by operation, in PTX's order; what is absent is SIM_NO_SLOT. ops.def says what
// `variant` is.
//   arithmetic        dst, src[0..2 or 3]. mul.wide, mad.wide: type (and type2) is the narrow type
//                     as PTX writes it, dst and mad's src[2] are twice as wide. popc, clz, bfind:
//                     dst is 32-bit. Shift counts and bfe's and bfi's position and length are
//                     32-bit slots. LOP3: table in `offset`; lop3.and/or: dst2 = p, src[3] = q,
//                     `boolean`. TESTP: dst a predicate
//   SETP              dst, dst2 = q or absent, either may be absent; src[0..1], src[2] = c of a
//                     boolean combine
//   SET, SELP         SET: type = result, type2 = compared type, src[2] = c; SELP: src[2] = c
//   SLCT              src[2] compared with 0 as type2
//   CVT               type = result, type2 = source; packing forms (cvt.rn.f16x2.f32 d, a, b) have
//                     src[0] = a, the upper half, and src[1] = b, the lower; SIM_MOD_DST64,
//                     SIM_MOD_SRC64 below
//   CVT_SMALL         type or type2 is B16 for two small floats of `variant`, B32 for four; F32
//                     sources: src[0] upper, src[1] lower; .rs: list of sources and random bits
//   CVT_PACK          variant: bits of a packed integer, type2 its sign; src[2] absent or what goes
//                     above both
//   VIDEO             `extra`: sim_video (fpmath.h); src[2] = c or absent
//   MOV               predicate forms have SIM_MOD_PRED_OPERANDS. SREG: the id in variant, dst 32-
//                     or 64-bit as `type` says
//   PACK, UNPACK      list of `vector` parts, low first, of type width / vector each (32-bit slots;
//                     64-bit ones for b128); PACK: dst; UNPACK: src[0]; a part of UNPACK may be
//                     SIM_NO_SLOT
//   LD                dst, or list when vector > 1 (a part may be SIM_NO_SLOT); src[0] address
//   ST                src[1] the value, or list when vector > 1; src[0] address
//   ATOM, RED         dst (absent: exch and cas may ignore the old value); src[0] address, src[1] =
//                     b, src[2] = c of cas; vector forms come as one
//                     instruction an element, as PTX promises no more than that each element is
//                     atomic
//   with SIM_MOD_FRAME: src[0] the variable's slot, `offset` the byte displacement, `target` its
//   size_bytes (lane stride)
//   TEX, TLD4         src[0] the object (64-bit), src[1..3] coordinates as .geom lists them
//                     (geometry; layer first), list of 4 results, a part may be SIM_NO_SLOT; type
//                     of results, type2 of coordinates; then in the list a layered cube's fourth
//                     coordinate and, as `level` says, the level or two gradients of as many
//                     numbers as there are axes; TLD4: variant is the component; dst2 = p, true
//                     where the texel is there
//   TXQ, SUQ          dst, src[0] the object
//   SULD, SUST, SURED src[0] the object, src[1..3] coordinates; list of `vector` parts of `type`;
//                     SURED: list of one, atomic sim_atomic; SIM_MOD_FORMATTED: coordinates in
//                     texels and values converted
//   ISTYPEP           dst predicate, src[0], type PTX_TEXREF, PTX_SURFREF or PTX_SAMPLERREF
//   PREFETCH          src[0] address; nothing to do
//   DISCARD, APPLYPRIORITY  src[0] address, in a line of 128 bytes
//   FENCE             scope, order
//   SHFL              dst, dst2 = p; src[0..2] = a, b, c; src[3] = member mask
//   VOTE              dst (predicate, or 32-bit for ballot: see type); src[2] = a; src[3] = mask
//   MATCH             dst, dst2 = p; src[0] = a (32- or 64-bit by type); src[3] = mask
//   REDUX             variant sim_atomic; dst, src[0], src[3] = mask.  ELECT: dst 32-bit, dst2 = p,
//                     src[3].  WARPSYNC: src[3]
//   BAR               variant; src[0] = barrier, src[1] = thread count or absent, src[2] = c of
//                     red; dst of red
//   ISSPACEP          dst predicate, src[0], space.   CVTA: dst, src[0], space, SIM_MOD_TO
//   CP_ASYNC          type: B32, B64, B128, what a lane copies; src[0] and offset: global address;
//                     src[1] and `target` (signed): shared address, 64-bit with SIM_MOD_SRC64;
//                     src[2] = source size, or with SIM_MOD_PRED_OPERANDS the predicate under which
//                     the source is ignored; or absent
//   CP_WAIT           src[0] = groups that may be under way; absent: all copies must have arrived
//   CP_MBARRIER       src[0] address; SIM_MOD_NOINC.   MBARRIER: variant sim_mbarrier_op; src[0]
//                     address; src[1] = count, bytes, state or parity; dst = state, count or
//                     predicate; scope: SIM_FENCE_GPU of arrivals that release to the cluster
//   BULK              variant sim_bulk; src[0] and offset: global address; src[1] and `target`:
//                     shared address as above; src[2] = bytes; src[3] and `reconverge` (signed):
//                     mbarrier, 64-bit with SIM_MOD_DST64; list: of one, the blocks of a multicast.
//                     SIM_MOD_REDUCES: atomic sim_atomic, type. To another block of the cluster,
//                     src[0] and offset are the shared address there
//   BULK_GROUP        variant sim_bulk_group; vector: groups that may be under way
//   BULK_TENSOR       the same with a tensor map: src[0] and offset: its address; list: `vector`
//                     coordinates; src[2] = the blocks of a multicast, or absent. SIM_MOD_PAIR: the
//                     mbarrier may be in the other block of a pair
//   LAUNCH_CANCEL     src[1], src[3] as BULK has them; variant: in all blocks of the cluster.
//                     LAUNCH_QUERY: src[0] (128-bit); dst predicate, or list as UNPACK has it
//   TENSORMAP         variant sim_tensor_field: src[0] and offset: the map's address; `vector`: the
//                     axis; src[1] = the value. COPY: src[1] and `target` as BULK has them
//   MMA, WMMA         `extra`: sim_matrix; list: registers of d, a, b, c, metadata of a sparse a,
//                     and of both matrices' factors: register, byte and lane of four
//   WMMA_LOAD, _STORE list; src[0] address, src[1] = stride or absent.
//                     LDMATRIX, STMATRIX: list, src[0] address; sim_matrix.m: rows of a matrix in
//                     memory, k: bits of an element there
//   WGMMA             `extra`: sim_matrix of one warp's 16 rows; list: registers of d, of a unless
//                     src[0] has its descriptor, of c, which are those of d; src[1] = descriptor of
//                     b (64-bit both), src[2] = predicate: c counts
//   WGMMA_GROUP       commit_group; with src[0] = groups that may be under way wait_group, and the
//                     number is in variant
//   SETMAXNREG        src[0] = registers
//   TMEM              variant sim_tmem_op; `vector`: blocks of .cta_group. ALLOC: src[0] address of
//                     the result, src[1] = columns. DEALLOC: src[0], src[1]. COMMIT: src[0] address
//                     of the mbarrier, src[1] = blocks of a multicast (16 bits), or absent
//   TMEM_LD, TMEM_ST  `extra`: sim_tmem_move; list; src[0] and offset: address in tensor memory
//   TMEM_MMA          `extra`: sim_tmem_product; src[0] and offset: address of d; src[1] and
//                     `target`: of a in tensor memory, or descriptor of a (64-bit); src[2] =
//                     predicate: d is added; src[3] = instruction descriptor; list: descriptor of
//                     b; address of metadata of a sparse a; masks of lanes of d that stay as they
//                     are, or addresses of factors; descriptor of zero columns (64-bit)
//   TMEM_CP, TMEM_SHIFT `extra`: sim_tmem_product; src[0] and offset: address; CP: src[1] =
//                     descriptor
//   ALLOCA            dst = address, src[0] = bytes, 64-bit; `offset`: alignment. STACKSAVE: dst;
//                     STACKRESTORE: src[0]
//   MAPA              dst, src[0], src[1] = rank.   GETCTARANK: dst, src[0]
//   BRX               src[0] = index.  CALL: `extra`; SIM_MOD_INDIRECT: src[0] = function address
//                     (64-bit)
#pragma once

#include "device/descriptors.h"
#include "program/tensor_memory.h"
#include "ptx/ptx.h"

enum { SIM_WARP_LANES = 32, SIM_MAX_WARPS = 32 }; // of a warp; of a block, at most

// Operations of decoded code: the rows of ops.def.
typedef enum sim_op {
#define SIM_OP(id, ...) SIM_OP_##id,
#include "program/ops.def"
#undef SIM_OP
    SIM_OP_COUNT
} sim_op;

// What an operation does beside what it computes of registers: a column of ops.def. Where modules
// treat operations by what they do, they switch over all roles.
typedef enum sim_role {
    SIM_ROLE_PLAIN,    // nothing
    SIM_ROLE_LOAD,     // reads memory; by the pipe TEX a texture or surface
    SIM_ROLE_STORE,    // writes memory
    SIM_ROLE_ATOMIC,   // changes memory, whether it returns the old value or not
    SIM_ROLE_COPY,     // from memory to memory
    SIM_ROLE_EXCHANGE, // gives and takes values within the warp
    SIM_ROLE_SYNC,     // orders or waits, or changes the state of the thread or the warp
    SIM_ROLE_CONTROL   // decides what is executed next
} sim_role;

// What `variant` of an instruction is: a column of ops.def.
typedef enum sim_variant {
    SIM_VARIANT_NONE,
    SIM_VARIANT_FMA,        // sim_fma
    SIM_VARIANT_PRMT,       // sim_prmt
    SIM_VARIANT_TESTP,      // sim_testp
    SIM_VARIANT_SPECIAL,    // id of a special register
    SIM_VARIANT_BITS,       // of a packed integer
    SIM_VARIANT_SMALL,      // sim_small
    SIM_VARIANT_ATOMIC,     // sim_atomic
    SIM_VARIANT_SHUFFLE,    // sim_shuffle
    SIM_VARIANT_VOTE,       // sim_vote
    SIM_VARIANT_MATCH,      // sim_match
    SIM_VARIANT_BAR,        // sim_bar
    SIM_VARIANT_QUERY,      // sim_texture_query
    SIM_VARIANT_COMPONENT,  // of a texel
    SIM_VARIANT_CLAMP,      // sim_surface_clamp
    SIM_VARIANT_PROXY,      // sim_fence_proxy
    SIM_VARIANT_MBARRIER,   // sim_mbarrier_op
    SIM_VARIANT_BULK,       // sim_bulk
    SIM_VARIANT_BULK_GROUP, // sim_bulk_group
    SIM_VARIANT_FIELD,      // sim_tensor_field
    SIM_VARIANT_GROUPS,     // of matrix products that may be under way
    SIM_VARIANT_TMEM        // sim_tmem_op
} sim_variant;

// What ptxas makes of an operation, as machine/cost.c counts it: a column of ops.def.
typedef enum sim_cost {
    SIM_COST_ONE,        // an instruction, of 64-bit integers, too
    SIM_COST_UNTIMED,    // an instruction that starts, or waits for, work of which no time is known
    SIM_COST_FREE,       // none: the register is another one
    SIM_COST_CONVERSION, // none from one integer to a wider one
    SIM_COST_HALVES,     // an instruction for each 32 bits of an integer
    SIM_COST_PRODUCT,    // four for the product of integers of 64 bits
    // several, by type and precision, with a unit for special functions
    SIM_COST_REMAINDER,
    SIM_COST_DIVISION,
    SIM_COST_ROOT,
    SIM_COST_RECIPROCAL,
    SIM_COST_RECIPROCAL_ROOT,
    SIM_COST_EXPONENT, // and logarithm
    SIM_COST_SINE,     // and cosine
    SIM_COST_TANGENT,
    // accesses
    SIM_COST_ACCESS,
    SIM_COST_FRAGMENT, // an access for each register
    SIM_COST_MATRICES, // of shared memory
    SIM_COST_TEXEL,
    SIM_COST_SHUFFLE,
    SIM_COST_BARRIER,
    SIM_COST_CLUSTER_BARRIER,
    SIM_COST_ASYNC // an instruction for a unit that works beside the warp
} sim_cost;

// The unit of an SM that executes an operation; the timing model adds up the work of each.
typedef enum sim_pipe {
    SIM_PIPE_FMA,
    SIM_PIPE_ALU,
    SIM_PIPE_XU,
    SIM_PIPE_FP64,
    SIM_PIPE_LSU,
    SIM_PIPE_TEX,
    SIM_PIPE_CTRL,
    SIM_PIPE_TENSOR,
    SIM_PIPE_MISC
} sim_pipe;

// Comparisons of setp, set and slct. Those with U are also true when an operand is NaN.
typedef enum sim_compare {
    SIM_CMP_EQ,
    SIM_CMP_NE,
    SIM_CMP_LT,
    SIM_CMP_LE,
    SIM_CMP_GT,
    SIM_CMP_GE, // lo, ls, hi, hs are lt.. on unsigned
    SIM_CMP_EQU,
    SIM_CMP_NEU,
    SIM_CMP_LTU,
    SIM_CMP_LEU,
    SIM_CMP_GTU,
    SIM_CMP_GEU, // unordered: true on NaN
    SIM_CMP_NUM,
    SIM_CMP_NAN
} sim_compare;

// How setp and set combine their result with a predicate.
typedef enum sim_boolean { SIM_BOOL_NONE, SIM_BOOL_AND, SIM_BOOL_OR, SIM_BOOL_XOR } sim_boolean;

// Rounding of a result. The modifiers with I round to an integer in the same format.
typedef enum sim_rounding {
    SIM_ROUND_DEFAULT, // .rn for float arithmetic, truncation where PTX says so
    SIM_ROUND_RN,
    SIM_ROUND_RZ,
    SIM_ROUND_RM,
    SIM_ROUND_RP,
    SIM_ROUND_RNA,
    SIM_ROUND_RNI,
    SIM_ROUND_RZI,
    SIM_ROUND_RMI,
    SIM_ROUND_RPI, // to an integer value
    SIM_ROUND_APPROX,
    SIM_ROUND_FULL // div.approx, div.full, rcp.approx ..
} sim_rounding;

// What an atomic or a reduction does.
typedef enum sim_atomic {
    SIM_ATOMIC_ADD,
    SIM_ATOMIC_MIN,
    SIM_ATOMIC_MAX,
    SIM_ATOMIC_INC,
    SIM_ATOMIC_DEC,
    SIM_ATOMIC_AND,
    SIM_ATOMIC_OR,
    SIM_ATOMIC_XOR,
    SIM_ATOMIC_EXCH,
    SIM_ATOMIC_CAS
} sim_atomic;

// Operation variants, kept in sim_instr.variant; which enum applies follows from the op.
typedef enum sim_shuffle { SIM_SHFL_UP, SIM_SHFL_DOWN, SIM_SHFL_BFLY, SIM_SHFL_IDX } sim_shuffle;
typedef enum sim_vote { SIM_VOTE_ALL, SIM_VOTE_ANY, SIM_VOTE_UNI, SIM_VOTE_BALLOT } sim_vote;
typedef enum sim_fma {
    SIM_FMA_PLAIN,
    SIM_FMA_NEGATE_PRODUCT,
    SIM_FMA_NEGATE_ADDEND
} sim_fma; // what a subtraction with a product becomes
// match.any.sync and match.all.sync.
typedef enum sim_match { SIM_MATCH_ANY, SIM_MATCH_ALL } sim_match;
// The forms of bar and barrier.
typedef enum sim_bar {
    SIM_BAR_SYNC,
    SIM_BAR_ARRIVE,
    SIM_BAR_RED_POPC,
    SIM_BAR_RED_AND,
    SIM_BAR_RED_OR
} sim_bar;
// Which mipmap level a texture instruction asks for.
typedef enum sim_level {
    SIM_LEVEL_ONLY,
    SIM_LEVEL_GIVEN,
    SIM_LEVEL_GRAD
} sim_level; // which mipmap level
enum { SIM_TEXTURE_RESULTS = 4, SIM_TEXTURE_PARTS = SIM_TEXTURE_RESULTS + 1 + 2 * 3 };
// What txq asks for.
typedef enum sim_texture_query {
    SIM_QUERY_WIDTH,
    SIM_QUERY_HEIGHT,
    SIM_QUERY_DEPTH,
    SIM_QUERY_ARRAY_SIZE,
    SIM_QUERY_MIPMAP_LEVELS,
    SIM_QUERY_NORMALIZED
} sim_texture_query;
// What testp asks of a float.
typedef enum sim_testp {
    SIM_TESTP_FINITE,
    SIM_TESTP_INFINITE,
    SIM_TESTP_NUMBER,
    SIM_TESTP_NOTANUMBER,
    SIM_TESTP_NORMAL,
    SIM_TESTP_SUBNORMAL
} sim_testp;
// Where a load looks. Measured on an H100: .cg and .cv never hit the L1; .lu and .L1::no_allocate
// find what is there but leave nothing; .ca, .cs, .nc and evictions hints are like no word at all.
typedef enum sim_cache_hint { SIM_CACHE_ALL, SIM_CACHE_PAST_L1, SIM_CACHE_ONCE } sim_cache_hint;
// What the machine code beside the PTX has for a load, store or atomic (machine/machine.h).
typedef enum sim_machine {
    SIM_MACHINE_UNKNOWN,    // no machine code, or none that can be told
    SIM_MACHINE_SAME,       // the same access; atomics: one of every lane
    SIM_MACHINE_WIDE,       // one access for this and its neighbours
    SIM_MACHINE_MERGED,     // none: it went into a neighbour's, or nobody reads it
    SIM_MACHINE_AGGREGATED, // atomics: one lane adds for all
    SIM_MACHINE_COUNTED,    // atomics: lanes of one word are counted in one pass (popc.inc)
    SIM_MACHINE_DIFFERS,    // another width, or none, and nothing that explains it
    SIM_MACHINE_UNROLLED    // jumps back: the machine has several copies of the loop's accesses
} sim_machine;
// Whom a fence orders accesses for: the block, the device, or the host, too.
typedef enum sim_fence { SIM_FENCE_CTA, SIM_FENCE_GPU, SIM_FENCE_SYS } sim_fence;
// Between what a fence orders accesses: generic ones, or these and those of asynchronous copies.
typedef enum sim_fence_proxy { SIM_FENCE_GENERIC, SIM_FENCE_ASYNC } sim_fence_proxy;
// The modes of prmt.
typedef enum sim_prmt {
    SIM_PRMT_INDEX,
    SIM_PRMT_F4E,
    SIM_PRMT_B4E,
    SIM_PRMT_RC8,
    SIM_PRMT_ECL,
    SIM_PRMT_ECR,
    SIM_PRMT_RC16
} sim_prmt;
// Memory order of ld, st, atom, red, fence (sim_instr.order). atom and red without a word are
// RELAXED.
typedef enum sim_order {
    SIM_ORDER_WEAK,
    SIM_ORDER_VOLATILE,
    SIM_ORDER_RELAXED,
    SIM_ORDER_ACQUIRE,
    SIM_ORDER_RELEASE,
    SIM_ORDER_ACQ_REL,
    SIM_ORDER_SC
} sim_order;

// Floats of at most 8 bits.
typedef enum sim_small {
    SIM_SMALL_E4M3,
    SIM_SMALL_E5M2,
    SIM_SMALL_E2M3,
    SIM_SMALL_E3M2,
    SIM_SMALL_E2M1,
    SIM_SMALL_UE8M0 // a power of two
} sim_small;
// The operations on an mbarrier object.
typedef enum sim_mbarrier_op {
    SIM_MBARRIER_INIT,
    SIM_MBARRIER_INVAL,
    SIM_MBARRIER_ARRIVE,
    SIM_MBARRIER_ARRIVE_DROP,
    SIM_MBARRIER_EXPECT_TX,
    SIM_MBARRIER_COMPLETE_TX,
    SIM_MBARRIER_TEST_WAIT,
    SIM_MBARRIER_TRY_WAIT,
    SIM_MBARRIER_PENDING_COUNT
} sim_mbarrier_op;
// The directions of cp.async.bulk.
typedef enum sim_bulk {
    SIM_BULK_TO_SHARED,
    SIM_BULK_TO_GLOBAL,
    SIM_BULK_TO_CLUSTER, // from the own shared memory to that of a block of the cluster
    SIM_BULK_PREFETCH    // to the L2
} sim_bulk;
// What happens to groups of bulk copies to global memory.
typedef enum sim_bulk_group {
    SIM_BULK_COMMIT,
    SIM_BULK_WAIT,     // until all but `vector` groups are done
    SIM_BULK_WAIT_READ // until their sources are read
} sim_bulk_group;
enum { SIM_MOST_BULK_GROUPS = 8 }; // that `vector` tells apart; as many or more

// Matrix instructions: sim_instr.extra is a sim_matrix.
typedef enum sim_element {
#define MATRIX_ELEMENT(id, text, bits) SIM_ELEMENT_##id,
#include "program/matrix_elements.def"
#undef MATRIX_ELEMENT
    SIM_ELEMENT_COUNT
} sim_element;
// The operands of a matrix product, D = A B + C.
typedef enum sim_matrix_part {
    SIM_MATRIX_A,
    SIM_MATRIX_B,
    SIM_MATRIX_C,
    SIM_MATRIX_D
} sim_matrix_part;
// Shape, types and layout of a matrix instruction. `k` counts B's rows, also where A is sparse.
typedef struct sim_matrix {
    uint8_t m;            // rows of A and D
    uint16_t n;           // columns of B and D
    uint16_t k;           // columns of A, rows of B
    uint8_t a, b, c, d;   // sim_element of each part
    uint8_t registers[4]; // a lane, by sim_matrix_part
    uint8_t part;         // WMMA_LOAD, WMMA_STORE: which
    bool column;        // WMMA_LOAD, WMMA_STORE: column-major in memory; LDMATRIX, STMATRIX: .trans
    bool satfinite;     // .satfinite: integers stop at their ends
    bool ands;          // of single bits: `and`, else `xor`, and the bits that are set are counted
    bool negated;       // WGMMA: the product is subtracted, as the scales of A and B say
    bool transposed[2]; // WGMMA: A, B lie in shared memory with their rows, columns side by side
    bool sparse;        // MMA: A holds half of each group along k, and metadata which half
    uint8_t selector;   // sparse: which lanes of four have the metadata
    bool exact;         // MMA with a kind: the sum is rounded once
    uint8_t factors;    // MMA.block_scale: of each row of A and column of B: 1, 2, 4; else 0
    bool powers;        // these are of ue8m0, else of ue4m3
} sim_matrix;

enum { SIM_MOST_GROUPS = 7 }; // of products, that wgmma.wait_group may leave under way

enum sim_modifier {       // sim_instr.mods, a bit set
    SIM_MOD_FTZ = 1 << 0, // .ftz
    SIM_MOD_SAT = 1 << 1, // .sat
    SIM_MOD_HI = 1 << 2,  // mul.hi, mad.hi
    SIM_MOD_LO = 1 << 3,
    SIM_MOD_WIDE = 1 << 4,
    SIM_MOD_CC = 1 << 5,      // .cc: writes the carry flag
    SIM_MOD_NAN = 1 << 6,     // min.NaN, max.NaN
    SIM_MOD_XORSIGN = 1 << 7, // .xorsign.abs
    SIM_MOD_RELU = 1 << 8,
    SIM_MOD_LEFT = 1 << 9,      // shf.l, else shf.r
    SIM_MOD_OOB = 1 << 9,       // fma.oob
    SIM_MOD_CLAMP = 1 << 10,    // shf.clamp, bmsk.clamp; else .wrap
    SIM_MOD_SHIFTAMT = 1 << 11, // bfind.shiftamt
    SIM_MOD_UNIFORM = 1 << 12,  // bra.uni, call.uni
    SIM_MOD_VOLATILE =
        1 << 13, // .volatile, .relaxed, .acquire, .release, .mmio: other threads may see it
    SIM_MOD_NC = 1 << 14,        // ld.global.nc
    SIM_MOD_SYNC = 1 << 15,      // shfl.sync, vote.sync ..: a member mask operand is present
    SIM_MOD_ALIGNED = 1 << 16,   // bar.sync, barrier.sync.aligned: whole warps
    SIM_MOD_TO = 1 << 17,        // cvta.to.space (generic -> space); else space -> generic
    SIM_MOD_ADDRESS32 = 1 << 18, // the address register is 32 bits wide
    SIM_MOD_FRAME =
        1 << 19, // ld/st.param on a call's or a function's parameter in the frame, not entry params
    SIM_MOD_INDIRECT = 1 << 20, // call through a register
    SIM_MOD_PRED_NEG_C =
        1 << 21, // the predicate operand src[2] (setp's c, selp's c, vote's a) is negated
    SIM_MOD_PRED_OPERANDS =
        1 << 22, // and/or/xor/not/mov on predicates: operands are predicate slots
    SIM_MOD_NO_CARRY_IN = 1 << 23,
    // ld, cvt: type (or dtype) is narrower than the 64-bit destination slot(s): the result is
    // zero- or sign-extended to 64 bits by the sign of the type
    SIM_MOD_DST64 = 1 << 24,
    SIM_MOD_SRC64 =
        1 << 25, // st, cvt: the value slot(s) are 64-bit though the type is narrower: truncate
    SIM_MOD_ABS = 1 << 26,       // redux.abs, .abs alone
    SIM_MOD_SATFINITE = 1 << 27, // .satfinite: the largest number instead of infinity
    SIM_MOD_NOINC = 1 << 28,     // cp.async.mbarrier.arrive.noinc: counts as one that was expected
    SIM_MOD_EXPECT = 1 << 28,    // mbarrier.arrive.expect_tx: src[1] is bytes, one thread arrives
    SIM_MOD_REDUCES = 1 << 28,   // bulk copies: `atomic` of source and destination
    SIM_MOD_FORMATTED = 1 << 28, // sust.p, sured.p: in texels, and values converted
    SIM_MOD_REVOLUTIONS = 1 << 28, // sin.2pi, cos.2pi: the argument counts turns, not radians
    SIM_MOD_PARITY = 1 << 29,      // mbarrier.test_wait.parity: src[1] is a parity, not a state
    SIM_MOD_PAIR = 1 << 29         // bulk copies: .cta_group::2
};

// In sim_instr.shape.
#define SIM_SHAPE_STAYS (UINT32_C(1) << 31)

enum { SIM_NO_SLOT = 0xFFFFFFFFu }; // absent operand, guard or destination (`_`)
enum { SIM_PC_EXIT = 0xFFFFFFFFu }; // reconverges only at the end of the function

// Of an instruction and the registers that may hold what a load with sim_instr.dropped brought.
typedef enum sim_touches {
    SIM_TOUCHES_NOT,
    SIM_TOUCHES,     // reads or writes one of them, or one of their slots
    SIM_TOUCHES_USES // likewise, and what it reads of them counts as used
} sim_touches;

typedef struct sim_warp sim_warp;
typedef struct sim_instr sim_instr;
// Executes one instruction for the lanes in `lanes` (active and predicated on; never 0 for plain
// ones).
typedef void (*sim_exec_fn)(sim_warp *warp, const sim_instr *instr, uint32_t lanes);

// One decoded instruction. Operands are slots: offsets in the frame of a warp.
struct sim_instr {
    sim_exec_fn exec;      // bound by sim_program_bind (ops/ops.h) after decoding
    uint32_t guard;        // predicate slot or SIM_NO_SLOT
    uint16_t op;           // sim_op
    uint8_t type;          // ptx_type of the operation
    uint8_t type2;         // source type of cvt, set, slct's c, mad.wide
    uint8_t guard_negated; // lanes whose predicate is false are on
    uint8_t space;         // ptx_space of memory operations; NONE: generic
    uint16_t vector;       // 1, 2, 4, 8: ld, st; number of parts for PACK and UNPACK
    uint8_t compare;       // sim_compare
    uint8_t boolean;       // sim_boolean
    uint8_t rounding;      // sim_rounding
    uint8_t variant;       // as sim_variant_of says
    uint8_t scope;         // sim_fence for fence, atom
    uint8_t order;         // sim_order
    uint8_t jumped_to;     // a BRA leads here, set by sim_bind
    uint8_t nounroll;      // stands behind `.pragma "nounroll"`: the loop around it is not unrolled
    uint8_t geometry;      // sim_geometry of tex, tld4, suld ..
    uint8_t level;         // sim_level of tex
    uint8_t atomic;        // sim_atomic of sured
    uint8_t cache;         // sim_cache_hint of ld
    uint8_t evidence : 2;  // sim_evidence: how its result is known to be right
    uint8_t inexact : 1;   // a card may give another result (inexact.def)
    uint8_t misled : 1;    // its condition or its address may depend on such a result
    uint8_t scattered : 1; // st: its address depends on data
    uint8_t copies : 1;    // st: what a load has brought
    uint8_t unread;        // ld: nobody reads what it loads
    uint8_t dropped;       // ld: on some path nothing that counts uses what it loads
    uint8_t touches;       // sim_touches
    uint8_t named; // ld: of a variable by its name; in constant memory an operand of what reads it
    uint8_t machine; // sim_machine: what ptxas made of a memory operation
    // SIM_MACHINE_WIDE: what its machine instruction moves a lane; _UNROLLED: the loop's accesses
    uint8_t machine_bytes;
    uint8_t site;          // memory: of the warp's sim_site, set by sim_bind
    uint8_t machine_jumps; // sim_function.machine: of this one, at most 255
    int16_t machine_shift; // SIM_MACHINE_WIDE: from the address here to the one there
    uint32_t mods;         // sim_modifier bits
    uint32_t dst, dst2;    // slots; dst2: predicate of shfl/match, setp's q
    uint32_t src[4]; // slots; memory: src[0] the address register (a constant slot 0 when absent)
    uint32_t list;   // vector operands: index of the first of `vector` slots in function->slots
    // BRA: pc; CALL: function index (direct, not built in); BRX: index of the first target in
    // function->slots; SIM_MOD_FRAME: size_bytes of the variable.
    uint32_t target;
    uint32_t target_count; // BRX
    uint32_t reconverge;   // BRA, BRX: pc of the immediate post-dominator or SIM_PC_EXIT
    uint32_t location;     // index into function->locations
    uint32_t ptx_line;
    // Memory: equal for two operations of one basic block when their address registers hold the
    // same value; counts from 1.
    uint32_t base;
    // The same when their addresses differ by what all threads of a block have in common, so that a
    // full warp's lanes are as far apart in both. With SIM_SHAPE_STAYS: in a loop of this one block
    // also from pass to pass.
    uint32_t shape;
    // ld, st, atom, red: the variable of shared memory, as index of the program's symbols + 1, that
    // the address is formed from; 0: none, several, dynamic shared memory, or not known.
    uint32_t variable;
    uint32_t pc;       // its place in the function's code, set by sim_bind
    int64_t offset;    // memory: byte displacement; LOP3: the table; TRAP etc. unused
    sim_exec_fn plain; // SIM_MACHINE_WIDE, SIM_MACHINE_MERGED: exec without regard to that
    const void *extra; // CALL: sim_call; executor's own use otherwise
};

// A bulk copy: of a row of bytes, or of a box that a tensor map describes.
static inline bool sim_is_bulk(const sim_instr *instr) {
    return instr->op == SIM_OP_BULK || instr->op == SIM_OP_BULK_TENSOR;
}

// The columns of ops.def: what modules ask of an operation instead of naming it.
typedef struct sim_op_row {
    uint8_t pipe, role, variant, cost; // sim_pipe, sim_role, sim_variant, sim_cost
} sim_op_row;
extern const sim_op_row sim_op_rows[SIM_OP_COUNT]; // by sim_op
static inline sim_role sim_role_of(const sim_instr *instr) {
    return (sim_role)sim_op_rows[instr->op].role;
}
static inline sim_variant sim_variant_of(const sim_instr *instr) {
    return (sim_variant)sim_op_rows[instr->op].variant;
}
static inline sim_cost sim_cost_of(const sim_instr *instr) {
    return (sim_cost)sim_op_rows[instr->op].cost;
}

// Computes registers from registers only: what stands before the memory operations in ops.def.
static inline bool sim_is_computation(const sim_instr *instr) { return instr->op < SIM_OP_LD; }
// An access of each thread by an address of its own: what stands from ld to prefetch in ops.def.
static inline bool sim_is_by_thread(const sim_instr *instr) {
    return instr->op >= SIM_OP_LD && instr->op <= SIM_OP_PREFETCH;
}
// ld.
static inline bool sim_is_ld(const sim_instr *instr) { return instr->op == SIM_OP_LD; }
// st.
static inline bool sim_is_st(const sim_instr *instr) { return instr->op == SIM_OP_ST; }
// atom, which returns the old value.
static inline bool sim_is_atom(const sim_instr *instr) { return instr->op == SIM_OP_ATOM; }
// red: an atomic that does not return the old value.
static inline bool sim_is_red(const sim_instr *instr) { return instr->op == SIM_OP_RED; }
// atom and red.
static inline bool sim_is_atomic(const sim_instr *instr) {
    return sim_is_atom(instr) || sim_is_red(instr);
}
// Writes memory that its address register names: st, atom, red.
static inline bool sim_is_write(const sim_instr *instr) {
    return sim_is_st(instr) || sim_is_atomic(instr);
}
// What may have an order and a scope: ld, st, atom, red.
static inline bool sim_is_access(const sim_instr *instr) {
    return sim_is_ld(instr) || sim_is_write(instr);
}
// ld and ldu.
static inline bool sim_is_plain_load(const sim_instr *instr) {
    return sim_is_ld(instr) || instr->op == SIM_OP_LDU;
}
// Brings a value from memory into registers: ld, ldu, atom.
static inline bool sim_is_load(const sim_instr *instr) {
    return sim_is_plain_load(instr) || sim_is_atom(instr);
}
// Takes what lies there and leaves something else, as a lock is taken: atom.cas and atom.exch.
static inline bool sim_is_swap(const sim_instr *instr) {
    return sim_is_atom(instr) &&
           (instr->variant == SIM_ATOMIC_CAS || instr->variant == SIM_ATOMIC_EXCH);
}
// discard: what lies in a line of 128 bytes counts no more.
static inline bool sim_is_discard(const sim_instr *instr) { return instr->op == SIM_OP_DISCARD; }
// add, of any type.
static inline bool sim_is_add(const sim_instr *instr) { return instr->op == SIM_OP_ADD; }
// add and sub, of any type.
static inline bool sim_is_sum(const sim_instr *instr) {
    return sim_is_add(instr) || instr->op == SIM_OP_SUB;
}
static inline bool sim_is_mul(const sim_instr *instr) { return instr->op == SIM_OP_MUL; }
static inline bool sim_is_fma(const sim_instr *instr) { return instr->op == SIM_OP_FMA; }
// mov of a register.
static inline bool sim_is_mov(const sim_instr *instr) { return instr->op == SIM_OP_MOV; }
// mov of a register to or from the parts in its list.
static inline bool sim_is_pack(const sim_instr *instr) { return instr->op == SIM_OP_PACK; }
static inline bool sim_is_unpack(const sim_instr *instr) { return instr->op == SIM_OP_UNPACK; }
// selp: one of two registers, as a predicate says.
static inline bool sim_is_selp(const sim_instr *instr) { return instr->op == SIM_OP_SELP; }
// setp: compares, and writes predicates.
static inline bool sim_is_setp(const sim_instr *instr) { return instr->op == SIM_OP_SETP; }
// redux: a value of all lanes of a warp.
static inline bool sim_is_redux(const sim_instr *instr) { return instr->op == SIM_OP_REDUX; }
// shfl.
static inline bool sim_is_shuffle(const sim_instr *instr) {
    return sim_variant_of(instr) == SIM_VARIANT_SHUFFLE;
}
// What orders accesses: fence and membar.
static inline bool sim_is_fence(const sim_instr *instr) { return instr->op == SIM_OP_FENCE; }
// bar and barrier, of the block.
static inline bool sim_is_barrier(const sim_instr *instr) { return instr->op == SIM_OP_BAR; }
// An operation on an mbarrier object; cp.async.mbarrier is none.
static inline bool sim_is_mbarrier(const sim_instr *instr) { return instr->op == SIM_OP_MBARRIER; }
// mbarrier and cp.async.mbarrier.
static inline bool sim_uses_mbarrier(const sim_instr *instr) {
    return sim_is_mbarrier(instr) || instr->op == SIM_OP_CP_MBARRIER;
}
// Copies to shared memory without a register: cp.async of each thread, and bulk copies.
static inline bool sim_is_cp_async(const sim_instr *instr) { return instr->op == SIM_OP_CP_ASYNC; }
// A product of the whole warp group.
static inline bool sim_is_wgmma(const sim_instr *instr) { return instr->op == SIM_OP_WGMMA; }
// What one thread starts in tensor memory, and tcgen05.commit follows.
static inline bool sim_is_tmem_work(const sim_instr *instr) {
    return instr->op == SIM_OP_TMEM_MMA || instr->op == SIM_OP_TMEM_CP ||
           instr->op == SIM_OP_TMEM_SHIFT;
}
static inline bool sim_is_wgmma_fence(const sim_instr *instr) {
    return instr->op == SIM_OP_WGMMA_FENCE;
}
// A product of matrices, of a warp or a warp group: mma, wmma, wgmma.
static inline bool sim_is_product(const sim_instr *instr) {
    return sim_is_wgmma(instr) || instr->op == SIM_OP_MMA || instr->op == SIM_OP_WMMA;
}
// bra, with or without a guard.
static inline bool sim_is_jump(const sim_instr *instr) { return instr->op == SIM_OP_BRA; }
// brx: goes to one of `target_count` places.
static inline bool sim_is_switch(const sim_instr *instr) { return instr->op == SIM_OP_BRX; }
// Where control flow may go to several places: bra and brx.
static inline bool sim_is_branch(const sim_instr *instr) {
    return sim_is_jump(instr) || sim_is_switch(instr);
}
// From a function to its caller.
static inline bool sim_is_ret(const sim_instr *instr) { return instr->op == SIM_OP_RET; }
// ret and exit.
static inline bool sim_is_return(const sim_instr *instr) {
    return sim_is_ret(instr) || instr->op == SIM_OP_EXIT;
}
static inline bool sim_is_call(const sim_instr *instr) { return instr->op == SIM_OP_CALL; }
