#!/bin/sh
# Runs the compiler command that follows with the short cuda_runtime.h of this folder before the toolkit's, and as it
# stands where that fails: a file may need what is left out. Only what the second says of an error is shown, and that of
# ptxas about too much shared memory as a sentence. A file that names what is left out is compiled once, as it stands.
folder=${0%/*}
for word; do case $word in *.cu) source=$word ;; esac; done
left_out='(tex|surf)[123]D|atomic[A-Za-z]*_(block|system)\(|__(ldc|ldg|ldlu|stc|stwt|funnelshift)|<cuda_pipeline|memcpy_async\.h>'
if ! grep -qsE "$left_out" "${source-}" && said=$("$@" "-I$folder" 2>&1); then
    [ -z "$said" ] || printf '%s\n' "$said"
    exit
fi
said=$("$@" 2>&1)
status=$?
large=$(printf '%s\n' "$said" |
    sed -n "s/.*Entry function '\([^']*\)' uses too much shared data (\(0x[0-9a-f]*\) bytes, \(0x[0-9a-f]*\) max).*/\1 \2 \3/p")
[ -z "$large" ] || printf '%s\n' "$large" | while read -r kernel bytes most; do
    plain=$(c++filt "$kernel" 2>/dev/null) || plain=$kernel
    printf '%s: error: kernel %s declares %d bytes of shared memory, and a kernel may declare %d: use less, or declare the array extern __shared__ and give its size at the launch, after cudaFuncSetAttribute() with cudaFuncAttributeMaxDynamicSharedMemorySize (up to 227 KiB on an H100)\n' \
        "${source-}" "$plain" "$bytes" "$most"
done
rest=$(printf '%s\n' "$said" | grep -v 'uses too much shared data')
[ -z "$rest" ] || printf '%s\n' "$rest"
exit $status
