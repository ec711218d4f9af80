export { createThroughlineClient, type ThroughlineClient, type ThroughlineOptions } from './client.ts';
export type * from './generated/types.gen.ts';
export type { CallOptions, CreateOptions, UploadOptions } from './methods.ts';
export { ThroughlineError } from './throughline-error.ts';
export {
  verifyWebhook,
  type WebhookEnvelope,
  type WebhookRefusal,
  type WebhookRequest,
  WebhookVerificationError,
} from './verify-webhook.ts';
