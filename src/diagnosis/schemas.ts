import { Type } from 'typebox';
import { Named, Nullable } from '../server/schemas.ts';
import { SEVERITIES } from './check.ts';
import { CODES } from './run-checks.ts';
import { ANSWERS, REASONS, VISITOR_NAMES } from './visitors.ts';

const Visitor = Named('DiagnosedVisitor', {
  visitor: Type.Enum([...VISITOR_NAMES]),
  userAgent: Type.String({ description: 'Of the simulated request' }),
  answer: Type.Enum([...ANSWERS]),
  status: Type.Integer(),
  location: Nullable(Type.String(), {
    description: 'Of a redirect, with CLICK_ID in place of the click ID',
  }),
  leadsTo: Nullable(Type.String(), { description: 'Destination of a page' }),
  reason: Type.Enum([...REASONS]),
  why: Type.String({ description: 'Explanation of the reason' }),
  rule: Nullable(
    Named('DiagnosedRule', {
      number: Type.Integer({ minimum: 1, description: 'Its place among the rules of the link' }),
      name: Nullable(Type.String()),
    }),
    {
      description:
        'That the visitor gets; null if none. The visitors have no known country or language and no parameters. A rule with `percent` counts from 50 on',
    },
  ),
});

const Finding = Named('DiagnosisFinding', {
  severity: Type.Enum([...SEVERITIES]),
  code: Type.Enum([...CODES]),
  message: Type.String({ description: 'The problem and its consequence' }),
  mend: Type.String({ description: 'The remedy' }),
});

/** Answer of `GET /v1/links/{shortCode}/diagnosis`. */
export const Diagnosis = Named('Diagnosis', {
  shortCode: Type.String(),
  shortUrl: Type.String(),
  visitors: Type.Array(Visitor),
  findings: Type.Array(Finding, { description: 'Errors first' }),
});
