/**
 * Prints one line for each file, pending and skipped cases, every failure in full, and the totals. Pending cases fail
 * on purpose, so their errors are omitted. A skipped suite counts as one.
 */
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

interface Case {
  readonly name: string;
  readonly file: string;
  readonly error: unknown;
}

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failures: Case[] = [];
  const pending = new Map<string, string[]>();
  const skipped = new Map<string, string[]>();
  let passed = 0;
  for await (const event of events) {
    if (event.type === 'test:stdout' || event.type === 'test:stderr') yield event.data.message;
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { name, todo, skip, details, file = '' } = event.data;
    if (event.data.nesting === 0)
      yield `${isSet(skip) ? '–' : event.type === 'test:pass' ? '✔' : '✖'} ${name} (${Math.round(details.duration_ms)} ms)\n`;
    if (isSet(skip)) note(skipped, skip, name);
    else if (details.type === 'suite' && !failsByItself(event)) continue;
    else if (isSet(todo)) note(pending, todo, name);
    else if (event.type === 'test:pass') passed += 1;
    else
      failures.push({
        name,
        file: relative(process.cwd(), file),
        error: 'error' in details ? details.error : null,
      });
  }
  for (const [reason, names] of pending) yield describeUndone('pending', reason, names);
  for (const [reason, names] of skipped) yield describeUndone('skipped', reason, names);
  for (const failure of failures) yield describeFailure(failure);
  const skippedCount = [...skipped.values()].flat().length;
  yield `\n${passed} passed, ${failures.length} failed${skippedCount === 0 ? '' : `, ${skippedCount} skipped`}\n`;
}

/** A failed hook fails its suite; other suites fail by their tests, which are reported. */
function failsByItself({ type, data }: TestEvent): boolean {
  return (
    type === 'test:fail' && (data.details.error as { failureType?: string }).failureType === 'hookFailed'
  );
}

function isSet(mark: string | boolean | undefined): mark is string | true {
  return mark !== undefined && mark !== false;
}

function note(undone: Map<string, string[]>, mark: string | true, name: string): void {
  const reason = mark === true ? 'no reason given' : mark;
  undone.set(reason, [...(undone.get(reason) ?? []), name]);
}

function describeUndone(what: 'pending' | 'skipped', reason: string, names: string[]): string {
  const distinct = [...new Set(names)];
  return `\n${what}, since ${reason} (${names.length}):\n${distinct.map((name) => `  ${name}\n`).join('')}`;
}

function describeFailure({ name, file, error }: Case): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return `\n✖ ${name}\n  ${file}\n${inspect(cause, { colors: process.stdout.isTTY }).replaceAll(/^/gm, '    ')}\n`;
}
