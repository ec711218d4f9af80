/**
 * `npm run bench:matching`: our matching and the rules of other services on the same synthetic traffic with known truth.
 *
 *   --settings ordinary,denseCity   presets; the default is all
 *   --seeds 1,2,3                   one run of each preset per seed
 *   --scale 0.5                     factor for the number of people
 *   --output touches.ndjson         only writes the touches of the first run, for `throughline backtest`
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { PRESETS } from '../../src/commands/traffic/presets.ts';
import type { Settings } from '../../src/commands/traffic/settings.ts';
import { buildRun } from '../../src/commands/traffic/traffic.ts';
import { baselines } from './baselines.ts';
import { decideByBaseline, decideByEngine } from './decide.ts';
import { type Results, report } from './report.ts';
import { prepareEvaluation, score } from './score.ts';

const { values } = parseArgs({
  options: {
    settings: { type: 'string', default: Object.keys(PRESETS).join(',') },
    seeds: { type: 'string', default: '1,2,3' },
    scale: { type: 'string', default: '1' },
    output: { type: 'string' },
  },
});
const names = values.settings.split(',');
const seeds = values.seeds.split(',').map(Number);

if (values.output) writeTouches(values.output);
else for (const name of names) process.stdout.write(`${report(name, measure(name))}\n`);

function measure(name: string): Results {
  const results: Results = { ceilings: [], scores: new Map() };
  for (const seed of seeds) {
    process.stderr.write(`${name}, seed ${seed}\n`);
    const evaluation = prepareEvaluation(buildRun(settingsOf(name), seed));
    results.ceilings.push(evaluation.ceiling);
    const addScore = (rule: string, decisions: ReturnType<typeof decideByEngine>) =>
      results.scores.set(rule, [...(results.scores.get(rule) ?? []), score(evaluation, decisions)]);
    addScore('Throughline', decideByEngine(evaluation.run));
    for (const baseline of baselines()) addScore(baseline.name, decideByBaseline(evaluation, baseline));
  }
  return results;
}

function settingsOf(name: string): Settings {
  const settings = PRESETS[name];
  if (!settings)
    throw new Error(`Unknown settings “${name}”; choose from ${Object.keys(PRESETS).join(', ')}`);
  return { ...settings, people: Math.round(settings.people * Number(values.scale)) };
}

function writeTouches(file: string): void {
  const { touches } = buildRun(settingsOf(names[0] ?? ''), seeds[0] ?? 1);
  writeFileSync(file, touches.map((touch) => `${JSON.stringify(touch)}\n`).join(''));
}
