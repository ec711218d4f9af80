import type { App, UpdateApp } from '@generated/types.gen.ts';

/** The fields of the form as the API takes them; empty ones are cleared. */
export function readApp(form: FormData, app: App): UpdateApp {
  const text = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
  };
  const landingPage = pageOf(form.get('landingPage'));
  const allowedHosts = linesOf(text('firebaseLongLinks.allowedHosts'));
  const enabled = form.get('appLinks.enabled') !== null;
  const authorization = text('revenuecatAuthorization');
  const isOff = form.get('revenuecatOff') !== null;
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
    androidCertFingerprints: linesOf(text('androidCertFingerprints')),
    rootUrl: text('rootUrl'),
    notFoundUrl: text('notFoundUrl'),
    firebaseLongLinks: allowedHosts.length === 0 ? null : { allowedHosts },
    appLinks: enabled ? shareLinksOf(text, form) : app.appLinks && { ...app.appLinks, enabled },
    ...(landingPage !== undefined && { landingPage }),
    // Left out, the value stays.
    ...((authorization !== null || isOff) && { revenuecatAuthorization: isOff ? null : authorization }),
    clipboardToken: form.get('clipboardToken') !== null,
    appleAds: form.get('appleAds') !== null,
    ...metaKeyOf(text('metaReferrerKey'), form.get('metaReferrerKey.remove') !== null),
    fingerprintIos: form.get('fingerprintIos') !== null,
    fingerprintAndroid: form.get('fingerprintAndroid') !== null,
    fingerprintThreshold: Number(text('fingerprintThreshold')) / 100,
    fingerprintWindowHours: Number(text('fingerprintWindowHours')),
    referrerWindowHours: Number(text('referrerWindowHours')),
    clickIdWindowHours: Number(text('clickIdWindowHours')),
  };
}

/** The stored key stays unless another one is given, or it is to be removed. */
function metaKeyOf(key: string | null, isRemoved: boolean): Pick<UpdateApp, 'metaReferrerKey'> {
  if (key !== null) return { metaReferrerKey: key };
  return isRemoved ? { metaReferrerKey: null } : {};
}

function linesOf(text: string | null): string[] {
  return (text ?? '').split(/[\s,]+/).filter((line) => line !== '');
}

function pageOf(value: unknown) {
  return (['auto', 'always', 'never'] as const).find((page) => page === value);
}

const DEFAULTS = ['iosDestination', 'androidDestination', 'fallbackUrl', 'campaignId'] as const;

function shareLinksOf(text: (name: string) => string | null, form: FormData): UpdateApp['appLinks'] {
  return {
    enabled: true,
    defaults: {
      ...Object.fromEntries(DEFAULTS.map((name) => [name, text(`appLinks.defaults.${name}`)])),
      landingPage: pageOf(form.get('appLinks.defaults.landingPage')) ?? null,
    },
    allowCampaignId: form.get('appLinks.allowCampaignId') !== null,
    perInstallPerDay: Number(text('appLinks.perInstallPerDay')),
    perDay: Number(text('appLinks.perDay')),
  };
}
