/** What people call a model, such as `iPhone 16 Pro` for `iPhone17,1`; null if it is unknown. */
export function readDeviceName(_model: string): string | null {
  return null;
}
