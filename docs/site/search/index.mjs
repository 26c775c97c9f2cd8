// What the search of the site finds: every section of every page, every slide, every C interface.
//   node index.mjs SITE PAGES DECKS > find-data.js
// PAGES: the pages as Doxygen got them (docs/site/build.sh), DECKS: the decks as Marp got them. The output is a script, since a
// page that was opened from a file may read scripts only: klSections = [[address, page, heading, text, kind], ..].
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const [site, pages, decks] = process.argv.slice(2);
const sections = [];
const ENTITIES = { lt: "<", gt: ">", amp: "&", quot: "\"", nbsp: " ", "#39": "'" };

function plain(html) {
    return html
        .replace(/<!--[\s\S]*?-->/g, " ")
        .replace(/<(script|style|svg)\b[\s\S]*?<\/\1>/g, " ")
        .replace(/<[^>]*>/g, " ")
        .replace(/&(#?\w+);/g, (all, name) => ENTITIES[name] ?? " ")
        .replace(/\s+/g, " ")
        .trim();
}

// Tables of measured values and modules' pages are looked for less often than explanations.
function kindOf(id) {
    return id.startsWith("module_") || id.startsWith("results") || id.startsWith("coverage") ? "module" : id === "glossary" ? "term" : "page";
}

function addPage(file) {
    const id = basename(file, ".md");
    let page = "", section = null;
    const flush = () => {
        const text = section ? plain(section.html) : "";
        if (text) sections.push([section.url, page, section.heading, text, kindOf(id)]);
    };
    for (const line of readFileSync(file, "utf8").split("\n")) {
        const heading = line.match(/^#+ (.*?)(?: \{#(\w+)\})?$/);
        if (heading) {
            flush();
            const text = heading[1].replace(/\\(.)/g, "$1");
            if (!section) page = text;
            section = { url: `${id}.html` + (section && heading[2] ? `#${heading[2]}` : ""), heading: section ? text : "", html: "" };
        } else if (section && !/^\\(htmlonly|endhtmlonly|tableofcontents)/.test(line)) {
            section.html += line + "\n";
        }
    }
    flush();
}

function addDeck(file) {
    const text = readFileSync(file, "utf8"), name = basename(file, ".md");
    const page = `Slides: ${text.match(/^title: *'?(.*?)'?$/m)?.[1] ?? name}`;
    text.replace(/^---\n[\s\S]*?\n---\n/, "").split(/^(?=# )/m).forEach((slide, at) => { // no code in a deck has such a line
        const words = slide.replace(/!\[((?:(?:bg|[wh]:\S+) ?)*)([^\]]*)\]\([^)]*\)/g, "$2").replace(/\]\([^)]*\)/g, "]").replace(/[*`#|[\]]/g, " ");
        const heading = slide.match(/^#+ (.*)$/m)?.[1] ?? "";
        sections.push([`slides/${name}.html#${at + 1}`, page, plain(heading.replace(/[*`]/g, "")), plain(words), "slide"]);
    });
}

// Doxygen's own index of names, without members of structures.
function addInterfaces() {
    for (const file of readdirSync(join(site, "search")).sort()) {
        if (!/^(functions|classes|typedefs|enums|defines)_\w+\.js$/.test(file)) continue;
        const found = new Function(readFileSync(join(site, "search", file), "utf8") + "; return searchData;")();
        for (const [, [name, ...places]] of found)
            for (const [url, , scope] of places)
                sections.push([url.replace("../", ""), "C interfaces", plain(name), plain(scope ?? ""), "name"]);
    }
}

for (const file of readdirSync(pages).sort()) if (file.endsWith(".md")) addPage(join(pages, file));
if (existsSync(decks)) for (const file of readdirSync(decks).sort()) if (/^\d\d_.*\.md$/.test(file)) addDeck(join(decks, file));
addInterfaces();
process.stdout.write(`klSections = ${JSON.stringify(sections).replaceAll("],[", "],\n[")};\n`);
