/** What a run comes to, as numbers and as a story. Pure: it looks at lives that are over. */
import type { Method } from '../../attribution/index.ts';
import type { Judged, Life, Verdict } from './life.ts';
import { type Person, switchesNetwork } from './people.ts';

/** How many answers of each method there were, by their verdict. */
export type Tally = Record<Method, Record<Verdict, number>>;

const METHODS: readonly Method[] = ['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT', 'ORGANIC'];
const VERDICTS: readonly Verdict[] = ['right', 'wrong', 'missed'];
const MAX_TOLD = 8;
const STORES: Record<string, string> = {
  'apps.apple.com': 'the App Store',
  'play.google.com': 'Google Play',
  'shop.example.com': 'the web shop',
};

/** The numbers of a run: by the method that was answered, how many of the answers were right. */
export function summarise(lives: readonly Life[]) {
  const installs = lives.flatMap(({ install }) => install ?? []);
  const opens = lives.flatMap(({ open }) => open ?? []);
  return {
    people: lives.length,
    phones: lives.filter(({ person }) => person.browser.phone !== null).length,
    taps: sum(lives, ({ taps }) => taps),
    installs: tally(installs),
    opens: tally(opens),
    events: sum(lives, ({ events }) => events),
    identified: lives.filter(({ identified }) => identified).length,
  };
}

/** One person's record, for programs. */
export function record({ person, landedAt, install, open, events, identified }: Life) {
  return {
    name: person.name,
    browser: person.browser.label,
    platform: person.browser.phone?.platform ?? null,
    taps: person.taps,
    switchedNetwork: switchesNetwork(person),
    landedAt,
    install: install && brief(install),
    open: open && brief(open),
    events,
    identified,
  };
}

/** A few people's ways, line by line: whoever was taken for another, then one of each kind that installed. */
export function tellStories(lives: readonly Life[]): string {
  const wrong = lives.filter(({ install, open }) => [install, open].some((one) => one?.verdict === 'wrong'));
  const installed = lives.filter(({ install }) => install !== null);
  const kinds = [...Map.groupBy(installed, kindOf).values()].flatMap(([first]) => first ?? []);
  const told = [...new Set([...wrong, ...kinds])].slice(0, MAX_TOLD);
  const left = lives.length - told.length;
  const rest =
    left === 0
      ? []
      : [`${left} more ${left === 1 ? 'story is' : 'stories are'} left out; --json has them all.`];
  return [...told.map(tellStory), ...rest].join('\n\n');
}

/** Lines for a terminal. */
export function drawTable({ installs, opens }: Pick<ReturnType<typeof summarise>, 'installs' | 'opens'>) {
  const header = row('', VERDICTS);
  return [header, ...section('Installs', installs), ...section('Opens', opens)].join('\n');
}

/** What the columns mean, where they are not empty; null when all was right. */
export function explainFaults(lives: readonly Life[]): string | null {
  const having = (verdict: Verdict) =>
    lives.filter(({ install, open }) => [install, open].some((one) => one?.verdict === verdict));
  const [wrong, missed] = [having('wrong'), having('missed')];
  const moved = missed.filter(({ person }) => switchesNetwork(person)).length;
  const lines = [
    ...(wrong.length === 0 ? [] : [`Wrong: ${wrong.length} got a link that somebody else tapped.`]),
    ...(missed.length === 0
      ? []
      : [
          `Missed: ${missed.length} tapped and were answered ORGANIC; ${moved} of them changed network in between.`,
        ]),
  ];
  return lines.length === 0 ? null : lines.join('\n');
}

function tally(answers: readonly Judged[]): Tally {
  const count = (method: Method, verdict: Verdict) =>
    answers.filter((answer) => answer.method === method && answer.verdict === verdict).length;
  const ofMethod = (method: Method) => [
    method,
    Object.fromEntries(VERDICTS.map((verdict) => [verdict, count(method, verdict)])),
  ];
  return Object.fromEntries(METHODS.map(ofMethod)) as Tally;
}

function sum(lives: readonly Life[], of: (life: Life) => number): number {
  return lives.reduce((total, life) => total + of(life), 0);
}

function brief({ method, verdict, clickId, campaignId, confidence, installId }: Judged) {
  return { installId, method, verdict, clickId, campaignId, confidence };
}

/** Lives of one kind would be told in the same words. */
function kindOf({ person, install, open }: Life): string {
  const { browser, taps, host } = person;
  return [
    browser.phone?.platform,
    taps > 0,
    switchesNetwork(person),
    host !== null,
    install?.method,
    open?.method,
  ].join();
}

function tellStory({ person, landedAt, install, open, events, identified }: Life): string {
  const { name, browser, host } = person;
  const place = host === null ? '' : `, on ${host}’s Wi-Fi`;
  const steps: [what: string, outcome: string | null][] = [
    [`${name} (${browser.label}${place})`, null],
    landedAt === null
      ? ['taps nothing, finds the app in the store', null]
      : [`taps ${tapsOf(person)}`, STORES[landedAt] ?? landedAt],
  ];
  if (switchesNetwork(person)) steps.push(['leaves the Wi-Fi', null]);
  if (install !== null) steps.push([`installs${after(install)}`, outcomeOf(install)]);
  if (identified || events > 0) steps.push([deedsOf(person), null]);
  if (open !== null) steps.push(['taps come-back, opens the app again', outcomeOf(open)]);
  return steps
    .map(([what, outcome], index) => {
      const text = (index === 0 ? '' : '  ') + what;
      return outcome === null ? text : `${text.padEnd(40)} → ${outcome}`;
    })
    .join('\n');
}

function tapsOf({ campaign, taps }: Person): string {
  return taps > 1 ? `${campaign} twice` : campaign;
}

function after({ secondsAfterTap }: Judged): string {
  return secondsAfterTap === null ? '' : ` ${secondsAfterTap.toFixed(1)} s later`;
}

function deedsOf({ events, userId }: Person): string {
  const user = userId === null ? [] : [`signs in as ${userId}`];
  return [...user, ...(events.length === 0 ? [] : [`sends ${events.join(', ')}`])].join(', ');
}

function outcomeOf({ method, campaignId, confidence, deepLinkPayload, verdict }: Judged): string {
  const details = [
    method,
    ...(campaignId === null ? [] : [campaignId]),
    ...(confidence === null ? [] : [`confidence ${confidence}`]),
    ...(deepLinkPayload === null ? [] : [`opens ${deepLinkPayload.deepLinkPath}`]),
  ];
  return `${details.join(', ')}: ${verdict}`;
}

function section(title: string, tallies: Tally): string[] {
  const rows = METHODS.flatMap((method) => {
    const counts = VERDICTS.map((verdict) => tallies[method][verdict]);
    return counts.some((count) => count > 0) ? [row(`  ${method}`, counts.map(String))] : [];
  });
  return rows.length === 0 ? [] : [title, ...rows];
}

function row(label: string, cells: readonly string[]): string {
  return label.padEnd(20) + cells.map((cell) => cell.padStart(8)).join('');
}
