import { type Static, Type } from 'typebox';
import { CreateLink } from '../links/index.ts';
import { InstallItem } from '../records/index.ts';
import { Id, Named, Nullable, OnlyThese } from '../server/schemas.ts';

const { deepLinkPath, deepLinkParams, campaignId, ogTitle, ogDescription, ogImage } = CreateLink.properties;

const fields = {
  installId: Id,
  deepLinkPath,
  deepLinkParams,
  ogTitle,
  ogDescription,
  ogImage,
  campaignId,
  debugBuild: Type.Optional(
    Nullable(Type.Boolean(), { description: 'Its link is of the sandbox. Test keys count as debug builds' }),
  ),
};

/** Body of `POST /v1/sdk/links`. `checkFields` names those that the app cannot choose. */
export const CreateShareLink = Named('CreateShareLink', fields);
export type CreateShareLinkInput = Static<typeof CreateShareLink>;
/** As documented: a field that is left out here is invalid. */
export const DocumentedShareLink = Named('CreateShareLink', fields, { additionalProperties: false });

export const ListInvitations = OnlyThese({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  before: Type.Optional(
    Type.String({
      format: 'uuid',
      description: 'Only installs older than that with this `id`: the last one of the previous page',
    }),
  ),
});

const Count = (description: string) => Type.Integer({ minimum: 0, description });
/** Answer of `GET /v1/installs/{installId}/invitations`. */
export const Invitations = Named('InvitedInstalls', {
  links: Count('That the install made and that are not deleted'),
  clicks: Count('By humans, of all its links'),
  installs: Type.Array(InstallItem, { description: 'That came by them, newest first, as in their list' }),
});

export const ShareLink = Named('ShareLink', {
  shortCode: Type.String(),
  shortUrl: Type.String(),
});
export type ShareLinkAnswer = Static<typeof ShareLink>;
