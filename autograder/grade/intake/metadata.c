// submission_metadata.yml of a Gradescope export: see internal.h. Must not trust what a submission
// may have written into it: results, output, history.
#include "grade/intake/internal.h"
#include "ladder_config.h"

#if LADDER_HAVE_YAML
#include <yaml.h>

struct ladder_metadata_file {
    yaml_document_t document;
};

// The text as YAML may have it: without a byte order mark and carriage returns, other controls and
// bytes that are no UTF-8 as '?'. Caller frees.
static char *clean(const char *text) {
    size_t bytes = strlen(text), used = 0;
    char *plain = malloc(bytes + 1), *copy = malloc(bytes + 1);
    if (plain && copy) {
        if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3;
        for (; *text != '\0'; text++)
            if (text[0] != '\r' || text[1] != '\n') copy[used++] = *text;
        copy[used] = '\0';
        ladder_plain(copy, true, plain, bytes + 1);
    } else {
        free(plain);
        plain = NULL;
    }
    free(copy);
    return plain;
}

static const char *scalar(const yaml_node_t *node) {
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
}

// Whether a key is this one: Ruby writes its symbols with a colon before.
static bool is_key(const yaml_node_t *node, const char *key) {
    const char *text = scalar(node);
    return strcmp(text + (text[0] == ':'), key) == 0;
}

// The value of a key in a mapping; NULL: none.
static yaml_node_t *value_of(yaml_document_t *document, const yaml_node_t *node, const char *key) {
    if (!node || node->type != YAML_MAPPING_NODE) return NULL;
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++)
        if (is_key(yaml_document_get_node(document, pair->key), key))
            return yaml_document_get_node(document, pair->value);
    return NULL;
}

static void take_submitter(yaml_document_t *document, const yaml_node_t *one,
                           ladder_metadata *out) {
    static const char *const ids[] = {"sid", "email"};
    const yaml_node_t *named = value_of(document, one, "name");
    size_t used = strlen(out->names);
    char id[LADDER_TITLE];
    if (!named) return;
    snprintf(out->names + used, sizeof out->names - used, "%s%s", used > 0 ? ", " : "",
             scalar(named));
    int index = out->count < LADDER_SUBMITTERS_MAX ? out->count++ : -1;
    out->too_many = out->too_many || index < 0;
    if (index >= 0) snprintf(out->members[index].name, LADDER_TITLE, "%s", scalar(named));
    for (int i = 0; i < 2; i++) {
        // Tabs and line ends separate ids and members: one in an id would make it another's.
        ladder_plain(scalar(value_of(document, one, ids[i])), false, id, sizeof id);
        if (id[0] == '\0') continue;
        if (out->user[0] == '\0') snprintf(out->user, sizeof out->user, "%.63s", id);
        char *all = index >= 0 ? out->members[index].ids : NULL;
        size_t length = all ? strlen(all) : 0;
        if (all) snprintf(all + length, LADDER_TITLE - length, "%s%s", length > 0 ? "\t" : "", id);
    }
}

kl_status ladder_metadata_open(const char *text, ladder_metadata_file **out_file, kl_error *err) {
    yaml_parser_t parser;
    char *plain = clean(text);
    ladder_metadata_file *file = calloc(1, sizeof *file);
    bool begun = plain && file && yaml_parser_initialize(&parser);
    kl_status status = KL_OK;
    *out_file = NULL;
    if (!begun) {
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for submission_metadata.yml");
    } else {
        yaml_parser_set_input_string(&parser, (const unsigned char *)plain, strlen(plain));
        if (!yaml_parser_load(&parser, &file->document))
            status =
                kl_fail(err, KL_ERROR_INPUT,
                        "submission_metadata.yml: line %zu: %s: it is not as Gradescope wrote "
                        "it; export the submissions again",
                        parser.problem_mark.line + 1, parser.problem ? parser.problem : "no YAML");
        yaml_parser_delete(&parser);
    }
    if (status == KL_OK) *out_file = file;
    else free(file);
    free(plain);
    return status;
}

void ladder_metadata_close(ladder_metadata_file *file) {
    if (file) yaml_document_delete(&file->document);
    free(file);
}

bool ladder_metadata_next(ladder_metadata_file *file, size_t *at, char out_folder[NAME_MAX + 1]) {
    static const char begin[] = "submission_";
    const yaml_node_t *root = yaml_document_get_root_node(&file->document);
    if (!root || root->type != YAML_MAPPING_NODE) return false;
    const yaml_node_pair_t *pairs = root->data.mapping.pairs.start;
    size_t count = (size_t)(root->data.mapping.pairs.top - pairs);
    while (*at < count) {
        const char *name = scalar(yaml_document_get_node(&file->document, pairs[(*at)++].key));
        if (strncmp(name, begin, sizeof begin - 1) != 0 || strlen(name) > NAME_MAX) continue;
        snprintf(out_folder, NAME_MAX + 1, "%s", name);
        return true;
    }
    return false;
}

void ladder_metadata_find(ladder_metadata_file *file, const char *folder,
                          ladder_metadata *out_metadata) {
    yaml_document_t *document = &file->document;
    const yaml_node_t *entry = value_of(document, yaml_document_get_root_node(document), folder);
    const yaml_node_t *people = value_of(document, entry, "submitters");
    memset(out_metadata, 0, sizeof *out_metadata);
    snprintf(out_metadata->submitted, sizeof out_metadata->submitted, "%.39s",
             scalar(value_of(document, entry, "created_at")));
    if (!people || people->type != YAML_SEQUENCE_NODE) return;
    for (const yaml_node_item_t *item = people->data.sequence.items.start;
         item < people->data.sequence.items.top; item++)
        take_submitter(document, yaml_document_get_node(document, *item), out_metadata);
}

#else // the folders' names are no people's: nothing is guessed of them

kl_status ladder_metadata_open(const char *text, ladder_metadata_file **out_file, kl_error *err) {
    (void)text;
    *out_file = NULL;
    return kl_fail(err, KL_ERROR_SYSTEM,
                   "this build does not read submission_metadata.yml, because libyaml was not "
                   "found: install it (Debian: apt-get install libyaml-dev), then the same command "
                   "again with ./ladder");
}

void ladder_metadata_close(ladder_metadata_file *file) { (void)file; }

bool ladder_metadata_next(ladder_metadata_file *file, size_t *at, char out_folder[NAME_MAX + 1]) {
    (void)file, (void)at, (void)out_folder;
    return false;
}

void ladder_metadata_find(ladder_metadata_file *file, const char *folder,
                          ladder_metadata *out_metadata) {
    (void)file, (void)folder;
    memset(out_metadata, 0, sizeof *out_metadata);
}
#endif

// Groups of Moodle: where an assignment is one of groups, every member's copy is handed out, and
// the group's name and a hyphen stand before each member's (mod/assign/locallib.php).

// A copy of the list: who it is, and a hash of its step files; "": it cannot be read.
typedef struct copy {
    size_t index;
    char hash[LADDER_SHA256_TEXT];
} copy;

static kl_status hash_of(const ladder_taking *in, const ladder_submission *s, char *out,
                         kl_error *err) {
    ladder_step_file files[LADDER_STEPS_MAX];
    ladder_result *result = calloc(1, sizeof *result);
    if (!result) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the submissions");
    out[0] = '\0';
    kl_status status = KL_OK;
    if (s->problem[0] == '\0') {
        status = ladder_submission_read(s, in->lab, files, result, err);
        if (status == KL_OK) {
            memcpy(out, result->hash, sizeof result->hash);
            ladder_submission_free(files, in->lab->rubric->step_count);
        }
    }
    free(result);
    return status;
}

static int by_hash(const void *a, const void *b) {
    const copy *x = a, *y = b;
    int order = strcmp(x->hash, y->hash);
    return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

// Bytes that titles begin with alike, up to and with a hyphen.
static size_t common_prefix(const ladder_submission *list, const copy *copies, size_t count) {
    const char *first = list[copies[0].index].title;
    size_t common = strlen(first);
    for (size_t i = 1; i < count; i++) {
        const char *title = list[copies[i].index].title;
        size_t same = 0;
        while (same < common && title[same] == first[same]) same++;
        common = same;
    }
    while (common > 0 && first[common - 1] != '-') common--;
    return common;
}

// Gives a submission its member's name without the group's.
static void name_member(ladder_submission *to, const ladder_submission *from, size_t prefix) {
    char number[80];
    snprintf(number, sizeof number, "Participant %s", from->user);
    if (!ladder_submission_member(to, from->title + prefix, number))
        snprintf(to->problem, sizeof to->problem, "too many students handed it in together");
}

// Copies of the same files become the first of them; the others lose their id.
static void join(ladder_taking *in, const copy *copies, size_t count) {
    ladder_submission *list = in->out->list, *first = &list[copies[0].index];
    size_t prefix = count > 1 && copies[0].hash[0] != '\0' ? common_prefix(list, copies, count) : 0;
    if (prefix == 0) {
        for (size_t i = 0; i < count; i++) {
            ladder_submission *s = &list[copies[i].index];
            s->members[0] = '\0';
            name_member(s, s, strcspn(s->title, "-") + 1);
        }
        return;
    }
    char title[LADDER_TITLE];
    size_t used = (size_t)snprintf(title, sizeof title, "%.*s:", (int)prefix - 1, first->title);
    first->members[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        ladder_submission *s = &list[copies[i].index];
        name_member(first, s, prefix);
        int more = snprintf(title + used, sizeof title - used, "%s %s", i > 0 ? "," : "",
                            s->title + prefix);
        used = used + (size_t)more < sizeof title ? used + (size_t)more : sizeof title - 1;
        if (s != first) s->name[0] = '\0';
    }
    ladder_plain(title, false, first->title, sizeof first->title);
    in->out->teams++;
}

kl_status ladder_taking_teams(ladder_taking *in, kl_error *err) {
    ladder_submission *list = in->out->list;
    size_t count = in->out->count, kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!strchr(list[i].title, '-')) return KL_OK; // no assignment of groups
    copy *copies = calloc(count + 1, sizeof *copies);
    kl_status status = copies ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for the groups");
    for (size_t i = 0; i < count && status == KL_OK; i++) {
        copies[i].index = i;
        status = hash_of(in, &list[i], copies[i].hash, err);
    }
    if (status == KL_OK) {
        qsort(copies, count, sizeof *copies, by_hash);
        for (size_t i = 0, next; i < count; i = next) {
            for (next = i + 1; next < count; next++) {
                size_t same = strcspn(list[copies[i].index].title, "-");
                if (strcmp(copies[next].hash, copies[i].hash) != 0 ||
                    strncmp(list[copies[next].index].title, list[copies[i].index].title,
                            same + 1) != 0)
                    break;
            }
            join(in, &copies[i], next - i);
        }
        for (size_t i = 0; i < count; i++)
            if (list[i].name[0] != '\0') list[kept++] = list[i];
        in->out->count = kept;
    }
    free(copies);
    return status;
}
