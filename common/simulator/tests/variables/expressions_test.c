// Protects the evaluator of C expressions without debug information: registers, casts, arithmetic,
// and the sentence for each way to be wrong. The same in a build without libdw.
#include "base/base.h"
#include "suite.h"
#include "variables/thread.h"

static const char plain_ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                                ".visible .entry k()\n{\n\tret;\n}\n";

static fake_thread fake;

static void set_up(void) {
    const double real = -2.25;
    const float single = 1.5f;
    const char text[] = "hi\n";
    uint64_t bits = 0, double_bits;
    fake_open(&fake, plain_ptx, sizeof plain_ptx - 1);
    memcpy(&bits, &single, sizeof single);
    memcpy(&double_bits, &real, sizeof real);
    fake_set_register(&fake, "%r1", 65);
    fake_set_register(&fake, "%r2", (uint32_t)-7);
    fake_set_register(&fake, "%f1", bits);
    fake_set_register(&fake, "%fd1", double_bits);
    fake_set_register(&fake, "%rd1", SIM_SHARED_WINDOW + SIM_SHARED_START + 16);
    fake_set_register(&fake, "%p1", 1);
    fake_set_register(&fake, "%tid.x", 5);
    fake_set_register(&fake, "%ctaid.x", 2);
    fake_set_register(&fake, "%ntid.x", 128);
    for (int i = 0; i < 64; i++) memcpy(fake.memory[PTX_SPACE_SHARED] + i * 4, &i, 4);
    memcpy(fake.memory[PTX_SPACE_GLOBAL], text, sizeof text);
}

static void tear_down(void) { fake_close(&fake); }

static const struct row {
    const char *expression, *text;
} rows[] = {
    // numbers
    {"1", "= 1"},
    {"0x1F", "= 31"},
    {"010", "= 8"},
    {"4000000000", "= 4000000000"},
    {"0xffffffff", "= 4294967295"},
    {"1.5f", "= 1.5"},
    {"1e3", "= 1000"},
    {".5", "= 0.5"},
    {"'a'", "= 97 'a'"},
    {"'\\n'", "= 10 '\\n'"},
    {"0.1", "= 0.10000000000000001"},
    {"1.0 / 0", "= inf"},
    {"0.0 / 0", "= -nan(0x8000000000000)"},
    // arithmetic as in C
    {"1 + 2 * 3", "= 7"},
    {"(1 + 2) * 3", "= 9"},
    {"10 - 4 - 3", "= 3"},
    {"-7 / 2", "= -3"},
    {"-7 % 3", "= -1"},
    {"7 / 2.0f", "= 3.5"},
    {"2147483647 + 1", "= -2147483648"},
    {"-1 < 0u", "= false"},
    {"-1 < 0", "= true"},
    {"1 << 4 | 3 ^ 1 & 7", "= 18"},
    {"-16 >> 2", "= -4"},
    {"0xf0000000 >> 28", "= 15"},
    {"1 << 40", "= 0"},
    {"1l << 40", "= 1099511627776"},
    {"~0", "= -1"},
    {"!3", "= false"},
    {"1 && 0 || 1", "= true"},
    {"1 || 1 / 0", "= true"},
    {"0 ? 1 / 0 : 4", "= 4"},
    {"1 ? 2 : 3 ? 4 : 5", "= 2"},
    {"(unsigned char)300", "= 44 ','"},
    {"(int)-2.75", "= -2"},
    {"(float)1 / 3", "= 0.333333343"},
    {"(bool)0.5", "= true"},
    {"(unsigned long long)-1", "= 18446744073709551615"},
    {"sizeof(long unsigned int) + sizeof 1.5f", "= 12"},
    {"sizeof(float [4])", "= 16"},
    // registers
    {"%r1", "= 65"},
    {"$r1", "= 65"},
    {"$R2", "= -7"},
    {"%r1 % 7", "= 2"},
    {"%f1 * 2", "= 3"},
    {"%fd1", "= -2.25"},
    {"%p1", "= true"},
    {"%tid.x", "= 5"},
    {"threadIdx", "= {x = 5, y = 0, z = 0}"},
    {"blockIdx.x * blockDim.x + threadIdx.x", "= 261"},
    {"warpSize", "= 32"},
    // memory
    {"*(@shared int *)16", "= 4"},
    {"((@shared int *)0)[10]", "= 10"},
    {"*(@shared int *)8@3", "= {2, 3, 4}"},
    {"(int *)%rd1", "= (@shared int *) 0x10"},
    {"*(int *)%rd1", "= 4"},
    {"((int *)%rd1)[-1]", "= 3"},
    {"&((int *)%rd1)[1]", "= (@shared int *) 0x14"},
    {"(@shared int *)16 == (int *)%rd1", "= true"},
    {"(@shared int *)16 - (@shared int *)8", "= 2"},
    {"1 + (@shared int *)16", "= (@shared int *) 0x14"},
    {"(long)(@shared int *)16", "= 17592186045456"},
    {"*(@shared int (*)[2])8", "= {2, 3}"},
    {"(@global char *)0x200000000000", "= (@global char *) 0x200000000000 \"hi\\n\""},
    {"*(@global char *)0x200000000000@4", "= \"hi\\n\""},
    {"(int *)0", "= (@generic int *) 0x0"},
    // wrong
    {"foo", "No symbol \"foo\" in current context. This code was compiled without -G: lines and "
            "registers only."},
    {"%zz1", "There is no register %zz1 in this function."},
    {"", "The history is empty: give an expression."},
    {"1 +", "A syntax error in expression: it ends too early."},
    {"(1", "A syntax error in expression: it ends too early."},
    {"1 2", "A syntax error in expression, near `2'."},
    {"'ab'", "A syntax error in expression, near `b''."},
    {"1x", "Invalid number \"1x\"."},
    {"1 / 0", "Division by zero"},
    {"1 % 0", "Division by zero"},
    {"*1", "Attempt to take contents of a non-pointer value."},
    {"&1", "Attempt to take address of value not located in memory."},
    {"&%r1", "It has no address: it is in register %r1."},
    {"*(int *)0", "Cannot access memory at address 0x0"},
    {"*(void *)16", "Attempt to take contents of a void * value: cast it first, *(float *)p."},
    {"%r1 = 3", "Nothing is changed here: = is not available, == is."},
    {"%r1 += 3", "Nothing is changed here: += is not available."},
    {"%r1++", "Nothing is changed here: ++ and -- are not available."},
    {"f(3)", "f: functions cannot be called: only values can be shown."},
    {"threadIdx.w", "There is no member named w."},
    {"threadIdx + 1", "This is no number: it is a uint3."},
    {"%r1.x", "There is no register %r1.x in this function."},
    {"(%r1).x", "This has no members: it is a int."},
    {"%r1[0]", "cannot subscript something that is no array or pointer"},
    {"1.5 & 1", "Argument to arithmetic operation not a number or boolean: this operator needs "
                "integers."},
    {"(@shared int *)8 * 2", "Argument to arithmetic operation not a number or boolean: it is a "
                             "pointer."},
    {"%r1@3", "Only values in memory can be extended with '@'."},
    {"*(@shared int *)8@0", "Invalid number 0 of repetitions."},
    {"*(@shared int *)0@10000000", "The value has 40000000 bytes; this shows 1048576 at most: ask "
                                   "for a part, a[0]@100."},
};

KL_FIXTURE(set_up, tear_down)

KL_TEST(texts) {
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *got = fake_print(&fake, 0, rows[i].expression);
        ck_assert_msg(strcmp(got, rows[i].text) == 0, "%s: %s", rows[i].expression, got);
    }
}

static const struct letter_row {
    char letter;
    const char *expression, *text;
} letter_rows[] = {
    {'x', "%r2", "= 0xfffffff9"},
    {'d', "0xffffffff", "= -1"},
    {'u', "%r2", "= 4294967289"},
    {'o', "8", "= 010"},
    {'t', "10", "= 1010"},
    {'c', "%r1", "= 65 'A'"},
    {'f', "1069547520", "= 1.5"},
    {'x', "threadIdx", "= {x = 0x5, y = 0x0, z = 0x0}"},
    {'x', "(int *)%rd1", "= 0x100000000410"},
    {'x', "3.9", "= 0x3"},
    {'d', "'a'", "= 97"},
    {'f', "%f1", "= 1.5"},
    {'z', "%r1", "= 0x00000041"},
    {'k', "%r1", "Undefined output format \"k\"."},
};

KL_TEST(letters) {
    for (size_t i = 0; i < sizeof letter_rows / sizeof letter_rows[0]; i++) {
        const struct letter_row *row = &letter_rows[i];
        const char *got = fake_print(&fake, row->letter, row->expression);
        ck_assert_msg(strcmp(got, row->text) == 0, "/%c %s: %s", row->letter, row->expression, got);
    }
}

// Long and deep ones end with a message.
KL_TEST(hostile) {
    static char text[40000];
    for (size_t i = 0; i + 1 < sizeof text; i++) text[i] = "(-!*~"[i % 5];
    EXPECT(&fake, text, "The expression nests too deep.");
    memset(text, '(', sizeof text - 1);
    EXPECT(&fake, text, "The expression nests too deep.");
    memset(text, 'a', sizeof text - 1);
    ck_assert_int_eq(strncmp(fake_print(&fake, 0, text), "No symbol \"aaa", 14), 0);
    for (size_t i = 0; i + 1 < sizeof text; i++) text[i] = i % 2 ? '+' : '1';
    text[sizeof text - 2] = '1';
    EXPECT(&fake, text, "= 20000");
    EXPECT(&fake, "*(@shared int *)0@-1", "Invalid number -1 of repetitions.");
    EXPECT(&fake, "((@shared int *)0)[0x7fffffffffffffff]",
           "Cannot access memory at address 0xfffffffffffffffc");
}

KL_TEST_MAIN("expressions")
