/**
 * What a test run prints: a line for each file, what is pending, every failure in full, and how many passed. Pending
 * cases fail by intent, so their errors are left out.
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
  let passed = 0;
  for await (const event of events) {
    if (event.type === 'test:stdout' || event.type === 'test:stderr') yield event.data.message;
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { name, todo, details, file = '' } = event.data;
    if (event.data.nesting === 0)
      yield `${event.type === 'test:pass' ? '✔' : '✖'} ${name} (${Math.round(details.duration_ms)} ms)\n`;
    if (details.type === 'suite') continue;
    if (todo !== undefined && todo !== false) {
      const reason = typeof todo === 'string' ? todo : 'no reason given';
      pending.set(reason, [...(pending.get(reason) ?? []), name]);
    } else if (event.type === 'test:pass') passed += 1;
    else
      failures.push({
        name,
        file: relative(process.cwd(), file),
        error: 'error' in details ? details.error : null,
      });
  }
  for (const [reason, names] of pending) yield describePending(reason, names);
  for (const failure of failures) yield describeFailure(failure);
  yield `\n${passed} passed, ${failures.length} failed\n`;
}

function describePending(reason: string, names: string[]): string {
  const distinct = [...new Set(names)];
  return `\npending, since ${reason} (${names.length}):\n${distinct.map((name) => `  ${name}\n`).join('')}`;
}

function describeFailure({ name, file, error }: Case): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return `\n✖ ${name}\n  ${file}\n${inspect(cause, { colors: process.stdout.isTTY }).replaceAll(/^/gm, '    ')}\n`;
}
