# For the scripts of this folder: packages NAME==VERSION.. installs them with pip in a temporary folder, which is left
# when the script ends, and `python` there is $python; same WHAT SEEN WANTED compares what a program printed.
# shellcheck shell=sh disable=SC2034
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packages() {
    python3 -m venv "$work/venv"
    python=$work/venv/bin/python
    "$python" -m pip install --quiet --disable-pip-version-check "$@"
    printf 'installed: %s\n' "$*"
}
same() {
    if [ "$2" != "$3" ]; then
        printf '%s has changed.\nseen:\n%s\nbefore:\n%s\n' "$1" "$2" "$3"
        exit 1
    fi
    printf '%s:\n%s\n' "$1" "$2"
}
