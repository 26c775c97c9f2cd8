// Formulas: see rubric.h. Recursive descent over sum = product {(+|-) product}, product = factor
// {(*|/) factor}, factor = (number | - factor | ( sum ) |
// min|max ( sum , sum ) | name [@ step]) [^ factor].
#include "grade/rubric/rubric.h"

enum { DEPTH_MAX = 32 };

typedef struct formula {
    const char *text, *at;
    ladder_formula_lookup *lookup;
    void *context;
    int depth;
    kl_error *err;
} formula;

static kl_status read_sum(formula *f, double *out);

static kl_status wrong(const formula *f, const char *what) {
    if (*f->at == '\0')
        return kl_fail(f->err, KL_ERROR_INPUT, "formula \"%.200s\": %s at its end", f->text, what);
    return kl_fail(f->err, KL_ERROR_INPUT, "formula \"%.200s\": %s at \"%.40s\"", f->text, what,
                   f->at);
}

static bool take(formula *f, char c) {
    while (isspace((unsigned char)*f->at)) f->at++;
    if (*f->at != c) return false;
    f->at++;
    return true;
}

static kl_status expect(formula *f, char c) {
    char what[32];
    if (take(f, c)) return KL_OK;
    snprintf(what, sizeof what, "'%c' is missing", c);
    return wrong(f, what);
}

static kl_status read_step(formula *f, int *out_step) {
    static const char before[] = "before";
    *out_step = LADDER_FORMULA_OWN;
    if (*f->at != '@') return KL_OK;
    f->at++;
    if (strncmp(f->at, before, sizeof before - 1) == 0) {
        f->at += sizeof before - 1;
        *out_step = LADDER_FORMULA_BEFORE;
        return KL_OK;
    }
    if (!isdigit((unsigned char)*f->at)) return wrong(f, "expected @before or @ and a step");
    *out_step = (int)strtol(f->at, (char **)&f->at, 10);
    return KL_OK;
}

static kl_status read_pair(formula *f, bool larger, double *out) {
    double a = 0, b = 0;
    TRY(expect(f, '('));
    TRY(read_sum(f, &a));
    TRY(expect(f, ','));
    TRY(read_sum(f, &b));
    TRY(expect(f, ')'));
    *out = (a > b) == larger ? a : b;
    return KL_OK;
}

static kl_status read_name(formula *f, double *out) {
    char name[LADDER_FORMULA_NAME];
    size_t length = 0;
    int step = LADDER_FORMULA_OWN;
    while (isalnum((unsigned char)f->at[length]) || f->at[length] == '_' || f->at[length] == '.')
        length++;
    if (length == 0 || length >= sizeof name) return wrong(f, "expected a number or a name");
    memcpy(name, f->at, length);
    name[length] = '\0';
    f->at += length;
    if (strcmp(name, "min") == 0) return read_pair(f, false, out);
    if (strcmp(name, "max") == 0) return read_pair(f, true, out);
    TRY(read_step(f, &step));
    return f->lookup(f->context, name, step, out, f->err);
}

static kl_status read_factor(formula *f, double *out) {
    kl_status status;
    double power = 1;
    if (++f->depth > DEPTH_MAX) return wrong(f, "too deep");
    if (take(f, '-')) {
        status = read_factor(f, out);
        *out = -*out;
    } else if (take(f, '(')) {
        status = read_sum(f, out);
        if (status == KL_OK) status = expect(f, ')');
    } else if (isdigit((unsigned char)*f->at)) {
        *out = strtod(f->at, (char **)&f->at);
        status = KL_OK;
    } else {
        status = read_name(f, out);
    }
    if (status == KL_OK && take(f, '^')) {
        status = read_factor(f, &power);
        *out = pow(*out, power);
    }
    f->depth--;
    return status;
}

static kl_status read_product(formula *f, double *out) {
    double right = 0;
    TRY(read_factor(f, out));
    for (;;) {
        if (take(f, '*')) {
            TRY(read_factor(f, &right));
            *out *= right;
        } else if (take(f, '/')) {
            TRY(read_factor(f, &right));
            *out /= right;
        } else {
            return KL_OK;
        }
    }
}

static kl_status read_sum(formula *f, double *out) {
    double right = 0;
    TRY(read_product(f, out));
    for (;;) {
        if (take(f, '+')) {
            TRY(read_product(f, &right));
            *out += right;
        } else if (take(f, '-')) {
            TRY(read_product(f, &right));
            *out -= right;
        } else {
            return KL_OK;
        }
    }
}

kl_status ladder_formula_value(const char *text, ladder_formula_lookup *lookup, void *context,
                               double *out_value, kl_error *err) {
    formula f = {.text = text, .at = text, .lookup = lookup, .context = context, .err = err};
    TRY(read_sum(&f, out_value));
    return take(&f, '\0') ? KL_OK : wrong(&f, "unexpected text");
}
