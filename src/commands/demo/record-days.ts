/** Records the taps and installs of all days, then what people did in the app. */
import type { Foundation } from '../../foundation.ts';
import { recordInstall } from '../../installs/record-install.ts';
import { inLanes } from '../../lib/lanes.ts';
import { resolveDeepLink } from '../../opens/record-direct-open.ts';
import { recordOpen } from '../../opens/record-open.ts';
import { Random } from '../traffic/random.ts';
import type { Click } from '../traffic/touches.ts';
import { Ads } from './ads.ts';
import { buildDays, DAYS, dayIndexOf, type Extent, linkOn, type Start, type Tap } from './days.ts';
import { Recorder } from './recorder.ts';
import type { Tenant } from './tenant.ts';
import { planUse, type Use } from './usage.ts';

export interface Counts {
  taps: number;
  installs: number;
  opens: number;
  events: number;
}

interface Recording extends Extent {
  readonly foundation: Foundation;
  readonly tenant: Tenant;
  report(text: string): void;
}

/** A secret key's calls name the address of the device themselves. */
const NO_CONNECTION = '';
/** Concurrent installs in use, whose commits share a sync of the disk. */
const LANES = 32;
const FOLD_EVERY_DAYS = 15;
/** Places in `LINKS`: the letters to customers, and the sale. */
const LINKS_FOR_CUSTOMERS = [11, 11, 11, 2, 2, 0];

export async function recordDays(recording: Recording): Promise<Counts> {
  const recorder = new Recorder(recording.foundation);
  const counts = { taps: 0, installs: 0, opens: 0, events: 0 };
  const starts = await recordTouches(recording, recorder, counts);
  await recordUses(recording, recorder, { starts, counts });
  recording.report('Adding up the numbers …');
  await recorder.fold(recording.tenant.app.id);
  return counts;
}

/** In time order, so that each install is decided on the clicks before it. */
async function recordTouches(recording: Recording, recorder: Recorder, counts: Counts): Promise<Start[]> {
  const { foundation, tenant, seed, report } = recording;
  const random = new Random(seed + 1);
  const ads = new Ads(new Random(seed + 2));
  const starts: Start[] = [];
  let index = 0;
  for (const { startMs, touches } of buildDays(recording)) {
    index += 1;
    report(`Recording day ${index} of ${DAYS}: ${counts.taps} taps and ${counts.installs} installs so far …`);
    await foundation.store.makePartitions(startMs);
    for (const touch of touches)
      if (touch.type === 'tap') {
        await recorder.tap(toRecord(tenant, touch));
        counts.taps += 1;
      } else {
        const { install, atMs } = touch;
        const { id: installId, fingerprint, installReferrer, clickId } = install;
        const call = { installId, fingerprint, installReferrer, clickId };
        const sender = { actor: tenant.actor, connectionAddress: NO_CONNECTION };
        const answer = await recordInstall(recorder.recordingAt(atMs, random), { ...sender, call });
        await ads.claim(foundation, tenant, touch, answer);
        starts.push(touch);
        counts.installs += 1;
      }
    if (index % FOLD_EVERY_DAYS === 0) await recorder.fold(tenant.app.id);
  }
  await ads.storeCosts(foundation, tenant, recording.nowMs);
  return starts;
}

function toRecord(tenant: Tenant, { click, link, source }: Tap) {
  return { click, code: codeOf(tenant, link), source };
}

function codeOf({ codes }: Tenant, link: Tap['link']): string {
  const code = codes.get(link);
  if (code === undefined) throw new Error(`the demo has no link for ${link.code}`);
  return code;
}

async function recordUses(
  recording: Recording,
  recorder: Recorder,
  { starts, counts }: { starts: readonly Start[]; counts: Counts },
): Promise<void> {
  let done = 0;
  const lanes = { laneOf: () => null, maxLanes: LANES };
  await inLanes([...starts.entries()], lanes, async ([index, start]) => {
    const random = new Random(recording.seed * 1_000_003 + index);
    const uses = planUse(random, {
      installedAtMs: start.atMs,
      currency: currencyOf(start),
      nowMs: recording.nowMs,
    });
    const user: User = { recording, recorder, random, start, counts };
    for (const use of uses) await recordUse(user, use);
    done += 1;
    if (done % 50 === 0)
      recording.report(`Using the app: ${done} of ${starts.length} installs, ${counts.events} events …`);
  });
}

function currencyOf({ install }: Start): string {
  return install.fingerprint.timezone?.startsWith('America/') ? 'USD' : 'EUR';
}

interface User {
  readonly recording: Recording;
  readonly recorder: Recorder;
  readonly random: Random;
  readonly start: Start;
  readonly counts: Counts;
}

async function recordUse(user: User, { atMs, what }: Use): Promise<void> {
  const { recording, recorder, random, start, counts } = user;
  const { actor } = recording.tenant;
  const sender = { actor, connectionAddress: NO_CONNECTION };
  const installId = start.install.id;
  const events = recorder.eventsAt(atMs, random);
  switch (what.type) {
    case 'session':
      await events.record({ ...sender, event: { installId, eventName: 'session_start' } });
      return;
    case 'identify':
      await events.identify({
        actor,
        input: { installId, userId: `customer-${random.between(10_000, 99_999)}` },
      });
      return;
    case 'event': {
      const { eventName, properties, revenue } = what;
      const paid = revenue === null ? {} : { revenue, transactionId: `order-${random.hex(10)}` };
      const event = { installId, eventName, properties, eventId: random.uuid(Math.floor(atMs)), ...paid };
      await events.record({ ...sender, event });
      counts.events += 1;
      return;
    }
    case 'direct_open':
    case 'open':
      await recordOneOpen(user, what.type, Math.floor(atMs));
      counts.opens += 1;
  }
}

async function recordOneOpen(user: User, type: 'direct_open' | 'open', atMs: number): Promise<void> {
  const { recording, recorder, random, start, counts } = user;
  const { tenant } = recording;
  const sender = { actor: tenant.actor, connectionAddress: NO_CONNECTION };
  const { id: installId, fingerprint } = start.install;
  const openId = random.uuid(atMs);
  const deps = recorder.recordingAt(atMs, random);
  const tap = type === 'open' ? start.lastTap : null;
  if (tap === null) {
    const input = { shortCode: codeOf(tenant, linkAt(user, atMs)), installId, openId, fingerprint };
    await resolveDeepLink(deps, { ...sender, input });
    return;
  }
  // The browser of the tap before the install, a few seconds earlier than the open.
  const tappedAtMs = atMs - random.between(2_000, 9_000);
  const click: Click = {
    ...tap.click,
    id: random.uuid(tappedAtMs),
    at: new Date(tappedAtMs).toISOString(),
    ipAddress: fingerprint.ipAddress,
  };
  await recorder.tap(toRecord(tenant, { ...tap, click, link: linkAt(user, tappedAtMs) }));
  counts.taps += 1;
  // On Android the link that opens the app carries the click's ID.
  const clickId = fingerprint.platform === 'ANDROID' ? click.id : null;
  await recordOpen(deps, { ...sender, call: { openId, installId, fingerprint, clickId } });
}

function linkAt({ random, recording: { nowMs } }: User, atMs: number): Tap['link'] {
  return linkOn(dayIndexOf(atMs, nowMs), random.pick(LINKS_FOR_CUSTOMERS));
}
