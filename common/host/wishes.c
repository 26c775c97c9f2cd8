// SPDX-License-Identifier: MIT
// Wanted cases: see wishes.h.
#include "wishes.h"

#include <stdlib.h>

kl_status kl_wishes_add(kl_wishes *wishes, int family, int64_t size, bool marked, kl_error *err) {
    for (int i = 0; i < wishes->count; i++) {
        kl_wish *w = &wishes->items[i];
        if (w->family == family && w->size == size) {
            w->marked = w->marked || marked;
            return KL_OK;
        }
    }
    if (wishes->count == KL_WISHES_MAX)
        return kl_fail(err, KL_ERROR_LIMIT, "the lab has more than %d cases", KL_WISHES_MAX);
    wishes->items[wishes->count++] = (kl_wish){family, size, marked};
    return KL_OK;
}

static int by_size(const void *a, const void *b) {
    const kl_wish *x = a, *y = b;
    if ((x->size == 0) != (y->size == 0)) return x->size == 0 ? 1 : -1;
    if (x->size != y->size) return x->size > y->size ? 1 : -1;
    return x->family - y->family;
}

void kl_wishes_sort(kl_wishes *wishes) {
    qsort(wishes->items, (size_t)wishes->count, sizeof wishes->items[0], by_size);
}
