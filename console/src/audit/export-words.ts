/** What an export of records was narrowed down by, in words; pure. */
import type { AuditLogEntry } from '@generated/types.gen.ts';
import { formatMoment } from '../formats.ts';
import { FILTER_NAMES, valueText } from '../screens/records/filter-names.ts';
import { type Filter, valuesOf } from '../screens/records/record-search.ts';

/** The log keeps the values that are nobody's personal data. */
type Details = AuditLogEntry['details'] & {
  readonly filters?: Readonly<Record<string, string | readonly string[]>>;
};

const OTHER_NAMES: Readonly<Record<string, string>> = {
  from: 'from',
  to: 'before',
  sandbox: 'sandbox data',
  q: 'a search text',
};

export function filtersText({ fields = [], filters = {} }: Details): string {
  if (fields.length === 0) return '';
  return `, filtered by ${fields.map((field) => filterText(field, filters[field])).join(', ')}`;
}

function filterText(field: string, value: string | readonly string[] | undefined): string {
  const names: Readonly<Record<string, string>> = { ...FILTER_NAMES, ...OTHER_NAMES };
  const name = names[field] ?? field;
  if (value === undefined || field === 'sandbox') return name;
  const values = value === '' ? [''] : valuesOf(value);
  if (field === 'from' || field === 'to')
    return `${name} ${values.map((at) => formatMoment(at, { seconds: false })).join()}`;
  return `${name}: ${values.map((each) => valueText(field as Filter, each)).join(' or ')}`;
}
