/** Fills a service's table of clicks with a day of traffic, in SQL: over HTTP ten million would take a quarter of an hour. */
import pg from 'pg';
import { readUserAgent } from '../src/devices/index.ts';
import { deriveSecrets } from '../src/platform/secrets.ts';
import { say } from './progress.ts';
import { SECRET_KEY, type Service } from './service.ts';
import type { Visitor } from './visitors.ts';

export interface Traffic {
  /** Clicks of addresses with two each or so, among them those asked about. */
  readonly clicks: number;
  /** Every other click's device is one of these. */
  readonly devices: readonly Visitor[];
  /** Their addresses have exactly `CLICKS_OF_ONE` clicks each, spread over the table. */
  readonly asked: readonly Visitor[];
  readonly crowd: { readonly address: string; readonly clicks: number };
}

export const CLICKS_OF_ONE = 3;
/** A part of the day that is long enough for the run: what was asked about stays within the window of 24 hours. */
const LEFT_OUT = 1 / 8;
const CHUNK = 250_000;

export async function fillClicks(service: Service, traffic: Traffic): Promise<void> {
  const client = new pg.Client(service.database);
  await client.connect();
  try {
    await client.query('set synchronous_commit = off');
    await prepare(client, traffic);
    const total = traffic.clicks + traffic.crowd.clicks;
    for (let from = 0; from < total; from += CHUNK) {
      await client.query(insertion(traffic, total), [from, Math.min(total, from + CHUNK) - 1]);
      say(`  ${Math.min(total, from + CHUNK)} of ${total} clicks`);
    }
    await client.query('vacuum (analyze) clicks');
    await client.query('checkpoint');
    await check(client, traffic, total);
  } finally {
    await client.end();
  }
}

/** Who clicks on which link, and whose address is known, as tables of the session. */
async function prepare(client: pg.Client, { devices, asked, crowd }: Traffic): Promise<void> {
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
    [JSON.stringify([...devices, ...asked].map(withPlatform))],
  );
  await client.query(
    `create temporary table known as
     select n - 1 as n, ip_hash from unnest($1::text[]) with ordinality as list (ip_hash, n)`,
    [[...asked.map(({ address }) => hashAddress(appId, address)), hashAddress(appId, crowd.address)]],
  );
  await client.query('analyze devices; analyze known');
}

function withPlatform(visitor: Visitor): Visitor & { platform: string | null } {
  return { ...visitor, platform: readUserAgent(visitor.userAgent).platform };
}

/**
 * Clicks number $1 to $2 of the day, in the order of their time. Every so many one is the crowd's, and between those
 * stand the ones that are asked about; the rest come from addresses that hash to what no address does.
 */
function insertion({ clicks, devices, asked, crowd }: Traffic, total: number): string {
  const crowdStep = Math.floor(total / crowd.clicks);
  const first = crowdStep * Math.ceil((total * LEFT_OUT) / crowdStep) + 1;
  const askedRows = asked.length * CLICKS_OF_ONE;
  const askedStep = crowdStep * Math.floor((total - first) / crowdStep / askedRows);
  if (askedStep === 0) throw new Error(`${clicks} clicks are too few for ${asked.length} addresses`);
  const isAsked = `i >= ${first} and (i - ${first}) % ${askedStep} = 0 and (i - ${first}) / ${askedStep} < ${askedRows}`;
  return `
    insert into clicks (app_id, id, link_id, campaign_id, sandbox, visitor, platform, ip_hash, user_agent,
      accept_language, clicked_at)
    select app_id, uuidv7(clicked_at - clock_timestamp()), link_id, campaign_id, 0, 'human', platform,
      coalesce(known.ip_hash, ${strangersHash(clicks)}), user_agent, accept_language, clicked_at
    from (
      select i, now() - interval '24 hours' * (1 - i::float8 / ${total}) as clicked_at,
        case when i % ${crowdStep} = 0 and i / ${crowdStep} < ${crowd.clicks} then ${asked.length}
          when ${isAsked} then (i - ${first}) / ${askedStep} % ${asked.length} end as known
      from generate_series($1::int, $2::int) as i
    ) as click
    join devices on devices.n = case when click.known < ${asked.length} then ${devices.length} + click.known
      else (hashint4(i)::bigint + 2147483648) % ${devices.length} end
    left join known on known.n = click.known
    order by i`;
}

/** As long and as random as the service's own. */
function strangersHash(clicks: number): string {
  const stranger = `(hashint4extended(i, 1) & 9223372036854775807) % ${Math.ceil(clicks / 2)}`;
  return `left(translate(encode(sha256(convert_to('stranger ' || ${stranger}, 'UTF8')), 'base64'), '+/', '-_'), 22)`;
}

/** @throws when the table is not what the measurement says it is. */
async function check(client: pg.Client, { asked, crowd }: Traffic, total: number): Promise<void> {
  const { rows } = await client.query<{ all: string; wrong: string }>(
    `select (select count(*) from clicks) as all, (select count(*) from known where
       (select count(*) from clicks where clicks.ip_hash = known.ip_hash)
         <> case when n = $1::int then $2::int else ${CLICKS_OF_ONE} end) as wrong`,
    [asked.length, crowd.clicks],
  );
  if (Number(rows[0]?.all) !== total || Number(rows[0]?.wrong) !== 0)
    throw new Error(`the clicks are not as intended: ${JSON.stringify(rows[0])}`);
}
