#!/usr/bin/env node
// The `termarium` command. Plain enough for any Node since 16, because it is there to find the right one: the lab needs Node 24, which
// comes with it as a package.
'use strict';
const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');

const wantedMajor = 24;
const root = join(__dirname, '..');
const entry = join(root, 'dist', 'main', 'cli.js');

function fail(problem, advice) {
  process.stderr.write(`termarium: ${problem}\n${advice}\n`);
  process.exit(2);
}

/** The lab in this process: no second one to pass signals and exit codes through. */
function runHere() {
  process.argv[1] = entry;
  import(pathToFileURL(entry).href).catch((error) => {
    process.stderr.write(`${error?.stack || error}\n`);
    process.exitCode = 1;
  });
}

/** The lab under the Node that its packages bring along. */
function runUnderBundledNode() {
  const candidates = [join(root, 'node_modules', 'node', 'bin', 'node'), join(root, 'node_modules', '.bin', 'node')];
  const node = candidates.find((candidate) => existsSync(candidate));
  if (!node) {
    fail(
      `it needs Node ${wantedMajor}, this is ${process.versions.node}, and the one that comes with it is missing`,
      `Run: cd ${root} && npm ci`,
    );
  }
  const child = spawn(node, [entry, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
    // Ctrl-C at a terminal reaches the child by itself; here it must only not end this process before the child has ended.
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.on('error', (error) => fail(`cannot start ${node}: ${error.message}`, `Run: cd ${root} && npm ci`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

if (!existsSync(join(root, 'node_modules'))) fail('its packages are not installed', `Run: cd ${root} && npm ci && npm run build`);
if (!existsSync(entry)) fail('it is not built', `Run: cd ${root} && npm run build`);
if (Number.parseInt(process.versions.node, 10) >= wantedMajor) runHere();
else runUnderBundledNode();
