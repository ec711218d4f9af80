/** Reports finished journeys, as numbers and as text. Pure functions. */
import type { Method } from '../../attribution/index.ts';
import type { Journey, JudgedAttribution, Verdict } from './journey.ts';
import { type Person, switchesNetwork } from './people.ts';

/** Number of attributions. */
type Tally = Record<Method, Record<Verdict, number>>;

const METHODS: readonly Method[] = ['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT', 'ORGANIC'];
const VERDICTS: readonly Verdict[] = ['right', 'wrong', 'missed'];
const MAX_DESCRIBED = 8;
const STORES: Record<string, string> = {
  'apps.apple.com': 'the App Store',
  'play.google.com': 'Google Play',
  'shop.example.com': 'the web shop',
};

export function summarise(journeys: readonly Journey[]) {
  const installs = journeys.flatMap(({ install }) => install ?? []);
  const opens = journeys.flatMap(({ open }) => open ?? []);
  return {
    people: journeys.length,
    phones: journeys.filter(({ person }) => person.client.phone !== null).length,
    taps: sum(journeys, ({ taps }) => taps),
    installs: tally(installs),
    opens: tally(opens),
    events: sum(journeys, ({ events }) => events),
    identified: journeys.filter(({ identified }) => identified).length,
  };
}

/** For `--json`. */
export function toRecord({ person, landedAt, install, open, events, identified }: Journey) {
  return {
    name: person.name,
    browser: person.client.label,
    platform: person.client.phone?.platform ?? null,
    taps: person.taps,
    switchedNetwork: switchesNetwork(person),
    landedAt,
    install: install && toBrief(install),
    open: open && toBrief(open),
    events,
    identified,
  };
}

/** Describes some journeys: the wrong attributions first, then one of each kind with an install. */
export function describeJourneys(journeys: readonly Journey[]): string {
  const wrong = withVerdict(journeys, 'wrong');
  const installed = journeys.filter(({ install }) => install !== null);
  const kinds = [...Map.groupBy(installed, kindOf).values()].flatMap(([first]) => first ?? []);
  const described = [...new Set([...wrong, ...kinds])].slice(0, MAX_DESCRIBED);
  const omitted = journeys.length - described.length;
  const rest =
    omitted === 0
      ? []
      : [`${omitted} more ${omitted === 1 ? 'journey' : 'journeys'} omitted; --json lists all.`];
  return [...described.map(describeJourney), ...rest].join('\n\n');
}

export function formatTable({ installs, opens }: Pick<ReturnType<typeof summarise>, 'installs' | 'opens'>) {
  const header = row('', VERDICTS);
  return [header, ...section('Installs', installs), ...section('Opens', opens)].join('\n');
}

/** Explains the columns that are not empty; null if all attributions are right. */
export function explainErrors(journeys: readonly Journey[]): string | null {
  const [wrong, missed] = [withVerdict(journeys, 'wrong'), withVerdict(journeys, 'missed')];
  const moved = missed.filter(({ person }) => switchesNetwork(person)).length;
  const lines: string[] = [];
  if (wrong.length > 0) lines.push(`Wrong: ${wrong.length} attributed to the tap of another person.`);
  if (missed.length > 0)
    lines.push(
      `Missed: ${missed.length} attributed to ORGANIC in spite of a tap; ${moved} of them changed network in between.`,
    );
  return lines.length === 0 ? null : lines.join('\n');
}

function withVerdict(journeys: readonly Journey[], verdict: Verdict): Journey[] {
  return journeys.filter(({ install, open }) => install?.verdict === verdict || open?.verdict === verdict);
}

function tally(attributions: readonly JudgedAttribution[]): Tally {
  const count = (method: Method, verdict: Verdict) =>
    attributions.filter((one) => one.method === method && one.verdict === verdict).length;
  const ofMethod = (method: Method) => [
    method,
    Object.fromEntries(VERDICTS.map((verdict) => [verdict, count(method, verdict)])),
  ];
  return Object.fromEntries(METHODS.map(ofMethod)) as Tally;
}

function sum(journeys: readonly Journey[], count: (journey: Journey) => number): number {
  return journeys.reduce((total, journey) => total + count(journey), 0);
}

function toBrief({ method, verdict, clickId, campaignId, confidence, installId }: JudgedAttribution) {
  return { installId, method, verdict, clickId, campaignId, confidence };
}

/** Journeys of one kind have the same description. */
function kindOf({ person, install, open }: Journey): string {
  const { client, taps, wifiOwner } = person;
  return [
    client.phone?.platform,
    taps > 0,
    switchesNetwork(person),
    wifiOwner !== null,
    install?.method,
    open?.method,
  ].join();
}

function describeJourney({ person, landedAt, install, open, events, identified }: Journey): string {
  const { name, client, wifiOwner } = person;
  const place = wifiOwner === null ? '' : `, on ${wifiOwner}’s Wi-Fi`;
  const steps: [action: string, outcome: string | null][] = [
    [`${name} (${client.label}${place})`, null],
    landedAt === null
      ? ['finds the app in the store without a tap', null]
      : [`taps ${tapsOf(person)}`, STORES[landedAt] ?? landedAt],
  ];
  if (switchesNetwork(person)) steps.push(['leaves the Wi-Fi', null]);
  if (install !== null) steps.push([`installs${after(install)}`, outcomeOf(install)]);
  if (identified || events > 0) steps.push([actionsOf(person), null]);
  if (open !== null) steps.push(['taps come-back, opens the app again', outcomeOf(open)]);
  return steps
    .map(([action, outcome], index) => {
      const text = (index === 0 ? '' : '  ') + action;
      return outcome === null ? text : `${text.padEnd(40)} → ${outcome}`;
    })
    .join('\n');
}

function tapsOf({ campaign, taps }: Person): string {
  return taps > 1 ? `${campaign} twice` : campaign;
}

function after({ secondsAfterTap }: JudgedAttribution): string {
  return secondsAfterTap === null ? '' : ` ${secondsAfterTap.toFixed(1)} s later`;
}

function actionsOf({ events, userId }: Person): string {
  const user = userId === null ? [] : [`signs in as ${userId}`];
  return [...user, ...(events.length === 0 ? [] : [`sends ${events.join(', ')}`])].join(', ');
}

function outcomeOf({ method, campaignId, confidence, deepLinkPayload, verdict }: JudgedAttribution): string {
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
