import { addressOf, withParameters } from '../addresses.ts';
import { Draft } from '../draft.ts';
import { isObject, parseJson } from '../json-items.ts';
import { defineSource } from '../source.ts';
import { RowFailure, type Time, textOf, timeOf, type Values } from '../values.ts';

const FIELDS = {
  shortUrl: ['shortURL', 'short link'],
  path: ['path', 'slug'],
  domain: ['domain', 'hostname'],
  destination: ['originalURL', 'original link'],
  title: ['title'],
  tags: ['tags'],
  createdAt: ['createdAt'],
  expiresAt: ['expiresAt'],
  ttl: ['ttl'],
  expiredUrl: ['expiredURL'],
  iphoneUrl: ['iphoneURL'],
  androidUrl: ['androidURL'],
  utmSource: ['utmSource'],
  utmMedium: ['utmMedium'],
  utmCampaign: ['utmCampaign'],
  utmTerm: ['utmTerm'],
  utmContent: ['utmContent'],
  clicksLimit: ['clicksLimit'],
  clicks: ['clicks', 'totalClicks', 'humanClicks'],
  password: ['password'],
  hasPassword: ['hasPassword'],
  skipQuery: ['skipQS'],
  archived: ['archived'],
  splitUrl: ['splitURL'],
  splitPercent: ['splitPercent'],
  cloaking: ['cloaking'],
  countries: ['countries', 'link_country', 'linkCountries'],
  id: ['idString'],
} as const;
type Row = Values<keyof typeof FIELDS>;

/** Short.io: answers of its API, and tables with their names. */
export const shortio = defineSource({
  id: 'shortio',
  name: 'Short.io',
  fields: FIELDS,
  required: [['shortUrl', 'path'], ['destination']],
  unread: [
    'id',
    'secureShortURL',
    'DomainId',
    'FolderId',
    'redirectType',
    'source',
    'passwordContact',
    'updatedAt',
    'integrationAdroll',
    'integrationFB',
    'integrationTT',
    'integrationGA',
    'integrationGTM',
  ],
  people: ['User', 'OwnerId'],
  fill(draft, row) {
    const path = row.text('path');
    const address =
      row.text('shortUrl') ?? (path === undefined ? undefined : addressOf(row.text('domain'), path));
    if (address === undefined) throw new RowFailure(`${row.nameOf('path')} is empty.`);
    draft.addresses.push(address);
    if (row.isSet('password') || row.isSet('hasPassword')) draft.refusePassword();
    draft.setPage(withUtm(row.needed('destination'), row));
    const { input } = draft;
    input.iosDestination = row.text('iphoneUrl');
    input.androidDestination = row.text('androidUrl');
    input.title = row.text('title');
    input.campaignId = row.text('utmCampaign');
    draft.setTags(row.list('tags', /[,|]/));
    draft.setCreated(row.text('createdAt'));
    if (row.text('id') !== undefined) draft.metadata.id = row.text('id');
    // Short.io merges the query of a tap unless told otherwise.
    input.passQuery = row.isSet('skipQuery') ? [] : ['*'];
    fillEnd(draft, row);
    fillRules(draft, row);
    if (row.isSet('archived')) draft.setArchived();
    if (row.isSet('cloaking')) draft.note('Cloaking is not imported: the link redirects.');
  },
});

function withUtm(address: string, row: Row): string {
  return withParameters(address, {
    utm_source: row.text('utmSource'),
    utm_medium: row.text('utmMedium'),
    utm_campaign: row.text('utmCampaign'),
    utm_term: row.text('utmTerm'),
    utm_content: row.text('utmContent'),
  });
}

function fillEnd(draft: Draft, row: Row): void {
  const times = [row.time('expiresAt'), deletionOf(row)].filter((time) => time !== undefined);
  const [first] = times.sort((a, b) => a.ms - b.ms);
  const expiredUrl = row.text('expiredUrl');
  draft.expire(first, expiredUrl);
  draft.importedClicks = draft.countIn(row, 'clicks');
  draft.limitClicks(row.named('clicksLimit'), row.named('clicks'));
  if (expiredUrl !== undefined && first === undefined)
    draft.note('The address for the time after the limit of clicks is not imported.');
}

const FIRST_MS = Date.UTC(2001, 0);

/** When Short.io deletes the link: a time, or milliseconds from its creation. @throws RowFailure for any other text. */
function deletionOf(row: Row): Time | undefined {
  const ms = Number(row.text('ttl'));
  if (!(ms < FIRST_MS)) return row.time('ttl');
  if (ms === 0) return undefined;
  const created = row.time('createdAt');
  const end = created && timeOf(String(created.ms + ms));
  if (!end) throw new RowFailure('ttl is a duration, and the row has no createdAt that it could begin at.');
  return end;
}

function fillRules(draft: Draft, row: Row): void {
  const value = row.get('countries');
  const list = typeof value === 'string' ? parseJson(value) : value;
  const outcomes: [string, ReturnType<typeof Draft.page>][] = [];
  for (const entry of Array.isArray(list) ? list : []) {
    if (!isObject(entry)) continue;
    const country = textOf(entry.country)?.toUpperCase();
    const address = textOf(entry.originalURL);
    if (country === undefined || address === undefined) continue;
    if (isCountry(country)) outcomes.push([country, Draft.page(withUtm(address, row))]);
    else
      draft.note(
        `The address for ${country.slice(0, 8)} is not imported: rules know countries, not regions.`,
      );
  }
  draft.addCountries(outcomes);
  const splitUrl = row.text('splitUrl');
  const percent = Number(row.text('splitPercent') ?? 50);
  if (splitUrl !== undefined) draft.addRule({ percent }, Draft.page(withUtm(splitUrl, row)));
}

/** Short.io has codes for the European Union and for continents too. */
function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && !/^(EU|Q[B-Z])$/.test(code);
}
