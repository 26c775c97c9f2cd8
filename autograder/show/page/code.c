// PTX and machine code: see internal.h. Lists of numbers are written in runs: the instructions of a
// basic block have been executed equally often.
#include "show/page/internal.h"

// ---- Which text is whose ------------------------------------------------------------------------

static bool is_same_code(const page_launch *a, const page_launch *b) {
    const sim_code *x = page_report(a)->code, *y = page_report(b)->code;
    if (x->instr_count != y->instr_count || x->machine_count != y->machine_count ||
        x->text_bytes != y->text_bytes || memcmp(x->text, y->text, x->text_bytes) != 0 ||
        strcmp(page_report(a)->kernel, page_report(b)->kernel) != 0)
        return false;
    for (uint32_t i = 0; i < x->instr_count; i++)
        if (x->instrs[i].file != y->instrs[i].file || x->instrs[i].line != y->instrs[i].line)
            return false;
    return x->machine_count == 0 ||
           memcmp(x->machine, y->machine, x->machine_count * sizeof *x->machine) == 0;
}

int page_number_codes(page_launch *launches, int count) {
    int codes = 0;
    for (int i = 0; i < count; i++) {
        page_launch *l = &launches[i];
        if (!l->full || !page_report(l)->code) continue;
        for (int k = 0; k < i && l->code == 0; k++)
            if (launches[k].code != 0 && launches[k].part == l->part &&
                is_same_code(&launches[k], l))
                l->code = launches[k].code;
        if (l->code == 0) l->code = ++codes;
    }
    return codes;
}

// ---- Parts of the page --------------------------------------------------------------------------

// Headings of the glossary that code.js has for the columns of its tables.
static void use_terms(ladder_glossary *g) {
    static const char *const terms[] = {"Warp", "Active threads per warp"};
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
        int found = ladder_glossary_find(g, terms[i]);
        if (found >= 0) g->terms[found].used = true;
    }
}

void page_put_code_counts(FILE *out, ladder_glossary *g, const page_launch *launch) {
    const sim_code *code = page_report(launch)->code;
    if (launch->code == 0) return;
    use_terms(g);
    fprintf(out, " data-code=\"code-%d\" data-executed=\"", launch->code);
    page_runs executed = {.out = out}, on = {.out = out};
    for (uint32_t i = 0; i < code->instr_count; i++)
        page_runs_add_number(&executed, (long long)code->instrs[i].executed);
    page_runs_end(&executed);
    fputs("\" data-on=\"", out);
    for (uint32_t i = 0; i < code->instr_count; i++)
        page_runs_add_number(&on, (long long)code->instrs[i].on);
    page_runs_end(&on);
    fputc('"', out);
}

static void put_ptx(FILE *out, ladder_glossary *g, const sim_code *code) {
    page_runs at = {.out = out};
    page_html(out, g, "<h4>[[PTX|PTX]]</h4><pre class=\"ptx\" tabindex=\"0\" data-at=\"");
    for (uint32_t i = 0; i < code->instr_count; i++) {
        char place[48];
        snprintf(place, sizeof place, "%u:%u", code->instrs[i].file, code->instrs[i].line);
        page_runs_add(&at, place);
    }
    page_runs_end(&at);
    fputs("\">", out);
    for (uint32_t i = 0; i < code->instr_count; i++) {
        ladder_put_html(out, code->text + code->instrs[i].text);
        fputs(i + 1 < code->instr_count ? "\n" : "", out);
    }
    fputs("</pre>\n", out);
}

static void put_machine(FILE *out, ladder_glossary *g, const sim_code *code) {
    ladder_disassembly text;
    page_runs of = {.out = out};
    page_html(out, g, "<h4>[[Machine code|machine code]]");
    if (code->machine_count == 0) {
        fputs("</h4><p>none that belongs to this PTX: the program holds none for this "
              "architecture, or was linked from several files (<code>-rdc</code>)</p>\n",
              out);
        return;
    }
    bool whole = ladder_disassemble(code, &text);
    fprintf(out, " <small>sm_%u, %s</small></h4><pre class=\"machine\" tabindex=\"0\" data-of=\"",
            code->architecture,
            whole ? "by nvdisasm"
                  : "opcode and width; with <code>nvdisasm</code> of the CUDA Toolkit, which was "
                    "not found here, the whole instructions");
    for (uint32_t i = 0; i < code->machine_count; i++)
        page_runs_add_number(&of, code->machine[i].instr);
    page_runs_end(&of);
    fputs("\">", out);
    for (uint32_t i = 0; i < code->machine_count; i++) {
        if (whole && text.lines[i]) ladder_put_html(out, text.lines[i]);
        else {
            char opcode[128];
            ladder_machine_opcode_text(code->machine[i].words, opcode, sizeof opcode);
            fputs(opcode, out);
        }
        fputs(i + 1 < code->machine_count ? "\n" : "", out);
    }
    fputs("</pre>\n", out);
    if (whole) ladder_disassembly_free(&text);
}

void page_put_code_text(FILE *out, ladder_glossary *g, const page_launch *launch) {
    const sim_launch_report *r = page_report(launch);
    char name[512];
    fprintf(out, "<details class=\"code-text\" id=\"code-%d\"><summary>PTX and machine code of ",
            launch->code);
    ladder_demangle(r->kernel, name, sizeof name);
    name[strcspn(name, "(")] = '\0';
    ladder_html(out, "<code>%s</code> (launch %d)</summary>\n<div class=\"pair\"><div>", name,
                launch->number);
    put_ptx(out, g, r->code);
    fputs("</div><div>", out);
    put_machine(out, g, r->code);
    fputs("</div></div></details>\n", out);
}

// ---- lists of numbers in runs -------------------------------------------------------------------

static void end_run(page_runs *runs) {
    if (runs->times == 0) return;
    fprintf(runs->out, "%s%s", runs->some ? " " : "", runs->value);
    if (runs->times > 1) fprintf(runs->out, "*%llu", (unsigned long long)runs->times);
    runs->some = true;
    runs->times = 0;
}

void page_runs_add(page_runs *runs, const char *value) {
    if (runs->times > 0 && strcmp(runs->value, value) != 0) end_run(runs);
    snprintf(runs->value, sizeof runs->value, "%s", value);
    runs->times++;
}

void page_runs_add_number(page_runs *runs, long long value) {
    char text[32];
    snprintf(text, sizeof text, "%lld", value);
    page_runs_add(runs, text);
}

void page_runs_end(page_runs *runs) {
    end_run(runs);
    runs->some = false;
}
