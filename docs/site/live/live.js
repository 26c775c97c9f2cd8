// Figures that a reader changes. A page has <div class="kl-live" hidden> with a rule, a title, parameters such as
// "stride 1..32 = 1; lanes 1,2,4 = 4" and expressions of them, separated by "|": the byte address of `lane` and the bytes of a
// lane, or threads, registers and bytes of shared memory of a block. The numbers come from the simulator's own rules
// (rules.c), which build.sh puts into kernelLadderRules; without them a page shows what it shows without scripts: the still form
// that still.mjs made of a figure's first values, if it was there to make one.
"use strict";
const kernelLadderLive = (base64) => {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))));
    const LANES = 32, ALL = -1;
    const words = (at) => {
        const bytes = new Uint8Array(exports.memory.buffer, at);
        return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
    };
    const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
    // The table of banks and wavefronts, where nothing is asked of a bank.
    const empty = (rows, taken) => Array.from({ length: 32 * rows }, (_, i) => ({ x: i % 32, y: Math.floor(i / 32), label: "", kind: "off" })).filter(({ x, y }) => !taken.has(x + "," + y));
    // Each rule: what it says, and cells {x, y, label, kind} of a picture `columns` wide.
    const rules = {
        sectors(addresses, bytes) {
            const count = exports.live_sectors(ALL, bytes), used = new Set();
            for (const address of addresses) for (let i = 0; i < bytes; i++) used.add(address + i);
            const sectors = [...new Set([...used].map((byte) => Math.floor(byte / 32)))].sort((a, b) => a - b);
            const cells = sectors.flatMap((sector, i) => [0, 1, 2, 3, 4, 5, 6, 7].map((word) => {
                const first = sector * 32 + word * 4, on = [0, 1, 2, 3].some((byte) => used.has(first + byte));
                return { x: (i % 4) * 8.5 + word, y: Math.floor(i / 4) * 1.4, label: "", kind: on ? "on" : "off" };
            }));
            return { says: `${plural(count, "sector")} of 32 bytes; ${Math.round((1000 * used.size) / (count * 32)) / 10} % of the bytes moved are asked for.`, cells, columns: 33.5 };
        },
        banks(addresses, bytes) {
            const count = exports.live_wavefronts(ALL, bytes), spare = count - exports.live_conflict_free(ALL, bytes);
            const cells = new Map();
            addresses.forEach((address, lane) => {
                for (let word = 0; word < Math.max(1, bytes / 4); word++) {
                    const x = (Math.floor(address / 4) + word) % 32, y = exports.live_round(lane, word);
                    if (!cells.has(x + "," + y)) cells.set(x + "," + y, { x, y, label: lane, kind: "on" });
                }
            });
            return { says: `${plural(count, "wavefront")}, ${plural(spare, "bank conflict")}. One column per bank, one row per wavefront; the number is the lane.`, cells: [...cells.values(), ...empty(count, cells)], columns: 32 };
        },
        atomics(addresses, bytes) {
            const count = exports.live_atomics(ALL, bytes);
            const taken = new Map(addresses.map((address, lane) => {
                const x = Math.floor(address / 4) % 32, y = exports.live_round(lane, 0);
                return [x + "," + y, { x, y, label: lane, kind: "on" }];
            }));
            return { says: `${plural(count, "wavefront")}. One column per bank, one row per wavefront; the number is the lane.`, cells: [...taken.values(), ...empty(count, taken)], columns: 32 };
        },
        occupancy(threads, registers, shared) {
            const [warps, most, blocks, byWarps, byBlocks, byRegisters, byShared, limit] = [0, 1, 2, 3, 4, 5, 6, 7].map((what) => exports.live_occupancy(threads, registers, shared, what));
            const each = blocks ? warps / blocks : 0;
            const cells = Array.from({ length: most }, (_, i) => ({ x: i % 32, y: Math.floor(i / 32), label: i < warps ? Math.floor(i / each) : "", kind: i < warps ? (Math.floor(i / each) % 2 ? "odd" : "on") : "off" }));
            const says = blocks ? `${plural(blocks, "block")} of ${plural(each, "warp")} per SM: ${warps} of ${most} warps, ${Math.round((100 * warps) / most)} %; the limit is ${words(exports.live_limiter(limit))}.` : "Such a block cannot run.";
            return { says: `${says} Blocks by warps ${byWarps}, by blocks ${byBlocks}, by registers ${byRegisters}, by shared memory ${byShared} (${words(exports.live_card())}). One cell per warp; the number is its block.`, cells, columns: 32 };
        },
    };
    // "stride 1..32 = 8", "columns 0..64/4 = 32" or "lanes 1,2,4 = 2": a name, its values, and which of them comes first.
    const parameters = (text) => text.split(";").map((part) => {
        const [, name, least, most, step, listed, start] = /^\s*(\w+) (?:(\d+)\.\.(\d+)(?:\/(\d+))?|([\d,]+)) = (\d+)\s*$/.exec(part);
        const values = listed ? listed.split(",").map(Number) : [];
        if (!listed) for (let value = Number(least); value <= Number(most); value += Number(step || 1)) values.push(value);
        return { name, values, start: values.indexOf(Number(start)) };
    });
    // What a figure shows for values of its parameters, in their order.
    const answer = (rule, names, expressions, values) => {
        const of = (expression) => new Function(...names, "lane", `return ${expression};`);
        const [first, ...rest] = expressions.split("|");
        const fixed = rest.map((expression) => of(expression)(...values, 0));
        if (rule === "occupancy") return rules.occupancy(of(first)(...values, 0), ...fixed);
        const addresses = Array.from({ length: LANES }, (_, lane) => of(first)(...values, lane));
        addresses.forEach((address, lane) => exports.live_set(lane, address));
        return rules[rule](addresses, ...fixed);
    };
    // The cells of an answer as SVG.
    const SIZE = 20;
    const picture = ({ cells, columns }) => {
        const width = columns * SIZE, height = (Math.max(...cells.map((cell) => cell.y)) + 1) * SIZE;
        const drawn = cells.map(({ x, y, label, kind }) =>
            `<rect x="${x * SIZE + 1}" y="${y * SIZE + 1}" width="${SIZE - 2}" height="${SIZE - 2}" class="kl-cell-${kind}"/>` +
            (label === "" ? "" : `<text x="${(x + 0.5) * SIZE}" y="${(y + 0.72) * SIZE}" class="kl-cell-label">${label}</text>`));
        return `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" aria-hidden="true">${drawn.join("")}</svg>`;
    };
    return { exports, parameters, answer, picture };
};

if (typeof document !== "undefined") document.addEventListener("DOMContentLoaded", () => {
    const figures = document.querySelectorAll(".kl-live");
    if (!figures.length || !kernelLadderRules || typeof WebAssembly === "undefined") return;
    const live = kernelLadderLive(kernelLadderRules);
    const html = (name, properties) => Object.assign(document.createElement(name), properties);
    for (const figure of figures) {
        const { rule, title, parameters, expressions } = figure.dataset;
        const all = live.parameters(parameters), says = html("p", { className: "kl-live-says" });
        says.setAttribute("role", "status");
        const picture = html("div", { className: "kl-live-picture", tabIndex: 0 });
        picture.setAttribute("role", "group");
        picture.setAttribute("aria-label", title);
        const inputs = all.map(({ values, start }) => html("input", { type: "range", min: 0, max: values.length - 1, value: start }));
        const values = () => all.map((parameter, i) => parameter.values[inputs[i].value]);
        const show = () => {
            const found = live.answer(rule, all.map((parameter) => parameter.name), expressions, values());
            values().forEach((value, i) => {
                inputs[i].nextSibling.textContent = value;
                inputs[i].setAttribute("aria-valuetext", value);
            });
            says.textContent = found.says;
            picture.innerHTML = live.picture(found);
        };
        figure.replaceChildren(html("p", { className: "kl-live-title", textContent: title })); // in place of its still form
        all.forEach(({ name }, i) => {
            const label = html("label", {});
            label.append(html("span", { textContent: name.replace(/_/g, " ") }), inputs[i], html("output", {}));
            inputs[i].addEventListener("input", show);
            figure.append(label);
        });
        figure.append(says, picture);
        show();
        figure.hidden = false;
    }
});
