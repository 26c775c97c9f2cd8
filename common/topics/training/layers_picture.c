// The network as its layers: see training.h. Shapes with height and width are stacks of
// sheets, one for each channel up to a few; shapes without are bars.
#include "training.h"
#include "drawing.h"

enum {
    MARGIN = 18,
    ACROSS = 6,    // layers of a row
    PITCH_X = 124, // from layer to layer
    PITCH_Y = 190, // from row to row
    TOP = 60,
    STACK = 104, // height of the place for a stack
    SHEETS = 8,  // drawn at most
    SHIFT = 4    // from sheet to sheet
};

static bool is_flat(const kl_layer_box *b) { return b->height == 1 && b->width == 1; }

// Larger shapes larger, in a range that can be seen.
static double side_of(int pixels) { return fmin(12 + 9 * sqrt(pixels), 72); }

static void draw_shape(const kl_layer_box *b, double x, double y, FILE *out) {
    double middle = y + STACK / 2.0;
    if (is_flat(b)) {
        double height = fmin(10 + 12 * log2(b->channels + 1), STACK);
        kl_paper_rect(out, x, middle - height / 2, 14, height, "k3");
        kl_paper_rect(out, x, middle - height / 2, 14, height, "frame");
        return;
    }
    int sheets = b->channels < SHEETS ? b->channels : SHEETS;
    double height = side_of(b->height), width = side_of(b->width), spread = SHIFT * (sheets - 1);
    for (int s = 0; s < sheets; s++) {
        double left = x + spread - SHIFT * s, top = middle - (height + spread) / 2 + SHIFT * s;
        kl_paper_rect(out, left, top, width, height, "k0");
        kl_paper_rect(out, left, top, width, height, "frame");
    }
}

// Where an arrow to the next layer begins.
static double right_of(const kl_layer_box *b) {
    if (is_flat(b)) return 14;
    int sheets = b->channels < SHEETS ? b->channels : SHEETS;
    return side_of(b->width) + SHIFT * (sheets - 1);
}

static void draw_layer(const kl_layer_box *b, double x, double y, FILE *out) {
    char parameters[48];
    draw_shape(b, x, y, out);
    double text = y + STACK + 14;
    kl_paper_text(out, x, text, "v", "%.19s", b->label);
    if (is_flat(b)) kl_paper_text(out, x, text + 15, "v", "%d values", b->channels);
    else kl_paper_text(out, x, text + 15, "v", "%d x %d x %d", b->channels, b->height, b->width);
    if (b->parameters > 0)
        kl_paper_text(out, x, text + 29, "n", "%s parameters",
                      kl_format_grouped(b->parameters, parameters, sizeof parameters));
    if (b->detail)
        kl_paper_text(out, x, text + (b->parameters > 0 ? 41 : 29), "n", "%.26s", b->detail);
}

kl_status kl_draw_layers(const char *title, const kl_layer_box *boxes, int count, FILE *out,
                         kl_error *err) {
    if (count < 1 || count > KL_LAYERS_MAX)
        return kl_fail(err, KL_ERROR_USAGE, "a network of %d layers cannot be drawn", count);
    int64_t parameters = 0;
    for (int i = 0; i < count; i++) {
        if (boxes[i].channels < 1 || boxes[i].height < 1 || boxes[i].width < 1)
            return kl_fail(err, KL_ERROR_USAGE, "layer %d gives nothing: %d x %d x %d", i,
                           boxes[i].channels, boxes[i].height, boxes[i].width);
        parameters += boxes[i].parameters;
    }
    char text[48];
    int across = count < ACROSS ? count : ACROSS, down = (count + ACROSS - 1) / ACROSS;
    int width = 2 * MARGIN + across * PITCH_X;
    kl_paper_begin(out, width < 460 ? 460 : width, TOP + down * PITCH_Y, title);
    kl_paper_text(out, MARGIN, 22, "t", "%s", title);
    kl_paper_text(out, MARGIN, 40, "v",
                  "of one image: channels x height x width after each layer; %s parameters in all",
                  kl_format_grouped(parameters, text, sizeof text));
    for (int i = 0; i < count; i++) {
        double x = MARGIN + i % ACROSS * PITCH_X, y = TOP + i / ACROSS * PITCH_Y;
        draw_layer(&boxes[i], x, y, out);
        if (i + 1 < count && (i + 1) % ACROSS != 0)
            kl_paper_arrow(out, x + right_of(&boxes[i]) + 4, y + STACK / 2.0, x + PITCH_X - 6,
                           y + STACK / 2.0);
        if (i > 0 && i % ACROSS == 0)
            kl_paper_arrow(out, x - 14, y + STACK / 2.0, x - 3, y + STACK / 2.0);
    }
    return kl_picture_end(out, err);
}
