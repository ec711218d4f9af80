/** Text of HTTP/1.1 requests and responses, as `connection.ts` sends and receives them. */

export function requestText(
  method: 'GET' | 'POST',
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
): string {
  const json = body === undefined ? '' : JSON.stringify(body);
  const all: Record<string, string> = {
    Host: 'links.example.com',
    ...headers,
    ...(body !== undefined && {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(json)),
    }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${json}`;
}

/** @throws unless the response is a 200 with JSON. */
export function parseJson<T>(response: string): T {
  if (!response.startsWith('HTTP/1.1 200 ')) throw new Error(`not a 200: ${response}`);
  return JSON.parse(response.slice(response.indexOf('\r\n\r\n'))) as T;
}

/** @throws unless the response is a redirect. */
export function parseLocation(response: string): URL {
  const location = /\r\nlocation: ([^\r]+)/i.exec(response)?.[1];
  if (!response.startsWith('HTTP/1.1 302 ') || location === undefined)
    throw new Error(`not a redirect: ${response}`);
  return new URL(location);
}
