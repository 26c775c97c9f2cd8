// Kernel Ladder in VS Code: which step an open file is, how the debugger is started, tasks, the page of a profile.
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {execFile, spawn} = require('node:child_process');
const vscode = require('vscode');
const {contributes} = require('./package.json');

const COMMANDS = ['run', 'check', 'profile', 'grade'];

// The kit's folder: the nearest one around a file that has the launcher and labs.
function kitOf(file) {
    for (let folder = file; folder !== path.dirname(folder); folder = path.dirname(folder))
        if (fs.existsSync(path.join(folder, 'ladder')) && fs.existsSync(path.join(folder, 'labs'))) return folder;
    return undefined;
}

// {kit, lab, step, solution} of labs/01_transpose/steps/2_tile.cu and of labs/00_first_kernel/bugs/1_election.cu. The step whose file
// has the bug is the hunt, too: by its number nothing runs before the bug is found.
function stepOf(file) {
    const found = /[\\/](labs|solutions)[\\/](\d+_\w+)[\\/](steps|bugs)[\\/](\d+)_?(\w*)\.cu$/.exec(file);
    const kit = kitOf(file);
    if (!found || !kit) return undefined;
    const [, top, folder, kind, number, name] = found;
    const lab = folder.replace(/^\d+_/, '');
    const isHunt = kind === 'bugs' || filesIn(path.join(kit, 'labs', folder, 'bugs')).some((each) => each.endsWith(`_${name}.cu`));
    return {kit, lab, step: isHunt && name ? name : Number(number), solution: top === 'solutions'};
}

function filesIn(folder) {
    try {
        return fs.readdirSync(folder);
    } catch {
        return [];
    }
}

function openFile() {
    return vscode.window.activeTextEditor?.document.uri.fsPath ?? '';
}

function kit() {
    const folders = (vscode.workspace.workspaceFolders ?? []).map((each) => each.uri.fsPath);
    return [openFile(), ...folders].map(kitOf).find((each) => each);
}

function fail(message) {
    vscode.window.showErrorMessage(`Kernel Ladder: ${message}`);
    return undefined;
}

// ---- Debugging ----

// F5 without launch.json gives an empty configuration: what is open is debugged.
function resolve(folder, config) {
    const file = openFile(), found = stepOf(file);
    const filled = {type: 'kernel-ladder', request: 'launch', name: 'Debug the open file', ...config};
    if (filled.program || filled.lab) return filled;
    if (found) return {lab: found.lab, step: found.step, solution: found.solution, ...filled};
    const program = file.replace(/\.\w+$/, '');
    if (file.endsWith('.cu') && fs.existsSync(program)) return {program, cwd: path.dirname(file), ...filled};
    return fail(file.endsWith('.cu') ? `there is no program ${program}: nvcc -G -cudart shared -o ${program} ${file}`
                                     : 'open a step, a bug hunt, or the .cu file of a program.');
}

function adapter() {
    const folder = kit();
    if (!folder) return fail('no folder with `ladder` around the open file or in the workspace.');
    return new vscode.DebugAdapterExecutable(path.join(folder, 'ladder'), ['debug', '--dap'], {cwd: folder});
}

// ---- Tasks ----

// What prints names files as a reader knows them: `1_naive.cu`. Of a lab's files and of the kit's headers, the first of a name.
class Sources {
    constructor(kit, lab, solution) {
        this.kit = kit;
        const labs = solution ? ['solutions', 'labs'] : ['labs'];
        const folders = labs.flatMap((top) => filesIn(path.join(kit, top))
            .filter((each) => each.replace(/^\d+_/, '') === lab).map((each) => path.join(kit, top, each)));
        this.paths = new Map();
        for (const folder of [...folders, path.join(kit, 'common')]) this.add(folder);
    }

    add(folder) {
        for (const entry of fs.readdirSync(folder, {withFileTypes: true})) {
            const whole = path.join(folder, entry.name);
            if (entry.isDirectory()) this.add(whole);
            else if (!this.paths.has(entry.name)) this.paths.set(entry.name, whole);
        }
    }

    find(name) {
        const whole = path.resolve(this.kit, name);
        return fs.existsSync(whole) ? whole : this.paths.get(name) ?? name;
    }

    // A line of output with whole paths. VS Code itself looks for files on the computer that shows its window only, and the kit
    // may be on another one, where this runs.
    locate(line) {
        return line.replace(/(?<=^|[\s|])[^\s()|:]+\.(?:cuh?|c|h|[ch]pp)(?=:\d|\(\d+\):)/g, (name) => this.find(name));
    }
}

// A terminal for one command's output.
class Output {
    constructor(kit, words, sources) {
        Object.assign(this, {kit, words, sources, rest: ''});
        this.written = new vscode.EventEmitter();
        this.closed = new vscode.EventEmitter();
        this.onDidWrite = this.written.event;
        this.onDidClose = this.closed.event;
    }

    open() {
        // One line for each result that has no line of its own, so that the list of problems has it, too.
        const env = {...process.env, LADDER_EDITOR: '1'};
        // Both streams in one, in the order in which they were written.
        const both = ['-c', 'exec "$0" "$@" 2>&1', path.join(this.kit, 'ladder'), ...this.words];
        this.process = spawn('/bin/sh', both, {cwd: this.kit, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true});
        this.process.stdout.setEncoding('utf8').on('data', (text) => this.take(text));
        this.process.on('error', (error) => this.end(`${error.message}\n`, 1));
        this.process.on('close', (code) => this.end('', code ?? 1));
    }

    take(text) {
        const lines = (this.rest + text).split('\n');
        this.rest = lines.pop();
        for (const line of lines) this.written.fire(`${this.sources.locate(line)}\r\n`);
    }

    end(text, code) {
        this.take(this.rest || text ? `${text}\n` : '');
        this.closed.fire(code);
    }

    // The user stops the task: what the command has started goes, too.
    close() {
        if (this.process?.exitCode === null && this.process.signalCode === null) process.kill(-this.process.pid, 'SIGINT');
    }
}

// `ladder COMMAND LAB STEP`; of the open file what the definition leaves out.
function taskOf(definition, scope) {
    const found = stepOf(openFile()), folder = kit();
    const lab = definition.lab ?? found?.lab, step = definition.step ?? (definition.lab ? undefined : found?.step);
    if (!folder || !lab) return undefined;
    const words = [definition.command, lab], solution = !definition.lab && found?.solution;
    if (step !== undefined && definition.command !== 'grade') words.push(String(step));
    if (solution) words.push('--solution');
    const name = `${definition.command} ${lab}${words.length > 2 && step !== undefined ? ` ${step}` : ''}`;
    words.push(...(definition.args ?? []));
    const execution = new vscode.CustomExecution(async () => new Output(folder, words, new Sources(folder, lab, solution)));
    return new vscode.Task(definition, scope ?? vscode.TaskScope.Workspace, name, 'ladder', execution,
                           contributes.problemMatchers.map((each) => `$${each.name}`));
}

const tasks = {
    provideTasks: () => COMMANDS.map((command) => taskOf({type: 'kernel-ladder', command})).filter((each) => each),
    resolveTask: (task) => taskOf(task.definition, task.scope),
};

// ---- The page of a profile ----

async function openProfile() {
    const found = stepOf(openFile());
    if (!found) return fail('open a step first.');
    const page = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'ladder-')), 'profile.html');
    const words = ['profile', found.lab, String(found.step), '--check', '--html', page];
    if (found.solution) words.push('--solution');
    const title = `Profile of ${found.lab} ${found.step}`;
    const options = {location: vscode.ProgressLocation.Notification, title};
    const why = await vscode.window.withProgress(options, () => new Promise((done) =>
        execFile(path.join(found.kit, 'ladder'), words, {cwd: found.kit}, (error, out, err) => done(error && (err || out)))));
    if (!fs.existsSync(page)) return fail(why || 'no page was written.');
    const panel = vscode.window.createWebviewPanel('kernelLadder.profile', title, vscode.ViewColumn.Beside,
                                                   {enableScripts: true, retainContextWhenHidden: true});
    panel.webview.html = fs.readFileSync(page, 'utf8'); // it loads nothing
    fs.rmSync(path.dirname(page), {recursive: true});
    return page;
}

function activate(context) {
    context.subscriptions.push(
        vscode.debug.registerDebugConfigurationProvider('kernel-ladder', {resolveDebugConfiguration: resolve}),
        vscode.debug.registerDebugAdapterDescriptorFactory('kernel-ladder', {createDebugAdapterDescriptor: adapter}),
        vscode.tasks.registerTaskProvider('kernel-ladder', tasks),
        vscode.commands.registerCommand('kernelLadder.debug', () => vscode.debug.startDebugging(undefined,
            {type: 'kernel-ladder', request: 'launch', name: 'Debug the open file'})),
        vscode.commands.registerCommand('kernelLadder.openProfile', openProfile));
}

module.exports = {activate, stepOf, kitOf, Sources, Output};
