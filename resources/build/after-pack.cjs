// After packing: node-pty's spawn helper loses its execute bit on the way through the archive, and without it no terminal opens.
const { chmodSync, existsSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

/** Hook of electron-builder; `appOutDir` is the folder that holds the unpacked app. */
module.exports = async function afterPack({ appOutDir }) {
  for (const entry of readdirSync(appOutDir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && entry.name === 'spawn-helper' && existsSync(path)) chmodSync(path, 0o755);
  }
};
