# SPDX-License-Identifier: MIT
# Timed steps of a run of a lab (ladder.run/1, as the labs print it), a row each: case,size,step,name,us,low_us,high_us
function value() {
    sub(/^[^:]*: /, "")
    gsub(/[",]/, "")
    return $0
}
/^      "step": / { step = value() }
/^      "name": / { name = value() }
/^      "results": / { inside = 1 }
inside && /^          "case": / { which = value() }
inside && /^          "size": / { size = value() }
inside && /^          "time_us": / { us = value() }
inside && /^            [0-9]/ {
    gsub(/[ ,]/, "")
    bound[++bounds] = $0
}
inside && /^        }/ {
    if (us != "") printf "%s,%s,%s,%s,%.3f,%.3f,%.3f\n", which, size, step, name, us, bound[1], bound[2]
    us = ""
    bounds = 0
}
/^      \]/ { inside = 0 }
