import type { IncomingMessage, ServerResponse } from 'node:http';
import { SHORT_LINK_PATH } from '../links/index.ts';

/** A tap under way. */
export interface Tap {
  readonly shortCode: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The visitor's, past our own proxies. */
  readonly address: string | undefined;
}

/** As the API's description, metrics and the log know it. */
export const TAP_ROUTE = `${SHORT_LINK_PATH}:shortCode`;
