import type { ClickRow } from '../clicks/index.ts';
import { type DeviceReport, type PageReport, type Signals, signalsOfClick } from '../devices/index.ts';
import type { DeviceColumns } from '../platform/db/index.ts';

/** What an install or an open told of its device, from its row. */
export function reportOfRow(row: DeviceColumns): DeviceReport {
  return {
    ...(row.fingerprint === null ? {} : (JSON.parse(row.fingerprint) as Partial<DeviceReport>)),
    platform: row.platform === 'IOS' ? 'IOS' : 'ANDROID',
    userAgent: row.user_agent,
    deviceModel: row.device_model,
    osVersion: row.os_version,
    locale: row.locale,
  };
}

/** What a click tells of its device, from its row. */
export function signalsOfRow(click: ClickRow): Signals {
  const page = click.fingerprint === null ? null : (JSON.parse(click.fingerprint) as PageReport);
  return signalsOfClick({
    userAgent: click.user_agent,
    acceptLanguage: click.accept_language,
    page: click.device_model === null ? page : { ...page, model: click.device_model },
  });
}
