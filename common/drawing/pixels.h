// SPDX-License-Identifier: MIT
// A picture of pixels inside a drawing: as PNG in the text itself, so that a file needs no other.
#ifndef KL_PIXELS_H
#define KL_PIXELS_H

#include <stdint.h>
#include <stdio.h>

// channels: 1 (grey) or 3 (red, green, blue). pixels: [channels][height][width]. Each pixel is
// drawn as a square, however large. title: what it shows. Sides of at most 1024.
void kl_pixels_draw(FILE *out, double x, double y, double shown_width, double shown_height,
                    int channels, int height, int width, const uint8_t *pixels, const char *title);

#endif
