// A picture of pixels inside a drawing: see drawing.h. PNG (RFC 2083) with stored blocks (RFC
// 1951), in base64 (RFC 4648): larger than need be, and without a library.
#include "drawing.h"

// Bytes on their way to base64, with the two check sums of PNG.
typedef struct sink {
    FILE *out;
    uint32_t held; // bytes that are not written yet
    int held_count;
    uint32_t crc;  // of the chunk, inverted
    uint32_t a, b; // Adler-32 of the image data
} sink;

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_byte(sink *s, uint8_t byte) {
    s->crc ^= byte;
    for (int bit = 0; bit < 8; bit++) s->crc = (s->crc >> 1) ^ (s->crc & 1 ? 0xEDB88320u : 0);
    s->held = s->held << 8 | byte;
    if (++s->held_count < 3) return;
    for (int shift = 18; shift >= 0; shift -= 6) fputc(digits[s->held >> shift & 63], s->out);
    s->held = 0;
    s->held_count = 0;
}

static void put_end(sink *s) {
    int left = s->held_count;
    if (left == 0) return;
    s->held <<= 8 * (3 - left);
    for (int i = 0; i < 4; i++)
        fputc(i <= left ? digits[s->held >> (18 - 6 * i) & 63] : '=', s->out);
}

static void put_number(sink *s, uint32_t number) { // the highest byte first
    for (int shift = 24; shift >= 0; shift -= 8) put_byte(s, (uint8_t)(number >> shift));
}

static void begin_chunk(sink *s, uint32_t bytes, const char *name) {
    put_number(s, bytes);
    s->crc = 0xFFFFFFFFu;
    for (int i = 0; i < 4; i++) put_byte(s, (uint8_t)name[i]);
}

static void end_chunk(sink *s) { put_number(s, ~s->crc); }

static void put_data(sink *s, uint8_t byte) {
    s->a = (s->a + byte) % 65521;
    s->b = (s->b + s->a) % 65521;
    put_byte(s, byte);
}

// One stored block per row: its filter (none), then its pixels.
static void put_rows(sink *s, int channels, int height, int width, const uint8_t *pixels) {
    uint32_t row = 1 + (uint32_t)(channels * width);
    begin_chunk(s, 2 + (uint32_t)height * (5 + row) + 4, "IDAT");
    put_byte(s, 0x78); // zlib: deflate with a window of 32 KiB,
    put_byte(s, 0x01); // and the check bits of that
    for (int y = 0; y < height; y++) {
        put_byte(s, y + 1 == height); // the last block?
        for (int i = 0; i < 4; i++)   // its length, lowest byte first, and inverted
            put_byte(s, (uint8_t)((i < 2 ? row : ~row) >> 8 * (i % 2)));
        put_data(s, 0);
        for (int x = 0; x < width; x++)
            for (int c = 0; c < channels; c++) put_data(s, pixels[(c * height + y) * width + x]);
    }
    put_number(s, s->b << 16 | s->a);
    end_chunk(s);
}

static void put_png(FILE *out, int channels, int height, int width, const uint8_t *pixels) {
    static const char magic[] = "\x89PNG\r\n\x1a\n";
    sink s = {.out = out, .a = 1};
    for (int i = 0; i < 8; i++) put_byte(&s, (uint8_t)magic[i]);
    begin_chunk(&s, 13, "IHDR");
    put_number(&s, (uint32_t)width);
    put_number(&s, (uint32_t)height);
    const uint8_t form[] = {8, channels == 3 ? 2 : 0, 0, 0, 0}; // 8 bits; RGB or grey
    for (size_t i = 0; i < sizeof form; i++) put_byte(&s, form[i]);
    end_chunk(&s);
    put_rows(&s, channels, height, width, pixels);
    begin_chunk(&s, 0, "IEND");
    end_chunk(&s);
    put_end(&s);
}

void kl_pixels_draw(FILE *out, double x, double y, double shown_width, double shown_height,
                    int channels, int height, int width, const uint8_t *pixels, const char *title) {
    fprintf(out,
            "<image x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
            "style=\"image-rendering:pixelated\" href=\"data:image/png;base64,",
            x, y, shown_width, shown_height);
    put_png(out, channels, height, width, pixels);
    fputs("\"><title>", out);
    kl_paper_put(out, title);
    fputs("</title></image>\n", out);
}

// ---- the end of every picture -------------------------------------------------------------------

kl_status kl_picture_end(FILE *out, kl_error *err) {
    kl_paper_end(out);
    if (fflush(out) != 0 || ferror(out))
        return kl_fail(err, KL_ERROR_SYSTEM, "writing the picture failed: %s", strerror(errno));
    return KL_OK;
}
