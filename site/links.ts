/** Where links of a document lead on the service, which has fewer files than the repository. */
import { posix } from 'node:path';

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

/** @param path of the document below `/docs/`. @returns `href` as it leads there, or null if it leads to the repository alone. */
export function linkFrom(path: string, href: string): string | null {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href;
  const [, file = '', hash = ''] = /^([^#]*)(#.*)?$/.exec(href) ?? [];
  const target = pathOf(posix.join(posix.dirname(fileOf(path) ?? path), file));
  return target === null ? null : posix.relative(posix.dirname(path), target) + hash;
}

/** @param file its path below `docs`. */
function pathOf(file: string): string | null {
  if (DOCUMENT.test(file) || PICTURE.test(file)) return file;
  if (file === 'api/openapi.json') return '../openapi.json';
  const [, folder] = README.exec(file) ?? [];
  return folder === undefined ? null : `${folder}.md`;
}

const CODE_OR_LINK = /```[\s\S]*?```|`[^`\n]*`|\[((?:`[^`\n]*`|[^[\]`])*)\]\(([^)\s]+)\)/g;

/** The Markdown with links that lead to what the service serves; of others the text stays. */
export function withServedLinks(path: string, markdown: string): string {
  return markdown.replaceAll(CODE_OR_LINK, (whole: string, text?: string, href?: string) => {
    if (text === undefined || href === undefined) return whole;
    const link = linkFrom(path, href);
    return link === null ? text : `[${text}](${link})`;
  });
}
