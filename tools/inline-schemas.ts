/** The inverse of `src/server/named-schemas.ts`: an OpenAPI document in which each schema stands where it is used. */

type Json = Readonly<Record<string, unknown>>;

/** Replaces references by what they name; a named schema or null becomes one schema of both types. */
export function inlineSchemas<D>(document: D): D {
  return inline(document, document as Json) as D;
}

function inline(value: unknown, root: Json): unknown {
  if (Array.isArray(value)) return value.map((item) => inline(item, root));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref: ref, anyOf, ...rest } = value as Json;
  const beside = Object.fromEntries(Object.entries(rest).map(([key, part]) => [key, inline(part, root)]));
  if (typeof ref === 'string') return { ...(inline(named(root, ref), root) as Json), ...beside };
  if (!Array.isArray(anyOf)) return anyOf === undefined ? beside : { ...beside, anyOf: inline(anyOf, root) };
  const options = anyOf.map((option) => inline(option, root) as Json);
  const [only, ...others] = options.filter(({ type }) => type !== 'null');
  const isNullable = only !== undefined && others.length === 0 && options.length === 2;
  return isNullable
    ? { ...only, type: [only.type, 'null'].flat(), ...beside }
    : { ...beside, anyOf: options };
}

function named(root: Json, ref: string): unknown {
  return ref
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((part, key) => (part as Json)[key], root);
}
