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
