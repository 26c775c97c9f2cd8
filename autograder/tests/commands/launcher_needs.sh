#!/bin/sh
# SPDX-License-Identifier: MIT
# launcher_needs.sh LAUNCHER FOLDER: does each command of the launcher install what it needs, by whatever options it is
# called? Does a kit that was handed out say of commands of the whole kit that it has none? Runs the launcher in FOLDER on a machine that has nothing: no headers, and an apt-get that only tells what it was asked for.
# test: autograder/launcher_needs @SOURCE@/ladder @WORK@
set -eu
launcher=$(realpath "$1")
rm -rf "$2"
mkdir -p "$2/bin" "$2/kit/labs" "$2/kit/.ci" "$2/kit/docs/site" "$2/kit/common/launcher"
cd "$2"
for file in ladder common/launcher/install.sh common/launcher/toolkit.sh; do
    sed 's|/usr/include/|/nothing/include/|; s|/opt/|/nothing/|' "${launcher%/*}/$file" >"kit/$file"
done
cp "${launcher%/*}/.ci/maintain.sh" kit/.ci/
cp "${launcher%/*}/docs/site/command.sh" kit/docs/site/
chmod +x kit/ladder
for program in sh dirname tr sort cat sed getconf mkdir tail grep flock readlink rm mktemp; do ln -s "$(command -v "$program")" bin/; done
printf '#!/bin/sh\nexit 1\n' >bin/nvcc
printf '#!/bin/sh\necho "apt-get $*"\nexit 1\n' >bin/apt-get
printf '#!/bin/sh\necho 0\n' >bin/id
chmod +x bin/nvcc bin/apt-get bin/id
wrong=0
needs() { # package, arguments of ladder
    package=$1
    shift
    said=$(PATH=$PWD/bin kit/ladder "$@" </dev/null 2>&1) && {
        echo "ladder $*: went on where nothing could be installed"
        wrong=1
    }
    asked=$(echo "$said" | sed -n 's/^ladder: installing //p' | tr '\n' ' ')
    case " $asked" in *" $package "*) return 0 ;; esac
    printf 'ladder %s: does not install %s, but says:\n%s\n' "$*" "$package" "$said"
    wrong=1
}
for options in '' --check --pages '--pages --check' --students '--students kit --check'; do
    # shellcheck disable=SC2086 # several options
    needs cmark-gfm docs $options
    # shellcheck disable=SC2086
    needs doxygen docs $options
done
needs nodejs docs
needs chromium docs --check
needs g++ test
needs g++ test --full
mkdir kit/labs/02_reduction
for lab in reduction 02_reduction 2; do needs g++ test $lab; done
said=$(PATH=$PWD/bin kit/ladder test nothing </dev/null 2>&1) && wrong=1
case $said in *'there is no lab nothing'*) ;; *)
    echo "ladder test nothing says: $said"
    wrong=1
    ;;
esac
needs g++ tables --check
for command in test counters 'counters --check' coverage 'coverage --check'; do
    # shellcheck disable=SC2086 # command and option
    needs check $command
done
needs g++ run reduction --solution
needs cmake install
rm -r kit/.ci
needs cmark-gfm docs
needs doxygen docs --check
for command in test 'test --full' format tables 'counters --check' coverage; do
    # shellcheck disable=SC2086 # command and option
    said=$(PATH=$PWD/bin kit/ladder $command </dev/null 2>&1) && wrong=1
    case $said in
    "ladder: \"${command%% *}\" belongs to the whole kit"*) [ "$(echo "$said" | grep -c .)" -eq 1 ] && continue ;;
    esac
    echo "ladder $command says of a handout: $said"
    wrong=1
done
for options in '--students' '--pages --nothing' '--students a b'; do
    # shellcheck disable=SC2086 # several options
    PATH=$PWD/bin kit/ladder docs $options </dev/null >/dev/null 2>&1 && wrong=1
done
exit $wrong
