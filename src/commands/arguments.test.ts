import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StartError } from '../errors.ts';
import { apps } from './apps.ts';
import { db } from './db.ts';
import { exportToFile } from './export.ts';
import { installs } from './installs.ts';
import { keys } from './keys.ts';
import { rehearse } from './rehearse/index.ts';

const ID = '01900000-0000-7000-8000-000000000000';
const COMMANDS: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  apps,
  db,
  export: exportToFile,
  installs,
  keys,
  rehearse,
};

/** Command lines and the argument that the error names. */
const INVALID: readonly (readonly [string, RegExp])[] = [
  ['apps create name=App fingerprintIo=false', /“fingerprintIo”.*fingerprintIos/],
  ['apps create name=App name=Other', /“name”/],
  ['apps create name=', /name must not be empty/],
  ['apps create', /name is required/],
  ['apps create --name=App', /“--name=App”/],
  [`apps update ${ID} name=`, /name must not be empty/],
  [`apps update ${ID}`, /FIELD=VALUE is missing/],
  ['apps update', /APP_ID is missing/],
  ['apps show', /APP_ID is missing/],
  [`apps show ${ID} more`, /“more”/],
  ['apps list more', /“more”/],
  ['keys list', /APP_ID is missing/],
  [`keys create ${ID}`, /The kind is missing/],
  [`keys create ${ID} live test`, /“test”/],
  [`keys create ${ID} live --title x`, /--title/],
  [`keys rename ${ID} ${ID}`, /NAME is missing/],
  [`keys rotate ${ID}`, /KEY_ID is missing/],
  [`keys rotate ${ID} ${ID} --days soon`, /“soon”/],
  [`keys end ${ID} ${ID}`, /TIME is missing/],
  [`keys revoke ${ID}`, /KEY_ID is missing/],
  [`keys revoke ${ID} ${ID} -f`, /“-f”/],
  [`installs delete ${ID}`, /--app is missing/],
  [`installs delete --app ${ID}`, /Give ids, --same-address-as or --from/],
  [`installs delete --app ${ID} --all`, /--all/],
  ['export events --output a.csv', /--app is missing/],
  [`export events --app ${ID}`, /--output is missing/],
  [`export events --app ${ID} --output events`, /--format is missing.* events .*\.parquet/],
  [`export events --app ${ID} --output - --format parquet`, /Parquet needs a file/],
  [`export events --app ${ID} --output a.csv --format xlsx`, /“xlsx”/],
  [`export events --app ${ID} --output a.csv --visitor all`, /--visitor is not a filter of events/],
  [`export events --app ${ID} --output a.csv --limit 5`, /--limit/],
  ['rehearse --host go.example.com', /FILE is missing/],
  ['rehearse --host go.example.com/x links.csv', /--host must be .*“go.example.com\/x”/],
  ['rehearse --host go.example.com a.csv b.csv', /“b\.csv”/],
  ['rehearse --host go.example.com --source dub a.csv', /“dub”: use csv, firebase/],
  [
    'rehearse --host go.example.com --column fallbackUrl a.csv',
    /“fallbackUrl” does not have the form FIELD=HEADER/,
  ],
  ['rehearse --host go.example.com --format xlsx a.csv', /“xlsx”: use csv or ndjson/],
  ['rehearse --host go.example.com --visitors ipad a.csv', /“ipad”: use iphone, android/],
  ['rehearse --host go.example.com --per-second 6 a.csv', /--per-second must be a whole number from 1 to 5/],
  ['rehearse --host go.example.com --from 0 a.csv', /--from must be/],
  ['rehearse --host go.example.com --resume a.csv', /--resume continues a report/],
  ['rehearse --host go.example.com --against-file --old-base old.example a.csv', /--old-base has no use/],
  ['rehearse --host go.example.com --old-base a?b a.csv', /--old-base must be an address/],
  ['rehearse --host go.example.com --language de,en a.csv', /--language must be a tag/],
  ['db move here', /“here”/],
  ['db move --force', /“--force”/],
  ['db backup', /FOLDER is missing/],
];

describe('the arguments of a command', () => {
  for (const [line, named] of INVALID)
    it(`“${line.replaceAll(ID, 'ID')}” fails with one line that names the argument and shows the usage`, async () => {
      const message = await failureOf(line);
      assert.match(message, named);
      const usage = line.split(' ', /^(installs|export)/.test(line) ? 1 : 2).join(' ');
      assert.match(message, new RegExp(`^[^\\n]+ Usage: throughline ${usage}[^\\n]*$`));
    });

  it('without a known verb fail with the usage of every verb', async () => {
    for (const line of [
      'apps',
      'apps drop',
      'keys steal x y',
      'db',
      'db drop',
      'installs',
      'export',
      'export links',
    ])
      assert.match(await failureOf(line), /^Usage:\n\nthroughline /, line);
  });
});

async function failureOf(line: string): Promise<string> {
  const [name = '', ...args] = line.split(' ');
  try {
    await COMMANDS[name]?.(args);
  } catch (error) {
    assert.ok(error instanceof StartError, String(error));
    return error.message;
  }
  assert.fail('the command succeeded');
}
