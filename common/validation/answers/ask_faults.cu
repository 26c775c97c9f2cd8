// Questions about accesses that are wrong, a process each: the code that ends them, or the word
// that the kernel leaves where none does.
#include "ask.h"

static __shared__ __align__(128) char tile[4096];
static __device__ volatile int zero; // as the compiler cannot know it
// A kernel of one thread; an instruction with an address ("l": generic or global, "r": shared).
#define FAULT(number, ...)                                                                         \
    DEVICE_ALONE(number, " %llx", 1, 1, 1, 0) {                                                    \
        u64 word = 0;                                                                              \
        __VA_ARGS__;                                                                               \
        o[0] = word + 1;                                                                           \
    }
#define WITH(text, letter, address) asm volatile(text : "+l"(word) : letter(address) : "memory")
#define NEXT                        ((u32)__cvta_generic_to_shared(tile) + (1 << 24) + zero)

FAULT(1818, WITH("ld.shared::cluster.u64 %0, [%1];", "r", NEXT))
FAULT(1819, WITH("ld.global.u64 %0, [%1];", "l", tile + zero))
FAULT(1834, void *p = malloc(16); free(p); free(p))
FAULT(1843, WITH("cvta.to.shared.u64 %0, %1;", "l", (u64)zero); word = word != 0)
FAULT(1848, int local[4]; local[zero] = 5; WITH("ld.global.u64 %0, [%1];", "l", local + zero))
FAULT(1849, WITH("st.global.u64 [%1], %0;", "l", tile + zero))
FAULT(1866, WITH("ld.shared.u64 %0, [%1];", "r", NEXT))
FAULT(1867, WITH("st.shared::cluster.u64 [%1], %0;", "r", NEXT))
FAULT(1869, WITH("ld.u64 %0, [%1];", "l", tile + ((1 << 24) + zero)))
