import { clicksOfPerson } from '../click-log/index.ts';
import { eventsOfPerson } from '../events/index.ts';
import { installsOfPerson } from '../installs/index.ts';
import { opensOfPerson } from '../opens/index.ts';
import type { PersonalData, PersonalTable } from '../personal-data.ts';

/** Any kind of record. */
// biome-ignore lint/suspicious/noExplicitAny: each kind of record receives rows of its own type only.
export type AnyPersonalData = PersonalData<PersonalTable, any>;

/** All records with personal data, in the order of an export. */
export const EXPORTED: readonly AnyPersonalData[] = [
  clicksOfPerson,
  installsOfPerson,
  eventsOfPerson,
  opensOfPerson,
];

/**
 * The same in the order of an erasure: installs before events, which copy the user of their install; clicks before opens,
 * since the open that claimed a click may determine its user.
 */
export const ERASED: readonly AnyPersonalData[] = [
  installsOfPerson,
  clicksOfPerson,
  opensOfPerson,
  eventsOfPerson,
];
