import { parseArgs } from 'node:util';
import { type DeleteInstallsInput, type InstallsDeletedAnswer, MAX_INSTALLS } from '../installs/schemas.ts';
import { StartError } from '../platform/errors.ts';
import { parts } from '../platform/parts.ts';
import { withAdmin } from './admin-client.ts';
import { print } from './apps.ts';
import { misused } from './arguments.ts';
import { showProgress } from './progress.ts';

export const INSTALLS_USAGE = 'throughline installs delete --app APP_ID [ID …] [FILTER …] [--dry-run]';

export const INSTALLS_HELP = `${INSTALLS_USAGE}

Deletes installs that were forged, with their opens and events. All that is given must hold:

ID …                     installs by their ids
--same-address-as ID     installs from the address of an install
--from TIME, --to TIME   recorded at or after --from and before --to, such as 2026-01-31T12:00:00Z
--short-code CODE        attributed to this link
--method METHOD          INSTALL_REFERRER, CLICK_ID, FINGERPRINT or ORGANIC
--dry-run                delete nothing and count the installs that match`;

/** Deletes an app's installs, some in each call, until none is left that matches. */
export async function installs([verb, ...args]: readonly string[]): Promise<void> {
  if (verb !== 'delete') throw new StartError(`Usage:\n\n${INSTALLS_HELP}`);
  const { appId, requests } = readOptions(args);
  const progress = showProgress();
  const total = { installs: 0, opens: 0, events: 0 };
  try {
    await withAdmin(async (call) => {
      for (const request of requests)
        for (let isComplete = false; !isComplete; ) {
          const path = `/apps/${encodeURIComponent(appId)}/installs/deletions`;
          const deleted = (await call('POST', path, request)) as InstallsDeletedAnswer;
          for (const field of ['installs', 'opens', 'events'] as const) total[field] += deleted[field];
          isComplete = deleted.isComplete || request.dryRun === true;
          if (!isComplete) progress.say(`${total.installs} installs and ${total.events} events deleted …`);
        }
    });
  } finally {
    progress.end();
  }
  print(total);
}

function readOptions(args: readonly string[]): { appId: string; requests: DeleteInstallsInput[] } {
  const { values, positionals: ids } = parse(args);
  const { app, from, to, method } = values;
  const [sameAddressAs, shortCode] = [values['same-address-as'], values['short-code']];
  if (!app) throw misused(INSTALLS_USAGE, '--app is missing.');
  if (ids.length === 0 && !sameAddressAs && !from)
    throw misused(INSTALLS_USAGE, 'Give ids, --same-address-as or --from.');
  const filter = {
    ...(sameAddressAs && { sameAddressAs }),
    ...(from && { from }),
    ...(to && { to }),
    ...(shortCode && { shortCode }),
    ...(method && { method: method as NonNullable<DeleteInstallsInput['method']> }),
    ...(values['dry-run'] && { dryRun: true }),
  };
  if (ids.length === 0) return { appId: app, requests: [filter] };
  return {
    appId: app,
    requests: [...parts(ids, MAX_INSTALLS)].map((some) => ({ ...filter, installIds: [...some] })),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        app: { type: 'string' },
        'same-address-as': { type: 'string' },
        from: { type: 'string' },
        to: { type: 'string' },
        'short-code': { type: 'string' },
        method: { type: 'string' },
        'dry-run': { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw misused(INSTALLS_USAGE, `${(error as Error).message.split(/\.(?:\s|$)/, 1)[0]}.`);
  }
}
