/** Runs scenarios, several at once. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Outcome, runScenario, type Setting } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';

export interface Suite extends Setting {
  /** Names of scenarios; empty for all. */
  readonly only: readonly string[];
  readonly concurrency: number;
  /** Called as scenarios end. */
  readonly onOutcome?: (outcome: Outcome) => void;
}

const SCENARIOS = join(import.meta.dirname, '..', 'scenarios');

/** @returns the scenarios by name. */
export function readScenarios(): Map<string, Scenario> {
  const files = readdirSync(SCENARIOS).sort();
  return new Map(
    files.map((file) => [
      basename(file, '.json'),
      JSON.parse(readFileSync(join(SCENARIOS, file), 'utf8')) as Scenario,
    ]),
  );
}

/** @returns the outcomes in the order of the scenarios' names. @throws for an unknown name. */
export async function runSuite(suite: Suite): Promise<Outcome[]> {
  const scenarios = readScenarios();
  const unknown = suite.only.filter((name) => !scenarios.has(name));
  if (unknown.length > 0) throw new Error(`There is no scenario ${unknown.join(', ')}: --list shows them`);
  const waiting = [...scenarios].filter(([name]) => suite.only.length === 0 || suite.only.includes(name));
  const outcomes: Outcome[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const outcome = await runScenario(next[0], next[1], suite);
      outcomes.push(outcome);
      suite.onOutcome?.(outcome);
    }
  };
  await Promise.all(Array.from({ length: suite.concurrency }, work));
  return outcomes.sort((one, other) => (one.id < other.id ? -1 : 1));
}
