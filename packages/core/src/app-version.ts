/** Whether the app is too old for a link. */
import type { Session } from './session.ts';
import type { Attribution, DeepLink, Fingerprint } from './types.ts';

export type AppVersion = Pick<Fingerprint, 'platform' | 'appVersion'>;

/** Adds `updateRequired`, which is never stored: the person may have updated the app since. */
export function withUpdate(link: DeepLink, app: AppVersion | null): DeepLink {
  const least = link.minAppVersion?.[app?.platform === 'IOS' ? 'ios' : 'android'];
  return isOlder(app?.appVersion, least) ? { ...link, updateRequired: true } : link;
}

/** @returns the answer with what its link means for this version of the app. */
export async function forVersion(
  answer: Attribution,
  { app, appRead }: Pick<Session, 'app' | 'appRead'>,
): Promise<Attribution> {
  if (answer.link?.minAppVersion === undefined) return answer;
  await appRead();
  return { ...answer, link: withUpdate(answer.link, app()) };
}

/** Compares dotted numbers; a part that is missing is 0. False unless both are known. */
export function isOlder(version: unknown, least: unknown): boolean {
  const [own, needed] = [partsOf(version), partsOf(least)];
  if (own === null || needed === null) return false;
  for (let at = 0; at < Math.max(own.length, needed.length); at++) {
    const difference = (own[at] ?? 0) - (needed[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** The leading numbers: of `4.2.0-beta.1 (77)` those of 4.2.0. */
function partsOf(version: unknown): number[] | null {
  const numbers = typeof version === 'string' ? /^\s*v?(\d+(?:\.\d+)*)/i.exec(version)?.[1] : undefined;
  return numbers === undefined ? null : numbers.split('.').map(Number);
}
