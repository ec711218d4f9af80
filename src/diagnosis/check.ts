import type { Actor, AppRow } from '../apps/index.ts';
import type { LinkRow, ResolvedLink } from '../links/index.ts';
import type { NamedApps } from './named-apps.ts';
import type { VisitorAnswers } from './visitors.ts';

/** An error keeps visitors from the app or installs from their link; a warning loses some; an info could be better. */
export const SEVERITIES = ['error', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What is said of a fault. */
export interface Words {
  /** What is wrong, and what comes of it. */
  readonly message: string;
  /** What to do about it. */
  readonly mend: string;
}

/** All that checks look at; none of them reads anything else. */
export interface Subject {
  /** As the redirect knows it, with the app's defaults filled in. */
  readonly link: ResolvedLink;
  /** As it is stored: tells a link's own setting from its app's. */
  readonly row: LinkRow;
  readonly app: AppRow;
  readonly visitors: VisitorAnswers;
  /** By the association files at the host of the link's short address. */
  readonly named: NamedApps;
  readonly mode: Actor['mode'];
  readonly nowMs: number;
}

/** Looks for one fault. Null where it is not there. */
export type Check = (subject: Subject) => Words | null;

/** Checks by the code of what they find. */
export type Checks = Readonly<Record<string, readonly [Severity, Check]>>;
