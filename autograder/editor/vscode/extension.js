// SPDX-License-Identifier: MIT
// Kernel Ladder in VS Code: which step an open file is, how the debugger is started, tasks, the page of a profile.
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const {execFile} = require('node:child_process');
const vscode = require('vscode');
const {contributes} = require('./package.json');

const COMMANDS = ['run', 'check', 'profile', 'grade'];

// The kit's folder: the nearest one around a file that has the launcher and labs.
function kitOf(file) {
    for (let folder = file; folder !== path.dirname(folder); folder = path.dirname(folder))
        if (fs.existsSync(path.join(folder, 'ladder')) && fs.existsSync(path.join(folder, 'labs'))) return folder;
    return undefined;
}

// {kit, lab, step, solution} of labs/01_transpose/steps/2_tile.cu and of labs/00_first_kernel/bugs/1_election.cu.
function stepOf(file) {
    const found = /[\\/](labs|solutions)[\\/](\d+_\w+)[\\/](steps|bugs)[\\/](\d+)_?(\w*)\.cu$/.exec(file);
    const kit = kitOf(file);
    if (!found || !kit) return undefined;
    const [, top, folder, kind, number, name] = found;
    const lab = folder.replace(/^\d+_/, '');
    return {kit, lab, step: kind === 'bugs' ? name : Number(number), solution: top === 'solutions'};
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

// `ladder COMMAND LAB STEP`; of the open file what the definition leaves out.
function taskOf(definition, scope) {
    const found = stepOf(openFile()), folder = kit();
    const lab = definition.lab ?? found?.lab, step = definition.step ?? (definition.lab ? undefined : found?.step);
    if (!folder || !lab) return undefined;
    const words = [definition.command, lab];
    if (step !== undefined && definition.command !== 'grade') words.push(String(step));
    if (!definition.lab && found?.solution) words.push('--solution');
    const name = `${definition.command} ${lab}${words.length > 2 && step !== undefined ? ` ${step}` : ''}`;
    // One line for each result that has no line of its own, so that the list of problems has it, too.
    const execution = new vscode.ProcessExecution(path.join(folder, 'ladder'), [...words, ...(definition.args ?? [])],
                                                  {cwd: folder, env: {LADDER_EDITOR: '1'}});
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

module.exports = {activate, stepOf, kitOf};
