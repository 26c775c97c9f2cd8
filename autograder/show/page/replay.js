// The page of `ladder debug --html`: goes back and forth through a recording (autograder/learn/debug/page_record.c), which stands in
// the page as rows of what changed. A step is a warp's execution of a line; what is shown is the moment before it, as in a debugger.
"use strict";

const data = JSON.parse(document.getElementById("recording").textContent);
const LANES = 32, WORDS = 8; // words of a sector
const STATES = ["absent", "active", "divergent", "reconverging", "at a barrier", "at a warp sync", "exited"];
const CLASSES = ["absent", "active", "diverged", "waits", "waits", "waits", "exited"];
const ACCESSES = ["", "load", "store", "atomic"];

// ---- The recording ----

// Runs as page_record.c writes them: a value, [value, count] or [first, step, count].
function unpack(runs) {
    return runs.flatMap((run) => {
        if (!Array.isArray(run)) return [run];
        if (run.length === 2) return Array(run[1]).fill(run[0]);
        return Array.from({ length: run[2] }, (_, i) => run[0] + i * run[1]);
    });
}

// The last row at or before a moment; rows begin with their moment.
function lastAt(rows, moment) {
    let low = 0, high = rows ? rows.length : 0;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (rows[middle][0] <= moment) low = middle + 1;
        else high = middle;
    }
    return low > 0 ? rows[low - 1] : null;
}

function grouped(rows, key) {
    const map = new Map();
    for (const row of rows) {
        const name = key(row);
        if (!map.has(name)) map.set(name, []);
        map.get(name).push(row);
    }
    return map;
}

let time = 0;
const moments = data.moments.map(([passed, warp, file, line, lanes]) => ({ time: time += passed, warp, file, line, lanes }));
const states = grouped(data.states, (row) => row[1]), scopes = grouped(data.scopes, (row) => row[1]);
const values = grouped(data.values, (row) => `${row[1]} ${row[2]}`), accesses = grouped(data.accesses, (row) => row[0]);
const events = grouped(data.events, (row) => row[0]);

// Changes of each word of shared memory, by block: [moment, word].
const shared = new Map();
for (const [moment, block, text] of data.shared) {
    if (!shared.has(block)) shared.set(block, []);
    const words = shared.get(block);
    for (const part of text.split(";")) {
        const [first, list] = part.split(":");
        let at = parseInt(first, 16);
        for (const item of list.split(",")) {
            const [word, count] = item.split("*");
            for (let i = count ? parseInt(count, 16) : 1; i > 0; i--, at++) (words[at] = words[at] || []).push([moment, parseInt(word, 16)]);
        }
    }
}

const blockOf = (warp) => Math.floor(warp / data.warps);
const isOn = (mask, lane) => (mask >>> lane & 1) === 1;
const countOf = (mask) => { let count = 0; for (let i = 0; i < LANES; i++) count += mask >>> i & 1; return count; };
const bits = new DataView(new ArrayBuffer(4));

function short(number, digits = 3) {
    if (Number.isInteger(number) && Math.abs(number) < 1e5) return String(number);
    const text = Number(number.toPrecision(digits));
    return Math.abs(text) >= 1e5 || (text !== 0 && Math.abs(text) < 1e-3) ? text.toExponential(0).replace("e+", "e") : String(text);
}

// A word of shared memory as its array's type has it; fresh memory has no value.
function wordText(word, kind) {
    const never = 0x7bde7bad;
    if (word === undefined || word === never) return "";
    bits.setUint32(0, word);
    if (kind === "f") return Number.isNaN(bits.getFloat32(0)) ? "NaN" : short(bits.getFloat32(0), 2).replace(/^(-?)0\./, "$1.");
    if (kind === "i") return short(bits.getInt32(0));
    return kind === "u" ? short(word) : word.toString(16);
}

// ---- Parts of the page ----

function make(tag, properties = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(properties))
        if (name in element && name !== "list") element[name] = value;
        else element.setAttribute(name, value);
    element.append(...children);
    return element;
}

const panel = (name, ...children) => make("section", { className: `card ${name}` }, ...children);
const root = document.getElementById("replay");
const ui = {
    back: make("button", { type: "button", title: "one step back: left arrow" }, "\u25C0 Back"),
    forth: make("button", { type: "button", title: "one step on: right arrow" }, "Next \u25B6"),
    play: make("button", { type: "button", title: "space" }, "Play"),
    slider: make("input", { type: "range", min: 0, max: moments.length - 1, step: 1, value: 0, ariaLabel: "step" }),
    follow: make("select", { id: "follow" }),
    lane: make("select", { id: "lane" }),
    where: make("p", { className: "where" }),
    event: make("p", { className: "event", role: "status", hidden: true }),
    strip: make("canvas", { className: "strip", role: "img" }),
    source: make("div", { className: "lines", tabIndex: 0, role: "group", ariaLabel: "source" }),
    file: make("h2"),
    warps: make("div", { className: "warps" }),
    touched: make("div", { className: "touched" }),
    variables: make("div", { className: "variables" }),
    tiles: make("div", { className: "tiles" }),
};
const sharedPanel = panel("shared", make("h2", {}, "Shared memory by bank"), ui.tiles);
let now = 0, before = -1, playing = 0, path = moments.map((_, i) => i);

function build() {
    const many = data.warps * data.blocks, dim = (size) => `(${size.join(",")})`;
    const blocks = data.blocks > 1 ? `blocks ${data.first} to ${data.first + data.blocks - 1}` : `block ${data.first}`;
    root.before(make("p", { className: "sub" }, make("code", {}, `${data.kernel}<<<${dim(data.grid)}, ${dim(data.block)}>>>`),
        `, ${blocks}: ${moments.length.toLocaleString("en-US")} steps of ${many === 1 ? "one warp" : `${many} warps`}`));
    ui.follow.append(new Option("all warps", "-1"));
    for (let warp = 0; warp < many; warp++)
        ui.follow.append(new Option(data.blocks > 1 ? `block ${data.first + blockOf(warp)}, warp ${warp % data.warps}` : `warp ${warp}`, warp));
    ui.lane.append(new Option("none", "-1"));
    for (let lane = 0; lane < LANES; lane++) ui.lane.append(new Option(lane, lane));
    const controls = make("section", { className: "controls", ariaLabel: "time" },
        make("div", { className: "buttons" }, ui.back, ui.forth, ui.play,
            make("label", {}, "follow ", ui.follow), make("label", {}, "mark lane ", ui.lane)),
        ui.slider, ui.strip, ui.where, ui.event);
    const left = make("div", { className: "left" }, panel("code", ui.file, ui.source));
    const right = make("div", { className: "right" },
        panel("threads", make("h2", {}, "Warps and their lanes"), ui.warps, legend()),
        panel("memory", make("h2", {}, "Memory that this line touches"), ui.touched),
        sharedPanel, panel("values", make("h2", {}, "Variables by lane"), ui.variables));
    root.replaceChildren(controls, make("div", { className: "columns" }, left, right),
        make("p", { className: "sub keys" }, "Keys: left and right arrow: a step; [ and ]: the same line again; Home, End; space: play. " +
            "The address of the page leads to this moment. Memory: loads, stores and atomics, by the rules of compute capability 9.0."));
    if (data.cut) root.append(make("p", { className: "sub" }, data.cut));
    buildWarps(many);
    buildTiles();
}

function legend() {
    return make("p", { className: "sub legend" }, ...[["active", "active"], ["diverged", "on another path"], ["waits", "waits"],
        ["exited", "exited"]].flatMap(([name, text]) => [make("span", { className: `cell ${name}`, ariaHidden: "true" }), ` ${text} `]));
}

// ---- Source ----

let shownFile = -1;
function showSource({ file, line, warp }) {
    if (file !== shownFile) {
        shownFile = file;
        ui.file.textContent = data.files[file].name;
        ui.source.replaceChildren(...data.files[file].lines.map((text, i) => {
            // Tabs, since a narrow window has no room for four spaces; a line that is too wide goes on below, further to the right.
            const tabs = Math.floor((text || "").search(/\S|$/) / 4);
            const code = make("code", {}, "\t".repeat(tabs) + (text || " ").slice(4 * tabs));
            code.style.setProperty("--tabs", tabs);
            return make("div", { className: "line", hidden: text === null }, make("span", { className: "number" }, i + 1), code, make("span", { className: "who" }));
        }));
    }
    for (const old of ui.source.querySelectorAll(".now, .others")) {
        old.classList.remove("now", "others");
        old.lastChild.textContent = "";
    }
    const others = new Map();
    for (let other = 0; other < data.warps * data.blocks; other++) {
        if (blockOf(other) !== blockOf(warp) || other === warp) continue;
        for (const [, state, at] of (lastAt(states.get(other), now) || []).slice(2))
            if (at && state !== 6 && state !== 0) others.set(at, [...(others.get(at) || []), other % data.warps]);
    }
    for (const [at, list] of others) {
        const row = ui.source.children[at - 1];
        if (!row) continue;
        row.classList.add("others");
        row.lastChild.textContent = list.length > 3 ? `${list.length} warps` : list.map((one) => `w${one}`).join(" ");
    }
    const current = ui.source.children[line - 1];
    if (!current) return;
    current.classList.add("now");
    current.lastChild.textContent = `w${warp % data.warps} ${current.lastChild.textContent}`;
    const height = ui.source.clientHeight, top = current.offsetTop;
    if (top < ui.source.scrollTop + 40 || top > ui.source.scrollTop + height - 60) ui.source.scrollTop = top - height / 2;
}

// ---- Warps ----

const warpRows = [];
function buildWarps(many) {
    for (let warp = 0; warp < many; warp++) {
        const cells = Array.from({ length: LANES }, (_, lane) => make("span", { className: "cell", "data-lane": lane }));
        const text = make("span", { className: "doing" });
        const row = make("div", { className: "warp" }, make("b", {}, `w${warp % data.warps}`), make("span", { className: "lanes" }, ...cells), text);
        warpRows.push({ row, cells, text });
        ui.warps.append(row);
    }
}

function showWarps({ warp: own }) {
    warpRows.forEach(({ row, cells, text }, warp) => {
        row.hidden = blockOf(warp) !== blockOf(own);
        row.classList.toggle("own", warp === own);
        const groups = (lastAt(states.get(warp), now) || [0, 0, [-1, 1, 0]]).slice(2);
        groups.forEach(([mask, state]) => cells.forEach((cell, lane) => {
            if (isOn(mask, lane)) cell.className = `cell ${warp !== own && state === 1 ? "ready" : CLASSES[state]}`;
        }));
        text.textContent = groups.filter(([, state]) => state > 0).map(([mask, state, line]) =>
            `${countOf(mask)} ${warp !== own && state === 1 ? "ready" : STATES[state]}${line && state !== 6 ? `, line ${line}` : ""}`).join("; ");
    });
}

// ---- Memory that a line touches ----

function arrayOf(address) {
    const below = data.arrays.filter(([, base]) => base <= address).sort((a, b) => b[1] - a[1])[0];
    return below ? `${below[0]}[${Math.floor((address - below[1]) / below[3])}]` : `0x${address.toString(16)}`;
}

function lanesOf([, , , , mask, runs]) {
    const addresses = unpack(runs), lanes = [];
    for (let lane = 0; lane < LANES; lane++) if (isOn(mask, lane)) lanes.push([lane, addresses[lanes.length]]);
    return lanes;
}

// Sectors of 32 bytes, and in each of their words the lanes that want it.
function sectorPicture(access) {
    const sectors = new Map(), bytes = access[3], most = 64;
    for (const [lane, address] of lanesOf(access))
        for (let at = address - address % 4; at < address + bytes; at += 4) {
            const sector = Math.floor(at / 32), word = at / 4 % WORDS;
            if (!sectors.has(sector)) sectors.set(sector, Array.from({ length: WORDS }, () => []));
            sectors.get(sector)[word].push(lane);
        }
    const picture = make("div", { className: "sectors" }), order = [...sectors.keys()].sort((a, b) => a - b);
    order.slice(0, most).forEach((sector, i) => {
        if (i > 0 && sector !== order[i - 1] + 1) picture.append(make("span", { className: "gap", ariaHidden: "true" }, "\u2026"));
        picture.append(make("span", { className: "sector", title: `sector at ${arrayOf(sector * 32)}` },
            ...sectors.get(sector).map((lanes) => make("span", { className: lanes.length ? "word hit" : "word", "data-lane": lanes.join(" "),
                title: lanes.length ? `lanes ${lanes.join(", ")}` : "not used" }, lanes.length > 1 ? `${lanes[0]}+` : lanes.join("")))));
    });
    if (order.length > most) picture.append(` and ${order.length - most} more`);
    return picture;
}

function accessPicture(access) {
    const [, kind, isShared, bytes, mask, , cost, least] = access, lanes = lanesOf(access), count = lanes.length;
    const unit = isShared ? "wavefront" : "sector";
    const units = (number) => `${number} ${unit}${number === 1 ? "" : "s"}`;
    const where = isShared ? "shared memory" : arrayOf(lanes[0][1]) + (count > 1 ? ` .. ${arrayOf(lanes[count - 1][1])}` : "");
    const text = make("p", {}, make("b", {}, `${ACCESSES[kind]} `), make("code", {}, where),
        `, ${bytes} bytes from ${count} lane${count === 1 ? "" : "s"}: `, make("b", { className: cost > least ? "waste" : "" }, units(cost)),
        cost > least ? `; ${least} would do` : "");
    return make("div", { className: "access" }, text, ...(isShared ? [] : [sectorPicture(access)]));
}

function showTouched() {
    const list = accesses.get(now) || [];
    ui.touched.replaceChildren(...(list.length ? list.map(accessPicture) : [make("p", { className: "sub" }, "none")]));
}

// ---- Shared memory ----

const tiles = [];
function buildTiles() {
    sharedPanel.hidden = data.sharedBytes === 0;
    const named = data.tiles.map(([name, address, bytes, , kind]) => ({ name, kind, first: address / 4, end: bytes ? (address + bytes) / 4 : Infinity }))
        .sort((a, b) => a.first - b.first);
    const words = Math.max(0, ...[...shared.values()].map((list) => list.length));
    for (const tile of named.length ? named : [{ name: "", kind: "x", first: 0, end: Infinity }]) {
        const end = Math.min(tile.end, words), bars = [], cells = new Map(), head = make("tr", {}, make("td", {}));
        const body = make("tbody");
        for (let bank = 0; bank < LANES; bank++) {
            bars.push(make("i"));
            head.append(make("th", { scope: "col" }, bars[bank], bank));
        }
        for (let row = tile.first - tile.first % LANES; row < end; row += LANES) {
            const line = make("tr", {}, make("th", { scope: "row" }, `[${Math.max(row, tile.first) - tile.first}]`));
            for (let word = row; word < row + LANES; word++) {
                const cell = make("td", {}, "");
                if (word >= tile.first && word < end) cells.set(word, cell);
                else cell.className = "outside";
                line.append(cell);
            }
            body.append(line);
        }
        if (end <= tile.first) continue;
        ui.tiles.append(make("div", { className: "scroll", tabIndex: 0, role: "group", ariaLabel: `${tile.name} by bank` },
            make("table", { className: "banks" }, make("caption", {}, make("code", {}, tile.name), ` ${4 * (end - tile.first)} bytes; columns: banks`),
                make("thead", {}, head), body)));
        tiles.push({ ...tile, cells, bars });
    }
}

function showShared({ warp }) {
    const words = shared.get(blockOf(warp)) || [], touch = new Map(), asked = new Map();
    for (const access of accesses.get(now) || []) {
        if (!access[2]) continue;
        const own = new Map();
        for (const [lane, address] of lanesOf(access))
            for (let at = address - address % 4; at < address + access[3]; at += 4) {
                touch.set(at / 4, { kind: access[1], lanes: [...(touch.get(at / 4) || { lanes: [] }).lanes, lane] });
                const bank = at / 4 % LANES;
                own.set(bank, (own.get(bank) || new Set()).add(at / 4));
            }
        for (const [bank, set] of own) asked.set(bank, Math.max(asked.get(bank) || 0, set.size));
    }
    for (const { kind, cells, bars, first } of tiles) {
        const inside = [...touch.keys()].some((word) => cells.has(word));
        bars.forEach((bar, bank) => {
            const count = inside ? asked.get(bank) || 0 : 0;
            bar.style.height = `${Math.min(count, LANES) * 1.4}px`;
            bar.className = count > 1 ? "conflict" : "";
            bar.title = `${count} words of this bank`;
        });
        for (const [word, cell] of cells) {
            const last = lastAt(words[word], now), hit = touch.get(word);
            const text = last ? wordText(last[1], kind) : "";
            const name = (hit ? (hit.kind === 1 ? "read " : "write ") : "") + (last && last[0] > before && last[0] > 0 && text ? "changed" : "");
            if (cell.textContent !== text) cell.textContent = text;
            if (cell.className !== name) cell.className = name;
            if (hit) cell.dataset.lane = hit.lanes.join(" ");
            else delete cell.dataset.lane;
            cell.title = hit ? `word ${word - first}, bank ${word % LANES}, lane ${hit.lanes.join(", ")}` : `word ${word - first}, bank ${word % LANES}`;
        }
    }
}

// ---- Variables ----

function cellText(value) {
    if (value === null || value === undefined) return "";
    if (/^-?\d+\.\d+(e[-+]?\d+)?$/.test(value)) return short(Number(value));
    return String(value).replace(/^0x[0-9a-f]+([0-9a-f]{5})$/, "\u2026$1");
}

function variableRow(id, moment) {
    const [name, where] = data.variables[id], row = lastAt(values.get(`${moment.warp} ${id}`), now);
    if (!row) return null;
    const list = unpack(row[3]), texts = list.map(cellText), known = list.filter((value) => value !== null);
    const changed = row[0] > before && row[0] > 0 ? " changed" : "", title = make("b", { title: where }, name);
    if (known.length === 0) return make("div", { className: "variable" }, title, make("span", { className: "one sub" }, "no value yet"));
    const longest = Math.max(...texts.map((text) => text.length));
    if (known.length === list.filter((_, lane) => isOn(moment.lanes, lane) || list[lane] !== null).length && new Set(known).size === 1)
        return make("div", { className: "variable" }, title, make("span", { className: `one${changed}` }, String(known[0]),
            make("small", {}, known.length === 1 ? "" : `all ${known.length} lanes`)));
    const wide = ui.variables.clientWidth - 80, each = Math.min(longest, 12) * 7.5 + 6;
    const columns = [32, 16, 8, 4, 2].find((count) => count * each <= wide) || 1;
    const cells = texts.map((text, lane) => make("span", { className: `value${isOn(moment.lanes, lane) ? "" : " off"}${changed}`, "data-lane": lane,
        title: `lane ${lane}: ${list[lane] === null ? "no value" : list[lane]}` }, text || "\u00B7"));
    const grid = make("span", { className: "grid" }, ...cells);
    grid.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    return make("div", { className: "variable" }, title, grid);
}

function showVariables(moment) {
    const scope = lastAt(scopes.get(moment.warp), now), seen = new Set();
    const ids = scope ? scope[2].filter((id) => !seen.has(data.variables[id].join()) && seen.add(data.variables[id].join())) : [];
    const rows = [...ids.filter((id) => !data.variables[id][2]), ...ids.filter((id) => data.variables[id][2])].map((id) => variableRow(id, moment));
    ui.variables.replaceChildren(...rows.filter(Boolean));
}

// ---- Time ----

function drawStrip() {
    const canvas = ui.strip, many = data.warps * data.blocks, each = many > 8 ? 6 : 12, scale = devicePixelRatio || 1;
    const width = canvas.clientWidth, height = many * each + 2, style = getComputedStyle(document.documentElement);
    canvas.style.height = `${height}px`;
    canvas.width = width * scale;
    canvas.height = height * scale;
    const context = canvas.getContext("2d"), step = width / moments.length, colour = (name) => style.getPropertyValue(name);
    context.scale(scale, scale);
    moments.forEach(({ warp, lanes }, i) => {
        const count = countOf(lanes), tall = Math.max(2, (each - 2) * count / LANES);
        context.fillStyle = colour(count === LANES ? "--bar" : "--most");
        context.fillRect(i * step, (warp + 1) * each - tall, Math.max(step, 1), tall);
    });
    context.fillStyle = colour("--bad");
    for (const moment of events.keys()) context.fillRect(moment * step - 1, 0, 3, height);
    context.fillStyle = colour("--fg");
    context.fillRect((now + 0.5) * step - 1, 0, 2, height);
    canvas.setAttribute("aria-label", `which warp executes at each of ${moments.length} steps; low bars: few active lanes`);
}

function markLane() {
    for (const old of document.querySelectorAll(".marked")) old.classList.remove("marked");
    if (ui.lane.value === "-1") return;
    for (const cell of document.querySelectorAll(`[data-lane~="${ui.lane.value}"]`)) cell.classList.add("marked");
}

function show() {
    const moment = moments[now], at = path.indexOf(now), count = countOf(moment.lanes);
    before = at > 0 ? path[at - 1] : -1;
    ui.slider.value = at;
    const block = data.blocks > 1 ? `block ${data.first + blockOf(moment.warp)}, ` : "";
    const text = `step ${at + 1} of ${path.length}, time ${moment.time}: ${block}warp ${moment.warp % data.warps}, line ${moment.line}, ` +
        `${count} of 32 lanes active`;
    ui.slider.setAttribute("aria-valuetext", text);
    ui.where.textContent = text;
    const told = (events.get(now) || []).map((row) => row[1]).join("\n");
    ui.event.hidden = !told;
    ui.event.textContent = told;
    ui.back.disabled = at <= 0;
    ui.forth.disabled = at >= path.length - 1;
    showSource(moment);
    showWarps(moment);
    showTouched();
    showShared(moment);
    showVariables(moment);
    drawStrip();
    markLane();
    const follow = ui.follow.value === "-1" ? "" : `&warp=${ui.follow.value}`;
    if (location.hash !== `#t=${moment.time}${follow}`) history.replaceState(null, "", `#t=${moment.time}${follow}`);
}

function goTo(index) {
    const next = Math.min(Math.max(index, 0), path.length - 1);
    if (path[next] === now) return false;
    now = path[next];
    show();
    return true;
}

// Steps of all warps or of one; the moment stays as near as it can.
function follow() {
    const warp = Number(ui.follow.value);
    path = moments.map((_, i) => i).filter((i) => warp < 0 || moments[i].warp === warp);
    if (path.length === 0) path = [now];
    ui.slider.max = path.length - 1;
    now = path.findLast((i) => i <= now) ?? path[0];
    show();
}

// The next step at the same line, in a direction.
function again(direction) {
    const { file, line } = moments[now];
    let at = path.indexOf(now) + direction;
    while (at >= 0 && at < path.length && (moments[path[at]].line !== line || moments[path[at]].file !== file)) at += direction;
    if (at >= 0 && at < path.length) goTo(at);
}

function play() {
    if (playing) clearInterval(playing);
    playing = playing ? 0 : setInterval(() => goTo(path.indexOf(now) + 1) || play(), 700);
    ui.play.textContent = playing ? "Pause" : "Play";
}

function onKey(event) {
    const at = path.indexOf(now), inField = /^(SELECT|INPUT)$/.test(event.target.tagName);
    const actions = { ArrowRight: () => goTo(at + 1), ArrowLeft: () => goTo(at - 1), "]": () => again(1), "[": () => again(-1),
        Home: () => goTo(0), End: () => goTo(path.length - 1), " ": play };
    if (event.ctrlKey || event.altKey || event.metaKey || !actions[event.key]) return;
    if (inField && event.target !== ui.slider) return;
    if (event.key === " " && event.target.tagName === "BUTTON") return;
    event.preventDefault();
    actions[event.key]();
}

function readAddress() {
    const asked = new URLSearchParams(location.hash.slice(1));
    ui.follow.value = asked.has("warp") && Number(asked.get("warp")) < data.warps * data.blocks ? asked.get("warp") : "-1";
    const wanted = Number(asked.get("t") || 0), found = moments.findLastIndex((moment) => moment.time <= wanted);
    now = Math.max(found, 0);
    follow();
}

build();
document.body.classList.toggle("framed", window !== window.top);
ui.back.onclick = () => goTo(path.indexOf(now) - 1);
ui.forth.onclick = () => goTo(path.indexOf(now) + 1);
ui.play.onclick = play;
ui.slider.oninput = () => goTo(Number(ui.slider.value));
ui.follow.onchange = follow;
ui.lane.onchange = markLane;
ui.strip.onclick = (event) => {
    const wanted = Math.floor(event.offsetX / ui.strip.clientWidth * moments.length);
    goTo(path.findLastIndex((i) => i <= wanted));
};
addEventListener("keydown", onKey);
addEventListener("hashchange", readAddress);
addEventListener("resize", show);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawStrip);
readAddress();
