// The search field of every page: all pages, slides and C interfaces, by their words. Works without a server, so that data and
// library (MiniSearch, MIT) are scripts; they are loaded when somebody first goes to the field.
"use strict";
(() => {
    const root = document.currentScript.src.replace(/find\.js$/, "");
    const MOST = 40, MOST_PER_PAGE = 4, AROUND = 90;
    const WEIGHT = { term: 1.5, page: 1, name: 0.6, slide: 0.8, module: 0.4 };
    const SAME = 3; // a heading or a name that is just what was asked for
    let index = null, loading = null, asked = "";

    function element(name, attributes, ...children) {
        const made = document.createElement(name);
        for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
        made.append(...children);
        return made;
    }

    const style = element("link", { rel: "stylesheet", href: root + "find.css" });
    document.head.append(style);
    const field = element("input", { type: "search", id: "kl-find", placeholder: "Search", autocomplete: "off", spellcheck: "false",
        "aria-label": "Search all pages", "aria-controls": "kl-found", "aria-keyshortcuts": "/" });
    const form = element("form", { role: "search", class: "kl-find" }, field);
    const count = element("p", { role: "status", class: "kl-count" });
    const list = element("ol", {});
    const panel = element("div", { id: "kl-found", class: "kl-found", role: "region", "aria-label": "Search results", hidden: "" },
        count, list);

    function script(name) {
        return new Promise((done, failed) => {
            const made = element("script", { src: root + name });
            made.addEventListener("load", done);
            made.addEventListener("error", failed);
            document.head.append(made);
        });
    }

    async function load() {
        await Promise.all([script("minisearch.js"), script("find-data.js")]);
        const made = new MiniSearch({ fields: ["heading", "page", "text"],
            searchOptions: { boost: { heading: 4, page: 2 }, prefix: (term) => term.length > 2, fuzzy: (term) => term.length > 5 ? 0.15 : 0,
                boostDocument: (id) => WEIGHT[window.klSections[id][4]] * (window.klSections[id][2].toLowerCase() === asked.toLowerCase() ? SAME : 1) } });
        await made.addAllAsync(window.klSections.map(([, page, heading, text], id) => ({ id, page, heading, text })), { chunkSize: 300 });
        index = made;
    }

    // The words around the first one that was found, these marked.
    function excerpt(text, words) {
        const pattern = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|") || "$^", "gi");
        const first = Math.max(0, text.search(pattern));
        let from = Math.max(0, first - AROUND), to = Math.min(text.length, first + 2 * AROUND);
        while (from > 0 && text[from - 1] !== " ") from--;
        while (to < text.length && text[to] !== " ") to++;
        const parts = [from > 0 ? ".. " : ""];
        let at = from;
        for (const match of text.slice(from, to).matchAll(pattern)) {
            parts.push(text.slice(at, from + match.index), element("mark", {}, match[0]));
            at = from + match.index + match[0].length;
        }
        parts.push(text.slice(at, to), to < text.length ? " .." : "");
        return parts;
    }

    function show(words) {
        let found = index.search(words, { combineWith: "AND" });
        if (found.length === 0) found = index.search(words, { combineWith: "OR" });
        const perPage = new Map();
        const shown = found.filter(({ id }) => {
            const page = window.klSections[id][1], before = perPage.get(page) ?? 0;
            perPage.set(page, before + 1);
            return before < MOST_PER_PAGE;
        }).slice(0, MOST);
        list.replaceChildren(...shown.map(({ id, terms }) => {
            const [url, page, heading, text] = window.klSections[id];
            return element("li", {}, element("a", { href: root + url }, element("strong", {}, heading || page), " ",
                element("span", { class: "kl-where" }, heading ? page : ""), element("span", { class: "kl-excerpt" }, ...excerpt(text, terms))));
        }));
        const pages = new Set(found.map(({ id }) => window.klSections[id][1])).size;
        count.textContent = found.length === 0 ? "Nothing was found."
            : `${found.length} ${found.length === 1 ? "place" : "places"} on ${pages} ${pages === 1 ? "page" : "pages"}` +
                (shown.length < found.length ? `, the best ${shown.length} of them:` : ":");
        panel.dataset.asked = words; // whose answers these are
    }

    function place() {
        const box = field.getBoundingClientRect(), top = Math.round(box.bottom + 6);
        panel.style.top = `${top}px`;
        panel.style.maxHeight = `calc(100vh - ${top + 12}px)`;
    }

    async function ask() {
        asked = field.value.trim();
        panel.hidden = asked === "";
        if (asked === "") return;
        place();
        if (!index) {
            count.textContent = "Loading ..";
            try {
                await (loading ??= load());
            } catch {
                count.textContent = "The search could not be loaded.";
                return;
            }
        }
        if (asked !== "") show(asked); // as it is by now
    }

    function close() {
        panel.hidden = true;
    }

    field.addEventListener("focus", () => { loading ??= load(); loading.catch(() => {}); if (field.value.trim()) ask(); });
    field.addEventListener("input", ask);
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        list.querySelector("a")?.click();
    });
    list.addEventListener("click", close);
    document.addEventListener("pointerdown", (event) => { if (!panel.contains(event.target) && event.target !== field) close(); });
    document.addEventListener("focusin", (event) => { if (!panel.contains(event.target) && event.target !== field) close(); });
    window.addEventListener("resize", () => { if (!panel.hidden) place(); });
    document.addEventListener("keydown", (event) => {
        const links = [...list.querySelectorAll("a")], at = links.indexOf(document.activeElement);
        const inside = !panel.hidden && (at >= 0 || document.activeElement === field);
        if (event.key === "/" && !event.ctrlKey && !event.metaKey && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) {
            field.focus();
            field.select();
        } else if (event.key === "Escape" && !panel.hidden) {
            field.focus();
            close();
        } else if (event.key === "ArrowDown" && inside && links.length > 0) {
            links[Math.min(at + 1, links.length - 1)].focus();
        } else if (event.key === "ArrowUp" && inside) {
            (at > 0 ? links[at - 1] : field).focus();
        } else {
            return;
        }
        event.preventDefault();
    });

    // Doxygen makes its own field when the page is there, and again when the window becomes wide or narrow: this one takes its place.
    function settle() {
        const own = document.getElementById("MSearchBox");
        if (own && form.parentElement !== own) own.prepend(form);
        if (!own && !form.isConnected && !document.querySelector("#main-nav, #main-navrow")) document.querySelector("main")?.prepend(form);
    }
    document.addEventListener("DOMContentLoaded", () => {
        document.documentElement.classList.add("kl-searches");
        document.body.append(panel);
        settle();
        new MutationObserver(settle).observe(document.body, { childList: true, subtree: true });
    });
})();
