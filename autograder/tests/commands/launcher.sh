#!/bin/sh
# launcher.sh TEST LAUNCHER FOLDER: tests of the launcher, each a function that gets the two arguments, in a kit made in FOLDER.
# test: autograder/launcher_alone alone @SOURCE@/ladder @WORK@
# test: autograder/launcher_lab lab @SOURCE@/ladder @WORK@
# test: autograder/launcher_lock lock @SOURCE@/ladder @WORK@
# test: autograder/launcher_needs needs @SOURCE@/ladder @WORK@
# test: autograder/launcher_packages packages @SOURCE@/ladder @WORK@
# test: autograder/launcher_place place @SOURCE@/ladder @WORK@
# test: autograder/launcher_push push @SOURCE@ @WORK@
# test: autograder/launcher_run run @SOURCE@/ladder @WORK@
set -eu

# LAUNCHER FOLDER: `./ladder` alone builds nothing. It says what to type first, or asks the program that is
# built. In a kit made in FOLDER, on a machine whose tools all fail.
test_alone() {
    launcher=$1
    rm -rf "$2"
    mkdir -p "$2/build" "$2/tools"
    cd "$2"
    cp "$launcher" ladder
    for tool in cmake ninja make nvcc g++ apt-get; do
        printf '#!/bin/sh\necho "%s was started" >>"%s/started"\nexit 1\n' "$tool" "$PWD" >"tools/$tool"
        chmod +x "tools/$tool"
    done
    fail() {
        echo "$*"
        exit 1
    }
    alone() { # what it must say; arguments of ladder
        says=$1
        shift
        said=$(PATH=$PWD/tools:$PATH LADDER_BUILD_DIR= ./ladder "$@" 2>&1) || fail "status $?: $said"
        case $said in *"$says"*) ;; *) fail "does not say \"$says\": $said" ;; esac
        [ ! -e started ] || fail "$(cat started)"
    }
    alone './ladder run first_kernel'
    alone './ladder run first_kernel' next
    mkdir -p build/labs/02_reduction build/autograder labs/02_reduction autograder common
    touch build/labs/02_reduction/past_runs.txt # a lab has run by its own program
    alone './ladder next               where you were'
    touch labs/02_reduction/lab.json autograder/a.c
    echo "$PWD " >build/.configured-for
    program() { # name
        printf '#!/bin/sh\necho "%s: $*"\n' "$1" >"build/autograder/$1"
        chmod +x "build/autograder/$1"
        touch -d '1 hour ago' autograder/a.c labs/02_reduction/lab.json
    }
    program ladder-run-reduction
    exec 8>>build/.launcher-lock && flock 8 # another builds
    alone 'ladder-run-reduction: next'
    alone 'ladder-run-reduction: next' next
    alone 'ladder-run-reduction: hint 2 3' hint 2 3
    program ladder
    alone 'ladder: next'
    alone 'ladder: hint reduction 3' hint reduction 3
    alone 'ladder: list' list
    exec 8>&-
    mkdir common/launcher && cp "${launcher%/*}"/common/launcher/*.sh common/launcher/
    touch -d "1 hour ago" common/launcher/*.sh common/launcher common
    alone 'usage: ladder install' install --help # the launcher's own, which no program knows
    touch -d '1 hour' autograder/a.c # what it is made of is newer
    ! PATH=$PWD/tools:$PATH LADDER_BUILD_DIR= ./ladder list >said 2>&1 || fail "not built again: $(cat said)"
    echo "alone it builds nothing"
    first_build "$1"
}

# What a first `run` says before the build: the idea of the lab's page without its signs, and whether the steps compile.
first_build() { # launcher
    sed -n '/^say()/,/^}/p; /^lab_named()/,/^}/p; /^knows_a_lab()/p; /^say_idea()/,/^}/p; /^compile_first()/,/^}/p' "$launcher" >functions.sh
    . ./functions.sh
    root=$PWD build=$PWD/build
    build_targets() { say "build $2"; }
    mkdir -p labs/02_reduction/steps
    touch labs/02_reduction/steps/2_strided.cu
    printf '# Lab\n\n**Goal.** No.\n\n## The idea\n\n![picture](a.svg)\n\nA [warp](../g.md#warp) *adds*.\nThen\n\nNo.\n' >labs/02_reduction/README.md
    rm build/autograder/ladder-run-reduction
    {
        say_idea reduction
        compile_first reduction run 2 2 9 --quick
        compile_first reduction run --quick 2 # no step
        compile_first reduction run 2 9
    } >said 2>&1
    diff said - <<'TEXT' || fail "first build"
ladder: builds the kit once: a minute or two. Meanwhile, from
ladder: labs/02_reduction/README.md:
  A warp adds. Then

ladder: build reduction_skeleton_step_2
ladder: step 2 compiles; building what runs and checks it
ladder: build reduction_skeleton_step_2
ladder: step 2 compiles; building what runs and checks it
TEXT
    program ladder-run-reduction
    { say_idea reduction && compile_first reduction run 2; } >said 2>&1
    [ ! -s said ] || fail "not the first run: $(cat said)"
    rm build/autograder/ladder-run-reduction
    program ladder-run-scan
    { say_idea reduction && compile_first reduction run 2; } >said 2>&1
    grep -q 'builds what runs this lab, once' said || fail "not the first lab: $(cat said)"
    if grep -q 'build reduction' said; then fail "compiled before the lab: $(cat said)"; fi
    options_of_configure
}

# A first command is configured without tests and for a short build; a command that needs more gets it, and keeps it.
options_of_configure() {
    sed -n '/^configure()/,/^}/p' "$launcher" >functions.sh
    . ./functions.sh
    root=$PWD log=/dev/null needed='' used=''
    forget_old_place() { :; }
    missing() { :; }
    begin_ticker() { :; }
    end_ticker() { :; }
    cmake() {
        for word in "$@"; do
            case $word in -DLADDER_*) options=" ${word#-DLADDER_}$options" ;; esac
        done
        for word in $options; do
            sed -i "/LADDER_${word%=*}:/d" configured/CMakeCache.txt 2>/dev/null || :
            echo "LADDER_${word%=*}:BOOL=${word#*=}" >>configured/CMakeCache.txt
        done
    }
    mkdir configured
    for command in run test run counters; do
        options=
        configure configured 2>/dev/null
        echo "$command:$options"
    done >said
    rm -r configured && mkdir configured
    for command in run counters test_lab; do
        options=
        configure configured 2>/dev/null
        echo "$command:$options"
    done >>said
    diff said - <<'TEXT' || fail "options of CMake"
run: UNITY=ON BUILD_TESTS=OFF
test: UNITY=OFF BUILD_TESTS=ON
run:
counters:
run: UNITY=ON BUILD_TESTS=OFF
counters: BUILD_TESTS=ON
test_lab:
TEXT
}

# LAUNCHER FOLDER: does each command of the launcher install what it needs, by whatever options it is
# called? Does a kit that was handed out say of commands of the whole kit that it has none? Runs the launcher in FOLDER on a machine that has nothing: no headers, and an apt-get that only tells what it was asked for.
test_needs() {
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
    for program in sh dirname tr sort cat sed cut date uname getconf mkdir tail grep flock readlink rm mktemp; do ln -s "$(command -v "$program")" bin/; done
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
}

# LAUNCHER FOLDER: who waits for a build is told whose it is; one that was killed in a build is told, too, and one that ended, well or not, is not.
test_lock() {
    rm -rf "$2"
    mkdir -p "$2"
    cd "$2"
    build=$PWD host=$(uname -n)
    sed -n '/^with_lock()/,/^}/p; /^start_of()/,/^}/p; /^unlock()/,/^}/p' "$1" >functions.sh
    . ./functions.sh
    say() { echo "$*" >>said; }
    echo "$host 1 5 2026-11-29T08:00:00Z" >.launcher-lock
    with_lock
    grep -qx "process 1 on $host, which built in $build since 2026-11-29T08:00:00Z, has died; this one takes its place" said
    grep -q "^$host $$ $(start_of $$) 20" .launcher-lock
    : >said
    (exec 9>&- && with_lock) &
    while [ ! -s said ]; do sleep 0.05; done
    unlock
    wait $!
    grep -qx "waiting for another ladder that builds in $build: process $$ on $host since 20[-0-9T:]*Z" said
    [ "$(grep -c . said)" -eq 1 ]
    (with_lock && exit 1) || [ ! -s .launcher-lock ] # one that fails has ended, too
}

# LAUNCHER FOLDER: `./ladder test LAB` builds what this lab's tests name, those of its own problem first, and gives the lock away
# between two targets. Its functions, with tools that only note what they are asked for.
test_lab() {
    maintain=${1%/*}/.ci/maintain.sh
    rm -rf "$2"
    mkdir -p "$2"/labs/04_ab "$2"/labs/05_abc "$2"/common "$2"/docs "$2"/autograder
    cd "$2"
    root=$PWD build=$PWD jobs=2
    cat >labs/CTestTestfile.cmake <<TEXT
add_test([=[lab/ab_problem]=] "$build/labs/lab_ab_problem" "$build/labs")
set_tests_properties([=[lab/ab_problem]=] PROPERTIES LABELS "$build/labs/lab_abc_problem")
add_test([=[lab/abc_problem]=] "$build/labs/lab_abc_problem")
add_test([=[lab/ab_sizes]=] "$build/labs/ab_of_full_tests")
TEXT
    cat >autograder/CTestTestfile.cmake <<TEXT
add_test([=[autograder/grade_04_ab]=] "/bin/sh" "-c" "\\"\\$0\\" 04_ab" "$build/autograder/tests/grade_test" "04_ab")
TEXT
    say() { echo "$*" | sed 's/[0-9]* s$/N s/' >>record; }
    configure() { echo "configure $command" >>record; }
    build_targets() { failed= && echo "build $2" >>record; } # as the launcher's
    with_lock() { echo lock >>record; }
    unlock() { echo unlock >>record; }
    cmake() { printf '%s: phony\n' ab lab_ab_problem lab_abc_problem ab_of_full_tests grade_test ladder_programs; }
    ctest() {
        case $* in
        "-N -LE ^full\$ -R ^(lab|host)/ab(_|\$)") echo '  Test  #4: lab/ab_problem' ;;
        "-N -LE ^full\$ -R ^[^lh].*/.*04_ab") echo '  Test #12: autograder/grade_04_ab' ;;
        *'(lab|host)'*) echo "ctest${*##*-R}" >>record && return "$fails" ;;
        *) echo "ctest${*##*-R}" >>record ;;
        esac
    }
    . "$maintain"
    for fails in 0 1; do
        : >record
        command=test
        ! (run_test_of_lab 04_ab) && ended=1 || ended=0
        [ $ended -eq $fails ] || fault=yes
    done
    [ -z "${fault:-}" ] || { echo "its status is not that of the tests" && exit 1; }
    diff record - <<TEXT
configure test_lab
build lab_ab_problem
unlock
lock
build kit-session
unlock
lock
build sim_runtime
unlock
lock
build ladder-engine
unlock
lock
build ab_solution
unlock
lock
build ab_skeleton
unlock
lock
built what these tests need in N s
unlock
ctest ^(lab|host)/ab(_|\$)
lock
build grade_test
unlock
lock
build ladder_programs
unlock
lock
build ab_call
unlock
lock
built what these tests need in N s
unlock
ctest ^[^lh].*/.*04_ab
lock
TEXT
}

# LAUNCHER FOLDER: does the launcher offer a lab's packages for that lab alone, with the right
# options, when they are missing? Does it go on without them? Reads its functions, in a kit made in FOLDER, with an
# apt-get that only tells what it was asked for.
test_packages() {
    launcher=$1
    rm -rf "$2"
    mkdir -p "$2/bin" "$2/labs/09_cnn" "$2/labs/10_other" "$2/labs/11_plain"
    cd "$2"
    printf '%s\n' '# a remark' '' 'data-set /nowhere/data run --app !--data' 'data-set /nowhere/data test' \
        'there / run' >labs/09_cnn/packages.txt
    echo 'other-set /nowhere/other run' >labs/10_other/packages.txt
    sed -n '/^say()/,/^}/p' "$launcher" >functions.sh
    printf '#!/bin/sh\necho "apt-get $*"\nexit "${APT_FAILS:-0}"\n' >bin/apt-get
    printf '#!/bin/sh\necho "${ROOT_ID:-0}"\n' >bin/id
    chmod +x bin/apt-get bin/id
    root=$PWD
    log=$PWD/log
    PATH=$PWD/bin:$PATH
    . ./functions.sh
    . "${launcher%/*}/common/launcher/install.sh"
    wrong=0
    wants() { # packages, arguments of ladder
        expected=$1
        shift
        got=$(wanted_packages "$@" | tr '\n' ' ')
        [ "$got" = "$expected" ] && return 0
        echo "ladder $*: wanted \"$got\", expected \"$expected\""
        wrong=1
    }
    wants 'data-set ' run cnn --app
    wants 'data-set ' run 9 --solution --app -- --seed 3
    wants 'data-set ' run --app 09
    wants 'data-set ' run 09_cnn --app
    wants '' run cnn --app -- --data here
    wants '' run cnn
    wants '' run cnn --solution
    wants '' grade cnn --app
    wants '' run 11_plain --app
    wants '' run 11 9 --app
    wants '' run
    wants 'other-set ' run other
    wants 'other-set ' run 10 9
    wants 'data-set ' test
    for_class() { # package, arguments of ladder, where neither is there
        expected=$1
        shift
        got=$(is_present() { return 1; }; class_packages "$@" | tr '\n' ' ')
        [ "$got" = "$expected" ] && return 0
        echo "ladder $*: wanted \"$got\" for a class, expected \"$expected\""
        wrong=1
    }
    for_class 'bubblewrap libarchive-dev libsqlite3-dev libyaml-dev libdw-dev libedit-dev ' doctor
    for_class 'bubblewrap libarchive-dev libsqlite3-dev libyaml-dev libdw-dev libedit-dev ' test
    for_class 'bubblewrap libarchive-dev libsqlite3-dev libyaml-dev libdw-dev libedit-dev slurm-wlm munge ' test --full
    for_class 'bubblewrap libarchive-dev libsqlite3-dev libyaml-dev ' grade reduction --submissions inbox
    for_class 'bubblewrap libarchive-dev libsqlite3-dev libyaml-dev ' grade reduction --jobs 2 --submissions=inbox
    for_class 'bubblewrap libarchive-dev libsqlite3-dev libyaml-dev ' regrade reduction --submissions inbox --gradebook course.db
    for_class 'libsqlite3-dev ' gradebook show course.db
    for_class 'libdw-dev libedit-dev ' debug reduction 1
    for_class '' grade reduction
    for_class '' doctor --help
    for_class '' run reduction
    says() { # what the output must hold; the output
        case $2 in *"$1"*) return 0 ;; esac
        printf 'lacks "%s":\n%s\n' "$1" "$2"
        wrong=1
    }
    says 'ladder: installing data-set' "$(offer_packages run cnn --app </dev/null 2>&1)"
    says 'apt-get install -y -q --no-install-recommends data-set' "$(cat log)"
    says 'going on without data-set' "$(APT_FAILS=1 offer_packages run cnn --app </dev/null 2>&1)"
    said=$(ROOT_ID=7 offer_packages run cnn --app </dev/null 2>&1) # a user who is not root
    says 'can use data-set. Install with: sudo apt-get install -y --no-install-recommends data-set' "$said"
    says 'going on without data-set' "$said"
    said=$(is_present() { return 1; }; ROOT_ID=7 offer_packages doctor </dev/null 2>&1)
    says 'can use bubblewrap libarchive-dev libsqlite3-dev libyaml-dev libdw-dev libedit-dev. Install with: sudo apt-get install -y --no-install-recommends bubblewrap libarchive-dev libsqlite3-dev libyaml-dev libdw-dev libedit-dev' "$said"
    [ -z "$(offer_packages run cnn </dev/null 2>&1)" ] || wrong=1
    rm bin/apt-get
    for program in tr sort cat id; do [ -e "bin/$program" ] || ln -s "$(command -v "$program")" bin/; done
    PATH=$PWD/bin # a system without apt-get
    says 'This system has no apt-get' "$(offer_packages run cnn --app </dev/null 2>&1)"
    [ "$wrong" -eq 0 ] && echo "packages of labs are offered where they are wanted"
    exit "$wrong"
}

# LAUNCHER FOLDER: is a kit built in a folder whose name has blanks, used from other
# folders, and built again where it was moved or copied? What is said of a full disk? The launcher builds a kit in FOLDER that has one
# program, which says where it lies.
test_place() {
    launcher=$(realpath "$1")
    rm -rf "$2"
    mkdir -p "$2/my course/GPU kit/common/launcher" "$2/my course/GPU kit/labs/01_transpose/steps" "$2/bin"
    cd "$2"
    kit="my course/GPU kit"
    cp "$launcher" "$kit/ladder"
    cp "${launcher%/*}"/common/launcher/install.sh "${launcher%/*}"/common/launcher/toolkit.sh "$kit/common/launcher/"
    cat >"$kit/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.18)
project(kit LANGUAGES NONE)
file(GENERATE OUTPUT autograder/made CONTENT "#!/bin/sh\necho \"kit in ${PROJECT_SOURCE_DIR}: $*\"\n")
add_custom_target(ladder_programs ALL COMMAND cp made ladder && chmod +x ladder WORKING_DIRECTORY autograder)
END
    # Nothing is to be installed, and no nvcc asked for: the launcher's own search is not what is tested.
    printf '\nis_present() { :; }\ninstall_basics() { :; }\noffer_packages() { :; }\n' >>"$kit/common/launcher/toolkit.sh"
    wrong=0
    says() { # folder to stand in, launcher, what it must say
        said=$(cd "$1" && "$2" doctor --here </dev/null 2>&1) || wrong=1
        case $said in
        *"$3"*) return 0 ;;
        esac
        printf '%s from "%s" says, without "%s":\n%s\n' "$2" "$1" "$3" "$said"
        wrong=1
    }
    top=$PWD
    says "$kit" ./ladder "kit in $top/my course/GPU kit: doctor --here"
    says "$kit/labs/01_transpose/steps" ../../../ladder "kit in $top/my course/GPU kit: doctor --here"
    says / "$top/my course/GPU kit/ladder" "kit in $top/my course/GPU kit: doctor --here"
    mv "my course" "second year"
    says "second year/GPU kit" ./ladder "the kit lies in another folder"
    says "second year/GPU kit" ./ladder "kit in $top/second year/GPU kit: doctor --here"
    cp -R "second year/GPU kit" copy
    says copy ./ladder "kit in $top/copy: doctor --here"
    says "second year/GPU kit" ./ladder "kit in $top/second year/GPU kit: doctor --here"
    # A full disk is told in one sentence.
    echo 'add_custom_target(full COMMAND echo "a.c: fatal error: No space left on device" && false)' >>copy/CMakeLists.txt
    echo 'add_dependencies(ladder_programs full)' >>copy/CMakeLists.txt
    said=$(copy/ladder doctor </dev/null 2>&1) && wrong=1
    case $said in
    *"fatal error"* | *FAILED*) wrong=1 ;;
    *"is full: make room, and run the same command again"*) ;;
    *) wrong=1 ;;
    esac
    [ "$wrong" -eq 0 ] || echo "$said"
    [ "$wrong" -eq 0 ] && echo "a kit may lie anywhere, and be moved"
    exit "$wrong"
}

# KIT FOLDER: the workflows for GitHub and GitLab run the same commands; what they run grades the labs that
# are begun, with a `ladder` that only writes what the real one would, and tells GitHub Classroom the points.
test_push() {
kit=$(realpath "$1")
rm -rf "$2"
mkdir -p "$2/common/launcher" "$2/labs/01_begun/steps" "$2/labs/02_untouched/steps" "$2/labs/03_done/steps"
cd "$2"
fail() {
    echo "$*"
    exit 1
}
sed -n 's/^ *\(- \)\{0,1\}run: //p' "$kit/.github/workflows/grade.yml" >github
sed -n '/^  script:/,/^  [a-z]*:$/s/^    - //p' "$kit/.gitlab-ci.yml" >gitlab
cmp github gitlab || fail "the workflows differ"
[ "$(tail -n 1 github)" = 'sh common/launcher/grade_push.sh' ] || fail "the workflows do not grade"

cp "$kit/common/launcher/grade_push.sh" common/launcher/
echo '#define IMPLEMENTED 0' | tee labs/01_begun/steps/2_b.cu >labs/02_untouched/steps/1_a.cu
echo '#define IMPLEMENTED 1' >labs/02_untouched/steps/0_given.cu
echo '{"step": 0, "file": "0_given.cu", "given": true}' >labs/02_untouched/lab.json
cat >ladder <<'TEXT'
#!/bin/sh
[ "$1 $3 $4" = "grade --device sim" ] || exit 2
case $2 in 01_begun) points=6.5 most=120 ;; *) points=50 most=50 ;; esac
for word in "$@"; do case $word in *.json) json=$word ;; junit=*) echo '<testsuite/>' >"${word#junit=}" ;; esac done
printf '{\n  "points": %s,\n  "points_max": %s,\n  "steps": [\n    {\n      "points": 1,\n' $points $most >"$json"
echo "report of $2"
[ ! -e broken ]
TEXT
chmod +x ladder
sh common/launcher/grade_push.sh >said
grep -q 'nothing to grade' said || fail "$(cat said)"
echo '#define IMPLEMENTED 1' | tee labs/01_begun/steps/1_a.cu >labs/03_done/steps/1_a.cu
GITHUB_OUTPUT=$PWD/output GITHUB_STEP_SUMMARY=$PWD/summary sh common/launcher/grade_push.sh >said
[ "$(cat said)" = "report of 01_begun
report of 03_done
points: 56.5 of 170" ] || fail "$(cat said)"
[ "$(ls results)" = "01_begun.json
01_begun.txt
01_begun.xml
03_done.json
03_done.txt
03_done.xml" ] || fail "$(ls results)"
grep -q 'report of 03_done' summary || fail "no summary"
told=$(sed -n 's/^result=//p' output | base64 -d)
[ "$told" = '{"version":1,"status":"fail","max_score":170,"tests":['\
'{"name":"01_begun","status":"fail","score":6.5,"max_score":120,"line_no":0,"message":""},'\
'{"name":"03_done","status":"pass","score":50,"max_score":50,"line_no":0,"message":""}]}' ] || fail "$told"
sh common/launcher/grade_push.sh 03_done >said
[ "$(tail -n 1 said)" = 'points: 50 of 50' ] || fail "$(cat said)"
touch broken
! sh common/launcher/grade_push.sh >said || fail "a lab that could not be graded is no failure"
echo "pushes are graded"
}

# LAUNCHER FOLDER: which `run`, `next` and `hint` does the launcher leave to the program of one lab? Reads its function, in a
# kit made in FOLDER.
test_run() {
    launcher=$1
    rm -rf "$2"
    mkdir -p "$2/build/autograder" "$2/labs/02_reduction" "$2/labs/10_pruning" "$2/labs/11_empty"
    cd "$2"
    touch labs/02_reduction/lab.json labs/10_pruning/lab.json
    sed -n '/^lab_named()/,/^}/p; /^lab_to_run()/,/^}/p; /^lab_of_last_run()/,/^}/p' "$launcher" >functions.sh
    root=$PWD
    build=$PWD/build
    . ./functions.sh
    wrong=0
    runs() { # lab, arguments of ladder
        expected=$1
        shift
        got=$(lab_to_run "$@")
        [ "$got" = "$expected" ] && return 0
        echo "ladder $*: the lab is \"$got\", expected \"$expected\""
        wrong=1
    }
    runs reduction run reduction --solution
    runs reduction run 2
    runs reduction run 02 3 5 --device=sim --quick
    runs pruning run --check-only 10_pruning first
    runs '' run
    runs '' run --device sim reduction # "sim" might be the lab
    runs '' run reduction --help
    runs '' run pruning --app
    runs '' run reduktion
    runs '' run empty
    runs '' check reduction
    runs ''
    runs reduction hint 2 3
    runs pruning next pruning
    runs '' next
    mkdir -p build/labs/02_reduction && touch build/labs/02_reduction/past_runs.txt
    runs reduction next
    touch build/autograder/ladder # built for another command: nothing is saved
    chmod +x build/autograder/ladder
    runs '' run reduction --solution
    [ "$wrong" -eq 0 ] && echo "a first run is left to the lab's own program"
    exit "$wrong"
}

test=test_$1
shift
"$test" "$@"
