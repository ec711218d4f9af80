/** One look at a host: what is asked, and what follows for an app. */
import { type AppRow, type AssociationFiles, type HostDirectory, hostNameOf } from '../apps/index.ts';
import type { Foundation } from '../foundation.ts';
import { createCache } from '../lib/cache.ts';
import { isoTime, MINUTE_MS } from '../lib/clock.ts';
import {
  createOutgoing,
  OutgoingError,
  parseNetworks,
  readCertificate,
  type ServedCertificate,
} from '../lib/outgoing/index.ts';
import type { Secrets } from '../lib/secrets.ts';
import { BlockLists } from './block-lists/block-lists.ts';
import { type Check, type Outcome, type Place, problem, unknown } from './host.ts';
import { judgeAppleCopy, readAppleCopy } from './look/apple-copy.ts';
import { roomFor } from './look/ask.ts';
import { judgeServedFiles, readServedFiles } from './look/association.ts';
import { judgeCertificate } from './look/certificate.ts';
import { androidAppsOf, judgeGoogleVerdict, readGoogleVerdict } from './look/google-verdict.ts';
import { judgeReach, reach } from './look/reach.ts';

/** What was asked about a host counts for all its apps, and bounds how often one may ask. */
const SHARED_FOR_MS = MINUTE_MS;
/** An answer may have some hundred KB, and stays until others take its place. */
const ANSWERS_KEPT = 100;

export interface LookDeps extends Pick<Foundation, 'clock' | 'config' | 'log'> {
  readonly secrets: Pick<Secrets, 'isSigned'>;
  readonly hostDirectory: HostDirectory;
  readonly listHosts: () => Promise<readonly string[]>;
  /** Of certificates, in place of Node's, in tests. */
  readonly authorities?: readonly string[] | undefined;
}

export interface Look {
  readonly outcomes: ReadonlyMap<Check, Outcome>;
  /** Null where none was read. */
  readonly certificateEndsAt: string | null;
}

export interface LookOf {
  readonly app: AppRow;
  readonly place: Place;
  /** Whether requests from here ever arrived here. */
  readonly wasHere: boolean;
}

export function createLooker(deps: LookDeps) {
  const { clock, config, secrets, hostDirectory, authorities } = deps;
  const allowed = parseNetworks(config.webhookAllowCidrs);
  const outgoing = createOutgoing({ allowed, connectionsPerOrigin: 4 });
  // Asks the host itself: the check of its certificate tells what phones think of that.
  const ownHost = createOutgoing({ allowed, connectionsPerOrigin: 4, verifiesCertificates: false });
  const closing = new AbortController();
  const blockLists = new BlockLists({ ...deps, outgoing });
  const shared = <T>(read: (key: string) => Promise<T>) =>
    createCache(clock, read, { maxAgeMs: SHARED_FOR_MS, max: ANSWERS_KEPT });
  const reached = shared((baseUrl) => reach({ outgoing: ownHost, secrets }, baseUrl));
  // With what is expected at that time: the settings of an app may change before the next look.
  const served = shared(async (baseUrl) => {
    const expected = await hostDirectory.filesAt(hostNameOf(new URL(baseUrl).hostname));
    return judgeServedFiles(await readServedFiles(ownHost, baseUrl, expected), expected);
  });
  const certificates = shared((baseUrl) =>
    certificateOf(baseUrl, { allowed, authorities, signal: closing.signal }),
  );
  const apple = shared(async (host) => {
    const maxBytes = roomFor((await hostDirectory.filesAt(host)).apple);
    return await readAppleCopy(outgoing, { appleUrl: config.appleAssociationUrl, host, maxBytes });
  });
  const google = shared(async (host) => {
    const maxBytes = roomFor((await hostDirectory.filesAt(host)).android);
    return await readGoogleVerdict(outgoing, { googleUrl: config.assetLinksUrl, host, maxBytes });
  });

  return {
    async look({ app, place, wasHere }: LookOf): Promise<Look> {
      const { host, baseUrl } = place;
      const nowMs = clock.nowMs();
      const [reachedAs, certificate, listed] = await Promise.all([
        reached.get(baseUrl),
        certificates.get(baseUrl),
        blockLists.judge(host),
      ]);
      const expected = await hostDirectory.filesAt(host);
      const isHere = reachedAs.kind === 'here';
      const asked = questionsOf(app, expected);
      // Apple is also who tells whether this service is online at all.
      const [appleAnswer, googleAnswer] = await Promise.all([
        asked.apple || !isHere ? apple.get(host) : null,
        asked.android === undefined ? null : google.get(host),
      ]);
      const isOnline = appleAnswer !== null || googleAnswer !== null;
      const outcomes = new Map<Check, Outcome>();
      outcomes.set('dns', judgeReach(reachedAs, { host, isOnline, wasHere }));
      outcomes.set('certificate', judgeServed(certificate, { isOnline, nowMs }));
      outcomes.set('association_files', isHere ? await served.get(baseUrl) : NOT_HERE);
      if (asked.apple)
        outcomes.set('apple_copy', isHere ? judgeAppleCopy(appleAnswer, expected.apple) : NOT_HERE);
      if (asked.android !== undefined)
        outcomes.set('google_verdict', isHere ? judgeGoogleVerdict(googleAnswer, asked.android) : NOT_HERE);
      if (listed !== null) outcomes.set('block_lists', listed);
      const endsAt = 'validToMs' in certificate ? isoTime(certificate.validToMs) : null;
      return { outcomes, certificateEndsAt: endsAt };
    },
    async close() {
      closing.abort();
      await Promise.all([outgoing.close(), ownHost.close()]);
    },
  };
}
export type Looker = ReturnType<typeof createLooker>;

/** The cause is reported, not what follows from it. */
const NOT_HERE = unknown('Not looked at while requests to the host do not arrive here.');

/** Which of Apple and Google know an app of this host. */
function questionsOf(app: AppRow, expected: AssociationFiles) {
  const android = androidAppsOf(expected).find(({ name }) => name === app.android_package);
  return { apple: app.ios_team_id !== null && app.ios_bundle_id !== null, android };
}

async function certificateOf(
  baseUrl: string,
  options: Parameters<typeof readCertificate>[1],
): Promise<ServedCertificate | OutgoingError> {
  try {
    return await readCertificate(baseUrl, options);
  } catch (error) {
    if (error instanceof OutgoingError) return error;
    throw error;
  }
}

function judgeServed(
  certificate: ServedCertificate | OutgoingError,
  { isOnline, nowMs }: { isOnline: boolean; nowMs: number },
): Outcome {
  if (!(certificate instanceof OutgoingError)) return judgeCertificate(certificate, nowMs);
  // Whether the host can be reached at all is another check.
  if (certificate.reason !== 'tls' || !isOnline) return unknown('No certificate was read.');
  return problem(
    'The host does not complete a TLS handshake.',
    'Look whether the proxy serves HTTPS for this name, and has a certificate for it.',
  );
}
