// Text and folders.
#include <sys/resource.h>

#include "utilities/finding.h"
#include "suite.h"
#include "utilities/text.h"
#include "utilities/options.h"
#include "utilities/kit.h"

// ---- folder ----
// Removal of folders that were made to be hard to remove: deeper than any path, more folders deep
// than descriptors, without rights, with links that lead out.

static kl_error err;
static char top[LADDER_PATH];

static void make_top(void) { OK_OR_SAY(ladder_folder_temporary(top, &err), err); }

static void expect_gone(void) {
    ladder_folder_remove(top);
    ck_assert(!ladder_file_exists(top));
}

// A chain of folders below `fd`, which is closed.
static void make_chain(int fd, int depth) {
    for (int i = 0; i < depth; i++) {
        ck_assert_int_eq(mkdirat(fd, "a folder with a name of some length", 0755), 0);
        int inner = openat(fd, "a folder with a name of some length", O_RDONLY | O_DIRECTORY);
        ck_assert_int_ge(inner, 0);
        close(fd);
        fd = inner;
        close(openat(fd, "file", O_WRONLY | O_CREAT, 0644));
    }
    close(fd);
}

KL_TEST(a_tree_deeper_than_any_path_is_removed) {
    struct rlimit few = {64, 64}; // descriptors
    make_top();
    make_chain(open(top, O_RDONLY | O_DIRECTORY), 1000);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    expect_gone();
}

KL_TEST(folders_without_rights_are_removed) {
    char path[LADDER_PATH + 32];
    make_top();
    snprintf(path, sizeof path, "%s/closed/inner", top);
    OK_OR_SAY(ladder_folder_make(path, &err), err);
    ck_assert_int_eq(chmod(path, 0), 0);
    snprintf(path, sizeof path, "%s/closed", top);
    ck_assert_int_eq(chmod(path, 0), 0);
    expect_gone();
}

KL_TEST(links_are_removed_and_not_followed) {
    char kept[LADDER_PATH], file[LADDER_PATH + 8], link[LADDER_PATH + 32];
    OK_OR_SAY(ladder_folder_temporary(kept, &err), err);
    snprintf(file, sizeof file, "%s/file", kept);
    OK_OR_SAY(ladder_file_write(file, "x", 1, &err), err);
    make_top();
    snprintf(link, sizeof link, "%s/link", top);
    ck_assert_int_eq(symlink(kept, link), 0);
    snprintf(link, sizeof link, "%s/.removed-0", top); // a name that the removal takes itself
    ck_assert_int_eq(symlink(kept, link), 0);
    make_chain(open(top, O_RDONLY | O_DIRECTORY), 3);
    expect_gone();
    ck_assert(ladder_file_exists(file));
    ladder_folder_remove(kept);
    snprintf(link, sizeof link, "%s-link", kept); // a link in place of the folder itself
    ck_assert_int_eq(symlink("/", link), 0);
    ladder_folder_remove(link);
    ck_assert(ladder_file_exists("/usr"));
    unlink(link);
}

KL_TEST(wide_trees_with_names_that_clash_are_removed) {
    char path[LADDER_PATH + 64];
    make_top();
    for (int i = 0; i < 40; i++) {
        snprintf(path, sizeof path, "%s/.removed-%d/%d/.removed-%d/x", top, i, i, 39 - i);
        OK_OR_SAY(ladder_folder_make(path, &err), err);
    }
    expect_gone();
}

// ---- temporary ----
// Private folders of processes that are killed: the next process removes them, and nothing else.

static kl_error err_temporary;
static char top_temporary[LADDER_PATH];

// A process that has a private folder with a file in it.
typedef struct owner {
    pid_t pid;
    char folder[LADDER_PATH], file[LADDER_PATH];
} owner;

static void make_top_temporary(void) {
    OK_OR_SAY(ladder_folder_temporary(top_temporary, &err_temporary), err_temporary);
    ck_assert_int_eq(setenv("TMPDIR", top_temporary, 1), 0);
}

static void fill_folder(owner *o) {
    const char *inner = kl_own_text("%s/inner", o->folder);
    ck_assert(ladder_path(o->file, &err_temporary, "%s/inner/file", o->folder) == KL_OK);
    ck_assert(ladder_folder_make(inner, &err_temporary) == KL_OK);
    ck_assert(ladder_file_write(o->file, "x", 1, &err_temporary) == KL_OK);
}

static void start(owner *o) {
    int ends[2];
    memset(o, 0, sizeof *o);
    ck_assert_int_eq(pipe(ends), 0);
    o->pid = fork();
    ck_assert_int_ge(o->pid, 0);
    if (o->pid == 0) {
        if (ladder_folder_temporary(o->folder, &err_temporary) != KL_OK) _exit(1);
        if (write(ends[1], o->folder, sizeof o->folder) != sizeof o->folder) _exit(1);
        for (;;) pause();
    }
    size_t used = 0;
    for (ssize_t got = 1; used < sizeof o->folder && got > 0; used += got > 0 ? (size_t)got : 0)
        got = read(ends[0], o->folder + used, sizeof o->folder - used);
    ck_assert_uint_eq(used, sizeof o->folder);
    close(ends[0]);
    close(ends[1]);
    fill_folder(o);
}

static void end(owner *o) {
    kill(o->pid, SIGKILL);
    ck_assert_int_eq(waitpid(o->pid, NULL, 0), o->pid);
}

static void make_another(void) {
    char folder[LADDER_PATH];
    OK_OR_SAY(ladder_folder_temporary(folder, &err_temporary), err_temporary);
    ladder_folder_remove(folder);
}

KL_TEST(of_two_processes_the_killed_ones_folder_is_removed) {
    owner killed, living;
    make_top_temporary();
    start(&killed);
    start(&living);
    ck_assert(ladder_file_exists(killed.file)); // the second one did not take it
    end(&killed);
    make_another();
    ck_assert(!ladder_file_exists(killed.folder));
    ck_assert(ladder_file_exists(living.file));
    end(&living);
    make_another();
    ck_assert(!ladder_file_exists(living.folder));
    ladder_folder_remove(top_temporary);
}

// A class run's workers share what the process that was killed had made.
KL_TEST(a_folder_lasts_as_long_as_any_process_that_shares_it) {
    owner o = {0};
    int ends[2];
    char byte;
    make_top_temporary();
    ck_assert_int_eq(pipe(ends), 0);
    pid_t first = fork();
    if (first == 0) {
        if (ladder_folder_temporary(o.folder, &err_temporary) != KL_OK) _exit(1);
        fill_folder(&o);
        pid_t second = fork();
        if (second == 0) {
            close(ends[1]);
            if (read(ends[0], &byte, 1) != 0) _exit(1); // until the test closes its end
            _exit(ladder_file_exists(o.file) ? 0 : 2);
        }
        close(ends[0]);
        close(ends[1]);
        int status = 0;
        make_another(); // a descriptor of one's own is no lock of somebody else's
        if (waitpid(second, &status, 0) != second) _exit(3);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 4);
    }
    close(ends[0]);
    make_another();
    close(ends[1]);
    int status = 0;
    ck_assert_int_eq(waitpid(first, &status, 0), first);
    ck_assert_int_eq(status, 0);
    make_another();
    ck_assert(ladder_file_exists(top_temporary));
    ladder_folder_remove(top_temporary);
}

// The same name, but something else: a link, a file, somebody else's folder, another machine's.
KL_TEST(nothing_else_is_removed) {
    owner o;
    char path[LADDER_PATH], *name;
    make_top_temporary();
    start(&o);
    name = strrchr(o.folder, '/') + 1;
    int prefix = (int)strlen(name) - 6;
    const char *kept = kl_own_text("%s/kept/file", top_temporary);
    ck_assert(ladder_path(path, &err_temporary, "%s/kept", top_temporary) == KL_OK);
    ck_assert(ladder_folder_make(path, &err_temporary) == KL_OK);
    ck_assert(ladder_file_write(kept, "x", 1, &err_temporary) == KL_OK);
    const char *link = kl_own_text("%s/%.*sLINKLI", top_temporary, prefix, name);
    const char *plain = kl_own_text("%s/%.*sPLAINP", top_temporary, prefix, name);
    const char *foreign = kl_own_text("%s/%.*sFOREIG", top_temporary, prefix, name);
    const char *other = kl_own_text("%s/ladder-of-another-machine-XXXXXX", top_temporary);
    ck_assert_int_eq(symlink(path, link), 0);
    ck_assert(ladder_file_write(plain, "x", 1, &err_temporary) == KL_OK);
    ck_assert(ladder_folder_make(foreign, &err_temporary) == KL_OK);
    ck_assert(ladder_folder_make(other, &err_temporary) == KL_OK);
    // What a submission puts into the folder that dies leads out of it.
    ck_assert(ladder_path(path, &err_temporary, "%s/out", o.folder) == KL_OK);
    ck_assert_int_eq(symlink("../kept", path), 0);
    bool root = geteuid() == 0 && chown(foreign, 12345, 12345) == 0;
    end(&o);
    make_another();
    ck_assert(!ladder_file_exists(o.folder));
    ck_assert(ladder_file_exists(kept));
    ck_assert(ladder_file_exists(link));
    ck_assert(ladder_file_exists(plain));
    ck_assert(ladder_file_exists(other));
    ck_assert(ladder_file_exists(foreign) == root); // as an ordinary user it is one's own, and dead
    ladder_folder_remove(top_temporary);
}

// ---- text ----
// Escaping for terminals, HTML and CSV; suggestions; short numbers; options.

typedef void put_text(FILE *out, const char *text);

static char *put(put_text *function, const char *text) {
    return KL_PRINTED(out, function(out, text));
}

static void expect(put_text *function, const char *text, const char *want) {
    ck_assert_str_eq(put(function, text), want);
}

KL_TEST(html_is_escaped) {
    expect(ladder_put_html, "<script>alert(\"x\")</script>&'",
           "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&amp;&#39;");
    expect(ladder_put_html,
           "a\033[31mb\xff"
           "c\n\tok \xc3\xa9",
           "a?[31mb?c\n\tok \xc3\xa9");
    expect(ladder_put_html,
           "\xe2\x80\xae"
           "evil",
           "?evil"); // right-to-left override
}

KL_TEST(formats_of_pages_escape_their_texts_alone) {
    char *made = KL_PRINTED(out, ladder_html(out, "<p class=\"%s\">%.*s|%.2s|%s</p>%%", "a\"b", 3,
                                             "x<y>", "\xc3\xa9\xc3\xa9", "\033&"));
    ck_assert_str_eq(made, "<p class=\"a&quot;b\">x&lt;y|\xc3\xa9|?&amp;</p>%");
    free(made);
    made = KL_PRINTED(out, ladder_html(out, "%d %5u %llu %zu %.*f %-6.2g| %c %" PRIu64, -1, 2u,
                                       3ULL, (size_t)4, 1, 5.25, 6.0, '<', UINT64_MAX));
    ck_assert_str_eq(made, "-1     2 3 4 5.2 6     | < 18446744073709551615");
    free(made);
}

KL_TEST(rows_of_csv_quote_texts_and_leave_out_what_is_none) {
    const char *none = NULL;
    char *made = KL_PRINTED(
        out, ladder_cells(out, "%s,%s,%.2f,%d,%.0f\r\n", "=a \"b\"", none, 0.125, 7, (double)NAN));
    ck_assert_str_eq(made, "\"'=a \"\"b\"\"\",,0.12,7,\r\n");
    free(made);
}

KL_TEST(rows_of_a_page_have_marks_and_leave_out_what_is_no_number) {
    char *made =
        KL_PRINTED(out, ladder_html_table(out, "a<b", "#n|step|");
                   ladder_html_row(out, "!%d %s|#%.0f %%|~%s", 1, "<i>", (double)NAN, "x|y");
                   ladder_html_row(out, "$%s|", "2 / 3"); fputs("own", out);
                   ladder_html_row_end(out); ladder_html_table_end(out));
    KL_HAS(
        made, "aria-label=\"a&lt;b\"",
        "<th scope=\"col\" class=\"num\">n</th><th scope=\"col\">step</th>"
        "<th scope=\"col\"></th></tr>",
        "<tr><th scope=\"row\">1 &lt;i&gt;</th><td class=\"num\"></td>"
        "<td class=\"long\">x|y</td></tr>\n<tr><td class=\"points\">2 / 3</td><td>own</td></tr>\n"
        "</tbody></table></div>");
    free(made);
}

KL_TEST(csv_cells_hold_no_formula_and_no_line_break) {
    expect(ladder_put_csv, "Ann \"A\" Lee", "\"Ann \"\"A\"\" Lee\"");
    expect(ladder_put_csv, "=HYPERLINK(1)", "\"'=HYPERLINK(1)\"");
    expect(ladder_put_csv, "+1", "\"'+1\"");
    expect(ladder_put_csv, "-1", "\"'-1\"");
    expect(ladder_put_csv, "@x", "\"'@x\"");
    expect(ladder_put_csv, "\t=1", "\"' =1\"");
    expect(ladder_put_csv, "a\nb,c", "\"a b,c\"");
    expect(ladder_put_csv, "", "\"\"");
}

KL_TEST(plain_text_is_harmless_and_cut_at_a_character) {
    char out[8];
    ck_assert_str_eq(ladder_plain("a\nb\033c", false, out, sizeof out), "a?b?c");
    ck_assert_str_eq(ladder_plain("a\nb", true, out, sizeof out), "a\nb");
    ck_assert_str_eq(ladder_plain("12345\xc3\xa9\xc3\xa9", false, out, sizeof out),
                     "12345\xc3\xa9");
    ck_assert_str_eq(ladder_plain("\xc0\xaf\xed\xa0\x80", false, out, sizeof out), "?????");
}

KL_TEST(parts_are_taken_out) {
    char text[] = "/tmp/x/a.cu:1 and /tmp/x/b.cu:2 in /tmp/x";
    ladder_remove_text(text, "/tmp/x/");
    ck_assert_str_eq(text, "a.cu:1 and b.cu:2 in /tmp/x");
    ladder_remove_text(text, "");
    ck_assert_str_eq(text, "a.cu:1 and b.cu:2 in /tmp/x");
}

static void expect_last_line(const char *log, const char *line) {
    char out[64];
    ladder_last_line(log, out, sizeof out);
    ck_assert_str_eq(out, line);
}

KL_TEST(the_last_line_is_not_blank) {
    expect_last_line("nvcc: 2: exec: nvcc: not found\n", "nvcc: 2: exec: nvcc: not found");
    expect_last_line("one\n two\r\n\n \n", " two");
    expect_last_line("one", "one");
    expect_last_line("\n \n", "");
    expect_last_line("", "");
}

KL_TEST(suggestions_are_near_or_absent) {
    const char *const words[] = {"list", "profile", "grade", "--submissions"};
    ck_assert_str_eq(ladder_suggest("lst", words, 4), "list");
    ck_assert_str_eq(ladder_suggest("garde", words, 4), "grade");
    ck_assert_str_eq(ladder_suggest("--submission", words, 4), "--submissions");
    ck_assert_str_eq(ladder_suggest("prof", words, 4), "profile");
    ck_assert_ptr_null(ladder_suggest("zzz", words, 4));
    ck_assert_uint_eq(ladder_edit_distance("abcd", "abdc"), 1);
    ck_assert_uint_eq(ladder_edit_distance("", "abc"), 3);
}

KL_TEST(numbers_are_short_and_sizes_are_read) {
    int64_t size = 0;
    ck_assert(ladder_parse_size("2^24", &size) && size == 1 << 24);
    ck_assert(ladder_parse_size("16M", &size) && size == 16000000);
    ck_assert(ladder_parse_size("1000003", &size) && size == 1000003);
    static const char *const bad[] = {"",  "-1", "2^", "2^63", "1e6", "12x", "99999999999999999999",
                                      "5Q"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(!ladder_parse_size(bad[i], &size), "%s", bad[i]);
}

typedef struct text_options {
    bool fast;
    const char *name, *device;
    int64_t size;
    double seconds;
} text_options;

static kl_status parse(int argc, const char **argv, text_options *w, ladder_arguments *a,
                       kl_error *err) {
    const ladder_option options[] = {
        OPT_FLAG("--fast", &w->fast, ""),
        OPT_TEXT("--name", &w->name, "NAME", ""),
        OPT_SIZE("--size", &w->size, "N", ""),
        OPT_SECONDS("--limit", &w->seconds, "S", ""),
        OPT_CHOICE("--device", &w->device, NULL, "", "auto|sim|gpu"),
    };
    return ladder_options_parse(options, 5, argc, (char **)argv, a, err);
}

KL_TEST(options_are_parsed) {
    const char *argv[] = {"cmd",      "lab", "--fast",  "--name=x y", "--size", "2^10",   "3",
                          "--device", "sim", "--limit", "1.5",        "--",     "--fast", "prog"};
    text_options w = {.fast = false};
    ladder_arguments a;
    OK(parse(14, argv, &w, &a, &err));
    ck_assert(w.fast && w.size == 1024 && w.seconds == 1.5);
    ck_assert_str_eq(w.name, "x y");
    ck_assert_str_eq(w.device, "sim");
    ck_assert_int_eq(a.count, 2);
    ck_assert_str_eq(a.positional[1], "3");
    ck_assert_int_eq(a.after_count, 2);
    ck_assert_str_eq(a.after_dashes[0], "--fast");
}

KL_TEST(wrong_options_say_what_and_suggest) {
    static const struct {
        const char *word, *value, *says;
    } rows[] = {{"--nmae", "x", "did you mean --name?"},
                {"--size", "ten", "'ten'"},
                {"--device", "tpu", "auto|sim|gpu"},
                {"--device", "si", "auto|sim|gpu"},
                {"--limit", "0", "above 0"},
                {"--limit", "nan", "above 0"},
                {"--limit", "0x10", "above 0"},
                {"--limit", "1,000", "above 0"},
                {"--fast=1", "", "takes no argument"},
                {"--zzzzzzzz", "", "unknown option"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *argv[] = {"cmd", rows[i].word, rows[i].value};
        text_options w = {.fast = false};
        ladder_arguments a;
        ck_assert_int_eq(parse(3, argv, &w, &a, &err), KL_ERROR_USAGE);
        KL_HAS(err.text, rows[i].says);
    }
    const char *argv[] = {"cmd", "--size"};
    text_options w = {.fast = false};
    ladder_arguments a;
    ck_assert_int_eq(parse(2, argv, &w, &a, &err), KL_ERROR_USAGE);
}

// Every notation of numbers that course systems and people write, and what is none.
KL_TEST(numbers_of_sheets_are_read_or_refused) {
    enum { NO = LADDER_NUMBER_NONE, BLANK = LADDER_NUMBER_BLANK, IS = LADDER_NUMBER_VALUE };
    enum { EITHER = LADDER_NUMBER_EITHER };
    static const struct {
        const char *text;
        char known; // decimal mark of the sheet
        int kind;
        double value; // of EITHER: as a decimal mark
        bool percent;
        char shown; // decimal mark that the text shows
    } rows[] = {
        {"40", 0, IS, 40, false, 0},
        {"-0.5", 0, IS, -0.5, false, '.'},
        {"+5", 0, IS, 5, false, 0},
        {"\xE2\x88\x92"
         "3",
         0, IS, -3, false, 0}, // U+2212
        {"40.82", 0, IS, 40.82, false, '.'},
        {"40,82", 0, IS, 40.82, false, ','},
        {"1,000.00", 0, IS, 1000, false, '.'},
        {"1.000,00", 0, IS, 1000, false, ','},
        {"1,234,567", 0, IS, 1234567, false, '.'},
        {"1.234.567,8", 0, IS, 1234567.8, false, ','},
        {"12,34,567.50", 0, IS, 1234567.5, false, '.'}, // as in India
        {"1 000", 0, IS, 1000, false, 0},
        {"1\xC2\xA0"
         "000,5",
         0, IS, 1000.5, false, ','}, // no-break blank
        {"1\xE2\x80\xAF"
         "234\xE2\x80\xAF"
         "567",
         0, IS, 1234567, false, 0}, // narrow no-break blank
        {"1'000", 0, IS, 1000, false, 0},
        {"1\xE2\x80\x99"
         "000.25",
         0, IS, 1000.25, false, '.'},
        {"1,000", 0, EITHER, 1, false, 0},
        {"1.000", 0, EITHER, 1, false, 0},
        {"-98.125", 0, EITHER, -98.125, false, 0},
        {"1,000", '.', IS, 1000, false, 0},
        {"1,000", ',', IS, 1, false, 0},
        {"1.000", ',', IS, 1000, false, 0},
        {"98.125", '.', IS, 98.125, false, 0},
        {"1,000%", 0, EITHER, 1, true, 0},
        {"0,500", 0, IS, 0.5, false, ','}, // 0 begins no thousands
        {"1234,567", 0, IS, 1234.567, false, ','},
        {"0.0004", '.', IS, 0.0004, false, '.'},
        {".5", 0, IS, 0.5, false, '.'},
        {"98%", 0, IS, 98, true, 0},
        {"40,82 %", 0, IS, 40.82, true, ','},
        {"40.82\xC2\xA0%", 0, IS, 40.82, true, '.'},
        {"1e3", 0, IS, 1000, false, 0},
        {"1.5E-02", 0, IS, 0.015, false, '.'},
        {" 12.5\t", 0, IS, 12.5, false, '.'},
        {"", 0, BLANK, 0, false, 0},
        {" \xC2\xA0", 0, BLANK, 0, false, 0},
        {"-", 0, BLANK, 0, false, 0},
        {"\xE2\x80\x93", 0, BLANK, 0, false, 0},
        {"EX", 0, NO, 0, false, 0},
        {"N/A", 0, NO, 0, false, 0},
        {"A-", 0, NO, 0, false, 0},
        {"MI", 0, NO, 0, false, 0},
        {"7/10", 0, NO, 0, false, 0},
        {"8 of 10", 0, NO, 0, false, 0},
        {"(read only)", 0, NO, 0, false, 0},
        {"20.11.2026", 0, NO, 0, false, 0},
        {"1,00,00", 0, NO, 0, false, 0},
        {"1.2.3", 0, NO, 0, false, 0},
        {"12 34", 0, NO, 0, false, 0},
        {"1,000,00", 0, NO, 0, false, 0},
        {"1.000.000.00", 0, NO, 0, false, 0},
        {"5.", 0, NO, 0, false, 0},
        {",", 0, NO, 0, false, 0},
        {"'5", 0, NO, 0, false, 0},
        {"--5", 0, NO, 0, false, 0},
        {"5-", 0, NO, 0, false, 0},
        {"5 points", 0, NO, 0, false, 0},
        {"5%%", 0, NO, 0, false, 0},
        {"%", 0, NO, 0, false, 0},
        {"1e", 0, NO, 0, false, 0},
        {"1e999", 0, NO, 0, false, 0},
        {"0x10", 0, NO, 0, false, 0},
        {"inf", 0, NO, 0, false, 0},
        {"nan", 0, NO, 0, false, 0},
        {"5\xFF", 0, NO, 0, false, 0},
        {"\xD9\xA1", 0, NO, 0, false, 0}, // an Arabic digit
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ladder_number n = ladder_number_read(rows[i].text, rows[i].known);
        int kind = (int)n.kind;
        ck_assert_msg(kind == rows[i].kind && n.percent == (kind != NO && rows[i].percent) &&
                          n.decimal == rows[i].shown && fabs(n.value - rows[i].value) <= 1e-9,
                      "'%s': kind %d, %g, '%c'", rows[i].text, kind, n.value, n.decimal);
        if (kind == EITHER) ck_assert(fabs(n.grouped) > 900);
    }
    char text[160];
    double value = 0;
    ck_assert_str_eq(ladder_number_text(1234.5, 2, ',', text, sizeof text), "1234,50");
    OK(ladder_number_take("7,5", KL_ERROR_INPUT, &value, &err));
    ck_assert(value == 7.5);
    ck_assert_int_eq(ladder_number_take("1,000", KL_ERROR_USAGE, &value, &err), KL_ERROR_USAGE);
    ck_assert_str_eq(err.text, "'1,000' is 1000 or 1: write it without a thousands separator");
    ck_assert_int_eq(ladder_number_take("8 of 10", KL_ERROR_INPUT, &value, &err), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "'8 of 10' is no number");
    ck_assert_int_eq(ladder_number_take("80%", KL_ERROR_INPUT, &value, &err), KL_ERROR_INPUT);
    ck_assert_str_eq(err.text, "'80%' is a percentage");
}

// Any bytes are a number or none, and what is plain is read by everybody else as the same.
KL_TEST(any_bytes_are_a_number_or_none) {
    static const char *const bits[] = {"1", "23", "000",      ",",    ".", "'", " ", "-",
                                       "%", "e",  "\xC2\xA0", "\xFF", "0", "+", "/"};
    unsigned seed = 3;
    size_t numbers = 0;
    for (int round = 0; round < 50000; round++) {
        char text[64] = "";
        for (int i = 0; i < 7; i++) {
            seed = seed * 1664525u + 1013904223u;
            strcat(text, bits[(seed >> 20) % (sizeof bits / sizeof bits[0])]);
        }
        ladder_number n = ladder_number_read(text, 0);
        numbers += n.kind == LADDER_NUMBER_VALUE;
        ck_assert(isfinite(n.value) && isfinite(n.grouped));
        if (!n.plain || n.kind != LADDER_NUMBER_VALUE || n.decimal == ',') continue;
        char *end = NULL;
        ck_assert_msg(strtod(text, &end) == n.value && *end == (n.percent ? '%' : '\0'), "%s",
                      text);
    }
    ck_assert_uint_gt(numbers, 100);
}

KL_TEST(a_device_is_chosen_by_word_or_environment) {
    unsetenv("LADDER_SIM_DEVICE");
    OK(ladder_device_choose(NULL, &err));
    ck_assert_str_eq(ladder_device_simulated()->id, "h100");
    ck_assert(ladder_device_may_be_gpu(NULL) && ladder_device_may_be_gpu("auto"));
    ck_assert(!ladder_device_may_be_gpu("sim") && !ladder_device_may_be_gpu("h200"));
    OK(ladder_device_choose("h200", &err));
    ck_assert_str_eq(getenv("LADDER_SIM_DEVICE"), "h200");
    OK(ladder_device_choose("sim", &err)); // that of the environment stays
    ck_assert_str_eq(ladder_device_simulated()->id, "h200");
    setenv("LADDER_SIM_DEVICE", "h300\033[2J", 1);
    ck_assert_int_eq(ladder_device_choose("sim", &err), KL_ERROR_USAGE);
    KL_HAS(err.text, "LADDER_SIM_DEVICE: there is no device \"h300", "only h100, h200, ");
    ck_assert_ptr_null(strchr(err.text, '\033'));
    OK(ladder_device_choose("h100", &err));
    setenv("LADDER_SIM_DEVICE", "", 1);
    OK(ladder_device_choose("auto", &err));
    ck_assert_str_eq(ladder_device_simulated()->id, "h100");
}

KL_TEST(numbers_of_devices_are_chosen_by_word_or_environment) {
    unsetenv("LADDER_SIM_DEVICES");
    OK(ladder_simulation_choose(NULL, NULL, NULL, &err));
    ck_assert_str_eq(ladder_devices(), "1");
    OK(ladder_simulation_choose(NULL, "2", "all", &err));
    ck_assert_str_eq(ladder_devices(), "2");
    ck_assert_str_eq(ladder_resident(), "all");
    setenv("LADDER_SIM_DEVICES", "9", 1);
    ck_assert_int_eq(ladder_simulation_choose(NULL, NULL, NULL, &err), KL_ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "LADDER_SIM_DEVICES: it is one of 1|2|"));
    ck_assert_str_eq(ladder_devices(), "1");
    unsetenv("LADDER_SIM_DEVICES");
    unsetenv("LADDER_SIM_RESIDENT");
}

// ---- names for findings ----
// In which line of a source the variables without a value are declared that a statement names.
static const char *const unset_source =
    "struct point { float x, y; };\n"
    "__global__ void k(const float *x, int n, float t) {\n"
    "    float a = 1.0f, s, *p; // float t;\n"
    "    struct point where;\n"
    "    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];\n"
    "    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;\n"
    "    int row = blockIdx.x * n + threadIdx.x, best[4];\n"
    "    for (int i = 0; i < n; i++)\n"
    "        s += x[i * row] * a + t;\n"
    "    where.y += t;\n"
    "    wmma::mma_sync(sum[0][1],\n"
    "                   left, left, sum[0][1]);\n"
    "    best[row] = p->x;\n"
    "    { float s = 0; x[0] = s; }\n"
    "}\n";

KL_TEST(variables_without_a_value_are_named) {
    static const struct {
        uint32_t line, declared;
        const char *type, *names;
    } rows[] = {{9, 3, "", "s"},
                {8, 3, "", "s"},
                {10, 4, "", "where"},
                {11, 5, "", "sum or left"},
                {11, 6, "matrix_a", "left"},
                {11, 5, "accumulator", "sum"},
                {13, 7, "", "best or p"},
                {14, 0, "", ""},
                {11, 0, "matrix_b", ""},
                {99, 0, "", ""}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char names[64] = "";
        uint32_t line = ladder_unset_names(unset_source, rows[i].line, rows[i].type, names, 64);
        ck_assert_msg(line == rows[i].declared && strcmp(names, rows[i].names) == 0,
                      "line %u: %s in line %u", rows[i].line, names, line);
    }
}

KL_TEST_MAIN("utilities")
