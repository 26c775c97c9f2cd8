# A Slurm cluster of two nodes on loopback, for a test: munged, slurmctld and two slurmd with a configuration, a key and
# ports of their own, below a fresh folder. cluster_start sets SLURM_CONF; cluster_stop ends all of it and what its jobs
# left, and belongs into a trap. Needs Debian's packages slurm-wlm and munge, and no rights.
cluster=
daemons=

cluster_has_programs() {
    PATH=$PATH:/usr/sbin:/sbin
    for program in munged slurmctld slurmd sbatch squeue scancel scontrol; do
        command -v $program >/dev/null 2>&1 || { echo "skipped: there is no $program (slurm-wlm, munge)"; return 1; }
    done
}

# Waits for a command to succeed, however slow the machine is.
cluster_await() {
    patience=72000
    until "$@" >/dev/null 2>&1; do
        patience=$((patience - 1))
        [ $patience -gt 0 ] || { echo "waited in vain for: $*"; return 1; }
        sleep 0.2
    done
}

# A port that, with the three behind it, nobody listens at, below those that the system hands out itself.
cluster_free_ports() {
    port=$((20000 + $$ % 2500 * 4 + $1 * 4))
    while cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
        awk -v first=$port 'BEGIN { for (i = 0; i < 4; i++) used[sprintf("%04X", first + i)] }
            { n = split($2, part, ":"); if (part[n] in used) found = 1 } END { exit !found }'; do
        port=$((port + 4))
        [ $port -lt 32000 ] || port=20000
    done
    echo $port
}

cluster_configure() { # first port
    host=$(hostname -s 2>/dev/null || hostname)
    user=$(id -un)
    cat >"$cluster/slurm.conf" <<TEXT
ClusterName=ladder
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$1
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$cluster/munge/socket
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool-%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/slurmd-%n.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
SlurmdParameters=config_overrides
SlurmdTimeout=300
MpiDefault=none
ReturnToService=2
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(($1 + 1)) CPUs=2
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(($1 + 2)) CPUs=2
PartitionName=teaching Nodes=ALL Default=YES MaxTime=INFINITE State=UP
TEXT
}

cluster_daemon() { # program and its arguments; LADDER_CLUSTER marks it and all that it starts
    LADDER_CLUSTER=$cluster "$@" >>"$cluster/$(basename "$1").out" 2>&1 </dev/null &
    daemons="$daemons $!"
}

cluster_is_up() {
    [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" -eq 2 ]
}

cluster_start() {
    cluster=$(mktemp -d /tmp/ladder-slurm-XXXXXX) || return 1
    mkdir "$cluster/munge" "$cluster/state" "$cluster/spool-n1" "$cluster/spool-n2"
    chmod 700 "$cluster" "$cluster/munge"
    (umask 077 && head -c 128 /dev/urandom >"$cluster/munge/key")
    for variable in $(env | sed -n 's/^\(\(SLURM\|SBATCH\|SQUEUE\|SINFO\|SCANCEL\)_[A-Z_]*\)=.*/\1/p'); do unset "$variable"; done
    SLURM_CONF=$cluster/slurm.conf
    export SLURM_CONF
    cluster_daemon munged --foreground --force --socket="$cluster/munge/socket" --key-file="$cluster/munge/key" \
        --pid-file="$cluster/munge/pid" --log-file="$cluster/munge/log" --seed-file="$cluster/munge/seed"
    cluster_await test -S "$cluster/munge/socket" || return 1
    for attempt in 1 2 3 4 5; do # somebody may take a port meanwhile
        cluster_configure "$(cluster_free_ports $attempt)"
        for program in 'slurmctld -D' 'slurmd -D -N n1' 'slurmd -D -N n2'; do
            # shellcheck disable=SC2086 # a program with its arguments
            cluster_daemon $program -f "$SLURM_CONF"
        done
        patience=7200
        until cluster_is_up || [ $patience -eq 0 ] || ! cluster_all_run; do
            patience=$((patience - 1))
            sleep 0.2
        done
        cluster_is_up && return 0
        set -- $daemons
        kill $2 $3 $4 2>/dev/null
        wait $2 $3 $4 2>/dev/null
        daemons=$1
    done
    echo 'the cluster does not start:'
    cat "$cluster"/*.out
    return 1
}

cluster_all_run() {
    for daemon in $daemons; do kill -0 "$daemon" 2>/dev/null || return 1; done
}

# Processes of the daemons and of the jobs, by the mark in their environment.
cluster_processes() {
    for folder in /proc/[0-9]*; do
        tr '\0' '\n' 2>/dev/null <"$folder/environ" | grep -qxF "LADDER_CLUSTER=$cluster" && echo "${folder#/proc/}"
    done
}

cluster_stop() {
    [ -n "$cluster" ] || return 0
    scancel --state=PENDING,RUNNING,SUSPENDED --user="$(id -un)" >/dev/null 2>&1
    # shellcheck disable=SC2086 # several
    kill $daemons 2>/dev/null
    patience=50
    while [ -n "$(cluster_processes)" ] && [ $patience -gt 0 ]; do
        patience=$((patience - 1))
        sleep 0.2
    done
    # shellcheck disable=SC2046 # several
    kill -KILL $(cluster_processes) 2>/dev/null
    # shellcheck disable=SC2086 # several
    wait $daemons 2>/dev/null
    rm -rf "$cluster"
    cluster=
}
