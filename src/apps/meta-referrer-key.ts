import type { Foundation } from '../foundation.ts';
import type { AppRow } from './app.ts';

/** Binds the encryption of the key to its app. */
function ownerOf(appId: string): string {
  return `meta referrer key ${appId}`;
}

/** The column, for a change of the root secret. */
export const META_KEYS = {
  table: 'apps',
  column: 'meta_referrer_key',
  app: 'id',
  ownerOf: ({ id }: { readonly id: string }) => ownerOf(id),
} as const;

/** The column of a given key; none if the input names no key. */
export function metaKeyColumn(
  { secrets }: Pick<Foundation, 'secrets'>,
  appId: string,
  { metaReferrerKey: key }: { readonly metaReferrerKey?: string | null },
): Partial<Pick<AppRow, 'meta_referrer_key'>> {
  if (key === undefined) return {};
  return { meta_referrer_key: key === null ? null : secrets.encrypt(key.toLowerCase(), ownerOf(appId)) };
}

/** The key of Meta's referrers, in hexadecimal; null if it is not set. */
export function metaReferrerKeyOf(
  { secrets }: Pick<Foundation, 'secrets'>,
  { id, meta_referrer_key: encrypted }: Pick<AppRow, 'id' | 'meta_referrer_key'>,
): string | 'unreadable' | null {
  return encrypted === null ? null : (secrets.decrypt(encrypted, ownerOf(id)) ?? 'unreadable');
}
