import { installsOfPerson, opensOfPerson } from '../attribution/index.ts';
import { clicksOfPerson } from '../clicks/index.ts';
import { eventsOfPerson } from '../events/index.ts';
import type { PersonalData, PersonalTable } from '../platform/personal-data.ts';

/** One kind of record, whichever it is. */
// biome-ignore lint/suspicious/noExplicitAny: each kind of record is given its own rows alone.
export type AnyPersonalData = PersonalData<PersonalTable, any>;

/** Everything that holds something about a person, in the order in which it is handed out. */
export const EXPORTED: readonly AnyPersonalData[] = [
  clicksOfPerson,
  installsOfPerson,
  eventsOfPerson,
  opensOfPerson,
];

/**
 * The same in the order in which it is erased: installs first, since an event takes over its install's user for as long
 * as that is there; clicks before opens, since whose a click is may be known by the open that claimed it.
 */
export const ERASED: readonly AnyPersonalData[] = [
  installsOfPerson,
  clicksOfPerson,
  opensOfPerson,
  eventsOfPerson,
];
