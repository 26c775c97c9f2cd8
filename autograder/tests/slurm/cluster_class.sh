#!/bin/sh
# ladder grade --slurm on a cluster of two nodes, started here: a small mixed folder is graded, a node is lost, a task is
# cancelled, the run is resumed, and the results are those of a local run. Ends with 77, skipped, where Slurm is not
# installed. usage: cluster_class.sh LADDER SOURCE WORK
# test: autograder/slurm_cluster @ladder@ @SOURCE@ @WORK@
# labels: full
set -u
ladder=$1
steps=$2/solutions/02_reduction/steps
faults=$2/autograder/tests/faults/02_reduction.edits
work=$3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/same.sh"
. "$here/cluster.sh"
cluster_has_programs || exit 77
rm -rf "$work"
mkdir -p "$work/in/ann" "$work/in/cem/steps" "$work/eve"
cd "$work" || exit 1
cp "$steps/1_interleaved.cu" in/ann
printf 'PK broken' >in/bob.zip
cp "$steps/3_sequential.cu" in/cem/steps
mkdir in/dan
sed -n '/^=== edit 1_endless_host /,/^=== edit /{/^===/!p}' "$faults" >in/dan/1_interleaved.cu # its task runs for as long as an answer is waited for
cp "$steps/2_strided.cu" eve
tar -czf in/eve.tar.gz eve

fail() {
    echo "$*"
    for text in said.txt cluster/class/slurm/*/log/* "$cluster"/*.log; do
        [ ! -f "$text" ] || { echo "--- $text"; tail -n 40 "$text"; }
    done
    exit 1
}
class() {
    "$ladder" grade reduction --submissions in --quick --first-failure --device sim --seed 5 --case-limit 90 "$@"
}
class --output local >local.txt 2>&1
[ -f local/summary.csv ] || { cat local.txt; exit 1; }

trap cluster_stop EXIT
trap 'exit 130' INT TERM HUP
cluster_start || exit 1
says() { grep -q -- "$1" said.txt || fail "nobody said: $1"; }

# Both jobs wait until they are released, so that what happens to them does not depend on how fast this machine is.
: >said.txt
LADDER_CLUSTER=$cluster class --slurm --partition teaching --sbatch=--hold --sbatch=--no-requeue --output cluster \
    >>said.txt 2>&1 &
ladder_pid=$!
said_job() { [ "$(grep -c '^ladder grade: job' said.txt)" -ge "$1" ] || ! kill -0 $ladder_pid; }
number_of() { sed -n 's/^ladder grade: job \([0-9]*\)\..*/\1/p' said.txt | sed -n "$1p"; }
cluster_await said_job 1 || fail 'no job'
job=$(number_of 1)
[ "$(squeue -h -r -j "$job" | wc -l)" -eq 5 ] || fail 'not a task per submission'
scancel "${job}_0" || fail 'scancel'
scontrol release "$job" || fail 'release'
node_of() { squeue -h -r -t RUNNING -j "$1" -o '%K %N' | sed -n "s/^$2 //p"; }
runs() { [ -n "$(node_of "$job" 3)" ]; }
cluster_await runs || fail "dan's task does not run"
node=$(node_of "$job" 3)
scontrol update NodeName="$node" State=DOWN Reason=lost || fail 'the node is not lost'

# What was lost comes again, with the task that was cancelled; which is cancelled once more.
cluster_await said_job 2 || fail 'no second job'
says 'dan: no result, task 3 lost its node'
says 'ann: no result, task 0 was cancelled before it ran'
job=$(number_of 2)
[ -n "$job" ] || fail 'what was lost is not submitted again'
scancel "${job}_0" || fail 'scancel'
scontrol release "$job" || fail 'release'
wait $ladder_pid && fail 'what is missing was not told by the exit status'
says 'ann: no result, task 0 was cancelled before it ran'
grep -q '^ann  *none  *?  *the grader failed here' said.txt || fail 'ann has a result'
[ -f cluster/submissions/dan/result.json ] || fail 'dan has no result'

scontrol update NodeName="$node" State=RESUME >/dev/null 2>&1 # if its daemon did not do so
LADDER_CLUSTER=$cluster class --slurm --output cluster --resume >said.txt 2>&1
says '^ladder grade: 1 submission in 1 task'
same_results local cluster || fail "the results differ from a local run's"
LADDER_CLUSTER=$cluster class --slurm --output cluster --resume >said.txt 2>&1
says 'everything is graded; nothing is submitted'
marked=$cluster
cluster_stop
cluster=$marked
[ -z "$(cluster_processes)" ] && [ ! -e "$marked" ] || { cluster=; echo 'something of the cluster is left'; exit 1; }
cluster=
echo 'a class was graded by Slurm'
