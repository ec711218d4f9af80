/** The documents of the service as resources, at their own addresses. */
import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';

const TIMEOUT_MS = 10_000;

export function addDocuments(server: McpServer, baseUrl: string): void {
  const list = `${baseUrl}/docs/llms.txt`;
  server.registerResource(
    'documents',
    list,
    { title: 'List of documents', description: 'What the documents are about', mimeType: 'text/plain' },
    async () => contents(list, 'text/plain', await readText(list)),
  );
  const template = new ResourceTemplate(`${baseUrl}/docs/{folder}/{name}.md`, {
    list: async () => ({ resources: listed(baseUrl, await readText(list)) }),
  });
  server.registerResource(
    'document',
    template,
    { title: 'Document', description: 'A guide or reference of the service', mimeType: 'text/markdown' },
    async (_uri, { folder, name }) => {
      const address = addressOf(baseUrl, String(folder), String(name));
      return contents(address, 'text/markdown', await readText(address));
    },
  );
}

/** Nothing but a document is asked for, whatever a client names. */
export function addressOf(baseUrl: string, folder: string, name: string): string {
  if (!/^[\w-]+$/.test(folder) || !/^[\w-]+$/.test(name))
    throw new Error('There is no such document. Read llms.txt, which lists them.');
  return `${baseUrl}/docs/${folder}/${name}.md`;
}

/** The entries of llms.txt, `- [Title](address): about`, at the address that this program uses. */
export function listed(baseUrl: string, list: string) {
  return [...list.matchAll(/^- \[(.+)\]\(\S*(\/docs\/[\w/-]+\.md)\)(?:: (.*))?$/gm)].map(
    ([, title = '', path = '', description]) => ({
      ...{ uri: `${baseUrl}${path}`, name: path.slice('/docs/'.length), title, mimeType: 'text/markdown' },
      ...(description !== undefined && { description }),
    }),
  );
}

function contents(uri: string, mimeType: string, text: string) {
  return { contents: [{ uri, mimeType, text }] };
}

/** Without the key: documents are public. */
async function readText(address: string): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(address, { signal, redirect: 'error' }).catch(() => {
    throw new Error(`No answer from ${address}. Check THROUGHLINE_URL and the network.`);
  });
  if (!response.ok)
    throw new Error(
      `${address} answered ${response.status}. Read llms.txt, which lists the documents, and check THROUGHLINE_URL.`,
    );
  return await response.text();
}
