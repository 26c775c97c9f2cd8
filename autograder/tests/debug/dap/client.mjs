// client.mjs LADDER PROGRAM SOURCE: sends each request of `ladder debug --dap` once or more by the protocol's public test client.
import assert from 'node:assert';
import {execSync, spawn} from 'node:child_process';
import path from 'node:path';
import {DebugClient} from '@vscode/debugadapter-testsupport';

const [ladder, program, given] = process.argv.slice(2);
const source = path.resolve(given);
const lineOf = {store: 30, outside: 35};
let tests = 0;

// Processes of the program that are left.
function left(word) {
    const running = new RegExp(`^[^Z]\\S* +\\S*${path.basename(program)}( |$)`);
    return execSync('ps -e -o stat=,args=').toString().split('\n')
        .filter((line) => running.test(line) && line.includes(word));
}

async function test(name, run, port) {
    const dc = new DebugClient(ladder, '', 'kernel-ladder');
    dc.defaultTimeout = 4 * 3600 * 1000; // however slow the machine is
    try {
        await start(dc, port);
        await run(dc);
        console.log(`ok ${++tests} ${name}`);
    } catch (error) {
        console.error(`not ok: ${name}`);
        throw error;
    } finally {
        dc.child?.kill();
    }
}

// The public client's own start() passes no arguments to an adapter: its streams are given to it.
async function start(dc, port) {
    if (port !== undefined) return dc.start(port);
    dc.child = spawn(ladder, ['debug', '--dap'], {stdio: ['pipe', 'pipe', 'inherit']});
    dc.connect(dc.child.stdout, dc.child.stdin);
    dc.ended = new Promise((resolve) => dc.child.on('exit', resolve));
}

const stopped = (dc) => dc.waitForEvent('stopped').then((event) => event.body);
async function refused(promise, words) {
    await assert.rejects(promise, (error) => words.test(error.message) || assert.fail(error.message));
}
async function topFrame(dc, threadId) {
    const {body} = await dc.stackTraceRequest({threadId});
    return body.stackFrames[0];
}
async function scope(dc, frameId, name) {
    const {body} = await dc.scopesRequest({frameId});
    const found = body.scopes.find((each) => each.name === name);
    assert(found, `no scope ${name}`);
    return (await dc.variablesRequest({variablesReference: found.variablesReference})).body.variables;
}

await test('a breakpoint is hit, by the client\'s own sequence', async (dc) => {
    await dc.hitBreakpoint({program}, {path: source, line: lineOf.store, verified: false});
    await dc.disconnectRequest();
    assert.strictEqual(await dc.ended, 0);
    assert.deepStrictEqual(left(''), []);
});

await test('a program runs to its end and its output comes', async (dc) => {
    await Promise.all([dc.configurationSequence(), dc.launch({program, check: false}),
                       dc.assertOutput('stdout', 'results: 852 63'), dc.waitForEvent('terminated')]);
});

await test('variables, lanes, expressions', async (dc) => {
    const first = stopped(dc);
    await Promise.all([
        dc.launch({program}),
        dc.waitForEvent('initialized').then(() => dc.setBreakpointsRequest({
            source: {path: source}, breakpoints: [{line: lineOf.store, condition: 'i == 40'}]}))
            .then(() => dc.configurationDoneRequest())]);
    const {threadId, reason} = await first;
    assert.strictEqual(reason, 'breakpoint');
    const {body: {threads}} = await dc.threadsRequest();
    assert.strictEqual(threads.length, 33, 'the lanes of the warp, and the other warp');
    const frame = await topFrame(dc, threadId);
    assert.strictEqual(frame.line, lineOf.store);
    assert.strictEqual(path.resolve(frame.source.path), source);
    const locals = await scope(dc, frame.id, 'Locals');
    assert.strictEqual(locals.find((each) => each.name === 'i').value, '40');
    const [tile] = await scope(dc, frame.id, 'Shared memory');
    assert.strictEqual(tile.indexedVariables, 64);
    const page = (await dc.variablesRequest({variablesReference: tile.variablesReference, filter: 'indexed', start: 60, count: 3}))
        .body.variables;
    assert.deepStrictEqual(page.map((each) => [each.name, each.value]), [['[60]', '60'], ['[61]', '61'], ['[62]', '62']]);
    const lanes = await scope(dc, frame.id, 'All lanes');
    const sums = lanes.find((each) => each.name === 'sum');
    const all = (await dc.variablesRequest({variablesReference: sums.variablesReference})).body.variables;
    assert.strictEqual(all.length, 32);
    assert.strictEqual(all[8].value, '423');
    await scope(dc, frame.id, 'Thread');
    await scope(dc, frame.id, 'Registers (PTX)');
    await scope(dc, frame.id, 'Variables of the module');
    for (const context of ['watch', 'hover', 'repl'])
        assert.strictEqual((await dc.evaluateRequest({expression: 'i + 2', frameId: frame.id, context})).body.result, '42');
    assert.match((await dc.evaluateRequest({expression: 'info cuda warps', context: 'repl'})).body.result, /0xffffffff/);
    await refused(dc.sourceRequest({sourceReference: 99}), /no source/);
    const {body: info} = await dc.dataBreakpointInfoRequest({name: 'out[0]', frameId: frame.id});
    await dc.setBreakpointsRequest({source: {path: source}, breakpoints: []});
    await dc.setExceptionBreakpointsRequest({filters: ['faults']});
    await dc.setDataBreakpointsRequest({breakpoints: [{dataId: info.dataId, accessType: 'write'}]});
    let next = stopped(dc);
    await dc.continueRequest({threadId});
    assert.strictEqual((await next).reason, 'data breakpoint');
    next = stopped(dc);
    await dc.continueRequest({threadId});
    const later = await next;
    next = stopped(dc);
    await dc.reverseContinueRequest({threadId: later.threadId});
    assert.strictEqual((await next).reason, 'data breakpoint', 'who wrote it last');
    await dc.setDataBreakpointsRequest({breakpoints: []});
    next = stopped(dc);
    await dc.stepBackRequest({threadId: later.threadId});
    assert.strictEqual((await next).reason, 'step');
    await dc.disconnectRequest();
    assert.strictEqual(await dc.ended, 0);
});

await test('steps, functions, restart, terminate', async (dc) => {
    let next = stopped(dc);
    await Promise.all([
        dc.launch({program, check: false, stopOnEntry: true}),
        dc.waitForEvent('initialized').then(() => dc.setFunctionBreakpointsRequest({breakpoints: [{name: 'twice'}]}))
            .then(() => dc.configurationDoneRequest())]);
    let stop = await next;
    assert.strictEqual(stop.reason, 'entry');
    const {threadId} = stop;
    for (const [request, move] of [['nextRequest', 1], ['stepInRequest', 1], ['stepBackRequest', -1]]) {
        const {line} = await topFrame(dc, threadId);
        next = stopped(dc);
        await dc[request]({threadId});
        assert.strictEqual((await next).reason, 'step');
        assert((await topFrame(dc, threadId)).line * move > line * move, request);
    }
    next = stopped(dc);
    await dc.continueRequest({threadId});
    stop = await next;
    assert.strictEqual(stop.reason, 'function breakpoint');
    assert.strictEqual((await topFrame(dc, stop.threadId)).name, 'twice');
    next = stopped(dc);
    await dc.stepOutRequest({threadId: stop.threadId});
    await next;
    assert.strictEqual((await topFrame(dc, stop.threadId)).name, 'work');
    next = stopped(dc);
    await dc.restartRequest({});
    assert.strictEqual((await next).reason, 'function breakpoint');
    const end = dc.waitForEvent('terminated');
    await dc.terminateRequest();
    await end;
    await dc.disconnectRequest();
});

await test('an endless kernel is paused; breakpoints while it runs; nothing is left', async (dc) => {
    let next = stopped(dc);
    await Promise.all([
        dc.launch({program, args: ['endless'], check: false}),
        dc.waitForEvent('initialized').then(() => dc.setBreakpointsRequest({source: {path: source}, breakpoints: [{line: 39}]}))
            .then(() => dc.configurationDoneRequest())]);
    assert.strictEqual((await next).reason, 'breakpoint');
    await dc.setBreakpointsRequest({source: {path: source}, breakpoints: []});
    await dc.continueRequest({threadId: 1});
    next = stopped(dc);
    await dc.pauseRequest({threadId: 1});
    assert.strictEqual((await next).reason, 'pause');
    await dc.continueRequest({threadId: 1});
    next = stopped(dc);
    await dc.setBreakpointsRequest({source: {path: source}, breakpoints: [{line: 39}]});
    assert.strictEqual((await next).reason, 'breakpoint');
    await dc.disconnectRequest({terminateDebuggee: true});
    assert.strictEqual(await dc.ended, 0);
    assert.deepStrictEqual(left('endless'), []);
});

await test('the editor goes away without a word', async (dc) => {
    await Promise.all([dc.configurationSequence(), dc.launch({program, args: ['endless'], check: false})]);
    dc.child.stdin.end();
    assert.strictEqual(await dc.ended, 0);
    assert.deepStrictEqual(left('endless'), []);
});

await test('a fault and a finding are exceptions, with both threads', async (dc) => {
    let next = stopped(dc);
    await Promise.all([dc.configurationSequence(), dc.launch({program, args: ['outside'], check: false})]);
    let stop = await next;
    assert.strictEqual(stop.reason, 'exception');
    let {body} = await dc.exceptionInfoRequest({threadId: stop.threadId});
    assert.match(body.exceptionId, /Illegal Address/);
    assert.strictEqual((await topFrame(dc, stop.threadId)).line, lineOf.outside);
    next = stopped(dc);
    await dc.restartRequest({arguments: {program}});
    stop = await next;
    ({body} = await dc.exceptionInfoRequest({threadId: stop.threadId}));
    assert.strictEqual(body.exceptionId, 'race');
    assert.strictEqual(body.details.innerException.length, 2);
    await dc.disconnectRequest();
});

await test('a step of a lab and a bug hunt', async (dc) => {
    let next = stopped(dc);
    await Promise.all([dc.configurationSequence(),
                       dc.launch({lab: 'first_kernel', step: 1, solution: true, stopOnEntry: true})]);
    let stop = await next;
    assert.match((await topFrame(dc, stop.threadId)).source.path, /00_first_kernel/);
    next = stopped(dc);
    await dc.restartRequest({arguments: {lab: 'first_kernel', step: 'election', stopOnEntry: true}});
    stop = await next;
    assert.match((await topFrame(dc, stop.threadId)).source.path, /first_kernel\/steps\/12_election/);
    next = stopped(dc); // by its number, which runs nothing otherwise before the bug is found
    await dc.restartRequest({arguments: {lab: 'first_kernel', step: 12, stopOnEntry: true}});
    stop = await next;
    assert.match((await topFrame(dc, stop.threadId)).source.path, /first_kernel\/steps\/12_election/);
    await dc.disconnectRequest();
});

await test('what is wrong is refused', async (dc) => {
    await refused(dc.threadsRequest(), /initialize/);
    await dc.initializeRequest();
    await refused(dc.attachRequest({}), /nothing to attach/);
    await refused(dc.launchRequest({}), /what is to be debugged/);
    await refused(dc.launchRequest({lab: 'nothing', step: 1}), /no lab/);
    await refused(dc.customRequest('frobnicate'), /not known/);
    await refused(dc.setVariableRequest({variablesReference: 1, name: 'i', value: '1'}), /not known/);
    for (const request of ['next', 'stackTrace', 'variables', 'exceptionInfo'])
        await refused(dc.customRequest(request, {threadId: 1}), /not being run/);
    await dc.disconnectRequest();
});

const server = spawn(ladder, ['debug', '--dap', '--port', '0'], {stdio: ['ignore', 'pipe', 'inherit']});
const port = await new Promise((resolve) => server.stdout.on('data', (data) => resolve(Number(/:(\d+)/.exec(data)[1]))));
await test('at a port', async (dc) => {
    await dc.hitBreakpoint({program}, {path: source, line: lineOf.store, verified: false});
    await dc.disconnectRequest();
    assert.strictEqual(await new Promise((resolve) => server.on('exit', resolve)), 0);
}, port);
console.log(`${tests} tests`);
process.exit(0);
