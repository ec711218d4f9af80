import { lookup } from 'node:dns/promises';
import { type Config, isLoopback } from '../../config.ts';
import { StartError } from '../../errors.ts';
import { MINUTE_MS, SECOND_MS, systemClock } from '../../lib/clock.ts';
import { findServer } from '../../lib/data-dir/index.ts';
import { isPublic } from '../../lib/outgoing/index.ts';
import { trustedProxies } from '../../server/client-address.ts';
import { attempt, type Finding, fault, ok, reasonOf, unknown, warning } from './check.ts';

const TIMEOUT_MS = 6 * SECOND_MS;
const MAX_CLOCK_DIFFERENCE_MS = 5 * SECOND_MS;
/** An address for documents (RFC 5737), which no client has. */
const FORGED = '192.0.2.66';

/** The service on this machine, and the way to it by its public name. */
export async function checkService(config: Config): Promise<readonly Finding[]> {
  let server: ReturnType<typeof findServer> = null;
  try {
    server = findServer(config);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return [fault('service.running', error.message, 'Restart the service.')];
  }
  const findings = await attempt('service.running', () => checkReady(server?.url ?? null));
  return [...findings, ...(await checkPublicUrl(config, server?.adminToken ?? config.adminToken))];
}

async function checkReady(url: string | null): Promise<Finding> {
  if (url === null) return unknown('service.running', 'No service runs with this DATA_DIR');
  const { status } = await ask(`${url}/readyz`);
  return status === 200
    ? ok('service.running', `The service at ${url} is ready`)
    : fault(
        'service.running',
        `The service at ${url} answers /readyz with ${status}`,
        'The health of the service says why: the console, or GET /v1/admin/health.',
      );
}

async function checkPublicUrl(
  { publicUrl, trustProxy }: Config,
  adminToken: string | null,
): Promise<readonly Finding[]> {
  const { hostname, protocol } = new URL(publicUrl);
  const isOfMachine = isLoopback(hostname);
  let answer: Answer;
  try {
    answer = await ask(`${publicUrl}/healthz`);
  } catch (error) {
    return [unknown('public_url.reachable', `${publicUrl} does not answer from here: ${reasonOf(error)}`)];
  }
  if (answer.status !== 200 || !answer.text.includes('"status"'))
    return [
      fault(
        'public_url.reachable',
        `${publicUrl}/healthz answers with ${answer.status}, and not as this service does`,
        'Correct PUBLIC_URL, or let the proxy there pass requests on to the service.',
      ),
    ];
  const findings = [
    ok('public_url.reachable', `${publicUrl} leads to a service`),
    checkClock(publicUrl, answer),
  ];
  if (protocol === 'http:' && !isOfMachine)
    findings.push(
      fault(
        'public_url.scheme',
        `${publicUrl} is not encrypted`,
        'Put a proxy with a certificate before the service, and set PUBLIC_URL to its https address (docs/guide/proxies.md).',
      ),
    );
  // The admin token goes over encrypted connections and this machine only.
  else if (adminToken !== null)
    findings.push(
      ...(await attempt('proxy.address', () =>
        checkAddress(publicUrl, { adminToken, trustProxy, isOfMachine }),
      )),
    );
  return findings;
}

function checkClock(publicUrl: string, { date }: Answer): Finding {
  const differenceMs = Math.abs(Date.parse(date ?? '') - systemClock.nowMs());
  if (Number.isNaN(differenceMs)) return unknown('clock.http', `${publicUrl} does not say its time`);
  return differenceMs > MAX_CLOCK_DIFFERENCE_MS
    ? (differenceMs > MINUTE_MS ? fault : warning)(
        'clock.http',
        `This clock differs from that of ${publicUrl} by ${Math.round(differenceMs / 1_000)} s`,
        'Let the machine take its time by NTP (timedatectl set-ntp true).',
      )
    : ok('clock.http', `This clock agrees with that of ${publicUrl}`);
}

interface Caller {
  readonly address: string;
  readonly isForwarded: boolean;
}

/** The address that the service sees of this request, which also carries a forged one. */
export async function checkAddress(
  publicUrl: string,
  {
    adminToken,
    trustProxy,
    isOfMachine,
  }: { adminToken: string; trustProxy: Config['trustProxy']; isOfMachine: boolean },
): Promise<Finding> {
  const headers = { authorization: `Bearer ${adminToken}`, 'x-forwarded-for': FORGED };
  const { status, text } = await ask(`${publicUrl}/v1/admin/caller`, headers);
  if (status !== 200)
    return unknown(
      'proxy.address',
      `${publicUrl} does not take this admin token (${status}): is it this service?`,
    );
  const { address, isForwarded } = JSON.parse(text) as Caller;
  const isTrusted = trustedProxies(trustProxy);
  if (address === FORGED && isOfMachine && Array.isArray(trustProxy) && !isTrusted?.(FORGED, 1))
    return ok(
      'proxy.address',
      'Of connections without a proxy the service believes those of this machine alone',
    );
  if (address === FORGED)
    return fault(
      'proxy.address',
      'The service believes an address that a client made up, so limits and matching can be cheated',
      isOfMachine
        ? 'TRUST_PROXY is set, and clients reach the service without the proxy. Unset it, or let only the proxy reach the service.'
        : 'Set TRUST_PROXY to the number of your proxies, or let the proxy replace X-Forwarded-For (docs/guide/proxies.md).',
    );
  if (isOfMachine) return ok('proxy.address', 'The service does not believe a forged X-Forwarded-For');
  if (!isForwarded)
    return fault(
      'proxy.address',
      `The proxy at PUBLIC_URL removes X-Forwarded-For, so every visitor has the address ${address}: no fingerprint can match`,
      'Let the proxy set X-Forwarded-For to the address of its client (docs/guide/proxies.md).',
    );
  if (trustProxy === null && !isPublic(address, []))
    return takesProxy(address, 'Set TRUST_PROXY, to 1 for one proxy (docs/guide/proxies.md).');
  // This request came by another address than that of the loopback interface.
  if (isOfLoopback(address) && !(await leadsToLoopback(new URL(publicUrl).hostname)))
    return takesProxy(
      address,
      'Let TRUST_PROXY name each proxy, or be the number of all of them (docs/guide/proxies.md).',
    );
  return ok('proxy.address', `The service sees ${address} as the address of this machine`);
}

function takesProxy(address: string, mend: string): Finding {
  return fault(
    'proxy.address',
    `The service takes ${address}, which is the proxy, for the address of every visitor: no fingerprint can match`,
    mend,
  );
}

function isOfLoopback(address: string): boolean {
  return /^(127\.|::1$|::ffff:127\.)/.test(address);
}

async function leadsToLoopback(hostname: string): Promise<boolean> {
  const found = await lookup(hostname.replace(/[[\]]/g, ''), { all: true });
  return found.some(({ address }) => isOfLoopback(address));
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly date: string | null;
}

export async function ask(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  return {
    status: response.status,
    text: await response.text(),
    date: response.headers.get('date'),
  };
}
