/** The log of the webhooks: the messages of the last days, and their attempts, of which some failed. */

import { insertAuditEntries } from '../../audit/index.ts';
import { findClick } from '../../click-log/index.ts';
import { type InstallsTable, insertMany } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { installEvent } from '../../installs/record-install.ts';
import { DAY_MS, HOUR_MS, isoTime } from '../../lib/clock.ts';
import { createLinkDirectory, type LinkDirectory } from '../../links/index.ts';
import {
  type FinishedAttempt,
  isFinalFailure,
  retryDelayMs,
  toAuditEntry,
  toLogRow,
} from '../../webhooks/attempts/attempt.ts';
import { type DueAttempt, type MessageRow, toLease } from '../../webhooks/attempts/queue.ts';
import type { AttemptResult } from '../../webhooks/attempts/send.ts';
import { toEnabledWebhook } from '../../webhooks/enabled-webhooks.ts';
import { createOutbox, type WebhookEvent } from '../../webhooks/index.ts';
import type { WebhookRow } from '../../webhooks/webhook.ts';
import type { Random } from '../traffic/random.ts';
import { momentAt } from './recorder.ts';
import type { Tenant } from './tenant.ts';

const LOGGED_DAYS = 7;
/** The chat did not answer for some hours. */
const OUTAGE = { fromAgoMs: 2.5 * DAY_MS, toAgoMs: 2.5 * DAY_MS - 12 * HOUR_MS };
const FAULT_SHARE = 0.05;

/** @returns the number of attempts. */
export async function recordAttempts(
  foundation: Foundation,
  { tenant, random, nowMs }: { tenant: Tenant; random: Random; nowMs: number },
): Promise<number> {
  const { db } = foundation;
  const { app, webhooks } = tenant;
  const installs = await db
    .selectFrom('installs')
    .selectAll()
    .where('app_id', '=', app.id)
    .where('installed_at', '>=', isoTime(nowMs - LOGGED_DAYS * DAY_MS))
    .orderBy('id')
    .execute();
  const links = createLinkDirectory(foundation);
  const enabled = webhooks.map(toEnabledWebhook);
  const messages: MessageRow[] = [];
  const finished: FinishedAttempt[] = [];
  for (const install of installs) {
    const atMs = Date.parse(install.installed_at);
    const event = await eventOf(foundation, { install, appName: app.name, links });
    const outbox = createOutbox(momentAt(atMs, random), app.id, enabled, [event]);
    messages.push(...outbox.messages);
    for (const due of outbox.attempts) {
      const message = outbox.messages.find(({ id }) => id === due.message_id);
      const webhook = webhooks.find(({ id }) => id === due.webhook_id);
      if (message === undefined || webhook === undefined) continue;
      finished.push(...attemptsOf(random, { due, message, webhook, atMs, nowMs }));
    }
  }
  const failures = finished.filter(isFinalFailure);
  await db.transaction().execute(async (tx) => {
    await insertMany(tx, 'webhook_messages', messages);
    await insertMany(tx, 'webhook_attempts', finished.map(toLogRow));
    const entries = failures.flatMap((each) => toAuditEntry(momentAt(endOf(each), random), each) ?? []);
    await insertAuditEntries(tx, entries);
  });
  return finished.length;
}

async function eventOf(
  { db }: Foundation,
  { install, appName, links }: { install: InstallsTable; appName: string; links: LinkDirectory },
): Promise<WebhookEvent> {
  const { app_id: appId, click_id: clickId, link_id: linkId } = install;
  const click = clickId === null ? null : ((await findClick(db, appId, clickId)) ?? null);
  const link = linkId === null ? null : ((await links.find(appId, linkId)) ?? null);
  return installEvent(install, { appName, click, link });
}

interface MessageToSend {
  readonly due: DueAttempt;
  readonly message: MessageRow;
  readonly webhook: WebhookRow;
  readonly atMs: number;
  readonly nowMs: number;
}

/** Until one succeeds or none is left. */
function attemptsOf(
  random: Random,
  { due, message, webhook, atMs, nowMs }: MessageToSend,
): FinishedAttempt[] {
  const attempts: FinishedAttempt[] = [];
  let startMs = atMs + random.between(3, 40);
  for (let failed = 0; ; failed++) {
    const agoMs = nowMs - startMs;
    const isDown = webhook.template !== null && agoMs < OUTAGE.fromAgoMs && agoMs > OUTAGE.toAgoMs;
    const result = isDown ? TIMED_OUT : random.chance(FAULT_SHARE) ? REFUSED : delivered(random);
    const { clock, ids } = momentAt(startMs, random);
    const row = { ...due, failed_attempts: failed, ...toLease({ clock }, webhook) };
    const attempt = { attempt: { id: ids.next(), row, message }, result };
    attempts.push(attempt);
    const delayMs = retryDelayMs(attempt);
    if (delayMs === null) return attempts;
    startMs += result.durationMs + delayMs;
  }
}

const FAILED = { success: false, isInterrupted: false } as const;
const TIMED_OUT: AttemptResult = {
  ...FAILED,
  httpStatus: 0,
  responseBody: '',
  errorMessage: 'The receiver did not answer within 10 seconds.',
  pauseMs: null,
  durationMs: 10_000,
};
const REFUSED: AttemptResult = {
  ...FAILED,
  httpStatus: 503,
  responseBody: '{"error":"deploying, try again"}',
  errorMessage: 'The receiver answered 503.',
  pauseMs: null,
  durationMs: 84,
};

function delivered(random: Random): AttemptResult {
  return {
    success: true,
    isInterrupted: false,
    httpStatus: 200,
    responseBody: 'ok',
    errorMessage: null,
    pauseMs: null,
    durationMs: Math.round(random.logNormal(60, 0.5)),
  };
}

function endOf({ attempt: { row }, result }: FinishedAttempt): number {
  return Date.parse(row.next_attempt_at) + result.durationMs;
}
