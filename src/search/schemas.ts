/** `GET /v1/search`. */
import { type Static, Type } from 'typebox';
import { Id, Named, Nullable, OnlyThese } from '../server/schemas.ts';

export const MAX_RESULTS = 20;

export const Search = OnlyThese({
  q: Type.String({
    minLength: 1,
    maxLength: 2_048,
    description:
      'An id of an install, click, open, event, message or delivery, or its first 8 characters or more; the `eventId` that the app sent; a user ID; a short code, path or short link, deleted ones too; part of a title; the beginning of a campaign or a tag',
  }),
});

const SearchResult = Named('SearchResult', {
  type: Type.Enum(['link', 'campaign', 'tag', 'user', 'install', 'click', 'open', 'event', 'message']),
  id: Type.String({
    description:
      'Short code of a link, campaign, tag, user ID; of a message the id of a delivery; else the id',
  }),
  label: Type.String({ description: 'For people' }),
  at: Nullable(Type.String({ format: 'date-time' }), { description: 'When it was recorded or made' }),
  installId: Type.Optional(Id),
  deletedAt: Type.Optional(Type.String({ format: 'date-time', description: 'Of a deleted link' })),
  erasedAt: Type.Optional(
    Type.String({ format: 'date-time', description: 'When its personal data was erased' }),
  ),
});
export type Result = Static<typeof SearchResult>;

export const SearchResults = Named('SearchResults', {
  results: Type.Array(SearchResult, { description: `At most ${MAX_RESULTS}, best first` }),
});
