// What the page does on request: unfolding the map of an access, heat by another counter, two launches side by side, unfolding the
// launch that an address names. Works on what the
// page holds; numbers are those that the program wrote.
"use strict";

// The counters of a line, "3:17 5:2", by their numbers.
function countersOf(row) {
    return new Map(row.dataset.c.split(" ").filter(Boolean).map((pair) => pair.split(":").map(Number)));
}

// Of a measure: the value that is good and the one that is worst.
const measures = { lanes: [100, 0], sectors: [4, 32], banks: [1, 32] };

function valueOf(row, choice) {
    if (choice in measures) return parseFloat(row.querySelector("td." + choice).textContent);
    return countersOf(row).get(Number(choice)) || 0;
}

function heatOf(value, choice, most) {
    const [good, worst] = measures[choice] || [0, most];
    return worst === good || Number.isNaN(value) ? 0 : Math.min(1, Math.max(0, (value - good) / (worst - good)));
}

function showHeat(select) {
    const option = select.selectedOptions[0], section = select.closest(".sources"), choice = option.value;
    const rows = [...section.querySelectorAll("tr[data-c]")];
    const values = rows.map((row) => valueOf(row, choice));
    const most = Math.max(0, ...values.filter((value) => !Number.isNaN(value)));
    rows.forEach((row, i) => {
        const cell = row.querySelector(".heat");
        cell.style.setProperty("--heat", heatOf(values[i], choice, most).toFixed(3));
        cell.textContent = Number.isNaN(values[i]) || values[i] === 0 ? "" : values[i].toLocaleString("en-US");
    });
    for (const button of section.querySelectorAll("th.chosen button")) {
        button.textContent = option.textContent;
        button.setAttribute("popovertarget", option.dataset.term);
    }
    section.querySelector(".about").textContent = option.dataset.text;
}

for (const select of document.querySelectorAll("select.heat-by")) {
    select.addEventListener("change", () => showHeat(select));
    showHeat(select);
}

// The counters of a launch by their labels, and behind them what stands in bars: bounds, blocks, pipes, a warp's time. Their labels say
// alone too little; a table's data-beside has the rest.
function valuesOf(launch) {
    const rows = [...document.querySelectorAll(`#${launch} tr[data-value]`)];
    const more = (row) => row.closest("table").dataset.beside || "";
    return new Map([...rows.filter((row) => !more(row)), ...rows.filter(more)].map((row) => [row.querySelector("th").textContent + more(row),
        { row, more: more(row), value: Number(row.dataset.value), text: row.querySelector("td.num").textContent }]));
}

function factor(a, b) {
    const times = b / a;
    return (times >= 0.1 && times < 100 ? times.toFixed(2) : times.toLocaleString("en-US",
        { maximumSignificantDigits: 3 })) + "x";
}

// All that the two launches have, a row each; what differs by less than half a per cent counts as the same.
function showBeside(beside) {
    const [first, second] = [...beside.querySelectorAll("select.side")].map((select) => valuesOf(select.value));
    const body = beside.querySelector("tbody");
    body.replaceChildren();
    for (const label of new Set([...first.keys(), ...second.keys()])) {
        const a = first.get(label), b = second.get(label), row = body.insertRow();
        row.append((a || b).row.querySelector("th").cloneNode(true));
        row.lastChild.querySelector(".key")?.remove();
        row.lastChild.append((a || b).more);
        const same = a && b && Math.abs(a.value - b.value) <= 0.005 * Math.abs(a.value);
        const change = same ? "" : a && b && a.value > 0 ? factor(a.value, b.value) : "";
        for (const text of [a ? a.text : "-", b ? b.text : "-", change]) {
            const cell = row.insertCell();
            cell.className = "num";
            cell.textContent = text;
        }
        row.classList.toggle("same", Boolean(same));
    }
}

for (const beside of document.querySelectorAll("#beside")) {
    beside.hidden = false;
    beside.addEventListener("change", (event) => {
        const sides = [...beside.querySelectorAll("select.side")];
        const pair = event.target === sides[0] && sides[0].selectedOptions[0].dataset.pair;
        if (pair && document.getElementById(pair)) sides[1].value = pair;
        showBeside(beside);
    });
    showBeside(beside);
}

// The launch, the map or the line that the address names, and what it lies in; the keyboard goes on there.
function unfold() {
    const named = /^#(launch|map|line)(-\d+)+$/.test(location.hash) && document.querySelector(location.hash);
    if (!named) return;
    for (let at = named; at; at = at.parentElement.closest("details")) at.open = true;
    const line = named.closest("tr");
    (line || named).querySelector("summary, button")?.focus({ preventScroll: true });
    named.scrollIntoView(line ? { block: "center" } : {});
}
addEventListener("hashchange", unfold);
// A link to the map or the line that the address names already changes no address.
for (const link of document.querySelectorAll("a.tomap, .advice a"))
    link.addEventListener("click", () => link.hash === location.hash && unfold());
unfold();
