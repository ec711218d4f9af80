import { existsSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { databaseFile, listTableNames } from '../../db/index.ts';
import { readOptions, usageError } from '../arguments.ts';
import { printJson } from '../output.ts';
import { checkBackup } from './backup.ts';
import { attempt, type Finding, type Status } from './check.ts';
import { checkDataDir } from './data-dir.ts';
import { checkDatabase, noData, withDatabase } from './database.ts';
import { checkHosts } from './hosts.ts';
import { checkFileLimit, checkNode } from './machine.ts';
import { checkService } from './service.ts';
import { checkSettings } from './settings.ts';

const USAGE = 'throughline doctor [--json]';

export const DOCTOR_USAGE = `${USAGE}
                       check the set-up and say what to do, beside a running service or without one`;

/** Exits with code 1 if something is a fault. Changes nothing. */
export async function doctor(args: readonly string[]): Promise<void> {
  const { values, positionals } = readOptions(USAGE, {
    args: [...args],
    allowPositionals: true,
    options: { json: { type: 'boolean', default: false } },
  });
  if (positionals.length > 0) throw usageError(USAGE, `Unexpected argument “${positionals[0]}”.`);
  const findings = await examine(process.env);
  if (values.json) printJson({ ok: !hasFault(findings), findings });
  else process.stdout.write(report(findings));
  if (hasFault(findings)) process.exitCode = 1;
}

/** All checks, in the order in which a start needs what they look at. */
async function examine(env: NodeJS.ProcessEnv): Promise<readonly Finding[]> {
  const { config, findings } = checkSettings(env);
  if (config === null) return [checkNode(), ...findings];
  const groups = await Promise.all([
    attempt('files.limit', () => checkFileLimit(config)),
    attempt('disk.writable', () => checkDataDir(config)),
    ofDatabase(config),
    attempt('backup.age', () => checkBackup(config)),
    attempt('service.running', () => checkService(config)),
  ]);
  return [checkNode(), ...findings, ...groups.flat()];
}

async function ofDatabase(config: Config): Promise<readonly Finding[]> {
  if (config.databaseUrl === null && !existsSync(databaseFile(config))) return [noData()];
  return await withDatabase(config, async (store) => {
    const hasData = (await listTableNames(store.db)).has('apps');
    return [
      ...(await checkDatabase(store, config, { hasData })),
      ...(hasData ? await attempt('host.dns', () => checkHosts({ db: store.db, config })) : []),
    ];
  });
}

function hasFault(findings: readonly Finding[]): boolean {
  return findings.some(({ status }) => status === 'fault');
}

const LABELS: Readonly<Record<Status, string>> = {
  ok: 'ok      ',
  warning: 'WARNING ',
  fault: 'FAULT   ',
  unknown: 'unknown ',
};

function report(findings: readonly Finding[]): string {
  const lines = findings.map(
    ({ status, text, mend }) => `${LABELS[status]}${text}.${mend === null ? '' : `\n        → ${mend}`}`,
  );
  const count = (status: Status) => findings.filter((finding) => finding.status === status).length;
  const summary = `Faults: ${count('fault')}, warnings: ${count('warning')}, unknown: ${count('unknown')}.`;
  return `${lines.join('\n').replaceAll(/\.\.$/gm, '.')}\n\n${summary}\n`;
}
