import { grouped } from '../export/progress.ts';
import { VERDICTS, type Verdict } from './answer.ts';
import type { LinkFile } from './read-links.ts';
import type { Group, Tally } from './tally.ts';
import { VISITOR_NAMES, visitorOf } from './visitors.ts';

const MEANING: Readonly<Record<Verdict, string>> = {
  'only old': 'works at the old service, and not here',
  different: 'leads somewhere else, or shows another card',
  'old unreachable': 'the old service did not answer',
  'only new': 'works here, and not at the old service',
  equal: '',
};
const MAX_FAILURES = 5;

/** The counts and the worst links, for the terminal. */
export function describeRun(tally: Tally, { failures }: Pick<LinkFile, 'failures'>, host: string): string {
  const parts = [
    `Compared ${count(tally.links, 'link')} at ${host}: ${count(tally.answers, 'answer')}.`,
    table(tally),
    hints(tally),
    failuresOf(failures),
    worstOf(tally),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

export function count(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? '' : 's'}`;
}

function table({ counts }: Tally): string {
  const width = Math.max(...VERDICTS.map((verdict) => grouped(counts[verdict]).length));
  return VERDICTS.toReversed()
    .map((verdict) =>
      `  ${verdict.padEnd(15)}  ${grouped(counts[verdict]).padStart(width)}  ${MEANING[verdict]}`.trimEnd(),
    )
    .join('\n');
}

/** What is wrong with all links has one cause. */
function hints({ counts, answers, otherParameters }: Tally): string {
  const lines: string[] = [];
  if (answers === 0) return '';
  if (counts['only old'] === answers)
    lines.push(
      'The service knows none of the links at this host. Is the host set for the app (“throughline apps update APP_ID shortLinkHost=…”), and are the links imported?',
    );
  if (counts['only new'] === answers)
    lines.push(
      'The old service has ended all links. If it was switched off, compare with the export: --source … --against-file.',
    );
  if (otherParameters > 0)
    lines.push(
      `${count(otherParameters, 'equal answer')} with other utm parameters: see the notes in the report.`,
    );
  return lines.join('\n');
}

function failuresOf(failures: LinkFile['failures']): string {
  if (failures.length === 0) return '';
  const lines = failures.slice(0, MAX_FAILURES).map(({ line, failure }) => `  line ${line}: ${failure}`);
  const rest = failures.length - lines.length;
  return [
    `${count(failures.length, 'row')} of the file cannot become a link, so nothing will answer there:`,
    ...lines,
    ...(rest > 0 ? [`  and ${grouped(rest)} more`] : []),
  ].join('\n');
}

function worstOf(tally: Tally): string {
  const groups = tally.worst();
  return groups.length === 0 ? '' : ['The worst first:', ...groups.map(describeGroup)].join('\n\n');
}

function describeGroup({ rows }: Group): string {
  const { line, verdict, oldAddress, oldAnswer, oldStatus, newAnswer, newStatus, note } = rows[0];
  const names = VISITOR_NAMES.filter((name) => rows.some(({ visitor }) => visitor === name));
  const who =
    names.length === VISITOR_NAMES.length
      ? 'everybody'
      : names.map((name) => visitorOf(name, '').label).join(', ');
  const lines = [
    `line ${line}  ${oldAddress}`,
    `  ${verdict} for ${who}`,
    `  old ${[oldStatus, oldAnswer].join(' ').trim()}`,
    `  new ${[newStatus, newAnswer].join(' ').trim()}`,
  ];
  if (note !== '') lines.push(`  ${note}`);
  return lines.join('\n');
}
