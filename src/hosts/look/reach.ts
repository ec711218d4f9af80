/** Whether requests to the public name arrive here: behind proxies and CDNs addresses tell nothing. */
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { SECOND_MS } from '../../lib/clock.ts';
import { CONNECTION_REFUSED, type Outgoing, OutgoingError } from '../../lib/outgoing/index.ts';
import type { Secrets } from '../../lib/secrets.ts';
import { type Outcome, ok, problem, unknown } from '../host.ts';

export const PROOF_PATH = '/.well-known/throughline';
const NONCE_BYTES = 16;
export const NONCE_PATTERN = '^[0-9a-f]{32}$';
const REQUEST = { timeoutMs: 10 * SECOND_MS, maxResponseBytes: 16 * 1024 } as const;
export const AGENT = { 'user-agent': 'Throughline (watching its own host)' } as const;

/** What only processes with the same secret can answer. */
export function proofOf(secrets: Pick<Secrets, 'sign'>, nonce: string): string {
  return secrets.sign(`host ${nonce}`);
}

export type Reach =
  | { readonly kind: 'here' }
  | { readonly kind: 'elsewhere'; readonly status: number; readonly location: string | undefined }
  | { readonly kind: 'no_such_name' }
  | { readonly kind: 'failed'; readonly reason: OutgoingError['reason']; readonly message: string };

interface ReachDeps {
  /** That takes any certificate: another check judges it. */
  readonly outgoing: Pick<Outgoing, 'read'>;
  readonly secrets: Pick<Secrets, 'isSigned'>;
  readonly isUnknownName?: (name: string) => Promise<boolean>;
}

export async function reach(
  { outgoing, secrets, isUnknownName = hasNoAddress }: ReachDeps,
  baseUrl: string,
): Promise<Reach> {
  const nonce = randomBytes(NONCE_BYTES).toString('hex');
  try {
    const answer = await outgoing.read('GET', `${baseUrl}${PROOF_PATH}?nonce=${nonce}`, {
      ...{ ...REQUEST, headers: { ...AGENT, accept: 'application/json' } },
    });
    const isHere = answer.status === 200 && secrets.isSigned(`host ${nonce}`, proofIn(answer.body));
    return isHere
      ? { kind: 'here' }
      : { kind: 'elsewhere', status: answer.status, location: answer.location };
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    if (error.reason === 'dns' && (await isUnknownName(new URL(baseUrl).hostname)))
      return { kind: 'no_such_name' };
    return { kind: 'failed', reason: error.reason, message: error.message };
  }
}

function proofIn(body: string): string {
  try {
    const { proof } = JSON.parse(body) as { proof?: unknown };
    return typeof proof === 'string' ? proof : '';
  } catch {
    return '';
  }
}

/** A name server that says so; one that is silent or fails tells nothing. */
async function hasNoAddress(name: string): Promise<boolean> {
  const resolver = new Resolver({ timeout: 2 * SECOND_MS, tries: 2 });
  const results = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return results.every(
    (result) =>
      result.status === 'rejected' &&
      /^(ENOTFOUND|ENODATA)$/.test(String((result.reason as { code?: unknown }).code)),
  );
}

interface Circumstances {
  readonly host: string;
  /** Whether another server answered: the network of this service works. */
  readonly isOnline: boolean;
  /** Whether requests from here ever arrived here. */
  readonly wasHere: boolean;
}

const POINT_HERE =
  'Point the DNS record of the host to this service, and let every proxy in front pass on /.well-known/ with the Host header as it came.';

export function judgeReach(reached: Reach, { host, isOnline, wasHere }: Circumstances): Outcome {
  if (reached.kind === 'here') return ok('Requests to the host arrive here.');
  if (reached.kind === 'elsewhere') {
    const { status, location } = reached;
    const what = location === undefined ? `answers with status ${status}` : 'redirects elsewhere';
    return problem(`Another server answers for ${host}, or a proxy in front ${what}.`, POINT_HERE);
  }
  if (!isOnline)
    return unknown(
      `${host} was not reached, and no other server answered either: the network of this service fails.`,
    );
  if (reached.kind === 'no_such_name')
    return problem(
      `DNS has no address for ${host}.`,
      'Make an A or AAAA record (or a CNAME) of the host that leads to this service.',
    );
  const { reason, message } = reached;
  if (reason === 'refused_target')
    return unknown(
      `DNS gives this service a private address for ${host}.`,
      'If phones get a public one, let this service follow its own by WEBHOOK_ALLOW_CIDRS; else correct the DNS record.',
    );
  if (reason === 'dns') return unknown(`The name servers for ${host} did not answer.`);
  // Some networks do not lead to their own public address, or have no IPv6.
  const isAnswer = reason === 'protocol' || reason === 'tls' || message === CONNECTION_REFUSED;
  if (!wasHere && !isAnswer)
    return unknown(`This service cannot reach ${host}: ${message} Phones may reach it nevertheless.`);
  return problem(
    `No server answers for ${host}: ${message}`,
    'Look whether the proxy in front runs, and whether the DNS record leads to it.',
  );
}
