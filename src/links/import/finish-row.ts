import { checkDestinations } from '../../apps/index.ts';
import { AppError } from '../../errors.ts';
import { truncateWell } from '../../lib/text.ts';
import { checkWebAddress } from '../../lib/web-address.ts';
import { checkJson } from '../../server/json-body.ts';
import { compileCheck } from '../../server/validation.ts';
import { checkRules } from '../choice/check-rules.ts';
import { MAX_RULES } from '../choice/rules.ts';
import { CreateLink } from '../schemas.ts';
import { oldAddress, shownAddress } from './addresses.ts';
import type { Draft, LinkInput } from './draft.ts';
import type { ImportedLink, ImportedRow } from './imported-row.ts';
import { RowFailure, shown } from './values.ts';

const MAX_OBJECT_BYTES = 16 * 1024;
const MAX_TAGS = 20;
/** Texts that no visitor is led by. */
const LABELS = { title: 255, ogTitle: 255, ogDescription: 1_000 } as const;
const MAX_TAG_CHARACTERS = 64;
const checkShape = compileCheck(CreateLink, 'link');

/** The row with a link for each old address that can be kept, and a failed row for each other one. */
export function finishRow({ line, raw }: Pick<ImportedRow, 'line' | 'raw'>, draft: Draft): ImportedRow[] {
  const input = finishInput(draft);
  const links: ImportedLink[] = [];
  const failures: ImportedRow[] = [];
  for (const address of new Set(draft.addresses)) {
    try {
      const { host, path } = oldAddress(address);
      if (links.some((link) => link.host === host && link.path === path)) continue;
      links.push({
        host,
        path,
        input: { ...input },
        importedClicks: draft.importedClicks,
        notes: [...draft.notes],
      });
    } catch (error) {
      if (!(error instanceof RowFailure)) throw error;
      failures.push({ line, raw, failure: error.message, oldAddress: shownAddress(address) });
    }
  }
  return links.length === 0 ? failures : [{ line, raw, links }, ...failures];
}

/** @throws RowFailure for a link that the API would not accept. */
function finishInput(draft: Draft): LinkInput {
  keepPhones(draft);
  shortenLabels(draft);
  const { rules, metadata } = draft;
  const input = given({
    deepLinkPath: '/',
    ...draft.input,
    ...(rules.length > 0 && { rules }),
    metadata: given(metadata),
  }) as LinkInput;
  if (rules.length > MAX_RULES)
    throw new RowFailure(
      `The link needs ${rules.length} rules, and may have ${MAX_RULES}. Create it by hand with less.`,
    );
  checkAddresses(input);
  const problem = checkShape(input) ?? problemOf(input);
  if (problem !== null) throw new RowFailure(problem);
  return input;
}

/** Without fields that the row has no value for. */
function given(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) if (fields[name] !== undefined) all[name] = fields[name];
  return all;
}

/** What the schema of a request cannot express. */
function problemOf(input: LinkInput): string | null {
  try {
    checkJson(input, 'The link');
    for (const field of ['deepLinkParams', 'metadata'] as const) {
      const object = input[field];
      if (object && Buffer.byteLength(JSON.stringify(object)) > MAX_OBJECT_BYTES)
        return `${field} must be at most 16 KiB as JSON.`;
    }
    if (input.rules) checkRules(input.rules);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/** @throws RowFailure for an address that leads nowhere. */
function checkAddresses(input: LinkInput): void {
  for (const field of ['fallbackUrl', 'iosDestination', 'androidDestination'] as const)
    checkAddress(input[field], () => checkDestinations({ [field]: input[field] }));
  checkAddress(input.expiredUrl, () => checkWebAddress('expiredUrl', input.expiredUrl));
}

/** @throws RowFailure with the address in its message. */
function checkAddress(address: string | null | undefined, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new RowFailure(
      `${error.message.replace(/[.]$/, '')}: the row has ${shown(address ?? '')}.${/^[\w.-]+\.[a-z]{2,}([/?#:]|$)/i.test(address ?? '') ? ' Put https:// in front of it.' : ''}`,
    );
  }
}

/**
 * Phones that got a page at the service get it here too: without a destination of the link's own, that of the app would lead
 * them to a store, at once or when somebody sets it.
 */
function keepPhones({ input, phones, rules, notes }: Draft): void {
  let isKept = false;
  let hasStore = false;
  for (const [platform, field] of [
    ['IOS', 'iosDestination'],
    ['ANDROID', 'androidDestination'],
  ] as const) {
    const address = phones[platform];
    if (address === undefined || input[field] !== undefined) {
      hasStore = true;
      continue;
    }
    isKept = true;
    input[field] = address;
    for (const [index, { when, then, ...rule }] of rules.entries())
      if (then.fallbackUrl !== undefined && (when.platform ?? platform) === platform)
        rules[index] = { ...rule, when, then: { [field]: then.fallbackUrl, ...then } };
  }
  if (!isKept) return;
  // The page before a store has nothing to do for a link without one.
  if (!hasStore) input.landingPage ??= 'never';
  notes.add(
    'Phones without the app get the page that they got before, whatever store the app’s settings name.',
  );
}

function shortenLabels({ input, notes }: Draft): void {
  for (const [field, maxCharacters] of Object.entries(LABELS) as [keyof typeof LABELS, number][]) {
    const text = input[field];
    if (typeof text !== 'string' || text.length <= maxCharacters) continue;
    input[field] = truncateWell(text, maxCharacters);
    notes.add(`${field} is cut to ${maxCharacters} characters.`);
  }
  if (input.tags?.some((tag) => tag.length > MAX_TAG_CHARACTERS))
    notes.add(`Tags are cut to ${MAX_TAG_CHARACTERS} characters.`);
  if (input.tags && input.tags.length > MAX_TAGS) notes.add(`Only the first ${MAX_TAGS} tags are imported.`);
  if (input.tags)
    input.tags = [...new Set(input.tags.map((tag) => truncateWell(tag, MAX_TAG_CHARACTERS)))].slice(
      0,
      MAX_TAGS,
    );
  const image = input.ogImage;
  if (image && !isWebAddress(image)) {
    delete input.ogImage;
    notes.add('ogImage is no http(s) address, and is left out.');
  }
}

function isWebAddress(text: string): boolean {
  try {
    checkWebAddress('ogImage', text);
    return true;
  } catch {
    return false;
  }
}
