import type { IncomingMessage, ServerResponse } from 'node:http';
import { SHORT_LINK_PATH } from '../links/index.ts';

/** A request that follows a short link. Its stored record is a click. */
export interface Tap {
  readonly shortCode: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The visitor's IP address, behind trusted proxies. */
  readonly address: string | undefined;
}

/** Route name in OpenAPI, metrics and logs. */
export const TAP_ROUTE = `${SHORT_LINK_PATH}:shortCode`;
