export { createCourier } from './delivery/index.ts';
export { dropOldDeliveries } from './drop-old.ts';
export { forgetFormerSecrets } from './forget-secrets.ts';
export { eraseMessages, settleErased } from './personal-data.ts';
export { insertOutbox, outboxOf, publishMany, type WebhookEvent } from './publish.ts';
export type { PublishingCtx } from './publishing-ctx.ts';
export { createSubscriptions, type Subscription } from './subscriptions.ts';
