import { type Static, Type } from 'typebox';
import { CreateLink } from '../links/index.ts';
import { Id, Named, Nullable } from '../server/schemas.ts';

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

/** Body of `POST /v1/sdk/links`. `refuseOtherFields` names those that the app cannot choose. */
export const CreateShareLink = Named('CreateShareLink', fields);
export type CreateShareLinkInput = Static<typeof CreateShareLink>;
/** As documented: a field that is left out here is invalid. */
export const DocumentedShareLink = Named('CreateShareLink', fields, { additionalProperties: false });

export const ShareLink = Named('ShareLink', {
  shortCode: Type.String(),
  shortUrl: Type.String(),
});
export type ShareLinkAnswer = Static<typeof ShareLink>;
