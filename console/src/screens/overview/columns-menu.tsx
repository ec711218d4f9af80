import { Checks, Menu } from '../../components/menu.tsx';
import { COLUMN_NAMES, columnOf, isColumn, toColumnText } from '../../stats/columns.ts';
import { columnsOf, type OverviewSearch } from './overview-search.ts';

/** Chooses the columns of all lists. */
export function ColumnsMenu({
  search,
  onPick,
}: {
  search: OverviewSearch;
  onPick: (change: OverviewSearch) => void;
}) {
  const { names } = columnsOf(search);
  return (
    <Menu trigger="Columns" className="btn">
      <Checks
        chosen={names}
        options={COLUMN_NAMES.map((name) => [name, columnOf(name).name, columnOf(name).help])}
        onToggle={(name) => {
          if (!isColumn(name)) return;
          const chosen = names.includes(name) ? names.filter((each) => each !== name) : [...names, name];
          const inOrder = COLUMN_NAMES.filter((each) => chosen.includes(each));
          onPick({ columns: toColumnText(inOrder) });
        }}
      />
    </Menu>
  );
}
