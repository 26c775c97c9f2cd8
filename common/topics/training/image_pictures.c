// Filters and misclassified images: see training.h.
#include "drawing.h"
#include "training.h"

// ---- filters ---------------------------------------------------------------------------------

enum { MARGIN = 18, FILTERS_TOP = 82, PANEL = 72, PANEL_PITCH = 90, ACROSS = 8, FILTER_SIDE = 32 };

static double largest_of(const float *weights, int64_t count) {
    double most = 0;
    for (int64_t i = 0; i < count; i++)
        if (isfinite(weights[i])) most = fmax(most, fabs((double)weights[i]));
    return most;
}

static void draw_panel(const float *weights, int height, int width, double most, double x, double y,
                       FILE *out) {
    double side = (double)PANEL / (height > width ? height : width);
    kl_paper_rect(out, x, y, side * width, side * height, "cell");
    for (int i = 0; i < height * width; i++) {
        double w = (double)weights[i];
        if (!isfinite(w) || w == 0 || most == 0) continue;
        fprintf(out, "<g class=\"s%d\" fill-opacity=\"%.2f\">", w > 0 ? 0 : 2, fabs(w) / most);
        kl_paper_rect(out, x + i % width * side, y + i / width * side, side, side, "area");
        fputs("</g>", out);
    }
    kl_paper_rect(out, x, y, side * width, side * height, "frame");
}

static void draw_key(const char *title, int shown, int panels, double most, FILE *out) {
    kl_paper_text(out, MARGIN, 22, "t", "%s", title);
    fputs("<g class=\"s0\">", out);
    kl_paper_rect(out, MARGIN, 34, 12, 12, "area");
    fputs("</g><g class=\"s2\">", out);
    kl_paper_rect(out, MARGIN + 160, 34, 12, 12, "area");
    fputs("</g>\n", out);
    kl_paper_text(out, MARGIN + 18, 44, "v", "positive, up to %.3g", most);
    kl_paper_text(out, MARGIN + 178, 44, "v", "negative, down to %.3g", -most);
    if (shown < panels)
        kl_paper_text(out, MARGIN + 340, 44, "v", "the first %d of %d panels", shown, panels);
}

kl_status kl_draw_filters(const char *title, int count, int channels, int height, int width,
                          const float *weights, FILE *out, kl_error *err) {
    if (count < 1 || channels < 1 || channels > 4096 || count > 4096 || height < 1 || width < 1 ||
        height > FILTER_SIDE || width > FILTER_SIDE) {
        return kl_fail(err, KL_ERROR_USAGE, "%d filters of %d x %d x %d cannot be drawn", count,
                       channels, height, width);
    }
    int panels = count * channels, shown = panels < KL_FILTERS_SHOWN ? panels : KL_FILTERS_SHOWN;
    int row =
        channels < ACROSS ? ACROSS / channels * channels : ACROSS; // whole filters if they fit
    int across = shown < row ? shown : row, down = (shown + row - 1) / row;
    double most = largest_of(weights, (int64_t)panels * height * width);
    int wide = 2 * MARGIN + across * PANEL_PITCH;
    kl_paper_begin(out, wide < 520 ? 520 : wide, FILTERS_TOP + down * (PANEL_PITCH + 6), title);
    draw_key(title, shown, panels, most, out);
    for (int p = 0; p < shown; p++) {
        double x = MARGIN + p % row * PANEL_PITCH, y = FILTERS_TOP + p / row * (PANEL_PITCH + 6.0);
        if (channels > 1)
            kl_paper_text(out, x, y - 4, "v", "filter %d, channel %d", p / channels, p % channels);
        else kl_paper_text(out, x, y - 4, "v", "filter %d", p);
        draw_panel(weights + (int64_t)p * height * width, height, width, most, x, y, out);
    }
    return kl_picture_end(out, err);
}

// ---- misclassified images --------------------------------------------------------------------

enum { IMAGE = 84, PITCH_X = 124, PITCH_Y = 132, IMAGES_TOP = 60, IMAGES_ACROSS = 6 };

// Indices of the images to show, in order; returns how many. wrong: of all images.
static int choose(const kl_images *images, const uint8_t *predicted, const float *confidence,
                  int most, int64_t *chosen, int64_t *out_wrong) {
    int count = 0;
    *out_wrong = 0;
    for (int64_t i = 0; i < images->count; i++) {
        if (predicted[i] == images->labels[i]) continue;
        ++*out_wrong;
        int at = count;
        while (confidence && at > 0 && confidence[chosen[at - 1]] < confidence[i]) at--;
        if (at == most) continue;
        count = count < most ? count + 1 : most;
        for (int k = count - 1; k > at; k--) chosen[k] = chosen[k - 1];
        chosen[at] = i;
    }
    return count;
}

static const char *name_of(const kl_images *images, const char *const *names, int label) {
    return label < images->classes ? names[label] : "?";
}

static void draw_mistake(const kl_images *images, int64_t index, int predicted, float confidence,
                         const char *const *names, double x, double y, FILE *out) {
    const char *is = name_of(images, names, images->labels[index]),
               *seen = name_of(images, names, predicted);
    char title[160];
    snprintf(title, sizeof title, "image %lld: %s, predicted %s", (long long)index, is, seen);
    double side = (double)IMAGE / (images->height > images->width ? images->height : images->width);
    kl_pixels_draw(out, x, y, side * images->width, side * images->height,
                   images->channels == 3 ? 3 : 1, images->height, images->width,
                   images->pixels + index * kl_images_pixels(images), title);
    kl_paper_text(out, x, y + IMAGE + 14, "v", "%.18s", is);
    fputs("<g class=\"s2\">", out);
    if (confidence >= 0)
        kl_paper_text(out, x, y + IMAGE + 28, "v area", "%.14s %.0f %%", seen,
                      100 * (double)confidence);
    else kl_paper_text(out, x, y + IMAGE + 28, "v area", "%.18s", seen);
    fputs("</g>\n", out);
}

kl_status kl_draw_mistakes(const kl_images *images, const uint8_t *predicted,
                           const float *confidence, int most, const char *const *names, FILE *out,
                           kl_error *err) {
    if (most < 1 || most > 1000 || images->height > 1024 || images->width > 1024)
        return kl_fail(err, KL_ERROR_USAGE, "%d images cannot be drawn", most);
    int64_t *chosen = malloc((size_t)most * sizeof *chosen), wrong = 0;
    if (!chosen) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a picture");
    int shown = choose(images, predicted, confidence, most, chosen, &wrong);
    int down = (shown + IMAGES_ACROSS - 1) / IMAGES_ACROSS;
    kl_paper_begin(out, 2 * MARGIN + IMAGES_ACROSS * PITCH_X, IMAGES_TOP + down * PITCH_Y + 4,
                   "Misclassified images, with their class and the predicted one");
    kl_paper_text(out, MARGIN, 22, "t", "%lld of %lld images are misclassified", (long long)wrong,
                  (long long)images->count);
    kl_paper_text(out, MARGIN, 40, "v", "%s%s",
                  shown == 0 ? "There is nothing to show."
                             : "Below each image its class, then in colour the predicted one",
                  shown == 0                ? ""
                  : confidence && wrong > 0 ? ", the most confident first."
                                            : ".");
    for (int k = 0; k < shown; k++)
        draw_mistake(
            images, chosen[k], predicted[chosen[k]], confidence ? confidence[chosen[k]] : -1, names,
            MARGIN + k % IMAGES_ACROSS * PITCH_X, IMAGES_TOP + k / IMAGES_ACROSS * PITCH_Y, out);
    free(chosen);
    return kl_picture_end(out, err);
}
