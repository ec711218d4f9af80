/** What Node and the virtual machine tell each other, as JSON. */

/** Lines of the machine that begin so are for Node; its prompt may precede them. */
export const MARK = '@@';

export type ToNode =
  | { readonly to: 'say'; readonly line: object }
  | { readonly to: 'log'; readonly text: string }
  | { readonly to: 'wait'; readonly timer: number; readonly ms: number }
  | ({ readonly to: 'ask'; readonly call: number } & Ask);

export type Ask =
  | { readonly for: 'getItem' | 'removeItem'; readonly key: string }
  | { readonly for: 'setItem'; readonly key: string; readonly value: string }
  | {
      readonly for: 'fetch';
      readonly url: string;
      readonly method: string;
      readonly headers: Record<string, string>;
      readonly body?: string;
    };

/** Of `fetch`. */
export interface Fetched {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

/** `error` is null unless the call failed. */
export type ToMachine =
  | { readonly to: 'take'; readonly line: string }
  | { readonly to: 'fire'; readonly timer: number }
  | { readonly to: 'settle'; readonly call: number; readonly error: string | null; readonly value: unknown };
