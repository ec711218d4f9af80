import { addressOf } from '../addresses.ts';
import { isObject } from '../json-items.ts';
import { defineSource } from '../source.ts';
import { RowFailure, textOf, timeOf } from '../values.ts';
import { fillRedirectRules } from './shlink-rules.ts';

/** Shlink: answers of its API, the CSV of its web client, and that of its importer. */
export const shlink = defineSource({
  id: 'shlink',
  name: 'Shlink',
  fields: {
    shortUrl: ['shortUrl'],
    shortCode: ['shortCode'],
    domain: ['domain'],
    destination: ['longUrl'],
    title: ['title'],
    tags: ['tags'],
    createdAt: ['dateCreated', 'createdAt'],
    visits: ['visits', 'visitsCount'],
    visitsSummary: ['visitsSummary'],
    meta: ['meta'],
    validUntil: ['validUntil'],
    validSince: ['validSince'],
    maxVisits: ['maxVisits'],
    forwardQuery: ['forwardQuery'],
    hasRedirectRules: ['hasRedirectRules'],
    redirectRules: ['redirectRules'],
  },
  required: [['shortUrl', 'shortCode'], ['destination']],
  unread: ['crawlable', 'deviceLongUrls'],
  people: ['author', 'authorApiKey'],
  pages: ['shortUrls.data'],
  fill(draft, row) {
    const code = row.text('shortCode');
    const address =
      row.text('shortUrl') ?? (code === undefined ? undefined : addressOf(row.text('domain'), code));
    if (address === undefined) throw new RowFailure(`${row.nameOf('shortCode')} is empty.`);
    draft.addresses.push(address);
    draft.setPage(row.needed('destination'));
    draft.input.title = row.text('title');
    const tags = row.text('tags');
    draft.setTags(row.list('tags', tags?.includes('|') ? /\|/ : /,/));
    draft.setCreated(row.text('createdAt'));
    const summary = row.get('visitsSummary');
    const counted = isObject(summary) ? summary : {};
    draft.importedClicks = clicksOf(counted.nonBots) ?? clicksOf(counted.total) ?? row.count('visits');
    // Shlink forwards the query unless told otherwise.
    const forwards = row.get('forwardQuery') === undefined || row.isSet('forwardQuery');
    draft.input.passQuery = forwards ? ['*'] : [];
    const meta = row.get('meta');
    const limits = isObject(meta) ? meta : {};
    const end = textOf(limits.validUntil);
    draft.expire(end === undefined ? row.time('validUntil') : needTime(end));
    draft.limitClicks(
      clicksOf(limits.maxVisits) ?? row.count('maxVisits'),
      clicksOf(counted.total) ?? row.count('visits'),
    );
    if (textOf(limits.validSince) !== undefined || row.isSet('validSince'))
      draft.note('The time from which the link works is not imported: it works at once.');
    fillRedirectRules(draft, row.get('redirectRules'), row.isSet('hasRedirectRules'));
  },
});

function clicksOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function needTime(text: string) {
  const time = timeOf(text);
  if (time === null) throw new RowFailure(`meta.validUntil: “${text.slice(0, 40)}” is no time.`);
  return time;
}
