import type { WebhookEvent } from '../webhooks/index.ts';
import { fieldsOf, kindOf, type PostbackRow } from './postback.ts';
import { unpack } from './verification/index.ts';

/**
 * What webhooks tell of a postback: the app's name, then every field as it came; of AdAttributionKit what its JWS holds
 * follows. No field of the sender's takes the place of the app's name or of what Apple signed.
 */
export function postbackReceived(postback: PostbackRow, appName: string): WebhookEvent {
  const { appName: _theirs, ...fields } = fieldsOf(postback);
  return {
    type: 'skan.postback_received',
    timestamp: postback.received_at,
    isSandbox: postback.sandbox === 1,
    recordId: postback.id,
    data: { appName, ...fields, ...unpack(kindOf(postback), fields) },
  };
}
