/** Fills a service's clicks with a day of traffic in SQL, because ten million over HTTP take a quarter of an hour. */
import pg from 'pg';
import { readUserAgent } from '../../src/devices/index.ts';
import { deriveSecrets } from '../../src/lib/secrets.ts';
import { SECRET_KEY, type Service } from '../lib/service.ts';
import type { Visitor } from '../lib/visitors.ts';

export interface Traffic {
  /** About two per address, including those of `queried`. */
  readonly clicks: number;
  /** The devices of all other clicks. */
  readonly devices: readonly Visitor[];
  /** Their addresses have exactly `CLICKS_PER_QUERIED` clicks each, spread over the table. */
  readonly queried: readonly Visitor[];
  readonly crowd: { readonly address: string; readonly clicks: number };
}

export const CLICKS_PER_QUERIED = 3;
/** Share of the day without queried clicks, so that these stay within the window of 24 hours during the run. */
const SKIPPED_SHARE = 1 / 8;
const BATCH_ROWS = 250_000;

export async function fillClicks(service: Service, traffic: Traffic): Promise<void> {
  const client = new pg.Client(service.database);
  await client.connect();
  try {
    await client.query('set synchronous_commit = off');
    await prepare(client, traffic);
    const total = traffic.clicks + traffic.crowd.clicks;
    for (let from = 0; from < total; from += BATCH_ROWS) {
      await client.query(insertion(traffic, total), [from, Math.min(total, from + BATCH_ROWS) - 1]);
      console.error(`  ${Math.min(total, from + BATCH_ROWS)} of ${total} clicks`);
    }
    await client.query('vacuum (analyze) clicks');
    await client.query('checkpoint');
    await check(client, traffic, total);
  } finally {
    await client.end();
  }
}

/** Creates temporary tables of devices with their links, and of the queried addresses. */
async function prepare(client: pg.Client, { devices, queried, crowd }: Traffic): Promise<void> {
  const { rows } = await client.query<{ app_id: string }>('select app_id from bootstraps');
  const appId = rows[0]?.app_id ?? '';
  const { hashAddress } = deriveSecrets(SECRET_KEY);
  await client.query(
    `create temporary table devices as
     select n - 1 as n, links.app_id, links.id as link_id, links.campaign_id, device ->> 'platform' as platform,
       device ->> 'userAgent' as user_agent, device ->> 'acceptLanguage' as accept_language
     from jsonb_array_elements($1::jsonb) with ordinality as list (device, n)
     join (select *, row_number() over (order by id) - 1 as place, count(*) over () as many from links) links
       on links.place = n % links.many`,
    [JSON.stringify([...devices, ...queried].map(withPlatform))],
  );
  await client.query(
    `create temporary table known as
     select n - 1 as n, ip_hash from unnest($1::text[]) with ordinality as list (ip_hash, n)`,
    [[...queried.map(({ address }) => hashAddress(appId, address)), hashAddress(appId, crowd.address)]],
  );
  await client.query('analyze devices; analyze known');
}

function withPlatform(visitor: Visitor): Visitor & { platform: string | null } {
  return { ...visitor, platform: readUserAgent(visitor.userAgent).platform };
}

/**
 * Inserts the clicks $1 to $2 of the day, ordered by time: those of the crowded address and of the queried addresses at
 * regular distances, the others with random address hashes.
 */
function insertion({ clicks, devices, queried, crowd }: Traffic, total: number): string {
  const crowdStep = Math.floor(total / crowd.clicks);
  const first = crowdStep * Math.ceil((total * SKIPPED_SHARE) / crowdStep) + 1;
  const queriedRows = queried.length * CLICKS_PER_QUERIED;
  const queriedStep = crowdStep * Math.floor((total - first) / crowdStep / queriedRows);
  if (queriedStep === 0) throw new Error(`${clicks} clicks are too few for ${queried.length} addresses`);
  const isQueried = `i >= ${first} and (i - ${first}) % ${queriedStep} = 0 and (i - ${first}) / ${queriedStep} < ${queriedRows}`;
  return `
    insert into clicks (app_id, id, link_id, campaign_id, sandbox, visitor, platform, ip_hash, user_agent,
      accept_language, clicked_at)
    select app_id, uuidv7(clicked_at - clock_timestamp()), link_id, campaign_id, 0, 'human', platform,
      coalesce(known.ip_hash, ${randomAddressHash(clicks)}), user_agent, accept_language, clicked_at
    from (
      select i, now() - interval '24 hours' * (1 - i::float8 / ${total}) as clicked_at,
        case when i % ${crowdStep} = 0 and i / ${crowdStep} < ${crowd.clicks} then ${queried.length}
          when ${isQueried} then (i - ${first}) / ${queriedStep} % ${queried.length} end as known
      from generate_series($1::int, $2::int) as i
    ) as click
    join devices on devices.n = case when click.known < ${queried.length} then ${devices.length} + click.known
      else (hashint4(i)::bigint + 2147483648) % ${devices.length} end
    left join known on known.n = click.known
    order by i`;
}

/** In the form of the service's address hashes. */
function randomAddressHash(clicks: number): string {
  const address = `(hashint4extended(i, 1) & 9223372036854775807) % ${Math.ceil(clicks / 2)}`;
  return `left(translate(encode(sha256(convert_to('address ' || ${address}, 'UTF8')), 'base64'), '+/', '-_'), 22)`;
}

/** @throws unless the addresses have the intended numbers of clicks. */
async function check(client: pg.Client, { queried, crowd }: Traffic, total: number): Promise<void> {
  const { rows } = await client.query<{ all: string; wrong: string }>(
    `select (select count(*) from clicks) as all, (select count(*) from known where
       (select count(*) from clicks where clicks.ip_hash = known.ip_hash)
         <> case when n = $1::int then $2::int else ${CLICKS_PER_QUERIED} end) as wrong`,
    [queried.length, crowd.clicks],
  );
  if (Number(rows[0]?.all) !== total || Number(rows[0]?.wrong) !== 0)
    throw new Error(`the clicks are not as intended: ${JSON.stringify(rows[0])}`);
}
