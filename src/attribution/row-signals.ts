import type { ClickRow } from '../clicks/index.ts';
import { type PageReport, type Signals, signalsOfClick } from '../devices/index.ts';

/** What a click tells of its device, from its row. */
export function signalsOfRow(click: ClickRow): Signals {
  const page = click.fingerprint === null ? null : (JSON.parse(click.fingerprint) as PageReport);
  return signalsOfClick({
    userAgent: click.user_agent,
    acceptLanguage: click.accept_language,
    page: click.device_model === null ? page : { ...page, model: click.device_model },
  });
}
