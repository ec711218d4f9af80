/** The documents of the service as resources, at their own addresses. */
import {
  type McpServer,
  type ReadResourceTemplateCallback,
  ResourceTemplate,
} from '@modelcontextprotocol/sdk/server/mcp.js';

const TIMEOUT_MS = 10_000;
/** With the sentence below it, no more than an answer of a tool. */
const MAX_PART = 39_000;

export function addDocuments(server: McpServer, baseUrl: string): void {
  const list = `${baseUrl}/docs/llms.txt`;
  server.registerResource(
    'documents',
    list,
    { title: 'List of documents', description: 'What the documents are about', mimeType: 'text/plain' },
    async () => contents(list, 'text/plain', await readText(list)),
  );
  const address = `${baseUrl}/docs/{folder}/{name}.md`;
  const resources = async () => ({ resources: listed(baseUrl, await readText(list)) });
  const about = { description: 'A guide or reference of the service', mimeType: 'text/markdown' };
  const read: ReadResourceTemplateCallback = async ({ href }, { folder, name, part }) => {
    const document = addressOf(baseUrl, String(folder), String(name));
    return contents(href, 'text/markdown', partOf(document, await readText(document), Number(part ?? 1)));
  };
  const whole = new ResourceTemplate(address, { list: resources });
  server.registerResource('document', whole, { title: 'Document', ...about }, read);
  const inParts = new ResourceTemplate(`${address}{?part}`, { list: undefined });
  server.registerResource('part', inParts, { title: 'Part of a long document', ...about }, read);
}

/** A document that is too long for one answer comes in parts, each of which says how to go on. */
export function partOf(address: string, text: string, part: number): string {
  const parts = partsOf(text);
  const found = parts[part - 1];
  if (found === undefined)
    throw new Error(`${address} has no such part: part is a number from 1 to ${parts.length}.`);
  if (parts.length === 1) return found;
  const next = part === parts.length ? 'This is the last part.' : `Read on at ${address}?part=${part + 1}.`;
  return `${found.trimEnd()}\n\n[Part ${part} of ${parts.length}. ${next}]\n`;
}

/** Ends each part before a heading, or a line where there is none. */
function partsOf(text: string): string[] {
  if (text.length <= MAX_PART) return [text];
  const [heading, line] = ['\n#', '\n'].map((mark) => text.lastIndexOf(mark, MAX_PART - 1));
  const end = [heading, line, MAX_PART].find((at) => at !== undefined && at > MAX_PART / 2) ?? MAX_PART;
  return [text.slice(0, end), ...partsOf(text.slice(end))];
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
