#!/bin/sh
# Steps that are graded at a time share the memory of a submission. A step that holds more than its share and less than all of it,
# partly on the device, is right; with a limit below what it holds it is not. Arguments: the program `ladder`, the kit.
# test: autograder/full/memory_share @ladder@ @SOURCE@
# labels: grade
set -u
ladder=$1 kit=$2 faults=0
work=$(mktemp -d) || exit 1
cd "$work" || exit 1
mkdir sub
awk '/^extern "C" int reduction_step6/ {
    print "static void hold_much() {"
    print "    void *d_much = nullptr;"
    print "    cudaMalloc(&d_much, (size_t)700 << 20);"
    print "    cudaMemset(d_much, 1, (size_t)700 << 20);"
    print "    char *much = (char *)malloc((size_t)470 << 20);"
    print "    for (size_t i = 0; much && i < (size_t)470 << 20; i += 4096) ((volatile char *)much)[i] = 1;"
    print "    for (volatile unsigned i = 0; i < 300000000u; i = i + 1) {}"
    print "    free(much);"
    print "    cudaFree(d_much);"
    print "}"
    print ""
}
{ print }' "$kit/solutions/02_reduction/steps/6_vectorized.cu" |
    sed 's/^    if (!IMPLEMENTED)/    static bool held = false;\n    if (!held) hold_much();\n    held = true;\n&/' >sub/6_vectorized.cu
cp "$kit/labs/02_reduction/steps/0_one_block.cu" sub

grade() {
    "$ladder" grade reduction sub --quick --device sim --unsafe --output "$1" --memory "$2" >"$1.txt" 2>&1
}
grade whole 2147483648
grep -q 'vectorized  *correct' whole.txt || { faults=1; cat whole.txt; }
grade half 1073741824
grep -q 'vectorized  *memory limit' half.txt || { faults=1; cat half.txt; }
grep -q 'one_block  *correct' half.txt || { faults=1; cat half.txt; }
cd / && rm -rf "$work"
exit $faults
