import { addressOf } from '../addresses.ts';
import { isObject } from '../json-items.ts';
import { defineSource } from '../source.ts';
import { RowFailure, textOf } from '../values.ts';

/** Rebrandly: answers of its API, and tables with their names. */
export const rebrandly = defineSource({
  id: 'rebrandly',
  name: 'Rebrandly',
  fields: {
    shortUrl: ['shortUrl'],
    slashtag: ['slashtag'],
    domain: ['domain'],
    domainName: ['domainName'],
    destination: ['destination'],
    title: ['title'],
    description: ['description'],
    tags: ['tags'],
    clicks: ['clicks'],
    createdAt: ['createdAt'],
    forwardParameters: ['forwardParameters'],
    id: ['id'],
    expiresAt: ['expiresAt', 'expiredAt'],
    password: ['password'],
  },
  required: [['shortUrl', 'slashtag'], ['destination']],
  unread: [
    'updatedAt',
    'lastClickAt',
    'lastClickDate',
    'favourite',
    'domainId',
    'https',
    'status',
    'isPublic',
    'integrated',
    'sessions',
    'workspace',
    'scripts',
    'options',
  ],
  people: ['creator', 'owner'],
  fill(draft, row) {
    const domain = row.get('domain');
    const host = (isObject(domain) ? textOf(domain.fullName) : textOf(domain)) ?? row.text('domainName');
    const slashtag = row.text('slashtag');
    const address = row.text('shortUrl') ?? (slashtag === undefined ? undefined : addressOf(host, slashtag));
    if (address === undefined) throw new RowFailure(`${row.nameOf('slashtag')} is empty.`);
    draft.addresses.push(address);
    if (row.isSet('password')) draft.refusePassword();
    draft.setPage(row.needed('destination'));
    draft.input.title = row.text('title');
    const tags = row.get('tags');
    const names = Array.isArray(tags) ? tags.map((tag) => textOf(isObject(tag) ? tag.name : tag)) : [];
    draft.setTags(Array.isArray(tags) ? names.filter((name) => name !== undefined) : row.list('tags', /,/));
    draft.importedClicks = draft.countIn(row, 'clicks');
    if (row.get('forwardParameters') !== undefined)
      draft.input.passQuery = row.isSet('forwardParameters') ? ['*'] : [];
    draft.expire(row.time('expiresAt'));
    draft.setCreated(row.text('createdAt'));
    if (row.text('id') !== undefined) draft.metadata.id = row.text('id');
    if (row.text('description') !== undefined) draft.lost('The description');
  },
});
