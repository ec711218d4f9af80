import { Type } from 'typebox';
import { Nullable } from '../platform/http/schemas.ts';
import { SEVERITIES } from './check.ts';
import { CODES } from './find-faults.ts';
import { ANSWERS, REASONS, VISITOR_NAMES } from './visitors.ts';

const Visitor = Type.Object({
  visitor: Type.Enum([...VISITOR_NAMES]),
  userAgent: Type.String({ description: 'What it was asked with' }),
  answer: Type.Enum([...ANSWERS]),
  status: Type.Integer(),
  location: Nullable(Type.String(), {
    description: 'Of a redirect; CLICK_ID stands where the click’s would be',
  }),
  leadsTo: Nullable(Type.String(), { description: 'Where a page leads on' }),
  reason: Type.Enum([...REASONS]),
  why: Type.String({ description: 'The reason in words' }),
});

const Finding = Type.Object({
  severity: Type.Enum([...SEVERITIES]),
  code: Type.Enum([...CODES]),
  message: Type.String({ description: 'What is wrong, and what comes of it' }),
  mend: Type.String({ description: 'What to do about it' }),
});

/** Answer of `GET /v1/links/{shortCode}/diagnosis`. */
export const Diagnosis = Type.Object({
  shortCode: Type.String(),
  shortUrl: Type.String(),
  visitors: Type.Array(Visitor),
  findings: Type.Array(Finding, { description: 'Errors first' }),
});
