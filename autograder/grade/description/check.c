// What a lab's description must be: see description.h. The form of every object is a row of
// fields.def for each field; what holds between fields follows in check_*. Each complaint names the
// place twice, by line and column and by step and criterion as reports count them.
#include "grade/description/description.h"
#include "utilities/text.h"

// clang-format off
typedef enum form {
    FORM_, FORM_lab, FORM_limits, FORM_watch, FORM_step, FORM_needs, FORM_criterion, FORM_bound,
    FORM_hidden_case, FORM_asked, FORM_ask, FORM_selfcheck, FORM_figure
} form;
// clang-format on

typedef enum type { TEXT, CHOICE, NUMBER, INTEGER, BOOLEAN, HIDDEN, TEXTS, OBJECT, OBJECTS } type;
typedef enum need { OPTIONAL, REQUIRED } need;

// A row of fields.def.
typedef struct field {
    form form;
    const char *key;
    need need;
    type type;
    const char *of, *only;
    double least, most;
    const char *unit, *meaning;
} field;

static const field fields[] = {
#define FIELD(form, key, ...) {FORM_##form, #key, __VA_ARGS__},
#include "grade/description/fields.def"
#undef FIELD
};
enum { FIELDS = sizeof fields / sizeof fields[0], WHERE = 96 };

// What an object is called in messages, and whether its number among its like is.
static const struct {
    const char *name, *title;
    bool numbered;
} forms[] = {[FORM_lab] = {"lab", "the lab", false},
             [FORM_limits] = {"limits", "limits", false},
             [FORM_watch] = {"watch", "watch", true},
             [FORM_step] = {"step", "step", true},
             [FORM_needs] = {"needs", "needs", false},
             [FORM_criterion] = {"criterion", "criterion", true},
             [FORM_bound] = {"bound", "with", true},
             [FORM_hidden_case] = {"hidden_case", "case", true},
             [FORM_asked] = {"asked", "questions", true},
             [FORM_ask] = {"ask", "question", true},
             [FORM_selfcheck] = {"selfcheck", "selfcheck", true},
             [FORM_figure] = {"figure", "figure", true}};
enum { FORMS = sizeof forms / sizeof forms[0] };

static form form_of(const char *name) {
    for (int i = FORM_lab; i < FORMS; i++)
        if (strcmp(forms[i].name, name) == 0) return (form)i;
    return FORM_;
}

typedef struct checker {
    const kl_json_document *document;
    kl_error *err;
} checker;

#define REFUSE(value, ...) return kl_json_fail(c->document, (value)->begin, c->err, __VA_ARGS__)

// Whether `word` is one of `list`, whose words have blanks or commas between them.
static bool is_among(const char *word, const char *list) {
    size_t length = strlen(word);
    for (const char *at = list; *at != '\0';) {
        size_t next = strcspn(at, ", ");
        if (next == length && strncmp(at, word, length) == 0) return true;
        at += next;
        at += strspn(at, ", ");
    }
    return false;
}

// The kind of an object, which says which fields it has (fields.def, `only`).
static const char *kind_of(form form, const kl_json_value *object) {
    const kl_json_value *kind = kl_json_member(object, "kind");
    const kl_json_value *values = kl_json_member(object, "values");
    switch (form) {
    case FORM_criterion: return kind && kind->kind == KL_JSON_TEXT ? kind->text : "";
    case FORM_asked: return kl_json_member(object, "none") ? "none" : "ask";
    case FORM_ask: return ladder_is_asked_again(object) ? "again" : "new";
    case FORM_selfcheck: return values && values->count > 0 ? "values" : "plain";
    default: return "";
    }
}

static bool has_field(const field *f, form form, const char *kind) {
    return f->form == form && (f->only[0] == '\0' || is_among(kind, f->only));
}

// That the key of a member is known: else the nearest known one, and all of them.
static kl_status check_key(checker *c, form form, const char *kind, const char *where,
                           const kl_json_value *member) {
    const char *known[FIELDS];
    size_t count = 0;
    char list[512] = "";
    for (size_t i = 0; i < FIELDS; i++) {
        if (fields[i].form != form) continue;
        if (strcmp(fields[i].key, member->key) == 0) {
            if (kind[0] == '\0' || has_field(&fields[i], form, kind)) return KL_OK;
            return kl_json_fail(c->document, member->key_begin, c->err,
                                "%s: \"%s\" goes with %s, not with %s", where, member->key,
                                fields[i].only, kind);
        }
        if (!has_field(&fields[i], form, kind)) continue;
        known[count++] = fields[i].key;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", fields[i].key);
    }
    const char *meant = ladder_suggest(member->key, known, count);
    char plain[WHERE];
    snprintf(plain, sizeof plain, "%.60s", member->key);
    return kl_json_fail(c->document, member->key_begin, c->err,
                        "%s: unknown field \"%s\"%s%s%s; known are: %s", where, plain,
                        meant ? ": did you mean \"" : "", meant ? meant : "", meant ? "\"?" : "",
                        list);
}

static kl_status check_object(checker *c, form form, const char *where,
                              const kl_json_value *object);

static kl_status refuse_type(checker *c, const char *where, const field *f,
                             const kl_json_value *value, const char *wanted) {
    REFUSE(value, "%s: \"%s\" must be %s, not %s", where, f->key, wanted,
           kl_json_kind_name(value->kind));
}

static kl_status check_number(checker *c, const char *where, const field *f,
                              const kl_json_value *value) {
    if (value->kind != KL_JSON_NUMBER)
        return refuse_type(c, where, f, value, f->type == INTEGER ? "a whole number" : "a number");
    if (f->type == INTEGER && !value->is_integer)
        REFUSE(value, "%s: \"%s\" must be a whole number, not %.40s", where, f->key, value->text);
    if (!(value->number >= f->least && value->number <= f->most))
        REFUSE(value, "%s: \"%s\" must be from %.15g to %.15g, not %.40s", where, f->key, f->least,
               f->most, value->text);
    return KL_OK;
}

static kl_status check_word(checker *c, const char *where, const field *f,
                            const kl_json_value *value) {
    bool hidden = f->type == HIDDEN;
    if (hidden && value->kind == KL_JSON_BOOLEAN) return KL_OK;
    if (value->kind != KL_JSON_TEXT)
        return refuse_type(c, where, f, value, hidden ? "true, false or a text" : "a text");
    if (f->form == FORM_criterion && strcmp(value->text, "manual") == 0)
        REFUSE(value,
               "%s: what a person marks is no part of a lab's description: ladder gradebook "
               "criterion adds it to a course's lab",
               where);
    if (!is_among(value->text, f->of) || strpbrk(value->text, ", "))
        REFUSE(value, "%s: unknown \"%s\" \"%.60s\"; known are: %s%s", where, f->key, value->text,
               hidden ? "true, false, " : "", f->of);
    return KL_OK;
}

static kl_status check_array(checker *c, const char *where, const field *f,
                             const kl_json_value *value) {
    if (value->kind != KL_JSON_ARRAY)
        return refuse_type(c, where, f, value,
                           f->type == TEXTS ? "an array of texts" : "an array of objects");
    if (value->count < f->least || value->count > f->most)
        REFUSE(value, "%s: \"%s\" must have from %.0f to %.0f items, not %d", where, f->key,
               f->least, f->most, value->count);
    int nth = 0;
    form of = form_of(f->of);
    for (const kl_json_value *item = value->item; item; item = item->next) {
        char here[WHERE];
        nth++;
        if (f->type == TEXTS && item->kind != KL_JSON_TEXT)
            REFUSE(item, "%s: \"%s\" must have texts only, not %s", where, f->key,
                   kl_json_kind_name(item->kind));
        if (f->type == TEXTS) continue;
        // A step is known by its own number, everything else by its place.
        const kl_json_value *number = of == FORM_step ? kl_json_member(item, "step") : NULL;
        bool above = strcmp(where, forms[FORM_lab].title) != 0;
        snprintf(here, sizeof here, "%.48s%s%s %lld", above ? where : "", above ? ", " : "",
                 forms[of].title, number && number->is_integer ? (long long)number->integer : nth);
        TRY(check_object(c, of, here, item));
    }
    return KL_OK;
}

static kl_status check_field(checker *c, const char *where, const field *f,
                             const kl_json_value *value) {
    char here[WHERE];
    switch (f->type) {
    case NUMBER:
    case INTEGER: return check_number(c, where, f, value);
    case CHOICE:
    case HIDDEN: return check_word(c, where, f, value);
    case TEXTS:
    case OBJECTS: return check_array(c, where, f, value);
    case TEXT:
        return value->kind == KL_JSON_TEXT ? KL_OK : refuse_type(c, where, f, value, "a text");
    case BOOLEAN:
        return value->kind == KL_JSON_BOOLEAN ? KL_OK
                                              : refuse_type(c, where, f, value, "true or false");
    case OBJECT: break;
    }
    snprintf(here, sizeof here, "%.60s, %s", where, f->key);
    return check_object(c, form_of(f->of), here, value);
}

static kl_status check_object(checker *c, form form, const char *where,
                              const kl_json_value *object) {
    if (object->kind != KL_JSON_OBJECT)
        REFUSE(object, "%s must be an object, not %s", where, kl_json_kind_name(object->kind));
    const kl_json_value *choice = kl_json_member(object, "kind"); // first: others depend on it
    for (size_t i = 0; choice && i < FIELDS; i++)
        if (fields[i].form == form && strcmp(fields[i].key, "kind") == 0)
            TRY(check_word(c, where, &fields[i], choice));
    const char *kind = kind_of(form, object);
    for (const kl_json_value *member = object->item; member; member = member->next)
        TRY(check_key(c, form, kind, where, member));
    for (size_t i = 0; i < FIELDS; i++) {
        if (!has_field(&fields[i], form, kind)) continue;
        const kl_json_value *value = kl_json_member(object, fields[i].key);
        if (value) TRY(check_field(c, where, &fields[i], value));
        else if (fields[i].need == REQUIRED)
            REFUSE(object, "%s: \"%s\" is missing", where, fields[i].key);
    }
    return KL_OK;
}

// That a field names a step of the lab.
static kl_status check_step_exists(checker *c, const char *where, const kl_json_value *steps,
                                   const kl_json_value *number) {
    if (!number) return KL_OK;
    for (const kl_json_value *step = steps->item; step; step = step->next)
        if (ladder_field_integer(step, "step", -1) == number->integer) return KL_OK;
    REFUSE(number, "%s: the lab has no step %lld", where, (long long)number->integer);
}

static kl_status check_steps_of(checker *c, const kl_json_value *root, const char *key,
                                bool one_each) {
    const kl_json_value *steps = kl_json_member(root, "steps");
    int nth = 0;
    for (const kl_json_value *item = ladder_field_items(root, key); item; item = item->next) {
        char where[WHERE];
        snprintf(where, sizeof where, "%s %d", key, ++nth);
        const kl_json_value *number = kl_json_member(item, "step");
        TRY(check_step_exists(c, where, steps, number));
        for (const kl_json_value *other = ladder_field_items(root, key); one_each && other != item;
             other = other->next)
            if (ladder_field_integer(other, "step", -1) == number->integer)
                REFUSE(number, "%s: step %lld is twice in \"%s\"", where,
                       (long long)number->integer, key);
    }
    return KL_OK;
}

// That what is asked again was asked before.
static kl_status check_asked(checker *c, const kl_json_value *root) {
    int nth = 0;
    for (const kl_json_value *asked = ladder_field_items(root, "questions"); asked;
         asked = asked->next) {
        nth++;
        for (const kl_json_value *ask = ladder_field_items(asked, "ask"); ask; ask = ask->next)
            if (!ladder_asked_as(root, ask))
                REFUSE(ask,
                       "questions %d: no question before has the name \"%.60s\": \"unit\", "
                       "\"text\" and \"value\" are missing",
                       nth, ladder_field_text(ask, "name", ""));
    }
    return KL_OK;
}

// N_name.cu of step N, the name in lower case: it becomes part of targets and C identifiers.
static bool is_step_file(const char *file, long long number) {
    char begin[24];
    size_t length = (size_t)snprintf(begin, sizeof begin, "%lld_", number);
    if (strncmp(file, begin, length) != 0) return false;
    const char *name = file + length,
               *end = name + strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return *name >= 'a' && *name <= 'z' && strcmp(end, ".cu") == 0;
}

static kl_status check_thresholds(checker *c, const char *where, const kl_json_value *object) {
    const kl_json_value *full = kl_json_member(object, "full"),
                        *zero = kl_json_member(object, "zero");
    if (full && zero && full->number == zero->number)
        REFUSE(full, "%s: \"full\" and \"zero\" are the same value", where);
    return KL_OK;
}

static kl_status check_criterion(checker *c, const char *where, const kl_json_value *steps,
                                 const kl_json_value *criterion) {
    const kl_json_value *over = kl_json_member(criterion, "over");
    TRY(check_thresholds(c, where, criterion));
    if (over && over->integer >= 0) TRY(check_step_exists(c, where, steps, over));
    int nth = 0;
    for (const kl_json_value *bound = ladder_field_items(criterion, "with"); bound;
         bound = bound->next) {
        char here[WHERE];
        snprintf(here, sizeof here, "%.60s, with %d", where, ++nth);
        TRY(check_thresholds(c, here, bound));
    }
    return KL_OK;
}

static kl_status check_step(checker *c, const kl_json_value *steps, const kl_json_value *step,
                            long long before) {
    long long number = ladder_field_integer(step, "step", 0), nth = 0;
    const kl_json_value *file = kl_json_member(step, "file"),
                        *needs = kl_json_member(step, "needs");
    if (number <= before)
        REFUSE(kl_json_member(step, "step"), "step %lld comes after step %lld: steps ascend",
               number, before);
    if (!is_step_file(file->text, number))
        REFUSE(file, "step %lld: \"file\" must be %lld_name.cu, not \"%.60s\"", number, number,
               file->text);
    if (ladder_field_true(needs, "exact") && ladder_field_integer(needs, "sm", 0) != 90)
        REFUSE(needs, "step %lld, needs: \"exact\" goes with \"sm\": 90", number);
    for (const kl_json_value *item = ladder_field_items(step, "criteria"); item;
         item = item->next) {
        char where[WHERE];
        snprintf(where, sizeof where, "step %lld, criterion %lld", number, ++nth);
        TRY(check_criterion(c, where, steps, item));
    }
    return KL_OK;
}

static kl_status check_figures(checker *c, const kl_json_value *root) {
    const kl_json_value *first = ladder_field_items(root, "figures");
    int nth = 0;
    for (const kl_json_value *figure = first; figure; figure = figure->next) {
        const kl_json_value *file = kl_json_member(figure, "file"),
                            *draw = kl_json_member(figure, "draw");
        size_t stem = strspn(file->text, "abcdefghijklmnopqrstuvwxyz0123456789_");
        nth++;
        if (stem == 0 || strcmp(file->text + stem, ".svg") != 0)
            REFUSE(file, "figure %d: \"file\" must be name.svg, not \"%.60s\"", nth, file->text);
        if (draw->text[0] == '\0' || strpbrk(draw->text, "\n\r;\\\"'$`"))
            REFUSE(draw, "figure %d: \"draw\" must be words with blanks between them", nth);
        for (const kl_json_value *other = first; other != figure; other = other->next)
            if (strcmp(ladder_field_text(other, "file", ""), file->text) == 0)
                REFUSE(file, "figure %d: %.60s is drawn twice", nth, file->text);
    }
    return KL_OK;
}

static kl_status check(checker *c, const char *folder, const kl_json_value *root) {
    TRY(check_object(c, FORM_lab, forms[FORM_lab].title, root));
    const kl_json_value *lab = kl_json_member(root, "lab"), *steps = kl_json_member(root, "steps");
    if (folder && strcmp(lab->text, folder) != 0)
        REFUSE(lab, "\"lab\" is \"%.60s\" but the folder is \"%.60s\"", lab->text, folder);
    if (lab->text[strspn(lab->text, "abcdefghijklmnopqrstuvwxyz0123456789_")] != '\0')
        REFUSE(lab, "\"lab\" must have lower-case letters, digits and _ only, not \"%.60s\"",
               lab->text);
    long long before = -1;
    for (const kl_json_value *step = steps->item; step; step = step->next) {
        TRY(check_step(c, steps, step, before));
        before = ladder_field_integer(step, "step", 0);
    }
    TRY(check_steps_of(c, root, "watch", false));
    TRY(check_steps_of(c, root, "questions", true));
    TRY(check_asked(c, root));
    TRY(check_steps_of(c, root, "selfcheck", false));
    return check_figures(c, root);
}

kl_status ladder_description_read(const char *name, const char *text, size_t bytes,
                                  const char *folder, ladder_description *out_description,
                                  kl_error *err) {
    ladder_description d = {.text = malloc(bytes + 1)};
    if (!d.text) return kl_fail(err, KL_ERROR_MEMORY, "no memory for %s", name);
    if (bytes > 0) memcpy(d.text, text, bytes);
    d.text[bytes] = '\0';
    kl_status status = kl_json_read(name, d.text, bytes, &d.document, err);
    checker c = {&d.document, err};
    if (status == KL_OK) status = check(&c, folder, d.document.root);
    if (status != KL_OK) {
        ladder_description_free(&d);
        return status;
    }
    d.root = d.document.root;
    d.lab = ladder_field_text(d.root, "lab", "");
    *out_description = d;
    return KL_OK;
}

kl_status ladder_description_file(const char *path, char **out_text, size_t *out_bytes,
                                  kl_error *err) {
    FILE *file = fopen(path, "rb");
    char *text = malloc(KL_JSON_BYTES_MAX + 2);
    errno = file ? ENOMEM : errno;
    size_t bytes = file && text ? fread(text, 1, KL_JSON_BYTES_MAX + 1, file) : 0;
    bool read = file && text && !ferror(file);
    kl_status status = read ? KL_OK : kl_fail(err, KL_ERROR_INPUT, "%s: %s", path, strerror(errno));
    if (file) fclose(file);
    if (status != KL_OK) {
        free(text);
        return status;
    }
    text[bytes] = '\0';
    *out_text = text;
    *out_bytes = bytes;
    return KL_OK;
}

kl_status ladder_description_load(const char *path, const char *folder,
                                  ladder_description *out_description, kl_error *err) {
    char *text = NULL;
    size_t bytes = 0;
    TRY(ladder_description_file(path, &text, &bytes, err));
    kl_status status = ladder_description_read(path, text, bytes, folder, out_description, err);
    free(text);
    return status;
}

void ladder_description_free(ladder_description *description) {
    kl_json_free(&description->document);
    free(description->text);
    *description = (ladder_description){0};
}

bool ladder_is_asked_again(const kl_json_value *ask) {
    return !kl_json_member(ask, "unit") && !kl_json_member(ask, "text") &&
           !kl_json_member(ask, "value");
}

const kl_json_value *ladder_asked_as(const kl_json_value *root, const kl_json_value *ask) {
    const kl_json_value *last = NULL;
    for (const kl_json_value *asked = ladder_field_items(root, "questions"); asked;
         asked = asked->next) {
        for (const kl_json_value *one = ladder_field_items(asked, "ask"); one; one = one->next) {
            bool same =
                strcmp(ladder_field_text(one, "name", ""), ladder_field_text(ask, "name", "")) == 0;
            if (same && !ladder_is_asked_again(one)) last = one;
            if (one == ask) return last;
        }
    }
    return NULL;
}

const char *ladder_field_text(const kl_json_value *object, const char *key, const char *absent) {
    const kl_json_value *value = kl_json_member(object, key);
    return value && value->kind == KL_JSON_TEXT ? value->text : absent;
}

double ladder_field_number(const kl_json_value *object, const char *key, double absent) {
    const kl_json_value *value = kl_json_member(object, key);
    return value && value->kind == KL_JSON_NUMBER ? value->number : absent;
}

long long ladder_field_integer(const kl_json_value *object, const char *key, long long absent) {
    const kl_json_value *value = kl_json_member(object, key);
    return value && value->is_integer ? value->integer : absent;
}

bool ladder_field_true(const kl_json_value *object, const char *key) {
    const kl_json_value *value = kl_json_member(object, key);
    return value && value->kind == KL_JSON_BOOLEAN && value->number > 0;
}

const kl_json_value *ladder_field_items(const kl_json_value *object, const char *key) {
    const kl_json_value *value = kl_json_member(object, key);
    return value && value->kind == KL_JSON_ARRAY ? value->item : NULL;
}

int ladder_field_count(const kl_json_value *object, const char *key) {
    const kl_json_value *value = kl_json_member(object, key);
    return value && value->kind == KL_JSON_ARRAY ? value->count : 0;
}

bool ladder_field_left_out(const kl_json_value *criterion) {
    return ladder_field_hidden(criterion) || ladder_field_items(criterion, "cases");
}

const char *ladder_field_hidden(const kl_json_value *criterion) {
    return ladder_field_true(criterion, "hidden") ? "after_published"
                                                  : ladder_field_text(criterion, "hidden", NULL);
}

// The rows of a form, each with the keys on the way to it, and those of the forms inside.
static void write_form(FILE *out, form form, const char *above) {
    for (size_t i = 0; i < FIELDS; i++) {
        const field *f = &fields[i];
        static const char *const types[] = {
            [TEXT] = "text",           [CHOICE] = "text",     [NUMBER] = "number",
            [INTEGER] = "integer",     [BOOLEAN] = "boolean", [HIDDEN] = "boolean or text",
            [TEXTS] = "array of text", [OBJECT] = "object",   [OBJECTS] = "array of objects"};
        char inside[WHERE];
        if (f->form != form) continue;
        bool always = f->need == REQUIRED && f->only[0] == '\0';
        const char *unit = f->type == CHOICE ? f->of : f->unit;
        fprintf(out, "%s%s%s | %s |%s%s | %s\n", above, f->key, always ? "" : "?", types[f->type],
                f->type == CHOICE ? " one of: "
                : unit[0] != '\0' ? " "
                                  : "",
                unit, f->meaning);
        if (f->type != OBJECT && f->type != OBJECTS) continue;
        snprintf(inside, sizeof inside, "%s%s%s.", above, f->key, f->type == OBJECTS ? "[]" : "");
        write_form(out, form_of(f->of), inside);
    }
}

void ladder_write_schema(FILE *out) {
    fprintf(out, "# ladder.lab/1, made by `ladder-lab --schema` from "
                 "autograder/grade/description/fields.def; do "
                 "not edit. The form of this file: docs/tools/schemas/schema.c.\n");
    write_form(out, FORM_lab, "");
}
