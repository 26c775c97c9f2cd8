// Maps on the page: a picture has as many wavefronts and sectors as the counters of its access, the
// accesses of a line can be reached from it, a box has its chunks where the swizzle puts them,
// branches are inside each other, and twenty launches with hundreds of accesses stay below the
// limit. The reports are made up.

#include "memory/access.h"
#include "show/page/internal.h"
#include "suite.h"

enum { LAUNCHES = 20, MOST = 200, LINES = 60, BRANCHES = 3 };
static char folder[LADDER_PATH], source[LADDER_PATH];
static char *files[] = {source};
static sim_line_counters lines[LINES];
static sim_access_map accesses[MOST];
static sim_branch_map branches[BRANCHES];
static sim_launch_maps maps;
static sim_launch_report reports[LAUNCHES];
static kl_error err;

static void fill(sim_access_map *a, sim_map_kind kind, uint32_t bytes, uint64_t stride) {
    sim_access_sample *s = &a->worst;
    bool shared = sim_map_is_shared(kind);
    memset(a, 0, sizeof *a);
    a->kind = kind;
    a->bytes = bytes;
    a->rounds = 1;
    a->requests = 10;
    s->lanes = 0xFFFFFFFFu;
    for (uint32_t l = 0; l < 32; l++) s->addresses[l] = (shared ? 0 : 0x200000000000) + l * stride;
    sim_bank_use use = sim_access_banks(s->addresses, s->lanes, bytes);
    s->units = shared ? use.wavefronts : sim_access_sectors(s->addresses, s->lanes, bytes);
    s->least = shared ? use.conflict_free : bytes;
    a->first = *s;
    a->units = 10 * s->units;
    a->least = 10 * s->least;
}

static ladder_profile *make_profile(int launches, uint32_t count) {
    ladder_profile *p = calloc(1, sizeof *p);
    char text[8 * LINES];
    for (int i = 0; i < LINES; i++) memcpy(text + 8 * i, "x = x;;\n", 8);
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    ck_assert_int_eq(ladder_path(source, &err, "%s/<b>hostile.cu", folder), KL_OK);
    ck_assert_int_eq(ladder_file_write(source, text, sizeof text, &err), KL_OK);
    for (uint32_t i = 0; i < LINES; i++) {
        lines[i].line = i + 1;
        lines[i].counters.value[SIM_COUNTER_INST] = 10;
    }
    maps = (sim_launch_maps){.accesses = accesses, .access_count = count, .branches = branches};
    for (uint32_t i = 0; i < count; i++) {
        accesses[i].line = i % LINES + 1;
        accesses[i].order = i;
    }
    p->device = *sim_device_find(NULL);
    for (int i = 0; i < launches; i++) {
        sim_launch_report *r = &reports[i];
        memset(r, 0, sizeof *r);
        r->kernel = "k";
        r->config = (sim_launch_config){.grid = {1, 1, 1}, .block = {32, 1, 1}};
        r->time_us = 1;
        r->lines = lines;
        r->line_count = LINES;
        r->files = files;
        r->file_count = 1;
        r->maps = &maps;
        p->launches[i] = r;
    }
    p->count = (uint32_t)launches;
    return kl_own(p);
}

static char *page_of(ladder_profile *p) {
    const ladder_page_part part = {"title", p, NULL};
    char *text = KL_PRINTED(out, ck_assert_int_eq(ladder_page_write(&part, 1, out, &err), KL_OK));
    ladder_folder_remove(folder);
    return text;
}

// The picture of an access alone, with its caption.
static char *map_on(const sim_device *device, const sim_access_map *access) {
    static ladder_glossary g;
    ladder_glossary_read(&g);
    char *text = KL_PRINTED(out, page_put_map(out, &g, device, access));
    ck_assert_ptr_null(strstr(text, "noterm"));
    return text;
}

static char *map_of(const sim_access_map *access) { return map_on(sim_device_find(NULL), access); }

// The largest number in a cell.
static unsigned last_wavefront(const char *text) {
    static const char cell[] = "class=\"on m\">";
    unsigned most = 0;
    while ((text = strstr(text, cell))) {
        text += sizeof cell - 1;
        unsigned number = (unsigned)strtoul(text + (*text == '='), NULL, 10);
        if (number > most) most = number;
    }
    return most;
}

KL_TEST(a_bank_map_has_the_wavefronts_that_are_counted) {
    static const struct {
        uint32_t bytes, stride, good, bad;
    } cases[] = {{4, 4, 32, 0},  {4, 128, 1, 31}, {4, 132, 32, 0}, {4, 8, 16, 16},
                 {4, 0, 32, 0},  {8, 8, 32, 0},   {8, 256, 2, 30}, {16, 16, 32, 0},
                 {16, 20, 0, 0}, {4, 64, 2, 30},  {1, 1, 32, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim_access_map a;
        fill(&a, SIM_MAP_SHARED_LOAD, cases[i].bytes, cases[i].stride);
        char *text = map_of(&a), want[64];
        ck_assert_uint_eq(last_wavefront(text), a.worst.units);
        snprintf(want, sizeof want, "<figcaption>%u ", a.worst.units);
        ck_assert_msg(strstr(text, want), "no '%s'", want);
        if (cases[i].good) {
            ck_assert_int_eq(kl_occurrences(text, "class=\"good\""), (int)cases[i].good);
            ck_assert_int_eq(kl_occurrences(text, "class=\"bad\""), (int)cases[i].bad);
        }
        ck_assert_int_eq(strstr(text, "wait for another word") != NULL,
                         a.worst.units > a.worst.least);
        ck_assert_int_eq(strstr(text, "a lane before") != NULL,
                         cases[i].stride < 4); // a broadcast
    }
}

KL_TEST(atomics_on_one_word_are_served_one_by_one) {
    sim_access_map a;
    fill(&a, SIM_MAP_SHARED_ATOMIC, 4, 0);
    a.rounds = 2;
    a.worst.units = 64;
    a.worst.least = 2;
    char *text = map_of(&a);
    ck_assert_uint_eq(last_wavefront(text), 63); // and each takes two
    ck_assert_int_eq(kl_occurrences(text, "class=\"bad\""), 31);
    KL_HAS(text, "each time with two wavefronts");
}

KL_TEST(a_sector_map_has_the_bytes_that_are_moved) {
    static const struct {
        uint32_t bytes, stride, rows;
        const char *text;
    } cases[] = {
        {4, 4, 1, "128 bytes are moved, 128 of them used (100 %)"},
        {4, 128, 32, "1,024 bytes are moved, 128 of them used (12 %)"},
        {4, 8, 2, "256 bytes are moved, 128 of them used (50 %)"},
        {16, 16, 4, "512 bytes are moved, 512 of them used (100 %)"},
        {4, 0, 1, "32 bytes are moved, 4 of them used (12 %)"},
        {1, 1, 1, "32 bytes are moved, 32 of them used (100 %)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim_access_map a;
        fill(&a, SIM_MAP_GLOBAL_LOAD, cases[i].bytes, cases[i].stride);
        char *text = map_of(&a), want[64];
        ck_assert_msg(strstr(text, cases[i].text), "no '%s'", cases[i].text);
        snprintf(want, sizeof want, "<figcaption>%u ", a.worst.units);
        ck_assert_msg(strstr(text, want), "no '%s'", want);
        ck_assert_int_eq(kl_occurrences(text, "class=\"n e\">+"), (int)cases[i].rows);
        bool wasted = !strstr(cases[i].text, "100 %");
        ck_assert_int_eq(strstr(text, "class=\"bad\"") != NULL, wasted);
    }
}

// Word k of a thread lies in row k, the lane says where in it.
KL_TEST(a_local_map_has_a_row_for_each_index) {
    static const struct {
        uint32_t bytes, indices, rows, units;
        const char *text[3];
    } cases[] = {
        {4, 1, 1, 4, {"128 bytes are moved, 128 of them used (100 %)", "Least: 4.", "one index"}},
        {16, 1, 4, 16, {"512 bytes are moved, 512 of them used (100 %)", "Least: 16.", "one "}},
        {4, 4, 4, 16, {"512 bytes are moved, 128 of them used (25 %)", "Least: 4.", "several "}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim_access_map a;
        fill(&a, SIM_MAP_LOCAL_LOAD, cases[i].bytes, 0);
        for (uint32_t l = 0; l < 32; l++)
            a.worst.addresses[l] = 128 * (uint64_t)(l % cases[i].indices) + 4 * l;
        a.worst.units = cases[i].units;
        a.worst.least = cases[i].units / cases[i].indices;
        char *text = map_of(&a), want[64];
        snprintf(want, sizeof want, "<figcaption>%u ", cases[i].units);
        ck_assert_msg(strstr(text, want), "case %zu: no '%s'", i, want);
        for (int k = 0; k < 3; k++)
            ck_assert_msg(strstr(text, cases[i].text[k]), "case %zu: no '%s'", i, cases[i].text[k]);
        ck_assert_int_eq(kl_occurrences(text, "class=\"n e\">+"), (int)cases[i].rows);
        ck_assert_int_eq(strstr(text, "class=\"bad\"") != NULL, cases[i].indices > 1);
    }
}

// Most wasteful first; a sector costs more than a wavefront; copies on one line are one entry.
KL_TEST(accesses_are_sorted_and_reached_from_their_lines) {
    ladder_profile *p = make_profile(1, 4);
    fill(&accesses[0], SIM_MAP_SHARED_LOAD, 4, 4);
    fill(&accesses[1], SIM_MAP_SHARED_STORE, 4, 128);
    fill(&accesses[2], SIM_MAP_GLOBAL_LOAD, 4, 128);
    fill(&accesses[3], SIM_MAP_GLOBAL_LOAD, 4, 128);
    accesses[0].line = 1;
    accesses[1].line = 2;
    accesses[2].line = accesses[3].line = 3;
    char *text = page_of(p);
    const char *load = strstr(text, "id=\"map-1-1\""), *store = strstr(text, "id=\"map-1-2\"");
    ck_assert_int_eq(kl_occurrences(text, "<details class=\"access\""), 3);
    ck_assert(load && store && load < store);
    ck_assert_int_eq(strncmp(strstr(load, "<b>"), "<b>global load</b>", 18), 0);
    KL_HAS(load, "4 bytes per lane, 2 instructions", "32.0 sectors, least 4.0");
    ck_assert_int_eq(strncmp(strstr(store, "<b>"), "<b>shared store</b>", 19), 0);
    KL_HAS(store, "32.0 wavefronts, least 1.0");
    const char *line = strstr(text, "<td class=\"line\">3</td>");
    const char *link = strstr(text, "href=\"#map-1-1\""), *next = strstr(line, "</tr>");
    ck_assert(line && link && line < link && link < next);
    ck_assert_int_eq(kl_occurrences(text, "href=\"#map-"), 3);
    ck_assert_ptr_null(strstr(text, "<b>hostile"));
    ck_assert_ptr_null(strstr(text, "class=\"noterm\""));
}

// By the rules of the card that is simulated.
KL_TEST(older_cards_are_drawn_by_their_own_rules) {
    static const struct {
        const char *id;
        bool shared;
        uint32_t stride;
        const char *text[3];
    } cases[] = {
        {"gtx8800", true, 128, {"32 <button", "This card has 16 banks", ">32</text>"}},
        {"gtx8800", true, 4, {"2 <button", "No <button", ">2</text>"}},
        {"k40", true, 128, {"16 <button", "gives 8 bytes per wavefront", ">16</text>"}},
        {"k40", true, 8, {"1 <button", "No <button", ">1</text>"}},
        {"gtx8800", false, 4, {"4 <button", "2 transactions move 128 bytes", "(100 %)"}},
        {"gtx8800", false, 8, {"8 <button", "32 transactions move 1,024 bytes", "(12 %)"}},
        {"k40", false, 8, {"8 <button", "256 bytes are moved", "(50 %)"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim_access_map a;
        fill(&a, cases[i].shared ? SIM_MAP_SHARED_LOAD : SIM_MAP_GLOBAL_LOAD, 4, cases[i].stride);
        const sim_device *d = sim_device_find(cases[i].id);
        uint32_t wavefronts =
            sim_legacy_banks(d, a.worst.addresses, a.worst.lanes, a.bytes).wavefronts;
        a.worst.units = cases[i].shared
                            ? wavefronts
                            : sim_legacy_units(d, a.worst.addresses, a.worst.lanes, a.bytes);
        char *text = map_on(d, &a);
        for (int k = 0; k < 3; k++)
            ck_assert_msg(strstr(text, cases[i].text[k]), "case %zu: no '%s'", i, cases[i].text[k]);
    }
}

static sim_code_instr instrs[2];

// For each kind: a line that has it links to the reason, which is said once.
KL_TEST(what_has_no_map_says_why) {
    static char ptx[] = "@%p1 wmma.load.a.sync\0cp.async.bulk.commit_group";
    ladder_profile *p = make_profile(1, 1);
    sim_code code = {.instr_count = 2, .instrs = instrs, .text = ptx, .text_bytes = sizeof ptx};
    fill(&accesses[0], SIM_MAP_SHARED_LOAD, 4, 4);
    accesses[0].line = 3;
    instrs[0] = (sim_code_instr){.line = 1, .text = 0, .executed = 1};
    instrs[1] = (sim_code_instr){.line = 5, .text = 22, .executed = 1};
    reports[0].code = &code;
    lines[0].counters.value[SIM_COUNTER_GLOBAL_LD_REQUESTS] = 4; // those of wmma
    lines[1].counters.value[SIM_COUNTER_SURFACE_LD_REQUESTS] = 2;
    lines[1].counters.value[SIM_COUNTER_SURFACE_LD_SECTORS] = 9;
    lines[2].counters.value[SIM_COUNTER_SHARED_LD_INST] = 10; // all of them in the map
    lines[3].counters.value[SIM_COUNTER_TEXTURE_REQUESTS] = 1;
    lines[3].counters.value[SIM_COUNTER_REMOTE_LD_REQUESTS] = 1;
    lines[5].counters.value[SIM_COUNTER_GLOBAL_ST_REQUESTS] = 7; // in no map
    char *text = page_of(p);
    memset(lines, 0, sizeof lines);
    static const char *const said[] = {
        "wmma load</button>: the warp has one address",
        "surface load</button>: lanes name coordinates",
        ":2</code> 4.5 <button",
        ">sectors per request</button></li>",
        "texture fetch</button>: lanes name coordinates",
        "cluster load</button>: the words lie in another SM",
        "access</button>: not drawn are executions whose lanes point to several memories",
        "href=\"#nomap-1-0-1\">wmma load: no map</a>",
        "href=\"#nomap-1-0-2\">surface load: no map</a>",
        "href=\"#nomap-1-0-4\">texture fetch: no map</a> <a class=\"tomap none\" "
        "href=\"#nomap-1-0-4\">cluster load: no map</a>",
        "href=\"#nomap-1-0-6\">access: no map</a>"};
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
        ck_assert_msg(strstr(text, said[i]), "no '%s'", said[i]);
    ck_assert_int_eq(kl_occurrences(text, ": no map</a>"), 5);
    ck_assert_int_eq(kl_occurrences(text, "<li id=\"nomap-1-0-"), 4); // an address once
    ck_assert_ptr_null(strstr(text, "class=\"noterm\""));
}

KL_TEST(a_launch_that_was_not_recorded_says_so) {
    ladder_profile *p = make_profile(2, 1);
    fill(&accesses[0], SIM_MAP_SHARED_LOAD, 4, 4);
    reports[1].maps = NULL;
    char *text = page_of(p);
    ck_assert_int_eq(kl_occurrences(text, "recorded in the first 20 launches of a kernel"), 1);
}

// The cell of a chunk is in the column of its banks and in the row of its line of 128 bytes.
static void expect_cell(const char *text, uint32_t at, uint32_t row, uint32_t chunk) {
    char want[96];
    snprintf(want, sizeof want, "<text x=\"%u.0\" y=\"%u.0\" class=\"n m\">r%u c%u</text>",
             74 + at % 128 / 16 * 56, 30 + at / 128 * 18, row, chunk);
    ck_assert_msg(strstr(text, want), "no '%s'", want);
}

KL_TEST(a_box_has_its_chunks_where_the_swizzle_puts_them) {
    static const struct {
        sim_box_map box;
        uint32_t pitch;
        const char *told[3];
    } cases[] = {
        {{.rows = 64, .row_bytes = 128, .swizzle = 128},
         128,
         {"with a swizzle of 128 bytes", "in 8 of 8 groups", "takes 1 <"}},
        {{.rows = 64, .row_bytes = 128},
         128,
         {"without a swizzle", "in 1 of 8 groups", "takes 8 <"}},
        {{.rows = 16, .row_bytes = 64, .swizzle = 64, .offset = 256},
         64,
         {"with a swizzle of 64 bytes", "in 8 of 8 groups", "takes 1 <"}},
        {{.rows = 4, .row_bytes = 16, .swizzle = 32},
         32,
         {"with a swizzle of 32 bytes", "in 4 of 8 groups", "takes 1 <"}},
        {{.rows = 2, .row_bytes = 256}, 256, {"without a swizzle", "in 1 of 8", "takes 2 <"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ladder_profile *p = make_profile(1, 0);
        sim_box_map boxes[2] = {cases[i].box, cases[i].box};
        const sim_box_map *b = &boxes[0];
        boxes[0].line = boxes[1].line = 5;
        boxes[0].copies = boxes[1].copies = 700;
        maps.boxes = boxes;
        maps.box_count = 2;
        maps.branch_count = maps.branches_whole = 0;
        char *text = page_of(p);
        uint32_t shown = 0, bits = b->swizzle ? b->swizzle / 16 - 1 : 0;
        for (uint32_t row = 0; row < b->rows; row++)
            for (uint32_t c = 0; c < b->row_bytes / 16; c++) {
                uint32_t at = b->offset + row * cases[i].pitch + 16 * c;
                at = sim_tensor_swizzle(at, bits) - b->offset;
                if (at >= 1024) continue;
                expect_cell(text, at, row, c);
                shown++;
            }
        ck_assert_int_eq(kl_occurrences(text, "class=\"n m\">r"), (int)shown);
        for (int k = 0; k < 3; k++)
            ck_assert_msg(strstr(text, cases[i].told[k]), "case %zu: no '%s'", i, cases[i].told[k]);
        KL_HAS(text, "<title>Tile: which 16-byte chunk",
               ", 1,400 copies</span>"); // both are one entry
        ck_assert_int_eq(kl_occurrences(text, "href=\"#box-1-1\""), 1);
        ck_assert_int_eq(kl_occurrences(text, "id=\"box-1-"), 1);
        ck_assert_ptr_null(strstr(text, "class=\"noterm\""));
        maps.box_count = 0;
    }
}

KL_TEST(branches_stand_inside_each_other) {
    ladder_profile *p = make_profile(1, 0);
    for (uint32_t i = 0; i < BRANCHES; i++)
        branches[i] = (sim_branch_map){.line = 10 + i,
                                       .fall_line = 20 + i,
                                       .jump_line = 30 + i,
                                       .meets = i != 2,
                                       .meet_line = i == 2 ? 0 : 40 + i,
                                       .executions = 8,
                                       .splits = 4,
                                       .active = 4 * 32,
                                       .taken = 4 * 24,
                                       .lanes = 0xFFFFFFFFu,
                                       .jumped = 0xFFFFFF00u};
    branches[1].parent = 1;
    branches[1].side = SIM_SIDE_FALL;
    maps.branch_count = BRANCHES;
    maps.branches_whole = 2;
    char *text = page_of(p);
    KL_HAS(text, "Of 5 conditional branches of the PTX 3 split a warp",
           " in 50.0 %</b> of its executions (4 of 8)",
           "8.0 lanes go on at line 20, 24.0 jump to line 30");
    const char *outer = strstr(text, "hostile.cu:10</code>"), *inner = strstr(text, ":11</code>");
    const char *other = strstr(text, ":12</code>"), *tree = strstr(text, "<ul class=\"tree\">");
    ck_assert(tree && outer && tree < outer && outer < inner && inner < other);
    const char *second = strstr(tree + 1, "<ul class=\"tree\">");
    ck_assert(second && outer < second && second < inner);
    ck_assert_int_eq(kl_occurrences(text, "<ul class=\"tree\">"), 2);
    KL_HAS(text, "Inside, where lanes go on: ");
    ck_assert_int_eq(kl_occurrences(text, "they do not meet again before the end"), 1);
    ck_assert_int_eq(kl_occurrences(text, "class=\"k2\""), 24 * BRANCHES);
    ck_assert_int_eq(kl_occurrences(text, "class=\"k0\""), 8 * BRANCHES);
}

KL_TEST(a_page_of_twenty_launches_stays_below_its_limit) {
    ladder_profile *p = make_profile(LAUNCHES, MOST);
    for (uint32_t i = 0; i < MOST; i++) {
        uint32_t line = accesses[i].line, order = accesses[i].order;
        fill(&accesses[i], i % 2 ? SIM_MAP_GLOBAL_LOAD : SIM_MAP_SHARED_LOAD, 4, 128);
        accesses[i].line = line;
        accesses[i].order = order;
    }
    maps.branch_count = maps.branches_whole = 0;
    char *text = page_of(p);
    ck_assert_uint_lt(strlen(text), 2000000);
    ck_assert_int_eq(kl_occurrences(text, "<details class=\"launch\""), LAUNCHES);
    int shown = kl_occurrences(text, "<details class=\"access\"");
    int drawn = kl_occurrences(text, "role=\"img\"");
    ck_assert_int_ge(drawn, 2 * LAUNCHES); // the worst have theirs
    ck_assert_int_gt(shown, 4 * drawn);
    ck_assert_int_eq(drawn + kl_occurrences(text, "No room for this map"), shown);
    ck_assert_int_eq(kl_occurrences(text, "have no room on the page"), LAUNCHES);
    ck_assert_int_eq(kl_occurrences(text, "href=\"#map-"), shown); // no link leads nowhere
}

KL_TEST_MAIN("maps")
