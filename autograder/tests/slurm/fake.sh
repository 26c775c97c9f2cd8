#!/bin/sh
# Stands for sbatch, squeue and sacct, by the name under which it is called. $FAKE holds `actions`: a line per call of
# sbatch, of what becomes of each task. `state.JOB` has "TASK STATE" lines, of which squeue tells all but FORGOTTEN ones; at
# its first call for a job all tasks still run. sacct knows `accounts`, if that is there.
set -u
name=${0##*/}
case $name in
sbatch)
    for script in "$@"; do :; done
    echo "sbatch $(grep '^#SBATCH --array' "$script")" >>"$FAKE/calls"
    action=$(head -n 1 "$FAKE/actions")
    sed -i 1d "$FAKE/actions"
    if [ "$action" = refuse ]; then
        echo 'sbatch: error: Batch job submission failed: Invalid account or partition' >&2
        exit 1
    fi
    echo x >>"$FAKE/jobs"
    job=$(wc -l <"$FAKE/jobs")
    task=0
    for what in $action; do
        state=$what
        if [ "$what" = run ]; then
            state=COMPLETED
            SLURM_ARRAY_TASK_ID=$task SLURM_CPUS_ON_NODE=1 sh "$script" </dev/null >/dev/null 2>&1 || state=FAILED
        fi
        echo "$task $state" >>"$FAKE/state.$job"
        task=$((task + 1))
    done
    echo 'sbatch: warning: a remark of the site' >&2
    echo "$job;cluster"
    ;;
squeue)
    while [ "$1" != -j ]; do shift; done
    if [ ! -f "$FAKE/state.$2" ]; then
        echo 'slurm_load_jobs error: Invalid job id specified' >&2
        exit 1
    fi
    if [ -f "$FAKE/looked.$2" ]; then
        sed -n "/FORGOTTEN/d; s/\\([0-9]*\\) \\(.*\\)/$2_\\1|\\2/p" "$FAKE/state.$2"
    else
        sed -n "s/\\([0-9]*\\) .*/$2_\\1|RUNNING/p" "$FAKE/state.$2"
        : >"$FAKE/looked.$2"
    fi
    ;;
sacct)
    [ ! -f "$FAKE/accounts" ] || cat "$FAKE/accounts"
    ;;
esac
