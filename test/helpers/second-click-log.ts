import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Registry } from 'prom-client';
import type { NewClick } from '../../src/click-log/click.ts';
import {
  type ClickLog,
  type ClickLogLimits,
  JOURNAL_LIMITS,
  openClickLog,
} from '../../src/click-log/click-log.ts';
import type { Store } from '../../src/db/index.ts';
import { isoTime } from '../../src/lib/clock.ts';
import type { World } from './world.ts';

/** Opens a second click log on the world's database, with its own journal. */
export async function openSecondClickLog(
  t: TestContext,
  { service }: World,
  { store = service.store, ...limits }: Partial<ClickLogLimits> & { store?: Store } = {},
): Promise<{ clickLog: ClickLog; journal: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'throughline-click-log-'));
  const own = { ...service, store, metrics: new Registry(), config: { ...service.config, dataDir } };
  const clickLog = await openClickLog(own, { ...JOURNAL_LIMITS, ...limits });
  t.after(async () => {
    await clickLog.close();
    rmSync(dataDir, { recursive: true });
  });
  return { clickLog, journal: join(dataDir, 'journal') };
}

export function newClick({ service }: World, appId: string): NewClick {
  const { ids, clock } = service;
  return {
    app_id: appId,
    id: ids.next(),
    link_id: ids.next(),
    campaign_id: null,
    sandbox: 0,
    visitor: 'human',
    visitor_reason: null,
    platform: 'IOS',
    ip_hash: null,
    user_agent: 'x'.repeat(200),
    accept_language: null,
    device_model: null,
    fingerprint: null,
    country: null,
    referrer: null,
    utm: null,
    query: null,
    erased: null,
    erased_at: null,
    ...{ rule_id: null, path_rest: null },
    clicked_at: isoTime(clock.nowMs()),
  };
}

export async function countClicks({ service }: World, appId: string): Promise<number> {
  const query = service.db.selectFrom('clicks').select('id').where('app_id', '=', appId);
  return (await query.execute()).length;
}
