import { Type } from 'typebox';
import { ErrorCode, Named } from '../../server/schemas.ts';
import { Link } from '../schemas.ts';

/** Links of one call. */
export const MAX_LINKS = 500;

const status = (description: string) => Type.Integer({ description });
const error = { error: Type.Optional(Type.String()), code: ErrorCode };

const results = (name: string, statuses: string) =>
  Type.Array(Named(name, { status: status(statuses), link: Type.Optional(Link), ...error }), {
    description: 'One per link, in order: the answer of a single call with its status, or an error',
  });

export const LinksCreated = Named('LinksCreated', {
  results: results('LinkCreation', '201, 400, 409 or 503'),
});
export const LinksUpdated = Named('LinksUpdated', {
  results: results('LinkUpdate', '200, 400, 404, 409 or 503'),
});

export const DeleteLinks = Named('DeleteLinks', {
  shortCodes: Type.Array(Type.String(), { minItems: 1, maxItems: MAX_LINKS }),
});
export const LinksDeleted = Named('LinksDeleted', {
  results: Type.Array(Named('LinkDeletion', { status: status('204, 404 or 503'), ...error }), {
    description: 'One per code, in order',
  }),
});

export const Tags = Type.Array(
  Named('LinkTag', {
    tag: Type.String(),
    links: Type.Integer({ minimum: 1, description: 'That have the tag' }),
  }),
);
