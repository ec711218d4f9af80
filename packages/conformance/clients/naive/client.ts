/**
 * A client as many are written: it works while nothing goes wrong. The test of the scenarios names those that it fails.
 * - The flag of the first start is set before the install has reached the service.
 * - No ID outlives its request, so that a retry would count twice; there is none.
 * - Each event is sent at once, and forgotten if that fails.
 * - A conversion value counts every event of the process, whatever the app's schema says.
 * - Links go to the listeners of that moment, and every report of a link is taken for a tap.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

interface Fields {
  readonly [name: string]: unknown;
}

interface Command extends Fields {
  readonly id: number;
  readonly do: string;
}

interface Start {
  readonly config: {
    readonly baseUrl: string;
    readonly key: string;
    readonly hosts: readonly string[];
    readonly consent: string;
    readonly firstOpenTimeoutMs: number;
  };
  readonly device: Fields;
  readonly referrer: { readonly installReferrer?: string; readonly hangs?: true } | null;
  readonly metaReferrer: Fields | null;
  readonly appleAdsToken: string | null;
  readonly conversion: boolean | 'fails once';
  readonly initialUrl: string | null;
}

const FLAG = join(process.env.THROUGHLINE_STORAGE ?? '.', 'first-open');

let start: Start | undefined;
let firstOpen: Promise<Fields> | undefined;
let installId: string | null = null;
let userId: string | undefined;
let consent = 'granted';
let isListening = false;
let fine = 0;

const DO: Readonly<Record<string, (command: Command) => unknown>> = {
  start(command) {
    start = command as unknown as Start;
    consent = start.config.consent;
    firstOpen = openFirst(start);
    setConversion();
    if (start.initialUrl !== null) deliver(start.initialUrl);
  },
  listen() {
    isListening = true;
  },
  url({ url }) {
    deliver(String(url));
  },
  handleUrl: ({ url }) => resolve(String(url)),
  claim: async ({ text }) => linkOf(await post('open', { fingerprint: start?.device, clickId: text }), null),
  createLink: ({ link }) => post('links', { installId, ...(link as Fields) }),
  firstOpen: () => firstOpen,
  track({ standard, fields, name = standard, properties = fields, revenue }) {
    setConversion();
    const { transactionId, ...amount } = (revenue ?? {}) as Fields;
    const sold = revenue === undefined ? {} : { revenue: amount, transactionId };
    post('event', { installId, eventName: name, properties, userId, ...sold });
  },
  identify(command) {
    userId = String(command.userId);
    post('identify', { installId, userId });
  },
  setConsent(command) {
    consent = String(command.consent);
  },
  explain: () => ({ installId, queuedEvents: 0, droppedEvents: 0 }),
};

createInterface(process.stdin)
  .on('close', () => process.exit())
  .on('line', async (line) => {
    const command = JSON.parse(line) as Command;
    const value = await DO[command.do]?.(command);
    say({ said: 'answer', id: command.id, value: value ?? null });
  });

function setConversion(): void {
  if (start?.conversion) say({ said: 'conversion', value: { fine: fine++, coarse: 'low', lock: false } });
}

async function openFirst({ device, referrer, config, ...rest }: Start): Promise<Fields> {
  if (existsSync(FLAG)) {
    const stored = JSON.parse(readFileSync(FLAG, 'utf8')) as Fields;
    installId = (stored.installId as string | undefined) ?? null;
    return stored;
  }
  writeFileSync(FLAG, JSON.stringify({ pending: true }));
  if (referrer?.hangs) await new Promise(() => undefined);
  const details = consent === 'deterministic-only' ? { platform: device.platform } : device;
  const asked = post('install', {
    fingerprint: details,
    installReferrer: referrer?.installReferrer,
    metaReferrer: rest.metaReferrer,
    appleAdsToken: rest.appleAdsToken,
  }).then((result) => {
    if (result === null) return { pending: true };
    installId = result.installId as string;
    const link = result.deepLinkPayload === null ? null : linkOf(result, null);
    const attribution = { ...result, pending: false, link };
    writeFileSync(FLAG, JSON.stringify(attribution));
    if (link !== null) tell(link);
    return attribution;
  });
  const late = { pending: true, attributed: false, link: null };
  const timeout = new Promise<Fields>((resolve) =>
    setTimeout(() => resolve(late), config.firstOpenTimeoutMs),
  );
  return Promise.race([asked, timeout]);
}

async function deliver(url: string): Promise<void> {
  const link = await resolve(url);
  if (link !== null) tell(link);
}

async function resolve(url: string): Promise<Fields | null> {
  const openId = crypto.randomUUID();
  return linkOf(await post('resolve', { url, installId, openId, fingerprint: start?.device }), url);
}

function linkOf(result: Fields | null, url: string | null): Fields | null {
  if (result === null) return null;
  const { deepLinkPayload, method, campaignId } = result;
  const payload = (deepLinkPayload ?? result) as Fields;
  const { deepLinkPath: path, deepLinkParams: params } = payload;
  return {
    path,
    params,
    url,
    deferred: url === null,
    campaignId,
    method: method ?? 'DIRECT',
    confidence: null,
  };
}

function tell(link: Fields): void {
  if (isListening) say({ said: 'link', link });
}

async function post(path: string, body: Fields): Promise<Fields | null> {
  if (start === undefined) return null;
  const { baseUrl, key } = start.config;
  try {
    const response = await fetch(`${baseUrl}/v1/sdk/${path}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return response.ok ? ((await response.json()) as Fields) : null;
  } catch {
    return null;
  }
}

function say(line: Fields): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
