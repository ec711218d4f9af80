import { extname } from 'node:path';
import type { TObject } from 'typebox';
import { StartError } from '../../errors.ts';
import { ListClicks, ListEvents, ListInstalls, ListOpens } from '../../records/parameters.ts';
import { ClickItem, EventItem, InstallItem, OpenItem } from '../../records/schemas.ts';
import { readOptions, usageError } from '../arguments.ts';
import { WAREHOUSE_USAGE } from './warehouse-options.ts';

export const EXPORT_USAGE =
  'throughline export clicks|installs|opens|events --app APP_ID --output FILE [--format FORMAT] [FILTER …] [--force] [--quiet]';

export const EXPORT_HELP = `${EXPORT_USAGE}

${WAREHOUSE_USAGE}

Writes the records of an app to a file, oldest first, also while the service runs. Without a kind, writes all kinds to a
folder, a Parquet file for each day, and goes on where the last export into that folder ended.

--output FILE            written beside under another name and renamed at the end; - for standard output
--format FORMAT          csv, ndjson or parquet; by default the ending of FILE
--force                  replace an existing file
--quiet                  show no progress
--from TIME, --to TIME   recorded at or after --from and before --to, such as 2026-01-31T12:00:00Z
--short-code CODE        of this link, or attributed to it
--campaign ID            of this campaign
--platform, --country    ANDROID or IOS; two letters
--visitor all            clicks: also those of tools, crawlers and previews
--method METHOD          installs, opens: INSTALL_REFERRER, CLICK_ID, FINGERPRINT, ORGANIC or, for opens, DIRECT
--event-name NAME        events
--user ID                installs, opens, events: of this user
--referrer HOST          whose click came from this host
--utm-source, --utm-medium, --utm-campaign
                         whose click has this value
--network NAME, --network-campaign ID
                         installs that this ad network claims
--sandbox                sandbox records in place of live ones

Of a folder by day:
--from DAY               write the files from this day on again, such as 2026-01-31
--rewrite-days N         days, today included, that may still change; 3 by default`;

/** The exports, as the lists of the API. */
export const KINDS = {
  clicks: { parameters: ListClicks, item: ClickItem, time: 'clickedAt' },
  installs: { parameters: ListInstalls, item: InstallItem, time: 'installedAt' },
  opens: { parameters: ListOpens, item: OpenItem, time: 'openedAt' },
  events: { parameters: ListEvents, item: EventItem, time: 'createdAt' },
} as const;

/** The parameters of the lists by option. */
const FILTERS = {
  from: 'from',
  to: 'to',
  'short-code': 'shortCode',
  campaign: 'campaignId',
  platform: 'platform',
  country: 'country',
  visitor: 'visitor',
  method: 'method',
  'event-name': 'eventName',
  user: 'userId',
  referrer: 'referrer',
  'utm-source': 'utmSource',
  'utm-medium': 'utmMedium',
  'utm-campaign': 'utmCampaign',
  network: 'network',
  'network-campaign': 'networkCampaign',
} as const;

const FORMATS = ['csv', 'ndjson', 'parquet'] as const;
type Format = (typeof FORMATS)[number];

export interface ExportOptions {
  readonly kind: keyof typeof KINDS;
  /** Schema of a record. */
  readonly item: TObject;
  /** The field with the time of recording. */
  readonly timeField: string;
  readonly appId: string;
  /** `-` for standard output. */
  readonly output: string;
  readonly format: Format;
  readonly query: Readonly<Record<string, string>>;
  readonly force: boolean;
  readonly quiet: boolean;
}

/** @throws StartError that names the invalid argument. */
export function readExportOptions([kind = '', ...args]: readonly string[]): ExportOptions {
  if (!isKind(kind)) throw new StartError(`Usage:\n\n${EXPORT_HELP}`);
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const filters = Object.fromEntries(Object.keys(FILTERS).map((name) => [name, text])) as Record<
    keyof typeof FILTERS,
    typeof text
  >;
  const { values } = readOptions(EXPORT_USAGE, {
    args: [...args],
    options: { app: text, output: text, format: text, sandbox: flag, force: flag, quiet: flag, ...filters },
  });
  const { app: appId, output, force, quiet } = values;
  if (!appId) throw usageError(EXPORT_USAGE, '--app is missing.');
  if (!output) throw usageError(EXPORT_USAGE, '--output is missing.');
  const format = toFormat(output, values.format);
  const { parameters, item, time: timeField } = KINDS[kind];
  const query = {
    ...toQuery(kind, parameters, values),
    ...(values.sandbox && { sandbox: 'true' }),
  };
  return { kind, item, timeField, appId, output, format, query, force, quiet };
}

function isKind(name: string): name is keyof typeof KINDS {
  return Object.hasOwn(KINDS, name);
}

function toFormat(output: string, given: string | undefined): Format {
  const name = given ?? extname(output).slice(1).toLowerCase();
  const format = FORMATS.find((one) => one === name);
  if (format === undefined)
    throw usageError(
      EXPORT_USAGE,
      given === undefined
        ? `--format is missing, and ${output} does not end with .csv, .ndjson or .parquet.`
        : `Unknown format “${given}”: use csv, ndjson or parquet.`,
    );
  if (format === 'parquet' && output === '-')
    throw usageError(EXPORT_USAGE, 'Parquet needs a file; standard output takes csv and ndjson.');
  return format;
}

function toQuery(
  kind: string,
  { properties }: TObject,
  values: Readonly<Record<string, string | boolean | undefined>>,
): Record<string, string> {
  const query: Record<string, string> = {};
  for (const [option, parameter] of Object.entries(FILTERS)) {
    const value = values[option];
    if (typeof value !== 'string') continue;
    if (!Object.hasOwn(properties, parameter))
      throw usageError(EXPORT_USAGE, `--${option} is not a filter of ${kind}.`);
    query[parameter] = value;
  }
  return query;
}
