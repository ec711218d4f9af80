/** Tags as the service compares them: capitals make no other tag. */

const keyOf = (tag: string) => tag.trim().normalize('NFKC').toLowerCase();

export function isSameTag(a: string, b: string): boolean {
  return keyOf(a) === keyOf(b);
}

/** With a tag behind those that are there, unless it is one of them. */
export function withTag(tags: readonly string[], tag: string): readonly string[] {
  const text = tag.trim();
  return text === '' || tags.some((each) => isSameTag(each, text)) ? tags : [...tags, text];
}

export function withoutTags(tags: readonly string[], removed: readonly string[]): readonly string[] {
  return tags.filter((tag) => !removed.some((each) => isSameTag(each, tag)));
}
