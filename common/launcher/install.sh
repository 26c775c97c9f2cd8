# What the launcher (../../ladder, which reads this) installs: packages that a command needs, or can use. Debian's names.
# shellcheck shell=sh disable=SC2154 # root, build, log, say, find_nvcc and the like: the launcher's

# What every command needs beyond the toolkit, and what is built with more where it is there (Debian's names).
needed='cmake make'
used='check libjansson-dev zlib1g-dev libarchive-dev libsqlite3-dev libyaml-dev libdw-dev libedit-dev'

has_header() {
    [ -f "/usr/include/$1" ] || printf '#include <stddef.h>\n#include <stdio.h>\n#include <%s>\n' "$1" |
        "${CXX:-g++}" -E -x c - >/dev/null 2>&1
}

is_present() { # package
    case $1 in
    make) command -v ninja || command -v make ;;
    nodejs) command -v node ;;
    bubblewrap) command -v bwrap ;;
    check) has_header check.h ;;
    libjansson-dev) has_header jansson.h ;;
    zlib1g-dev) has_header zlib.h ;;
    libarchive-dev) has_header archive.h ;;
    libsqlite3-dev) has_header sqlite3.h ;;
    libyaml-dev) has_header yaml.h ;;
    libedit-dev) has_header histedit.h ;;
    libdw-dev) has_header elfutils/libdw.h ;;
    doxygen-awesome-css) [ -f /usr/share/doxygen-awesome-css/doxygen-awesome.css ] ;;
    slurm-wlm) [ -f /usr/sbin/slurmctld ] ;;
    munge) [ -f /usr/sbin/munged ] ;;
    *) command -v "$1" ;;
    esac >/dev/null
}

missing() { # packages
    for package in "$@"; do is_present "$package" || printf '%s ' "$package"; done
}

# Gets packages, or says how to. Fails when they are not there afterwards.
get_packages() { # why: needs, can use; packages
    why=$1
    shift
    if ! command -v apt-get >/dev/null 2>&1; then
        say "missing: $* (Debian's names)"
        say "This system has no apt-get: install them with its package manager and run this again."
        return 1
    fi
    sudo=
    [ "$(id -u)" -eq 0 ] || sudo="sudo "
    install="${sudo}apt-get install -y --no-install-recommends $*"
    if [ -n "${agreed:-}" ]; then # with what it is needed for
        :
    elif [ -t 0 ] && [ -t 2 ]; then
        printf 'ladder: %s %s\nladder: run "%s" now? [Y/n] ' "$why" "$*" "$install" >&2
        read -r answer || answer=n
        case $answer in '' | y | Y | yes) ;; *)
            say "Not installed. To do it yourself: $install"
            return 1
            ;;
        esac
    elif [ "$(id -u)" -ne 0 ]; then
        say "$why $*. Install with: $install"
        return 1
    fi
    say "installing $*"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    $sudo apt-get install -y -q --no-install-recommends "$@" >"$log" 2>&1 || {
        $sudo apt-get update -q >>"$log" 2>&1 || true
        $sudo apt-get install -y -q --no-install-recommends "$@" >>"$log" 2>&1
    } || {
        tail -n 20 "$log" >&2
        say "could not install $* (whole log: $log)"
        return 1
    }
}

install_packages() { # packages
    # shellcheck disable=SC2046 # several packages
    set -- $(missing "$@")
    [ $# -eq 0 ] || get_packages needs "$@" || exit 1
}

# What a lab makes use of and does not need, such as a data set: labs/LAB/packages.txt has lines of "PACKAGE FILE
# COMMAND [OPTION..] [!OPTION..]". The package is wanted when FILE is missing and COMMAND runs for this lab, or tests all,
# with every OPTION and no !OPTION.
wanted_packages() { # arguments of ladder
    words=" $* "
    lab=
    for word in "$@"; do
        case $word in -*) continue ;; esac
        [ "$word" != "$1" ] || continue
        lab=$word
        break
    done
    for list in "$root"/labs/*/packages.txt; do
        [ -f "$list" ] || continue
        folder=${list%/*}
        folder=${folder##*/}
        number=${folder%%_*}
        case ${1:-}/$lab in test/* | */"$folder" | */"${folder#*_}" | */"$number" | */"${number#0}") ;; *) continue ;; esac
        while read -r package file wanted; do
            case $package in '' | '#'*) continue ;; esac
            [ ! -e "$file" ] || continue
            for word in $wanted; do
                case $word:$words in '!'*" ${word#!} "*) continue 2 ;; '!'* | *" $word "*) ;; *) continue 2 ;; esac
            done
            printf '%s\n' "$package"
        done <"$list"
    done | sort -u
}

# The sandbox round graded work, what reads archives and lists of who handed in, and the gradebook's library: wanted where others' work is graded, and
# where it is looked for; likewise what reads debug information. All tests have a cluster of their own, too.
class_packages() { # arguments of ladder
    case " $* " in
    *' --help '*) ;;
    ' gradebook '*) missing libsqlite3-dev ;;
    ' debug '*) missing libdw-dev libedit-dev ;;
    ' test'*' --full '*) missing bubblewrap libarchive-dev libsqlite3-dev libyaml-dev libdw-dev libedit-dev slurm-wlm munge ;;
    ' test '* | ' doctor '*) missing bubblewrap libarchive-dev libsqlite3-dev libyaml-dev libdw-dev libedit-dev ;;
    ' regrade '* | ' grade '*' --submissions'[\ =]*)
        missing bubblewrap libarchive-dev libsqlite3-dev libyaml-dev
        ;;
    esac
}

offer_packages() { # arguments of ladder
    # shellcheck disable=SC2046 # several packages
    set -- $(wanted_packages "$@") $(class_packages "$@")
    [ $# -eq 0 ] || get_packages "can use" "$@" || say "going on without $*"
}

# nvcc, a compiler that it accepts, and packages.
install_basics() { # packages beside those that every command needs
    find_nvcc
    find_host_compiler
    # shellcheck disable=SC2086 # several packages
    install_packages $needed $wanted_compiler "$@"
    [ -n "$wanted_compiler" ] || return 0
    find_host_compiler
    [ -z "$wanted_compiler" ] || die "$CUDACXX accepts none of the compilers here; it needs $wanted_compiler"
}

install_help() {
    cat <<'TEXT'
usage: ladder install

Installs what the kit needs and what grading can use, and builds nothing: the
CUDA toolkit of PyPI or of this distribution where there is none, a compiler that it
accepts, CMake, and the libraries for archives and gradebooks. Other commands do
the same when something is missing.
example: sudo ./ladder install
TEXT
}

run_install() { # arguments
    case $* in
    '') ;;
    --help) install_help && exit ;;
    *) install_help >&2 && exit 2 ;;
    esac
    log=$(mktemp) || die "cannot write a temporary file"
    install_basics
    offer_packages doctor
    rm -f "$log"
    say "all is there; nvcc is $CUDACXX"
}
