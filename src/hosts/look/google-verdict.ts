/** What Google reads of assetlinks.json, by its Digital Asset Links API. */
import type { AssociationFiles } from '../../apps/index.ts';
import { DAY_MS } from '../../lib/clock.ts';
import type { Outgoing } from '../../lib/outgoing/index.ts';
import { type Outcome, ok, problem, unknown } from '../host.ts';
import { ask } from './ask.ts';
import { parse } from './association.ts';

const RELATION = 'delegate_permission/common.handle_all_urls';
/** Google keeps what it read for an hour or so. */
const OLD_VERDICT_MS = DAY_MS;

export interface GoogleAnswer {
  readonly status: number;
  readonly body: string;
}

/** @param googleUrl without a slash at the end. @returns null if Google did not answer. */
export async function readGoogleVerdict(
  outgoing: Pick<Outgoing, 'read'>,
  { googleUrl, host, maxBytes }: { googleUrl: string; host: string; maxBytes: number },
): Promise<GoogleAnswer | null> {
  const query = new URLSearchParams({ 'source.web.site': `https://${host}`, relation: RELATION });
  return await ask(outgoing, `${googleUrl}/statements:list?${query}`, {
    ...{ maxBytes, accept: 'application/json' },
  });
}

interface Statement {
  readonly target?: {
    readonly androidApp?: {
      readonly packageName?: unknown;
      readonly certificate?: { readonly sha256Fingerprint?: unknown };
    };
  };
}

interface Expected {
  readonly name: string;
  readonly fingerprints: readonly string[];
}

/** The Android apps of a served file. */
export function androidAppsOf({ android }: Pick<AssociationFiles, 'android'>): Expected[] {
  const file = JSON.parse(android.toString()) as {
    target: { package_name: string; sha256_cert_fingerprints: string[] };
  }[];
  return file.map(({ target }) => ({
    name: target.package_name,
    fingerprints: target.sha256_cert_fingerprints,
  }));
}

/** @param app the Android app whose statement is looked for. */
export function judgeGoogleVerdict(answer: GoogleAnswer | null, app: Expected): Outcome {
  if (answer === null) return unknown('Google did not answer.');
  const verdict = parse(answer.body) as { statements?: readonly Statement[] } | null | undefined;
  if (answer.status !== 200 || verdict === null || typeof verdict !== 'object')
    return unknown(`Google answered with status ${answer.status}.`);
  const statements = Array.isArray(verdict.statements) ? (verdict.statements as readonly Statement[]) : [];
  const found = new Set(statements.map((statement) => keyOf(statement?.target?.androidApp)));
  const missing = app.fingerprints.filter((fingerprint) => !found.has(`${app.name} ${fingerprint}`));
  if (missing.length === 0) return ok(`Google finds ${app.name} in the file that is served.`);
  const what =
    missing.length === app.fingerprints.length
      ? app.name
      : `${missing.length} of ${app.fingerprints.length} certificates of ${app.name}`;
  return problem(
    `Google does not find ${what}: Android opens links in the browser on new installs.`,
    'Google has to reach assetlinks.json from the internet, without a redirect or a bot check. It asks again by itself.',
    OLD_VERDICT_MS,
  );
}

function keyOf(app: NonNullable<Statement['target']>['androidApp']): string {
  return `${String(app?.packageName)} ${String(app?.certificate?.sha256Fingerprint).toUpperCase()}`;
}
