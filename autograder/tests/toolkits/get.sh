#!/bin/sh
# sh get.sh KIT FOLDER: every CUDA toolkit that the launcher can download, each in FOLDER/VERSION unless it is there, by the launcher's own
# ways (common/launcher/toolkit.sh): 13.0 to 13.4 as wheels (wheels.txt), 13.5 as the launcher's own wheels, 11.8, 12.4 and 12.5 as packages of
# Debian 12, 13 and experimental. Prints the nvcc of each, separated by ':'; says what could not be had. Fails where there is none.
# Not to be had this way: 12.0 to 12.3 and 12.6 to 12.9 (PyPI has no nvcc of them).
set -eu
root=$(CDPATH='' cd -- "$1" && pwd) folder=$2
build=$folder
log=$folder/log
say() { printf 'toolkits: %s\n' "$*" >&2; }
mkdir -p "$folder"
folder=$(CDPATH='' cd -- "$folder" && pwd)
# shellcheck source=common/launcher/toolkit.sh
. "$root/common/launcher/toolkit.sh"

by_wheels() { # version; its wheels are $wheels
    find_pip || return
    mkdir -p "$folder/wheels-$1"
    download_wheels "$folder/wheels-$1" >"$log" 2>&1 && unpack_wheels "$folder/$1.new" "$folder/wheels-$1" >>"$log" 2>&1 || return
    [ -e "$folder/$1.new/lib64" ] || ln -s lib "$folder/$1.new/lib64" # where nvcc of 13.0 and 13.1 looks; no wheel has it
    rm -r "$folder/wheels-$1"
}

by_packages() { # version, releases of Debian
    [ "$(os_release ID)" = debian ] || return
    system=debian toolkit=$folder/$1
    begin_apt "$2" 'main non-free' || return
    # shellcheck disable=SC2046 # several packages
    (cd "$toolkit.apt/archives" && own_apt apt-get download $(toolkit_packages)) >"$log" 2>&1 || return
    unpack_toolkit "$folder/$1.new" "$toolkit.apt/archives" >>"$log" 2>&1 || return
    rm -r "$toolkit.apt"
}

found=
get() { # version, way and its arguments
    version=$1 way=$2
    shift 2
    if [ ! -x "$folder/$version/bin/nvcc" ]; then
        say "getting CUDA $version"
        rm -rf "$folder/$version" "$folder/$version.new"
        if ! "$way" "$version" "$@" || ! mv "$folder/$version.new" "$folder/$version"; then
            tail -n 3 "$log" >&2
            say "CUDA $version was not to be had"
            return 0
        fi
    fi
    found=$found${found:+:}$folder/$version/bin/nvcc
}

get "$(sed -n 's/^nvidia-cuda-nvcc==\([0-9]*\.[0-9]*\).*/\1/p' "$wheels")" by_wheels
get 11.8 by_packages bookworm
get 12.4 by_packages trixie
get 12.5 by_packages 'sid experimental'
lists=${0%/*}/wheels.txt
for version in $(sed -n 's/^=== //p' "$lists"); do
    wheels=$folder/wheels.txt
    awk -v version="$version" '/^===/ { on = $2 == version; next } on' "$lists" >"$wheels"
    get "${version%.*}" by_wheels
done
echo "$found"
[ -n "$found" ]
