/**
 * The program of the release before this one, to run beside this one: `RELEASED_PROGRAM` names its `bin/throughline.js` (of
 * a checkout of the tag with its packages) or its bundle. Without it, as before the second release, this program takes its
 * part on the data of the first one, and the next version is this program with one more migration.
 */
export const releasedProgram: Record<string, string> =
  process.env.RELEASED_PROGRAM === undefined ? {} : { TEST_PROGRAM: process.env.RELEASED_PROGRAM };
