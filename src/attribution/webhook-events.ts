/** Webhook payloads of installs and opens; the order of the fields is documented. */

import type { InstallsTable, OpensTable } from '../db/index.ts';
import type { LinkRow, ResolvedLink } from '../links/index.ts';
import type { WebhookEvent } from '../webhooks/index.ts';
import type { Decision } from './decide.ts';

interface Attributed {
  readonly appName: string;
  readonly decision: Decision;
  readonly link: LinkRow | null;
}

export function installEvent(install: InstallsTable, { appName, decision, link }: Attributed): WebhookEvent {
  const { id: installId, platform } = install;
  const common = {
    timestamp: install.installed_at,
    isSandbox: install.sandbox === 1,
    recordId: install.id,
  };
  if (decision.click === null)
    return {
      ...common,
      type: 'install.organic',
      data: {
        installId,
        platform,
        appName,
        deviceModel: install.device_model,
        osVersion: install.os_version,
        locale: install.locale,
      },
    };
  return {
    ...common,
    type: 'install.attributed',
    data: {
      installId,
      method: decision.method,
      campaignId: install.campaign_id,
      platform,
      appName,
      shortCode: link?.short_code ?? null,
      deepLinkPath: link?.deep_link_path ?? null,
      confidence: install.confidence,
      clickedAt: decision.click.clicked_at,
    },
  };
}

/** Null for an open without a click, which has no event. */
export function openEvent(open: OpensTable, { appName, decision, link }: Attributed): WebhookEvent | null {
  if (decision.click === null) return null;
  return {
    type: 'open.attributed',
    timestamp: open.opened_at,
    isSandbox: open.sandbox === 1,
    recordId: open.id,
    data: {
      openId: open.id,
      method: decision.method,
      campaignId: open.campaign_id,
      deepLinkPath: link?.deep_link_path ?? null,
      appName,
      shortCode: link?.short_code ?? null,
      deepLinkParams: link === null || link.deep_link_params === '{}' ? null : link.deep_link_params,
      confidence: open.confidence,
    },
  };
}

export function directOpenEvent(
  open: OpensTable,
  { appName, link }: { appName: string; link: ResolvedLink },
): WebhookEvent {
  return {
    type: 'open.direct',
    timestamp: open.opened_at,
    isSandbox: open.sandbox === 1,
    recordId: open.id,
    data: {
      openId: open.id,
      installId: open.install_id,
      shortCode: link.shortCode,
      campaignId: open.campaign_id,
      deepLinkPath: link.deepLinkPath,
      deepLinkParams: link.deepLinkParamsText === '{}' ? null : link.deepLinkParamsText,
      appName,
      platform: open.platform,
    },
  };
}
