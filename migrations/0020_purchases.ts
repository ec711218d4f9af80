/**
 * Counts of paying installs, their revenue by the day of the install, and first purchases. Stored events and installs are
 * counted as far as they are still there: their counts wait in `pending_counts`, and the service folds them after it has
 * started. Stop processes of the previous version before: they would fold these counts without storing them.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function purchases(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const statements = [
    // The time and name of the install's first event of positive revenue, as JSON.
    `alter table installs add column first_purchase ${t.text}`,
    `alter table count_days add column paying_installs ${t.integer} not null default 0`,
    `alter table count_days add column first_purchases ${t.integer} not null default 0`,
    `alter table count_days add column cohort_revenue ${t.text}`,
    markFirstPurchases(t),
    ...countStored(t),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

function markFirstPurchases(t: ColumnTypes): string {
  const isPostgres = t.engine === 'postgres';
  const at = isPostgres
    ? `to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : 'created_at';
  const fact = isPostgres
    ? `json_build_object('at', ${at}, 'eventName', event_name)::text`
    : `json_object('at', ${at}, 'eventName', event_name)`;
  return `update installs set first_purchase = purchases.fact
    from (
      select app_id, install_id, ${fact} as fact,
        row_number() over (partition by app_id, install_id order by created_at, id) as place
      from events
      where revenue_amount not like '-%' and ltrim(revenue_amount, '0.') <> ''
    ) as purchases
    where purchases.app_id = installs.app_id and purchases.install_id = installs.id
      and purchases.place = 1 and installs.existing_user is distinct from 1`;
}

function countStored(t: ColumnTypes): string[] {
  const [array, list, purchase] =
    t.engine === 'postgres'
      ? ['json_build_array', 'json_agg', 'i.first_purchase::json']
      : ['json_array', 'json_group_array', 'i.first_purchase'];
  const minuteOf = (time: string) =>
    t.engine === 'postgres'
      ? `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI')`
      : `substr(${time}, 1, 16)`;
  /** In the order of their fields; what they add comes last. */
  const factOf = (
    kind: string,
    minute: string,
    event: string,
  ) => `${array}(i.sandbox, ${minute}, '${kind}', i.link_id,
      coalesce(i.campaign_id, ''), i.platform, i.attribution_method, '', coalesce(i.country, ''),
      coalesce(i.referrer, ''), coalesce(i.utm, ''), ${event}, '', 1)`;
  /** One row for the installs of an hour, so that a fold takes few at once. */
  const insert = (fact: string, from: string) => `insert into pending_counts (app_id, facts)
    select i.app_id, ${t.engine === 'postgres' ? `${list}(${fact})::text` : `${list}(json(${fact}))`}
    from ${from} group by i.app_id, substr(${minuteOf('i.installed_at')}, 1, 13)`;
  const installed = minuteOf('i.installed_at');
  const events = `installs i join events e on e.app_id = i.app_id and e.install_id = i.id
    where e.revenue_amount is not null and i.existing_user is distinct from 1`;
  const paying = 'installs i where i.first_purchase is not null';
  return [
    insert(factOf('cohort', installed, "'', e.revenue_currency, e.revenue_amount"), events),
    insert(factOf('paying', installed, "'', '', ''"), paying),
    insert(
      factOf('firstPurchase', `substr(${purchase} ->> 'at', 1, 16)`, `${purchase} ->> 'eventName', '', ''`),
      paying,
    ),
  ];
}
