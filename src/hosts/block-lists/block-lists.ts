/** Block lists, each read once a day and kept in `DATA_DIR`. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Foundation } from '../../foundation.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import { type Outgoing, OutgoingError, type OutgoingResponse } from '../../lib/outgoing/index.ts';
import { type Outcome, ok, problem, unknown } from '../host.ts';
import { AGENT } from '../look/reach.ts';
import { findListings } from './find-listings.ts';

/** The largest well-known lists have some 20 MB. */
const MAX_LIST_BYTES = 32 * 1024 * 1024;
const TIMEOUT_MS = 60 * SECOND_MS;
/** Less than a day, so that a daily look reads a new one. */
const FRESH_MS = 20 * HOUR_MS;
/** A copy that could not be renewed counts this long. */
const MAX_AGE_MS = 7 * DAY_MS;
const RETRY_AFTER_MS = HOUR_MS;
const MAX_REDIRECTS = 3;
const NOT_READ = 'A block list was not read';
const NO_RULES = 'it is no hosts file, no list of domains, and has no Adblock rules for hosts';
/** A search takes seconds. Whoever may change the host of an app could ask for one after another. */
const SEARCH_EVERY_MS = 2 * MINUTE_MS;

interface Copy {
  readonly etag: string | null;
  /** When the server last said that this is its list. */
  readonly readAtMs: number;
}

interface ReadList {
  readonly copy: Copy;
  readonly searchedAtMs: number;
  /** The hosts that were looked for, and the rule of those that are listed; null if the syntax is unknown. */
  readonly hosts: ReadonlySet<string>;
  readonly listed: ReadonlyMap<string, string> | null;
}

interface Deps extends Pick<Foundation, 'clock' | 'log'> {
  readonly config: Pick<Foundation['config'], 'dataDir' | 'blockLists'>;
  readonly outgoing: Pick<Outgoing, 'read'>;
  /** All that are watched: a list is searched once for all. */
  readonly listHosts: () => Promise<readonly string[]>;
}

export class BlockLists {
  readonly #deps: Deps;
  readonly #lists = new Map<string, ReadList>();
  readonly #triedAtMs = new Map<string, number>();
  /** One after another: a list is large. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Null without lists. */
  async judge(host: string): Promise<Outcome | null> {
    const { blockLists } = this.#deps.config;
    if (blockLists.length === 0) return null;
    const turn = this.#turn.then(async () => {
      const found: { address: string; list: ReadList | null }[] = [];
      for (const address of blockLists) found.push({ address, list: await this.#listOf(address, host) });
      return judgeLists(host, found);
    });
    this.#turn = turn.catch(() => undefined);
    return await turn;
  }

  async #listOf(address: string, host: string): Promise<ReadList | null> {
    const known = this.#lists.get(address);
    const file = this.#fileOf(address);
    const copy = await this.#renew(address, file, known?.copy ?? (await readCopy(file)));
    if (copy === null) return null;
    const waits = this.#deps.clock.nowMs() - (known?.searchedAtMs ?? -Infinity) < SEARCH_EVERY_MS;
    if (known?.copy.readAtMs === copy.readAtMs && (known.hosts.has(host) || waits)) return known;
    const hosts = [...new Set([...(await this.#deps.listHosts()), host])];
    const text = await readFile(`${file}.txt`, 'utf8').catch(() => null);
    if (text === null) return null;
    const found = { hosts: new Set(hosts), listed: await findListings(text, hosts) };
    if (found.listed === null) this.#deps.log.warn({ list: address, reason: NO_RULES }, NOT_READ);
    const list = { copy, searchedAtMs: this.#deps.clock.nowMs(), ...found };
    this.#lists.set(address, list);
    return list;
  }

  /** @returns the copy to use; null without one that is young enough. */
  async #renew(address: string, file: string, kept: Copy | null): Promise<Copy | null> {
    const nowMs = this.#deps.clock.nowMs();
    if (kept !== null && nowMs - kept.readAtMs < FRESH_MS) return kept;
    const stillCounts = kept !== null && nowMs - kept.readAtMs < MAX_AGE_MS ? kept : null;
    if (nowMs - (this.#triedAtMs.get(address) ?? -Infinity) < RETRY_AFTER_MS) return stillCounts;
    this.#triedAtMs.set(address, nowMs);
    try {
      const answer = await this.#fetch(address, kept?.etag ?? null);
      const etag = answer.headers?.etag ?? null;
      if (answer.status === 304 && kept !== null)
        return await writeCopy(file, { etag: kept.etag, readAtMs: nowMs }, null);
      const reason = faultOf(answer);
      if (reason === null) return await writeCopy(file, { etag, readAtMs: nowMs }, answer.body);
      this.#deps.log.warn({ list: address, reason }, NOT_READ);
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      this.#deps.log.warn({ list: address, reason: error.message }, NOT_READ);
    }
    return stillCounts;
  }

  async #fetch(address: string, etag: string | null): Promise<OutgoingResponse> {
    let url = address;
    for (let redirects = 0; ; redirects += 1) {
      const answer = await this.#deps.outgoing.read('GET', url, {
        headers: { ...AGENT, ...(etag !== null && { 'if-none-match': etag }) },
        ...{ timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_LIST_BYTES, keepHeaders: ['etag'] },
      });
      const next = answer.location === undefined ? null : URL.parse(answer.location, url);
      if (answer.status < 301 || answer.status > 308 || answer.status === 304 || next === null) return answer;
      if (redirects === MAX_REDIRECTS) return answer;
      url = next.href;
    }
  }

  /** Without the ending. */
  #fileOf(address: string): string {
    const name = createHash('sha256').update(address).digest('hex').slice(0, 32);
    return join(this.#deps.config.dataDir, 'block-lists', name);
  }
}

/** Null for a list. A host that is on it would seem to be off it by anything else. */
function faultOf({ status, body }: OutgoingResponse): string | null {
  if (status !== 200) return `status ${status}`;
  // One that is cut would miss hosts.
  if (Buffer.byteLength(body) >= MAX_LIST_BYTES) return `more than ${MAX_LIST_BYTES / 1024 / 1024} MB`;
  // Servers that moved or are away answer with a page, and with status 200.
  const [first] = body.trimStart();
  if (first === undefined) return 'empty';
  if (NO_TEXT.test(body.slice(0, START_CHARACTERS))) return 'no text, such as a compressed file';
  return first === '<' || first === '{' ? 'a page in place of a list' : null;
}

/** Control characters, except those of lines. */
const NO_TEXT = /[^\P{Cc}\t\n\v\f\r]/u;
const START_CHARACTERS = 1_000;

async function readCopy(file: string): Promise<Copy | null> {
  try {
    return JSON.parse(await readFile(`${file}.json`, 'utf8')) as Copy;
  } catch {
    return null;
  }
}

/** @param text null if it is the same as before. */
async function writeCopy(file: string, copy: Copy, text: string | null): Promise<Copy> {
  await mkdir(join(file, '..'), { recursive: true });
  if (text !== null) {
    await writeFile(`${file}.draft`, text);
    await rename(`${file}.draft`, `${file}.txt`);
  }
  await writeFile(`${file}.json`, JSON.stringify(copy));
  return copy;
}

function judgeLists(
  host: string,
  found: readonly { readonly address: string; readonly list: ReadList | null }[],
): Outcome {
  const listing = found.flatMap(({ address, list }) => {
    const rule = list?.listed?.get(host);
    return rule === undefined ? [] : [`${nameOf(address)} (${rule})`];
  });
  if (listing.length > 0)
    return problem(
      `Block lists with ${host}: ${listing.join(', ')}.`,
      'Ask the maintainers of the list to take the host off, by the form or the issues that its page names. Until then those who use the list cannot open links.',
    );
  const unread = found.flatMap(({ address, list }) =>
    (list?.listed ?? null) === null ? [nameOf(address)] : [],
  );
  if (unread.length > 0) return unknown(`Block lists that could not be read: ${unread.join(', ')}.`);
  if (found.some(({ list }) => !list?.hosts.has(host)))
    return unknown('The block lists were searched before the host was set: look again in two minutes.');
  return ok(found.length === 1 ? 'The block list does not name the host.' : 'No block list names the host.');
}

/** Owners of apps see it: a query may hold a key of the operator. */
function nameOf(address: string): string {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
}
