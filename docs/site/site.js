// What a reader without a mouse, or with a screen reader, needs beyond Doxygen's pages.
"use strict";
document.addEventListener("DOMContentLoaded", () => {
    const content = document.querySelector(".contents");
    if (content) {
        content.id = content.id || "content";
        content.setAttribute("role", "main");
        content.tabIndex = -1;
        const skip = document.createElement("a");
        skip.className = "kl-skip";
        skip.href = "#" + content.id;
        skip.textContent = "Skip to the text";
        document.body.prepend(skip);
        // A figure scrolls on a phone: by keyboard, too.
        for (const image of content.querySelectorAll("p > img"))
            if (image.naturalWidth > image.parentElement.clientWidth && matchMedia("(max-width: 700px)").matches) image.parentElement.tabIndex = 0;
    }
});

// On a page of steps: "3 of 8" beside a step's heading, and the ways to its neighbours at its end.
document.addEventListener("DOMContentLoaded", () => {
    const headings = [...document.querySelectorAll(".textblock > h1")];
    const steps = headings.map((heading) => ({ heading, numbers: /^\s*Steps? (\d[\d, andto]*):/.exec(heading.textContent)?.[1] })).filter((step) => step.numbers);
    if (steps.length < 2) return;
    const last = Math.max(...steps.flatMap((step) => step.numbers.match(/\d+/g)).map(Number));
    const made = (name, text, className) => Object.assign(document.createElement(name), { textContent: text, className });
    const way = (step, text) => {
        const link = made(step ? "a" : "span", step ? text(step.title) : "", "");
        if (step) link.href = "#" + step.heading.querySelector("a.anchor").id;
        return link;
    };
    for (const step of steps) step.title = step.heading.textContent.trim();
    steps.forEach((step, i) => {
        const place = `step ${step.numbers} of ${last}`;
        const nav = made("nav", "", "kl-next");
        nav.setAttribute("aria-label", "Steps: " + place);
        nav.append(way(steps[i - 1], (title) => "\u2190\u00a0" + title), made("span", place, ""), way(steps[i + 1], (title) => title + "\u00a0\u2192"));
        const following = headings[headings.indexOf(step.heading) + 1];
        if (following) following.before(nav);
        step.heading.append(made("span", `${step.numbers} of ${last}`, "kl-place"));
    });
});

// The contents of a page would fill its first screen: on a phone they are folded, and where there is no room beside the page they stand
// under the menu.
document.addEventListener("DOMContentLoaded", () => {
    const contents = document.querySelector(".contents > .toc, .contents .toc"), title = contents?.querySelector("h3"), list = contents?.querySelector("ul");
    if (!title || !list || matchMedia("(min-width: 1500px)").matches) return;
    const menu = document.getElementById("nav-tree");
    if (menu && matchMedia("(min-width: 768px)").matches) {
        contents.classList.add("kl-under-menu");
        menu.append(contents);
        return;
    }
    const fold = document.createElement("details"), summary = document.createElement("summary");
    summary.textContent = title.textContent;
    title.replaceWith(fold);
    fold.append(summary, list);
});

// Words of C and CUDA in code, and remarks.
document.addEventListener("DOMContentLoaded", () => {
    const word = "alignas|auto|bool|break|case|char|const|constexpr|continue|do|double|else|enum|extern|false|float|float4|for|goto|half|if|inline|int|int4|int64_t|long|nullptr|return|short|signed|size_t|sizeof|static|struct|switch|template|true|typedef|typename|uint32_t|uint64_t|unsigned|using|void|volatile|while|__\\w+__";
    const part = new RegExp(`(//.*)|("(?:[^"\\\\]|\\\\.)*")|\\b(${word})\\b|(^\\s*#\\w+)`, "g"), kinds = ["remark", "text", "word", "word"];
    for (const line of document.querySelectorAll("code[class^=language-c] > .kl-line")) {
        const text = line.textContent, made = [];
        let from = 0;
        for (const found of text.matchAll(part)) {
            const kind = kinds[found.slice(1).findIndex((group) => group !== undefined)];
            made.push(text.slice(from, found.index), Object.assign(document.createElement("span"), { className: "kl-" + kind, textContent: found[0] }));
            from = found.index + found[0].length;
        }
        if (from) line.replaceChildren(...made, text.slice(from));
    }
});

// Tables of measured times are folded, one per card. The one that a reader opened is open, and first, on every page.
document.addEventListener("DOMContentLoaded", () => {
    const key = "kernel-ladder-card";
    let chosen = null;
    try { chosen = localStorage.getItem(key); } catch { /* a browser that stores nothing for files */ }
    for (const summary of document.querySelectorAll("details > summary")) {
        const card = summary.textContent.trim(), details = summary.parentElement;
        if (!/^NVIDIA \S+( \S+){0,3}$/.test(card)) continue;
        summary.addEventListener("click", () => {
            if (!details.open) try { localStorage.setItem(key, card); } catch { /* as above */ }
        });
        if (card !== chosen) continue;
        details.open = true;
        let first = details;
        while (first.previousElementSibling?.matches("details") && /^NVIDIA /.test(first.previousElementSibling.textContent.trim())) first = first.previousElementSibling;
        if (first !== details) first.before(details);
    }
});

// On paper nothing can be unfolded: a walkthrough's answers, and the tables of one card, are there. A lab's results and answers are not,
// but for those that the reader unfolded.
const unfolded = [];
addEventListener("beforeprint", () => {
    const walkthrough = /walkthrough_/.test(location.pathname), isCard = (element) => element?.matches("details") && /^NVIDIA /.test(element.textContent.trim());
    for (const details of document.querySelectorAll(".contents details:not([open], .kl-embed)"))
        if (walkthrough || (isCard(details) && !isCard(details.previousElementSibling))) unfolded.push(details);
    for (const details of unfolded) details.open = true;
});
addEventListener("afterprint", () => {
    for (const details of unfolded.splice(0)) details.open = false;
});

// The switch between light and dark can be reached and pressed with the keyboard, too. It is made late.
new MutationObserver((changes, observer) => {
    const toggle = document.querySelector("doxygen-awesome-dark-mode-toggle");
    if (!toggle) return;
    observer.disconnect();
    toggle.tabIndex = 0;
    toggle.setAttribute("role", "button");
    toggle.setAttribute("aria-label", "Light or dark");
    toggle.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        toggle.click();
    });
}).observe(document.documentElement, { childList: true, subtree: true });
