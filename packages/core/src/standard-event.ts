import type { JsonObject, JsonValue, Revenue } from './types.ts';

/** An event whose name networks know, for `track`; the functions of `StandardEvent` make it. */
export interface StandardEvent {
  readonly name: string;
  readonly properties?: JsonObject | undefined;
  readonly revenue?: Revenue | undefined;
  /** What the log says of fields that the event does not have. */
  readonly remark?: string | undefined;
}

/** @param known the names of its fields, `revenue!` if it needs one. @param fields the properties in camel case, and the revenue. */
export function eventOf(name: string, known = '', fields?: object): StandardEvent {
  const names = known.split(/!? /);
  const unknown: string[] = [];
  // An empty one is refused in words, as any other that is wrong.
  let revenue = known.includes('!') ? ({} as Revenue) : undefined;
  let properties: JsonObject | undefined;
  for (const [field, value] of Object.entries<JsonValue | undefined>({ ...fields })) {
    if (value === undefined || value === null) continue;
    if (!names.includes(field)) unknown.push(field);
    if (field === 'revenue') {
      const { amount, currency, transactionId, ...others } = { ...(value as unknown as Revenue) };
      revenue = { amount, currency, transactionId };
      unknown.push(...Object.keys(others).map((other) => `revenue.${other}`));
    } else {
      properties ??= {};
      properties[field.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)] = value;
    }
  }
  const remark =
    unknown.length > 0
      ? `“${name}” has no field ${unknown.join(', ')}${known && `, only ${names.join(', ')}`}`
      : undefined;
  return { name, properties, revenue, remark };
}
