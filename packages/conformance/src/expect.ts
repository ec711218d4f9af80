/** Compares what happened with what a scenario expects. */

import { fits, type LoggedRequest } from './network.ts';
import { differences, type Lookup, show } from './pattern.ts';
import type { Count, Expectation, Json, RequestExpectation } from './scenario.ts';

/** Everything that happened so far. */
export interface Happened {
  readonly installs: readonly unknown[];
  readonly opens: readonly unknown[];
  readonly events: readonly unknown[];
  /** Short links of the app. */
  readonly made: readonly unknown[];
  /** Links that listeners got. */
  readonly links: readonly unknown[];
  readonly corrections: readonly unknown[];
  readonly conversions: readonly unknown[];
  /** Warnings and errors of the client. */
  readonly messages: readonly string[];
  readonly log: readonly LoggedRequest[];
  /** Length of the log at each mark. */
  readonly marks: ReadonlyMap<string, number>;
  /** Answers, links and taps by name. */
  readonly named: Lookup;
}

const LISTS = ['installs', 'opens', 'events', 'made', 'links', 'corrections', 'conversions'] as const;

/** @returns the failed expectations in words; none if all hold. */
export function compare(expected: Expectation, happened: Happened): string[] {
  const lookup: Lookup = {
    ...happened.named,
    installs: happened.installs,
    opens: happened.opens,
    events: happened.events,
    made: happened.made,
    links: happened.links,
  };
  const lists = LISTS.flatMap((kind) => {
    const part = expected[kind];
    return part === undefined ? [] : inRecords(kind, part, happened[kind], lookup);
  });
  const answers = Object.entries(expected.answers ?? {}).flatMap(([name, pattern]) =>
    name in happened.named
      ? differences(pattern, happened.named[name], lookup, name)
      : [`${name}: expected an answer, got none yet`],
  );
  const requests = (expected.requests ?? []).flatMap((part) => inRequests(part, happened, lookup));
  const messages = (expected.log ?? []).flatMap(({ contains, count }) => {
    const got = happened.messages.filter((message) => message.includes(contains));
    return inCount(
      `lines of the log with ${show(contains)}`,
      count,
      got.length,
      happened.messages.slice(-20),
    );
  });
  return [...lists, ...inOrder(expected.order, happened.log), ...answers, ...requests, ...messages];
}

function inRecords(
  kind: string,
  expected: Count | readonly Json[],
  got: readonly unknown[],
  lookup: Lookup,
): string[] {
  if (Array.isArray(expected)) return differences(expected as readonly Json[], got, lookup, kind);
  return inCount(kind, expected as Count, got.length, got);
}

function inCount(what: string, expected: Count, count: number, detail?: unknown): string[] {
  const { min = 0, max = Number.POSITIVE_INFINITY } =
    typeof expected === 'number' ? { min: expected, max: expected } : expected;
  if (count >= min && count <= max) return [];
  return [
    `${what}: expected ${range(min, max)}, got ${count}${detail === undefined ? '' : `: ${show(detail)}`}`,
  ];
}

function range(min: number, max: number): string {
  if (min === max) return String(min);
  return max === Number.POSITIVE_INFINITY ? `${min} or more` : `${min} to ${max}`;
}

function inOrder(expected: Expectation['order'], log: readonly LoggedRequest[]): string[] {
  if (expected === undefined) return [];
  const names = isNames(expected)
    ? expected
    : Array.from(
        { length: expected.to - expected.from + 1 },
        (_, index) => `${expected.prefix}${expected.from + index}`,
      );
  const got = acceptedEvents(log);
  const first = names.findIndex((name, index) => got[index] !== name);
  if (first === -1 && got.length === names.length) return [];
  const at = first === -1 ? names.length : first;
  return [
    `order of events: expected ${names.length}, got ${got.length}; from position ${at + 1} expected ${show(names.slice(at, at + 5))}, got ${show(got.slice(at, at + 5))}`,
  ];
}

function isNames(order: NonNullable<Expectation['order']>): order is readonly string[] {
  return Array.isArray(order);
}

interface SentEvent {
  readonly eventName?: string;
  readonly eventId?: string;
}

/** Names of the events that the service accepted, each at the first time it did. */
function acceptedEvents(log: readonly LoggedRequest[]): string[] {
  const seen = new Set<string>();
  const names: string[] = [];
  const answered = log
    .filter(({ path, answeredAtMs }) => fits('/v1/sdk/event*', path) && answeredAtMs !== null)
    .sort((one, other) => (one.answeredAtMs ?? 0) - (other.answeredAtMs ?? 0));
  for (const { body, answer, status } of answered) {
    const list = (body as { events?: readonly SentEvent[] } | null)?.events;
    const results = (answer as { results?: readonly { status?: number }[] } | null)?.results;
    for (const [index, event] of (list ?? [body as SentEvent]).entries()) {
      const outcome = list === undefined ? status : (results?.[index]?.status ?? status);
      if (outcome === null || outcome < 200 || outcome > 299) continue;
      if (event.eventId !== undefined && seen.has(event.eventId)) continue;
      if (event.eventId !== undefined) seen.add(event.eventId);
      names.push(event.eventName ?? '');
    }
  }
  return names;
}

function inRequests(expected: RequestExpectation, happened: Happened, lookup: Lookup): string[] {
  const start = expected.since === undefined ? 0 : happened.marks.get(expected.since);
  if (start === undefined) throw new Error(`the scenario has no mark ${expected.since}`);
  const got = happened.log.slice(start).filter(({ path }) => fits(expected.path, path));
  const what = `requests to ${expected.path}`;
  const { body, without } = expected;
  return [
    ...(expected.count === undefined ? [] : inCount(what, expected.count, got.length)),
    ...(expected.statuses === undefined
      ? []
      : differences(
          expected.statuses,
          got.map(({ status }) => status),
          lookup,
          `statuses of ${what}`,
        )),
    ...(body === undefined
      ? []
      : got.flatMap((request, index) => differences(body, request.body, lookup, `${what}[${index}]`))),
    ...(expected.same ?? []).flatMap((field) => inSame(what, field, got)),
    ...(expected.apartMs === undefined ? [] : inTime(what, expected.apartMs, got)),
    ...(expected.after === undefined ? [] : inSequence(what, expected.after, got, happened.log)),
    ...(without === undefined ? [] : withoutText(what, without, got, lookup)),
  ];
}

function inSame(what: string, field: string, got: readonly LoggedRequest[]): string[] {
  const values = new Set(got.map(({ body }) => (body as Partial<Record<string, unknown>> | null)?.[field]));
  if (values.size <= 1 && !values.has(undefined)) return [];
  return [
    `${what}: expected the same ${field} in all, got ${show([...values].map((value) => value ?? null))}`,
  ];
}

function inTime(what: string, apartMs: number, got: readonly LoggedRequest[]): string[] {
  return got.slice(1).flatMap(({ atMs }, index) => {
    const gapMs = Math.round(atMs - (got[index]?.atMs ?? 0));
    return gapMs >= apartMs ? [] : [`${what}: expected ${apartMs} ms between two, got ${gapMs}`];
  });
}

function inSequence(
  what: string,
  path: string,
  got: readonly LoggedRequest[],
  log: readonly LoggedRequest[],
): string[] {
  const answeredAtMs = log.find(
    (request) => fits(path, request.path) && request.answeredAtMs !== null,
  )?.answeredAtMs;
  const early = got.filter(({ atMs }) => atMs < (answeredAtMs ?? Number.POSITIVE_INFINITY));
  return early.length === 0
    ? []
    : [`${what}: expected none before the service answered ${path}, got ${early.length}`];
}

function withoutText(what: string, text: string, got: readonly LoggedRequest[], lookup: Lookup): string[] {
  const found = got.filter(
    (request) => differences({ $contains: text }, show(request, Infinity), lookup, '').length === 0,
  );
  return found.length === 0 ? [] : [`${what}: expected none that contains ${text}, got ${found.length}`];
}
