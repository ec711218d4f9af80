import { readFileSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { findServerPid } from '../../lib/data-dir/index.ts';
import { type Finding, fault, ok, unknown, warning } from './check.ts';

const NODE_MAJOR = 24;
/** Connections of clients, webhooks and the database. */
const FEW_FILES = 4_096;

export function checkNode(version: string = process.version): Finding {
  const major = Number(/^v(\d+)/.exec(version)?.[1] ?? 0);
  return major >= NODE_MAJOR
    ? ok('node.version', `Node ${version}`)
    : fault('node.version', `Node ${version} is too old`, `Install Node ${NODE_MAJOR} or newer.`);
}

/** Of the running service; without one, of a service that this shell would start. */
export function checkFileLimit(config: Pick<Config, 'dataDir'>): Finding {
  const pid = findServerPid(config);
  const whose = pid === null ? 'A service started here' : 'The service';
  let limits: string;
  try {
    limits = readFileSync(`/proc/${pid ?? 'self'}/limits`, 'utf8');
  } catch {
    return unknown('files.limit', 'The limit of open files cannot be read on this system');
  }
  const soft = /^Max open files\s+(\S+)/m.exec(limits)?.[1] ?? '';
  return soft === 'unlimited' || Number(soft) >= FEW_FILES
    ? ok('files.limit', `${whose} may open ${soft} files`)
    : warning(
        'files.limit',
        `${whose} may open ${soft} files, and each connection takes one`,
        'Raise it: LimitNOFILE=65536 in the unit, --ulimit nofile=65536 for a container, or ulimit -n.',
      );
}
