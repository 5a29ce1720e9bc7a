import { builtinModules } from 'node:module';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import packageJson from './package.json' with { type: 'json' };

/** Packages stay in node_modules at run time: native modules must not be bundled, and stack traces stay readable. */
const external = [
  /^node:/,
  ...builtinModules,
  'electron',
  ...Object.keys(packageJson.dependencies).map((name) => new RegExp(`^${name}(/|$)`)),
];

/** `vite build --app` builds the page, the backend with the desktop shell, and the preload script, from this one file. */
export default defineConfig({
  plugins: [react()],
  root: 'renderer',
  base: './',
  publicDir: false,
  builder: {
    sharedConfigBuild: true,
    async buildApp(builder) {
      for (const environment of Object.values(builder.environments)) await builder.build(environment);
    },
  },
  environments: {
    client: {
      build: { outDir: '../dist/renderer', emptyOutDir: true, target: 'es2024', chunkSizeWarningLimit: 1500 },
    },
    main: {
      consumer: 'server',
      build: {
        outDir: '../dist',
        emptyOutDir: false,
        target: 'node24',
        ssr: true,
        minify: false,
        sourcemap: true,
        rollupOptions: {
          input: { 'main/cli': 'main/cli.ts', 'main/host': 'main/host.ts', 'electron/main': 'electron/main.ts' },
          external,
          output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'main/[name]-[hash].js' },
        },
      },
    },
    preload: {
      consumer: 'server',
      build: {
        outDir: '../dist/electron',
        emptyOutDir: false,
        target: 'node24',
        ssr: true,
        minify: false,
        rollupOptions: {
          input: { preload: 'electron/preload.ts' },
          external: ['electron'],
          output: { format: 'cjs', entryFileNames: '[name].cjs' },
        },
      },
    },
  },
});
