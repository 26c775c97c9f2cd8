// What the simulator's rules use of <string.h>, for a browser, which has no C library (../rules.c).
#pragma once

#include <stddef.h>

// As in C.
void *memset(void *bytes, int value, size_t count);
void *memcpy(void *to, const void *from, size_t count);
int strcmp(const char *a, const char *b);
size_t strlen(const char *text);
