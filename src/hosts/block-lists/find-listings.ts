/** Which hosts a list blocks: hosts files, lists of domains, and rules in Adblock syntax. Pure. */
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { inPieces } from '../../lib/in-pieces.ts';

interface Rule {
  readonly name: string;
  /** With all names below it. */
  readonly isTree: boolean;
  readonly isException: boolean;
  readonly isImportant: boolean;
  readonly text: string;
}

const MAX_RULE_CHARACTERS = 300;
/** Hosts files have some ten names a line. A longer line is no rule, and would stop all while it is divided. */
const MAX_LINE_CHARACTERS = 4_096;
/** A list names a host once or twice, unless it is damaged. */
const MAX_RULES_OF_NAME = 100;

/**
 * @returns by host the rule that blocks it. Rules for a parent domain count where their syntax covers names below it. Null
 * if no line is a rule: a list in another syntax would seem to block nothing.
 */
export async function findListings(
  list: string,
  hosts: readonly string[],
): Promise<ReadonlyMap<string, string> | null> {
  let hasRules = false;
  const wanted = new Set(hosts.flatMap(namesAbove));
  const found = new Map<string, Rule[]>();
  await inPieces(list.matchAll(LINE), ([line]) => {
    for (const rule of rulesOf(line.trim())) {
      hasRules = true;
      if (!wanted.has(rule.name)) continue;
      const rules = found.get(rule.name);
      if (rules === undefined) found.set(rule.name, [rule]);
      else if (rules.length < MAX_RULES_OF_NAME) rules.push(rule);
    }
  });
  if (!hasRules) return null;
  const listed = hosts.flatMap((host): [string, string][] => {
    const rules = namesAbove(host)
      .flatMap((name) => found.get(name) ?? [])
      .filter(({ name, isTree }) => isTree || name === host);
    const rule = blockingOf(rules);
    return rule === undefined ? [] : [[host, rule.text]];
  });
  return new Map(listed);
}

/** An exception outweighs a rule, unless the rule alone is important. */
function blockingOf(rules: readonly Rule[]): Rule | undefined {
  const blocks = rules.filter(({ isException }) => !isException);
  const exceptions = rules.filter(({ isException }) => isException);
  if (exceptions.length === 0) return blocks[0];
  if (exceptions.some(({ isImportant }) => isImportant)) return undefined;
  return blocks.find(({ isImportant }) => isImportant);
}

/** The host and its parents with two labels or more: a rule for a whole top level is nobody's. */
function namesAbove(host: string): string[] {
  const labels = host.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}

/** Old systems end lines by a carriage return alone. `trim` takes a byte order mark away. */
const LINE = /[^\r\n]+/g;

/** Comments and headers; cosmetic rules, which hide parts of pages. */
const NO_RULE = /^(?:[!#[]|$)/;
const COSMETIC = /#[@?$%]*#/;

function rulesOf(line: string): Rule[] {
  if (line.length > MAX_LINE_CHARACTERS || NO_RULE.test(line) || COSMETIC.test(line)) return [];
  const comment = line.search(/\s#/);
  const text = comment < 0 ? line : line.slice(0, comment).trimEnd();
  const words = text.split(/\s+/);
  const [first = '', ...names] = words;
  if (names.length > 0) return isIP(first) === 0 ? [] : names.flatMap((name) => exactRule(name, text));
  const rule = /^(?:@@|\|)/.test(first) ? adblockRule(first) : plainRule(first);
  return rule === null ? [] : [rule];
}

function exactRule(given: string, text: string): Rule[] {
  const name = nameOf(given);
  return name === null ? [] : [{ ...BLOCK, name, isTree: false, text: cut(text) }];
}

/** Users of lists of domains block all below each. */
function plainRule(given: string): Rule | null {
  const [pattern = '', options] = given.split('$', 2);
  const name = nameOf(pattern.replace(/^(?:\*\.|\.)/, '').replace(/\^$/, ''));
  if (name === null || (options !== undefined && readOptions(options) === null)) return null;
  return { ...BLOCK, name, isTree: true, text: cut(given) };
}

const BLOCK = { isException: false, isImportant: false } as const;

/** `||host^`, `|https://host^` and their exceptions. A rule for a path or for some requests alone blocks no host. */
function adblockRule(given: string): Rule | null {
  const isMarked = given.startsWith('@@');
  const [pattern = '', options] = splitOptions(isMarked ? given.slice(2) : given);
  const read = readOptions(options);
  const match = /^(\|\||\|https?:\/\/)(?:\*\.)?([^/^|*:]+)(?:\^\|?|\/?\|?)$/i.exec(pattern);
  const name = match === null ? null : nameOf(match[2] ?? '');
  if (read === null || name === null) return null;
  return {
    ...{ name, isTree: match?.[1] === '||', text: cut(given) },
    isException: isMarked || read.isCancelled,
    isImportant: read.isImportant || read.isCancelled,
  };
}

function splitOptions(rule: string): [pattern: string, options: string] {
  const at = rule.indexOf('$');
  return at < 0 ? [rule, ''] : [rule.slice(0, at), rule.slice(at + 1)];
}

/** Of a rule for every visit. */
const FOR_ALL = new Set(['', 'important', 'all', 'document', 'doc', 'badfilter']);

/** Null for a rule that holds for some requests only. */
function readOptions(text: string): { isImportant: boolean; isCancelled: boolean } | null {
  const options = text.split(',').map((option) => option.trim());
  if (!options.every((option) => FOR_ALL.has(option))) return null;
  return { isImportant: options.includes('important'), isCancelled: options.includes('badfilter') };
}

/** In ASCII, as the host is; null for what is no name. */
function nameOf(given: string): string | null {
  const lower = given.toLowerCase().replace(/\.$/, '');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
  const name = /^[\x00-\x7f]*$/.test(lower) ? lower : domainToASCII(lower);
  return /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/.test(name) ? name : null;
}

function cut(text: string): string {
  return text.slice(0, MAX_RULE_CHARACTERS).toWellFormed();
}
