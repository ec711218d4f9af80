import type { UpdateApp } from '@generated/types.gen.ts';

/** The fields of the form as the API takes them; empty ones are cleared. */
export function readApp(form: FormData): UpdateApp {
  const text = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  const landingPage = (['auto', 'always', 'never'] as const).find((page) => page === form.get('landingPage'));
  return {
    name: text('name') ?? '',
    shortLinkHost: text('shortLinkHost'),
    urlScheme: text('urlScheme'),
    fallbackUrl: text('fallbackUrl'),
    iosBundleId: text('iosBundleId'),
    iosTeamId: text('iosTeamId'),
    iosAppStoreId: text('iosAppStoreId'),
    iosDestination: text('iosDestination'),
    androidPackage: text('androidPackage'),
    androidDestination: text('androidDestination'),
    androidCertFingerprints: (text('androidCertFingerprints') ?? '')
      .split(/\s+/)
      .filter((line) => line !== ''),
    ...(landingPage !== undefined && { landingPage }),
    clipboardToken: form.get('clipboardToken') !== null,
    fingerprintIos: form.get('fingerprintIos') !== null,
    fingerprintAndroid: form.get('fingerprintAndroid') !== null,
    fingerprintWindowHours: Number(text('fingerprintWindowHours')),
    referrerWindowHours: Number(text('referrerWindowHours')),
    clickIdWindowHours: Number(text('clickIdWindowHours')),
  };
}
