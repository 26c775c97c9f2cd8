#!/bin/sh
# unit_tests.sh KIT FOLDER NVCC INCLUDE RUNTIME: builds the unit tests for aarch64 in FOLDER and runs them under qemu-user.
# INCLUDE is the toolkit's folder of headers, RUNTIME the kit's own libcudart, whose functions the one without code has.
# 77: something of what this needs is missing; the last line says what.
set -eu
kit=$1 folder=$2 nvcc=$3 include=$4 runtime=$5
work=$folder
. "$kit/autograder/tests/systems/systems.sh"
. "$kit/common/tests/arm64/packages.sh"

for program in aarch64-linux-gnu-g++:g++-aarch64-linux-gnu apt-get:apt dpkg-deb:dpkg; do
    command -v "${program%%:*}" >/dev/null || skip "${program%%:*} is missing (Debian: ${program#*:})"
done
grep -qs enabled /proc/sys/fs/binfmt_misc/qemu-aarch64 ||
    skip "the system does not start programs of aarch64 (Debian: qemu-user-static, and binfmt_misc mounted)"
[ -f "${nvcc%/*}/nvcc.profile" ] || skip "$nvcc is not that of NVIDIA's toolkit, which compiles for aarch64 as well"
mkdir -p "$folder"

# Libraries of this release, as the cross compiler's are; and what kernels.sh needs.
get_packages() {
    begin_apt "$folder/apt" "$(os_codename)"
    own_apt "$folder/apt" apt-get install -y --download-only check libsubunit-dev zlib1g-dev libjansson-dev libsqlite3-dev \
        libarchive-dev libyaml-dev bubblewrap busybox-static
}
if [ ! -f "$folder/sysroot/done" ]; then
    get_packages >"$folder/packages.log" 2>&1 || skip "Debian's arm64 packages could not be fetched ($folder/packages.log)"
    for name in bin sbin lib; do # as Debian's systems have it
        mkdir -p "$folder/sysroot/usr/$name"
        ln -sfn "usr/$name" "$folder/sysroot/$name"
    done
    for package in "$folder"/apt/cache/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x -C "$folder/sysroot" --keep-directory-symlink --exclude './usr/share'
    done
    touch "$folder/sysroot/done"
fi

toolkit=$("$nvcc" --version | sed -n 's/.*, V\([0-9.]*\)$/\1/p')
# nvcc takes headers and libraries from targets/aarch64-linux beside its own folder when its host compiler is one for
# aarch64; so it gets a folder in which both are. It must be a copy: it finds its folder by its own file.
make_toolkit() { # without sim_*: by these a lab's program knows the simulator
    cuda=$folder/cuda
    library=$cuda/targets/aarch64-linux/lib
    mkdir -p "$cuda/bin" "$library"
    ln -sf "${nvcc%/*}"/* "$cuda/bin"
    rm "$cuda/bin/nvcc" "$cuda/bin/nvcc.profile"
    cp "$nvcc" "${nvcc%/*}/nvcc.profile" "$cuda/bin"
    ln -sfn "${nvcc%/bin/*}/nvvm" "$cuda/nvvm"
    ln -sfn "$include" "$cuda/targets/aarch64-linux/include"
    ln -sfn targets/aarch64-linux/include "$cuda/include"
    ln -sfn aarch64-linux "$cuda/targets/sbsa-linux"
    nm -D --defined-only "$runtime" | sed -n '/ T sim_/d; s/.* T \([A-Za-z_0-9]*\).*/void \1(void) {}/p' | sort -u >"$folder/runtime.c"
    aarch64-linux-gnu-gcc -w -fno-builtin -fPIC -c "$folder/runtime.c" -o "$folder/runtime.o"
    aarch64-linux-gnu-gcc -shared -Wl,-soname,"${runtime##*/}" "$folder/runtime.o" -o "$library/libcudart.so"
    ln -sf libcudart.so "$library/${runtime##*/}"
    aarch64-linux-gnu-ar rc "$library/libcudart_static.a" "$folder/runtime.o"
    aarch64-linux-gnu-ar rc "$library/libcudadevrt.a"
    aarch64-linux-gnu-gcc -shared -nostdlib "$folder/runtime.o" -o "$library/libempty.so"
    for name in cublas cublasLt cufft curand cusparse; do ln -sf libempty.so "$library/lib$name.so"; done
}
[ -f "$folder/cuda/targets/aarch64-linux/lib/libcurand.so" ] || make_toolkit

export QEMU_LD_PREFIX="$folder/sysroot" # where qemu-user finds the loader and the C library
export NVCC_CCBIN=aarch64-linux-gnu-g++ # for tests that call nvcc themselves
generator=
! command -v ninja >/dev/null || generator='-G Ninja'
# shellcheck disable=SC2086 # two words
cmake $generator -S "$kit" -B "$folder/build" -DCMAKE_TOOLCHAIN_FILE="$kit/common/tests/arm64/toolchain.cmake" \
    -DLADDER_ARM64="$folder" >"$folder/configure.log" 2>&1 || {
    tail -n 30 "$folder/configure.log"
    exit 1
}
cmake --build "$folder/build" --parallel "$(getconf _NPROCESSORS_ONLN)" --target ladder_unit_tests >"$folder/build.log" 2>&1 || {
    grep -E 'error|FAILED' "$folder/build.log" | head -n 30
    exit 1
}
cd "$folder/build"
# qemu-user before 8.1 notes every page of a mapping one by one: 20 s and 4 GB for the 512 GiB of address space that the
# simulator takes where it may. Under a limit it takes less; a few programs still take an hour, which take a second by qemu 10.
in_less_space='prlimit --as=12000000000'
rm -f "$folder/record.txt"
# Not those that start programs in the sandbox or under its limits: there the emulator lacks its threads, its libraries and
# /proc, and the cross compiler its path. Nor the runtime's, as the emulator does not tell a write that faults from a read:
# kernels.sh runs that one.
not_here='^(autograder/(group|session|process|imports|build|intake)_test|simulator/runtime/shim)$'
begin_clock
$in_less_space ctest -L '^unit$' -E "$not_here" --output-on-failure --no-tests=error \
    -j "$(getconf _NPROCESSORS_ONLN)" >"$folder/said" || status=$?
end_clock
cat "$folder/said"
[ -z "${status:-}" ] || exit 1
machine="Debian $(sed -n 's/^VERSION_ID="\(.*\)"/\1/p' /etc/os-release), arm64 by qemu-user"
programs=$(sed -n 's/^100% tests passed, .* out of \([0-9]*\)$/\1/p' "$folder/said")
record "$machine" "$toolkit" 'unit tests, cross-compiled' "$programs of $programs programs right" - -

# Pages of 64 KiB, as qemu-user before 9 pretends them: what is aligned and mapped by pages.
if QEMU_PAGESIZE=65536 "$folder/sysroot/usr/bin/busybox" true 2>&1 | grep -q Deprecated; then
    echo "not run: this qemu-user pretends no larger pages"
    exit
fi
begin_clock
QEMU_PAGESIZE=65536 $in_less_space ctest -R '^simulator/(memory|runtime|remote|engine)/' -E "$not_here" -L '^unit$' \
    --output-on-failure --no-tests=error >"$folder/said" || status=$?
end_clock
cat "$folder/said"
[ -z "${status:-}" ] || exit 1
programs=$(sed -n 's/^100% tests passed, .* out of \([0-9]*\)$/\1/p' "$folder/said")
record "$machine, pages of 64 KiB pretended" "$toolkit" "the simulator's unit tests of memory, runtime and engine" \
    "$programs of $programs programs right" - -
