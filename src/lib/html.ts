import { oneLine } from './text.ts';

/** For text and for quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A text that others wrote, as one line of HTML. */
export function textHtml(text: string): string {
  return escapeHtml(oneLine(text));
}
