/** What the service is asked about a link that opened the app, and what its answer says. */
import { readAttribution, readDirectLink } from './answers.ts';
import type { Answer } from './http.ts';
import { MAX_OPENED_URL_CHARACTERS } from './limits.ts';
import { type LinkReader, localLink } from './links.ts';
import type { Session } from './session.ts';
import type { Open } from './state.ts';
import type { DeepLink, Fingerprint, JsonObject } from './types.ts';

/** @param device null without consent. @returns null if the person agreed to no call that would tell more than the URL. */
export async function askOpen(
  session: Session,
  open: Open,
  { links, isWanted, device }: { links: LinkReader; isWanted: boolean; device: Fingerprint | null },
): Promise<Answer | null> {
  const { state, call, sentAt } = session;
  const { url, openId, isPasted } = open;
  const clickId = isPasted ? url : links.read(url)?.clickId;
  const plainUrl = url.split(/[?#]/)[0] ?? url;
  if (device === null) {
    if (!isWanted || (clickId && !isPasted)) return null;
    return await call('POST', '/v1/sdk/resolve', { url: plainUrl });
  }
  const body = { openId, installId: state.installId, ...session.agreed(device), sentAt: sentAt() };
  return clickId
    ? await call('POST', '/v1/sdk/open', { ...body, clickId })
    : await call('POST', '/v1/sdk/resolve', {
        ...body,
        url: url.length > MAX_OPENED_URL_CHARACTERS ? plainUrl : url,
      });
}

/** @returns the link that the app gets; null if there is none. */
export function readOpen(open: Open, body: JsonObject, links: LinkReader): DeepLink | null | 'unreadable' {
  const { url, isPasted } = open;
  const local = localLink(links, url);
  const withQuery = (link: DeepLink) =>
    isPasted ? link : { ...link, params: { ...link.params, ...local?.params } };
  if ('deepLinkPath' in body) {
    const link = readDirectLink(body, url);
    return link === null ? 'unreadable' : withQuery(link);
  }
  const attribution = readAttribution(body, isPasted ? null : url);
  if (attribution === null) return 'unreadable';
  const { link } = attribution;
  if (isPasted) return link;
  // A guess must not replace what the URL says.
  return link === null || link.method === 'FINGERPRINT' ? local : withQuery(link);
}

/** Whether a link leads to the place that only its URL told. */
export function isSameScreen(one: DeepLink, other: DeepLink): boolean {
  const text = ({ path, params }: DeepLink) =>
    JSON.stringify([
      path,
      Object.keys(params)
        .sort()
        .map((name) => [name, params[name]]),
    ]);
  return one.path === other.path && text(one) === text(other) && !other.unresolved && !one.updateRequired;
}
