/** The search of the documents: an index that is loaded at the first use, and no other host. */
import MiniSearch from 'minisearch';
import { INDEX, QUESTION } from './search-options.ts';

const MAX_SHOWN = 12;
const DOCS = new URL('../', import.meta.url);
const wide = matchMedia('(min-width: 900px)');

const details = document.querySelector('nav.all details');
const openWhereWide = () => {
  details.open = wide.matches;
};
openWhereWide();
wide.addEventListener('change', openWhereWide);
document.querySelector('nav.all [aria-current]')?.scrollIntoView({ block: 'nearest' });

const area = document.querySelector('search');
const [input, list, none] = area.querySelectorAll('input, ol, p');
area.hidden = false;

let loading;
function load() {
  loading ??= fetch(new URL('assets/search.json', DOCS))
    .then((answer) => answer.text())
    .then((text) => MiniSearch.loadJSON(text, INDEX));
  return loading;
}

async function show() {
  const words = input.value.trim();
  const found = words === '' ? [] : (await load()).search(words, QUESTION).slice(0, MAX_SHOWN);
  if (input.value.trim() !== words) return;
  list.replaceChildren(...found.map(toItem));
  none.textContent = words !== '' && found.length === 0 ? `Nothing has “${words}”` : '';
}

function toItem({ id, title, heading }) {
  const link = document.createElement('a');
  link.href = new URL(id, DOCS);
  link.append(heading);
  if (heading !== title) {
    const of = document.createElement('small');
    of.textContent = title;
    link.append(of);
  }
  const item = document.createElement('li');
  item.append(link);
  return item;
}

function close() {
  list.replaceChildren();
  none.textContent = '';
}

/** Arrow keys go through the input and what was found. */
function move(step) {
  const stops = [input, ...list.querySelectorAll('a')];
  const next = stops[stops.indexOf(document.activeElement) + step];
  next?.focus();
}

input.addEventListener('focus', load);
input.addEventListener('input', show);
area.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step !== undefined) {
    event.preventDefault();
    move(step);
  } else if (event.key === 'Enter' && event.target === input) list.querySelector('a')?.click();
  else if (event.key === 'Escape') {
    input.focus();
    close();
  }
});
area.addEventListener('focusout', ({ relatedTarget }) => {
  if (!area.contains(relatedTarget)) close();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || /^(?:INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '')) return;
  event.preventDefault();
  input.focus();
});
