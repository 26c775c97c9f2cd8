// SPDX-License-Identifier: MIT
// What the page does on request: heat by another counter, unfolding the launch that an address names. Works on what the
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

function unfold() {
    const launch = /^#launch-\d+$/.test(location.hash) && document.querySelector(location.hash);
    if (launch) {
        launch.open = true;
        launch.scrollIntoView();
    }
}
addEventListener("hashchange", unfold);
unfold();
