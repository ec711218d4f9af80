/** Decides the installs of a run, by our matching or by a baseline. */
import { Backtest } from '../../src/commands/backtest/replay.ts';
import type { Install, Run } from '../../src/commands/traffic/touches.ts';
import type { Baseline } from './baselines.ts';
import { type Decision, type Evaluation, namedClick } from './score.ts';

export function decideByEngine({ touches }: Run): Decision[] {
  const backtest = new Backtest();
  return touches.map((touch) => backtest.take(touch)).filter((decision) => decision !== null);
}

export function decideByBaseline({ run, clicks }: Evaluation, baseline: Baseline): Decision[] {
  const decisions: Decision[] = [];
  for (const touch of run.touches) {
    if (touch.type === 'click') {
      baseline.click(touch);
      continue;
    }
    const named = clicks.get(namedClick(touch) ?? '');
    if (named) baseline.claimed(named);
    decisions.push(named ? byName(touch, named.id) : byRule(touch, baseline));
  }
  return decisions;
}

function byName({ id, clickId }: Install, named: string): Decision {
  const method = clickId === named ? 'CLICK_ID' : 'INSTALL_REFERRER';
  return { installId: id, method, clickId: named, confidence: null };
}

function byRule(install: Install, baseline: Baseline): Decision {
  const match = baseline.install(install);
  return {
    installId: install.id,
    method: match ? 'FINGERPRINT' : 'ORGANIC',
    clickId: match?.clickId ?? null,
    confidence: match?.confidence?.toFixed(3) ?? null,
  };
}
