#!/bin/sh
# kernels.sh KIT FOLDER: the sandbox and the simulator's memory under Linux for arm64 with pages of 16 and of 4 KiB, in emulated
# machines (qemu-system). FOLDER is that of unit_tests.sh, after it: build/arm64. Takes up to an hour, so no test calls it. The
# machine's clock counts instructions: how busy this computer is does not matter to time limits.
# 77: something of what this needs is missing; the last line says what.
set -eu
kit=$(CDPATH='' cd -- "$1" && pwd) folder=$(CDPATH='' cd -- "$2" && pwd)
work=$folder/kernels
. "$kit/autograder/tests/systems/systems.sh"
. "$kit/common/tests/arm64/packages.sh"

for program in qemu-system-aarch64:qemu-system-arm cpio:cpio apt-get:apt; do
    command -v "${program%%:*}" >/dev/null || skip "${program%%:*} is missing (Debian: ${program#*:})"
done
[ -f "$folder/sysroot/done" ] || skip "unit_tests.sh has not been run in $folder"
mkdir -p "$work"
cmake --build "$folder/build" --target ladder_attack_test ladder-engine sim_runtime ladder_unit_tests >"$work/build.log" 2>&1 ||
    fail "$(grep -E 'error|FAILED' "$work/build.log" | head -n 30)"

get_kernels() { # Debian 13 is the first with a kernel of larger pages
    for flavour in arm64-16k cloud-arm64; do
        [ ! -f "$work/vmlinuz-$flavour" ] || continue
        [ -f "$work/apt/sources.list" ] || begin_apt "$work/apt" trixie
        package=$(own_apt "$work/apt" apt-cache depends "linux-image-$flavour" |
            sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p')
        (cd "$work/apt" && own_apt "$work/apt" apt-get download "$package" && dpkg-deb -x "$package"_*.deb "$work/$flavour")
        mv "$work/$flavour"/boot/vmlinuz-* "$work/vmlinuz-$flavour"
        rm -rf "${work:?}/$flavour" "$work/apt/$package"_*.deb
    done
}
get_kernels >"$work/packages.log" 2>&1 || skip "Debian's kernels could not be fetched ($work/packages.log)"

# A system of what is needed, at the same paths as here: programs name files by them.
system=$work/system
rm -rf "$system"
mkdir -p "$system/bin" "$system/proc" "$system/new" "$system/etc" "$system/usr/bin" "$system/tmp" "$system/var/tmp" "$system/root" "$system/lib"
cp "$folder/sysroot/usr/bin/busybox" "$system/bin"
for command in sh mount cp mkdir cat sed ip uname switch_root poweroff; do ln -s busybox "$system/bin/$command"; done
cp "$folder/sysroot/usr/bin/bwrap" "$system/usr/bin"
(cd "$folder/sysroot/usr/lib" && find . -maxdepth 2 -name '*.so.*' | tar -c -T -) | tar -x -C "$system/lib"
echo 'root:x:0:0::/root:/bin/sh' >"$system/etc/passwd"
(cd "$kit" && find autograder/tests/attacks common/simulator/tests common/validation labs -type f ! -name '*.svg' ! -name '*.png' | tar -c -T -) | (
    mkdir -p "$system$kit" && tar -x -C "$system$kit"
)
(cd "$folder/build" && find autograder common/simulator -type f \( -perm -u+x -o -name '*.so.*' -o -path '*/simulator/tests/*' \) \
    ! -path '*/CMakeFiles/*' ! -path 'autograder/tests/*_test' | tar -c -T - autograder/tests/attacks/ladder_attack_test) | (
    mkdir -p "$system$folder/build" && tar -x -C "$system$folder/build"
)
# The first system's root is none that a sandbox can leave: everything moves to a second one.
cat >"$system/init" <<'TEXT'
#!/bin/sh
mount -t tmpfs -o size=2g none /new
cp -a /[!pn]* /new/ && mkdir -p /new/proc /new/dev
exec switch_root /new /begin
TEXT
cat >"$system/begin" <<TEXT
#!/bin/sh
mount -t proc none /proc && mkdir -p /sys /run && mount -t sysfs none /sys && mount -t devtmpfs none /dev && mount -t tmpfs none /run
mount -t cgroup2 none /sys/fs/cgroup && mkdir /dev/shm && mount -t tmpfs none /dev/shm && ip link set lo up
export PATH=/bin:/usr/bin HOME=/root
echo "linux \$(uname -r)"
sed -n 's/^KernelPageSize: *\([0-9]*\) kB/pages of \1 KiB/p' /proc/self/smaps | sed -n 1p
cd "$folder/build"
for class in process files channels resources; do ./autograder/tests/attacks/ladder_attack_test \$class programs; done
for test in common/simulator/tests/sim_memory_* common/simulator/tests/sim_runtime_* common/simulator/tests/sim_remote_* \
    common/simulator/tests/sim_engine_*; do
    echo "== \$test"
    ./\$test
done
echo "all was run"
poweroff -f
TEXT
chmod +x "$system/init" "$system/begin"
(cd "$system" && find . | cpio -o -H newc --quiet | gzip -1) >"$work/system.gz"

failed=
rm -f "$work/record.txt"
for flavour in arm64-16k cloud-arm64; do
    begin_clock
    timeout 43200 qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on -smp 1 -icount shift=0,sleep=off -m 4096 -nographic \
        -nic none -kernel "$work/vmlinuz-$flavour" -initrd "$work/system.gz" -append "console=ttyAMA0 quiet panic=-1" \
        -no-reboot </dev/null >"$work/$flavour.log" 2>&1 || true
    end_clock
    sed -i 's/\r$//' "$work/$flavour.log"
    grep -E '^(pages of|ok|skip|FAILED|[0-9]+ attacks|[0-9]+%: Checks|all was run)|:[FE]:' "$work/$flavour.log" || true
    pages=$(sed -n 's/^\(pages of .*\)/\1/p' "$work/$flavour.log")
    held=$(grep -c '^ok ' "$work/$flavour.log") || true
    right=$(grep -c '^100%: Checks' "$work/$flavour.log") || true
    all=$(grep -c '^== ' "$work/$flavour.log") || true
    if [ "$right" -eq "$all" ] && [ "$held" -gt 0 ] && grep -q '^all was run' "$work/$flavour.log" &&
        ! grep -q '^FAILED' "$work/$flavour.log"; then
        machine="Linux $(sed -n 's/^linux //p' "$work/$flavour.log") for arm64, $pages, by qemu-system"
        record "$machine" - "attacks on the sandbox" "$held of $held held" - -
        record "$machine" - "unit tests of memory, runtime and engine" "$right of $all programs right" - -
    else
        failed=yes
    fi
done
[ -z "$failed" ] || fail "not all is right: $work/*.log"
