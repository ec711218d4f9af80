import * as z from 'zod';
import { given } from '../inputs.ts';
import { defineTool } from '../tool.ts';

const signal = z.string().max(1_024).nullable().optional();
const pixels = z.number().min(-1_000_000).max(1_000_000).nullable().optional();
const seconds = z.int().min(0).nullable().optional();

export const ATTRIBUTION_TOOLS = [
  defineTool({
    name: 'try_attribution',
    title: 'Try an attribution',
    description:
      'Dry run: which click an install with these signals would have, and why, at this moment. Records nothing and claims no click.',
    effect: 'reads',
    input: {
      fingerprint: z.strictObject({
        platform: z.enum(['ANDROID', 'IOS']),
        ipAddress: signal,
        userAgent: signal,
        osVersion: signal,
        deviceModel: signal.describe('The maker’s code, such as iPhone17,1'),
        screenWidth: pixels,
        screenHeight: pixels,
        screenDensity: pixels,
        locale: signal,
        timezone: signal,
        appVersion: signal,
        sdkVersion: signal,
      }),
      installReferrer: z.string().max(16_384).nullable().optional().describe('Play’s install referrer'),
      installBeginTimestampSeconds: seconds,
      installBeginTimestampServerSeconds: seconds,
      clickId: z.string().max(4_096).nullable().optional().describe('From the deep link'),
      debugBuild: z.boolean().nullable().optional().describe('Whether sandbox clicks count'),
      deterministicOnly: z.boolean().nullable().optional().describe('Without consent to device signals'),
    },
    async run({ fingerprint, ...input }, call) {
      const body = { ...given(input), fingerprint: given(fingerprint) };
      return { data: await call.client.debug.attribution(body, { signal: call.signal }) };
    },
  }),
];
