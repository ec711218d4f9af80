/** The versions of a device and an app, as they are counted. */
import type { CountedRecord } from './pending.ts';

/** A platform and its major version, such as `IOS 18`; empty without one. */
export function platformVersionOf({
  platform,
  os_version,
}: Pick<CountedRecord, 'platform' | 'os_version'>): string {
  const [major] = /^[0-9]{1,9}(?![0-9])/.exec(os_version ?? '') ?? [];
  return major === undefined ? '' : `${platform} ${major}`;
}

/** Empty without one. */
export function appVersionOf({ fingerprint }: Pick<CountedRecord, 'fingerprint'>): string {
  if (fingerprint === null) return '';
  return (JSON.parse(fingerprint) as { appVersion?: string | null }).appVersion ?? '';
}
