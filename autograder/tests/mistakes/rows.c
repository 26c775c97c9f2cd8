// The heading of a mistake: see mistakes.h.
#include "mistakes.h"

#include "advice.h"
#include "utilities/text.h"

// The rest of a line behind `key`, or NULL.
static const char *value_of(const char *line, const char *key) {
    size_t length = strlen(key);
    return strncmp(line, key, length) == 0 ? line + length : NULL;
}

static kl_status add_sentence(char (*list)[MISTAKE_TEXT], int *count, const char *text,
                              kl_error *err) {
    if (*count == MISTAKE_SENTENCES)
        return kl_fail(err, KL_ERROR_LIMIT, "more than %d sentences", MISTAKE_SENTENCES);
    snprintf(list[(*count)++], MISTAKE_TEXT, "%s", text);
    return KL_OK;
}

// What a row of advice says between the words that it is given.
static kl_status add_advice(const char *name, mistake_command *c, kl_error *err) {
    static const char *const names[] = {
#define KL_ADVICE(name, text) #name,
#include "advice.def"
#undef KL_ADVICE
    };
    char text[4 * MISTAKE_TEXT];
    int row = 0;
    while (row < KL_ADVICE_COUNT && strcmp(names[row], name) != 0) row++;
    if (row == KL_ADVICE_COUNT) return kl_fail(err, KL_ERROR_INPUT, "no advice %s", name);
    kl_advise((kl_advice)row, KL_WORDS("\n", "\n", "\n", "\n"), text, sizeof text);
    for (char *part = strtok(text, "\n"); part; part = strtok(NULL, "\n"))
        TRY(add_sentence(c->says, &c->says_count, part, err));
    return KL_OK;
}

// What stands behind the section's name.
static kl_status read_words(const char *words, mistake *m, kl_error *err) {
    char tier[16] = "";
    int fields = sscanf(words, "%63s %d %15s", m->lab, &m->step, tier);
    const char *name = strchr(m->lab, '_');
    bool followed = strcmp(tier, "followed") == 0;
    m->full = followed || strcmp(tier, "full") == 0;
    if (fields < 2 || !name || (fields == 3 && !m->full))
        return kl_fail(err, KL_ERROR_INPUT, "\"=== edit NAME NN_LAB STEP [full|followed]\"");
    if (!followed) return KL_OK;
    mistake_command *c = &m->commands[m->count++];
    *c = (mistake_command){.says = {"correct"}, .says_count = 1, .most_instructions = 80000000};
    c->never_count = 2;
    strcpy(c->never[0], "wrong answer");
    strcpy(c->never[1], "hint");
    snprintf(c->arguments, sizeof c->arguments, "run %s %d --check-only", name + 1, m->step);
    return KL_OK;
}

static kl_status begin_command(const char *arguments, mistake *m, kl_error *err) {
    if (m->count == MISTAKE_COMMANDS)
        return kl_fail(err, KL_ERROR_LIMIT, "more than %d commands", MISTAKE_COMMANDS);
    mistake_command *c = &m->commands[m->count++];
    *c = (mistake_command){.status = 1, .most_instructions = 1000000};
    snprintf(c->arguments, sizeof c->arguments, "%s", arguments);
    return KL_OK;
}

static bool is_expected(const char *line) {
    static const char *const keys[] = {"says: ", "advice ",
                                       "never: ", "status: ", "instructions: "};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (value_of(line, keys[i])) return true;
    return false;
}

static kl_status read_line(const char *line, mistake *m, kl_error *err) {
    const char *value;
    char usual[MISTAKE_TEXT];
    if ((value = value_of(line, "$ ladder "))) return begin_command(value, m, err);
    if (m->count == 0 && !is_expected(line)) return KL_OK; // what the mistake is
    snprintf(usual, sizeof usual, "run %s %d", strchr(m->lab, '_') + 1, m->step);
    if (m->count == 0) TRY(begin_command(usual, m, err));
    mistake_command *c = &m->commands[m->count - 1];
    if ((value = value_of(line, "says: ")))
        return add_sentence(c->says, &c->says_count, value, err);
    if ((value = value_of(line, "advice "))) {
        m->advised = true;
        return add_advice(value, c, err);
    }
    if ((value = value_of(line, "never: ")))
        return add_sentence(c->never, &c->never_count, value, err);
    if ((value = value_of(line, "status: "))) {
        c->status = atoi(value);
        return KL_OK;
    }
    if ((value = value_of(line, "instructions: ")) &&
        ladder_parse_size(value, &c->most_instructions))
        return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "not understood: %s", line);
}

static kl_status check(const mistake *m, kl_error *err) {
    if (m->count == 0)
        return kl_fail(err, KL_ERROR_INPUT, "no command, and nothing expected of one");
    for (int i = 0; i < m->count; i++) {
        const mistake_command *c = &m->commands[i];
        if (c->says_count == 0)
            return kl_fail(err, KL_ERROR_INPUT, "%s: says is missing", c->arguments);
    }
    return KL_OK;
}

kl_status mistake_read(const edit *edit, mistake *out_mistake, kl_error *err) {
    memset(out_mistake, 0, sizeof *out_mistake);
    kl_status status = read_words(edit->words, out_mistake, err);
    out_mistake->edit = edit;
    for (const char *at = edit->heading; status == KL_OK && strncmp(at, "// ", 3) == 0;) {
        char line[MISTAKE_TEXT];
        size_t length = strcspn(at, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length - 3, at + 3);
        status = length - 3 < sizeof line
                     ? read_line(line, out_mistake, err)
                     : kl_fail(err, KL_ERROR_LIMIT, "a line is too long: %s", line);
        at += length + (at[length] == '\n');
    }
    if (status == KL_OK) status = check(out_mistake, err);
    if (status != KL_OK) kl_fail_prefix(err, "%s:%d: %s", edit->path, edit->line, edit->name);
    return status;
}
