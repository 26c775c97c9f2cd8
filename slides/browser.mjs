// What needs a browser: decks as PDF, slides that do not hold what is on them, and the accessibility of the site's pages.
//   node browser.mjs print OUT DECK.html..     OUT/DECK.pdf
//   node browser.mjs notes OUT DECK.html..     OUT/DECK_notes.pdf: A4 pages of slides with the notes that OUT/DECK.html has
//   node browser.mjs overflow DECK.html..      each slide whose text or picture leaves it, whose title has two lines or whose figure has more room
//   node browser.mjs figures FIGURE.svg..      texts of a figure that lie on each other or leave it, and figures with an empty side
//   node browser.mjs light DECK.html..         decks whose first picture is another one where the reader asks for dark pages
//   node browser.mjs axe PAGE.html..           each violation that axe-core finds (WCAG 2 A and AA), light and dark
//   node browser.mjs fits PAGE.html..          in windows of four widths and on paper: what leaves the window, is cut, overlaps or is too small
//   node browser.mjs decks DECK.html..         the same of all slides of decks
//   node browser.mjs find SITE                 the search of the site: does it find, with mouse and keys, wide and narrow?
//   node browser.mjs profile PAGE.html..       a page of `ladder profile --html`: errors, what leaves a narrow window, what does not answer
//   node browser.mjs replay PAGE.html..        a page of `ladder debug --html`: the same, and do its keys, slider and address work?
//   node browser.mjs stills SITE               pictures of the recordings that the site's pages show, for print, into these pages
//   node browser.mjs report PAGE.html..        a page of `ladder grade` or `ladder report`: errors, what leaves a narrow window
//   node browser.mjs shot PAGE.html OUT.png WIDTH ELEMENT [ACTION=ELEMENT..]     a picture of an element, light; before it
//                                              "click=", "show=" (unfolded), "hide=" and "choose=" (an option) one after the other
// ELEMENT is a CSS selector. The decks are Marp's HTML with the template "bare". The exit status is 0 when nothing was found.
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import puppeteer from "puppeteer-core";
import { smallPng } from "./picture.mjs";

const [mode, ...files] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), "ladder-browser-"));
const browser = await puppeteer.launch({
    executablePath: process.env.CHROME_PATH || "/usr/bin/chromium",
    userDataDir: profile,
    timeout: 0, // nor any other: a slow machine is no fault, and what hangs the caller ends
    protocolTimeout: 0,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", "--allow-file-access-from-files"],
});
let faults = 0;

async function newPage() {
    const page = await browser.newPage();
    page.setDefaultTimeout(0);
    return page;
}

async function open(file, scheme = "light") {
    const page = await newPage();
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.setViewport({ width: 1280, height: 900 });
    await page.goto("file://" + resolve(file), { waitUntil: "load" });
    // Marp makes long lines of code smaller when it has seen their size, after a frame.
    await page.evaluate(async () => {
        for (let frame = 0; frame < 6; frame++) await new Promise((done) => requestAnimationFrame(done));
    });
    return page;
}

function fault(text) {
    console.log(text);
    faults++;
}

async function print(out, decks) {
    for (const deck of decks) {
        const page = await open(deck);
        await page.pdf({ path: join(out, basename(deck, ".html") + ".pdf"), preferCSSPageSize: true, printBackground: true });
        await page.close();
    }
}

// What a page of slides with notes looks like; the deck's own rules for printing put each slide on a page.
const NOTES = `@page { size: A4; margin: 13mm 15mm 12mm; }
    article { break-inside: avoid; margin: 0 0 7mm; }
    article > svg[data-marpit-svg] { width: 178mm; height: 100mm; outline: 0.3mm solid #99a; outline-offset: -0.3mm; }
    svg > foreignObject > section { break-before: auto !important; page-break-before: auto !important; }
    .notes { margin: 2mm 1mm 0; font: 9.5pt/1.4 "DejaVu Sans", Arial, sans-serif; color: #222; }
    .notes p { margin: 0 0 1.5mm; } .notes a { color: #0b57a0; }`;

async function printNotes(out, decks) {
    for (const deck of decks) {
        const page = await open(deck), name = basename(deck, ".html");
        const missing = await page.evaluate((shown, style) => {
            const of = new DOMParser().parseFromString(shown, "text/html");
            [...document.querySelectorAll("svg[data-marpit-svg]")].forEach((slide, at) => {
                const article = document.createElement("article"), notes = document.createElement("div");
                notes.className = "notes";
                notes.append(...(of.querySelector(`.bespoke-marp-note[data-index="${at}"]`)?.childNodes ?? []));
                slide.replaceWith(article);
                article.append(slide, notes);
            });
            document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
            return [...document.querySelectorAll(".notes")].filter((notes) => !notes.textContent.trim()).length;
        }, readFileSync(join(out, `${name}.html`), "utf8"), NOTES);
        if (missing) fault(`${name}: ${missing} slides without notes`);
        await page.pdf({ path: join(out, `${name}_notes.pdf`), preferCSSPageSize: true, printBackground: true });
        await page.close();
    }
}

// A slide holds what is on it when no element ends outside the slide, or below its footer.
async function overflow(decks) {
    for (const deck of decks) {
        const page = await open(deck);
        const found = await page.evaluate(() => [...document.querySelectorAll("section")].flatMap((slide, at) => {
            const box = slide.getBoundingClientRect();
            const foot = box.bottom - 44 * (box.height / 720);
            const wide = [...slide.querySelectorAll("*:not(footer, script, style, p:has(> img))")].find((element) => {
                const own = element.getBoundingClientRect();
                return own.width > 0 && own.height > 0 &&
                    (own.right > box.right + 1 || own.left < box.left - 1 || own.bottom > foot || own.top < box.top - 1);
            });
            const broken = [...slide.querySelectorAll("img")].find((image) => !image.naturalWidth);
            const complaints = [];
            const title = slide.matches(".lead") ? null : slide.querySelector("h1"), range = document.createRange();
            if (title) range.selectNodeContents(title);
            const lines = title ? new Set([...range.getClientRects()].map((one) => Math.round(one.bottom / one.height))).size : 1;
            if (lines > 1) complaints.push(`slide ${at + 1}: a title of two lines: ${title.textContent}`);
            const images = [...slide.querySelectorAll("img")].map((image) => image.getBoundingClientRect()), scale = 720 / box.height;
            if (images.length === 1 && !slide.matches(".ask, .answer")) {
                const rest = [...slide.querySelectorAll(":scope > :not(footer, script, style, h1)")].map((part) => part.getBoundingClientRect()).filter((part) => part.height > 0);
                const free = 550 - scale * (Math.max(...rest.map((part) => part.bottom)) - Math.min(...rest.map((part) => part.top)));
                const larger = Math.min(1150 / (scale * images[0].width), 1 + free / (scale * images[0].height));
                if (larger > 1.12) complaints.push(`slide ${at + 1}: its figure has room to be ${larger.toFixed(2)} times as large`);
            }
            if (wide) complaints.push(`slide ${at + 1}: <${wide.localName}> leaves the slide: ${wide.textContent.trim().slice(0, 40)}`);
            if (broken) complaints.push(`slide ${at + 1}: no picture ${broken.getAttribute("src")}`);
            return complaints;
        }));
        const slides = await page.evaluate(() => document.querySelectorAll("section").length);
        for (const complaint of found) fault(`${basename(deck)}, ${complaint}`);
        console.log(`${basename(deck)}: ${slides} slides`);
        await page.close();
    }
}

// Runs in a page that holds one figure, drawn large; returns complaints. Texts overlap when their letters do: a box of a
// text is higher than they are.
function lookFigure() {
    const svg = document.querySelector("svg"), whole = svg.getBoundingClientRect(), complaints = [];
    const texts = [...svg.querySelectorAll("text")].filter((text) => !/rotate/.test(text.getAttribute("transform") ?? "") && text.textContent.trim());
    const boxes = texts.map((text) => {
        const { left, right, top, bottom } = text.getBoundingClientRect(), slack = (bottom - top) / 4;
        return { said: text.textContent.trim(), left: left + 1, right: right - 1, top: top + slack, bottom: bottom - slack };
    });
    boxes.forEach((one, i) => {
        if (one.left < whole.left || one.right > whole.right || one.top < whole.top || one.bottom > whole.bottom) complaints.push(`leaves the figure: ${one.said}`);
        for (const other of boxes.slice(i + 1))
            if (one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom)
                complaints.push(`texts lie on each other: ${one.said} / ${other.said}`);
    });
    const drawn = [...svg.querySelectorAll("text, rect, line, path, circle, polyline, polygon")].map((part) => part.getBoundingClientRect())
        .filter((box) => box.width < 0.99 * whole.width);
    const wide = Math.max(...drawn.map((box) => box.right)) - Math.min(...drawn.map((box) => box.left));
    if (wide < 0.7 * whole.width) complaints.push(`${Math.round(100 - 100 * wide / whole.width)} % of its width is empty`);
    return complaints;
}

async function figures(files) {
    const page = await newPage();
    await page.setViewport({ width: 2600, height: 1400 });
    for (const file of files) {
        await page.setContent(`<style>svg{width:2400px;height:auto}</style>${readFileSync(file, "utf8").replace(/<[?]xml[^>]*>/, "")}`);
        for (const complaint of await page.evaluate(lookFigure)) fault(`${basename(file)}: ${complaint}`);
    }
    console.log(`figures: ${files.length} figures, ${faults} faults`);
}

// A deck is light on every screen, with its pictures: the first of them is the same, point by point.
async function light(decks) {
    for (const deck of decks) {
        const shots = [];
        for (const scheme of ["light", "dark"]) {
            const page = await open(deck, scheme);
            const picture = await page.$("section img");
            if (picture) shots.push(await picture.screenshot({ encoding: "base64" }));
            await page.close();
        }
        if (shots.length < 2) fault(`${basename(deck)}: no picture`);
        else if (shots[0] !== shots[1]) fault(`${basename(deck)}: its pictures are dark where the reader's browser is`);
    }
    console.log(`light: ${decks.length} decks, ${faults} faults`);
}

// What is searched for, and the pages that have to be among the answers.
const SEARCHES = [
    ["bank conflict", ["glossary.html", "lab_01_transpose.html"]],
    ["kl_compare_f32", ["compare_8h.html"]],
    ["reconvergence", ["simulator.html"]],
];

async function search(page, words) {
    await page.focus("#kl-find");
    await page.$eval("#kl-find", (field) => { field.value = ""; });
    await page.type("#kl-find", words);
    await page.waitForFunction((text) => document.querySelector("#kl-found").dataset.asked === text, {}, words);
    return page.$$eval("#kl-found a", (links) => links.map((link) => link.href));
}

async function find(site) {
    const kinds = ["index.html", "structkl__case.html", "files/labs_02_reduction_reduction.h.html", "slides/index.html"];
    for (const [width, scheme, file] of [[1200, "light", kinds[0]], [400, "dark", kinds[0]], [400, "light", kinds[1]], [1200, "dark", kinds[2]],
        [400, "light", kinds[3]]]) {
        const page = await open(join(site, file), scheme), name = `${file} of ${width} px`;
        page.on("pageerror", (error) => fault(`${name}: ${error.message}`));
        page.on("request", (request) => { if (!request.url().startsWith("file:")) fault(`${name}: asks for ${request.url()}`); });
        await page.setViewport({ width, height: 800 });
        await page.waitForSelector("#kl-find", { visible: true });
        for (const [words, wanted] of SEARCHES) {
            const links = await search(page, words);
            for (const one of wanted)
                if (!links.some((link) => link.includes(`/${one}`))) fault(`${name}: ${words}: ${one} is not found`);
            for (const link of links)
                if (!existsSync(new URL(link).pathname)) fault(`${name}: ${words}: no such file: ${link}`);
        }
        if ((await search(page, "zzqqxxyy")).length) fault(`${name}: finds what is nowhere`);
        await search(page, SEARCHES[0][0]);
        const panel = await page.$eval("#kl-found", (found) => {
            const { left, right, bottom } = found.getBoundingClientRect();
            return left >= 0 && right <= innerWidth && bottom <= innerHeight;
        });
        if (!panel) fault(`${name}: the answers leave the window`);
        await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8"));
        for (const { id, help } of await page.evaluate(async () => (await window.axe.run("#kl-found")).violations)) fault(`${name}: ${id}: ${help}`);
        await page.keyboard.press("Escape");
        if (await page.$eval("#kl-found", (found) => !found.hidden)) fault(`${name}: Escape does not close the answers`);
        await page.evaluate(() => document.activeElement.blur());
        await page.keyboard.press("/");
        await page.keyboard.press("ArrowRight");
        if (!(await page.$eval("#kl-find", (field) => field === document.activeElement))) fault(`${name}: / does not lead to the field`);
        await page.keyboard.press("ArrowDown");
        const first = await page.evaluate(() => document.activeElement.href);
        if (!first) fault(`${name}: the arrow does not lead to the first answer`);
        await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")]);
        if (page.url() !== first) fault(`${name}: Enter leads to ${page.url()}, not to ${first}`);
        await page.close();
    }
    const without = readdirSync(site).filter((file) => file.endsWith(".html") && !readFileSync(join(site, file), "utf8").includes("find.js"));
    for (const file of without) fault(`${file}: no search`);
    console.log(`search: ${SEARCHES.length} searches, ${faults} faults`);
}

async function axe(pages) {
    const source = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
    for (const file of pages) {
        for (const scheme of ["light", "dark"]) {
            const page = await open(file, scheme);
            // All slides below each other make a page that scrolls, which a deck does not.
            if (mode === "decks") await page.evaluate(() => { document.body.tabIndex = 0; });
            await page.evaluate(source);
            const { violations } = await page.evaluate(() =>
                window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }));
            for (const { id, help, nodes } of violations)
                fault([`${basename(file)}, ${scheme}: ${id}: ${help}`,
                    ...nodes.slice(0, 5).map((node) => `    ${node.target}: ${node.html.slice(0, 110)}`)].join("\n"));
            await page.close();
        }
    }
    console.log(`axe: ${pages.length} pages, ${faults} violations`);
}

// What a page of a profile does when it is used, in a window of a phone's width. Runs in the page; returns complaints.
async function useProfile() {
    // Numbers that nobody explains: none of the sentence, row, column or caption where they stand answers "what is this?". Numbers of
    // lines, launches and files (h4) are names, code is quoted, and a summary cannot hold a button: what it unfolds, or its list, has it.
    const unexplained = () => {
        const names = "script, style, svg, pre, code, select, footer, h1, h4, [popover], .zoom, .plot, td.line, td.code, td.instr, td.kernel, td.names, .finding, .findings, .fault, .alone";
        const asks = (element) => Boolean(element && element.querySelector("button.what"));
        const columnAsks = (cell) => {
            const heads = cell.closest("table").querySelectorAll("thead th, thead td");
            return asks(heads[cell.cellIndex]) || asks(cell.closest("table").caption);
        };
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), found = new Set();
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const inside = node.parentElement, block = inside.closest("tr, p, li, figcaption, caption, summary, h2, h3, h4"), cell = inside.closest("td, th");
            if (!/\d/.test(node.textContent) || inside.closest(names) || asks(block) || (cell && columnAsks(cell))) continue;
            if (block && block.matches("summary") && asks(block.parentElement.closest(".maps") || block.parentElement)) continue;
            if (/^Launch \d+ $/.test(node.textContent)) continue;
            found.add((block || inside).textContent.trim().slice(0, 90));
        }
        return [...found];
    };
    const frames = async (until) => {
        for (let i = 0; i < 600 && !until(); i++) await new Promise(requestAnimationFrame);
        return until();
    };
    const complaints = [], root = document.documentElement, told = new Set();
    const scrolls = (element) => element !== document.body &&
        (/auto|scroll/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
    // What makes the page wider than the window, told when it first does.
    const checkWidth = (when) => {
        if (root.scrollWidth <= root.clientWidth) return;
        const wide = [...document.body.querySelectorAll("*")].find((element) =>
            element.getBoundingClientRect().right > root.clientWidth + 1 && !scrolls(element.parentElement));
        if (told.has(wide)) return;
        told.add(wide);
        complaints.push(`${when}: ${root.scrollWidth} px wide in a window of ${root.clientWidth}` +
            (wide ? `, <${wide.localName} class="${wide.className}">: ${wide.textContent.trim().slice(0, 60)}` : ""));
    };
    checkWidth("as it opens");
    for (const launch of document.querySelectorAll("details.launch")) launch.open = true;
    checkWidth("all launches unfolded");
    for (const select of document.querySelectorAll("select.heat-by")) {
        const section = select.closest(".sources"), cells = [...section.querySelectorAll("td.heat")];
        const before = cells.map((cell) => cell.textContent).join();
        for (const option of select.options) {
            select.value = option.value;
            select.dispatchEvent(new Event("change", { bubbles: true }));
            if (!cells.some((cell) => cell.textContent)) complaints.push(`heat by ${option.value}: no number`);
            if (!section.querySelector(".about").textContent) complaints.push(`heat by ${option.value}: not explained`);
        }
        select.value = select.options[0].value;
        select.dispatchEvent(new Event("change", { bubbles: true }));
        if (cells.map((cell) => cell.textContent).join() !== before) complaints.push("heat: another number than before");
        checkWidth("after a choice of heat");
    }
    const asked = [...document.querySelectorAll("button.what")];
    if (asked.length < 20) complaints.push(`only ${asked.length} numbers can be asked`);
    for (const button of asked) {
        button.click();
        const answer = document.querySelector("[popover]:popover-open");
        if (!answer || answer.textContent.length < 20) complaints.push(`no answer: ${button.textContent}`);
        if (answer) answer.hidePopover();
    }
    for (const text of unexplained()) complaints.push(`nobody explains: ${text}`);
    for (const figure of document.querySelectorAll("figure.chart")) {
        const name = `${figure.closest("[id]").id}: ${figure.dataset.chart || "chart"}`, said = figure.querySelector("output");
        const key = (name) => figure.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
        if (!(await frames(() => figure.chart && figure.querySelector("canvas")))) {
            complaints.push(`${name}: is not drawn`);
            continue;
        }
        const before = said.textContent, seen = () => figure.chart.scales.x.max - figure.chart.scales.x.min, all = seen();
        const picture = figure.querySelector(":scope > svg");
        if (picture && getComputedStyle(picture).display !== "none") complaints.push(`${name}: is drawn twice`);
        figure.focus();
        key("ArrowRight");
        if (!(await frames(() => said.textContent !== before && /\d/.test(said.textContent)))) complaints.push(`${name}: arrow keys do not read it`);
        key("+");
        if (!(await frames(() => seen() < 0.6 * all))) complaints.push(`${name}: + does not zoom`);
        key("0");
        if (!(await frames(() => seen() === all))) complaints.push(`${name}: 0 does not show all again`);
        figure.querySelector(".zoom button:nth-of-type(2)").click();
        if (!(await frames(() => seen() < 0.6 * all))) complaints.push(`${name}: the button does not zoom`);
        figure.querySelector(".zoom button:last-of-type").click();
        await frames(() => seen() === all);
        checkWidth(name);
    }
    const tables = [...document.querySelectorAll(".facts, .bars, .values, .list, .source")];
    for (const head of tables.flatMap((table) => [...table.querySelectorAll("th")])) {
        const known = ["line", "source", "before", "after", "first", "second"].includes(head.textContent);
        if (head.textContent && !known && !head.querySelector("button.what")) complaints.push(`nobody says what this is: ${head.textContent}`);
    }
    for (const launch of document.querySelectorAll("details.launch")) {
        const timeline = launch.querySelector(".timeline");
        if (!timeline || !timeline.querySelector("figure path.line") || !timeline.querySelector("tr[data-phase] .key path"))
            complaints.push(`${launch.id}: no warp timeline`);
        for (const row of timeline ? timeline.querySelectorAll(".phases tr") : [])
            if (!(parseFloat(row.querySelector("td.num").textContent) <= 100)) complaints.push(`${launch.id}: ${row.textContent}`);
    }
    for (const link of document.querySelectorAll("a[href^='#']"))
        if (!document.querySelector(link.hash)) complaints.push(`${link.textContent} leads nowhere`);
    const picks = [...document.querySelectorAll("button.pick")], rows = () => document.querySelectorAll(".code-of").length;
    if (picks.length < 5) complaints.push(`only ${picks.length} lines have PTX`);
    for (const pick of picks) {
        pick.click();
        const below = pick.closest("tr").nextElementSibling;
        if (!below.matches(".code-of") || !below.querySelector("tbody .instr")) complaints.push(`line ${pick.textContent}: no PTX`);
        if (below.querySelectorAll("th button.what").length < 2) complaints.push(`line ${pick.textContent}: nobody says what its PTX's numbers are`);
        checkWidth(`line ${pick.textContent} with its PTX`);
        pick.click();
    }
    if (rows() !== 0) complaints.push("PTX that does not go away");
    picks[0].click();
    picks[0].focus();
    picks[0].dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true }));
    if (document.activeElement !== picks[1] || picks[1].getAttribute("aria-expanded") !== "true" || rows() !== 1)
        complaints.push("the arrow keys do not go to the next line's PTX");
    picks[1].click();
    const beside = document.querySelector("#beside");
    if (document.querySelectorAll("details.launch").length > 1 && (!beside || beside.hidden || !beside.querySelector("tbody tr")))
        complaints.push("no two launches side by side");
    // Side by side in a narrow window: label, both values and the change of each row are seen without scrolling.
    for (const cell of beside ? beside.querySelectorAll("tbody th, tbody td") : []) {
        const { left, right, width } = cell.getBoundingClientRect();
        if (width > 0 && (left < 0 || right > root.clientWidth + 1)) {
            complaints.push(`side by side: ${cell.textContent} leaves the window`);
            break;
        }
    }
    return complaints;
}

// A recording of the debugger in use. Runs in the page; returns complaints.
async function useReplay() {
    const complaints = [], root = document.documentElement;
    const key = (name) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
    const slider = document.querySelector("input[type=range]"), where = () => document.querySelector(".where").textContent;
    const fits = (when) => root.scrollWidth > root.clientWidth && complaints.push(`${when}: ${root.scrollWidth} px in ${root.clientWidth}`);
    const seen = () => document.querySelector("main").innerText;
    key("Home");
    const first = where(), opened = seen();
    if (!/^step 1 of \d+, time \d+: /.test(first)) complaints.push(`begins with: ${first}`);
    fits("as it opens");
    let touched = 0, known = 0;
    for (let i = 1; i <= Math.min(Number(slider.max), 60); i++) {
        key("ArrowRight");
        if (!where().startsWith(`step ${i + 1} of `)) complaints.push(`the right arrow leads to: ${where()}`);
        if (document.querySelectorAll(".line.now").length !== 1) complaints.push(`${where()}: no current line`);
        if (document.querySelectorAll(".warp.own .cell.active").length === 0) complaints.push(`${where()}: no active lane`);
        touched += document.querySelectorAll(".access").length;
        known += document.querySelectorAll(".value:not(:empty), .one").length;
        fits(where());
    }
    if (touched === 0) complaints.push("no line touches memory");
    if (known === 0) complaints.push("no variable has a value");
    key("End");
    const end = where(), time = /time (\d+)/.exec(end)[1];
    if (slider.value !== slider.max || location.hash !== `#t=${time}`) complaints.push(`the end is ${end} at ${location.hash}`);
    key("Home");
    if (where() !== first || seen() !== opened) complaints.push("back at the beginning it is not as it was");
    location.hash = `#t=${time}`;
    for (let i = 0; i < 60 && where() === first; i++) await new Promise(requestAnimationFrame);
    if (where() !== end) complaints.push(`#t=${time} leads to ${where()}`);
    slider.value = 1;
    slider.dispatchEvent(new Event("input"));
    if (!where().startsWith("step 2 of ")) complaints.push(`the slider leads to ${where()}`);
    return complaints;
}

// A page of a report with all that folds unfolded. Runs in the page; returns complaints.
function lookReport() {
    for (const folded of document.querySelectorAll("details")) folded.open = true;
    const edge = document.documentElement.clientWidth, complaints = [];
    const scrolls = (element) => {
        for (let outer = element.parentElement; outer; outer = outer.parentElement)
            if (/auto|scroll/.test(getComputedStyle(outer).overflowX)) return true;
        return false;
    };
    for (const element of document.body.querySelectorAll("*")) {
        const box = element.getBoundingClientRect();
        if (box.width > 0 && box.right > edge + 1 && !scrolls(element))
            complaints.push(`<${element.localName}> leaves a window of ${edge} px: ${element.textContent.trim().slice(0, 50)}`);
    }
    // A table of a report is read whole: what scrolls in it, a phone cuts.
    for (const table of document.querySelectorAll(".scroll > .wide-table"))
        if (table.parentElement.scrollWidth > table.parentElement.clientWidth + 1)
            complaints.push(`a table is cut in a window of ${edge} px: ${table.textContent.trim().slice(0, 50)}`);
    return complaints;
}

// `look` runs in each page, in a window of a phone's width.
async function use(pages, look) {
    for (const file of pages) {
        const page = await open(file);
        page.on("pageerror", (error) => fault(`${basename(file)}: ${error.message}`));
        page.on("console", (message) => fault(`${basename(file)}: ${message.type()}: ${message.text()}`));
        page.on("request", (request) => { if (!request.url().startsWith("file:")) fault(`${basename(file)}: asks for ${request.url()}`); });
        for (const width of look === lookReport ? [400, 375] : [400]) {
            await page.setViewport({ width, height: 800 });
            await page.reload({ waitUntil: "load" });
            for (const complaint of await page.evaluate(look)) fault(`${basename(file)}: ${complaint}`);
        }
        await page.close();
    }
    console.log(`${mode}: ${pages.length} pages, ${faults} faults`);
}

// Runs in the page. What an action names must be there.
function act(action) {
    const [verb, selector] = [action.slice(0, action.indexOf("=")), action.slice(action.indexOf("=") + 1)];
    const found = [...document.querySelectorAll(selector)];
    if (found.length === 0) throw new Error(`there is no ${selector}`);
    if (verb === "click") found[0].click();
    else if (verb === "show") found[0].open = true;
    else if (verb === "hide") found.forEach((element) => { element.style.display = "none"; });
    else if (verb === "choose") {
        found[0].selected = true;
        found[0].closest("select").dispatchEvent(new Event("change", { bubbles: true }));
    } else throw new Error(`no such action: ${verb}`);
}

async function shot(file, out, width, selector, ...actions) {
    const page = await open(file);
    await page.setViewport({ width: Number(width), height: 900 });
    for (const action of actions) await page.evaluate(act, action);
    const element = await page.$(selector);
    if (!element) throw new Error(`there is no ${selector}`);
    writeFileSync(resolve(out), await smallPng(page, await element.screenshot({ captureBeyondViewport: true })));
    await page.close();
}

// A page has <div class="kl-still" data-recording="NAME.html#t=TIME" data-said="..">: the picture is of the recording's first screen.
async function stills(site) {
    const STILL = /(<div class="kl-still" data-recording="([^"]*)" data-said="([^"]*)">)<\/div>/g, shots = new Map();
    for (const name of readdirSync(site).filter((name) => name.endsWith(".html"))) {
        const text = readFileSync(join(site, name), "utf8");
        if (!text.includes('class="kl-still"')) continue;
        for (const [, , recording] of text.matchAll(STILL)) shots.set(recording, recording.replace(/\.html(#t=)?/, "_").replace(/_?$/, ".png"));
        writeFileSync(join(site, name), text.replace(STILL, (mark, begin, recording, said) =>
            `${begin}<img src="slides/recordings/${shots.get(recording)}" alt="${said}" loading="lazy"/><p>${said}.</p></div>`));
    }
    for (const [recording, picture] of shots) {
        const page = await newPage();
        await page.setViewport({ width: 980, height: 700 });
        await page.goto("file://" + resolve(site, "slides/recordings", recording.replace(/#.*/, "")) + recording.replace(/^[^#]*/, ""), { waitUntil: "load" });
        writeFileSync(join(site, "slides/recordings", picture), await smallPng(page, await page.screenshot()));
        await page.close();
    }
}

// Runs in the page, with all that folds unfolded; returns complaints. What scrolls inside the page may be wider, but not on paper.
function lookFits(paper) {
    for (const folded of document.querySelectorAll(".contents details")) folded.open = true;
    const complaints = new Set(), root = document.documentElement, edge = root.clientWidth + 1, content = document.querySelector("#doc-content") ?? document.body;
    const said = (element) => `<${element.localName}>: ${element.textContent.trim().replace(/\s+/g, " ").slice(0, 50)}`;
    const scrolls = (element) => {
        for (let outer = element.parentElement; outer && outer !== content; outer = outer.parentElement)
            if (/auto|scroll|hidden/.test(getComputedStyle(outer).overflowX)) return outer;
        return null;
    };
    if (root.scrollWidth > root.clientWidth) complaints.add(`the page has ${root.scrollWidth} px`);
    for (const element of content.querySelectorAll("*")) {
        const box = element.getBoundingClientRect(), style = getComputedStyle(element);
        if (box.width > 0 && box.right > edge && !scrolls(element)) complaints.add(`leaves the window, ${said(element)}`);
        if (paper && element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0 && /auto|scroll|hidden/.test(style.overflowX))
            complaints.add(`is cut, ${said(element)}`);
        if (element.localName !== "img" || element.closest("td, li") || box.width === 0 || element.loading === "lazy") continue;
        if (!element.naturalWidth) complaints.add(`no picture ${element.getAttribute("src")}`);
        else if (!paper && box.width < 0.85 * element.naturalWidth && /svg$/.test(element.src))
            complaints.add(`${element.getAttribute("src")} is ${Math.round(box.width)} px wide instead of ${element.naturalWidth}`);
    }
    const texts = [], walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT), range = document.createRange();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const inside = node.parentElement;
        if (!node.textContent.trim() || inside.closest("script, style, svg, select, [hidden]")) continue;
        range.selectNodeContents(node);
        const boxes = [...range.getClientRects()].filter((box) => box.width > 1 && box.height > 1);
        if (boxes.length && parseFloat(getComputedStyle(inside).fontSize) < 11 && !paper) complaints.add(`letters of ${getComputedStyle(inside).fontSize}, ${said(inside)}`);
        for (const box of boxes) texts.push({ box, inside, outer: scrolls(inside) });
    }
    texts.sort((a, b) => a.box.top - b.box.top);
    texts.forEach(({ box, inside, outer }, i) => {
        for (let j = i + 1; j < texts.length && texts[j].box.top < box.bottom - 5; j++) {
            const other = texts[j];
            if (outer === other.outer && !inside.contains(other.inside) && !other.inside.contains(inside) && Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left) > 3 &&
                Math.min(box.bottom, other.box.bottom) - other.box.top > 5) complaints.add(`one above the other, ${said(inside)} and ${said(other.inside)}`);
        }
    });
    return [...complaints];
}

async function fits(pages) {
    for (const file of pages) {
        const page = await open(file);
        for (const width of [400, 768, 1280, 1920, 717]) { // the last is a sheet of A4 with margins of 10 mm
            const paper = width === 717;
            await page.setViewport({ width, height: 900 });
            if (paper) await page.emulateMediaType("print");
            for (const complaint of await page.evaluate(lookFits, paper)) fault(`${basename(file)}, ${paper ? "printed" : `${width} px`}: ${complaint}`);
        }
        await page.close();
    }
    console.log(`fits: ${pages.length} pages, ${faults} faults`);
}

try {
    if (mode === "fits") await fits(files);
    else if (mode === "print") await print(files[0], files.slice(1));
    else if (mode === "notes") await printNotes(files[0], files.slice(1));
    else if (mode === "overflow") await overflow(files);
    else if (mode === "figures") await figures(files);
    else if (mode === "light") await light(files);
    else if (mode === "profile") await use(files, useProfile);
    else if (mode === "replay") await use(files, useReplay);
    else if (mode === "report") await use(files, lookReport);
    else if (mode === "stills") await stills(files[0]);
    else if (mode === "shot") await shot(...files);
    else if (mode === "find") await find(files[0]);
    else await axe(files);
} finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
}
process.exit(faults > 0 ? 1 : 0);
