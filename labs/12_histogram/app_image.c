// Images of lab 12's application and what their histograms say: see app.h. Host only.
#include "app.h"
#include "random.h"

static kl_status allot(int width, int height, equal_image *out, kl_error *err) {
    *out = (equal_image){width, height, malloc((size_t)width * (size_t)height)};
    if (!out->pixels)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for %d x %d pixels", width, height);
    return KL_OK;
}

void equal_image_free(equal_image *image) {
    free(image->pixels);
    image->pixels = NULL;
}

// ---- a scene ---------------------------------------------------------------------------------

// Random heights at whole numbers with smooth curves between, 0 to 1.
static double wave(uint64_t seed, double x) {
    int64_t cell = (int64_t)floor(x);
    double t = x - (double)cell, smooth = t * t * (3 - 2 * t);
    double a = (double)kl_random_unit(seed, (uint64_t)cell);
    double b = (double)kl_random_unit(seed, (uint64_t)cell + 1);
    return a + (b - a) * smooth;
}

// Height of a ridge at x in 0 .. 1: waves of falling length and size.
static double ridge(uint64_t seed, double x) {
    double sum = 0;
    for (int octave = 0; octave < 5; octave++)
        sum += wave(kl_random_fork(seed, (uint64_t)octave), x * (3 << octave)) / (2 << octave);
    return sum;
}

// Level of the scene at (x, y), both 0 .. 1: the nearer a ridge, the lower and the darker, and all
// of it in the fog, between 96 and 160.
static double level_at(uint64_t seed, double x, double y) {
    enum { RIDGES = 5 };
    double sun = hypot((x - 0.72) * 4 / 3, y - 0.22);
    double level = 150 - 14 * y + 12 * exp(-sun * sun * 60);
    for (int r = 0; r < RIDGES; r++) {
        double top = 0.34 + 0.12 * r - 0.22 * ridge(kl_random_fork(seed, 10 + (uint64_t)r), x);
        if (y > top) level = 136 - 8 * r + 10 * fmin(1, (y - top) * 3); // fog lies in the valleys
    }
    return level;
}

kl_status equal_image_make(int width, uint64_t seed, equal_image *out, kl_error *err) {
    int height = width * 3 / 4;
    TRY(allot(width, height, out, err));
    uint64_t grain = kl_random_fork(seed, 1);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int i = y * width + x;
            double level = level_at(seed, (double)x / width, (double)y / height);
            level += 2 * (double)kl_random_signed(grain, (uint64_t)i);
            out->pixels[i] = (uint8_t)lround(fmin(fmax(level, 0), 255));
        }
    return KL_OK;
}

// ---- a file ----------------------------------------------------------------------------------

// The next number of a graymap's head; -1: there is none. Comments end with their line.
static int head_number(FILE *in) {
    int c = getc(in), value = 0;
    while (isspace(c) || c == '#') {
        while (c == '#' && (c = getc(in)) != EOF)
            if (c != '\n') c = '#';
        c = getc(in);
    }
    if (!isdigit(c)) return -1;
    for (; isdigit(c) && value < 1 << 20; c = getc(in)) value = 10 * value + c - '0';
    return isspace(c) ? value : -1; // one blank ends a number, also the last one
}

static kl_status read_graymap(FILE *in, const char *path, equal_image *out, kl_error *err) {
    if (getc(in) != 'P' || getc(in) != '5')
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s is no grey image of the form PGM (P5); 'convert in.png out.pgm' of "
                       "ImageMagick makes one",
                       path);
    int width = head_number(in), height = head_number(in), most = head_number(in);
    if (width < 1 || height < 1 || most < 1)
        return kl_fail(err, KL_ERROR_INPUT, "%s: no width, height and largest level after P5",
                       path);
    if (width > EQUAL_MOST_SIDE || height > EQUAL_MOST_SIDE)
        return kl_fail(err, KL_ERROR_LIMIT, "%s: %d x %d pixels; a side has at most %d", path,
                       width, height, EQUAL_MOST_SIDE);
    if (most > 255)
        return kl_fail(err, KL_ERROR_INPUT, "%s: levels to %d; one byte per pixel is read", path,
                       most);
    TRY(allot(width, height, out, err));
    size_t bytes = (size_t)width * (size_t)height, got = fread(out->pixels, 1, bytes, in);
    if (got != bytes)
        return kl_fail(err, KL_ERROR_INPUT, "%s ends after %zu of %zu pixels", path, got, bytes);
    return KL_OK;
}

kl_status equal_image_read(const char *path, equal_image *out, kl_error *err) {
    FILE *in = fopen(path, "rb");
    if (!in) return kl_fail(err, KL_ERROR_INPUT, "%s: %s", path, strerror(errno));
    kl_status status = read_graymap(in, path, out, err);
    fclose(in);
    return status;
}

// ---- histograms ------------------------------------------------------------------------------

static double total_of(const uint32_t *counts) {
    double total = 0;
    for (int v = 0; v < EQUAL_LEVELS; v++) total += counts[v];
    return total;
}

equal_summary equal_summarise(const uint32_t *counts) {
    equal_summary s = {.low = -1, .high = EQUAL_LEVELS - 1};
    double n = total_of(counts), below = 0, squares = 0;
    for (int v = 0; v < EQUAL_LEVELS; v++) {
        double share = counts[v] / n;
        s.levels += counts[v] > 0;
        s.mean += share * v;
        squares += share * v * v;
        if (share > 0) s.entropy_bits -= share * log2(share);
        if (below <= 0.99) s.high = v;
        below += share;
        if (below > 0.01 && s.low < 0) s.low = v;
        s.off_the_slope = fmax(s.off_the_slope, fabs(below - (v + 1.0) / EQUAL_LEVELS));
    }
    s.spread = sqrt(fmax(squares - s.mean * s.mean, 0));
    return s;
}

// The darkest level that occurs becomes 0 and the brightest 255; between them a level becomes the
// share of the other pixels that are as dark or darker.
void equal_levels(const uint32_t *counts, uint8_t *level) {
    double n = total_of(counts), darkest = 0, below = 0;
    for (int v = 0; v < EQUAL_LEVELS && darkest == 0; v++) darkest = counts[v];
    for (int v = 0; v < EQUAL_LEVELS; v++) {
        below += counts[v];
        double share = n > darkest ? fmax(below - darkest, 0) / (n - darkest) : 0;
        level[v] = n > darkest ? (uint8_t)lround(255 * share) : (uint8_t)v; // one level: as it is
    }
}
