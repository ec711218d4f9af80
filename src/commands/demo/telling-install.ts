import type { Trace } from '../../attribution/decide.ts';
import type { Db } from '../../db/index.ts';

const LOOKED_AT = 1_000;
/** More make a trace long. */
const MOST_CLICKS = 4;
/** From this probability on, a click was a serious rival of the one that won. */
const RIVAL = 0.01;
const NEARLY_SURE = 0.99;

/**
 * The newest install whose trace tells the most: several phones behind one address, a rival, a refused click.
 * @returns its ID; null without an install by fingerprint.
 */
export async function findTellingInstall(db: Db, appId: string): Promise<string | null> {
  const installs = await db
    .selectFrom('installs')
    .select(['id', 'trace'])
    .where('app_id', '=', appId)
    .where('attribution_method', '=', 'FINGERPRINT')
    .orderBy('id', 'desc')
    .limit(LOOKED_AT)
    .execute();
  const worths = installs.map(({ id, trace }) => ({ id, worth: worthOf(JSON.parse(trace) as Trace) }));
  return worths.toSorted((one, other) => other.worth - one.worth)[0]?.id ?? null;
}

function worthOf({ fingerprint, rejected }: Trace): number {
  if (!('candidates' in fingerprint) || fingerprint.considered > MOST_CLICKS) return 0;
  const { candidates } = fingerprint;
  const [best = 0, second = 0] = candidates.map(({ probability }) => probability).sort((a, b) => b - a);
  const phones = new Set(candidates.map(({ device }) => device)).size;
  // A phone with several clicks has a trace that needs more words.
  const isPlain = candidates.length === phones;
  const tells = [second > RIVAL, rejected > 0, best < NEARLY_SURE].filter(Boolean).length;
  return phones > 1 ? tells + (isPlain ? 6 : 3) : tells;
}
