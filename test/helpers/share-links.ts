/** Links that users of an app share. */
import type { Answer, TestApp, World } from './world.ts';

export const SHARING = {
  enabled: true,
  defaults: { fallbackUrl: 'https://example.com/get' },
};

export async function newSharingApp(
  world: World,
  setting: Record<string, unknown> = {},
  fields: Record<string, unknown> = {},
): Promise<TestApp> {
  return await world.newApp({ ...fields, appLinks: { ...SHARING, ...setting } });
}

/** Records an install. @returns its id. */
export async function newInstall(world: World, app: TestApp, call: { key?: string } = {}): Promise<string> {
  return (await world.install(app, {}, call)).body.installId as string;
}

/** `POST /v1/sdk/links`, with the publishable key by default. */
export async function share(
  world: World,
  app: TestApp,
  body: Record<string, unknown>,
  { key = app.keys.live_publishable, from = '198.51.100.1' } = {},
): Promise<Answer> {
  return await world.call('POST', '/v1/sdk/links', { key, from, body: { deepLinkPath: '/shoes', ...body } });
}

const PLAY = 'https://play.google.com/store/apps/details?id=com.example';

/** An app whose share links tell the click in Play's referrer. */
export async function newInvitingApp(world: World, fields: Record<string, unknown> = {}): Promise<TestApp> {
  return await newSharingApp(
    world,
    { defaults: { androidDestination: PLAY, fallbackUrl: 'https://example.com/get' } },
    fields,
  );
}

/** A link of an install. @returns its code. */
export async function newShareLink(
  world: World,
  app: TestApp,
  installId: string,
  fields: Record<string, unknown> = {},
): Promise<string> {
  const { status, body, text } = await share(world, app, { installId, ...fields });
  if (status !== 201) throw new Error(`no new link: ${text}`);
  return body.shortCode as string;
}

/** Taps a link, and installs the app by it. @returns the answer to the install. */
export async function followLink(
  world: World,
  app: TestApp,
  shortCode: string,
  body: Record<string, unknown> = {},
) {
  const clickId = await world.clickId(shortCode);
  const fingerprint = { platform: 'ANDROID' };
  return (await world.install(app, { clickId, fingerprint, ...body })).body;
}
