/** Keeps of a body what the service reads, as databases can store it, so that no text refuses a purchase. Pure. */

/** In place of what no database stores: NUL, and half of a surrogate pair. */
export const UNSTORABLE = '\ufffd';

/** The attribute of the customer that an app without user IDs sets. */
export const INSTALL_ATTRIBUTE = 'throughline_install_id';

type Fields = Readonly<Record<string, unknown>>;

/** @param body any JSON, which the schema of the route judges. */
export function cleanBody(body: unknown): unknown {
  if (!isFields(body)) return body;
  const { event } = body;
  return Object.hasOwn(body, 'event')
    ? { event: isFields(event) ? cleanEvent(event) : cleanValue(event) }
    : {};
}

function cleanEvent(event: Fields): Fields {
  const fields = Object.entries(event).filter(([name]) => name !== '__proto__');
  return Object.fromEntries(
    fields.map(([name, value]) => [
      name,
      name === 'subscriber_attributes' ? cleanAttributes(value) : cleanValue(value),
    ]),
  );
}

function cleanAttributes(attributes: unknown): Fields {
  const attribute = isFields(attributes) ? attributes[INSTALL_ATTRIBUTE] : null;
  return isFields(attribute) ? { [INSTALL_ATTRIBUTE]: { value: cleanValue(attribute.value) } } : {};
}

/** Of lists the texts alone, and null for an object. */
function cleanValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.flatMap((each) => (typeof each === 'string' ? cleanText(each) : []));
  if (typeof value === 'object') return null;
  return typeof value === 'string' ? cleanText(value) : value;
}

function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', UNSTORABLE);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
