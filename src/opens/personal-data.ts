import type { Db } from '../db/index.ts';
import { DEVICE_ERASED, presentDevice } from '../installs/index.ts';
import { type Person, type PersonalData, pages } from '../personal-data.ts';
import { listOpensOf, type OpenRow } from './queries.ts';

export const opensOfPerson: PersonalData<'opens', OpenRow> = {
  table: 'opens',
  erased: DEVICE_ERASED,
  find: findOpens,
  ownerOf: (open) => ({ userId: open.user_id, installIds: [open.install_id], openIds: [] }),
  recordedAt: (open) => open.opened_at,
  exportedAs: 'openEvents',
  present: (open) => ({
    id: open.id,
    attributionMethod: open.attribution_method,
    openedAt: open.opened_at,
    installId: open.install_id,
    platform: open.platform,
    ...presentDevice(open),
  }),
};

async function* findOpens(
  db: Db,
  { appId, userId, addresses, installs, neighbours }: Person,
): AsyncGenerator<OpenRow[]> {
  const filters = [
    ...(userId === null ? [] : [{ column: 'user_id' as const, value: userId }]),
    ...[...installs, ...neighbours].map((value) => ({ column: 'install_id' as const, value })),
    ...addresses.map((value) => ({ column: 'ip_hash' as const, value })),
  ];
  for (const filter of filters)
    yield* pages<OpenRow>((after, limit) =>
      listOpensOf(db, appId, { ...filter, after: after?.id ?? null, limit }),
    );
}
