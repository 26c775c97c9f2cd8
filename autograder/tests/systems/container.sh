#!/bin/sh
# container.sh KIT RELEASE WORK: .devcontainer/Containerfile builds on a bare Debian, and the first command runs
# in the container, which has all that it needs.
# test: autograder/container @SOURCE@ trixie @BUILD@/autograder/tests/systems/container
# labels: full
set -eu
kit=$1 release=$2 work=$3
architecture=$(dpkg --print-architecture 2>/dev/null)
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/systems.sh"
need_root_and debootstrap buildah git
mkdir -p "$work"
work=$(CDPATH='' cd -- "$work" && pwd)
rm -f "$work/record.txt"
make_base "$release" "$architecture" "$work/$release-$architecture"
for driver in overlay vfs; do
    set -- --root "$work/images-$driver" --runroot "$work/run-$driver" --storage-driver "$driver"
    if buildah "$@" from scratch >"$work/said" 2>&1; then break; fi
done
b() { buildah --root "$work/images-$driver" --runroot "$work/run-$driver" --storage-driver "$driver" "$@"; }
clean() {
    b rm --all >/dev/null 2>&1 || true
    b rmi --all --force >/dev/null 2>&1 || true
    rm -rf "$work/images-$driver" "$work/run-$driver"
}
trap clean EXIT
b from scratch >/dev/null 2>"$work/said" || skip "buildah cannot make a container here: $(tail -n 1 "$work/said")"
b rm --all >/dev/null
base=$(b from scratch)
b add --quiet "$base" "$work/$release-$architecture" / >/dev/null
b commit --quiet "$base" bare >/dev/null
b rm --all >/dev/null
rm -rf "$work/kit"
copy_kit "$work/kit"
begin_clock
b build --isolation chroot --network host --build-arg BASE=localhost/bare -t kit -f "$work/kit/.devcontainer/Containerfile" \
    "$work/kit" >"$work/built" 2>&1 </dev/null || fail "$(tail -n 30 "$work/built")"
grep -q 'all is there; nvcc is /opt/kernel-ladder/cuda/bin/nvcc' "$work/built" || fail "$(tail -n 30 "$work/built")"
toolkit=$(sed -n 's/.* has the CUDA toolkit \([0-9.]*\) .*/\1/p' "$work/built")
container=$(b from localhost/kit)
b run --isolation chroot --network host --volume "$work/kit:/workspaces/kit" --workingdir /workspaces/kit "$container" \
    ./ladder run reduction --solution >"$work/said" 2>&1 </dev/null || fail "$(tail -n 30 "$work/said")"
end_clock
cat "$work/said"
! grep 'installing' "$work/said" || fail "the container lacks something"
[ "$(grep -cE '^ +[0-9]  [a-z_]+ +correct ' "$work/said")" -eq 9 ] || fail "not all steps are right"
came=$(($(taken "$(b mount "$container")") - $(taken "$work/$release-$architecture")))
record "the container on Debian $(sed -n 's/^VERSION_ID="\(.*\)"/\1/p' "$work/$release-$architecture/etc/os-release"), $architecture" \
    "$toolkit" './ladder run reduction --solution' "9 of 9 steps right" - "$came"
