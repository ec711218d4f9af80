import type { Foundation } from '../../foundation.ts';
import { secretOwner, type WebhookRow } from '../webhook.ts';
import type { DestinationType, Mapping } from './destination-type.ts';
import { type Choice, choiceOf } from './feed.ts';
import { DESTINATION_TYPES } from './types/index.ts';

export type Config = Readonly<Record<string, unknown>>;
/** Any: the caller has checked the config by the type's own schema. */
export type AnyType = DestinationType<Config>;

export const CONSENTS = ['granted', 'any'] as const;
type Consent = (typeof CONSENTS)[number];

/** What is sent and how, without what opens it. */
export interface Destination extends Choice {
  readonly row: WebhookRow;
  readonly type: AnyType;
  readonly mapping: Mapping;
  readonly consent: Consent;
}

export function typeOf(name: string | null): AnyType | null {
  const type = DESTINATION_TYPES.find((each) => each.type === name);
  return type === undefined ? null : (type as unknown as AnyType);
}

/** @returns null for a type that this version does not know. */
export function toDestination(row: WebhookRow): Destination | null {
  const type = typeOf(row.type);
  if (type === null) return null;
  return {
    row,
    type,
    mapping: JSON.parse(row.mapping ?? '{}') as Mapping,
    consent: row.consent === 'any' ? 'any' : 'granted',
    ...choiceOf(row),
  };
}

/** The whole config; null if the secret fields cannot be decrypted. */
export function readConfig({ secrets }: Pick<Foundation, 'secrets'>, row: WebhookRow): Config | null {
  const open = JSON.parse(row.config ?? '{}') as Config;
  const secret = readSecrets({ secrets }, row);
  return secret === null ? null : { ...open, ...secret };
}

/** The secret fields; null if they cannot be decrypted. */
export function readSecrets({ secrets }: Pick<Foundation, 'secrets'>, row: WebhookRow): Config | null {
  if (row.secret === null) return {};
  const text = secrets.decrypt(row.secret, secretOwner(row));
  return text === null ? null : (JSON.parse(text) as Config);
}
