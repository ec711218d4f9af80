/** What a list leaves out, by its parameters. */
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Actor } from '../auth/index.ts';
import { type Db, isAmong, jsonText } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { isMoment, isoTime } from '../lib/clock.ts';
import { findLinkIdByName } from '../links/index.ts';
import { sandboxOf } from '../stats/index.ts';
import { type FindDeps, findInstallIds } from './find-installs.ts';
import type { ListInput } from './parameters.ts';
import { ORDERED_BY_ID, type RecordFilter, type RecordTable } from './queries.ts';

type Condition = Expression<SqlBool>;

/** @throws AppError `request.invalid`, `link.not_found`. */
export async function toRecordFilter(
  deps: FindDeps,
  table: RecordTable,
  { actor, input }: { actor: Actor; input: ListInput },
): Promise<RecordFilter> {
  const { db } = deps;
  const { shortCode, installId, userId, q, invitedBy } = input;
  const column = (name: string) => sql.ref<string>(`${table}.${name}`);
  const erasedSinceMs = toMs('erasedSince', input.erasedSince);
  const linkId = shortCode ? await linkIdOf(db, actor, shortCode) : shortCode;
  const installIds = q === undefined ? undefined : await findInstallIds(deps, actor.appId, q);
  // Each of these finds its rows by an index.
  const ofOne = [
    ...(installId === undefined ? [] : [sql<SqlBool>`${column('install_id')} = ${installId.toLowerCase()}`]),
    ...(userId === undefined ? [] : [sql<SqlBool>`${column('user_id')} = ${userId}`]),
  ];
  const ofLink = linkId ? [sql<SqlBool>`${column('link_id')} = ${linkId}`] : [];
  const ofInviter = invitedBy ? [sql<SqlBool>`${column('invited_by')} = ${invitedBy.toLowerCase()}`] : [];
  const ofIds = installIds === undefined ? [] : [isAmong(db, `${table}.id`, installIds)];
  // Those of an install or a user are in order of ids.
  const [inOrder] = ORDERED_BY_ID.has(table) ? [...ofOne, ...ofLink] : [...ofInviter, ...ofLink];
  return {
    appId: actor.appId,
    sandbox: sandboxOf(actor, input.sandbox === undefined ? undefined : input.sandbox === 'true'),
    fromMs: toMs('from', input.from),
    toMs: toMs('to', input.to),
    inOrder: inOrder === undefined ? [] : [inOrder],
    isSmall: ofIds.length > 0 || (inOrder === undefined && ofOne.length > 0),
    conditions: [
      ...[...ofIds, ...ofOne, ...ofInviter, ...ofLink].filter((condition) => condition !== inOrder),
      ...(linkId === '' ? [sql<SqlBool>`${column('link_id')} is null`] : []),
      ...ownConditions(input, column),
      ...sourceConditions(db, table, actor.appId, input),
      ...revenueConditions(table, input),
      ...(erasedSinceMs === null ? [] : [sql<SqlBool>`${column('erased_at')} >= ${isoTime(erasedSinceMs)}`]),
    ],
  };
}

async function linkIdOf(db: Db, actor: Actor, shortCode: string): Promise<string> {
  const linkId = await findLinkIdByName(db, actor.appId, shortCode);
  if (linkId === undefined) throw new AppError('link.not_found');
  return linkId;
}

type Column = (name: string) => RawBuilder<string>;

/** As statistics count: a live install with a test record of a network is one without a network. */
function ofNetworks({ network, networkCampaign }: ListInput, column: Column): Condition[] {
  // The last field of the JSON text; quotes within a name are escaped.
  const isTest = sql<SqlBool>`(${column('sandbox')} = 0 and cast(${column('network')} as text) like '%"test":true}')`;
  const named = { network_name: network, network_campaign: networkCampaign };
  return Object.entries(named).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (value === '') return [sql<SqlBool>`(${column(name)} is null or ${isTest})`];
    return [sql<SqlBool>`${column(name)} = ${value}`, sql<SqlBool>`not ${isTest}`];
  });
}

/** Of columns that the record itself has. An empty value asks for records without one, which have null. */
function ownConditions(input: ListInput, column: Column): Condition[] {
  const { campaignId, platform, country, visitor, method, eventName, existingUser, invitedBy } = input;
  const noInviter = invitedBy === '' ? invitedBy : undefined;
  const equal = { campaign_id: campaignId, platform, country, invited_by: noInviter };
  const among = { attribution_method: method, event_name: eventName };
  return [
    ...Object.entries(equal).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [value === '' ? sql<SqlBool>`${column(name)} is null` : sql<SqlBool>`${column(name)} = ${value}`],
    ),
    ...Object.entries(among).flatMap(([name, values]) =>
      values === undefined ? [] : [sql<SqlBool>`${column(name)} in (${sql.join(values)})`],
    ),
    ...ofNetworks(input, column),
    ...(visitor === 'human' ? [sql<SqlBool>`${column('visitor')} = 'human'`] : []),
    ...(existingUser === undefined
      ? []
      : [sql<SqlBool>`coalesce(${column('existing_user')}, 0) = ${existingUser === 'true' ? 1 : 0}`]),
  ];
}

/** Of the click and the device, which an event has from its install. */
function sourceConditions(db: Db, table: RecordTable, appId: string, input: ListInput): Condition[] {
  const of = table === 'events' ? 'installs' : table;
  const column = (name: string) => sql.ref<string>(`${of}.${name}`);
  const { referrer, utmSource, utmMedium, utmCampaign, platformVersion, appVersion } = input;
  // An erasure removes these values: such records had others or none.
  const notErased = sql`${column('erased')} is null`;
  const textIs = (value: string, text: Expression<unknown>) =>
    value === ''
      ? sql<SqlBool>`(coalesce(${text}, '') = '' and ${notErased})`
      : sql<SqlBool>`${text} = ${value}`;
  const utm = { source: utmSource, medium: utmMedium, campaign: utmCampaign };
  const conditions = [
    ...(referrer === undefined
      ? []
      : [
          referrer === ''
            ? sql<SqlBool>`${column('referrer')} is null`
            : sql<SqlBool>`${column('referrer')} = ${referrer}`,
        ]),
    ...Object.entries(utm).flatMap(([name, value]) =>
      value === undefined ? [] : [textIs(value, jsonText(db, column('utm'), name))],
    ),
    ...(appVersion === undefined
      ? []
      : [textIs(appVersion, jsonText(db, column('fingerprint'), 'appVersion'))]),
    ...(platformVersion === undefined ? [] : [versionIs(platformVersion, column, notErased)]),
  ];
  if (table !== 'events' || conditions.length === 0) return conditions;
  return [
    sql<SqlBool>`exists (select 1 from installs where installs.app_id = ${appId}
      and installs.id = events.install_id and ${sql.join(conditions, sql` and `)})`,
  ];
}

/** @param version such as `IOS 18`; empty for a system without a number. */
function versionIs(version: string, column: Column, notErased: Expression<unknown>): Condition {
  const os = sql`coalesce(${column('os_version')}, '')`;
  const isDigit = (text: Expression<unknown>) => sql`${text} between '0' and '9'`;
  if (version === '')
    // Ten digits and more are no version of a system.
    return sql<SqlBool>`(${notErased} and (not (${isDigit(sql`substr(${os}, 1, 1)`)})
      or length(${os}) > 9 and ltrim(substr(${os}, 1, 10), '0123456789') = ''))`;
  const [platform = '', major = ''] = version.split(' ');
  const { length } = major;
  return sql<SqlBool>`(${column('platform')} = ${platform} and substr(${os}, 1, ${sql.lit(length)}) = ${major}
    and not (${isDigit(sql`substr(${os}, ${sql.lit(length + 1)}, 1)`)}))`;
}

function revenueConditions(table: RecordTable, { hasRevenue }: ListInput): Condition[] {
  if (hasRevenue === undefined) return [];
  const not = hasRevenue === 'true' ? sql`` : sql`not `;
  return [
    table === 'events'
      ? sql<SqlBool>`${not}events.revenue_amount is not null`
      : // The first purchase of existing users, who are not among paying installs, is not stored.
        sql<SqlBool>`${not}(first_purchase is not null or coalesce(existing_user, 0) = 1 and exists (
          select 1 from events where events.app_id = installs.app_id and events.install_id = installs.id
            and cast(events.revenue_amount as numeric) > 0))`,
  ];
}

function toMs(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!isMoment(text) || Date.parse(text) < 0)
    throw new AppError('request.invalid', {
      message: `${name} must be a date-time such as 2026-01-31T12:00:00Z.`,
    });
  return Date.parse(text);
}
