/** The files for Prometheus and the page that explains its alerts. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const rules = readFileSync('deploy/monitoring/alerts.yml', 'utf8');
const page = readFileSync('docs/guide/alerts.md', 'utf8');
const guide = readFileSync('docs/guide/monitoring.md', 'utf8');
const alerts = rules.split('- alert: ').slice(1);
const nameOf = (alert: string) => /^\w+/.exec(alert)?.[0] ?? '';

describe('the alerts', () => {
  for (const alert of alerts)
    it(`${nameOf(alert)} says whom it is for, what is wrong and where to read on`, () => {
      assert.match(alert, /labels: \{ severity: (page|ticket) \}/);
      assert.match(alert, /summary: '[^']+\.'/);
      const url = /runbook_url: (\S+)/.exec(alert)?.[1];
      const anchor = nameOf(alert).toLowerCase();
      assert.equal(
        url,
        `https://github.com/throughline/throughline/blob/main/docs/guide/alerts.md#${anchor}`,
      );
      const section = page.split(/^## /m).find((text) => text.startsWith(`${nameOf(alert)}\n`));
      assert.match(section ?? '', /^\w+\n\n\*\*(Now|Within the hour|Next working day)\.\*\* /);
      // Who is woken has something to do.
      assert.equal(/\*\*Next/.test(section ?? ''), alert.includes('severity: ticket'));
    });

  it('and the page name each other, and the guide their number', () => {
    assert.deepEqual(
      [...page.matchAll(/^## (\w+)$/gm)].map(([, name]) => name).sort(),
      alerts.map(nameOf).sort(),
    );
    assert.ok(guide.includes(`\`alerts.yml\` has ${alerts.length} rules`));
  });
});
