import { listHosts } from '@generated/sdk.gen.ts';
import type { Host, HostCheck } from '@generated/types.gen.ts';
import { type Read, useRead } from '../../api/use-read.ts';

export function useHosts(): Read<Host[]> {
  return useRead(['hosts'], (client, signal) => listHosts({ client, signal, throwOnError: true }));
}

export const CHECK_NAMES: Readonly<Record<HostCheck['check'], string>> = {
  dns: 'Leads here',
  certificate: 'Certificate',
  association_files: 'Association files',
  apple_copy: 'Apple’s copy',
  google_verdict: 'Google’s verdict',
  block_lists: 'Block lists',
};
