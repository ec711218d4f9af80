import { StartError } from '../errors.ts';
import { type DeleteInstallsInput, type InstallsDeletedAnswer, MAX_INSTALLS } from '../installs/schemas.ts';
import { chunks } from '../lib/chunks.ts';
import { appPath, withAdmin } from './admin-client.ts';
import { readOptions, usageError } from './arguments.ts';
import { printJson, showProgress } from './output.ts';

export const INSTALLS_USAGE = 'throughline installs delete --app APP_ID [ID …] [FILTER …] [--dry-run]';

export const INSTALLS_HELP = `${INSTALLS_USAGE}

Deletes forged installs with their opens and events. An install must match all given filters:

ID …                     one of these installs
--same-address-as ID     recorded from the same IP address as this install
--from TIME, --to TIME   recorded at or after --from and before --to, such as 2026-01-31T12:00:00Z
--short-code CODE        attributed to this link
--method METHOD          INSTALL_REFERRER, CLICK_ID, FINGERPRINT or ORGANIC
--dry-run                count the matching installs without deleting them`;

/** Deletes an app's installs in bounded requests until none matches. */
export async function installs([verb, ...args]: readonly string[]): Promise<void> {
  if (verb !== 'delete') throw new StartError(`Usage:\n\n${INSTALLS_HELP}`);
  const { appId, requests } = readRequests(args);
  const progress = showProgress();
  const total = { installs: 0, opens: 0, events: 0 };
  try {
    await withAdmin(async (call) => {
      for (const request of requests)
        for (let isComplete = false; !isComplete; ) {
          const deleted = (await call(
            'POST',
            `${appPath(appId)}/installs/deletions`,
            request,
          )) as InstallsDeletedAnswer;
          for (const field of ['installs', 'opens', 'events'] as const) total[field] += deleted[field];
          isComplete = deleted.isComplete || request.dryRun === true;
          if (!isComplete) progress.report(`${total.installs} installs and ${total.events} events deleted …`);
        }
    });
  } finally {
    progress.end();
  }
  printJson(total);
}

function readRequests(args: readonly string[]): { appId: string; requests: DeleteInstallsInput[] } {
  const { values, positionals: ids } = readOptions(INSTALLS_USAGE, {
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
  const { app, from, to, method } = values;
  const [sameAddressAs, shortCode] = [values['same-address-as'], values['short-code']];
  if (!app) throw usageError(INSTALLS_USAGE, '--app is missing.');
  if (ids.length === 0 && !sameAddressAs && !from)
    throw usageError(INSTALLS_USAGE, 'Give ids, --same-address-as or --from.');
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
    requests: [...chunks(ids, MAX_INSTALLS)].map((some) => ({ ...filter, installIds: [...some] })),
  };
}
