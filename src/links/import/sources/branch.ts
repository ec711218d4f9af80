import { addressOf, deepLinkOf } from '../addresses.ts';
import type { Draft } from '../draft.ts';
import { isObject, parseJson } from '../json-items.ts';
import { defineSource } from '../source.ts';
import { RowFailure, saysYes, textOf, type Values } from '../values.ts';
import { fillBranchRules } from './branch-rules.ts';

const FIELDS = {
  url: ['url', 'link', 'short link'],
  alias: ['alias'],
  domain: ['domain'],
  data: ['data'],
  type: ['type'],
  channel: ['channel'],
  feature: ['feature'],
  campaign: ['campaign'],
  stage: ['stage'],
  tags: ['tags'],
  createdAt: ['creation_timestamp'],
  id: ['link_id'],
  error: ['error'],
} as const;
type Row = Values<keyof typeof FIELDS>;
export type BranchData = Readonly<Record<string, unknown>>;

/** Branch: answers of `GET /v1/url`, and the old daily export of links. */
export const branch = defineSource({
  id: 'branch',
  name: 'Branch',
  fields: FIELDS,
  required: [
    ['url', 'alias', 'data', 'error'],
    ['data', 'error'],
  ],
  unread: ['creation_source', 'duration', 'branch_key', 'app_id', 'domain_id', 'qr_code_settings'],
  people: ['branch_identity_id', 'identity_id', 'identity'],
  fill(draft, row) {
    const asked = row.text('url');
    if (asked !== undefined) draft.addresses.push(asked);
    if (row.get('error') !== undefined)
      throw new RowFailure('Branch answered with an error: it has no such link.');
    const data = dataOf(row.get('data'));
    const alias = row.text('alias');
    const address =
      asked ??
      textOf(data.url) ??
      textOf(data['+url']) ??
      (alias === undefined ? undefined : addressOf(row.text('domain'), alias));
    if (address === undefined)
      throw new RowFailure('The row has no address. Add it as url: Branch’s answers may lack it.');
    draft.addresses.push(address);
    if (LONG_LINK.test(address))
      throw new RowFailure('A long link of Branch has all its settings in its query: it is not imported.');
    if (row.text('type') === '1' || saysYes(data.$one_time_use))
      throw new RowFailure('The link works once only, which links here cannot.');
    fillTexts(draft, row, data);
    fillDestinations(draft, data);
    fillBranchRules(draft, data);
  },
});

const LONG_LINK = /\/a\/key_(live|test)_/;

/** An object, or its text. */
function dataOf(value: unknown): BranchData {
  const data = typeof value === 'string' ? parseJson(value) : value;
  if (isObject(data)) return data;
  if (value === undefined) return {};
  throw new RowFailure('data is no JSON object.');
}

function fillTexts(draft: Draft, row: Row, data: BranchData): void {
  const { input, metadata } = draft;
  input.title = textOf(data.$marketing_title);
  input.campaignId = row.text('campaign') ?? textOf(data['~campaign']);
  input.ogTitle = textOf(data.$og_title);
  input.ogDescription = textOf(data.$og_description);
  input.ogImage = textOf(data.$og_image_url);
  const tags = row.list('tags', /[,|]/);
  const own = Array.isArray(data['~tags']) ? data['~tags'].map(textOf) : [textOf(data['~tags'])];
  draft.setTags(tags.length > 0 ? tags : own.filter((tag) => tag !== undefined));
  for (const field of ['channel', 'feature', 'stage'] as const)
    metadata[field] = row.text(field) ?? textOf(data[`~${field}`]);
  const id = row.text('id') ?? textOf(data['~id']);
  if (id !== undefined) metadata.id = id;
  draft.setCreated(row.text('createdAt'));
}

/** The keys of `data` that are read here, or that say nothing about the link. */
const READ =
  /^([+]|[$](one_time_use|marketing_title|identity_id|canonical_url|desktop_url|og_(title|description|image_url)|(ios_|android_)?(deeplink_path|url)|fallback_url|(ios|android|fallback)_url_[a-z]{2})$|~(channel|feature|campaign|stage|tags|id|creation_source|referring_link)$|url$)/;

function fillDestinations(draft: Draft, data: BranchData): void {
  const { input, phones, metadata } = draft;
  const everywhere = textOf(data.$fallback_url);
  input.iosDestination = textOf(data.$ios_url);
  input.androidDestination = textOf(data.$android_url);
  input.fallbackUrl = textOf(data.$desktop_url) ?? everywhere ?? textOf(data.$canonical_url);
  phones.IOS = everywhere;
  phones.ANDROID = everywhere;
  const { path, params } = deepLinkOf(
    textOf(data.$deeplink_path) ?? textOf(data.$canonical_url) ?? input.fallbackUrl ?? '/',
  );
  input.deepLinkPath = path;
  const own: Record<string, unknown> = textOf(data.$deeplink_path) === undefined ? {} : { ...params };
  for (const [key, value] of Object.entries(data)) {
    if (READ.test(key)) continue;
    if (key === '$canonical_identifier' || !/^[$~]/.test(key)) own[key] = value;
    else if (key.startsWith('~')) metadata[key.slice(1)] = value;
    else if (value !== false && value !== '' && value !== null)
      draft.note(
        `Branch’s ${/^[$]\w{1,40}$/.test(key) ? key : 'other control parameters'} is not imported: links here have none.`,
      );
  }
  if (Object.keys(own).length > 0) input.deepLinkParams = own;
}
