// A lab's questions for a course system's question bank: see export.h. QTI 2.1 (IMS Question and
// Test Interoperability, Assessment Test, Section and Item Information Model, and Content Packaging
// 1.1.4) and Moodle XML (https://docs.moodle.org/en/Moodle_XML_format).
#include "course/export/export.h"

// A line of Markdown as XHTML: `code`, and **bold** without its stars.
static void put_line(FILE *out, const char *text, size_t length) {
    char part[2000];
    bool code = false;
    for (size_t i = 0; i < length;) {
        size_t n = 0;
        while (i + n < length && text[i + n] != '`' && n + 1 < sizeof part) n++;
        while (n > 1 && ((unsigned char)text[i + n] & 0xC0) == 0x80) n--; // whole characters
        snprintf(part, sizeof part, "%.*s", (int)n, text + i);
        for (char *star; !code && (star = strstr(part, "**"));)
            memmove(star, star + 2, strlen(star + 2) + 1);
        ladder_put_html(out, part);
        i += n;
        if (i < length && text[i] == '`') {
            code = !code;
            fputs(code ? "<code>" : "</code>", out);
            i++;
        }
    }
    if (code) fputs("</code>", out);
}

// Paragraphs are parted by an empty line.
static void put_paragraphs(FILE *out, const char *text) {
    while (*text != '\0') {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        fputs("<p>", out);
        put_line(out, text, length);
        fputs("</p>", out);
        text += length;
        text += strspn(text, "\n");
    }
}

static bool is_whole(double value) {
    return fabs(value - nearbyint(value)) < 1e-9 * fmax(1, fabs(value));
}

static const char *number_text(double value, char text[40]) {
    snprintf(text, 40, is_whole(value) ? "%.0f" : "%.6g", value);
    return text;
}

static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

// ---- Moodle -------------------------------------------------------------------------------------

static void put_moodle_html(FILE *out, const char *tag, const char *text) {
    fprintf(out, "<%s format=\"html\"><text><![CDATA[", tag);
    put_paragraphs(out, text);
    fprintf(out, "]]></text></%s>\n", tag);
}

void ladder_questions_moodle(const ladder_bank *bank, FILE *out) {
    fputs(head, out);
    ladder_html(out,
                "<quiz>\n<question type=\"category\"><category><text>$course$/top/%s</text>"
                "</category></question>\n",
                bank->lab);
    for (size_t i = 0; i < bank->count; i++) {
        const ladder_bank_item *item = &bank->items[i];
        bool number = isfinite(item->value);
        char text[40], tolerance[40];
        ladder_html(out, "<question type=\"%s\">\n<name><text>%s</text></name>\n",
                    number ? "numerical" : "essay", item->title);
        put_moodle_html(out, "questiontext", item->text);
        fputs("<generalfeedback format=\"html\"><text></text></generalfeedback>\n"
              "<defaultgrade>1</defaultgrade><penalty>0</penalty><hidden>0</hidden>\n",
              out);
        if (number)
            fprintf(out,
                    "<answer fraction=\"100\" format=\"moodle_auto_format\"><text>%s</text>"
                    "<feedback format=\"html\"><text></text></feedback><tolerance>%s</tolerance>"
                    "</answer>\n",
                    number_text(item->value, text),
                    number_text(is_whole(item->value) ? 0 : fabs(item->value) / 100, tolerance));
        else
            fputs("<responseformat>editor</responseformat><responserequired>1</responserequired>"
                  "<responsefieldlines>10</responsefieldlines><attachments>0</attachments>"
                  "<attachmentsrequired>0</attachmentsrequired>\n",
                  out);
        if (!number) put_moodle_html(out, "graderinfo", item->answer);
        fputs("</question>\n", out);
    }
    fputs("</quiz>\n", out);
}

// ---- QTI ----------------------------------------------------------------------------------------

#define IMS "http://www.imsglobal.org/xsd/"
#define XSI "http://www.w3.org/2001/XMLSchema-instance"

static void put_item(const ladder_bank_item *item, FILE *out) {
    bool number = isfinite(item->value);
    char text[40];
    fprintf(out,
            "%s<assessmentItem xmlns=\"" IMS "imsqti_v2p1\" xmlns:xsi=\"" XSI
            "\" xsi:schemaLocation=\"" IMS "imsqti_v2p1 " IMS "qti/qtiv2p1/imsqti_v2p1.xsd\" "
            "identifier=\"%s\" title=\"",
            head, item->id);
    ladder_html(out,
                "%s\" adaptive=\"false\" timeDependent=\"false\">\n<responseDeclaration "
                "identifier=\"RESPONSE\" cardinality=\"single\" baseType=\"%s\"",
                item->title, number ? "float" : "string");
    if (number)
        fprintf(out, "><correctResponse><value>%s</value></correctResponse></responseDeclaration>",
                number_text(item->value, text));
    else fputs("/>", out);
    fputs("\n<outcomeDeclaration identifier=\"SCORE\" cardinality=\"single\" baseType=\"float\">"
          "<defaultValue><value>0</value></defaultValue></outcomeDeclaration>\n<itemBody>",
          out);
    put_paragraphs(out, item->text);
    if (number) {
        ladder_html(out,
                    "<p><textEntryInteraction responseIdentifier=\"RESPONSE\" "
                    "expectedLength=\"12\"/> %s",
                    item->unit);
        fprintf(out,
                "</p></itemBody>\n<responseProcessing><responseCondition><responseIf><equal "
                "toleranceMode=\"%s><variable identifier=\"RESPONSE\"/><correct "
                "identifier=\"RESPONSE\"/></equal><setOutcomeValue identifier=\"SCORE\"><baseValue "
                "baseType=\"float\">1</baseValue></setOutcomeValue></responseIf>"
                "</responseCondition></responseProcessing>",
                is_whole(item->value) ? "exact\"" : "relative\" tolerance=\"1\"");
    } else {
        fputs("<extendedTextInteraction responseIdentifier=\"RESPONSE\" expectedLines=\"10\"/>"
              "<rubricBlock view=\"scorer\">",
              out);
        put_paragraphs(out, item->answer);
        fputs("</rubricBlock></itemBody>", out);
    }
    fputs("\n</assessmentItem>\n", out);
}

static void put_manifest(const ladder_bank *bank, FILE *out) {
    fprintf(out,
            "%s<manifest xmlns=\"" IMS "imscp_v1p1\" xmlns:xsi=\"" XSI
            "\" xsi:schemaLocation=\"" IMS "imscp_v1p1 " IMS
            "qti/qtiv2p1/qtiv2p1_imscpv1p2_v1p0.xsd\" identifier=\"LADDER-%s\">\n"
            "<metadata><schema>QTIv2.1 Package</schema><schemaversion>1.0.0</schemaversion>"
            "</metadata>\n<organizations/>\n<resources>\n",
            head, bank->lab);
    for (size_t i = 0; i < bank->count; i++)
        fprintf(out,
                "<resource identifier=\"R-%s\" type=\"imsqti_item_xmlv2p1\" href=\"%s.xml\">"
                "<file href=\"%s.xml\"/></resource>\n",
                bank->items[i].id, bank->items[i].id, bank->items[i].id);
    fputs("</resources>\n</manifest>\n", out);
}

kl_status ladder_questions_qti(const ladder_bank *bank, FILE *out, kl_error *err) {
    size_t count = bank->count + 1;
    ladder_zip_file *files = calloc(count, sizeof *files);
    char(*names)[LADDER_BANK_ID + 8] = calloc(count, sizeof *names);
    kl_status status = files && names ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory");
    for (size_t i = 0; i < count && status == KL_OK; i++) {
        char *text = NULL;
        FILE *memory = open_memstream(&text, &files[i].bytes);
        if (memory && i == 0) put_manifest(bank, memory);
        if (memory && i > 0) put_item(&bank->items[i - 1], memory);
        if (!memory || fclose(memory) != 0)
            status = kl_fail(err, KL_ERROR_MEMORY, "no memory for questions");
        snprintf(names[i], sizeof names[i], "%s.xml",
                 i == 0 ? "imsmanifest" : bank->items[i - 1].id);
        files[i].name = names[i];
        files[i].data = text;
    }
    if (status == KL_OK) status = ladder_zip_write(files, count, out, err);
    for (size_t i = 0; files && i < count; i++) free((char *)files[i].data);
    free(names);
    free(files);
    return status;
}

// Writes a ZIP archive. Records by APPNOTE.TXT 4.3.7, 4.3.12 and 4.3.16.

enum {
    LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END = 0x06054b50,
    NEEDS = 10,               // version 1.0: nothing but storing
    MADE_BY = 3 << 8 | NEEDS, // Unix, whose file modes stand in the external attributes
    FIRST_DAY = 1 << 5 | 1    // 1980-01-01
};

static uint32_t crc32(const char *data, size_t bytes) {
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= (unsigned char)data[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0xEDB88320u & (0u - (crc & 1)));
    }
    return ~crc;
}

static void put(FILE *out, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; i++) fputc((int)(value >> (8 * i) & 0xFF), out);
}

// What a file's own head and its row in the directory share.
static void put_common(FILE *out, const ladder_zip_file *file) {
    uint32_t bytes = (uint32_t)file->bytes;
    put(out, NEEDS, 2);
    put(out, 0, 2); // flags
    put(out, 0, 2); // stored
    put(out, 0, 2); // time
    put(out, FIRST_DAY, 2);
    put(out, crc32(file->data, bytes), 4);
    put(out, bytes, 4);
    put(out, bytes, 4);
    put(out, (uint32_t)strlen(file->name), 2);
    put(out, 0, 2); // extra field
}

enum { HEAD = 30, ROW = 46 }; // bytes of a file's head and row, without name and content

static void put_entry(FILE *out, const ladder_zip_file *file, uint32_t start) {
    uint32_t mode = S_IFREG | (file->program ? 0755 : 0644);
    put(out, CENTRAL, 4);
    put(out, MADE_BY, 2);
    put_common(out, file);
    put(out, 0, 2); // comment
    put(out, 0, 2); // disk
    put(out, 0, 2); // internal attributes
    put(out, mode << 16, 4);
    put(out, start, 4);
    fputs(file->name, out);
}

kl_status ladder_zip_write(const ladder_zip_file *files, size_t count, FILE *out, kl_error *err) {
    uint64_t at = 0, directory = 0;
    for (size_t i = 0; i < count; i++) {
        at += HEAD + strlen(files[i].name) + files[i].bytes;
        directory += ROW + strlen(files[i].name);
    }
    if (count > LADDER_ZIP_FILES || at + directory > UINT32_MAX)
        return kl_fail(err, KL_ERROR_LIMIT, "an archive of %zu files is too large", count);
    for (size_t i = 0; i < count; i++) {
        put(out, LOCAL, 4);
        put_common(out, &files[i]);
        fputs(files[i].name, out);
        fwrite(files[i].data, 1, files[i].bytes, out);
    }
    uint64_t start = 0;
    for (size_t i = 0; i < count; i++) {
        put_entry(out, &files[i], (uint32_t)start);
        start += HEAD + strlen(files[i].name) + files[i].bytes;
    }
    put(out, END, 4);
    put(out, 0, 4); // disks
    put(out, (uint32_t)count, 2);
    put(out, (uint32_t)count, 2);
    put(out, (uint32_t)directory, 4);
    put(out, (uint32_t)at, 4);
    put(out, 0, 2); // comment
    return KL_OK;
}
