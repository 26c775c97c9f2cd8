# The CUDA toolkit, for the launcher (../../ladder, which reads this): finds nvcc and a host compiler that it accepts. Where
# there is no nvcc, it offers NVIDIA's wheels (wheels.txt), which pip or uv downloads; where they cannot be had, the
# distribution's own toolkit, seven times their size. Both are unpacked into a folder of its own, not installed: the
# packages would bring all of NVIDIA's libraries (5 GB) and a driver's libcuda.so.1, which must not hide that of WSL or of a
# container. So no source of the system changes and no virtual environment; of packages, only pip comes, where it is missing.
# shellcheck shell=sh disable=SC2154 # root, build, log, say, die: the launcher's

oldest_toolkit=11.8 # the first that compiles for compute capability 9.0

toolkit=/opt/kernel-ladder/cuda
[ "$(id -u)" -eq 0 ] || toolkit=${XDG_DATA_HOME:-${HOME:-$root}/.local/share}/kernel-ladder/cuda
toolkit=${LADDER_TOOLKIT:-$toolkit}
wheels=$root/common/launcher/wheels.txt
no_pip=

find_nvcc() {
    if [ -n "${CUDACXX:-}" ] && [ -x "$CUDACXX" ]; then return 0; fi
    for candidate in "$(command -v nvcc || true)" "${CUDA_HOME:-}/bin/nvcc" "${CUDA_PATH:-}/bin/nvcc" \
        /usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc "$toolkit/bin/nvcc" /opt/kernel-ladder/cuda/bin/nvcc; do
        if [ -x "$candidate" ]; then
            CUDACXX=$candidate
            export CUDACXX
            return 0
        fi
    done
    say "nvcc was not found. Labs need the CUDA toolkit, but no driver and no GPU."
    get_toolkit || {
        ls "$toolkit.apt"/archives/*.deb >/dev/null 2>&1 || rm -rf "$toolkit.apt" # what was downloaded is for the next try
        [ -z "$no_pip" ] || say "With python3 and pip, or with uv, this command downloads it from PyPI: $(wheels_megabytes) MB."
        say "NVIDIA's toolkit: https://developer.nvidia.com/cuda-downloads"
        say "If you have one, put its bin folder into PATH, or set CUDA_HOME."
        die "A container with all of it, and other systems: docs/install.md"
    }
    CUDACXX=$toolkit/bin/nvcc
    export CUDACXX
}

# apt with sources and lists of its own, below the folder that the toolkit will lie in; the system's keys.
own_apt() {
    APT_CONFIG=$toolkit.apt/apt.conf "$@"
}

begin_apt() { # releases, of this system or others of its distribution, the last one preferred; components
    address=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 2>/dev/null |
        sed -n "s/ $(os_release VERSION_CODENAME)\$//p" | sed -n 1p)
    [ -n "$address" ] || {
        say "apt has no source of packages for $(os_release VERSION_CODENAME)"
        return 1
    }
    signed=
    keys=/usr/share/keyrings/$system-archive-keyring.gpg
    [ ! -f "$keys" ] || signed="[signed-by=$keys] "
    mkdir -p "$toolkit.apt/lists/partial" "$toolkit.apt/archives/partial" "$toolkit.apt/partial" || return
    : >"$toolkit.apt/status"
    for release in $1; do echo "deb $signed$address $release $2"; done >"$toolkit.apt/sources.list"
    cat >"$toolkit.apt/apt.conf" <<TEXT
Dir::State "$toolkit.apt"; Dir::State::status "$toolkit.apt/status"; Dir::Cache "$toolkit.apt";
Dir::Etc::sourcelist "$toolkit.apt/sources.list"; Dir::Etc::sourceparts "$toolkit.apt/partial"; Dir::Etc::preferencesparts "$toolkit.apt/partial";
Acquire::Languages "none"; APT::Sandbox::User "root"; APT::Default-Release "${1##* }";
TEXT
    own_apt apt-get update -q >"$toolkit.apt/log" 2>&1 || {
        tail -n 5 "$toolkit.apt/log" >&2
        say "could not read the list of packages of $address"
        return 1
    }
}

# The packages of which a lab needs anything; names of libraries change with versions.
toolkit_packages() {
    echo nvidia-cuda-toolkit nvidia-cuda-dev libcub-dev libthrust-dev libcu++-dev
    own_apt apt-cache depends nvidia-cuda-dev | sed -n 's/^ *Depends: \(libcudart[0-9.]*\)$/\1/p'
}

# Says what would come, and asks at a terminal. Fails where it is not to come.
offer_toolkit() { # whose, version, MB to download, GB unpacked, packages of the system that come before
    say "$1 has the CUDA toolkit $2 (not free software)."
    say "$3 MB to download. What the kit needs of them, $4 GB, goes into"
    say "  $toolkit"
    [ -z "$5" ] || say "$5 is installed first, to download it."
    say "Nothing else changes on this system. To remove it, delete this folder."
    declined=yes
    if [ -t 0 ] && [ -t 2 ]; then
        printf 'ladder: download it now? [Y/n] ' >&2
        read -r answer || answer=n
        case $answer in '' | y | Y | yes) ;; *) return 1 ;; esac
    elif [ "$(id -u)" -ne 0 ]; then
        say "To get it: ./ladder install at a terminal, or sudo ./ladder install"
        return 1
    fi
    declined=
}

# What of the packages nvcc needs, in the layout of NVIDIA's toolkit. Libraries but the runtime are left out: 2.6 GB. Its
# headers are the system's (CPLUS_INCLUDE_PATH), as in the packages' own layout: glibc 2.41 declares some functions otherwise.
unpack_toolkit() { # folder to make, folder with packages
    mkdir -p "$1/all" "$1/nvvm/bin" "$1/lib64" || return
    for package in "$2"/*.deb; do
        { dpkg-deb --fsys-tarfile "$package" || echo failed >"$1/failed"; } | tar -x -C "$1/all" --no-same-owner \
            --exclude './usr/share' --exclude '*/compute-sanitizer*' --exclude '*/TreeLauncher*' \
            --exclude './usr/lib/*-linux-gnu/lib[!c]*' --exclude './usr/lib/*-linux-gnu/libcu[!d]*' || return
        [ ! -e "$1/failed" ] || return
    done
    from=$1/all/usr
    rm -f "$from/bin/nvcc" "$from/lib/nvidia-cuda-toolkit/bin/gcc" "$from/lib/nvidia-cuda-toolkit/bin/g++" \
        "$from/lib/nvidia-cuda-toolkit/bin/nvcc.profile"
    mv "$from/bin" "$from/include" "$1" &&
        mv "$from/lib/nvidia-cuda-toolkit/libdevice" "$1/nvvm" &&
        mv "$from/lib/nvidia-cuda-toolkit/bin/cicc" "$1/nvvm/bin" &&
        mv "$from/lib/nvidia-cuda-toolkit/bin/"* "$1/bin" &&
        mv "$from"/lib/*/libcuda* "$1/lib64" || return
    rm -r "$1/all"
    if [ "$(dpkg --print-architecture)" = arm64 ]; then # the C library's own declares vector types that nvcc does not know
        mkdir -p "$1/include/bits" || return
        echo '#include <bits/libm-simd-decl-stubs.h>' >"$1/include/bits/math-vector.h"
    fi
    cat >"$1/bin/nvcc.profile" <<'TEXT'
TOP = $(_HERE_)/..
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH += $(TOP)/nvvm/bin:$(_HERE_):
INCLUDES += "-I$(TOP)/include" $(_SPACE_)
CPLUS_INCLUDE_PATH = $(TOP)/include
LIBRARIES =+ $(_SPACE_) "-L$(TOP)/lib64"
TEXT
}

os_release() { # key
    sed -n "s/^$1=\"\{0,1\}\([^\"]*\).*/\1/p" /etc/os-release
}

# What pip needs of a user's configuration is the way to the index. A file of constraints names other versions, and what asks
# for a virtual environment means installing.
own_pip() { # a command that runs pip
    PIP_CONSTRAINT=/dev/null PIP_REQUIRE_VIRTUALENV=0 PIP_LOG=${own_log:-} "$@"
}

find_pip() { # sets python; or, where no python3 has pip, uv
    uv=
    for python in python3 /usr/bin/python3; do
        if own_pip "$python" -m pip --version >/dev/null 2>&1; then return 0; fi
    done
    command -v uv >/dev/null 2>&1 && uv=yes
}

wheels_megabytes() { # of this machine
    case $(uname -m) in aarch64) column=1 ;; *) column=2 ;; esac
    awk -v from_end="$column" '!/^#/ { sum += $(NF + 1 - from_end) } END { printf "%d", sum / 1000000 }' "$wheels"
}

# What apt would fetch for pip, as "the package python3-pip (NN MB)". Fails where there is no such package.
pip_package() {
    command -v apt-get >/dev/null 2>&1 || return
    set -- apt-get install --print-uris -y -qq --no-install-recommends python3-pip
    bytes=$("$@" 2>/dev/null | awk '{ sum += $3 } END { print sum + 0 }')
    if [ "$bytes" -eq 0 ] && [ "$(id -u)" -eq 0 ]; then # no lists yet, as in a container's image
        apt-get update -q >/dev/null 2>&1 || true
        bytes=$("$@" 2>/dev/null | awk '{ sum += $3 } END { print sum + 0 }')
    fi
    [ "$bytes" -gt 0 ] && echo "The package python3-pip ($((bytes / 1000000 + 1)) MB with what it needs)"
}

# Why the wheels did not come, by pip's or uv's words. In the place of a file that is not the listed one nothing else is taken.
explain_download() {
    words=$(cat "$toolkit.pip/log" "$toolkit.pip/said" 2>/dev/null)
    case $words in
    *'NOT MATCH THE HASHES'* | *'Hash mismatch'*)
        declined=yes
        say "The index has a file of another hash than common/launcher/wheels.txt says:"
        say "not used. Who keeps the index? pip config list, or uv's UV_DEFAULT_INDEX."
        ;;
    *'onnection error'* | *'onnect error'* | *'timed out'* | *'certificate'* | *'error sending request'*)
        say "The index was not reached: is there a network, and a proxy (https_proxy)?"
        ;;
    *'No matching distribution'* | *'no version of'* | *'not found in the package registry'*)
        say "The index does not have the wheels of common/launcher/wheels.txt."
        ;;
    esac
}

# Each by a pip of its own, side by side: what is there is for the next try. pip checks the hashes, of what was there, too.
download_wheels() { # folder; sets arrived where one came: the index is reached
    if [ -n "$uv" ]; then
        uv pip install --no-python-downloads --cache-dir "$1/cache" --target "$1/all" --no-deps --require-hashes \
            --only-binary :all: -r "$wheels" || return
        arrived=yes
        return
    fi
    failed=
    cp "$wheels" "$1/list" || return
    # shellcheck disable=SC2016 # for the inner shell
    sed -n 's/^\([a-z-]*\)==.*/\1/p' "$wheels" | (cd "$1" && own_pip xargs -P 3 -n 1 sh -c 'grep "^$1==" list >"$1.txt" &&
        "$0" -m pip download --disable-pip-version-check --progress-bar off --dest "$1" --no-deps --require-hashes \
            --only-binary :all: -r "$1.txt" </dev/null && "$0" -m zipfile -e "$1"/*.whl "$1/all"' "$python") || failed=yes
    ! ls "$1"/*/*.whl >/dev/null 2>&1 || arrived=yes
    [ -z "$failed" ]
}

# What of the wheels the kit needs: all but the compiler as a library.
unpack_wheels() { # folder to make, folder in which wheels were downloaded
    mkdir -p "$1" "$2/all" || return
    for part in "$2"/*/all; do [ ! -d "$part" ] || cp -Rlf "$part/." "$2/all" || return; done
    mv "$2"/all/nvidia/cu*/* "$1" && cp "$2"/all/nvidia_cuda_nvcc-*/licenses/* "$1" || return
    rm -f "$1"/lib/libnvvm.so*
    (cd "$1/lib" && ln -s libcudart.so.* libcudart.so) && chmod +x "$1"/bin/* "$1"/nvvm/bin/*
}

# Fails where the wheels are not to be had, and where they are not wanted or not complete: then `declined` is set.
get_wheels() {
    case $(uname -sm) in 'Linux x86_64' | 'Linux aarch64') ;; *) return 1 ;; esac
    package=
    find_pip || package=$(pip_package) || {
        no_pip=yes
        return 1
    }
    offer_toolkit PyPI "$(sed -n 's/^nvidia-cuda-nvcc==\([0-9.]*\).*/\1/p' "$wheels")" "$(wheels_megabytes)" 0.3 "$package" || return
    [ -z "$package" ] || agreed=yes get_packages needs python3-pip || return
    find_pip || return
    cmp -s "$wheels" "$toolkit.pip/wheels.txt" || rm -rf "$toolkit.pip" # of other versions
    mkdir -p "$toolkit.pip" && cp "$wheels" "$toolkit.pip" || return
    say "downloading"
    own_log=$toolkit.pip/said arrived=
    rm -f "$own_log"
    begin_ticker downloading
    download_wheels "$toolkit.pip" >"$toolkit.pip/log" 2>&1 || {
        end_ticker
        tail -n 5 "$toolkit.pip/log" >&2
        declined=$arrived
        explain_download
        if [ -n "$arrived" ]; then say "could not download all of it; the next try goes on from there"; else rm -r "$toolkit.pip"; fi
        return 1
    }
    end_ticker
    rm -rf "$toolkit" "$toolkit.new"
    if ! unpack_wheels "$toolkit.new" "$toolkit.pip" || ! mv "$toolkit.new" "$toolkit"; then
        say "could not unpack it in $toolkit.new"
        declined=yes
        return 1
    fi
    rm -r "$toolkit.pip"
}

get_toolkit() {
    declined=
    if get_wheels; then return 0; fi
    [ -z "$declined" ] && get_distribution
}

get_distribution() {
    command -v apt-get >/dev/null 2>&1 || return
    system=$(os_release ID) release=$(os_release VERSION_CODENAME)
    case $system in
    debian) pretty="Debian $(os_release VERSION_ID)" components='main non-free' ;;
    ubuntu) pretty="Ubuntu $(os_release VERSION_ID)" components='main universe multiverse' ;;
    *) return 1 ;;
    esac
    say "looking at the toolkit of $pretty"
    begin_apt "$release" "$components" || return
    version=$(own_apt apt-cache policy nvidia-cuda-toolkit | sed -n 's/^ *Candidate: \([0-9.]*[0-9]\).*/\1/p')
    if [ -z "$version" ]; then
        say "$pretty has no CUDA toolkit for $(dpkg --print-architecture)."
        return 1
    elif dpkg --compare-versions "$version" lt "$oldest_toolkit"; then
        say "The CUDA toolkit of $pretty is $version; the kit needs $oldest_toolkit."
        return 1
    fi
    # shellcheck disable=SC2046 # several packages
    set -- $(toolkit_packages)
    offer_toolkit "$pretty" "$version" "$(own_apt apt-get download --print-uris "$@" |
        awk '{ sum += $3 } END { printf "%d", sum / 1000000 }')" 0.2 '' || return
    progress=$toolkit.apt/log
    [ ! -t 2 ] || progress=/dev/stderr
    say "downloading"
    rm -rf "$toolkit.new"
    (cd "$toolkit.apt/archives" && own_apt apt-get download "$@" >"$progress" 2>&1) || {
        [ -t 2 ] || tail -n 5 "$toolkit.apt/log" >&2
        say "could not download all of it; the next try goes on from there"
        return 1
    }
    say "unpacking: a minute or two"
    rm -rf "$toolkit"
    if ! unpack_toolkit "$toolkit.new" "$toolkit.apt/archives" || ! mv "$toolkit.new" "$toolkit"; then
        say "could not unpack it in $toolkit.new"
        return 1
    fi
    rm -r "$toolkit.apt"
}

accepts() { # host compiler
    "$CUDACXX" -ccbin "$1" -E -x cu /dev/null >/dev/null 2>&1
}

# The newest major version of GCC that nvcc accepts, as its headers say; nothing if they do not.
newest_gcc() {
    real=$(readlink -f "$CUDACXX")
    for headers in "${real%/bin/nvcc}"/include "${real%/bin/nvcc}"/targets/*/include /usr/include; do
        [ ! -f "$headers/crt/host_config.h" ] || {
            sed -n 's/^#if __GNUC__ > \([0-9]*\).*/\1/p' "$headers/crt/host_config.h"
            return
        }
    done
}

# A compiler that nvcc accepts: the system's own, else another version of it, which CMake is told by CUDAHOSTCXX; else the
# name of the package with one. In a build folder that is configured the choice is made.
find_host_compiler() {
    wanted_compiler=
    if [ -n "${CUDAHOSTCXX:-}" ] || [ -f "$build/CMakeCache.txt" ]; then return 0; fi
    newest=$(newest_gcc)
    if command -v g++ >/dev/null 2>&1; then
        if [ -z "$newest" ] || accepts g++; then return 0; fi
    fi
    at=${newest:-0}
    while [ "$at" -ge 9 ]; do
        if command -v "g++-$at" >/dev/null 2>&1 && accepts "g++-$at"; then
            CUDAHOSTCXX=$(command -v "g++-$at")
            export CUDAHOSTCXX
            command -v g++ >/dev/null 2>&1 || export CC="${CC:-gcc-$at}" CXX="${CXX:-g++-$at}"
            return 0
        fi
        at=$((at - 1))
    done
    wanted_compiler=$(compiler_package "$newest")
}

usual_gcc() { # the version that the package g++ brings
    apt-cache depends g++ 2>/dev/null | sed -n 's/^ *Depends: g++-\([0-9]*\)$/\1/p'
}

compiler_package() { # newest version that is accepted, or ""
    usual=$(usual_gcc)
    if [ -z "$usual" ] && [ "$(id -u)" -eq 0 ]; then # no lists yet, as in a container's image
        apt-get update -q >/dev/null 2>&1 || true
        usual=$(usual_gcc)
    fi
    at=${1:-0}
    if ! command -v g++ >/dev/null 2>&1 && [ "${usual:-0}" -le "$at" ]; then at=0; fi
    while [ "$at" -ge 9 ]; do
        if apt-cache show "g++-$at" >/dev/null 2>&1; then
            echo "g++-$at"
            return
        fi
        at=$((at - 1))
    done
    echo g++
}
