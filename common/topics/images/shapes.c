// Drawn images: see images.h. A shape is a function of a point that gives how far outside the point
// lies (a signed distance, as in constructive drawing), so that edges are smooth at any size.
#include "images.h"
#include "random.h"

// Points are in a square of -1 .. 1 around the shape; half is half of a stroke's width.
typedef double distance_to(double x, double y, double half);

// Roots and products alone are the same on every machine; hypot, sin and cos need not be.
static double from_middle(double x, double y) { return sqrt(x * x + y * y); }

static double disc(double x, double y, double half) {
    (void)half;
    return from_middle(x, y) - 0.8;
}

static double ring(double x, double y, double half) { return fabs(from_middle(x, y) - 0.7) - half; }

static double square(double x, double y, double half) {
    (void)half;
    return fmax(fabs(x), fabs(y)) - 0.72;
}

static double frame(double x, double y, double half) {
    return fabs(fmax(fabs(x), fabs(y)) - 0.68) - half;
}

// Three edges, one unit away from the middle of gravity.
static double triangle(double x, double y, double half) {
    (void)half;
    return fmax(y - 0.5, fmax(0.87 * x - 0.5 * y, -0.87 * x - 0.5 * y) - 0.5);
}

static double plus(double x, double y, double half) {
    return fmin(fmax(fabs(x) - half, fabs(y) - 0.85), fmax(fabs(y) - half, fabs(x) - 0.85));
}

static double cross(double x, double y, double half) {
    return plus(0.707 * (x + y), 0.707 * (x - y), half);
}

static double level_lines(double x, double y, double half) {
    double line = fabs(fabs(y) - 0.55) - half;
    return fmax(fmin(line, fabs(y) - half), fabs(x) - 0.8);
}

static double upright_lines(double x, double y, double half) { return level_lines(y, x, half); }

static double corner(double x, double y, double half) {
    double upright = fmax(fabs(x + 0.55) - half, fabs(y) - 0.8);
    return fmin(upright, fmax(fabs(y - 0.65) - half, fabs(x) - 0.8));
}

// One row per class: its function, its name.
#define SHAPES(ROW)                                                                                \
    ROW(disc, "disc")                                                                              \
    ROW(ring, "ring")                                                                              \
    ROW(square, "square")                                                                          \
    ROW(frame, "frame")                                                                            \
    ROW(triangle, "triangle")                                                                      \
    ROW(plus, "plus")                                                                              \
    ROW(cross, "cross")                                                                            \
    ROW(level_lines, "level lines")                                                                \
    ROW(upright_lines, "upright lines")                                                            \
    ROW(corner, "corner")
#define FUNCTION(function, name) function,
#define NAME(function, name)     name,
static distance_to *const shapes[KL_SHAPES] = {SHAPES(FUNCTION)};
const char *const kl_shape_names[KL_SHAPES] = {SHAPES(NAME)};

// How an image is drawn: the draws are numbered, so that none depends on another.
typedef struct pose {
    double x, y, scale, sine, cosine, half, bright, ground, noise;
} pose;

static pose pose_of(uint64_t seed) {
    double sine = 0.3 * kl_random_signed(seed, 3);             // of the slant
    return (pose){.x = 13.5 + 3.5 * kl_random_signed(seed, 0), // of 28 pixels
                  .y = 13.5 + 3.5 * kl_random_signed(seed, 1),
                  .scale = 6.0 + 4.5 * kl_random_unit(seed, 2),
                  .sine = sine,
                  .cosine = sqrt(1 - sine * sine),
                  .half = 0.10 + 0.14 * kl_random_unit(seed, 4),
                  .bright = 0.35 + 0.65 * kl_random_unit(seed, 5),
                  .ground = 0.25 * kl_random_unit(seed, 6),
                  .noise = 0.05 + 0.20 * kl_random_unit(seed, 7)};
}

static void draw(uint64_t seed, distance_to *distance, uint8_t *pixels) {
    enum { DRAWS = 16 }; // numbers below are the pose's
    pose p = pose_of(seed);
    for (int i = 0; i < KL_SHAPE_SIDE * KL_SHAPE_SIDE; i++) {
        double dx = (i % KL_SHAPE_SIDE - p.x) / p.scale, dy = (i / KL_SHAPE_SIDE - p.y) / p.scale;
        double outside = distance(p.cosine * dx + p.sine * dy, p.cosine * dy - p.sine * dx, p.half);
        double cover = fmin(1, fmax(0, 0.5 - outside * p.scale)); // of the pixel, about
        double value = p.ground + cover * (p.bright - p.ground * p.bright);
        value += p.noise * kl_random_signed(seed, DRAWS + (uint64_t)i);
        pixels[i] = (uint8_t)(255 * fmin(1, fmax(0, value)) + 0.5);
    }
}

kl_status kl_draw_shapes(uint64_t seed, int64_t count, kl_images *out_images, kl_error *err) {
    enum { PIXELS = KL_SHAPE_SIDE * KL_SHAPE_SIDE };
    TRY(kl_images_alloc(count, 1, KL_SHAPE_SIDE, KL_SHAPE_SIDE, KL_SHAPES, out_images, err));
    for (int64_t i = 0; i < count; i++) {
        int shape = (int)(i % KL_SHAPES);
        out_images->labels[i] = (uint8_t)shape;
        draw(kl_random_fork(seed, (uint64_t)i), shapes[shape], out_images->pixels + i * PIXELS);
    }
    return KL_OK;
}
