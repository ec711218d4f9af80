/** What counts for one install: the token, however its base64 is written. */
export function tokenEvidence(token: string): string {
  const bytes = Buffer.from(token.replaceAll(/[^A-Za-z0-9+/_-]/g, ''), 'base64');
  return `apple ${bytes.toString('base64')}`;
}
