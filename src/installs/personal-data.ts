import type { Db } from '../db/index.ts';
import { presentClaim } from '../networks/index.ts';
import { type Person, type PersonalData, pageChunks } from '../personal-data.ts';
import { type InstallRow, listInstalls } from './queries.ts';

/** Of installs and opens. */
export const DEVICE_ERASED = {
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
  erased: {
    ...DEVICE_ERASED,
    invited_by: null,
    identifiers: null,
    identifier_times: null,
    google_click_ids: null,
  },
  async *find(db: Db, { appId, installs, neighbours }: Person) {
    for (const ids of pageChunks([...installs, ...neighbours])) yield await listInstalls(db, appId, ids);
  },
  ownerOf: (install) => ({ userId: install.user_id, installIds: [install.id], openIds: [] }),
  recordedAt: (install) => install.installed_at,
  exportedAs: 'installs',
  present: (install) => ({
    id: install.id,
    attributionMethod: install.attribution_method,
    platform: install.platform,
    installedAt: install.installed_at,
    existingUser: install.existing_user === 1,
    invitedBy: install.invited_by,
    identifiers: install.identifiers === null ? null : JSON.parse(install.identifiers),
    network: presentClaim(install),
    googleClickIds: install.google_click_ids === null ? null : JSON.parse(install.google_click_ids),
    ...presentDevice(install),
  }),
};

export function presentDevice(
  row: Pick<
    InstallRow,
    | 'click_id'
    | 'link_id'
    | 'campaign_id'
    | 'confidence'
    | 'user_id'
    | 'user_agent'
    | 'device_model'
    | 'os_version'
    | 'locale'
    | 'fingerprint'
    | 'utm'
    | 'sandbox'
  >,
) {
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
