// Rows of a timeline that zoom and can be asked. The page's data: page.c.
"use strict";
(() => {
    const data = JSON.parse(document.getElementById("spans").textContent);
    const place = document.getElementById("timeline");
    const LABEL = 110, ROW = 22, SCALE = 24;
    const [NUMBER, OWN, ENGINE, KIND, BEGIN, END, WAITS, CAUSE, CALL, NAME, AT] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    const byNumber = new Map(data.spans.map((span) => [span[NUMBER], span]));
    const onPath = new Set(data.path);
    const view = { begin: 0, end: data.end || 1, chosen: null, path: true };

    const make = (parent, name, attributes, text) => {
        const made = document.createElement(name);
        for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
        if (text !== undefined) made.textContent = text;
        parent.append(made);
        return made;
    };
    const time = (us) => {
        const [value, unit] = us < 1000 ? [us, "us"] : us < 1e6 ? [us / 1e3, "ms"] : [us / 1e6, "s"];
        return `${Number(value.toPrecision(4))} ${unit}`;
    };

    place.hidden = false;
    make(place, "h2", {}, "Timeline");
    const buttons = make(place, "div", { class: "buttons" });
    const canvas = make(place, "canvas", {
        tabindex: "0", role: "img",
        "aria-label": "Rows of host, streams, copy engines and multiprocessors on one axis of time; the text below says the same",
    });
    const details = make(place, "div", { class: "details", "aria-live": "polite" });
    const legend = make(place, "div", { class: "legend" });

    const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const kinds = {
        call: ["--call", "call"], graph: ["--call", "call"], wait: ["--wait", "host waits"], kernel: ["--kernel", "kernel"],
        copyIn: ["--in", "copy in"], copyOut: ["--out", "copy out"], copyPeer: ["--peer", "peer copy"],
        copy: ["--fill", "copy on the device"], fill: ["--fill", "fill"], event: ["--event", "event"],
    };
    const kindOf = (span) => {
        if (span[KIND] !== "copy") return span[KIND];
        return span[NAME].startsWith("copy in") ? "copyIn" : span[NAME].startsWith("copy out") ? "copyOut"
            : span[NAME].startsWith("peer") ? "copyPeer" : "copy";
    };
    const shownKinds = new Set(data.spans.map((span) => kinds[kindOf(span)].join()));
    for (const kind of shownKinds) {
        const [colour, text] = kind.split(",");
        const item = make(legend, "span", {}, "");
        make(item, "i", {}).style.background = `var(${colour})`;
        item.append(text);
    }
    if (data.path.length) {
        const item = make(legend, "span", { class: "path" }, "");
        make(item, "i", {});
        item.append("critical path: what decides when it ends");
    }
    if (data.left_out) make(legend, "span", {}, `${data.left_out} later pieces are not on this page`);

    // ---- drawing ----

    const x = (us) => LABEL + (us - view.begin) / (view.end - view.begin) * (canvas.clientWidth - LABEL);
    const us = (px) => view.begin + (px - LABEL) / (canvas.clientWidth - LABEL) * (view.end - view.begin);
    const rowTop = (row) => SCALE + row * ROW;

    const drawScale = (draw) => {
        const length = view.end - view.begin;
        let step = 10 ** Math.floor(Math.log10(length / 5));
        if (length / step > 10) step *= length / step > 25 ? 5 : 2;
        draw.fillStyle = style("--soft");
        for (let at = Math.ceil(view.begin / step) * step; at <= view.end; at += step) {
            draw.fillRect(x(at), SCALE - 5, 1, canvas.clientHeight);
            draw.fillText(time(at), x(at) + 3, 12);
        }
    };
    const drawSpan = (draw, span, row) => {
        if (row < 0) return;
        const from = Math.max(LABEL, x(span[BEGIN])), to = Math.min(canvas.clientWidth, x(span[END]));
        if (to < LABEL || from > canvas.clientWidth) return;
        const width = Math.max(1, to - from), top = rowTop(row) + 2;
        draw.fillStyle = style(kinds[kindOf(span)][0]);
        draw.fillRect(from, top, width, ROW - 4);
        if (width > 40) {
            draw.save();
            draw.beginPath();
            draw.rect(from, top, width - 3, ROW - 4);
            draw.clip();
            draw.fillStyle = "#fff";
            draw.fillText(span[NAME], from + 4, top + 13);
            draw.restore();
        }
        if (view.path && onPath.has(span[NUMBER])) {
            draw.fillStyle = style("--path");
            draw.fillRect(from, top + ROW - 6, width, 2);
        }
        if (span === view.chosen) {
            draw.strokeStyle = style("--fg");
            draw.lineWidth = 2;
            draw.strokeRect(from, top, width, ROW - 4);
        }
    };
    // What the chosen one waited for, and that for, and so on.
    const drawChain = (draw) => {
        draw.strokeStyle = style("--path");
        draw.lineWidth = 1.5;
        for (let span = view.chosen, left = 40; span && span[WAITS] && left > 0; left--) {
            const before = byNumber.get(span[WAITS]);
            if (!before) break;
            const to = span[KIND] === "wait" ? span[END] : span[BEGIN];
            draw.beginPath();
            draw.moveTo(x(before[END]), rowTop(before[OWN]) + ROW / 2);
            draw.lineTo(x(to), rowTop(span[OWN]) + ROW / 2);
            draw.stroke();
            span = before;
        }
    };
    const redraw = () => {
        const scale = window.devicePixelRatio || 1, height = SCALE + data.rows.length * ROW;
        canvas.style.height = `${height}px`;
        canvas.width = canvas.clientWidth * scale;
        canvas.height = height * scale;
        const draw = canvas.getContext("2d");
        draw.scale(scale, scale);
        draw.font = "12px system-ui,sans-serif";
        drawScale(draw);
        data.rows.forEach((label, row) => {
            draw.fillStyle = style("--line");
            draw.fillRect(0, rowTop(row), canvas.clientWidth, 1);
        });
        for (const [row, begin, end] of data.idle) {
            if (row < 0) continue;
            draw.fillStyle = style("--idle");
            draw.fillRect(Math.max(LABEL, x(begin)), rowTop(row) + 2, Math.max(0, x(end) - Math.max(LABEL, x(begin))), ROW - 4);
        }
        for (const span of data.spans) {
            drawSpan(draw, span, span[OWN]);
            drawSpan(draw, span, span[ENGINE]);
        }
        drawChain(draw);
        draw.fillStyle = style("--card");
        draw.fillRect(0, SCALE, LABEL - 2, canvas.clientHeight);
        draw.fillStyle = style("--fg");
        data.rows.forEach((label, row) => draw.fillText(label, 2, rowTop(row) + 15));
    };

    // ---- asking ----

    const choose = (span) => {
        view.chosen = span;
        details.textContent = "";
        if (span) {
            make(details, "p", {}, "").append(make(details, "b", {}, span[NAME]),
                `, ${time(span[END] - span[BEGIN])} from ${time(span[BEGIN])} on`);
            if (span[AT] && span[AT] !== `${span[NAME]}`) make(details, "p", {}, `by ${span[AT]}`);
            const before = byNumber.get(span[WAITS]);
            const why = make(details, "p", {}, span[KIND] === "wait" ? "It ended no sooner: " : "It began no sooner: ");
            why.append(data.causes[span[CAUSE]]);
            if (before) {
                why.append(" ");
                make(why, "button", { type: "button" }, before[NAME]).addEventListener("click", () => show(before));
            }
            const after = data.spans.filter((other) => other[WAITS] === span[NUMBER]).slice(0, 8);
            if (after.length) {
                const list = make(details, "p", {}, "What waited for it: ");
                for (const other of after) make(list, "button", { type: "button" }, other[NAME]).addEventListener("click", () => show(other));
            }
        }
        redraw();
    };
    const show = (span) => {
        const length = view.end - view.begin;
        if (span[END] < view.begin || span[BEGIN] > view.end) {
            view.begin = Math.max(0, (span[BEGIN] + span[END] - length) / 2);
            view.end = view.begin + length;
        }
        choose(span);
    };
    const at = (event) => {
        const box = canvas.getBoundingClientRect(), row = Math.floor((event.clientY - box.top - SCALE) / ROW);
        const px = event.clientX - box.left, slack = us(px + 2) - us(px), when = us(px);
        const hits = data.spans.filter((span) => (span[OWN] === row || span[ENGINE] === row)
            && span[BEGIN] <= when + slack && span[END] >= when - slack);
        hits.sort((a, b) => (a[END] - a[BEGIN]) - (b[END] - b[BEGIN]));
        return hits[0] || data.idle.find((idle) => idle[0] === row && idle[1] <= when && idle[2] >= when) || null;
    };
    const tellIdle = (idle) => {
        choose(null);
        make(details, "p", {}, `Nothing to do for ${time(idle[2] - idle[1])}: ${idle[3]}. `);
        const guilty = byNumber.get(idle[4]);
        if (guilty) make(details.lastChild, "button", { type: "button" }, guilty[NAME]).addEventListener("click", () => show(guilty));
    };

    // ---- moving ----

    const zoom = (factor, around) => {
        const length = Math.min(data.end || 1, Math.max(1e-3, (view.end - view.begin) * factor));
        const part = (around - view.begin) / (view.end - view.begin);
        view.begin = Math.max(0, Math.min((data.end || 1) - length, around - part * length));
        view.end = view.begin + length;
        redraw();
    };
    const pan = (by) => {
        const length = view.end - view.begin;
        view.begin = Math.max(0, Math.min((data.end || 1) - length, view.begin + by));
        view.end = view.begin + length;
        redraw();
    };
    const middle = () => (view.begin + view.end) / 2;
    const button = (text, act) => make(buttons, "button", { type: "button" }, text).addEventListener("click", act);
    button("Zoom in", () => zoom(0.5, middle()));
    button("Zoom out", () => zoom(2, middle()));
    button("All", () => zoom(1e9, 0));
    button("Critical path on or off", () => { view.path = !view.path; redraw(); });
    make(buttons, "span", { class: "sub" }, "Wheel: zoom. Drag: move. Click: what it waited for.");
    canvas.addEventListener("wheel", (event) => {
        event.preventDefault();
        zoom(event.deltaY > 0 ? 1.25 : 0.8, us(Math.max(LABEL, event.offsetX)));
    }, { passive: false });
    let held = null;
    canvas.addEventListener("pointerdown", (event) => {
        held = { x: event.clientX, moved: false };
        canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
        if (!held) return;
        const by = event.clientX - held.x;
        if (!held.moved && Math.abs(by) < 4) return;
        held = { x: event.clientX, moved: true };
        pan(us(0) - us(by));
    });
    canvas.addEventListener("pointerup", (event) => {
        const found = held && !held.moved ? at(event) : undefined;
        held = null;
        if (found === undefined) return;
        if (found && found.length === 5) tellIdle(found);
        else choose(found);
    });
    canvas.addEventListener("keydown", (event) => {
        const length = view.end - view.begin;
        const acts = {
            ArrowLeft: () => pan(-length / 8), ArrowRight: () => pan(length / 8),
            "+": () => zoom(0.5, middle()), "-": () => zoom(2, middle()), Home: () => zoom(1e9, 0),
        };
        if (!acts[event.key]) return;
        event.preventDefault();
        acts[event.key]();
    });
    window.addEventListener("resize", redraw);
    redraw();
})();
