// SPDX-License-Identifier: MIT
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
