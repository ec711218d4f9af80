/** The MCP server on standard input and output. Nothing else is written to standard output. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createThroughlineClient } from '@throughline/server';
import { createServer } from './server.ts';
import { readSettings, type Settings } from './settings.ts';
import { REQUEST_TIMES } from './tool.ts';

function settingsOrExit(): Settings {
  try {
    return readSettings(process.env);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(2);
  }
}

const { baseUrl, key, isReadOnly } = settingsOrExit();
const client = createThroughlineClient({ baseUrl, key, ...REQUEST_TIMES });
await createServer({ client, baseUrl, isReadOnly }).connect(new StdioServerTransport());
