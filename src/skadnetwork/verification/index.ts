import { payloadOf, verifyAdAttributionKit } from './ad-attribution-kit.ts';
import type { AppleKeys } from './apple-keys.ts';
import type { Fields } from './fields.ts';
import { signedFieldsOf, verifySkadnetwork } from './skadnetwork.ts';
import type { Verdict, Verification } from './verdict.ts';

export { type AppleKeys, publishedKeys } from './apple-keys.ts';
export type { Fields } from './fields.ts';
export { VERDICTS, type Verdict, type Verification } from './verdict.ts';

/** Apple's frameworks. */
export const KINDS = ['skadnetwork', 'adattributionkit'] as const;
export type Kind = (typeof KINDS)[number];

/** Verifies that Apple signed a postback. Never throws, whatever the fields are. */
export async function verifyPostback(keys: AppleKeys, kind: Kind, fields: Fields): Promise<Verification> {
  return kind === 'skadnetwork'
    ? verifySkadnetwork(keys, fields)
    : await verifyAdAttributionKit(keys, fields);
}

/** The payload of a postback's JWS; null without one. */
export function unpack(kind: Kind, fields: Fields): Fields | null {
  return kind === 'adattributionkit' ? payloadOf(String(fields['jws-string'])) : null;
}

/** The fields that the signature does not cover; all fields of an unverified postback. */
export function unsignedFieldsOf(
  { kind, verdict, version }: { kind: Kind; verdict: Verdict; version: string | null },
  fields: Fields,
): string[] {
  const names = Object.keys(fields);
  if (verdict !== 'verified') return names;
  const signed =
    kind === 'adattributionkit' ? ['jws-string'] : ['attribution-signature', ...signedFieldsOf(version)];
  return names.filter((name) => !signed.includes(name));
}
