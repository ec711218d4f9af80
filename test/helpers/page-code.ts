/** The TypeScript of the pages of a package, as modules that a compiler reads. */
import { existsSync, readFileSync } from 'node:fs';

interface PageModule {
  readonly name: string;
  readonly text: string;
}

/**
 * Of its README and the guide of its name. A block that imports something begins a module; one without continues the last.
 * The first is `App`, which later ones may import. A line that is only `…` stands for code of the reader's.
 * @param name of the folder of the package.
 */
export function modulesOfPages(name: string): PageModule[] {
  const pages = [`packages/${name}/README.md`, `docs/guide/${name}.md`].filter((page) => existsSync(page));
  const page = pages.map((file) => readFileSync(file, 'utf8')).join('\n');
  const modules: string[] = [];
  for (const [, code = ''] of page.matchAll(/^```tsx?\n(.*?)^```$/gms)) {
    const text = code.replaceAll(/^\s*…$/gm, '');
    if (modules.length === 0 || /^import /m.test(text)) modules.push(text);
    else modules[modules.length - 1] += text;
  }
  return modules.map((text, index) => ({ name: index === 0 ? 'App.tsx' : `part-${index + 1}.tsx`, text }));
}
