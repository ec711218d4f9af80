/** A person who uses a page by its keys alone, and sees at each key where they are. */
import type { Page } from './browser.ts';

interface Focus {
  /** Its label or its words; null without a focused element. */
  readonly name: string | null;
  readonly isVisible: boolean;
  readonly html: string;
}

/** Menus mark their item by a ground, fields have a ring, all others an outline. */
const FOCUS = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body || element === document.documentElement)
    return { name: null, isVisible: false, html: 'the body' };
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const isInside = box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0
    && box.top < innerHeight && box.left < innerWidth;
  const isMarked = (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0)
    || (element.matches('input, textarea, select') && style.boxShadow !== 'none')
    || element.hasAttribute('data-highlighted');
  const labels = [...(element.labels ?? [])].map((label) => label.innerText);
  const name = element.getAttribute('aria-label') ?? (labels.join(' ') || element.innerText || '');
  return { name: name.trim().replace(/\\s+/g, ' '), isVisible: isInside && isMarked, html: element.outerHTML.slice(0, 200) };
})()`;

const MOST_TABS = 120;

export class Keyboard {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async focus(): Promise<Focus> {
    return await this.#page.evaluate<Focus>(FOCUS);
  }

  /** @throws if the focus is lost, or cannot be seen. */
  async assertFocused(after: string): Promise<Focus> {
    const focus = await this.focus();
    if (focus.name === null) throw new Error(`after ${after} nothing has the focus`);
    if (!focus.isVisible) throw new Error(`after ${after} the focus cannot be seen on ${focus.html}`);
    return focus;
  }

  /** Presses Tab until an element whose name fits has the focus; each one on the way must be visible. */
  async tabTo(name: string | RegExp): Promise<void> {
    const passed: string[] = [];
    for (let tabs = 0; tabs < MOST_TABS; tabs++) {
      await this.#page.press('Tab');
      const focus = await this.focus();
      // Behind the last element the browser's own controls have the focus, once.
      if (focus.name === null && passed.at(-1) !== '') {
        passed.push('');
        continue;
      }
      const { name: found } = await this.assertFocused(`Tab to ${name} from ${passed.slice(-2).join(', ')}`);
      if (found !== null && (typeof name === 'string' ? found === name : name.test(found))) return;
      passed.push(found ?? '');
    }
    throw new Error(`${MOST_TABS} times Tab never reached ${name}, but ${[...new Set(passed)].join(' | ')}`);
  }

  async press(key: string): Promise<void> {
    await this.#page.press(key);
  }

  /** Moves in an open menu until an item has these words, and chooses it. */
  async choose(item: string): Promise<void> {
    const passed: string[] = [];
    for (let moves = 0; moves < 12; moves++) {
      const { name } = await this.assertFocused('an arrow key in a menu');
      if (name === item || name === `${item}✓` || name === `${item} ✓`) return await this.press('Enter');
      passed.push(name ?? '');
      await this.press('ArrowDown');
    }
    throw new Error(`the menu has no ${item}, but ${passed.join(' | ')}`);
  }

  /** Key by key. */
  async type(text: string): Promise<void> {
    for (const character of text) await this.#page.press(character);
  }
}
