import type { Link } from '@generated/types.gen.ts';
import { useState } from 'react';

export interface Selection {
  /** By short code, as they were read. */
  readonly links: ReadonlyMap<string, Link>;
  readonly toggle: (links: readonly Link[], isSelected: boolean) => void;
  readonly clear: () => void;
}

export function useSelection(): Selection {
  const [links, setLinks] = useState<ReadonlyMap<string, Link>>(new Map());
  return {
    links,
    toggle: (some, isSelected) =>
      setLinks((before) => {
        const after = new Map(before);
        for (const link of some)
          if (isSelected) after.set(link.shortCode, link);
          else after.delete(link.shortCode);
        return after;
      }),
    clear: () => setLinks(new Map()),
  };
}
