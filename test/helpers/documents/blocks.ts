/** The blocks of code of a page, as a reader would copy them. */
import { globSync, readFileSync } from 'node:fs';

export interface Block {
  readonly page: string;
  /** Of the fence. */
  readonly line: number;
  readonly language: string;
  /** Without the indentation that a list gives it. */
  readonly text: string;
  /** What the page shows below it as the answer; null without. */
  readonly shown: Block | null;
}

/** All that a reader follows. */
export const PAGES: readonly string[] = globSync([
  '{README,CONTRIBUTING}.md',
  'docs/{index,import}.md',
  'docs/{guide,internals,reference,adr}/*.md',
  '{packages,clients}/*/README.md',
  '{bench,deploy}/**/*.md',
]).sort();

const COMMANDS = ['sh', 'bash', 'shell', 'console', 'sql', 'promql', 'crontab', 'powershell'];
const FENCE = /^( *)```(\w*)\n(.*?)^\1```$/gms;

export function blocksOf(page: string): readonly Block[] {
  const markdown = readFileSync(page, 'utf8');
  const blocks: Block[] = [];
  let end = markdown.length;
  for (const found of [...markdown.matchAll(FENCE)].reverse()) {
    const [all, indent = '', language = '', text = ''] = found;
    const [next] = blocks;
    const isFollowed = next !== undefined && markdown.slice(found.index + all.length, end).trim() === '';
    blocks.unshift({
      page,
      line: markdown.slice(0, found.index).split('\n').length,
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      shown: isFollowed && ['json', 'text'].includes(next.language) ? next : null,
    });
    end = found.index;
  }
  return blocks;
}

/** Blocks that a reader runs. */
export function commandsOf(page: string): readonly Block[] {
  return blocksOf(page).filter(({ language }) => COMMANDS.includes(language));
}

/** The only block of a page that begins so. */
export function blockOf(page: string, begin: string): Block {
  const [block, ...more] = blocksOf(page).filter(({ text }) => text.startsWith(begin));
  if (block === undefined || more.length > 0)
    throw new Error(
      `${page} has ${block === undefined ? 'no block' : 'several blocks'} that begin with: ${begin}`,
    );
  return block;
}
