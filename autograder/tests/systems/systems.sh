# Systems with nothing installed, for bare.sh and container.sh: made by debootstrap, entered by chroot.
# shellcheck shell=sh disable=SC2154 # kit, work: theirs

skip() {
    echo "skipped: $*"
    exit 77
}
fail() {
    echo "$*"
    exit 1
}

need_root_and() { # programs
    [ "$(id -u)" -eq 0 ] || skip "this test makes a system in a folder and must be root"
    for program in "$@"; do
        command -v "$program" >/dev/null || skip "$program is not installed (Debian: the package of this name)"
    done
}

# The release as debootstrap makes it, once; every test works on a copy.
make_base() { # release, architecture, folder
    [ ! -f "$3.made" ] || return 0
    rm -rf "$3"
    debootstrap --variant=minbase --arch="$2" "$1" "$3" >"$3.log" 2>&1 || {
        tail -n 3 "$3.log"
        skip "debootstrap could not make $1 for $2"
    }
    rm -f "$3"/var/cache/apt/archives/*.deb "$3"/var/cache/apt/*.bin
    touch "$3.made"
}

# The files that git knows, as they are now, in a repository of one commit.
copy_kit() { # folder
    mkdir -p "$1"
    git -c safe.directory='*' -C "$kit" ls-files -z --cached --others --exclude-standard |
        (cd "$kit" && tar -c --null --ignore-failed-read -T - 2>/dev/null) | tar -x -C "$1"
}

# Mounts end with this process: unshare. The authority that signs for pip's index on this machine is trusted inside, too.
inside() { # system's folder, folder in it, command
    system=$1 at=$2
    shift 2
    cp /etc/hosts "$system/etc/hosts"
    [ ! -f /etc/resolv.conf ] || cp /etc/resolv.conf "$system/etc/resolv.conf"
    [ ! -f "${PIP_CERT:-}" ] || cp "$PIP_CERT" "$system/etc/pip-certificates"
    # shellcheck disable=SC2016 # expanded inside
    unshare -m sh -c 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && at=$1 && shift &&
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root PIP_CERT='"${PIP_CERT:+/etc/pip-certificates}"' chroot "$0" sh -c "cd $at && exec \"\$@\"" sh "$@"' \
        "$system" "$at" "$@" </dev/null
}

# Runs a command inside, with what it says in $work/said; sets wall and processor (seconds).
timed_inside() { # as inside
    began=$(date +%s)
    status=0
    (
        inside "$@" >"$work/said" 2>&1 || exit
        times >"$work/times"
    ) || status=$?
    wall=$(($(date +%s) - began))
    [ "$status" -eq 0 ] || fail "exit status $status of $*: $(tail -n 30 "$work/said")"
    read_times
}

# Sets processor: seconds of all commands of the shell that wrote $work/times.
read_times() {
    processor=$(awk 'NR == 2 { gsub("[ms]", " "); print int($1 * 60 + $2 + $3 * 60 + $4 + 0.5) }' "$work/times")
}

# Between begin_clock and end_clock: sets wall and processor as timed_inside does.
begin_clock() {
    began=$(date +%s)
    times >"$work/times" # not in a subshell, which would have none
    read_times
    used_before=$processor
}
end_clock() {
    wall=$(($(date +%s) - began))
    times >"$work/times"
    read_times
    processor=$((processor - used_before))
}

# What came by the network, in MB: packages that apt kept, and the toolkit as the launcher said.
downloaded() { # system's folder, text of the launcher
    {
        find "$1/var/cache/apt/archives" -name '*.deb' -printf '%s\n'
        sed -n 's/^ladder: \([0-9]*\) MB to download.*/\1e6/p' "$2"
    } | awk '{ sum += $1 } END { printf "%.0f", sum / 1e6 }'
}

taken() { # system's folder: MB, without packages that apt kept
    du -sxm --exclude=proc --exclude=dev --exclude='*.deb' "$1" | cut -f1
}

# A row of docs/systems.txt, in place of the one with the same system, toolkit and command.
record() { # system, toolkit, command, result, MB downloaded, MB on disk
    echo "$1 | $2 | $3 | $4 | $(date +%F) | $5 | $6 | $wall | $processor" >>"$work/record.txt"
}
