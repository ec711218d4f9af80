/** Violations of WCAG and best practices that axe finds in a page. */
import axe from 'axe-core';
import type { Page } from './page.ts';

interface Finding {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

/**
 * One line for each broken rule, and for each contrast that axe could not measure: `rule (expectation): where`. The
 * page must allow JavaScript.
 */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations, incomplete } = await page.evaluate<{ violations: Finding[]; incomplete: Finding[] }>(
    'axe.run().then(({ violations, incomplete }) => ({ violations, incomplete }))',
  );
  return [...violations, ...incomplete.filter(({ id }) => id === 'color-contrast')].map(
    ({ id, help, nodes }) => `${id} (${help}): ${nodes.map(({ html }) => html).join(' ')}`,
  );
}
