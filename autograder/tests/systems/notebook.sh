#!/bin/sh
# notebook.sh KIT WORK: docs/colab.ipynb in a Debian that has what Colab has before the first cell (Python, pip, git, a compiler, CMake),
# with the kernel and the client of Jupyter from Debian; the address in its first cell is a repository there. (Ubuntu's own packages
# cannot be reached from where the kit is tested.) No answer can be typed in a notebook, so the toolkit must come without a question.
# test: autograder/notebook @SOURCE@ @BUILD@/autograder/tests/systems/notebook
# labels: full
set -eu
kit=$1 work=$2 release=bookworm
architecture=$(dpkg --print-architecture 2>/dev/null)
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/systems.sh"
need_root_and debootstrap git unshare
mkdir -p "$work"
work=$(CDPATH='' cd -- "$work" && pwd)
rm -f "$work/record.txt"
make_base "$release" "$architecture" "$work/$release-$architecture"
system=$work/machine
rm -rf "$system"
cp -a "$work/$release-$architecture" "$system"
timed_inside "$system" / sh -c 'apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
    ca-certificates git g++ make cmake python3-pip python3-nbclient python3-nbformat python3-ipykernel'
copy_kit "$system/address"
git -C "$system/address" init -q
git -C "$system/address" add -A
git -C "$system/address" -c user.name=T -c user.email=t@example.org commit -q -m kit
mkdir "$system/content"
sed 's|ADDRESS = \\"ADDRESS\\"|ADDRESS = \\"/address\\"|' "$kit/docs/colab.ipynb" >"$system/content/colab.ipynb"
cat >"$system/content/run.py" <<'TEXT'
import nbclient, nbformat
notebook = nbformat.read("colab.ipynb", 4)
nbformat.validate(notebook)
try:
    nbclient.NotebookClient(notebook, timeout=None, kernel_name="python3").execute()
finally:
    nbformat.write(notebook, "ran.ipynb")
for cell in notebook.cells:
    print("====", cell.source.split("\n")[0])
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        print(output.get("text") or data.get("text/html") or data.get("text/markdown") or data.get("text/plain"))
TEXT
timed_inside "$system" /content python3 run.py
says() { grep -qE "$1" "$work/said" || fail "no cell shows: $1: $(cut -c1-200 "$work/said" | tail -n 60)"; }
says 'MB to download'
says '^ +0  one_thread  correct'
says '^# Lab 00'
says '!\[.*\]\(data:image/svg\+xml;base64,'
says '^<div><iframe srcdoc="&lt;!DOCTYPE html&gt;'
says '^ +1  one_block +not implemented'
! grep -qE '\]\(\w+\.svg\)|Traceback|Warning:' "$work/said" || fail "a picture is missing, or a cell failed"
! grep -q "$(printf '\033\\[')" "$work/said" || fail "a command takes the notebook for a terminal"
toolkit=$(sed -n 's/.* has the CUDA toolkit \([0-9.]*\) .*/\1/p' "$work/said")
name="Debian $(sed -n 's/^VERSION_ID="\(.*\)"/\1/p' "$work/$release-$architecture/etc/os-release"), $architecture"
record "$name" "$toolkit" "docs/colab.ipynb" "every cell ran" "$(sed -n 's/^ladder: \([0-9]*\) MB to download.*/\1/p' "$work/said")" -
rm -rf "$system"
