/** What narrows a log down, as its address has it. */
export const LOG_FILTERS = [
  ...(['action', 'actor', 'resource', 'shortCode', 'from', 'to', 'order'] as const),
  ...(['before', 'after'] as const),
] as const;

export type LogSearch = { readonly [Name in (typeof LOG_FILTERS)[number]]?: string | undefined };

export const PAGE = 50;

/** Days of the address are whole days in the viewer's zone, both included. */
export function queryOf({ action, actor, resource, shortCode, from, to, order, before, after }: LogSearch) {
  return {
    ...(action !== undefined && { action }),
    ...(actor !== undefined && { actor }),
    ...(resource !== undefined && { resource }),
    ...(shortCode !== undefined && { shortCode }),
    ...(from !== undefined && { from: startOf(from, 0) }),
    ...(to !== undefined && { to: startOf(to, 1) }),
    ...(order === 'asc' && { order: 'asc' as const }),
    ...(before !== undefined && { before }),
    ...(after !== undefined && { after }),
  };
}

function startOf(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const start = new Date(year, month - 1, date + later);
  return Number.isNaN(start.getTime()) ? day : start.toISOString();
}
