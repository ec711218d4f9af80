import { type Change, useChange } from '../../api/use-change.ts';
import { BYTE_ORDER_MARK, download } from '../../components/download.ts';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { Refusal } from '../../components/pane.tsx';
import { lengthOf, periodOf } from '../../stats/period.ts';
import { DIMENSION_NAMES, type DimensionName, dimensionOf } from './dimensions.ts';
import { intervalOf, type OverviewSearch } from './overview-search.ts';

type What = DimensionName | 'series';

/** Saves what Overview shows as a file: its intervals, or a whole list. */
export function ExportMenu({ search }: { search: OverviewSearch }) {
  const change = useExport(search);
  return (
    <>
      <Menu trigger="Export" className="btn btn-quiet" align="end">
        <p className="meta px-2 pb-1">CSV with the columns of the page</p>
        <MenuItem onSelect={() => change.run('series')}>
          {{ hour: 'Hours', day: 'Days', week: 'Weeks', month: 'Months' }[intervalOf(search)]}
        </MenuItem>
        {DIMENSION_NAMES.map((name) => (
          <MenuItem key={name} onSelect={() => change.run(name)}>
            {dimensionOf(name).name}
          </MenuItem>
        ))}
      </Menu>
      <Refusal error={change.error} />
    </>
  );
}

export function useExport(search: OverviewSearch): Change<What> {
  return useChange(
    async (client, what: What) => {
      const { readGroups, readSeries } = await import('./export-rows.ts');
      return what === 'series' ? await readSeries(client, search) : await readGroups(client, search, what);
    },
    async (rows, what) => {
      const { toCsv } = await import('@service/server/csv.ts');
      // Spreadsheets take a file without this mark for one of their own encoding.
      const file = new Blob([BYTE_ORDER_MARK, toCsv(rows)], { type: 'text/csv' });
      const { from, to, timezone } = periodOf(search);
      const days = lengthOf({ from, to }) === 1 ? from : `${from} to ${to}`;
      const name = what === 'series' ? 'overview' : dimensionOf(what).name.toLowerCase();
      download(file, `${name} ${days} ${timezone.replaceAll('/', '-')}.csv`);
    },
  );
}
