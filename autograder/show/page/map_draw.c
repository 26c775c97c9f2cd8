// One recorded execution as a picture (common/drawing/drawing.h) and in words. See internal.h.
// When a bank serves which word, and what an access costs, is asked of the simulator's own rules.
#include "memory/access.h"
#include "show/page/internal.h"

void page_put_where(FILE *out, const sim_launch_report *r, uint32_t file, uint32_t line) {
    if (line == 0) {
        fputs("no line", out);
        return;
    }
    ladder_html(out, "%s:%u", file < r->file_count ? basename(r->files[file]) : "?", line);
}

static bool is_on(const sim_access_sample *s, uint32_t lane) { return s->lanes >> lane & 1; }

static bool is_atomic(const sim_access_map *a) {
    return a->kind == SIM_MAP_SHARED_ATOMIC || a->kind == SIM_MAP_GLOBAL_ATOMIC ||
           a->kind == SIM_MAP_GLOBAL_REDUCTION;
}

// ---- Banks ----

// Whether a lane before has the same first word and is served with it.
static bool shares(const kl_bank_access *b, uint32_t lane, uint32_t k) {
    for (uint32_t before = 0; before < lane; before++)
        for (uint32_t j = 0; b->lanes >> before & 1 && j < b->words; j++)
            if (b->word[before] + j == b->word[lane] + k &&
                b->served[before][j].wavefront == b->served[lane][k].wavefront)
                return true;
    return false;
}

static void find_atomic(const sim_access_map *a, const sim_access_sample *s, kl_bank_access *b) {
    sim_bank_round rounds[SIM_ACCESS_LANES] = {{0, 0}};
    if (!a->aggregated) sim_access_atomic_rounds(s->addresses, s->lanes, a->bytes, rounds);
    for (uint32_t l = 0; l < KL_MAP_LANES; l++)
        for (uint32_t k = 0; k < b->words; k++) {
            b->served[l][k].wavefront = rounds[l].wavefront * a->rounds;
            b->served[l][k].waits = rounds[l].rank > 0;
        }
}

static void find_plain(const sim_device *device, const sim_access_map *a,
                       const sim_access_sample *s, kl_bank_access *b) {
    sim_bank_round rounds[SIM_ACCESS_LANES][SIM_ACCESS_WORDS];
    sim_legacy_bank_rounds(device, s->addresses, s->lanes, a->bytes, rounds);
    for (uint32_t l = 0; l < KL_MAP_LANES; l++)
        for (uint32_t k = 0; is_on(s, l) && k < b->words; k++) {
            b->served[l][k].wavefront = rounds[l][k].wavefront;
            b->served[l][k].waits = rounds[l][k].rank > 0;
        }
}

// Distinct words of the fullest bank, and which that is.
static uint32_t fullest_bank(const kl_bank_access *b, uint32_t *out_bank) {
    uint32_t words[KL_MAP_BANKS] = {0}, most = 0;
    for (uint32_t l = 0; l < KL_MAP_LANES; l++)
        for (uint32_t k = 0; b->lanes >> l & 1 && k < b->words; k++) {
            uint32_t bank = (uint32_t)((b->word[l] + k) % b->banks);
            words[bank] += !b->served[l][k].shares;
            if (words[bank] <= most) continue;
            most = words[bank];
            *out_bank = bank;
        }
    return most;
}

// What differs from today's cards.
static void put_older_banks(FILE *out, const sim_device *device) {
    if (device->shared_lanes < SIM_ACCESS_LANES)
        fprintf(out,
                "This card has %u banks and serves each half-warp by itself, a word of more than "
                "%u bytes in parts. ",
                device->shared_banks, SIM_BANK_BYTES);
    else if (device->bank_bytes > SIM_BANK_BYTES)
        fprintf(out,
                "A bank of this card gives %u bytes per wavefront: two words of a bank are served "
                "together when they lie in the same %u bytes. ",
                device->bank_bytes, device->shared_banks * device->bank_bytes);
}

static void put_banks(FILE *out, ladder_glossary *g, const sim_device *device,
                      const sim_access_map *a, const sim_access_sample *s) {
    kl_bank_access b = {
        .lanes = s->lanes, .words = a->bytes > 4 ? a->bytes / 4 : 1, .banks = device->shared_banks};
    bool all_alike = true;
    uint32_t bank = 0, broadcasts = 0;
    if (b.words > KL_MAP_WORDS) b.words = KL_MAP_WORDS;
    for (uint32_t l = 0; l < KL_MAP_LANES; l++) b.word[l] = s->addresses[l] / SIM_BANK_BYTES;
    if (is_atomic(a)) find_atomic(a, s, &b);
    else find_plain(device, a, s, &b);
    for (uint32_t l = 0; l < KL_MAP_LANES; l++)
        for (uint32_t k = 0; is_on(s, l) && k < b.words; k++) {
            b.served[l][k].shares = !is_atomic(a) && shares(&b, l, k);
            broadcasts += b.served[l][k].shares;
            all_alike = all_alike && !b.served[l][k].waits;
        }
    uint32_t most = fullest_bank(&b, &bank);
    kl_bank_map_draw(out, &b,
                     "Bank map: a row per lane, a column per bank, the number of the "
                     "wavefront that serves the lane");
    page_html(out, g, "<figcaption>%u [[Wavefront|%s]], least %u. ", s->units,
              s->units == 1 ? "wavefront" : "wavefronts", s->least);
    if (is_atomic(a))
        fprintf(out, "An atomic serves one lane of each bank at a time%s. ",
                a->aggregated   ? "; here one lane adds for all"
                : a->rounds > 1 ? ", each time with two wavefronts"
                                : "");
    if (all_alike) {
        page_html(out, g, "No [[Bank conflict|bank conflict]]. ");
    } else {
        page_html(out, g,
                  "Bank %u is the fullest: the lanes want %u of its words. Orange words wait for "
                  "another word of their bank: a [[Bank conflict|bank conflict]]. ",
                  bank, most);
    }
    if (broadcasts > 0)
        page_html(out, g, "=: the same word as a lane before, a [[Broadcast|broadcast]]. ");
    put_older_banks(out, device);
    fputs("The number in a cell is that of the wavefront.", out);
}

// ---- Sectors ----

// Distinct bytes: lanes that share an address share all its bytes.
static uint32_t used_bytes(const sim_access_map *a, const sim_access_sample *s) {
    uint32_t count = 0;
    for (uint32_t l = 0; l < SIM_MAP_LANES; l++) {
        bool met = false;
        for (uint32_t k = 0; k < l && !met; k++)
            met = is_on(s, k) && s->addresses[k] == s->addresses[l];
        count += is_on(s, l) && !met;
    }
    return count * a->bytes;
}

// Before compute capability 2.0: what transactions move is not what the lanes touch.
static void put_transactions(FILE *out, const sim_device *device, const sim_access_map *a,
                             const sim_access_sample *s, uint32_t used) {
    char moved[32];
    uint32_t bytes = s->units * SIM_SECTOR_BYTES;
    uint32_t count = sim_legacy_transactions(device, s->addresses, s->lanes, a->bytes);
    fprintf(out,
            " This card serves each half-warp by itself: %u transaction%s move %s bytes, of which "
            "%u are used (%.0f %%); the least is %u bytes.",
            count, count == 1 ? "" : "s", kl_format_grouped((long long)bytes, moved, sizeof moved),
            used, 100.0 * used / bytes, s->least * SIM_SECTOR_BYTES);
    if (device->coalescing == SIM_COALESCE_SEQUENCE)
        fputs(" One transaction per half-warp, or two, takes lane k at word k of an aligned block; "
              "else each lane has its own, of 32 bytes.",
              out);
    else
        fputs(" A transaction is an aligned segment of up to 128 bytes, halved while only one half "
              "is used.",
              out);
}

// Distinct sectors; of local memory those of each word, which lie in rows of their own.
static uint32_t sectors_of(const sim_access_map *a, const sim_access_sample *s) {
    if (!sim_map_is_local(a->kind)) return sim_access_sectors(s->addresses, s->lanes, a->bytes);
    uint32_t words = a->bytes > SIM_BANK_BYTES ? a->bytes / SIM_BANK_BYTES : 1;
    return words * sim_access_sectors(s->addresses, s->lanes, a->bytes / words);
}

// Where the words of local memory lie, and so what costs.
static void put_rows(FILE *out, ladder_glossary *g, const sim_access_sample *s) {
    page_html(out, g,
              "[[Local memory|Local memory]] of a warp: a row per word of a thread, in it the "
              "word of each lane. ");
    fputs(s->units > s->least ? "The lanes use several indices: several rows. "
                              : "The lanes use one index. ",
          out);
}

static void put_sectors(FILE *out, ladder_glossary *g, const sim_device *device,
                        const sim_access_map *a, const sim_access_sample *s) {
    bool local = sim_map_is_local(a->kind);
    kl_sector_access k = {.lanes = s->lanes, .bytes = a->bytes, .apart = local ? KL_LINE_BYTES : 0};
    for (uint32_t l = 0; l < KL_MAP_LANES; l++) k.address[l] = s->addresses[l];
    uint32_t touched = sectors_of(a, s);
    uint32_t used = used_bytes(a, s), moved = touched * SIM_SECTOR_BYTES;
    kl_sector_map_draw(out, &k,
                       "Sector map: a row per cache line, its four sectors, the lanes at "
                       "their bytes");
    page_html(out, g, "<figcaption>%u [[Sector|%s]]", touched, touched == 1 ? "sector" : "sectors");
    char bytes[32];
    bool whole = device->coalescing == SIM_COALESCE_SECTORS || is_atomic(a) || local;
    fprintf(out, whole ? " of 32 bytes: %s bytes are moved, " : " of 32 bytes are touched: %s, ",
            kl_format_grouped((long long)moved, bytes, sizeof bytes));
    fprintf(out, "%s of them used (%.0f %%). ",
            kl_format_grouped((long long)used, bytes, sizeof bytes), 100.0 * used / moved);
    if (is_atomic(a) && s->units > touched)
        fprintf(out, "Lanes that name one word come one after the other: %u sectors in all. ",
                s->units);
    if (whole) fprintf(out, "Least: %u. ", s->least);
    if (local) put_rows(out, g, s);
    page_html(out, g,
              "Green: used, with the lane's number (=: several lanes). Orange: %s and not used. "
              "Left: bytes from the first [[Cache line|cache line]].",
              whole ? "moved" : "in these sectors");
    if (!whole) put_transactions(out, device, a, s, used);
}

void page_put_map(FILE *out, ladder_glossary *g, const sim_device *device,
                  const sim_access_map *a) {
    const sim_access_sample *s = &a->worst;
    char count[32];
    fputs("<figure class=\"scroll\" tabindex=\"0\">\n", out);
    if (sim_map_is_shared(a->kind)) put_banks(out, g, device, a, s);
    else put_sectors(out, g, device, a, s);
    fprintf(out, " This is block (%u, %u, %u), warp %u: ", s->block[0], s->block[1], s->block[2],
            s->warp);
    if (a->worst.units - a->worst.least == a->first.units - a->first.least)
        fprintf(out, "the first of %s execution%s, and none wastes more.",
                kl_format_grouped((long long)a->requests, count, sizeof count),
                a->requests == 1 ? "" : "s");
    else
        fprintf(out,
                "of %s executions the first that wastes most; the very first has %u, least %u.",
                kl_format_grouped((long long)a->requests, count, sizeof count), a->first.units,
                a->first.least);
    fputs("</figcaption></figure>\n", out);
}

// ---- boxes of bulk tensor copies ----------------------------------------------------------------
// Each with a picture of where its rows lie in the banks of shared memory. Where a swizzle puts a
// chunk is asked of the simulator's own rule.

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
