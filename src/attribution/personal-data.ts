import type { Db } from '../db/index.ts';
import { type Person, type PersonalData, pageChunks, pages } from '../personal-data.ts';
import { type InstallRow, listInstallRows, listOpensOf, type OpenRow } from './queries.ts';

const DEVICE_ERASED = {
  ip_hash: null,
  user_agent: null,
  device_model: null,
  os_version: null,
  locale: null,
  fingerprint: null,
  user_id: null,
  utm: null,
};

export const installsOfPerson: PersonalData<'installs', InstallRow> = {
  table: 'installs',
  erased: DEVICE_ERASED,
  async *find(db: Db, { appId, installs, neighbours }: Person) {
    for (const ids of pageChunks([...installs, ...neighbours])) yield await listInstallRows(db, appId, ids);
  },
  ownerOf: (install) => ({ userId: install.user_id, installIds: [install.id], openIds: [] }),
  exportedAs: 'installs',
  present: (install) => ({
    id: install.id,
    attributionMethod: install.attribution_method,
    platform: install.platform,
    installedAt: install.installed_at,
    existingUser: install.existing_user === 1,
    ...presentDevice(install),
  }),
};

export const opensOfPerson: PersonalData<'opens', OpenRow> = {
  table: 'opens',
  erased: DEVICE_ERASED,
  find: findOpens,
  ownerOf: (open) => ({ userId: open.user_id, installIds: [open.install_id], openIds: [] }),
  exportedAs: 'openEvents',
  present: (open) => ({
    id: open.id,
    attributionMethod: open.attribution_method,
    openedAt: open.opened_at,
    installId: open.install_id,
    platform: open.platform,
    ...presentDevice(open),
  }),
};

async function* findOpens(
  db: Db,
  { appId, userId, addresses, installs, neighbours }: Person,
): AsyncGenerator<OpenRow[]> {
  const filters = [
    ...(userId === null ? [] : [{ column: 'user_id' as const, value: userId }]),
    ...[...installs, ...neighbours].map((value) => ({ column: 'install_id' as const, value })),
    ...addresses.map((value) => ({ column: 'ip_hash' as const, value })),
  ];
  for (const filter of filters)
    yield* pages<OpenRow>((after, limit) =>
      listOpensOf(db, appId, { ...filter, after: after?.id ?? null, limit }),
    );
}

function presentDevice(row: InstallRow | OpenRow) {
  return {
    clickId: row.click_id,
    linkId: row.link_id,
    campaignId: row.campaign_id,
    confidence: row.confidence,
    userId: row.user_id,
    userAgent: row.user_agent,
    deviceModel: row.device_model,
    osVersion: row.os_version,
    locale: row.locale,
    fingerprint: row.fingerprint,
    utm: row.utm,
    sandbox: row.sandbox === 1,
  };
}
