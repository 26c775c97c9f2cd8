// Reader of ELF symbol tables: see files.h. System V ABI, chapters 4 (sections, symbols) and 5
// (dynamic).
#include "utilities/files.h"
#include <elf.h>
#include "utilities/text.h"

// The section header at `index`, copied (the table need not be aligned); false when it is not
// there.
static bool section_at(const ladder_elf *elf, const Elf64_Ehdr *head, uint64_t index,
                       Elf64_Shdr *out_section) {
    if (head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shoff > elf->size) return false;
    uint64_t capacity = (elf->size - head->e_shoff) / sizeof(Elf64_Shdr);
    if (index >= capacity) return false;
    memcpy(out_section, elf->bytes + head->e_shoff + index * sizeof(Elf64_Shdr),
           sizeof *out_section);
    bool no_bytes = out_section->sh_type == SHT_NOBITS;
    return no_bytes || (out_section->sh_offset <= elf->size &&
                        out_section->sh_size <= elf->size - out_section->sh_offset);
}

// The terminated string at `offset` of a string table; "" when it is damaged.
static const char *string_at(const ladder_elf *elf, const Elf64_Shdr *table, uint64_t offset) {
    if (table->sh_type != SHT_STRTAB || offset >= table->sh_size) return "";
    const char *text = (const char *)elf->bytes + table->sh_offset + offset;
    return memchr(text, '\0', table->sh_size - offset) ? text : "";
}

static kl_status add_name(const char ***names, size_t *count, const char *name, kl_error *err) {
    if (*count == LADDER_ELF_MAX_NAMES) {
        return kl_fail(err, KL_ERROR_LIMIT, "the object file has more than %d symbols",
                       LADDER_ELF_MAX_NAMES);
    }
    if ((*count & (*count - 1)) == 0) { // grow at 0, 1, 2, 4, ..
        size_t capacity = *count > 0 ? 2 * *count : 1;
        const char **grown = realloc(*names, capacity * sizeof **names);
        if (!grown) return kl_fail(err, KL_ERROR_MEMORY, "no memory for symbol names");
        *names = grown;
    }
    (*names)[(*count)++] = name;
    return KL_OK;
}

static kl_status read_symbols(ladder_elf *elf, const Elf64_Ehdr *head, const Elf64_Shdr *table,
                              kl_error *err) {
    Elf64_Shdr strings;
    if (!section_at(elf, head, table->sh_link, &strings))
        return kl_fail(err, KL_ERROR_INPUT, "the symbol table of the object file is damaged");
    for (uint64_t i = 1; i < table->sh_size / sizeof(Elf64_Sym); i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, elf->bytes + table->sh_offset + i * sizeof symbol, sizeof symbol);
        const char *name = string_at(elf, &strings, symbol.st_name);
        if (name[0] == '\0' || ELF64_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
        if (symbol.st_shndx == SHN_UNDEF)
            TRY(add_name(&elf->undefined, &elf->undefined_count, name, err));
        else TRY(add_name(&elf->defined, &elf->defined_count, name, err));
    }
    return KL_OK;
}

static kl_status read_needed(ladder_elf *elf, const Elf64_Ehdr *head, const Elf64_Shdr *table,
                             kl_error *err) {
    Elf64_Shdr strings;
    if (!section_at(elf, head, table->sh_link, &strings)) return KL_OK;
    for (uint64_t i = 0; i < table->sh_size / sizeof(Elf64_Dyn); i++) {
        Elf64_Dyn item;
        memcpy(&item, elf->bytes + table->sh_offset + i * sizeof item, sizeof item);
        if (item.d_tag == DT_NULL) break;
        if (item.d_tag != DT_NEEDED) continue;
        const char *name = string_at(elf, &strings, item.d_un.d_val);
        TRY(add_name(&elf->needed, &elf->needed_count, name, err));
    }
    return KL_OK;
}

static kl_status read_sections(ladder_elf *elf, kl_error *err) {
    Elf64_Ehdr head;
    if (elf->size < sizeof head) return kl_fail(err, KL_ERROR_INPUT, "not a 64-bit ELF file");
    memcpy(&head, elf->bytes, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_ident[EI_DATA] != ELFDATA2LSB)
        return kl_fail(err, KL_ERROR_INPUT, "not a 64-bit ELF file");
    Elf64_Shdr first, names;
    uint64_t count = head.e_shnum;
    uint64_t names_index = head.e_shstrndx;
    if (count == 0 && section_at(elf, &head, 0, &first))
        count = first.sh_size; // extended numbering
    if (names_index == SHN_XINDEX && section_at(elf, &head, 0, &first)) names_index = first.sh_link;
    if (!section_at(elf, &head, names_index, &names)) names = (Elf64_Shdr){.sh_type = SHT_NULL};
    for (uint64_t i = 0; i < count; i++) {
        Elf64_Shdr section;
        if (!section_at(elf, &head, i, &section))
            return kl_fail(err, KL_ERROR_INPUT, "a section of the file is damaged");
        if (strcmp(string_at(elf, &names, section.sh_name), ".nv_fatbin") == 0) {
            elf->has_device_code = true;
            if (section.sh_type == SHT_NOBITS) continue;
            elf->device_code = elf->bytes + section.sh_offset;
            elf->device_code_bytes = section.sh_size;
        }
        bool object_symbols = section.sh_type == SHT_SYMTAB && head.e_type == ET_REL;
        if (object_symbols || section.sh_type == SHT_DYNSYM)
            TRY(read_symbols(elf, &head, &section, err));
        if (section.sh_type == SHT_DYNAMIC) TRY(read_needed(elf, &head, &section, err));
    }
    return KL_OK;
}

kl_status ladder_elf_read(const char *path, ladder_elf *out_elf, kl_error *err) {
    memset(out_elf, 0, sizeof *out_elf);
    char *bytes = NULL;
    TRY(ladder_file_read(AT_FDCWD, path, LADDER_ELF_MAX_BYTES, &bytes, &out_elf->size, err));
    out_elf->bytes = (unsigned char *)bytes;
    kl_status status = read_sections(out_elf, err);
    if (status != KL_OK) ladder_elf_free(out_elf);
    return status;
}

void ladder_elf_free(ladder_elf *elf) {
    free(elf->undefined);
    free(elf->defined);
    free(elf->needed);
    free(elf->bytes);
    memset(elf, 0, sizeof *elf);
}

bool ladder_elf_needs(const ladder_elf *elf, const char *library) {
    for (size_t i = 0; i < elf->needed_count; i++)
        if (strncmp(elf->needed[i], library, strlen(library)) == 0) return true;
    return false;
}

bool ladder_elf_defines(const ladder_elf *elf, const char *symbol) {
    for (size_t i = 0; i < elf->defined_count; i++)
        if (strcmp(elf->defined[i], symbol) == 0) return true;
    return false;
}

// Kernel names as their authors wrote them. Itanium C++ ABI, section 3.4.

// From the C++ run-time library that nvcc's host compiler brings along.
extern char *__cxa_demangle(const char *name, char *buffer, size_t *bytes, int *status);

// Nobody writes "(anonymous namespace)::".
static void drop_anonymous(char *name) {
    static const char anonymous[] = "(anonymous namespace)::";
    for (char *at; (at = strstr(name, anonymous));)
        memmove(at, at + sizeof anonymous - 1, strlen(at + sizeof anonymous - 1) + 1);
}

char *ladder_demangle(const char *name, char *text, size_t text_bytes) {
    int status = 0;
    bool is_mangled = strncmp(name, "_Z", 2) == 0; // "d" is a type, too
    char *plain = is_mangled ? __cxa_demangle(name, NULL, NULL, &status) : NULL;
    ladder_plain(status == 0 && plain ? plain : name, false, text, text_bytes);
    free(plain);
    drop_anonymous(text);
    return text;
}

// "void f<(int)3>(float*)" to "f<(int)3>": up to the bracket that is not inside <>, from the last
// blank before.
static void strip(char *name) {
    int depth = 0;
    char *start = name;
    for (char *c = name; *c != '\0'; c++) {
        depth += (*c == '<') - (*c == '>');
        if (depth == 0 && *c == ' ') start = c + 1;
        if (depth == 0 && *c == '(') {
            *c = '\0';
            break;
        }
    }
    memmove(name, start, strlen(start) + 1);
}

void ladder_demangle_all(const char *text, char *out, size_t out_bytes) {
    size_t used = 0;
    while (*text != '\0' && used + 1 < out_bytes) {
        size_t length = 0;
        bool starts = strncmp(text, "_Z", 2) == 0;
        while (starts && (isalnum((unsigned char)text[length]) || text[length] == '_')) length++;
        if (length == 0) {
            out[used++] = *text++;
            continue;
        }
        char name[512], plain[512];
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        ladder_demangle(name, plain, sizeof plain);
        strip(plain);
        int wrote = snprintf(out + used, out_bytes - used, "%s", plain);
        used +=
            wrote > 0 && (size_t)wrote < out_bytes - used ? (size_t)wrote : out_bytes - used - 1;
        text += length;
    }
    out[used] = '\0';
}
