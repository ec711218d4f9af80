/** stub */
export async function benchDecisions(_: { isQuick: boolean; clicks: number | null }): Promise<string> {
  return '';
}
