import { type Draft, noPage } from '../draft.ts';
import { isObject } from '../json-items.ts';
import { defineSource } from '../source.ts';
import { RowFailure, textOf } from '../values.ts';

/** Bitly: answers of its API, and the CSV files of its paid plans. */
export const bitly = defineSource({
  id: 'bitly',
  name: 'Bitly',
  fields: {
    link: ['link', 'bitlink', 'short link'],
    id: ['id'],
    custom: ['custom_bitlinks', 'custom_bitlink', 'Custom Link'],
    destination: ['long_url', 'Destination URL'],
    title: ['title'],
    tags: ['tags'],
    createdAt: ['created_at', 'created'],
    archived: ['archived'],
    deepLinks: ['deeplinks'],
    expiresAt: ['expires_at', 'expiration_at'],
    password: ['password'],
    deleted: ['is_deleted'],
  },
  required: [['link', 'id', 'custom'], ['destination']],
  unread: ['references', 'client_id', 'launchpad_ids', 'campaign_ids', 'qr_code_ids', 'QR code'],
  people: ['created_by'],
  fill(draft, row) {
    // The hash and each custom half were printed: both lead on.
    const address = row.text('link') ?? row.text('id');
    if (address !== undefined) draft.addresses.push(address);
    draft.addresses.push(...row.list('custom', /[\s,|]+/));
    if (draft.addresses.length === 0) throw new RowFailure(`${row.nameOf('link')} is empty.`);
    if (row.isSet('deleted')) throw new RowFailure('Bitly has deleted the link.');
    if (row.isSet('password')) draft.refusePassword();
    draft.setPage(row.needed('destination'));
    draft.input.title = row.text('title');
    draft.setTags(row.list('tags', /[,|]/));
    draft.setCreated(row.text('createdAt'));
    draft.expire(row.time('expiresAt'));
    if (row.isSet('archived')) draft.setArchived();
    fillDeepLinks(draft, row.get('deepLinks'));
  },
});

function fillDeepLinks(draft: Draft, value: unknown): void {
  const paths: { IOS?: string | undefined; ANDROID?: string | undefined } = {};
  for (const link of Array.isArray(value) ? value : []) {
    if (!isObject(link)) continue;
    const platform = { ios: 'IOS', android: 'ANDROID' }[textOf(link.os)?.toLowerCase() ?? ''];
    if (platform !== 'IOS' && platform !== 'ANDROID') continue;
    paths[platform] = textOf(link.app_uri_path);
    const install = textOf(link.install_type) === 'no_install' ? undefined : textOf(link.install_url);
    if (install === undefined) continue;
    if (!URL.canParse(install)) throw noPage('install_url', install);
    draft.input[platform === 'IOS' ? 'iosDestination' : 'androidDestination'] = install;
  }
  draft.setPlatformDeepLinks({ IOS: paths.IOS, ANDROID: paths.ANDROID });
}
