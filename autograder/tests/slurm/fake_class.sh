#!/bin/sh
# ladder grade --slurm against programs that stand for Slurm's: tasks that end, are cancelled, lose their node or are
# forgotten; refused jobs; resume. Nothing is compiled. usage: fake_class.sh LADDER WORK
# test: autograder/slurm_fake @ladder@ @WORK@
# labels: grade
set -u
ladder=$1
work=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/same.sh"
rm -rf "$work"
mkdir -p "$work/bin" "$work/fake" "$work/in"
cd "$work" || exit 1
for program in sbatch squeue sacct; do cp "$here/fake.sh" "bin/$program" && chmod +x "bin/$program"; done
for student in ann bob "cem d"; do
    mkdir "in/$student"
    printf '\377\376/' >"in/$student/1_interleaved.cu"
done
FAKE=$work/fake
export FAKE
PATH=$work/bin:$PATH
path=$PATH
wrong=
says() { # what it must hold
    case $said in *"$1"*) ;; *) wrong="$wrong no \"$1\" in: $said;
" ;; esac
}
class() { # expected exit status, options
    expected=$1
    shift
    said=$(PATH=$path "$ladder" grade reduction --submissions in --quick --device sim --seed 3 "$@" 2>&1)
    status=$?
    said=$(printf '%s' "$said" | tr -s ' \n' ' ') # messages are wrapped
    [ $status -eq "$expected" ] || wrong="$wrong exit status $status for $*: $said;
"
}
calls() { # how many jobs were submitted until now
    [ "$(cat fake/calls 2>/dev/null | wc -l)" -eq "$1" ] || wrong="$wrong not $1 jobs: $(cat fake/calls)
"
}
class 0 --output local

path=/nowhere
class 1 --slurm --output nothing
says 'there is no sbatch in PATH'
path=$PATH
class 1 --slurm --output bin/squeue/results
says 'results must lie in a folder that all nodes can write'
mkdir -p cluster/submissions/old
printf '{"seconds": 36}\n' >cluster/submissions/old/result.json # of an earlier run
class 0 --slurm --dry-run --chunk 2 --output cluster --partition teaching --sbatch=--qos=low
says '#SBATCH --array=0-1'
says '#SBATCH --partition=teaching'
says '#SBATCH --qos=low'
says '3 submissions in 2 tasks: about 0.03 hours in all'
says '36.0 s per submission: mean of 1 graded into'
calls 0
printf '%s\n' refuse 'run CANCELLED NODE_FAIL' 'FAILED FORGOTTEN' 'run run' >fake/actions
class 1 --slurm --output cluster
says 'Slurm did not take the job: sbatch: error: Batch job submission failed: Invalid account'

# One ends well, one is cancelled, one loses its node: what is missing goes into a second job.
rm -rf cluster/submissions/old
cp -r local/submissions cluster # for the estimate
printf '2_1|TIMEOUT\n' >fake/accounts
class 1 --slurm --output cluster
says 'graded 1 of 3; 3 tasks running, 0 waiting'
says 'bob: no result, task 1 was cancelled'
says 'cem d: no result, task 2 lost its node'
says 'lost tasks are submitted again'
says 'bob: no result, task 0 failed, and left no log'
says 'cem d: no result, task 1 ran longer than its time limit'
says 'the grader failed here'
calls 3

# A job of a run that was stopped still goes on.
mkdir cluster/class/slurm/9
echo '77 1' >cluster/class/slurm/9/job
echo '0 COMPLETED' >fake/state.77
class 2 --slurm --output cluster
says 'job 77 still grades into'
rm fake/looked.77
class 0 --slurm --output cluster --resume
says 'job 77 of an earlier run still runs'
says '2 submissions in 2 tasks'
calls 4
same_results local cluster || wrong="$wrong the results differ from a local run's;
"
class 0 --slurm --output cluster --resume
says 'everything is graded; nothing is submitted'
calls 4
[ -z "$wrong" ] && echo 'a class was graded by array jobs' && exit 0
printf '%s\n' "$wrong"
cat fake/calls cluster/class/slurm/*/log/*
exit 1
