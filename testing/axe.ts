// Asks axe what is wrong with a page.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Serious and critical findings, as `rule: element`. Left out: thumbnails of terminals, which are pictures of text that is readable
 * elsewhere, and the focus guards of menus, on which the focus never rests.
 */
export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const results = await page.evaluate<AxeResults>('axe.run({ exclude: [".thumbnail-host", "[data-base-ui-focus-guard]"] })');
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`));
}
