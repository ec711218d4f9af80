/** What the claim of a network adds to counts. */
import type { Flag, InstallsTable } from '../db/index.ts';

/** What a network says of an install, if any does. */
export type Claimed = Pick<InstallsTable, 'network' | 'network_name' | 'network_campaign'>;

type Record = Partial<Claimed> & { readonly sandbox: Flag };

/** Empty where none counts. */
export function countedClaimOf(record: Record): { network: string; network_campaign: string } {
  if (!isCounted(record)) return { network: '', network_campaign: '' };
  return { network: record.network_name ?? '', network_campaign: record.network_campaign ?? '' };
}

/** Empty where the network does not tell it. */
export function campaignNameOf(record: Record): string {
  const { network = null } = record;
  return network === null || !isCounted(record) ? '' : (parse(network).campaignName ?? '');
}

/** A test record of a network counts in the sandbox alone. */
function isCounted({ network_name = null, network = null, sandbox }: Record): boolean {
  return network_name !== null && (sandbox === 1 || network === null || parse(network).test !== true);
}

function parse(network: string) {
  return JSON.parse(network) as { readonly test?: boolean; readonly campaignName?: string | null };
}
