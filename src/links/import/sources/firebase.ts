import { withParameters } from '../addresses.ts';
import { type Draft, isVersion } from '../draft.ts';
import { defineSource } from '../source.ts';
import type { Values } from '../values.ts';

/** A column of the export, by its label and by the parameter of a long link. */
const column = (label: string, parameter: string) => [label, parameter, `${label} (${parameter})`];

const FIELDS = {
  shortLink: ['Short link', 'Short URL', 'Short Dynamic Link'],
  link: column('Deep link', 'link'),
  androidPackage: column('Android package name', 'apn'),
  androidFallback: column('Android fallback link', 'afl'),
  androidMinVersion: column('Android minimum package version code', 'amv'),
  iosBundle: column('iOS bundle ID', 'ibi'),
  iosFallback: column('iOS fallback link', 'ifl'),
  iosScheme: column('iOS custom scheme', 'ius'),
  ipadFallback: column('iOS iPad fallback link', 'ipfl'),
  ipadBundle: column('iOS iPad bundle ID', 'ipbi'),
  appStoreId: column('iOS app store ID', 'isi'),
  iosMinVersion: column('iOS minimum version', 'imv'),
  forcedRedirect: column('Enable forced redirect?', 'efr'),
  desktopFallback: column('Desktop fallback link', 'ofl'),
  socialTitle: column('Social title', 'st'),
  socialDescription: column('Social description', 'sd'),
  socialImage: column('Social image link', 'si'),
  utmSource: column('UTM source', 'utm_source'),
  utmMedium: column('UTM medium', 'utm_medium'),
  utmCampaign: column('UTM campaign', 'utm_campaign'),
  utmTerm: column('UTM term', 'utm_term'),
  utmContent: column('UTM content', 'utm_content'),
  affiliateToken: column('iTunes Connect at', 'at'),
  campaignToken: column('iTunes Connect ct', 'ct'),
  mediaType: column('iTunes Connect mt', 'mt'),
  providerToken: column('iTunes Connect pt', 'pt'),
  archived: ['archived', 'archived?', 'is archived'],
  name: ['link name', 'name'],
  createdAt: ['creation timestamp', 'created at', 'creation time'],
} as const;
type Row = Values<keyof typeof FIELDS>;

/** Firebase Dynamic Links, by Google Takeout. */
export const firebase = defineSource({
  id: 'firebase',
  name: 'Firebase Dynamic Links',
  fields: FIELDS,
  required: [['shortLink'], ['link']],
  unread: [],
  people: [],
  pages: [],
  fill(draft, row) {
    const { input } = draft;
    draft.addresses.push(row.needed('shortLink'));
    const link = row.needed('link');
    draft.setDeepLink(link);
    input.fallbackUrl = row.text('desktopFallback') ?? link;
    fillPhones(draft, row, link);
    input.campaignId = row.text('utmCampaign');
    input.title = row.text('name');
    input.ogTitle = row.text('socialTitle');
    input.ogDescription = row.text('socialDescription');
    input.ogImage = row.text('socialImage');
    Object.assign(draft.metadata, utmOf(row));
    draft.setCreated(row.text('createdAt'));
    if (row.isSet('archived')) draft.setArchived();
    noteLosses(draft, row);
  },
});

/** Firebase led phones to the store that the link names, and without one to the deep link's page. */
function fillPhones(draft: Draft, row: Row, link: string): void {
  const storeId = row.text('appStoreId')?.replace(/^id/i, '');
  const appStore =
    storeId !== undefined && /^\d+$/.test(storeId)
      ? withParameters(`https://apps.apple.com/app/id${storeId}`, {
          pt: row.text('providerToken'),
          at: row.text('affiliateToken'),
          ct: row.text('campaignToken'),
          mt: row.text('mediaType'),
        })
      : undefined;
  draft.input.iosDestination = row.text('iosFallback') ?? appStore;
  draft.input.androidDestination = row.text('androidFallback') ?? playOf(row);
  draft.phones.IOS = link;
  draft.phones.ANDROID = link;
}

function playOf(row: Row): string | undefined {
  const id = row.text('androidPackage');
  if (id === undefined) return undefined;
  const referrer = new URLSearchParams(utmOf(row)).toString();
  return withParameters('https://play.google.com/store/apps/details', {
    id,
    referrer: referrer || undefined,
  });
}

function utmOf(row: Row): Record<string, string> {
  const values = {
    utm_source: row.text('utmSource'),
    utm_medium: row.text('utmMedium'),
    utm_campaign: row.text('utmCampaign'),
    utm_term: row.text('utmTerm'),
    utm_content: row.text('utmContent'),
  };
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

function noteLosses(draft: Draft, row: Row): void {
  const minVersion = row.text('iosMinVersion');
  if (minVersion !== undefined && isVersion(minVersion)) draft.input.minAppVersion = { ios: minVersion };
  else if (minVersion !== undefined) draft.note('The oldest iOS version is no version, and is left out.');
  if (row.isSet('androidMinVersion'))
    draft.note(
      'The oldest Android version is a version code, and links here compare version names: set minAppVersion by hand.',
    );
  if (row.isSet('ipadFallback')) draft.lost('The address for iPads');
  if (row.isSet('forcedRedirect'))
    draft.note('Firebase skipped its page on iOS. Here landingPage of the app decides.');
  if (row.isSet('iosScheme') || row.isSet('ipadBundle') || row.isSet('iosBundle'))
    draft.note('The IDs and the URL scheme of the app belong to the app’s settings here, not to the link.');
}
