/** From the diagnosis of an app's newest links to what fails for its users. Pure. */
import type { Code, Finding } from '../diagnosis/index.ts';

/** Findings that people notice: links lead nowhere, no install is attributed to them, or they do not open the installed app. */
export const FAILING = [
  'host.not_public',
  'host.not_https',
  'host.is_address',
  'host.has_port',
  'path.without_host',
  'destination.loop',
  'destination.unknown_link',
  'destination.ios_missing',
  'destination.android_missing',
  'ios.no_id_in_address',
  'ios.other_app',
  'android.no_package_in_address',
  'android.other_app',
  'matching.ios_impossible',
  'matching.android_impossible',
  'association.ios_missing',
  'association.ios_team_form',
  'association.android_package_missing',
  'association.android_fingerprints_missing',
] as const satisfies readonly Code[];
type FailingCode = (typeof FAILING)[number];

export interface NamedApp {
  readonly id: string;
  readonly name: string;
}

/** An app, and the findings of each of its links that were looked at. */
export interface CheckedApp extends NamedApp {
  readonly links: readonly (readonly Pick<Finding, 'code' | 'severity' | 'message' | 'mend'>[])[];
}

/** One cause for which all links of some apps fail. */
export interface FailingLinks {
  readonly code: FailingCode;
  /** Whether links lead nowhere, or only do not open the installed app. */
  readonly severity: Finding['severity'];
  readonly message: string;
  readonly mend: string;
  readonly apps: readonly NamedApp[];
}

/**
 * What all links of an app have in common, or, if each fails for a reason of its own, the most frequent one. The same
 * text for several apps is one failure. A single link that fails is for its app to mend.
 */
export function failingLinks(apps: readonly CheckedApp[]): FailingLinks[] {
  const found = apps.flatMap((app) => causesOf(app).map((cause) => ({ cause, app })));
  const byText = Map.groupBy(found, ({ cause }) => `${cause.code} ${cause.message} ${cause.mend}`);
  const failures = [...byText.values()].flatMap((of) => {
    const [first] = of;
    if (first === undefined) return [];
    const { code, severity, message, mend } = first.cause;
    return [{ code, severity, message, mend, apps: of.map(({ app: { id, name } }) => ({ id, name })) }];
  });
  return failures.sort((a, b) => FAILING.indexOf(a.code) - FAILING.indexOf(b.code));
}

type Cause = Omit<FailingLinks, 'apps'>;

function causesOf({ links }: CheckedApp): Cause[] {
  if (links.length === 0) return [];
  const causes = links.flatMap((findings) => findings.flatMap(causeOf));
  const byCode = [...Map.groupBy(causes, ({ code }) => code).values()];
  const common = byCode.filter((of) => of.length === links.length);
  if (common.length > 0) return withoutLesserHosts(common.flatMap(([first]) => first ?? []));
  const isEachBroken = links.every((findings) =>
    findings.some((finding) => finding.severity === 'error' && causeOf(finding).length > 0),
  );
  const [most] = byCode.sort((a, b) => b.length - a.length);
  return isEachBroken && most !== undefined ? most.slice(0, 1) : [];
}

/** Of the host the gravest: a host that phones cannot reach needs another name, and the others follow. */
function withoutLesserHosts(causes: readonly Cause[]): Cause[] {
  const hosts = FAILING.filter((code) => code.startsWith('host.'));
  const gravest = hosts.find((host) => causes.some(({ code }) => code === host));
  return causes.filter(({ code }) => code === gravest || !hosts.includes(code));
}

function causeOf({ code, severity, message, mend }: CheckedApp['links'][number][number]): Cause[] {
  const known = FAILING.find((each) => each === code);
  return known === undefined ? [] : [{ code: known, severity, message, mend }];
}
