import { type Static, Type } from 'typebox';
import { Named, Nullable, Timestamp } from '../server/schemas.ts';
import { stateOf } from './advance.ts';
import { CHECKS, STATES, WATCHING } from './host.ts';
import { daysLeft } from './look/certificate.ts';
import { checksOf } from './queries.ts';
import type { Watched } from './watch.ts';

const HostCheck = Named('HostCheck', {
  check: Type.Enum([...CHECKS]),
  state: Type.Enum([...STATES], {
    description: '`unknown` where the network could not be reached, or an answer says nothing',
  }),
  message: Type.String({ description: 'What was found' }),
  mend: Nullable(Type.String(), { description: 'What to do' }),
  since: Timestamp,
  checkedAt: Timestamp,
  confirmed: Type.Boolean({
    description: 'Whether a second look found the same problem, and it was told. False for other states',
  }),
});

export const Host = Named('Host', {
  host: Type.String(),
  shortLinkBase: Type.String({ description: 'What the short links of the app begin with' }),
  watching: Type.Enum([...WATCHING], {
    description:
      '`off`: `WATCH_HOSTS` is 0. `not_public`: phones need https and a public name, so there is nothing to look at',
  }),
  state: Type.Enum([...STATES], {
    description: '`problem` if any check has one, `ok` if all are in order',
  }),
  checkedAt: Nullable(Timestamp, { description: 'Null before the first look' }),
  nextCheckAt: Nullable(Timestamp),
  certificate: Nullable(
    Named('HostCertificate', {
      endsAt: Timestamp,
      daysLeft: Type.Integer({ description: 'Whole days; negative after its end' }),
    }),
    { description: 'Null where none was read' },
  ),
  checks: Type.Array(HostCheck, { description: 'Those that concern the app' }),
});

export function presentHost({ place, row }: Watched, nowMs: number): Static<typeof Host> {
  const isOn = place.watching === 'on';
  const checks = row === null || !isOn ? [] : checksOf(row);
  const endsAt = isOn ? (row?.certificate_ends_at ?? null) : null;
  return {
    host: place.host,
    shortLinkBase: place.baseUrl,
    watching: place.watching,
    state: stateOf(checks),
    checkedAt: isOn ? (row?.looked_at ?? null) : null,
    nextCheckAt: isOn ? (row?.next_look_at ?? null) : null,
    certificate: endsAt === null ? null : { endsAt, daysLeft: daysLeft(Date.parse(endsAt), nowMs) },
    checks: checks.map(({ check, state, message, mend, since, checkedAt, isTold }) => ({
      ...{ check, state, message, mend, since, checkedAt },
      confirmed: state === 'problem' && isTold,
    })),
  };
}
