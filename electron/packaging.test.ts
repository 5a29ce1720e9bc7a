// What the packages are made of, as far as it can be known without making one.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import packageJson from '../package.json' with { type: 'json' };

const root = join(import.meta.dirname, '..');
const config = parse(readFileSync(join(root, 'electron-builder.yml'), 'utf8'));
const require = createRequire(import.meta.url);

test('the configuration is one that electron-builder understands', async () => {
  const builder = createRequire(require.resolve('electron-builder'));
  const { validateConfiguration } = builder('app-builder-lib/out/util/config/config');
  await validateConfiguration(config, { isEnabled: false, add: () => {} });
  await expect(validateConfiguration({ ...config, asarUnpacked: [] }, { isEnabled: false, add: () => {} })).rejects.toThrow('asarUnpacked');
});

test('every fuse that could turn the app into a Node interpreter or a file browser is off', () => {
  expect(config.electronFuses).toEqual({
    runAsNode: false,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    grantFileProtocolExtraPrivileges: false,
    enableCookieEncryption: true,
  });
});

test('the archive keeps the code, binaries lie beside it', () => {
  expect(config.asar).toBe(true);
  expect(config.asarUnpack).toEqual(['**/*.{node,dll,dylib,so,so.*}', '**/node-pty/**/spawn-helper']);
  expect(config.files).toContain('dist/**');
  expect(config.npmRebuild).toBe(false);
  expect(config.publish).toBeNull();
});

test('what the configuration names exists', () => {
  for (const path of [config.afterPack, config.mac.entitlements, config.linux.icon]) expect(existsSync(join(root, path))).toBe(true);
  for (const { from } of config.extraResources) if (from !== 'native') expect(existsSync(join(root, from))).toBe(true);
  expect(packageJson.main).toBe('dist/electron/main.js');
  expect(packageJson.desktopName).toBe('termarium.desktop');
});

test('the icon is a square of at least 512 pixels', () => {
  const png = readFileSync(join(root, config.linux.icon));
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  // Width and height of the IHDR chunk.
  expect(png.readUInt32BE(16)).toBeGreaterThanOrEqual(512);
  expect(png.readUInt32BE(20)).toBe(png.readUInt32BE(16));
});

test('the spawn helper can be executed after packing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'termarium-pack-'));
  try {
    const helper = join(folder, 'resources', 'app.asar.unpacked', 'node_modules', 'node-pty', 'spawn-helper');
    mkdirSync(join(helper, '..'), { recursive: true });
    writeFileSync(helper, '');
    chmodSync(helper, 0o644);
    await require('../resources/build/after-pack.cjs')({ appOutDir: folder });
    expect(statSync(helper).mode & 0o777).toBe(0o755);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
