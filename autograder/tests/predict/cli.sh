#!/bin/sh
# ladder predict from outside: what it refuses, and that nothing is written then; predictions that are handed in stand
# in the report of `ladder grade`.   cli.sh LADDER SOURCE WORK
# test: autograder/predict_cli @ladder@ @SOURCE@ @WORK@
# labels: grade
set -eu
ladder=$1 source=$2 work=$3
rm -rf "$work"
mkdir -p "$work/inbox/ada/steps"
file=$source/labs/02_reduction/steps/predictions.txt
there=yes
[ -e "$file" ] || there=
refused() { # STATUS EXPECTED ARGUMENT..
    status=$1 expected=$2 code=0
    shift 2
    "$ladder" predict "$@" </dev/null >/dev/null 2>"$work/said" || code=$?
    [ $code -eq "$status" ] && tr -s ' \n' ' ' <"$work/said" | grep -qe "$expected" ||
        { echo "predict $*: status $code, expected $status and \"$expected\":"; cat "$work/said"; exit 1; }
}
refused 2 "does not ask for 'sms'.*did you mean sms_used.*it asks for: sms_used, requests" reduction 1 --answer sms=3
refused 2 '--answer sms_used: empty' reduction 1 --answer sms_used=
refused 2 "'-3' is negative" reduction 1 --answer sms_used=-3
refused 2 "'many' is not a number" reduction 1 --answer sms_used=many
refused 2 'expected NAME=NUMBER' reduction 1 --answer sms_used
refused 2 "'x' is not a number" reduction 1 --answer sms_used=132 --answer requests=x # nor is the first kept
refused 2 'which step' reduction
refused 2 "no step '77'" reduction 77
refused 2 'no lab' nothing 1
refused 1 'nothing is asked about step 0: host code' occupancy 0
refused 1 'the input ended' reduction 1
[ "$there" ] || [ ! -e "$file" ] || { rm "$file"; echo 'a refused prediction was written'; exit 1; }

cp "$source/solutions/02_reduction/steps/1_interleaved.cu" "$source/solutions/02_reduction/steps/3_sequential.cu" "$work/inbox/ada/steps"
printf '%s\n' 'predict 1 aa d sms_used=132' 'predict 1 aa d sectors_per_request=8' 'first 1 bb d run' 'predict 1 bb d requests=32768' '' \
    'first 3 bb d run' 'predict 3 bb d gain=<b>1' 'predict 3 bb d conflicts_per_load=0' >"$work/inbox/ada/steps/predictions.txt"
"$ladder" grade reduction --unsafe --submissions "$work/inbox" --output "$work/results" --quick --device sim >"$work/said" 2>&1 ||
    { cat "$work/said"; exit 1; }
cd "$work/results/submissions/ada"
tr -s ' \n' ' ' <report.txt >report
for expected in 'sms_used: predicted 132, counted 132: right sectors' \
    'sectors_per_request: predicted 8, counted [34][.0-9]*: 2.0 times too high requests' \
    'requests: predicted 32768, counted 32897: right .predicted after the first run' \
    'conflicts_per_load: predicted 0, counted 0: right .predicted after' \
    'predictions: 2 of [0-9][0-9]* numbers before the first run; of 2 counted, 1 within 10 %; 2 after'; do
    grep -q "$expected" report || { echo "no \"$expected\" in"; cat report.txt; exit 1; }
done
! grep 'not used: predictions' report || exit 1
grep -q '<li>sms_used: predicted 132, counted 132: right</li>' report.html
awk -f "$source/common/tests/json.awk" result.json >paths
grep -q '^steps\.1\.predictions\.0\.counted	132$' paths
grep -q '^steps\.1\.predictions\.2\.before_first_run	false$' paths
