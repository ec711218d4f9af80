/**
 * One page with the public declarations of Kotlin sources and their comments, for the documentation jar that Maven Central
 * wants. It reads the texts as this project formats them, and is no Dokka.
 */
import { escapeXml } from './pom.js';

const STYLE =
  'body{font:16px/1.5 sans-serif;max-width:52rem;margin:auto;padding:1rem}pre{white-space:pre-wrap;background:#f3f3f3;padding:.5rem}';

export function documentation(title, texts) {
  const entries = texts.flatMap(declarationsOf);
  const body = entries.map(({ depth, code, comment }) => {
    const heading = depth === 0 ? `<h2>${escapeXml(nameOf(code))}</h2>\n` : '';
    return `${heading}<pre>${escapeXml(code)}</pre>\n${comment === '' ? '' : `<p>${toHtml(comment)}</p>\n`}`;
  });
  return `<!doctype html>\n<meta charset="utf-8">\n<title>${escapeXml(title)}</title>\n<style>${STYLE}</style>\n<h1>${escapeXml(title)}</h1>\n${body.join('')}`;
}

/** A comment belongs to the declaration that follows it, after annotations. */
export function declarationsOf(text) {
  const found = [];
  let comment = '';
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    if (/^\s*\/\*\*/.test(line)) {
      const end = lines.findIndex((other, at) => at >= i && other.includes('*/'));
      comment = lines
        .slice(i, end + 1)
        .map((other) => other.replace(/^\s*(\/\*\*|\*\/|\*)\s?|\s*\*\/$/g, ''))
        .join('\n')
        .trim();
      i = end;
    } else if (/^\s*public /.test(line)) {
      const end = endOf(lines, i);
      const indentation = line.length - line.trimStart().length;
      const code = lines
        .slice(i, end + 1)
        .map((other) => other.slice(indentation))
        .join('\n');
      found.push({ depth: indentation / 4, code: withoutBody(code), comment });
      comment = '';
      i = end;
    } else if (!/^\s*@/.test(line)) comment = '';
  }
  return found;
}

/** The value of a function is none of the reader's, that of a property is its default. */
function withoutBody(code) {
  const isFunction = /\bfun (?!interface)/.test(code);
  const head = isFunction ? code.replace(/(\)(?:: [^=]*?)?) = .*$/s, '$1') : code;
  return head.replace(/\s*(\{|=|\bget\(\))$/, '');
}

/** The line at which all brackets of the declaration are closed. */
function endOf(lines, start) {
  let open = 0;
  for (let i = start; i < lines.length; i++) {
    for (const letter of lines[i]) open += '(<'.includes(letter) ? 1 : ')>'.includes(letter) ? -1 : 0;
    open += (lines[i].match(/->/g) ?? []).length;
    const goesOn = /^\s*(@JvmOverloads\s*$|constructor\()/.test(lines[i + 1] ?? '');
    if (open <= 0 && !goesOn) return i;
  }
  return start;
}

function nameOf(code) {
  return (
    /\b(?:class|interface|object|typealias|val|fun(?! interface))\s+(?:<[^>]*>\s*)?(?:[A-Z]\w*\.)?(\w+)/.exec(
      code,
    )?.[1] ?? code
  );
}

function toHtml(comment) {
  return escapeXml(comment)
    .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
    .replaceAll(/\n(@\w+)/g, '<br>\n$1');
}
