// Screenshots as small PNG files of 256 colours at most; text loses nothing that one sees.
import { deflateSync } from "node:zlib";

const COLOURS = 256, FREQUENT = 160;

// The pixels of a PNG as 0xRRGGBB, by a canvas of the browser's.
async function pixelsOf(page, png) {
    const { width, height, text } = await page.evaluate(async (base64) => {
        const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
        const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const data = context.getImageData(0, 0, image.width, image.height).data;
        let text = "";
        for (let i = 0; i < data.length; i += 4) text += String.fromCharCode(data[i], data[i + 1], data[i + 2]);
        return { width: image.width, height: image.height, text: btoa(text) };
    }, Buffer.from(png).toString("base64"));
    const raw = Buffer.from(text, "base64"), pixels = new Uint32Array(width * height);
    for (let i = 0; i < pixels.length; i++) pixels[i] = raw[3 * i] << 16 | raw[3 * i + 1] << 8 | raw[3 * i + 2];
    return { width, height, pixels };
}

const far = (a, b) => ((a >> 16) - (b >> 16)) ** 2 + ((a >> 8 & 255) - (b >> 8 & 255)) ** 2 + ((a & 255) - (b & 255)) ** 2;

// The frequent colours, then those that are farthest from all chosen ones: a point of a chart keeps its colour.
function paletteOf(pixels) {
    const times = new Map();
    for (const pixel of pixels) times.set(pixel, (times.get(pixel) || 0) + 1);
    const all = [...times.keys()].sort((a, b) => times.get(b) - times.get(a) || a - b), palette = all.slice(0, FREQUENT);
    const rest = all.slice(FREQUENT), nearest = rest.map((colour) => Math.min(...palette.map((other) => far(colour, other))));
    while (palette.length < Math.min(COLOURS, all.length)) {
        const next = nearest.indexOf(Math.max(...nearest));
        palette.push(rest[next]);
        rest.forEach((colour, i) => { nearest[i] = Math.min(nearest[i], far(colour, rest[next])); });
    }
    const index = new Map(palette.map((colour, i) => [colour, i]));
    for (const colour of rest) {
        let best = 0;
        palette.forEach((other, i) => { if (far(colour, other) < far(colour, palette[best])) best = i; });
        index.set(colour, best);
    }
    return { palette, index };
}

function crcOf(bytes) {
    let crc = -1;
    for (const byte of bytes) {
        crc ^= byte;
        for (let k = 0; k < 8; k++) crc = crc >>> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    return ~crc >>> 0;
}

// A chunk of a PNG: length, type, data, sum (PNG specification, section 5.3).
function chunk(type, data) {
    const body = Buffer.concat([Buffer.from(type, "latin1"), data]), ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crcOf(body), 4);
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}

export async function smallPng(page, png) {
    const { width, height, pixels } = await pixelsOf(page, png), { palette, index } = paletteOf(pixels);
    const head = Buffer.alloc(13), rows = Buffer.alloc((width + 1) * height); // a row begins with its filter, 0
    head.writeUInt32BE(width, 0);
    head.writeUInt32BE(height, 4);
    head.set([8, 3], 8); // 8 bits, by palette
    pixels.forEach((pixel, i) => { rows[i + Math.floor(i / width) + 1] = index.get(pixel); });
    return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), chunk("IHDR", head),
        chunk("PLTE", Buffer.from(palette.flatMap((colour) => [colour >> 16, colour >> 8 & 255, colour & 255]))),
        chunk("IDAT", deflateSync(rows, { level: 9 })), chunk("IEND", Buffer.alloc(0))]);
}
