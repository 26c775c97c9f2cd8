// SPDX-License-Identifier: MIT
// Wanted cases: see case_list.h.
#include "case_list.h"

#include <stdlib.h>

kl_status kl_case_list_add(kl_case_list *list, int family, int64_t size, bool marked,
                           kl_error *err) {
    for (int i = 0; i < list->count; i++) {
        kl_listed_case *w = &list->items[i];
        if (w->family == family && w->size == size) {
            w->marked = w->marked || marked;
            return KL_OK;
        }
    }
    if (list->count == KL_CASE_LIST_MAX)
        return kl_fail(err, KL_ERROR_LIMIT, "the lab has more than %d cases", KL_CASE_LIST_MAX);
    list->items[list->count++] = (kl_listed_case){family, size, marked};
    return KL_OK;
}

static int by_size(const void *a, const void *b) {
    const kl_listed_case *x = a, *y = b;
    if ((x->size == 0) != (y->size == 0)) return x->size == 0 ? 1 : -1;
    if (x->size != y->size) return x->size > y->size ? 1 : -1;
    return x->family - y->family;
}

void kl_case_list_sort(kl_case_list *list) {
    qsort(list->items, (size_t)list->count, sizeof list->items[0], by_size);
}
