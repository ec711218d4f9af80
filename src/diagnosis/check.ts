import type { AppRow } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import type { LinkRow, Loop, ResolvedLink, UnknownLink } from '../links/index.ts';
import type { VisitorAnswers } from './visitors.ts';

/** Error: no visitor reaches the app or no install is attributed. Warning: some are lost. Info: an improvement. */
export const SEVERITIES = ['error', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface FindingText {
  /** The problem and its consequence. */
  readonly message: string;
  /** The remedy. */
  readonly mend: string;
}

/** The apps of a host's association files. */
export interface AssociatedApps {
  /** Team and bundle id, as `A1B2C3D4E5.com.example.shop`. */
  readonly ios: readonly string[];
  /** Package names. */
  readonly android: readonly string[];
  /** Whether the files let these apps open a path without a query; Android before version 15 asks the manifest alone. */
  readonly opens: (path: string) => { readonly ios: boolean; readonly android: boolean };
}

/** The input of all checks. */
export interface Subject {
  /** As redirects use it: with the app's defaults. */
  readonly link: ResolvedLink;
  /** As stored: without the app's defaults. */
  readonly row: LinkRow;
  readonly app: AppRow;
  readonly visitors: VisitorAnswers;
  /** At the host of the link's short address. */
  readonly associated: AssociatedApps;
  /** By a destination of the link or its app. */
  readonly loop: Loop | null;
  /** Destinations of the link or its app that are short links which do not exist. */
  readonly unknownLinks: readonly UnknownLink[];
  /** Whose destinations are meant, such as `rule 2 (Germany)`; null for those of the link or its app. */
  readonly rule: string | null;
  readonly mode: Actor['mode'];
  readonly nowMs: number;
}

/** Detects one problem; null if it is absent. */
type Check = (subject: Subject) => FindingText | null;

/** By finding code. */
export type Checks = Readonly<Record<string, readonly [Severity, Check]>>;
