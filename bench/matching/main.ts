/**
 * `node bench/matching/main.ts`: the engine and other services' rules on the same made-up traffic, of which we know
 * who is who.
 *
 *   --settings ordinary,denseCity   which presets; all without it
 *   --seeds 1,2,3                   one run of each preset for each seed
 *   --scale 0.5                     so many times the people
 *   --output touches.ndjson         writes the touches of the first run, for `throughline backtest`, and ends
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { baselines } from './baselines.ts';
import { decideByBaseline, decideByEngine } from './decide.ts';
import { PRESETS } from './presets.ts';
import { type Results, report } from './report.ts';
import { prepareExam, score } from './score.ts';
import type { Settings } from './settings.ts';
import { buildRun } from './traffic.ts';

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
    const exam = prepareExam(buildRun(settingsOf(name), seed));
    results.ceilings.push(exam.ceiling);
    const note = (who: string, decisions: ReturnType<typeof decideByEngine>) =>
      results.scores.set(who, [...(results.scores.get(who) ?? []), score(exam, decisions)]);
    note('Throughline', decideByEngine(exam.run));
    for (const baseline of baselines()) note(baseline.name, decideByBaseline(exam, baseline));
  }
  return results;
}

function settingsOf(name: string): Settings {
  const settings = PRESETS[name];
  if (!settings) throw new Error(`No settings ${name}; there are ${Object.keys(PRESETS).join(', ')}`);
  return { ...settings, people: Math.round(settings.people * Number(values.scale)) };
}

function writeTouches(file: string): void {
  const { touches } = buildRun(settingsOf(names[0] ?? ''), seeds[0] ?? 1);
  writeFileSync(file, touches.map((touch) => `${JSON.stringify(touch)}\n`).join(''));
}
