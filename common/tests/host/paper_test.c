// SPDX-License-Identifier: MIT
// The paper of pictures: what is written on it is escaped, and every class has a colour on light
// and on dark pages.
#include "paper.h"

#include <string.h>

#include "suite.h"

static char svg[1 << 14];

static void draw(const char *text) {
    FILE *out = fmemopen(svg, sizeof svg, "w");
    ck_assert_ptr_nonnull(out);
    kl_paper_begin(out, 10, 20, text);
    kl_paper_text(out, 1, 2, "v m", "%s %d", text, 7);
    kl_paper_end(out);
    fclose(out);
}

START_TEST(texts_are_escaped) {
    draw("a<b>&\"c\"\n");
    ck_assert_ptr_nonnull(strstr(svg, "<title>a&lt;b&gt;&amp;&quot;c&quot;?</title>"));
    ck_assert_ptr_nonnull(strstr(svg, "class=\"v m\">a&lt;b&gt;&amp;&quot;c&quot;? 7</text>"));
    ck_assert_ptr_nonnull(strstr(svg, "width=\"10\" height=\"20\" viewBox=\"0 0 10 20\""));
}
END_TEST

START_TEST(every_class_has_a_colour_on_both_pages) {
    static const char *const classes[] = {".paper", ".cell", ".good",  ".bad",   ".mark", ".ink",
                                          ".frame", ".head", ".k0",    ".k7",    ".h0",   ".h5",
                                          ".s0",    ".s7",   ".pale",  ".plain", ".grid", ".axis",
                                          ".dash",  ".v,.n", ".arrow", ".t{fil", ".on",   ".halo"};
    draw("x");
    char *dark = strstr(svg, "@media(prefers-color-scheme:dark){");
    ck_assert_ptr_nonnull(dark);
    *dark++ = '\0';
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        ck_assert_msg(strstr(svg, classes[i]), "%s has no colour", classes[i]);
        ck_assert_msg(strstr(dark, classes[i]), "%s has no dark colour", classes[i]);
    }
}
END_TEST

KL_TEST_MAIN("paper", texts_are_escaped, every_class_has_a_colour_on_both_pages)
