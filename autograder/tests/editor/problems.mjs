// problems.mjs KIT: the extension's problem matchers on messages that were kept (messages.txt: each behind a line "=== NAME"; its head,
// up to a line "----", says what must be found), and which step the extension takes a file for.
// test: autograder/editor_problems @SOURCE@
// labels: grade
import assert from 'node:assert';
import fs from 'node:fs';
import {EventEmitter} from 'node:events';
import {createRequire} from 'node:module';
import Module from 'node:module';
import os from 'node:os';
import path from 'node:path';

const kit = path.resolve(process.argv[2]);
const extension = path.join(kit, 'autograder/editor/extension');
const {contributes} = JSON.parse(fs.readFileSync(path.join(extension, 'package.json'), 'utf8'));

const matchers = contributes.problemMatchers.map((each) => ({...each, patterns: [each.pattern].flat()}));
for (const {name, patterns} of matchers) {
    const fields = Object.assign({}, ...patterns);
    assert(fields.file && fields.line && fields.message, `${name}: VS Code needs file, line and message`);
    assert(patterns.every((each) => new RegExp(each.regexp)));
    // "search" looks on the computer with the window; in a remote window the kit is on another one.
    assert.strictEqual(matchers.find((each) => each.name === name).fileLocation, 'absolute', name);
}

// As VS Code does it: matchers of more lines come first, and lines that one has taken no other sees.
function problemsOf(text) {
    const lines = text.replace(/\x1b\[[\d;]*m/g, '').split('\n'), found = [];
    const order = matchers.toSorted((a, b) => b.patterns.length - a.patterns.length);
    for (let at = 0; at < lines.length; at++)
        for (const matcher of order) {
            const groups = matcher.patterns.map((each, i) => new RegExp(each.regexp).exec(lines[at + i] ?? ''));
            if (!groups.every((each) => each)) continue;
            const get = (key) => matcher.patterns.map((each, i) => each[key] && groups[i][each[key]]).find((each) => each);
            found.push(`${get('severity') ?? matcher.severity} ${get('file')}:${get('line')} ${get('code') ? `[${get('code')}] ` : ''}` +
                       get('message'));
            at += matcher.patterns.length - 1;
            break;
        }
    return found;
}

const kept = path.join(import.meta.dirname, 'messages.txt');
const messages = new Map(fs.readFileSync(kept, 'utf8').split(/^=== /m).slice(1).map((each) => {
    const [, name, head, text] = /^(\S+)\n(.*?)^----\n(.*)$/ms.exec(each);
    return [name, {expected: head.trimEnd().split('\n'), text}];
}));
if (process.env.LADDER_ACCEPT)
    fs.writeFileSync(kept, [...messages].map(([name, {text}]) => `=== ${name}\n${problemsOf(text).join('\n')}\n----\n${text}`).join(''));
const used = new Set();
for (const [name, {expected, text}] of messages) {
    if (!process.env.LADDER_ACCEPT) assert.deepStrictEqual(problemsOf(text), expected, name);
    for (const matcher of matchers)
        if (matcher.patterns.length === 1 ? text.split('\n').some((line) => new RegExp(matcher.patterns[0].regexp).test(line)) : true)
            used.add(matcher.name);
}
assert.deepStrictEqual(matchers.filter((each) => !used.has(each.name)).map((each) => each.name), [], 'matchers without a message');

// The checks' names and which of them are warnings are rows of checks.def.
const rows = [...fs.readFileSync(path.join(kit, 'common/simulator/device/checks.def'), 'utf8')
    .matchAll(/^SIM_CHECK\(\w+, "([a-z-]+)", (true|false), "(.*)"\)/gm)];
assert(rows.length > 20);
for (const [, name, warning, meaning] of rows) {
    const [problem] = problemsOf(`${name}: ${meaning}\n    in kernel k(int)\n    at a.cu:7\n`);
    assert.strictEqual(problem, `${warning === 'true' ? 'warning' : 'error'} a.cu:7 [${name}] ${meaning}`);
}

// ---- The extension itself, without an editor ----

class Emitter extends EventEmitter {
    event = (take) => this.on('it', take);
    fire = (what) => this.emit('it', what);
}
const load = Module._load;
Module._load = (name, ...rest) => name === 'vscode' ? {EventEmitter: Emitter} : load(name, ...rest);
const {stepOf, kitOf, Sources, Output} = createRequire(import.meta.url)(path.join(extension, 'extension.js'));
assert.strictEqual(kitOf(path.join(kit, 'labs/01_transpose/steps/1_naive.cu')), kit);
assert.strictEqual(kitOf('/'), undefined);
for (const [file, expected] of [
    ['labs/01_transpose/steps/12_x.cu', {kit, lab: 'transpose', step: 12, solution: false}],
    ['solutions/00_first_kernel/steps/1_one_block.cu', {kit, lab: 'first_kernel', step: 1, solution: true}],
    ['labs/00_first_kernel/bugs/1_election.cu', {kit, lab: 'first_kernel', step: 'election', solution: false}],
    ['labs/00_first_kernel/steps/12_election.cu', {kit, lab: 'first_kernel', step: 'election', solution: false}],
    ['labs/00_first_kernel/problem.c', undefined]])
    assert.deepStrictEqual(stepOf(path.join(kit, file)), expected);

// A kit whose `ladder` prints what was kept, in a folder with an awkward name.
const copy = fs.mkdtempSync(path.join(os.tmpdir(), 'ladder (a copy) '));
for (const file of ['labs/00_first_kernel/steps/1_one_block.cu', 'labs/00_first_kernel/steps/12_election.cu',
                    'labs/00_first_kernel/bugs/1_election.cu', 'solutions/00_first_kernel/steps/1_one_block.cu', 'common/gpu/sum.cuh']) {
    fs.mkdirSync(path.join(copy, path.dirname(file)), {recursive: true});
    fs.writeFileSync(path.join(copy, file), '');
}
fs.writeFileSync(path.join(copy, 'ladder'), '#!/bin/sh\n[ "$1" = fail ] && exit 3\n[ "$1" = wait ] && exec sleep 86400\n' +
                 'printf "a race at sum.cuh:3\\n" >&2\ncat "$1"\nprintf "[$LADDER_EDITOR] no end of line"', {mode: 0o755});

function outputOf(words, solution, stop) {
    return new Promise((done) => {
        const output = new Output(copy, words, new Sources(copy, 'first_kernel', solution));
        let text = '';
        output.onDidWrite((part) => { text += part; });
        output.onDidClose((code) => done({text: text.replaceAll('\r\n', '\n'), code}));
        output.open();
        if (stop) setTimeout(() => output.close(), 50);
    });
}

for (const [name, {expected, text: said}] of messages) {
    fs.writeFileSync(path.join(copy, name), said);
    if (/^(stream|points|advice)/.test(name)) continue;
    const {text, code} = await outputOf([path.join(copy, name)], false);
    const found = problemsOf(text), files = found.map((each) => /^\w+ (.*?\.cuh?):\d+ /.exec(each)[1]);
    assert.strictEqual(code, 0);
    assert(text.startsWith(`a race at ${copy}/common/gpu/sum.cuh:3\n`), 'streams in order');
    assert.match(text, /\[1\] no end of line\n$/);
    assert.strictEqual(found.length, expected.length, name);
    assert(files.every((each) => each.startsWith(`${copy}/labs/`) && fs.existsSync(each)), `${name}: ${files}`);
}
const {text} = await outputOf([path.join(copy, 'race_check')], true);
assert(problemsOf(text).every((each) => each.includes(`${copy}/solutions/`)), text);
assert.strictEqual((await outputOf(['fail'], false)).code, 3);
assert.strictEqual((await outputOf(['wait'], false, true)).code, 1, 'stopped');
fs.rmSync(copy, {recursive: true});
console.log(`${matchers.length} matchers, ${messages.size} outputs`);
