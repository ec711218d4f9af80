import { type DeviceReport, signalsOfDevice } from '../devices/index.ts';
import { type Decision, signalsOfRow } from './decide.ts';
import type { KnownInstall } from './matching/index.ts';

/** What a decided install teaches the matching. */
export function toKnownInstall(
  { report, address, installedAtMs }: { report: DeviceReport; address: string | null; installedAtMs: number },
  { method, click, trace: { fingerprint } }: Pick<Decision, 'method' | 'click' | 'trace'>,
): KnownInstall {
  const isNamed = method === 'INSTALL_REFERRER' || method === 'CLICK_ID';
  return {
    platform: report.platform,
    device: signalsOfDevice(report),
    address,
    installedAtMs,
    namedClick:
      click === null || !isNamed
        ? null
        : { signals: signalsOfRow(click), address: click.ip_hash, clickedAtMs: Date.parse(click.clicked_at) },
    compared:
      'candidates' in fingerprint
        ? {
            crowd: fingerprint.crowd,
            probabilities: fingerprint.candidates.map(({ probability }) => probability),
          }
        : null,
  };
}
