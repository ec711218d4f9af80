import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { ThroughlineClient } from '@throughline/server';
import manifest from '../package.json' with { type: 'json' };
import { addDocuments } from './documents.ts';
import { NOTICE } from './tool.ts';
import { ATTRIBUTION_TOOLS } from './tools/attribution.ts';
import { DESTINATION_TOOLS } from './tools/destinations.ts';
import { IMPORT_TOOLS } from './tools/imports.ts';
import { LINK_CHANGES } from './tools/link-changes.ts';
import { LINK_TOOLS } from './tools/links.ts';
import { PRIVACY_TOOLS } from './tools/privacy.ts';
import { RECORD_TOOLS } from './tools/records.ts';
import { STATISTICS_TOOLS } from './tools/statistics.ts';
import { WEBHOOK_TOOLS } from './tools/webhooks.ts';

export const TOOLS = [
  ...LINK_TOOLS,
  ...LINK_CHANGES,
  ...STATISTICS_TOOLS,
  ...RECORD_TOOLS,
  ...ATTRIBUTION_TOOLS,
  ...WEBHOOK_TOOLS,
  ...DESTINATION_TOOLS,
  ...IMPORT_TOOLS,
  ...PRIVACY_TOOLS,
];

const INSTRUCTIONS = `Throughline attributes installs of one mobile app to short links. A click is a tap on a link; an install, open or event is a record of the app; the trace of an install says why it has its click, or none. Begin with read_statistics for numbers, find_links or search for things, read_install for the reason of one install, diagnose_link for what does not work. The documents are resources; llms.txt lists them. ${NOTICE}`;

interface ServerOptions {
  readonly client: ThroughlineClient;
  readonly baseUrl: string;
  readonly isReadOnly: boolean;
}

export function createServer({ client, baseUrl, isReadOnly }: ServerOptions): McpServer {
  const info = { name: 'throughline', title: 'Throughline', version: manifest.version };
  const server = new McpServer(info, { instructions: INSTRUCTIONS });
  for (const tool of TOOLS) if (!isReadOnly || tool.effect === 'reads') tool.register(server, client);
  addDocuments(server, baseUrl);
  return server;
}
