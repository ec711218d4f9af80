/** The ads of the demo: installs that networks claim, and what the campaigns cost. */
import type { AttributionAnswer } from '../../attribution/index.ts';
import type { Foundation } from '../../foundation.ts';
import { DAY_MS, dayOf, isoTime } from '../../lib/clock.ts';
import { claimColumns, claimOf, findingsText, type NetworkClaim } from '../../networks/index.ts';
import { storeCosts } from '../../stats/costs/store-costs.ts';
import { countLateClaim } from '../../stats/index.ts';
import type { Random } from '../traffic/random.ts';
import type { Start } from './days.ts';
import type { Tenant } from './tenant.ts';

interface AdCampaign {
  readonly platform: 'IOS' | 'ANDROID';
  readonly claim: NetworkClaim;
  readonly weight: number;
  /** For an install, in euros. */
  readonly cost: number;
}

/** Apple tells IDs alone, and Google of an install nothing but itself. */
const CAMPAIGNS: readonly AdCampaign[] = [
  ad('IOS', 2.4, 5, 'apple_ads', { campaignId: '542370539', adGroupId: '542317095', keywordId: '87675432' }),
  ad('IOS', 4.1, 3, 'apple_ads', { campaignId: '542370642', adGroupId: '542317136' }),
  ad('ANDROID', 1.7, 5, 'meta', { campaignId: '23851234567890123', campaignName: 'Autumn, lookalikes' }),
  ad('ANDROID', 3.2, 3, 'meta', { campaignId: '23857654321098765', campaignName: 'Came back' }),
  ad('ANDROID', 2.1, 3, 'google_ads', {}),
];
/** Google tells a report, not an install, what its campaigns are. */
const GOOGLE_CAMPAIGN = '19283746501';
/** Campaigns of links that are paid for, in euros for an install. */
const PAID_LINKS: Readonly<Record<string, number>> = { 'season-sale': 1.4, creators: 2.9, posters: 5.5 };
const ORGANIC_SHARE = 0.45;
const OTHER_SHARE = 0.06;
/** Of the costs of days. */
const SPREAD = 0.12;
const COSTS_PER_CALL = 1_000;

function ad(
  platform: AdCampaign['platform'],
  cost: number,
  weight: number,
  name: NetworkClaim['name'],
  fields: Partial<NetworkClaim>,
): AdCampaign {
  return { platform, cost, weight, claim: claimOf(name, { claimType: 'Click', ...fields }) };
}

/** What the days cost so far, in euros by campaign. */
export class Ads {
  readonly #random: Random;
  readonly #costs = new Map<string, { date: string; of: object; amount: number }>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** Some installs come by ads, most of them by no link. */
  async claim(
    { db }: Pick<Foundation, 'db'>,
    tenant: Tenant,
    start: Start,
    answer: AttributionAnswer,
  ): Promise<void> {
    const { install, atMs } = start;
    const date = dayOf(isoTime(atMs));
    const perLink = PAID_LINKS[answer.campaignId ?? ''];
    if (perLink !== undefined) this.#spend(date, { campaignId: answer.campaignId }, perLink);
    if (!this.#random.chance(answer.method === 'ORGANIC' ? ORGANIC_SHARE : OTHER_SHARE)) return;
    const ofPlatform = CAMPAIGNS.filter(({ platform }) => platform === install.fingerprint.platform);
    if (ofPlatform.length === 0) return;
    const { claim, cost } = this.#random.weighted(ofPlatform);
    this.#spend(date, { network: claim.name, networkCampaignId: claim.campaignId ?? GOOGLE_CAMPAIGN }, cost);
    await db.transaction().execute(async (tx) => {
      const stored = await tx
        .updateTable('installs')
        .set({
          ...claimColumns(claim),
          network_trace: findingsText([{ name: claim.name, outcome: 'attributed' }]),
        })
        .where('app_id', '=', tenant.app.id)
        .where('id', '=', install.id)
        .returningAll()
        .executeTakeFirstOrThrow();
      await countLateClaim(tx, stored);
    });
  }

  #spend(date: string, of: object, amount: number): void {
    const name = JSON.stringify([date, of]);
    const before = this.#costs.get(name)?.amount ?? 0;
    this.#costs.set(name, { date, of, amount: before + amount });
  }

  /** Of days that are over: networks tell their costs then. */
  async storeCosts(foundation: Foundation, { actor }: Tenant, nowMs: number): Promise<void> {
    const lastDay = dayOf(isoTime(nowMs - DAY_MS));
    const costs = [...this.#costs.values()].filter(({ date }) => date <= lastDay);
    for (let first = 0; first < costs.length; first += COSTS_PER_CALL) {
      const rows = costs.slice(first, first + COSTS_PER_CALL).map(({ date, of, amount }, index) => ({
        row: index + 1,
        value: {
          ...{ date, ...of },
          cost: { amount: (amount * this.#random.logNormal(1, SPREAD)).toFixed(2), currency: 'EUR' },
        },
      }));
      const upload = { rows, columns: null, ignoredColumns: [], isDryRun: false };
      await storeCosts(foundation, { actor, upload });
    }
  }
}
