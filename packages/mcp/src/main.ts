/** The MCP server on standard input and output. Nothing else is written to standard output. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createThroughlineClient } from '@throughline/server';
import { createServer } from './server.ts';
import { readSettings, type Settings } from './settings.ts';

function settingsOrExit(): Settings {
  try {
    return readSettings(process.env);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(2);
  }
}

const { baseUrl, key, isReadOnly } = settingsOrExit();
// An assistant and its person wait for the answer.
const client = createThroughlineClient({ baseUrl, key, retries: 1 });
await createServer({ client, baseUrl, isReadOnly }).connect(new StdioServerTransport());
