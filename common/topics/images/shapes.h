// SPDX-License-Identifier: MIT
// Drawn images for machines without a data set: ten classes of shapes, 28 x 28, grey, each with a
// place, size, slant, stroke and brightness of its own, and noise. Not as hard as Fashion-MNIST,
// and no substitute for it: a network must learn on it, no more is claimed.
#ifndef KL_SHAPES_H
#define KL_SHAPES_H

#include "images.h"

enum { KL_SHAPES = 10, KL_SHAPE_SIDE = 28, KL_DRAWN_TRAIN = 60000, KL_DRAWN_TEST = 10000 };

extern const char *const kl_shape_names[KL_SHAPES];

// Image i is a pure function of (seed, i); its class is i modulo KL_SHAPES, so that classes are
// balanced and every batch in order mixes them.
kl_status kl_draw_shapes(uint64_t seed, int64_t count, kl_images *out_images, kl_error *err);

#endif
