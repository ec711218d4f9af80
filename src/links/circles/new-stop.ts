import type { AppRow } from '../../apps/index.ts';
import type { CreateLinkInput } from '../schemas.ts';
import type { Stop } from './loops.ts';

/** What links have from their app. */
export type LeadingApp = Pick<AppRow, 'id' | 'ios_destination' | 'android_destination' | 'fallback_url'>;

/** A new link as taps will have it. */
export function newStop(app: LeadingApp, input: CreateLinkInput): Stop {
  return {
    appId: app.id,
    shortCode: input.shortCode ?? null,
    path: input.path?.replace(/^\//, '') ?? null,
    passPath: input.passPath ?? false,
    rules: input.rules ?? [],
    iosDestination: input.iosDestination ?? app.ios_destination,
    androidDestination: input.androidDestination ?? app.android_destination,
    fallbackUrl: input.fallbackUrl ?? app.fallback_url,
    mayExpire: (input.expiresInDays ?? input.expiresAt ?? null) !== null,
    ...{ expiredUrl: input.expiredUrl ?? null, goneWhenExpired: input.goneWhenExpired ?? false },
  };
}
