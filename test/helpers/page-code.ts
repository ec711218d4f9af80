/** The TypeScript of a page of a package, as modules that a compiler reads. */

interface PageModule {
  readonly name: string;
  readonly text: string;
}

/**
 * A block that imports something begins a module; one without continues the last, whose names it uses. The first is
 * `App`, which later ones may import. A line that is only `…` stands for code of the reader's.
 */
export function modulesOfPage(page: string): PageModule[] {
  const modules: string[] = [];
  for (const [, code = ''] of page.matchAll(/^```tsx?\n(.*?)^```$/gms)) {
    const text = code.replaceAll(/^\s*…$/gm, '');
    if (modules.length === 0 || /^import /m.test(text)) modules.push(text);
    else modules[modules.length - 1] += text;
  }
  return modules.map((text, index) => ({ name: index === 0 ? 'App.tsx' : `part-${index + 1}.tsx`, text }));
}
