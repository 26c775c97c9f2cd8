// still.mjs LIVE.JS PAGE.html..: puts into each figure that a reader changes what it shows at first, for readers without scripts and for print.
import { readFileSync, writeFileSync } from "node:fs";
const [script, ...pages] = process.argv.slice(2);
const [live, rules] = new Function(readFileSync(script, "utf8") + "; return [kernelLadderLive, kernelLadderRules];")();
const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
const unescaped = (text) => text.replace(/&quot;/g, '"').replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&");
const FIGURE = /<div class="kl-live" hidden="hidden" data-rule="([^"]*)" data-title="([^"]*)" data-parameters="([^"]*)" data-expressions="([^"]*)">/g;
const { parameters, answer, picture } = rules ? live(rules) : {};
for (const page of rules ? pages : []) {
    const text = readFileSync(page, "utf8");
    const still = text.replace(FIGURE, (mark, ...quoted) => {
        const [rule, title, of, expressions] = quoted.slice(0, 4).map(unescaped);
        const all = parameters(of), values = all.map((one) => one.values[one.start]);
        const found = answer(rule, all.map((one) => one.name), expressions, values);
        const set = all.map(({ name }, i) => `${name.replace(/_/g, " ")} ${values[i]}`).join(", ");
        return mark.replace(' hidden="hidden"', "") + `<p class="kl-live-title">${escaped(title)}</p><p>${escaped(set)}</p>` +
            `<p class="kl-live-says">${escaped(found.says)}</p><div class="kl-live-picture">${picture(found)}</div>`;
    });
    if (still !== text) writeFileSync(page, still);
}
