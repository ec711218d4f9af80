import type { Db } from '../db/index.ts';
import { type Person, type PersonalData, pageChunks, pages } from '../personal-data.ts';
import type { ClickRow } from './click.ts';
import { listClicks, listClicksOfAddress } from './queries.ts';

/** Clicks are found by address, and by the installs and opens that claimed them. */
export const clicksOfPerson: PersonalData<'clicks', ClickRow> = {
  table: 'clicks',
  erased: {
    ip_hash: null,
    user_agent: null,
    accept_language: null,
    device_model: null,
    fingerprint: null,
    utm: null,
    query: null,
    path_rest: null,
  },
  find,
  ownerOf: (click) => ({
    userId: null,
    installIds: [click.claimed_by_install],
    openIds: [click.claimed_by_open],
  }),
  recordedAt: (click) => click.clicked_at,
  exportedAs: 'clicks',
  present: (click) => ({
    id: click.id,
    campaignId: click.campaign_id,
    platform: click.platform,
    clickedAt: click.clicked_at,
    linkId: click.link_id,
    visitor: click.visitor,
    visitorReason: click.visitor_reason,
    sandbox: click.sandbox === 1,
    userAgent: click.user_agent,
    acceptLanguage: click.accept_language,
    deviceModel: click.device_model,
    fingerprint: click.fingerprint,
    utm: click.utm,
    query: click.query,
    pathRest: click.path_rest,
    installId: click.claimed_by_install,
    openId: click.claimed_by_open,
  }),
};

async function* find(db: Db, { appId, addresses, clicks }: Person): AsyncGenerator<ClickRow[]> {
  for (const ipHash of addresses)
    for (const claimable of [true, false])
      yield* pages<ClickRow>((after, limit) =>
        listClicksOfAddress(db, appId, { ipHash, claimable, after, limit }),
      );
  for (const some of pageChunks(clicks)) yield await listClicks(db, appId, some);
}
