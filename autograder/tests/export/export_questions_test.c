// Question banks have the elements and attributes that Moodle reads and that QTI 2.1 demands.
#include "course/export/internal.h"
#include "suite.h"
#include "sample.h"

// Elements of a format as "parent/name", children in the order that it demands, with the attributes
// that they must have, all others refused. Of IMS QTI 2.1 what imsqti_v2p1.xsd and imscp_v1p1.xsd
// say, of Moodle's XML what question/format/xml/format.php reads.
typedef struct shape {
    const char *path, *must;
} shape;
static const shape qti[] = {
    {"/manifest", "xmlns xmlns_xsi xsi_schemaLocation identifier"},
    {"manifest/metadata", ""},
    {"metadata/schema", ""},
    {"metadata/schemaversion", ""},
    {"manifest/organizations", ""},
    {"manifest/resources", ""},
    {"resources/resource", "identifier type href"},
    {"resource/file", "href"},
    {"/assessmentItem",
     "xmlns xmlns_xsi xsi_schemaLocation identifier title adaptive timeDependent"},
    {"assessmentItem/responseDeclaration", "identifier cardinality baseType"},
    {"responseDeclaration/correctResponse", ""},
    {"correctResponse/value", ""},
    {"assessmentItem/outcomeDeclaration", "identifier cardinality baseType"},
    {"outcomeDeclaration/defaultValue", ""},
    {"defaultValue/value", ""},
    {"assessmentItem/itemBody", ""},
    {"itemBody/p", ""},
    {"p/code", ""},
    {"p/textEntryInteraction", "responseIdentifier expectedLength"},
    {"itemBody/extendedTextInteraction", "responseIdentifier expectedLines"},
    {"itemBody/rubricBlock", "view"},
    {"rubricBlock/p", ""},
    {"assessmentItem/responseProcessing", ""},
    {"responseProcessing/responseCondition", ""},
    {"responseCondition/responseIf", ""},
    {"responseIf/equal", "toleranceMode tolerance?"},
    {"equal/variable", "identifier"},
    {"equal/correct", "identifier"},
    {"responseIf/setOutcomeValue", "identifier"},
    {"setOutcomeValue/baseValue", "baseType"},
    {NULL, NULL}};
static const shape moodle_xml[] = {{"/quiz", ""},
                                   {"quiz/question", "type"},
                                   {"question/category", ""},
                                   {"category/text", ""},
                                   {"question/name", ""},
                                   {"name/text", ""},
                                   {"question/questiontext", "format"},
                                   {"questiontext/text", ""},
                                   {"question/generalfeedback", "format"},
                                   {"generalfeedback/text", ""},
                                   {"question/defaultgrade", ""},
                                   {"question/penalty", ""},
                                   {"question/hidden", ""},
                                   {"question/answer", "fraction format"},
                                   {"answer/text", ""},
                                   {"answer/feedback", "format"},
                                   {"feedback/text", ""},
                                   {"answer/tolerance", ""},
                                   {"question/responseformat", ""},
                                   {"question/responserequired", ""},
                                   {"question/responsefieldlines", ""},
                                   {"question/attachments", ""},
                                   {"question/attachmentsrequired", ""},
                                   {"question/graderinfo", "format"},
                                   {"graderinfo/text", ""},
                                   {NULL, NULL}};
enum { DEPTH = 16 };
typedef struct shaped {
    const shape *shapes;
    char names[DEPTH][32]; // of the elements that are open
    int last[DEPTH];       // row of the last child of each
    char wrong[400];       // "": nothing
} shaped;

static void keep_shape(void *context, const xml_element *e) {
    shaped *s = context;
    char path[70], known[200];
    int row = 0;
    ck_assert_int_lt(e->depth + 1, DEPTH);
    snprintf(path, sizeof path, "%s/%s", e->depth > 0 ? s->names[e->depth - 1] : "", e->name);
    while (s->shapes[row].path && strcmp(s->shapes[row].path, path) != 0) row++;
    snprintf(s->names[e->depth], sizeof s->names[0], "%s", e->name);
    s->last[e->depth + 1] = -1;
    bool sorted = s->shapes[row].path && row >= s->last[e->depth];
    s->last[e->depth] = row;
    if (!sorted) snprintf(s->wrong, sizeof s->wrong, "%s is unknown, or too late", path);
    if (!sorted) return;
    snprintf(known, sizeof known, "%s", s->shapes[row].must);
    int more = e->attribute_count;
    for (char *word = strtok(known, " "); word; word = strtok(NULL, " ")) {
        bool optional = word[strlen(word) - 1] == '?';
        if (optional) word[strlen(word) - 1] = '\0';
        more -= xml_value(e, word) != NULL;
        if (!optional && !xml_value(e, word))
            snprintf(s->wrong, sizeof s->wrong, "%s has no %s", path, word);
    }
    if (more > 0) snprintf(s->wrong, sizeof s->wrong, "%s has attributes that nobody knows", path);
}

static void expect_shape(const char *text, const shape *shapes) {
    shaped s = {.shapes = shapes, .last = {-1}};
    const char *fault = xml_read(text, keep_shape, &s);
    ck_assert_msg(!fault && s.wrong[0] == '\0', "%s %s: %s", fault ? fault : "", s.wrong, text);
}

KL_TEST(a_shape_can_be_wrong) {
    static const char *const wrong[] = {
        "<quiz><question/></quiz>", "<quiz><question type=\"a\" types=\"b\"/></quiz>",
        "<quiz><question type=\"a\"><penalty/><defaultgrade/></question></quiz>",
        "<quiz><answer fraction=\"1\" format=\"a\"/></quiz>"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        shaped s = {.shapes = moodle_xml, .last = {-1}};
        char text[160];
        snprintf(text, sizeof text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n%s\n", wrong[i]);
        ck_assert_msg(!xml_read(text, keep_shape, &s) && s.wrong[0] != '\0', "%s", text);
    }
}

// A number and a question with a written answer, with what a format could take for its own.
KL_TEST(questions_are_well_formed_in_moodle_and_qti) {
    static char hostile[] = "Is `a < b && \"c\"` **so**?\n\nOr ]]> not: & &amp; <script>";
    ladder_bank_item items[] = {
        {"lab-1-gain", "lab, step 1: <x>", hostile, NULL, "times & more", 2.5},
        {"lab-1-sms", "lab, step 1: SMs", hostile, NULL, "SMs", 132},
        {"lab-check-1", "lab, check \"1\"", hostile, hostile, NULL, (double)NAN}};
    const ladder_bank bank = {"02_reduction", items, 3};
    kl_error err;
    char *text = KL_PRINTED(out, ladder_questions_moodle(&bank, out));
    static const char *const moodle[] = {
        "<text>2.5</text>",
        "<tolerance>0.025</tolerance>",
        "<text>132</text>",
        "<tolerance>0</tolerance>",
        "<question type=\"essay\">",
        "<graderinfo format=\"html\"><text><![CDATA[<p>Is <code>a &lt; b &amp;&amp; "
        "&quot;c&quot;</code> so?"
        "</p><p>Or ]]&gt; not: &amp; &amp;amp; &lt;script&gt;</p>]]>",
        "<name><text>lab, step 1: &lt;x&gt;</text>"};
    for (size_t i = 0; i < sizeof moodle / sizeof moodle[0]; i++)
        ck_assert_msg(strstr(text, moodle[i]) != NULL, "no %s in %s", moodle[i], text);
    for (char *at; (at = strstr(text, "<![CDATA["));) memset(at, ' ', 9); // which the reader lacks
    for (char *at; (at = strstr(text, "]]>"));) memset(at, ' ', 3);
    for (char *at = text; (at = strpbrk(at, "<")) != NULL; at++) // paragraphs, which no one quotes
        if (strncmp(at, "<p>", 3) == 0 || strncmp(at, "</p>", 4) == 0 ||
            strncmp(at, "<code>", 6) == 0 || strncmp(at, "</code>", 7) == 0)
            memset(at, ' ', strcspn(at, ">") + 1);
    expect_shape(text, moodle_xml);
    text = KL_PRINTED(out, ck_assert_int_eq(ladder_questions_qti(&bank, out, &err), KL_OK));
    static const char *const ends[] = {"</manifest>\n", "</assessmentItem>\n",
                                       "</assessmentItem>\n", "</assessmentItem>\n"};
    static const char *const holds[] = {
        "href=\"lab-check-1.xml\"", "<equal toleranceMode=\"relative\" tolerance=\"1\">",
        "<equal toleranceMode=\"exact\">", "<rubricBlock view=\"scorer\"><p>Is <code>"};
    const char *at = text;
    for (int i = 0; i < 4; i++) { // stored, so that each file is in the archive as it is
        while (memcmp(at, "<?xml", 5) != 0) at++;
        const char *end = strstr(at, ends[i]) + strlen(ends[i]);
        char *file = strndup(at, (size_t)(end - at));
        for (char *colon; (colon = strstr(file, "xsi:")) || (colon = strstr(file, "xmlns:"));)
            colon[colon[0] == 'x' && colon[1] == 's' ? 3 : 5] = '_'; // names that the reader lacks
        expect_shape(file, qti);
        ck_assert_msg(strstr(file, holds[i]) != NULL, "no %s in %s", holds[i], file);
        free(file);
        at = end;
    }
}

KL_TEST_MAIN("export questions")
