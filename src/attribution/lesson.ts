import { type DeviceReport, signalsOfDevice } from '../devices/index.ts';
import { type Decision, isNamed } from './decide.ts';
import type { KnownInstall } from './matching/index.ts';
import { signalsOfRow } from './row-signals.ts';

/** What a decided install teaches the matching. */
export function toKnownInstall(
  { report, address, installedAtMs }: { report: DeviceReport; address: string | null; installedAtMs: number },
  { method, click, trace: { fingerprint } }: Pick<Decision, 'method' | 'click' | 'trace'>,
): KnownInstall {
  return {
    platform: report.platform,
    device: signalsOfDevice(report),
    address,
    installedAtMs,
    namedClick:
      click === null || !isNamed(method)
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
