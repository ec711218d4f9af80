/** What narrows a log down, and its export. */
import type { AuditLogEntry } from '@generated/types.gen.ts';
import { DayFilter } from '../components/day-filter.tsx';
import { Picker } from '../components/menu.tsx';
import { Tag } from '../components/tag.tsx';
import { shortId } from '../formats.ts';
import { AUTHORS, authorOf } from './author.ts';
import type { LogSearch } from './log-search.ts';

export type ActionChoice = readonly (readonly [value: string, text: string])[];

export const APP_ACTIONS: ActionChoice = [
  ['', 'Everything'],
  ['app', 'Settings of the app'],
  ['key', 'Keys'],
  ['user,invitation', 'Team'],
  ['link', 'Links'],
  ['webhook', 'Webhooks'],
  ['destination', 'Destinations'],
  ['privacy', 'Privacy'],
  ['records', 'Exports'],
  ['installs', 'Deleted installs'],
  ['costs,cost', 'Costs'],
  ['conversion_values', 'Conversion values'],
];

export const SERVICE_ACTIONS: ActionChoice = [
  ['', 'Everything'],
  ['user.signed_in', 'Sign-ins'],
  ['user.deleted', 'Deleted accounts'],
  ['user.disabled,user.enabled', 'Disabled accounts'],
  ['app', 'New apps'],
  ['operator,setup', 'Operators'],
  ['password,password_reset,session', 'Passwords and sessions'],
  ['retention', 'Retention'],
];

export function LogFilters({
  search,
  onSearch,
  actions,
  entries,
}: {
  search: LogSearch;
  onSearch: (search: LogSearch) => void;
  actions: ActionChoice;
  /** Those that are shown, for the names of what is filtered by. */
  entries: readonly AuditLogEntry[];
}) {
  const set = (filter: LogSearch) => onSearch({ ...search, before: undefined, after: undefined, ...filter });
  const { action = '', actor, resource, shortCode, from, to, order = 'desc' } = search;
  const isListed = actions.some(([value]) => value === action);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Picker
        label="Show"
        value={action}
        options={isListed ? actions : [...actions, [action, action]]}
        onPick={(picked) => set({ action: picked === '' ? undefined : picked })}
      />
      <DayFilter from={from} to={to} onChange={set} />
      <Picker
        label="Order"
        value={order}
        options={[
          ['desc', 'Newest first'],
          ['asc', 'Oldest first'],
        ]}
        onPick={(picked) => set({ order: picked === 'asc' ? 'asc' : undefined })}
      />
      {actor !== undefined && (
        <Tag text={`By: ${nameOfActor(actor, entries)}`} onRemove={() => set({ actor: undefined })} />
      )}
      {resource !== undefined && (
        <Tag
          text={`About: ${nameOfRecord(resource, entries)}`}
          onRemove={() => set({ resource: undefined })}
        />
      )}
      {shortCode !== undefined && (
        <Tag text={`Link: /${shortCode}`} onRemove={() => set({ shortCode: undefined })} />
      )}
    </div>
  );
}

function nameOfActor(id: string, entries: readonly AuditLogEntry[]): string {
  const entry = entries.find(({ actor }) => actor.id === id);
  return entry === undefined ? (AUTHORS[id] ?? shortId(id)) : authorOf(entry.actor);
}

function nameOfRecord(id: string, entries: readonly AuditLogEntry[]): string {
  return entries.find(({ resource }) => resource.id === id)?.resource.name ?? shortId(id);
}
