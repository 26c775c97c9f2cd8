#!/bin/sh
# TensorFlow.js 4.22.0 (npm), its CPU backend: the largest of 1, NaN, 3 is 3 by topk with k of 1, NaN and 3 with k of 2, and with k of 3 they
# are 1, NaN, 3, out of order; of 1, 3, NaN it is NaN alone, and 3 and 1 with k of 2. max says NaN, argMax the place of 3. Integers: 5 / 0
# is 0, -7 / 2 is -4 with a result of int32, and a product is rounded to the 53 bits of a double before it wraps (the last bit here).
# Expected before it was run: NaN first for each k, as in PyTorch; floats of a division as in Python, or -3 as in CUDA C; 2537071545 - 2^32.
. "$(dirname "$0")/common.sh"
(cd "$work" && npm install --silent --no-fund --no-audit @tensorflow/tfjs-core@4.22.0 @tensorflow/tfjs-backend-cpu@4.22.0 >/dev/null)
cat >"$work/run.cjs" <<'JS'
const tf = require("@tensorflow/tfjs-core");
require("@tensorflow/tfjs-backend-cpu");
const floats = (...v) => tf.tensor1d(v), integers = (...v) => tf.tensor1d(v, "int32");
const show = (name, t) => console.log(`${name}: ${Array.from(t.dataSync()).join(" ")}`);
tf.setBackend("cpu").then(() => {
    for (const v of [[1, NaN, 3], [1, 3, NaN]])
        for (const k of [1, 2, 3]) show(`top ${k} of ${v.join(" ")}`, tf.topk(floats(...v), k, true).values);
    show("max of 1 NaN 3", tf.max(floats(1, NaN, 3)));
    show("argMax of it", tf.argMax(floats(1, NaN, 3)));
    show("-7 / 2, 5 / 0", tf.div(integers(-7, 5), integers(2, 0)));
    show("123456789 squared", tf.mul(integers(123456789), integers(123456789)));
});
JS
same "on the CPU" "$(cd "$work" && node run.cjs 2>&1 | grep : | grep -v TensorFlow)" "top 1 of 1 NaN 3: 3
top 2 of 1 NaN 3: NaN 3
top 3 of 1 NaN 3: 1 NaN 3
top 1 of 1 3 NaN: NaN
top 2 of 1 3 NaN: 3 1
top 3 of 1 3 NaN: 3 1 NaN
max of 1 NaN 3: NaN
argMax of it: 2
-7 / 2, 5 / 0: -4 0
123456789 squared: -1757895752"
