// Writes the tables of coverage (coverage.md): every PTX opcode with how its results are known to
// be right, the opcodes that are refused, and the runtime API. From the simulator's own tables, the
// operand and matrix cases, and what coverage.sh found in programs, read from the standard input:
//   opcode WORDS      one instruction of a test program
//   calls FUNCTION    a function that one calls
//   exports FUNCTION  a function of the drop-in runtime
// An opcode that the decoder takes and no test executes ends it with status 1.
#include "ptx/ptx.h"

// ---- Tables -------------------------------------------------------------------------------------

typedef enum evidence { EVIDENCE_PROGRAM = 1, EVIDENCE_EXACT = 2 } evidence; // a set

enum { MAX_NAMES = 256, MAX_FUNCTIONS = 1024, NAME_BYTES = 96, LINE_BYTES = 512, NO_TYPE = 0 };

typedef struct opcode_row {
    const char *name;
    uint8_t by_type[PTX_TYPE_COUNT]; // sets of evidence; NO_TYPE: of forms without a type
} opcode_row;

static opcode_row opcodes[MAX_NAMES];
static uint32_t opcode_count;

// Names that the decoder takes; a longer one goes before a shorter one that it begins with.
static const char *const decoder_names[] = {
#define SIM_OP(id, opcode, ...) opcode,
#include "program/ops.def"
#undef SIM_OP
#define OPCODE_NAME(text, op) text,
#include "decode/instruction/opcode_names.def"
#undef OPCODE_NAME
#define VIDEO_OPCODE(text, operation, elements) text,
#include "decode/instruction/video_opcodes.def"
#undef VIDEO_OPCODE
};

// From which PTX version and target on an opcode exists: the rows that count for all its forms.
static const struct {
    const char *name, *words;
    unsigned major, minor, target;
    const char *suffix;
} needs[] = {
#define OPCODE_NEEDS(name, words, major, minor, target, suffix)                                    \
    {name, words, major, minor, target, suffix},
#include "decode/instruction/opcode_needs.def"
#undef OPCODE_NEEDS
};

typedef struct refused_row {
    const char *name, *reason;
} refused_row;
static const refused_row refused[] = {
#define OPCODE_REFUSED(name, reason) {name, reason},
#include "decode/instruction/opcode_refused.def"
#undef OPCODE_REFUSED
};

// Rows of the case tables, as text.
#define ROW(code)                               code,
#define CASE_0(id, out, code)                   ROW(code)
#define CASE_1(id, out, a, code)                ROW(code)
#define CASE_2(id, out, a, b, code)             ROW(code)
#define CASE_3(id, out, a, b, c, code)          ROW(code)
#define CASE_4(id, out, a, b, c, e, code)       ROW(code)
#define PAIR_1(id, out, out2, a, code)          ROW(code)
#define PAIR_2(id, out, out2, a, b, code)       ROW(code)
#define PAIR_3(id, out, out2, a, b, c, code)    ROW(code)
#define PAIR_4(id, out, out2, a, b, c, e, code) ROW(code)
#define GLOBAL_2(id, mem, b, code)              ROW(code)
#define GLOBAL_3(id, mem, b, c, code)           ROW(code)
#define SHARED_2(id, mem, b, code)              ROW(code)
#define SHARED_3(id, mem, b, c, code)           ROW(code)
#define CONTENDED_GLOBAL(id, mem, b, code)      ROW(code)
#define CONTENDED_SHARED(id, mem, b, code)      ROW(code)

#define PRED(code) "{ .reg .pred p; " code " selp.u32 %0, 1, 0, p; }"
static const char *const operand_cases[] = {
#include "operands/operand_cases.def"
};

static const char *const matrix_texts[] = {
#define MATRIX_CASE(name, form, text, a, b, c, domain, products) "mma.sync.aligned." text,
#include "operands/matrix_cases.def"
#undef MATRIX_CASE
#define WARPGROUP_CASE(name, n, count, text, ka, kb, kd, place, ta, tb, immediates)                \
    "wgmma.mma_async.sync.aligned." text,
#include "operands/warpgroup_cases.def"
#undef WARPGROUP_CASE
};

// ---- Evidence -----------------------------------------------------------------------------------

static bool spells(const char *name, const char *words) {
    size_t bytes = strlen(name);
    return strncmp(name, words, bytes) == 0 && (words[bytes] == '.' || words[bytes] == '\0');
}

static opcode_row *find_opcode(const char *words) {
    opcode_row *found = NULL;
    for (uint32_t i = 0; i < opcode_count; i++)
        if (spells(opcodes[i].name, words) &&
            (!found || strlen(opcodes[i].name) > strlen(found->name)))
            found = &opcodes[i];
    return found;
}

static bool add_opcode(const char *name) {
    if (opcode_count == MAX_NAMES) return false;
    opcodes[opcode_count++].name = name;
    return true;
}

static int by_name(const void *left, const void *right) {
    return strcmp(((const opcode_row *)left)->name, ((const opcode_row *)right)->name);
}

static bool collect_names(void) {
    for (size_t i = 0; i < sizeof decoder_names / sizeof decoder_names[0]; i++) {
        const char *name = decoder_names[i];
        if (name && !add_opcode(name)) return false;
    }
    qsort(opcodes, opcode_count, sizeof opcodes[0], by_name);
    return true;
}

// What one instruction shows: the first type word is the one that counts.
static void note(const char *words, evidence evidence) {
    opcode_row *row = find_opcode(words);
    char copy[LINE_BYTES];
    ptx_type type = PTX_TYPE_NONE;
    if (!row) return;
    snprintf(copy, sizeof copy, "%s", words + strlen(row->name));
    for (char *word = strtok(copy, "."); word && type == PTX_TYPE_NONE; word = strtok(NULL, "."))
        type = ptx_type_find(word);
    uint8_t *cell = &row->by_type[type == PTX_TYPE_NONE ? NO_TYPE : (int)type];
    *cell |= (uint8_t)evidence;
}

// Every instruction of an assembly text: what stands behind the start, `{`, `;` or a guard.
static void note_text(const char *text, evidence evidence) {
    char words[LINE_BYTES];
    while (*text) {
        text += strspn(text, " \n\t{};");
        if (*text == '@') text += strcspn(text, " ");
        text += strspn(text, " \n\t{");
        size_t bytes = strcspn(text, " \n\t;{}");
        snprintf(words, sizeof words, "%.*s", (int)bytes, text);
        if (bytes && words[0] != '.') note(words, evidence);
        text += strcspn(text, ";}");
    }
}

// ---- Programs -----------------------------------------------------------------------------------

typedef struct function_row {
    char name[NAME_BYTES];
    bool exported, called;
} function_row;
static function_row functions[MAX_FUNCTIONS];
static uint32_t function_count;

static function_row *find_function(const char *name) {
    for (uint32_t i = 0; i < function_count; i++)
        if (strcmp(functions[i].name, name) == 0) return &functions[i];
    if (function_count == MAX_FUNCTIONS) return NULL;
    function_row *row = &functions[function_count++];
    snprintf(row->name, sizeof row->name, "%.*s", NAME_BYTES - 1, name);
    return row;
}

static bool read_programs(void) {
    char line[LINE_BYTES], kind[16], name[LINE_BYTES];
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%15s %511s", kind, name) != 2) continue;
        if (strcmp(kind, "opcode") == 0) {
            note(name, EVIDENCE_PROGRAM);
            continue;
        }
        function_row *row = find_function(name);
        if (!row) return false;
        if (strcmp(kind, "exports") == 0) row->exported = true;
        if (strcmp(kind, "calls") == 0) row->called = true;
    }
    return true;
}

// ---- Output -------------------------------------------------------------------------------------

static void print_types(const opcode_row *row, evidence evidence) {
    bool any = false;
    printf(" |");
    for (int type = 0; type < PTX_TYPE_COUNT; type++) {
        uint8_t found = row->by_type[type];
        bool better = evidence == EVIDENCE_PROGRAM && found != EVIDENCE_PROGRAM;
        if (!(found & evidence) || better) continue;
        printf(" %s", type == NO_TYPE ? "yes" : ptx_type_name((ptx_type)type));
        any = true;
    }
    if (!any) printf(" ");
}

// Of which no card has been here.
static bool is_of_manual(const char *name) {
    return spells("tcgen05", name) || spells("clusterlaunchcontrol", name);
}

// The last cell of a row: what the opcode needs, and how many of its forms need more.
static void print_needs(const char *name) {
    size_t longest = 0, row = 0;
    unsigned forms = 0;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        size_t bytes = strlen(needs[i].name);
        bool counts = spells(needs[i].name, name);
        if (needs[i].words[0] && bytes == strlen(name) && counts) forms++;
        if (needs[i].words[0] || !counts || bytes <= longest) continue;
        longest = bytes;
        row = i;
    }
    printf(" |");
    if (longest)
        printf(" PTX %u.%u, sm_%u%s", needs[row].major, needs[row].minor, needs[row].target,
               needs[row].suffix);
    if (forms) printf("%s %u forms need more", longest ? ";" : "", forms);
    if (is_of_manual(name)) printf("; from the manual, not compared with a card");
    printf(" |\n");
}

// False when nothing executes the opcode.
static bool print_opcode(const opcode_row *row) {
    bool tested = false;
    for (int type = 0; type < PTX_TYPE_COUNT; type++) tested = tested || row->by_type[type];
    printf("| `%s`", row->name);
    print_types(row, EVIDENCE_EXACT);
    print_types(row, EVIDENCE_PROGRAM);
    print_needs(row->name);
    if (!tested) fprintf(stderr, "coverage: no test executes `%s`\n", row->name);
    return tested;
}

static bool is_unsupported(const char *name) {
    static const char *const names[] = {
#define REFUSED(function) #function,
#include "runtime/api/unsupported.def"
#undef REFUSED
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static int by_function(const void *left, const void *right) {
    return strcmp(((const function_row *)left)->name, ((const function_row *)right)->name);
}

typedef enum api_kind { API_CALLED, API_OTHER, API_REFUSED } api_kind;

enum { COLUMNS = 140 };

static void print_functions(api_kind kind, const char *title) {
    uint32_t count = 0;
    size_t column = 0; // of the line
    for (int prints = 0; prints < 2; prints++) {
        if (prints) printf("\n### %s: %u\n\n", title, count);
        for (uint32_t i = 0; i < function_count; i++) {
            const function_row *row = &functions[i];
            api_kind found = is_unsupported(row->name) ? API_REFUSED
                             : row->called             ? API_CALLED
                                                       : API_OTHER;
            if (!row->exported || found != kind) continue;
            if (!prints) {
                count++;
                continue;
            }
            size_t width = strlen(row->name) + 3;
            bool fits = column > 0 && column + width <= COLUMNS;
            printf("%s`%s`", fits ? " " : column > 0 ? "\n" : "", row->name);
            column = fits ? column + width : width;
        }
    }
    printf("\n");
}

static bool print_tables(void) {
    bool complete = true;
    printf("## PTX opcodes\n\n%u names. By type: bit for bit what an H100 gives "
           "(`operands_h100.txt`;\n"
           "`mma`, `wgmma`: an H200, `matrix_h200.txt`, `warpgroup_h200.txt`), or\n"
           "executed by test programs that check their results.\n"
           "The last column: the first PTX version and target that have it (`opcode_needs.def`); "
           "empty where sm_70 has it.\n"
           "What begins with `tcgen05` or `clusterlaunchcontrol` is from the manual, not compared "
           "with a card.\n\n"
           "| opcode | exact | in programs | needs |\n|---|---|---|---|\n",
           opcode_count);
    for (uint32_t i = 0; i < opcode_count; i++) complete = print_opcode(&opcodes[i]) && complete;
    printf("\n## Refused\n\nA kernel that reaches one of these does not start, and is told so by "
           "name and line.\n\n"
           "| opcode | why | needs |\n|---|---|---|\n");
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        printf("| `%s` | %s", refused[i].name, refused[i].reason);
        print_needs(refused[i].name);
        const opcode_row *row = find_opcode(refused[i].name);
        if (!row || strcmp(row->name, refused[i].name) != 0) continue;
        fprintf(stderr, "coverage: `%s` is refused and taken\n", refused[i].name);
        complete = false;
    }
    qsort(functions, function_count, sizeof functions[0], by_function);
    printf("\n## Runtime API\n");
    print_functions(API_CALLED, "Supported, and called by test programs");
    print_functions(API_OTHER, "Supported, and called by unit tests or by nothing");
    print_functions(API_REFUSED, "Refused with cudaErrorNotSupported");
    return complete;
}

int main(void) {
    if (!collect_names() || !read_programs()) {
        fprintf(stderr, "coverage: more names than the tables have room for\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof operand_cases / sizeof operand_cases[0]; i++)
        note_text(operand_cases[i], EVIDENCE_EXACT);
    for (size_t i = 0; i < sizeof matrix_texts / sizeof matrix_texts[0]; i++)
        note(matrix_texts[i], EVIDENCE_EXACT);
    return print_tables() ? 0 : 1;
}
