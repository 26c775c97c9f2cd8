// answers.mjs LIVE.JS KIT: what answers.c prints, by the rules inside the page's script. Before that it looks at the figures of
// the labs: each lab has one, and it has an answer at both ends of each parameter and where it starts.
import { readFileSync, readdirSync } from "node:fs";
const [script, kit] = process.argv.slice(2);
const [live, rules] = new Function(readFileSync(script, "utf8") + "; return [kernelLadderLive, kernelLadderRules];")();
const { exports, parameters, answer } = live(rules);
const fail = (text) => { console.error(text); process.exit(1); };

for (const lab of readdirSync(kit + "/labs").filter((name) => /^\d\d_/.test(name))) {
    const marks = [...readFileSync(`${kit}/labs/${lab}/README.md`, "utf8").matchAll(/^<!-- live (\w+): (.*) -->$/gm)];
    if (!marks.length) fail(`${lab}: no figure that the reader changes`);
    for (const [, rule, text] of marks) {
        const [title, of, ...expressions] = text.split(" | "), all = parameters(of), names = all.map((one) => one.name);
        const start = all.map((one) => one.values[one.start]);
        const tried = [start, ...all.flatMap((one, i) => [one.values[0], one.values.at(-1)].map((value) => start.map((old, k) => (k === i ? value : old))))];
        for (const values of tried) {
            const { says, cells } = answer(rule, names, expressions.join("|"), values);
            if (/NaN|undefined/.test(says) || cells.some((cell) => !(cell.x >= 0 && cell.y >= 0))) fail(`${lab}: ${title} at ${values}: ${says}`);
        }
    }
}

const lines = [];
let random = 1;
for (let i = 0; i < 2000; i++) {
    const bytes = 1 << i % 5;
    let lanes = 0;
    for (let lane = 0; lane < 32; lane++) {
        random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
        exports.live_set(lane, ((random >>> 8) % (64 << i % 7)) * bytes);
        if (random >>> 30 || i % 2) lanes |= 1 << lane;
    }
    const counts = [exports.live_sectors(lanes, bytes), exports.live_atomics(lanes, bytes), exports.live_conflict_free(lanes, bytes), exports.live_wavefronts(lanes, bytes)];
    lines.push([...counts, ...Array.from({ length: 32 }, (_, lane) => exports.live_round(lane, 0))].join(" "));
}
for (let threads = 0; threads <= 1056; threads += 33)
    for (let registers = 8; registers <= 256; registers += 31)
        lines.push([0, 1, 2, 3, 4, 5, 6, 7].map((what) => exports.live_occupancy(threads, registers, threads * 200, what)).join(" "));
const words = (at) => Buffer.from(new Uint8Array(exports.memory.buffer, at, 100)).toString().split("\0")[0];
lines.push(`${words(exports.live_card())}, ${words(exports.live_limiter(2))}`);
console.log(lines.join("\n"));
