import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { buildDashboard, DASHBOARD_FILE, dashboardText } from './dashboard.ts';

describe('the dashboard', () => {
  it('that is committed is the one that `npm run dashboard` writes', () => {
    assert.equal(readFileSync(DASHBOARD_FILE, 'utf8'), dashboardText());
  });

  it('asks the chosen Prometheus and processes, each panel with queries and a unit', () => {
    for (const { type, title = '', targets = [], datasource, fieldConfig } of buildDashboard().panels as {
      type: string;
      title?: string;
      targets?: { expr: string; refId: string }[];
      datasource?: { uid: string };
      fieldConfig?: { defaults: { unit?: string } };
    }[]) {
      if (type === 'row') continue;
      assert.equal(datasource?.uid, '${datasource}', title);
      assert.ok(targets.length > 0 && fieldConfig?.defaults.unit !== undefined, title);
      assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title);
      for (const { expr } of targets)
        assert.ok(expr.includes('instance=~"$instance"') || expr.includes('ALERTS'), `${title}: ${expr}`);
    }
  });
});
