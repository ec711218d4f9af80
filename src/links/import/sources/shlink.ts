import { addressOf } from '../addresses.ts';
import { isObject, parseJson } from '../json-items.ts';
import { defineSource } from '../source.ts';
import { countOf, RowFailure, saysYes, textOf, timeIn } from '../values.ts';
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
    const counted = objectIn(row.get('visitsSummary')) ?? {};
    draft.importedClicks = countOf(counted.nonBots) ?? countOf(counted.total) ?? draft.countIn(row, 'visits');
    // Shlink forwards the query unless told otherwise.
    const forwards = row.get('forwardQuery') === undefined || row.isSet('forwardQuery');
    draft.input.passQuery = forwards ? ['*'] : [];
    const limits = objectIn(row.get('meta'));
    if (limits === null) throw new RowFailure('meta is no JSON object, and may end the link.');
    draft.expire(timeIn({ name: 'meta.validUntil', value: limits.validUntil }) ?? row.time('validUntil'));
    draft.limitClicks(
      limits.maxVisits == null ? row.named('maxVisits') : { name: 'meta.maxVisits', value: limits.maxVisits },
      counted.total == null ? row.named('visits') : { name: 'visitsSummary.total', value: counted.total },
    );
    if (textOf(limits.validSince) !== undefined || row.isSet('validSince'))
      draft.note('The time from which the link works is not imported: it works at once.');
    fillRedirectRules(draft, row.get('redirectRules'), row.isSet('hasRedirectRules'));
  },
});

/** Of a cell, or of an answer as it is; empty without a value, null for anything else. */
function objectIn(value: unknown): Readonly<Record<string, unknown>> | null {
  const object = typeof value === 'string' ? parseJson(value) : value;
  if (isObject(object)) return object;
  return saysYes(value) ? null : {};
}
