/** Where links of a document lead on the service, which has fewer files than the repository. */
import { posix } from 'node:path';
import { VERSION } from '../src/lib/version.ts';

/** As it was at this version. */
const REPOSITORY = `https://github.com/throughline/throughline/blob/v${VERSION}/`;

const DOCUMENT = /^(?:(?:guide|reference|internals|adr)\/[\w-]+|index|import)\.md$/;
const PICTURE = /^pictures\/[\w-]+\.png$/;
/** The page `packages/web` is the README of that folder. */
const README_PAGE = /^((?:packages|clients)\/[\w-]+)\.md$/;
const README = /^\.\.\/((?:packages|clients)\/[\w-]+)(?:\/README\.md|\/)?$/;

/** @param path below `/docs/`. @returns the path of its file below `docs`, or null if there is no such document. */
export function fileOf(path: string): string | null {
  if (DOCUMENT.test(path) || PICTURE.test(path)) return path;
  const [, folder] = README_PAGE.exec(path) ?? [];
  return folder === undefined ? null : `../${folder}/README.md`;
}

/** @param path of the document below `/docs/`. @returns `href` as it leads there, or to the repository for what the service lacks. */
export function linkFrom(path: string, href: string): string {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href;
  const [, file = '', hash = ''] = /^([^#]*)(#.*)?$/.exec(href) ?? [];
  const source = posix.join(posix.dirname(fileOf(path) ?? path), file);
  const target = pathOf(source);
  if (target === null) return REPOSITORY + posix.join('docs', source) + hash;
  return posix.relative(posix.dirname(path), target) + hash;
}

/** @param file its path below `docs`. */
function pathOf(file: string): string | null {
  if (DOCUMENT.test(file) || PICTURE.test(file)) return file;
  if (file === 'api/openapi.json') return '../openapi.json';
  const [, folder] = README.exec(file) ?? [];
  return folder === undefined ? null : `${folder}.md`;
}

const CODE_OR_LINK = /```[\s\S]*?```|`[^`\n]*`|\[((?:`[^`\n]*`|[^[\]`])*)\]\(([^)\s]+)\)/g;

/** The Markdown with links as they lead from the service. */
export function withServedLinks(path: string, markdown: string): string {
  return markdown.replaceAll(CODE_OR_LINK, (whole: string, text?: string, href?: string) => {
    if (text === undefined || href === undefined) return whole;
    return `[${text}](${linkFrom(path, href)})`;
  });
}
