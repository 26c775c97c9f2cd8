// PTX and machine instructions of a source line that is chosen: texts are on the page once for each
// kernel (code.c), executions with each launch. A line's number is a button; up and down go to the
// next one.

// "512*3 0" to [512, 512, 512, 0], each made by `each`.
function runsOf(text, each) {
    return text.split(" ").filter(Boolean).flatMap((run) => {
        const [value, times] = run.split("*");
        return Array(Number(times || 1)).fill(each(value));
    });
}

function linesOf(pre) {
    return pre ? pre.textContent.split("\n") : [];
}

// What a launch has for the line at "file:line": its PTX with counts, its machine instructions with
// the number of the PTX instruction that each was made of.
function codeOf(section, place) {
    const text = document.getElementById(section.dataset.code);
    if (!text) return null;
    const ptx = text.querySelector(".ptx"), machine = text.querySelector(".machine");
    const executed = runsOf(section.dataset.executed, Number), on = runsOf(section.dataset.on, Number);
    const at = runsOf(ptx.dataset.at, String), ptxLines = linesOf(ptx), numbers = new Map(), instrs = [];
    at.forEach((where, i) => {
        if (where !== place) return;
        numbers.set(i, instrs.length + 1);
        instrs.push({ text: ptxLines[i], executed: executed[i], threads: executed[i] ? on[i] / executed[i] : NaN });
    });
    const of = machine ? runsOf(machine.dataset.of, Number) : [], machineLines = linesOf(machine);
    const made = machineLines.map((line, i) => ({ text: line, of: numbers.get(of[i]) })).filter((m) => m.of);
    return { instrs, made, about: machine ? machine.previousElementSibling.cloneNode(true) : null };
}

// A label that answers "what is this?" with the glossary's sentence under `heading`.
function asking(label, heading) {
    const term = [...document.querySelectorAll(".term")].find((one) => one.firstChild.textContent === heading);
    if (!term) return label;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "what";
    button.setAttribute("popovertarget", term.id);
    button.textContent = label;
    return button;
}

function tableOf(title, heads, rows) {
    const table = document.createElement("table"), head = table.createTHead().insertRow();
    table.append(document.createElement("tbody"));
    table.createCaption().append(...title);
    for (const [label, kind, heading] of heads) {
        const cell = document.createElement("th");
        cell.scope = "col";
        cell.className = kind;
        cell.append(heading ? asking(label, heading) : label);
        head.append(cell);
    }
    for (const row of rows) {
        const line = table.tBodies[0].insertRow();
        row.forEach((text, i) => {
            const cell = line.insertCell();
            cell.className = heads[i][1];
            cell.textContent = text;
        });
    }
    return table;
}

function panelOf(section, place) {
    const code = codeOf(section, place), panel = document.createElement("div");
    panel.className = "pair";
    if (!code) {
        panel.textContent = "The code of this kernel did not fit into the page.";
        return panel;
    }
    const left = document.createElement("div"), right = document.createElement("div");
    left.append(tableOf(["PTX"], [["", "num"], ["warps", "num", "Warp"], ["threads per warp", "num", "Active threads per warp"], ["instruction", "instr"]],
        code.instrs.map((instr, i) => [i + 1, instr.executed.toLocaleString("en-US"),
            Number.isNaN(instr.threads) ? "-" : instr.threads.toFixed(1), instr.text])));
    const title = code.about ? [...code.about.childNodes] : ["machine code"];
    right.append(tableOf(title, [["of", "num"], ["instruction", "instr"]],
        code.made.map((instr) => [instr.of, instr.text])));
    if (code.made.length === 0) right.append("no machine instruction is of this line alone");
    panel.append(left, right);
    return panel;
}

function togglePanel(button) {
    const row = button.closest("tr"), open = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!open));
    if (open) {
        row.nextElementSibling.remove();
        return;
    }
    const place = `${row.closest("table").dataset.file}:${button.textContent}`;
    const below = document.createElement("tr"), cell = below.insertCell();
    below.className = "code-of";
    cell.colSpan = 6;
    cell.append(panelOf(row.closest(".sources"), place));
    row.after(below);
}

function goOn(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], button = event.target;
    if (!step || !button.matches(".pick")) return;
    const all = [...button.closest(".sources").querySelectorAll(".pick")];
    const next = all[all.indexOf(button) + step];
    if (!next) return;
    event.preventDefault();
    if (button.getAttribute("aria-expanded") === "true") {
        togglePanel(button);
        if (next.getAttribute("aria-expanded") === "false") togglePanel(next);
    }
    next.focus();
}

for (const section of document.querySelectorAll(".sources[data-code]")) {
    for (const cell of section.querySelectorAll("tr[data-c] > td.line")) {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "pick";
        button.setAttribute("aria-expanded", "false");
        button.title = "PTX and machine instructions of this line";
        button.textContent = cell.textContent;
        button.addEventListener("click", () => togglePanel(button));
        cell.replaceChildren(button);
    }
    section.addEventListener("keydown", goOn);
    const hint = section.querySelector(".pick-hint");
    if (hint) hint.hidden = false;
}
