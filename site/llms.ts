/** `llms.txt`, as llmstxt.org describes it: what there is to read, for assistants and other programs. */
import { titleOf } from './document.ts';

/** What a reader looks for first, before the design of the service. */
const PARTS = [
  ['guide', 'Guides'],
  ['reference', 'Reference'],
] as const;

/**
 * @param publicUrl where the documents are.
 * @param documents the Markdown by path below `docs`.
 */
export function listForPrograms(publicUrl: string, documents: ReadonlyMap<string, string>): string {
  const parts = PARTS.map(([folder, name]) => {
    const items = [...documents]
      .filter(([path]) => path.startsWith(`${folder}/`))
      .map(([path, markdown]) => {
        const about = firstSentenceOf(markdown);
        const item = `- [${titleOf(path, markdown)}](${publicUrl}/docs/${path})`;
        return about === null ? item : `${item}: ${about}`;
      });
    return `## ${name}\n\n${items.join('\n')}\n`;
  });
  return `# Throughline

> Mobile attribution and deep links that a team runs itself: short links that open apps, and the reason why each install came.

The documents of this version, as Markdown. A page for people has the same address without \`.md\`. The API is also an [OpenAPI document](${publicUrl}/openapi.json).

${parts.join('\n')}`;
}

/** Of the paragraph below the title, without its links; null if a table, list or heading follows the title. */
function firstSentenceOf(markdown: string): string | null {
  const [, paragraph = ''] = /^# .*\n\n([A-Z`*].*)/.exec(markdown) ?? [];
  const text = paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('**', '');
  return /^.*?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? null;
}
