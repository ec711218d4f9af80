/** Rows of webhooks and what is delivered to them. */
import type { Flag } from './flag.ts';

/** Webhooks, disabled ones too; a deleted one has no row any more. */
export interface WebhooksTable {
  app_id: string;
  id: string;
  url: string;
  /** Encrypted, as the former one is. */
  secret: string | null;
  /** Signs beside the secret until then. */
  former_secret: string | null;
  former_secret_until: string | null;
  /** JSON array of event types; an empty one means all. */
  events: string;
  enabled: Flag;
  template: string | null;
  /** JSON object. */
  template_config: string | null;
  created_at: string;
  updated_at: string;
}

/** What webhooks are told: the bytes that every attempt sends, once for all webhooks that are told the same. */
export interface MessagesTable {
  app_id: string;
  /** What receivers know it by; a redelivery has it again. */
  id: string;
  event_type: string;
  sandbox: Flag;
  /** The install, open, event or postback that it tells of; of a test, the webhook. */
  record_id: string;
  /** Empty once a person in it was erased. */
  body: string;
}

/** What waits to be sent: one row for each webhook that a message goes to. */
export interface DeliveriesDueTable {
  app_id: string;
  id: string;
  webhook_id: string;
  message_id: string;
  failed_attempts: number;
  due_at: string;
}

/** What is being sent: a delivery is moved here before its attempt, and from here into the log when that has ended. */
export interface AttemptsUnderWayTable {
  app_id: string;
  id: string;
  webhook_id: string;
  message_id: string;
  webhook_url: string;
  failed_attempts: number;
  started_at: string;
}

/** The delivery log: one row for each attempt that ended, by its own or by a crash. */
export interface AttemptsTable {
  app_id: string;
  id: string;
  webhook_id: string;
  message_id: string;
  event_type: string;
  sandbox: Flag;
  webhook_url: string;
  /** 0 where there was no answer. */
  http_status: number;
  response_body: string;
  error_message: string | null;
  attempt_number: number;
  success: Flag;
  duration_ms: number;
  started_at: string;
}
