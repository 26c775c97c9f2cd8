# Debian's arm64 packages, for unit_tests.sh and kernels.sh: by package lists in a folder of their own, so that nothing of the
# system changes.
# shellcheck shell=sh

own_apt() { # folder, command of apt and its arguments
    apt_folder=$1
    shift
    "$@" -q -o Dir::State="$apt_folder/state" -o Dir::State::status="$apt_folder/status" -o Dir::Cache="$apt_folder/cache" \
        -o Dir::Etc::sourcelist="$apt_folder/sources.list" -o Dir::Etc::sourceparts="$apt_folder/none" \
        -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Install-Recommends=false -o APT::Sandbox::User=root
}

begin_apt() { # folder, release
    mkdir -p "$1/state/lists/partial" "$1/cache/archives/partial" "$1/none"
    : >"$1/status"
    # shellcheck disable=SC2016 # apt's
    address=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' |
        sed -n "s/ $(os_codename)\$//p" | sed -n 1p)
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $address $2 main" >"$1/sources.list"
    own_apt "$1" apt-get update
}

os_codename() {
    sed -n 's/^VERSION_CODENAME=//p' /etc/os-release
}
