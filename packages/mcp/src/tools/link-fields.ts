/** The fields of a link that a call sets. Those of `UpdateLink` in the API; a test compares. */
import type { LinkRule } from '@throughline/server';
import * as z from 'zod';

const text = (max: number) => z.string().min(1).max(max).nullable().optional();
const object = z.record(z.string(), z.unknown()).nullable().optional();
const flag = z.boolean().nullable().optional();

const rule = z.strictObject({
  name: z.string().max(64).optional(),
  when: z
    .record(z.string(), z.unknown())
    .describe('Conditions, as in docs/guide/links.md, such as { platform: "IOS" }'),
  then: z
    .record(z.string(), z.unknown())
    .describe('In place of the fields of the link, such as { fallbackUrl }'),
}) as unknown as z.ZodType<LinkRule>;

export const linkFields = {
  deepLinkPath: z.string().min(1).max(2_048).optional().describe('Path delivered to the app'),
  deepLinkParams: object.describe('Delivered with the path'),
  campaignId: text(255),
  iosDestination: text(8_192).describe('Store address for iOS'),
  androidDestination: text(8_192).describe('Store address for Android'),
  fallbackUrl: text(8_192).describe('For other visitors'),
  title: text(255).describe('For the team: in lists and searches, never on a page'),
  tags: z.array(z.string().min(1).max(64)).nullable().optional(),
  path: text(255).describe('Address at the root of the app’s own host, such as summer/sale'),
  passPath: flag.describe('Whether the link has the addresses below its own, too'),
  passQuery: z
    .array(z.string().max(64))
    .nullable()
    .optional()
    .describe('Names of query parameters that a tap carries on; * at the end for any'),
  rules: z
    .array(rule)
    .nullable()
    .optional()
    .describe('Who gets something else: the first rule that holds wins'),
  expiresAt: text(40).describe('ISO 8601 with a zone'),
  expiresInDays: z.int().min(1).max(3_650).nullable().optional(),
  expiredUrl: text(8_192).describe('Where an expired link leads'),
  goneWhenExpired: flag.describe('Whether the expired link answers 410'),
  minAppVersion: object.describe('{ ios?, android? }: older versions are told to be updated'),
  landingPage: z.enum(['auto', 'always', 'never']).nullable().optional(),
  ogTitle: text(255).describe('Title of the card in chats'),
  ogDescription: text(1_000).describe('Text of that card'),
  ogImage: text(8_192).describe('http(s) address of its picture'),
  metadata: object.describe('Stored with the link'),
  sandbox: flag.describe('Only debug builds can claim its clicks. Default: true for test keys'),
};
