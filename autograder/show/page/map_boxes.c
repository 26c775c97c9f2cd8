// Boxes of bulk tensor copies, each with a picture of where its rows lie in the banks of shared
// memory. See internal.h. Where a swizzle puts a chunk is asked of the simulator's own rule.
#include "show/page/internal.h"

enum {
    LINE = KL_LINE_BYTES,
    PATTERN = KL_TILE_LINES * LINE, // bytes after which every swizzle repeats
    MATRIX_ROWS = 8,                // of those that ldmatrix loads
    PICTURE_BYTES = 16000           // at most, of a picture with its caption
};

static const char *name_of(const sim_box_map *b) {
    return b->stores ? "bulk tensor store" : "bulk tensor load";
}

// Copies of an unrolled loop, say.
static bool alike(const sim_box_map *a, const sim_box_map *b) {
    return a->file == b->file && a->line == b->line && a->stores == b->stores &&
           a->rows == b->rows && a->row_bytes == b->row_bytes && a->swizzle == b->swizzle &&
           a->offset % PATTERN == b->offset % PATTERN;
}

// The first of those that are like box `index`.
static uint32_t first_alike(const sim_launch_maps *maps, uint32_t index) {
    uint32_t first = 0;
    while (!alike(&maps->boxes[first], &maps->boxes[index])) first++;
    return first;
}

void page_put_box_links(FILE *out, const page_launch *launch, uint32_t file, uint32_t line) {
    const sim_launch_maps *maps = page_report(launch)->maps;
    for (uint32_t i = 0; launch->maps && maps && i < maps->box_count; i++) {
        const sim_box_map *b = &maps->boxes[i];
        if (b->line != line || b->file != file || first_alike(maps, i) != i) continue;
        fprintf(out,
                " <a class=\"tomap\" href=\"#box-%d-%u\" aria-label=\"box of the %s in line %u\">"
                "%s</a>",
                launch->number, i + 1, name_of(b), line, name_of(b));
    }
}

// ---- The picture ----

static uint32_t pitch_of(const sim_box_map *b) { return b->swizzle ? b->swizzle : b->row_bytes; }

// Where a chunk lies, in bytes from where the box begins.
static uint32_t place_of(const sim_box_map *b, uint32_t row, uint32_t chunk) {
    uint32_t bits = b->swizzle ? b->swizzle / SIM_TENSOR_PIECE - 1 : 0;
    uint32_t at = b->offset + row * pitch_of(b) + chunk * SIM_TENSOR_PIECE;
    return sim_tensor_swizzle(at, bits) - b->offset;
}

static uint32_t lines_of(const sim_box_map *b) {
    return (uint32_t)(((uint64_t)b->rows * pitch_of(b) + LINE - 1) / LINE);
}

static void find_places(const sim_box_map *b, kl_tile_map *out) {
    uint32_t lines = lines_of(b);
    *out = (kl_tile_map){.lines = lines < KL_TILE_LINES ? lines : KL_TILE_LINES};
    for (uint32_t row = 0; row < b->rows && row * pitch_of(b) < PATTERN; row++)
        for (uint32_t c = 0; c < b->row_bytes / SIM_TENSOR_PIECE; c++) {
            uint32_t at = place_of(b, row, c);
            if (at < PATTERN)
                out->at[at / LINE][at % LINE / SIM_TENSOR_PIECE] =
                    (kl_tile_chunk){.is_used = true, .row = row, .chunk = c};
        }
}

// Groups of four banks that chunk 0 of the first rows lies in; *out_wavefronts: of reading it, as
// many as there are rows in the fullest group.
static uint32_t groups_of(const sim_box_map *b, uint32_t *out_wavefronts) {
    uint32_t rows[KL_TILE_CHUNKS] = {0}, groups = 0;
    *out_wavefronts = 0;
    for (uint32_t row = 0; row < MATRIX_ROWS && row < b->rows; row++) {
        uint32_t group = place_of(b, row, 0) % LINE / SIM_TENSOR_PIECE;
        groups += rows[group]++ == 0;
        if (rows[group] > *out_wavefronts) *out_wavefronts = rows[group];
    }
    return groups;
}

static void put_figure(FILE *out, ladder_glossary *g, const sim_box_map *b) {
    kl_tile_map tile;
    char title[160], swizzle[48] = "without a swizzle", offset[32];
    uint32_t wavefronts, groups = groups_of(b, &wavefronts);
    uint32_t rows = b->rows < MATRIX_ROWS ? b->rows : MATRIX_ROWS;
    if (b->swizzle) snprintf(swizzle, sizeof swizzle, "with a swizzle of %u bytes", b->swizzle);
    find_places(b, &tile);
    snprintf(title, sizeof title,
             "Tile: which 16-byte chunk of which row lies in which banks, rows of %u bytes %s",
             b->row_bytes, swizzle);
    fputs("<figure class=\"scroll\" tabindex=\"0\">\n", out);
    kl_tile_map_draw(out, &tile, title);
    page_html(out, g,
              "<figcaption>The first box has %u rows of %u bytes and begins at byte %s of "
              "[[Shared memory|shared memory]]",
              b->rows, b->row_bytes, kl_format_grouped(b->offset, offset, sizeof offset));
    fputs(b->swizzle ? ", with a " : ", without a ", out);
    ladder_glossary_ask(out, g, "Swizzle", "swizzle");
    if (b->swizzle) fprintf(out, " of %u bytes", b->swizzle);
    if (lines_of(b) > tile.lines)
        fprintf(out, "; drawn are its first %u lines of %u bytes", tile.lines, LINE);
    page_html(out, g,
              ". A cell is 16 bytes, in four [[Bank|banks]]: r3 c1 is chunk 1 of row 3. A chunk "
              "has the same colour in all rows. Chunk 0 of the first %u rows lies in %u of %d "
              "groups of four banks: a read of these chunks together, as by ldmatrix, takes %u "
              "[[Wavefront|%s]].</figcaption></figure>\n",
              rows, groups, KL_TILE_CHUNKS, wavefronts,
              wavefronts == 1 ? "wavefront" : "wavefronts");
}

// ---- The list ----

static void put_box(FILE *out, ladder_glossary *g, const page_launch *launch, uint32_t index,
                    bool fits) {
    const sim_launch_maps *maps = page_report(launch)->maps;
    const sim_box_map *b = &maps->boxes[index];
    uint64_t copies = 0;
    char count[32];
    for (uint32_t i = index; i < maps->box_count; i++)
        if (alike(&maps->boxes[i], b)) copies += maps->boxes[i].copies;
    fprintf(out, "<details class=\"access\" id=\"box-%d-%u\"%s><summary><code>", launch->number,
            index + 1, index == 0 ? " open" : "");
    page_put_where(out, page_report(launch), b->file, b->line);
    fprintf(out,
            "</code> <b>%s</b> <span class=\"wide\">%u rows of %u bytes, %s cop%s</span> "
            "<span class=\"cost\">",
            name_of(b), b->rows, b->row_bytes,
            kl_format_grouped((long long)copies, count, sizeof count), copies == 1 ? "y" : "ies");
    if (b->swizzle) fprintf(out, "swizzle of %u bytes", b->swizzle);
    else fputs("no swizzle", out);
    fputs("</span></summary>\n", out);
    if (fits) put_figure(out, g, b);
    else fputs("<p class=\"sub\">No room for this picture on one page.</p>\n", out);
    fputs("</details>\n", out);
}

void page_put_boxes(FILE *out, ladder_glossary *g, const page_launch *launch, size_t available) {
    const sim_launch_maps *maps = page_report(launch)->maps;
    if (maps->box_count == 0) return;
    page_html(out, g,
              "<section class=\"maps\"><h3>Boxes of bulk tensor copies</h3>\n"
              "<p class=\"why\">A [[Bulk copy|bulk copy]] with a [[Tensor map|tensor map]] moves "
              "a box of a tensor. Each unfolds to a picture of where its rows lie in shared "
              "memory.</p>\n");
    for (uint32_t i = 0; i < maps->box_count; i++)
        if (first_alike(maps, i) == i)
            put_box(out, g, launch, i, (size_t)ftell(out) + PICTURE_BYTES < available);
    if (maps->boxes_left_out > 0)
        fprintf(out, "<p class=\"sub\">%u further copies were not recorded.</p>\n",
                maps->boxes_left_out);
    fputs("</section>\n", out);
}
