// The search for a small failing case, and its windows: see small_case.h. What an element should be
// is asked of the problem's own comparison, one element after the other, so that no lab says it a
// second time.
#include "small_case.h"

enum {
    TRIES = 96,            // sizes that are looked at
    SMALL_STEP = 9,        // up to here every size is tried
    WINDOW = 16,           // elements of an array that is not shown whole
    ENDS = 4,              // of an input that is not: the first and the last ones
    MOST_DIGITS = 6,       // characters of a number with a fraction, else four figures of it
    BEFORE_WRONG = 1 << 12 // bytes before the first wrong element of which writers are asked for
};

static const double try_work = 1 << 22;  // of one try, operations of threads; tensor cores do more
static const double all_work = 1 << 24;  // of all of them, and of the failing case once more
static const double look_work = 1 << 28; // elements that the comparisons may look at

// ---- elements -----------------------------------------------------------------------------------

static double of_half(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 31 ? (fraction ? NAN : INFINITY)
                   : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                  : ldexp(fraction, -24);
    return bits & 0x8000 ? -value : value;
}

static float of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double kl_small_element(kl_dtype dtype, const void *values, uint64_t i) {
    switch (dtype) {
    case KL_F32: return ((const float *)values)[i];
    case KL_F64: return ((const double *)values)[i];
    case KL_I32: return ((const int32_t *)values)[i];
    case KL_I64: return (double)((const int64_t *)values)[i];
    case KL_U8: return ((const uint8_t *)values)[i];
    case KL_F16: return of_half(((const uint16_t *)values)[i]);
    case KL_BF16: return of_bits((uint32_t)((const uint16_t *)values)[i] << 16);
    }
    return NAN;
}

static uint16_t nearest_half(double value) {
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    if (isnan(value)) return 0x7E00;
    if (size == 0.0) return sign;
    if (size >= 65520.0) return sign | 0x7C00;
    int exponent = 0;
    frexp(size, &exponent); // size < 2^exponent
    exponent = exponent < -13 ? -13 : exponent;
    double steps = nearbyint(ldexp(size, 11 - exponent)); // below 2^11, or at it: the next exponent
    return (uint16_t)(sign | ((exponent + 13) * 1024 + (int)steps));
}

static uint16_t nearest_bfloat(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? 0x7FC0 : (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

void kl_small_set(kl_dtype dtype, void *values, uint64_t i, double value) {
    switch (dtype) {
    case KL_F32: ((float *)values)[i] = (float)value; break;
    case KL_F64: ((double *)values)[i] = value; break;
    case KL_I32: ((int32_t *)values)[i] = (int32_t)(uint32_t)(int64_t)value; break;
    case KL_I64: ((int64_t *)values)[i] = (int64_t)value; break;
    case KL_U8: ((uint8_t *)values)[i] = (uint8_t)value; break;
    case KL_F16: ((uint16_t *)values)[i] = nearest_half(value); break;
    case KL_BF16: ((uint16_t *)values)[i] = nearest_bfloat((float)value); break;
    }
}

void kl_small_count_up(const kl_buffer *buffer, int period, void *to) {
    for (uint64_t i = 0; i < buffer->elems; i++)
        kl_small_set(buffer->dtype, to, i, (double)(1 + i % (uint64_t)period));
}

// ---- what each element should be ----------------------------------------------------------------

// The output that is looked at, in a copy in which wrong elements are put right from the first on.
typedef struct looking {
    const kl_problem *problem;
    const kl_prepared *p;
    void *outputs[KL_MAX_BUFFERS];   // copies, owned
    const void *got[KL_MAX_BUFFERS]; // as the step wrote them
    int output;                      // index of the one that is wrong
    kl_verdict next;                 // of the copies: its first wrong element
    double left;                     // of look_work
    bool gave_up;                    // an element could not be put right
} looking;

static void compare(looking *l) {
    memset(&l->next, 0, sizeof l->next);
    l->left -= (double)l->p->shape.outputs[l->output].elems + 64;
    l->problem->verify(&l->p->shape, (const void *const *)l->p->inputs, l->p->solution,
                       (const void *const *)l->outputs, &l->next);
}

static kl_dtype type_of(const looking *l) { return l->p->shape.outputs[l->output].dtype; }

static bool is_next_wrong(const looking *l) {
    return !l->gave_up && !l->next.ok && l->next.output == l->output;
}

// Whether an element is wrong, after all wrong ones before it have been put right, and what it
// should be: its own value where that passes; NaN: not known.
static bool look_at(looking *l, uint64_t at, double *out_expected) {
    while (is_next_wrong(l) && l->next.first_wrong < at) {
        uint64_t last = l->next.first_wrong;
        kl_small_set(type_of(l), l->outputs[l->output], last, l->next.expected);
        compare(l);
        l->gave_up = l->left < 0 || (is_next_wrong(l) && l->next.first_wrong <= last);
    }
    bool wrong = is_next_wrong(l) && l->next.first_wrong == at;
    *out_expected = wrong        ? l->next.expected
                    : l->gave_up ? NAN
                                 : kl_small_element(type_of(l), l->outputs[l->output], at);
    return wrong;
}

// ---- windows ------------------------------------------------------------------------------------

// A part of a buffer's index space.
typedef struct window {
    int64_t first_row, first_col, all_rows, all_cols;
    int rows, cols, gap; // gap: as in kl_small_grid
    bool by_columns;     // as the matrix is stored
} window;

static void range_around(int64_t at, int64_t all, int most, int64_t *out_first, int *out_count) {
    int64_t first = at - most / 2;
    if (first > all - most) first = all - most;
    *out_first = first < 0 ? 0 : first;
    *out_count = (int)(all < most ? all : most);
}

static window window_of(const kl_buffer *buffer, uint64_t at) {
    int64_t line = buffer->line_elems < 0 ? -buffer->line_elems : buffer->line_elems;
    int64_t elems = (int64_t)buffer->elems;
    window w = {.all_rows = 1, .all_cols = elems, .by_columns = buffer->line_elems < 0};
    bool is_matrix = line > 0 && elems / line > 1 && (line > 1 || elems <= KL_SMALL_SIDE);
    if (!is_matrix) {
        w.by_columns = false;
        w.rows = 1;
        range_around((int64_t)at, elems, elems <= KL_SMALL_ROW ? KL_SMALL_ROW : WINDOW,
                     &w.first_col, &w.cols);
        return w;
    }
    int64_t lines = elems / line, in_line = (int64_t)at % line, which = (int64_t)at / line;
    w.all_rows = w.by_columns ? line : lines;
    w.all_cols = w.by_columns ? lines : line;
    range_around(w.by_columns ? in_line : which, w.all_rows, KL_SMALL_SIDE, &w.first_row, &w.rows);
    range_around(w.by_columns ? which : in_line, w.all_cols, KL_SMALL_SIDE, &w.first_col, &w.cols);
    return w;
}

static int64_t column_of(const window *w, int col) {
    return w->gap > 0 && col >= w->gap ? w->all_cols - w->cols + col : w->first_col + col;
}

static uint64_t index_in(const window *w, int row, int col) {
    int64_t r = w->first_row + row, c = column_of(w, col);
    return (uint64_t)(w->by_columns ? c * w->all_rows + r : r * w->all_cols + c);
}

static kl_small_grid *add_grid(kl_small_case *small, kl_small_role role, const char *name,
                               const window *w) {
    if (small->count == KL_SMALL_GRIDS) return NULL;
    kl_small_grid *grid = &small->grids[small->count++];
    memset(grid, 0, sizeof *grid);
    grid->role = role;
    snprintf(grid->name, sizeof grid->name, "%.20s", name);
    grid->rows = w->rows;
    grid->cols = w->cols;
    grid->gap = w->gap;
    grid->first_row = w->first_row;
    grid->first_col = w->first_col;
    grid->all_rows = w->all_rows;
    grid->all_cols = w->all_cols;
    return grid;
}

static void put_number(char *cell, double value) {
    if (isnan(value)) snprintf(cell, KL_SMALL_TEXT, "NaN");
    else if (value == floor(value) && fabs(value) < 1e10)
        snprintf(cell, KL_SMALL_TEXT, "%.0f", value);
    else if (snprintf(cell, KL_SMALL_TEXT, "%.6g", value) > MOST_DIGITS)
        snprintf(cell, KL_SMALL_TEXT, "%.4g", value);
}

// Where a wrong value differs from the right one in later digits only, these are shown.
static void put_difference(char *expected, char *got, double right, double value) {
    if (strcmp(expected, got) != 0) return;
    snprintf(expected, KL_SMALL_TEXT, "%.8g", right);
    snprintf(got, KL_SMALL_TEXT, "%.8g", value);
}

static bool is_untouched(const looking *l, uint64_t at) {
    size_t bytes = kl_dtype_bytes(type_of(l));
    const unsigned char *place = (const unsigned char *)l->got[l->output] + at * bytes;
    for (size_t i = 0; i < bytes; i++)
        if (place[i] != KL_POISON) return false;
    return true;
}

// What is shown of an input beside the output's window: the same elements where it has the same
// shape, all of it where it is small, the rows and columns that belong to the first wrong element
// `at`, or its ends.
static window input_window(const kl_buffer *buffer, const window *out, int64_t at) {
    window w = window_of(buffer, 0);
    bool is_vector = out->all_rows == 1;
    if (w.all_rows == out->all_rows && w.all_cols == out->all_cols) {
        w.first_row = out->first_row;
        w.first_col = out->first_col;
        w.rows = out->rows;
        w.cols = out->cols;
        return w;
    }
    bool whole = w.cols == w.all_cols, rows_match = w.all_rows == out->all_rows,
         cols_match = w.all_cols == out->all_cols;
    if (w.all_rows > 1 && is_vector) {
        rows_match = w.all_rows == out->all_cols;
        if (rows_match && w.rows < w.all_rows)
            range_around(at, w.all_rows, ENDS, &w.first_row, &w.rows);
        if (!rows_match && cols_match && !whole)
            range_around(at, w.all_cols, KL_SMALL_SIDE, &w.first_col, &w.cols);
        cols_match = cols_match && !rows_match;
    } else if (w.all_rows > 1) {
        if (rows_match) w.first_row = out->first_row, w.rows = out->rows;
        if (cols_match) w.first_col = out->first_col, w.cols = out->cols;
    }
    if (whole || (cols_match && w.all_rows > 1)) return w;
    w.gap = ENDS;
    w.cols = 2 * ENDS;
    return w;
}

static void add_inputs(const kl_prepared *p, const window *out, int64_t at, kl_small_case *small) {
    for (int i = 0; i < p->shape.input_count && small->count < KL_SMALL_GRIDS - 3; i++) {
        const kl_buffer *buffer = &p->shape.inputs[i];
        bool drawn = p->shape.picture_name && strcmp(p->shape.picture_name, buffer->name) == 0;
        if (buffer->elems == 0 || drawn) continue;
        window w = input_window(buffer, out, at);
        kl_small_grid *grid = add_grid(small, KL_SMALL_INPUT, buffer->name, &w);
        for (int k = 0; k < w.rows * w.cols; k++)
            put_number(grid->cells[k], kl_small_element(buffer->dtype, p->inputs[i],
                                                        index_in(&w, k / w.cols, k % w.cols)));
    }
}

// What the lab draws of its inputs, as far as it is near the output's window.
static void add_picture(const looking *l, const window *out, int64_t at, kl_small_case *small) {
    const kl_case *c = &l->p->shape;
    if (!c->picture_name || c->picture_rows < 1 || c->picture_cols < 1) return;
    const kl_buffer whole = {.elems = (uint64_t)(c->picture_rows * c->picture_cols),
                             .line_elems = c->picture_rows > 1 ? c->picture_cols : 0};
    window w = window_of(&whole, 0);
    if (w.rows < w.all_rows && w.all_rows != out->all_rows && w.all_rows != out->all_cols) return;
    if (w.rows < w.all_rows && w.all_rows == out->all_rows) {
        w.first_row = out->first_row;
        w.rows = out->rows;
    } else if (w.rows < w.all_rows) {
        range_around(at, w.all_rows, ENDS, &w.first_row, &w.rows);
    }
    if (w.cols < w.all_cols) {
        w.first_col = 0;
        w.gap = ENDS;
        w.cols = 2 * ENDS;
    }
    kl_small_grid *grid = add_grid(small, KL_SMALL_INPUT, c->picture_name, &w);
    for (int k = 0; grid && k < w.rows * w.cols; k++) {
        double value = l->problem->picture(c, (const void *const *)l->p->inputs,
                                           w.first_row + k / w.cols, column_of(&w, k % w.cols));
        if (isnan(value)) snprintf(grid->cells[k], KL_SMALL_TEXT, ".");
        else put_number(grid->cells[k], value);
    }
}

// Looks at the window's elements in the order in which they are stored.
static void add_outputs(looking *l, const window *w, kl_small_case *small) {
    const char *name = l->p->shape.outputs[l->output].name;
    kl_small_grid *expected = add_grid(small, KL_SMALL_EXPECTED, name, w);
    kl_small_grid *got = add_grid(small, KL_SMALL_GOT, name, w);
    int cells = w->rows * w->cols;
    for (int n = 0; n < cells; n++) {
        int k = w->by_columns ? n % w->rows * w->cols + n / w->rows : n;
        uint64_t at = index_in(w, k / w->cols, k % w->cols);
        double right = NAN;
        bool wrong = look_at(l, at, &right);
        if (l->gave_up) snprintf(expected->cells[k], KL_SMALL_TEXT, "?");
        else put_number(expected->cells[k], right);
        double value = kl_small_element(type_of(l), l->got[l->output], at);
        put_number(got->cells[k], value);
        if (wrong && !l->gave_up) put_difference(expected->cells[k], got->cells[k], right, value);
        got->wrong[k] = expected->wrong[k] = wrong;
        small->wrong += wrong;
        if (wrong && (is_untouched(l, at) || kl_is_never_written(value)))
            snprintf(got->cells[k], KL_SMALL_TEXT, "-");
    }
}

static bool is_flat(const uint32_t id[3]) { return id[1] == 0 && id[2] == 0; }

static void put_id(const char *what, const uint32_t id[3], char *text, size_t bytes) {
    if (is_flat(id)) snprintf(text, bytes, "%s %u", what, id[0]);
    else if (id[2] == 0) snprintf(text, bytes, "%s (%u, %u)", what, id[0], id[1]);
    else snprintf(text, bytes, "%s (%u, %u, %u)", what, id[0], id[1], id[2]);
}

static void put_sentence(const looking *l, const kl_small_grid *got, const window *w, int k,
                         const kl_small_writer *writer, kl_small_case *small) {
    char element[64], block[48], thread[48];
    const char *name = l->p->shape.outputs[l->output].name;
    long long row = (long long)w->first_row + k / w->cols,
              col = (long long)column_of(w, k % w->cols);
    if (w->all_rows > 1) snprintf(element, sizeof element, "%.24s[%lld][%lld]", name, row, col);
    else snprintf(element, sizeof element, "%.24s[%lld]", name, col);
    put_id("block", writer->block, block, sizeof block);
    put_id("thread", writer->thread, thread, sizeof thread);
    bool unset = strcmp(got->cells[k], "-") == 0;
    small->unset = !unset ? NULL : writer->written ? "a value that nothing set" : "never written";
    if (writer->written)
        snprintf(small->writer, sizeof small->writer, "%s was last written by %s of %s%s.", element,
                 thread, block, unset ? ", with a value that nothing had set" : "");
    else snprintf(small->writer, sizeof small->writer, "No thread wrote %s.", element);
}

// The row of threads below an array, and the sentence on the first wrong element.
static void add_writers(looking *l, const kl_small_runner *runner, const window *w,
                        kl_small_case *small) {
    const kl_small_grid *got = &small->grids[small->count - 1];
    kl_small_grid *threads = w->all_rows == 1 && w->cols > 1
                                 ? add_grid(small, KL_SMALL_THREAD, "block:thread", w)
                                 : NULL;
    bool known = false, flat = true, one_block = true;
    for (int k = 0; k < got->rows * got->cols; k++) {
        kl_small_writer writer = {.known = false};
        uint64_t at = index_in(w, k / w->cols, k % w->cols);
        runner->writer(runner->context, l->output, at * kl_dtype_bytes(type_of(l)), &writer);
        known |= writer.known;
        flat &= is_flat(writer.block) && is_flat(writer.thread);
        one_block &= writer.block[0] == 0;
        if (got->wrong[k] && small->writer[0] == '\0' && writer.known)
            put_sentence(l, got, w, k, &writer, small);
        if (!threads) continue;
        if (writer.written)
            snprintf(threads->cells[k], KL_SMALL_TEXT, "%u:%u", writer.block[0], writer.thread[0]);
        else snprintf(threads->cells[k], KL_SMALL_TEXT, "-");
    }
    if (!threads) return;
    if (!known || !flat) {
        small->count--;
        return;
    }
    for (int k = 0; k < w->cols && one_block; k++)
        if (threads->cells[k][0] != '-') memmove(threads->cells[k], threads->cells[k] + 2, 9);
    if (one_block) snprintf(threads->name, sizeof threads->name, "thread");
}

static bool copy_outputs(looking *l, const kl_prepared *p, const void *const *outputs) {
    for (int i = 0; i < p->shape.output_count; i++) {
        l->got[i] = outputs[i];
        l->outputs[i] = malloc(p->output_bytes[i] + 1);
        if (!l->outputs[i]) return false;
        memcpy(l->outputs[i], outputs[i], p->output_bytes[i]);
    }
    return true;
}

// Fills the windows of a case whose outputs are wrong.
static void fill_windows(const kl_problem *problem, const kl_prepared *p,
                         const void *const *outputs, const kl_small_runner *runner,
                         kl_small_case *small) {
    looking l = {.problem = problem, .p = p, .left = look_work};
    if (copy_outputs(&l, p, outputs)) {
        compare(&l);
        kl_verdict v = l.next;
        l.output = v.output;
        window w = window_of(&p->shape.outputs[v.output], v.first_wrong);
        small->count = 0;
        small->writer[0] = '\0';
        small->wrong = 0;
        small->family = p->shape.family;
        small->size = p->shape.size;
        small->verdict = v;
        snprintf(small->output, sizeof small->output, "%.20s", p->shape.outputs[v.output].name);
        kl_case_title(problem, &p->shape, small->title, sizeof small->title);
        add_picture(&l, &w, (int64_t)v.first_wrong, small);
        add_inputs(p, &w, (int64_t)v.first_wrong, small);
        if (p->shape.outputs[v.output].elems > 0) add_outputs(&l, &w, small);
        if (runner && runner->writer && !p->shape.host && small->wrong > 0)
            add_writers(&l, runner, &w, small);
        small->found = small->wrong > 0;
    }
    for (int i = 0; i < KL_MAX_BUFFERS; i++) free(l.outputs[i]);
}

// ---- the search ---------------------------------------------------------------------------------

typedef struct search {
    const kl_problem *problem;
    const kl_prepared *failing;
    const kl_small_runner *runner;
    int family;  // of the cases that are tried
    double left; // of all_work
    bool broken; // the step did not come to its end: nothing more can be run
} search;

static kl_status count_readable(const void *context, const kl_case *c, void *const *inputs,
                                kl_error *err) {
    const kl_problem *problem = context;
    TRY(problem->generate(c, inputs, err));
    return problem->readable(c, inputs)
               ? KL_OK
               : kl_fail(err, KL_ERROR_INPUT, "no readable inputs for this family");
}

kl_status kl_small_prepare(const kl_problem *problem, int family, int64_t size, uint64_t seed,
                           kl_prepared *out_prepared, kl_error *err) {
    kl_case shape;
    memset(out_prepared, 0, sizeof *out_prepared);
    if (!problem->readable)
        return kl_fail(err, KL_ERROR_INPUT, "lab %s has no readable inputs", problem->name);
    TRY(problem->describe(family, size, seed, &shape, err));
    if (problem->readable_scalars) problem->readable_scalars(&shape);
    return kl_prepare_described(problem, &shape, count_readable, problem, out_prepared, err);
}

static bool make_outputs(const kl_prepared *p, void **outputs) {
    bool made = true;
    for (int i = 0; i < p->shape.output_count; i++)
        made = (outputs[i] = malloc(p->output_bytes[i] + 1)) != NULL && made;
    return made;
}

// Runs the step on a case. outputs: what it wrote there already, or NULL. small: NULL, or gets the
// windows where it is wrong, from a run of which the writers are watched.
static bool runs_wrong(search *s, const kl_prepared *p, const void *const *known,
                       kl_small_case *small) {
    void *outputs[KL_MAX_BUFFERS] = {0};
    kl_verdict v = {.ok = true};
    bool made = make_outputs(p, outputs);
    if (known)
        s->problem->verify(&p->shape, (const void *const *)p->inputs, p->solution, known, &v);
    for (int pass = known ? 1 : 0; made && !s->broken && pass < (small ? 2 : 1); pass++) {
        int watched = pass == 1 ? v.output : -1;
        uint64_t from =
            pass == 1 ? v.first_wrong * kl_dtype_bytes(p->shape.outputs[watched].dtype) : 0;
        from = from > BEFORE_WRONG ? from - BEFORE_WRONG : 0;
        if (!s->runner->run(s->runner->context, p, watched, from, outputs)) {
            s->broken = true;
            break;
        }
        memset(&v, 0, sizeof v);
        s->problem->verify(&p->shape, (const void *const *)p->inputs, p->solution,
                           (const void *const *)outputs, &v);
        if (v.ok) break;
        if (pass == 1) fill_windows(s->problem, p, (const void *const *)outputs, s->runner, small);
    }
    for (int i = 0; i < KL_MAX_BUFFERS; i++) free(outputs[i]);
    return !v.ok && !s->broken;
}

static bool is_wrong(search *s, int64_t size, bool readable, kl_small_case *small) {
    kl_prepared p;
    kl_error err = {KL_OK, ""};
    const kl_case *failing = &s->failing->shape;
    kl_status status = readable
                           ? kl_small_prepare(s->problem, s->family, size, failing->seed, &p, &err)
                           : kl_prepare_case(s->problem, s->family, size, failing->seed, &p, &err);
    bool wrong = status == KL_OK && runs_wrong(s, &p, NULL, small);
    kl_prepared_free(&p);
    return wrong;
}

// Operations of a try, by which it is paid for.
static double work_of(const search *s, const kl_case *shape) {
    return 4096 + kl_case_work(shape) / (s->problem->ceiling == KL_CEILING_TENSOR ? 16 : 1);
}

// Whether there is a case of this size that costs little.
static bool is_cheap(search *s, int64_t size) {
    kl_case shape;
    kl_error err;
    const kl_case *failing = &s->failing->shape;
    if (s->problem->describe(s->family, size, failing->seed, &shape, &err) != KL_OK) return false;
    double work = work_of(s, &shape);
    if (shape.host != failing->host || work > try_work || work > s->left) return false;
    s->left -= work;
    return true;
}

// The sizes that are tried first, ascending: 1 to 9, around each power of two, and `most`.
static int sizes_up_to(int64_t most, int64_t sizes[TRIES]) {
    int count = 0;
    for (int64_t size = 1; size <= SMALL_STEP && size <= most; size++) sizes[count++] = size;
    for (int64_t power = 16; power - 1 < most && count + 5 <= TRIES; power *= 2) {
        const int64_t near[] = {power - 1, power, power + 1, power + power / 2};
        for (int i = 0; i < 4; i++)
            if (near[i] < most) sizes[count++] = near[i];
    }
    if (most > SMALL_STEP) sizes[count++] = most;
    return count;
}

// The smallest size that is wrong, 0: none. Between a right and a wrong one the search halves.
static int64_t smallest(search *s, bool readable) {
    int64_t sizes[TRIES], right = 0, wrong = 0;
    int count = sizes_up_to(s->failing->shape.size, sizes);
    s->left = all_work;
    for (int i = 0; i < count && wrong == 0 && !s->broken; i++) {
        if (!is_cheap(s, sizes[i])) continue;
        if (is_wrong(s, sizes[i], readable, NULL)) wrong = sizes[i];
        else right = sizes[i];
    }
    while (wrong - right > 1 && !s->broken) {
        int64_t middle = right + (wrong - right) / 2;
        if (is_cheap(s, middle) && is_wrong(s, middle, readable, NULL)) wrong = middle;
        else right = middle;
    }
    return s->broken ? 0 : wrong;
}

// The case's family, or where that has no readable inputs, another one with them of the same steps.
static int readable_family(const kl_problem *problem, const kl_case *failing) {
    enum { LARGEST = 8 };
    for (int i = 0; i <= problem->family_count; i++) {
        int family = i == 0 ? failing->family : i - 1;
        int64_t size = failing->size < LARGEST ? failing->size : LARGEST;
        kl_prepared p;
        kl_error err;
        if ((problem->families[family].steps ^ problem->families[failing->family].steps) &
            ~KL_NOT_VENDOR)
            continue;
        bool is_readable =
            kl_small_prepare(problem, family, size, failing->seed, &p, &err) == KL_OK;
        kl_prepared_free(&p);
        if (is_readable) return family;
    }
    return failing->family;
}

void kl_small_find(const kl_problem *problem, const kl_prepared *failing,
                   const void *const *outputs, const kl_small_runner *runner,
                   kl_small_case *out_small) {
    search s = {.problem = problem, .failing = failing, .runner = runner};
    memset(out_small, 0, sizeof *out_small);
    for (int readable = problem->readable != NULL; readable >= 0 && !s.broken; readable--) {
        const kl_case *shape = &failing->shape;
        s.family = readable ? readable_family(problem, shape) : shape->family;
        int64_t size = smallest(&s, readable);
        if (size == 0 || !is_wrong(&s, size, readable, out_small) || !out_small->found) continue;
        out_small->smallest = true;
        out_small->readable = readable;
        return;
    }
    if (!s.broken && work_of(&s, &failing->shape) <= all_work)
        runs_wrong(&s, failing, outputs, out_small);
    if (!out_small->found) fill_windows(problem, failing, outputs, NULL, out_small);
}
