import { defineConfig } from 'vitest/config';

/**
 * Three kinds of test. `unit` needs nothing; `integration` needs Docker and the base image (scripts/bootstrap prepares both);
 * `e2e` drives Chromium against the built backend. A name's suffix says which kind a file is.
 */
export default defineConfig({
  test: {
    reporters: process.env.CI ? ['default'] : ['default'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{main,electron,renderer,testing,scripts}/**/*.test.{ts,tsx}'],
          exclude: ['**/*.docker.test.ts', '**/*.e2e.test.ts', '**/node_modules/**'],
          testTimeout: 60_000,
          alias: { electron: new URL('./testing/electron.ts', import.meta.url).pathname },
        },
      },
      {
        test: {
          name: 'integration',
          include: ['{main,testing}/**/*.docker.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['renderer/e2e/**/*.e2e.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
