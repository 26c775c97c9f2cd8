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
    }
});
