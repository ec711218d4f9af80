/** What the program reads of its environment. */
export interface Settings {
  readonly baseUrl: string;
  readonly key: string;
  /** Leaves out the tools that change something. */
  readonly isReadOnly: boolean;
}

/** @throws Error that says what to set, without a value that may be a key. */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const baseUrl = (env.THROUGHLINE_URL ?? '').trim();
  // A file of secrets often ends in a line break.
  const key = (env.THROUGHLINE_KEY ?? '').trim();
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl))
    throw new Error(
      'THROUGHLINE_URL must be the address of the service, such as https://links.example.com. Set it in the configuration of the MCP server.',
    );
  if (!/^svc_(live|test)_(?!pub_)[\x21-\x7e]+$/.test(key))
    throw new Error(
      'THROUGHLINE_KEY must be a secret key of the app, svc_test_… or svc_live_…. Make one in the console under Keys, and set it in the configuration of the MCP server.',
    );
  const isReadOnly = !['', '0', 'false'].includes(env.THROUGHLINE_READ_ONLY ?? '');
  return { baseUrl: baseUrl.replace(/\/+$/, ''), key, isReadOnly };
}
