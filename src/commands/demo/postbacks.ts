/** Postbacks of iPhones about installs by ads, as if Apple had signed them; some are forged. */
import type { Foundation } from '../../foundation.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { setConversionValues } from '../../skadnetwork/conversion-values.ts';
import { publishedKeys } from '../../skadnetwork/index.ts';
import type { SetConversionValuesInput } from '../../skadnetwork/schemas.ts';
import { storePostback } from '../../skadnetwork/store-postback.ts';
import type { Verification } from '../../skadnetwork/verification/index.ts';
import type { Random } from '../traffic/random.ts';
import { DAYS } from './days.ts';
import { momentAt } from './moment.ts';
import { UNPUBLISHED } from './recorder.ts';
import type { Tenant } from './tenant.ts';

const NETWORKS = [
  { id: 'v9wttpbfk9.skadnetwork', sources: ['5239', '5240', '1107'], weight: 0.6 },
  { id: '22mmun2rn5.skadnetwork', sources: ['3301', '3302'], weight: 0.4 },
];
/** Ads ran from this day on. */
const FIRST_DAY = 20;
const MOST_PER_DAY = 4;
const FORGED_SHARE = 0.04;
const FORGED = 'The signature is not Apple’s for these values.';
/** From the first start of the app to the postback of each conversion window. */
const DELAYS_DAYS = [1.5, 9, 37];
/** Apple sends the later ones only for ads with enough installs. */
const LATER_SHARE = 0.5;
const CONVERSION_VALUES: SetConversionValuesInput = {
  windows: [
    {
      fine: [
        { from: 0, to: 9, eventName: 'view_item' },
        { from: 10, to: 39, eventName: 'add_to_cart' },
        { from: 40, to: 63, eventName: 'purchase' },
      ],
    },
    { coarse: { low: 'view_item', medium: 'add_to_cart', high: 'purchase' } },
  ],
};

interface Options {
  readonly tenant: Tenant;
  readonly random: Random;
  readonly startMs: number;
  readonly nowMs: number;
}

/** @returns the number of postbacks. */
export async function recordPostbacks(foundation: Foundation, options: Options): Promise<number> {
  const { tenant, random, startMs, nowMs } = options;
  // A postback names its app by the App Store.
  if (tenant.app.ios_app_store_id === null) return 0;
  const firstMs = startMs + FIRST_DAY * DAY_MS;
  await setConversionValues(
    { ...foundation, ...momentAt(firstMs, random) },
    { actor: tenant.actor, input: CONVERSION_VALUES },
  );
  let count = 0;
  for (let day = FIRST_DAY; day < DAYS; day++)
    for (let left = random.between(0, MOST_PER_DAY); left > 0; left--) {
      const ad = adOf(random);
      for (const [sequenceIndex, delayDays] of DELAYS_DAYS.entries()) {
        const atMs = startMs + (day + delayDays + random.next()) * DAY_MS;
        if (atMs >= nowMs || (sequenceIndex > 0 && !random.chance(LATER_SHARE))) break;
        await storeOne(foundation, options, { ...ad, sequenceIndex, atMs });
        count += 1;
      }
    }
  return count;
}

interface Ad {
  readonly networkId: string;
  readonly source: string;
  readonly country: string;
  readonly transactionId: string;
}

function adOf(random: Random): Ad {
  const network = random.weighted(NETWORKS);
  return {
    networkId: network.id,
    source: random.pick(network.sources),
    country: random.pick(['DE', 'DE', 'FR', 'US', 'GB']),
    transactionId: `${random.hex(8)}-${random.hex(4)}-4${random.hex(3)}-a${random.hex(3)}-${random.hex(12)}`,
  };
}

async function storeOne(
  foundation: Foundation,
  { tenant: { app }, random }: Options,
  {
    networkId,
    source,
    country,
    transactionId,
    sequenceIndex,
    atMs,
  }: Ad & { sequenceIndex: number; atMs: number },
): Promise<void> {
  const appStoreId = Number(app.ios_app_store_id);
  const isForged = random.chance(FORGED_SHARE);
  const value =
    sequenceIndex === 0
      ? { 'conversion-value': random.between(0, 63) }
      : { 'coarse-conversion-value': random.pick(['low', 'medium', 'high']) };
  const fields = {
    version: '4.0',
    'ad-network-id': networkId,
    'source-identifier': source,
    'app-id': appStoreId,
    'transaction-id': transactionId,
    redownload: false,
    'fidelity-type': 1,
    'did-win': true,
    'postback-sequence-index': sequenceIndex,
    ...value,
    'country-code': country,
    'attribution-signature': Buffer.from(random.hex(140), 'hex').toString('base64'),
  };
  const verification: Verification = {
    verdict: isForged ? 'invalid' : 'verified',
    reason: isForged ? FORGED : null,
    claims: {
      version: '4.0',
      adNetworkId: networkId,
      appStoreId,
      transactionId,
      sequenceIndex,
      sourceIdentifier: source,
      campaignId: null,
      didWin: true,
      conversionType: null,
      isTest: false,
    },
  };
  const deps = { ...foundation, ...UNPUBLISHED, ...momentAt(atMs, random) };
  await storePostback(
    { ...deps, appleKeys: publishedKeys(), trimUnproven: async () => undefined },
    {
      kind: 'skadnetwork',
      fields,
      body: JSON.stringify(fields),
      sentBy: 'device',
      isSandbox: false,
      verification,
      app,
    },
  );
}
