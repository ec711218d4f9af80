/** What webhooks tell of installs and opens: the contract's fields, in its order. */
import type { LinkRow } from '../links/index.ts';
import type { InstallsTable, OpensTable } from '../platform/db/index.ts';
import type { WebhookEvent } from '../webhooks/index.ts';
import type { Decision } from './decide.ts';

interface Attributed {
  readonly appName: string;
  readonly decision: Decision;
  /** Null where no link is known. */
  readonly link: LinkRow | null;
}

/** `install.attributed`; `install.organic` where the decision found no click. */
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

/** Null for an open that no click explains: no webhook tells of it. */
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
      deepLinkParams: paramsText(link),
      confidence: open.confidence,
    },
  };
}

/** JSON; null where there are none. */
function paramsText(link: LinkRow | null): string | null {
  const params = link?.deep_link_params ?? '{}';
  return params === '{}' ? null : params;
}
