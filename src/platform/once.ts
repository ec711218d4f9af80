/** Values by key, each made once. For keys of which there are few, such as the labels of a metric. */
export function onceEach<Key extends string | number, T>(make: (key: Key) => T): (key: Key) => T {
  const made = new Map<Key, T>();
  return (key) => {
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(key);
    made.set(key, value);
    return value;
  };
}
