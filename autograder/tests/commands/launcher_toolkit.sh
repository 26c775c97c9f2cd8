#!/bin/sh
# launcher_toolkit.sh LAUNCHER FOLDER: what does the launcher do where there is no nvcc? On made-up systems: an os-release, an
# apt that has the packages of a table, a pip that has the wheels of another, and packages and wheels that hold an nvcc of a few
# lines, which accepts some compilers.
# test: autograder/launcher_toolkit @SOURCE@/ladder @WORK@
set -eu
launcher=$(realpath "$1")
rm -rf "$2"
mkdir -p "$2/bin" "$2/kit/common/launcher" "$2/kit/labs" "$2/package"
cd "$2"
here=$PWD
for file in ladder common/launcher/install.sh common/launcher/toolkit.sh; do
    sed "s|/etc/os-release|$here/os-release|; s|/usr/include|/nothing|; s|/usr/local/|/nothing/|; s|/opt/|$here/opt/|g" \
        "${launcher%/*}/$file" >"kit/$file"
done
chmod +x kit/ladder
sed -i 's|/usr/bin/python3|/nothing/python3|' kit/common/launcher/toolkit.sh
cp "${launcher%/*}/common/launcher/wheels.txt" kit/common/launcher/
for program in sh dirname tr sort cat sed awk tar mkdir mv rm tail grep mktemp readlink touch env cmp cp ln ls chmod xargs; do
    ln -s "$(command -v "$program")" bin/
done

# Fakes: each writes down how it was called. Facts of the system: files below here.
fake() { # program; its text
    { printf '#!/bin/sh\necho "%s $*" >>%s/calls\n' "$1" "$here" && cat; } >"bin/$1"
    chmod +x "bin/$1"
}
fake id <<'TEXT'
cat "$HERE/uid"
TEXT
fake dpkg <<'TEXT'
case $1 in
--print-architecture) cat "$HERE/architecture" ;;
--compare-versions) exec awk -v a="$2" -v b="$4" 'BEGIN {
    split(a, x, "."); split(b, y, "."); exit !(x[1] + 0 < y[1] + 0 || (x[1] == y[1] && x[2] + 0 < y[2] + 0)) }' ;;
esac
TEXT
fake apt-get <<'TEXT'
case $* in
indextargets*) sed 's/^/http:\/\/mirror\/packages /' "$HERE/releases" ;;
update*) cat "${APT_CONFIG%/*}/sources.list" >"$HERE/sources" ;;
'download --print-uris '*) shift 2 && for p in "$@"; do echo "'http://mirror/$p' $p.deb 2000000 SHA256:0"; done ;;
download*) [ ! -e "$HERE/broken" ] || exit 1
    shift && for p in "$@"; do touch "$p.deb"; done ;;
'install --print-uris '*) [ ! -e "$HERE/pip" ] || echo "'http://mirror/pip' pip.deb 9000000 SHA256:0" ;;
install*) for p in "$@"; do
        [ "$p" != python3-pip ] || cp "$HERE/python3" "$HERE/bin/"
        case $p in cmake | make | g++*) printf '#!/bin/sh\n' >"$HERE/bin/$p" && chmod +x "$HERE/bin/$p" ;; esac
    done ;;
esac
TEXT
chmod +x bin/apt-get
fake apt-cache <<'TEXT'
case $* in
'policy nvidia-cuda-toolkit') sed 's/^/  Candidate: /' "$HERE/candidate" ;;
'depends nvidia-cuda-dev') printf '  Depends: libcudart%s\n  Depends: libcublas9\n' "$(cat "$HERE/runtime")" ;;
'depends g++') echo "  Depends: g++-$(cat "$HERE/usual")" ;;
'show g++-'*) grep -qx "${2#g++-}" "$HERE/compilers" ;;
esac
TEXT
fake dpkg-deb <<'TEXT'
case $2 in */nvidia-cuda-toolkit.deb) cat "$HERE/package.tar" ;; *) tar -c -T /dev/null ;; esac
TEXT
export HERE="$here"
fake uname <<'TEXT'
case $* in -sm) echo "Linux $(cat "$HERE/machine")" ;; -m) cat "$HERE/machine" ;; *) echo Linux ;; esac
TEXT
# A pip whose index has all wheels but those named in `lost`, and a python that unpacks one.
fake python3 <<'TEXT'
case $* in
'-m pip download '*) echo "$PIP_CONSTRAINT $PIP_REQUIRE_VIRTUALENV" >"$HERE/settings"
    shift $(($# - 1)) # the last: a file with one requirement
    wheel=$(sed 's/==.*//' "$1")
    [ "$(awk '/--hash=sha256:[0-9a-f]+ --hash/ { n++ } END { print NR, n }' "$1")" = '1 1' ] || exit 1
    ! grep -qx "$wheel" "$HERE/lost" || exit 1
    mkdir -p "$wheel" && touch "$wheel/$wheel.whl" ;;
'-m zipfile -e '*) mkdir -p "$5/nvidia_cuda_nvcc-1/licenses" && touch "$5/nvidia_cuda_nvcc-1/licenses/License.txt"
    cp -r "$HERE/wheel/." "$5" ;;
esac
TEXT
mv bin/python3 python3
cat >bin/uv.not <<'TEXT'
#!/bin/sh
echo "uv $*" >>"$HERE/calls"
while [ "$1" != --target ]; do shift; done
mkdir -p "$2" && cp -r "$HERE/wheel/." "$2" && mkdir -p "$2/nvidia_cuda_nvcc-1/licenses" && touch "$2/nvidia_cuda_nvcc-1/licenses/License.txt"
TEXT

# nvcc accepts versions up to that in its header, which it looks for beside itself.
pack() { # newest version accepted
    rm -rf package && mkdir -p package/usr/bin package/usr/include/crt package/usr/lib/nvidia-cuda-toolkit/bin \
        package/usr/lib/nvidia-cuda-toolkit/libdevice package/usr/lib/x86_64-linux-gnu package/usr/share/doc
    echo "#if __GNUC__ > $1" >package/usr/include/crt/host_config.h
    touch package/usr/bin/ptxas package/usr/lib/nvidia-cuda-toolkit/bin/cicc package/usr/lib/x86_64-linux-gnu/libcudart.so \
        package/usr/lib/x86_64-linux-gnu/libcublas_static.a package/usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc
    cat >package/usr/lib/nvidia-cuda-toolkit/bin/nvcc <<TEXT
#!/bin/sh
[ "\$1" = -ccbin ] || exit 1
case \$2 in g++) version=\$(cat "$here/usual") ;; *) version=\${2##*-} ;; esac
[ "\$version" -le $1 ]
TEXT
    cp package/usr/lib/nvidia-cuda-toolkit/bin/nvcc package/usr/bin/nvcc # Debian's script of this name
    chmod +x package/usr/lib/nvidia-cuda-toolkit/bin/nvcc
    tar -c -C package -f package.tar .
    rm -rf wheel && mkdir -p wheel/nvidia/cu13/bin wheel/nvidia/cu13/include/crt wheel/nvidia/cu13/lib wheel/nvidia/cu13/nvvm/bin \
        wheel/nvidia/cu13/nvvm/libdevice
    cp package/usr/include/crt/host_config.h wheel/nvidia/cu13/include/crt/
    cp package/usr/lib/nvidia-cuda-toolkit/bin/nvcc wheel/nvidia/cu13/bin/
    (cd wheel/nvidia/cu13 && touch bin/ptxas bin/nvcc.profile nvvm/bin/cicc nvvm/libdevice/libdevice.10.bc lib/libcudart.so.13 lib/libnvvm.so.4)
}

system() { # name, version, release; architecture, candidate, runtime's version; usual compiler, newest accepted, all compilers
    printf 'NAME="Some name"\nID=%s\nVERSION_ID="%s"\nVERSION_CODENAME=%s\n' "$1" "$2" "$3" >os-release
    printf '%s\n' other "$3" "$3-updates" >releases
    echo "$4" >architecture
    echo "$5" >candidate
    echo "$6" >runtime
    echo "$7" >usual
    pack "$8"
    echo "$9" | tr ' ' '\n' >compilers
    echo 0 >uid
    case $4 in arm64) echo aarch64 ;; *) echo x86_64 ;; esac >machine
    : >lost
    rm -rf opt bin/cmake bin/make bin/g++* bin/python3 bin/uv pip settings broken calls sources
}

wrong=0
install() { # expected exit status; sets said
    status=0
    said=$(env -i PATH="$here/bin" HOME="$here/home" HERE="$here" kit/ladder install </dev/null 2>&1) || status=$?
    [ "$status" -eq "$1" ] || {
        printf 'exit status %s, not %s: %s\n' "$status" "$1" "$said"
        wrong=1
    }
}
holds() { # text, in what
    case $2 in *"$1"*) return 0 ;; esac
    printf '%s: lacks "%s":\n%s\n' "$(sed -n 2,3p os-release | tr '\n' ' ')" "$1" "$2"
    wrong=1
}
lacks() {
    case $2 in *"$1"*) ;; *) return 0 ;; esac
    printf '%s: has "%s":\n%s\n' "$(sed -n 2,3p os-release | tr '\n' ' ')" "$1" "$2"
    wrong=1
}
is_unpacked() {
    for file in bin/nvcc bin/ptxas bin/nvcc.profile nvvm/bin/cicc nvvm/libdevice/libdevice.10.bc "${1:-lib64}"/libcudart.so include/crt; do
        [ -e "opt/kernel-ladder/cuda/$file" ] || holds "$file" "$(cd opt/kernel-ladder && find . 2>&1)"
    done
    [ ! -e opt/kernel-ladder/cuda/lib64/libcublas_static.a ] || wrong=1
    lacks . "$(cd opt/kernel-ladder && ls | sed 's/^cuda$//')" # nothing of the download is left
}
installs() { # packages
    holds "--no-install-recommends $1" "$(grep '^apt-get install' calls)"
}

system debian 12 bookworm amd64 11.8.89~11.8.0-5~deb12u1 11.0 12 11 '9 11 12'
install 0
holds 'Debian 12 has the CUDA toolkit 11.8.89' "$said"
holds '12 MB to download' "$said" # six packages
holds "ladder:   $here/opt/kernel-ladder/cuda" "$said"
holds 'http://mirror/packages bookworm main non-free' "$(cat sources)"
is_unpacked
installs 'cmake make g++-11'
lacks 'nvidia-cuda' "$(grep '^apt-get install' calls)" # nor anything that brings a driver
: >calls
install 0 # it is found again
lacks download "$(cat calls)"

system debian 13 trixie arm64 12.4.131~12.4.1-2 12 14 13 '12 13 14'
install 0
holds 'Debian 13 has the CUDA toolkit 12.4.131' "$said"
is_unpacked
installs 'cmake make g++-13'

system ubuntu 24.04 noble amd64 12.0.140~12.0.1-4build4 12 13 12 '9 10 11 12 13 14'
install 0
holds 'Ubuntu 24.04 has the CUDA toolkit 12.0.140' "$said"
holds 'noble main universe multiverse' "$(cat sources)"
installs 'cmake make g++-12'

# Nothing newer is installed where the usual compiler will do.
system ubuntu 26.04 resolute amd64 13.1.80-1 13 15 15 '13 14 15'
install 0
grep -qx 'apt-get install .* cmake make g++' calls || installs 'cmake make g++ alone'

system ubuntu 22.04 jammy amd64 11.5.119~11.5.1-1ubuntu1 11.0 11 11 '9 11 12'
install 1
holds 'The CUDA toolkit of Ubuntu 22.04 is 11.5.119; the kit needs 11.8' "$said"
holds 'docs/install.md' "$said"
lacks download "$(cat calls)"

system debian 12 bookworm arm64 '' 11.0 12 11 '11 12' # non-free has no such package there
install 1
holds 'Debian 12 has no CUDA toolkit for arm64' "$said"

system fedora 43 '' amd64 13.0 13 15 15 15
install 1
holds 'https://developer.nvidia.com/cuda-downloads' "$said"
holds 'docs/install.md' "$said"

# The wheels, where pip or uv is: a seventh to download, and nothing of apt's but the compiler. The versions are those of the list.
release=$(sed -n 's/^nvidia-cuda-nvcc==\([0-9.]*\) .*/\1/p' kit/common/launcher/wheels.txt)
takes_wheels() { # MB
    holds "PyPI has the CUDA toolkit $release" "$said"
    holds "$1 MB to download" "$said"
    is_unpacked lib
    [ ! -e opt/kernel-ladder/cuda/lib/libnvvm.so.4 ] && [ -f opt/kernel-ladder/cuda/License.txt ] || wrong=1
    lacks 'non-free' "$(cat sources 2>/dev/null)"
}
system debian 13 trixie amd64 12.4.131~12.4.1-2 12 14 15 '12 13 14'
cp python3 bin/
install 0
takes_wheels 134
lacks python3-pip "$(cat calls)"
[ "$(cat settings)" = '/dev/null 0' ] || wrong=1 # a user's constraints and environments are not asked
system fedora 43 '' arm64 13.0 13 15 15 15
cp python3 bin/ && touch bin/g++ bin/cmake bin/make && chmod +x bin/g++ bin/cmake bin/make
install 0
takes_wheels 124
system debian 12 bookworm amd64 11.8.89~11.8.0-5~deb12u1 11.0 12 15 '9 11 12'
env PATH=/usr/bin:/bin install -m 755 bin/uv.not bin/uv
install 0
takes_wheels 134
holds '--require-hashes' "$(grep '^uv' calls)"
# pip is a package: it comes first, and where it is the index that lacks the wheels, the distribution's toolkit.
system debian 12 bookworm amd64 11.8.89~11.8.0-5~deb12u1 11.0 12 15 '9 11 12'
touch pip
install 0
takes_wheels 134
holds 'The package python3-pip (10 MB with what it needs) is installed first' "$said"
installs python3-pip
system debian 12 bookworm amd64 11.8.89~11.8.0-5~deb12u1 11.0 12 11 '9 11 12'
cp python3 bin/
sed 's/==.*//; /^#/d' kit/common/launcher/wheels.txt >lost
install 0
holds 'Debian 12 has the CUDA toolkit 11.8.89' "$said"
is_unpacked
# What broke off goes on: the wheels that came are there, and a gigabyte is not taken instead.
system debian 12 bookworm amd64 11.8.89~11.8.0-5~deb12u1 11.0 12 15 '9 11 12'
cp python3 bin/
echo nvidia-nvvm >lost
install 1
holds 'the next try goes on from there' "$said"
lacks 'Debian 12 has' "$said"
[ -f opt/kernel-ladder/cuda.pip/nvidia-cuda-nvcc/nvidia-cuda-nvcc.whl ] && [ ! -e opt/kernel-ladder/cuda ] || wrong=1
: >lost
install 0
takes_wheels 134
rm bin/python3

# Not root: nothing without a question, and no root needed where there is a terminal.
system debian 13 trixie amd64 12.4.131~12.4.1-2 12 14 13 '12 13 14'
echo 1000 >uid
install 1
holds 'sudo ./ladder install' "$said"
lacks 'download nvidia' "$(cat calls)"
if command -v script >/dev/null; then
    at_terminal() { # answer
        echo "$1" | env -i PATH="$here/bin" HOME="$here/home" HERE="$here" "$(command -v script)" -qec 'kit/ladder install' \
            typescript >said 2>&1 || true
    }
    at_terminal n
    holds 'download it now? [Y/n]' "$(cat said)"
    lacks 'download nvidia' "$(cat calls)"
    lacks cuda "$(ls home/.local/share/kernel-ladder)"
    at_terminal y
    [ -x home/.local/share/kernel-ladder/cuda/bin/nvcc ] || holds 'nvcc in the home folder' "$(cat said)"
fi

# What fails leaves no half of a toolkit, and is tried again.
system debian 13 trixie amd64 12.4.131~12.4.1-2 12 14 13 '12 13 14'
touch broken
install 1
holds 'the next try goes on from there' "$said"
rm broken package.tar
install 1
holds 'could not unpack' "$said"
[ ! -e opt/kernel-ladder/cuda ] || wrong=1
pack 13
install 0
is_unpacked

# A toolkit that is there, and a compiler that is too new for it.
mkdir -p cuda/bin cuda/include/crt
cp package/usr/lib/nvidia-cuda-toolkit/bin/nvcc cuda/bin/
cp package/usr/include/crt/host_config.h cuda/include/crt/
compiler() { # compilers that are there; sets CUDAHOSTCXX
    rm -f bin/g++*
    for name in $1; do printf '#!/bin/sh\n' >"bin/$name" && chmod +x "bin/$name"; done
    env -i PATH="$here/bin" HERE="$here" CUDACXX="$here/cuda/bin/nvcc" sh -c '
        root=. build=none && . kit/common/launcher/toolkit.sh && find_host_compiler
        echo "${CUDAHOSTCXX##*/} ${CXX:-} $wanted_compiler"'
}
[ "$(compiler 'g++ g++-12 g++-13 g++-14')" = 'g++-13  ' ] || wrong=1
[ "$(compiler 'g++-12')" = 'g++-12 g++-12 ' ] || wrong=1
[ "$(compiler 'g++ g++-14')" = '  g++-13' ] || wrong=1
echo 12 >usual
[ "$(compiler 'g++ g++-14')" = '  ' ] || wrong=1
[ "$(compiler '')" = '  g++' ] || wrong=1
[ "$wrong" -eq 0 ] && echo "the toolkit comes where it can"
exit "$wrong"
