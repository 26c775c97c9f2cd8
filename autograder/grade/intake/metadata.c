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
