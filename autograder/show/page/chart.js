// Charts that answer to the pointer, to keys and to buttons, drawn by uPlot (MIT, built in) from the numbers that stand at each figure
// (launch.c, timeline.c). Without a script, and on paper, the picture inside the figure is what there is.

// How a class of the pictures (common/base/paper.h) looks now, light or dark.
function lookOf(name, property) {
    const probe = document.createElement("span");
    probe.className = name;
    document.body.append(probe);
    const look = getComputedStyle(probe)[property];
    probe.remove();
    return look;
}

function axisOf(more) {
    const grid = { stroke: lookOf("grid", "stroke"), width: 1 };
    return { stroke: lookOf("v", "fill"), font: "11px system-ui", labelFont: "11px system-ui", labelSize: 18, grid, ticks: grid, ...more };
}

function rounded(value) {
    return Number(value.toPrecision(3)).toLocaleString("en-US", { maximumSignificantDigits: 3 });
}

// ---- What every chart answers to ----

// The part of the x axis that is seen: `factor` of it, moved by `shift` of it, inside all that there is.
function seePart(chart, factor, shift) {
    const { min, max, distr } = chart.scales.x, xs = chart.data[0], logs = distr === 3;
    const to = logs ? Math.log : (value) => value, from = logs ? Math.exp : (value) => value;
    const first = to(xs[0]), last = to(xs[xs.length - 1]), middle = (to(min) + to(max)) / 2;
    const width = (to(max) - to(min)) * factor;
    if (width >= last - first) {
        chart.setScale("x", { min: xs[0], max: xs[xs.length - 1] });
        return;
    }
    const start = Math.min(Math.max(middle - width / 2 + shift * width, first), last - width);
    chart.setScale("x", { min: from(start), max: from(start + width) });
}

// The pointer of the keys, moved by so many points; what it leaves is followed.
function pointAt(chart, by) {
    const xs = chart.data[0], { min, max } = chart.scales.x;
    const start = chart.at ?? chart.valToIdx(min);
    chart.at = Math.min(Math.max(start + by, 0), xs.length - 1);
    if (xs[chart.at] < min) seePart(chart, 1, -0.5);
    if (xs[chart.at] > max) seePart(chart, 1, 0.5);
    requestAnimationFrame(() => chart.setCursor({ left: chart.valToPos(xs[chart.at], "x"), top: chart.cursor.top > 0 ? chart.cursor.top : 4 }));
}

const chartKeys = {
    ArrowLeft: (chart) => pointAt(chart, -1),
    ArrowRight: (chart) => pointAt(chart, 1),
    "+": (chart) => seePart(chart, 0.5, 0),
    "=": (chart) => seePart(chart, 0.5, 0),
    "-": (chart) => seePart(chart, 2, 0),
    0: (chart) => seePart(chart, Infinity, 0),
};

const chartButtons = [["\u2212", "see more", (chart) => seePart(chart, 2, 0)], ["+", "see less, larger", (chart) => seePart(chart, 0.5, 0)],
    ["\u25C2", "move to the left", (chart) => seePart(chart, 1, -0.5)], ["\u25B8", "move to the right", (chart) => seePart(chart, 1, 0.5)],
    ["all", "see all", (chart) => seePart(chart, Infinity, 0)]];

// A chart in `figure`. make(width): options and data of uPlot, anew for each width and colour scheme; say(chart): what the pointer points at, in words.
function chartIn(figure, name, make, say) {
    const plot = document.createElement("div"), tools = document.createElement("p"), said = document.createElement("output");
    let chart = null;
    const draw = () => {
        if (!plot.clientWidth) return;
        if (chart) chart.destroy();
        const [options, data] = make(plot.clientWidth);
        options.hooks = { ...options.hooks, setCursor: [(it) => { said.textContent = say(it) || hint; }] };
        chart = new uPlot({ ...options, width: plot.clientWidth, legend: { show: false } }, data, plot);
        figure.chart = chart;
    };
    const hint = "Pointer or arrow keys read the chart; a drag, + and - zoom.";
    plot.className = "plot";
    tools.className = "zoom";
    said.textContent = hint;
    for (const [label, title, act] of chartButtons) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = label;
        button.title = title;
        button.setAttribute("aria-label", `${name}: ${title}`);
        button.addEventListener("click", () => chart && act(chart));
        tools.append(button);
    }
    tools.append(said);
    figure.append(plot, tools);
    figure.classList.add("on");
    figure.setAttribute("role", "group");
    figure.setAttribute("aria-label", name);
    figure.addEventListener("keydown", (event) => {
        const act = chartKeys[event.key] || (figure.keys || {})[event.key];
        if (!act || !chart || event.target !== figure || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        act(chart);
    });
    let width = 0; // of the last drawing: what is folded up has none
    new ResizeObserver(() => {
        if (plot.clientWidth === width) return;
        width = plot.clientWidth;
        draw();
    }).observe(plot);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}

// ---- Roofline ----

function pair(text) {
    return text ? text.split(" ").map(Number) : null;
}

// Points of one or two launches, each at DRAM and, where it is known, at the L2.
function pointsOf(launches) {
    return launches.flatMap(({ name, data }, i) => [["DRAM", pair(data.dram)], ["L2", pair(data.l2)]].filter(([, at]) => at)
        .map(([memory, [intensity, slope]]) => ({ label: `${name} at ${memory}`, memory, slope, intensity, rate: Number(data.rate), ink: `s${2 * i + (memory === "L2" ? 5 : 1)}` })));
}

function decade(value, up) {
    return 10 ** (up ? Math.ceil(Math.log10(value)) : Math.floor(Math.log10(value)));
}

// launches: of one device, and of one kind of operation.
function rooflineIn(figure, launches) {
    const points = pointsOf(launches), { peak: most, x, y } = launches[0].data, peak = Number(most);
    const roofs = [["DRAM roof", points.find((point) => point.memory === "DRAM").slope, "s0", peak]];
    const cache = points.find((point) => point.memory === "L2");
    if (cache) roofs.push(["L2 roof", cache.slope, "s2", peak]);
    const marks = [...points.map((point) => point.intensity), ...roofs.map((roof) => peak / roof[1])];
    const first = decade(Math.min(...marks) / 2, false), last = decade(Math.max(...marks) * 2, true), xs = new Set(marks);
    for (let i = 0, count = 96; i <= count; i++) xs.add(first * (last / first) ** (i / count));
    const all = [...xs].sort((a, b) => a - b), allowed = (slope) => (at) => Math.min(slope * at, peak);
    const low = decade(Math.min(...points.map((point) => point.rate / 1.5), roofs[0][1] * first), false);
    const data = [all, ...roofs.map((roof) => all.map(allowed(roof[1]))), ...points.map((point) => all.map((at) => at === point.intensity ? point.rate : null))];
    const say = (chart) => {
        const at = chart.cursor.idx;
        if (at == null) return "";
        const near = points.find((point) => point.intensity === all[at]);
        const told = roofs.map(([name, slope]) => `${name} ${rounded(allowed(slope)(all[at]))}`).join(", ");
        const mine = near ? `${near.label}: ${rounded(near.rate)}, ${rounded(100 * near.rate / allowed(near.slope)(near.intensity))} % of its roof. ` : "";
        return `${mine}At ${rounded(all[at])} ${x}: ${told} ${y}.`;
    };
    // The keys go from launch to launch, too.
    const go = (way) => (chart) => {
        const places = points.map((point) => all.indexOf(point.intensity)).sort((a, b) => a - b), at = chart.at ?? -1;
        const next = way > 0 ? places.find((place) => place > at) : places.reverse().find((place) => place < at);
        if (next !== undefined) pointAt(chart, next - (chart.at ?? chart.valToIdx(chart.scales.x.min)));
    };
    figure.keys = { ArrowDown: go(1), ArrowUp: go(-1) };
    chartIn(figure, "Roofline", () => [{
        height: 240,
        pxAlign: 0,
        padding: [8, 14, 0, 0],
        scales: { x: { time: false, distr: 3, range: (_, min, max) => [min, max] }, y: { distr: 3, range: [low, decade(peak * 1.01, true)] } },
        axes: [axisOf({ label: x, size: 26, labelSize: 14 }), axisOf({ label: y, size: 56 })],
        cursor: { y: false, points: { show: false }, drag: { x: true, y: false } },
        series: [{}, ...roofs.map(([label, , ink]) => ({ label, stroke: lookOf(ink, "color"), width: 2, points: { show: false } })),
            ...points.map(({ label, ink }) => ({ label, stroke: lookOf(ink, "color"), paths: () => null,
                points: { show: true, size: 11, fill: lookOf(ink, "color") } }))],
        hooks: { draw: [(chart) => nameSeries(chart, roofs, points)] },
    }, data], say);
}

// Names at the roofs and at the points, so that a colour need not say it alone: each at the first of its places where it lies on no
// point, no roof and no other name.
function nameSeries(chart, roofs, points) {
    const { ctx } = chart, ratio = uPlot.pxRatio, { left, top, width, height } = chart.bbox, high = 12 * ratio, gap = 8 * ratio;
    const { min, max } = chart.scales.x, along = (part) => min * (max / min) ** part;
    const at = (x, y) => [chart.valToPos(x, "x", true), chart.valToPos(y, "y", true)];
    const peak = roofs[0][3];
    const around = (x, y, size) => [x - size * ratio, y - size * ratio, 2 * size * ratio, 2 * size * ratio];
    const taken = points.map(({ intensity, rate }) => around(...at(intensity, rate), 6));
    for (const [, slope] of roofs)
        for (let i = 0; i <= 200; i++) taken.push(around(...at(along(i / 200), Math.min(slope * along(i / 200), peak)), 1));
    const isFree = ([x, y, w, h]) => x >= left && y >= top && x + w <= left + width && y + h <= top + height &&
        !taken.some((box) => x < box[0] + box[2] && box[0] < x + w && y < box[1] + box[3] && box[1] < y + h);
    const put = (text, ink, placesFor) => {
        const wide = ctx.measureText(text).width + 4 * ratio, places = placesFor(wide);
        const [x, y] = places.find(([x, y]) => isFree([x, y, wide, high])) || places[0];
        taken.push([x, y, wide, high]);
        ctx.fillStyle = lookOf(ink, "color");
        ctx.fillText(text, x + 2 * ratio, y + high / 2);
    };
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.font = `${11 * ratio}px system-ui`;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    for (const { label, ink, intensity, rate } of points) {
        const [x, y] = at(intensity, rate);
        put(label, ink, (wide) => [1, 2, 3, 4].flatMap((far) => [y - high / 2, y + far * gap, y - far * gap - high].flatMap((row) =>
            [[x + gap, row], [x - gap - wide, row], [x - wide / 2, row]])));
    }
    // Where the roof is that of the memory alone: above it on the left, or below it on the right.
    for (const [name, slope, ink] of roofs)
        put(name, ink, (wide) => [0.04, 0.1, 0.16, 0.22, 0.3, 0.4, 0.5, 0.6].filter((part) => slope * along(part) < peak).flatMap((part) => {
            const [x, y] = at(along(part), slope * along(part));
            return [[x + gap, y + gap / 4], [x - gap / 2 - wide, y - high - gap / 4], [x + 3 * gap, y + gap / 4]];
        }));
    ctx.restore();
}

// ---- Warp timeline ----

const ROW = 14, STRIP = 34, GAP = 8, SELDOM = 2;

// Of each kind what it is called and how it looks: what the table beside the figure says.
function kindsOf(section) {
    const kinds = { 0: { text: "not there" } };
    for (const row of section.querySelectorAll(".phases tr")) {
        const path = row.querySelector(".key path"), text = row.querySelector("th").textContent;
        if (!path) continue;
        const ink = path.classList[0], thick = Number(path.getAttribute("stroke-width"));
        const dash = (path.getAttribute("stroke-dasharray") || "").split(" ").filter(Boolean).map(Number);
        kinds[row.dataset.kind] = { text, ink, thick, dash };
        if (row.dataset.phase === "selected") kinds[SELDOM] = { text: `${text}, in less than a quarter of these cycles`, ink, thick: thick / 2, dash };
    }
    return kinds;
}

// Stretches of one kind: [first column, column behind the last, kind].
function stretches(row) {
    const found = [];
    row.forEach((kind, c) => {
        if (c > 0 && kind === row[c - 1]) found[found.length - 1][1] = c + 1;
        else found.push([c, c + 1, kind]);
    });
    return found;
}

function drawWarps(chart, rows, kinds, cycleOf) {
    const { ctx } = chart, ratio = uPlot.pxRatio, { left, top, width, height } = chart.bbox;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    for (const [name, { ink, thick, dash }] of Object.entries(kinds)) {
        if (!ink) continue;
        ctx.strokeStyle = lookOf(ink, "color");
        ctx.lineWidth = thick * ratio;
        ctx.setLineDash(dash.map((part) => part * ratio));
        ctx.beginPath();
        rows.forEach((row, r) => {
            for (const [from, to, kind] of row) {
                if (kind !== Number(name)) continue;
                const y = top + (r + 0.5) * ROW * ratio;
                ctx.moveTo(chart.valToPos(cycleOf(from), "x", true), y);
                ctx.lineTo(chart.valToPos(cycleOf(to), "x", true), y);
            }
        });
        ctx.stroke();
    }
    ctx.restore();
}

function timelineIn(figure) {
    const { each, cycles, warps, slots, rows } = figure.dataset, section = figure.closest(".timeline");
    const names = warps.split(" "), used = runsOf(slots, Number), columns = rows.split(",").map((row) => runsOf(row, Number));
    const cycleOf = (column) => Math.min(column * Number(each), Number(cycles));
    const xs = Array.from({ length: used.length + 1 }, (_, c) => cycleOf(c)), height = names.length * ROW + GAP + STRIP;
    const parts = columns.map(stretches), kinds = kindsOf(section);
    let row = 0;
    const say = (chart) => {
        if (chart.cursor.idx == null) return "";
        const at = Math.min(chart.cursor.idx, used.length - 1);
        if (chart.cursor.top >= 0) row = Math.min(Math.floor(chart.cursor.top / ROW), names.length - 1);
        return `cycles ${cycleOf(at).toLocaleString("en-US")} to ${cycleOf(at + 1).toLocaleString("en-US")}: warp ${names[row]} ${kinds[columns[row][at]].text}; ` +
            `${used[at]} % of the issue slots used`;
    };
    const go = (by) => (chart) => {
        row = Math.min(Math.max(row + by, 0), names.length - 1);
        chart.cursor.top = (row + 0.5) * ROW;
        pointAt(chart, 0);
    };
    figure.keys = { ArrowDown: go(1), ArrowUp: go(-1) };
    chartIn(figure, "Warp timeline", () => [{
        height: height + 34,
        padding: [4, 20, 0, 0],
        scales: { x: { time: false, range: (_, min, max) => [min, max] }, y: { range: [0, height / STRIP] } },
        axes: [axisOf({ label: "cycle", size: 24, labelSize: 14, values: (_, ticks) => ticks.map((tick) => tick.toLocaleString("en-US")) }),
            axisOf({ size: 52, grid: { show: false }, ticks: { show: false },
                splits: () => [0.5, ...names.map((_, r) => (height - (r + 0.5) * ROW) / STRIP).reverse()],
                filter: (_, splits) => splits, values: () => ["slots", ...names.map((name, r) => r === 0 ? `warp ${name}` : name).reverse()] })],
        cursor: { points: { show: false }, drag: { x: true, y: false } },
        series: [{}, { stroke: lookOf("s1", "color"), fill: lookOf("s1", "color"), width: 1, paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } }],
        hooks: { draw: [(chart) => drawWarps(chart, parts, kinds, cycleOf)] },
    }, [xs, [...used, used[used.length - 1]].map((share) => share / 100)]], say);
}

// ---- The page's charts ----

for (const figure of document.querySelectorAll("figure.chart")) {
    if (figure.dataset.chart === "roofline") rooflineIn(figure, [{ name: "this launch", data: figure.dataset }]);
    if (figure.dataset.chart === "timeline" && figure.dataset.rows) timelineIn(figure);
}

// Both launches below one roofline.
function showRooflines(beside) {
    const sides = [...beside.querySelectorAll("select.side")].map((select) => document.querySelector(`#${select.value} [data-chart=roofline]`));
    beside.querySelectorAll("figure").forEach((figure) => figure.remove());
    const same = sides.every((side) => side && side.dataset.x === sides[0].dataset.x && side.dataset.peak === sides[0].dataset.peak);
    if (!same || sides[0] === sides[1]) return;
    const figure = document.createElement("figure");
    figure.className = "chart";
    figure.tabIndex = 0;
    beside.append(figure);
    rooflineIn(figure, sides.map((side, i) => ({ name: i === 0 ? "first" : "second", data: side.dataset })));
}

for (const beside of document.querySelectorAll("#beside")) {
    beside.addEventListener("change", () => showRooflines(beside));
    showRooflines(beside);
}
