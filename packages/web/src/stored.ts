/** Undefined where a page is refused its storage, or has filled it. */
export function stored<Value>(use: () => Value): Value | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
